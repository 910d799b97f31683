"""Which lines have the shape of what nobody types to an assistant: a quotation, a log, a chat, code, data, a page.

Pure: lines in, spans out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from commonplace.guard.phrases import phrase
from commonplace.text.content import sentences
from commonplace.text.patterns import pattern

Span = tuple[int, int]

_QUOTE_LINE: Final = pattern(r"[ \t]*(?:>|&gt;)")
_STAMP: Final = (
    r"\[?(?:(?:[^\W\d_]{2,9}\.?,? )?(?:\d{1,4}[./-]\d{1,2}(?:[./-]\d{2,4}|\.)?,?[ T])?"
    r"\d{1,2}[:.h]\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?)\]?"
)
_NAMED: Final = r"[^\W\d_][^\n:：|]{0,40}"
_CHAT: Final = pattern(rf"[ \t]*{_STAMP}[ \t]*[-–—|]?[ \t]*<?{_NAMED}>?[ \t]?[:：]", re.IGNORECASE)
_CHAT_HEAD: Final = pattern(
    rf"[ \t]*{_NAMED}(?:[ \t]+|[ \t]*[—–-][ \t]*[^\d\n]{{0,12}}){_STAMP}[ \t]*(?:\Z|[:：])", re.IGNORECASE
)
_SPEAKER: Final = pattern(
    r"[ \t]*\**(\d{3,5}|[^\W\d_][\w.'’-]{0,20}(?:,? \w[\w.'’-]{0,20}){0,3})\**[ \t]?[:：]\**\s*\S"
)
_LOG: Final = pattern(
    r"[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?[ \t]"
    r"|\[?\d{4}-\d\d-\d\d\]?[ \t]+\[?(?:INFO|DEBUG|NOTICE|WARN|ERROR|TRACE|FATAL)"
    r"|\[?(?:INFO|NOTICE|DEBUG|WARN(?:ING)?|ERROR|TRACE|FATAL|CRITICAL)\]?[ :\t]"
    r"|npm ERR!|fatal: "
    r"|error(?:\[\w+\])?: |\w*(?:Error|Exception|Warning): |E   |at [\w.$<>]+ ?\(|File \"[^\"]+\", line"
    r"|[A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d )"
)
_TRACE: Final = pattern(
    r"[ \t]*(?:Traceback \(|Exception in thread |panic: |diff --git |@@ -\d|--- a/|goroutine \d"
    r"|(?:(?:\([\w.-]{1,30}\) )?(?:[\w.-]{1,40}@[\w.-]{1,60}[: ]?)?(?:~|~?/[\w./-]{1,80})? ?)?[$❯➜] [a-z./~])"
)
_CODE: Final = pattern(
    r"[ \t]*(?:import [\w{*]|from [\w.]+ import|(?:async )?def \w+\(|class \w+[(:{]"
    r"|function\b.*[{(]|(?:const|let|var) \w+ ?="
    r"|(?:public|private|static|export) \w|return\b|#include|#!|package \w+;?\Z|//|/\*|\*/"
    r"|<\?|<!|@\w+[(\n]?\Z|[\])}]+[;,]?\Z"
    r"|(?:if|for|while|try|else|elif|except|switch|catch)\b.*[:{]\Z)|.*[;{}]\s*\Z|.*\w\(.*\)\s*\Z"
)
_CODE_BESIDE: Final = pattern(r"(?:\t|  )|[ \t]*(?:#|--|\*)")
_CUE: Final = pattern(r"[ \t]*(?:\d{1,2}:)?\d\d:\d\d[.,]\d{3} --> ")  # of subtitles
_NEST: Final = pattern(r"[a-z][\w.-]{0,40}:[ \t]*\Z")
_NESTED: Final = pattern(r" {2,20}(?:- )?[a-z][\w.-]{0,40}:(?:[ \t]|\Z)")
_TICKET: Final = pattern(
    r"[ \t]*(?:ticket|issue|bug|case|incident|vorgang|incidencia|chamado|zgłoszenie|тикет|заявка|工单)\s?"
    r"(?:#|nr\.? |no\.? |n[º°] ?|№ ?)\d{2,12}\b",
    re.IGNORECASE,
)
_FIELD: Final = pattern(r"[ \t]*[^\W\d_][^\n:：]{1,30}[:：]")
_LINKED: Final = pattern(r"\[[^\]\n]{1,80}\]\([^)\n]{1,300}\)")
_BAR: Final = pattern(r"[^|·•›»\n]{1,40}(?:[ \t][|·•›»][ \t][^|·•›»\n]{1,40}){2,20}\Z")
_FOOT: Final = pattern(r"[ \t]*(?:©|\(c\)|copyright\b)[^\n]{0,200}\Z|.{0,80}\ball rights reserved\b", re.IGNORECASE)
_CELLS: Final = pattern(r"[,;\t](?! )")
_HEADS: Final = pattern(
    r"[ \t]*[^\W\d][\w #/.-]{0,30}(?:[,;\t][^\W\d][\w #/.-]{0,30}){1,40}\Z"
)  # of the columns of a table
_CLAUSE: Final = pattern(  # with a number of two parts, and not only a few words
    r"[ \t]*(?:§ ?\d{1,3}|\d{1,2}\.\d{1,2}(?:\.\d{1,2})?\.?)[ \t]+(?=[^\W\d])\S+(?:[ \t]+\S+){4}"
    r"|[ \t]*\d{1,2}\.\d{1,2}\.?[ \t]*[\u3040-\u9fff]{6}"
)
BULLET: Final = pattern(r"[ \t]*(?:[-*•–—]|\d{1,3}[.)]|\([a-z\d]\))[ \t]")
LEAD_CHARS: Final = 300  # a longer line announces nothing


class Line(NamedTuple):
    """A line of a text with its place."""

    start: int
    end: int
    text: str


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a text."""
    start = 0
    for line in text.split("\n"):
        yield Line(start, start + len(line), line)
        start += len(line) + 1


