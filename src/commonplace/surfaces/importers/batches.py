"""What an import yields: batches of messages, and what it could not take.

Owns the values and the grouping of messages into batches of bounded size, with an id for each message
that has none. Never touches a file or the store: the caller appends the batches.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, Final

import msgspec

from commonplace.guard import screen
from commonplace.records import Message
from commonplace.text.patterns import pattern

BATCH_MESSAGES: Final = 500  # messages held before they are handed on
BATCH_BYTES: Final = 4_000_000  # the same in bytes of content, one message more at most
MESSAGE_CHARS: Final = 30_000_000  # what the store takes as one message, with room for its own line
SESSION_CHARS: Final = 400  # a longer session id is cut and ends in a hash
ID_CHARS: Final = 200  # a longer message id is replaced by its hash
_COUNTERS: Final = 1 << 18  # 1 MB of counters whatever the size of the file
_PLAIN_ID: Final = pattern(r"[\w.:#/@+=~-]+\Z", re.ASCII)
_SURROGATE: Final = pattern("[\ud800-\udfff]")


class Batch(msgspec.Struct, frozen=True):
    """Messages of one session, in their order; one session may come in many batches."""

    session_id: str
    messages: tuple[Message, ...]


class Problem(msgspec.Struct, frozen=True):
    """A line that was not imported as it is: where and why, never its text.

    `kept` is true if it was imported all the same, changed as the reason says. `line` counts from 1, and
    is 0 where it is not known.
    """

    path: str
    line: int
    reason: str
    kept: bool = False


Found = tuple[str, Message]
"""A session and a message of it, as a parser found them."""


class Head(msgspec.Struct, frozen=True):
    """What a session file says of its session: key and creation, how many messages of ours are consolidated, state."""

    key: str = ""
    created_at: datetime | None = None
    done: int = 0
    ended: bool = False
    paused: bool = False
    metadata: dict[str, Any] = {}


class Report:
    """Where a parser says what it could not take and what it left out on purpose, of the line it is at."""

    def __init__(
        self,
        path: str,
        on_problem: Callable[[Problem], None],
        on_skipped: Callable[[Problem], None] | None = None,
        *,
        zone: tzinfo = UTC,
        on_head: Callable[[Head], None] = lambda _: None,
    ) -> None:
        self._path = path
        self.line = 1
        self.head = on_head
        self.zone = zone  # of times that name none
        self._on_problem = on_problem
        self._on_skipped = on_skipped
        self.remarks = 0  # how often anything was said, so that a silent line can be noticed

    def problem(self, reason: str, *, kept: bool = False) -> None:
        """Report the line as damaged or unknown."""
        self.remarks += 1
        self._on_problem(Problem(self._path, self.line, reason, kept))

    def skip(self, what: str) -> None:
        """Count the line as one that holds no message by its nature."""
        self.remarks += 1
        if self._on_skipped is not None:
            self._on_skipped(Problem(self._path, self.line, what))


class Batcher:
    """Groups messages by session and hands them on before they grow past the bounds."""

    def __init__(self, stem: str, report: Report) -> None:
        self._stem = stem
        self._report = report
        # How often each message without an id came, so that a second import makes the same ids. Messages whose hashes
        # share a counter only make gaps in the count.
        self._counters = array("I", bytes(array("I").itemsize * _COUNTERS))
        self._groups: dict[str, list[Message]] = {}
        self._held_messages = 0
        self._held_bytes = 0
        self._dated: tuple[str, datetime] | None = None
        self._named = ("", stem)

    def add(self, found: Found) -> Iterator[Batch]:
        """Add one message; yields batches when there is enough for one."""
        session = self._session(found[0])
        message = self._clean(session, found[1])
        if message is None:
            return
        self._groups.setdefault(session, []).append(message)
        self._held_messages += 1
        self._held_bytes += len(message.content)
        if self._held_messages >= BATCH_MESSAGES or self._held_bytes >= BATCH_BYTES:
            yield from self.flush()

    def flush(self) -> Iterator[Batch]:
        """Hand on all that is held."""
        groups, self._groups = self._groups, {}
        self._held_messages = self._held_bytes = 0
        first = next((each.at for messages in groups.values() for each in messages if each.at), None)
        for session, messages in groups.items():
            yield Batch(session, _dated_back(messages, first))

    def _clean(self, session: str, message: Message) -> Message | None:
        if not message.content.strip():
            self._report.skip("a message without text")
            return None
        if len(message.content) > MESSAGE_CHARS:
            self._report.problem(f"a message of {len(message.content)} characters; at most {MESSAGE_CHARS} fit")
            return None
        content = _whole(message.content)
        if content != message.content:
            self._report.problem("half a character (a lone surrogate) was replaced", kept=True)
        message = msgspec.structs.replace(
            message,
            content=content,
            name=_whole(message.name) if message.name else None,
            tools=tuple(_whole(tool) for tool in message.tools if tool),
        )
        if not message.id:
            message = msgspec.structs.replace(message, id=self._made_id(session, message))
        elif len(message.id) > ID_CHARS or not _PLAIN_ID.match(message.id) or screen(message.id).text != message.id:
            message = msgspec.structs.replace(message, id=_hashed(message.id))
        return self._date(session, message)

    def _made_id(self, session: str, message: Message) -> str:
        """Make the id of a message without one: a hash of it, and which of those with this hash it is."""
        parts = (session, message.role, message.name or "", str(message.at), *message.tools, message.content)
        mark = _hashed("\0".join(parts))
        bucket = int(mark[:8], 16) % _COUNTERS
        self._counters[bucket] += 1
        return f"{mark}-{self._counters[bucket] - 1}"

    def _session(self, name: str) -> str:
        if self._named[0] != name:
            self._named = (name, plain_session(name) or self._stem)
        return self._named[1]

    def _date(self, session: str, message: Message) -> Message:
        """Return a message without an instant that of the one before it in its session."""
        if message.at is not None:
            self._dated = (session, message.at)
        elif self._dated is not None and self._dated[0] == session:
            return msgspec.structs.replace(message, at=self._dated[1])
        return message


def _dated_back(messages: Sequence[Message], first: datetime | None) -> tuple[Message, ...]:
    """Return messages; those without an instant get that of the first one of their session, else of the file."""
    first = next((message.at for message in messages if message.at), first)
    return tuple(message if message.at else msgspec.structs.replace(message, at=first) for message in messages)


def plain_session(name: str) -> str:
    """Make a session id of a foreign name: control characters become `_`, a long one is cut and hashed."""
    plain = "".join(char if char.isprintable() else "_" for char in _whole(name)).strip()
    if screen(plain).text != plain:  # a secret, or characters that hide: the store would refuse the whole batch
        return f"session-{_hashed(plain)}"
    if len(plain) <= SESSION_CHARS:
        return plain
    return f"{plain[: SESSION_CHARS - 17]}~{_hashed(plain)}"


def _hashed(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _whole(text: str) -> str:
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
