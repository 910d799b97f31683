"""Jobs: an immutable range, a lease, a proposal, a verdict, one commit that also moves the cursor.

Killed at any point and run again, the result is there once: the cursor moves in the commit that
holds the result. A range that a model fails to do stays due: nothing is written and nothing moves. It is tried
again later, and after the configured attempts the rules take it. Only a layout whose document says so writes a
raw entry at the first failure.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from typing import Final

import msgspec

from commonplace.changes.actors import TOOL, Actor
from commonplace.changes.door import Door
from commonplace.changes.parts import Parts
from commonplace.errors import CommonplaceError, LeaseLostError, ModelError, ModelSetupError, ModelTimeoutError
from commonplace.guard import screen, verdict
from commonplace.jobs import ranges
from commonplace.jobs.failures import Failure, Failures
from commonplace.jobs.host import Host, Judged, journal_entry
from commonplace.jobs.rules import wishes
from commonplace.jobs.running import TRIGGER, Piece, Run, Wanted, batches, forgotten_since, together
from commonplace.jobs.views import Views
from commonplace.layouts.schema import Job
from commonplace.models.spending import MeteredLLM
from commonplace.operations import (
    HoldRange,
    MoveCursor,
    Operation,
)
from commonplace.records import UPKEEP, Outcome, RecordedMessage, lowest_trust
from commonplace.store.protocol import Lease
from commonplace.text.pieces import one_line, speaker, truncate

logger = logging.getLogger(__name__)

_PATIENCE: Final = 10  # calls of others that a job without a deadline waits for
_TOGETHER: Final = 16  # sessions whose leases are held at a time
_TURN_SECONDS: Final = 0.02  # between two looks whether it is one's turn
_FALLBACK_MESSAGES: Final = 10  # seed two-layer: of a failed range, its last messages
_FALLBACK_CHARS: Final = 200  # seed two-layer: of each
_RAW_HEAD: Final = "[raw-fallback] Consolidation failed. Recent messages:"  # seed two-layer


class Runner:
    """Runs one range job of a scope. Safe to call from several threads and processes.

    Args:
        job: Its row in the layout's table; its name is that of its cursor.
        llm: The model, metered; None leaves the work to the rules.
    """

    def __init__(self, job: Job, parts: Parts, door: Door, views: Views, llm: MeteredLLM | None) -> None:
        self.job = job
        self.name = job.name
        self._parts, self._store = parts, parts.store
        self._layout = parts.layout
        self._ledger = parts.ledger
        self._sessions = parts.sessions
        self._door = door
        self._views = views
        self._clock = parts.clock
        self._config = config = parts.config
        self._host = Host(job, parts, views, llm)
        self._llm = self._host.llm
        self._failures = Failures(parts.store, parts.clock, config.consolidation)

    @property
    def model_free(self) -> bool:
        """True if it runs without a model."""
        return self._llm is None

    def consolidate(self, sessions: Sequence[str], wanted: Wanted) -> Outcome:
        """Do what lies between the cursor and the end of some sessions; short ones share a model call.

        Returns:
            One outcome over all ranges; `skipped` if there was nothing to do or another worker does it, `failed`
            if a model did not do it: `reason` says why and when it is tried again.

        Raises:
            ModelSetupError: A package or key is missing; no message was read.
        """
        self._require_model(sessions)
        end = time.monotonic() + wanted.seconds if wanted.seconds else None
        outcomes: list[Outcome] = []
        for some in (sessions[i : i + _TOGETHER] for i in range(0, len(sessions), _TOGETHER)):
            run = Run(wanted=wanted, leases={}, began=self._store.change_number(), turn=None, end=end)
            try:
                pieces: list[Piece] = []
                for session in some:
                    todo = self._to_do(run, session)
                    pieces += todo if isinstance(todo, list) else ()
                    outcomes += [todo] if isinstance(todo, Outcome) else ()
                run.turn = None if wanted.dry_run or not pieces else self._turn(end)
                outcomes += self._ranges(self._batches(pieces), run)
            except LeaseLostError:
                outcomes.append(Outcome(status="skipped", reason="another worker took this session over"))
            finally:
                run.release()
        return together(outcomes)

    def _to_do(self, run: Run, session: str) -> list[Piece] | Outcome:
        """Return the ranges of a session to do now, or the outcome that says why there are none."""
        wanted = run.wanted
        if not wanted.dry_run and not self._holds(run, session):
            return Outcome(status="skipped", reason="another worker runs this job")
        unanswered = wanted.until is None and self.job.range == "turns" and wanted.cause == TRIGGER
        until = self._answered(session) if unanswered else wanted.until
        todo = self._todo(session, explicit=wanted.explicit, until=until, first=wanted.dry_run)
        if unanswered and not todo:
            return Outcome(status="skipped", reason="the last turn has no answer yet")
        if todo and not wanted.dry_run and self._sessions.state(session).kind in UPKEEP:
            return self._passed_over(todo, run, "nothing of memory's own sessions is remembered")
        if todo and wanted.cause == TRIGGER and self._is_done_by_agent(todo):
            return self._passed_over(todo, run, "the agent wrote memory itself")
        waits = self._waits(todo[0]) if wanted.patient and todo else None
        return todo if waits is None else self._tells(waits)

    def _is_done_by_agent(self, todo: Sequence[Piece]) -> bool:
        """True if the agent wrote memory itself since ranges began, and the job leaves such ranges to it."""
        since = todo[0].messages[0].message.at
        if not self.job.yields or since is None:
            return False
        self._ledger.catch_up()
        theirs = takewhile(lambda change: change.at >= since, self._ledger.changes())
        outside = {"outside"} if self._layout.agent_edits_files else set()
        return any(change.actor == TOOL.name or outside.intersection(change.kinds) for change in theirs)

    def _passed_over(self, todo: Sequence[Piece], run: Run, reason: str) -> Outcome:
        """Move the cursor past ranges that need no work."""
        last = todo[-1].messages[-1].number + 1
        move = MoveCursor(session=todo[-1].session, name=self.name, to=last)
        self._door.commit([move], actor=self._actor(move.session), reason=f"{run.wanted.cause}: {reason}", fence=run)
        return Outcome(status="skipped", reason=reason)

    def _require_model(self, sessions: Sequence[str]) -> None:
        """Raise ModelSetupError if the model says, without a call, that it cannot be used."""
        try:
            if self._llm is not None:
                self._llm.ready()
        except ModelSetupError as error:
            for session in sessions:
                start = self._sessions.state(session).cursors.get(self.name, 0)
                self._failures.note(session, self.name, start, str(error), counts=False)
            raise

    def _waits(self, piece: Piece) -> Failure | None:
        return self._failures.waits(piece.session, self.name, piece.messages[0].number)

    def _tells(self, failure: Failure, *others: Failure) -> Outcome:
        """Return the outcome of ranges that failed together: whose, why, and when they are tried again."""
        count = f"attempt {failure.attempts} of {self._config.consolidation.attempts}"
        more = len({each.session for each in others} - {failure.session})
        whose = f"{failure.session} and {more} more" if more else failure.session
        return Outcome(status="failed", reason=f"{whose}: {failure.why} ({count}; {failure.when})")

    def _ranges(self, batches: Sequence[Sequence[Piece]], run: Run) -> list[Outcome]:
        """Do ranges one after the other; of a session with a range that failed, what follows waits too."""
        outcomes: list[Outcome] = []
        failed: set[str] = set()
        for batch in batches:
            if failed.intersection(piece.session for piece in batch):
                continue
            outcome = self._range(batch, run)
            if outcome.status == "failed":
                failed.update(piece.session for piece in batch)
            outcomes.append(outcome)
        return outcomes

    def _holds(self, run: Run, session: str) -> bool:
        name = f"{self.name}:{self._sessions.state(session).agent if self._reads else session}"
        lease = run.leases.get(name) or self._lease(name, run.end)
        if lease is not None:
            run.leases[name] = lease
        return lease is not None

    @property
    def _reads(self) -> bool:
        """True if it reads before it writes: each agent has one such worker, so that it finds what it wrote before."""
        return self.job.rounds > 0 and not self.model_free

    def _actor(self, session: str) -> Actor:
        by = f"{self.name}:{self._sessions.state(session).agent}" if self._reads else f"consolidator:{self._host.by}"
        return Actor(by, "user", explicit=False)

    def _batches(self, pieces: Sequence[Piece]) -> list[list[Piece]]:
        if self._llm is None or not self.job.together:
            return [[piece] for piece in pieces]
        knobs = self._config.consolidation
        return batches(pieces, tokens=knobs.range_tokens, message_tokens=knobs.message_tokens)

    def _lease(self, name: str, end: float | None) -> Lease | None:
        """Return a lease, waiting for it until a deadline if there is one; None if another holds it."""
        model = self._config.model
        life = 2 * model.timeout_seconds * (model.retries + 1) * (self.job.rounds + 1)
        while (lease := self._store.lease(name, life)) is None:
            if end is None or time.monotonic() >= end:
                break
            time.sleep(_TURN_SECONDS)
        return lease

    def _turn(self, end: float | None) -> Lease | None:
        """Return the lease on the model, if the consolidator rewrites documents: one range after the other.

        Without it no time is left for a model call, and the ranges leave raw entries, which need no lease.
        """
        if not self._host.rewrites or self._llm is None:
            return None
        model = self._config.model
        return self._lease(self.name, end or time.monotonic() + _PATIENCE * model.timeout_seconds * (model.retries + 1))

    def _todo(self, session: str, *, explicit: bool, until: int | None, first: bool) -> list[Piece]:
        """List the ranges to do now, held ones before what the cursor has not reached."""
        held = dict.fromkeys((start, end) for name, start, end in self._sessions.held(session) if name == self.name)
        todo: list[Piece] = []
        if explicit:
            todo += [Piece(session, tuple(self._sessions.read(session, *each)), each) for each in held]
        start = self.begin(session)
        knobs = self._config.consolidation
        pieces = ranges.cut(
            tuple(self._sessions.read(session, start, until)),
            tokens=sys.maxsize if self.job.range == "session" else knobs.range_tokens,
            message_tokens=knobs.message_tokens,
        )
        todo += [Piece(session, piece) for piece in pieces]
        todo = [piece for piece in todo if piece.messages]
        return todo[:1] if first else todo

    def begin(self, session: str) -> int:
        """Return the number of the first message that is due without being asked for: held ranges are not."""
        start = self._sessions.state(session).cursors.get(self.name, 0)
        for name, begin, end in sorted(self._sessions.held(session)):
            if name == self.name and begin <= start < end:
                start = end
        return start

    def _answered(self, session: str) -> int:
        """Return the number of the message before which each turn has its answer, or is too old to wait for one."""
        state = self._sessions.state(session)
        fresh = [m for m in self._sessions.read(session, state.cursors.get(self.name, 0)) if m.text.strip()]
        if not fresh or fresh[-1].message.role == "assistant" or not self._is_fresh(fresh[-1]):
            return state.messages
        return next((m.number for m in reversed(fresh) if m.message.role == "user"), fresh[0].number)

    def _is_fresh(self, message: RecordedMessage) -> bool:
        at = message.message.at
        idle = self._config.consolidation.idle_seconds
        return at is None or abs((self._clock() - at).total_seconds()) < idle

    def _range(self, pieces: Sequence[Piece], run: Run) -> Outcome:
        """Do one range, or note that it failed."""
        run.renew()
        try:
            done = self._ruled(pieces[0], run) if self.model_free else self._done(pieces, run)
        except ModelSetupError as error:
            if not run.wanted.dry_run:
                for piece in pieces:
                    self._failures.note(piece.session, self.name, piece.messages[0].number, str(error), counts=False)
            raise
        except ModelError as error:
            level = logging.WARNING if run.wanted.patient else logging.INFO  # who asked for it reads the outcome
            logger.log(level, "no proposal for session %r: %s", pieces[0].session, error)
            return self._failed(pieces, run, str(error))
        if done.ok and not run.wanted.dry_run:
            self._failures.settle(self.name)
        return done

    def _failed(self, pieces: Sequence[Piece], run: Run, why: str) -> Outcome:
        """Do what the job says for a range that the model failed on: a raw entry, another attempt, or the rules."""
        if run.wanted.dry_run:
            return Outcome(status="failed", reason=why)
        if self.job.failure == "raw":
            done = self._commit(pieces, run, self._raw(pieces), "; the model did not do it")
            for piece in pieces:
                first, last = piece.messages[0].number, piece.messages[-1].number
                self._failures.note(piece.session, self.name, first, why, released=last + 1)
            done = msgspec.structs.replace(done, fault=why)
            return _without_model(done, why, "what was said is kept as it is")
        failures = [self._failures.note(piece.session, self.name, piece.messages[0].number, why) for piece in pieces]
        if all(failure.attempts < self._config.consolidation.attempts for failure in failures):
            return self._tells(*failures)
        ruled = msgspec.structs.replace(run, wanted=msgspec.structs.replace(run.wanted, by_rules=True))
        return _without_model(together([self._ruled(piece, ruled) for piece in pieces]), why, "the rules did")

    def _ruled(self, piece: Piece, run: Run) -> Outcome:
        """Run the rules on a range; one that they cannot do is held: only an explicit job reads it again."""
        try:
            done = self._done([piece], run)
        except ModelError as error:
            done = Outcome(status="refused", reason=str(error))
        except CommonplaceError:  # of the disk or another writer: the range stays due
            raise
        except Exception as error:
            logger.exception("the rules failed on %s", piece.name)
            done = Outcome(status="refused", reason=f"the rules failed with {type(error).__name__}")
        if done.status != "refused":
            return done
        done = Outcome(
            status="refused",
            reason=f"{piece.name} can be done by no model and by no rule: {one_line(done.reason)}; it is held, an "
            "explicit consolidation reads it again",
        )
        if run.wanted.dry_run or piece.held is not None:
            return done
        first, last = piece.messages[0].number, piece.messages[-1].number + 1
        held: list[Operation] = [
            HoldRange(session=piece.session, name=self.name, start=first, end=last),
            MoveCursor(session=piece.session, name=self.name, to=last),
        ]
        logger.error("%s", done.reason)
        reason = f"{run.wanted.cause}: {done.reason}"
        self._door.commit(held, actor=self._actor(piece.session), reason=reason, fence=run)
        return done

    def _done(self, pieces: Sequence[Piece], run: Run) -> Outcome:
        """Do one range and commit it; raises ModelError if the model did not do it."""
        kept, made = pieces, self._made(pieces, run)
        while forgotten_since(self._parts, run.began, made.read):
            kept = self._unforgotten(kept)
            made = self._made(kept, run) if kept else Judged([], [], (), ("all of it was forgotten meanwhile",))
        return self._commit(pieces, run, made)

    def _commit(self, pieces: Sequence[Piece], run: Run, made: Judged, but: str = "") -> Outcome:
        """Commit what a range came to, together with the cursor that it moves."""
        notes = [*made.notes]
        for piece in pieces:
            known = made.taken_back or ()
            back = wishes.taken_back(piece.messages, partial(self._earlier, [piece]), known)
            notes += wishes.notes(back, made.operations, made.taken_back)
            made.operations.extend(filter(None, [wishes.operation(back, known)]))
            to = piece.messages[-1].number + 1
            if piece.held is not None:
                start, to = piece.held
                made.operations.append(
                    HoldRange(session=piece.session, name=self.name, start=start, end=to, held=False)
                )
                if not start <= self._sessions.state(piece.session).cursors.get(self.name, 0) < to:
                    continue  # the cursor was past it before
            made.operations.append(MoveCursor(session=piece.session, name=self.name, to=to))
        done = self._door.commit(
            made.operations,
            actor=self._actor(pieces[0].session),
            reason="; ".join([f"{run.wanted.cause}: {_named(pieces)}{but}", *notes]),
            dry_run=run.wanted.dry_run,
            waits=made.waits,
            fence=None if run.wanted.dry_run else run,
            partial=True,
        )
        done = msgspec.structs.replace(done, reason="; ".join(filter(None, [done.reason, *notes])))
        kinds = Counter(str(type(each).__struct_config__.tag) for each in made.operations)
        logger.info(
            "job %s: %s of %s", self.name, done.status, _named(pieces),
            extra={"job": self.name, "cause": run.wanted.cause, "status": done.status, "change": done.change,
                   "operations": dict(kinds), "waiting": len(done.review), "messages": len(made.read)},
        )  # fmt: skip
        return done

    def _unforgotten(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the pieces without the messages that were forgotten."""
        left: list[Piece] = []
        for piece in pieces:
            first, last = piece.messages[0].number, piece.messages[-1].number
            if messages := tuple(self._sessions.read(piece.session, first, last + 1)):
                left.append(msgspec.structs.replace(piece, messages=messages))
        return left

    def _made(self, pieces: Sequence[Piece], run: Run) -> Judged:
        """Return the operations, and what waits, for some pieces."""
        if (
            self._host.rewrites
            and run.turn is None
            and not run.wanted.dry_run
            and not (run.wanted.by_rules or self.model_free)
        ):
            raise ModelTimeoutError("no time was left to ask the model")
        whole = self.job.range == "session"
        work = self._host.work(
            self._session(pieces[0]) if whole else [message for piece in pieces for message in piece.messages],
            session=pieces[0].session,
            cause=run.wanted.cause,
            model=run.wanted.model or self._config.consolidation.model or None,
            by_rules=run.wanted.by_rules,
            earlier=() if whole else self._earlier(pieces),
        )
        return self._host.judged(work, lambda: run.left(self._config.model.timeout_seconds))

    def _earlier(self, pieces: Sequence[Piece]) -> tuple[RecordedMessage, ...]:
        """Return the messages since the last reset of each session that come before its pieces."""
        first = {piece.session: piece.messages[0].number for piece in reversed(pieces)}
        return tuple(message for session, number in first.items() for message in self._sessions.heard(session, number))

    def _session(self, piece: Piece) -> tuple[RecordedMessage, ...]:
        """Return what was said in a session from its beginning to the end of a piece."""
        return tuple(self._sessions.read(piece.session, 0, piece.messages[-1].number + 1))

    def _raw(self, pieces: Sequence[Piece]) -> Judged:
        """Return the entry that names a range without a summary; every word of it is in the transcripts."""
        said = [message for piece in pieces for message in piece.messages]
        last = [m for m in said if m.text.strip()][-_FALLBACK_MESSAGES:]
        lines = [f"{speaker(m.message, m.message.role.upper())}: {_raw_words(m.text)}" for m in last]
        paths = ", ".join(self._sessions.path(piece.session) for piece in pieces)
        text = "\n".join([_RAW_HEAD, *lines, f"{_named(pieces)}. All of it is kept in {paths}."])
        at = said[-1].message.at or self._clock()
        shown = [[(m, (0, _FALLBACK_CHARS)) for m in last if m.session == name] for name in {m.session for m in last}]
        trust = lowest_trust(["agent", *(rank for parts in shown for rank in self._sessions.trust.of(parts))])
        entry = journal_entry(self._views.journal_path(at), text, said, at, trust=trust)
        return Judged([entry], [], said)

    def is_open(self, session: str, end: int) -> bool:
        """True if a message before this number is neither consolidated nor held; what was forgotten does not count.

        The cursor stays before what was forgotten at the end of a session: undone, it is read by the next job.
        """
        held = max((stop for name, _, stop in self._sessions.held(session) if name == self.name), default=0)
        safe = max(self._sessions.state(session).cursors.get(self.name, 0), held)
        return safe < end and next(self._sessions.read(session, safe, end), None) is not None

    def failures(self) -> list[Failure]:
        """Return the ranges that a model failed to do, oldest first, until they or those after them are done."""
        return [each for each in self._failures.all() if each.job == self.name and self._is_due(each)]

    def _is_due(self, failure: Failure) -> bool:
        if not self._sessions.exists(failure.session):
            return False
        reached = self._sessions.state(failure.session).cursors.get(self.name, 0)
        if failure.released:
            return reached == failure.released
        return reached == failure.start and self.is_open(failure.session, sys.maxsize)

    def waiting(self) -> list[str]:
        """Return the sessions with a failed range that is not to be tried yet."""
        return [each.session for each in self.failures() if self._failures.is_early(each)]

    def retries(self) -> list[str]:
        """Return the sessions with a failed range that may be tried again now."""
        return [
            each.session
            for each in self.failures()
            if not each.released and self._failures.waits(each.session, self.name, each.start) is None
        ]


def _without_model(done: Outcome, why: str, instead: str) -> Outcome:
    """Return what came of a range that a model failed on, with the reason."""
    reasons = [f"the model did not do it: {why}; {instead}", done.reason]
    return msgspec.structs.replace(done, reason="; ".join(filter(None, reasons)))


def _named(pieces: Sequence[Piece]) -> str:
    return "; ".join(piece.name for piece in pieces)


def _raw_words(text: str) -> str:
    """Return the beginning of what was said in one line; a text that reads like an order to a model is left out."""
    line = truncate(one_line(text), _FALLBACK_CHARS)
    is_order = verdict(screen(line), explicit=False, trust="agent") == "quarantine"
    return "(left out: it reads like an order to a model)" if is_order else line
