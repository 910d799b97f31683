"""What one transaction adds, before it is written: slots being filled, rows of messages, states of paths.

SQLite takes many rows in one go several times faster than one by one, so they are gathered here and put
down together: before anything is read back, before the transaction ends, and when there are many.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from array import array
from typing import Any, Final

import msgspec

from commonplace.index import rows
from commonplace.index.rows import MessageRow, PathState

_SPEAKERS: Final = 255  # one byte a message; later speakers of a slot go unnamed
_ROWS: Final = 4000  # about two megabytes of text


class Pending:
    """What is to be written in one transaction of a connection.

    Many rows are written in a thread, while the next ones are read and cut; whoever uses the connection
    calls `put_down` first.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._said: dict[int, str] = {}
        self._slots: dict[int, tuple[object, ...]] = {}
        self._states: dict[str, tuple[object, ...]] = {}
        self._last_slot = -1
        self._changed = 0
        self._writer: threading.Thread | None = None
        self._error: BaseException | None = None

    def next_slot(self) -> int:
        """Give the number of a new slot; none is ever given twice."""
        if self._last_slot < 0:
            self._wait()
            row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'slots'").fetchone()
            self._last_slot = row[0] if row else 0
        self._last_slot += 1
        return self._last_slot

    def changed(self) -> int:
        """Give the number of this transaction, by which readers know what they have not seen."""
        if not self._changed:
            self._wait()
            self._db.execute("UPDATE meta SET value = value + 1 WHERE key = 'changed'")
            self._changed = self._db.execute("SELECT value FROM meta WHERE key = 'changed'").fetchone()[0]
        return self._changed

    def say(self, row: int, text: str) -> None:
        """Add the words of one passage."""
        self._said[row] = text

    def put_slot(self, slot: Filling, path: str, session: str) -> None:
        """Write a slot, or let it stand in place of what was written of it."""
        self._slots[slot.id] = (
            slot.id, path, session, slot.first, json.dumps(slot.names) if slot.names else "[]", bytes(slot.flags),
            bytes(slot.speakers), slot.times.tobytes(), slot.offsets.tobytes(), self.changed(),
        )  # fmt: skip
        if len(self._said) >= _ROWS:
            self._wait()
            self._writer = threading.Thread(target=self._write_beside, args=self._taken(), daemon=True)
            self._writer.start()

    def set_state(self, state: PathState) -> None:
        """Note how far a path is indexed."""
        self._states[state.path] = msgspec.structs.astuple(state)

    def put_down(self) -> None:
        """Write all of it; the connection is free then."""
        self._wait()
        self._write(*self._taken())

    def abandon(self) -> None:
        """Write nothing more; the connection is free then."""
        with contextlib.suppress(sqlite3.Error):
            self._wait()

    def _wait(self) -> None:
        if self._writer is not None:
            self._writer.join()
            self._writer = None
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _taken(self) -> tuple[dict[int, str], dict[int, tuple[object, ...]], dict[str, tuple[object, ...]]]:
        taken = self._said, self._slots, self._states
        self._said, self._slots, self._states = {}, {}, {}
        return taken

    def _write_beside(self, *taken: dict[Any, Any]) -> None:
        try:
            self._write(*taken)
        except BaseException as error:  # noqa: BLE001 - raised again where the thread is waited for
            self._error = error

    def _write(
        self, said: dict[int, str], slots: dict[int, tuple[object, ...]], states: dict[str, tuple[object, ...]]
    ) -> None:
        if len(said) >= _ROWS:
            # One statement for all rows, so that the interpreter is free for the other thread meanwhile.
            self._db.execute(
                "INSERT INTO said(rowid, text) SELECT CAST(key AS INTEGER), value FROM json_each(?)",
                (msgspec.json.encode(said).decode(),),
            )
        elif said:
            self._db.executemany("INSERT INTO said(rowid, text) VALUES (?, ?)", said.items())
        if slots:
            self._db.executemany(f"REPLACE INTO slots VALUES ({_marks(10)})", slots.values())  # noqa: S608 - marks only
        if states:
            self._db.executemany(f"REPLACE INTO paths VALUES ({_marks(9)})", states.values())  # noqa: S608 - marks only
        if said:
            self._db.execute("UPDATE meta SET value = value + ? WHERE key = 'rows'", (len(said),))


def _marks(count: int) -> str:
    return ",".join("?" * count)


class Filling:
    """A slot being filled."""

    def __init__(self, number: int, first: int, names: str = "[]", *arrays: bytes) -> None:
        flags, speakers, times, offsets = arrays or (b"", b"", b"", b"")
        self.id = number
        self.first = first
        self.names: list[str] = json.loads(names)
        self.flags = bytearray(flags)
        self.speakers = bytearray(speakers)
        self.times = array("q", times)
        self.offsets = array("q", offsets)

    def take(self, row: MessageRow) -> int:
        """Add one message and give its number in the slot."""
        self.flags.append(rows.flags_of(row.role, row.content))
        self.speakers.append(self._speaker(row.name))
        self.times.append(row.at_ms)
        self.offsets.append(row.offset)
        return len(self.flags) - 1

    def _speaker(self, name: str | None) -> int:
        if not name:
            return 0
        if name not in self.names:
            if len(self.names) >= _SPEAKERS:
                return 0
            self.names.append(name)
        return self.names.index(name) + 1
