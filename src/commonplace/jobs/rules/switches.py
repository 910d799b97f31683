"""Finds what a bare `I switched to Neovim` switches from: the one thing of the same kind that the same person uses.

Pure functions over texts. The kinds, with the things of each, are rows of `rules.toml`; a thing of no kind there
replaces nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeVar

from commonplace.jobs.rules.patterns import guard, kinds

Key = TypeVar("Key")
_WHOSE: Final = {"our": "we", "use": "user"}  # `our editor is Vim`, `User's editor is Vim`


def switched_from(text: str, stated: Iterable[tuple[Key, str]]) -> Key | None:
    """Return the key of the statement that a bare switch replaces; None if none is meant, or several could be.

    Args:
        text: The statement that may say `switched to`.
        stated: What is remembered, by key; the person who speaks is `User` in both.
    """
    new = guard("switched_to").fullmatch(text)
    mine = _kinds(new["value"]) if new else frozenset()
    if new is None or not mine:
        return None
    found = [key for key, other in stated if mine & _used(other, new["who"]) and other != text]
    return found[0] if len(found) == 1 else None


def differ(text: str, other: str) -> bool:
    """True if a switch and what is used are known to be of different kinds (an editor, a database)."""
    new, old = guard("switched_to").fullmatch(text), guard("used").fullmatch(other)
    mine, theirs = (_kinds(each["value"]) if each else frozenset() for each in (new, old))
    return bool(mine and theirs) and not mine & theirs


def alike(thing: str, other: str) -> bool:
    """True if two things are of one kind of which one is used at a time."""
    return bool(_kinds(thing) & _kinds(other))


def _used(text: str, who: str) -> frozenset[str]:
    """Return the kinds of what a statement says that they use; none if it speaks of another person or of no use."""
    found = guard("used").fullmatch(text) or guard("used_as").fullmatch(text)
    if found is None or _WHOSE.get(found["who"][:3].casefold(), found["who"].casefold()) != who.casefold():
        return frozenset()
    return _kinds(found["value"]) or _roles(found["role"] or "")


@lru_cache(maxsize=4096)
def _kinds(value: str) -> frozenset[str]:
    return frozenset(name for name, kind in kinds().items() if kind.things.fullmatch(guard("article").sub("", value)))


def _roles(role: str) -> frozenset[str]:
    return frozenset(name for name, kind in kinds().items() if kind.called.fullmatch(role))
