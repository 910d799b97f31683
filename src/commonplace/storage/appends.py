"""Append-only files: whole lines go in at the end, one writer at a time, and a torn one stays alone.

The lock is `flock` on the file itself, so whoever appends with it, from any process, waits. Keeps a
few descriptors open between appends; a file replaced from outside is noticed and opened again.
Source: safety notes, findings 1 and 5 and section 2.2.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections import OrderedDict
from typing import Final

from commonplace import handles
from commonplace.errors import StoreBusyError
from commonplace.storage.disk import APPEND, CREATE, READ, Disk, write_all
from commonplace.storage.locks import try_flock, wait_until
from commonplace.storage.paths import Tree

_KEPT_OPEN: Final = 64
LINES_SUFFIX: Final = ".jsonl"


class Handle:
    """One append-only file as this process knows it; `fd` is -1 while it is not open.

    While it is held, `size` and `stamp` tell what stands in it: between two equal stamps nothing was added,
    cut off or put in its place. A stamp of None says that somebody wrote to it past the lock.
    """

    __slots__ = ("clean_size", "depth", "fd", "identity", "keep", "lock", "path", "pins", "real", "size", "stamp")

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
        self.pins = 0

    def close(self) -> None:
        """Let the descriptor go."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


class Hold:
    """A block in which one file is held; made by `Appender.hold`."""

    __slots__ = ("_appender", "_create", "_handle", "_made", "_path", "_replacing")

    def __init__(self, appender: Appender, path: str, *, create: bool, replacing: bool) -> None:
        self._appender = appender
        self._path = path
        self._create = create
        self._replacing = replacing

    def __enter__(self) -> Handle:
        self._handle, self._made = self._appender.enter(self._path, create=self._create, replacing=self._replacing)
        return self._handle

    def __exit__(self, *_: object) -> None:
        self._appender.leave(self._handle, made=self._made)


class _Held(threading.local):
    """How many holds the calling thread stands in."""

    count = 0


