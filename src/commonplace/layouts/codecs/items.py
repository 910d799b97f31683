"""Items: typed records, one JSON object a line; the last line of an id wins.

An edit appends a line, a removal too. A line that cannot be read is kept where it is, byte for byte,
and reported; unknown keys are kept. Nothing here opens a file or asks the time.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, Final, NamedTuple

import msgspec

from commonplace.errors import UNREADABLE, InputError, RecordNotFoundError
from commonplace.guard.screened import instant
from commonplace.layouts.codecs import edits
from commonplace.layouts.codecs.edits import Duplicate, Effect
from commonplace.operations import Operation, PutItem, RemoveItem
from commonplace.records import Item
from commonplace.text.instants import instant_of
from commonplace.text.pieces import fingerprint
from commonplace.text.spans import Keep

DEAD_SHARE: Final = 3  # compaction when one line in three is dead
_TEXT_KEYS: Final = ("content", "text", "body", "summary")
_DATE_KEYS: Final = ("updatedAt", "updated_at", "createdAt", "created_at", "timestamp", "at")
_LINE_BREAKS: Final = {"\u0085": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_FINGERPRINT_HEX: Final = 24  # seed structured: the first 12 bytes of SHA-256


class Line(NamedTuple):
    """One line of a file: bytes [start, end) with its line break; `data` is None where it is not an object."""

    start: int
    end: int
    id: str
    data: dict[str, Any] | None
    deleted: bool = False


class Contents(msgspec.Struct, frozen=True):
    """A file as read: its lines, the place in `lines` of the live one of each id, and the bad ones.

    `malformed` holds (line number from 1, byte offset); `dead` counts the lines that no longer say
    anything: replaced ones and removals.
    """

    lines: tuple[Line, ...]
    live: dict[str, int]
    malformed: tuple[tuple[int, int], ...]
    dead: int


def read(data: bytes) -> Contents:
    """Read a file of items; blank lines are none."""
    lines: list[Line] = []
    malformed: list[tuple[int, int]] = []
    live: dict[str, int] = {}
    number = start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        number += 1
        raw = data[start:end].strip().removeprefix(b"\xef\xbb\xbf" if start == 0 else b"")
        if raw:
            line = _line(raw, start, end)
            if line.data is None:
                malformed.append((number, start))
            elif line.deleted:
                live.pop(line.id, None)
            else:
                live.pop(line.id, None)
                live[line.id] = len(lines)
            lines.append(line)
        start = end
    return Contents(tuple(lines), live, tuple(malformed), len(lines) - len(malformed) - len(live))


def records(path: str, data: bytes, style: str = "", zone: tzinfo = UTC) -> Iterator[Item]:  # noqa: ARG001 - one signature for all codecs
    """Yield the live items of a file in the order of their last lines."""
    contents = read(data)
    for place in sorted(contents.live.values()):
        line = contents.lines[place]
        yield item(path, line.id, line.data or {})


def item(path: str, name: str, data: dict[str, Any]) -> Item:
    """Make the record of one stored object."""
    title = data.get("title")
    text = next((value for key in _TEXT_KEYS if isinstance(value := data.get(key), str) and value), "")
    kind = data.get("type")
    return Item(
        id=f"{path}#{name}",
        path=path,
        text=text or (title if isinstance(title, str) else ""),
        kind=kind if isinstance(kind, str) else "",
        title=title if isinstance(title, str) else "",
        at=next((at for key in _DATE_KEYS if (at := instant_of(data.get(key))) is not None), None),
        data=data,
    )


def item_fingerprint(kind: str, content: str) -> str:
    """Hash an item as the structured design does: type and content, case and white space folded.

    Source: seed structured, exact rule in seed systems 3.1.
    """
    folded = re.sub(r"\s+", " ", content.replace("\r", " ").replace("\n", " ").strip().lower())
    return hashlib.sha256(f"{kind}|{folded}".encode("utf-8", "surrogatepass")).hexdigest()[:_FINGERPRINT_HEX]


def put(
    path: str, old: Mapping[str, Any] | None, name: str, values: Mapping[str, Any], now: datetime
) -> Effect | Duplicate:
    """Append the line that gives an item these values; keys not named here keep what they have in `old`.

    `createdAt` is set once, `updatedAt` each time, `fingerprint` whenever type or content
    changed, unless the values name them. An item that already has the values is a duplicate.

    Raises:
        InputError: The id is empty or not one line, or a value has no place in JSON.
    """
    _check_name(name)
    if old is not None and all(key in old and old[key] == value for key, value in values.items()):
        return Duplicate(f"{path}#{name}")
    fresh, old = old is None, old or {}
    new = {"id": name, **old, **values} | {"id": name}
    stamp = instant(now)
    new.setdefault("createdAt", stamp)
    if "updatedAt" not in values:
        new["updatedAt"] = stamp
    content, kind = new.get("content"), new.get("type")
    same = content == old.get("content") and kind == old.get("type")
    if "fingerprint" not in values and isinstance(content, str) and not (same and "fingerprint" in old):
        new["fingerprint"] = item_fingerprint(kind if isinstance(kind, str) else "", content)
    record = f"{path}#{name}"
    return Effect(append=_written(new), added=(record,) if fresh else ())


def remove(path: str, old: Mapping[str, Any] | None, name: str, now: datetime) -> Effect:
    """Append the line that ends an item.

    Raises:
        RecordNotFoundError: There is no live item of this id.
    """
    if old is None:
        raise RecordNotFoundError(f"{path!r} has no item {name!r}; search for its id", path=path)
    return Effect(append=_written({"id": name, "deleted": True, "updatedAt": instant(now)}), gone=(f"{path}#{name}",))


def apply(
    path: str,
    data: bytes | None,
    operation: Operation,
    *,
    now: datetime,
    style: str = "",  # noqa: ARG001 - one signature for all codecs
    zone: tzinfo = UTC,  # noqa: ARG001 - see above
) -> Effect | Duplicate:
    """Return the effect of one operation on a file of items.

    Raises:
        InputError: The operation is none of items.
    """
    return over(path, live(data or b"", getattr(operation, "id", "")), operation, now)


def live(data: bytes, name: str) -> dict[str, Any] | None:
    """Return the object of a live item; None if there is none of this id."""
    contents = read(data)
    place = contents.live.get(name)
    return contents.lines[place].data if place is not None else None


def over(path: str, old: Mapping[str, Any] | None, operation: Operation, now: datetime) -> Effect | Duplicate:
    """Return the effect of one operation on an item (None if there is none).

    Raises:
        InputError: The operation is none of items.
    """
    match operation:
        case PutItem():
            return put(path, old, operation.id, operation.data, now)
        case RemoveItem():
            return remove(path, old, operation.id, now)
        case _:
            raise InputError(f"{type(operation).__name__} cannot be done to the items of {path!r}; put or remove one")


def is_due(dead: int, lines: int) -> bool:
    """True if so many lines are dead that the file is rewritten without them."""
    return dead > 0 and dead * DEAD_SHARE >= lines


def compact(data: bytes) -> Effect:
    """Leave out the dead lines; live and malformed ones keep their bytes and their order."""
    contents = read(data)
    keep = set(contents.live.values())
    left = (line for place, line in enumerate(contents.lines) if line.data is None or place in keep)
    return Effect(pieces=tuple(edits.joined(Keep(line.start, line.end) for line in left)))


def without(then: bytes, now: bytes, was: bytes) -> bytes | None:
    """Remove what an edit made of `was` from a file that others edited since, item by item.

    Args:
        then: The file right after the edit.
        now: The file as it is; lines that are dead may have been left out of it.
        was: The file right before the edit.

    Returns:
        The bytes, or None if an item of the edit was changed since.
    """
    old, mid, current = (_live_lines(data) for data in (was, then, now))
    touched = {name for name in old.keys() | mid.keys() if old.get(name) != mid.get(name)}
    if any(current.get(name) != mid.get(name) for name in touched):
        return None
    contents = read(now)
    kept: list[bytes] = []
    for place, line in enumerate(contents.lines):
        if line.data is None or line.id not in touched:
            kept.append(now[line.start : line.end])
        elif line.id in old and contents.live.get(line.id) == place:
            kept.append(old.pop(line.id))
    kept += [old[name] for name in old if name in touched and name not in mid]
    return b"".join(each if each.endswith(b"\n") else each + b"\n" for each in kept)


def are_newest(lines: bytes, now: bytes) -> bool:
    """True if no item that some lines of a file are of has a later line in it."""
    newest, own = (
        {line.id: data[line.start : line.end].rstrip() for line in read(data).lines} for data in (now, lines)
    )
    return all(newest.get(name) == line for name, line in own.items())


def _live_lines(data: bytes) -> dict[str, bytes]:
    contents = read(data)
    return {name: data[contents.lines[at].start : contents.lines[at].end] for name, at in contents.live.items()}


def _line(raw: bytes, start: int, end: int) -> Line:
    try:
        data = msgspec.json.decode(raw)
    except UNREADABLE:
        try:
            data = msgspec.json.decode(raw.decode("utf-8", "replace"))  # its only fault may be bytes that are no UTF-8
        except UNREADABLE:
            data = None
    if not isinstance(data, dict):
        return Line(start, end, "", None)
    name = data.get("id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name:
        name = fingerprint(raw.decode("utf-8", "replace"))
    return Line(start, end, name, data, data.get("deleted") is True)


def _check_name(name: str) -> None:
    if not name or not name.isprintable() or name != name.strip():
        raise InputError(f"{name!r} is no item id; use printable characters without blank edges")


def _written(values: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the item has a value that has no place in JSON: {error}") from error
    for char, escape in _LINE_BREAKS.items():
        text = text.replace(char, escape)
    return text
