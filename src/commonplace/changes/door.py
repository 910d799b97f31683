"""The one door: whatever happens to memory is committed here.

Screen, verdict, tombstones, trust, caps, version check, one redo record, one log line with the real
diff. What may not simply be done is refused by name or put before a person; nothing is dropped in
silence.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import timedelta
from typing import Final, Literal

import msgspec

from commonplace.changes import burying, transcripts
from commonplace.changes.actors import Actor
from commonplace.changes.admission import RACED, Admission, Stop, Taken, Waits
from commonplace.changes.generated import GeneratedFiles
from commonplace.changes.merging import kept_out, theirs
from commonplace.changes.overflow import Overflow
from commonplace.changes.parts import Parts
from commonplace.changes.plan import REVIEW, Plan, resolve
from commonplace.changes.sealing import judge, text_of
from commonplace.errors import (
    UNREADABLE,
    CommonplaceError,
    InputError,
    RecordNotFoundError,
    StoreError,
    VersionConflictError,
    require_text,
)
from commonplace.guard import screen
from commonplace.guard.screened import Screened, instant, json_line
from commonplace.layouts.codecs import items
from commonplace.operations import OPERATIONS, AddEntry, Operation, SayAgain
from commonplace.records import Outcome
from commonplace.store.protocol import Append, Lease, Write
from commonplace.text.pieces import fingerprint

logger = logging.getLogger(__name__)

UPKEEP: Final = Actor("upkeep", "agent")
"""Whoever comes next and finds what a writer that died has left, or the index behind an edit from outside."""

_RESTS: Final = frozenset({"sources", "quotes"})
_LOGGED: Final = frozenset({"refused", "over_cap"})


class _Request(msgspec.Struct, frozen=True):
    operations: tuple[Operation, ...]
    actor: Actor
    reason: str
    waits: tuple[Waits, ...]
    lines: dict[str, Sequence[Screened]]
    expect: dict[str, str]
    partial: bool
    kinds: tuple[str, ...]


class Door:
    """Commits changes to one scope."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._admission = Admission(parts)
        self._generated = GeneratedFiles(parts)
        self._overflow = Overflow(parts)
        self._renewed = 0  # the change up to which topics edited outside are in the index
        self.lock = threading.RLock()
        """Held by whoever plans and commits in this process; other processes meet at the store's lock."""

    def plan(self) -> Plan:
        """Begin a plan on the files as they are."""
        return Plan(self._parts)

    def commit(
        self,
        operations: Sequence[Operation],
        *,
        actor: Actor,
        reason: str = "",
        expect: Mapping[str, str] | None = None,
        dry_run: bool = False,
        waits: Sequence[Waits] = (),
        lines: Mapping[str, Sequence[Screened]] | None = None,
        fence: Lease | None = None,
        partial: bool = False,
        durable: bool = True,
        kinds: Sequence[str] = (),
    ) -> Outcome:
        """Do some operations as one change, or none of them.

        Args:
            operations: In order; each sees what those before it did.
            actor: Who asks.
            reason: For the log, in plain words.
            expect: Versions that files must still have.
            dry_run: Only return what would happen.
            waits: What goes to the review queue in the same change.
            lines: Lines for files of our own, in the same change; not written when nothing is done.
            fence: A lease that must still be held.
            partial: Leave out what is refused, into review, instead of refusing the whole.
            durable: Whether the change survives a loss of power when this returns.
            kinds: What the change is besides its operations, if any of them is done.

        Returns:
            The outcome; a refusal names its class or rule, never the text.

        Raises:
            InputError: An operation cannot be made as asked; nothing was changed.
            RecordNotFoundError: It names a record that is not there.
            VersionConflictError: A file is not in the version of `expect`.
            StoreError: The store could not do it; memory is as before.
        """
        self._check(operations)
        require_text(reason, "a reason")
        versions = {resolve(self._parts.layout, path)[1]: version for path, version in (expect or {}).items()}
        request = _Request(
            tuple(operations), actor, reason, tuple(waits), dict(lines or {}), versions, partial, tuple(kinds)
        )
        with self.lock:
            if not (dry_run or versions):  # we move no cursor that we expect to stay
                self.renew_index()
            return self._until_done(request, dry_run=dry_run, fence=fence, durable=durable)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock out all other writers, so that a change is planned on the files it is written over."""
        with self.lock, self._parts.store.exclusive():
            yield

    def _until_done(self, request: _Request, *, dry_run: bool, fence: Lease | None, durable: bool) -> Outcome:
        """Plan and write on the current files; start again each time that another writer was quicker."""
        deadline = time.monotonic() + self._parts.config.store.lock_wait_seconds
        touched = self._touched(request.operations)
        raced = False
        while True:
            with nullcontext() if dry_run else self.alone():  # not for all tries: others come in between
                self._parts.drift.look(touched)
                self._check_versions(request.expect)
                try:
                    return self._once(request, dry_run=dry_run, fence=fence, durable=durable, raced=raced)
                except Stop as stop:
                    if not dry_run and stop.outcome.status in _LOGGED:
                        self._log_refusal(request.actor, stop.outcome)
                    return stop.outcome
                except VersionConflictError:
                    raced = True
                except (InputError, RecordNotFoundError):
                    # Trigger: an editor wrote between reading and planning. Do not answer from a half-written file.
                    if not self._parts.drift.moved(touched):
                        raise
                    raced = True
            if time.monotonic() > deadline:
                return Outcome(status="conflict", reason="the files kept changing; try again")

    def _log_refusal(self, actor: Actor, outcome: Outcome) -> None:
        """Log that nothing was changed and why; the text that was refused is not in the reason."""
        plan = self.plan()
        plan.kinds[outcome.status] = None
        try:
            self.write(plan, actor=actor, reason=outcome.reason, durable=False)
        except StoreError:
            logger.warning("a refusal could not be logged", exc_info=True)

    def _check(self, operations: Sequence[Operation]) -> None:
        for operation in operations:
            if not isinstance(operation, OPERATIONS) or not isinstance(getattr(operation, "path", ""), str):
                raise InputError(f"{type(operation).__name__} is no operation on a path given as text")

    def _check_versions(self, versions: Mapping[str, str]) -> None:
        for path, version in versions.items():
            found = self._parts.store.version(path)
            if found != version:
                raise VersionConflictError(
                    f"{path!r} changed since it was read; read it again, then write with the version it has now",
                    path=path,
                    expected=version,
                    found=found,
                )

    def doubts(self, operation: AddEntry, actor: Actor) -> tuple[tuple[str, str], ...]:
        """Return the pairs (text that is there, new text) for which no rule says what a new entry is to another."""
        self._parts.drift.look(self._touched([operation]))
        return self._admission.doubts(self.plan(), operation, actor)

    def look(self, paths: Sequence[str]) -> None:
        """Log what was edited outside in some files, so that a plan starts from their current text."""
        self._parts.drift.look(paths)

    def regenerate(self, plan: Plan) -> None:
        """Bring what is generated up to a plan that is to be written."""
        self._generated.refresh(plan)
        if any(path in plan.ropes for path in self._generated.documents):  # it may hold the index of another time
            self._generated.renew(plan)

    def renew_index(self) -> None:
        """Bring the generated index up to topics that were edited outside, as a change of its own."""
        if not self._generated.documents:
            return
        with self.lock:
            self._parts.ledger.catch_up()
            newest = self._parts.ledger.newest
            try:
                if self._index_is_behind():
                    with self._parts.store.exclusive():
                        self._parts.drift.look(self._generated.documents)
                        plan = self.plan()
                        self._generated.renew(plan)
                        if not plan.empty:
                            self.write(plan, actor=UPKEEP, reason="topics were edited outside")
            except VersionConflictError:
                return  # another program writes it right now; the next change reads it again
            self._renewed = newest

    def _index_is_behind(self) -> bool:
        """True if a topic of the index was edited outside since it was renewed."""
        numbers = range(self._renewed + 1, self._parts.ledger.newest + 1)
        changes = (change for number in numbers if (change := self._parts.ledger.change(number)))
        return any("outside" in each.kinds and any(map(self._generated.lists, each.paths)) for each in changes)

    def _touched(self, operations: Sequence[Operation]) -> list[str]:
        paths = [op.path for op in operations if hasattr(op, "path")]
        return list(dict.fromkeys(resolve(self._parts.layout, path)[1] for path in paths))

    def _taken(self, plan: Plan, request: _Request, *, raced: bool) -> list[Taken]:
        """Add the operations of a request to a plan; where it may be done in part, what cannot be done waits."""
        taken: list[Taken] = []
        for operation in request.operations:
            try:
                taken.append(self._admission.take(plan, operation, request.actor, raced=raced, reason=request.reason))
            except Stop as stop:
                if not request.partial:
                    raise
                held_back = Taken((Waits(operation, stop.outcome.reason),))
                # What was forgotten is kept nowhere again, not even to be asked about.
                is_forgotten = stop.outcome.reason.startswith(burying.FORGOTTEN)
                taken.append(Taken(note=stop.outcome.reason) if is_forgotten else held_back)
            except (InputError, RecordNotFoundError) as error:
                if not request.partial or self._parts.drift.moved(self._touched([operation])):
                    raise
                raced_by = isinstance(error, RecordNotFoundError)
                waits = Waits(operation, RACED, "conflicted") if raced_by else Waits(operation, str(error))
                taken.append(Taken((waits,)))
        return taken

    def _say_again(self, plan: Plan, operations: Sequence[Operation], taken: Sequence[Taken]) -> None:
        """Add to a plan which messages say what memory says already."""
        for each, of in zip(taken, operations, strict=True):
            with suppress(RecordNotFoundError):  # said twice in this change
                if each.same and of.sources:
                    said = self._parts.reader.find(each.same).text
                    plan.session_event(SayAgain(record=each.same, text=said, sources=of.sources, quotes=of.quotes))

    def _once(self, request: _Request, *, dry_run: bool, fence: Lease | None, durable: bool, raced: bool) -> Outcome:
        if fence is not None:
            fence.check()  # who took the job over has changed what was planned on
        plan = self.plan()
        actor = request.actor
        taken = self._taken(plan, request, raced=raced)
        plan.kinds |= dict.fromkeys(request.kinds if plan.kinds else ())  # not if all of it waits
        burying.along(plan, self._parts)
        waiting = [*request.waits, *(waits for each in taken for waits in each.waits)]
        same = [each.same for each in taken if each.same]
        self._say_again(plan, request.operations, taken)
        known = self._waiting(plan) if waiting else set()
        queued = {*known}
        review = tuple(self._queue(plan, each, actor.name, queued) for each in waiting)
        for path, added in request.lines.items():
            for line in added:
                plan.line(path, line)
        notes = [each.reason for each in waiting] + [each.note for each in taken if not each.waits]
        if plan.empty and waiting:  # all of it waits already
            return Outcome(status="planned" if dry_run else "pending", review=review, reason=_joined(notes))
        if plan.empty:
            status: Literal["duplicate", "unchanged"] = "duplicate" if same else "unchanged"
            said = _joined(each.note for each in taken) or "memory already says so"
            return Outcome(status=status, records=tuple(same), reason=said)
        asked = [added.id for added in plan.added]
        moved = self._overflow.relieve(plan)
        remarks = [*moved, *self._generated.refresh(plan)]
        self._compact(plan)
        records = (*dict.fromkeys(plan.successors.get(record, record) for record in asked), *same)
        if dry_run:
            return Outcome(status="planned", records=records, review=review, reason=_joined(remarks), diff=plan.diff())
        self._parts.drift.look(
            self._parts.drift.unseen(plan.expected())
        )  # an edit is logged before what is planned on it
        number = self.write(
            plan,
            actor=actor,
            reason=_joined([request.reason, *(each.note for each in taken), *moved]),
            fence=fence,
            durable=durable,
            expect=request.expect,
        )
        lost = self._kept_out(number)
        for name, waits in zip(review, waiting, strict=True):
            if name in known:
                continue
            logger.warning("change %d: %s waits for review: %s", number, name, waits.reason)
        held = waiting and not (plan.added or plan.removed or plan.promoted)
        in_conflict = lost or (raced and any(each.state == "conflicted" for each in waiting))
        return Outcome(
            status="conflict" if in_conflict else "pending" if held else "applied",
            change=number,
            records=records,
            review=(*review, *lost),
            reason=RACED if lost else _joined([*notes, *remarks]),
            diff=plan.diff(),
        )

    def _compact(self, plan: Plan) -> None:
        """Leave out the dead lines of items that the plan edits, where they are too many or something is forgotten."""
        for path in plan.grown():
            if "forget" in plan.kinds or items.is_due(*plan.dead_lines(path)):
                pieces = items.compact(plan.joined(path)).pieces
                if pieces:
                    plan.rewrite(path, pieces)
                elif "forget" in plan.kinds:  # else its dead lines stay until something lives in it again
                    plan.restore(path, None)

    def conflicts_of(self, number: int) -> list[str]:
        """Return the files in which an outside edit kept a change out, and take them off the store's list."""
        found = [conflict for conflict in self._parts.store.conflicts() if conflict.number == number]
        for conflict in found:
            self._parts.store.settle_conflict(conflict)
        return [conflict.path for conflict in found]

    def keep_up(self) -> None:
        """Do what edits from outside and writers that died have left to do; nothing where nothing is."""
        if not self._parts.store.read_only:
            self.settle_conflicts()
            self.renew_index()

    def settle_conflicts(self, number: int = 0) -> tuple[str, ...]:
        """Add to the review what outside edits kept out of commits, also of writers that died.

        Returns the ids in review of what one change, by its number, was to do.
        """
        if self._parts.store.read_only or not self._parts.store.conflicts():
            return ()
        lost: list[str] = []
        with self.alone():
            conflicts = self._parts.store.conflicts()
            self._parts.drift.look(dict.fromkeys(conflict.path for conflict in conflicts))
            self._parts.ledger.catch_up()
            review = self.plan()
            for conflict in conflicts:
                logged = next(iter(self._parts.store.since(conflict.number - 1)), None)
                if logged is None or logged.number != conflict.number:
                    continue  # doctor names damaged lines
                for operation in kept_out(logged, conflict.path, self._parts.reader):
                    waits = Waits(operation, RACED, "conflicted")
                    name = self._queue(review, waits, str(logged.header.get("actor", "")), set(), conflict.number)
                    lost += [name] if conflict.number == number else []
            if not review.empty:
                self.write(review, actor=UPKEEP, reason=RACED)
            for conflict in conflicts:
                self._parts.store.settle_conflict(conflict)
        return tuple(lost)

    def _kept_out(self, number: int) -> tuple[str, ...]:
        """Return the ids in review of what an outside edit kept out of a change that is done."""
        try:
            return self.settle_conflicts(number)
        except (CommonplaceError, OSError):  # what was asked for is done; they stay on the store's list
            logger.warning("what edits from outside kept out could not be added to the review", exc_info=True)
            return ()

    def write(
        self,
        plan: Plan,
        *,
        actor: Actor,
        reason: str,
        undoes: int | None = None,
        fence: Lease | None = None,
        durable: bool = True,
        expect: Mapping[str, str] | None = None,
    ) -> int:
        """Commit a plan and return the number of the change."""
        writes = plan.writes()
        header: dict[str, object] = {"actor": plan.screen(actor.name), "kinds": list(plan.kinds) or ["review"]}
        if undoes is not None:
            header |= {"kinds": ["undo"], "undoes": undoes}
        logged = self._parts.store.commit(
            header,
            plan.payload(plan.screen(reason).text, writes),
            writes,
            expect=plan.expected() | dict(expect or {}),
            fence=fence,
            durable=durable,
        )
        try:
            self._parts.ledger.catch_up()
            self._note(plan, writes, logged.number)
        except (CommonplaceError, OSError):  # it is done all the same: by the log, the next look finds what it made
            logger.warning("change %d is done, but its files could not be looked at", logged.number, exc_info=True)
        return logged.number

    def _note(self, plan: Plan, writes: Iterable[Write], number: int) -> None:
        """Remember the new bytes of each file, and log what others wrote into it meanwhile."""
        moved: list[str] = []
        for write in writes:
            if self._parts.layout.layer_of(write.path) is None:
                continue
            # Others may have added lines before ours: the log says where ours are.
            if isinstance(write, Append) or not self._parts.drift.note(write.path, plan.planned(write.path), number):
                moved.append(write.path)
        self._parts.drift.look(moved)

    # --- one operation ---

    def _queue(self, plan: Plan, waits: Waits, actor: str, known: set[str], raced: int | None = None) -> str:
        """Add an operation to the review queue and return its id there; what waits already waits once.

        It is named by what it would do and what it met, whatever it rests on. What lost a race is named by the change
        it was in instead, so that it waits once, whichever process finds it.
        """
        built = msgspec.to_builtins(judge(waits.operation, explicit=False, trust="web").operation)
        does = text_of({key: value for key, value in built.items() if key not in _RESTS}).text
        met = fingerprint(theirs(waits.operation, self._parts.reader))
        name = fingerprint(f"{met if raced is None else raced}{waits.state}{does}")[:8]
        if name in known or (raced is not None and self._was_queued(name)):
            return name
        known.add(name)
        line = {
            "id": name,
            "state": waits.state,
            "at": plan.at,
            "reason": screen(waits.reason),
            "actor": screen(actor),
            "operation": text_of(built),
            "met": screen(met),
        }
        plan.line(REVIEW, json_line(line, checksum=True))
        return name

    def _waiting(self, plan: Plan) -> set[str]:
        """Return the ids of what waits for a person, and was not there so long that it is no longer offered."""
        blob = self._parts.store.read(REVIEW)
        days = self._parts.config.gate.review_days
        oldest = instant(plan.at - timedelta(days=days)) if days else ""
        return {name for name, line in waiting(blob.data if blob else b"").items() if line.get("at", "") >= oldest}

    def _was_queued(self, name: str) -> bool:
        blob = self._parts.store.read(REVIEW)
        return blob is not None and f'"id":"{name}"'.encode() in blob.data


def waiting(data: bytes) -> dict[str, dict[str, str]]:
    """Return the lines of the queue that nothing has settled since, by id; damaged ones, which doctor names, not."""
    found: dict[str, dict[str, str]] = {}
    for raw in data.splitlines():
        if transcripts.checksum(raw) is False:
            continue
        try:
            line = msgspec.json.decode(raw, type=dict[str, str])
            found.pop(line["id"], None)
            if line["state"] not in {"approved", "rejected"}:
                found[line["id"]] = line
        except (KeyError, *UNREADABLE):
            continue
    return found


def _joined(reasons: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(reason for reason in reasons if reason))
