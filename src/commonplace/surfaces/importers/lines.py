"""Lines and documents out of a file: unzipped, numbered, mended where that loses nothing else.

Owns the reading of bytes and their decoding as JSON. Knows no transcript format. Memory is
bounded by the longest line that is taken, whatever the size of the file.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar, cast, overload

import msgspec

from commonplace.errors import InputError

LINE_BYTES: Final = 64_000_000  # a longer line is named and passed over; a 10 MB message fits
DOCUMENT_BYTES: Final = LINE_BYTES  # a JSON document is read whole up to this; about six times it in memory
TOTAL_BYTES: Final = 4_000_000_000  # of one transcript, unzipped; years of the longest sessions are less
CHUNK_BYTES: Final = 1 << 18  # read and unzipped at a time, so a bomb of zeros costs no memory
FOLDED_AT_MOST: Final = 100  # bytes out of one byte of gzip; transcripts have 5 to 30
FOLDED_BYTES: Final = 16_000_000  # that may come out of any
_GZIP_AT_MOST: Final = 1032  # bytes out of one byte that gzip can do
_GZIP_MAGIC: Final = b"\x1f\x8b"

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


def shaped(value: object, kind: Any) -> Any:
    """Return plain data as one type or union of types.

    Raises:
        LineError: It has another shape.
    """
    try:
        return msgspec.convert(value, kind)
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
    """One JSON value of a file and the number of the line it starts on; mended at the first decode.

    `mended` says what was replaced to make it readable; empty when it was whole.
    """

    def __init__(self, number: int, data: bytes) -> None:
        self.number = number
        self.data = data
        self.mended = ""

    def decode(self, kind: type[T]) -> T:
        """Read the line as one type, mending what its texts may not hold.

        Raises:
            LineError: It is not JSON, is nested too deep, or has another shape.
        """
        try:
            if not self.data.isascii():
                self.data.decode("utf-8")  # a value that is not looked into yet may hold anything
            return cast("T", _decoder(kind).decode(self.data))
        except msgspec.ValidationError as error:
            raise LineError(reason_of(error)) from None
        except (ValueError, RecursionError) as error:
            if self.mended or not self._mend(error):
                raise LineError(reason_of(error)) from None
        return decode(self.data, kind)

    def _mend(self, error: Exception) -> bool:
        """Replace bad bytes and half characters and escape control characters, where the rest is whole JSON."""
        try:
            value = json.loads(self.data.decode("utf-8", "replace"), strict=False)
            if not isinstance(value, (dict, list)):
                return False
            text = json.dumps(value, ensure_ascii=False)
        except (ValueError, RecursionError):
            return False
        self.data = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")
        bad = isinstance(error, UnicodeDecodeError)
        self.mended = f"{'invalid UTF-8 was' if bad else 'control or half characters in a text were'} replaced"
        return True


def chunks(stream: BinaryIO, most: int, on_cut: Callable[[str], None]) -> Iterator[bytes]:
    """Yield the bytes of a stream, unzipped if it is gzip; `on_cut` is called if gzip is damaged.

    Raises:
        InputError: The stream cannot be read, or holds more than `most` bytes.
    """
    source: Any = stream
    total = 0
    try:
        if _begins(stream) == _GZIP_MAGIC:
            source = gzip.GzipFile(fileobj=stream)
        while data := source.read1(CHUNK_BYTES):
            total += len(data)
            if total > most:
                name = str(getattr(stream, "name", "the transcript"))
                raise InputError(
                    f"{name!r} holds more than {most} bytes, as no transcript of its size does", limit=most
                )
            yield data
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        on_cut(f"the gzip data {'ends too early' if isinstance(error, EOFError) else 'is damaged from here on'}")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the transcript cannot be read: {error}") from None


def _begins(stream: BinaryIO) -> bytes:
    """Return the first two bytes of a stream, which stay to be read."""
    if isinstance(stream, io.TextIOBase):
        raise InputError("a transcript is read as bytes; open it in binary mode")
    if isinstance(stream, io.BufferedReader):
        return stream.peek(2)[:2]
    at = stream.tell()
    data = stream.read(2)
    stream.seek(at)
    return data


def most_bytes(path: Path) -> int:
    """Return how many bytes a file may hold, unzipped.

    Raises:
        InputError: It holds more; nothing of it is taken.
    """
    size = path.stat().st_size
    most = min(TOTAL_BYTES, FOLDED_BYTES + FOLDED_AT_MOST * size)
    if size * _GZIP_AT_MOST > FOLDED_BYTES:
        with path.open("rb") as stream:
            for _ in chunks(stream, most, lambda _: None):
                pass
    return most


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
