"""Where memory is kept: the protocol that a store of files and a store of rows both speak.

A store holds one scope under one root. Paths are relative, POSIX, never leaving the root. A store
knows nothing of layers, layouts or models: it keeps bytes whole, in order and for good. It takes no
text but `Screened`; what it keeps of an older text it keeps by position (`Keep`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import msgspec

from commonplace.guard.screened import Screened
from commonplace.text.spans import Keep


class Stat(msgspec.Struct, frozen=True):
    """One stored file: `token` differs whenever its bytes may differ (size, mtime_ns, inode on files).

    `written_ns` is when it was last written, as its system says; 0 if unknown.
    """

    path: str
    size: int
    token: str
    written_ns: int = 0


class Blob(msgspec.Struct, frozen=True):
    """What a read gave: the bytes asked for and the version of the whole file they belong to."""

    data: bytes
    version: str


Piece = Keep | Screened


class Put(msgspec.Struct, frozen=True):
    """Make a document of pieces: kept spans of the old bytes and screened text, in order."""

    path: str
    pieces: tuple[Piece, ...]


class Append(msgspec.Struct, frozen=True):
    """Add whole lines to the end of an append-only file; each line is given without its newline."""

    path: str
    lines: tuple[Screened, ...]


class Delete(msgspec.Struct, frozen=True):
    """Delete a file; its content stays in the change log."""

    path: str


Write = Put | Append | Delete

STATE = ".commonplace"
"""The folder of our own files below a scope's root; never listed as memory."""

MISSING = "missing"
"""The version of a file that is not there."""


class Logged(msgspec.Struct, frozen=True):
    """One committed change as the log holds it: `header` is chained; of an erased `payload` only `kept` is left."""

    number: int
    header: dict[str, Any]
    payload: dict[str, Any]
    erased: bool = False

    @property
    def paths(self) -> list[str]:
        """The files that it wrote."""
        return [each["path"] for each in self.header["files"]]


class Conflict(msgspec.Struct, frozen=True):
    """A file that an edit from outside kept from taking a change, whole or in part; its text is in the log."""

    path: str
    number: int
    at: str


class LogProblem(msgspec.Struct, frozen=True):
    """One thing in the change log that is not as it was written: the file, the line from 1, what is wrong."""

    file: str
    line: int
    reason: str


class Lease(Protocol):
    """A right to do one job, with a fence: the number grows each time the lease changes hands."""

    @property
    def fence(self) -> int:
        """The number of this holding."""

    def check(self) -> None:
        """Make sure that it is still held; raises LeaseLostError when another took it over."""

    def renew(self) -> None:
        """Extend the lease by its time to live; raises LeaseLostError when another holds it."""

    def release(self) -> None:
        """Release the lease; does nothing when another holds it."""


class Held(Protocol):
    """An append-only file while it is held against other appenders."""

    def read(self, start: int = 0) -> bytes:
        """Read the file from an offset to its end."""

    def append(self, lines: Sequence[Screened], *, durable: bool = True) -> None:
        """Add lines, as the store's own `append` does."""


Clean = Callable[[str, bytes], bytes | None]
"""Says what a file is to hold, by its path and its bytes; the same object leaves it alone."""

Rebase = Callable[[str, bytes, bytes, bytes], bytes | None]
"""Merge two edits of one file: (path, before, theirs, ours) to merged bytes, or None when it cannot.

Bytes that are `replace.Partly` say that a part of ours was left out; the file is then listed as a conflict.
"""


class Store(Protocol):
    """What every store can do. All methods raise the typed errors of `StoreError` and `PathError`."""

    @property
    def read_only(self) -> bool:
        """True if nothing can be written here."""

    def read(self, path: str, start: int = 0, end: int | None = None) -> Blob | None:
        """Read a file or a part of it; None where there is none."""

    def version(self, path: str) -> str:
        """Return the version of a file: content hash, `length:hash of last line` for append-only, or MISSING."""

    def list(self, prefix: str = "") -> list[Stat]:
        """List the files below a folder, sorted by path; hidden state of the store is left out."""

    def append(self, path: str, lines: Sequence[Screened], *, durable: bool = True) -> None:
        """Add lines to an append-only file; durable means synced to disk."""

    def locked(self, path: str) -> AbstractContextManager[Held]:
        """Lock one append-only file against other appenders, so that read-then-append is one step."""

    def appended(self, mark: object) -> tuple[object, tuple[str, ...] | None]:
        """Return a mark of now, and the paths that were appended to after an earlier mark; None for any path.

        An append that has returned is among them, whichever process made it.
        """

    def exclusive(self, wait_seconds: float | None = None) -> AbstractContextManager[None]:
        """Lock out other writers of changes, so that read, plan and commit are one step.

        StoreBusyError if they do not end in time.
        """

    def commit(self, header: Mapping[str, object], payload: Mapping[str, object], writes: Sequence[Write], *,
               expect: Mapping[str, str] | None = None, fence: Lease | None = None,
               durable: bool = True) -> Logged:  # fmt: skip
        """Log one change and apply all its writes, or nothing.

        VersionConflictError where a version moved, LeaseLostError where the holder of `fence` is late.
        """

    def since(self, number: int) -> Iterator[Logged]:
        """Yield the committed changes after a number, oldest first."""

    def change_number(self) -> int:
        """Return the number of the last change whose writes are all applied; 0 if there is none."""

    def conflicts(self) -> Sequence[Conflict]:
        """List the files that an edit from outside kept from taking a change."""

    def settle_conflict(self, conflict: Conflict) -> None:
        """Remove a conflict from the list."""

    def erase(self, kept: Mapping[int, Mapping[str, object]], clean: Clean) -> None:
        """Erase texts from the log and from files for good.

        Args:
            kept: What stays of the payloads of some changes; the rest of them goes.
            clean: Returns the bytes that a file is to hold; None takes it away.
        """

    def verify_log(self) -> Sequence[LogProblem]:
        """Return every place where the change log is not as it was written."""

    @property
    def root(self) -> str:
        """Where the scope is kept, for people."""

    def key(self) -> bytes:
        """Return the scope's own key, for hashes that must not be guessed; empty if none can be made."""

    def lease(self, name: str, ttl_seconds: float) -> Lease | None:
        """Return a lease, or None while another live holder has it."""

    def close(self) -> None:
        """Release handles; what was acknowledged stays."""
