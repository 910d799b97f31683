"""Who asks for a change."""

from __future__ import annotations

from typing import Final

import msgspec

from commonplace.records import Trust


class Actor(msgspec.Struct, frozen=True):
    """Who asks: a name for the log, the most trust their texts can have, whether it is a person.

    `explicit` says that each text was asked for word by word, so that a secret in it is refused
    instead of redacted.
    """

    name: str
    trust: Trust
    person: bool = False
    explicit: bool = True


PERSON: Final = Actor("person", "user", person=True)
LIBRARY: Final = Actor("library", "agent")
TOOL: Final = Actor("tool", "agent")
