"""What `append` takes: messages of ours, and those of the providers' SDKs as they are, one or many.

Reads `{"role", "content"}` with content blocks as Anthropic and OpenAI have them, and the items of OpenAI's Responses.
Reasoning of a model is left out; content without words (an image, a file) becomes a marker such as `[image]`. The text
of a document becomes a message of its own, trusted as a tool. A result finds the name of its tool by the id of the
call, also if the call was appended before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from commonplace.errors import InputError
from commonplace.records import Message, Role
from commonplace.text.pieces import strip_fences, truncate

Said = Message | Mapping[str, Any] | Iterable[Message | Mapping[str, Any]]
"""One message or several, ours or an SDK's."""
ROLES: Final[dict[str, Role]] = {
    "user": "user", "assistant": "assistant", "system": "system", "developer": "system", "tool": "tool",
    "function": "tool",
}  # fmt: skip
SILENT: Final = frozenset(["thinking", "redacted_thinking", "reasoning", "reasoning_text"])
MARKS: Final = {
    "image": "[image]", "image_url": "[image]", "input_image": "[image]", "document": "[document]",
    "file": "[file]", "input_file": "[file]", "audio": "[audio]", "input_audio": "[audio]",
}  # fmt: skip
ATTACHED: Final = frozenset(["document", "search_result", "web_fetch_result"])  # blocks that hold what others wrote
UNSAID: Final = frozenset(["reasoning", "item_reference", "mcp_list_tools", "compaction"])  # items without words
ARGUMENTS_CHARS: Final = 2000  # of one call that are kept; its result is a message of its own


def messages(given: object, key: bytes, tool_called: Callable[[str], str | None]) -> list[Message]:
    """Return what was given as messages, without text that this memory fenced as recalled.

    Args:
        given: A `Message`, an SDK's message as a dict or an object with `model_dump`, or several of them.
        key: The scope's own key, by which its fences are known.
        tool_called: Returns the tool of a call that was appended before, by the call's id.

    Raises:
        InputError: Something of it is no message.
    """
    calls = _Calls(tool_called)
    found = [message for each in _several(given) for message in _read(each, calls)]
    return [
        msgspec.structs.replace(m, content=strip_fences(m.content, key)) if "<recalled-memory" in str(m.content) else m
        for m in found
    ]


class _Calls:
    """The tools of the calls of one append, by their ids, and of those before it."""

    def __init__(self, before: Callable[[str], str | None]) -> None:
        self._before = before
        self._tools: dict[str, str] = {}

    def note(self, call: object, tool: str) -> tuple[str, str]:
        """Add a call, and return its id and tool as `Message.calls` has them."""
        self._tools[str(call)] = tool
        return str(call), tool

    def tool(self, call: object) -> str | None:
        """Return the tool of a call; None if no message has it."""
        return (self._tools.get(str(call)) or self._before(str(call))) if call else None


def _several(given: object) -> Iterable[object]:
    if isinstance(given, (Message, Mapping)) or hasattr(given, "model_dump"):
        return [given]
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise _odd(given)
    return given


def _read(given: object, calls: _Calls) -> Iterator[Message]:
    if isinstance(given, Message):
        yield given
        return
    said = _plain(given)
    if said.get("role") is None:
        yield from _act(said, given, calls)
        return
    role = ROLES.get(str(said.get("role")))
    if role is None:
        raise _odd(given)
    own, name, content = said.get("id"), said.get("name"), said.get("content")
    if own is not None and not isinstance(own, str):
        raise InputError("a message id is a text", message=repr(given)[:200])
    if "content" not in said and not said.get("tool_calls") and not said.get("refusal"):
        raise _odd(given)
    words: list[str] = []
    called: list[tuple[str, str]] = []
    results: list[Message] = []
    for block in [content] if isinstance(content, str) else _blocks(content, given):
        if isinstance(block, str):
            words.append(block)
            continue
        plain = _plain(block)
        kind = str(plain.get("type", ""))
        if kind == "tool_use" or kind.endswith("_tool_use"):
            called.append(calls.note(plain.get("id"), _tool(plain.get("name"))))
            words.append(_call(called[-1][1], plain.get("input")))
        elif kind == "tool_result" or kind.endswith("_tool_result"):
            results.append(_result(_text_of(plain.get("content"), given), calls.tool(plain.get("tool_use_id"))))
        elif kind not in SILENT:
            words.append(_text(plain, kind))
            if attached := _attached(plain, given):
                results.append(Message(role, attached, trust="tool"))
    if isinstance(refusal := said.get("refusal"), str):
        words.append(refusal)
    for call in said.get("tool_calls") or ():
        plain = _plain(call)
        function = _plain(plain.get("function") or plain.get("custom") or {})
        called.append(calls.note(plain.get("id"), _tool(function.get("name"))))
        words.append(_call(called[-1][1], function.get("arguments", function.get("input"))))
    text = "\n\n".join(word for word in words if word)
    for number, result in enumerate(results, bool(text)):
        yield msgspec.structs.replace(result, id=f"{own}#{number}" if own and number else own)
    if role == "tool":
        known = calls.tool(said.get("tool_call_id")) or (name if isinstance(name, str) else None)
        yield msgspec.structs.replace(_result(text, known), id=own)
    elif text:
        speaker = name if isinstance(name, str) else None
        yield _calling(role, text, own, called, speaker)


