"""Snapshots as files: what a sub-agent in another process may read of its parent's memory, and nothing else.

A snapshot file is JSON of mode 0600, written whole and removed when the parent is done with it. Reading
one gives text for a prompt; there is no way from it back to the memory it was taken of.

Source: seed facts, "Subagent Memory".
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Final

import msgspec

from commonplace.errors import InputError
from commonplace.guard import screen
from commonplace.records import Snapshot

HEAD: Final = "# Memory Context (read-only)"
_PREFIX: Final = "commonplace-memory-"


@contextlib.contextmanager
def file(snapshot: Snapshot, folder: str | None = None) -> Iterator[str]:
    """Keep a snapshot in a file for as long as a sub-agent needs it.

    Args:
        snapshot: As `Memory.snapshot` gives it.
        folder: Where; the system's temporary folder when None.

    Yields:
        The path of the file, which only its owner may read; it is gone afterwards, whatever happened.
    """
    handle, path = tempfile.mkstemp(prefix=_PREFIX, suffix=".json", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(msgspec.json.encode(snapshot))
        yield path
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108 - the path came from mkstemp as text


def read(path: str) -> Snapshot:
    """Read a snapshot file; its text is screened again, as any text from outside.

    Raises:
        InputError: It is not there, or is no snapshot.
    """
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - as above
            data = stream.read()
    except (OSError, ValueError) as error:
        raise InputError(f"the snapshot {path!r} cannot be read: {error}", path=path) from None
    try:
        snapshot = msgspec.json.decode(data, type=Snapshot)
    except msgspec.DecodeError:
        raise InputError(f"{path!r} is no snapshot; `memory.snapshot()` makes one", path=path) from None
    return msgspec.structs.replace(snapshot, text=screen(snapshot.text).text)


def block(snapshot: Snapshot) -> str:
    """Return the text for a sub-agent's prompt; empty if there was nothing to remember."""
    return f"{HEAD}\n{snapshot.text}" if snapshot.text else ""
