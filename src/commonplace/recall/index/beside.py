"""Write the words of messages in a thread while the next are read and cut.

One statement asks for part after part until there is no more, so that SQLite sorts the words of all of them
at once and lets the interpreter go while it works. Knows how the table `said` is filled, and nothing else.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

_AHEAD: Final = 8  # parts that may wait, so that memory stays bounded where the disk is slow
_PART: Final = "commonplace_part"
# CROSS JOIN: SQLite asks for a part when the one before it is written, not for all of them first.
_WRITE: Final = f"""
WITH RECURSIVE parts(part) AS (SELECT {_PART}() UNION ALL SELECT {_PART}() FROM parts WHERE part IS NOT NULL)
INSERT INTO said(rowid, text) SELECT CAST(key AS INTEGER), value FROM parts CROSS JOIN json_each(parts.part)
WHERE part IS NOT NULL
"""  # noqa: S608 - our own name


class Source:
    """Whom the statement asks for the next part; made once for a connection.

    SQLite lets no function be taken back while any statement is open, and FTS5 keeps one of its own open.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self.ask: Callable[[], str | None] = _nothing
        db.create_function(_PART, 0, self._part)

    def _part(self) -> str | None:
        return self.ask()


def _nothing() -> str | None:
    return None


class Beside:
    """One statement that is being run in a thread of its own; it holds the connection until `finish` or `abandon`."""

    def __init__(self, db: sqlite3.Connection, source: Source) -> None:
        self._db = db
        self._source = source
        self._parts: queue.Queue[str | None] = queue.Queue(_AHEAD)
        self._over = False
        self._abandoned = False
        self._error: BaseException | None = None
        source.ask = self._next
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def take(self, said: Mapping[int, str]) -> None:
        """Queue the words of passages to be written, by their row; waits if much is still to be written."""
        if self._error is not None:
            raise self._error
        if said:
            self._parts.put(msgspec.json.encode(said).decode())

    def finish(self) -> None:
        """Wait until all is written; what failed there is raised here. The connection is free then."""
        self._end()
        if self._error is not None:
            raise self._error

    def abandon(self) -> None:
        """Write nothing more; what was written is for the transaction to take back. The connection is free then."""
        self._abandoned = True
        self._end()

    def _end(self) -> None:
        self._parts.put(None)
        self._thread.join()
        self._source.ask = _nothing  # else the connection and this would keep each other alive

    def _run(self) -> None:
        try:
            self._db.execute(_WRITE)
        except BaseException as error:  # noqa: BLE001 - raised again where the thread is waited for
            self._error = error
        while not self._over:  # whoever hands over parts shall not wait for room for ever
            self._next()

    def _next(self) -> str | None:
        part = self._parts.get()
        self._over = part is None
        return None if self._abandoned else part
