"""Which file a path means: inside the root, a plain file, never through a link that leads out.

A path is walked one component at a time without following links. A link whose target stays inside
the root is resolved first; what it resolves to is walked the same way.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from operator import attrgetter
from typing import Final

from commonplace.errors import PathError
from commonplace.store.files.disk import FOLDER, READ, Disk, closed, read_all
from commonplace.store.protocol import STATE, Stat
from commonplace.text.patterns import pattern

_FORBIDDEN: Final = pattern(r"[\x00-\x1f\x7f\\\ud800-\udfff]|^[A-Za-z]:")
_OURS: Final = frozenset(["log", "lock", "feed", "key", "state", "swapped"])
_NAME_BYTES: Final = 255
_TEMPORARY: Final = pattern(r"\..*\.\d+-\d+(?:-\d+)?\.cptmp\Z", re.DOTALL)


def is_temporary(name: str) -> bool:
    """True if a file name is one that a commit gives to a file on its way."""
    return _TEMPORARY.match(name) is not None


def is_plain(name: str) -> bool:
    """True if a path can name a file of this name: no control character, no backslash, nothing that is no UTF-8."""
    return _FORBIDDEN.search(name) is None


@lru_cache(1024)
def split(path: str) -> tuple[str, ...]:
    """Split a path into its components.

    Raises:
        PathError: It is absolute, empty, leaves the root, is not portable, or is the store's own.
    """
    parts = tuple(path.split("/"))
    if _FORBIDDEN.search(path) or any(part in {"", ".", ".."} for part in parts):
        raise PathError(f"{path[:200]!r} is not a relative path with / between plain names", path=path[:200])
    try:
        too_long = any(len(os.fsencode(part)) > _NAME_BYTES for part in parts)
    except UnicodeEncodeError:
        raise PathError(f"{path[:200]!r} holds characters that no file name can", path=path[:200]) from None
    if too_long:
        raise PathError(f"{path[:60]!r}... has a name over {_NAME_BYTES} bytes", path=path[:200])
    if parts[0] == STATE and (len(parts) == 1 or parts[1] in _OURS):
        raise PathError(f"{path[:200]!r} is the store's own", path=path[:200])
    if is_temporary(parts[-1]):
        raise PathError(f"{path[:200]!r} looks like a file on its way; use another name", path=path[:200])
    return parts


class Tree:
    """The files below one root."""

    def __init__(self, root: str, disk: Disk) -> None:
        try:
            os.stat(root)
        except (ValueError, OSError) as error:
            if getattr(error, "errno", errno.ENAMETOOLONG) == errno.ENAMETOOLONG:
                raise PathError(f"no folder can be called {root[:200]!r}", path=root[:200]) from None
        self.root = os.path.realpath(root)
        self._disk = disk
        self._above_unsynced = True

    @contextmanager
    def folder(self, path: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
        """Open the folder a path lies in: (descriptor, name in it); FileNotFoundError where there is none."""
        parts = split(path)
        try:
            fd = self._descend(parts, create=create)
        except (NotADirectoryError, OSError) as error:
            if isinstance(error, FileNotFoundError):
                raise
            parts = self._resolved(path, parts, error)
            fd = self._descend(parts, create=create)
        else:
            if _is_link(parts[-1], fd):
                os.close(fd)
                parts = self._resolved(path, parts, None)
                fd = self._descend(parts, create=create)
        try:
            yield fd, parts[-1]
        finally:
            closed(fd)

    @contextmanager
    def folders(self) -> Iterator[Callable[[str], tuple[int, str]]]:
        """Return what opens the folder that a path lies in, made if missing: of many paths each folder once."""
        known: dict[str, int] = {}
        with ExitStack() as stack:

            def opened(path: str) -> tuple[int, str]:
                above, _, name = path.rpartition("/")
                if above in known and not _is_link(name, known[above]):
                    split(path)
                    return known[above], name
                found = stack.enter_context(self.folder(path, create=True))
                if not os.path.islink(os.path.join(self.root, path)):
                    known[above] = found[0]
                return found

            yield opened

    def open(self, path: str, flags: int = READ) -> int:
        """Open a plain file below the root.

        Raises:
            FileNotFoundError: There is none.
            PathError: It is a folder, pipe or device, or leads out of the root.
        """
        with self.folder(path) as (folder, name):
            return self.open_in(folder, name, path, flags)

    def open_in(self, folder: int, name: str, path: str, flags: int = READ) -> int:
        """Open a plain file in an open folder; `path` is for the message."""
        fd = self._disk.open(name, flags, dir_fd=folder)
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise PathError(f"{path!r} is not a plain file", path=path)
        return fd

    def read(self, path: str) -> bytes | None:
        """Read a whole file; None where there is none."""
        try:
            fd = self.open(path)
        except FileNotFoundError:
            return None
        try:
            return read_all(fd)
        finally:
            os.close(fd)

    def sync_folders(self, path: str) -> None:
        """Bring the folders above a file to the disk."""
        self.sync_up(os.path.dirname(os.path.join(self.root, *split(path))))

    def sync_up(self, folder: str) -> None:
        """Bring a folder below the root and those above it to the disk; those above the root only once."""
        self._disk.sync_folder(folder)
        while folder != self.root:
            folder = os.path.dirname(folder)
            self._disk.sync_folder(folder)
        with suppress(OSError):  # what we may not open was not made for this root
            while self._above_unsynced:
                above = os.path.dirname(folder)
                self._above_unsynced = above != folder
                folder = above
                self._disk.sync_folder(folder)
        self._above_unsynced = False

    def list(self, prefix: str) -> list[Stat]:
        """List the plain files below a folder, sorted by path.

        Left out: links (of the folder itself, one that leads out), names that begin with a dot (unless the prefix names
        them) and names that no path can spell.
        """
        prefix = prefix.strip("/")
        start = self.root
        if prefix:
            split(f"{prefix}/-")
            start = os.path.join(self.root, prefix)
            if not (os.path.realpath(start) + "/").startswith(self.root + "/"):
                return []
        stats: list[Stat] = []
        folders = [(start, prefix)]
        while folders:
            folder, below = folders.pop()
            try:
                entries = os.scandir(folder)
            except (FileNotFoundError, NotADirectoryError):
                continue
            with entries:
                for entry in entries:
                    path = f"{below}/{entry.name}" if below else entry.name
                    if entry.name.startswith(".") or not is_plain(entry.name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        if below != STATE or entry.name not in _OURS:
                            folders.append((entry.path, path))
                    elif entry.is_file(follow_symlinks=False):
                        with suppress(FileNotFoundError):  # taken away since
                            stats.append(_stat(path, entry.stat(follow_symlinks=False)))
        return sorted(stats, key=attrgetter("path"))

    def _descend(self, parts: tuple[str, ...], *, create: bool) -> int:
        fd = os.open(self.root, FOLDER)
        for part in parts[:-1]:
            try:
                try:
                    below = os.open(part, FOLDER, dir_fd=fd)
                except FileNotFoundError:
                    if not create:
                        raise
                    with suppress(FileExistsError):  # another process made it first
                        self._disk.mkdir(part, dir_fd=fd)
                    below = os.open(part, FOLDER, dir_fd=fd)
            finally:
                os.close(fd)
            fd = below
        return fd

    def _resolved(self, path: str, parts: tuple[str, ...], error: OSError | None) -> tuple[str, ...]:
        real = os.path.realpath(os.path.join(self.root, *parts))
        inside = os.path.relpath(real, self.root)
        if not real.startswith(self.root.rstrip("/") + "/"):
            raise PathError(f"{path!r} leads out of the store", path=path)
        found = split(inside)
        if found == parts:
            raise error or PathError(f"{path!r} is a link that cannot be followed", path=path)
        return found


def _is_link(name: str, folder: int) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _stat(path: str, found: os.stat_result) -> Stat:
    numbers = f"{found.st_size:x}-{found.st_mtime_ns:x}-{found.st_ctime_ns:x}-{found.st_ino:x}"
    return Stat(path, found.st_size, numbers, found.st_mtime_ns)
