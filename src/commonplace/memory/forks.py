"""A fork of the process: the child opens each open memory again at its next call.

A child has one thread and no lock or connection it may trust, so it leaves the parent's parts alone and makes its
own. SQLite keeps one account of a file's locks for a whole process: an index is closed before the fork if unused,
else the child keeps its own in memory.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from typing import Final, Protocol

from commonplace.jobs import schedule
from commonplace.store import sqlite_file


class Parts(Protocol):
    """The parts of one open memory."""

    def databases(self) -> Iterable[sqlite_file.IndexFile]:
        """Return their SQLite files."""

    def renew(self) -> object:
        """Remove the parts, to be made again at the next call, and return them."""


_open: Final[weakref.WeakValueDictionary[int, Parts]] = weakref.WeakValueDictionary()
_left: Final[list[object]] = []  # parts of the parent: never closed and never collected here


def watch(memory: Parts) -> None:
    """Make the parts of a memory again in each forked child, for as long as it lives."""
    _open[id(memory)] = memory


def _memories() -> list[Parts]:
    return [memory for reference in _open.valuerefs() if (memory := reference()) is not None]


def _before() -> None:
    for memory in _memories():
        for database in memory.databases():
            database.rest()


def _after_in_child() -> None:
    schedule.renew()
    sqlite_file.opened.clear()
    for memory in _memories():
        sqlite_file.inherited.update(filter(None, (database.open_file() for database in memory.databases())))
        _left.append(memory.renew())


os.register_at_fork(before=_before, after_in_child=_after_in_child)
