"""Transcripts: append-only JSONL, one file a session, and what is computed from them.

A session file holds one head line, then messages and events, each with a checksum. Nothing in it is ever changed or
trimmed: window, buffer and cursors are folded from its events. Which lines are written is decided here (`transcripts`
makes them); the door writes the events, in the commit that they pay for, but for what was shown.
"""

from __future__ import annotations

import logging
import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from commonplace import guard
from commonplace.changes import transcripts
from commonplace.changes.forgotten import Forgot, Telling
from commonplace.changes.message_trust import MessageTrust, mark, most_trust
from commonplace.changes.tombstones import Tombstones
from commonplace.changes.transcripts import Event, State, free_id, messages_of, require_form, require_same
from commonplace.config import Clock, Config
from commonplace.errors import InputError, RecordNotFoundError, StoreError, require_text
from commonplace.guard.markers import ERASED
from commonplace.guard.screened import Screened
from commonplace.guard.turns import Said, Turns
from commonplace.records import ROLE_TRUST, Message, RecordedMessage, Session, Source, Superseded
from commonplace.store.protocol import Held, Store
from commonplace.text.pieces import BUFFER_LINE_CHARS, encode_name, spoken, summary_lines

logger = logging.getLogger(__name__)

SESSION_ID_CHARS: Final = 1000
BUFFER_LINES: Final = 20  # seed facts: ring of one-line summaries
WINDOW_BYTES: Final = 4_000_000  # about a million tokens
HEARD_MESSAGES: Final = 1000  # before a text are asked whose words it uses, so work and memory are bounded
LATELY_MESSAGES, LATELY_BYTES = 200, 128_000  # before a message that is shown are asked whose words it repeats
_BREAKS: Final = frozenset("\t\n")
_STATES_KEPT: Final = 512  # sessions whose folded state stays in memory
_Checked = tuple[Message, Screened | None, Screened]  # its id, if it has one, and its content, as they may be stored


