"""What `append` takes: messages of ours, and those of the providers' SDKs as they are, one or many.

Reads `{"role", "content"}` with content blocks as Anthropic and OpenAI have them, and the items of OpenAI's Responses.
Reasoning of a model is left out; content without words (an image, a file) becomes a marker such as `[image]`. The text
of a document becomes a message of its own, trusted as a tool. A result finds the name of its tool by the id of the
call, also if the call was appended before.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
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
_SILENT: Final = frozenset(["thinking", "redacted_thinking", "reasoning", "reasoning_text", "encrypted_content"])
_MARKS: Final = {
    "image": "[image]", "image_url": "[image]", "input_image": "[image]", "document": "[document]",
    "file": "[file]", "input_file": "[file]", "audio": "[audio]", "input_audio": "[audio]",
    "container_upload": "[file]", "tool_reference": "",
}  # fmt: skip
_ATTACHED: Final = frozenset(["document", "search_result", "web_fetch_result"])  # blocks that hold what others wrote
UNSAID: Final = frozenset(["reasoning", "item_reference", "mcp_list_tools", "compaction"])  # items without words
_BODY: Final = ("text", "stdout", "stderr")  # keys of a part of a result, whose values are said as they are
_TEXTS: Final = (*_BODY, "title", "url")
_ARGUMENTS_CHARS: Final = 2000  # of one call that are kept; its result is a message of its own


class Words(msgspec.Struct, frozen=True):
    """Words of the message itself, and the text of a document that is attached to it.

    `unknown` is what a block that nobody knows calls itself; the words are a mark of it then.
    """

    text: str
    attached: str = ""
    unknown: str = ""


class Call(msgspec.Struct, frozen=True):
    """A tool that the message calls; `text` shows the call."""

    id: str
    tool: str
    text: str


class Result(msgspec.Struct, frozen=True):
    """The result of a call; `tool` only if the result itself names it."""

    call: str
    text: str
    tool: str = ""


Part = Words | Call | Result


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
    try:
        found = [message for each in _several(given) for message in _read(each, calls)]
    except RecursionError as error:
        raise InputError("a message is nested too deep to be read; give what it says as a text") from error
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
    calls_given, refusal = said.get("tool_calls") or (), said.get("refusal")
    if not isinstance(calls_given, Sequence):
        raise _odd(given)
    calling = [*calls_given, *([{"function": old}] if (old := said.get("function_call")) else ())]
    if "content" not in said and not calling and not refusal:
        raise _odd(given)
    blocks = [content] if isinstance(content, str) else _blocks(content, given)
    speaker = name if isinstance(name, str) else None
    if role == "tool":
        yield msgspec.structs.replace(
            _result(text_of(content), calls.tool(said.get("tool_call_id")) or speaker), id=own
        )
        return
    parts = [*map(part, blocks), *([Words(refusal)] if isinstance(refusal, str) else ()), *map(chat_call, calling)]
    made = list(_spoken(role, parts, speaker, calls))
    first = next((each for each in made if each.role == role), None)  # has the id that was given
    number = itertools.count(1)
    for each in made:
        yield msgspec.structs.replace(each, id=own if each is first or not own else f"{own}#{next(number)}")


def _spoken(role: Role, parts: Iterable[Part | None], speaker: str | None, calls: _Calls) -> Iterator[Message]:
    """Yield the messages of some parts: words and calls up to a result are one, and the result is one behind them."""
    words: list[str] = []
    called: list[tuple[str, str]] = []

    def flush() -> Iterator[Message]:
        if text := "\n\n".join(filter(None, words)):
            yield _calling(role, text, None, called, speaker)
        words.clear()
        called.clear()

    for each in parts:
        match each:
            case Words(text, attached):
                words.append(text)
                if attached:
                    yield Message(role, attached, trust="tool")
            case Call() as call:
                called.append(calls.note(call.id, call.tool))
                words.append(call.text)
            case Result(of, text, tool):
                yield from flush()
                yield _result(text, calls.tool(of) or tool)
    yield from flush()


def _act(item: Mapping[str, Any], given: object, calls: _Calls) -> Iterator[Message]:
    """Read an item of OpenAI's Responses that is no message: a call, its output, or what has no words."""
    kind, own = str(item.get("type", "")), item.get("id")
    own = own if isinstance(own, str) else None
    call = item.get("call_id") or own
    output = item.get("output")
    if kind.endswith("_call_output") and output is not None:
        yield msgspec.structs.replace(_result(text_of(output), calls.tool(call)), id=own)
    elif kind.endswith("_call"):
        asked = next((item[key] for key in ("arguments", "input", "action") if item.get(key)), None)
        made = made_call(call, item.get("name") or kind.removesuffix("_call"), asked)
        yield _calling("assistant", made.text, own, [calls.note(made.id, made.tool)])
        if isinstance(output, str):  # a server's tool has its result in its own item
            yield msgspec.structs.replace(_result(output, made.tool), id=f"{own}#1" if own else None)
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


