"""Cut what a job has to do into ranges: whole turns, about so many tokens. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from commonplace.jobs.showing import tokens_of
from commonplace.records import RecordedMessage

PARTS: Final = 4
"""Ranges that one prompt holds at most, where a whole session or window is summarised."""

_LONG: Final = 2  # ranges; a turn that is longer is parted where the agent speaks


def cut(
    messages: Sequence[RecordedMessage], *, tokens: int, message_tokens: int, exposed: bool = False
) -> list[Sequence[RecordedMessage]]:
    """Cut messages into ranges of about `tokens` in a prompt, each beginning where a turn does.

    A range ends before the user message that would take it over; a single longer turn is a range of its own. One
    that is longer than two ranges is parted where the agent speaks. What is given is used up: the ranges follow each
    other without a gap.
    """
    ranges: list[Sequence[RecordedMessage]] = []
    start = taken = 0
    for place, message in enumerate(messages):
        cost = tokens_of(message, message_tokens, exposed=exposed)
        role = message.message.role
        ends_turn = role == "user" and place > start and taken + cost > tokens
        parts_turn = role == "assistant" and place > start + 1 and taken + cost > _LONG * tokens
        if ends_turn or parts_turn:
            ranges.append(messages[start:place])
            start, taken = place, 0
        taken += cost
    if start < len(messages):
        ranges.append(messages[start:])
    return ranges


def turn_start(messages: Sequence[RecordedMessage], wanted: int) -> int:
    """Return the number of the last message at or before `wanted` that begins a turn; the first if none does.

    If all up to `wanted` is one turn, it is parted where the agent speaks. A call of a tool is never parted from
    its results.
    """
    first = messages[0].number if messages else 0
    for role in ("user", "assistant"):
        starts = [m.number for m in messages if m.message.role == role and first < m.number <= wanted]
        if starts:
            return starts[-1]
    return first
