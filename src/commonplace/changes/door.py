"""The one door: whatever happens to memory is committed here.

Screen, verdict, tombstones, trust, caps, version check, one redo record, one log line with the real
diff. What may not simply be done is refused by name or put before a person; nothing is dropped in
silence.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, cast
from zoneinfo import ZoneInfo

import msgspec

from commonplace.changes import tombstones
from commonplace.changes.drift import Drift
from commonplace.changes.edits import Applied
from commonplace.changes.listing import TopicIndex
from commonplace.changes.log import ForgetMove, Ledger
from commonplace.changes.plan import Plan, files_of, resolve
from commonplace.changes.reader import Reader
from commonplace.changes.sealing import judge, text_of
from commonplace.changes.tombstones import Tombstones
from commonplace.config import Clock, Config
from commonplace.errors import InputError, RecordNotFoundError, StoreReadOnlyError, VersionConflictError
from commonplace.guard import screen
from commonplace.layers.documents import Cap
from commonplace.layers.edits import Unit
from commonplace.layouts import Layer, Layout
from commonplace.operations import (
    OPERATIONS,
    Edit,
    EndSession,
    Forget,
    HoldRange,
    MoveCursor,
    MoveWindow,
    Operation,
    Promote,
    RemoveEntry,
    RemoveItem,
    RemoveTopic,
    ReplaceEntry,
)
from commonplace.records import (
    TRUST_RANK,
    Item,
    Outcome,
    RecordedMessage,
    Screened,
    Source,
    Topic,
    Trust,
    json_line,
    lowest_trust,
)
from commonplace.sessions import Sessions
from commonplace.storage import STATE, Append, Lease, Store, Write
from commonplace.text import fingerprint

REVIEW: Final = f"{STATE}/review.jsonl"
"""What waits for a person, one line a state; the last line of an id wins."""

_SESSION = (MoveCursor, MoveWindow, EndSession, HoldRange)
RACED: Final = "an edit from outside changed the same entry; yours waits for review"
FORGOTTEN: Final = Outcome(status="refused", reason="this was forgotten; undo the forgetting to keep it again")
State = Literal["pending", "quarantined", "conflicted"]


class Actor(msgspec.Struct, frozen=True):
    """Who asks: a name for the log, the most trust their texts can have, whether it is a person.

    `explicit` says that each text was asked for word by word, so that a secret in it is refused
    instead of redacted.
    """

    name: str
    trust: Trust
    person: bool = False
    explicit: bool = True


PERSON: Final = Actor("person", "user", person=True)
LIBRARY: Final = Actor("library", "agent")
TOOL: Final = Actor("tool", "agent")


class Waits(msgspec.Struct, frozen=True):
    """An operation for the review queue: why, and in which state."""

    operation: Operation
    reason: str
    state: State = "pending"


class _Stop(Exception):  # noqa: N818 - carries an outcome out of the planning, is no error
    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


class _Request(msgspec.Struct, frozen=True):
    operations: tuple[Operation, ...]
    actor: Actor
    reason: str
    waits: tuple[Waits, ...]
    lines: dict[str, Sequence[Screened]]
    expect: dict[str, str]
    partial: bool


class Written(msgspec.Struct, frozen=True):
    """A committed change, and the files in which an edit from outside was quicker or came right after."""

    number: int
    raced: tuple[str, ...] = ()


class Door:
    """Commits changes to one scope.

    Args:
        committed: Told the paths of a committed change, so that the index looks into them.
    """

    def __init__(
        self,
        store: Store,
        *,
        layout: Layout,
        sessions: Sessions,
        ledger: Ledger,
        reader: Reader,
        drift: Drift,
        tombstones: Tombstones,
        clock: Clock,
        config: Config,
        committed: Callable[[Sequence[str]], None],
    ) -> None:
        self._store = store
        self._layout = layout
        self._sessions = sessions
        self._ledger = ledger
        self._reader = reader
        self._drift = drift
        self._tombstones = tombstones
        self._clock = clock
        self._config = config
        self._zone = ZoneInfo(config.timezone)
        self._committed = committed
        self._index = TopicIndex(layout, config.limits, reader, ledger)
        self.lock = threading.RLock()
        """Held by whoever plans and commits in this process; other processes meet at the store's lock."""

    def plan(self) -> Plan:
        """Begin a plan on the files as they are."""
        return Plan(self._store, self._layout, self._sessions, at=self._clock(), zone=self._zone)

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
    ) -> Outcome:
        """Do some operations as one change, or none of them.

        Args:
            operations: In order; each sees what those before it did.
            actor: Who asks.
            reason: For the log, in plain words.
            expect: Versions of files that must still stand.
            dry_run: Only say what would happen.
            waits: What goes to the review queue in the same change.
            lines: Lines for files of our own, in the same change; not written when nothing is done.
            fence: A lease that must still be held.
            partial: Leave out what is refused, into review, instead of refusing the whole.
            durable: Whether the change survives a loss of power when this returns.

        Returns:
            What came of it; a refusal names its class or rule, never the text.

        Raises:
            InputError: An operation cannot be made as asked; nothing was changed.
            RecordNotFoundError: It names a record that is not there.
            VersionConflictError: A file is not in the version of `expect`.
            StoreError: The store could not do it; memory is as before.
        """
        if self._store.read_only:
            raise StoreReadOnlyError("this memory is read-only; open it for writing to change it")
        for operation in operations:
            if not isinstance(operation, OPERATIONS) or not isinstance(getattr(operation, "path", ""), str):
                raise InputError(f"{type(operation).__name__} is no operation on a path given as text")
        versions = {resolve(self._layout, path)[1]: version for path, version in (expect or {}).items()}
        request = _Request(tuple(operations), actor, reason, tuple(waits), dict(lines or {}), versions, partial)
        deadline = time.monotonic() + self._config.store.lock_wait_seconds
        raced = False
        with self.lock:
            while True:
                self._drift.look(self._touched(operations))
                self._check_versions(versions)
                try:
                    return self._once(request, dry_run=dry_run, fence=fence, durable=durable, raced=raced)
                except _Stop as stop:
                    return stop.outcome
                except VersionConflictError:
                    raced = True
                except (InputError, RecordNotFoundError):
                    # Trigger: an editor was at it between look and plan. What it left half way is no answer.
                    if not self._drift.moved(self._touched(operations)):
                        raise
                    raced = True
                if time.monotonic() > deadline:
                    return Outcome(status="conflict", reason="the files kept changing; try again")

    def _check_versions(self, versions: Mapping[str, str]) -> None:
        for path, version in versions.items():
            found = self._store.version(path)
            if found != version:
                raise VersionConflictError(
                    f"{path!r} changed since it was read; read it again", path=path, expected=version, found=found
                )

    def look(self, paths: Sequence[str]) -> None:
        """Log what was edited outside in some files, so that a plan starts from what stands."""
        self._drift.look(paths)

    def regenerate(self, plan: Plan) -> None:
        """Bring what is generated up to a plan that is to be written."""
        self._index.refresh(plan)

    def _touched(self, operations: Sequence[Operation]) -> list[str]:
        paths = [op.path for op in operations if hasattr(op, "path")]
        return list(dict.fromkeys(resolve(self._layout, path)[1] for path in paths))

    def _once(self, request: _Request, *, dry_run: bool, fence: Lease | None, durable: bool, raced: bool) -> Outcome:
        plan = self.plan()
        actor = request.actor
        waiting = list(request.waits)
        same: list[str] = []
        for operation in request.operations:
            try:
                found = self._take(plan, operation, actor, raced=raced)
            except _Stop as stop:
                if not request.partial:
                    raise
                waiting.append(Waits(operation, stop.outcome.reason))
                continue
            if isinstance(found, Waits):
                waiting.append(found)
            elif found:
                same.append(found)
        review = tuple(self._queue(plan, each, actor) for each in waiting)
        for path, added in request.lines.items():
            for line in added:
                plan.line(path, line)
        if plan.empty:
            status: Literal["duplicate", "unchanged"] = "duplicate" if same else "unchanged"
            return Outcome(status=status, records=tuple(same), reason="memory already says so")
        self._index.refresh(plan)
        records = (*dict.fromkeys(added.id for added in plan.added), *same)
        if dry_run:
            return Outcome(status="planned", records=records, review=review, diff=plan.diff())
        written = self.write(
            plan, actor=actor, reason=request.reason, fence=fence, durable=durable, expect=request.expect
        )
        lost = self._settle_races(plan, actor, written)
        held = waiting and not (plan.added or plan.removed or plan.cursors or plan.promoted)
        gave_way = lost or (raced and any(each.state == "conflicted" for each in waiting))
        return Outcome(
            status="conflict" if gave_way else "pending" if held else "applied",
            change=written.number,
            records=records,
            review=(*review, *lost),
            reason=RACED if lost else "; ".join(dict.fromkeys(each.reason for each in waiting)),
            diff=plan.diff(),
        )

    def _settle_races(self, plan: Plan, actor: Actor, written: Written) -> tuple[str, ...]:
        """Put into review what an edit from outside took the place of in the middle of the commit."""
        for conflict in self._store.conflicts():
            if conflict.number == written.number:
                self._store.settle_conflict(conflict)
        stands = {path: {record.id for record in self._reader.records(path)} for path in written.raced}
        review = self.plan()
        lost = tuple(
            self._queue(review, Waits(did.operation, RACED, "conflicted"), actor)
            for did in plan.did
            if (ids := stands.get(getattr(did.operation, "path", ""))) is not None
            and (any(record not in ids for record, _ in did.added) or not ids.isdisjoint(did.gone))
        )
        if lost:
            self.write(review, actor=actor, reason=RACED)
        return lost

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
    ) -> Written:
        """Commit a plan as it stands."""
        writes = plan.writes()
        header: dict[str, object] = {"actor": screen(actor.name), "kinds": list(plan.kinds) or ["review"]}
        if undoes is not None:
            header |= {"kinds": ["undo"], "undoes": undoes}
        logged = self._store.commit(
            header,
            plan.payload(screen(reason).text, writes),
            writes,
            expect=plan.expected() | dict(expect or {}),
            fence=fence,
            durable=durable,
        )
        self._ledger.catch_up()
        paths = [write.path for write in writes if self._layout.layer_of(write.path)]
        raced = self._note(plan, writes, logged.number)
        self._committed(paths)
        return Written(logged.number, tuple(raced))

    def _note(self, plan: Plan, writes: Iterable[Write], number: int) -> list[str]:
        """Remember what the files say now, and log what somebody else made of them meanwhile."""
        raced: list[str] = []
        grown: list[str] = []
        for write in writes:
            if self._layout.layer_of(write.path) is None:
                continue
            if isinstance(write, Append):
                grown.append(write.path)  # others may have added lines before ours: the log tells
            elif not self._drift.note(write.path, plan.planned(write.path), number):
                raced.append(write.path)
        self._drift.look([*grown, *raced])
        return raced

    # --- one operation ---

    def _take(self, plan: Plan, operation: Operation, actor: Actor, *, raced: bool) -> Waits | str | None:
        """Put one operation into the plan; give what waits instead, or the id that already says it."""
        trust = self._trust(operation, actor)
        judged = judge(operation, explicit=actor.explicit, trust=trust)
        if judged.verdict == "refuse":
            raise _Stop(Outcome(status="refused", reason=f"the text holds {', '.join(judged.classes)}; leave it out"))
        operation = judged.operation
        if isinstance(operation, Forget):
            self._forget(plan, operation, actor)
            return None
        if isinstance(operation, Promote):
            self._promote(plan, operation, actor)
            return None
        if isinstance(operation, _SESSION):
            plan.session_event(operation)
            return None
        layer, path = resolve(self._layout, operation.path)
        operation = msgspec.structs.replace(operation, path=path)
        if isinstance(operation, (ReplaceEntry, RemoveEntry)) and not raced:
            operation = msgspec.structs.replace(operation, target=self._stands(path, operation.target))
        self._check_tombstones(operation)
        waits = self._must_wait(operation, layer, actor, trust)
        if judged.verdict == "quarantine" and not actor.person:
            return Waits(operation, f"reads like an order to a model ({', '.join(judged.classes)})", "quarantined")
        if waits:
            return Waits(operation, waits)
        return self._edit(plan, operation, layer, path, actor=actor, trust=trust, raced=raced)

    def _edit(
        self, plan: Plan, operation: Edit, layer: Layer, path: str, *, actor: Actor, trust: Trust, raced: bool
    ) -> Waits | str | None:
        before = plan.rope(path).data
        try:
            applied = plan.work_out(operation, layer, path)
        except RecordNotFoundError:
            if not raced:
                raise
            return Waits(operation, RACED, "conflicted")
        if applied.duplicate:
            return applied.duplicate
        if self._tombstones.forbids(text for _, text in applied.added):
            raise _Stop(FORGOTTEN)
        if TRUST_RANK[trust] < TRUST_RANK["agent"] and self._overrules(applied):
            return Waits(
                operation, f"text from {trust} takes the place of what is trusted more only when a person says so"
            )
        plan.edit(operation, applied, path, trust=trust, person=actor.person)
        if layer.mirror:
            other = self._layout.layer(layer.mirror)
            there = files_of(self._layout, other, plan.at)
            mirrored = msgspec.structs.replace(operation, path=there)
            plan.edit(mirrored, plan.work_out(mirrored, other, there), there, trust=trust, person=actor.person)
        self._check_cap(layer, path, before, plan.rope(path).data)
        return None

    def _overrules(self, applied: Applied) -> bool:
        """Say whether an edit takes away or changes a record that is trusted as much as the agent."""
        known = [record for record, _ in applied.added if self._ledger.made(record) and not self._ledger.gone(record)]
        return any(
            TRUST_RANK[self._reader.rank(record)] >= TRUST_RANK["agent"]
            for record in (*applied.removed, *applied.successors, *known)
        )

    def _trust(self, operation: Operation, actor: Actor) -> Trust:
        """Compute how far texts are trusted: as who asks, as claimed if less, and as the messages they rest on.

        A proposal was matched against its messages by the gate; only what somebody asks for is looked up here.
        """
        levels = [actor.trust, operation.trust or actor.trust]
        if actor.explicit and not actor.person:
            levels += [self._sessions.message(s.session, s.message).message.trust or "web" for s in operation.sources]
        return lowest_trust(levels)

    def _stands(self, path: str, target: str) -> str:
        """Give the id of what stands in the place of an entry now."""
        self._ledger.catch_up()
        return self._ledger.successor(target) or target if target.startswith(f"{path}#") else target

    def _must_wait(self, operation: Edit, layer: Layer, actor: Actor, trust: Trust) -> str:
        if layer.person_only and not actor.person:
            return f"only a person changes {layer.path}"
        adds = not isinstance(operation, (RemoveEntry, RemoveTopic, RemoveItem))
        if adds and layer.shown == "stable" and TRUST_RANK[trust] < TRUST_RANK["agent"]:
            return f"text from {trust} enters the always-shown part only when a person promotes it"
        return ""

    def _check_tombstones(self, operation: Edit) -> None:
        texts = [str(getattr(operation, name, "")) for name in ("text", "body", "description")]
        texts += [v for v in getattr(operation, "data", {}).values() if isinstance(v, str)]
        adds = not isinstance(operation, (RemoveEntry, RemoveTopic, RemoveItem))
        if adds and self._tombstones.forbids([text for text in texts if text.strip()], operation.sources):
            raise _Stop(FORGOTTEN)

    def _check_cap(self, layer: Layer, path: str, before: bytes, after: bytes) -> None:
        if not layer.cap:
            return
        limit = getattr(self._config.limits, layer.cap)
        cap = Cap(limit, cast("Unit", layer.cap.rsplit("_", 1)[-1]))
        over = cap.check(before.decode("utf-8", "replace"), after.decode("utf-8", "replace"))
        if over is not None:
            raise _Stop(
                Outcome(
                    status="over_cap",
                    reason=f"{path} holds {over.current} {over.unit}, would need {over.needed}, and may have "
                    f"{over.maximum}; replace or remove an entry first",
                )
            )

    def _promote(self, plan: Plan, operation: Promote, actor: Actor) -> None:
        if not actor.person:
            raise _Stop(Outcome(status="refused", reason="only a person promotes a record"))
        record = self._reader.find(operation.record)
        plan.promote(record.id, operation.to, self._reader.trust(record))

    def _forget(self, plan: Plan, operation: Forget, actor: Actor) -> None:
        if operation.record.startswith(f"{self._sessions.folder}/") and "#" not in operation.record:
            self._forget_session(plan, operation.record)
            return
        record = self._reader.find(operation.record)
        made = self._ledger.made(record.id)
        sources = made[1].sources if made else ()
        edit: Edit
        match record:
            case RecordedMessage():
                name = str(record.message.id)
                plan.bury(record.text, self._store.key(), [Source(record.session, name)], hides=True)
                plan.forget_messages(ForgetMove(record.session, name))
                plan.kinds["forget"] = None
                plan.removed.append(record.id)
                return
            case Topic():
                edit = RemoveTopic(path=record.path)
            case Item():
                edit = RemoveItem(path=record.path, id=record.id.split("#", 1)[1])
            case _:
                edit = RemoveEntry(path=record.path, target=record.id)
        layer, path = resolve(self._layout, record.path)
        if layer.person_only and not actor.person:
            raise _Stop(Outcome(status="refused", reason=f"only a person changes {layer.path}"))
        plan.edit(edit, plan.work_out(edit, layer, path), path, trust=actor.trust, person=actor.person)
        plan.kinds["forget"] = None
        for text in tombstones.texts(record):
            plan.bury(text, self._store.key(), sources)

    def _forget_session(self, plan: Plan, path: str) -> None:
        session = self._sessions.id_of(path)
        if session is None:
            raise RecordNotFoundError(f"there is no session in {path!r}", record=path)
        said = list(self._sessions.read(session))
        state = self._sessions.state(session)
        if not said:
            return
        plan.bury("", self._store.key(), [Source(session, str(m.message.id)) for m in said], hides=True)
        plan.forget_messages(ForgetMove(session, "", self._sessions.forgotten(session), state.messages))
        plan.kinds["forget"] = None
        plan.removed.extend(message.id for message in said)

    def _queue(self, plan: Plan, waits: Waits, actor: Actor) -> str:
        """Put an operation into the review queue and give its id there."""
        built = msgspec.to_builtins(judge(waits.operation, explicit=False, trust="web").operation)
        encoded = text_of(built)
        name = fingerprint(f"{plan.at.isoformat()}{encoded.text}")[:8]
        plan.line(
            REVIEW,
            json_line(
                {
                    "id": name,
                    "state": waits.state,
                    "at": plan.at,
                    "reason": screen(waits.reason),
                    "actor": screen(actor.name),
                    "operation": encoded,
                },
                checksum=True,
            ),
        )
        return name
