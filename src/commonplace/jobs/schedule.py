"""When jobs run: looked for in sessions that grew, run by a thread, by the caller, or left to a worker.

Capture never waits for this: an append leaves the name of its session, and all else is found later from the
transcript, by a thread soon after or where the caller has time. What goes wrong with a job is logged.
"""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final, Literal

from commonplace.changes.sessions import Sessions
from commonplace.config import Clock
from commonplace.errors import CommonplaceError, ModelSetupError, RecordNotFoundError
from commonplace.jobs import triggers
from commonplace.jobs.counting import Counted
from commonplace.jobs.running import NOTHING, TRIGGER, Wanted
from commonplace.jobs.table import Jobs
from commonplace.jobs.tidying import Tidier
from commonplace.jobs.windows import SUMMARY, Windows
from commonplace.records import Outcome

logger = logging.getLogger(__name__)

_SOON_SECONDS: Final = 0.2  # the messages of a turn may come together
SWEEP: Final = timedelta(seconds=30)  # far below any idle time, so that one round costs the same with many sessions
_LEFT: Final = 32  # sessions of earlier processes that are looked into, those written to last
_EVER: Final = datetime.max.replace(tzinfo=UTC)
LINGER_SECONDS: Final = 30.0  # a scope's thread ends after so long without a job: there may be many scopes

Mode = Literal["thread", "inline", "worker"]


class Lookout:
    """The one thread of a process that looks for due jobs: soon after a note, and when a session has been idle."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: weakref.WeakSet[Schedule] = weakref.WeakSet()
        self._asked: queue.SimpleQueue[tuple[float, Schedule]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def watch(self, schedule: Schedule) -> bool:
        """Check a schedule soon, and regularly from then on; False if no thread can be started."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = _started(self._work, "commonplace-lookout")
                if self._thread is None:
                    return False
            self._watched.add(schedule)
            self._asked.put((time.monotonic() + _SOON_SECONDS, schedule))
            return True

    def leave(self, schedule: Schedule) -> None:
        """Stop checking a schedule, unless it is watched again."""
        with self._lock:
            self._watched.discard(schedule)

    def _work(self) -> None:
        swept = time.monotonic()
        while True:
            try:
                at, schedule = self._asked.get(timeout=SWEEP.total_seconds())
            except queue.Empty:
                pass
            else:
                time.sleep(max(0.0, at - time.monotonic()))
                schedule.look()
                del schedule  # else what nobody closed would live until the next note
            if time.monotonic() - swept >= SWEEP.total_seconds():
                with self._lock:
                    watched = list(self._watched)
                while watched:
                    watched.pop().look()
                swept = time.monotonic()


lookout = Lookout()


def renew() -> None:
    """Start again in a forked child, which has no thread of its parent."""
    global lookout  # noqa: PLW0603 - one a process
    lookout = Lookout()


