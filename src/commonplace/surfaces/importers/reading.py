"""Reads a transcript file of any known format into batches, in memory that does not grow with the file.

Owns the choice of the format (from the content alone) and of line by line against whole document. Never
writes anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, tzinfo
from itertools import chain
from pathlib import Path, PurePath
from typing import BinaryIO, Final

import msgspec

from commonplace.changes.transcripts import checksum
from commonplace.errors import InputError
from commonplace.surfaces.importers import agent_session, claude_code, exchange, message_lists, neoclaw, pi
from commonplace.surfaces.importers.batches import Batch, Batcher, Head, Problem, Report, plain_session
from commonplace.surfaces.importers.blocks import Parser
from commonplace.surfaces.importers.lines import (
    DOCUMENT_BYTES,
    LINE_BYTES,
    TOTAL_BYTES,
    Line,
    LineError,
    chunks,
    most_bytes,
    reason_of,
    split,
)

_PARSERS: Final[dict[str, type[Parser]]] = {
    claude_code.NAME: claude_code.Parser,
    pi.NAME: pi.Parser,
    message_lists.NAME: message_lists.Parser,
    exchange.NAME: exchange.Parser,
    neoclaw.NAME: neoclaw.Parser,
    agent_session.NAME: agent_session.Parser,
}
_ALIASES: Final = {"openai": message_lists.NAME, "anthropic": message_lists.NAME}
KNOWN: Final = f"{', '.join(_PARSERS)} (openai and anthropic are messages)"
"""The formats in words, as help and errors name them."""
_HEAD_LINES: Final = 40  # lines that vote for the format
_HEAD_BYTES: Final = 1_000_000  # of them at most; one line is always looked at

_Numbered = tuple[int, bytes | None]


def read(
    path: Path | BinaryIO,
    *,
    format: str | None = None,  # noqa: A002 - the word users know from every other reader
    on_problem: Callable[[Problem], None],
    on_skipped: Callable[[Problem], None] | None = None,
    zone: tzinfo = UTC,
    on_head: Callable[[Head], None] = lambda _: None,
) -> Iterator[Batch]:
    """Yield the messages of one transcript, in batches of at most 500 messages or about 4 MB.

    Lines that cannot be taken are named to `on_problem` and everything else goes in. Nothing is opened
    before the first batch is asked for. A message without an id gets one that every later import gives
    again; one without a time gets that of the message before it.

    Args:
        path: A file, gzip or not, or an open binary stream (read to its end, not closed).
        format: One of those that `KNOWN` names; found from the content when None.
        on_problem: Called for each damaged or unknown line as it is met.
        on_skipped: Called for each line that holds no message by its nature, such as a question.
        zone: The one of times that name none.
        on_head: Called with what a file says of its session, before the messages of it.

    Raises:
        InputError: The file cannot be opened, is empty, is none of the known formats or our own, holds more than 4 GB
            (unzipped) or 100 times its size by gzip, or is one JSON document of more than 64 MB.
    """
    chosen = _chosen(format)
    name = str(path) if isinstance(path, Path) else str(getattr(path, "name", "") or "stream")
    report = Report(name, on_problem, on_skipped, zone=zone, on_head=on_head)
    with ExitStack() as stack:
        if isinstance(path, Path):
            stream, most = stack.enter_context(_opened(path)), most_bytes(path)
        else:
            stream, most = path, TOTAL_BYTES
        cut: list[str] = []
        kind, lines = _Source(chunks(stream, most, cut.append), name, report, cut).lines(chosen)
        stem = _stem(name)
        parser = _PARSERS[kind](stem, report)
        batcher = Batcher(stem, report)
        for line in lines:
            yield from _fed(parser, line, batcher, report)
        yield from batcher.flush()


def _fed(parser: Parser, line: Line, batcher: Batcher, report: Report) -> Iterator[Batch]:
    remarks, empty = report.remarks, True
    report.line = line.number
    try:
        for found in parser.feed(line):
            empty = False
            yield from batcher.add(found)
    except (LineError, RecursionError) as error:
        report.problem(reason_of(error))
        return
    if line.mended:
        report.problem(line.mended, kept=True)
    if empty and report.remarks == remarks:
        report.skip("a message without text")


class _Source:
    """One file as lines: first a head to know it by, then the rest as it comes."""

    def __init__(self, parts: Iterator[bytes], name: str, report: Report, cut: list[str]) -> None:
        self._name = name
        self._report = report
        self._cut = cut  # says where the bytes end too early
        self._rest: Iterator[_Numbered] = split(parts)

    def lines(self, chosen: str | None) -> tuple[str, Iterator[Line]]:
        """Find the format and give all lines, or the one document that the file is.

        Raises:
            InputError: The file is empty, none of the known formats, or commonplace's own.
        """
        head: list[_Numbered] = []
        for number, data in self._rest:
            head.append((number, data))
            if len(head) >= _HEAD_LINES or sum(len(data or b"") for _, data in head) >= _HEAD_BYTES:
                break
        if any(checksum(_bare(data)) for _, data in head if data):
            raise InputError(
                f"{self._name!r} is of commonplace itself: copy a transcript into the other memory's folder of them, "
                "and what was forgotten in it stays forgotten",
                path=self._name,
            )
        votes = Counter(kind for _, data in head if data and (kind := recognise(data)))
        first = next((data and _bare(data) for _, data in head if data is None or _bare(data)), b"")
        if first == b"":
            raise InputError(f"{self._name!r} is empty; nothing was imported", path=self._name)
        is_line = first is not None and (first[:1] not in {b"[", b"{"} or _is_json(first))
        if not is_line and votes.total() * 2 < len(head):
            document = self._document(head)
            head, votes = [(1, document)], Counter(filter(None, [recognise(document)]))
        if not (votes or chosen):
            raise InputError(f"{self._name!r} is not a transcript that is known; known are {KNOWN}", path=self._name)
        # One line of metadata says it for all the messages, which look like those of other systems.
        elected = neoclaw.NAME if votes[neoclaw.NAME] else max(_PARSERS, key=lambda kind: votes[kind])
        return chosen or elected, self._each(head)

    def _each(self, head: list[_Numbered]) -> Iterator[Line]:
        for number, data in chain(head, self._rest):
            self._report.line = number
            if data is None:
                self._report.problem(f"a line of more than {LINE_BYTES} bytes")
                continue
            plain = _bare(data)
            if plain:
                yield Line(number, plain)
            if data[:1] == b"\0" or data[-1:] == b"\0":
                self._report.problem("NUL bytes were left out", kept=bool(plain))
        for reason in self._cut:
            self._report.problem(reason)

    def _document(self, head: list[_Numbered]) -> bytes:
        """Read the whole file, which is one JSON document."""
        parts: list[bytes] = []
        size = 0
        for _, data in chain(head, self._rest):
            parts.append(data or b"")
            size += len(parts[-1]) + 1
            if data is None or size > DOCUMENT_BYTES:
                raise InputError(
                    f"{self._name!r} is one JSON document of more than {DOCUMENT_BYTES} bytes; "
                    "write it as JSONL, one message a line",
                    path=self._name,
                    limit=DOCUMENT_BYTES,
                )
        return b"\n".join(parts)


def recognise(data: bytes) -> str | None:
    """Return the format of one line or document, by its keys; None if it is no known one."""
    line = Line(1, _bare(data))
    try:
        if line.data[:1] == b"[":
            items = line.decode(list[msgspec.Raw])
            return next((kind for raw in items[:_HEAD_LINES] if (kind := recognise(bytes(raw)))), None)
        return _recognised({key: bytes(raw) for key, raw in line.decode(dict[str, msgspec.Raw]).items()})
    except (LineError, RecursionError):
        return None


def _recognised(found: dict[str, bytes]) -> str | None:
    def is_list(*keys: str) -> bool:
        return any(found.get(key, b"").startswith(b"[") for key in keys)

    kind = found.get("type", b"").strip(b'"').decode("utf-8", "replace")
    if found.get("_type") == b'"metadata"':
        return neoclaw.NAME
    if "chatId" in found and is_list("messages"):
        return agent_session.NAME
    if is_list("loglines") or (kind in {"user", "assistant"} and "message" in found):
        return claude_code.NAME
    if (kind == "summary" and "leafUuid" in found) or (kind in claude_code.SILENT and "sessionId" in found):
        return claude_code.NAME
    if kind == "system" and "uuid" in found:
        return claude_code.NAME
    if kind in {"message", "question"} and "text" in found and ("session" in found or "conversation" in found):
        return exchange.NAME
    if kind == "message" and found.get("message", b"").startswith(b"{"):
        return pi.NAME
    if kind in {"session", *pi.SILENT, *pi.SUMMARIES} and "timestamp" in found:
        return pi.NAME
    if found.get("role", b"").startswith(b'"') or is_list("messages", "items", "input", "output") or "call_id" in found:
        return message_lists.NAME
    return None


def _bare(data: bytes) -> bytes:
    """Remove a byte order mark, white space and the NUL bytes a crash leaves around a line."""
    return data.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\0")


def _is_json(data: bytes) -> bool:
    line = Line(1, _bare(data))
    try:
        line.decode(msgspec.Raw)
    except (LineError, RecursionError):
        return False
    return True


def _chosen(name: str | None) -> str | None:
    if name is None:
        return None
    kind = _ALIASES.get(name, name)
    if kind not in _PARSERS:
        raise InputError(f"{name!r} is no known format; known are {KNOWN}", format=name)
    return kind


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}", path=str(path)) from None


def _stem(name: str) -> str:
    pure = PurePath(name)
    pure = pure.with_suffix("") if pure.suffix == ".gz" else pure
    return plain_session(pure.stem) or "import"
