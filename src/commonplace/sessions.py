"""Transcripts: append-only JSONL, one file a session, and what is computed from them.

A session file holds one head line, then messages and events, each with a checksum. Nothing in it is
ever changed or trimmed: window, buffer and cursors are folded from its events. This module makes the
lines (`transcripts` has their format); the door writes the events, in the commit that they pay for.
"""

from __future__ import annotations

import hashlib
import re
import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from commonplace.config import Clock, GuardConfig
from commonplace.errors import InputError, RecordNotFoundError, StoreReadOnlyError, require_text
from commonplace.operations import Forget, MoveWindow, Operation
from commonplace.records import (
    Message,
    Outcome,
    RecordedMessage,
    Role,
    Screened,
    Session,
    Source,
    Trust,
    Turn,
    instant,
    json_line,
    lowest_trust,
)
from commonplace.storage import Store
from commonplace.text import encode_name, one_line, truncate
from commonplace.transcripts import Damaged, Event, Head, StoredMessage, decode, messages_of, split_lines, web_follows

SESSION_ID_CHARS: Final = 1000
BUFFER_LINES: Final = 20  # seed facts: ring of one-line summaries
BUFFER_LINE_CHARS: Final = 200  # seed facts, later version: 200 runes a summary
_BREAKS: Final = frozenset("\t\n")
_STATES_KEPT: Final = 512  # sessions whose folded state stays in memory
_ROLE_TRUST: Final[dict[Role, Trust]] = {"user": "user", "assistant": "agent", "system": "agent", "tool": "tool"}


class _State:
    """What one session file folds to, and how far it was read."""

    __slots__ = ("bytes_read", "cursors", "damaged", "ended", "forgotten", "forgotten_ids", "head", "held", "ids",
                 "last", "numbers", "offsets", "summary", "web_turn", "window_start")  # fmt: skip

    def __init__(self) -> None:
        self.bytes_read = 0
        self.head: Head | None = None
        self.ids: set[bytes] = set()
        self.numbers = 0
        self.offsets = array("Q")  # byte offset of message n
        self.last: datetime | None = None
        self.window_start = 0
        self.summary = ""
        self.ended = False
        self.web_turn = False
        self.cursors: dict[str, int] = {}
        self.held: list[tuple[str, int, int]] = []
        self.forgotten = 0  # messages numbered below it are hidden
        self.forgotten_ids: set[str] = set()
        self.damaged: list[tuple[int, str]] = []

    @property
    def stands(self) -> bool:
        """Whether there is such a session, and not all of it was deleted."""
        return self.head is not None and (self.numbers > self.forgotten or not self.forgotten)

    def take(self, data: bytes, base: int) -> None:
        """Fold the whole lines of some bytes that begin at `base`; a torn tail is looked at again later."""
        whole = data.rfind(b"\n") + 1
        for offset, raw in split_lines(data[:whole], base):
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
        if not len(self.offsets) <= line.n <= len(self.offsets) + len(self.damaged):
            self.damaged.append((offset, f"message number {line.n} is out of order"))
            return
        self.ids.add(_digest(line.id))
        while len(self.offsets) < line.n:  # a damaged line leaves a gap in the numbers
            self.offsets.append(offset)
        self.offsets.append(offset)
        self.numbers = line.n + 1
        self.last = line.at
        self.ended = False
        self.web_turn = web_follows(line.role, line.trust, web=self.web_turn)

    def _event(self, event: Event) -> None:
        match event.event:
            case "cursor":
                self.cursors[event.name] = event.to
            case "window":
                self.window_start, self.summary = event.to, event.summary
            case "hold":
                held = (event.name, event.start, event.to)
                self.held = [*self.held, held] if event.held else [h for h in self.held if h != held]
            case "end":
                self.ended = event.held
            case "forget" if event.name:
                (self.forgotten_ids.add if event.held else self.forgotten_ids.discard)(event.name)
            case "forget":
                self.forgotten = event.to


def _digest(message_id: str) -> bytes:
    return hashlib.blake2b(message_id.encode("utf-8", "surrogatepass"), digest_size=12).digest()


