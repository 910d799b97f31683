"""The guard's rules as data: loaded at the first text that could need one, compiled one by one.

Owns the reading of `rules/*.toml` and the keyword search that names the candidates. Every rule is
tried only at its keywords, a bounded number of times in each stretch of 4 KB, and looks at a bounded
number of characters, so the work is linear in the text whatever the text is.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
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

MOST_TRIES: Final = 192
"""Tries of rules for secrets in one stretch; ordinary text and code come to 96 at most."""

MOST_ORDERS: Final = 32
"""Tries of one rule for orders to a model in one stretch; what only notes needs no more."""

_LONGEST: Final = 64  # a keyword and the sign behind it are shorter
_FIRST_WORD: Final = re.compile(r"[a-z0-9]+")
# Every ASCII character has its place here: a missing one would cost an exception at each look.
_SPACES: Final = {code: chr(code) if chr(code).isalnum() else " " for code in range(128)}
_KINDS: Final = ("token", "assigned", "said", "printed", "order")
FLOOD: Final = "flood"
"""The kind of the candidate that says: too many keywords from here to the end of the stretch."""


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


class Keywords(msgspec.Struct, frozen=True):
    """The keywords of rules by the way a text is asked for them.

    Most keywords begin with a whole word of the text (`by_word`) or begin a longer one (`by_start`, found by
    its first three characters in `heads`); the others are looked for as they are, once what several of them
    begin with is seen (`anywhere`). So a text is cut into words once, and what it cannot hold costs next to nothing.
    """

    by_word: Mapping[str, tuple[Candidate, ...]]
    by_start: Mapping[str, tuple[Candidate, ...]]
    heads: Mapping[str, tuple[str, ...]]
    anywhere: tuple[tuple[str, tuple[Candidate, ...]], ...]
    foreign: Mapping[str, tuple[Candidate, ...]]

    def candidates(self, lowered: str) -> Iterator[tuple[int, Candidate]]:
        """Yield the rules to try in a lower-case text in the order of their keywords' places.

        Where a stretch holds more keywords of secrets than `MOST_TRIES`, its last candidate is a `FLOOD`.
        """
        # Text of one byte a character is searched several times as fast.
        plain = lowered if lowered.isascii() else lowered.encode("ascii", "replace").decode("ascii")
        # Stretch by stretch: few keywords are present in each, and only those are looked for.
        for start in range(0, len(lowered), STRETCH):
            end = start + STRETCH
            tries = [
                (place, seen)
                for seen in self._present(lowered[start : end + _LONGEST], plain[start : end + _LONGEST])
                for place in islice(
                    _places(plain if seen.keyword.isascii() else lowered, seen, start, end),
                    MOST_ORDERS if seen.rule.kind == "order" else MOST_TRIES + 1,
                )
            ]
            tries.sort(key=_place_of)
            if len(tries) > MOST_TRIES and tries[0][1].rule.kind != "order":
                tries[MOST_TRIES:] = [(tries[MOST_TRIES][0], _FLOODED)]
            yield from tries

    def _present(self, lowered: str, plain: str) -> list[Candidate]:
        """List what a stretch may hold: its words and heads are there, its keywords need not be."""
        present: list[Candidate] = []
        for head, candidates in self.anywhere:
            if head in plain:
                present += candidates
        if not lowered.isascii():
            for char in self.foreign.keys() & set(lowered):
                present += self.foreign[char]
        words = set(plain.translate(_SPACES).split())
        for word in self.by_word.keys() & words:
            present += self.by_word[word]
        for start in {s for word in words for s in self.heads.get(word[:_HEAD], ()) if word.startswith(s)}:
            present += self.by_start[start]
        return present


class Table(msgspec.Struct, frozen=True):
    """Rules, the keywords of those for secrets and of those for orders to a model, and lists of words."""

    rules: tuple[Rule, ...]
    secrets: Keywords
    orders: Keywords
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
        secrets=_keywords(rule for rule in rules if rule.kind != "order"),
        orders=_keywords(rule for rule in rules if rule.kind == "order"),
        words=words,
    )


def _keywords(rules: Iterable[Rule]) -> Keywords:
    by_word: dict[str, list[Candidate]] = {}
    by_start: dict[str, list[Candidate]] = {}
    anywhere: dict[str, list[Candidate]] = {}
    for candidate in (Candidate(rule, keyword) for rule in rules for keyword in rule.keywords):
        word = _FIRST_WORD.match(candidate.keyword)
        if word and not candidate.rule.inside and (word.end() < len(candidate.keyword) or candidate.rule.whole):
            by_word.setdefault(word.group(), []).append(candidate)
        elif word and not candidate.rule.inside and word.end() >= _HEAD:
            by_start.setdefault(word.group(), []).append(candidate)
        else:
            anywhere.setdefault(candidate.keyword[: _HEAD if word else 1], []).append(candidate)
    groups = [(head, tuple(candidates)) for head, candidates in anywhere.items()]
    return Keywords(
        by_word={word: tuple(candidates) for word, candidates in by_word.items()},
        by_start={start: tuple(candidates) for start, candidates in by_start.items()},
        heads={start[:_HEAD]: tuple(s for s in by_start if s[:_HEAD] == start[:_HEAD]) for start in by_start},
        anywhere=tuple(group for group in groups if group[0].isascii()),
        foreign={head: candidates for head, candidates in groups if not head.isascii()},
    )


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
    last = end + len(keyword) - 1
    place = lowered.find(keyword, start, last)
    while place >= 0:
        behind = place + len(keyword)
        after_word = place > 0 and not rule.inside and _is_word(lowered[place - 1])
        if not after_word and not (rule.whole and behind < len(lowered) and _is_word(lowered[behind])):
            yield place
        place = lowered.find(keyword, place + 1, last)


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
