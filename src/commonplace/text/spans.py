"""A span of the bytes of a file: what an edit keeps of the old text, by position."""

from __future__ import annotations

import msgspec


class Keep(msgspec.Struct, frozen=True, tag=True):
    """Bytes [start, end) of the file as it is before the write, kept as they are."""

    start: int
    end: int
