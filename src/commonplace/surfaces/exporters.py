"""Exporters: what memory holds, in the form of another system. They only read."""

from __future__ import annotations

from commonplace.memory.memory import Memory
from commonplace.surfaces.importers import agent_session


def session(memory: Memory, session_id: str) -> bytes:
    """Return a session as the structured design writes it: its live window, with the summary of what left it.

    Args:
        memory: Holds it.
        session_id: The session, `channel:chat`.

    Raises:
        RecordNotFoundError: There is no such session.
    """
    sessions = memory.sessions
    state, window = sessions.state(session_id), sessions.window(session_id)
    return agent_session.encode(state, window, summary=sessions.summary(session_id))
