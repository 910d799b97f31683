"""A slot being filled: the facts of one run of messages, before they are written as one row."""

from __future__ import annotations

import json
from array import array

from commonplace.index import rows
from commonplace.index.rows import MessageRow

_SPEAKERS = 255  # one byte a message; later speakers of a slot go unnamed


class Filling:
    """A slot being filled."""

    def __init__(self, number: int, first: int, names: str = "[]", *arrays: bytes) -> None:
        flags, speakers, times, offsets = arrays or (b"", b"", b"", b"")
        self.id = number
        self.first = first
        self.names: list[str] = json.loads(names)
        self.flags = bytearray(flags)
        self.speakers = bytearray(speakers)
        self.times = array("q", times)
        self.offsets = array("q", offsets)

    def take(self, row: MessageRow) -> int:
        """Add one message and give its number in the slot."""
        self.flags.append(rows.flags_of(row.role, row.content))
        self.speakers.append(self._speaker(row.name))
        self.times.append(row.at_ms)
        self.offsets.append(row.offset)
        return len(self.flags) - 1

    def _speaker(self, name: str | None) -> int:
        if not name:
            return 0
        if name not in self.names:
            if len(self.names) >= _SPEAKERS:
                return 0
            self.names.append(name)
        return self.names.index(name) + 1
