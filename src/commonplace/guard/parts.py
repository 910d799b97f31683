"""Ask if a word is of a list by its parts: `tipp*` is any word that begins so, `*tür` one that ends so.

Owns the look-up of a word in the lists of `rules/said.toml`, and that of the words around a noun: "Türcode", "code of
the back door". A word in a script without spaces may be anywhere in a run of them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Final, NamedTuple

from commonplace.guard.table import compiled, load
from commonplace.text import content

_BEFORE: Final = 40  # characters before a noun that its clause may have, and behind it
_FIRST: Final = 3  # words before a noun that say what it is for
_LAST: Final = 5  # words behind it


class _Parts(NamedTuple):
    whole: frozenset[str]
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    inside: tuple[str, ...]


@functools.cache
def _parts(name: str) -> _Parts:
    words = load().words[name]
    starred = [word for word in words if "*" in word]
    anywhere = tuple(word.strip("*") for word in words if word[0] == word[-1] == "*" or content.is_wide(word[0]))
    return _Parts(
        frozenset(words),
        tuple(word[:-1] for word in starred if word[0] != "*"),
        tuple(word[1:] for word in starred if word[-1] != "*"),
        anywhere,
    )


@functools.lru_cache(maxsize=16_384)
def is_one(name: str, word: str) -> bool:
    """True if a word in lower case is of a list."""
    parts = _parts(name)
    if word in parts.whole or word.startswith(parts.starts) or word.endswith(parts.ends):
        return True
    return any(part in word for part in parts.inside)


def has_one(name: str, words: Iterable[str]) -> bool:
    """True if one of some words in lower case is of a list."""
    return any(is_one(name, word) for word in words)


def is_beside(names: str, text: str, start: int, end: int) -> bool:
    """True if a word of one of some lists is beside the noun at [start, end), in its clause or in its own word."""
    return _is_among(names, text[max(0, start - _BEFORE) : start], text[end : end + _BEFORE])


@functools.lru_cache(maxsize=2048)
def _is_among(names: str, before: str, after: str) -> bool:
    edge = compiled(r"[`.,;:!?()\n=\"。，、；：！？]")
    words = compiled(r"\w+").findall(edge.split(before)[-1].casefold())[-_FIRST:]
    words += compiled(r"\w+").findall(edge.split(after, maxsplit=1)[0].casefold())[:_LAST]
    return bool(words) and any(has_one(name, words) for name in names.split())
