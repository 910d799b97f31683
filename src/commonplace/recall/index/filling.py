"""One slot being filled with messages."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import Final

from commonplace.recall.index import rows
from commonplace.recall.index.rows import MessageRow

_SPEAKERS: Final = 255  # one byte a message; later speakers of a slot go unnamed


class Filling:
    """A slot being filled."""

    def __init__(self, number: int, names: str = "", *arrays: bytes) -> None:
        flags, speakers, times, offsets = arrays or (b"", b"", b"", b"")
        self.id = number
        self.names: list[str] = json.loads(names) if names else []
        self.flags = bytearray(flags)
        self.speakers = bytearray(speakers)
        self.times = array("q", times)
        self.offsets = array("q", offsets)

    def take(self, added: Sequence[MessageRow]) -> int:
        """Add messages and give the number of the first of them in the slot."""
        first = len(self.flags)
        self.flags += bytes([rows.flags_of(row.role, row.content) for row in added])
        self.speakers += bytes([self._speaker(row.name) if row.name else 0 for row in added])
        self.times.extend([row.at_ms for row in added])
        self.offsets.extend([row.offset for row in added])
        return first

    def _speaker(self, name: str) -> int:
        if name not in self.names:
            if len(self.names) >= _SPEAKERS:
                return 0
            self.names.append(name)
        return self.names.index(name) + 1
