"""Read what a question dates by an event, as in "before the release", and turn the event's time into a range. Pure.

The time of the event is that of the messages that speak of it, if they lie close together.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from commonplace.text.patterns import pattern
from commonplace.text.terms import STOP_WORDS
from commonplace.text.times import Range

_EVENT: Final = pattern(
    r"\b(before|after|since|until|during)\s+(?:the|our|my|your|his|her|its|their|this|that|[\w-]+['’]s)\s+"
    r"([\w-]+(?:\s+[\w-]+){0,3})",
)
_NO_EVENT: Final = frozenset([
    "end", "day", "week", "weekend", "month", "year", "morning", "evening", "night", "time", "past",
])  # fmt: skip
MOST: Final = 60  # messages that speak of it; a word of all talk is no event
_SPREAD: Final = timedelta(days=45)  # mentions further apart are of several events
_REACH: Final = timedelta(days=90)  # so far from an event something is still before or after it


class Event(msgspec.Struct, frozen=True):
    """What a question is dated by: `when` says on which side, `words` what happened."""

    when: str
    words: str


def named(text: str) -> Event | None:
    """Return the event that a question is dated by; None where it names none."""
    found = _EVENT.search(text.lower())
    if found is None:
        return None
    words: list[str] = []
    for word in found[2].split():
        if word in STOP_WORDS:
            break
        words.append(word)
    return Event(found[1], " ".join(words)) if words and words[0] not in _NO_EVENT else None


def around(event: Event, said_at_ms: Sequence[int]) -> Range | None:
    """Return the range that a question means, from when its event was spoken of; None where that gives no time."""
    if not 0 < len(said_at_ms) <= MOST:
        return None
    first, last = (datetime.fromtimestamp(at / 1000, UTC) for at in (min(said_at_ms), max(said_at_ms)))
    if last - first > _SPREAD:
        return None
    try:
        if event.when in {"before", "until"}:
            return first - _REACH, last
        if event.when == "during":
            return first - timedelta(days=1), last + timedelta(days=1)
        return first, last + _REACH
    except OverflowError:  # a clock at the edge of the calendar
        return None
