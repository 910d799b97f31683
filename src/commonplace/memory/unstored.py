"""Messages that a disk refused: kept in memory, in the order of their session, until they can be stored.

An append that is stored returns its sources. One that waits here returns none, and is lost if the process dies first.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Final

import msgspec

from commonplace.changes.sessions import Sessions
from commonplace.config import Clock
from commonplace.errors import InputError, StoreError, StoreFullError
from commonplace.records import Message, Source

logger = logging.getLogger(__name__)

_WARNING: Final = (
    "%d messages of session %r are not stored yet: %s; they wait in memory, and the next call tries again. "
    "This is said once"
)


class _Given(msgspec.Struct, frozen=True):
    messages: Sequence[Message]
    agent: str
    kind: str


class Unstored:
    """Appends to sessions, and keeps what could not be appended. Safe across threads.

    Args:
        sessions: The transcripts.
        clock: Dates the messages that wait and have no instant.
        most: How many messages may wait; with 0 an append that fails raises.
    """

    def __init__(self, sessions: Sessions, clock: Clock, most: int) -> None:
        self._sessions, self._clock, self._most = sessions, clock, most
        self._left: dict[str, list[_Given]] = {}
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        """How many messages wait."""
        return sum(len(given.messages) for left in list(self._left.values()) for given in list(left))

    def append(self, session: str, messages: Sequence[Message], *, agent: str, kind: str) -> tuple[list[Source], int]:
        """Append to a session after what waits for it; return the sources and how many messages are new.

        Raises:
            InputError: A message or the session id is not well formed; nothing was kept.
            StoreError: They could not be stored, and may not wait or too many do.
        """
        error: StoreError | None = None
        if session not in self._left:
            try:
                return self._sessions.append_new(session, messages, agent=agent, kind=kind)
            except StoreError as refused:
                if not self._most:
                    raise
                error = refused
        for each in messages:
            self._sessions.checked(each)
        now = self._clock()
        dated = [each if each.at else msgspec.structs.replace(each, at=now) for each in messages]
        with self._lock:
            if self.count + len(dated) > self._most:
                raise StoreFullError(f"{self.count} messages wait to be stored, and no more may") from error
            if not self._left:
                logger.warning(_WARNING, len(dated), session, error, extra={"session": session})
            self._left.setdefault(session, []).append(_Given(dated, agent, kind))
        return [], 0

    def store(self) -> list[str]:
        """Store what waits, as far as the disk takes it; return the sessions that grew."""
        grown: list[str] = []
        with self._lock:
            for session, left in list(self._left.items()):
                while left and self._stored(session, left[0]):
                    left.pop(0)
                    grown.append(session)
                if not left:
                    del self._left[session]
        if grown:
            logger.info("messages that waited are stored", extra={"sessions": len(set(grown)), "left": self.count})
        return list(dict.fromkeys(grown))

    def _stored(self, session: str, given: _Given) -> bool:
        try:
            self._sessions.append_new(session, given.messages, agent=given.agent, kind=given.kind)
        except InputError:  # no disk would take them
            logger.exception("%d messages of session %r cannot be stored at all", len(given.messages), session)
        except StoreError:
            return False
        return True
