"""The content of one message: blocks of text, tool calls and tool results, as every format here has them.

Owns the reading of content blocks (Claude Code, Anthropic, OpenAI, pi) and the walk that turns them into
messages. Reasoning of a model is left out; an image or a file leaves a mark such as `[image]`.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final, get_args

import msgspec

from commonplace.memory import said
from commonplace.records import Message, Role
from commonplace.surfaces.importers.batches import Found, Report
from commonplace.surfaces.importers.harness import Voiced, voices
from commonplace.surfaces.importers.lines import Line, LineError, decode, reason_of
from commonplace.text import instants
from commonplace.text.pieces import truncate

ROLES: Final[frozenset[str]] = frozenset(get_args(Role))
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


def _part(block: _Block, report: Report) -> Part | None:
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
        report.problem(f"a content block of the unknown type {truncate(block.type, 40)!r} was left out", kept=True)
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


def harness_message(voiced: Voiced, message_id: str | None, at: datetime | None) -> Message:
    """Make the message of a harness text; it may show a file or an output, so it is trusted as a tool's."""
    if voiced.voice == "tool":
        return Message("tool", voiced.text, id=message_id, at=at, tools=("command",))
    return Message("system", voiced.text, id=message_id, at=at, trust="tool")


class Parser(ABC):
    """Turns the lines of one file into messages; knows the session it is in and the calls still open."""

    def __init__(self, stem: str, report: Report) -> None:
        self.stem = self.session = stem
        self.report = report
        self._calls: dict[str, str] = {}  # the tool of each call whose result may still come, the oldest first

    @abstractmethod
    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of one line, each with its session.

        Raises:
            LineError: The line is damaged or unknown; nothing of it was yielded.
        """

    def at(self, value: str | float | None) -> datetime | None:
        """Read an instant, in the zone of the report if it names none; a problem is reported if it cannot be read."""
        at = instants.instant_of(value, self.report.zone)
        if at is None and value is not None and value != "":
            self.report.problem("the time could not be read; the message before it lends its own", kept=True)
        return at

    def tool(self, call_id: str, name: str = "") -> tuple[str, ...]:
        """Return the name of the tool a result came from; empty if nothing says it."""
        known = name or self._calls.get(call_id, "")
        return (known,) if known else ()

    def parts(self, content: msgspec.Raw) -> list[Part]:
        """Read the content of a message: a text, a list of blocks, or nothing.

        A block that cannot be taken is reported and left out.

        Raises:
            LineError: The content is of another type.
        """
        value: str | list[msgspec.Raw] | None = None
        if bytes(content):
            value = decode(content, str | list[msgspec.Raw] | None)
        if isinstance(value, str):
            return [Text(value)]
        found: list[Part] = []
        for number, raw in enumerate(value or (), 1):
            try:
                part = _part(decode(raw, _Block), self.report)
            except (LineError, RecursionError) as error:
                self.report.problem(f"content block {number} was left out: {reason_of(error)}", kept=True)
                continue
            if part is not None:
                found.append(part)
        return found

    def messages(
        self,
        role: Role,
        found: Iterable[Part],
        *,
        id: str | None = None,  # noqa: A002 - as a message has it
        at: datetime | None = None,
        name: str | None = None,
    ) -> Iterator[Message]:
        """Turn the parts of one line into messages, in their order: the first has its id, then `id#1`, `id#2`.

        Words and calls of one stretch are one message; a result is a message of role tool between them.
        Under role user, what the harness put in becomes a message of its own before the person's words.
        """
        ids = (id and (f"{id}#{number}" if number else id) for number in itertools.count())
        words: list[str] = []
        named: dict[str, None] = {}

        def flush() -> Iterator[Message]:
            text = "\n\n".join(word.strip("\n") for word in words if word.strip())
            if text:
                yield Message(role, text, name=name, id=next(ids), at=at, tools=tuple(named))
            words.clear()
            named.clear()

        for part in found:
            match part:
                case Text(text):
                    for voiced in voices(text) if role == "user" else [Voiced("user", text)]:
                        if voiced.voice == "user":
                            words.append(voiced.text)
                        else:
                            yield harness_message(voiced, next(ids), at)
                case Call(call_id, tool, _):
                    self._note(call_id, tool)
                    words.append(call_text(part))
                    named |= {tool: None} if tool else {}
                case Result(call_id, text, tool):
                    yield from flush()
                    if text.strip():
                        yield Message("tool", text, id=next(ids), at=at, tools=self.tool(call_id, tool))
        yield from flush()

    def _note(self, call_id: str, tool: str) -> None:
        if call_id and tool:
            self._calls[call_id] = tool
            if len(self._calls) > CALLS_REMEMBERED:
                del self._calls[next(iter(self._calls))]
