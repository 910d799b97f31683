"""What a fork of the process may not cut in two, and what the forked child makes anew.

A child has one thread, the one that forked. What the others were at stays for ever as it was: their locks
held, their changes half made. So every owner of a lock joins here and is told in the child. And nobody is at
an SQLite file, or loads code, at the moment of a fork: for what then lies in libraries no owner can answer.
Owns nothing of what it has made anew.
"""

from __future__ import annotations

import importlib
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Final, Protocol

logger = logging.getLogger(__name__)

_WAIT_SECONDS: Final = 2.0  # a fork waits so long for what should be at rest, then goes on without


class Lock(Protocol):
    """What `threading.Lock` and `threading.RLock` make."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take it; False where it was not free in time."""

    def release(self) -> None:
        """Give it back."""


class Renewed(Protocol):
    """Something that threads share."""

    def forget(self) -> None:
        """Start anew in a forked child: let nothing stand that a thread it does not have held, or was changing."""


class Resting(Renewed, Protocol):
    """Something that has to rest while the process forks."""

    def rest(self) -> bool:
        """Let go of what is open, to open it again at the next use; False where it is in use right now."""


loading = threading.RLock()
"""Held by whoever imports late: a child could never have what a thread of the parent was importing."""

_owners: weakref.WeakSet[Renewed] = weakref.WeakSet()
_resting: weakref.WeakKeyDictionary[Resting, Lock] = weakref.WeakKeyDictionary()
_left: list[object] = []  # of the parent; to let a child take them back would undo them under the parent's hands
_joining = threading.Lock()
_forking = threading.RLock()
_held: list[Lock] = []  # by the thread that is forking


def join(owner: Renewed) -> None:
    """Have an owner told in each forked child, for as long as it lives."""
    with _joining:
        _owners.add(owner)


def join_resting(owner: Resting, lock: Lock) -> None:
    """Join, and be at rest at each fork: asked to under the lock that all its uses hold."""
    with _joining:
        _resting[owner] = lock
        _owners.add(owner)


def leave(thing: object) -> None:
    """Keep what is the parent's from ever being taken back in this child."""
    _left.append(thing)


def load(name: str) -> ModuleType:
    """Load a module late, by its name."""
    with loading:
        return importlib.import_module(name)


def is_abandoned(lock: Lock) -> bool:
    """Say, in a child, whether a lock is held for ever: by a thread that there is only in the parent."""
    if not lock.acquire(blocking=False):
        return True
    lock.release()
    return False


def _before() -> None:
    _forking.acquire()
    with _joining:
        resting = list(_resting.items())
    _hold([loading, *(lock for _, lock in resting)], time.monotonic() + _WAIT_SECONDS)
    held = set(map(id, _held))
    for owner in [owner for owner, lock in resting if id(lock) in held]:
        _told(owner, owner.rest)
    _joining.acquire()


def _hold(locks: list[Lock], deadline: float) -> None:
    """Hold all of the locks, or as many as can be had in time; never waits for one while it holds another.

    Whoever holds one of them may be waiting for another, in any order.
    """
    awaited = locks[0]
    while awaited.acquire(timeout=max(0.0, deadline - time.monotonic())):
        _held.append(awaited)
        missing = [lock for lock in locks if lock is not awaited and not _take(lock)]
        if not missing or time.monotonic() > deadline:
            return
        _release()
        awaited = missing[0]
    for lock in locks:
        _take(lock)


def _take(lock: Lock) -> bool:
    taken = lock.acquire(blocking=False)
    if taken:
        _held.append(lock)
    return taken


def _release() -> None:
    while _held:
        _held.pop().release()


def _after_in_parent() -> None:
    _joining.release()
    _release()
    _forking.release()


def _after_in_child() -> None:
    global loading  # noqa: PLW0603 - where its holder is gone
    _after_in_parent()
    if is_abandoned(loading):
        loading = threading.RLock()
    for owner in list(_owners):
        _told(owner, owner.forget)


def _told(owner: Renewed, call: Callable[[], object]) -> None:
    try:
        call()
    except Exception:  # one that cannot shall not keep the others from it
        logger.exception("%s is not ready for a fork of this process", type(owner).__name__)


os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
