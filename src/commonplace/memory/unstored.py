"""Messages that a disk refused: kept in memory, in the order of their session, until they can be stored.

An append that is stored returns its sources. One that waits here returns none, and is lost if the process dies first.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

import msgspec

from commonplace.changes.sessions import Sessions
from commonplace.config import Clock
from commonplace.errors import InputError, StoreError, StoreFullError
from commonplace.records import Message, Source

logger = logging.getLogger(__name__)

_Given = tuple[list[Message], str, str]
"""Messages, their agent and their kind."""


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
        return sum(len(messages) for left in list(self._left.values()) for messages, _, _ in list(left))

    def append(self, session: str, messages: Sequence[Message], *, agent: str, kind: str) -> tuple[list[Source], int]:
        """Append to a session after what waits for it; return the sources and how many messages are new.

        Raises:
            InputError: A message or the session id is not well formed; nothing was kept.
            StoreError: They could not be stored, and may not wait or too many do.
        """
        self._sessions.path(session)  # refuses what is no session id
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
                logger.warning("messages are not stored yet and wait in memory: %s", error, extra={"session": session})
            self._left.setdefault(session, []).append((dated, agent, kind))
        return [], 0

    def store(self) -> list[str]:
        """Store what waits, as far as the disk takes it; return the sessions that grew."""
        grown: dict[str, None] = {}
        with self._lock:
            for session, left in list(self._left.items()):
                while left and self._stored(session, *left[0]):
                    del left[0]
                    grown[session] = None
                if not left:
                    del self._left[session]
        if grown:
            logger.info("messages that waited are stored", extra={"sessions": len(grown), "left": self.count})
        return list(grown)

    def _stored(self, session: str, messages: Sequence[Message], agent: str, kind: str) -> bool:
        try:
            self._sessions.append_new(session, messages, agent=agent, kind=kind)
        except InputError as refused:  # no disk would take them
            logger.exception("messages of session %r cannot be stored at all", session)
            if places := refused.data.get("places"):
                others = [each for at, each in enumerate(messages) if at not in places]
                return self._stored(session, others, agent, kind)
        except StoreError:
            return False
        return True