def part(block: object) -> Part | None:
    """Return what a content block says; None for reasoning. Of a kind that is not known its name is left as a mark."""
    if isinstance(block, str):
        return Words(block)
    plain = _plain(block)
    kind = str(plain.get("type", ""))
    if kind in {"tool_use", "toolCall"} or kind.endswith("_tool_use"):
        return made_call(plain.get("id"), plain.get("name"), plain.get("input") or plain.get("arguments"))
    if kind == "tool_result" or kind.endswith("_tool_result"):
        tool = "" if kind in {"tool_result", "mcp_tool_result"} else kind.removesuffix("_tool_result")
        return Result(str(plain.get("tool_use_id") or ""), text_of(plain.get("content")), tool)
    if kind in _SILENT:
        return None
    text = plain.get("text", plain.get("refusal"))
    is_attached = kind in _ATTACHED and text_of(_inside(plain))
    if isinstance(text, str) or kind in _MARKS or is_attached:
        return Words(text if isinstance(text, str) else _mark(kind), _leaf(plain) if is_attached else "")
    return Words(_mark(kind), unknown=kind or "block")


def chat_call(call: object) -> Call:
    """Return one of the `tool_calls` of a chat completion."""
    plain = _plain(call)
    function = _plain(plain.get("function") or plain.get("custom"))
    return made_call(plain.get("id"), function.get("name"), function.get("arguments", function.get("input")))


def made_call(call: object, name: object, given: object) -> Call:
    """Return a call with its arguments in one short text, each in a line, a text without quotes so that it is found."""
    tool = name if isinstance(name, str) and name else "tool"
    asked = given
    if isinstance(given, str):
        with suppress(ValueError, RecursionError):
            asked = msgspec.json.decode(given)
    if isinstance(asked, Mapping):
        lines = "\n".join(f"{key}: {each if isinstance(each, str) else _json(each)}" for key, each in asked.items())
    else:
        lines = given if isinstance(given, str) else _json(given) if given else ""
    return Call(str(call or ""), tool, truncate(f"[{tool}] {lines}".rstrip(), _ARGUMENTS_CHARS))


def text_of(content: object) -> str:
    """Join the texts of a tool's result; the title of a document, and the address of one without a text, are texts.

    A result that is neither a text nor a list of parts is written as JSON.
    """
    if isinstance(content, (list, tuple)):
        return "\n".join(filter(None, map(_leaf, content)))
    return "" if content is None else _leaf(content)


def _leaf(part: object) -> str:
    if isinstance(part, str):
        return part
    block = _plain(part)
    found = {key: block[key] for key in _TEXTS if isinstance(block.get(key), str)}
    body = "\n".join(filter(None, (*map(found.get, _BODY), text_of(_inside(block)))))
    if found or body:
        return "\n\n".join(filter(None, (found.get("title"), body or found.get("url"))))
    return _mark(str(block["type"])) if block.get("type") else _json(block or part)


def _inside(block: Mapping[str, Any]) -> object:
    """Return what a document, or a part of a result, holds."""
    source = _plain(block.get("source"))
    return source.get("data") if source.get("type") == "text" else source.get("content", block.get("content"))


def _mark(kind: str) -> str:
    return _MARKS.get(kind, f"[{kind or 'block'}]")


def _json(value: object) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()


def _result(text: str, tool: str | None) -> Message:
    return Message("tool", text, tools=(tool,) if tool else ())


def _odd(given: object) -> InputError:
    return InputError(
        "a message is Message(role, content), or a dict with role (user, assistant, system, tool) and content: a text "
        "or a list of blocks, or an item of OpenAI's Responses",
        message=repr(given)[:200],
    )
