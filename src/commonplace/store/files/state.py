"""The end of the change log: what was applied last, and what is safe on the disk.

`state/head` is one line of fixed length, written in place twice a commit: `busy` before anything
happens, `idle` when all is applied. It is not synced and counts only within the boot that wrote it.
`state/checkpoint` is synced: every change up to its number is on the disk with its files.
"""

from __future__ import annotations

import json
import os
import zlib
from functools import lru_cache
from typing import Final

import msgspec

from commonplace.errors import UNREADABLE
from commonplace.store.files.disk import CREATE, FILE_MODE, NOT_A_FILE, READ, Disk, closed, read_all, write_all
from commonplace.store.files.locks import boot_id

NONE: Final = "-"
_HEAD_BYTES: Final = 192
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_TRIES: Final = 16  # a reader may meet a head half written; it is one page, so a few looks are enough


class Head(msgspec.Struct, frozen=True):
    """How far the changes are applied, and where the log ended then."""

    number: int
    busy: bool
    month: str
    end: int
    hash: str
    boot: str

    @property
    def settled(self) -> bool:
        """True if every logged change is applied to files that this boot has not lost."""
        return not self.busy and self.boot == boot_id()


class Checkpoint(msgspec.Struct, frozen=True):
    """The last change that is on the disk with all its files, and the hash of its header."""

    number: int
    hash: str
    at: str


class State:
    """The two small files."""

    def __init__(self, folder: str, disk: Disk) -> None:
        self._head_path = os.path.join(folder, "head")
        self._checkpoint_path = os.path.join(folder, "checkpoint")
        self._folder = folder
        self._disk = disk

    def head(self) -> Head | None:
        """Read the head; None where there is none that can be used."""
        try:
            fd = os.open(self._head_path, READ)
            try:
                for _ in range(_TRIES):
                    head = _parse(os.pread(fd, _HEAD_BYTES, 0))
                    if head is not None:
                        return head
            finally:
                os.close(fd)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno not in NOT_A_FILE:
                raise
        return None

    def has_head(self) -> bool:
        """True if there is a head, though it may be one that a loss of power has emptied."""
        return os.path.exists(self._head_path)

    def write_head(self, head: Head) -> None:
        """Write the head, unsynced."""
        try:
            fd = self._disk.open(self._head_path, _WRITE)
        except OSError as error:
            if error.errno not in NOT_A_FILE:
                raise
            self._disk.unlink(self._head_path)
            fd = self._disk.open(self._head_path, _WRITE)
        try:
            self._disk.pwrite(fd, _render(head), 0)
        finally:
            closed(fd)

    def checkpoint(self) -> Checkpoint:
        """Read the checkpoint; number 0 where there is none that can be used."""
        try:
            body, _, check = (read_small(self._checkpoint_path) or b"").rpartition(b" ")
            if check == _check(body):
                return msgspec.json.decode(body, type=Checkpoint)
        except (OSError, *UNREADABLE):
            pass
        return Checkpoint(0, NONE, "")

    def write_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Write the checkpoint so that it survives a loss of power."""
        body = json.dumps(msgspec.to_builtins(checkpoint)).encode()
        replace_synced(self._disk, self._folder, "checkpoint", body + b" " + _check(body))


def replace_synced(disk: Disk, folder: str, name: str, content: bytes) -> None:
    """Write a whole small file of ours: temporary, sync, rename, sync the folder."""
    folder_fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fresh = f".{name}.new"
    try:
        try:
            fd = disk.open(fresh, CREATE, FILE_MODE, dir_fd=folder_fd)
        except FileExistsError:  # of a writer that died; the lock that guards this file is ours
            disk.unlink(fresh, dir_fd=folder_fd)
            fd = disk.open(fresh, CREATE, FILE_MODE, dir_fd=folder_fd)
        try:
            write_all(disk, fd, content)
            disk.sync_all(fd)
        except BaseException:
            disk.unlink(fresh, dir_fd=folder_fd)
            raise
        finally:
            os.close(fd)
        disk.rename(fresh, name, dir_fd=folder_fd)
        disk.sync_all(folder_fd)
    finally:
        os.close(folder_fd)


def read_small(path: str) -> bytes | None:
    """Return the bytes of a small file of ours; None if there is none."""
    try:
        fd = os.open(path, READ)
    except FileNotFoundError:
        return None
    try:
        return read_all(fd)
    finally:
        os.close(fd)


def _check(body: bytes) -> bytes:
    return f"{zlib.crc32(body):08x}\n".encode()


def _render(head: Head) -> bytes:
    flag = "busy" if head.busy else "idle"
    text = f"{head.number} {flag} {head.month or NONE} {head.end} {head.hash or NONE} {head.boot}"
    line = f"{text} {zlib.crc32(text.encode()):08x}"
    return line.ljust(_HEAD_BYTES - 1).encode() + b"\n"


@lru_cache(16)
def _parse(data: bytes) -> Head | None:
    fields = data.decode("ascii", "replace").split()
    if len(data) != _HEAD_BYTES or len(fields) != 7:
        return None
    text = " ".join(fields[:6])
    if fields[6] != f"{zlib.crc32(text.encode()):08x}":
        return None
    return Head(int(fields[0]), fields[1] == "busy", fields[2], int(fields[3]), fields[4], fields[5])
