"""The one door: whatever happens to memory is committed here.

Screen, verdict, tombstones, trust, caps, version check, one redo record, one log line with the real
diff. What may not simply be done is refused by name or put before a person; nothing is dropped in
silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, cast
from zoneinfo import ZoneInfo

import msgspec

from commonplace.changes.drift import Drift
from commonplace.changes.log import Ledger
from commonplace.changes.merging import Merging
from commonplace.changes.plan import Plan, resolve
from commonplace.changes.reader import Reader
from commonplace.changes.sealing import judge, text_of
from commonplace.changes.tombstones import Tombstones
from commonplace.config import Clock, Config
from commonplace.errors import StoreReadOnlyError, VersionConflictError
from commonplace.guard import screen
from commonplace.layers.documents import Cap
from commonplace.layers.edits import Unit
from commonplace.layouts import Layer, Layout
from commonplace.operations import (
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
from commonplace.storage import STATE, Lease, Store
from commonplace.text import fingerprint

REVIEW: Final = f"{STATE}/review.jsonl"
"""What waits for a person, one line a state; the last line of an id wins."""

_TRIES: Final = 20
_SESSION = (MoveCursor, MoveWindow, EndSession, HoldRange)
_RACED: Final = "an edit from outside changed the same entry; yours waits for review"
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
    partial: bool


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
        merging: Merging,
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
        self._merging = merging
        self._clock = clock
        self._config = config
        self._zone = ZoneInfo(config.timezone)
        self._committed = committed

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
        for path, version in (expect or {}).items():
            found = self._store.version(resolve(self._layout, path)[1])
            if found != version:
                raise VersionConflictError(
                    f"{path!r} changed since it was read; read it again", path=path, expected=version, found=found
                )
        self._drift.look(self._touched(operations))
        request = _Request(tuple(operations), actor, reason, tuple(waits), dict(lines or {}), partial)
        for _ in range(_TRIES):
            try:
                return self._once(request, dry_run=dry_run, fence=fence, durable=durable)
            except _Stop as stop:
                return stop.outcome
            except VersionConflictError:
                self._drift.look(self._touched(operations))
        return Outcome(status="conflict", reason="the files kept changing; try again")

    def look(self, paths: Sequence[str]) -> None:
        """Log what was edited outside in some files, so that a plan starts from what stands."""
        self._drift.look(paths)

    def _touched(self, operations: Sequence[Operation]) -> list[str]:
        paths = [op.path for op in operations if hasattr(op, "path")]
        return list(dict.fromkeys(resolve(self._layout, path)[1] for path in paths))

    def _once(self, request: _Request, *, dry_run: bool, fence: Lease | None, durable: bool) -> Outcome:
        plan = self.plan()
        actor = request.actor
        waiting = list(request.waits)
        same: list[str] = []
        for operation in request.operations:
            try:
                found = self._take(plan, operation, actor)
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
        records = (*(added.id for added in plan.added), *same)
        if dry_run:
            return Outcome(status="planned", records=records, review=review, diff=plan.diff())
        change = self.write(plan, actor=actor, reason=request.reason, fence=fence, durable=durable)
        raced = self._settle_races(plan, actor)
        held = waiting and not (plan.added or plan.removed or plan.cursors or plan.promoted)
        return Outcome(
            status="conflict" if raced else "pending" if held else "applied",
            change=change,
            records=records,
            review=(*review, *raced),
            reason="; ".join(dict.fromkeys(each.reason for each in waiting)) if not raced else _RACED,
            diff=plan.diff(),
        )

    def _settle_races(self, plan: Plan, actor: Actor) -> tuple[str, ...]:
        """Put into review what gave way to an edit from outside in the middle of the commit."""
        lost = set(self._merging.gave_way())
        self._merging.gave_way().clear()
        for conflict in self._store.conflicts():
            lost.add(conflict.path)
            self._store.settle_conflict(conflict)
        if not lost:
            return ()
        review = self.plan()
        ids = tuple(
            self._queue(review, Waits(operation, _RACED, "conflicted"), actor)
            for operation in plan.operations
            if getattr(operation, "path", "") in lost
        )
        self.write(review, actor=actor, reason=_RACED)
        return ids

    def write(
        self, plan: Plan, *, actor: Actor, reason: str, undoes: int | None = None, fence: Lease | None = None,
        durable: bool = True,
    ) -> int:  # fmt: skip
        """Commit a plan as it stands and give the number of the change."""
        writes = plan.writes()
        header: dict[str, object] = {"actor": screen(actor.name), "kinds": list(plan.kinds) or ["review"]}
        if undoes is not None:
            header |= {"kinds": ["undo"], "undoes": undoes}
        logged = self._store.commit(
            header,
            plan.payload(screen(reason).text, writes),
            writes,
            expect=plan.expected(),
            fence=fence,
            durable=durable,
        )
        paths = [write.path for write in writes]
        self._ledger.catch_up()
        self._drift.note(paths)
        self._committed(paths)
        return logged.number

    # --- one operation ---

    def _take(self, plan: Plan, operation: Operation, actor: Actor) -> Waits | str | None:
        """Put one operation into the plan; give what waits instead, or the id that already says it."""
        trust = lowest_trust([actor.trust, operation.trust or actor.trust])
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
        self._check_tombstones(operation)
        waits = self._must_wait(operation, layer, actor, trust)
        if judged.verdict == "quarantine" and not actor.person:
            return Waits(operation, f"reads like an order to a model ({', '.join(judged.classes)})", "quarantined")
        if waits:
            return Waits(operation, waits)
        before = plan.rope(path).data
        applied = plan.edit(operation, layer, path, trust=trust, person=actor.person)
        if applied.duplicate:
            return applied.duplicate
        self._check_cap(layer, path, before, plan.rope(path).data)
        return None

    def _must_wait(self, operation: Edit, layer: Layer, actor: Actor, trust: Trust) -> str:
        if layer.person_only and not actor.person:
            return f"only a person changes {layer.path}"
        adds = not isinstance(operation, (RemoveEntry, RemoveTopic, RemoveItem))
        if adds and layer.shown == "stable" and TRUST_RANK[trust] < TRUST_RANK["agent"]:
            return f"text from {trust} enters the always-shown part only when a person promotes it"
        return ""

    def _check_tombstones(self, operation: Edit) -> None:
        texts = [getattr(operation, name, "") for name in ("text", "body")]
        texts += [str(v) for k, v in getattr(operation, "data", {}).items() if k in {"content", "text"}]
        for text in texts:
            if text and self._tombstones.forbids(text, operation.sources):
                raise _Stop(
                    Outcome(status="refused", reason="this was forgotten; undo the forgetting to keep it again")
                )

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
        plan.promote(operation, record.id, operation.to)

    def _forget(self, plan: Plan, operation: Forget, actor: Actor) -> None:
        record = self._reader.find(operation.record)
        made = self._ledger.made(record.id)
        sources = made[1].sources if made else ()
        edit: Edit
        match record:
            case RecordedMessage():
                source = Source(record.session, str(record.message.id))
                plan.bury(record.text, self._store.key(), [source], hides=True)
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
        plan.edit(edit, layer, path, trust=actor.trust, person=actor.person)
        plan.kinds["forget"] = None
        plan.bury(record.text, self._store.key(), sources)

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
                }
            ),
        )
        return name
