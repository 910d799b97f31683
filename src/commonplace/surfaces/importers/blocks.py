"""The content of one message: blocks of text, tool calls and tool results, as every format here has them.

Owns the reading of content blocks (Claude Code, Anthropic, OpenAI, pi) and the walk that turns them into
messages. Reasoning of a model is left out; an image or a file leaves a mark such as `[image]`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

import msgspec

from commonplace.memory import said
from commonplace.records import Message, Role
from commonplace.surfaces.importers.batches import Report
from commonplace.surfaces.importers.harness import Voiced, voices
from commonplace.surfaces.importers.lines import LineError, decode, reason_of
from commonplace.text import instants
from commonplace.text.pieces import truncate

CALLS_REMEMBERED: Final = 1024  # calls whose results may still come; a result follows its call closely
_TEXT: Final = frozenset(["text", "input_text", "output_text", "refusal", "summary_text"])
_SILENT: Final = said.SILENT | {"encrypted_content"}
_MARKS: Final = {**said.MARKS, "tool_reference": "", "container_upload": "[file]"}
_CALLS: Final = frozenset(["tool_use", "server_tool_use", "mcp_tool_use", "toolCall"])


class Text(msgspec.Struct, frozen=True):
    """Words of the message itself."""

    text: str


class Call(msgspec.Struct, frozen=True):
    """A tool the message calls."""

    id: str
    name: str
    arguments: bytes = b""


class Result(msgspec.Struct, frozen=True):
    """The result of a tool inside a message; `name` only if the block itself has it."""

    call_id: str
    text: str
    name: str = ""


Part = Text | Call | Result


class _Block(msgspec.Struct):
    type: str
    text: str | None = None
    refusal: str | None = None
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    input: msgspec.Raw = msgspec.Raw()
    arguments: msgspec.Raw = msgspec.Raw()
    content: msgspec.Raw = msgspec.Raw()


class _Leaf(msgspec.Struct):
    type: str = ""
    text: str | None = None
    title: str | None = None
    url: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    content: msgspec.Raw = msgspec.Raw()


class Calls:
    """Which tool each open call named, for the latest calls of a file."""

    __slots__ = ("_names",)

    def __init__(self) -> None:
        self._names: OrderedDict[str, str] = OrderedDict()

    def note(self, call_id: str, name: str) -> None:
        """Remember one call."""
        if call_id and name:
            self._names[call_id] = name
            if len(self._names) > CALLS_REMEMBERED:
                self._names.popitem(last=False)

    def tool(self, call_id: str, name: str = "") -> tuple[str, ...]:
        """Return the name of the tool a result came from; empty if nothing says it."""
        known = name or self._names.get(call_id, "")
        return (known,) if known else ()


def parts(content: msgspec.Raw, problem: Callable[[str], None]) -> list[Part]:
    """Read the content of a message: a text, a list of blocks, or nothing.

    A block of an unknown type or shape is named to `problem` and left out; the others stay.

    Raises:
        LineError: The content is neither.
    """
    if not bytes(content):
        return []
    value: str | list[msgspec.Raw] | None = decode(content, str | list[msgspec.Raw] | None)
    if value is None:
        return []
    if isinstance(value, str):
        return [Text(value)]
    found: list[Part] = []
    for number, raw in enumerate(value, 1):
        try:
            part = _part(decode(raw, _Block), problem)
        except (LineError, RecursionError) as error:
            problem(f"content block {number} was left out: {reason_of(error)}")
            continue
        if part is not None:
            found.append(part)
    return found


def _part(block: _Block, problem: Callable[[str], None]) -> Part | None:
    if block.type in _TEXT:
        text = block.text if block.text is not None else block.refusal
        if text is None:
            raise LineError("a text block without text")
        return Text(text)
    if block.type in _CALLS:
        return Call(block.id or "", block.name or "", bytes(block.input) or bytes(block.arguments))
    if block.type == "tool_result" or block.type.endswith("_tool_result"):
        name = block.type.removesuffix("_tool_result") if block.type not in {"tool_result", "mcp_tool_result"} else ""
        return Result(block.tool_use_id or "", result_text(block.content), name)
    if block.type in _MARKS:
        return Text(_MARKS[block.type])
    if block.type not in _SILENT:
        problem(f"a content block of the unknown type {truncate(block.type, 40)!r} was left out")
    return None


def result_text(content: msgspec.Raw) -> str:
    """Join the texts of a tool's result; titles and addresses of search results count as text."""
    if not bytes(content):
        return ""
    value: str | list[str | _Leaf] | _Leaf | None = decode(content, str | list[str | _Leaf] | _Leaf | None)
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, _Leaf):
        return _leaf_text(value) or bytes(content).decode("utf-8", "replace")
    return "\n".join(text for leaf in value if (text := leaf if isinstance(leaf, str) else _leaf_text(leaf)))


