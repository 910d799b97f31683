"""What one transaction adds, before it is written: slots being filled, rows of messages, states of paths.

A slot grows with each message, so it is written once: before anything is read back, before the transaction ends,
and when there are many rows.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from commonplace.recall.index import rows
from commonplace.recall.index.rows import MessageRow, PathState

_SPEAKERS: Final = 255  # one byte a message; later speakers of a slot go unnamed
ROWS: Final = 64_000  # then they are written, so that memory stays bounded


class Pending:
    """What is to be written in one transaction of a connection."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._said: dict[int, str] = {}
        self._slots: dict[int, tuple[object, ...]] = {}
        self._states: dict[str, tuple[object, ...]] = {}
        self._last_slot = -1
        self._changed = 0

    def next_slot(self) -> int:
        """Return the number of a new slot; none is ever given twice."""
        if self._last_slot < 0:
            row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'slots'").fetchone()
            self._last_slot = row[0] if row else 0
        self._last_slot += 1
        return self._last_slot

    def changed(self) -> int:
        """Return the number of this transaction, by which readers know what they have not seen."""
        if not self._changed:
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
        if len(self._said) >= ROWS:
            self.put_down()

    def set_state(self, state: PathState) -> None:
        """Note how far a path is indexed."""
        self._states[state.path] = msgspec.structs.astuple(state)

    def put_down(self) -> None:
        """Write all of it."""
        if self._said:
            self._db.executemany("INSERT INTO said(rowid, text) VALUES (?, ?)", self._said.items())
            self._db.execute("UPDATE meta SET value = value + ? WHERE key = 'rows'", (len(self._said),))
        _replace(self._db, "slots", self._slots.values())
        _replace(self._db, "paths", self._states.values())
        self._said, self._slots, self._states = {}, {}, {}


def _replace(db: sqlite3.Connection, table: str, values: Collection[Sequence[object]]) -> None:
    """Replace rows of the same key."""
    for row in values:
        db.execute(f"REPLACE INTO {table} VALUES ({','.join('?' * len(row))})", row)  # noqa: S608 - marks only


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
