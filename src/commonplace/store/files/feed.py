"""Which files were appended to since a reader last asked, so that an index reads only those.

One line for each append: a random word, and the path. A reader remembers the last line it read and where that
line is. If it is not there any more (the feed was lost, or made again), the reader looks at all files.

A hint and no truth: it is not synced and takes no lock. A writer appends to its file first and notes it then; a
reader reads the feed first and the files then. So a line that goes to a feed which was just taken away is not
missed: a reader of the next feed looked at all files after that append.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final, NamedTuple

from commonplace.store.files.disk import READ, Disk, read_all, write_all

_WRITE: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
LIMIT_BYTES: Final = 1_000_000  # a longer feed is taken away; readers then look at everything once
_WORD_BYTES: Final = 6


class Mark(NamedTuple):
    """Where a reader of the feed stopped: the last line it read, and where that line begins."""

    line: bytes
    start: int


class Feed:
    """The feed file of one scope."""

    def __init__(self, path: str, disk: Disk) -> None:
        self._path = path
        self._disk = disk

    def note(self, path: str) -> None:
        """Add a file that was appended to; raises nothing."""
        # The break comes first, so that a torn line of a dead writer stays alone.
        line = b"\n%s %s\n" % (os.urandom(_WORD_BYTES).hex().encode(), os.fsencode(path))
        try:
            fd = self._disk.open(self._path, _WRITE)
            try:
                write_all(self._disk, fd, line)
                is_long = os.fstat(fd).st_size > LIMIT_BYTES
            finally:
                os.close(fd)
            if is_long:
                self._disk.unlink(self._path)
        except OSError:
            # The append itself is done. Without its line the feed would lie, so it goes: readers look at all.
            with suppress(OSError):
                self._disk.unlink(self._path)

    def since(self, mark: object, *, begin: bool) -> tuple[Mark | None, tuple[str, ...] | None]:
        """Return a mark of now, and the files that were appended to after an earlier mark; None for all files.

        With `begin`, a feed that is missing is begun; without it nothing is written.
        """
        mark = mark if isinstance(mark, Mark) else None
        try:
            if begin and not os.path.exists(self._path):
                self.note("")
            fd = os.open(self._path, READ)
            try:
                start = mark.start if mark else 0
                data = read_all(fd, start)
                known = mark is not None and data.startswith(mark.line)
                if not known:
                    start, data = 0, read_all(fd)
            finally:
                os.close(fd)
        except OSError:
            return None, None
        data = data[: data.rfind(b"\n") + 1]
        last = data.rfind(b"\n", 0, -1) + 1
        lines = data.split(b"\n")[1:] if known else []
        paths = dict.fromkeys(os.fsdecode(line.partition(b" ")[2]) for line in lines)
        paths.pop("", None)
        return Mark(data[last:], start + last) if data else None, tuple(paths) if known else None
