"""What `append` takes: messages of ours, and those of the providers' SDKs as they are, one or many.

Reads `{"role", "content"}` with content blocks as Anthropic and OpenAI have them. Reasoning of a model is left
out; content without words (an image, a file) becomes a marker such as `[image]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
ARGUMENTS_CHARS: Final = 2000  # of one call that are kept; its result is a message of its own


def messages(given: object, key: bytes) -> list[Message]:
    """Return what was given as messages, without text that this memory fenced as recalled.

    Args:
        given: A `Message`, an SDK's message as a dict or an object with `model_dump`, or several of them.
        key: The scope's own key, by which its fences are known.

    Raises:
        InputError: Something of it is no message.
    """
    tools: dict[str, str] = {}
    found = [message for each in _several(given) for message in _read(each, tools)]
    return [
        msgspec.structs.replace(m, content=strip_fences(m.content, key)) if "<recalled-memory" in str(m.content) else m
        for m in found
    ]


def _several(given: object) -> Iterable[object]:
    if isinstance(given, (Message, Mapping)) or hasattr(given, "model_dump"):
        return [given]
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise _odd(given)
    return given


def _read(given: object, tools: dict[str, str]) -> Iterator[Message]:
    if isinstance(given, Message):
        yield given
        return
    said = _plain(given)
    role = ROLES.get(str(said.get("role")))
    if role is None:
        raise _odd(given)
    own, name, content = said.get("id"), said.get("name"), said.get("content")
    if own is not None and not isinstance(own, str):
        raise InputError("a message id is a text", message=repr(given)[:200])
    words: list[str] = []
    called: list[str] = []
    results: list[Message] = []
    for block in [content] if isinstance(content, str) else _blocks(content, given):
        if isinstance(block, str):
            words.append(block)
            continue
        plain = _plain(block)
        kind = str(plain.get("type", ""))
        if kind == "tool_use" or kind.endswith("_tool_use"):
            words.append(_call(plain, plain.get("name"), plain.get("input"), tools, called))
        elif kind == "tool_result" or kind.endswith("_tool_result"):
            results.append(_result(_text_of(plain.get("content"), given), tools.get(str(plain.get("tool_use_id")))))
        elif kind not in SILENT:
            words.append(_text(plain, kind))
    for call in said.get("tool_calls") or ():
        plain = _plain(call)
        function = _plain(plain.get("function") or plain.get("custom") or {})
        asked = function.get("arguments", function.get("input"))
        words.append(_call(plain, function.get("name"), asked, tools, called))
    text = "\n\n".join(word for word in words if word)
    for number, result in enumerate(results, bool(text)):
        yield msgspec.structs.replace(result, id=f"{own}#{number}" if own and number else own)
    if role == "tool":
        known = tools.get(str(said.get("tool_call_id"))) or (name if isinstance(name, str) else None)
        yield msgspec.structs.replace(_result(text, known), id=own)
    elif text or not (results or (isinstance(content, list) and content)):
        speaker = name if isinstance(name, str) else None
        yield Message(role, text, id=own, name=speaker, tools=tuple(dict.fromkeys(called)))


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
    return "\n".join(part if isinstance(part, str) else _text(part, str(part.get("type", ""))) for part in parts)


def _call(block: Mapping[str, Any], name: object, given: object, tools: dict[str, str], called: list[str]) -> str:
    """Return a call of a tool in one short text, and take note of its name."""
    known = name if isinstance(name, str) and name else "tool"
    tools[str(block.get("id"))] = known
    called.append(known)
    asked = given if isinstance(given, str) else msgspec.json.encode(given, enc_hook=str).decode() if given else ""
    return truncate(f"[{known}] {asked}".rstrip(), ARGUMENTS_CHARS)


def _result(text: str, tool: str | None) -> Message:
    return Message("tool", text, tools=(tool,) if tool else ())


def _odd(given: object) -> InputError:
    return InputError(
        "a message is Message(role, content), or a dict with role (user, assistant, system, tool) and content: a text "
        "or a list of blocks",
        message=repr(given)[:200],
    )
