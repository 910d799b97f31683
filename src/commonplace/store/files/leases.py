"""Leases on files: a right to do one job, with a fence that grows whenever a right changes hands.

One small file has those that are held now, and the newest fence of all; it is read and written under the scope
lock. A dead owner on this machine frees its lease at once; a slow one keeps it until another takes it, and what it
commits after that is refused. Source: safety notes 2.3.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Annotated, Final

import msgspec

from commonplace.config import Clock
from commonplace.errors import UNREADABLE, LeaseLostError
from commonplace.store.files.disk import Disk, typed, typed_errors
from commonplace.store.files.locks import Process, may_live, this_process
from commonplace.store.files.state import read_small, replace_synced

logger = logging.getLogger(__name__)

_NAME: Final = "leases"
_KEPT: Final = timedelta(days=1)  # after it ran out; a holder that renews nothing for so long is gone


class _Held(msgspec.Struct, frozen=True):
    """One lease that was not given back; `token` is of this holding alone."""

    name: str
    fence: int
    token: str
    owner: Process
    expires: Annotated[datetime, msgspec.Meta(tz=True)]


class _All(msgspec.Struct, frozen=True):
    """What the file says."""

    newest: int = 0
    held: tuple[_Held, ...] = ()

    def named(self, name: str) -> _Held | None:
        return next((each for each in self.held if each.name == name), None)


class Leases:
    """The leases of one scope; `locked` takes the scope lock, so that no commit runs beside a steal."""

    def __init__(
        self, folder: str, disk: Disk, clock: Clock, locked: Callable[[], AbstractContextManager[object]]
    ) -> None:
        self._folder = folder
        self._disk = disk
        self._clock = clock
        self._locked = locked

    def take(self, name: str, ttl_seconds: float) -> FileLease | None:
        """Return a lease; None while a live holder's has not expired."""
        with typed_errors(), self._locked():
            known = self._read()
            held = known.named(name)
            if held is not None and held.expires > self._clock() and may_live(held.owner):
                return None
            fence, token = known.newest + 1, os.urandom(8).hex()
            expires = self._clock() + timedelta(seconds=ttl_seconds)
            self._write(known, name, _Held(name, fence, token, this_process(), expires))
            return FileLease(self, name, fence, token, ttl_seconds)

    def renew(self, lease: FileLease, ttl_seconds: float) -> None:
        """Extend a lease that is still this holder's."""
        with typed_errors(), self._locked():
            held = self.require(lease)
            expires = self._clock() + timedelta(seconds=ttl_seconds)
            self._write(self._read(), lease.name, msgspec.structs.replace(held, expires=expires))

    def release(self, lease: FileLease) -> None:
        """Release a lease if it is still this holder's.

        If the disk refuses that, it runs out by itself: what it was held for is done, and no error undoes it.
        """
        try:
            with self._locked():
                known = self._read()
                held = known.named(lease.name)
                if held is not None and held.token == lease.token:
                    self._write(known, lease.name, None)
        except OSError as error:
            logger.warning("the lease %r could not be given back and runs out by itself: %s", lease.name, typed(error))

    def require(self, lease: FileLease) -> _Held:
        """Return what is said of a lease that is still this holder's.

        Raises:
            LeaseLostError: It was given back or another took it over.
        """
        with typed_errors():
            held = self._read().named(lease.name)
        if held is None or held.token != lease.token:
            raise LeaseLostError(
                f"the lease {lease.name!r} is no longer held (fence {lease.fence}); start the job anew",
                name=lease.name,
                fence=lease.fence,
            )
        return held

    def _read(self) -> _All:
        """Read the file; one that is missing or damaged says that nothing is held."""
        content = read_small(os.path.join(self._folder, _NAME))
        try:
            return msgspec.json.decode(content, type=_All) if content else _All()
        except UNREADABLE:
            return _All()

    def _write(self, known: _All, name: str, held: _Held | None) -> None:
        """Replace one lease by its name; those of the dead are left out."""
        forgotten = self._clock() - _KEPT
        others = [e for e in known.held if e.name != name and e.expires > forgotten and may_live(e.owner)]
        newest = max(known.newest, held.fence if held else 0)
        content = msgspec.json.encode(_All(newest, (*others, held) if held else tuple(others)))
        replace_synced(self._disk, self._folder, _NAME, content + b"\n")


class FileLease:
    """One holding of a lease."""

    def __init__(self, leases: Leases, name: str, fence: int, token: str, ttl_seconds: float) -> None:
        self._leases = leases
        self._ttl_seconds = ttl_seconds
        self.fence = fence  # the number of this holding
        self.name = name
        self.token = token

    def check(self) -> None:
        """Make sure that it is still held; raises LeaseLostError when another took it over."""
        self._leases.require(self)

    def renew(self) -> None:
        """Extend the lease by its time to live; raises LeaseLostError when another holds it."""
        self._leases.renew(self, self._ttl_seconds)

    def release(self) -> None:
        """Release the lease; does nothing when another holds it."""
        self._leases.release(self)
