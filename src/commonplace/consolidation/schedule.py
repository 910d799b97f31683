"""When jobs run: looked for in sessions that grew, run by a thread, by the caller, or left to a worker.

Capture never waits for this: an append leaves the name of its session, and all else is found later from
the transcript, by a thread soon after or at the next context, flush or close. Whatever goes wrong is logged.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
import weakref
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

from commonplace import forks, triggers
from commonplace.config import Clock
from commonplace.consolidation.jobs import JOB, Jobs
from commonplace.errors import CommonplaceError
from commonplace.records import Session
from commonplace.sessions import Sessions
from commonplace.text import estimate_tokens

logger = logging.getLogger(__name__)

_SOON_SECONDS: Final = 0.2  # the messages of a turn may come together
_SWEEP: Final = timedelta(seconds=30)  # far below any idle time, so that a look costs the same with many sessions
_LINGER_SECONDS: Final = 30.0  # a thread without jobs ends after this; there may be one for each scope

Mode = Literal["thread", "inline", "worker"]


class _Counted(triggers.Facts, kw_only=True):
    """What was counted of a session up to message `total`, for a cursor and a window that stood where these say."""

    cursor: int
    window_start: int
    total: int
    window: int = 0
    turn_end: int = 0
    last: datetime

    def count(self, sessions: Sessions, session: str, end: int) -> None:
        """Count on, up to message `end`."""
        for message in sessions.read(session, self.total, end):
            number, tokens, asked = message.number, estimate_tokens(message.text), message.message.role == "user"
            if number >= self.cursor:
                self.messages += 1
                self.tokens += tokens
                self.turns += asked
            if number >= self.window_start:
                if asked:  # a turn begins: the window that counts is the one before it
                    self.window_messages, self.turn_end = self.window, number
                self.window += 1
                self.window_tokens += tokens
        self.total = end


class _Lookout:
    """The one thread of a process that has schedules look: soon after a note, and for sessions that fell silent."""

    def __init__(self) -> None:
        self.forget()
        forks.join(self)

    def forget(self) -> None:
        """Start anew in a forked child: the thread is the parent's."""
        self._lock = threading.Lock()
        self._watched: weakref.WeakSet[Schedule] = weakref.WeakSet()
        self._asked: queue.SimpleQueue[tuple[float, weakref.ref[Schedule]]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def watch(self, schedule: Schedule) -> None:
        """Have a schedule look soon, and now and then from now on."""
        self._asked.put((time.monotonic() + _SOON_SECONDS, weakref.ref(schedule)))
        with self._lock:
            self._watched.add(schedule)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="commonplace-lookout", daemon=True)
                self._thread.start()

    def leave(self, schedule: Schedule) -> None:
        """Have a schedule look no more."""
        with self._lock:
            self._watched.discard(schedule)

    def _work(self) -> None:
        swept = time.monotonic()
        while True:
            try:
                at, asked = self._asked.get(timeout=_SWEEP.total_seconds())
            except queue.Empty:
                pass
            else:
                time.sleep(max(0.0, at - time.monotonic()))
                self._look(asked())
            if time.monotonic() - swept >= _SWEEP.total_seconds():
                with self._lock:
                    watched = list(self._watched)
                while watched:
                    self._look(watched.pop())
                swept = time.monotonic()

    def _look(self, schedule: Schedule | None) -> None:
        try:
            if schedule is not None and schedule in self._watched:
                schedule.look()
        except Exception:  # the top of a worker's tick
            logger.exception("sessions that grew are looked at later")


_lookout: Final = _Lookout()


class Schedule:
    """Finds what is due in one scope and has it run.

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
        self.forget()
        forks.join(self)

    def forget(self) -> None:
        """Start anew in a forked child: what is due is the parent's to run; the cursor tells what is not done."""
        self._grown: dict[str, datetime] = {}  # and when; taken from and added to without the lock
        self._counted: dict[str, _Counted] = {}
        self._due: dict[str, tuple[tuple[str, ...], int]] = {}
        self._lock = threading.Lock()
        self._swept: datetime | None = None
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._unwatched = self._mode == "thread"  # nobody comes to look
        self._idle = threading.Condition(self._lock)
        self._busy = 0

    # --- finding ---

    def note(self, session: str) -> None:
        """Take note that a session grew; every append ends here."""
        self._grown[session] = self._clock()
        if self._unwatched:
            self._unwatched = False
            _lookout.watch(self)

    def look(self) -> None:
        """Look for what is due and hand it over to the thread that runs it; for the lookout."""
        self._unwatched = True  # first: what is noted from here on asks for another look
        self._hand_over(self._look())

    def _look(self) -> list[str]:
        """Count what came in since the last look and name the sessions with a job due."""
        with self._lock:
            for session in list(self._grown):
                at = self._grown.pop(session)
                try:
                    self._judge(session, self._count(session, at), at)
                except CommonplaceError:
                    logger.warning("what came in to session %r is counted later", session, exc_info=True)
            now = self._clock()
            if self._swept is None or abs(now - self._swept) >= _SWEEP:
                self._swept = now
                for session, counted in self._counted.items():  # only waiting makes those due that nobody speaks in
                    self._judge(session, counted, now)
            return list(self._due)

    def _count(self, session: str, at: datetime) -> _Counted:
        state = self._sessions.state(session)
        counted = self._counted.get(session)
        if counted is None or not _continues(counted, state):
            cursor = state.cursors.get(JOB, 0)
            start = min(cursor, state.window_start)
            counted = _Counted(cursor=cursor, window_start=state.window_start, total=start, last=at)
            self._counted[session] = counted
        counted.count(self._sessions, session, state.messages)
        counted.last = at
        return counted

    def _judge(self, session: str, counted: _Counted, now: datetime) -> None:
        counted.idle_seconds = (now - counted.last).total_seconds()
        names = triggers.due(counted, self._rules)
        if names:
            self._due[session] = (names, counted.turn_end)

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
            self._counted.pop(session, None)  # counted again from the cursor when the next message comes

    def _hand_over(self, sessions: Sequence[str]) -> None:
        with self._lock:
            self._busy += len(sessions)
            for session in sessions:
                self._queue.put(session)
            if sessions and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._work, name="commonplace-jobs", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            try:
                session = self._queue.get(timeout=_LINGER_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._queue.empty():
                        self._thread = None
                        return
                continue
            if session is None:
                return
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
            self._look()
            self.run(session)
            self._wait(None)

    def flush(self, timeout_seconds: float | None = None) -> bool:
        """Run or wait for all that is due; False where the time was not enough."""
        if self._mode == "worker":
            return True
        due = self._look()
        if self._mode == "inline":
            self.run()
        elif due:
            self._hand_over(due)
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
        _lookout.leave(self)
        with self._lock:
            if self._thread is not None:
                self._queue.put(None)


def _continues(counted: _Counted, state: Session) -> bool:
    """Say whether what was counted of a session is a beginning of what is to be counted now."""
    stands = (state.cursors.get(JOB, 0), state.window_start)
    return stands == (counted.cursor, counted.window_start) and counted.total <= state.messages
