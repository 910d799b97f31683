"""When jobs run: noted as messages come in, run by a thread, by the caller, or left to a worker.

Capture never waits for this: noting is a few additions, and whatever goes wrong here is logged.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Container, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

import msgspec

from commonplace import forks, triggers
from commonplace.config import Clock
from commonplace.consolidation.jobs import JOB, Jobs
from commonplace.errors import CommonplaceError
from commonplace.records import Message
from commonplace.sessions import Sessions
from commonplace.text import estimate_tokens

logger = logging.getLogger(__name__)

_PUT_OFF: Final = 1000  # messages or characters noted at most before they are counted
_SWEEP: Final = timedelta(seconds=30)  # far below any idle time, so that an append costs the same with many sessions

Mode = Literal["thread", "inline", "worker"]


class _Pending(triggers.Facts, kw_only=True):
    """What came in since a session's cursor; `window` counts on where `window_messages` is of the turn's beginning.

    Messages in `later` are not counted yet: no rule can hold before `spare_messages` or `spare_chars` are used up.
    """

    total: int = 0
    window: int = 0
    turn_end: int = 0
    last: datetime | None = None
    later: list[Message] = msgspec.field(default_factory=list)
    spare_messages: float = 0
    spare_chars: float = 0

    def count(self) -> None:
        """Count what was put off."""
        tokens = 0
        for number, message in enumerate(self.later):
            if message.role == "user":  # a turn begins: the window that counts is the one before it
                self.window_messages, self.turn_end = self.window + number, self.total + number
                self.turns += 1
            tokens += estimate_tokens(message.content)
        new = len(self.later)
        self.total += new
        self.messages += new
        self.window += new
        self.tokens += tokens
        self.window_tokens += tokens
        self.later.clear()

    def spare(self, bounds: Iterable[tuple[str, str, float]], due: Container[str]) -> None:
        """Reckon what may come before a job that is not due can be: a message is one more, a character one token."""
        self.spare_messages = self.spare_chars = _PUT_OFF
        for job, fact, least in bounds:
            if job in due:
                continue
            if fact in {"tokens", "window_tokens"}:
                self.spare_chars = min(self.spare_chars, least - getattr(self, fact))
            else:
                known = self.window if fact == "window_messages" else getattr(self, fact)
                self.spare_messages = min(self.spare_messages, least - known)


class Schedule:
    """Notes what is due in one scope and has it run.

    Args:
        rules: The layout's triggers, their numbers filled in.
        mode: `thread` runs jobs in a daemon thread, `inline` at the next context, flush or close,
            `worker` leaves them to a worker process.
    """

    def __init__(
        self, jobs: Jobs, sessions: Sessions, *, rules: Sequence[triggers.Rule], mode: Mode, clock: Clock
    ) -> None:
        self._jobs = jobs
        self._sessions = sessions
        self._rules = tuple(rule for rule in rules if not triggers.awaits_event(rule))
        self._bounds = triggers.bounds(self._rules)
        self._mode = mode
        self._clock = clock
        self.forget()
        forks.join(self)

    def forget(self) -> None:
        """Start anew in a forked child: what is due is the parent's to run; the cursor tells what is not done."""
        self._pending: dict[str, _Pending] = {}
        self._due: dict[str, tuple[tuple[str, ...], int]] = {}
        self._lock = threading.Lock()
        self._swept: datetime | None = None
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._idle = threading.Condition(self._lock)
        self._busy = 0

    def note(self, session: str, messages: Sequence[Message], new: int) -> None:
        """Take the messages of an append into account; `new` of them, the last ones, were not there before."""
        if self._mode == "worker" or not new:
            return
        now = self._clock()
        with self._lock:
            pending = self._pending.get(session)
            if pending is None:
                pending = self._pending[session] = self._count(session, skip=new)
            pending.last = now
            fresh = messages[-new:]
            pending.later += fresh
            for message in fresh:
                pending.spare_chars -= len(message.content)
            if len(pending.later) >= pending.spare_messages or pending.spare_chars <= 0:
                self._look(session, pending, now)
            if self._swept is None or abs(now - self._swept) >= _SWEEP:
                self._sweep(now)
            if self._mode != "thread" or not self._due:
                return
            wanted = list(self._due)
        for each in wanted:
            self._hand_over(each)

    def _sweep(self, now: datetime) -> None:
        """Look at the sessions that nobody speaks in: only waiting makes them due."""
        self._swept = now
        for session, pending in self._pending.items():
            self._look(session, pending, now)

    def _count(self, session: str, *, skip: int) -> _Pending:
        """Count what a session held before this process saw it."""
        pending = _Pending()
        state = self._sessions.state(session)
        pending.total = state.messages - skip
        start = state.cursors.get(JOB, 0)
        for message in self._sessions.read(session, min(start, state.window_start), state.messages - skip):
            tokens = estimate_tokens(message.text)
            if message.number >= start:
                pending.messages += 1
                pending.tokens += tokens
                pending.turns += message.message.role == "user"
            if message.number >= state.window_start:
                pending.window += 1
                pending.window_tokens += tokens
        return pending

    def _look(self, session: str, pending: _Pending, now: datetime) -> None:
        pending.count()
        pending.idle_seconds = (now - pending.last).total_seconds() if pending.last else 0.0
        names = triggers.due(pending, self._rules)
        if names:
            self._due[session] = (names, pending.turn_end)
        pending.spare(self._bounds, names)

    # --- running ---

    def run(self, session: str | None = None) -> None:
        """Run what is due, of one session or of all, in the caller's thread; failures are logged."""
        with self._lock:
            wanted = [session] if session is not None else list(self._due)
            work = [(each, self._taken(each)) for each in wanted if each in self._due]
        for each, (names, end) in work:
            self._run(each, names, end)

    def _taken(self, session: str) -> tuple[tuple[str, ...], int]:
        """Take what is due of a session off the list: the jobs, and where the turn now going on began."""
        names, end = self._due.pop(session)
        if pending := self._pending.get(session):
            pending.count()
            pending.spare_messages = 0  # what comes while the jobs run may make them due again
            end = max(end, pending.turn_end)
        return names, end

    def _run(self, session: str, names: tuple[str, ...], end: int) -> None:
        try:
            for name in names:
                if name == "compact":
                    self._jobs.compact(session, end=end, cause="trigger")
                else:
                    self._jobs.consolidate(session, cause="trigger", explicit=False)
        except CommonplaceError:
            logger.warning("a job of session %r did not run; its range waits", session, exc_info=True)
        with self._lock:
            self._pending.pop(session, None)  # counted again from the cursor when the next message comes

    def _hand_over(self, session: str) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="commonplace-jobs", daemon=True)
                self._thread.start()
            self._busy += 1
        self._queue.put(session)

    def _work(self) -> None:
        while (session := self._queue.get()) is not None:
            try:
                self.run(session)
            except Exception:  # the top of a worker's tick
                logger.exception("a job of session %r failed", session)
            finally:
                with self._idle:
                    self._busy -= 1
                    self._idle.notify_all()

    def prepare(self, session: str | None) -> None:
        """Finish the model-free jobs that are due, so that a context sees what they noted."""
        if self._jobs.model_free and self._mode != "worker":
            self.run(session)
            self._wait(None)

    def flush(self, timeout_seconds: float | None = None) -> bool:
        """Run or wait for all that is due; False where the time was not enough."""
        if self._mode == "inline":
            self.run()
        return self._wait(timeout_seconds)

    def _wait(self, timeout_seconds: float | None) -> bool:
        until = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        with self._idle:
            while self._busy:
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return False
                self._idle.wait(left)
        return True

    def close(self, timeout_seconds: float) -> None:
        """Finish what is under way within some time, then stop the thread."""
        if not self.flush(timeout_seconds):
            logger.warning("jobs were still running when memory was closed; their ranges are run again later")
        if self._thread is not None:
            self._queue.put(None)