class Sessions:
    """The transcripts of one scope.

    Args:
        store: Holds the files under `folder`.
        config: Says which tools are the host's own, under which name the person writes, whether transcripts are raw,
            and in which zone the writer is.
        clock: Dates messages that come without an instant.
        tombstones: What was forgotten. Whatever a job or a prompt takes from a transcript comes through `read` or
            `summary`, which leave that out.
        taken_back_in: Returns the messages of a session of which parts were taken back.
    """

    def __init__(
        self,
        store: Store,
        *,
        config: Config,
        clock: Clock,
        folder: str = "sessions",
        tombstones: Tombstones,
        taken_back_in: Callable[[str], Mapping[str, Sequence[Superseded]]] = lambda _: {},
    ) -> None:
        self._store = store
        self._clock = clock
        self._guard = config.guard
        self.folder = folder  # of the session files, relative to the store
        self._zone = config.timezone
        self._most_chars = config.store.max_line_bytes // (4 if config.guard.raw_transcripts else 2)
        self._states: OrderedDict[str, State] = OrderedDict()
        self._paths: dict[str, str] = {}  # of ids found good
        self.trust = MessageTrust(self.read, self._lately)
        self._lock = threading.RLock()
        self._tombstones = tombstones
        self.taken_back_in = taken_back_in

    def path(self, session_id: str) -> str:
        """Return the path of a session's file; different ids never share one.

        Raises:
            InputError: The id is empty, too long, or holds control characters or a secret.
        """
        if type(session_id) is str and (known := self._paths.get(session_id)):
            return known
        require_text(session_id, "a session id")
        if not session_id.strip():
            raise InputError("a session id is a non-empty text, such as 'telegram:12345'", session=session_id)
        if len(session_id) > SESSION_ID_CHARS:
            raise InputError(f"a session id has at most {SESSION_ID_CHARS} characters", session=session_id[:80])
        path = f"{self.folder}/{encode_name(session_id)}.jsonl"
        # An id that has a transcript was screened when that was made; a command that only reads loads no rules.
        kept = self._fold(path).is_there
        if not _BREAKS.isdisjoint(session_id) or (not kept and guard.screen(session_id).text != session_id):
            raise InputError("a session id holds control characters or a secret; use a plain name")
        if len(self._paths) >= _STATES_KEPT:
            self._paths.clear()
        return self._paths.setdefault(session_id, path)

    def id_of(self, path: str) -> str | None:
        """Return the id of the session in a file; None if the file is no transcript."""
        head = self._fold(path).head_of(path)
        return head.id if head else None

    def append(
        self, session_id: str, messages: Sequence[Message], *, agent: str = "main", kind: str = "foreground"
    ) -> list[Source]:
        """Keep messages at the end of a session; when this returns they are on disk.

        A message whose id and text the session already has is not written again. Each gets its number, its
        instant and its trust: the lower of what its role allows and what was passed.

        Returns:
            One source for each message given, in order, also for those already there.

        Raises:
            InputError: A message or the session id is not well formed, or a message has the id of another one, and
                `places` says which of those given; nothing was written.
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
        checked = list(map(self.checked, messages))
        try:
            with self._store.locked(path) as held:
                state = self._fold(path, held)
                given = [(message.id, content) for message, _, content in checked]
                require_same(session_id, given, self._texts(path, session_id, state, [own for own, _ in given]))
                sources, lines = self._lines(session_id, state, checked, agent)
                if lines:
                    head = () if state.head else (self._head(session_id, agent, kind),)
                    held.append([*head, *lines])
        except BaseException:
            with self._lock:
                self._states.pop(path, None)  # a reader may have folded lines that were taken away again
            raise
        return sources, len(lines)

    def _texts(self, path: str, session_id: str, state: State, ids: Iterable[str | None]) -> dict[str, str]:
        """Return the texts of the messages with some ids, and of those between them."""
        numbers = [state.ids[own] for own in ids if own and own in state.ids]
        found = self._messages(path, session_id, state, min(numbers), max(numbers) + 1) if numbers else ()
        return {str(each.message.id): each.text for each in found}

    def _lines(
        self, session_id: str, state: State, checked: Sequence[_Checked], agent: str
    ) -> tuple[list[Source], list[Screened]]:
        """Return the source of each message, and the lines of those that the session does not hold yet."""
        sources: list[Source] = []
        lines: list[Screened] = []
        new: set[str] = set()
        number, speaker = state.numbers, state.head.agent if state.head else agent
        turns = Turns(state.users, state.brought)
        for message, given_id, content in checked:
            at = message.at or self._clock()
            message_id = message.id or free_id(number, f"{at} {content.text}", self._store.key(), state.ids, new)
            sources.append(Source(session_id, message_id))
            if message_id in state.ids or message_id in new:
                continue
            new.add(message_id)
            trust = turns.rank(
                message.role, Said(content.text, most_trust(message, speaker, self._guard), message.name)
            )
            raw = guard.encodable(message.content) if self._guard.raw_transcripts else content
            own_id = given_id or message_id
            lines.append(transcripts.message_line(message, number, own_id, content, raw=raw, at=at, trust=trust))
            number += 1
        return sources, lines

    def checked(self, message: Message) -> _Checked:
        """Return a message with its id and content as they may be stored.

        Raises:
            InputError: It is not well formed.
        """
        given: object = message  # annotations do not hold at run time for a caller's own values
        if not isinstance(given, Message) or given.role not in ROLE_TRUST or not isinstance(given.content, str):
            raise InputError(
                "a message is Message(role, content) with role user, assistant, system or tool and text as content",
                message=repr(message)[:200],
            )
        at: Any = message.at
        if at is not None and (not isinstance(at, datetime) or at.tzinfo is None):
            raise InputError("`at` of a message is a datetime with its zone: datetime(2026, 3, 1, tzinfo=UTC)", at=at)
        if message.tools != () or message.calls != () or message.name is not None or message.trust is not None:
            require_form(message)
        own: Any = message.id
        message_id = guard.screen(own) if isinstance(own, str) else None
        if own is not None and (not own or message_id is None or message_id.text != own):
            raise InputError("a message id is a non-empty text without control characters or secrets")
        if len(message.content) > self._most_chars:
            raise InputError("this message is too long to store as one line; split it", limit=self._most_chars)
        return message, message_id, guard.screen(message.content)

    def _head(self, session_id: str, agent: str, kind: str, at: datetime | None = None) -> Screened:
        return transcripts.head_line(transcripts.Head(session_id, at or self._clock(), agent, kind, self._zone))

    def _fold(self, path: str, held: Held | None = None) -> State:
        """Read one file on to its end and return its folded state; none of our locks is taken while it is read."""
        while True:
            state = self._states.get(path)
            known = state.bytes_read if state else 0
            # One byte back: our last newline still being there shows that the file only grew.
            start = max(0, known - 1)
            data, more = self._next(path, start, held)
            replaced = known > 0 and data[:1] != b"\n"
            fresh = state or State()
            if state is None:
                fresh.take(data, 0)
            with self._lock:
                if self._states.get(path) is not state or (state and state.bytes_read != known):
                    continue  # another thread was faster
                if replaced:
                    del self._states[path]
                    continue
                if state and len(data) > known - start:
                    state.take(data[known - start :], known)
                self._keep(path, fresh)
                if not more:
                    return fresh

    def _next(self, path: str, start: int, held: Held | None) -> tuple[bytes, bool]:
        """Read on in a file: a piece of whole lines, or all that is left; True if there may be more."""
        if held is None or not start:
            data = self._read(path, start, start + transcripts.PART_BYTES)
            if len(data) == transcripts.PART_BYTES and b"\n" in data[1:]:
                return data, True
            if len(data) < transcripts.PART_BYTES and (not data or data.endswith(b"\n")):
                return data, False
        return (self._read(path, start) if held is None else held.read(start)), False  # an append may be on its way

    def _read(self, path: str, start: int, end: int | None = None) -> bytes:
        blob = self._store.read(path, start, end)
        return blob.data if blob else b""

    def _keep(self, path: str, state: State) -> None:
        self._states[path] = state
        self._states.move_to_end(path)
        while len(self._states) > _STATES_KEPT:
            self._states.popitem(last=False)

    def begin_anew(self) -> None:
        """Forget what was read: texts of it were erased."""
        with self._lock:
            self._states.clear()
        self._tombstones.forgotten = None

    def get_or_create(
        self, session_id: str, *, agent: str = "main", kind: str = "foreground", created_at: datetime | None = None
    ) -> Session:
        """Return the session; if there is none, make its file with a creation instant (now if None)."""
        path = self.path(session_id)
        with self._store.locked(path) as held:
            if self._fold(path, held).head is None:
                held.append([self._head(session_id, agent, kind, created_at)])
        return self.state(session_id)

    def exists(self, session_id: str) -> bool:
        """True if anything is kept of a session that was not deleted."""
        return self._fold(self.path(session_id)).is_there

    def state(self, session_id: str) -> Session:
        """Return what is known of a session.

        Raises:
            RecordNotFoundError: There is no such session.
        """
        path = self.path(session_id)
        state = self._fold(path)
        if (head := state.head_of(path)) is None:
            raise RecordNotFoundError(
                f"there is no session {session_id!r}; `commonplace sessions` lists them", session=session_id
            )
        return state.session(head)

    def summary(self, session_id: str) -> str:
        """Return what may be shown of the summary of what left the window; nothing if some of that was forgotten."""
        path = self.path(session_id)
        state = self._fold(path)
        if not state.summary or not (left := state.left_of_summary(self.taken_back_in(session_id))):
            return ""
        since, made = self._tombstones.since(), state.summary_at
        asked = since, state.summary, state.window_start
        if since and made and state.clean != asked:
            covered = self._messages(path, session_id, state, 0, state.window_start)
            if any(at >= made for m in covered if (at := since(m.text))):
                return ""
            state.clean = asked
        return left

    def reset_at(self, session_id: str) -> int:
        """Return the number of the first message after the last reset of a session."""
        return self._fold(self.path(session_id)).reset_at

    def since_reset(self, source: Source) -> bool:
        """True if a message was said after the last reset of its session."""
        state = self._fold(self.path(source.session))
        return state.ids.get(source.message, 0) >= state.reset_at

    def kept_summary(self, session_id: str) -> str:
        """Return the summary as it was written, for a change that may be undone."""
        return self._fold(self.path(session_id)).summary

    def tool_called(self, session_id: str, call: str) -> str | None:
        """Return the tool that a call of a session was made to, by the call's id; None if no message has it."""
        return self._fold(self.path(session_id)).calls.get(transcripts.call_key(call))

    def shown(self, session_id: str) -> Mapping[str, tuple[tuple[str, int], ...]]:
        """Return the topics that were put before the agent in the window of a session, by question."""
        return self._fold(self.path(session_id)).shown

    def show(self, session_id: str, asked: str, topics: Sequence[tuple[str, int]]) -> None:
        """Write down which topics were put before the agent for a question, and how many days old each was."""
        event = Event("shown", self._clock(), name=asked, topics=tuple(topics))
        self._store.append(self.path(session_id), [transcripts.event_line(event)], durable=False)

    def held(self, session_id: str) -> tuple[tuple[str, int, int], ...]:
        """Return the ranges that only an explicit consolidation runs again: (consolidator, start, end)."""
        return tuple(self._fold(self.path(session_id)).held)

    def forgotten(self, session_id: str) -> int:
        """Return the number below which all messages of a session are hidden; 0 if it was never deleted."""
        return self._fold(self.path(session_id)).forgotten

    def count(self) -> int:
        """Count the sessions."""
        return len(self.list())

    def read(self, session_id: str, start: int = 0, end: int | None = None) -> Iterator[RecordedMessage]:
        """Yield messages numbered start..end (exclusive) in order.

        Left out are damaged ones, forgotten ones, those of any session that say the same as a forgotten one, and the
        sentences in which the assistant repeats one.
        """
        kept = self.kept(session_id, start, end)
        since = self._tombstones.since()
        if since is None:
            yield from kept
            return
        known = self._tombstones.known()
        for message in kept:
            left = known.left_of_message(message) if since(message.text) is None else None
            if left is not None:
                yield left

    def heard(self, session_id: str, end: int | None = None) -> Iterator[RecordedMessage]:
        """Yield the last messages before `end`, none from before a reset: they show whose words a text uses."""
        state = self._fold(self.path(session_id))
        end = state.numbers if end is None else end
        yield from self.read(session_id, max(min(state.reset_at, end), end - HEARD_MESSAGES), end)

    def _lately(self, message: RecordedMessage) -> int:
        """Return where what was said shortly before a message begins; at the last reset, if that is before it."""
        state = self._fold(self.path(message.session))
        reset = state.reset_at if state.reset_at <= message.number else 0
        near = bisect_left(state.offsets, state.offsets[message.number] - LATELY_BYTES) - 1  # one may be longer
        return max(reset, near, message.number - LATELY_MESSAGES)

    def kept(self, session_id: str, start: int = 0, end: int | None = None) -> Iterator[RecordedMessage]:
        """Yield messages as `read` does, with those that say the same as a forgotten one or repeat it."""
        path = self.path(session_id)
        state = self._fold(path)
        stop = state.numbers if end is None else min(end, state.numbers)
        start = max(start, state.forgotten) if start >= 0 else start
        yield from (
            message
            for message in self._messages(path, session_id, state, start, stop)
            if message.message.id not in state.forgotten_ids
        )

    def hidden(self, session_id: str) -> Iterator[tuple[str, str]]:
        """Yield the forgotten messages of a session, those for their age too: (session, message)."""
        state = self._fold(self.path(session_id))
        for own, number in state.ids.items():
            if number < state.forgotten or own in state.forgotten_ids:
                yield session_id, own

    def taken_back(self, session_id: str, also: Collection[str] = ()) -> Iterator[Forgot]:
        """Yield the forgotten messages of a session with their words, and others by their ids as if they were.

        One whose text was erased has no words. What was forgotten for its age takes nothing along, and is left out.
        """
        path = self.path(session_id)
        state = self._fold(path)
        for made in (name for name in state.along if name not in state.ids):  # a file of the session's
            yield Forgot.made_of(session_id, made, state.forgotten_ids[made], state.along[made])
        telling, rest = Telling(), frozenset[str]().union(*state.along_below.values())
        for message in self._messages(path, session_id, state, 0, state.numbers):
            own, text = str(message.message.id), message.text.replace(ERASED, "")
            single = self._clock() if own in also else state.forgotten_ids.get(own)
            at = single or (state.forgotten_at if message.number < state.forgotten else None)
            if at is None or ((own in state.aged_ids or message.number < state.aged) and own not in also):
                telling.hear(message.number, text, repeats=message.message.role == "assistant")
            else:
                along = state.along.get(own, frozenset()) if single else rest
                rest = rest if single else frozenset()
                telling.forget(Source(session_id, own), text, at, single=single is not None, along=along)
        yield from telling.forgotten()

    def unsaid(self, session_id: str) -> Mapping[str, Sequence[Event]]:
        """Return what events say of records that are gone and of requests to forget, by the id of each."""
        return self._fold(self.path(session_id)).unsaid

    def _messages(self, path: str, session_id: str, state: State, start: int, stop: int) -> Iterator[RecordedMessage]:
        while 0 <= start < stop:  # a piece at a time: a transcript may be larger than memory
            first = state.offsets[start]
            till = min(stop, max(start + 1, bisect_left(state.offsets, first + transcripts.PART_BYTES, start)))
            last = state.offsets[till] if till < len(state.offsets) else state.bytes_read
            data = self._read(path, first, last)
            found = map(state.placed, messages_of(path, session_id, data, first))
            yield from (each for each in found if each is not None and start <= each.number < till)
            start = till

    def placed(self, message: RecordedMessage) -> RecordedMessage:
        """Return a message that was read from its file with its number in the session."""
        return self._fold(message.path).placed(message) or message

    def message(self, session_id: str, message_id: str) -> RecordedMessage:
        """Find one message by its id.

        Raises:
            RecordNotFoundError: The session or the message is not there.
        """
        known = self._tombstones.known()
        for message in self.kept(session_id):
            if message.message.id == message_id and (left := known.left_of_message(message)) is not None:
                return left
        raise RecordNotFoundError(
            f"there is no message {message_id!r} in session {session_id!r}", session=session_id, message=message_id
        )

    def said_at(self, sources: Iterable[Source]) -> datetime | None:
        """Return when the last of some messages was said; None if none of them is there."""
        last: dict[str, int] = {}
        for each in sources:
            number = self._fold(self.path(each.session)).ids.get(each.message, -1)
            last[each.session] = max(number, last.get(each.session, -1))
        found = (m for name, number in last.items() for m in self.kept(name, number, number + 1) if number >= 0)
        return max((each.message.at for each in found if each.message.at), default=None)

    def window(self, session_id: str) -> tuple[RecordedMessage, ...]:
        """Return the live part of a session; of one with more text than any prompt holds, the last of it."""
        state = self._fold(self.path(session_id))
        start = max(state.window_start, bisect_left(state.offsets, state.bytes_read - WINDOW_BYTES))
        return tuple(self.read(session_id, start))

    def buffer(self, session_id: str, lines: int = BUFFER_LINES, *, since: int = 0) -> tuple[str, ...]:
        """Return the last one-line summaries of a session, oldest first, `HH:MM  user   "text"` in UTC.

        Of each turn what users said, and what the assistant said last. The first of each of several days has its date.
        Made without a model: code fences and line breaks are folded, the text cut at 200 characters. Messages with a
        number below `since`, or from before a reset, have none.
        """
        state, said = self._fold(self.path(session_id)), list[RecordedMessage]()
        start, since = state.numbers, max(since, state.reset_at)
        while start > since and len(said) <= lines:  # further back where a turn is long
            start, end = max(since, start - 3 * lines), start
            read = (m for m in self.read(session_id, start, end) if m.message.role in {"user", "assistant"})
            said = list(spoken([*(m for m in read if m.text.strip() or m.message.tools), *said]))
        last = said[-lines:]
        ranks = self.trust.of([(m, (0, BUFFER_LINE_CHARS)) for m in last])
        return tuple(summary_lines([(m.message, mark(rank)) for m, rank in zip(last, ranks, strict=True)]))

    def aged(self) -> Iterator[RecordedMessage]:
        """Yield the messages of all sessions that are hidden for their age alone, with their words."""
        for path, state in self._all():
            hidden = state.aged_ids & state.forgotten_ids.keys()
            if hidden or state.aged:
                for message in self._messages(path, transcripts.session_of(path), state, 0, state.numbers):
                    is_aged = message.number < state.aged or str(message.message.id) in hidden
                    if is_aged and message.text.replace(ERASED, "").strip():
                        yield message

    def _all(self, most: int | None = None) -> Iterator[tuple[str, State]]:
        found = self._store.list(self.folder)
        for stat in found if most is None else sorted(found, key=lambda stat: -stat.written_ns)[:most]:
            if stat.path.endswith(".jsonl"):
                try:
                    yield stat.path, self._fold(stat.path)
                except StoreError as error:
                    logger.warning("%s is left out of the sessions: %s", stat.path, error)

    def list(self, most: int | None = None) -> Sequence[Session]:
        """Return the sessions that can be read, the most recently used first; or the `most` written last."""
        found: Any = []
        for path, state in self._all(most):
            if state.is_there and (head := state.head_of(path)) is not None:
                found.append(state.session(head))
        return sorted(found, key=lambda s: (s.last_at or s.created_at, s.id), reverse=True)
