"""The guard's rules as data: loaded at the first text that could need one, compiled one by one.

Owns the reading of `rules/*.toml` and the keyword search that names the candidates. Every rule is
tried only at its keywords, a bounded number of times in each stretch of 4 KB, and looks at a bounded
number of characters, so the work is linear in the text whatever the text is.
"""

from __future__ import annotations

import functools
import heapq
import re
import tomllib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from commonplace.text import packaged

_GAP: Final = (
    r"""[A-Za-z0-9_.\- ]{0,40}["'`]?[ \t]{0,4}"""
    r"""(?:=>|:=|[=:,]|\bis\b|(?<=key)|(?<=token)|(?<=secret)|(?<=KEY)|(?<=TOKEN)|(?<=SECRET))[ \t]{0,4}["'`]?"""
)
_EDGE: Final = r"(?![A-Za-z0-9])"
_HEAD: Final = 3
STRETCH: Final = 4096
"""Characters that are looked through at once."""

MOST_PLACES: Final = 512
"""Places in one stretch where rules for secrets are tried. A table or a log with such a noun in each line has fewer."""

MOST_ORDERS: Final = 32
"""Tries of one rule for orders to a model in one stretch; what only notes needs no more."""

_BLOCK: Final = 4 * STRETCH  # characters that are cut into words at once
_LONGEST: Final = 64  # a keyword and the sign behind it are shorter
_FIRST_WORD: Final = re.compile(r"[a-z0-9]+")
# Every ASCII character has its place here: a missing one would cost an exception at each look.
_SPACES: Final = {code: chr(code) if chr(code).isalnum() else " " for code in range(128)}
_KINDS: Final = ("token", "assigned", "said", "printed", "order")
FLOOD: Final = "flood"
"""The kind of the candidate that says: too many keywords in the stretch that begins here."""


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of thing to find.

    `pattern` starts at a keyword (or up to `back` characters before it); its first group, or all of it,
    is what was found. `check` names a test that the found text must pass.
    """

    id: str
    kind: str
    keywords: tuple[str, ...]
    pattern: str = ""
    vendor: str = ""
    check: str = ""
    back: int = 0
    inside: bool = False  # the keyword may follow a letter or digit
    whole: bool = False  # no letter or digit may follow the keyword
    near: str = ""  # the name of a list of words, one of which must be in the sentence
    human: bool = False  # people choose such secrets: nothing of them may be hashed


class Candidate(msgspec.Struct, frozen=True):
    """A rule to try, with its keyword that was seen."""

    rule: Rule
    keyword: str


_FLOODED: Final = Candidate(Rule(id=FLOOD, kind=FLOOD, keywords=(), human=True), "")


class Tries:
    """Candidates with the places of their keywords; in two lists, for a text may hold a million of them."""

    def __init__(self) -> None:
        self._places = array("q")
        self._seen: list[Candidate] = []

    def add(self, place: int, seen: Candidate) -> None:
        """Add a candidate behind the others."""
        self._places.append(place)
        self._seen.append(seen)

    def __iter__(self) -> Iterator[tuple[int, Candidate]]:
        return zip(self._places, self._seen, strict=True)


class Keywords(msgspec.Struct, frozen=True):
    """The keywords of rules by the way a text is asked for them.

    By its first word, a keyword begins with a whole word of the text (`by_word`), begins a longer one (`by_start`,
    under its first three characters), or may be inside of one (`inside`). So a text is cut into words once, and
    what it cannot hold costs next to nothing. What begins with a sign (`signs`) or a letter beyond ASCII
    (`foreign`, under that letter) is looked for as it is.
    """

    by_word: Mapping[str, tuple[Candidate, ...]]
    by_start: Mapping[str, Mapping[str, tuple[Candidate, ...]]]
    inside: Mapping[str, tuple[Candidate, ...]]
    signs: tuple[Candidate, ...]
    foreign: Mapping[str, tuple[Candidate, ...]]

    def candidates(self, lowered: str) -> Tries:
        """Return the rules to try in a lower-case text in the order of their keywords' places.

        Where a stretch holds keywords of secrets at more than `MOST_PLACES`, a `FLOOD` takes the place of all in each
        stretch that holds more than half as many: what is left has too few, however it is moved together.
        """
        # Text of one byte a character is searched several times as fast.
        plain = lowered if lowered.isascii() else lowered.encode("ascii", "replace").decode("ascii")
        counts: Counter[int] = Counter()
        tries = Tries()
        # Block by block: few keywords are present in each, and only those are looked for.
        for start in range(0, len(lowered), _BLOCK):
            end = start + _BLOCK
            found = [
                (place, seen)
                for seen in self._present(lowered[start : end + _LONGEST], plain[start : end + _LONGEST])
                for place in _places(plain if seen.keyword.isascii() else lowered, seen, start, end)
            ]
            found.sort(key=_place_of)
            last = -1
            for place, seen in found:
                if seen.rule.kind != "order" and place != last:
                    counts[place // STRETCH] += 1
                    last = place
                if counts[place // STRETCH] <= MOST_PLACES:
                    tries.add(place, seen)
        if max(counts.values(), default=0) <= MOST_PLACES:
            return tries
        floods = {stretch for stretch, count in counts.items() if count > MOST_PLACES // 2}
        left = Tries()
        for place, seen in heapq.merge(
            tries, ((stretch * STRETCH, _FLOODED) for stretch in sorted(floods)), key=_place_of
        ):
            if seen is _FLOODED or place // STRETCH not in floods:
                left.add(place, seen)
        return left

    def _present(self, lowered: str, plain: str) -> Iterator[Candidate]:
        """Yield what a block may hold: the first words are there, the keywords need not be."""
        yield from (seen for seen in self.signs if seen.keyword in plain)
        if not lowered.isascii():
            for char in self.foreign.keys() & set(lowered):
                yield from self.foreign[char]
        words = set(plain.translate(_SPACES).split())
        for word in self.by_word.keys() & words:
            yield from self.by_word[word]
        begun = {start for word in words for start in self.by_start.get(word[:_HEAD], ()) if word.startswith(start)}
        for start in begun:
            yield from self.by_start[start[:_HEAD]][start]
        once = " ".join(words)
        for part, candidates in self.inside.items():
            if part in once:
                yield from candidates


class Table(msgspec.Struct, frozen=True):
    """Rules, their keywords, and lists of words."""

    rules: tuple[Rule, ...]
    keywords: Keywords
    words: Mapping[str, frozenset[str]]


@functools.cache
def load() -> Table:
    """Read the rule files of the package."""
    rules: list[Rule] = []
    words: dict[str, frozenset[str]] = {}
    for name in ("secrets", "said", "printed", "injection"):
        data = tomllib.loads(packaged.text(__package__, f"rules/{name}.toml"))
        rules += [_read(kind, row) for kind in _KINDS for row in data.get(kind, [])]
        words |= {key: frozenset(value.split()) for key, value in data.get("words", {}).items()}
    return Table(
        rules=tuple(rules),
        keywords=_keywords(rules),
        words=words,
    )


def _keywords(rules: Iterable[Rule]) -> Keywords:
    by_word: dict[str, tuple[Candidate, ...]] = {}
    by_start: dict[str, dict[str, tuple[Candidate, ...]]] = {}
    inside: dict[str, tuple[Candidate, ...]] = {}
    signs: tuple[Candidate, ...] = ()
    foreign: dict[str, tuple[Candidate, ...]] = {}
    for candidate in (Candidate(rule, keyword) for rule in rules for keyword in rule.keywords):
        keyword, rule = candidate.keyword, candidate.rule
        match = _FIRST_WORD.match(keyword)
        word = match.group() if match else keyword[0]
        if not keyword[0].isascii():
            group = foreign
        elif not match:
            signs += (candidate,)
            continue
        elif not rule.inside and (len(word) < len(keyword) or rule.whole):
            group = by_word
        elif not rule.inside and len(word) >= _HEAD:
            group = by_start.setdefault(word[:_HEAD], {})
        else:
            group = inside
        group[word] = (*group.get(word, ()), candidate)
    return Keywords(by_word=by_word, by_start=by_start, inside=inside, signs=signs, foreign=foreign)


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern at its first use; its flags are in it."""
    return re.compile(pattern)


