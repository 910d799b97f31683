"""When jobs run: noted as messages come in, run by a thread, by the caller, or left to a worker.

Capture never waits for this: noting is a few additions, and whatever goes wrong here is logged.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, Literal

from commonplace import triggers
from commonplace.config import Clock
from commonplace.consolidation.jobs import JOB, Jobs
from commonplace.errors import CommonplaceError
from commonplace.records import Message
from commonplace.sessions import Sessions
from commonplace.text import estimate_tokens

logger = logging.getLogger(__name__)

_SWEEP_SECONDS: Final = 30.0  # far below any idle time, so that an append costs the same with many sessions

Mode = Literal["thread", "inline", "worker"]


class _Pending:
    """What came in since a session's cursor."""

    __slots__ = ("last", "messages", "tokens", "total", "turn_end", "turn_window", "turns", "window_messages",
                 "window_tokens")  # fmt: skip

    def __init__(self) -> None:
        self.messages = self.tokens = self.turns = 0
        self.window_messages = self.window_tokens = 0
        self.turn_window = self.turn_end = self.total = 0
        self.last: datetime | None = None

    def add(self, role: str, content: str) -> None:
        tokens = estimate_tokens(content)
        if role == "user":  # a turn begins: the window that counts is the one before it
            self.turn_window, self.turn_end = self.window_messages, self.total
        self.total += 1
        self.messages += 1
        self.tokens += tokens
        self.turns += role == "user"
        self.window_messages += 1
        self.window_tokens += tokens


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
        self._mode = mode
        self._clock = clock
        self._pending: dict[str, _Pending] = {}
        self._due: dict[str, tuple[tuple[str, ...], int]] = {}
        self._lock = threading.Lock()
        self._swept: datetime | None = None
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._idle = threading.Condition(self._lock)
        self._busy = 0

    def note(self, session: str, messages: Iterable[Message], new: int) -> None:
        """Take the messages of an append into account; `new` of them, the last ones, were not there before."""
        if self._mode == "worker" or not new:
            return
        with self._lock:
            pending = self._pending.get(session) or self._count(session, skip=new)
            for message in list(messages)[-new:]:
                pending.add(message.role, message.content)
            pending.last = now = self._clock()
            self._pending[session] = pending
            self._look(session, pending, now)
            self._sweep(now)
            wanted = list(self._due) if self._due and self._mode == "thread" else ()
        for each in wanted:
            self._hand_over(each)

    def _sweep(self, now: datetime) -> None:
        """Look now and then at the sessions that nobody speaks in: only waiting makes them due."""
        if self._swept is not None and abs((now - self._swept).total_seconds()) < _SWEEP_SECONDS:
            return
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
                pending.window_messages += 1
                pending.window_tokens += tokens
        return pending

    def _look(self, session: str, pending: _Pending, now: datetime) -> None:
        idle = (now - pending.last).total_seconds() if pending.last else 0.0
        facts = triggers.Facts(
            messages=pending.messages,
            tokens=pending.tokens,
            turns=pending.turns,
            window_messages=pending.turn_window,
            window_tokens=pending.window_tokens,
            idle_seconds=idle,
        )
        names = triggers.due(facts, self._rules)
        if names:
            self._due[session] = (names, pending.turn_end)

    # --- running ---

    def run(self, session: str | None = None) -> None:
        """Run what is due, of one session or of all, in the caller's thread; failures are logged."""
        with self._lock:
            wanted = [session] if session is not None else list(self._due)
            work = [(each, self._due.pop(each)) for each in wanted if each in self._due]
        for each, (names, end) in work:
            self._run(each, names, end)

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
