"""Leases on files: a right to do one job, with a fence that grows whenever the right changes hands.

A lease file is never deleted, so its fence never goes back. A dead owner on this machine frees its
lease at once; a slow one keeps it until it expires, and what it commits after a steal is refused.
Source: safety notes 2.3.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

import msgspec

from commonplace.config import Clock
from commonplace.errors import LeaseLostError
from commonplace.guard.screened import instant
from commonplace.store.files.disk import Disk, typed, typed_errors
from commonplace.store.files.locks import Process, may_live, this_process_cached
from commonplace.store.files.state import read_small, replace_synced
from commonplace.text.pieces import encode_name

logger = logging.getLogger(__name__)


class _Held(msgspec.Struct, frozen=True):
    """What a lease file says; `token` is empty once it was given back."""

    name: str
    fence: int
    token: str
    owner: Process
    expires: datetime
    ttl_seconds: float


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
        """Take a lease; None while a live holder's has not expired."""
        with typed_errors(), self._locked():
            held = self.read(name)
            if held is not None and held.token and held.expires > self._clock() and may_live(held.owner):
                return None
            me = this_process_cached()
            fence = held.fence + 1 if held else 1
            token = f"{me.pid}-{threading.get_ident()}-{fence}"
            self.write(_Held(name, fence, token, me, self._clock() + timedelta(seconds=ttl_seconds), ttl_seconds))
            return FileLease(self, name, fence, token, ttl_seconds)

    def read(self, name: str) -> _Held | None:
        """Read what a lease file says; None where there is none or it cannot be read."""
        content = read_small(os.path.join(self._folder, _file_name(name)))
        try:
            return msgspec.json.decode(content, type=_Held) if content else None
        except msgspec.DecodeError:
            return None

    def write(self, held: _Held) -> None:
        """Put a lease file down so that its fence survives a loss of power."""
        values = msgspec.to_builtins(held, builtin_types=(datetime,)) | {"expires": instant(held.expires)}
        replace_synced(self._disk, self._folder, _file_name(held.name), json.dumps(values).encode() + b"\n")

    def renew(self, lease: FileLease, ttl_seconds: float) -> None:
        """Extend a lease that is still this holder's."""
        with typed_errors(), self._locked():
            held = self.require(lease)
            expires = self._clock() + timedelta(seconds=ttl_seconds)
            self.write(msgspec.structs.replace(held, expires=expires, ttl_seconds=ttl_seconds))

    def release(self, lease: FileLease) -> None:
        """Give a lease back when it is still this holder's.

        Where the disk refuses that it runs out by itself: what it was held for is done, and no error undoes it.
        """
        try:
            with self._locked():
                held = self.read(lease.name)
                if held is not None and held.token == lease.token and held.fence == lease.fence:
                    long_ago = datetime.fromtimestamp(0, UTC)
                    self.write(msgspec.structs.replace(held, token="", expires=long_ago))
        except OSError as error:
            logger.warning("the lease %r could not be given back and runs out by itself: %s", lease.name, typed(error))

    def require(self, lease: FileLease) -> _Held:
        """Give what the file says of a lease that is still this holder's.

        Raises:
            LeaseLostError: It was given back or another took it over.
        """
        with typed_errors():
            held = self.read(lease.name)
        if held is None or held.token != lease.token or held.fence != lease.fence:
            raise LeaseLostError(
                f"the lease {lease.name!r} is no longer held (fence {lease.fence}); start the job anew",
                name=lease.name,
                fence=lease.fence,
            )
        return held


class FileLease:
    """One holding of a lease."""

    def __init__(self, leases: Leases, name: str, fence: int, token: str, ttl_seconds: float) -> None:
        self._leases = leases
        self._ttl_seconds = ttl_seconds
        self._fence = fence
        self.name = name
        self.token = token

    @property
    def fence(self) -> int:
        """The number of this holding."""
        return self._fence

    def check(self) -> None:
        """Make sure that it is still held; raises LeaseLostError when another took it over."""
        self._leases.require(self)

    def renew(self) -> None:
        """Extend the lease by its time to live; raises LeaseLostError when another holds it."""
        self._leases.renew(self, self._ttl_seconds)

    def release(self) -> None:
        """Give the lease back; does nothing when another holds it."""
        self._leases.release(self)


def _file_name(name: str) -> str:
    return f"{encode_name(name)}.json"
