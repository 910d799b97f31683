"""Find what was said in a time, for a question that asks for nothing else ("what did we talk about yesterday").

Pure but for the places of messages, which it is handed a way to.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from commonplace.recall.index.rows import (
    LENGTH_SHIFT,
    LENGTHS,
    MESSAGE_BITS,
    PASSAGE_BITS,
    ROLE_MASK,
    Note,
    Places,
    Shelf,
)
from commonplace.recall.ranking import Ranked

_SLOTS: Final = 4_000  # the newest, about two million messages; each is read for the times it holds
_WHOLE_CHARS: Final = 120  # a message from this length on says something by itself; a shorter one as much less
_USER: Final = 2.0  # weight of a user's message against those of others, where the words are equal
Span = tuple[int, int]
"""A range in milliseconds; its end lies outside."""


def messages(said: Sequence[Span], shelf: Shelf, places: Callable[[int], Places | None], limit: int) -> list[Ranked]:
    """Rank the messages said then: what users say at length first, and of equals the latest; 1 is the most."""
    found = heapq.nlargest(limit, _weighed(said, shelf, places))
    best = found[0][0] if found else 1.0
    return [Ranked(score / best, key, key << PASSAGE_BITS, {"said then": score / best}) for score, _, key in found]


def notes(found: Sequence[Note], weight: Callable[[Note], float]) -> list[Ranked]:
    """Rank records dated then by what their layers count, each by its first passage."""
    first: dict[str, Note] = {}
    for note in sorted(found, key=lambda note: note.id):
        first.setdefault(note.record, note)
    return [Ranked(weight(note), -note.id, 0, {"dated then": weight(note)}, note) for note in first.values()]


def _weighed(
    said: Sequence[Span], shelf: Shelf, places: Callable[[int], Places | None]
) -> Iterator[tuple[float, int, int]]:
    for number in heapq.nlargest(_SLOTS, shelf.slots):
        found = places(number)
        if found is None or not found.times:
            continue
        earliest, latest = min(found.times), max(found.times)
        meant = [(start, end) for start, end in said if start <= latest and earliest < end]
        if not meant:
            continue
        flags = shelf.slots[number].flags
        for at, at_ms in enumerate(found.times[: len(flags)]):
            if any(start <= at_ms < end for start, end in meant):
                role = 1.0 if flags[at] & ROLE_MASK else _USER
                length = min(1.0, LENGTHS[flags[at] >> LENGTH_SHIFT] / _WHOLE_CHARS)
                yield role * length, at_ms, number << MESSAGE_BITS | at
