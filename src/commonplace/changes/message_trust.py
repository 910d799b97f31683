"""How far what a message says is trusted where it is shown: in a hit, a recap or a line of a buffer.

A message is stored with the trust of its speaker. Pasted words in it are `tool`, and a sentence of the assistant has
the trust of the text below `agent` that it repeats. That is worked out for the few messages that are shown, never for
all, and from a bounded part of the session before each.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from commonplace.config import GuardConfig
from commonplace.guard.pasted import part_trust, pasted
from commonplace.guard.shapes import Span
from commonplace.guard.trust import Voices
from commonplace.records import ROLE_TRUST, Message, RecordedMessage, Trust, is_below_agent, lowest_trust
from commonplace.text.content import sentences
from commonplace.text.pieces import one_line, plain_name

_KEPT: Final = 4096  # ranks of texts that were shown
_UNNAMED: Final = "main"  # an agent that the host gave no name


class MessageTrust:
    """Ranks parts of messages, and marks those below `agent`.

    Args:
        read: Yields the messages of a session from one number to another.
        lately: Returns the number from which on the messages before one are asked whose words it repeats.
    """

    def __init__(
        self, read: Callable[[str, int, int], Iterator[RecordedMessage]], lately: Callable[[RecordedMessage], int]
    ) -> None:
        self._read = read
        self._lately = lately
        self._ranks: dict[tuple[str, int, int, str], Trust] = {}

    def of(self, parts: Sequence[tuple[RecordedMessage, Span]]) -> list[Trust]:
        """Return how far parts of the messages of one session, in order, are trusted."""
        before: _Before | None = None
        found: list[Trust] = []
        for message, (start, end) in parts:
            text = message.text[start:end]
            rank = part_trust(message.message.trust or "agent", message.text, start, end)
            if message.message.role == "assistant" and not is_below_agent(rank):
                begin = self._lately(message)
                asked = message.session, begin, message.number, text
                if asked not in self._ranks:
                    if before is None or before.number < begin:
                        before = _Before(begin)
                    before.go_on(self._read(message.session, before.number, message.number), message.number)
                    if len(self._ranks) >= _KEPT:
                        self._ranks.clear()
                    self._ranks[asked] = lowest_trust([rank, *map(before.voices.trust, sentences(text))])
                rank = self._ranks.get(asked, rank)
            found.append(rank)
        return found

    def marked(self, messages: Sequence[RecordedMessage]) -> list[str]:
        """Return the texts of messages of one session, in order, each part below `agent` with a mark before it."""
        parts = [(each, span) for each in messages for span in _parts(each)]
        texts: dict[str, str] = {}
        for (message, (start, end)), rank in zip(parts, self.of(parts), strict=True):
            texts[message.id] = texts.get(message.id, "") + mark(rank) + message.text[start:end]
        return [texts[each.id] for each in messages]


def most_trust(message: Message, agent: str, config: GuardConfig) -> Trust:
    """Return the most a message can be trusted: by its role, its tools, its name, and as was passed."""
    level = ROLE_TRUST[message.role]
    own_tools = {own.lower() for own in config.own_tools}
    own = bool(message.tools) and own_tools.issuperset(map(str.lower, message.tools))
    if message.role == "tool" and (own or not message.content):
        level = "agent"
    other = message.role == "user" and not is_owner(message.name, config.owner)
    other = other or (message.role == "assistant" and message.name not in {None, agent} and agent != _UNNAMED)
    levels: list[Trust] = [level, message.trust or level, "tool" if other else level]
    return lowest_trust(levels)


def is_owner(name: str | None, owner: str) -> bool:
    """True if who writes under a name is the owner of the memory, as everybody is while none is set."""
    return not name or not owner or _alike(name) == _alike(owner)


def _alike(name: str) -> str:
    return one_line(unicodedata.normalize("NFC", name)).casefold()


class _Before:
    """The part of a session that was read; its words are looked into once something below `agent` is in it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.voices = Voices()
        self._begun = False
        self._waiting: list[RecordedMessage] = []

    def go_on(self, messages: Iterator[RecordedMessage], number: int) -> None:
        """Add the messages up to a number."""
        for each in messages:
            self._begun = self._begun or each.message.role != "assistant"
            if self._begun:  # what it answers is not there, so these may be the words of that
                self._waiting.append(each)
        self.number = number
        if any(_brings(each) for each in self._waiting):
            for each in self._waiting:
                self.voices.take(each)
            self._waiting.clear()


def mark(rank: Trust) -> str:
    """Return the mark of what ranks below `agent`; empty if it does not."""
    return f"(from {rank}) " if is_below_agent(rank) else ""


def _brings(message: RecordedMessage) -> bool:
    """True if something in a message ranks below `agent`."""
    rank = part_trust(message.message.trust or "agent", message.text)
    return is_below_agent(rank) or (bool(message.message.name) and plain_name(message.message.name) is None)


def _parts(message: RecordedMessage) -> Iterator[Span]:
    """Yield the places of the parts of a message: what a person pasted, and their own words between."""
    at = 0
    for start, end in pasted(message.text) if message.message.trust == "user" else ():
        if start > at:
            yield at, start
        yield start, end
        at = end
    if at < len(message.text):
        yield at, len(message.text)
