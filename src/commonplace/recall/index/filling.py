"""What one transaction adds, before it is written: slots being filled, rows of messages, states of paths.

SQLite takes many rows in one go several times faster than one by one, so they are gathered here and put
down together: before anything is read back, before the transaction ends, and when there are many.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from commonplace.recall.index import rows
from commonplace.recall.index.beside import Beside, Source
from commonplace.recall.index.rows import MessageRow, PathState

_SPEAKERS: Final = 255  # one byte a message; later speakers of a slot go unnamed
_ROWS: Final = 1000  # about half a megabyte of text; as many are worth a thread, and are handed to it together
_BESIDE_ROWS: Final = 64_000  # then what else there is to write is written too, so that memory stays bounded
_TOGETHER: Final = 64  # rows of a statement; the interpreter is let go, and to be had again, once for each


class Pending:
    """What is to be written in one transaction of a connection.

    Many rows are written in a thread, while the next ones are read and cut. It holds the connection until
    `put_down`, so whoever uses that calls it first.
    """

    def __init__(self, db: sqlite3.Connection, source: Source) -> None:
        self._db = db
        self._source = source
        self._said: dict[int, str] = {}
        self._slots: dict[int, tuple[object, ...]] = {}
        self._states: dict[str, tuple[object, ...]] = {}
        self._last_slot = -1
        self._changed = 0
        self._beside: Beside | None = None
        self._handed = 0  # rows, to the thread

    def next_slot(self) -> int:
        """Return the number of a new slot; none is ever given twice."""
        if self._last_slot < 0:
            self._end_beside()
            row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'slots'").fetchone()
            self._last_slot = row[0] if row else 0
        self._last_slot += 1
        return self._last_slot

    def changed(self) -> int:
        """Return the number of this transaction, by which readers know what they have not seen."""
        if not self._changed:
            self._end_beside()
            self._db.execute("UPDATE meta SET value = value + 1 WHERE key = 'changed'")
            self._changed = self._db.execute("SELECT value FROM meta WHERE key = 'changed'").fetchone()[0]
        return self._changed

    def say(self, texts: Mapping[int, str]) -> None:
        """Add the words of passages, by their row."""
        self._said.update(texts)

    def put_slot(self, slot: Filling, path: str, session: str) -> None:
        """Write a slot, or replace the one that was written."""
        self._slots[slot.id] = (
            slot.id, path, session, slot.first, json.dumps(slot.names) if slot.names else "[]", bytes(slot.flags),
            bytes(slot.speakers), slot.times.tobytes(), slot.offsets.tobytes(), self.changed(),
        )  # fmt: skip
        if len(self._said) >= _ROWS:
            self._hand_over()

    def set_state(self, state: PathState) -> None:
        """Note how far a path is indexed."""
        self._states[state.path] = msgspec.structs.astuple(state)

    def put_down(self) -> None:
        """Write all of it; the connection is free then."""
        if self._beside is not None:
            self._beside.take(self._said)
            self._end_beside()
        elif self._said:
            self._db.executemany("INSERT INTO said(rowid, text) VALUES (?, ?)", self._said.items())
        self._write_rest()

    def abandon(self) -> None:
        """Write nothing more; the connection is free then."""
        if self._beside is not None:
            self._beside.abandon()
            self._beside = None

    def _hand_over(self) -> None:
        if self._beside is None:
            self._beside = Beside(self._db, self._source)
        self._beside.take(self._said)
        self._handed += len(self._said)
        self._said = {}
        if self._handed >= _BESIDE_ROWS:
            self._end_beside()
            self._write_rest()

    def _end_beside(self) -> None:
        if self._beside is not None:
            self._beside.finish()
            self._beside = None

    def _write_rest(self) -> None:
        self._handed += len(self._said)
        _replace(self._db, "slots", self._slots.values())
        _replace(self._db, "paths", self._states.values())
        if self._handed:
            self._db.execute("UPDATE meta SET value = value + ? WHERE key = 'rows'", (self._handed,))
        self._said, self._slots, self._states, self._handed = {}, {}, {}, 0


def _replace(db: sqlite3.Connection, table: str, values: Iterable[Sequence[object]]) -> None:
    """Replace rows of the same key."""
    waiting = list(values)
    for start in range(0, len(waiting), _TOGETHER):
        part = waiting[start : start + _TOGETHER]
        marks = ",".join([f"({','.join('?' * len(part[0]))})"] * len(part))
        db.execute(f"REPLACE INTO {table} VALUES {marks}", [each for row in part for each in row])  # noqa: S608 - marks only


class Filling:
    """A slot being filled."""

    def __init__(self, number: int, first: int, names: str = "", *arrays: bytes) -> None:
        flags, speakers, times, offsets = arrays or (b"", b"", b"", b"")
        self.id = number
        self.first = first
        self.names: list[str] = json.loads(names) if names else []
        self.flags = bytearray(flags)
        self.speakers = bytearray(speakers)
        self.times = array("q", times)
        self.offsets = array("q", offsets)

    def take(self, added: Sequence[MessageRow]) -> int:
        """Add messages and give the number of the first of them in the slot."""
        first = len(self.flags)
        self.flags += bytes([rows.flags_of(row.role, row.content) for row in added])
        self.speakers += bytes([self._speaker(row.name) if row.name else 0 for row in added])
        self.times.extend([row.at_ms for row in added])
        self.offsets.extend([row.offset for row in added])
        return first

    def _speaker(self, name: str) -> int:
        if name not in self.names:
            if len(self.names) >= _SPEAKERS:
                return 0
            self.names.append(name)
        return self.names.index(name) + 1
