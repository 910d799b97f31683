"""A scope as it was at an instant: today's files with the later changes taken back, read-only."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import dropwhile
from typing import NoReturn

from commonplace.changes import inverse
from commonplace.changes.log import read
from commonplace.changes.transcripts import Event, Head, StoredMessage, decode, split_lines
from commonplace.errors import DamagedError, ErasedError, StoreReadOnlyError
from commonplace.store.files.changelog import content_hash
from commonplace.store.protocol import (
    MISSING,
    STATE,
    Blob,
    Conflict,
    Logged,
    LogProblem,
    Stat,
    Store,
)


class PastStore:
    """A store as it was: every read returns the bytes of `instant`.

    Args:
        store: The store as it is.
        sessions: The folder of the transcripts; of these, what was said up to the instant is there.
        instant: Changes committed after it are taken back.
    """

    def __init__(self, store: Store, *, sessions: str, instant: datetime) -> None:
        self._store = store
        self._sessions = sessions
        self._instant = instant
        # A clock that went back dates a later change earlier: what followed the first later one is later too.
        later = list(dropwhile(lambda logged: read(logged).change.at <= instant, store.since(0)))
        self._later = later[::-1]
        self._first = later[0].number if later else store.change_number() + 1
        self._made: dict[str, bytes | None] = {}

    @property
    def read_only(self) -> bool:
        """Nothing is written into the past."""
        return True

    @property
    def root(self) -> str:
        """Where the scope is kept."""
        return self._store.root

    def key(self) -> bytes:
        """Return the scope's own key."""
        return self._store.key()

    def read(self, path: str, start: int = 0, end: int | None = None) -> Blob | None:
        """Read a file as it was; None where there was none.

        Raises:
            ErasedError: Text of it was erased or redacted since, so it cannot be shown.
        """
        data = self._data(path)
        return None if data is None else Blob(data[start:end], content_hash(self.key(), data))

    def _data(self, path: str) -> bytes | None:
        if path not in self._made:
            blob = self._store.read(path)
            data = blob.data if blob else None
            if path.startswith(f"{self._sessions}/"):
                self._made[path] = self._said(data)
            else:
                self._made[path] = self._taken_back(path, data)
        return self._made[path]

    def _taken_back(self, path: str, data: bytes | None) -> bytes | None:
        for logged in self._later:
            try:
                for write in inverse.writes_of(logged):
                    if write.path == path:
                        data = inverse.before(write, data, self.key())
            except DamagedError as error:
                raise ErasedError(
                    f"{path!r} cannot be shown as it was: text of change {logged.number} was redacted or erased; "
                    f"ask for a time after that change",
                    path=path,
                    change=logged.number,
                ) from error
        return data

    def _said(self, data: bytes | None) -> bytes | None:
        kept: list[bytes] = []
        for _, raw in split_lines(data or b""):
            line = decode(raw)
            match line:
                case Head(created_at=at) | Event(at=at) | StoredMessage(at=at):
                    if at <= self._instant:
                        kept.append(raw + b"\n")
        return b"".join(kept) or None

    def version(self, path: str) -> str:
        """Return the version of a file as it was."""
        data = self._data(path)
        return MISSING if data is None else content_hash(self.key(), data)

    def list(self, prefix: str = "") -> builtins.list[Stat]:
        """List the files that were there."""
        paths = {stat.path for stat in self._store.list(prefix)}
        for logged in self._later:
            paths |= {write.path for write in inverse.writes_of(logged) if not write.path.startswith(f"{STATE}/")}
        inside = sorted(path for path in paths if not prefix or path.startswith(f"{prefix}/"))
        return [Stat(path, len(data), self.version(path)) for path in inside if (data := self._data(path)) is not None]

    def appended(self, mark: object) -> tuple[object, tuple[str, ...] | None]:
        """Nothing is ever appended to the past."""
        return True, None if mark is None else ()

    def since(self, number: int) -> Iterator[Logged]:
        """Yield the changes after a number that were committed by then."""
        for logged in self._store.since(number):
            if logged.number >= self._first:
                return
            yield logged

    def change_number(self) -> int:
        """Return the number of the newest change by then."""
        return self._first - 1

    def conflicts(self) -> Sequence[Conflict]:
        """None: the past is settled."""
        return ()

    def verify_log(self) -> Sequence[LogProblem]:
        """Return what is wrong with the log."""
        return self._store.verify_log()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise StoreReadOnlyError("the past cannot be changed; open the memory as it is now")

    append = locked = exclusive = commit = erase = settle_conflict = lease = _refuse

    def close(self) -> None:
        """Drop what was read."""
        self._made.clear()
