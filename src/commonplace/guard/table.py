"""The guard's rules as data: loaded at the first text that could need one, compiled one by one.

Owns the reading of `rules/*.toml`, the keyword search that names the candidates, and the running of a
rule at a keyword. Every rule is tried only where one of its keywords stands and looks at a bounded
number of characters from there, so the work is linear in the text whatever the text is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

_BEFORE_ASSIGNED: Final = r"""[A-Za-z0-9_.\- ]{0,40}["'`]?[ \t]{0,4}(?:=>|:=|[=:]|\bis\b|\bto\b|,)[ \t]{0,4}["'`]?"""
_EDGE: Final = r"(?![A-Za-z0-9])"


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of thing to find.

    `pattern` starts at a keyword (or up to `back` characters before it); its first group, or all of it,
    is what was found. `check` names a test the found text must pass; `entropy` is a floor in bits per
    character; `human` says that people choose such secrets, so nothing of them may be hashed.
    """

    id: str
    vendor: str = ""
    keywords: tuple[str, ...]
    pattern: str
    check: str = ""
    entropy: float = 0.0
    back: int = 0
    human: bool = False
    inside: bool = False  # the keyword may follow a letter or digit

    def compiled(self) -> re.Pattern[str]:
        """Give the compiled pattern, compiled at its first use."""
        return _compile(self.pattern)


class Table(msgspec.Struct, frozen=True):
    """Rules with their keyword search: `by_keyword` holds the rules of a keyword and of its own prefixes."""

    rules: tuple[Rule, ...]
    by_keyword: Mapping[str, tuple[Rule, ...]]
    search: re.Pattern[str]

    def hits(self, lowered: str) -> Iterator[tuple[int, tuple[Rule, ...]]]:
        """Yield each place of a keyword in a lower-case text, with the rules to try there."""
        for match in self.search.finditer(lowered):
            keyword = match.group() + (match.group(match.lastindex) if match.lastindex else "")
            yield match.start(), self.by_keyword[keyword]


@functools.cache
def load(name: str) -> Table:
    """Read one rule file of the package; its tables are `rule`, `token` and `assigned`."""
    import pkgutil  # noqa: PLC0415 - kept off the import of the package: needed at the first candidate only
    import tomllib  # noqa: PLC0415 - as above

    data = tomllib.loads((pkgutil.get_data(__package__, f"rules/{name}.toml") or b"").decode("utf-8"))
    rules = [_read(kind, row) for kind in ("rule", "token", "assigned") for row in data.get(kind, [])]
    words = sorted({word for rule in rules for word in rule.keywords})
    by_keyword = {
        word: tuple(rule for rule in rules if any(word.startswith(keyword) for keyword in rule.keywords))
        for word in words
    }
    return Table(tuple(rules), by_keyword, re.compile(_first_then_rest(words)))


def lower(text: str) -> str:
    """Lower a text without changing its length, so that places in it are places in the text."""
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    return lowered


def _read(kind: str, row: dict[str, Any]) -> Rule:
    """Make a rule of a row; a token ends at an edge, an assigned value stands behind its keyword and a sign."""
    if kind == "token":
        row = row | {"pattern": row["pattern"] + _EDGE}
    elif kind == "assigned":
        row = row | {
            "pattern": f"(?i:{'|'.join(map(re.escape, row['keywords']))}){_BEFORE_ASSIGNED}({row['pattern']}){_EDGE}"
        }
    return msgspec.convert(row, Rule)


@functools.cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _first_then_rest(words: list[str]) -> str:
    """Build a search that consumes one character of a keyword and sees the rest, so overlaps are all found."""
    heads: dict[str, list[str]] = {}
    for word in words:
        heads.setdefault(word[0], []).append(word[1:])
    return "|".join(f"{re.escape(head)}(?=({_trie(rests)}))" for head, rests in sorted(heads.items())) or r"(?!)"


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
