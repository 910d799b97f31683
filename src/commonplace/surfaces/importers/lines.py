"""Lines and documents out of a file: unzipped, numbered, mended where that loses nothing else.

Owns the reading of bytes and their decoding as JSON. Knows no transcript format. Memory is
bounded by the longest line that is taken, whatever the size of the file.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, cast, overload

import msgspec

from commonplace.errors import InputError
from commonplace.text.patterns import pattern

LINE_BYTES: Final = 64_000_000  # a longer line is named and passed over; a 10 MB message fits
DOCUMENT_BYTES: Final = LINE_BYTES  # a JSON document is read whole up to this; about six times it in memory
TOTAL_BYTES: Final = 4_000_000_000  # of one transcript, unzipped; years of the longest sessions are less
CHUNK_BYTES: Final = 1 << 18  # read and unzipped at a time, so a bomb of zeros costs no memory
_GZIP_AT_MOST: Final = 1032  # bytes out of one byte
_GZIP_MAGIC: Final = b"\x1f\x8b"
_LISTS: Final = pattern(r'"(?:messages|loglines|items|input|output)"\s*:\s*\[')
_BLANK: Final = pattern(r"[\s,]*")
_NEXT_OBJECT: Final = pattern(r"[\[,]\s*(?=\{)")
_RESYNC_TRIES: Final = 2000  # starts tried after damage in a document before the rest is given up

T = TypeVar("T")

_decoder: Callable[[Any], msgspec.json.Decoder[Any]] = cache(
    msgspec.json.Decoder
)  # one for each shape; making one costs more than a line


class LineError(ValueError):
    """A line cannot be taken; says why without its text."""


@overload
def decode(data: bytes | msgspec.Raw, kind: type[T]) -> T: ...
@overload
def decode(data: bytes | msgspec.Raw, kind: Any) -> Any: ...
def decode(data: bytes | msgspec.Raw, kind: Any) -> Any:
    """Read JSON as one type or union of types.

    Raises:
        LineError: It is not JSON, is nested too deep, or has another shape.
    """
    try:
        return _decoder(kind).decode(data)
    except (ValueError, RecursionError) as error:
        raise LineError(reason_of(error)) from None


def reason_of(error: Exception) -> str:
    """Return what is wrong with some JSON, in words that quote none of it."""
    match error:
        case LineError():
            return str(error)
        case RecursionError():
            return "the JSON is nested too deep"
        case msgspec.ValidationError():
            return f"a value has the wrong type: {error}"
        case UnicodeDecodeError():
            return "invalid UTF-8"
        case _:
            return "this is not whole JSON"


class Line:
    """One JSON value of a file and the number of the line it starts on; mended at the first decode."""

    __slots__ = ("_mended", "data", "number")

    def __init__(self, number: int, data: bytes) -> None:
        self.number = number
        self.data = data
        self._mended = ""

    @property
    def mended(self) -> str:
        """What was replaced to make the line readable; empty when it was whole."""
        return self._mended

    def decode(self, kind: type[T]) -> T:
        """Read the line as one type, mending bad bytes inside its texts first.

        Raises:
            LineError: Also mended it is not JSON of that type.
        """
        if not self._mended:
            self._mend_bytes()
        try:
            return cast("T", _decoder(kind).decode(self.data))
        except msgspec.ValidationError as error:
            raise LineError(reason_of(error)) from None
        except (ValueError, RecursionError) as error:
            if self._mended or not self._mend_texts():
                raise LineError(reason_of(error)) from None
        return decode(self.data, kind)

    def _mend_bytes(self) -> None:
        if self.data.isascii():
            return
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError:
            fixed = self.data.decode("utf-8", "replace").encode("utf-8")
            self.data, self._mended = fixed, "invalid UTF-8 was replaced"
            self._mend_texts()

    def _mend_texts(self) -> bool:
        """Escape raw control characters and replace half characters, where the rest is whole JSON."""
        try:
            value = json.loads(self.data, strict=False)
            if not isinstance(value, (dict, list)):
                return False
            text = json.dumps(value, ensure_ascii=False)
        except (ValueError, RecursionError):
            return False
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self.data = whole.encode("utf-8")
        self._mended = self._mended or "control or half characters in a text were replaced"
        return True


def chunks(
    stream: BinaryIO, on_progress: Callable[[int], None] | None, on_cut: Callable[[str], None]
) -> Iterator[bytes]:
    """Yield the bytes of a stream, unzipped if it is gzip; `on_cut` is called if gzip is damaged.

    Raises:
        InputError: The stream cannot be read, is not binary, or holds more than `TOTAL_BYTES`.
    """
    total = 0
    for data in _chunks(stream, on_progress, on_cut):
        total += len(data)
        if total > TOTAL_BYTES:
            raise InputError(
                f"{str(getattr(stream, 'name', 'the transcript'))!r} holds more than {TOTAL_BYTES} bytes; split it",
                limit=TOTAL_BYTES,
            )
        yield data


def require_size(path: Path) -> None:
    """Refuse a file that holds too much, before anything of it is taken.

    Raises:
        InputError: It holds more than `TOTAL_BYTES`, unzipped where it is gzip.
    """
    with path.open("rb") as stream:
        if path.stat().st_size * _GZIP_AT_MOST > TOTAL_BYTES:
            for _ in chunks(stream, None, lambda _: None):
                pass


def _chunks(
    stream: BinaryIO, on_progress: Callable[[int], None] | None, on_cut: Callable[[str], None]
) -> Iterator[bytes]:
    done = 0

    def read() -> bytes:
        nonlocal done
        try:
            data = stream.read(CHUNK_BYTES)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"the transcript cannot be read: {error}") from None
        if not isinstance(data, bytes):
            raise InputError("a transcript is read as bytes; open it in binary mode")
        done += len(data)
        if on_progress is not None:
            on_progress(done)
        return data

    first = read()
    if first.startswith(_GZIP_MAGIC):
        yield from _unzip(first, read, on_cut)
        return
    while first:
        yield first
        first = read()


def _unzip(data: bytes, read: Callable[[], bytes], on_cut: Callable[[str], None]) -> Iterator[bytes]:
    zipped = zlib.decompressobj(wbits=31)
    while data:
        try:
            out = zipped.decompress(data, CHUNK_BYTES)
        except zlib.error:
            on_cut("the gzip data is damaged from here on")
            return
        if out:
            yield out
        if zipped.eof:
            data = zipped.unused_data.lstrip(b"\0") or read().lstrip(b"\0")
            if data:
                zipped = zlib.decompressobj(wbits=31)
        else:
            data = zipped.unconsumed_tail or read()
    if not zipped.eof:
        on_cut("the gzip data ends too early")


def split(parts: Iterator[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Yield (number, line) for each line; None in place of one that is too long to hold."""
    number = 1
    held: list[bytes] = []
    size = 0
    for part in parts:
        start = 0
        while (end := part.find(b"\n", start)) >= 0:
            size += end - start
            held.append(part[start:end])
            yield number, b"".join(held) if size <= LINE_BYTES else None
            held, size, start = [], 0, end + 1
            number += 1
        size += len(part) - start
        if size <= LINE_BYTES:
            held.append(part[start:])
        else:
            held.clear()  # the rest of a line that is too long is read past, not held
    if size:
        yield number, b"".join(held) if size <= LINE_BYTES else None


def elements(text: str) -> Iterator[Line | tuple[int, str]]:
    """Yield the objects of the list in a damaged JSON document one by one, and (line, reason) for gaps.

    Reads each object by itself, so that those before and after a damaged one are kept. Yields
    nothing if no list begins.
    """
    decoder = json.JSONDecoder(strict=False)
    position = _list_start(text)
    if position is None:
        return
    line, counted, tries = 1, 0, 0
    while True:
        position = _BLANK.match(text, position).end()  # type: ignore[union-attr] # matches always
        line += text.count("\n", counted, position)
        counted = position
        if position >= len(text):
            yield line, "the JSON document ends too early"
            return
        if text[position] == "]":
            return
        try:
            _, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            if not tries:
                yield line, f"damaged: {reason_of(error)}"
            tries += 1
            found = _NEXT_OBJECT.search(text, position + 1) if tries < _RESYNC_TRIES else None
            if found is None:
                return
            position = found.end()
            continue
        yield Line(line, text[position:end].encode("utf-8", "replace"))
        position, tries = end, 0


def _list_start(text: str) -> int | None:
    stripped = text.lstrip()
    if stripped.startswith("["):
        return len(text) - len(stripped) + 1
    found = _LISTS.search(text)
    return found.end() if found else None
