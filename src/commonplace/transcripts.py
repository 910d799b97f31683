"""What a session file holds: its lines, made of values and read back, each with a checksum.

One head line, then messages and events. This module knows the format alone; `sessions` decides what
is written and folds what was.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, Literal, cast

import msgspec

from commonplace.records import Message, RecordedMessage, Role, Trust

_CHECKSUM: Final = re.compile(rb',"h":"([0-9a-f]{8})"\}\Z')


class Damaged(msgspec.Struct, frozen=True):
    """A line that cannot be read back, and why."""

    reason: str


class Head(msgspec.Struct, frozen=True, tag_field="type", tag="session"):
    """The first line of a session file; what it says never changes."""

    id: str
    created_at: datetime
    agent: str = "main"
    kind: str = "foreground"
    zone: str = "UTC"


class Event(msgspec.Struct, frozen=True, tag_field="type", tag="event"):
    """Something that happened to a session: its cursor, window, hold or end moved."""

    event: Literal["cursor", "window", "hold", "end", "forget"]
    at: datetime
    name: str = ""
    start: int = 0
    to: int = 0
    summary: str = ""
    held: bool = True


class StoredMessage(msgspec.Struct, frozen=True, tag_field="type", tag="message"):
    """One message line."""

    n: int
    id: str
    role: Role
    at: datetime
    content: str
    trust: Trust
    name: str | None = None
    tools: tuple[str, ...] = ()

    def message(self) -> Message:
        """Give the message as it was appended, screened and completed."""
        return Message(
            self.role, self.content, name=self.name, id=self.id, at=self.at, tools=self.tools, trust=self.trust
        )


Line = Head | Event | StoredMessage
_DECODER: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(Line)


def checksum(line: bytes) -> bool | None:
    """Say whether a stored line is as it was written; None where it carries no checksum."""
    found = _CHECKSUM.search(line)
    return None if found is None else f"{zlib.crc32(line[: found.start()]):08x}".encode() == found.group(1)


def decode(line: bytes) -> Line | Damaged:
    """Read one line of a session file, verifying its checksum where it carries one."""
    line = line.rstrip(b"\r\n")
    if checksum(line) is False:
        return Damaged("checksum does not match")
    try:
        return cast("Line", _DECODER.decode(line))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return Damaged(str(error))


def split_lines(data: bytes, base: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, line) for each whole or last line of some bytes of a file; blank lines are left out."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if end > start:
            yield base + start, data[start:end]
        start = end + 1


def messages_of(path: str, session_id: str, data: bytes, base: int = 0) -> Iterator[RecordedMessage]:
    """Yield the messages among some bytes of a session file that begin at offset `base`."""
    for offset, raw in split_lines(data, base):
        line = decode(raw)
        if isinstance(line, StoredMessage):
            yield RecordedMessage(f"{path}#{line.id}", path, session_id, line.n, line.message(), offset)


def web_follows(role: Role, trust: Trust, *, web: bool) -> bool:
    """Say whether a reply after this message stands in a turn that read the web; a user message starts a turn."""
    return trust == "web" or (web and role != "user")
