"""What each file said when it was last looked at, so that an edit made outside can be told and shown.

Derived like the index and beside it: screened texts by path and version, in one small SQLite file.
Without it edits are still found, by the change log; only what they replaced cannot be shown.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator

from commonplace.records import Screened

_BUSY_SECONDS = 10.0


class Seen:
    """The last look at every file of a scope.

    Args:
        path: Its file; None keeps it in memory.
    """

    def __init__(self, path: str | None) -> None:
        self._lock = threading.RLock()
        self._db = self._open(path)

    @staticmethod
    def _open(path: str | None) -> sqlite3.Connection:
        for place in (path, None):
            db = sqlite3.connect(
                place or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                db.execute("PRAGMA journal_mode=WAL")
                db.execute("PRAGMA synchronous=OFF")
                db.execute(
                    "CREATE TABLE IF NOT EXISTS seen(path TEXT PRIMARY KEY, version TEXT NOT NULL, text TEXT NOT NULL)"
                    " WITHOUT ROWID"
                )
            except sqlite3.DatabaseError:
                db.close()  # damaged or not writable: it is derived, so memory does for this run
            else:
                return db
        raise AssertionError("a database in memory can always be made")

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold off other processes, so that look, log and note are one step."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            finally:
                self._db.execute("COMMIT")

    def versions(self) -> dict[str, str]:
        """Give the version of each file at the last look."""
        with self._lock:
            return dict(self._db.execute("SELECT path, version FROM seen").fetchall())

    def version(self, path: str) -> str | None:
        """Give the version of a file at the last look; None where it was never looked at."""
        with self._lock:
            row = self._db.execute("SELECT version FROM seen WHERE path = ?", (path,)).fetchone()
        return str(row[0]) if row else None

    def text(self, path: str) -> str | None:
        """Give the screened text of a file at the last look."""
        with self._lock:
            row = self._db.execute("SELECT text FROM seen WHERE path = ?", (path,)).fetchone()
        return str(row[0]) if row else None

    def note(self, path: str, version: str, text: Screened) -> None:
        """Keep what a file says now."""
        with self._lock:
            self._db.execute("INSERT OR REPLACE INTO seen VALUES (?, ?, ?)", (path, version, text.text))

    def drop(self, path: str) -> None:
        """Forget a file that is gone."""
        with self._lock:
            self._db.execute("DELETE FROM seen WHERE path = ?", (path,))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
