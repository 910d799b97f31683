"""Which parts of a person's message are not their own words: pasted, forwarded, quoted, attached.

What is announced as one's own (`my rules:`) or is written in plain sentences is the person's. Foreign is
what is announced as such (`Here is the README:`, `Context: … Question: …`) or has the shape of mail, log,
chat, code, JSON, a page or a quotation. Pure: text in, spans out; the work is bounded for any length.
The words that announce are data, in `rules/announced.toml`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from commonplace.records import Trust
from commonplace.text import packaged
from commonplace.text.content import sentences
from commonplace.text.patterns import pattern

Span = tuple[int, int]

_MARKS: Final = pattern('[\\n:："“„«「『<>{`]')  # without one of them nothing is announced and has no shape
_FENCE: Final = pattern(r"(?m)^[ \t]{0,3}(?:```|~~~).*$")
_TRIPLE: Final = pattern(r"\"\"\"|'''")
_OPENED: Final = pattern(r"<([A-Za-z][\w-]{0,40})(?: [^<>\n]{0,200})?>")
_CLOSED: Final = pattern(r"</([A-Za-z][\w-]{0,40})>")
_BLOB: Final = pattern(r"[{\[]\s*(?:\"[^\"\n]{0,200}\"\s*[:,]|\{\s*\")")
_BRACKET: Final = pattern(r"[{\[\]}]")
_QUOTE_LINE: Final = pattern(r"[ \t]*(?:>|&gt;)")
_RULED: Final = pattern(r"[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}|~{3,}|—{2,})[ \t]*\Z")
_KEYED: Final = pattern(r"[ \t]*[\w.-]+[ \t]*:(?:[ \t].*)?\Z|[ \t]*- ")
_STAMP: Final = (
    r"\[?(?:(?:[^\W\d_]{2,9}\.?,? )?(?:\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?[ T])?"
    r"\d{1,2}[:.h]\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?)\]?"
)
_NAMED: Final = r"[^\W\d_][^\n:：|]{0,40}"
_CHAT: Final = pattern(rf"[ \t]*{_STAMP}[ \t]*[-–—|]?[ \t]*<?{_NAMED}>?[ \t]?[:：]", re.IGNORECASE)
_CHAT_HEAD: Final = pattern(
    rf"[ \t]*{_NAMED}(?:[ \t]+|[ \t]*[—–-][ \t]*[^\d\n]{{0,12}}){_STAMP}[ \t]*(?:\Z|[:：])", re.IGNORECASE
)
_SPEAKER: Final = pattern(r"[ \t]*\**([^\W\d_][\w.'’-]{0,20}(?: [^\W\d_][\w.'’-]{0,20})?)\**[ \t]?[:：]\**\s*\S")
_LOG: Final = pattern(
    r"[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?[ \t]"
    r"|\[?\d{4}-\d\d-\d\d\]?[ \t]+\[?(?:INFO|DEBUG|NOTICE|WARN|ERROR|TRACE|FATAL)"
    r"|\[?(?:INFO|NOTICE|DEBUG|WARN(?:ING)?|ERROR|TRACE|FATAL|CRITICAL)\]?[ :\t]"
    r"|npm ERR!|fatal: "
    r"|error(?:\[\w+\])?: |\w*(?:Error|Exception|Warning): |E   |at [\w.$<>]+ ?\(|File \"[^\"]+\", line"
    r"|[A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d )"
)
_TRACE: Final = pattern(
    r"[ \t]*(?:Traceback \(|Exception in thread |panic: |diff --git |@@ -\d|--- a/|goroutine \d|[$❯➜] [a-z./~])"
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
_HEADING: Final = pattern(r"#{1,6} ")
_BAR: Final = pattern(r"[^|·•›»\n]{1,40}(?:[ \t][|·•›»][ \t][^|·•›»\n]{1,40}){2,20}\Z")
_FOOT: Final = pattern(r"[ \t]*(?:©|\(c\)|copyright\b)[^\n]{0,200}\Z|.{0,80}\ball rights reserved\b", re.IGNORECASE)
_BULLET: Final = pattern(r"[ \t]*(?:[-*•–—]|\d{1,3}[.)]|\([a-z\d]\))[ \t]")
_CELLS: Final = pattern(r"[,;\t](?! )")
_QUOTED: Final = pattern(
    r"(?<![\w\"])\"[^\"]{1,4000}\"|“(?:[^“”]|“[^“”]{1,200}”){1,4000}”|„(?:[^„“”]|„[^„“”]{1,200}[“”]){1,4000}[“”]"
    r"|«(?:[^«»]|«[^«»]{1,200}»){1,4000}»|「(?:[^「」]|「[^「」]{1,200}」){1,4000}」|『[^『』]{1,4000}』"
)
_SENTENCE_END: Final = pattern(r"[.!?…]+[\"'”’»)\]]*(?=\s|\Z)|[。！？]+[”」』]?")
_LONG_QUOTE: Final = 12  # words; so many are no title and no phrase of one's own
_BEGUN_QUOTE: Final = 6  # at the beginning of a line, of more than one sentence
_SPOKEN_QUOTE: Final = 4  # words behind a verb of saying
_LEAD_CHARS: Final = 300  # a longer line announces nothing
_HEAD_CHARS: Final = 30_000  # of a message that is longer than both, the middle was not typed
_TAIL_CHARS: Final = 10_000
_LAST_SENTENCES: Final = 2  # of a lead, in which it names or asks about what comes
_BEFORE: Final = pattern(r"\b(?:that|it|him|her|them|das|ça|eso|那)\b", re.IGNORECASE)  # is of what was said before
_LABEL_CHARS: Final = 80  # a shorter value behind a label is a line of a profile


class _Line(NamedTuple):
    start: int
    end: int
    text: str


@lru_cache(maxsize=256)  # rules, trust and recall ask for the same messages
def pasted(text: str) -> tuple[Span, ...]:
    """List the parts of a person's message that are not their own words, in order and apart."""
    if _MARKS.search(text) is None:
        return ()
    if len(text) <= _HEAD_CHARS + _TAIL_CHARS:
        return _spans(text)
    head = _spans(text[:_HEAD_CHARS])
    at = len(text) - _TAIL_CHARS
    if head and head[-1][1] >= _HEAD_CHARS:  # what the head announces goes on
        tail: tuple[Span, ...] = ((at, _resumed(text, at, asked=_asks(text, head[-1][0]))),)
    else:
        tail = tuple((at + start, at + end) for start, end in _spans(text[at:]))
    return tuple(_merged([*head, (_HEAD_CHARS, at), *tail]))


