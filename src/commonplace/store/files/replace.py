"""Replace a document so that an edit from outside at the very same moment is not lost.

The new bytes are written beside the old file and synced. Then the two swap names in one step, and what came
out is read. Anything but what was expected is an edit from outside: it gets its name back, and is merged
with ours, or stays instead of ours. What came out is set aside among our own files until the next change, which reads
it once more (`redo`): a program may have opened it before the swap and written after it.
"""

from __future__ import annotations

import errno
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, TypeVar

import msgspec

from commonplace.store.files.disk import CREATE, FILE_MODE, Disk, closed, read_all, typed, write_all
from commonplace.store.files.paths import Tree
from commonplace.store.protocol import Rebase

QUIET_SECONDS: Final = 0.02  # an editor that truncates and writes in place is done when nothing moved so long
PATIENCE_SECONDS: Final = 1.0  # a program that writes without end is not waited for
_ROUNDS: Final = 50  # so many edits against one commit are no accident; ours then waits in the log
_NAME_BYTES: Final = 180
_TURNS: Final = (1, 0)  # of temporary names: that of a change, and of what recovery writes beside it

_T = TypeVar("_T")

_logger = logging.getLogger(__name__)


class Place(msgspec.Struct, frozen=True):
    """One file that a change writes: its open folder, its name there, its path, and whose write it is."""

    folder: int
    name: str
    path: str
    number: int
    index: int

    def temporary(self, turn: int = 0) -> str:
        """Return the name of the file that swaps with this one; no other has it while the scope lock is held."""
        head = os.fsdecode(os.fsencode(self.name)[:_NAME_BYTES])
        tail = f"-{turn}" if turn else ""
        return f".{head}.{self.number}-{self.index}{tail}.cptmp"


class Partly(bytes):
    """What a `Rebase` returns if something of ours was left out: the merged bytes."""


