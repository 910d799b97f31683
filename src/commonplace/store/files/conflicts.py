"""The list of changes that an edit from outside kept from reaching a file; their texts are in the log."""

from __future__ import annotations

import json
import os

import msgspec

from commonplace.config import Clock
from commonplace.errors import UNREADABLE
from commonplace.guard.screened import instant
from commonplace.store.files.changelog import log_path, plain_path
from commonplace.store.files.disk import Disk, write_all
from commonplace.store.files.state import read_small
from commonplace.store.protocol import Conflict


class Conflicts:
    """The list of one scope, one JSON line for each; a line without an instant takes one off."""

    def __init__(self, path: str, disk: Disk, clock: Clock) -> None:
        self._path = path
        self._disk = disk
        self._clock = clock

    def note(self, path: str, number: int) -> None:
        """Add one to the list."""
        self._add(path, number, instant(self._clock()))

    def settle(self, conflict: Conflict) -> None:
        """Remove one from the list; what became of it was decided elsewhere."""
        self._add(conflict.path, conflict.number, "")

    def list(self) -> tuple[Conflict, ...]:
        """Return those still open, oldest first."""
        found: dict[tuple[str, int], Conflict] = {}
        for line in (read_small(self._path) or b"").splitlines():
            try:
                each = msgspec.json.decode(line, type=Conflict)
            except UNREADABLE:
                continue
            path = plain_path(each.path)
            if each.at:
                found[path, each.number] = Conflict(path, each.number, each.at)
            else:
                found.pop((path, each.number), None)
        return tuple(found.values())

    def _add(self, path: str, number: int, at: str) -> None:
        line = json.dumps({"path": log_path(path).text, "number": number, "at": at}).encode()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = self._disk.open(self._path, flags)
        try:
            # The break comes first, so that a line torn by a crash stays alone.
            write_all(self._disk, fd, b"\n" + line + b"\n")
        finally:
            os.close(fd)
