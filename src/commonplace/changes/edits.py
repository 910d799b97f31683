"""Apply one operation to the text of one file, through the codec of its layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

import msgspec

from commonplace.layouts.codecs import codec, items
from commonplace.layouts.codecs.edits import Duplicate, assemble, decode, encode, joined
from commonplace.layouts.schema import Layer
from commonplace.operations import Edit, PutItem, PutTopic, RemoveTopic
from commonplace.records import Record
from commonplace.text.spans import Keep


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """What one operation makes of a file.

    `added` are the records that are new, with their texts, those that replace another included. `line` is added to the
    end of the file in place of `pieces`.
    """

    pieces: tuple[Keep | str, ...] = ()
    deletes: bool = False
    added: tuple[tuple[str, str], ...] = ()
    successors: dict[str, str] = msgspec.field(default_factory=dict)
    removed: tuple[str, ...] = ()
    duplicate: str = ""
    line: str = ""


def records(layer: Layer, path: str, data: bytes, zone: tzinfo) -> Iterator[Record]:
    """Yield the records of a file as its layer reads it; none of bytes that are no text."""
    if is_text(data):
        yield from codec(layer.kind).records(path, data, layer.style, zone)


def is_text(data: bytes) -> bool:
    """True unless bytes are those of another program: not UTF-8, and with a NUL."""
    if b"\0" not in data:
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def apply(operation: Edit, layer: Layer, path: str, data: bytes | None, *, at: datetime, zone: tzinfo) -> Applied:
    """Return what an operation does to a file's bytes (None if there is no file).

    Raises:
        InputError: The layer cannot do this, or the text cannot be put there; it says what to do.
        RecordNotFoundError: It names a record that is not there.
    """
    if isinstance(operation, PutTopic) and (operation.kind or data is None):
        operation = msgspec.structs.replace(operation, kind=layer.types.get(operation.kind or "topic", operation.kind))
    effect = codec(layer.kind).apply(path, data, operation, now=at, style=layer.style, zone=zone)
    if isinstance(effect, Duplicate):
        return Applied(duplicate=effect.id)
    if effect.delete or isinstance(operation, RemoveTopic):
        if isinstance(operation, RemoveTopic) and operation.into:
            return Applied(deletes=True, successors={path: operation.into})
        return Applied(deletes=True, removed=effect.gone or (path,))
    data = data or b""
    pieces = effect.pieces
    if effect.append:
        torn = "" if not data or data.endswith(b"\n") else "\n"
        kept = (Keep(0, len(data)),) if data else ()
        pieces = (*kept, f"{torn}{effect.append}\n")
    fresh = {*effect.added, *effect.successors.values()}
    if isinstance(operation, PutTopic):
        fresh.add(path)  # under the id it had it says something else now, and someone else may have said so
    elif isinstance(operation, PutItem):
        fresh.add(f"{path}#{operation.id}")
    read = records(layer, path, effect.append.encode("utf-8", "surrogateescape"), zone) if effect.append else ()
    texts = dict(zip(effect.added, (record.text for record in read), strict=False))  # by itself it says the same
    if not texts:
        after = assemble(data, pieces)
        texts = {record.id: record.text for record in records(layer, path, after, zone) if record.id in fresh}
    return Applied(
        pieces=pieces,
        added=tuple(texts.items()),
        successors=dict(effect.successors),
        removed=effect.gone,
    )


def of_item(
    operation: Edit, layer: Layer, path: str, old: Mapping[str, Any] | None, *, at: datetime, zone: tzinfo
) -> Applied:
    """Work out an operation on one item, without the others of its file; None if there is no such item.

    Raises:
        InputError: The operation is none of items.
        RecordNotFoundError: There is no such item.
    """
    effect = items.over(path, old, operation, at)
    if isinstance(effect, Duplicate):
        return Applied(duplicate=effect.id)
    made = records(layer, path, effect.append.encode(), zone)
    return Applied(line=effect.append, added=tuple((each.id, each.text) for each in made), removed=effect.gone)


class Rope:
    """What a file is about to read as: `original` are the bytes it began with, `data` the bytes as they are now.

    Several operations on one file become one write: each edit speaks of the text as the edits before it left it, the
    rope of the file as it is on disk.
    """

    def __init__(self, original: bytes) -> None:
        self.original = self.data = original
        self.pieces: tuple[Keep | str, ...] = (Keep(0, len(original)),) if original else ()
        """What the original becomes: kept spans and new texts, neighbours joined."""

    @property
    def changed(self) -> bool:
        """True if the text differs from the original."""
        return self.data != self.original

    def edit(self, pieces: Sequence[Keep | str]) -> None:
        """Replace the text by pieces; their kept spans are offsets in the current text."""
        self.pieces = tuple(joined(_through(self.pieces, pieces)))
        self.data = assemble(self.original, self.pieces)


def _through(first: Sequence[Keep | str], second: Sequence[Keep | str]) -> Iterator[Keep | str]:
    """Express pieces against the middle bytes as pieces against the first ones."""
    middle: list[tuple[int, int, Keep | bytes]] = []
    at = 0
    for part in first:
        source = part if isinstance(part, Keep) else encode(part)
        size = source.end - source.start if isinstance(source, Keep) else len(source)
        middle.append((at, at + size, source))
        at += size
    for piece in second:
        if not isinstance(piece, Keep):
            yield piece
            continue
        for start, end, source in middle:
            low, high = max(start, piece.start), min(end, piece.end)
            if low >= high:
                continue
            if isinstance(source, Keep):
                yield Keep(source.start + low - start, source.start + high - start)
            else:
                yield decode(source[low - start : high - start])


def between(before: bytes, after: bytes) -> tuple[Keep | str, ...]:
    """Return pieces that make one text of another, keeping what both begin and end with."""
    limit = min(len(before), len(after))
    start = _longest(limit, lambda low, high: before[low:high] == after[low:high])
    while start and (start < len(after) and after[start] & 0xC0 == 0x80):
        start -= 1  # never inside a character
    ends, end_after = len(before), len(after)
    end = _longest(
        limit - start, lambda low, high: before[ends - high : ends - low] == after[end_after - high : end_after - low]
    )
    while end and after[len(after) - end] & 0xC0 == 0x80:
        end -= 1
    middle = after[start : len(after) - end].decode("utf-8", "surrogateescape")
    pieces: list[Keep | str] = []
    if start:
        pieces.append(Keep(0, start))
    if middle:
        pieces.append(middle)
    if end:
        pieces.append(Keep(len(before) - end, len(before)))
    return tuple(pieces)


def _longest(limit: int, same: Callable[[int, int], bool]) -> int:
    """Find how far two texts are the same, by halves; `same` compares a stretch of both."""
    low = 0
    while low < limit:
        half = max(1, (limit - low) // 2)
        if same(low, low + half):
            low += half
        elif half == 1:
            break
        else:
            limit = low + half - 1 if same(low, low + half - 1) else low + half
    return low