class Replacer:
    """Replaces documents below one tree; used by one thread at a time, under the scope lock."""

    def __init__(self, tree: Tree, disk: Disk, rebase: Rebase | None, aside: str) -> None:
        self._tree = tree
        self._disk = disk
        self._rebase = rebase
        self.aside = aside
        self.untidy = False  # a temporary file could not be deleted

    def build(self, place: Place, content: bytes, turn: int = 0) -> None:
        """Write and sync content under a temporary name, with the mode of what it will replace."""
        name = place.temporary(turn)
        mode, owner = FILE_MODE, None
        try:
            found = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
            mode, owner = found.st_mode & 0o777, (found.st_uid, found.st_gid)
        except FileNotFoundError:
            pass
        try:
            fd = self._disk.open(name, CREATE, mode, dir_fd=place.folder)
        except FileExistsError:  # of a commit that died before it was logged
            self._disk.unlink(name, dir_fd=place.folder)
            fd = self._disk.open(name, CREATE, mode, dir_fd=place.folder)
        try:
            if owner is not None and owner != (os.geteuid(), os.getegid()):
                _give(fd, owner)
            write_all(self._disk, fd, content)
            self._disk.sync_all(fd)  # before its name changes: a loss of power never leaves half a document
        finally:
            closed(fd)

    def put(self, place: Place, before: bytes | None, ours: bytes, turn: int = 0) -> bool:
        """Replace `before` by what was built; False if an edit from outside kept some of it out."""
        expected, merged = before, ours
        for _ in range(_ROUNDS):
            if self._swap(place, place.temporary(turn), expected):
                self._set_aside(place, turn)
                return not isinstance(merged, Partly)
            expected = quiet(partial(self.read, place, place.name))
            found = self.merge(place, before or b"", expected or b"", ours)
            if found is None or found == (expected or b""):
                self.drop(place, turn)
                return found is not None and not isinstance(found, Partly)
            merged = found
            self.build(place, merged, turn)
        self.drop(place, turn)
        return False

    def delete(self, place: Place, before: bytes | None) -> bool:
        """Delete a file; False if an edit from outside stays instead."""
        temporary = place.temporary()
        try:
            self._disk.rename_new(place.name, temporary, dir_fd=place.folder)
        except FileNotFoundError:
            return True
        if self.read(place, temporary) == before:
            self._set_aside(place, 0)
            return True
        try:
            self._disk.rename_new(temporary, place.name, dir_fd=place.folder)
        except FileExistsError:
            self.drop(place)  # saved once more meanwhile
        return False

    def merge(self, place: Place, before: bytes, theirs: bytes, ours: bytes) -> bytes | None:
        """Merge two edits; None if that is not possible."""
        if theirs == ours:
            return ours
        if self._rebase is None:
            return None
        try:
            return self._rebase(place.path, before, theirs, ours)
        except Exception:  # a foreign callback must not leave a commit half applied
            _logger.exception(
                "merging an edit from outside failed; the file stays as it was left", extra={"path": place.path}
            )
            return None

    def read(self, place: Place, name: str, *, sync: bool = False) -> bytes | None:
        """Read a file beside the place; None if there is none. With `sync` what was read is on the disk as well."""
        try:
            fd = self._tree.open_in(place.folder, name, place.path)
        except FileNotFoundError:
            return None
        try:
            if sync:
                self._disk.sync(fd)
            return read_all(fd)
        finally:
            closed(fd)

    def drop(self, place: Place, *turns: int) -> None:
        """Delete temporary files of a place, those of all turns unless some are named."""
        for turn in turns or _TURNS:
            try:
                self._disk.unlink(place.temporary(turn), dir_fd=place.folder)
            except FileNotFoundError:
                continue
            except OSError as error:  # the change is done; a sweep takes the rest away
                self.untidy = True
                _logger.warning("a temporary file could not be deleted: %s", typed(error, place.path))

    def _set_aside(self, place: Place, turn: int) -> None:
        """Keep the file that was swapped out, to be compared at the next commit; what recovery swapped out is not."""
        if not turn:
            aside = os.path.join(self.aside, f"{place.number}-{place.index}")
            with suppress(OSError):  # nothing came out, or our own files are on another file system
                self._disk.move(place.temporary(), aside, place.folder)
                return
        self.drop(place, turn)

    def _swap(self, place: Place, temporary: str, expected: bytes | None) -> bool:
        """Swap the temporary file with the expected one; False, with nothing done, if another file is there."""
        try:
            if expected is None:
                self._disk.rename_new(temporary, place.name, dir_fd=place.folder)
                return True
            if not self._disk.exchange(temporary, place.name, dir_fd=place.folder):
                return self._rename(place, temporary, expected)
        except (FileExistsError, FileNotFoundError):
            return False
        came_out = False
        try:
            came_out = self.read(place, temporary) == expected
        finally:
            if not came_out:  # at once: a program that is still writing goes on in the file that has the name
                self._swap_back(place, temporary)
        return came_out

    def _swap_back(self, place: Place, temporary: str) -> None:
        try:
            self._disk.exchange(temporary, place.name, dir_fd=place.folder)
        except FileNotFoundError:  # ours was taken away already
            self._disk.rename_new(temporary, place.name, dir_fd=place.folder)

    def _rename(self, place: Place, temporary: str, expected: bytes) -> bool:
        """Swap where the system has no call for it; leaves a gap of microseconds between the look and the rename."""
        if self.read(place, place.name) != expected:
            return False
        self._disk.rename(temporary, place.name, dir_fd=place.folder)
        return True


def quiet(read: Callable[[], _T], is_begun: Callable[[_T], bool] = lambda data: data == b"") -> _T:
    """Read what another program edits, once it does not change any more; an empty file is about to be written.

    Args:
        read: Reads it.
        is_begun: True of what was read if a save has begun and is not at its end.
    """
    give_up = time.monotonic() + PATIENCE_SECONDS
    data = read()
    while time.monotonic() < give_up:
        time.sleep(QUIET_SECONDS)
        before, data = data, read()
        if data == before and not is_begun(data):
            break
    return data


def _give(fd: int, owner: tuple[int, int]) -> None:
    try:
        os.fchown(fd, *owner)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.EINVAL}:
            raise
