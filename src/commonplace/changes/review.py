"""What waits for a person: list, approve, edit, reject. Never reachable from the agent's tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

import msgspec

from commonplace.changes.actors import PERSON
from commonplace.changes.door import Door, waiting
from commonplace.changes.history import quoted
from commonplace.changes.merging import theirs
from commonplace.changes.new_entries import CONFLICT, is_settled
from commonplace.changes.parts import Parts
from commonplace.changes.plan import REVIEW
from commonplace.errors import UNREADABLE, InputError, RecordNotFoundError, require_text
from commonplace.guard import screen
from commonplace.guard.screened import Screened, json_line
from commonplace.operations import AddEntry, Operation, RemoveEntry, ReplaceEntry
from commonplace.records import Outcome, Record, Waiting
from commonplace.text.likeness import nominate
from commonplace.text.pieces import fingerprint

WORDS: Final = ("text", "body", "description", "title")
"""Where an operation has what it would say: the first of these that holds something."""
_OPERATION: Final[Any] = Operation


class Queue:
    """The review queue of one scope. Approving writes as a person does, past the agent's limits.

    What has waited for `gate.review_days` is no longer offered, nor is a possible conflict of entries that are no
    longer both there; it stays in the log.
    """

    def __init__(self, parts: Parts, door: Door) -> None:
        self._parts = parts
        self._door = door

    def __iter__(self) -> Iterator[Waiting]:
        return iter(self.list())

    def __len__(self) -> int:
        return len(self.list())

    def list(self) -> tuple[Waiting, ...]:
        """Return what waits, oldest first."""
        self._door.settle_conflicts()
        blob = self._parts.store.read(REVIEW)
        found: dict[str, Waiting] = {}
        met: dict[str, str] = {}
        for name, line in waiting(blob.data if blob else b"").items():
            with suppress(*UNREADABLE):  # doctor names damaged lines
                built = line | {"operation": msgspec.json.decode(line["operation"])}
                found[name] = msgspec.convert(built, Waiting)
                met[name] = line.get("met", "")
        days = self._parts.config.gate.review_days
        oldest = self._parts.now() - timedelta(days=days)
        records = cache(self._parts.reader.records)
        self._parts.ledger.catch_up()
        return tuple(
            self._shown(each, met[each.id], records)
            for each in found.values()
            if (not days or each.at >= oldest) and _is_open(each, records)
        )

    def _shown(self, waiting: Waiting, met: str, records: Callable[[str], Sequence[Record]]) -> Waiting:
        """Return what waits with what a person decides it by: what memory says there now, and what was said."""
        try:
            operation = msgspec.convert(waiting.operation, _OPERATION)
        except msgspec.ValidationError:  # of a later version of ours
            return waiting
        now = theirs(operation, self._parts.reader)
        if isinstance(operation, AddEntry):
            now, met = self._newer(operation, waiting.at, records(operation.path)), fingerprint("")
        overtaken = waiting.state != "conflicted" and met and met != fingerprint(now)
        return msgspec.structs.replace(
            waiting,
            state="overtaken" if overtaken else waiting.state,
            theirs=screen(now).text,
            quotes=tuple(quote for each in operation.sources for quote in quoted(self._parts.sessions, each)),
        )

    def _newer(self, operation: AddEntry, at: datetime, records: Sequence[Record]) -> str:
        """Return the entry most like one that would be added, of those that were written since; empty if none is."""
        since = [each.text for each in records if (made := self._parts.ledger.written_at(each.id)) and made > at]
        near = nominate(operation.text, since, over=self._parts.config.merging.merge_threshold)
        return since[near[0][1]] if near else ""

    def get(self, name: str) -> Waiting:
        """Return one waiting operation, by its id or the beginning of it.

        Raises:
            RecordNotFoundError: Nothing of that id waits.
            InputError: Several ids begin so.
        """
        require_text(name, "the id of what waits")
        begun = [waiting for waiting in self.list() if name and waiting.id.startswith(name)]
        found = [waiting for waiting in begun if waiting.id == name] or begun
        if len(found) > 1:
            ids = ", ".join(waiting.id for waiting in found[:5])
            raise InputError(f"{len(found)} ids begin with {name!r}: {ids}", count=len(found))
        if found:
            return found[0]
        raise RecordNotFoundError(f"nothing waits under {name!r}; `review` lists what does", id=name)

    def approve(self, name: str, *, text: str | None = None, reason: str = "") -> Outcome:
        """Do what waits, as a person; `text` puts other words in its place.

        What was overtaken is a `conflict`, and goes on waiting, unless there are such words.

        Raises:
            RecordNotFoundError: Nothing of that id waits.
            InputError: It cannot be done any more, and goes on waiting; or several ids begin so.
        """
        waiting = self.get(name)
        name = waiting.id
        if waiting.state == "overtaken" and text is None:
            now = f"memory came to say {waiting.theirs!r}" if waiting.theirs else "what it would change is gone"
            said = f"since it waits, {now}; `review edit {name} TEXT` writes other words, `review reject {name}` none"
            return Outcome(status="conflict", reason=said)
        built = dict(waiting.operation)
        if text is not None:
            built[next((key for key in WORDS if built.get(key)), "text")] = text
        built["trust"] = "user"
        operation = msgspec.convert(built, _OPERATION)
        reason = reason or f"approved {name}"
        try:
            return self._settle(name, "approved", [operation], reason)
        except RecordNotFoundError:
            # Trigger: the edit that ours met took the entry away. Approved is what ours says, not where.
            if waiting.state not in {"conflicted", "overtaken"} or not isinstance(
                operation, (ReplaceEntry, RemoveEntry)
            ):
                raise
        return self._settle(name, "approved", _anew(operation), reason)

    def reject(self, name: str, *, reason: str = "") -> Outcome:
        """Remove it from the queue; it stays in the log."""
        name = self.get(name).id
        return self._settle(name, "rejected", [], reason or f"rejected {name}")

    def _settle(self, name: str, state: str, operations: Sequence[Operation], reason: str) -> Outcome:
        return self._door.commit(operations, actor=PERSON, reason=reason, lines={REVIEW: (_settled(name, state),)})


def _is_open(waiting: Waiting, records: Callable[[str], Sequence[Record]]) -> bool:
    """True unless it asks which of two entries holds, and a merge or another change settled that."""
    path, target = (str(waiting.operation.get(key, "")) for key in ("path", "target"))
    return not (waiting.reason.startswith(CONFLICT) and path and is_settled(waiting.reason, target, records(path)))


def rejected(name: str) -> Screened:
    """Return the line of the queue that takes what waits under an id out of it."""
    return _settled(name, "rejected")


def _settled(name: str, state: str) -> Screened:
    return json_line({"id": screen(name), "state": state}, checksum=True)


def _anew(operation: ReplaceEntry | RemoveEntry) -> list[Operation]:
    """Return the operations that do what an edit of an entry meant, if that entry no longer exists."""
    if isinstance(operation, RemoveEntry):
        return []
    return [
        AddEntry(
            path=operation.path,
            text=operation.text,
            sources=operation.sources,
            quotes=operation.quotes,
            trust=operation.trust,
        )
    ]