def lower(text: str) -> str:
    """Lower a text without changing its length, so that places in it are places in the text."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lowered


def _places(lowered: str, candidate: Candidate, start: int, end: int) -> Iterator[int]:
    """Yield where in [start, end) a keyword begins, with the borders that its rule asks for."""
    keyword, rule = candidate.keyword, candidate.rule
    most = MOST_ORDERS if rule.kind == "order" else MOST_PLACES + 1
    last = end + len(keyword) - 1
    stretch = count = -1
    place = lowered.find(keyword, start, last)
    while place >= 0:
        behind = place + len(keyword)
        after_word = place > 0 and not rule.inside and _is_word(lowered[place - 1])
        if not after_word and not (rule.whole and behind < len(lowered) and _is_word(lowered[behind])):
            if place // STRETCH != stretch:
                stretch, count = place // STRETCH, 0
            count += 1
            yield place
        behind = (stretch + 1) * STRETCH if count >= most else 0
        place = lowered.find(keyword, max(place + 1, behind), last)


def _is_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _place_of(found: tuple[int, Candidate]) -> int:
    return found[0]


def _read(kind: str, row: dict[str, Any]) -> Rule:
    """Return the rule of a row.

    A token ends at an edge; an assigned value follows its keyword and a sign; a space in an order
    matches any white space; what is said of a secret may be one that a person chose.
    """
    if kind == "token":
        row = row | {"pattern": row["pattern"] + _EDGE}
    elif kind == "assigned":
        names = "|".join(re.escape(keyword) for keyword in row["keywords"])
        row = row | {
            "pattern": f"(?i:{names}){_GAP}({row['pattern']}){_EDGE}",
            "check": "named",
            "whole": row["keywords"][0].isalnum(),
        }
    elif kind == "order":
        whole = not row.get("inside") and row["keywords"][0][-1].isalnum()
        spaced = row["pattern"].replace(" ?", r"\s{0,8}").replace(" ", r"\s{1,8}")
        row = {"whole": whole} | row | {"pattern": spaced}
    else:
        row = {"human": True} | row
    return msgspec.convert(row | {"kind": kind}, Rule)
