"""Front matter: the keys and values between two `---` lines at the head of a file.

Every value is text, a list or a mapping of text: `no`, `12:30` and `1.10` mean what they say. What
cannot be read safely is left where it is and reported; an edit touches the lines of its own keys.
This module opens no file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from commonplace.text.patterns import pattern

MAX_BYTES: Final = 8192  # safety notes F27
MAX_DEPTH: Final = 8  # safety notes F27
_CLOSING_CHARS: Final = 4 * MAX_BYTES  # how far a closing line is looked for

Value = Any
"""A str, a list of values or a dict of str to values; written ones may be int too."""

_OPEN: Final = pattern(r"\ufeff?---[ \t]*\r?\n")
_CLOSE: Final = pattern(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_KEYLIKE: Final = pattern(
    r"(?:\s*#[^\n]*\n|\s*\n)*+(?:\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*'|[^\s#:'\"{\[-][^:\n]*):(?:\s|\Z)"
)
_LINE: Final = pattern(r"([A-Za-z][\w-]*):[ \t]+(\w(?:[^\n]*[^\s])?)[ \t]*\r?\n?")
_PLAIN: Final = pattern(r"[^\W\d_](?:[\w .,/()+@&;'-]*[\w.)])?\Z")
_WORDS_OF_YAML: Final = frozenset(["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"])
_BAD_IN_YAML: Final = pattern("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class Front(msgspec.Struct, frozen=True):
    """The front matter of one text: its values, and where the body starts (characters).

    `problem` says why a block that looks like front matter was not read; it is then part of the body.
    """

    values: dict[str, Value]
    body: int
    problem: str = ""


class _Span(msgspec.Struct, frozen=True):
    """The place of a top-level key and its value in the block, in characters."""

    key: int
    start: int
    end: int
    one_line: bool


class _UnreadableError(Exception):
    """A block that must not be read as front matter; its text says why."""


def find(text: str) -> tuple[int, int, int] | None:
    """Find the block: (start of its keys, end of its keys, start of the body), or None without one.

    A text that opens with a rule and no keys has none.
    """
    opening = _OPEN.match(text)
    if opening is None:
        return None
    start = opening.end()
    closing = _CLOSE.search(text, start, start + _CLOSING_CHARS)
    if closing is None:
        return None
    if text[start : closing.start()].strip() and not _KEYLIKE.match(text, start, closing.start()):
        return None
    after = closing.end()
    return start, closing.start(), after + 1 if text.startswith("\n", after) else after


def read(text: str) -> Front:
    """Read the front matter of a text; a block that is not safe or not whole counts as body."""
    found = find(text)
    if found is None:
        return Front({}, 1 if text.startswith("\ufeff") else 0)
    try:
        values, _spans = _parse(text[found[0] : found[1]])
    except _UnreadableError as bad:
        return Front({}, 1 if text.startswith("\ufeff") else 0, str(bad))
    return Front(values, found[2])


def edit(text: str, changes: Mapping[str, Value], newline: str = "\n") -> list[tuple[int, int, str]]:
    """Return which characters to replace so that each key has its value; all others stay as they are.

    A key that already has the value is not touched; a new key goes below the last. Returns
    (start, end, new text) triples, ascending.
    """
    found = find(text)
    values: dict[str, Value] = {}
    spans: dict[str, _Span] = {}
    if found is not None:
        try:
            values, spans = _parse(text[found[0] : found[1]])
        except _UnreadableError:
            found = None
    wanted = {key: value for key, value in changes.items() if key not in values or values[key] != _read_back(value)}
    if not wanted:
        return []
    if found is None:
        at = 1 if text.startswith("\ufeff") else 0
        return [(at, at, render(wanted, newline) + newline)]
    start, end, _body = found
    edits: list[tuple[int, int, str]] = []
    fresh: dict[str, Value] = {}
    for key, value in wanted.items():
        span = spans.get(key)
        if span is None:
            fresh[key] = value
        elif span.one_line:
            gap = "" if span.start > span.key and text[start + span.start - 1] in " \t" else " "
            edits.append((start + span.start, start + span.end, gap + write(value)))
        else:
            edits.append((start + span.key, start + span.end, f"{_key(key)}: {write(value)}"))
    if fresh:
        edits.append((end, end, "".join(f"{_key(key)}: {write(value)}{newline}" for key, value in fresh.items())))
    return sorted(edits)


def render(values: Mapping[str, Value], newline: str = "\n") -> str:
    """Write a whole block, its two `---` lines included."""
    return newline.join(["---", *(f"{_key(key)}: {write(value)}" for key, value in values.items()), "---", ""])


def write(value: Value) -> str:
    """Write one value on one line: plain where every YAML reader agrees on it, else quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return value if _is_plain(value) else _quoted(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(str(key))}: {_inner(item)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(_inner(item) for item in value) + "]"


def _inner(value: Value) -> str:
    return _quoted(value) if isinstance(value, str) else write(value)


def _is_plain(value: str) -> bool:
    return value.isprintable() and bool(_PLAIN.match(value)) and value.casefold() not in _WORDS_OF_YAML


def _quoted(value: str) -> str:
    return _BAD_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z_][\w-]*", key) and key.casefold() not in _WORDS_OF_YAML else _quoted(key)


