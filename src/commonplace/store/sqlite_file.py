"""The file behind an index, or beside it: opened, let go between uses, opened again, replaced, thrown away.

Knows no table. What SQLite raises leaves here as the typed errors of this package.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import sqlite3
import threading
import weakref
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Final

from commonplace.errors import DamagedError, StoreBusyError, StoreError, StoreReadOnlyError

logger = logging.getLogger(__name__)

_BUSY_SECONDS: Final = 10.0
MOST_OPEN: Final = 128  # in one process: each takes three of its descriptors, and a server has many memories open
_NOWHERE_TO_WRITE: Final = ("full", "readonly", "read-only", "unable to open", "disk I/O")


def make_private(path: Path | str) -> None:
    """Make an empty file that only its owner may read, where there is none; SQLite's files beside it follow it.

    Where it cannot be made nothing is raised: SQLite says why, at once.
    """
    with contextlib.suppress(OSError):
        # Not opened: to close a descriptor of it would free the locks that SQLite holds on it in this process.
        os.mknod(path, 0o600)


inherited: Final[set[str]] = set()
"""Files that were open when this process was forked."""


opened: Final[OrderedDict[int, weakref.ref[IndexFile]]] = OrderedDict()
"""What this process opened, what was opened last at the end."""


def keep_few_open(new: IndexFile) -> None:
    """Note that a file was opened, and close those that were opened first until their next use if there are many."""
    opened.pop(id(new), None)
    opened[id(new)] = weakref.ref(new)
    while len(opened) > MOST_OPEN:
        oldest = opened.popitem(last=False)[1]()
        if oldest is not None:
            oldest.rest()


class _Connection(sqlite3.Connection):
    """A connection that a dropped memory closes; from Python 3.13 on, SQLite's own warns instead."""

    def __del__(self) -> None:
        with contextlib.suppress(sqlite3.Error):  # it was never opened
            self.close()


def connect(path: Path | str | None, *, seconds: float) -> sqlite3.Connection:
    """Open an SQLite file that only its owner may read, or memory where there is none; all threads may use it.

    Args:
        path: The file.
        seconds: How long a statement waits for other processes.

    Raises:
        sqlite3.OperationalError: It cannot be opened, or may not: SQLite keeps one account of a file's locks for
            a whole process, and the account of a child forked while the file was open is its parent's.
    """
    if path is not None:
        if str(path) in inherited:
            raise sqlite3.OperationalError("unable to open: it was open when this process was forked")
        make_private(path)
    place = path or ":memory:"
    return sqlite3.connect(place, timeout=seconds, isolation_level=None, check_same_thread=False, factory=_Connection)


