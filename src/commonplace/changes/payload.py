"""What the log keeps of a change beside the bytes of its files, as values."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import msgspec

from commonplace.records import Source, Trust


class Added(msgspec.Struct, frozen=True, omit_defaults=True):
    """A record as a change made it; `said` is when the last message that it rests on was said."""

    id: str
    text: str
    trust: Trust
    sources: tuple[Source, ...] = ()
    quotes: tuple[str, ...] = ()
    kind: str = ""
    person: bool = False
    overrules: tuple[Source, ...] = ()
    said: datetime | None = None


class CursorMove(msgspec.Struct, frozen=True, omit_defaults=True):
    """A cursor or window of a session before and after a change; `name` is empty for the window."""

    session: str
    name: str
    before: int
    after: int
    summary_before: str = ""
    summary_after: str = ""


class ForgetMove(msgspec.Struct, frozen=True, omit_defaults=True):
    """Messages of a session that a change hid: one of them, or all before number `after`; or what a file made of it.

    `message` is then the path of the file. What went for its age, or `alone`, left what rests on it. With `spans` a
    record of that id, or what it asked to forget, is gone, and these parts of messages say it.
    """

    session: str
    message: str = ""
    before: int = 0
    after: int = 0
    hidden: bool = True
    aged: bool = False
    alone: bool = False
    spans: tuple[tuple[str, int, int], ...] = ()


class HoldMove(msgspec.Struct, frozen=True, omit_defaults=True):
    """A range that a change held or released."""

    session: str
    name: str
    start: int
    end: int
    held: bool = True


class Payload(msgspec.Struct, frozen=True, omit_defaults=True):
    """The texts of a change, as the door logs them beside the store's own writes."""

    reason: str = ""
    diff: str = ""
    added: tuple[Added, ...] = ()
    successors: dict[str, str] = msgspec.field(default_factory=dict)
    removed_ids: tuple[str, ...] = ()
    cursors: tuple[CursorMove, ...] = ()
    holds: tuple[HoldMove, ...] = ()
    forgotten: tuple[ForgetMove, ...] = ()
    ended: dict[str, bool] = msgspec.field(default_factory=dict)
    promoted: dict[str, Trust] = msgspec.field(default_factory=dict)
    promoted_before: dict[str, Trust] = msgspec.field(default_factory=dict)
    operations: tuple[dict[str, Any], ...] = ()
    unlisted: dict[str, Trust] = msgspec.field(default_factory=dict)  # of a file whose records are too many to list


STORED: Final = (Payload, Added, CursorMove, ForgetMove, HoldMove)
"""What a payload is made of."""
