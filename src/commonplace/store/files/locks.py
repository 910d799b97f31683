"""Who holds what: one file lock for a scope, and the identity of the process that holds it.

The lock is `flock` on a file that is never deleted; the system frees it when its holder dies. What
stands in the file is for people and for `doctor`, nothing decides by it.
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
from typing import Final

import msgspec

from commonplace.store.files.disk import Disk

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
    """Name the boot of this machine; no process outlives it."""
    return _text("/proc/sys/kernel/random/boot_id") or "unknown"


def this_process() -> Process:
    """Identify the calling process."""
    pid = os.getpid()
    return Process(boot_id(), pid, _start_time(pid), _space())


def may_live(process: Process) -> bool:
    """Say whether a process may still run: False only where it certainly does not."""
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
    """Take a file lock if it is free."""
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
        """Whether the calling thread holds it."""
        return self._holder == threading.get_ident()

    def acquire(self, seconds: float) -> bool:
        """Take the lock within a time; False when it was not free."""
        started = time.monotonic()
        if not self._threads.acquire(timeout=seconds):
            return False
        if self._depth:
            self._depth += 1
            return True
        try:
            taken = wait_until(self._take, seconds - (time.monotonic() - started))
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
        """Give one holding back."""
        if not self.mine:
            return  # a forked child leaves its parent's block
        self._depth -= 1
        if not self._depth:
            self._holder = None
            fd, self._fd = self._fd, -1
            fcntl.flock(fd, fcntl.LOCK_UN)  # a child forked meanwhile may still hold a descriptor
            os.close(fd)
        self._threads.release()

    def _take(self) -> bool:
        fd = self._disk.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if not try_flock(self._disk, fd) or not self._still_named(fd):
                os.close(fd)
                return False
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd
        self._sign(fd)
        return True

    def _still_named(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), os.stat(self._path, follow_symlinks=False))
        except FileNotFoundError:
            return False

    def _sign(self, fd: int) -> None:
        me = this_process_cached()
        note = json.dumps({"boot_id": me.boot, "pid": me.pid, "start_time": me.start, "namespace": me.space})
        with suppress(OSError):  # for people only; a full disk must not keep a lock from being taken
            os.pwrite(fd, note.encode().ljust(_INFO_BYTES - 1)[: _INFO_BYTES - 1] + b"\n", 0)


_known: dict[int, Process] = {}


def this_process_cached() -> Process:
    """Identify the calling process, looking only once in each."""
    pid = os.getpid()
    if pid not in _known:
        _known.clear()
        _known[pid] = this_process()
    return _known[pid]
