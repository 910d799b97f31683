"""What a session file holds: its lines, each with a checksum, and what they fold to.

One head line, then messages and events. This module makes and reads the lines; `sessions` decides what
is written.
"""

from __future__ import annotations

import codecs
import hashlib
import hmac
import re
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal, cast

import msgspec

from commonplace import guard
from commonplace.changes.forgotten import without_said
from commonplace.changes.sealing import sealed
from commonplace.errors import UNREADABLE, InputError
from commonplace.guard.markers import ERASED
from commonplace.guard.screened import Screened, json_line
from commonplace.guard.turns import NOTHING, Said
from commonplace.records import (
    TRUST_RANK,
    Message,
    RecordedMessage,
    Role,
    Session,
    Superseded,
    Trust,
)
from commonplace.store.protocol import Store
from commonplace.text.pieces import decode_name, names_of

_CHECKSUM: Final = re.compile(rb',"h":"([0-9a-f]{8})"\}')
_CHECKSUM_BYTES: Final = len(b',"h":"01234567"}')
SAID_CHARS: Final = 20_000  # of a message: from its beginning, and from its end
CALLS_KEPT: Final = 1024  # calls of a session whose results may still come; a result follows its call closely
_MARK_CHARS: Final = 6  # behind a number that two copies of a session may both give
PART_BYTES: Final = 4 << 20  # a transcript is read in parts of this, so that memory stays bounded


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
    """What happened to a session: its cursor, window, hold or end moved, topics were shown, the host spoke of it."""

    event: Literal["cursor", "window", "hold", "end", "forget", "shown", "about"]
    at: datetime
    name: str = ""
    start: int = 0
    to: int = 0
    n: int = 0  # of a cursor and a hold: how many messages the session had
    summary: str = ""
    held: bool = True
    topics: tuple[tuple[str, int], ...] = ()  # that were shown for a question, and how many days old each was
    paused: bool = False
    metadata: dict[str, Any] = {}
    aged: bool = False  # what rests on it stays: forgotten for its age, or `alone`
    alone: bool = False
    along: tuple[str, ...] = ()  # what goes with what was forgotten, see `forgotten.hashed`
    spans: tuple[tuple[str, int, int], ...] = ()  # that say what a record said that is gone; of a whole message to 0


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
    calls: dict[str, str] = {}  # the tool of each call, by `call_key`

    def message(self) -> Message:
        """Return the message as it was appended, screened and completed."""
        return Message(
            self.role, self.content, name=self.name, id=self.id, at=self.at, tools=self.tools, trust=self.trust
        )


Line = Head | Event | StoredMessage
_DECODER: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(Line)


def head_line(head: Head) -> Screened:
    """Return the head line of a session."""
    return json_line(
        {
            "type": "session",
            "id": guard.screen(head.id),
            "created_at": head.created_at,
            "agent": guard.screen(head.agent),
            "kind": guard.screen(head.kind),
            "zone": head.zone,
        },
        checksum=True,
    )


def message_line(
    message: Message,
    number: int,
    message_id: Screened | str,
    content: Screened,
    *,
    raw: Screened,
    at: datetime,
    trust: Trust,
) -> Screened:
    """Return the line of a message; its id and content are screened already.

    `raw` is what the line keeps beside its content if it differs: nothing reads it but a person.
    """
    values: dict[str, object] = {
        "type": "message",
        "n": number,
        "id": message_id,
        "role": message.role,
        "at": at,
        "trust": trust,
    }
    if message.name:
        values["name"] = guard.screen(message.name)
    if message.tools:
        values["tools"] = [guard.screen(tool) for tool in message.tools]
    if message.calls:
        values["calls"] = {call_key(call): guard.screen(tool) for call, tool in message.calls}
    values["content"] = content
    if raw.text != content.text:
        values["raw"] = raw
    return json_line(values, checksum=True)


