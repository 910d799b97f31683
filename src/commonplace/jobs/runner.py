"""Jobs: an immutable range, a lease, a proposal, a verdict, one commit that also moves the cursor.

Killed at any point and run again, the result is there once: the cursor moves in the commit that
holds the result. A range that is refused or fails leaves a raw entry that names it, and goes on.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from typing import Final, cast

import msgspec

from commonplace.changes.actors import Actor
from commonplace.changes.admission import Waits
from commonplace.changes.door import Door
from commonplace.changes.sessions import Sessions
from commonplace.config import Clock, Config
from commonplace.errors import BudgetExceededError, LeaseLostError, ModelError
from commonplace.guard import gate, screen
from commonplace.guard.screened import instant
from commonplace.jobs import ranges
from commonplace.jobs.consolidators import compact, rewrite, sifting, summarise
from commonplace.jobs.consolidators.episodes import Episodes
from commonplace.jobs.consolidators.work import Consolidator, Work
from commonplace.jobs.rules import proposing
from commonplace.jobs.rules.memos import Known, Place, Targets
from commonplace.jobs.running import Piece, Run, batches
from commonplace.jobs.views import Views
from commonplace.layouts.schema import Layout
from commonplace.models.protocol import LLM
from commonplace.models.reading import Unusable
from commonplace.operations import (
    AppendJournal,
    Edit,
    EndSession,
    HoldRange,
    MoveCursor,
    MoveWindow,
    Operation,
    Proposal,
    RewriteDocument,
    View,
)
from commonplace.records import Outcome, RecordedMessage, Source
from commonplace.store.protocol import Lease, Store
from commonplace.text.pieces import truncate

logger = logging.getLogger(__name__)

NOTHING: Final = "nothing to do"
JOB: Final = "consolidate"
"""The name of the cursor that range jobs move, whichever consolidator runs them."""

_PATIENCE: Final = 10  # calls of others that a job without a deadline waits for
_TOGETHER: Final = 16  # sessions whose leases are held at a time
_TURN_SECONDS: Final = 0.02  # between two looks whether it is one's turn
_FALLBACK_MESSAGES: Final = 10  # seed two-layer: of a failed range, its last messages
_FALLBACK_CHARS: Final = 200  # seed two-layer: of each
_RAW_CHARS: Final = 20_000  # of an unusable reply that is kept for review
_ITEM_FIELDS: Final = {"text": "content", "kind": "type"}


def by_rules(work: Work) -> Proposal:
    """Propose without a model."""
    places: dict[str, Place] = {}
    for kind, path in work.places.items():
        items = path.endswith(".jsonl")
        places[kind] = Place(path=path, form="item" if items else "entry", fields=_ITEM_FIELDS if items else {})
    known = [Known(entry.id, entry.path, entry.text) for entry in work.view.entries]
    targets = cast("Targets", places)  # kinds a layout names beyond those of the rules are never asked for
    return proposing.propose(work.view.messages, session=work.session, zone=work.zone, targets=targets, existing=known)


CONSOLIDATORS: Final[dict[str, Consolidator]] = {
    "rules": by_rules,
    "summarise": summarise.propose,
    "rewrite": rewrite.propose,
}


class _Made(msgspec.Struct, frozen=True):
    """What a range comes to, and the messages that were read for it."""

    operations: list[Operation]
    waits: list[Waits]
    reason: str
    read: Sequence[RecordedMessage]


class Jobs:
    """Runs the jobs of one scope. Safe to call from several threads and processes.

    Args:
        llm: The model, metered; None leaves the work to the rules.
    """

    def __init__(
        self,
        store: Store,
        *,
        layout: Layout,
        sessions: Sessions,
        door: Door,
        views: Views,
        clock: Clock,
        config: Config,
        zone: tzinfo,
        llm: LLM | None,
    ) -> None:
        self._store = store
        self._layout = layout
        self._sessions = sessions
        self._door = door
        self._views = views
        self._clock = clock
        self._config = config
        self._zone = zone
        self._llm = llm
        name = layout.consolidator if llm is not None else "rules"
        self._consolidator = CONSOLIDATORS.get(name, by_rules)
        self._rewrites = self._consolidator is rewrite.propose
        self._actor = Actor(f"consolidator:{name}", "user", explicit=False)
        self._episodes = Episodes(layout, config, views.reader, by_rules) if layout.leaves == "episode" else None

    @property
    def model_free(self) -> bool:
        """Whether jobs run without a model."""
        return self._llm is None

    def consolidate(
        self,
        *sessions: str,
        cause: str = "manual",
        explicit: bool = True,
        dry_run: bool = False,
        seconds: float | None = None,
        whole: bool = True,
        until: int | None = None,
        must: bool = False,
        model: str | None = None,
    ) -> Outcome:
        """Do what lies between the cursor and the end of some sessions.

        Args:
            sessions: In order; short ones share a model call.
            cause: What set it off, for the ledger and the log.
            explicit: Also run ranges that an undo holds.
            dry_run: Only say what the first range of each would change.
            seconds: What the whole of it may take, waiting for others included; a range whose time is over
                leaves a raw entry.
            whole: Take the tail that is shorter than a range too.
            until: Stop before the message of this number.
            must: Leave a raw entry and go on even where spending stopped the call; otherwise the range waits.
            model: The model to ask, in place of the one that was opened.

        Returns:
            One outcome over all ranges; `skipped` where there was nothing to do or another worker does it.
        """
        end = time.monotonic() + seconds if seconds else None
        outcomes: list[Outcome] = []
        for some in (sessions[i : i + _TOGETHER] for i in range(0, len(sessions), _TOGETHER)):
            run = Run(
                cause=cause,
                dry_run=dry_run,
                must=must,
                model=model or self._config.consolidation.model or None,
                leases={},
                began=self._store.change_number(),
                turn=None,
                end=end,
            )
            try:
                pieces: list[Piece] = []
                for session in some:
                    if not dry_run and not self._holds(run, session):
                        outcomes.append(Outcome(status="skipped", reason="another worker is at this session"))
                        continue
                    pieces += self._todo(session, explicit=explicit, whole=whole, until=until, first=dry_run)
                run.turn = None if dry_run or not pieces else self._turn(end)
                outcomes += [self._range(batch, run) for batch in self._batches(pieces)]
            except BudgetExceededError as error:
                outcomes.append(Outcome(status="skipped", reason=str(error)))
                break
            except LeaseLostError:
                outcomes.append(Outcome(status="skipped", reason="another worker took this session over"))
            finally:
                run.release()
        return together(outcomes)

    def _holds(self, run: Run, session: str) -> bool:
        lease = self._lease(f"{JOB}:{session}", run.end)
        if lease is not None:
            run.leases[session] = lease
        return lease is not None

    def _batches(self, pieces: Sequence[Piece]) -> list[list[Piece]]:
        if self._llm is None or not self._layout.batches:
            return [[piece] for piece in pieces]
        knobs = self._config.consolidation
        return batches(pieces, tokens=knobs.range_tokens, message_tokens=knobs.message_tokens)

    def _lease(self, name: str, end: float | None) -> Lease | None:
        """Take a right to work, waiting for it until a deadline where there is one."""
        model = self._config.model
        life = 2 * model.timeout_seconds * (model.retries + 1)
        while (lease := self._store.lease(name, life)) is None:
            if end is None or time.monotonic() >= end:
                break
            time.sleep(_TURN_SECONDS)
        return lease

    def _turn(self, end: float | None) -> Lease | None:
        """Where the jobs of all sessions run one after the other, wait for one's turn at the model.

        Whoever waited in vain has no time left for a model call: its ranges leave raw entries, which races
        with nobody.
        """
        if not self._layout.serial_jobs or self._llm is None:
            return None
        model = self._config.model
        return self._lease(JOB, end or time.monotonic() + _PATIENCE * model.timeout_seconds * (model.retries + 1))

    def _todo(self, session: str, *, explicit: bool, whole: bool, until: int | None, first: bool) -> list[Piece]:
        """List the ranges to do now, held ones before what the cursor has not reached."""
        state = self._sessions.state(session)
        held = [(start, end) for name, start, end in self._sessions.held(session) if name == JOB]
        todo: list[Piece] = []
        if explicit:
            todo += [Piece(session, tuple(self._sessions.read(session, *each)), each) for each in held]
        start = state.cursors.get(JOB, 0)
        for begin, end in sorted(held):
            if begin <= start < end:
                start = end
        knobs = self._config.consolidation
        pieces = ranges.cut(
            tuple(self._sessions.read(session, start, until)),
            tokens=knobs.range_tokens if self._episodes is None else sys.maxsize,  # an episode is of a whole session
            message_tokens=knobs.message_tokens,
        )
        if pieces and not whole:
            pieces.pop()
        todo += [Piece(session, piece) for piece in pieces]
        todo = [piece for piece in todo if piece.messages]
        return todo[:1] if first else todo

    def _range(self, pieces: Sequence[Piece], run: Run) -> Outcome:
        run.renew()
        told, made = pieces, self._made(pieces, run)
        while self._forgotten_since(run.began, made.read):
            told = self._told(told)
            made = self._made(told, run) if told else _Made([], [], "all of it was forgotten meanwhile", ())
        for piece in pieces:
            if piece.held is None:
                to = piece.messages[-1].number + 1
                made.operations.append(MoveCursor(session=piece.session, name=JOB, to=to))
            else:
                start, end = piece.held
                made.operations.append(HoldRange(session=piece.session, name=JOB, start=start, end=end, held=False))
        return self._door.commit(
            made.operations,
            actor=self._actor,
            reason=f"{run.cause}: {made.reason}",
            dry_run=run.dry_run,
            waits=made.waits,
            fence=None if run.dry_run else run,
            partial=True,
        )

    def _told(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Give what is left of some pieces when what was forgotten is taken out."""
        left: list[Piece] = []
        for piece in pieces:
            first, last = piece.messages[0].number, piece.messages[-1].number
            if messages := tuple(self._sessions.read(piece.session, first, last + 1)):
                left.append(msgspec.structs.replace(piece, messages=messages))
        return left

    def _forgotten_since(self, change: int, messages: Sequence[RecordedMessage]) -> bool:
        """Say whether one of these messages was forgotten after this change: a model takes its time."""
        if self._store.change_number() == change:
            return False
        spans: dict[str, list[int]] = {}
        for message in messages:
            spans.setdefault(message.session, []).append(message.number)
        return any(
            not {m.number for m in self._sessions.read(session, numbers[0], numbers[-1] + 1)}.issuperset(numbers)
            for session, numbers in spans.items()
        )

    def _made(self, pieces: Sequence[Piece], run: Run) -> _Made:
        """Give what pieces come to."""
        now = self._clock()
        texts = self._views.documents(now) if self._rewrites else {}
        view = self._views.view([message for piece in pieces for message in piece.messages], now, texts)
        work = Work(
            session=pieces[0].session,
            view=view,
            places=self._views.places(now),
            default_path=next(iter(self._views.places(now).values()), ""),
            zone=self._zone,
            seconds=run.left(self._config.model.timeout_seconds),
            message_tokens=self._config.consolidation.message_tokens,
            max_tokens=self._config.model.max_tokens,
            cause=run.cause,
            llm=self._llm,
            documents=texts,
            model=run.model,
        )
        if self._episodes is not None:
            work = self._whole(work, pieces[0])
            operations, waits, reason = self._episodes.propose(work)
            reason = f"; {reason}" if reason else ""
        else:
            operations, waits, reason = self._verdict(pieces, self._propose(work, run), view, now)
        return _Made(operations, waits, f"{_named(pieces)}{reason}", work.view.messages)

    def _whole(self, work: Work, piece: Piece) -> Work:
        """Give the work on a range widened to its session from the beginning."""
        said = tuple(self._sessions.read(piece.session, 0, piece.messages[-1].number + 1))
        return msgspec.structs.replace(work, view=msgspec.structs.replace(work.view, messages=said))

    def _propose(self, work: Work, run: Run) -> Proposal | Unusable:
        """Get a proposal; whatever a model does, in time, or the reason why there is none."""
        alone = self._layout.serial_jobs and self._llm is not None and run.turn is None and not run.dry_run
        if self._llm is not None and (alone or work.seconds <= 0):
            return Unusable("no time was left to ask the model")
        try:
            return self._consolidator(work)
        except ModelError as error:
            if isinstance(error, BudgetExceededError) and not run.must:
                raise
            logger.warning("no proposal for session %r: %s", work.session, error)
            return Unusable(str(error))

    def _verdict(
        self, pieces: Sequence[Piece], proposal: Proposal | Unusable, view: View, now: datetime
    ) -> tuple[list[Operation], list[Waits], str]:
        """Turn a proposal into what is committed: accepted operations, what waits, and the journal entry."""
        path = self._views.journal_path(view.messages[-1].message.at or now)
        if isinstance(proposal, Unusable):
            waits = [Waits(AppendJournal(path=path, text=truncate(proposal.raw, _RAW_CHARS)), proposal.reason)]
            entry = proposal.journal or self._raw(pieces, proposal.reason)
            return [self._journal(path, entry, view)], waits if proposal.raw else [], f"; {proposal.reason}"
        judged = self._judge(proposal, view)
        aside: list[tuple[Edit, str]] = []
        if self._rewrites and any(isinstance(edit, RewriteDocument) for edit, _ in judged.held):
            sifted, aside = sifting.sift(proposal, view, lambda edit: self._why_held(edit, view))
            again = self._judge(sifted, view)
            if again.refused or any(isinstance(edit, RewriteDocument) for edit, _ in again.held):
                aside = []
            else:
                judged = again
        held = [Waits(self._settled(edit, path), why) for edit, why in (*judged.held, *aside)]
        entry = judged.journal or (self._raw(pieces, judged.refused) if judged.refused or proposal.journal else "")
        room = self._views.relief(view, judged.accepted) if self._llm is None else []
        operations: list[Operation] = [*room, *judged.accepted]
        if entry or not operations:
            operations.append(self._journal(path, entry or f"{_named(pieces)}: nothing to keep.", view))
        return operations, held, f"; {judged.refused}" if judged.refused else ""

    def _judge(self, proposal: Proposal, view: View) -> gate.Judged:
        verdicts = {text: screen(text).findings for text in gate.texts(proposal)}
        return gate.judge(proposal, view, verdicts, self._config.gate)

    def _why_held(self, edit: Edit, view: View) -> str:
        judged = self._judge(Proposal(operations=(edit,)), view)
        return judged.refused or next((why for _, why in judged.held), "")

    @staticmethod
    def _settled(edit: Operation, path: str) -> Operation:
        if isinstance(edit, AppendJournal) and not edit.path:
            return msgspec.structs.replace(edit, path=path)
        return edit

    @staticmethod
    def _journal(path: str, text: str, view: View) -> AppendJournal:
        first, last = view.messages[0], view.messages[-1]
        at = last.message.at
        sources = tuple(dict.fromkeys(Source(m.session, str(m.message.id)) for m in (first, last)))
        return AppendJournal(path=path, text=text, at=instant(at) if at else "", sources=sources)

    def _raw(self, pieces: Sequence[Piece], reason: str | None) -> str:
        """Write the entry that names a range nobody summarised; every word of it is in the transcripts."""
        paths = ", ".join(self._sessions.path(piece.session) for piece in pieces)
        kept = f"All of it is kept in {paths}."
        if self._layout.fallback == "messages":
            said = [m for piece in pieces for m in piece.messages if m.text.strip()][-_FALLBACK_MESSAGES:]
            lines = [f"{m.message.role.upper()}: {truncate(m.text, _FALLBACK_CHARS)}" for m in said]
            head = "[raw-fallback] Consolidation failed. Recent messages:"
            return "\n".join([head, *lines, f"{_named(pieces)}. {kept}"])
        return f"[raw] {_named(pieces)} was not summarised ({reason or 'refused'}). {kept}"

    # --- window ---

    def compact(
        self, session: str, keep: int | None = None, *, end: int | None = None, cause: str = "manual"
    ) -> Outcome:
        """Let the live window begin later, with a summary of what was before; nothing is deleted.

        The window begins where a turn does, so that a call and its results stay together; the range
        before it is consolidated first.

        Args:
            session: The session.
            keep: How many messages stay; as the layout has it when None.
            end: Count the window up to this message number only: what came after is of the turn under way.
            cause: What set it off.
        """
        window = tuple(m for m in self._sessions.window(session) if end is None or m.number < end)
        keep = self._keep() if keep is None else keep
        if len(window) <= keep:
            return Outcome(status="unchanged", reason=f"the window holds {len(window)} messages")
        cut_at = window[len(window) - keep].number if keep else window[-1].number + 1
        start = ranges.turn_start(window, cut_at) if keep else cut_at
        gone = [message for message in window if message.number < start]
        if not gone:
            return Outcome(status="unchanged", reason="the window is one turn")
        done = self.consolidate(session, cause=cause, explicit=False, until=start, must=True)
        if self._is_open(session, start):
            return Outcome(status="conflict", reason=f"{session} is not safe yet: {done.reason}; try again")
        knobs = self._config.consolidation
        began = self._store.change_number()
        gone = list(self._sessions.read(session, gone[0].number, start))  # the job before may have taken long
        summary = (
            ""
            if not self._layout.window_summary
            else compact.summarise(
                gone,
                self._sessions.summary(session),
                llm=self._llm,
                tokens=knobs.summary_tokens,
                message_tokens=knobs.message_tokens,
                seconds=self._config.model.timeout_seconds,
                cause=cause,
            )
        )
        if summary and self._forgotten_since(began, gone):
            return Outcome(status="conflict", reason="some of it was forgotten meanwhile; try again")
        move = MoveWindow(session=session, to=start, why="compact", summary=summary)
        moved = self._door.commit([move], actor=self._actor, reason=f"{cause}: window of {session}")
        return together([done, moved])

    def _keep(self) -> int:
        knobs = self._config.consolidation
        return int(knobs.window_messages * knobs.keep_share) if self._layout.keeps == "share" else knobs.keep_messages

    def _is_open(self, session: str, end: int) -> bool:
        """Say whether a message before this number is neither consolidated nor held; what was forgotten is not asked.

        The cursor stays before what was forgotten at the end of a session: undone, it is read by the next job.
        """
        held = max((stop for name, _, stop in self._sessions.held(session) if name == JOB), default=0)
        safe = max(self._sessions.state(session).cursors.get(JOB, 0), held)
        return safe < end and next(self._sessions.read(session, safe, end), None) is not None

    def reset(self, session: str) -> Outcome:
        """Consolidate what is open, then let the window be empty; never the second without the first."""
        return self._finish(session, "reset", lambda end: [MoveWindow(session=session, to=end, why="reset")])

    def end(self, session: str) -> Outcome:
        """Consolidate what is open, then mark the session as ended."""
        return self._finish(session, "session_end", lambda _: [EndSession(session=session)])

    def _finish(self, session: str, cause: str, then: Callable[[int], list[Operation]]) -> Outcome:
        end = self._sessions.state(session).messages
        seconds = self._config.consolidation.awaited_seconds
        done = self.consolidate(session, cause=cause, explicit=False, seconds=seconds, must=True)
        if self._is_open(session, end):
            return Outcome(status="conflict", reason=f"{session} is not safe yet: {done.reason}; try again")
        moved = self._door.commit(then(end), actor=self._actor, reason=cause)
        return together([done, moved])


def _named(pieces: Sequence[Piece]) -> str:
    return "; ".join(piece.name for piece in pieces)


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """Put the outcomes of several ranges into one."""
    if not outcomes:
        return Outcome(status="skipped", reason=NOTHING)
    did = [each for each in outcomes if each.status in {"applied", "planned", "pending"}]
    return Outcome(
        status=did[-1].status if did else outcomes[-1].status,
        change=max((each.change for each in outcomes if each.change), default=None),
        records=tuple(dict.fromkeys(record for each in outcomes for record in each.records)),
        review=tuple(dict.fromkeys(name for each in outcomes for name in each.review)),
        reason="; ".join(dict.fromkeys(each.reason for each in outcomes if each.reason)),
        diff="\n".join(each.diff for each in outcomes if each.diff),
    )
