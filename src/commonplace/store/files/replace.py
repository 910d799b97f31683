"""Put a document in place so that an edit from outside at the very same moment is never lost.

Looking first and renaming then leaves a gap. So the new file and the old one swap names in one step,
and what came out is looked at: anything but what was expected is somebody's edit. It is merged and
goes in by another swap, or, where it cannot be merged, goes back and ours waits in the log. No edit's
file is taken away before a file that carries it stands in its place.
"""

from __future__ import annotations

import errno
import logging
import os
import time
from typing import Final

import msgspec

from commonplace.errors import PathError
from commonplace.store.files.appends import LINES_SUFFIX
from commonplace.store.files.disk import CREATE, FILE_MODE, Disk, being_written, read_all, typed, write_all
from commonplace.store.files.paths import Tree
from commonplace.store.protocol import Rebase

_QUIET_SECONDS: Final = 0.05  # an editor that truncates and writes in place is done when nothing moved so long
_POLL_SECONDS: Final = 0.005
_PATIENCE_SECONDS: Final = 2.0  # a program that keeps a file open for writing for ever is not waited for
_GRACE_SECONDS: Final = 0.0002  # for an opener that had found the old file's name but not opened it yet
_ROUNDS: Final = 50  # so many edits against one commit are no accident; ours then waits in the log
_NAME_BYTES: Final = 180

_logger = logging.getLogger(__name__)


class Place(msgspec.Struct, frozen=True):
    """One file that a change writes: its open folder, its name there, its path, and whose write it is."""

    folder: int
    name: str
    path: str
    number: int
    index: int

    def temporary(self, turn: int = 0, *, building: bool = False) -> str:
        """Name a file on its way to this place; nobody else's is named so while the scope lock is held."""
        head = os.fsdecode(os.fsencode(self.name)[:_NAME_BYTES])
        tail = f"-{turn}" if turn else ""
        return f".{head}.{self.number}-{self.index}{tail}.{'cpnew' if building else 'cptmp'}"


class _Displaced(msgspec.Struct, frozen=True):
    """An old file that was swapped out: what it held, what stands in its place, the turn that names it."""

    place: Place
    turn: int
    held: bytes
    standing: bytes | None


class Partly(bytes):
    """What a `Rebase` gives where something of ours gave way: the merged bytes, and word that not all is in them."""


