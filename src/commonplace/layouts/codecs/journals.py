"""Journals: dated entries, one after another, only ever added at the end.

Four styles: `history` (`## <instant>` and the text below it; also read: a paragraph that begins with `[<day> <time>]`,
as nanobot writes it), `daily` (`[HH:mm] text`, one line each, the day in the file's name), `observations` (any line
that begins with a date) and `lines` (JSON, see `journal_lines`). Nothing in a file is lost to a broken header: what is
before the first is an entry without an instant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, time, tzinfo
from typing import Final, cast

from commonplace.errors import InputError, RecordNotFoundError
from commonplace.guard.screened import instant
from commonplace.layouts.codecs import edits, journal_lines
from commonplace.layouts.codecs.edits import Effect, Numbered, Splice
from commonplace.layouts.codecs.journal_lines import Block
from commonplace.operations import AppendJournal, Operation, RemoveEntry, ReplaceEntry
from commonplace.records import JournalEntry, Trust
from commonplace.text.instants import instant_of
from commonplace.text.patterns import pattern
from commonplace.text.pieces import fingerprint, one_line

LINES: Final = "lines"
STYLES: Final = ("", "history", "daily", "observations", LINES)
_ONE_LINE: Final = frozenset({"daily", LINES})  # nothing in a text of these looks like a header

_INSTANT: Final = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_TIMED: Final = r"\[(\d{4}-\d\d-\d\d \d\d:\d\d)\][ \t]+(?=\S)"
_PARAGRAPH: Final = r"(?:(?<=\n\n)|(?<=\r\n\r\n))"
_STARTS: Final = {  # where an entry may begin, and what it begins with
    "history": (("^", rf"##[ \t]+\[?({_INSTANT})\]?[ \t]*\r?$"), (_PARAGRAPH, _TIMED), (r"\A\ufeff?", _TIMED)),
    "daily": (("^", r"\[(\d\d:\d\d)\](?: |(?=\r?$))"),),
    "observations": (("^", rf"(?:[-*][ \t]+)?\[?({_INSTANT})\]?(?::(?= ))?(?: |(?=\r?$))"),),
}


def _compiled(before: str = "", after: str = "", *, within: bool = True) -> dict[str, re.Pattern[str]]:
    """Compile how the entries of each style begin; `within` an entry, or in a file."""
    return {
        style: pattern(
            "|".join(f"{at}{before}{begin}{after}" for at, begin in starts if not (within and at.startswith(r"\A"))),
            re.MULTILINE,
        )
        for style, starts in _STARTS.items()
    }


_HEADERS: Final = _compiled(within=False)
_ESCAPED: Final = _compiled(r"\\(?=\\*", ")")
_COMPARED: Final = 6  # words of an entry that is looked for in its file
_ESCAPABLE: Final = _compiled(r"(?=\\*", ")")
_MARK: Final = pattern(r"\(from (tool|web)\)\s*")
_DAY: Final = pattern(r"(\d{4})-(\d\d)-(\d\d)[^/]*\Z")


def parse(path: str, data: bytes, style: str = "", zone: tzinfo = UTC) -> list[tuple[JournalEntry, Block]]:
    """Read a journal to its entries, oldest place first, with their places in the decoded text."""
    found = list(_blocks(path, edits.decode(data), _named(style), zone))
    ids = _numbers(path, found)
    return [(_entry(one.id, path, block), block) for one, block in zip(ids, found, strict=True)]


def _entry(name: str, path: str, block: Block) -> JournalEntry:
    said = _MARK.match(block.text)
    if said is None:
        return JournalEntry(name, path, block.text, block.at)
    return JournalEntry(name, path, block.text[said.end() :], block.at, cast("Trust", said[1]))


def mark(text: str, trust: Trust) -> str:
    """Return the text of an entry with the mark of one that ranks below the agent."""
    return text if _MARK.match(text) else f"(from {trust}) {text}"


def records(path: str, data: bytes, style: str = "", zone: tzinfo = UTC) -> Iterator[JournalEntry]:
    """Yield the entries of a journal; bytes that are no UTF-8 show as `U+FFFD`."""
    for entry, _block in parse(path, data, style, zone):
        yield entry


def append(path: str, data: bytes, text: str, at: datetime, *, style: str = "", zone: tzinfo = UTC) -> Effect:
    """Add one entry at the end; lines of it that look like a header get a backslash.

    Args:
        path: The file's path, for the id.
        data: The file as it is; looked at for an equal entry, and by `lines` for the last number.
        text: The entry; `daily` folds it to one line.
        at: An aware instant.
        style: As declared by the layout.
        zone: The zone `daily` writes the time of day in.

    Raises:
        InputError: The text is empty or the instant has no zone.
    """
    if at.tzinfo is None:
        raise InputError("the instant of a journal entry has no time zone; give one")
    named = _named(style)
    words = edits.clean(text)
    if named == "daily":
        words = one_line(words)
    escaped = words if named in _ONE_LINE else _ESCAPABLE[named].sub(lambda _: "\\", words)
    match named:
        case "history":
            header = f"## {instant(at)}"
            block = f"\n{header}\n{escaped}"
        case "daily":
            header = f"[{at.astimezone(zone):%H:%M}]"
            block = f"{header} {escaped}"
        case "lines":
            header = instant(at)
            block = journal_lines.written(words, at, edits.decode(data))
        case _:
            header = f"[{instant(at)}]"
            block = f"{header} {escaped}"
    mark = fingerprint(f"{header}\n{words}")
    equal = 0
    begins = " ".join(_folded(escaped).split(" ")[:_COMPARED])
    if header.encode() in data and (named == LINES or begins in _folded(edits.visible(edits.decode(data)))):
        equal = sum(one.fingerprint == mark for one in _numbers(path, _blocks(path, edits.decode(data), named, zone)))
    return Effect(append=block, added=(f"{path}#{mark}" + (f"~{equal + 1}" if equal else ""),))


def _folded(text: str) -> str:
    return one_line(unicodedata.normalize("NFC", text))


def replace(path: str, data: bytes, record: str, text: str, *, style: str = "", zone: tzinfo = UTC) -> Effect:
    """Replace the text below the header of one entry; for a correction or an erasure.

    Raises:
        RecordNotFoundError: No entry has this id.
    """
    named, words = _named(style), edits.clean(text)
    block = _find(path, data, record, named, zone)
    source = edits.decode(data)
    newline = edits.newline_of(source)
    body = source[block.start : block.end].rstrip()
    if named == LINES:
        made = journal_lines.replaced(body, words)
    else:
        words = one_line(words) if named == "daily" else _ESCAPABLE[named].sub(lambda _: "\\", words)
        lead = block.header + (newline if block.header.startswith("##") else " ") if block.header else ""
        made = lead + words.replace("\n", newline)
    splice = Splice(block.start, block.start + len(body), made)
    return _effect(path, data, [splice], named, zone, paired=True)


def remove(path: str, data: bytes, record: str, *, style: str = "", zone: tzinfo = UTC) -> Effect:
    """Remove one entry, its header included; for what is forgotten.

    Raises:
        RecordNotFoundError: No entry has this id.
    """
    named = _named(style)
    block = _find(path, data, record, named, zone)
    return _effect(path, data, [Splice(block.start, block.end, "")], named, zone, paired=False)


def apply(
    path: str, data: bytes | None, operation: Operation, *, now: datetime, style: str = "", zone: tzinfo = UTC
) -> Effect:
    """Return the effect of one operation on a journal.

    Raises:
        InputError: The operation is none of a journal, or its instant cannot be read.
    """
    match operation:
        case AppendJournal():
            at = instant_of(operation.at) if operation.at else now
            if at is None:
                raise InputError(f"{operation.at!r} is no instant; write it as ISO 8601, like 2026-11-21T14:30:00Z")
            return append(path, data or b"", operation.text, at, style=style, zone=zone)
        case ReplaceEntry():
            return replace(path, data or b"", operation.target, operation.text, style=style, zone=zone)
        case RemoveEntry():
            return remove(path, data or b"", operation.target, style=style, zone=zone)
        case _:
            raise InputError(f"{type(operation).__name__} cannot be done to the journal {path!r}; append to it")


def _named(style: str) -> str:
    if style not in STYLES:
        raise InputError(f"no journal style {style!r}; use one of {', '.join(map(repr, STYLES))}")
    return style or "observations"


def _numbers(path: str, found: Iterable[Block]) -> list[Numbered]:
    return edits.number(path, (f"{block.header}\n{block.text}" if block.header else block.text for block in found))


def _find(path: str, data: bytes, record: str, style: str, zone: tzinfo) -> Block:
    for entry, block in parse(path, data, style, zone):
        if entry.id == record:
            return block
    raise RecordNotFoundError(f"{path!r} has no entry {record!r}; read it again for its ids", path=path)


def _effect(path: str, data: bytes, splices: list[Splice], style: str, zone: tzinfo, *, paired: bool) -> Effect:
    source = edits.decode(data)
    old = list(_blocks(path, source, style, zone))
    parts = edits.pieces(source, splices)
    new = list(_blocks(path, edits.decode(edits.assemble(data, parts)), style, zone))
    place = next(i for i, block in enumerate(old) if block.start <= splices[0].start < block.end)
    pairs = [(place, place)] if paired and len(old) == len(new) else []
    return edits.effect(parts, _numbers(path, old), _numbers(path, new), pairs)


def _blocks(path: str, source: str, style: str, zone: tzinfo) -> Iterator[Block]:
    """Cut a journal at the headers that name an instant; what has no words is no entry."""
    if style == LINES:
        yield from journal_lines.blocks(source, zone)
        return
    start, header, at, body = 0, "", None, 1 if source.startswith("\ufeff") else 0
    for found in _HEADERS[style].finditer(source):
        moment = _moment(path, found, style, zone)
        if moment is None and style != "daily":
            continue
        if block := _block(source, style, header, at, (start, body, found.start())):
            yield block
        start, header, at, body = found.start(), found[0].strip(), moment, found.end()
    if block := _block(source, style, header, at, (start, body, len(source))):
        yield block


def _block(source: str, style: str, header: str, at: datetime | None, place: tuple[int, int, int]) -> Block | None:
    start, body, end = place
    words = edits.visible(source[body:end]).replace("\r\n", "\n").strip()
    if not words:
        return None
    lines = words if "\n" not in words else "\n".join(line if line.strip() else "" for line in words.split("\n"))
    text = lines if style == "daily" or not header else _ESCAPED[style].sub("", lines)
    return Block(text, header, at, start, end)


def _moment(path: str, found: re.Match[str], style: str, zone: tzinfo) -> datetime | None:
    written = found[found.lastindex or 0]
    if style != "daily":
        return instant_of(written, UTC if found[0].startswith("##") else zone)
    day = _DAY.search(path)
    if day is None:
        return None
    try:
        local = datetime(int(day[1]), int(day[2]), int(day[3]), tzinfo=zone)
        return datetime.combine(local.date(), time.fromisoformat(written), tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
