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

from commonplace.errors import InputError
from commonplace.surfaces.importers import agent_session, claude_code, exchange, message_lists, neoclaw, pi
from commonplace.surfaces.importers.batches import Batch, Batcher, Head, Problem, Report, plain_session
from commonplace.surfaces.importers.blocks import Parser
from commonplace.surfaces.importers.lines import (
    DOCUMENT_BYTES,
    LINE_BYTES,
    Line,
    LineError,
    chunks,
    elements,
    reason_of,
    require_size,
    split,
)

FORMATS: Final = (claude_code.NAME, pi.NAME, message_lists.NAME, exchange.NAME, neoclaw.NAME, agent_session.NAME)
_ALIASES: Final = {"openai": message_lists.NAME, "anthropic": message_lists.NAME}
KNOWN: Final = f"{', '.join(FORMATS)} (openai and anthropic are messages)"
"""The formats in words, as help and errors name them."""
_HEAD_LINES: Final = 40  # lines that vote for the format
_HEAD_BYTES: Final = 1_000_000  # of them at most; one line is always looked at
_SEARCH_BYTES: Final = 8_000_000  # where nothing was recognised, looked through before giving up

_Numbered = tuple[int, bytes | None]


_PARSERS: Final[dict[str, type[Parser]]] = {
    claude_code.NAME: claude_code.Parser,
    pi.NAME: pi.Parser,
    message_lists.NAME: message_lists.Parser,
    exchange.NAME: exchange.Parser,
    neoclaw.NAME: neoclaw.Parser,
    agent_session.NAME: agent_session.Parser,
}


def read(
    path: Path | BinaryIO,
    *,
    format: str | None = None,  # noqa: A002 - the word users know from every other reader
    on_problem: Callable[[Problem], None],
    on_progress: Callable[[int], None] | None = None,
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
        format: One of `FORMATS`, or `openai` or `anthropic`; found from the content when None.
        on_problem: Called for each damaged or unknown line as it is met.
        on_progress: Called with how many bytes of the file were read so far (before unzipping).
        on_skipped: Called for each line that holds no message by its nature, such as a question.
        zone: The one of times that name none.
        on_head: Called with what a file says of its session, before the messages of it.

    Raises:
        InputError: The file cannot be opened, is empty, is none of the known formats, holds more than 4 GB
            (unzipped) or 100 times its size by gzip, or is one JSON document of more than 64 MB.
    """
    chosen = _chosen(format)
    name = str(path) if isinstance(path, Path) else str(getattr(path, "name", "") or "stream")
    report = Report(name, on_problem, on_skipped, zone=zone, on_head=on_head)
    with ExitStack() as stack:
        stream = stack.enter_context(_opened(path)) if isinstance(path, Path) else path
        source = _Source(stream, name, report, on_progress)
        kind, lines = source.lines(chosen)
        stem = _stem(name)
        parser = _PARSERS[kind](stem, report)
        batcher = Batcher(stem, report)
        for line in lines:
            yield from _fed(parser, line, batcher, report)
        yield from batcher.flush()


def detect(path: Path) -> str:
    """Return the format of a transcript, by its content.

    Raises:
        InputError: As for `read`.
    """
    report = Report(str(path), lambda _: None)
    with _opened(path) as stream:
        return _Source(stream, str(path), report, None).lines(None)[0]


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

    def __init__(self, stream: BinaryIO, name: str, report: Report, on_progress: Callable[[int], None] | None) -> None:
        self._name = name
        self._report = report
        self._cut = ""
        self._rest: Iterator[_Numbered] = split(chunks(stream, on_progress, self._note_cut))

    def lines(self, chosen: str | None) -> tuple[str, Iterator[Line]]:
        """Find the format and give all lines, or the objects of a document."""
        head, votes = self._head()
        first = next((data and _bare(data) for _, data in head if data is None or _bare(data)), b"")
        if first == b"":
            raise InputError(f"{self._name!r} is empty; nothing was imported", path=self._name)
        if first is None or (first[:1] in {b"[", b"{"} and not _is_json(first) and votes.total() * 2 < len(head)):
            return self._document(head, chosen, votes)
        return chosen or self._elected(votes), self._each(head)

    def _head(self) -> tuple[list[_Numbered], Counter[str]]:
        """Read the first lines and let each vote for a format."""
        head: list[_Numbered] = []
        votes: Counter[str] = Counter()
        size = 0
        for number, data in self._rest:
            head.append((number, data))
            size += len(data or b"")
            kind = recognise(data) if data else None
            if kind:
                votes[kind] += 1
            enough = size >= _HEAD_BYTES or len(head) >= _HEAD_LINES
            if (enough and votes) or size >= _SEARCH_BYTES:
                break
        return head, votes

    def _elected(self, votes: Counter[str]) -> str:
        if not votes:
            raise InputError(
                f"{self._name!r} is not a transcript that is known; known are {KNOWN}",
                path=self._name,
            )
        # One line of metadata says it for all the messages, which look like those of other systems.
        return neoclaw.NAME if votes[neoclaw.NAME] else max(FORMATS, key=lambda kind: votes[kind])

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
        if self._cut:
            self._report.problem(self._cut)

    def _document(self, head: list[_Numbered], chosen: str | None, votes: Counter[str]) -> tuple[str, Iterator[Line]]:
        """Read the file as one JSON document; if that is damaged, as what can be read of it."""
        numbered: list[_Numbered] = []
        size = 0
        for number, data in chain(head, self._rest):
            size += len(data) + 1 if data is not None else DOCUMENT_BYTES + 1
            if size > DOCUMENT_BYTES:
                if votes:
                    return chosen or self._elected(votes), self._each([*numbered, (number, data)])
                raise InputError(
                    f"{self._name!r} is one JSON document of more than {DOCUMENT_BYTES} bytes; "
                    "write it as JSONL, one message a line",
                    path=self._name,
                    limit=DOCUMENT_BYTES,
                )
            numbered.append((number, data))
        document = _bare(b"\n".join(data or b"" for _, data in numbered))
        if _is_json(document):
            return chosen or self._elected(_vote([document])), self._each([(1, document)])
        return self._recovered(document, numbered, chosen, votes)

    def _recovered(
        self, document: bytes, numbered: list[_Numbered], chosen: str | None, votes: Counter[str]
    ) -> tuple[str, Iterator[Line]]:
        found = list(elements(document.decode("utf-8", "replace")))
        lines = [line for line in found if isinstance(line, Line)]
        recovered = _vote([line.data for line in lines])
        if recovered.total() <= votes.total():
            return chosen or self._elected(votes), self._each(numbered)
        gaps = [gap for gap in found if isinstance(gap, tuple)]
        for number, reason in [*gaps, (numbered[-1][0], self._cut)] if self._cut else gaps:
            self._report.line = number
            self._report.problem(reason)
        return chosen or self._elected(recovered), iter(lines)

    def _note_cut(self, reason: str) -> None:
        self._cut = reason


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


def _vote(documents: list[bytes]) -> Counter[str]:
    return Counter(kind for data in documents if (kind := recognise(data)))


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
    if kind not in FORMATS:
        raise InputError(f"{name!r} is no known format; known are {KNOWN}", format=name)
    return kind


def _opened(path: Path) -> BinaryIO:
    try:
        require_size(path)
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror}", path=str(path)) from None


def _stem(name: str) -> str:
    pure = PurePath(name)
    pure = pure.with_suffix("") if pure.suffix == ".gz" else pure
    return plain_session(pure.stem) or "import"
