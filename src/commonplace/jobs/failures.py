"""What failed of the jobs with a model, and when it is tried again.

One line a failure in a file of our own; the last line of a session and a job counts, as long as its cursor has
not moved past. Nothing of what was said and no text of a server is in it.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import msgspec

from commonplace.config import Clock, ConsolidationConfig
from commonplace.errors import UNREADABLE, StoreError
from commonplace.guard import screen
from commonplace.guard.screened import instant, json_line
from commonplace.store.protocol import STATE, Store
from commonplace.text.pieces import one_line, truncate

PATH: Final = f"{STATE}/failures.jsonl"

_WHY_CHARS: Final = 300
_LONGEST: Final = timedelta(hours=1)  # between two attempts


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """One range that a model did not do.

    `start` is the number of its first message, `attempts` how often it was tried: 0 if the setup was at fault (a
    missing package, a wrong key), which counts as no attempt. `again` is None then: it is tried with the next job.
    `begin` is where the text of a failed summary begins. `released` is the number of the message after its last one if
    a raw entry took the place of what the model should have written: it is not tried again, and
    named until the job does another range.
    """

    session: str
    job: str
    start: int
    attempts: int
    at: datetime
    again: datetime | None
    why: str
    begin: int = 0
    released: int = 0

    @property
    def when(self) -> str:
        """When it is tried again, in words."""
        if self.released:
            return "kept as it is in a raw entry, and not tried again"
        return f"tried again at {self.again:%Y-%m-%d %H:%M} UTC" if self.again else "tried again with the next job"


class Failures:
    """The failures of one scope."""

    def __init__(self, store: Store, clock: Clock, config: ConsolidationConfig) -> None:
        self._store = store
        self._clock = clock
        self._config = config

    def note(
        self, session: str, job: str, start: int, why: str, *, counts: bool = True, begin: int = 0, released: int = 0
    ) -> Failure:
        """Write down that a range failed, and return what is known of it now."""
        last = self.of(session, job, start)
        attempts = (last.attempts if last else 0) + counts
        now = self._clock()
        wait = (
            min(_LONGEST, timedelta(seconds=self._config.retry_seconds) * 2 ** min(attempts - 1, 20))
            if counts and not released
            else None
        )
        failure = Failure(
            session=session,
            job=job,
            start=start,
            attempts=attempts,
            at=now,
            again=now + wait if wait is not None else None,
            why=truncate(one_line(why), _WHY_CHARS),
            begin=begin,
            released=released,
        )
        if last is None or counts or last.why != failure.why:
            self._write(failure)
        return failure

    def done(self, failure: Failure) -> None:
        """Note that what failed was done after all, where no cursor shows it."""
        self._write(msgspec.structs.replace(failure, start=-1, attempts=0, again=None, why="", released=0))

    def settle(self, job: str) -> None:
        """Note that a job was done again, of any session: what its raw entries took the place of is no failure now.

        What was done stays done if that cannot be written: the next range settles it.
        """
        with suppress(StoreError):
            for failure in self._last().values():
                if failure.job == job and failure.released:
                    self.done(failure)

    def _write(self, failure: Failure) -> None:
        line = msgspec.structs.asdict(failure)
        line["at"] = instant(failure.at)
        line["again"] = instant(failure.again) if failure.again else None
        line |= {"session": screen(failure.session), "why": screen(failure.why)}
        self._store.append(PATH, [json_line(line)])

    def of(self, session: str, job: str, start: int) -> Failure | None:
        """Return the last failure of the range that begins at a message; None if it has none."""
        found = self._last().get((session, job))
        return found if found is not None and found.start == start else None

    def waits(self, session: str, job: str, start: int) -> Failure | None:
        """Return the failure of a range that is not to be tried yet; None if it may be tried now."""
        failure = self.of(session, job, start)
        return failure if failure is not None and self.is_early(failure) else None

    def is_early(self, failure: Failure) -> bool:
        """True if it is too early for the next attempt at a failure."""
        left = failure.again - self._clock() if failure.again is not None else timedelta(0)
        return timedelta(0) < left <= _LONGEST  # more is left only if the clock went back

    def all(self) -> list[Failure]:
        """Return the last failure of every session and job, oldest first; some may be done since."""
        return sorted(self._last().values(), key=lambda failure: failure.at)

    def _last(self) -> dict[tuple[str, str], Failure]:
        blob = self._store.read(PATH)
        found: dict[tuple[str, str], Failure] = {}
        for line in blob.data.splitlines() if blob is not None else ():
            try:
                failure = msgspec.json.decode(line, type=Failure)
            except UNREADABLE:
                continue
            found[failure.session, failure.job] = failure
        return found
