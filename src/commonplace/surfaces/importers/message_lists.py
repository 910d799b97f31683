"""OpenAI and Anthropic message lists, as a JSON array, an object around one, or JSONL.

Takes chat completions (`role`, `content`, `tool_calls`, role tool with `tool_call_id`), items of the
Responses API, and Anthropic messages with content blocks and `system`. A line of JSONL is one message or
one whole conversation. A conversation is named by its own id (`session_id`, `conversation_id`,
`thread_id`, `id`), else by the file, from the second line on with the number of its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import msgspec

from commonplace.memory.said import ROLES
from commonplace.records import Message, Role
from commonplace.surfaces.importers.batches import Found, Report
from commonplace.surfaces.importers.blocks import (
    Call,
    Calls,
    Envelope,
    Part,
    Result,
    Text,
    arguments_text,
    instant_of,
    messages,
    parts,
    result_text,
)
from commonplace.surfaces.importers.lines import Line, LineError, decode, reason_of
from commonplace.text.pieces import truncate

NAME: Final = "messages"
_SILENT: Final = frozenset(["reasoning", "item_reference", "mcp_list_tools", "compaction"])


class _Item(msgspec.Struct):
    type: str | None = None
    role: str | None = None
    content: msgspec.Raw = msgspec.Raw()
    text: msgspec.Raw = msgspec.Raw()
    refusal: str | None = None
    tool_calls: list[msgspec.Raw] | None = None
    function_call: msgspec.Raw = msgspec.Raw()
    tool_call_id: str | None = None
    call_id: str | None = None
    name: str | None = None
    id: str | None = None
    arguments: msgspec.Raw = msgspec.Raw()
    action: msgspec.Raw = msgspec.Raw()
    input: msgspec.Raw = msgspec.Raw()
    output: msgspec.Raw = msgspec.Raw()
    messages: list[msgspec.Raw] | None = None
    items: list[msgspec.Raw] | None = None
    system: msgspec.Raw = msgspec.Raw()
    instructions: msgspec.Raw = msgspec.Raw()
    session: str | None = None
    session_id: str | None = None
    conversation_id: str | None = None
    thread_id: str | None = None
    at: str | float | None = None
    timestamp: str | float | None = None
    created_at: str | float | None = None
    created: str | float | None = None
    time: str | float | None = None


class _Function(msgspec.Struct):
    name: str = ""
    arguments: msgspec.Raw = msgspec.Raw()
    input: msgspec.Raw = msgspec.Raw()


class _ToolCall(msgspec.Struct):
    id: str = ""
    function: _Function | None = None
    custom: _Function | None = None


class Parser:
    """Reads the lines of one file, or the one document it is."""

    def __init__(self, stem: str, report: Report) -> None:
        self._stem = stem
        self._report = report
        self._calls = Calls()

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of one line: a message, a conversation, or a list of messages.

        Raises:
            LineError: The line is damaged or unknown; nothing of it was yielded.
        """
        if line.data.lstrip()[:1] == b"[":
            yield from self._list(self._numbered(line.number), line.decode(list[msgspec.Raw]), line.number)
            return
        item = line.decode(_Item)
        if item.role is not None or (item.type is not None and item.messages is None):
            yield from self._item(_session(item) or self._stem, item, line.number)
            return
        session = _session(item) or item.id or self._numbered(line.number)
        at = instant_of(_stamp(item), line.number, self._report)
        for raw in (item.system, item.instructions):
            for message in messages("system", self._parts(raw, line.number), Envelope(at=at), self._calls):
                yield Found(session, message)
        yield from self._list(session, _listed(item), line.number, at)

    def _numbered(self, number: int) -> str:
        return self._stem if number == 1 else f"{self._stem}/{number}"

    def _list(self, session: str, items: list[msgspec.Raw], number: int, at: datetime | None = None) -> Iterator[Found]:
        for index, raw in enumerate(items, 1):
            try:
                yield from self._item(session, decode(raw, _Item), number, at)
            except (LineError, RecursionError) as error:
                self._report.problem(number, f"message {index}: {reason_of(error)}")

    def _item(self, session: str, item: _Item, number: int, began: datetime | None = None) -> Iterator[Found]:
        envelope = Envelope(item.id, instant_of(_stamp(item), number, self._report) or began, item.name)
        if item.role is None:
            spoken = self._act(item, envelope, number)
        elif item.role in ROLES:
            spoken = self._spoken(ROLES[item.role], item, envelope, number)
        else:
            raise LineError(f"unknown role {truncate(item.role, 40)!r}")
        for message in spoken:
            yield Found(session, message)

    def _spoken(self, role: Role, item: _Item, envelope: Envelope, number: int) -> Iterator[Message]:
        if role == "tool":
            yield self._result(item, _content(item), item.tool_call_id, envelope)
            return
        found = self._parts(_content(item), number)
        if item.refusal:
            found.append(Text(item.refusal))
        for raw in item.tool_calls or []:
            call = decode(raw, _ToolCall)
            function = call.function or call.custom or _Function()
            found.append(Call(call.id, function.name, bytes(function.arguments) or bytes(function.input)))
        if bytes(item.function_call):
            function = decode(item.function_call, _Function | None) or _Function()
            found.append(Call(function.name, function.name, bytes(function.arguments)))
        yield from messages(role, found, envelope, self._calls)

    def _act(self, item: _Item, envelope: Envelope, number: int) -> Iterator[Message]:
        """Read an item of the Responses API that is no message: a call, its output, or reasoning."""
        kind = item.type or ""
        envelope = msgspec.structs.replace(envelope, name=None)
        if kind in _SILENT:
            self._report.skip(number, kind)
        elif kind.endswith("_call_output"):
            yield self._result(item, item.output, item.call_id, envelope)
        elif kind == "web_search_call":  # its result is not given, but what follows was read from the web
            text = f"[web_search] {arguments_text(bytes(item.action))}"
            yield Message("tool", text, id=envelope.id, at=envelope.at, tools=("web_search",))
        elif kind.endswith("_call"):
            name = item.name or kind.removesuffix("_call")
            call = item.call_id or item.id or ""
            found: list[Part] = [Call(call, name, bytes(item.arguments) or bytes(item.input) or bytes(item.action))]
            if bytes(item.output):
                found.append(Result(call, result_text(item.output), name))
            yield from messages("assistant", found, envelope, self._calls)
        else:
            raise LineError(f"unknown type {truncate(kind, 40)!r}" if kind else "this is no message")

    def _result(self, item: _Item, content: msgspec.Raw, call_id: str | None, envelope: Envelope) -> Message:
        tools = self._calls.tool(call_id or item.name or "", item.name or "")
        return Message("tool", result_text(content), id=envelope.id, at=envelope.at, tools=tools)

    def _parts(self, content: msgspec.Raw, number: int) -> list[Part]:
        return parts(content, lambda reason: self._report.problem(number, reason, kept=True))


def _listed(item: _Item) -> list[msgspec.Raw]:
    """Return the messages of a conversation; of a logged response what went in, then what came out."""
    for listed in (item.messages, item.items):
        if listed is not None:
            return listed
    found: list[msgspec.Raw] = []
    for raw in (item.input, item.output):
        if bytes(raw):
            value: str | list[msgspec.Raw] | None = decode(raw, str | list[msgspec.Raw] | None)
            if isinstance(value, str):
                found.append(msgspec.Raw(msgspec.json.encode({"role": "user", "content": value})))
            else:
                found.extend(value or [])
    if not found:
        raise LineError("this is no message and no list of messages")
    return found


def _content(item: _Item) -> msgspec.Raw:
    return item.content if bytes(item.content) else item.text


def _session(item: _Item) -> str | None:
    return item.session or item.session_id or item.conversation_id or item.thread_id


def _stamp(item: _Item) -> str | float | None:
    stamps = (item.at, item.timestamp, item.created_at, item.created, item.time)
    return next((stamp for stamp in stamps if stamp is not None), None)