def _act(item: Mapping[str, Any], given: object, calls: _Calls) -> Iterator[Message]:
    """Read an item of OpenAI's Responses that is no message: a call, its output, or what has no words."""
    kind, own = str(item.get("type", "")), item.get("id")
    own = own if isinstance(own, str) else None
    call = item.get("call_id") or own
    output = item.get("output")
    if kind.endswith("_call_output") and output is not None:
        yield msgspec.structs.replace(_result(_text_of(output, given), calls.tool(call)), id=own)
    elif kind.endswith("_call"):
        tool = _tool(item.get("name") or kind.removesuffix("_call"))
        asked = next((item[key] for key in ("arguments", "input", "action") if item.get(key)), None)
        yield _calling("assistant", _call(tool, asked), own, [calls.note(call, tool)])
        if isinstance(output, str):  # a server's tool has its result in its own item
            yield msgspec.structs.replace(_result(output, tool), id=f"{own}#1" if own else None)
    elif kind not in UNSAID:
        raise _odd(given)


def _calling(
    role: Role, text: str, own: str | None, called: list[tuple[str, str]], speaker: str | None = None
) -> Message:
    names = tuple(dict.fromkeys(tool for _, tool in called))
    return Message(role, text, id=own, name=speaker, tools=names, calls=tuple(called))


def _blocks(content: object, given: object) -> Iterable[object]:
    if content is None:
        return ()
    if isinstance(content, (list, tuple)):
        return content
    raise _odd(given)


def _plain(value: object) -> Mapping[str, Any]:
    """Return an object of an SDK as plain data; what is none is empty."""
    dump = getattr(value, "model_dump", None)
    plain = dump() if callable(dump) else value
    return plain if isinstance(plain, Mapping) else {}


def _text(block: Mapping[str, Any], kind: str) -> str:
    text = block.get("text", block.get("refusal"))
    return text if isinstance(text, str) else MARKS.get(kind, f"[{kind or 'block'}]")


def _text_of(content: object, given: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = [content]
    parts = (part if isinstance(part, str) else _plain(part) for part in _blocks(content, given))
    return "\n".join(
        part if isinstance(part, str) else _attached(part, given) or _text(part, str(part.get("type", "")))
        for part in parts
    )


def _attached(block: Mapping[str, Any], given: object) -> str:
    """Return the title and text of a document, or of what a search or a fetch found; empty if a block has none."""
    source = _plain(block.get("source"))
    found = source.get("data") if source.get("type") == "text" else source.get("content", block.get("content"))
    if str(block.get("type")) not in ATTACHED or not found or not isinstance(found, (str, list, tuple, Mapping)):
        return ""
    title = block.get("title")
    return "\n\n".join(filter(None, (title if isinstance(title, str) else "", _text_of(found, given))))


def _tool(name: object) -> str:
    return name if isinstance(name, str) and name else "tool"


def _call(tool: str, given: object) -> str:
    """Return a call of a tool in one short text."""
    asked = given if isinstance(given, str) else msgspec.json.encode(given, enc_hook=str).decode() if given else ""
    return truncate(f"[{tool}] {asked}".rstrip(), ARGUMENTS_CHARS)


def _result(text: str, tool: str | None) -> Message:
    return Message("tool", text, tools=(tool,) if tool else ())


def _odd(given: object) -> InputError:
    return InputError(
        "a message is Message(role, content), or a dict with role (user, assistant, system, tool) and content: a text "
        "or a list of blocks, or an item of OpenAI's Responses",
        message=repr(given)[:200],
    )