class IndexFile(ABC):
    """An SQLite file, or memory if there is none or nothing may be written.

    The file is open from the first use until `close`, but closed while the process forks. After `close` each use
    raises StoreError, which no caller may take for damage: the file is not ours any more.
    """

    called: ClassVar[str] = "the index"

    def __init__(self, path: Path | str | None, *, mend: bool) -> None:
        self.path = Path(path) if path is not None else None
        self._mend = mend
        self._lock = threading.RLock()
        self._inode: tuple[int, int] | None = None
        self._db: sqlite3.Connection
        self._uses = 0  # blocks of `_using`, one in another, that are being run
        self._resting = False
        self._closed = False
        self._open_first()

    def _open_first(self) -> None:
        if not self._mend:
            self._open()
            return
        try:
            self._open()
        except DamagedError as error:
            logger.warning("%s is damaged and is made again: %s", self.called, error)
            self.reset()
        except StoreReadOnlyError as error:
            logger.info("%s cannot be written and is kept in memory: %s", self.called, error)
            self.path = None
            self._open()

    @abstractmethod
    def _ensure_schema(self) -> None:
        """Make the tables where there are none of this version."""

    @abstractmethod
    def _forget(self) -> None:
        """Drop what is remembered of the file."""

    def _open(self) -> None:
        # Trigger: several processes make the file at once. Reason: SQLite turns its log on for one alone.
        file = (
            self.path if self.path is not None and self.path.parent.parent.is_dir() else None
        )  # a read makes no scope
        with self._file_lock(file, exclusive=file is not None and not file.exists()), self._guarded():
            self._db = connect(file, seconds=_BUSY_SECONDS)
            if file is not None:
                stat = file.stat()  # before the first statement: `reset` asks whose file was damaged
                self._inode = (stat.st_dev, stat.st_ino)
                self._db.execute("PRAGMA synchronous=OFF")  # first: to turn the log on syncs
                self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA cache_size=-8000")
            self._ensure_schema()
        self._resting = False
        self._forget()
        if file is not None:
            keep_few_open(self)

    def rest(self) -> bool:
        """Close the file and drop what is remembered of it, until the next use; False if it is in use."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self._uses or self._closed or self.path is None:  # what is in memory is nowhere else
                return False
            self._let_go()
            self._forget()
            self._resting = True
            return True
        finally:
            self._lock.release()

    def open_file(self) -> str | None:
        """Return the path of the file that is open; None if none is."""
        return None if self._resting or self._closed or self.path is None else str(self.path)

    @contextlib.contextmanager
    def _using(self) -> Iterator[None]:
        """Open the file if it is closed, and keep it open."""
        with self._lock:
            self._require_open()
            if self._resting:
                self._open()
            self._uses += 1
            try:
                with self._guarded():
                    yield
            finally:
                self._uses -= 1

    def replaced(self) -> bool:
        """True if the file behind the name is, or may be, another than the one that was open."""
        if self.path is None:
            return False
        if self._resting:
            return True  # it was not held, so its number may belong to another file by now
        try:
            stat = self.path.stat()
        except OSError:
            return True
        return (stat.st_dev, stat.st_ino) != self._inode

    def reopen(self) -> None:
        """Open the file that now has the name."""
        with self._lock:
            self._require_open()
            self._let_go()
            self._open()

    def reset(self, *, memory: bool = False) -> None:
        """Throw the index away and begin an empty one, in memory when asked.

        A damaged file that another process has meanwhile replaced is kept and opened.
        """
        with self._lock:
            self._require_open()
            self._let_go()
            if memory:
                self.path = None
            elif self.path is not None and self.path.parent.parent.is_dir():
                with self._file_lock(self.path, exclusive=True):
                    if not self.replaced() or not self.path.exists():
                        for suffix in ("", "-wal", "-shm"):
                            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            self._open()

    def close(self) -> None:
        """Release the file for good."""
        with self._lock:
            self._let_go()
            self._closed = True

    def _let_go(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._resting = False
            self._db.close()

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError("this memory was closed; open it again", path=str(self.path or ""))

    @contextlib.contextmanager
    def _file_lock(self, file: Path | None, *, exclusive: bool) -> Iterator[None]:
        """Lock the name for having (shared) or replacing (exclusive) its file."""
        if file is None:
            yield
            return
        try:
            file.parent.mkdir(0o700, exist_ok=True)
            lock = file.with_name(file.name + ".lock")
            handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreReadOnlyError(f"{self.called} cannot be used: {error}", path=str(file)) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)  # a child forked meanwhile has the descriptor too, and would wait for it
            os.close(handle)

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Turn what SQLite raises into the typed errors of this package."""
        try:
            yield
        except sqlite3.OperationalError as error:
            message = str(error)
            if "locked" in message or "busy" in message:
                raise StoreBusyError(f"{self.called} is busy; try again", path=str(self.path)) from error
            if any(code in message for code in _NOWHERE_TO_WRITE):
                raise StoreReadOnlyError(f"{self.called} cannot be used: {message}", path=str(self.path)) from error
            raise DamagedError(f"{self.called} cannot be read: {message}", path=str(self.path)) from error
        except (sqlite3.DatabaseError, sqlite3.InterfaceError) as error:
            raise DamagedError(f"{self.called} cannot be read: {error}", path=str(self.path)) from error
