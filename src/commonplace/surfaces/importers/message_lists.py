"""OpenAI and Anthropic message lists, as a JSON array, an object around one, or JSONL.

Takes chat completions (`role`, `content`, `tool_calls`, role tool with `tool_call_id`), items of the
Responses API, and Anthropic messages with content blocks and `system`. A line of JSONL is one message or
one whole conversation. A conversation is named by its own id (`session_id`, `conversation_id`,
`thread_id`, `id`), else by the file, from the second line on with the number of its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

import msgspec

from commonplace.memory import said
from commonplace.memory.said import ROLES, UNSAID, Part, Result, Words
from commonplace.records import Message, Role
from commonplace.surfaces.importers import blocks
from commonplace.surfaces.importers.batches import Found
from commonplace.surfaces.importers.lines import Line, LineError, reason_of, shaped
from commonplace.text.pieces import truncate

NAME: Final = "messages"


class _Item(msgspec.Struct):
    type: str | None = None
    role: str | None = None
    content: Any = None
    text: Any = None
    refusal: str | None = None
    tool_calls: list[Any] | None = None
    function_call: Any = None
    tool_call_id: str | None = None
    call_id: str | None = None
    name: str | None = None
    id: str | None = None
    arguments: Any = None
    action: Any = None
    input: Any = None
    output: Any = None
    messages: list[Any] | None = None
    items: list[Any] | None = None
    system: Any = None
    instructions: Any = None
    session: str | None = None
    session_id: str | None = None
    conversation_id: str | None = None
    thread_id: str | None = None
    at: str | float | None = None
    timestamp: str | float | None = None
    created_at: str | float | None = None
    created: str | float | None = None
    time: str | float | None = None


class Parser(blocks.Parser):
    """Reads the lines of one file, or the one document it is."""

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of one line: a message, a conversation, or a list of messages."""
        numbered = self.stem if line.number == 1 else f"{self.stem}/{line.number}"
        if line.data.lstrip()[:1] == b"[":
            yield from self._list(numbered, line.decode(list[Any]))
            return
        item = line.decode(_Item)
        if item.role is not None or (item.type is not None and item.messages is None):
            yield from self._item(_session(item) or self.stem, item)
            return
        session = _session(item) or item.id or numbered
        at = self.at(_stamp(item))
        for raw in (item.system, item.instructions):
            for message in self.messages("system", self.parts(raw), at=at):
                yield session, message
        yield from self._list(session, _listed(item), at)

    def _list(self, session: str, items: list[Any], at: datetime | None = None) -> Iterator[Found]:
        for index, each in enumerate(items, 1):
            try:
                yield from self._item(session, shaped(each, _Item), at)
            except (LineError, RecursionError) as error:
                self.report.problem(f"message {index}: {reason_of(error)}")

    def _item(self, session: str, item: _Item, began: datetime | None = None) -> Iterator[Found]:
        at = self.at(_stamp(item)) or began
        if item.role is None:
            spoken = self._act(item, at)
        elif item.role in ROLES:
            spoken = self._spoken(ROLES[item.role], item, at)
        else:
            raise LineError(f"unknown role {truncate(item.role, 40)!r}")
        for message in spoken:
            yield session, message

    def _spoken(self, role: Role, item: _Item, at: datetime | None) -> Iterator[Message]:
        content = item.text if item.content is None else item.content
        if role == "tool":
            yield self._result(item, content, item.tool_call_id, at)
            return
        found = self.parts(content)
        if item.refusal:
            found.append(Words(item.refusal))
        found += map(said.chat_call, item.tool_calls or ())
        found += [said.chat_call({"function": item.function_call})] if item.function_call else []
        yield from self.messages(role, found, id=item.id, at=at, name=item.name)

    def _act(self, item: _Item, at: datetime | None) -> Iterator[Message]:
        """Read an item of the Responses API that is no message: a call, its output, or reasoning."""
        kind = item.type or ""
        if kind in UNSAID:
            self.report.skip(kind)
        elif kind.endswith("_call_output"):
            yield self._result(item, item.output, item.call_id, at)
        elif kind == "web_search_call":  # its result is not given, but what follows was read from the web
            text = said.made_call(None, "web_search", item.action).text
            yield Message("tool", text, id=item.id, at=at, tools=("web_search",))
        elif kind.endswith("_call"):
            name = item.name or kind.removesuffix("_call")
            call = item.call_id or item.id or ""
            found: list[Part] = [said.made_call(call, name, item.arguments or item.input or item.action)]
            if item.output is not None:
                found.append(Result(call, said.text_of(item.output), name))
            yield from self.messages("assistant", found, id=item.id, at=at)
        else:
            raise LineError(f"unknown type {truncate(kind, 40)!r}" if kind else "this is no message")

    def _result(self, item: _Item, content: object, call_id: str | None, at: datetime | None) -> Message:
        tools = self.tool(call_id or item.name or "", item.name or "")
        return Message("tool", said.text_of(content), id=item.id, at=at, tools=tools)


def _listed(item: _Item) -> list[Any]:
    """Return the messages of a conversation; of a logged response what went in, then what came out."""
    for listed in (item.messages, item.items):
        if listed is not None:
            return listed
    found: list[Any] = []
    for value in (item.input, item.output):
        found += [{"role": "user", "content": value}] if isinstance(value, str) else shaped(value or [], list[Any])
    if not found:
        raise LineError("this is no message and no list of messages")
    return found


def _session(item: _Item) -> str | None:
    return item.session or item.session_id or item.conversation_id or item.thread_id


def _stamp(item: _Item) -> str | float | None:
    stamps = (item.at, item.timestamp, item.created_at, item.created, item.time)
    return next((stamp for stamp in stamps if stamp is not None), None)
