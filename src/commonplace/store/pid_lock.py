"""A lock file that other programs read: in its body the process that works, as its time the last run.

It shows others that we are at work, and us that they are. What keeps our own processes apart is a lease; this
file alone would not, as a number of a process is used again and a file can be read by two at once.

Source: seed memdir, `.consolidate-lock`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final

from commonplace.store.files.disk import typed_errors

STALE: Final = timedelta(minutes=60)
"""Source: seed memdir. Whoever took the lock longer ago than this has lost it."""


class PidLock:
    """One such file.

    Args:
        path: Where it is.
        pid: The process that takes it.
    """

    def __init__(self, path: str, pid: int | None = None) -> None:
        self._path = path
        self._pid = os.getpid() if pid is None else pid
        self._before: datetime | None = None
        self._taken: datetime | None = None

    def last(self) -> datetime | None:
        """Return when it was last taken, which is the last run; None if there is no such file."""
        try:
            return datetime.fromtimestamp(os.stat(self._path).st_mtime, UTC)
        except OSError:
            return None

    def holder(self, now: datetime) -> int | None:
        """Return the other process that holds it now; None if none does, or it is dead, or took it too long ago."""
        at, pid = self.last(), self._read()
        if at is None or pid is None or pid == self._pid or now - at >= STALE or not _lives(pid):
            return None
        return pid

    def take(self, now: datetime) -> bool:
        """Return True if this process now has the lock, False if another process has it or got it first."""
        if self.holder(now) is not None:
            return False
        self._before = self.last()
        with typed_errors(self._path):
            self._write(f"{self._pid}", now.timestamp())
        self._taken = self.last()
        return self._read() == self._pid

    def give_back(self) -> None:
        """Restore the file as it was before, so that the next one tries again; a run that failed counts as none."""
        if self._read() == self._pid and self.last() == self._taken:  # else another one took it over
            self.put(self._before)

    def put(self, at: datetime | None) -> None:
        """Set the time of the last run, with no process at work; None deletes the file."""
        with suppress(OSError):
            if at is None:
                os.unlink(self._path)
            else:
                self._write("", at.timestamp())

    def _read(self) -> int | None:
        try:
            with open(self._path, encoding="ascii", errors="replace") as file:
                said = file.read(20).strip()
        except OSError:
            return None
        return int(said) if said.isascii() and said.isdigit() else None

    def _write(self, body: str, at: float) -> None:
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        try:
            os.write(fd, body.encode("ascii"))
        finally:
            os.close(fd)
        os.utime(self._path, (at, at))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it is another user's
    return True
