"""Which files grew since somebody looked, so that an index reads only those.

A file of lines, each the path of a file that was appended to. Whoever looks ends what it has read with an
empty line, unless it may not write. So a line stands until it is ended: a writer whose line still does writes
no other, and every append that comes before a look has a line before the end of that look. Order is what this
rests on: a writer adds to its file first and sees to its line then; a reader looks into files after it has
read here.

A hint and no truth: it is not synced, and when it is lost or begins anew a reader looks at everything. A number
is (which feed, byte offset behind its head or an empty line) in one integer; 0 is that of none.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from contextlib import suppress
from os import SEEK_CUR
from typing import Final

from commonplace.store import handles
from commonplace.store.files.disk import APPEND, CREATE, FILE_MODE, READ, Disk, write_all
from commonplace.store.files.locks import boot_id

_OFFSET_BITS: Final = 36
_TRIES: Final = 8  # to find the feed that others write to, too
_LIMIT_BYTES: Final = 1_000_000  # past this it begins anew; readers then look at everything once
_NAMES: Final = sys.getfilesystemencoding()
_ODD_NAMES: Final = sys.getfilesystemencodeerrors()
_HEAD: Final = re.compile(rb"feed ([0-9]+) ([0-9a-z-]+)\n")


class Feed(handles.Kept):
    """The feed file of one scope."""

    def __init__(self, path: str, disk: Disk) -> None:
        super().__init__()
        self._path = path
        self._disk = disk
        self._standing: set[str] = set()  # whose lines of ours end the feed, unless it is longer now than `_end`
        self._end = 0

    def forget(self) -> None:
        """Start anew in a forked child."""
        super().forget()
        self._standing = set()

    def note(self, path: str) -> None:
        """See to it that the next look at the feed names this file, which was appended to; raises nothing."""
        with self._mutex:
            try:
                if path in self._standing:
                    found = os.fstat(self._fd)
                    if found.st_size == self._end and found.st_nlink:
                        return
                self._write(path)
            except OSError:
                # The append itself stands. Without its line the feed would lie, so it goes: readers look at all.
                self._let_go()
                with suppress(OSError):
                    self._disk.unlink(self._path)

    def since(self, number: int, *, mark: bool) -> tuple[int, tuple[str, ...] | None]:
        """Give the newest number and the files that grew after `number`; None means look at everything.

        That is so whenever the feed tells nothing: it is new, lost or damaged, or nothing can be written to it.
        With `mark`, what was read is ended with an empty line, and a feed that is not there or of an earlier
        boot begins anew. Without it nothing is written, and what no other reader has ended is given again.
        """
        try:
            fd = os.open(self._path, APPEND if mark else READ)
        except FileNotFoundError:
            return self._begun() if mark else (0, None)
        except OSError:
            return 0, None
        try:
            feed, start = _head(fd)
            if not feed:
                return self._begun() if mark else (0, None)
            offset, size = number & ((1 << _OFFSET_BITS) - 1), os.fstat(fd).st_size
            known = number >> _OFFSET_BITS == feed and start <= offset <= size
            if known and offset == size:
                return number, ()
            offset = offset if known else start
            data = os.pread(fd, size - offset + 1, offset - 1)  # with the newline before
            if known and not data.startswith(b"\n"):
                return 0, None
            if mark and not data.endswith(b"\n\n"):
                write_all(self._disk, fd, b"\n")
                data += os.pread(fd, os.lseek(fd, 0, SEEK_CUR) - size, size)
        except OSError:  # nowhere to write an empty line: without one a line may stand for what comes later
            return 0, None
        finally:
            os.close(fd)
        ended = offset + data.rfind(b"\n\n") + 1
        paths = dict.fromkeys(os.fsdecode(line) for line in data.split(b"\n") if line)
        return feed << _OFFSET_BITS | ended, tuple(paths) if known else None

    def _begun(self) -> tuple[int, None]:
        with self._mutex, suppress(OSError):  # nowhere to write: then there is no number to go by
            return self._begin(), None
        return 0, None

    def _write(self, path: str) -> None:
        line = path.encode(_NAMES, _ODD_NAMES) + b"\n"
        for _ in range(_TRIES):
            if self._fd < 0:
                self._open()
            write_all(self._disk, self._fd, line)
            end = os.lseek(self._fd, 0, SEEK_CUR)
            named = os.fstat(self._fd).st_nlink > 0  # a feed that begins anew takes the name of the one before
            if named and end <= _LIMIT_BYTES:
                began, expected, self._end = end - len(line), self._end, end
                if began != expected:  # others wrote between, an empty line perhaps
                    self._standing.clear()
                    if os.pread(self._fd, 1, began - 1) != b"\n":  # or half a line, before they died
                        continue
                self._standing.add(path)
                return
            self._let_go()
            if named:
                self._begin()
        raise OSError(errno.EBUSY, "others began the feed anew each time", self._path)

    def _let_go(self) -> None:
        self._standing.clear()
        super()._let_go()

    def _open(self) -> None:
        while True:
            try:
                fd = self._disk.open(self._path, APPEND)
            except FileNotFoundError:
                self._begin()
                continue
            if _head(fd)[0]:
                self._fd = fd
                handles.used(self)
                return
            os.close(fd)
            self._begin()  # of an earlier boot, whose last lines may be lost, or damaged

    def _begin(self) -> int:
        """Put a feed without lines in the place of whatever stands there, and give the number of its beginning."""
        feed = int.from_bytes(os.urandom(3), "big") + 1  # must differ from any feed a reader remembers
        fresh = f"{self._path}.{os.getpid()}-{feed}"
        fd = self._disk.open(fresh, CREATE, FILE_MODE)
        try:
            head = f"feed {feed} {boot_id()}\n".encode()
            write_all(self._disk, fd, head)
        finally:
            os.close(fd)
        os.replace(fresh, self._path)
        return feed << _OFFSET_BITS | len(head)


def _head(fd: int) -> tuple[int, int]:
    """Read (which feed, where its lines begin); feed 0 is one that cannot be used."""
    found = _HEAD.match(os.pread(fd, 128, 0))
    if found is None or found[2].decode() != boot_id():
        return 0, 0
    return int(found[1]), found.end()
