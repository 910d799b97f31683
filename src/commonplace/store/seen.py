"""What each file said when it was last read, so that an outside edit can be recognised and shown.

Derived like the index and beside it: screened texts by path and version, in one small SQLite file.
Without it edits are still found, by the change log; only what they replaced cannot always be shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from commonplace.errors import DamagedError, StoreError
from commonplace.guard.screened import Screened
from commonplace.store.sqlite_file import IndexFile

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS look(path TEXT PRIMARY KEY, version TEXT NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS said(id INTEGER PRIMARY KEY, path TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS said_by_path ON said(path)
"""


class Look(NamedTuple):
    """One file as it was: its version, its screened text, and the number of the newest change by then."""

    version: str
    text: str
    number: int


class Seen(IndexFile):
    """What was last seen of every file of a scope.

    Args:
        path: Its file; None, or one that cannot be used, keeps it in memory.
    """

    called = "what was last seen of the files"

    def __init__(self, path: str | None) -> None:
        try:
            super().__init__(path, mend=True)
        except StoreError:
            super().__init__(None, mend=True)

    def _ensure_schema(self) -> None:
        for statement in _TABLES.split(";"):
            self._db.execute(statement)

    def _forget(self) -> None:
        """Nothing is remembered beside the file."""

    def _run(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            with self._using():
                return self._db.execute(statement, values).fetchall()
        except DamagedError:  # the change log says whose edits are whose
            self.reset(memory=True)
            return self._db.execute(statement, values).fetchall()

    def versions(self) -> dict[str, str]:
        """Return the version of each file when it was last seen."""
        return dict(self._run("SELECT path, version FROM look"))

    def look(self, path: str) -> Look | None:
        """Return a file as it was last seen; None where it was not there or never seen."""
        with self._using():
            known = self.version(path)
            said = self._run("SELECT text FROM said WHERE path = ? ORDER BY id", (path,)) if known else []
        return Look(known[0], "".join(text for (text,) in said), known[1]) if known else None

    def version(self, path: str) -> tuple[str, int] | None:
        """Return the version of a file when last seen, and the number of the newest change by then."""
        if not _is_name(path):
            return None
        rows = self._run("SELECT version, number FROM look WHERE path = ?", (path,))
        return (rows[0][0], rows[0][1]) if rows else None

    def newest(self) -> int:
        """Return the number of the newest change after which a file was seen; 0 if none was."""
        return int(self._run("SELECT coalesce(max(number), 0) FROM look")[0][0])

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Write some rows in one transaction."""
        with self._using():
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


def _is_name(path: str) -> bool:
    return path.isprintable() or path.encode("utf-8", "replace").decode() == path  # half a character is in no name
