"""The system calls through which the store on files touches a disk, and what their failures mean.

Every call that changes, syncs or locks something goes through `Disk`, so that a test can make any
single one fail or die. Owns no path and no format.
"""

from __future__ import annotations

import errno
import fcntl
import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from commonplace.errors import (
    CommonplaceError,
    PathError,
    StoreError,
    StoreFailedError,
    StoreFullError,
    StoreReadOnlyError,
)

_RENAME_NOREPLACE: Final = 1
_RENAME_EXCHANGE: Final = 2
_FALLOC_FL_KEEP_SIZE: Final = 1

_FULL: Final = frozenset([errno.ENOSPC, errno.EFBIG, errno.EDQUOT])
_EXHAUSTED: Final = frozenset([errno.EMFILE, errno.ENFILE])
_FORBIDDEN: Final = frozenset([errno.EACCES, errno.EPERM, errno.EROFS])
NOT_A_FILE: Final = frozenset([errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ESPIPE])
"""What the system says of a link, a folder or a pipe that has the name of a file."""
_BAD_PATH: Final = NOT_A_FILE | {errno.ENOTDIR, errno.ENAMETOOLONG}
_NO_SUCH_CALL: Final = frozenset([errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTTY])

READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
APPEND: Final = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700


class SyncFailedError(OSError):
    """A sync was refused by the disk: what was written since the last one may be gone."""


class Disk:
    """The calls themselves; a test overrides single ones.

    `write` writes some of the data and says how much, `flock` locks or unlocks an open file. They are the
    system's own: every message goes through them twice, and a function around each costs as much again.
    """

    write = staticmethod(os.write)
    flock = staticmethod(fcntl.flock)

    def open(self, path: str, flags: int, mode: int = FILE_MODE, *, dir_fd: int | None = None) -> int:
        """Open a file; the mode holds whatever the umask says."""
        fd = os.open(path, flags, mode, dir_fd=dir_fd)
        if flags & os.O_EXCL:
            os.fchmod(fd, mode)
        return fd

    def mkdir(self, path: str, *, dir_fd: int | None = None) -> None:
        """Make a folder that only its owner may enter."""
        os.mkdir(path, FOLDER_MODE, dir_fd=dir_fd)

    def pwrite(self, fd: int, data: bytes, offset: int) -> int:
        """Write some of the data at a place."""
        return os.pwrite(fd, data, offset)

    def sync(self, fd: int) -> None:
        """Bring a file's data to the disk."""
        try:
            os.fdatasync(fd)
        except OSError as error:
            raise SyncFailedError(error.errno, f"sync failed: {error.strerror}") from error

    def sync_all(self, fd: int) -> None:
        """Bring a file's or folder's data and metadata to the disk."""
        try:
            os.fsync(fd)
        except OSError as error:
            raise SyncFailedError(error.errno, f"sync failed: {error.strerror}") from error

    def sync_folder(self, path: str) -> None:
        """Bring the names in a folder to the disk."""
        fd = os.open(path, FOLDER & ~os.O_NOFOLLOW)
        try:
            self.sync_all(fd)
        finally:
            closed(fd)

    def truncate(self, fd: int, size: int) -> None:
        """Cut a file."""
        os.ftruncate(fd, size)

    def reserve(self, fd: int, offset: int, size: int) -> None:
        """Set blocks aside so that a later write cannot run out of space; no-op where unsupported."""
        if not size:
            return
        code = _libc("fallocate", fd, _FALLOC_FL_KEEP_SIZE, offset, size)
        if code and code not in _NO_SUCH_CALL:
            raise OSError(code, os.strerror(code))

    def rename(self, old: str, new: str, *, dir_fd: int) -> None:
        """Replace one name by another."""
        os.replace(old, new, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)

    def move(self, name: str, path: str, dir_fd: int) -> None:
        """Move a file out of a folder."""
        os.rename(name, path, src_dir_fd=dir_fd)

    def rename_new(self, old: str, new: str, *, dir_fd: int) -> None:
        """Rename only if the new name is free; else FileExistsError."""
        if self._renameat2(old, new, dir_fd, _RENAME_NOREPLACE):
            return
        os.link(old, new, src_dir_fd=dir_fd, dst_dir_fd=dir_fd, follow_symlinks=False)
        os.unlink(old, dir_fd=dir_fd)

    def exchange(self, one: str, other: str, *, dir_fd: int) -> bool:
        """Swap two names in one step; False where the system cannot."""
        return self._renameat2(one, other, dir_fd, _RENAME_EXCHANGE)

    def unlink(self, path: str, *, dir_fd: int | None = None) -> None:
        """Remove a name."""
        os.unlink(path, dir_fd=dir_fd)

    def _renameat2(self, old: str, new: str, dir_fd: int, flags: int) -> bool:
        code = _libc("renameat2", dir_fd, os.fsencode(old), dir_fd, os.fsencode(new), flags)
        if code and code not in _NO_SUCH_CALL:
            raise OSError(code, os.strerror(code), old)
        return not code


