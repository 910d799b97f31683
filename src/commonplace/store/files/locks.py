"""Locks and their holders: one file lock for a scope, and the identity of the process that holds it.

The lock is `flock` on a file that is never deleted; the system frees it when its holder dies. The
text in the file is for people and for `doctor`, nothing decides by it.
"""

from __future__ import annotations

import fcntl
import functools
import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

import msgspec

from commonplace.store.files.disk import Disk, closed

_FIRST_WAIT_SECONDS: Final = 0.0005
_LONGEST_WAIT_SECONDS: Final = 0.01
_INFO_BYTES: Final = 256


class Process(msgspec.Struct, frozen=True):
    """One process of one boot of one machine; a process id alone is used again within seconds.

    Source: safety notes, finding 4.
    """

    boot: str
    pid: int
    start: str
    space: str


@functools.cache
def boot_id() -> str:
    """Return the id of this machine's boot; no process outlives it."""
    return _text("/proc/sys/kernel/random/boot_id") or "unknown"


def this_process() -> Process:
    """Identify the calling process."""
    return _process(os.getpid())


@functools.lru_cache(maxsize=1)
def _process(pid: int) -> Process:
    return Process(boot_id(), pid, _start_time(pid), _space())


def may_live(process: Process) -> bool:
    """True if a process may still run: False only where it certainly does not."""
    if process.boot != boot_id():
        return False
    if process.space != _space():
        return True  # another container's process cannot be seen from here
    return _start_time(process.pid) == process.start


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""


def _start_time(pid: int) -> str:
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 20 or fields[0] in {"Z", "X"}:  # a zombie holds nothing any more
        return "gone"
    return fields[19]


def _space() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return "unknown"


def wait_until(attempt: Callable[[], bool], seconds: float) -> bool:
    """Try until it works or the time is over."""
    if attempt():
        return True
    deadline = time.monotonic() + seconds
    pause = _FIRST_WAIT_SECONDS
    while time.monotonic() < deadline:
        time.sleep(pause)
        if attempt():
            return True
        pause = min(pause * 2, _LONGEST_WAIT_SECONDS)
    return False


def try_flock(disk: Disk, fd: int, operation: int = fcntl.LOCK_EX) -> bool:
    """Return True if this process now has a file lock, False if it is not free."""
    try:
        disk.flock(fd, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class FileLock:
    """An exclusive lock between processes and threads, re-entrant in the thread that holds it."""

    def __init__(self, path: str, disk: Disk) -> None:
        self._path = path
        self._disk = disk
        self._fd = -1
        self._threads = threading.RLock()
        self._holder: int | None = None
        self._depth = 0

    @property
    def mine(self) -> bool:
        """True if the calling thread holds it."""
        return self._holder == threading.get_ident()

    def acquire(self, seconds: float, *, in_line: bool = False) -> bool:
        """Return True once this thread has the lock, False if it was not free within the time.

        With `in_line` the time is that of one holder: it begins again whenever the lock changes hands.
        """
        until = time.monotonic() + seconds
        if not self._threads.acquire(timeout=seconds):
            return False
        if self._depth:
            self._depth += 1
            return True
        try:
            taken = self._take(until, seconds if in_line else 0.0)
        except BaseException:
            self._threads.release()
            raise
        if not taken:
            self._threads.release()
            return False
        self._depth = 1
        self._holder = threading.get_ident()
        return True

    def release(self) -> None:
        """Release one hold."""
        if not self.mine:
            return  # a forked child leaves its parent's block
        self._depth -= 1
        if not self._depth:
            self._holder = None
            fd, self._fd = self._fd, -1
            with suppress(OSError):  # closing unlocks too, unless a child forked meanwhile still holds a descriptor
                fcntl.flock(fd, fcntl.LOCK_UN)
            closed(fd)
        self._threads.release()

    def _take(self, until: float, seconds_each: float) -> bool:
        taken = self.last_taken()
        while True:
            fd = self._disk.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                is_free = wait_until(partial(try_flock, self._disk, fd), until - time.monotonic())
                if is_free and self._still_named(fd):
                    self._fd, fd = fd, -1
                    self._sign(self._fd)
                    return True
            finally:
                if fd >= 0:
                    os.close(fd)
            before, taken = taken, self.last_taken()
            if seconds_each and taken != before:
                until = time.monotonic() + seconds_each
            elif time.monotonic() >= until:
                return False

    def last_taken(self) -> int:
        """Return when it was last taken, in nanoseconds; 0 if never."""
        try:
            return os.stat(self._path).st_mtime_ns  # each holder signs it
        except FileNotFoundError:
            return 0

    def _still_named(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), os.stat(self._path, follow_symlinks=False))
        except FileNotFoundError:
            return False

    def _sign(self, fd: int) -> None:
        me = this_process()
        note = json.dumps({"boot_id": me.boot, "pid": me.pid, "start_time": me.start, "namespace": me.space})
        with suppress(OSError):  # for people only; a full disk must not keep a lock from being taken
            os.pwrite(fd, note.encode().ljust(_INFO_BYTES - 1)[: _INFO_BYTES - 1] + b"\n", 0)
