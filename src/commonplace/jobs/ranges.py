"""Cut what a job has to do into ranges: whole turns, about so many tokens. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from commonplace.records import RecordedMessage
from commonplace.text.pieces import estimate_tokens


def tokens_of(message: RecordedMessage, limit: int) -> int:
    """Estimate what a message takes in a prompt; results of tools are left out of it."""
    return 0 if message.message.role == "tool" else min(limit, estimate_tokens(message.text)) + 8


def cut(messages: Sequence[RecordedMessage], *, tokens: int, message_tokens: int) -> list[Sequence[RecordedMessage]]:
    """Cut messages into ranges of about `tokens`, each beginning where a turn does.

    A range ends before the user message that would take it over; a single longer turn is a range of
    its own. What is given is used up: the ranges follow each other without a gap.
    """
    ranges: list[Sequence[RecordedMessage]] = []
    start = taken = 0
    for place, message in enumerate(messages):
        cost = tokens_of(message, message_tokens)
        if message.message.role == "user" and place > start and taken + cost > tokens:
            ranges.append(messages[start:place])
            start, taken = place, 0
        taken += cost
    if start < len(messages):
        ranges.append(messages[start:])
    return ranges


def turn_start(messages: Sequence[RecordedMessage], wanted: int) -> int:
    """Give the number of the last message at or before `wanted` that begins a turn; the first where none does.

    If all up to `wanted` is one turn, it is parted where the agent speaks. A call of a tool is never parted from
    its results.
    """
    first = messages[0].number if messages else 0
    for role in ("user", "assistant"):
        starts = [m.number for m in messages if m.message.role == role and first < m.number <= wanted]
        if starts:
            return starts[-1]
    return first


def show(messages: Iterable[RecordedMessage], *, message_tokens: int) -> str:
    """Write messages for a model: numbered from 1, dated, with role and name; tool results left out."""
    lines: list[str] = []
    for number, message in enumerate(messages, 1):
        said = message.message
        if said.role == "tool" or not said.content.strip():
            continue
        when = said.at.strftime("%Y-%m-%dT%H:%M") if said.at else "?"
        tools = f" [tools: {', '.join(said.tools)}]" if said.tools else ""
        name = f" {said.name}" if said.name else ""
        lines.append(f"{number}. [{when}] {said.role.upper()}{name}{tools}: {_shortened(said.content, message_tokens)}")
    return "\n".join(lines)


def show_lines(messages: Iterable[RecordedMessage], *, message_tokens: int) -> str:
    """Write messages as the two-layer design does: `[YYYY-MM-DDTHH:MM] ROLE [tools: a, b]: content`."""
    lines: list[str] = []
    for message in messages:
        said = message.message
        if said.content.strip():
            when = said.at.strftime("%Y-%m-%dT%H:%M") if said.at else "?"
            tools = f" [tools: {', '.join(said.tools)}]" if said.tools else ""
            lines.append(f"[{when}] {said.role.upper()}{tools}: {_shortened(said.content, message_tokens)}")
    return "\n".join(lines)


def _shortened(text: str, tokens: int) -> str:
    if estimate_tokens(text) <= tokens:
        return text
    half = tokens * 3 // 2  # characters: about half the tokens at each end
    return f"{text[:half]} [… {len(text) - 2 * half} characters left out …] {text[-half:]}"