def call_key(call: str) -> str:
    """Return the key of a tool call in a transcript: a hash, because its id may look like a secret."""
    return hashlib.sha256(call.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def event_line(event: Event) -> Screened:
    """Return the line of an event."""
    values: dict[str, object] = {"type": "event", "event": event.event, "at": event.at}
    if event.name:
        values["name"] = guard.screen(event.name)
    if event.event == "hold":
        values["start"] = event.start
    if event.event == "hold" or not event.held:
        values["held"] = event.held
    values["to"] = event.to
    if event.n:
        values["n"] = event.n
    if event.summary:
        values["summary"] = guard.screen(event.summary)
    if event.event == "about":
        values["paused"], values["metadata"] = event.paused, sealed(event.metadata)
    if event.aged:
        values["aged"] = True
    if event.alone:
        values["alone"] = True
    if event.along:
        values["along"] = list(event.along)
    if event.spans:
        values["spans"] = [[guard.screen(own), start, end] for own, start, end in event.spans]
    if event.topics:
        values["topics"] = [[guard.screen(path), days] for path, days in event.topics]
    return json_line(values, checksum=True)


def checksum(line: bytes) -> bool | None:
    """True if a stored line is as it was written; None if it has no checksum."""
    found = _CHECKSUM.fullmatch(line, len(line) - _CHECKSUM_BYTES)
    return None if found is None else b"%08x" % zlib.crc32(line[:-_CHECKSUM_BYTES]) == found.group(1)


def decode(line: bytes) -> Line | Damaged:
    """Read one line of a session file, verifying its checksum where it carries one."""
    line = line.rstrip(b"\r\n")
    if checksum(line) is False:
        return Damaged("checksum does not match")
    try:
        return cast("Line", _DECODER.decode(line))
    except UNREADABLE as error:
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


def whole_lines(store: Store, path: str, start: int = 0) -> Iterator[bytes]:
    """Yield the rest of a file in parts that end where a line ends; a torn tail is left out."""
    wanted = PART_BYTES
    while True:
        blob = store.read(path, start, start + wanted)
        if blob is None or not blob.data:
            return
        end = blob.data.rfind(b"\n") + 1
        if end:
            yield blob.data[:end]
            start += end
        if len(blob.data) < wanted:  # what is shorter than was asked for is the end of the file
            return
        wanted = PART_BYTES if end else wanted * 2


def messages_of(path: str, session_id: str, data: bytes, base: int = 0) -> Iterator[RecordedMessage]:
    """Yield the messages among some bytes of a session file that begin at offset `base`."""
    for offset, raw in split_lines(data, base):
        line = decode(raw)
        if isinstance(line, StoredMessage):
            yield RecordedMessage(f"{path}#{line.id}", path, session_id, line.n, line.message(), offset)


def require_form(message: Message) -> None:
    """Make sure of what most messages do not carry: name, tools and trust; annotations do not hold at run time.

    Raises:
        InputError: One of them is not what a message has.
    """
    given: Any = message
    if given.name is not None and not isinstance(given.name, str):
        raise InputError(f"the name of a message is a text, not {type(given.name).__name__}", field="name")
    if not isinstance(given.tools, (tuple, list)) or not all(isinstance(tool, str) for tool in given.tools):
        raise InputError("the tools of a message are names in a tuple", field="tools")
    if not isinstance(given.calls, (tuple, list)) or not all(map(_is_call, given.calls)):
        raise InputError("the calls of a message are pairs of an id and a tool's name", field="calls")
    if given.trust is not None and given.trust not in tuple(TRUST_RANK):
        raise InputError(f"there is no trust {given.trust!r}; use one of {', '.join(TRUST_RANK)}", field="trust")


def _is_call(given: Any) -> bool:
    return isinstance(given, (tuple, list)) and len(given) == 2 and all(isinstance(part, str) for part in given)


def require_same(session_id: str, given: Sequence[tuple[str | None, Screened]], stored: Mapping[str, str]) -> None:
    """Make sure that no message has the id of another one.

    Args:
        session_id: The session they are for.
        given: The id and the text of each message, as they may be stored.
        stored: The texts of the session's messages with such an id.

    Raises:
        InputError: Some have; `places` says which of those given.
    """
    texts = dict(stored)
    places = tuple(
        place
        for place, (own, text) in enumerate(given)
        if own and not _is_same(texts.setdefault(own, text.text), text.text)
    )
    if places:
        own = given[places[0]][0]
        raise InputError(
            f"session {session_id!r} has a message {own!r} with another text; "
            "give each message an id that no other message of the session has, or none",
            session=session_id,
            message=own,
            places=places,
        )


def _is_same(stored: str, given: str) -> bool:
    """True if a stored text is the one given, or was erased and cannot be compared."""
    return stored == given or ERASED in stored or guard.screen(stored).text == given  # the rules may have grown


def session_of(path: str) -> str:
    """Return the id of a session as its file is named; empty if it was too long for a name."""
    return decode_name(path.rpartition("/")[2].removesuffix(".jsonl")) or ""


class State(msgspec.Struct):
    """What one session file folds to, and how far it was read."""

    bytes_read: int = 0
    head: Head | None = None
    ids: dict[str, int] = {}  # of each message, its number
    numbers: int = 0
    offsets: array[int] = msgspec.field(default_factory=lambda: array("Q"))  # byte offset of message n
    is_merged: bool = False  # the last message has another number in the copy that it was written in
    last: datetime | None = None  # of the last message
    window_start: int = 0
    summary: str = ""
    summary_at: datetime | None = None
    clean: object = None  # what the summary was last found to say nothing about
    ended: bool = False
    reset_at: int = 0  # the first message after the last reset
    cursors: dict[str, int] = {}
    held: list[tuple[str, int, int]] = []
    forgotten: int = 0  # messages numbered below it are hidden
    forgotten_at: datetime | None = None  # when they were
    forgotten_ids: dict[str, datetime] = {}  # of single messages, and when each was forgotten
    along: dict[str, frozenset[str]] = {}  # what goes with single messages, by their id
    along_below: dict[int, frozenset[str]] = {}  # what goes with all messages numbered below
    unsaid: dict[str, tuple[Event, ...]] = {}  # what messages say of a record that is gone, or of what one asked for
    aged: int = 0  # messages numbered below it were hidden for their age, as those of `aged_ids`
    aged_ids: set[str] = set()
    alone_ids: set[str] = set()  # those of them that were forgotten by themselves, not for their age
    shown: dict[str, tuple[tuple[str, int], ...]] = {}  # topics in the window, by question
    paused: bool = False
    metadata: dict[str, Any] = {}
    damaged: list[tuple[int, str]] = []
    calls: dict[str, str] = {}  # the tool of each of the last calls, by `call_key`
    names: set[str] = set()  # that users wrote under, empty for none
    users: tuple[Said, ...] = ()  # what users said last, the last first
    brought: tuple[Said, ...] = ()  # what the other messages below `agent` behind each say

    @property
    def is_there(self) -> bool:
        """True if there is such a session and not all of it was deleted."""
        there = self.head is not None or self.numbers > 0
        return there and (self.numbers > self.forgotten or not self.forgotten)

    def head_of(self, path: str) -> Head | None:
        """Return the head line; if it is damaged and there are messages, what the file's name says."""
        if self.head is not None or self.last is None or not session_of(path):
            return self.head
        return Head(session_of(path), self.last)

    def session(self, head: Head) -> Session:
        """Return what is known of the session that begins with this head."""
        return Session(
            id=head.id,
            created_at=head.created_at,
            messages=self.numbers,
            window_start=self.window_start,
            last_at=self.last,
            agent=head.agent,
            kind=head.kind,
            ended=self.ended,
            cursors=dict(self.cursors),
            paused=self.paused,
            metadata=dict(self.metadata),
            names=names_of(self.names),
        )

    def left_of_summary(self, taken_back: Mapping[str, Sequence[Superseded]]) -> str:
        """Return the summary without the sentences of what was taken back since, of messages before the window.

        Empty if one of these was forgotten by itself.
        """
        aged, made = self.aged_ids - self.alone_ids, self.summary_at

        def is_since(own: str, at: datetime) -> bool:
            return made is not None and at >= made and self.ids.get(own, self.numbers) < self.window_start

        if any(is_since(own, at) for own, at in self.forgotten_ids.items() if own not in aged):
            return ""
        gone = (part for own, parts in taken_back.items() for part in parts if is_since(own, part.since))
        return without_said(self.summary, (was for part in gone for was in part.was))

    def take(self, data: bytes, base: int) -> None:
        """Fold the whole lines of some bytes that begin at `base`; a torn tail is looked at again later."""
        whole = data.rfind(b"\n") + 1
        for offset, raw in split_lines(data[:whole], base):
            if offset == 0:
                raw = raw.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901 - what some editors put before a text
            line = decode(raw)
            match line:
                case StoredMessage():
                    self._message(line, offset)
                case Event():
                    self._event(line)
                case Head():
                    self.head = self.head or line
                case Damaged(reason):
                    self.damaged.append((offset, reason))
        self.bytes_read = base + whole

    def _message(self, line: StoredMessage, offset: int) -> None:
        number = line.n
        if line.id in self.ids:
            reason = "is there twice, and the first is read; one that says something else needs another id, and no `h`"
            self.damaged.append((offset, f"message id {line.id!r} {reason}"))
            return
        if not len(self.offsets) <= number <= len(self.offsets) + len(self.damaged):
            # Trigger: lines of two copies were merged, or were moved by hand. Each counts where it is now.
            if number > len(self.offsets):
                self.damaged.append((offset, f"messages before number {number} are gone"))
            number = len(self.offsets)
        self.is_merged = number != line.n
        self.ids[line.id] = number
        if line.role == "user":
            self.names.add(line.name or "")
            said = Said(line.content[:SAID_CHARS] + line.content[SAID_CHARS:][-SAID_CHARS:], line.trust, line.name)
            self.users, self.brought = (said, *self.users[:1]), (NOTHING, *self.brought[:1])
        elif self.users:
            self.users = (self.users[0]._replace(answered=True), *self.users[1:])
            self.brought = (self.brought[0].with_more(Said(line.content, line.trust)), *self.brought[1:])
        if line.calls:
            self.calls = dict(list({**self.calls, **line.calls}.items())[-CALLS_KEPT:])
        while len(self.offsets) <= number:  # a damaged line leaves a gap in the numbers
            self.offsets.append(offset)
        self.numbers = number + 1
        self.last = line.at
        self.ended = False

    def placed(self, message: RecordedMessage) -> RecordedMessage | None:
        """Return a message with the number of its place in the file; None if its line is not read there."""
        number = bisect_right(self.offsets, message.offset) - 1
        if number < 0 or self.offsets[number] != message.offset:
            return None
        return message if message.number == number else msgspec.structs.replace(message, number=number)

    def _event(self, event: Event) -> None:
        # The numbers of another copy, merged into this one, mean other messages here: what it did is due again.
        is_others = self.is_merged and event.n < self.numbers
        match event.event:
            case "cursor":
                self.cursors[event.name] = min(event.to, self.cursors.get(event.name, 0)) if is_others else event.to
            case "window":
                self.window_start, self.summary, self.summary_at = event.to, event.summary, event.at
                self.reset_at = event.to if event.name == "reset" else min(self.reset_at, event.to)
                self.shown = {}
            case "shown":
                self.shown[event.name] = event.topics
            case "hold" if not is_others:
                held = (event.name, event.start, event.to)
                self.held = [*self.held, held] if event.held else [h for h in self.held if h != held]
            case "end":
                self.ended = event.held
            case "about":
                self.paused, self.metadata = event.paused, event.metadata
            case "forget" if event.spans:
                self.unsaid[event.name] = (*self.unsaid.get(event.name, ()), event) if event.held else ()
            case "forget" if event.name:
                self.forgotten_ids.pop(event.name, None)
                along = self.along.pop(event.name, frozenset())
                if event.held:
                    self.along[event.name] = along.union(event.along)
                    self.forgotten_ids[event.name] = event.at
                    (self.aged_ids.add if event.aged else self.aged_ids.discard)(event.name)
                    (self.alone_ids.add if event.alone else self.alone_ids.discard)(event.name)
            case "forget":
                to = self.numbers if event.held and self.is_merged else event.to  # it meant all that there was
                self.forgotten, self.forgotten_at = to, event.at
                self.along_below = {below: along for below, along in self.along_below.items() if below <= to}
                if event.held:
                    self.along_below[to] = self.along_below.get(to, frozenset()).union(event.along)
                self.aged = to if event.aged else min(self.aged, to)


def free_id(number: int, said: str, key: bytes, taken: Collection[str], new: Collection[str]) -> str:
    """Return the id of a message that was given none: another one in each copy of its session that grows by itself.

    Args:
        number: The number of the message.
        said: Its words, and when it was said.
        key: The scope's key, so that the id tells nothing of the words.
        taken: The ids of the session.
        new: The ids that the messages before it got.
    """
    mark = hmac.new(key, said.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:_MARK_CHARS]
    while (message_id := f"m{number}-{mark}") in taken or message_id in new:
        number += 1
    return message_id
