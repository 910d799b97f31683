"""Jobs of a scope, not of a session: they tidy what is there (dream, condense, promotion), one at a time.

The time of the last run is in a file of our own, written in the commit that holds its result, so that `undo`
reverts both. If the model fails, nothing is written and it is tried again later; the rules never replace it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from commonplace.changes.actors import Actor
from commonplace.changes.door import Door
from commonplace.changes.parts import Parts
from commonplace.errors import LeaseLostError, ModelError, ModelSetupError
from commonplace.guard.screened import Screened, instant, json_line
from commonplace.jobs import triggers
from commonplace.jobs.failures import Failure, Failures
from commonplace.jobs.host import Host, Judged
from commonplace.jobs.running import TRIGGER, Wanted
from commonplace.jobs.views import Views
from commonplace.layouts.schema import Job
from commonplace.models.spending import MeteredLLM
from commonplace.records import Outcome
from commonplace.store.pid_lock import PidLock
from commonplace.store.protocol import STATE, Lease

logger = logging.getLogger(__name__)

PATH: Final = f"{STATE}/jobs.jsonl"
"""When each job of the scope ran, one line a run."""

_SAME: Final = timedelta(milliseconds=1)  # the log's instants are no finer
_LOOKED: Final = 200  # changes in which an undo of the last run is looked for


class _Ran(msgspec.Struct, frozen=True):
    """A run of a job; `before` is what its lock file said before it, in seconds, None if there was none."""

    job: str
    at: datetime
    before: float | None = None


class Tidier:
    """Runs one job of a scope. Safe to call from several threads and processes.

    Args:
        job: Its row in the layout's table.
    """

    def __init__(self, job: Job, parts: Parts, door: Door, views: Views, llm: MeteredLLM | None) -> None:
        self.job = job
        self.name = job.name
        self._parts = parts
        self._listed = job in parts.layout.jobs
        self._door = door
        self._host = Host(job, parts, views, llm)
        self._actor = Actor(f"consolidator:{job.name}", "user", explicit=False)
        self._failures = Failures(parts.store, parts.clock, parts.config.consolidation)
        self._file = PidLock(f"{parts.store.root}/{parts.layout.within(job.lock)}") if job.lock else None
        self._scanned: datetime | None = None

    # --- when ---

    def last_ran(self) -> datetime | None:
        """Return when it last ran; None if it never did, or what it did was undone."""
        ran = self._ran()
        return ran[-1].at if ran else None

    def _ran(self) -> list[_Ran]:
        blob = self._parts.store.read(PATH)
        found = []
        for line in blob.data.splitlines() if blob is not None else ():
            try:
                found.append(msgspec.json.decode(line, type=_Ran))
            except (msgspec.DecodeError, UnicodeDecodeError):  # a damaged line costs only itself
                continue
        return [each for each in found if each.job == self.name]

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Set the time in the lock file to what an undo makes of the last run: it did not happen, or did after all."""
        before = self._ran()
        yield
        after = self._ran()
        if self._file is None or before == after:
            return
        for ran in reversed([each for each in before if each not in after]):
            if self._is_said(ran.at):
                self._file.put(_instant(ran.before))
        for ran in [each for each in after if each not in before]:
            if self._is_said(_instant(ran.before)):
                self._file.put(ran.at)

    def _is_said(self, at: datetime | None) -> bool:
        """True if the lock file says that the last run was at an instant, None that there was none."""
        last = self._file.last() if self._file is not None else None
        return last == at or (last is not None and at is not None and abs(last - at) < _SAME)

    def is_due(self, rules: Sequence[triggers.Rule]) -> bool:
        """True if one of its triggers holds, or the model failed, and not a short time ago."""
        failed = self._failures.of("", self.name, 0)
        if failed is not None and self._failures.is_early(failed):
            return False
        again = failed is not None and failed.attempts > 0
        return again or any(rule.job == self.name and rule.tidies(self) for rule in rules)

    def hours(self) -> float:
        """Return the hours since it last ran or was undone: what a person undid is not done again at once."""
        undone = [
            back.at
            for change, _ in zip(self._parts.ledger.changes(), range(_LOOKED), strict=False)
            if change.actor == self._actor.name
            and change.undone_by is not None
            and (back := self._parts.ledger.change(change.undone_by)) is not None
        ]
        times = [*undone, *self._runs()]
        return (self._parts.clock() - max(times)).total_seconds() / 3600 if times else float("inf")

    def scan_seconds(self) -> float:
        """Return the seconds since its sessions were last counted."""
        return (self._parts.clock() - self._scanned).total_seconds() if self._scanned is not None else float("inf")

    def sessions(self) -> int:
        """Count the sessions in which something was said since it last ran, but for the newest, which may go on."""
        self._scanned = self._parts.clock()
        last = max(self._runs(), default=None)
        others = self._parts.sessions.list()[1:]
        return sum(each.last_at is not None and (last is None or each.last_at > last) for each in others)

    def _runs(self) -> list[datetime]:
        """Return when it last ran: as we know, and as other programs say that share its lock file."""
        theirs = self._file.last() if self._file is not None else None
        return [at for at in (self.last_ran(), theirs) if at is not None]

    def failures(self) -> list[Failure]:
        """Return its last failure, if it was not done since."""
        found = self._failures.of("", self.name, 0)
        return [found] if found is not None else []

    # --- running ---

    def run(self, wanted: Wanted) -> Outcome:
        """Run the job once.

        Returns:
            The outcome; `unchanged` if there was nothing to tidy, `skipped` if another worker does it, `failed`
            if the model failed: `reason` says why.

        Raises:
            ModelSetupError: A package or key is missing.
        """
        limits = self._parts.config.model
        life = 2 * limits.timeout_seconds * (limits.retries + 1) * (self.job.rounds + 1)
        lease = None if wanted.dry_run else self._parts.store.lease(self.name, life)
        if lease is None and not wanted.dry_run:
            return Outcome(status="skipped", reason="another worker does it")
        dry_run, ran = wanted.dry_run, False
        last = self._file.last() if self._file is not None else None
        began = _Ran(self.name, self._parts.clock(), last.timestamp() if last is not None else None)
        try:
            if self._file is not None and not dry_run and not self._file.take(began.at):
                return Outcome(status="skipped", reason=f"another program holds {self.job.lock}")
            if self._host.llm is not None and not wanted.by_rules:
                self._host.llm.ready()
            work = self._host.work((), session="", cause=wanted.cause, model=wanted.model, by_rules=wanted.by_rules)
            judged = self._host.judged(work, lambda: limits.timeout_seconds)
            done = self._commit(judged, wanted, began, lease)
            ran = True
        except ModelError as error:
            setup = isinstance(error, ModelSetupError)
            if wanted.cause == TRIGGER or (self._listed and not dry_run and not setup):  # else the caller is told
                self._failures.note("", self.name, 0, str(error), counts=not setup)
            if setup:
                raise
            logger.warning("%s was not done: %s", self.name, error)
            return Outcome(status="failed", reason=f"nothing was changed: {error}")
        except LeaseLostError:
            return Outcome(status="skipped", reason="another worker took it over")
        finally:
            if self._file is not None and not dry_run and not ran:
                self._file.give_back()
            if lease is not None:
                lease.release()
        return done if dry_run else self._ended(done, began)

    def _commit(self, judged: Judged, wanted: Wanted, began: _Ran, lease: Lease | None) -> Outcome:
        """Commit what it came to, with the note that it ran."""
        if not (judged.operations or judged.waits):
            return Outcome(status="unchanged", reason="nothing to tidy")
        return self._door.commit(
            judged.operations,
            actor=wanted.actor or self._actor,
            reason=f"{wanted.cause}: {self.name}",
            dry_run=wanted.dry_run,
            waits=judged.waits,
            lines={PATH: [_line(began)]} if self._listed else {},
            fence=lease,
            partial=True,
        )

    def _ended(self, done: Outcome, began: _Ran) -> Outcome:
        """Write down that it ran, if no change says so, and that nothing waits to be tried again."""
        if done.change is None and self._listed:
            self._parts.store.append(PATH, [_line(began)])
        for failure in self.failures():
            self._failures.done(failure)
        return done


def _line(ran: _Ran) -> Screened:
    return json_line({"job": ran.job, "at": instant(ran.at), "before": ran.before})


def _instant(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None else None
