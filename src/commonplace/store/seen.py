"""What each file said when it was last read, so that an outside edit can be recognised and shown.

Derived like the index and beside it: screened texts by path and version, in one small SQLite file.
Without it edits are still found, by the change log; only what they replaced cannot always be shown.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from commonplace.errors import StoreBusyError
from commonplace.guard.screened import Screened
from commonplace.store.sqlite_file import connect, keep_few_open

_BUSY_SECONDS = 30.0


class Look(NamedTuple):
    """One file as it was: its version, its screened text, and the number of the newest change by then."""

    version: str
    text: str
    number: int


class Seen:
    """What was last seen of every file of a scope.

    Args:
        path: Its file; None keeps it in memory.
    """

    def __init__(self, path: str | None) -> None:
        self._lock = threading.RLock()
        self._path = path
        self._resting = False
        self._closed = False
        self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        for place in (self._path, None):
            try:
                db = connect(place, seconds=_BUSY_SECONDS)
            except sqlite3.DatabaseError:
                continue  # its folder is not there yet or not writable
            try:
                db.execute("PRAGMA synchronous=OFF")  # first: to turn the log on syncs
                db.execute("PRAGMA journal_mode=WAL")
                db.execute(
                    "CREATE TABLE IF NOT EXISTS look(path TEXT PRIMARY KEY, version TEXT NOT NULL,"
                    " number INTEGER NOT NULL) WITHOUT ROWID"
                )
                db.execute(
                    "CREATE TABLE IF NOT EXISTS said(id INTEGER PRIMARY KEY, path TEXT NOT NULL, text TEXT NOT NULL)"
                )
                db.execute("CREATE TABLE IF NOT EXISTS form(path TEXT PRIMARY KEY, form TEXT NOT NULL) WITHOUT ROWID")
                db.execute("CREATE INDEX IF NOT EXISTS said_by_path ON said(path)")
                db.execute("SELECT count(*) FROM look").fetchone()
            except sqlite3.DatabaseError:
                db.close()  # damaged or not writable: it is derived, so memory does for this run
            else:
                self._path = place
                if place is not None:
                    keep_few_open(self)
                return db
        raise AssertionError("a database in memory can always be made")

    def rest(self) -> bool:
        """Close the file until the next use; False if it is in use."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if not (self._resting or self._closed):
                if self._path is None or self._db.in_transaction:  # what is in memory is nowhere else
                    return False
                self._let_go()
                self._resting = True
            return True
        finally:
            self._lock.release()

    def open_file(self) -> str | None:
        """Return the path of the file that is open; None if none is."""
        return None if self._resting or self._closed else self._path

    def _run(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        if self._resting:
            self._resting = False
            self._db = self._open()
        try:
            return self._db.execute(statement, values).fetchall()
        except sqlite3.OperationalError as error:
            raise StoreBusyError("what was last seen of the files is locked by another process; try again") from error
        except sqlite3.DatabaseError:
            # Damaged while open: it is derived, and the change log says whose edits are whose.
            self._let_go()
            self._path = None
            self._db = self._open()
            return self._db.execute(statement, values).fetchall()

    def versions(self) -> dict[str, str]:
        """Return the version of each file when it was last seen."""
        with self._lock:
            return dict(self._run("SELECT path, version FROM look"))

    def forms(self, now: Mapping[str, str]) -> dict[str, str]:
        """Return how files were read when the memory was last opened, by the path of their layer; note it as now."""
        with self._lock:
            before = dict(self._run("SELECT path, form FROM form"))
        if before != now:
            with self._together():
                self._run("DELETE FROM form")
                for row in now.items():
                    self._run("INSERT INTO form VALUES (?, ?)", row)
        return before

    def look(self, path: str) -> Look | None:
        """Return a file as it was last seen; None where it was not there or never seen."""
        if not _is_name(path):
            return None
        with self._lock:
            rows = self._run("SELECT version, number FROM look WHERE path = ?", (path,))
            said = self._run("SELECT text FROM said WHERE path = ? ORDER BY id", (path,)) if rows else []
        return Look(rows[0][0], "".join(text for (text,) in said), rows[0][1]) if rows else None

    def version(self, path: str) -> tuple[str, int] | None:
        """Return the version of a file when last seen, and the number of the newest change by then."""
        if not _is_name(path):
            return None
        with self._lock:
            rows = self._run("SELECT version, number FROM look WHERE path = ?", (path,))
        return (rows[0][0], rows[0][1]) if rows else None

    def newest(self) -> int:
        """Return the number of the newest change after which a file was seen; 0 if none was."""
        with self._lock:
            return int(self._run("SELECT coalesce(max(number), 0) FROM look")[0][0])

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Write some rows in one transaction."""
        with self._lock:
            self._run("BEGIN IMMEDIATE")  # a transaction that begins with a read could not wait for another's write
            try:
                yield
            finally:
                if self._db.in_transaction:  # not if the file was damaged and another one is open now
                    self._run("COMMIT")

    def note(self, path: str, version: str, text: Screened, number: int) -> None:
        """Keep what a file says now."""
        with self._together():
            self._run("DELETE FROM said WHERE path = ?", (path,))
            self._add(path, version, text, number)

    def grow(self, path: str, version: str, text: Screened, number: int) -> None:
        """Keep what was added to the end of a file since it was last seen."""
        with self._together():
            self._add(path, version, text, number)

    def _add(self, path: str, version: str, text: Screened, number: int) -> None:
        self._run("INSERT INTO said(path, text) VALUES (?, ?)", (path, text.text))
        self._run("INSERT OR REPLACE INTO look VALUES (?, ?, ?)", (path, version, number))

    def drop(self, path: str) -> None:
        """Forget a file that is gone."""
        with self._together():
            self._run("DELETE FROM look WHERE path = ?", (path,))
            self._run("DELETE FROM said WHERE path = ?", (path,))

    def begin_anew(self) -> None:
        """Open the file again, after it was deleted."""
        with self._lock:
            self._let_go()
            self._db = self._open()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._let_go()
            self._closed = True

    def _let_go(self) -> None:
        self._db.close()


def _is_name(path: str) -> bool:
    return path.isprintable() or path.encode("utf-8", "replace").decode() == path  # half a character is in no name
