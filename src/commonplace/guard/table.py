"""The guard's rules as data: loaded at the first text that could need one, compiled one by one.

Owns the reading of `rules/*.toml` and the keyword search that names the candidates. Every rule is
tried only at its keywords, a bounded number of times in each stretch of 4 KB, and looks at a bounded
number of characters, so the work is linear in the text whatever the text is.
"""

from __future__ import annotations

import functools
import itertools
import operator
import re
import string
import tomllib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from commonplace.text import content, packaged

_GAP: Final = (
    r"""[A-Za-z0-9_.\- ]{0,40}["'`]?[ \t]{0,4}"""
    r"""(?:=>|:=|[=:,]|\bis\b|(?<=key)|(?<=token)|(?<=secret)|(?<=KEY)|(?<=TOKEN)|(?<=SECRET))[ \t]{0,4}["'`]?"""
)
_EDGE: Final = r"(?![A-Za-z0-9])"
_OPEN: Final = re.compile(  # the end of a pattern for tokens of any length, which are followed as far as they go
    r"\[A-Za-z0-9[^]]*\]\{\d+,\d{3,}\}(?:=\{0,\d\}|\(\?:\\\.[^()]*\)\?)?\)?\Z"
)
_HEAD: Final = 3
STRETCH: Final = 4096
"""Characters that are looked through at once."""

MOST_PLACES: Final = 512
"""Places in one stretch where rules for secrets are tried. A table or a log with such a noun in each line has fewer."""

MOST_FOUND: Final = 24
"""Secrets in one stretch; of each line with more the whole goes."""

MOST_ORDERS: Final = 128
"""Tries of rules for orders to a model in one stretch; what only notes needs no more."""

_LONGEST: Final = 64  # a keyword and the sign behind it are shorter
_WORD: Final = re.compile(r"[a-z0-9]+")
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]+[\s\S]?")
# Every ASCII character has its place here: a missing one would cost an exception at each look.
_SPACES: Final = {code: chr(code) if chr(code).isalnum() else " " for code in range(128)}
_IN_WORD: Final = frozenset(string.ascii_letters + string.digits)
_KINDS: Final = ("token", "assigned", "said", "printed", "order")
FLOOD: Final = "flood"
"""The rule of what goes because too many keywords are in its stretch."""


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


_REMEMBERED: Final = 8192  # words that were looked at
Part = tuple[str, int, str]  # a word of a keyword, where it begins in it, and the keyword


class Candidate(msgspec.Struct, frozen=True):
    """A rule to try, with its keyword that was seen, and its place in the table."""

    rule: Rule
    keyword: str
    row: int


Group = tuple[Candidate, ...]  # rules with the same keyword


class Tries:
    """Candidates with the places of their keywords; in two lists, for a text may hold a million of them.

    `floods` are the places of stretches with so many keywords that they go as a whole.
    """

    def __init__(self) -> None:
        self.floods: list[int] = []
        self._places = array("q")
        self._seen: list[Group] = []

    def add(self, place: int, seen: Group) -> None:
        """Add the candidates at a place behind the others."""
        self._places.append(place)
        self._seen.append(seen)

    def without(self, floods: set[int]) -> Tries:
        """Return what is in no stretch that is a flood."""
        left = Tries()
        left.floods = sorted(stretch * STRETCH for stretch in floods)
        for place, seen in zip(self._places, self._seen, strict=True):
            if place // STRETCH not in floods:
                left.add(place, seen)
        return left

    def __len__(self) -> int:
        return len(self._seen)

    def __iter__(self) -> Iterator[tuple[int, Candidate]]:
        return ((place, each) for place, seen in zip(self._places, self._seen, strict=True) for each in seen)