class Replacer:
    """Puts documents in place below one tree; used by one thread at a time, under the scope lock."""

    def __init__(self, tree: Tree, disk: Disk, rebase: Rebase | None) -> None:
        self._tree = tree
        self._disk = disk
        self._rebase = rebase
        self._displaced: list[_Displaced] = []
        self._gave_way: list[Place] = []
        self.untidy = False  # a file on its way could not be taken away

    def build(self, place: Place, content: bytes, turn: int = 0) -> str:
        """Write content under a temporary name, with the mode of what it will replace."""
        name = place.temporary(turn)
        fresh = place.temporary(turn, building=True) if turn else name
        mode, owner = FILE_MODE, None
        try:
            found = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
            mode, owner = found.st_mode & 0o777, (found.st_uid, found.st_gid)
        except FileNotFoundError:
            pass
        try:
            fd = self._disk.open(fresh, CREATE, mode, dir_fd=place.folder)
        except FileExistsError:  # of a commit that died before it was logged
            self._disk.unlink(fresh, dir_fd=place.folder)
            fd = self._disk.open(fresh, CREATE, mode, dir_fd=place.folder)
        try:
            if owner is not None and owner != (os.geteuid(), os.getegid()):
                _give(fd, owner)
            write_all(self._disk, fd, content)
        finally:
            os.close(fd)
        if turn:  # only a whole file bears a name that recovery would take for somebody's edit
            self._disk.rename(fresh, name, dir_fd=place.folder)
        return name

    def put(self, place: Place, before: bytes | None, ours: bytes, *, turn: int = 0) -> bool:
        """Put the built temporary of `turn` in place; False where an edit from outside stays instead.

        The old file is kept beside it until `confirm`.
        """
        base, standing = before, ours
        temporary, swapped = place.temporary(turn), turn
        passed: list[str] = []
        merged_all = True
        while True:
            out = self._swap(place, temporary, base)
            if out == base:
                if out is not None:
                    self._displaced.append(_Displaced(place, swapped, out, standing))
                self._unlink(place, [each for each in passed if each != temporary])
                return merged_all
            turn += 1
            merged = self.merge(place, base or b"", out or b"", standing) if turn < _ROUNDS else None
            if not merged and out is None:  # they took the file away, and nothing of ours is new
                self._unlink(place, [*passed, temporary])
                return False
            if temporary not in passed:
                passed.append(temporary)
            if merged is None and out is not None:
                merged_all = False
                base, standing = standing, out  # the temporary holds their very file; it goes back
            elif merged is not None:
                base, standing = (None if out is None else standing), merged
                temporary, swapped = self.build(place, merged, turn), turn

    def delete(self, place: Place, before: bytes | None) -> bool:
        """Take a file away; False where an edit from outside stays instead."""
        temporary = place.temporary()
        try:
            self._disk.rename_new(place.name, temporary, dir_fd=place.folder)
        except FileNotFoundError:
            return True
        out = self._look(place, temporary, before)
        if out == before:
            self._displaced.append(_Displaced(place, 0, out, None))
            return True
        return self._add_late(_Displaced(place, 0, before or b"", None), out)

    def discard(self) -> None:
        """Forget what an interrupted change had swapped out; recovery looks at it where it lies."""
        self._displaced = []
        self._gave_way = []
        self.untidy = False

    def confirm(self) -> list[Place]:
        """Look at what was swapped out once more, then take it away.

        A program may have found the old file by its name, been halted, and opened it only after the
        swap. Gives the places where such an edit stays instead of ours, and those where something of
        ours gave way in a merge.
        """
        kept_out: list[Place] = []
        while self._displaced:
            time.sleep(_GRACE_SECONDS)
            looked_at, self._displaced = self._displaced, []
            for each in looked_at:
                temporary = each.place.temporary(each.turn)
                try:
                    late = self._look(each.place, temporary, each.held)
                except FileNotFoundError:  # it was renamed over where names cannot be swapped
                    continue
                if late == each.held:
                    self._unlink(each.place, [temporary])
                elif not self._add_late(each, late):
                    kept_out.append(each.place)
        kept_out, self._gave_way = [*kept_out, *self._gave_way], []
        return kept_out

    def _add_late(self, old: _Displaced, late: bytes) -> bool:
        """Bring an edit of a swapped-out file in; False where it stays instead of ours."""
        place, standing = old.place, old.standing
        merged = self.merge(place, old.held, late, standing or b"")
        if merged is None:
            self.put(place, standing, late, turn=old.turn)
            return False
        stays = True
        if merged != (standing or b""):
            self.build(place, merged, old.turn + 1)
            stays = self.put(place, standing, merged, turn=old.turn + 1)
        self._unlink(place, [place.temporary(old.turn)])
        return stays

    def merge(self, place: Place, before: bytes, theirs: bytes, ours: bytes) -> bytes | None:
        """Merge two edits; None where nobody can. `confirm` names the places where ours gave way."""
        if theirs == ours:
            return ours
        if self._rebase is None:
            return None
        try:
            merged = self._rebase(place.path, before, theirs, ours)
        except Exception:  # a foreign callback must not leave a commit half applied
            _logger.exception(
                "merging an edit from outside failed; the file stays as it was left", extra={"path": place.path}
            )
            return None
        if isinstance(merged, Partly):
            self._gave_way.append(place)
        return merged

    def temporaries(self, place: Place) -> list[str]:
        """Name the whole files on their way to this place, as a dead writer left them."""
        stem = place.temporary().removesuffix(".cptmp")
        return sorted(
            name
            for name in os.listdir(place.folder)
            if name.endswith(".cptmp") and (name == f"{stem}.cptmp" or name.startswith(f"{stem}-"))
        )

    def read(self, place: Place, name: str) -> bytes | None:
        """Read a file beside the place; None where there is none."""
        try:
            fd = self._tree.open_in(place.folder, name, place.path)
        except FileNotFoundError:
            return None
        try:
            return read_all(fd)
        finally:
            os.close(fd)

    def _swap(self, place: Place, temporary: str, base: bytes | None) -> bytes | None:
        """Let the temporary take the place and give what came out; None when nothing stood there.

        When `base` is not None and nothing stands at the place, nothing is done.
        """
        if base is None:
            try:
                self._disk.rename_new(temporary, place.name, dir_fd=place.folder)
            except FileExistsError:
                pass
            else:
                return None
        try:
            if not self._disk.exchange(temporary, place.name, dir_fd=place.folder):
                return self._swap_in_steps(place, temporary, base)
        except FileNotFoundError:
            return None
        try:
            return self._look(place, temporary, base)
        except (PathError, OSError):
            self._disk.exchange(temporary, place.name, dir_fd=place.folder)  # a folder, link or pipe took the name
            raise

    def _swap_in_steps(self, place: Place, temporary: str, base: bytes | None) -> bytes | None:
        """Swap where the system has no call for it; leaves the gap between the look and the rename."""
        out = self.read(place, place.name)
        if out is None:
            return None
        if out == base:
            self._disk.rename(temporary, place.name, dir_fd=place.folder)
            return out
        out = self._look(place, place.name, base)
        aside = place.temporary(_ROUNDS + 1, building=True)
        self._disk.rename(place.name, aside, dir_fd=place.folder)
        self._disk.rename(temporary, place.name, dir_fd=place.folder)
        self._disk.rename(aside, temporary, dir_fd=place.folder)
        return out

    def _look(self, place: Place, name: str, expected: bytes | None) -> bytes:
        """Read what came out, once nobody writes into it any more."""
        fd = self._tree.open_in(place.folder, name, place.path)
        try:
            data = read_all(fd)
            # Appenders of lines keep their files open; they wait for a lock that the commit holds.
            watched = not place.path.endswith(LINES_SUFFIX)
            if data == expected and not (watched and being_written(fd)):
                return data
            give_up = time.monotonic() + _PATIENCE_SECONDS
            quiet_since = time.monotonic()
            while time.monotonic() < give_up:
                time.sleep(_POLL_SECONDS)
                now = read_all(fd)
                if now != data or (watched and being_written(fd)):
                    data, quiet_since = now, time.monotonic()
                elif time.monotonic() - quiet_since >= _QUIET_SECONDS:
                    break
            return data
        finally:
            os.close(fd)

    def _unlink(self, place: Place, names: list[str]) -> None:
        for name in names:
            try:
                self._disk.unlink(name, dir_fd=place.folder)
            except FileNotFoundError:
                continue
            except OSError as error:  # the change stands; a sweep takes the rest away
                self.untidy = True
                _logger.warning("a file on its way could not be taken away: %s", typed(error, place.path))


def _give(fd: int, owner: tuple[int, int]) -> None:
    try:
        os.fchown(fd, *owner)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.EINVAL}:
            raise
