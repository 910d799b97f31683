"""Append-only files: whole lines go in at the end, one writer at a time, and a torn one stays alone.

The lock is `flock` on the file itself, so whoever appends with it waits, in any thread and process. A file is
open only while it is held. Source: safety notes, findings 1 and 5 and section 2.2.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Final

from commonplace.errors import InputError, StoreBusyError
from commonplace.guard.screened import Screened, line_bytes
from commonplace.store.files.disk import APPEND, CREATE, Disk, SyncFailedError, closed, write_all
from commonplace.store.files.feed import Feed
from commonplace.store.files.locks import try_flock, wait_until
from commonplace.store.files.paths import Tree

LINES_SUFFIX: Final = ".jsonl"


def body_of(path: str, lines: Sequence[Screened], limit: int) -> bytes:
    """Join the lines of an append to a file, each with its newline.

    Raises:
        InputError: A line holds a line break, or is longer than `limit` bytes.
        TypeError: A text was not screened.
    """
    encoded: list[bytes] = []
    for line in lines:
        if type(line) is not Screened:
            raise TypeError("a store takes no text but what the guard screened")
        data = line_bytes(line.text)
        if b"\n" in data:
            raise InputError(f"a line of {path!r} holds a line break; give each line by itself", path=path)
        if len(data) > limit:
            raise InputError(f"a line of {path!r} is over {limit} bytes; split it", path=path, limit_bytes=limit)
        encoded.append(data)
    encoded.append(b"")  # each line ends with a newline
    return b"\n".join(encoded)


class Handle:
    """One file that a thread holds; `fd` is -1 if there is no such file."""

    __slots__ = ("fd", "made", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.fd = -1
        self.made = False  # for this hold

    def close(self) -> None:
        """Close the file."""
        fd, self.fd = self.fd, -1  # first: a child forked meanwhile must not close the number again
        if fd >= 0:
            closed(fd)


class Appender:
    """Appends to the files of one tree, and notes each append in its feed."""

    def __init__(self, tree: Tree, disk: Disk, feed: Feed, *, wait_seconds: float) -> None:
        self._tree = tree
        self._disk = disk
        self._feed = feed
        self._wait_seconds = wait_seconds
        self._held: dict[tuple[int, str], Handle] = {}  # by thread and path

    @property
    def holds_any(self) -> bool:
        """True if the calling thread is inside `hold`."""
        me = threading.get_ident()
        return any(thread == me for thread, _ in list(self._held))

    @contextmanager
    def hold(self, path: str, *, create: bool) -> Iterator[Handle]:
        """Lock a file against other appenders, re-entrantly in one thread.

        Without `create`, a missing file is not made, and `fd` is -1. With it, a file that got no byte by the
        end is taken away again.

        Raises:
            StoreBusyError: It was not free in time.
        """
        key = threading.get_ident(), path
        outer = self._held.get(key)
        if outer is not None:
            if outer.fd < 0:
                self._lock(outer, create=create)
            yield outer
            return
        handle = self._held[key] = Handle(path)
        try:
            self._lock(handle, create=create)
            yield handle
        finally:
            self._held.pop(key, None)
            self._let_go(handle)

    def replacing(self, path: str) -> AbstractContextManager[object]:
        """Lock out appenders while a file is replaced; to what is no file of lines only changes append."""
        return self.hold(path, create=False) if path.endswith(LINES_SUFFIX) else nullcontext()

    def append(self, handle: Handle, body: bytes, *, durable: bool) -> None:
        """Add whole lines to a file that is held; on failure the file is as before."""
        fd = handle.fd
        size = os.fstat(fd).st_size
        if size == 0:
            # Before the first byte, so that a file with bytes always has its name on the disk.
            self._tree.sync_folders(handle.path)
        elif os.pread(fd, 1, size - 1) != b"\n":
            body = b"\n" + body
        try:
            write_all(self._disk, fd, body)
            self._feed.note(handle.path)
            if durable:
                self._disk.sync(fd)
        except BaseException as error:
            try:
                self._disk.truncate(fd, size)
            except OSError as failed:  # what of it is on the disk is unknown
                raise SyncFailedError(failed.errno, f"a write could not be taken back: {failed.strerror}") from error
            raise

    def _lock(self, handle: Handle, *, create: bool) -> None:
        """Open and lock the file that is at the path now."""
        deadline = time.monotonic() + self._wait_seconds
        made = False
        while True:
            try:
                with self._tree.folder(handle.path, create=create) as (folder, name):
                    try:
                        handle.fd = fd = self._tree.open_in(folder, name, handle.path, APPEND)
                    except FileNotFoundError:
                        if not create:
                            return
                        made = self._make(folder, name)
                        continue
                    if not wait_until(partial(try_flock, self._disk, fd), deadline - time.monotonic()):
                        raise _busy(handle.path, self._wait_seconds)
                    if _is_named(fd, folder, name):
                        handle.made = made
                        return
            except FileNotFoundError:
                if create:
                    raise
                return
            handle.close()  # replaced or taken away while we waited

    def _make(self, folder: int, name: str) -> bool:
        """Make an empty file; False if another writer made it first."""
        try:
            os.close(self._disk.open(name, CREATE, dir_fd=folder))
        except FileExistsError:
            return False
        return True

    def _let_go(self, handle: Handle) -> None:
        try:
            if handle.made and handle.fd >= 0 and os.fstat(handle.fd).st_size == 0:
                with self._tree.folder(handle.path) as (folder, name):
                    if _is_named(handle.fd, folder, name):
                        self._disk.unlink(name, dir_fd=folder)
        finally:
            if handle.fd >= 0:
                # Not by closing alone: a child forked meanwhile may have the descriptor too.
                with suppress(OSError):
                    self._disk.flock(handle.fd, fcntl.LOCK_UN)
                handle.close()


def _is_named(fd: int, folder: int, name: str) -> bool:
    """True if an open file is the one of this name."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _busy(path: str, seconds: float) -> StoreBusyError:
    return StoreBusyError(f"{path!r} was locked by another writer for over {seconds:g} s; try again", path=path)
