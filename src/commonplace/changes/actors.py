"""Who asks for a change."""

from __future__ import annotations

from typing import Final

import msgspec

from commonplace.records import Trust


class Actor(msgspec.Struct, frozen=True):
    """Who asks: a name for the log, the most trust their texts can have, whether it is a person.

    `explicit` says that each text was asked for word by word, so that a secret in it is refused
    instead of redacted. `defers` says that what it would change of a person's own writing waits for review.
    `session` is the conversation that its words are judged by, with what is said of them `elsewhere`; none if empty.
    """

    name: str
    trust: Trust
    person: bool = False
    explicit: bool = True
    defers: bool = False
    session: str = ""
    elsewhere: tuple[tuple[str, Trust], ...] = ()


PERSON: Final = Actor("person", "user", person=True)
LIBRARY: Final = Actor("library", "agent")
TOOL: Final = Actor("tool", "agent", defers=True)


def tool_of(session: str | None) -> Actor:
    """Return the agent's tool in a session: its words are trusted as far as those of the session that it uses."""
    return msgspec.structs.replace(TOOL, session=session or "")
