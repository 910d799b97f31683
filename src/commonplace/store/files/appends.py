"""Append-only files: whole lines go in at the end, one writer at a time, and a torn one stays alone.

The lock is `flock` on the file itself, so whoever appends with it, from any process, waits. Keeps a
few descriptors open between appends; a file replaced from outside is noticed and opened again.
Source: safety notes, findings 1 and 5 and section 2.2.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from os import SEEK_CUR, SEEK_END
from typing import Final

from commonplace.errors import InputError, StoreBusyError
from commonplace.guard.screened import Screened, line_bytes
from commonplace.store import handles
from commonplace.store.files.disk import APPEND, CREATE, READ, Disk, write_all
from commonplace.store.files.feed import Feed
from commonplace.store.files.locks import try_flock, wait_until
from commonplace.store.files.paths import Tree

_KEPT_OPEN: Final = 64
_LOCK_NOW: Final = fcntl.LOCK_EX | fcntl.LOCK_NB
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
    """One append-only file as this process knows it; `fd` is -1 while it is not open.

    While it is held, `size` and `stamp` tell what stands in it: between two equal stamps nothing was added,
    cut off or put in its place. A stamp of None says that somebody wrote to it past the lock.
    What stands here is read and set under `lock` alone; a handle found elsewhere may be `gone` by the time
    the lock is had.
    """

    __slots__ = ("clean_size", "depth", "fd", "gone", "holder", "identity", "keep", "lock", "made", "path", "real",
                 "size", "stamp")  # fmt: skip

    def __init__(self, path: str) -> None:
        self.path = path
        self.real = ""
        self.fd = -1
        self.identity = (0, 0)
        self.clean_size = 0  # up to here the file is known to end a line
        self.size = 0
        self.stamp: tuple[object, int] | None = None
        self.keep = path.endswith(LINES_SUFFIX)  # whether it stays open between two holds
        self.lock = threading.RLock()
        self.depth = 0
        self.made = 0  # the depth of the hold that the file was made for
        self.holder = 0  # the thread that holds it, while `depth` is not 0
        self.gone = False  # let go of, for another handle to take its place

    def close(self) -> None:
        """Let the descriptor go."""
        fd, self.fd = self.fd, -1  # first: a child forked while it is being closed must not find the number here
        if fd >= 0:
            os.close(fd)


class Hold:
    """A block in which one file is held; made by `Appender.hold`."""

    __slots__ = ("_appender", "_create", "_handle", "_path", "_replacing")

    def __init__(self, appender: Appender, path: str, *, create: bool, replacing: bool) -> None:
        self._appender = appender
        self._path = path
        self._create = create
        self._replacing = replacing

    def __enter__(self) -> Handle:
        self._handle = self._appender.enter(self._path, create=self._create, replacing=self._replacing)
        return self._handle

    def __exit__(self, *_: object) -> None:
        self._appender.leave(self._handle)


class Appender:
    """Appends to the files of one tree, and has each append noted in its feed."""

    def __init__(self, tree: Tree, disk: Disk, feed: Feed, *, wait_seconds: float) -> None:
        self._tree = tree
        self._disk = disk
        self._feed = feed
        self._wait_seconds = wait_seconds
        self._handles: OrderedDict[str, Handle] = OrderedDict()
        self._mutex = threading.Lock()  # to add and to take away; a handle that is there is found without it

    @property
    def holds_any(self) -> bool:
        """Whether the calling thread stands inside `hold`."""
        me = threading.get_ident()
        return any(handle.depth and handle.holder == me for handle in list(self._handles.values()))

    def forget(self) -> None:
        """Start anew in a forked child; locks of the parent stay the parent's."""
        left, self._handles = self._handles, OrderedDict()
        self._mutex = threading.Lock()
        for handle in left.values():
            with contextlib.suppress(OSError):  # another thread of the parent was just closing it
                handle.close()

    def close(self) -> None:
        """Close what is not in use."""
        handles.released(self)
        with self._mutex:
            self._let_go(0)

    def rest(self) -> bool:
        """Close what is not in use until the next append; False where something is."""
        if not self._mutex.acquire(blocking=False):
            return False
        try:
            self._let_go(0)
            return not self._handles
        finally:
            self._mutex.release()

    def _let_go(self, most: int) -> None:
        """Close those that are not in use, the longest unused first, until at most so many are left."""
        for path, handle in list(self._handles.items()):
            if len(self._handles) <= most:
                return
            if handle.lock.acquire(blocking=False):  # else in use; within our own hold it has a depth
                try:
                    if not handle.depth:
                        handle.gone = True
                        handle.close()
                        del self._handles[path]
                finally:
                    handle.lock.release()

    def hold(self, path: str, *, create: bool, replacing: bool = False) -> Hold:
        """Hold a file against other appenders, re-entrantly in one thread.

        Without `create`, a file that is not there is left so, and `fd` is -1. With it, a file that
        got no byte by the end is taken away again. For `replacing`, a document is not opened for
        writing: that would look like an editor at work.

        Raises:
            StoreBusyError: It was not free in time.
        """
        return Hold(self, path, create=create, replacing=replacing)

    def append(self, path: str, body: bytes, *, durable: bool) -> None:
        """Add whole lines; on failure the file is as before."""
        with self.hold(path, create=True) as handle:
            self.append_held(handle, body, durable=durable)

    def append_if(self, path: str, stamp: object, body: bytes) -> tuple[int, object] | None:
        """Add whole lines, synced, where a file is open and free and stands as `stamp` says: (size, stamp) then.

        None where not, and nothing was done. Every message comes this way, so it asks no more than that:
        waiting, opening and making is for `enter`.
        """
        handle = self._handles.get(path)
        if handle is None or not handle.lock.acquire(False):
            return None
        try:
            fd, flock = handle.fd, self._disk.flock
            if fd < 0 or handle.depth or handle.gone:
                return None
            handle.holder = threading.get_ident()  # before the depth: `holds_any` looks without the lock
            handle.depth = 1
            self._handles.move_to_end(path)
            try:
                flock(fd, _LOCK_NOW)
                found = os.lstat(handle.real)
                identity = found.st_dev, found.st_ino
                if identity != handle.identity or stamp != (identity, found.st_size):
                    return None
                self._add(handle, body, found.st_size)
            except (BlockingIOError, FileNotFoundError, NotADirectoryError):
                return None
            else:
                return handle.size, handle.stamp
            finally:
                handle.depth = 0
                try:
                    flock(fd, fcntl.LOCK_UN)
                except OSError:
                    handle.close()
        finally:
            handle.lock.release()

    def append_held(self, handle: Handle, body: bytes, *, durable: bool) -> None:
        """Add whole lines to a file that is held; on failure the file is as before."""
        fd = handle.fd
        size = os.lseek(fd, 0, SEEK_END)
        if size == 0:
            # Before the first byte, so that a file with bytes always has its name on the disk.
            self._tree.sync_folders(handle.path)
        elif size != handle.clean_size and os.pread(fd, 1, size - 1) != b"\n":
            body = b"\n" + body
        alone = size == handle.size and handle.stamp is not None
        self._add(handle, body, size, alone=alone, durable=durable)

    def _add(self, handle: Handle, body: bytes, size: int, *, alone: bool = True, durable: bool = True) -> None:
        """Add whole lines to a file of this size; it stands as it was found when it was held, where `alone`."""
        fd, disk = handle.fd, self._disk
        try:
            written = disk.write(fd, body)
            if written < len(body):
                write_all(disk, fd, body[written:])
            end = os.lseek(fd, 0, SEEK_CUR)  # ours end there, whoever else wrote meanwhile
            handle.clean_size = handle.size = end
            handle.stamp = (handle.identity, end) if alone and end == size + len(body) else None
            self._feed.note(handle.path)
            if durable:
                disk.sync(fd)
        except BaseException:
            handle.clean_size, handle.size, handle.stamp = 0, size, None
            disk.truncate(fd, size)
            raise

    def enter(self, path: str, *, create: bool, replacing: bool = False) -> Handle:
        """Begin to hold a file, until `leave`."""
        handle = self._handles.get(path)
        left = self._wait_seconds
        if handle is None or not handle.lock.acquire(False):
            handle, left = self._awaited(path)
        elif handle.gone:
            handle.lock.release()
            handle, left = self._awaited(path)
        if not handle.depth:
            handle.holder = threading.get_ident()  # before the depth: `holds_any` looks without the lock
            self._handles.move_to_end(path)
        handle.depth += 1
        if handle.depth > 1 and (handle.fd >= 0 or not create):
            return handle
        try:
            flags = READ if replacing and not handle.keep else APPEND
            if self._lock_file(handle, left, create=create, flags=flags):
                handle.made = handle.depth
        except BaseException:
            self.leave(handle)
            raise
        return handle

    def leave(self, handle: Handle) -> None:
        """End a holding; a file that was made for it and got no byte is taken away."""
        try:
            if handle.made == handle.depth:
                handle.made = 0
                if handle.fd >= 0 and os.fstat(handle.fd).st_size == 0:
                    self._take_away(handle)
        finally:
            handle.depth -= 1
            if not handle.depth and handle.fd >= 0:
                try:
                    # Not by closing alone: a child forked meanwhile may still hold the descriptor.
                    self._disk.flock(handle.fd, fcntl.LOCK_UN)
                except OSError:
                    handle.close()  # what was appended stands; closing frees the lock as well
                else:
                    if not handle.keep:
                        handle.close()
            handle.lock.release()

    def _awaited(self, path: str) -> tuple[Handle, float]:
        """Give the handle of a file with its lock taken, and what is left of the time to wait for the file's own."""
        until = time.monotonic() + self._wait_seconds
        while True:
            with self._mutex:
                handle = self._handles.get(path)
                if handle is None:
                    handle = Handle(path)
                    handle.lock.acquire()  # before others can find it
                    handle.depth = 1  # where all others are held, the one to go would be this
                    self._handles[path] = handle
                    self._let_go(_KEPT_OPEN)
                    handle.depth = 0
                    handles.used(self)
                    return handle, self._wait_seconds
            if not handle.lock.acquire(timeout=max(0.0, until - time.monotonic())):
                raise _busy(path, self._wait_seconds)
            if not handle.gone:
                return handle, until - time.monotonic()
            handle.lock.release()

    def _lock_file(self, handle: Handle, seconds: float, *, create: bool, flags: int) -> bool:
        """Open and lock the file that stands at the path now; say whether it was made."""
        made = False
        deadline = 0.0
        while True:
            if handle.fd < 0:
                made = self._open(handle, create=create, flags=flags)
                if handle.fd < 0:
                    return False
            try:
                self._disk.flock(handle.fd, _LOCK_NOW)
            except BlockingIOError:
                deadline = deadline or time.monotonic() + seconds
                left = deadline - time.monotonic()
                if not wait_until(lambda: try_flock(self._disk, handle.fd), left):
                    raise _busy(handle.path, self._wait_seconds) from None
            try:
                found = os.lstat(handle.real)
                if (found.st_dev, found.st_ino) == handle.identity:
                    handle.size = size = found.st_size
                    handle.stamp = (handle.identity, size)
                    return made
            except (FileNotFoundError, NotADirectoryError):
                pass
            handle.close()  # replaced or taken away from outside while we waited

    def _open(self, handle: Handle, *, create: bool, flags: int) -> bool:
        made = False
        try:
            with self._tree.folder(handle.path, create=create) as (folder, name):
                while True:
                    try:
                        fd = self._tree.open_in(folder, name, handle.path, flags)
                        break
                    except FileNotFoundError:
                        if not create:
                            return False
                    try:
                        os.close(self._disk.open(name, CREATE, dir_fd=folder))
                        made = True
                    except FileExistsError:
                        continue
        except FileNotFoundError:
            if create:
                raise
            return False
        found = os.fstat(fd)
        handle.fd = fd
        handle.identity = (found.st_dev, found.st_ino)
        handle.real = self._tree.absolute(handle.path)
        handle.clean_size = 0
        return made

    def _take_away(self, handle: Handle) -> None:
        with self._tree.folder(handle.path) as (folder, name):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if (found.st_dev, found.st_ino) == handle.identity:
                self._disk.unlink(name, dir_fd=folder)
        handle.close()


def _busy(path: str, seconds: float) -> StoreBusyError:
    return StoreBusyError(f"{path!r} was locked by another writer for over {seconds:g} s; try again", path=path)
