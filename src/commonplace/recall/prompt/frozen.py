"""What files said when a session began: the same bytes from turn to turn, until the session's window moves.

Kept for each session is only the number of the change that it began at; the bytes are read back from the change log.
A session begins again when its window moves, when it ends, when something shown was forgotten, and when the texts of
that time were erased.

Source: seed facts, "Frozen snapshot".
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Final

import msgspec

from commonplace import guard
from commonplace.changes import inverse
from commonplace.changes.parts import Parts
from commonplace.errors import DamagedError
from commonplace.guard.screened import json_line
from commonplace.store.protocol import STATE

FROZEN: Final = f"{STATE}/frozen.jsonl"
"""At which change each session began; the last line of a session wins, a number below 0 lets it begin anew."""


class _Mark(msgspec.Struct, frozen=True):
    """The change that a session began at, and where its window began then."""

    session: str
    number: int
    window: int = 0


class Frozen:
    """Reads files as they were when a session began. Safe to call from several threads."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._marks: dict[str, _Mark] | None = None
        self._past: dict[tuple[str, int], dict[str, bytes]] = {}
        self._lock = threading.RLock()

    def texts(self, session: str, paths: Iterable[str]) -> Mapping[str, bytes]:
        """Return what these files said when a session began; one that was not there is empty."""
        paths = tuple(paths)
        now = {path: self._parts.reader.data(path) or b"" for path in paths}
        with self._lock:
            window = self._parts.sessions.state(session).window_start if self._parts.sessions.exists(session) else 0
            if session not in self._read_marks():
                self._marks = None  # another process may have seen the session first
            mark = self._read_marks().get(session)
            if mark is None or mark.number < 0 or mark.window != window or self._is_forgotten(paths, mark.number):
                return self._begin(session, window, now)
            past = self._past.setdefault((session, mark.number), {})
            try:
                for path in now.keys() - past.keys():
                    past[path] = self._as_of(path, now[path], mark.number)
            except DamagedError:  # its text was erased since: what is there now is the beginning from here on
                return self._begin(session, window, now)
            return {path: past[path] for path in now}

    def thaw(self, session: str) -> None:
        """Begin a session again with its next prompt."""
        with self._lock:
            if session in self._read_marks():
                self._put(_Mark(session, -1))

    def _is_forgotten(self, paths: Iterable[str], number: int) -> bool:
        """True if something was forgotten in some files since a change."""
        later = takewhile(lambda change: change.number > number, self._parts.ledger.changes())
        return any("forget" in change.kinds and not set(paths).isdisjoint(change.paths) for change in later)

    def _begin(self, session: str, window: int, now: dict[str, bytes]) -> dict[str, bytes]:
        number = self._parts.store.change_number()
        self._put(_Mark(session, number, window))
        self._past[session, number] = now
        return now

    def _as_of(self, path: str, data: bytes, number: int) -> bytes:
        *_, found = (data, *inverse.states(self._parts.store.since(number), path, data, self._parts.store.key()))
        return found or b""

    def _read_marks(self) -> dict[str, _Mark]:
        if self._marks is None:
            blob = self._parts.store.read(FROZEN)
            self._marks = {}
            for line in blob.data.splitlines() if blob else ():
                try:
                    mark = msgspec.json.decode(line, type=_Mark)
                except msgspec.DecodeError:
                    continue  # a torn line: its session begins anew
                self._marks[mark.session] = mark
        return self._marks

    def _put(self, mark: _Mark) -> None:
        self._read_marks()[mark.session] = mark
        if not self._parts.store.read_only:
            line = json_line({"session": guard.screen(mark.session), "number": mark.number, "window": mark.window})
            self._parts.store.append(FROZEN, [line], durable=False)