class Sessions:
    """The transcripts of one scope.

    Args:
        store: Holds the files under `folder`.
        screen: The guard; makes text storable.
        screen_content: What screens the words of messages where that differs (a scope with raw transcripts).
        clock: Dates messages that come without an instant.
        guard: Says which tools read the web.
        zone: IANA name of the writer's zone, kept in each new session's head.
    """

    def __init__(
        self,
        store: Store,
        *,
        screen: Callable[[str], Screened],
        screen_content: Callable[[str], Screened] | None = None,
        clock: Clock,
        guard: GuardConfig,
        folder: str = "sessions",
        zone: str = "UTC",
        max_line_bytes: int = 64_000_000,
    ) -> None:
        self._store = store
        self._screen = screen
        self._screen_content = screen_content or screen
        self._clock = clock
        self._guard = guard
        self._folder = folder
        self._zone = zone
        self._max_line_bytes = max_line_bytes
        self._states: OrderedDict[str, _State] = OrderedDict()
        self._paths: dict[str, str] = {}  # of ids found good
        self._lock = threading.RLock()
        self._commit: Callable[[Sequence[Operation]], Outcome] = _uncommitted

    @property
    def folder(self) -> str:
        """The folder of the session files, relative to the store."""
        return self._folder

    def path(self, session_id: str) -> str:
        """Name the file of a session; different ids never share one.

        Raises:
            InputError: The id is empty, too long, or holds control characters or a secret.
        """
        require_text(session_id, "a session id")
        if known := self._paths.get(session_id):
            return known
        if not session_id.strip():
            raise InputError("a session id is a non-empty text, such as 'telegram:12345'", session=session_id)
        if len(session_id) > SESSION_ID_CHARS:
            raise InputError(f"a session id has at most {SESSION_ID_CHARS} characters", session=session_id[:80])
        if self._screen(session_id).text != session_id or not _BREAKS.isdisjoint(session_id):
            raise InputError("a session id holds control characters or a secret; use a plain name")
        if len(self._paths) >= _STATES_KEPT:
            self._paths.clear()
        return self._paths.setdefault(session_id, f"{self._folder}/{encode_name(session_id)}.jsonl")

    def id_of(self, path: str) -> str | None:
        """Say which session a file holds; None for a file that is no transcript."""
        head = self._fold(path).head
        return head.id if head else None

    def append(
        self, session_id: str, messages: Sequence[Message], *, agent: str = "main", kind: str = "foreground"
    ) -> list[Source]:
        """Keep messages at the end of a session; when this returns they are on disk.

        A message whose id the session already has is not written again. Each gets its number, its
        instant and its trust: the lower of what its role allows and what was passed.

        Returns:
            One source for each message given, in order, also for those already there.

        Raises:
            InputError: A message or the session id is not well formed; nothing was written.
            StoreError: The store could not keep them; nothing was written.
        """
        return self.append_new(session_id, messages, agent=agent, kind=kind)[0]

    def append_new(
        self, session_id: str, messages: Sequence[Message], *, agent: str = "main", kind: str = "foreground"
    ) -> tuple[list[Source], int]:
        """Append, and also say how many of the messages were not there before."""
        path = self.path(session_id)
        if not messages:
            return [], 0
        contents = [self._checked(message) for message in messages]
        with self._lock, self._store.locked(path):
            state = self._fold(path)
            lines: list[Screened] = []
            if state.head is None:
                lines.append(self._head_line(session_id, agent, kind))
            sources: list[Source] = []
            web = state.web_turn
            seen: dict[bytes, str] = {}
            number = state.numbers
            for message, content in zip(messages, contents, strict=True):
                message_id = message.id if message.id is not None else _free_id(number, state.ids, seen)
                digest = _digest(message_id)
                sources.append(Source(session_id, message_id))
                if digest in state.ids or digest in seen:
                    continue
                seen[digest] = message_id
                trust = self._trust(message, web=web)
                web = web_follows(message.role, trust, web=web)
                lines.append(self._message_line(message, number, message_id, content, trust))
                number += 1
            if seen:
                self._store.append(path, lines)
            return sources, len(seen)

    def _checked(self, message: Message) -> Screened:
        given: object = message  # annotations do not hold at run time for a caller's own values
        if not isinstance(given, Message) or given.role not in _ROLE_TRUST or not isinstance(given.content, str):
            raise InputError(
                "a message is Message(role, content) with role user, assistant, system or tool and text as content",
                message=repr(message)[:200],
            )
        if message.at is not None and message.at.tzinfo is None:
            raise InputError("the instant of a message carries its zone; use an aware datetime", at=message.at)
        if message.id is not None and (not message.id or self._screen(message.id).text != message.id):
            raise InputError("a message id is a non-empty text without control characters or secrets")
        if len(message.content) > self._max_line_bytes // 2:
            raise InputError("this message is too long to store as one line; split it", limit=self._max_line_bytes // 2)
        return self._screen_content(message.content)

    def _trust(self, message: Message, *, web: bool) -> Trust:
        levels: list[Trust] = [_ROLE_TRUST[message.role]]
        if message.trust is not None:
            levels.append(message.trust)
        if message.role == "tool" and any(tool.lower() in self._guard.web_tools for tool in message.tools):
            levels.append("web")
        if message.role == "assistant" and web:
            levels.append("web")
        return lowest_trust(levels)

    def _head_line(self, session_id: str, agent: str, kind: str, at: datetime | None = None) -> Screened:
        return json_line(
            {
                "type": "session",
                "id": self._screen(session_id),
                "created_at": at or self._clock(),
                "agent": self._screen(agent),
                "kind": self._screen(kind),
                "zone": self._zone,
            },
            checksum=True,
        )

    def _message_line(
        self, message: Message, number: int, message_id: str, content: Screened, trust: Trust
    ) -> Screened:
        values: dict[str, object] = {
            "type": "message",
            "n": number,
            "id": self._screen(message_id),
            "role": message.role,
            "at": instant(message.at or self._clock()),
            "trust": trust,
        }
        if message.name:
            values["name"] = self._screen(message.name)
        if message.tools:
            values["tools"] = [self._screen(tool) for tool in message.tools]
        values["content"] = content
        return json_line(values, checksum=True)

    def event_line(self, event: Event) -> Screened:
        """Make the line of an event, for the door to append in its commit."""
        values: dict[str, object] = {"type": "event", "event": event.event, "at": event.at}
        if event.name:
            values["name"] = self._screen(event.name)
        if event.event == "hold":
            values["start"] = event.start
        if event.event == "hold" or not event.held:
            values["held"] = event.held
        values["to"] = event.to
        if event.summary:
            values["summary"] = self._screen(event.summary)
        return json_line(values, checksum=True)

    def _fold(self, path: str) -> _State:
        """Bring the folded state of one file up to its end."""
        with self._lock:
            state = self._states.pop(path, None) or _State()
            # One byte back: our last newline still being there shows that the file only grew.
            start = max(0, state.bytes_read - 1)
            blob = self._store.read(path, start)
            if blob is None:
                state = _State()
            elif start and blob.data[:1] != b"\n":
                state = _State()
                whole = self._store.read(path)
                state.take(whole.data if whole else b"", 0)
            else:
                skip = state.bytes_read - start
                if len(blob.data) > skip:
                    state.take(blob.data[skip:], state.bytes_read)
            self._states[path] = state
            while len(self._states) > _STATES_KEPT:
                self._states.popitem(last=False)
            return state

    def get_or_create(
        self, session_id: str, *, agent: str = "main", kind: str = "foreground", created_at: datetime | None = None
    ) -> Session:
        """Give the session, making its file with a creation instant (now when None) when there is none."""
        path = self.path(session_id)
        with self._lock, self._store.locked(path):
            if self._fold(path).head is None:
                self._store.append(path, [self._head_line(session_id, agent, kind, created_at)])
        return self.state(session_id)

    def exists(self, session_id: str) -> bool:
        """Say whether anything is kept of a session that was not deleted."""
        return self._fold(self.path(session_id)).stands

    def state(self, session_id: str) -> Session:
        """Give what is known of a session.

        Raises:
            RecordNotFoundError: There is no such session.
        """
        state = self._fold(self.path(session_id))
        if state.head is None:
            raise RecordNotFoundError(
                f"there is no session {session_id!r}; `commonplace sessions` lists them", session=session_id
            )
        return _session(state, state.head)

    def summary(self, session_id: str) -> str:
        """Give the summary that stands for the part of a session before its window; may be empty."""
        return self._fold(self.path(session_id)).summary

    def held(self, session_id: str) -> tuple[tuple[str, int, int], ...]:
        """Give the ranges that only an explicit consolidation runs again: (consolidator, start, end)."""
        return tuple(self._fold(self.path(session_id)).held)

    def forgotten(self, session_id: str) -> int:
        """Give the number below which all messages of a session are hidden; 0 when it was never deleted."""
        return self._fold(self.path(session_id)).forgotten

    def count(self) -> int:
        """Count the sessions."""
        return len(self.list())

    def clear(self, session_id: str) -> Outcome:
        """Let the live window begin after the last message; nothing is taken away, and `undo` opens it again.

        Raises:
            RecordNotFoundError: There is no such session.
        """
        return self._commit([MoveWindow(session=session_id, to=self.state(session_id).messages, why="reset")])

    def delete(self, session_id: str) -> Outcome:
        """Hide every message of a session from recall, context and jobs; `undo` shows them again.

        Raises:
            RecordNotFoundError: There is no such session.
        """
        self.state(session_id)
        return self._commit([Forget(record=self.path(session_id))])

    def through(self, commit: Callable[[Sequence[Operation]], Outcome]) -> None:
        """Be told how to commit a change; without it a session can be neither cleared nor deleted."""
        self._commit = commit

    def damaged(self, path: str) -> list[tuple[int, str]]:
        """Name the lines of a session file that cannot be read: (byte offset, reason)."""
        return list(self._fold(path).damaged)

    def read(self, session_id: str, start: int = 0, end: int | None = None) -> Iterator[RecordedMessage]:
        """Yield messages numbered start..end (exclusive) in order; damaged ones are left out."""
        path = self.path(session_id)
        state = self._fold(path)
        stop = state.numbers if end is None else min(end, state.numbers)
        start = max(start, state.forgotten) if start >= 0 else start
        if start >= stop or start < 0:
            return
        first = state.offsets[start]
        last = state.offsets[stop] if stop < len(state.offsets) else state.bytes_read
        blob = self._store.read(path, first, last)
        yield from (
            message
            for message in messages_of(path, session_id, blob.data if blob else b"", first)
            if start <= message.number < stop and message.message.id not in state.forgotten_ids
        )

    def message(self, session_id: str, message_id: str) -> RecordedMessage:
        """Find one message by its id.

        Raises:
            RecordNotFoundError: The session or the message is not there.
        """
        for message in self.read(session_id):
            if message.message.id == message_id:
                return message
        raise RecordNotFoundError(
            f"there is no message {message_id!r} in session {session_id!r}", session=session_id, message=message_id
        )

    def window(self, session_id: str) -> tuple[RecordedMessage, ...]:
        """Give the live part of a session."""
        state = self._fold(self.path(session_id))
        return tuple(self.read(session_id, state.window_start))

    def buffer(self, session_id: str, lines: int = BUFFER_LINES) -> tuple[str, ...]:
        """Give the last one-line summaries of a session, oldest first, `HH:MM  role  text` in UTC.

        Made without a model: code fences and line breaks are folded, the text cut at 200 characters.
        """
        start, said = self._fold(self.path(session_id)).numbers, list[RecordedMessage]()
        while start > 0 and len(said) < lines:  # further back where tools had much to say
            start, end = max(0, start - 3 * lines), start
            read = (m for m in self.read(session_id, start, end) if m.message.role in {"user", "assistant"})
            said[:0] = [m for m in read if m.text.strip() or m.message.tools]
        return tuple(summary_line(m.message) for m in said[-lines:])

    def list(self) -> Sequence[Session]:
        """Give all sessions, the most recently used first."""
        found: Any = []
        for stat in self._store.list(self._folder):
            if stat.path.endswith(".jsonl"):
                state = self._fold(stat.path)
                if state.head is not None and state.stands:
                    found.append(_session(state, state.head))
        return sorted(found, key=lambda s: (s.last_at or s.created_at, s.id), reverse=True)


def _session(state: _State, head: Head) -> Session:
    return Session(
        id=head.id,
        created_at=head.created_at,
        messages=state.numbers,
        window_start=state.window_start,
        last_at=state.last,
        agent=head.agent,
        kind=head.kind,
        ended=state.ended,
        cursors=dict(state.cursors),
    )


def _uncommitted(_: Sequence[Operation]) -> Outcome:
    raise StoreReadOnlyError


def _free_id(number: int, taken: set[bytes], seen: dict[bytes, str]) -> str:
    while _digest(f"m{number}") in taken or _digest(f"m{number}") in seen:
        number += 1
    return f"m{number}"


def summary_line(message: Message) -> str:
    """Fold one message into one line for the buffer."""
    text = re.sub(r"```.*?(```|\Z)", "[code]", message.content, flags=re.DOTALL)
    said = one_line(text) or ", ".join(message.tools)
    clock = message.at.strftime("%H:%M") if message.at else "--:--"
    return f"{clock}  {message.role}  {truncate(said, BUFFER_LINE_CHARS)}"


def turns(messages: Iterable[RecordedMessage]) -> Iterator[Turn]:
    """Group messages into turns: each starts at a user message; what comes before the first is one too."""
    group: list[Message] = []
    for message in messages:
        if message.message.role == "user" and group:
            yield Turn(tuple(group))
            group = []
        group.append(message.message)
    if group:
        yield Turn(tuple(group))