def _spans(text: str) -> tuple[Span, ...]:
    lines = list(_lines(text))
    enclosed = _merged(list(_enclosed(text, lines)))
    found = [*enclosed, *_shaped([line if not _end_around(line.start, enclosed) else _blank(line) for line in lines])]
    found = [span for span in found if not _announced_own(text, span[0])]
    found += _mail(text, lines)
    found += _announced(text, lines, _merged(found))
    found += _said(text)
    return tuple(_merged(found))


def is_pasted(text: str, start: int, end: int) -> bool:
    """True if a part of a person's message touches words that are not their own."""
    return any(begun < end and start < over for begun, over in pasted(text))


def part_trust(trust: Trust, text: str, start: int = 0, end: int | None = None) -> Trust:
    """Return how far a part of a message is trusted: pasted words in a person's own are `tool`."""
    found = trust == "user" and is_pasted(text, start, len(text) if end is None else end)
    return "tool" if found else trust


def own_words(text: str) -> str:
    """Return a person's message without what they pasted; a line break is left in its place."""
    kept, at = [], 0
    for start, end in pasted(text):
        kept.append(text[at:start])
        at = end
    return "\n".join([*kept, text[at:]]) if kept else text


@cache
def _rules() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(packaged.text(__package__, "rules/announced.toml"))


@cache
def _words(name: str) -> re.Pattern[str]:
    whole = "|".join(f"(?:{part})" for part in _rules()["patterns"][name])
    for key, parts in _rules()["fragments"].items():
        whole = whole.replace("{{" + key + "}}", "(?:" + "|".join(parts) + ")")
    return re.compile(whole, re.IGNORECASE)