def _read_back(value: Value) -> Value:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _read_back(item) for key, item in value.items()}
    return [_read_back(item) for item in value]


def _parse(block: str) -> tuple[dict[str, Value], dict[str, _Span]]:
    """Read a block to values and to the place of each top-level key.

    Raises:
        _UnreadableError: Too large, too deep, not keys and values, not YAML, a key twice, or with
            an anchor, an alias or a tag.
    """
    if len(block.encode("utf-8", "surrogateescape")) > MAX_BYTES:
        raise _UnreadableError(f"the front matter is over {MAX_BYTES} bytes")
    import yaml  # noqa: PLC0415 - costs 15 ms to import and most commands read no front matter

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    clean = block.encode("utf-8", "replace").decode("utf-8")
    try:
        _refuse(yaml.parse(clean, Loader=loader), yaml)
        root = yaml.compose(clean, Loader=loader)
    except yaml.YAMLError as error:
        if (plain := _plain_lines(block)) is not None:
            return plain
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 2}" if mark is not None else ""
        raise _UnreadableError(f"the front matter is not YAML{where}") from error
    return _read(root, block)


def _plain_lines(block: str) -> tuple[dict[str, Value], dict[str, _Span]] | None:
    """Read a block in which every line is a key and a plain text, whatever YAML says of a colon in it.

    Models write `description: How to use jq: filters`. None if any line is something else.
    """
    values: dict[str, Value] = {}
    spans: dict[str, _Span] = {}
    at = 0
    for line in block.splitlines(keepends=True):
        found = _LINE.fullmatch(line)
        if found is None or found[1] in values:
            return None
        values[found[1]] = found[2]
        spans[found[1]] = _Span(at, at + found.start(2), at + found.end(2), one_line=True)
        at += len(line)
    return values, spans


def _refuse(events: Iterable[Any], yaml: Any) -> None:
    """Refuse what could grow or surprise, before anything is made of it."""
    depth = 0
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise _UnreadableError(f"the front matter is nested deeper than {MAX_DEPTH}")
        if isinstance(event, yaml.DocumentStartEvent) and event.explicit:
            raise _UnreadableError("the front matter holds two documents")
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _UnreadableError("the front matter holds an anchor or an alias")
        if isinstance(event, yaml.NodeEvent) and getattr(event, "tag", None) is not None:
            raise _UnreadableError("the front matter holds a tag")


def _read(root: Any, block: str) -> tuple[dict[str, Value], dict[str, _Span]]:
    """Return the values of the node of a whole block, and the place of each top-level key."""
    if root is None or root.value == "":
        return {}, {}
    if root.id != "mapping" or root.flow_style:
        raise _UnreadableError("the front matter is not lines of keys and values")
    spans = {key.value: _span(block, key.start_mark.index, value) for key, value in root.value if key.id == "scalar"}
    return _value(root), spans


def _value(node: Any) -> Value:
    if node.id == "scalar":
        return node.value
    if node.id == "sequence":
        return [_value(each) for each in node.value]
    found: dict[str, Value] = {}
    for key, value in node.value:
        if key.id != "scalar":
            raise _UnreadableError("the front matter has a key that is not text")
        if key.value in found:
            raise _UnreadableError(f"the front matter has the key {key.value!r} twice")
        if key.value == "<<":
            raise _UnreadableError("the front matter holds a merge key")
        found[key.value] = _value(value)
    return found


def _span(block: str, key: int, value: Any) -> _Span:
    """Return the place of a value; one that runs over lines ends before the blank lines below it."""
    start, end = value.start_mark.index, value.end_mark.index
    one_line = "\n" not in block[key:end].rstrip()
    return _Span(key, start, start + len(block[start:end].rstrip()), one_line)