class Appender:
    """Appends to the files of one tree."""

    def __init__(self, tree: Tree, disk: Disk, *, wait_seconds: float) -> None:
        self._tree = tree
        self._disk = disk
        self._wait_seconds = wait_seconds
        self._handles: OrderedDict[str, Handle] = OrderedDict()
        self._mutex = threading.Lock()
        self._held = _Held()

    @property
    def holds_any(self) -> bool:
        """Whether the calling thread stands inside `hold`."""
        return bool(self._held.count)

    def forget(self) -> None:
        """Start anew in a forked child; locks of the parent stay the parent's."""
        for handle in self._handles.values():
            handle.close()
        self._handles = OrderedDict()
        self._mutex = threading.Lock()
        self._held = _Held()

    def close(self) -> None:
        """Close what is not in use."""
        handles.released(self)
        with self._mutex:
            self._close_unpinned()

    def rest(self) -> bool:
        """Close what is not in use until the next append; False where something is."""
        if not self._mutex.acquire(blocking=False):
            return False
        try:
            self._close_unpinned()
            return not self._handles
        finally:
            self._mutex.release()

    def _close_unpinned(self) -> None:
        for path, handle in list(self._handles.items()):
            if not handle.pins:
                handle.close()
                del self._handles[path]

    def hold(self, path: str, *, create: bool, replacing: bool = False) -> Hold:
        """Hold a file against other appenders, re-entrantly in one thread.

        Without `create`, a file that is not there is left so, and `fd` is -1. With it, a file that
        got no byte by the end is taken away again. For `replacing`, a document is not opened for
        writing: that would look like an editor at work.

        Raises:
            StoreBusyError: It was not free in time.
        """
        return Hold(self, path, create=create, replacing=replacing)

    def append(self, path: str, body: bytes, *, durable: bool) -> int:
        """Add whole lines and say at which offset they stand; on failure the file is as before."""
        handle, made = self.enter(path, create=True)
        try:
            return self.append_held(handle, body, durable=durable)
        finally:
            self.leave(handle, made=made)

    def append_held(self, handle: Handle, body: bytes, *, durable: bool) -> int:
        """Add whole lines to a file that is held."""
        fd = handle.fd
        size = os.lseek(fd, 0, os.SEEK_END)
        alone = size == handle.size and handle.stamp is not None
        if size == 0:
            # Before the first byte, so that a file with bytes always has its name on the disk.
            self._tree.sync_folders(handle.path)
        elif size != handle.clean_size and os.pread(fd, 1, size - 1) != b"\n":
            body = b"\n" + body
        try:
            write_all(self._disk, fd, body)
            if durable:
                self._disk.sync(fd)
        except BaseException:
            self._disk.truncate(fd, size)
            raise
        end = os.lseek(fd, 0, os.SEEK_CUR)  # ours end there, whoever else wrote meanwhile
        handle.clean_size = handle.size = end
        handle.stamp = (handle.identity, end) if alone and end == size + len(body) else None
        return size

    def enter(self, path: str, *, create: bool, replacing: bool = False) -> tuple[Handle, bool]:
        """Begin to hold a file; also say whether it was made for that."""
        handle = self._pin(path)
        left = self._wait_seconds
        if not handle.lock.acquire(blocking=False):
            started = time.monotonic()
            if not handle.lock.acquire(timeout=left):
                self._unpin(handle)
                raise _busy(path, self._wait_seconds)
            left -= time.monotonic() - started
        self._held.count += 1
        handle.depth += 1
        made = False
        if handle.depth == 1 or (handle.fd < 0 and create):
            flags = READ if replacing and not handle.keep else APPEND
            try:
                made = self._lock_file(handle, left, create=create, flags=flags)
            except BaseException:
                self.leave(handle, made=False)
                raise
        return handle, made

    def leave(self, handle: Handle, *, made: bool) -> None:
        """End a holding; a file that was made for it and got no byte is taken away."""
        try:
            if made and handle.fd >= 0 and os.fstat(handle.fd).st_size == 0:
                self._take_away(handle)
        finally:
            handle.depth -= 1
            self._held.count -= 1
            if not handle.depth:
                self._unlock_file(handle)
            handle.lock.release()
            self._unpin(handle)

    def _pin(self, path: str) -> Handle:
        with self._mutex:
            handle = self._handles.get(path)
            if handle is None:
                handle = self._handles[path] = Handle(path)
                handle.pins = 1  # first: where all others are held, the one to go would be this
                self._evict()
                handles.used(self)
            else:
                self._handles.move_to_end(path)
                handle.pins += 1
            return handle

    def _unpin(self, handle: Handle) -> None:
        with self._mutex:
            handle.pins -= 1

    def _evict(self) -> None:
        if len(self._handles) <= _KEPT_OPEN:
            return
        for path, handle in list(self._handles.items()):
            if not handle.pins and len(self._handles) > _KEPT_OPEN:
                handle.close()
                del self._handles[path]

    def _lock_file(self, handle: Handle, seconds: float, *, create: bool, flags: int) -> bool:
        """Open and lock the file that stands at the path now; say whether it was made."""
        made = False
        deadline = 0.0
        while True:
            if handle.fd < 0:
                made = self._open(handle, create=create, flags=flags)
                if handle.fd < 0:
                    return False
            if not try_flock(self._disk, handle.fd):
                deadline = deadline or time.monotonic() + seconds
                left = deadline - time.monotonic()
                if not wait_until(lambda: try_flock(self._disk, handle.fd), left):
                    raise _busy(handle.path, self._wait_seconds)
            try:
                found = os.lstat(handle.real)
                if (found.st_dev, found.st_ino) == handle.identity:
                    handle.size = found.st_size
                    handle.stamp = (handle.identity, found.st_size)
                    return made
            except (FileNotFoundError, NotADirectoryError):
                pass
            handle.close()  # replaced or taken away from outside while we waited

    def _unlock_file(self, handle: Handle) -> None:
        if handle.fd < 0:
            return
        keep_open = handle.keep
        try:
            # Not by closing alone: a child forked meanwhile may still hold the descriptor.
            self._disk.flock(handle.fd, fcntl.LOCK_UN)
        except OSError:
            keep_open = False  # what was appended stands; closing frees the lock as well
        if not keep_open:
            handle.close()

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