def _leaf_text(leaf: _Leaf) -> str:
    texts = [text for text in (leaf.title, leaf.url, leaf.text, leaf.stdout, leaf.stderr) if text]
    if bytes(leaf.content):
        texts.append(result_text(leaf.content))
    return "\n".join(texts) or _MARKS.get(leaf.type, "")


def call_text(call: Call) -> str:
    """Show a tool call in one short text: `[name]` and its arguments, cut where they are long."""
    return truncate(f"[{call.name or 'tool'}] {arguments_text(call.arguments)}".rstrip(), said.ARGUMENTS_CHARS)


def arguments_text(arguments: bytes) -> str:
    """Show arguments as `name: value` lines; a text is shown without quotes, so that it can be found."""
    if not arguments:
        return ""
    try:
        value = msgspec.json.decode(arguments, type=str | dict[str, msgspec.Raw])
        if isinstance(value, str):
            value = msgspec.json.decode(value, type=dict[str, msgspec.Raw]) if value else {}
    except (ValueError, RecursionError):
        return arguments.decode("utf-8", "replace")
    return "\n".join(f"{name}: {_plain(raw)}" for name, raw in value.items())


def _plain(raw: msgspec.Raw) -> str:
    data = bytes(raw)
    if data.startswith(b'"'):
        return msgspec.json.decode(data, type=str)
    return data.decode("utf-8", "replace")


class Envelope(msgspec.Struct, frozen=True):
    """What all messages of one line share."""

    id: str | None = None
    at: datetime | None = None
    name: str | None = None


class _Ids:
    """Makes the ids of the messages of one line: its own id first, then `id#1`, `id#2`; none if it has none."""

    def __init__(self, base: str | None) -> None:
        self._base = base
        self._count = 0

    def __call__(self) -> str | None:
        self._count += 1
        if not self._base:
            return None
        return self._base if self._count == 1 else f"{self._base}#{self._count - 1}"


def messages(role: Role, found: list[Part], envelope: Envelope, calls: Calls) -> Iterator[Message]:
    """Turn the parts of one line into messages, in their order.

    Words and calls of one stretch are one message; a result is a message of role tool between them.
    Under role user, what the harness put in becomes a message of its own before the person's words.
    """
    ids = _Ids(envelope.id)
    words: list[str] = []
    named: list[str] = []

    def flush() -> Iterator[Message]:
        text = "\n\n".join(word.strip("\n") for word in words if word.strip())
        if text:
            tools = tuple(dict.fromkeys(named))
            yield Message(role, text, name=envelope.name, id=ids(), at=envelope.at, tools=tools)
        words.clear()
        named.clear()

    for part in found:
        match part:
            case Text(text):
                for voiced in voices(text) if role == "user" else [Voiced("user", text)]:
                    if voiced.voice == "user":
                        words.append(voiced.text)
                    else:
                        yield harness_message(voiced, ids(), envelope.at)
            case Call(call_id, name, _):
                calls.note(call_id, name)
                words.append(call_text(part))
                named.extend([name] if name else [])
            case Result(call_id, text, name):
                yield from flush()
                if text.strip():
                    tools = calls.tool(call_id, name)
                    yield Message("tool", text, id=ids(), at=envelope.at, tools=tools)
    yield from flush()


def harness_message(voiced: Voiced, message_id: str | None, at: datetime | None) -> Message:
    """Make the message of a harness text; it may show a file or an output, so it is trusted as a tool's."""
    if voiced.voice == "tool":
        return Message("tool", voiced.text, id=message_id, at=at, tools=("command",))
    return Message("system", voiced.text, id=message_id, at=at, trust="tool")


def instant_of(value: str | float | None, line: int, report: Report) -> datetime | None:
    """Read an instant, in the zone of the report if it names none; a problem is reported if it cannot be read."""
    at = instants.instant_of(value, report.zone)
    if at is None and value is not None and value != "":
        report.problem(line, "the time could not be read; the message before it lends its own", kept=True)
    return at
