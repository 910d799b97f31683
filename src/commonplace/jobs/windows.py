"""The live window of a session: shortened, emptied, or ended with its session. Nothing is deleted.

What leaves the window is consolidated first. If the model fails, the window is shortened all the same, because its
range stays due and its messages stay in the transcript.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import msgspec

from commonplace.changes.actors import Actor
from commonplace.changes.door import Door
from commonplace.changes.forgotten import without_said
from commonplace.changes.parts import Parts
from commonplace.errors import ModelError, ModelSetupError
from commonplace.guard.trust import Voices
from commonplace.jobs import ranges, triggers
from commonplace.jobs.failures import Failure, Failures
from commonplace.jobs.host import Host
from commonplace.jobs.running import Wanted, forgotten_since, together
from commonplace.jobs.table import Jobs
from commonplace.jobs.views import Views
from commonplace.layouts.schema import Job
from commonplace.models.spending import MeteredLLM
from commonplace.operations import EndSession, MoveWindow, Operation
from commonplace.records import UPKEEP, Outcome, RecordedMessage, Superseded

logger = logging.getLogger(__name__)

SUMMARY: Final = "summary"
"""The job that summarises what left a window."""


class Windows:
    """Moves the windows of one scope's sessions."""

    def __init__(self, parts: Parts, door: Door, jobs: Jobs, views: Views, llm: MeteredLLM | None) -> None:
        self._parts = parts
        self.job = parts.layout.job("window") or Job(name="compact", range="window", consolidator="compact")
        self._door = door
        self._jobs = jobs
        self._host = Host(self.job, parts, views, llm)
        self._failures = Failures(parts.store, parts.clock, parts.config.consolidation)
        self.actor = Actor("window", "agent", explicit=False)

    def compact(
        self,
        session: str,
        keep: int | None = None,
        *,
        end: int | None = None,
        cause: str = "manual",
        patient: bool = False,
    ) -> Outcome:
        """Move the beginning of the live window on, with a summary of what was before.

        The window begins where a turn does, so that a call and its results stay together.

        Args:
            session: The session.
            keep: How many messages stay; as the layout has it when None.
            end: Count the window up to this message number only: what came after is of the current turn.
            cause: What set it off.
            patient: Do not ask a model again that failed a short time ago.

        Raises:
            ModelSetupError: A package or key is missing, and no summary takes the place of what would leave.
        """
        if not self._parts.sessions.exists(session):
            return unknown(session)
        live = self._parts.sessions.window(session)
        window = tuple(m for m in live if end is None or m.number < end)
        keep = self.keep if keep is None else keep
        if len(window) <= keep:
            return Outcome(status="unchanged", reason=f"the window holds {len(window)} messages")
        cut_at = window[len(window) - keep].number if keep else window[-1].number + 1
        start = ranges.turn_start(window, cut_at) if keep else cut_at
        begin = window[0].number
        if begin >= start:
            return Outcome(status="unchanged", reason="the window is one turn")
        estimate = round(triggers.estimate(sum(len(m.text) for m in live)))
        logger.info(
            "compacting session %r: about %d tokens, %d messages", session, estimate, len(live),
            extra={"session": session, "cause": cause, "tokens": estimate, "messages": len(live), "keep": keep,
                   "threshold": self._parts.config.consolidation.context_tokens},
        )  # fmt: skip
        try:
            wanted = Wanted(cause=cause, explicit=False, until=start, patient=patient)
            done = self._jobs.consolidate([session], wanted, ended=False)
        except ModelSetupError as error:  # the range stays due
            if not self.job.consolidator:  # nothing would say what left the window
                raise
            done = Outcome(status="failed", reason=str(error))
        if done.status == "failed":  # what was asked for is done all the same; `failures` lists the range
            done = msgspec.structs.replace(done, status="skipped", fault=done.reason)
        moved = self._move(session, begin, start, cause)
        return together([done, moved])

    def _move(self, session: str, begin: int, start: int, cause: str, *, again: bool = False) -> Outcome:
        """Begin the window at a message, with a summary of those from `begin` on; with `again` only by the model."""
        began = self._parts.store.change_number()
        taken_back = self._parts.sessions.taken_back_in(session)
        said = self._parts.sessions.read(session, begin, start)
        parts = ((each, taken_back.get(str(each.message.id), ())) for each in said)
        gone = [rest for each, back in parts if (rest := _left_of(each, back)) is not None]
        summary, earlier, fault = "", self._parts.sessions.summary(session), ""
        if self.job.consolidator:
            upkeep = self._parts.sessions.state(session).kind in UPKEEP
            work = self._host.work(gone, session=session, cause=cause, model=None, by_rules=upkeep, summary=earlier)
            try:
                summary = self._host.proposed(work).summary
            except ModelError as error:
                counts = not isinstance(error, ModelSetupError)
                failure = self._failures.note(session, SUMMARY, start, f"{error}", counts=counts, begin=begin)
                fault = f"no summary from the model: {failure.why} ({failure.when})"
                if again:
                    return Outcome(status="failed", reason=str(error))
                logger.warning("no summary of session %r from the model; it keeps one-line summaries", session)
                summary = self._host.proposed(msgspec.structs.replace(work, llm=None)).summary
        if summary:
            summary = Voices(self._parts.sessions.heard(session, start)).marked(summary)
        if summary and forgotten_since(self._parts, began, gone):
            return Outcome(status="conflict", reason="some of it was forgotten meanwhile; try again")
        move = MoveWindow(session=session, to=start, why="compact", summary=summary)
        left = self._parts.sessions.state(session).messages - start
        logger.info(
            "compacted session %r: removed %d messages, kept %d", session, len(gone), left,
            extra={"session": session, "removed": len(gone), "kept": left, "summary_chars": len(summary)},
        )  # fmt: skip
        done = self._door.commit([move], actor=self.actor, reason=f"{cause}: window of {session}")
        return msgspec.structs.replace(done, reason=done.reason or fault, fault=fault)

    def failures(self) -> list[Failure]:
        """Return the windows whose summary is still to be written by the model, oldest first."""
        return [
            each
            for each in self._failures.all()
            if each.job == SUMMARY
            and self._parts.sessions.exists(each.session)
            and self._parts.sessions.state(each.session).window_start == each.start
        ]

    def retry(self, session: str) -> None:
        """Run the model once more for each summary of a window that it failed to write, if that is due."""
        for each in self.failures():
            if each.session != session or self._failures.waits(session, SUMMARY, each.start) is not None:
                continue
            if self._move(session, each.begin, each.start, "retry", again=True).ok:
                self._failures.done(each)

    def retries(self) -> list[str]:
        """Return the sessions whose summary may be asked for again now."""
        return [e.session for e in self.failures() if self._failures.waits(e.session, SUMMARY, e.start) is None]

    def reset(self, session: str, *, now: bool = False) -> Outcome:
        """Consolidate what is open, then let the window be empty; with `now` leave the range due instead."""
        if not self._parts.sessions.exists(session):
            return unknown(session)
        end = self._parts.sessions.state(session).messages
        return self._finish(session, "reset", MoveWindow(session=session, to=end, why="reset"), now=now)

    def end(self, session: str, *, now: bool = False) -> Outcome:
        """Consolidate what is open, or leave it due with `now`, and mark the session as ended."""
        if not self._parts.sessions.exists(session):
            return unknown(session)
        return self._finish(session, "session_end", EndSession(session=session), now=now)

    def _finish(self, session: str, cause: str, then: Operation, *, now: bool) -> Outcome:
        end = self._parts.sessions.state(session).messages
        outcomes: list[Outcome] = []
        if not now:
            seconds = self._parts.config.consolidation.awaited_seconds
            try:
                done = self._jobs.consolidate([session], Wanted(cause=cause, explicit=False, seconds=seconds))
            except ModelSetupError as error:  # a host that ends a session asked for no model
                self._jobs.tell_once(str(error))
                reason = f"{error}; what was said stays due and is tried again with the next job"
                done = Outcome(status="failed", reason=reason)
            outcomes.append(done)
            if isinstance(then, MoveWindow) and self._jobs.is_open(session, end):
                reason = f"{session} keeps its window: {done.reason}"
                return Outcome(status="failed" if done.status == "failed" else "conflict", reason=reason)
        self._parts.look_at_instructions()  # while the session goes on: its agent may have edited them
        moved = self._door.commit([then], actor=self.actor, reason=cause)
        if moved.status == "unchanged":
            is_empty = isinstance(then, MoveWindow)
            reason = f"the window of {session} is empty already" if is_empty else f"{session} has ended already"
            moved = msgspec.structs.replace(moved, reason=reason)
        return together([*outcomes, moved])

    @property
    def keep(self) -> int:
        """How many messages stay in a window that is shortened, if nothing else is asked for."""
        knobs = self._parts.config.consolidation
        return int(knobs.window_messages * knobs.keep_share) if knobs.keep_share else knobs.keep_messages


def _left_of(message: RecordedMessage, taken_back: Sequence[Superseded]) -> RecordedMessage | None:
    """Return a message without the sentences that were taken back; None if they are not found, or are all."""
    if not taken_back:
        return message
    left = without_said(message.text, (was for part in taken_back for was in part.was))
    if left in {"", message.text}:
        return None
    return msgspec.structs.replace(message, message=msgspec.structs.replace(message.message, content=left))


def unknown(session: str) -> Outcome:
    """Return the outcome of what was asked for of a session that is not there."""
    return Outcome(status="unchanged", reason=f"there is no session {session!r}, so there was nothing to do")