class Keywords(msgspec.Struct, frozen=True):
    """The keywords of rules, and how a text is asked for them.

    By its rarest ASCII word, a keyword is asked for at words of a text that begin with it (`by_start`, under its first
    three characters), or that hold it (`inside`). One of signs is looked for as it is, one with a letter beyond ASCII
    where the text has that letter and the one behind it.
    """

    seen: Mapping[str, Group]
    by_start: Mapping[str, list[Part]]
    inside: list[Part]
    signs: list[str]
    foreign: Mapping[str, list[str]]

    def candidates(self, lowered: str) -> tuple[Tries, Tries]:
        """Return the rules to try in a lower-case text in the order of their keywords' places: for secrets, for orders.

        Where a stretch holds keywords of secrets at more than `MOST_PLACES`, each stretch with more than half as many
        is a flood: what is left has too few, however it is moved together.
        """
        tries, orders = Tries(), Tries()
        counts: list[int] = []
        for start in range(0, len(lowered), STRETCH):
            found = sorted(self._found(lowered, start))
            counts.append(len({place for place, _, ours, _ in found if ours}))
            noted = 0
            for place, _, ours, others in found:
                if ours and counts[-1] <= MOST_PLACES:
                    tries.add(place, ours)
                if others and noted < MOST_ORDERS:
                    orders.add(place, others)
                    noted += 1
        if max(counts, default=0) > MOST_PLACES:
            tries = tries.without({stretch for stretch, count in enumerate(counts) if count > MOST_PLACES // 2})
        return tries, orders

    def _found(self, lowered: str, start: int) -> Iterator[tuple[int, int, Group, Group]]:
        """Yield the places of keywords in the stretch from `start`, with their rules for secrets and for orders."""
        block = lowered[start : start + STRETCH + _LONGEST]
        # Text of one byte a character is searched several times as fast.
        plain = block if block.isascii() else block.encode("ascii", "replace").decode("ascii")
        for at, keyword in itertools.chain(self._worded(plain), self._signed(block, plain)):
            if at < STRETCH:
                after = lowered[max(0, start + at - 1) : start + at] in _IN_WORD
                before = block[at + len(keyword) : at + len(keyword) + 1] in _IN_WORD
                yield start + at, *_meant(keyword, after, before)

    def _worded(self, plain: str) -> Iterator[tuple[int, str]]:
        """Yield the keywords at the words of a block, with their places."""
        words = plain.translate(_SPACES).split(" ")
        known = {word: parts for word in set(words) - _OTHERS if (parts := self._begun(word))}
        if not known:
            return
        behind = list(itertools.accumulate(map(len, words)))
        for count in itertools.compress(range(len(words)), map(known.__contains__, words)):
            word = words[count]
            start = behind[count] + count - len(word)
            for shift, keyword in known[word]:
                at = start + shift
                if at >= 0 and plain.startswith(keyword, at):
                    yield at, keyword

    def _signed(self, block: str, plain: str) -> Iterator[tuple[int, str]]:
        """Yield the keywords of signs and those with letters beyond ASCII in a block, with their places."""
        marks = set(block) if plain is not block else set()
        for run in set(_FOREIGN.findall(block)) if marks else ():
            marks.update(map(operator.add, run, run[1:]))
        for keyword in itertools.chain(self.signs, *(self.foreign[mark] for mark in self.foreign.keys() & marks)):
            text = plain if keyword.isascii() else block
            at = text.find(keyword)
            while at >= 0:
                yield at, keyword
                at = text.find(keyword, at + len(keyword))

    def _begun(self, word: str) -> tuple[tuple[int, str], ...]:
        """Return the keywords that a word of a text may be a part of, and where from its start they begin."""
        if word in _BEGUN:
            return _BEGUN[word]
        found = [
            (-before, keyword) for part, before, keyword in self.by_start.get(word[:_HEAD], ()) if word.startswith(part)
        ]
        for part, before, keyword in self.inside:
            if part in word:
                found += ((match.start() - before, keyword) for match in re.finditer(part, word))
        if len(word) < _LONGEST:
            for known in (_OTHERS, _BEGUN):
                if len(known) >= _REMEMBERED:
                    known.clear()
            if found:
                _BEGUN[word] = tuple(found)
            else:
                _OTHERS.add(word)
        return tuple(found)


# What the words of texts begin: most of them are among the last ones.
_OTHERS: Final[set[str]] = set()  # those that begin no keyword
_BEGUN: Final[dict[str, tuple[tuple[int, str], ...]]] = {}


@functools.cache
def _meant(keyword: str, after: bool, before: bool) -> tuple[int, Group, Group]:
    """Return the row of a keyword and its rules for secrets and for orders, `after` and `before` parts of a word."""
    after = after and not content.is_wide(keyword[0])
    rules = [
        seen
        for seen in load().keywords.seen[keyword]
        if (seen.rule.inside or not after) and not (before and seen.rule.whole)
    ]
    ours = tuple(seen for seen in rules if seen.rule.kind != "order")
    return load().keywords.seen[keyword][0].row, ours, tuple(seen for seen in rules if seen.rule.kind == "order")


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
    seen: defaultdict[str, Group] = defaultdict(tuple)
    by_start: defaultdict[str, list[Part]] = defaultdict(list)
    inside: list[Part] = []
    signs: list[str] = []
    foreign: defaultdict[str, list[str]] = defaultdict(list)
    for row, (rule, keyword) in enumerate((each, keyword) for each in rules for keyword in each.keywords):
        seen[keyword] += (Candidate(rule, keyword, row),)
    for keyword, candidates in seen.items():
        word = max(_WORD.finditer(keyword), key=_rareness, default=None)
        if not keyword.isascii():
            foreign[_foreign_pair(keyword)].append(keyword)
            continue
        begins = word and (word.start() > 0 or not any(each.rule.inside for each in candidates))
        ends = word and (word.end() < len(keyword) or all(each.rule.whole for each in candidates))
        if not word or (len(word.group()) < _HEAD and not (begins and ends)):
            signs.append(keyword)
            continue
        (by_start[word.group()[:_HEAD]] if begins else inside).append((word.group(), word.start(), keyword))
    return Keywords(seen=seen, by_start=by_start, inside=inside, signs=signs, foreign=foreign)


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern at its first use; its flags are in it, and `<<name>>` in it is any word of that list."""
    return re.compile(re.sub(r"<<([a-z]+)>>", lambda match: _one_of(load().words[match[1]]), pattern))


def _one_of(words: Iterable[str]) -> str:
    """Return a pattern for any of some words; in a list, `_` is for a space."""
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})".replace("_", r"\s")


def lower(text: str) -> str:
    """Lower a text without changing its length, so that places in it are places in the text."""
    if text.isascii():
        return text.lower()
    return "".join(
        _lower(text[start : start + STRETCH]) for start in range(0, len(text), STRETCH)
    )  # it takes much memory


def _lower(text: str) -> str:
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lowered


def _foreign_pair(keyword: str) -> str:
    """Return the first letter beyond ASCII of a keyword, and the one behind it if there is one."""
    at = next(place for place, char in enumerate(keyword) if not char.isascii())
    return keyword[at : at + 2]


def _rareness(word: re.Match[str]) -> tuple[bool, int]:
    return not content.is_joining(word.group()), word.end() - word.start()


def _read(kind: str, row: dict[str, Any]) -> Rule:
    """Return the rule of a row.

    A token ends at an edge, but for one that may be `long`er than its pattern looks, as any may whose pattern looks
    far; an assigned value follows its keyword and a sign; a space in an order matches any white space; what is said
    of a secret may be one that a person chose.
    """
    if kind == "token":
        long = row.pop("long", False) or _OPEN.search(row["pattern"])
        row = row | {"pattern": row["pattern"] + ("" if long else _EDGE)}
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
