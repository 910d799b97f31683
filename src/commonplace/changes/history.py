"""Walk the change log: undo a change, say why a record is there.

An undo is itself a change: bytes and cursors are as before, what the change had added is tombstoned,
its range is held. Undoing the undo brings all of it back.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from commonplace.changes import inverse
from commonplace.changes.actors import Actor
from commonplace.changes.door import Door
from commonplace.changes.log import Entered, read
from commonplace.changes.parts import Parts
from commonplace.changes.payload import Added, Payload
from commonplace.changes.plan import Plan
from commonplace.changes.sessions import Sessions
from commonplace.errors import (
    CommonplaceError,
    DamagedError,
    ErasedError,
    InputError,
    RecordNotFoundError,
    UndoConflictError,
    VersionConflictError,
    require_text,
)
from commonplace.layouts.codecs import items
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.codecs.merges import merge3
from commonplace.layouts.schema import Layer
from commonplace.operations import EndSession, HoldRange, MoveCursor, MoveWindow
from commonplace.records import Change, Outcome, Quote, RecordedMessage, Source, Step, Trail
from commonplace.store.protocol import STATE

logger = logging.getLogger(__name__)


class History:
    """The past of one scope."""

    def __init__(self, parts: Parts, door: Door) -> None:
        self._parts = parts
        self._door = door

    def log(self, limit: int | None = 50) -> list[Change]:
        """Return the newest changes, newest first.

        Raises:
            InputError: The limit is no number.
        """
        given: object = limit
        if not isinstance(given, int | None):
            raise InputError(f"so many changes are a number, not {given!r}")
        self._parts.ledger.catch_up()
        found: list[Change] = []
        for change in self._parts.ledger.changes():
            if limit is not None and len(found) >= limit:
                break
            found.append(change)
        return found

    def change(self, number: int) -> Change:
        """Return one change.

        Raises:
            InputError: It is no number.
            RecordNotFoundError: There is none of that number.
        """
        given: object = number  # a caller may hand in anything, and True counts as 1
        if not isinstance(given, int) or isinstance(given, bool):
            raise InputError(f"a change is a number, as `log` lists it, not {given!r}")
        self._parts.ledger.catch_up()
        found = self._parts.ledger.change(number)
        if found is None:
            raise RecordNotFoundError(f"there is no change {number!r}; `log` lists them", change=number)
        return found

    # --- undo ---

    def undo(self, number: int, *, actor: Actor, reason: str = "") -> Outcome:
        """Undo a change, and keep what it had added from coming in again.

        Raises:
            RecordNotFoundError: There is no such change.
            ErasedError: Its texts were erased.
            DamagedError: Its line in the log cannot be read.
            UndoConflictError: A later change depends on it; the error names that change.
        """
        require_text(reason, "a reason")
        self.change(number)  # before the lock, which makes a folder
        deadline = time.monotonic() + self._parts.config.store.lock_wait_seconds
        while True:
            with self._door.alone():
                try:
                    return self._undo(number, actor, reason)
                except VersionConflictError:
                    if time.monotonic() > deadline:
                        raise

    def _undo(self, number: int, actor: Actor, reason: str) -> Outcome:
        change = self.change(number)
        if change.undone_by is not None:
            return Outcome(status="unchanged", reason=f"change {number} was undone by change {change.undone_by}")
        logged = next(iter(self._parts.store.since(number - 1)), None)
        if logged is None or logged.number != number:
            raise DamagedError(f"the line of change {number} in the log cannot be read; run `doctor`", change=number)
        if logged.erased:
            raise ErasedError(f"the texts of change {number} were erased, so it cannot be undone", change=number)
        writes = inverse.writes_of(logged)
        theirs = [write.path for write in writes if "outside" in change.kinds and write.makes]
        if theirs:  # it was only found, and may have been there long before
            reason = f"{theirs[0]} was made outside, and undo takes no file away that memory did not make; "
            return Outcome(status="refused", reason=reason + "delete it yourself, or forget what it says")
        self._door.look([write.path for write in writes if self._parts.layout.layer_of(write.path)])
        self._parts.ledger.catch_up()
        self._check_replaced(change)
        plan = self._door.plan()
        self._restore_all(plan, [w for w in writes if not w.path.startswith(f"{self._parts.sessions.folder}/")], number)
        self._turn_back(plan, read(logged), change)
        if not plan.empty:
            self._door.regenerate(plan)
        if plan.empty:
            return Outcome(status="unchanged", reason=f"change {number} left nothing to take back")
        after = self._door.write(plan, actor=actor, reason=reason or f"undo of change {number}", undoes=number)
        try:
            conflicts = self._door.conflicts_of(after)
        except (CommonplaceError, OSError):  # it is done; the next change puts them into review
            logger.warning("whether undoing change %d met an edit could not be looked at", number, exc_info=True)
            conflicts = []
        if conflicts:
            reason = f"an edit from outside came at the same moment and is in {', '.join(conflicts)}; look at it"
            return Outcome(status="conflict", change=after, reason=reason, diff=plan.diff())
        return Outcome(status="applied", change=after, diff=plan.diff())

    def _check_replaced(self, change: Change) -> None:
        for record in change.added:
            later = self._parts.ledger.replaced_in(record)
            if later is not None and later > change.number:
                raise self._depended_on(later, change.number, split_id(record)[0])

    def _depended_on(self, later: int, number: int, path: str) -> UndoConflictError:
        sentence = f"change {later} depends on change {number} in {path!r}; undo change {later} first"
        if self.change(later).erased:
            sentence = f"change {later} erased text of {path!r}, so what was before it does not come back; "
            sentence += f"`update` puts right what change {number} changed"
        return UndoConflictError(sentence, change=later, path=path)

    def _restore_all(self, plan: Plan, writes: Sequence[inverse.Write], number: int) -> None:
        """Restore the bytes of the files.

        Raises:
            VersionConflictError: A file was changed after it was read and before the log was read.
            UndoConflictError: A later change is in the way.
        """
        upto = self._parts.store.change_number()
        try:
            for write in writes:
                self._restore(plan, write, number)
        except UndoConflictError as error:
            paths = [write.path for write in writes]
            self._door.look([path for path in paths if self._parts.layout.layer_of(path)])
            if any(self._later(upto, path) for path in paths):  # bytes and log were not of one moment
                sentence = f"the files of change {number} kept changing while it was taken back; try again"
                raise VersionConflictError(sentence, change=number, path=error.path) from error
            raise

    def _restore(self, plan: Plan, write: inverse.Write, number: int) -> None:
        """Restore the bytes of one file, keeping what later changes made of other entries of it.

        Raises:
            UndoConflictError: They cannot be separated; the error names the later change in the way.
        """
        path, key = write.path, self._parts.store.key()
        now = plan.planned(path)
        later = self._later(number, path)
        rewritten = any(other.kind != "append" for _, other in later)
        if not later or (write.kind == "append" and not (rewritten and self._is_items(path))):
            try:
                own = inverse.body(write) if later and self._is_items(path) else b""
                for changed, other in later if own else ():
                    if not items.are_newest(own, own + inverse.body(other)):
                        raise self._depended_on(changed, number, path)
                plan.restore(path, inverse.before(write, now, key))
            except DamagedError as error:
                if not later:
                    raise UndoConflictError(
                        f"change {number} cannot be undone: {error}", change=number, path=path
                    ) from error
            else:
                return
        states: list[bytes | None] = [now]  # as each later change found the file, newest first
        try:
            for _, other in reversed(later):
                states.append(inverse.before(other, states[-1], key))
            was = inverse.before(write, states[-1], key)
        except DamagedError as error:
            erasing = next((n for n, _ in later if self.change(n).erased), later[-1][0])
            raise self._depended_on(erasing, number, path) from error
        if states[-1] == now:  # what came later was taken back again
            plan.restore(path, was)
            return
        merged = self._merged(path, states[-1], now, was)
        if merged is None:
            blocking = (
                each for (each, _), state in zip(later, states[-2::-1], strict=True)
                if self._merged(path, states[-1], state, was) is None
            )  # fmt: skip
            raise self._depended_on(next(blocking, later[-1][0]), number, path)
        plan.restore(path, merged if merged or not self._is_items(path) else None)

    def _merged(self, path: str, then: bytes | None, now: bytes | None, was: bytes | None) -> bytes | None:
        if path.startswith(f"{STATE}/"):
            return _by_line(then, now, was)
        layer = self._parts.layout.layer_of(path)
        if self._is_items(path):
            return items.without(then or b"", now or b"", was or b"")
        if layer is None or layer.kind != "documents":
            return None
        merged = merge3(path, then or b"", now or b"", was or b"", style=layer.style)
        return None if merged is None or merged.conflicts else merged.data

    def _is_items(self, path: str) -> bool:
        layer = self._parts.layout.layer_of(path)
        return layer is not None and layer.kind == "items"

    def _later(self, number: int, path: str) -> list[tuple[int, inverse.Write]]:
        """Return the writes of a file after a change, oldest first, each with the number of its change."""
        return [
            (logged.number, write)
            for logged in self._parts.store.since(number)
            for write in inverse.writes_of(logged)
            if write.path == path
        ]

    def _turn_back(self, plan: Plan, entered: Entered, change: Change) -> None:
        payload = entered.payload
        self._turn_sessions_back(plan, payload)
        redone = next(iter(self._parts.store.since(change.undoes - 1)), None) if change.undoes else None
        again = read(redone).payload.successors if redone is not None else {}
        for path, rope in plan.ropes.items():
            layer = self._parts.layout.layer_of(path)
            if layer is not None and rope.changed:
                self._tell_records(plan, layer, path, entered, again)
        for record, trust in payload.promoted_before.items():
            plan.promote(record, trust, payload.promoted[record])
        if change.undoes is not None or "forget" in change.kinds:
            return  # what a forgetting left of a record is in it again
        back = {added.text for added in plan.added}
        for added in payload.added:
            if added.text in back:
                continue  # it had only moved, and is back in its place
            plan.bury(added.text, added.sources)

    def _tell_records(self, plan: Plan, layer: Layer, path: str, entered: Entered, again: Mapping[str, str]) -> None:
        """Add to the plan which records of a file go and come, read from its bytes, as later changes stay in it.

        `again` is where ids lead once more, if an undo is undone.
        """
        rope = plan.ropes[path]
        was = {record.id: record.text for record in plan.records(layer, path, rope.original)}
        now = {record.id: record.text for record in plan.records(layer, path, rope.data)}
        backwards = {new: old for old, new in entered.payload.successors.items()}
        for record in [each for each in was if each not in now]:
            if backwards.get(record) in now.keys() - was.keys():
                plan.successors[record] = backwards[record]
            elif record in again:
                plan.successors[record] = again[record]
        plan.removed.extend(record for record in was if record not in now and record not in plan.successors)
        for record, text in now.items():
            if was.get(record) == text:
                continue
            known = self._parts.ledger.versions(record)
            made = next((added for at, added in known if at < entered.change.number and added.text == text), None)
            made = made or Added(record, text, self._parts.reader.rank(record))
            promoted = self._parts.ledger.promoted(record) if record not in was else None
            plan.added.append(msgspec.structs.replace(made, trust=promoted or made.trust))

    def _turn_sessions_back(self, plan: Plan, payload: Payload) -> None:
        for move in payload.cursors:
            if move.name:
                plan.session_event(MoveCursor(session=move.session, name=move.name, to=move.before))
                if move.after > move.before:
                    plan.session_event(
                        HoldRange(session=move.session, name=move.name, start=move.before, end=move.after)
                    )
            else:
                plan.session_event(
                    MoveWindow(session=move.session, to=move.before, why="undo", summary=move.summary_before)
                )
        for hold in payload.holds:
            plan.session_event(
                HoldRange(session=hold.session, name=hold.name, start=hold.start, end=hold.end, held=not hold.held)
            )
        for session, ended in payload.ended.items():
            if ended:
                plan.reopen(session)
            else:
                plan.session_event(EndSession(session=session))
        for forgotten in payload.forgotten:
            plan.forget_messages(
                msgspec.structs.replace(
                    forgotten, before=forgotten.after, after=forgotten.before, hidden=not forgotten.hidden
                )
            )

    # --- why ---

    def why(self, record_id: str) -> Trail:
        """Walk from a record through what it replaced to the messages it rests on, and quote them.

        Raises:
            GoneError: The record was removed or forgotten.
            RecordNotFoundError: There is no such record.
        """
        record = self._parts.reader.find(record_id)
        self._parts.ledger.catch_up()
        if isinstance(record, RecordedMessage):
            source = Source(record.session, str(record.message.id))
            return Trail(
                record.id,
                record.text,
                self._parts.reader.trust(record),
                (),
                tuple(quoted(self._parts.sessions, source)),
            )
        steps: list[Step] = []
        quotes: dict[Quote, None] = {}
        for each in [record.id, *self._parts.ledger.predecessors(record.id)]:
            for number in self._parts.ledger.promotions(each):
                change = self._parts.ledger.change(number)
                if change is not None:
                    steps.append(Step(number, change.at, change.actor, change.reason, record.text))
            for number, added in self._parts.ledger.versions(each):
                change = self._parts.ledger.change(number)
                if change is not None and (added.text or not change.erased):
                    steps.append(Step(number, change.at, change.actor, change.reason, added.text))
                for i, source in enumerate(added.sources):
                    quotes.update(dict.fromkeys(quoted(self._parts.sessions, source, added.quotes[i : i + 1])))
        steps.sort(key=lambda step: -step.change)
        return Trail(record.id, record.text, self._parts.reader.trust(record), tuple(steps), tuple(quotes))


def quoted(sessions: Sessions, source: Source, words: Sequence[str] = ()) -> Iterator[Quote]:
    """Yield what a message said, or those words of it; nothing if it is forgotten or not there."""
    try:
        message = sessions.message(source.session, source.message)
    except CommonplaceError:
        return
    text = message.text[source.span[0] : source.span[1]] if source.span else (words[0] if words else message.text)
    said = message.message
    yield Quote(source, text, said.role, said.at, said.name)


def _by_line(then: bytes | None, now: bytes | None, was: bytes | None) -> bytes:
    """Return a file of our own without the lines that a change added, and with those that it removed."""
    before, after = (was or b"").splitlines(keepends=True), (then or b"").splitlines(keepends=True)
    came, went = set(after) - set(before), set(before) - set(after)
    left = [line for line in (now or b"").splitlines(keepends=True) if line not in came]
    return b"".join([*left, *(line for line in before if line in went)])
