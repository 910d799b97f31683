"""What is known of a whole talk when one of its messages is read, and what makes a memo of a clause."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

import msgspec

from commonplace.jobs.rules.clauses import Clause
from commonplace.jobs.rules.memos import Memo
from commonplace.jobs.rules.patterns import Kind, guard
from commonplace.records import RecordedMessage, Trust
from commonplace.text.pieces import short_name


class Talk(msgspec.Struct, frozen=True):
    """Where days begin, and who speaks of what.

    `two` people or more speak; `instructed` if an assistant is spoken to, `coding` if it is of code.
    """

    zone: tzinfo
    two: bool
    instructed: bool
    coding: bool


def talk_of(messages: Sequence[RecordedMessage], zone: tzinfo) -> Talk:
    """Return what is known of the talk that some messages are of."""
    names = {short_name(item.message.name) for item in messages if item.message.role == "user"} - {None}
    assisted = any(item.message.role == "assistant" for item in messages)
    return Talk(
        zone=zone,
        two=len(names) > 1,  # then `we` may mean the listener
        instructed=assisted or len(names) < 2,
        coding=any(item.message.role == "tool" or item.message.tools for item in messages)
        or any(guard("code").search(item.text, 0, 4000) for item in messages if item.message.role == "assistant"),
    )


def span_of(start: int, clause: Clause) -> tuple[int, int]:
    """Return the place of a clause in its message."""
    return start + clause.start, start + clause.end


def memo_of(
    item: RecordedMessage,
    kind: Kind,
    text: str,
    span: tuple[int, int],
    salience: float,
    *,
    trust: Trust = "user",
    **more: Any,
) -> Memo:
    """Return what a message states in one place as a memo; `more` are other fields of it."""
    return Memo(
        kind=kind,
        text=text,
        number=item.number,
        message=item.message.id or item.id,
        quote=item.text[slice(*span)],
        span=span,
        trust=trust,
        salience=round(salience, 3),
        speaker=short_name(item.message.name),
        at=item.message.at,
        **more,
    )