def _followed(heads: str, by: str, text: str) -> bool:
    """True if one of some words is in a text, followed by what must come after it."""
    return any(_words(by).match(text, found.end()) for found in _words(heads).finditer(text))


def _lines(text: str) -> Iterator[_Line]:
    start = 0
    for line in text.split("\n"):
        yield _Line(start, start + len(line), line)
        start += len(line) + 1


def _blank(line: _Line) -> _Line:
    """Return the line that replaces an enclosed one, so that it separates what is before and behind it."""
    return _Line(line.start, line.end, "")


def _merged(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _announced_own(text: str, start: int) -> bool:
    """True if the words right before a place announce the person's own list, settings or example."""
    before = text[max(0, start - _LEAD_CHARS) : start].rstrip()
    line = before.rsplit("\n", 1)[-1]
    return line.endswith((":", "：")) and _words("own").search(line) is not None


# --- what is enclosed ---


def _enclosed(text: str, lines: list[_Line]) -> Iterator[Span]:
    for marks in ([m.span() for m in _FENCE.finditer(text)], [m.span() for m in _TRIPLE.finditer(text)]):
        for opened, closed in zip(marks[::2], [*marks[1::2], (len(text), len(text))], strict=False):
            yield opened[0], closed[1]
    yield from _tagged(text)
    yield from _blobs(text)
    begun: _Line | None = None
    for line in lines:
        if len(line.text) > _LEAD_CHARS:
            continue
        if begun is None and _words("begins").match(line.text):
            begun = line
        elif begun is not None and _words("ends").match(line.text):
            yield begun.start, line.end
            begun = None
    if begun is not None and begun.end < len(text.rstrip()):
        yield begun.start, _resumed(text, begun.end, asked=False)


def _tagged(text: str) -> Iterator[Span]:
    last = {found[1]: found.start() for found in _CLOSED.finditer(text)}
    at = 0
    while (opened := _OPENED.search(text, at)) is not None:
        at = opened.end()
        if last.get(opened[1], -1) >= at:
            at = text.index(f"</{opened[1]}>", at) + len(opened[1]) + 3
            yield opened.start(), at


def _blobs(text: str) -> Iterator[Span]:
    """Find JSON, to the bracket that closes it or to the end of its paragraph."""
    at = 0
    while (found := _BLOB.search(text, at)) is not None:
        depth, at = 0, len(text)
        for mark in _BRACKET.finditer(text, found.start()):
            depth += 1 if mark.group() in "{[" else -1
            if depth == 0:
                at = mark.end()
                break
        yield found.start(), at


# --- what has a shape ---


def _shaped(lines: list[_Line]) -> Iterator[Span]:
    for line in lines:
        if _QUOTE_LINE.match(line.text):
            yield line.start, line.end
    for part in _paragraphs(lines):
        yield from _of_paragraph(part)
    yield from _page(lines)


def _paragraphs(lines: list[_Line]) -> Iterator[list[_Line]]:
    part: list[_Line] = []
    for line in lines:
        if line.text.strip():
            part.append(line)
        elif part:
            yield part
            part = []
    if part:
        yield part


def _of_paragraph(part: list[_Line]) -> Iterator[Span]:
    traced = next((line for line in part if _TRACE.match(line.text)), None)
    if traced is not None:
        yield traced.start, part[-1].end
    for line in part:
        if _LOG.match(line.text):
            yield line.start, line.end
    for shape in (_CHAT, _CHAT_HEAD):
        talk = [line for line in part if len(line.text) < 2 * _LEAD_CHARS and shape.match(line.text)]
        if len(talk) > 1:
            yield talk[0].start, part[-1].end
    speakers = [found for line in part if (found := _SPEAKER.match(line.text)) is not None]
    said = Counter(found[1].casefold() for found in speakers)
    names = [name for name, count in said.items() if count > 1 and not _words("no_speaker").fullmatch(name)]
    if names and len(speakers) > 2 and len(said) > 1 and 2 * len(speakers) > len(part):
        first = next(line for line in part if _SPEAKER.match(line.text))
        yield first.start, part[-1].end
    code = [line for line in part if _CODE.match(line.text) and not _BULLET.match(line.text)]
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
    cells = Counter(len(_CELLS.findall(line.text)) for line in part)
    if len(part) > 2 and len(cells) == 1 and min(cells) > 1:
        yield part[0].start, part[-1].end


def _page(lines: list[_Line]) -> Iterator[Span]:
    """Find a page: from the first of its lines of links to the last, or from its bar of choices to its foot."""
    bar = next((line for line in lines if _BAR.match(line.text)), None)
    foot = next((line for line in reversed(lines) if _FOOT.match(line.text)), None)
    if bar is not None and foot is not None and bar.start < foot.start:
        yield bar.start, foot.end
    links = [line for line in lines if _LINKED.search(line.text) and _words("bar").search(line.text)]
    links += [line for line in lines if len(_LINKED.findall(line.text)) > 1 and not _BULLET.match(line.text)]
    if links:
        last = next(line for line in reversed(lines) if _LINKED.search(line.text))
        yield min(line.start for line in links), last.end


def _mail(text: str, lines: list[_Line]) -> Iterator[Span]:
    """Find forwarded mail: a marker, or two lines of a head of which one says from whom or about what."""
    heads = 0
    telling = False
    first: _Line | None = None
    for line in lines:
        short = line.text if len(line.text) <= _LEAD_CHARS else ""
        marked = _words("forwarded").match(short) is not None
        head = _words("mail_head").match(short)
        if head is not None:
            first = first or line
            heads += 1
            telling = telling or _words("mail_telling").match(short) is not None
        elif not marked:
            heads, telling, first = 0, False, None
        if marked or (heads > 1 and telling and first is not None):
            start = line.start if marked or first is None else first.start
            yield start, _resumed(text, line.end, asked=_asks(text, start))
            return


# --- what is announced, and what is said to be said ---


def _announced(text: str, lines: list[_Line], shaped: list[Span]) -> Iterator[Span]:
    done = 0
    last_asked = max((found.start() for found in _words("asked_label").finditer(text)), default=-1)
    for number, line in enumerate(lines):
        if line.start < done or not line.text.strip() or _end_around(line.start, shaped):
            continue
        at = _lead(line, lines[number + 1 : number + 3], last_asked)
        if at is None:
            continue
        start = next((place for place in range(at, len(text)) if not text[place].isspace()), len(text))
        if start == len(text):
            continue
        inside = _end_around(start, shaped)
        quoted = _QUOTED.match(text, start)
        if inside or quoted is not None:
            done = inside or (quoted.end() if quoted is not None else 0)
        elif start < line.end:
            label = _words("asked_label").search(text, start) if start < last_asked else None
            done = label.start() if label is not None else _paragraph_end(text, start)
        else:
            done = _resumed(text, start, asked=_asks(text, line.end))
        yield start, done


def _end_around(place: int, spans: list[Span]) -> int:
    """Return the end of the span that a place is in; 0 if it is in none."""
    at = bisect_right(spans, (place, sys.maxsize)) - 1
    return spans[at][1] if at >= 0 and place < spans[at][1] else 0


def _lead(line: _Line, below: list[_Line], last_asked: int) -> int | None:
    """Return the start of the text that a line announces as foreign; None if it announces none."""
    label = _words("label").match(line.text) if ":" in line.text or "：" in line.text else None
    if label is not None:
        rest = line.text[label.end() :].strip()
        follows = any(each.text.strip() for each in below[:2])
        long = len(rest) > _LABEL_CHARS or (not rest and follows)
        if last_asked > line.start or (long and _words("document").match(line.text)):
            return line.start + label.end()
    cut = _colon(line.text)
    lead = line.text[:cut] if cut else line.text
    if len(lead) > _LEAD_CHARS or (not cut and (not below or _BULLET.match(lead) or _HEADING.match(lead))):
        return None
    if cut:
        if _tells(lead):
            return line.start + cut
        lead = " ".join(sentences(lead)[-_LAST_SENTENCES:])
        telling = _says(lead) or _shows(lead) or _asks_of_it(lead)
        telling = telling or (not line.text[cut:].strip() and _words("titles").search(lead) is not None)
    else:  # a line alone announces a text that a blank line sets apart; a request on the first line any
        apart = not below[0].text.strip()
        last = " ".join(sentences(lead)[-_LAST_SENTENCES:])
        asked = _asks_of_it(last if last == lead.strip() else _BEFORE.sub("", last))
        telling = (apart and _shows(lead)) or ((apart or line.start == 0) and asked)
    if not telling or _words("own").search(lead):
        return None
    return line.start + cut if cut else line.end


def _colon(line: str) -> int:
    """Return the place behind the first colon that ends a lead; 0 if there is none."""
    found = re.search(r"[:：](?=\s|\Z|[\"“„«「'‘\u3040-\u9fff\uac00-\ud7a3])|：", line)
    return found.end() if found is not None else 0


def _asks(text: str, start: int) -> bool:
    """True if the person has already said what they want of the text that comes."""
    before = text[max(0, start - 2 * _LEAD_CHARS) : start]
    return "?" in before or "？" in before or _asks_of_it(before)


def _says(text: str) -> bool:
    """True if others are said to say something."""
    return _words("says").search(_words("i_say").sub(" ", text)) is not None


def _tells(lead: str) -> bool:
    """True if a lead ends with what others say, write, send or have written on them; one's own notes are no others."""
    last = _words("i_say").sub(" ", (sentences(lead) or [""])[-1])
    return _words("tells").search(last) is not None and _words("own_text").search(last) is None


def _asks_of_it(text: str) -> bool:
    return _words("asks_of_it").search(text) is not None or _followed("verbs", "it", text)


def _shows(lead: str) -> bool:
    return any(_words(name).search(lead) for name in ("shows", "named")) or _followed("heads", "shown", lead)


def _paragraph_end(text: str, start: int) -> int:
    found = re.compile(r"\n[ \t]*\n").search(text, start)
    return found.start() if found is not None else len(text)


def _resumed(text: str, start: int, *, asked: bool) -> int:
    """Return where the person speaks again behind a text that nothing closes: at a question in the last paragraph.

    With `asked`, the person's question came before the text, so nothing behind it resumes.
    """
    begun = start + len(text[start:]) - len(text[start:].lstrip())
    first = text[begun : (text.find("\n", begun) + 1 or len(text) + 1) - 1]
    if _RULED.match(first):
        ruled = [line for line in _lines(text[begun:]) if _RULED.match(line.text)]
        if len(ruled) > 1:
            between = text[begun + ruled[0].end : begun + ruled[1].start].strip("\n").split("\n")
            if not all(_KEYED.match(line) for line in between):
                return begun + ruled[1].end
    if labels := [found.start() for found in _words("asked_label").finditer(text, begun)]:
        return labels[-1]
    tail = text.rstrip()
    last = max(tail.rfind("\n\n", begun), tail.rfind("\n \n", begun))
    if asked or last < 0 or len(tail) - last > _LEAD_CHARS:
        return len(text)
    ends = [found.end() for found in _SENTENCE_END.finditer(tail, last)]
    if not tail.endswith(("?", "？")) and not _asks_of_it(tail[last:]):
        return len(text)
    return max((end for end in ends[:-1]), default=last) if tail.endswith(("?", "？")) else last


def _begins_with(text: str, quote: re.Match[str]) -> bool:
    """True if a line begins with a quotation of more than one sentence: that is no title."""
    before = text[text.rfind("\n", 0, quote.start()) + 1 : quote.start()]
    return not before.strip() and len(sentences(quote.group()[1:-1])) > 1


def _said(text: str) -> Iterator[Span]:
    """Find quotations: long ones, and shorter ones behind a verb of saying that is not the person's."""
    for found in _QUOTED.finditer(text):
        count = len(found.group().split()) + sum(char >= "\u3040" for char in found.group()) // 2
        if count >= _LONG_QUOTE or (count >= _BEGUN_QUOTE and _begins_with(text, found)):
            yield found.span()
        elif count >= _SPOKEN_QUOTE:
            before = re.split(r"[.!?。！？\n]", text[max(0, found.start() - 120) : found.start()])[-1]
            if _tells(before) or (_says(before) and not _words("own").search(before)):
                yield found.span()
