"""How many files this process keeps open between uses: one bound for all scopes together.

Whoever keeps a file open to be quick the next time says so at each use; those unused for longest are
asked to let go, and open again by themselves. Knows how one descriptor is kept, not what it is read for.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from contextlib import suppress
from typing import Final, Protocol

KEPT: Final = 64  # holders, of three descriptors each; a process may have 1,024 open where nothing else is said


class Holder(Protocol):
    """Something that keeps a file open between uses."""

    def rest(self) -> bool:
        """Let go of what is open, to open it again at the next use; False where it is in use right now."""


_held: OrderedDict[int, weakref.ref[Holder]] = OrderedDict()  # the longest unused first
_mutex = threading.Lock()


def used(holder: Holder) -> None:
    """Say that a holder has something open and is at it; others may have to let go."""
    resting: list[weakref.ref[Holder]] = []
    with _mutex:
        _held[id(holder)] = weakref.ref(holder)
        _held.move_to_end(id(holder))
        while len(_held) > KEPT:
            resting.append(_held.popitem(last=False)[1])
    for reference in resting:
        old = reference()
        if old is not None and not old.rest():
            with _mutex:
                _held.setdefault(id(old), reference)  # in use: its turn comes again when it was unused for longest


def released(holder: Holder) -> None:
    """Say that a holder has nothing open any more."""
    with _mutex:
        _held.pop(id(holder), None)


class Kept:
    """One descriptor, kept open between uses; `_fd` is -1 while there is none, and set under `_mutex` alone."""

    def __init__(self) -> None:
        self._fd = -1
        self._mutex = threading.Lock()

    def rest(self) -> bool:
        """Let the descriptor go until the next use; False where one is under way."""
        if not self._mutex.acquire(blocking=False):
            return False
        try:
            self._let_go()
            return True
        finally:
            self._mutex.release()

    def close(self) -> None:
        """Let the descriptor go."""
        with self._mutex:
            self._let_go()

    def forget(self) -> None:
        """Start anew in a forked child: a shared descriptor would share its position."""
        self._mutex = threading.Lock()
        fd, self._fd = self._fd, -1
        if fd >= 0:
            with suppress(OSError):
                os.close(fd)

    def _let_go(self) -> None:
        fd, self._fd = self._fd, -1  # first: a child forked while it is being closed must not find the number here
        if fd >= 0:
            released(self)
            os.close(fd)


def _after_fork() -> None:
    global _mutex  # noqa: PLW0603 - another thread of the parent may have held it at the fork
    _mutex = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