def shaped(lines: list[Line]) -> Iterator[Span]:
    """Yield the parts of a text, given by its lines, that have a shape."""
    for line in lines:
        if _QUOTE_LINE.match(line.text):
            yield line.start, line.end
    for part in _paragraphs(lines):
        yield from _of_paragraph(part)
    yield from _page(lines)
    yield from _clauses(lines)


def _paragraphs(lines: list[Line]) -> Iterator[list[Line]]:
    part: list[Line] = []
    for line in lines:
        if line.text.strip():
            part.append(line)
        elif part:
            yield part
            part = []
    if part:
        yield part


def _of_paragraph(part: list[Line]) -> Iterator[Span]:
    traced = next((line for line in part if _TRACE.match(line.text)), None)
    if traced is not None:
        yield traced.start, part[-1].end
    for line in part:
        if _LOG.match(line.text):
            yield line.start, line.end
    for shape in (_CHAT, _CHAT_HEAD):
        talk = [line for line in part if len(line.text) < 2 * LEAD_CHARS and shape.match(line.text)]
        if len(talk) > 1:
            yield talk[0].start, part[-1].end
    speakers = [found for line in part if (found := _SPEAKER.match(line.text)) is not None]
    said = Counter(found[1].casefold() for found in speakers)
    names = [name for name, count in said.items() if count > 1 and not phrase("no_speaker").fullmatch(name)]
    if names and len(speakers) > 2 and len(said) > 1 and 2 * len(speakers) > len(part):
        first = next(line for line in part if _SPEAKER.match(line.text))
        yield first.start, part[-1].end
    code = [line for line in part if _CODE.match(line.text) and not BULLET.match(line.text)]
    beside = sum(bool(_CODE_BESIDE.match(line.text)) for line in part) if len(code) > 1 else 0
    if len(code) > 1 and 2 * (len(code) + beside) > len(part):
        yield (part[0] if _CODE_BESIDE.match(part[0].text) else code[0]).start, part[-1].end
    if _TICKET.match(part[0].text) and len(part) > 1 and all(_FIELD.match(line.text) for line in part[1:3]):
        yield part[0].start, part[-1].end
    if any(_CUE.match(line.text) for line in part):
        yield part[0].start, part[-1].end
    nests = [n for n, line in enumerate(part[:-1]) if _NEST.match(line.text) and _NESTED.match(part[n + 1].text)]
    if nests and sum(bool(_NESTED.match(line.text)) for line in part) > 1:  # YAML
        yield part[nests[0]].start, part[-1].end
    if _is_of_assistants(part):
        yield part[0].start, part[-1].end


def _page(lines: list[Line]) -> Iterator[Span]:
    """Find a page: from the first of its lines of links to the last, or from its bar of choices to its foot."""
    bar = next((line for line in lines if _BAR.match(line.text)), None)
    foot = next((line for line in reversed(lines) if _FOOT.match(line.text)), None)
    if bar is not None and foot is not None and bar.start < foot.start:
        yield bar.start, foot.end
    links = [line for line in lines if _LINKED.search(line.text) and phrase("bar").search(line.text)]
    links += [line for line in lines if len(_LINKED.findall(line.text)) > 1 and not BULLET.match(line.text)]
    if links:
        last = next(line for line in reversed(lines) if _LINKED.search(line.text))
        yield min(line.start for line in links), last.end


def tables(lines: list[Line]) -> Iterator[Span]:
    """Yield the tables of a text and the heads of documents in it; each may also be a person's own list."""
    for part in _paragraphs(lines):
        cells = [len(_CELLS.findall(line.text)) for line in part]
        if len(part) > 2 and len(set(cells)) == 1 and cells[0] > 1:
            yield part[0].start, part[-1].end
        for n, line in enumerate(part):
            end = next((m for m in range(n, len(part)) if cells[m] != cells[n]), len(part))
            if cells[n] and end - n > 2 and _HEADS.match(line.text):
                yield line.start, part[end - 1].end
                break
        keys = sum(phrase("document_key").match(line.text) is not None for line in part)
        if keys > 1 and all(_FIELD.match(line.text) for line in part):
            yield part[0].start, part[-1].end


def _clauses(lines: list[Line]) -> Iterator[Span]:
    """Find a contract or a policy: from the paragraph before its first numbered clause to its last."""
    found = [line for line in lines if len(line.text) < 8 * LEAD_CHARS and _CLAUSE.match(line.text)]
    if len(found) > 1:
        parts = list(_paragraphs(lines))
        first = next(n for n, part in enumerate(parts) if part[-1].end >= found[0].end)
        titled = first > 0 and len(parts[first - 1]) == 1 and len(parts[first - 1][0].text) < LEAD_CHARS // 3
        yield parts[first - titled][0].start, next(part[-1].end for part in parts if part[-1].end >= found[-1].end)


def _is_of_assistants(part: list[Line]) -> bool:
    """True if a paragraph speaks of assistants and of users as of others, and to nobody."""
    text = "\n".join(line.text for line in part)
    if phrase("the_user").search(text) is None or phrase("the_assistant").search(text) is None:
        return False
    return phrase("speaks").search(text) is None and len(sentences(text)) > 1