def _libc(name: str, *arguments: int | bytes) -> int:
    """Make a call that `os` does not have and give its error number, 0 where it worked."""
    ctypes, library = _loaded()
    call = getattr(library, name, None)
    if call is None:
        return errno.ENOSYS
    wide = [ctypes.c_int64(each) if isinstance(each, int) else each for each in arguments]
    return 0 if call(*wide) == 0 else int(ctypes.get_errno())


@functools.cache
def _loaded() -> tuple[Any, Any]:
    import ctypes  # noqa: PLC0415 - a few ms that a process pays only where it makes one of these rare calls

    return ctypes, ctypes.CDLL(None, use_errno=True)


def make_folders(path: str) -> None:
    """Make a folder and those above it that are missing; only their owner may enter what was made."""
    if os.path.isdir(path):
        return
    make_folders(os.path.dirname(os.path.abspath(path)))
    with suppress(FileExistsError):  # another process made it first
        os.mkdir(path, FOLDER_MODE)


def closed(fd: int) -> None:
    """Close what was read or synced; an error of `close` changes neither."""
    with suppress(OSError):
        os.close(fd)


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    """Write every byte, however the system splits them."""
    written = disk.write(fd, data)
    while written < len(data):
        written += disk.write(fd, memoryview(data)[written:])


def read_all(fd: int, start: int = 0) -> bytes:
    """Read the bytes of an open file from start to where it ends."""
    return read_span(fd, start, os.fstat(fd).st_size)


def read_span(fd: int, start: int, stop: int) -> bytes:
    """Read the bytes from start to stop of an open file that is known to be as long, or to where it ends by now."""
    parts: list[bytes] = []
    while start < stop:
        part = os.pread(fd, min(stop - start, 1 << 24), start)
        if not part:
            break
        parts.append(part)
        start += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def last_line_end(fd: int, size: int) -> int:
    """Find where the last whole line of an open file's first `size` bytes ends."""
    while size > 0:
        start = max(0, size - 4096)
        found = os.pread(fd, size - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        size = start
    return 0


def typed(error: OSError, path: str = "", *, reading: bool = False) -> CommonplaceError:
    """Turn a failed system call into the error that callers know."""
    if isinstance(error, CommonplaceError):
        return error
    what = f"{path!r}: {error.strerror or error}" if path else str(error.strerror or error)
    if isinstance(error, SyncFailedError):
        return StoreFailedError(f"the disk failed a sync ({what}); reopen the store before writing again", path=path)
    if error.errno in _FULL:
        return StoreFullError(f"no room to write ({what}); nothing was changed, free some space", path=path)
    if error.errno in _EXHAUSTED:
        return StoreFullError(f"no more files can be opened ({what}); nothing was changed, close some", path=path)
    if error.errno in _FORBIDDEN and reading:
        return StoreError(f"reading is not allowed here ({what})", path=path)
    if error.errno in _FORBIDDEN:
        return StoreReadOnlyError(f"writing is not allowed here ({what})", path=path)
    if error.errno in _BAD_PATH:
        return PathError(f"not a path of a plain file inside the store ({what})", path=path)
    return StoreError(f"the file system refused ({what}); nothing was changed", path=path)


@contextmanager
def typed_errors(path: str = "", *, reading: bool = False) -> Iterator[None]:
    """Raise every failed system call inside as its typed error."""
    try:
        yield
    except CommonplaceError:
        raise
    except OSError as error:
        raise typed(error, path, reading=reading) from error