class Schedule:
    """Finds what is due in one scope and has it run.

    Args:
        rules: The layout's triggers, their numbers filled in.
        mode: `thread` runs jobs in a daemon thread, `inline` at the next context, flush or close,
            `worker` leaves them to a worker process.
    """

    def __init__(
        self,
        jobs: Jobs,
        windows: Windows,
        sessions: Sessions,
        *,
        rules: Sequence[triggers.Rule],
        mode: Mode,
        clock: Clock,
    ) -> None:
        self.jobs = jobs
        self.windows = windows
        self._sessions = sessions
        self.rules = tuple(rules)
        self._longest = {
            each: min((over for rule in self.rules for name, over in rule.when if name == each), default=math.inf)
            for each in ("window_messages", "window_tokens", "window_estimate")
        }
        self._mode = mode
        self._clock = clock
        self._on_window = windows.job.name
        self._free = jobs.model_free if not jobs.all_free else frozenset({*jobs.model_free, self._on_window, SUMMARY})
        self._grown: dict[str, datetime] = {}  # and when; taken from and added to without the lock
        self._counted: dict[str, Counted] = {}
        self._due: dict[str, tuple[str, ...]] = {}
        self._tidy: dict[Tidier, None] = {}  # jobs of the scope that are due
        self._waiting: dict[str, type[CommonplaceError]] = {}  # sessions whose last job did not run, and why
        self._handed: set[str | Tidier] = set()  # to the thread, which has not come to them
        self._lock = threading.Lock()
        self._swept: datetime | None = None
        self._queue: queue.SimpleQueue[str | Tidier | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._unwatched = self._mode == "thread"  # no other call would notice it
        self._recorded = False  # by this process
        self._found_left = False
        self._idle = threading.Condition(self._lock)
        self._busy = 0
        self._free_busy = 0  # of them, what asks no model
        self._broken: AssertionError | None = None  # what a test's model raised in the thread

    # --- finding ---

    def note(self, session: str, at: datetime | None = None) -> None:
        """Note that a session grew, now or at another instant; called at the end of every append."""
        self._grown[session] = at or self._clock()
        self._recorded = True
        if self._unwatched:
            self._closed = self._unwatched = False
            if not lookout.watch(self):  # else another call may have set it already
                self._unwatched = True

    def look(self) -> None:
        """Find what is due and pass it to the thread that runs it; raises nothing."""
        self._unwatched = True  # first: what is noted from here on asks for another look
        try:
            self._find_left()
            self._hand_over(self.find())
        except Exception:  # the top of a worker's tick
            logger.exception("sessions that grew are looked at later")

    def _find_left(self) -> None:
        """Note once the sessions that were written last: an earlier process may have ended before they were due."""
        if not self._found_left:
            self._found_left = True
            for session in self._sessions.list(_LEFT):
                if session.id not in self._counted:  # else this process knows when it was last written to
                    self._grown.setdefault(session.id, session.last_at or session.created_at)
            self._swept = None  # waiting may have made them due

    def find(self) -> list[str | Tidier]:
        """Count the messages since the last call; return the sessions with a job due, and the due jobs of the scope."""
        with self._lock:
            if self._closed:
                return []
            for session in list(self._grown):
                self._look_into(session)
            now = self._clock()
            if self._swept is None or abs(now - self._swept) >= SWEEP:
                self._swept = now
                for session, counted in list(self._counted.items()):  # only waiting makes these due
                    if counted.due(self.rules, now):
                        self._look_into(session, now)
                    elif session not in self._due and not counted.due(self.rules, _EVER):
                        del self._counted[session]
                self._look_for_retries(now)
                self._tidy |= {tidier: None for tidier in self.jobs.tidiers if tidier.is_due(self.rules)}
            return [*self._due, *self._tidy]

    def _look_for_retries(self, now: datetime) -> None:
        """Note the failed ranges and summaries that may be tried again now, whichever process began them."""
        for job, session in (*self.jobs.retries(), *((SUMMARY, each) for each in self.windows.retries())):
            if session not in self._counted:
                self._grown.setdefault(session, now)
                self._look_into(session, now)
            self._due[session] = tuple(dict.fromkeys((*self._due.get(session, ()), job)))

    def _look_into(self, session: str, now: datetime | None = None) -> None:
        """Count what came in to one session and note what is due; it is looked into again where that fails."""
        at = self._grown.pop(session, None) or self._counted[session].last
        try:
            counted = self._count(session, at)
        except RecordNotFoundError:  # the transcript was taken away
            self._counted.pop(session, None)
            self._due.pop(session, None)
        except CommonplaceError:
            self._grown.setdefault(session, at)
            logger.warning("what came in to session %r is counted later", session, exc_info=True)
        except BaseException:
            self._grown.setdefault(session, at)
            raise
        else:
            owed = {SUMMARY}.intersection(self._due.get(session, ()))  # no rule counts it
            if names := (*counted.due(self.rules, now or at), *owed):
                self._due[session] = names
            else:
                self._due.pop(session, None)

    def _count(self, session: str, at: datetime) -> Counted:
        state = self._sessions.state(session)
        cursors = {runner.name: runner.begin(session) for runner in self.jobs.runners}
        cursors[self._on_window] = state.window_start
        fresh = Counted(
            cursors=cursors,
            window_start=state.window_start,
            forgotten=self._sessions.forgotten(session),
            reset_at=self._sessions.reset_at(session),
            ended=state.ended,
            total=min(cursors.values()),
            last=at,
            longest=self._longest,
            keep=self.windows.keep,
            on_window=self._on_window,
            facts={job: triggers.Facts() for job in cursors},
        )
        counted = self._counted.get(session)
        if counted is None or not counted.agrees_with(fresh) or counted.total > state.messages:
            counted = fresh
        counted.count(self._sessions, session, state.messages)
        counted.last = at
        self._counted[session] = counted
        return counted

    def due(self) -> dict[str, tuple[str, ...]]:
        """Return the sessions with a job to run now, the one that waits longest first, and the jobs of each.

        What failed is left out until it is time for the next attempt.
        """
        sessions = [each for each in self.find() if isinstance(each, str)]
        waiting = self.jobs.waiting()
        with self._lock:
            sessions.sort(key=lambda session: self._counted[session].last)
            found = {each: tuple(job for job in self._due[each] if (job, each) not in waiting) for each in sessions}
        return {session: jobs for session, jobs in found.items() if jobs}

    def tidiers(self) -> list[Tidier]:
        """Return the jobs of the scope that were last found due."""
        with self._lock:
            return list(self._tidy)

    def leave(self) -> None:
        """Forget which sessions grew: the next process finds what is due from the transcripts."""
        with self._lock:
            self._recorded = False
            self._grown.clear()
            self._counted.clear()
            self._due.clear()
            self._tidy.clear()

    # --- running ---

    def run(self, what: str | Tidier | None = None) -> bool:
        """Run what is due: of a session, a job of the scope, or all; in the caller's thread, failures logged.

        Returns:
            True if there was anything to run that no other thread was running.
        """
        with self._lock:
            wanted: list[str | Tidier] = [what] if what is not None else [*self._due, *self._tidy]
        ran = False
        for each in wanted:
            if isinstance(each, Tidier):
                ran = self._run_tidier(each) or ran
            else:
                ran = self._run_of(each, free=True) or ran
                ran = self._run_of(each, free=False) or ran
        return ran

    def _run_tidier(self, tidier: Tidier) -> bool:
        """Run a job of the scope that is due."""
        with self._lock:
            if tidier not in self._tidy:
                return False
            del self._tidy[tidier]
            self._busy += 1
        try:
            return tidier.run(Wanted(cause=TRIGGER)).status != "skipped"
        except ModelSetupError as error:
            self.jobs.tell_once(str(error))
        except CommonplaceError:
            logger.warning("the job %r did not run; it is tried again", tidier.name, exc_info=True)
        finally:
            self._one_less()
        return False

    def _run_of(self, session: str, *, free: bool) -> bool:
        """Run what is due of a session and asks no model, or what may ask one."""
        with self._lock:
            if session in self._due and session in self._grown:
                self._look_into(session)  # a job may have moved the cursor since
            due = self._due.pop(session, ())
            names = tuple(name for name in due if (name in self._free) == free)
            if rest := tuple(name for name in due if name not in names):
                self._due[session] = rest
            if not names:
                return False
            counted = self._counted[session]
            counted.ran |= {job: counted.reached(job) for job in names}
            self._busy += 1
            self._free_busy += free
            end = counted.turn_end
        try:
            return self._run(session, names, end)
        finally:
            with self._idle:
                self._free_busy -= free
            self._one_less()

    def _run(self, session: str, names: tuple[str, ...], end: int) -> bool:
        wanted = Wanted(cause=TRIGGER, explicit=False, patient=True)
        failed = set(names)
        did = False
        try:
            for name in names:
                if name == self._on_window:
                    done = self.windows.compact(session, end=end, cause=TRIGGER, patient=True)
                elif name == SUMMARY:
                    self.windows.retry(session)
                    done = Outcome(status="applied")
                else:
                    done = self.jobs.consolidate([session], wanted, job=name)
                did = did or done.status not in {"skipped", "conflict"}
                if done.status not in {"skipped", "conflict", "failed"} or done.reason == NOTHING:
                    failed.discard(name)
        except ModelSetupError as error:
            did = True
            self.jobs.tell_once(str(error))
        except CommonplaceError as error:
            again = self._waiting.get(session) is type(error)  # a disk that stays full is reported once
            self._waiting[session] = type(error)
            level = logging.DEBUG if again else logging.WARNING
            logger.log(level, "a job of session %r did not run; its range waits", session, exc_info=True)
        else:
            self._waiting.pop(session, None)
        finally:
            with self._lock:
                if counted := self._counted.get(session):
                    for name in failed:  # tried again at the next look
                        counted.ran.pop(name, None)
                    self._grown.setdefault(session, counted.last)  # what is left of it is counted then
        return did

    def _one_less(self) -> None:
        with self._idle:
            self._busy -= 1
            self._idle.notify_all()

    def _hand_over(self, due: Sequence[str | Tidier]) -> bool:
        """Pass what is due to the thread; False if no thread can be started."""
        with self._lock:
            fresh = [each for each in due if each not in self._handed]
            if not (fresh or self._handed) or self._closed:
                return True
            if self._thread is None or not self._thread.is_alive():  # also one that died with some still handed to it
                self._thread = _started(partial(self._work, self._queue), "commonplace-jobs")
                if self._thread is None:
                    return False
            self._handed.update(fresh)
            self._busy += len(fresh)
            for each in fresh:
                self._queue.put(each)
            return True

    def _work(self, work: queue.SimpleQueue[str | Tidier | None]) -> None:
        while True:
            try:
                session = work.get(timeout=LINGER_SECONDS)
            except queue.Empty:
                with self._lock:
                    if work.empty():
                        self._thread = None
                        return
                continue
            if session is None:
                return
            with self._lock:
                self._handed.discard(session)
            try:
                self.run(session)
            except AssertionError as error:  # of a test's model: raised where a test waits for the jobs
                self._broken = error
            except Exception:  # the top of a worker's tick
                logger.exception("a job of %r failed", session.name if isinstance(session, Tidier) else session)
            finally:
                self._one_less()

    def prepare(self, session: str | None) -> None:
        """Finish the model-free jobs that are due, so that a context sees what they noted.

        Those of other sessions are left to the thread if there is one.
        """
        if self._free and self._mode != "worker":
            if self._mode == "inline":
                self._find_left()
            self.find()
            with self._lock:
                wanted = [session] if session is not None and self._mode == "thread" else list(self._due)
            for each in wanted:
                self._run_of(each, free=True)
            self._wait(None, free=True)

    def flush(self, timeout_seconds: float | None = None) -> bool:
        """Run or wait for all that is due, also of sessions that earlier processes left; False if time was short."""
        if self._mode == "worker":
            return True
        self._find_left()
        return self._finish(timeout_seconds)

    def _finish(self, timeout_seconds: float | None) -> bool:
        due = self.find()
        if self._mode == "inline" or not self._hand_over(due):
            self.run()
        return self._wait(timeout_seconds)

    def _wait(self, timeout_seconds: float | None, *, free: bool = False) -> bool:
        until = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        with self._idle:
            while self._free_busy if free else self._busy:
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return False
                self._idle.wait(left)
            if self._broken is not None:
                broken, self._broken = self._broken, None
                raise broken
        return True

    def close(self, timeout_seconds: float) -> None:
        """Finish what is under way within some time, then rest until something is noted again."""
        try:
            finish = self.flush if self._recorded else self._finish
            if self._mode != "worker" and not finish(timeout_seconds):
                logger.warning("jobs were still running when memory was closed; their ranges are run again later")
        finally:
            lookout.leave(self)
            with self._lock:  # a round under way has ended now
                self._closed = self._unwatched = self._mode == "thread"
                self._let_go()

    def _let_go(self) -> None:
        """End the thread after its present job; what it has not begun stays due."""
        if self._thread is not None:
            with suppress(queue.Empty):
                while (session := self._queue.get_nowait()) is not None:
                    self._handed.discard(session)
                    self._busy -= 1
            self._queue.put(None)
            self._idle.notify_all()
            self._thread, self._queue = None, queue.SimpleQueue()


def _started(work: Callable[[], None], name: str) -> threading.Thread | None:
    """Start a daemon thread; None where the system or an interpreter that is ending allows no more."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError as error:
        logger.warning("jobs wait for a flush or close: %s", error)
        return None
    return thread
