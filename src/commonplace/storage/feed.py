"""Which files were appended to, in order: one line for each append, so that an index reads only those.

A hint and no truth: it is not synced, and when it is lost or begins anew a reader looks at
everything. A number is (which feed, byte offset) in one integer that grows within one feed.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from os import SEEK_CUR
from typing import Final

from commonplace import handles
from commonplace.storage.disk import CREATE, FILE_MODE, Disk, last_line_end, write_all
from commonplace.storage.locks import boot_id

_OFFSET_BITS: Final = 36
_TRIES: Final = 8  # to find the feed that others write to, too
_LIMIT_BYTES: Final = 8_000_000  # past this it begins anew; readers then look at everything once
_NAMES: Final = sys.getfilesystemencoding()
_ODD_NAMES: Final = sys.getfilesystemencodeerrors()
_HEAD: Final = re.compile(rb"feed ([0-9]+) ([0-9a-z-]+)\n")


class Feed(handles.Kept):
    """The feed file of one scope."""

    def __init__(self, path: str, disk: Disk) -> None:
        super().__init__()
        self._path = path
        self._disk = disk
        self._feed = 0

    def note(self, path: str) -> int:
        """Write that a file was appended to; the number is 0 where it could not be written."""
        line = path.encode(_NAMES, _ODD_NAMES) + b"\n"
        with self._mutex:
            try:
                for _ in range(_TRIES):
                    if self._fd < 0:
                        self._open()
                    fd, disk = self._fd, self._disk
                    written = disk.write(fd, line)
                    if written < len(line):
                        write_all(disk, fd, line[written:])
                    end = os.lseek(fd, 0, SEEK_CUR)
                    named = os.fstat(fd).st_nlink > 0  # a feed that begins anew takes the name of the one before
                    if named and end <= _LIMIT_BYTES:
                        return self._feed << _OFFSET_BITS | end
                    self._let_go()
                    if named:
                        self._begin()
            except OSError:
                # The append itself stands. Without its line the feed would lie, so it goes: readers look at all.
                self._let_go()
                with suppress(OSError):
                    self._disk.unlink(self._path)
        return 0

    def since(self, number: int, *, begin: bool = False) -> tuple[int, tuple[str, ...] | None]:
        """Give the newest number and the files noted after `number`; None means look at everything.

        With `begin`, a feed that is not there or of an earlier boot begins anew, so that a reader who
        looked at everything once need not do it again before somebody appends.
        """
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return self._begun() if begin else (0, None)
        except OSError:
            return 0, None
        try:
            feed, start = _head(fd)
            if not feed and begin:
                return self._begun()
            size = os.fstat(fd).st_size
            offset = number & ((1 << _OFFSET_BITS) - 1)
            known = feed and number >> _OFFSET_BITS == feed and start <= offset <= size
            data = os.pread(fd, size - offset + 1, offset - 1) if known else b""
            if not known or not data.startswith(b"\n"):
                size = last_line_end(fd, size)
                return (feed << _OFFSET_BITS | size if feed else 0), None
        finally:
            os.close(fd)
        whole = data.rfind(b"\n")
        paths = dict.fromkeys(os.fsdecode(line) for line in data[1 : whole + 1].split(b"\n") if line)
        return feed << _OFFSET_BITS | (offset + whole), tuple(paths)

    def _begun(self) -> tuple[int, None]:
        with self._mutex, suppress(OSError):  # nowhere to write: then there is no number to go by
            self._begin()
            return self.since(0)[0], None
        return 0, None

    def _open(self) -> None:
        while True:
            try:
                fd = self._disk.open(self._path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
            except FileNotFoundError:
                self._begin()
                continue
            feed, _ = _head(fd)
            if feed:
                self._fd, self._feed = fd, feed
                handles.used(self)
                return
            os.close(fd)
            self._begin()  # of an earlier boot, whose last lines may be lost, or damaged

    def _begin(self) -> None:
        feed = int.from_bytes(os.urandom(3), "big") + 1  # must differ from any feed a reader remembers
        fresh = f"{self._path}.{os.getpid()}-{feed}"
        fd = self._disk.open(fresh, CREATE, FILE_MODE)
        try:
            write_all(self._disk, fd, f"feed {feed} {boot_id()}\n".encode())
        finally:
            os.close(fd)
        os.replace(fresh, self._path)


def _head(fd: int) -> tuple[int, int]:
    """Read (which feed, where its lines begin); feed 0 is one that cannot be used."""
    found = _HEAD.match(os.pread(fd, 128, 0))
    if found is None or found[2].decode() != boot_id():
        return 0, 0
    return int(found[1]), found.end()
