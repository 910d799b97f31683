"""The jobs of a scope together, as the table of its layout has them: each range job with a cursor of its own."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

from commonplace.changes.door import Door
from commonplace.changes.parts import Parts
from commonplace.errors import InputError, ModelSetupError
from commonplace.jobs.failures import Failure
from commonplace.jobs.runner import Runner
from commonplace.jobs.running import Wanted, together
from commonplace.jobs.tidying import Tidier
from commonplace.jobs.views import Views
from commonplace.layouts.schema import RANGES, Job
from commonplace.models.spending import MeteredLLM
from commonplace.records import Outcome

logger = logging.getLogger(__name__)


class Jobs:
    """The jobs of one scope: `runners` of ranges, `tidiers` of the scope itself."""

    def __init__(self, parts: Parts, door: Door, views: Views, llm: MeteredLLM | None) -> None:
        self._llm = llm
        self._reported: set[str] = set()
        self._made = partial(Tidier, parts=parts, door=door, views=views, llm=llm)
        rows = parts.layout.jobs
        self.runners = tuple(Runner(job, parts, door, views, llm) for job in rows if job.range in RANGES)
        self.tidiers = tuple(self._made(job) for job in rows if job.range == "none")

    @property
    def model_free(self) -> frozenset[str]:
        """The jobs that run without a model."""
        return frozenset(runner.name for runner in self.runners if runner.model_free)

    @property
    def all_free(self) -> bool:
        """True if no model was opened."""
        return self._llm is None

    def consolidate(
        self, sessions: Sequence[str], wanted: Wanted, *, job: str | None = None, ended: bool = True
    ) -> Outcome:
        """Run each job from its cursor to the end of some sessions, as `Runner.consolidate` does.

        Args:
            sessions: In order.
            wanted: How.
            job: Only this one; all of them when None.
            ended: Include the jobs that read a session whole: it is over, or a caller asks for them.

        Raises:
            ModelSetupError: A package or key is missing; the jobs that need none were done.
        """
        outcomes: list[Outcome] = []
        fault: ModelSetupError | None = None
        for runner in self.runners:
            if (job is None and (ended or runner.job.range != "session")) or runner.name == job:
                try:
                    outcomes.append(runner.consolidate(sessions, wanted))
                except ModelSetupError as error:
                    fault = fault or error
        if fault is not None:
            raise fault
        return together(outcomes)

    def tidy(self, job: Job | str, wanted: Wanted) -> Outcome:
        """Run the jobs of the scope, due or not, as `Tidier.run` does.

        Args:
            job: Only the one of this name, or one that is not in the table; all of them if empty.
            wanted: How.

        Raises:
            InputError: There is no such job.
            ModelSetupError: A package or key is missing.
        """
        tidiers = [self._made(job)] if isinstance(job, Job) else [t for t in self.tidiers if job in {"", t.name}]
        if job and not tidiers:
            names = ", ".join(tidier.name for tidier in self.tidiers) or "none"
            raise InputError(f"this layout has no job {job!r} that tidies memory; it has {names}", job=job)
        return together([each.run(wanted) for each in tidiers])

    def tell_once(self, fault: str) -> None:
        """Log a fault of the setup once: it is the same for every job until it is mended."""
        if fault not in self._reported:
            self._reported.add(fault)
            logger.error("jobs with a model wait: %s", fault)

    def is_open(self, session: str, end: int) -> bool:
        """True if a message before this number is still to be done by one of the jobs."""
        return any(runner.is_open(session, end) for runner in self.runners)

    def failures(self) -> list[Failure]:
        """Return what a model failed to do, oldest first, until that or what came after it is done."""
        jobs: tuple[Runner | Tidier, ...] = (*self.runners, *self.tidiers)
        return sorted((each for job in jobs for each in job.failures()), key=lambda each: each.at)

    def waiting(self) -> frozenset[tuple[str, str]]:
        """Return the failed ranges that are not to be tried yet: (job, session)."""
        return frozenset((runner.name, session) for runner in self.runners for session in runner.waiting())

    def retries(self) -> list[tuple[str, str]]:
        """Return the failed ranges that may be tried again now: (job, session)."""
        return [(runner.name, session) for runner in self.runners for session in runner.retries()]
