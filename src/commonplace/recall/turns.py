"""Find what belongs together in the use of tools: a call and its output, a request and its reply. Pure.

In talk the message beside one belongs to it. Where an agent works, a request is followed by calls and their
outputs, and what was found or done is in the outputs and in the reply that ends the turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from commonplace.recall.index.rows import MESSAGE_BITS, ROLE_CODES, ROLE_MASK, SLOT_MESSAGES, Slot

_USER: Final = ROLE_CODES["user"]
_ASSISTANT: Final = ROLE_CODES["assistant"]
_TOOL: Final = ROLE_CODES["tool"]
_ROLES: Final = bytes(flags & ROLE_MASK for flags in range(256))
_OUTPUT: Final = bytes([_TOOL])


class Turns:
    """The turns of some slots; a turn that goes on in the next slot ends with its own for both."""

    def __init__(self, slots: Mapping[int, Slot]) -> None:
        self._slots = slots
        self._roles: dict[int, bytes] = {}

    def call(self, key: int) -> int | None:
        """Return the message whose call made an output: the assistant's before it, with only outputs between."""
        roles, at = self._at(key)
        if roles[at] != _TOOL:
            return None
        said = roles.rfind(_ASSISTANT, 0, at)
        return key - at + said if said >= 0 and not roles[said + 1 : at].strip(_OUTPUT) else None

    def reply(self, key: int) -> int | None:
        """Return the last message of the assistant before the user speaks again, for a message of the user."""
        roles, at = self._at(key)
        if roles[at] != _USER:
            return None
        end = roles.find(_USER, at + 1)
        said = roles.rfind(_ASSISTANT, at + 1, end if end >= 0 else len(roles))
        return key - at + said if said >= 0 else None

    def _at(self, key: int) -> tuple[bytes, int]:
        slot = key >> MESSAGE_BITS
        if slot not in self._roles:
            self._roles[slot] = self._slots[slot].flags.translate(_ROLES)
        return self._roles[slot], key & (SLOT_MESSAGES - 1)
