"""What the agent's own tool answered, where a host appends it to the talk: memory knows that already.

It is known by its content, whatever the tool is called there, and only in the process that gave it. Of such an answer
only what ranks below `agent` is kept: by that it is known whose words the agent uses afterwards.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from commonplace.records import TRUST_RANK, Message, Trust, is_below_agent, lowest_trust
from commonplace.text.patterns import pattern

_LAST: Final = 256  # answers
_BELOW: Final = pattern(r"\(from (tool|web)\b")


class Answers:
    """The last answers of the tools of one memory. Safe to call from several threads."""

    def __init__(self) -> None:
        self._last: deque[bytes] = deque(maxlen=_LAST)
        self._lock = threading.Lock()

    def given(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Note an answer, and return it."""
        with self._lock:
            self._last.append(_key(answer))
        return answer

    def without_known(self, message: Message) -> Message:
        """Return a result that holds an answer without what it repeats; another message as it is."""
        if message.role != "tool" or not self._last:
            return message
        try:
            answer = msgspec.json.decode(message.content)
            with self._lock:
                is_ours = isinstance(answer, dict) and _key(answer) in self._last
        except (RecursionError, ValueError):
            return message
        if not is_ours:
            return message
        below = [(text, trust) for text, trust in _shown(answer) if is_below_agent(trust)]
        trust = lowest_trust([message.trust or "agent", *(each for _, each in below)]) if below else message.trust
        return msgspec.structs.replace(message, content="\n".join(text for text, _ in below), trust=trust)


def _key(answer: dict[str, Any]) -> bytes:
    return msgspec.json.encode(answer, order="deterministic")


def _shown(answer: dict[str, Any]) -> Iterator[tuple[str, Trust]]:
    """Yield the texts of an answer, each with the least trust that it names."""
    for hit in answer.get("hits", ()):
        yield hit["text"], _least(hit["text"], hit["trust"])
    for key in ("text", "message", "error"):
        if text := answer.get(key):
            yield text, _least(text, answer.get("trust", "agent"))


def _least(text: str, trust: str) -> Trust:
    named: list[Any] = [*_BELOW.findall(text), trust]
    return min(named, key=TRUST_RANK.__getitem__)
