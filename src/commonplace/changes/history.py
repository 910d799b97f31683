"""Walk the change log: undo a change, say why a record is there.

An undo is itself a change: bytes and cursors are as before, what the change had added is tombstoned,
its range is held. Undoing the undo brings all of it back.
"""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.changes import inverse
from commonplace.changes.door import Actor, Door
from commonplace.changes.log import Entered, Ledger, read
from commonplace.changes.plan import Plan
from commonplace.changes.reader import Reader
from commonplace.errors import CommonplaceError, DamagedError, ErasedError, RecordNotFoundError, UndoConflictError
from commonplace.layers.merges import merge3
from commonplace.layouts import Layout
from commonplace.operations import HoldRange, MoveCursor, MoveWindow
from commonplace.records import Change, Outcome, Quote, RecordedMessage, Source, Step, Trail
from commonplace.sessions import Sessions
from commonplace.storage import Logged, Store


class History:
    """The past of one scope."""

    def __init__(
        self, store: Store, *, layout: Layout, sessions: Sessions, ledger: Ledger, reader: Reader, door: Door
    ) -> None:
        self._store = store
        self._layout = layout
        self._sessions = sessions
        self._ledger = ledger
        self._reader = reader
        self._door = door

    def log(self, limit: int | None = 50) -> list[Change]:
        """Give the newest changes, newest first."""
        self._ledger.catch_up()
        found: list[Change] = []
        for change in self._ledger.changes():
            if limit is not None and len(found) >= limit:
                break
            found.append(change)
        return found

    def change(self, number: int) -> Change:
        """Give one change.

        Raises:
            RecordNotFoundError: There is none of that number.
        """
        self._ledger.catch_up()
        found = self._ledger.change(number)
        if found is None:
            raise RecordNotFoundError(f"there is no change {number}; `log` lists them", change=number)
        return found

    # --- undo ---

    def undo(self, number: int, *, actor: Actor, reason: str = "") -> Outcome:
        """Take a change back, and keep what it had added from coming in again.

        Raises:
            RecordNotFoundError: There is no such change.
            ErasedError: Its texts were erased.
            UndoConflictError: A later change stands on it; the error names that change.
        """
        change = self.change(number)
        if change.undone_by is not None:
            return Outcome(status="unchanged", reason=f"change {number} was undone by change {change.undone_by}")
        logged = next(iter(self._store.since(number - 1)))
        if logged.payload is None:
            raise ErasedError(f"the texts of change {number} were erased, so it cannot be undone", change=number)
        writes = inverse.writes_of(logged)
        self._door.look([write.path for write in writes if self._layout.layer_of(write.path)])
        plan = self._door.plan()
        for write in writes:
            if not write.path.startswith(f"{self._sessions.folder}/"):
                self._restore(plan, write, number)
        self._turn_back(plan, read(logged), change)
        after = self._door.write(plan, actor=actor, reason=reason or f"undo of change {number}", undoes=number)
        return Outcome(status="applied", change=after, diff=plan.diff())

    def _restore(self, plan: Plan, write: inverse.Write, number: int) -> None:
        path = write.path
        now = plan.rope(path).data if plan.exists(path) else None
        try:
            plan.restore(path, inverse.before(write, now, self._store.key()))
        except DamagedError:
            pass
        else:
            return
        later = self._later(number, path)
        name = later[-1].number if later else number
        try:
            then = now
            for logged in later:
                for other in inverse.writes_of(logged):
                    if other.path == path:
                        then = inverse.before(other, then, self._store.key())
            was = inverse.before(write, then, self._store.key())
        except DamagedError as error:
            raise UndoConflictError(
                f"change {name} stands on change {number} in {path!r}; undo it first", change=name, path=path
            ) from error
        layer = self._layout.layer_of(path)
        merged = (
            merge3(path, then or b"", now or b"", was or b"", style=layer.style)
            if layer is not None and layer.kind == "documents"
            else None
        )
        if merged is None or merged.conflicts:
            raise UndoConflictError(
                f"change {name} stands on change {number} in {path!r}; undo it first", change=name, path=path
            )
        plan.restore(path, merged.data)

    def _later(self, number: int, path: str) -> list[Logged]:
        """Give the changes of a file after one, newest first."""
        found = [
            logged
            for logged in self._store.since(number)
            if any(write.path == path for write in _writes_or_none(logged))
        ]
        return found[::-1]

    def _turn_back(self, plan: Plan, entered: Entered, change: Change) -> None:
        payload = entered.payload
        for move in payload.cursors:
            if move.name:
                plan.session_event(MoveCursor(session=move.session, name=move.name, to=move.before))
            else:
                plan.session_event(
                    MoveWindow(session=move.session, to=move.before, why="undo", summary=move.summary_before)
                )
        for hold in payload.holds:
            plan.session_event(
                HoldRange(session=hold.session, name=hold.name, start=hold.start, end=hold.end, held=not hold.held)
            )
        backwards = {new: old for old, new in payload.successors.items()}
        plan.successors |= backwards
        plan.removed.extend(added.id for added in payload.added if added.id not in backwards)
        for old in [*payload.removed_ids, *payload.successors]:
            made = self._ledger.made(old)
            if made is not None:
                plan.added.append(made[1])
        if change.undoes is not None:
            return
        for added in payload.added:
            plan.bury(added.text, self._store.key(), added.sources)
        for move in payload.cursors:
            if move.name and move.after > move.before:
                plan.session_event(HoldRange(session=move.session, name=move.name, start=move.before, end=move.after))

    # --- why ---

    def why(self, record_id: str) -> Trail:
        """Walk from a record through what it replaced to the messages it rests on, and quote them.

        Raises:
            GoneError: The record was removed or forgotten.
            RecordNotFoundError: There is no such record.
        """
        record = self._reader.find(record_id)
        if isinstance(record, RecordedMessage):
            source = Source(record.session, str(record.message.id))
            return Trail(record.id, record.text, self._reader.trust(record), (), tuple(self._quotes(source, ())))
        self._ledger.catch_up()
        steps: list[Step] = []
        quotes: dict[Quote, None] = {}
        for each in [record.id, *self._ledger.predecessors(record.id)]:
            made = self._ledger.made(each)
            if made is None:
                continue
            number, added = made
            change = self._ledger.change(number)
            if change is not None:
                steps.append(Step(number, change.at, change.actor, change.reason, added.text))
            for i, source in enumerate(added.sources):
                quotes.update(dict.fromkeys(self._quotes(source, added.quotes[i : i + 1])))
        return Trail(record.id, record.text, self._reader.trust(record), tuple(steps), tuple(quotes))

    def _quotes(self, source: Source, words: tuple[str, ...]) -> Iterator[Quote]:
        try:
            message = self._sessions.message(source.session, source.message)
        except CommonplaceError:
            return
        text = message.text[source.span[0] : source.span[1]] if source.span else (words[0] if words else message.text)
        said = message.message
        yield Quote(source, text, said.role, said.at, said.name)


def _writes_or_none(logged: Logged) -> list[inverse.Write]:
    try:
        return inverse.writes_of(logged)
    except DamagedError:
        return []
