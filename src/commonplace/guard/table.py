"""The guard's rules as data: loaded at the first text that could need one, compiled one by one.

Owns the reading of `rules/*.toml` and the keyword search that names the candidates. Every rule is
tried only where one of its keywords stands and looks at a bounded number of characters from there, so
the work is linear in the text whatever the text is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

_GAP: Final = r"""[A-Za-z0-9_.\- ]{0,40}["'`]?[ \t]{0,4}(?:=>|:=|[=:,]|\bis\b|(?<=key)|(?<=token)|(?<=secret)|(?<=KEY)|(?<=TOKEN)|(?<=SECRET))[ \t]{0,4}["'`]?"""
_EDGE: Final = r"(?![A-Za-z0-9])"
_KINDS: Final = ("token", "assigned", "phrase", "order")


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
    weak: bool = False  # a plain word may be the secret
    signs_only: bool = False  # the noun counts only with a sign right behind it
    human: bool = False  # people choose such secrets: nothing of them may be hashed

    def compiled(self) -> re.Pattern[str]:
        """Give the compiled pattern, compiled at its first use."""
        return _compile(self.pattern)


class Candidate(msgspec.Struct, frozen=True):
    """A rule to try, with its keyword that was seen."""

    rule: Rule
    keyword: str


class Table(msgspec.Struct, frozen=True):
    """Rules with their keyword search; a keyword also names the rules of its own prefixes."""

    rules: tuple[Rule, ...]
    by_keyword: Mapping[str, tuple[Candidate, ...]]
    search: re.Pattern[str]

    def candidates(self, text: str, lowered: str) -> Iterator[tuple[int, Candidate]]:
        """Yield the rules to try, each with the place of its keyword; `lowered` is `lower(text)`."""
        for match in self.search.finditer(lowered):
            place = match.start()
            after_word = place > 0 and lowered[place - 1].isalnum() and lowered[place - 1].isascii()
            for candidate in self.by_keyword[match.group() + match.group(match.lastindex or 0)]:
                if after_word and not candidate.rule.inside:
                    continue
                if candidate.rule.whole and text[place + len(candidate.keyword) :][:1].isalnum():
                    continue
                yield place, candidate


@functools.cache
def load(*names: str) -> Table:
    """Read rule files of the package into one table."""
    import pkgutil  # noqa: PLC0415 - kept off the import of the package: needed at the first candidate only
    import tomllib  # noqa: PLC0415 - as above

    rules: list[Rule] = []
    for name in names:
        data = tomllib.loads((pkgutil.get_data(__package__, f"rules/{name}.toml") or b"").decode("utf-8"))
        rules += [_read(kind, row) for kind in _KINDS for row in data.get(kind, [])]
    words = sorted({word for rule in rules for word in rule.keywords})
    by_keyword = {word: tuple(_candidates(rules, word)) for word in words}
    return Table(tuple(rules), by_keyword, re.compile(_first_then_rest(words)))


def lower(text: str) -> str:
    """Lower a text without changing its length, so that places in it are places in the text."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lowered


def _candidates(rules: list[Rule], word: str) -> Iterator[Candidate]:
    for rule in rules:
        seen = [keyword for keyword in rule.keywords if word.startswith(keyword)]
        if seen:
            yield Candidate(rule, max(seen, key=len))


def _read(kind: str, row: dict[str, Any]) -> Rule:
    """Make a rule of a row; a token ends at an edge, an assigned value stands behind its keyword and a sign."""
    if kind == "token":
        row = row | {"pattern": row["pattern"] + _EDGE}
    elif kind == "assigned":
        names = "|".join(re.escape(keyword) for keyword in row["keywords"])
        row = row | {"pattern": f"(?i:{names}){_GAP}({row['pattern']}){_EDGE}", "check": "named"}
    elif kind == "phrase" and row["keywords"][0].isascii():
        row = {"human": row["check"] != "random"} | row
    return msgspec.convert(row | {"kind": kind}, Rule)


@functools.cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _first_then_rest(words: list[str]) -> str:
    """Build a search that consumes one character of a keyword and sees the rest, so overlaps are all found."""
    heads: dict[str, list[str]] = {}
    for word in words:
        heads.setdefault(word[0], []).append(word[1:])
    return "|".join(f"{re.escape(head)}(?=({_trie(rests)}))" for head, rests in sorted(heads.items()))


def _trie(words: list[str]) -> str:
    """Write words as one expression that tries each character once and takes the longest word."""
    heads: dict[str, list[str]] = {}
    for word in words:
        if word:
            heads.setdefault(word[0], []).append(word[1:])
    branches = [re.escape(head) + _trie(rests) for head, rests in sorted(heads.items())]
    if not branches:
        return ""
    body = branches[0] if len(branches) == 1 and "" not in words else f"(?:{'|'.join(branches)})"
    return f"{body}?" if "" in words else body
