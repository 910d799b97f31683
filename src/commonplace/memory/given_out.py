"""What the agent's own tool answered, where a host appends it to the talk: memory knows that already.

Of such an answer only what ranks below `agent` is kept: by that it is known whose words the agent uses afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from commonplace.layouts.schema import AgentTool
from commonplace.records import TRUST_RANK, Message, Trust, is_below_agent, lowest_trust
from commonplace.text.patterns import pattern

_KEYS: Final = frozenset({"success", "message", "error", "records", "record", "text", "trust", "hits"})
_BELOW: Final = pattern(r"\(from (tool|web)\b")


def without_known(message: Message, tool: AgentTool) -> Message:
    """Return a result of the agent's own tool without what it repeats; another message as it is."""
    names = {each.name for each in tool.actions} if tool.separate else {tool.name}
    if message.role != "tool" or not message.tools:
        return message
    try:
        is_own = {each.lower() for each in names}.issuperset(map(_plain, message.tools))
        answer = msgspec.json.decode(message.content) if is_own else {}
        known = answer.keys() <= _KEYS and isinstance(answer.get("success"), bool)
        shown = list(_shown(answer)) if known else None
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return message
    if shown is None:  # no answer of ours
        return message
    below = [(text, trust) for text, trust in shown if is_below_agent(trust)]
    trust = lowest_trust([message.trust or "agent", *(each for _, each in below)]) if below else message.trust
    return msgspec.structs.replace(message, content="\n".join(text for text, _ in below), trust=trust)


def _plain(name: str) -> str:
    """Return the name of a tool in lower case, without that of the server that it comes from."""
    return name.rpartition("__")[2].lower()


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
