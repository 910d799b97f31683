"""The version of a file: a hash of a document, or length and last line of an append-only file."""

from __future__ import annotations

import hashlib
import os
from typing import Final

from commonplace.store.files.appends import LINES_SUFFIX
from commonplace.store.files.paths import Tree
from commonplace.store.protocol import MISSING

_HEX_DIGITS: Final = 32
TAIL_BYTES: Final = 4096
"""The end of an append-only file that usually holds its last line."""


def version_of(path: str, data: bytes | None) -> str:
    """Return the version of a whole content."""
    if data is None:
        return MISSING
    if not path.endswith(LINES_SUFFIX):
        return _hash(data)
    return f"{len(data)}:{_hash(_last_line(data))}"


def grown_version(tail: bytes, start: int) -> str:
    """Return the version of an append-only file of which only the end is given; empty if that has no whole line.

    Args:
        tail: Its bytes from `start` on.
        start: 0 for the whole file.
    """
    if start and b"\n" not in tail[:-1]:
        return ""
    return f"{start + len(tail)}:{_hash(_last_line(tail))}"


def version_at(tree: Tree, path: str) -> str:
    """Return the version of the file at a path now."""
    if not path.endswith(LINES_SUFFIX):
        return version_of(path, tree.read(path))
    try:
        fd = tree.open(path)
    except FileNotFoundError:
        return MISSING
    try:
        return lines_version(fd, os.fstat(fd).st_size)
    finally:
        os.close(fd)


def lines_version(fd: int, size: int) -> str:
    """Return the version of the first `size` bytes of an open append-only file, reading only their end."""
    wanted = TAIL_BYTES
    while True:
        start = max(0, size - wanted)
        tail = os.pread(fd, size - start, start)
        if version := grown_version(tail, start):
            return version
        wanted *= 8


def _last_line(data: bytes) -> bytes:
    return data[data.rfind(b"\n", 0, max(0, len(data) - 1)) + 1 :]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_HEX_DIGITS]
