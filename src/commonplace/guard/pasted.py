"""Which parts of a person's message are not their own words: pasted, forwarded, quoted, attached.

What is announced as one's own (`my rules:`) or is written in plain sentences is the person's. Foreign is
what is announced as such (`Here is the README:`, `Context: … Question: …`) or has the shape of mail, log,
chat, code, JSON, a page or a quotation. Pure: text in, spans out; the work is bounded for any length.
The words that announce are data (`phrases`).
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from commonplace.guard.about import FIRST_PERSON, SAYS_I, WE, names_another
from commonplace.guard.phrases import followed, phrase
from commonplace.guard.shapes import BULLET, LEAD_CHARS, Line, Span, lines_of, shaped, tables
from commonplace.records import Trust
from commonplace.text.content import sentences
from commonplace.text.patterns import pattern
from commonplace.text.standing import orders

_MARKS: Final = pattern('[\\n:："“„«「『<>{`]')  # without one of them nothing is announced and hardly a shape is there
_FENCE: Final = pattern(r"(?m)^[ \t]{0,3}(?:```|~~~).*$")
_TRIPLE: Final = pattern(r"\"\"\"|'''")
_OPENED: Final = pattern(r"<([A-Za-z][\w-]{0,40})(?: [^<>\n]{0,200})?>")
_CLOSED: Final = pattern(r"</([A-Za-z][\w-]{0,40})>")
_BLOB: Final = pattern(r"[{\[]\s*(?:\"[^\"\n]{0,200}\"\s*[:,]|\{\s*\")")
_BRACKET: Final = pattern(r"[{\[\]}]")
_RULED: Final = pattern(r"[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,}|~{3,}|—{2,})[ \t]*\Z")
_ANGLED: Final = pattern(r"[ \t]*(?:<{3,}|>{3,}|\[{3,}|\]{3,})[ \t]*\Z")
_KEYED: Final = pattern(r"[ \t]*[\w.-]+[ \t]*:(?:[ \t].*)?\Z|[ \t]*- ")
_HEADING: Final = pattern(r"#{1,6} ")
_QUOTED: Final = pattern(
    r"(?<![\w\"])\"[^\"]{1,4000}\"|“(?:[^“”]|“[^“”]{1,200}”){1,4000}”|„(?:[^„“”]|„[^„“”]{1,200}[“”]){1,4000}[“”]"
    r"|«(?:[^«»]|«[^«»]{1,200}»){1,4000}»|「(?:[^「」]|「[^「」]{1,200}」){1,4000}」|『[^『』]{1,4000}』"
)
_SENTENCE_END: Final = pattern(r"[.!?…]+[\"'”’»)\]]*(?=\s|\Z)|[。！？]+[”」』]?")
_PARAGRAPH: Final = pattern(r"[^\s](?:[^\n]|\n(?![ \t]*(?:\n|\Z)))*")
_SALUTES: Final = pattern(r"[^\W\d_]+(?:[ ’'][^\W\d_]+){0,4} ?[,!，！、:：][ \t]*\n")  # the first line of a letter
_LONG_QUOTE: Final = 12  # words; so many are no title and no phrase of one's own
_BEGUN_QUOTE: Final = 6  # at the beginning of a line, of more than one sentence
_SPOKEN_QUOTE: Final = 4  # words behind a verb of saying
_HEAD_CHARS: Final = 30_000  # of a message that is longer than both, the middle was not typed
_TAIL_CHARS: Final = 10_000
_LAST_SENTENCES: Final = 2  # of a lead, in which it names or asks about what comes
_BEFORE: Final = pattern(r"\b(?:that|it|him|her|them|das|ça|eso|那)\b", re.IGNORECASE)  # is of what was said before
_NAME_CHARS: Final = 30  # of the name of a text behind a question (`does this do it? README:`)
_SHORT: Final = 8  # words of a line that asks without a word of asking
_SELF: Final = pattern(FIRST_PERSON.pattern + "|" + WE.pattern, re.IGNORECASE).search
_BEGIN: Final = 30  # characters, in which a person who speaks of themselves says so
_ARTICLE: Final = 3  # sentences of a paragraph
_LABEL_CHARS: Final = 80  # a shorter value behind a label is a line of a profile


@lru_cache(maxsize=1024)  # each range of a session asks for those before it again
def pasted(text: str) -> tuple[Span, ...]:
    """List the parts of a person's message that are not their own words, in order and apart."""
    if _MARKS.search(text) is None and phrase("the_user").search(text) is None:
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
    lines = list(lines_of(text))
    enclosed = _merged(list(_enclosed(text, lines)))
    rest = [line if not _end_around(line.start, enclosed) else _blank(line) for line in lines]
    found = [span for span in (*enclosed, *shaped(rest)) if not _announced_own(text, span[0])]
    found += [span for span in tables(rest) if not _announced_own(text, span[0], "own_list")]
    found += _front_matter(text, lines)
    found += _mail(text, lines)
    found += _announced(text, lines, _merged(found))
    found += _worked_on(text, lines)
    found += _said(text)
    found += _articles(text)
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


def _blank(line: Line) -> Line:
    """Return the line that replaces an enclosed one, so that it separates what is before and behind it."""
    return Line(line.start, line.end, "")


def _merged(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _announced_own(text: str, start: int, *names: str) -> bool:
    """True if the words right before a place announce the person's own list, settings or example."""
    behind = text[max(0, start - LEAD_CHARS) : start]
    line = (before := behind.rstrip()).rsplit("\n", 1)[-1]
    leads = line.endswith((":", "：")) or (bool(names) and behind.count("\n") == before.count("\n") + 1)
    return leads and any(phrase(name).search(line) for name in ("own", *names))


# --- what is enclosed ---


def _enclosed(text: str, lines: list[Line]) -> Iterator[Span]:
    for marks in ([m.span() for m in _FENCE.finditer(text)], [m.span() for m in _TRIPLE.finditer(text)]):
        for opened, closed in zip(marks[::2], [*marks[1::2], (len(text), len(text))], strict=False):
            yield opened[0], closed[1]
    yield from _tagged(text)
    yield from _blobs(text)
    yield from _between_marks(text, lines)
    begun: Line | None = None
    for line in lines:
        if len(line.text) > LEAD_CHARS:
            continue
        if begun is None and phrase("begins").match(line.text):
            begun = line
        elif begun is not None and phrase("ends").match(line.text):
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


def _front_matter(text: str, lines: list[Line]) -> Iterator[Span]:
    """Find a page that begins with its own fields between two rules."""
    begun = [line for line in lines if line.text.strip()][:LEAD_CHARS]
    if len(begun) > 2 and begun[0].text.strip() == "---":
        for number, line in enumerate(begun[1:], 1):
            if line.text.strip() == "---" and number > 1:
                yield begun[0].start, _resumed(text, line.end, asked=False)
            if not _KEYED.match(line.text):
                return


def _between_marks(text: str, lines: list[Line]) -> Iterator[Span]:
    """Find what two lines of signs enclose, if the signs open and close, or if the person asks about it."""
    marks = [line for line in lines if _RULED.match(line.text) or _ANGLED.match(line.text)]
    if len(marks) != 2 or not text[marks[0].end : marks[1].start].strip():
        return
    first, last = marks[0].text.strip()[0], marks[1].text.strip()[0]
    outside = f"{text[: marks[0].start]}\n{text[marks[1].end :]}"
    asked = "?" in outside or "？" in outside or _asks_of_it(outside) or phrase("retell").search(outside)
    if (first, last) in {("<", ">"), ("[", "]")} or (first == last and asked and first not in "<>[]"):
        yield marks[0].start, marks[1].end


def _mail(text: str, lines: list[Line]) -> Iterator[Span]:
    """Find forwarded mail: a marker, or two lines of a head of which one says from whom or about what."""
    heads = 0
    telling = False
    first: Line | None = None
    for number, line in enumerate(lines):
        short = line.text if len(line.text) <= LEAD_CHARS else ""
        marked = phrase("forwarded").match(short) is not None
        head = phrase("mail_head").match(short)
        if head is not None:
            first = first or line
            heads += 1
            telling = telling or phrase("mail_telling").match(short) is not None
        elif not marked:
            heads, telling, first = 0, False, None
        below = lines[number + 1].text if heads == 1 and number + 1 < len(lines) else ""
        alone = len(sentences(below)) > 1 and phrase("mail_head").match(below) is None and _asks(text, line.start)
        if marked or (first is not None and (alone or (heads > 1 and telling))):
            start = line.start if marked or first is None else first.start
            yield start, _resumed(text, line.end, asked=_asks(text, start))
            return


# --- what is announced, and what is said to be said ---


def _announced(text: str, lines: list[Line], shaped: list[Span]) -> Iterator[Span]:
    done = 0
    last_asked = max((found.start() for found in phrase("asked_behind").finditer(text)), default=-1)
    for number, line in enumerate(lines):
        if line.start < done or not line.text.strip():
            continue
        if _end_around(line.start, shaped) and not phrase("place").match(line.text):
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
            label = phrase("asked_behind").search(text, start) if start < last_asked else None
            done = label.start() if label is not None else _paragraph_end(text, start)
        else:
            done = _resumed(text, start, asked=_asks(text, line.end))
        if not _drafted(text[line.start : at]):
            yield start, done
        elif quoted is not None or _SALUTES.match(text, start):
            yield from _orders(text, start, done)


def _drafted(lead: str) -> bool:
    """True if a lead announces what the person wrote to others."""
    return phrase("drafts").search(lead) is not None and not (_tells(lead) or _shows(lead))


def _orders(text: str, start: int, end: int) -> Iterator[Span]:
    """Find what the person writes to others there as an order: it is none to the assistant."""
    for sentence in sentences(text[start:end]):
        at = text.find(sentence, start)
        if at >= 0 and orders(sentence) and not FIRST_PERSON.search(sentence):
            yield at, at + len(sentence)


def _end_around(place: int, spans: list[Span]) -> int:
    """Return the end of the span that a place is in; 0 if it is in none."""
    at = bisect_right(spans, (place, sys.maxsize)) - 1
    return spans[at][1] if at >= 0 and place < spans[at][1] else 0


def _lead(line: Line, below: list[Line], last_asked: int) -> int | None:
    """Return the start of the text that a line announces as foreign; None if it announces none."""
    label = phrase("label").match(line.text) if ":" in line.text or "：" in line.text else None
    if label is not None:
        rest = line.text[label.end() :].strip()
        follows = any(each.text.strip() for each in below[:2])
        long = len(rest) > _LABEL_CHARS or (not rest and follows)
        if last_asked > line.start or (long and phrase("document").match(line.text)):
            return line.start + label.end()
    if phrase("place").match(line.text) and any(each.text.strip() for each in below):
        return line.end
    cut = _colon(line.text)
    lead = line.text[:cut] if cut else line.text
    if len(lead) > LEAD_CHARS or (not cut and (not below or BULLET.match(lead) or _HEADING.match(lead))):
        return None
    if cut:
        if _tells(lead) or (not line.text[cut:].strip() and (_names_behind(lead) or _titled_behind(lead, below))):
            return line.start + cut
        lead = " ".join(sentences(lead)[-_LAST_SENTENCES:])
        telling = _says(lead) or _shows(lead) or _asks_of_it(lead)
        alone = not line.text[cut:].strip() or any(each.text.rstrip().endswith(("?", "？")) for each in (line, *below))
        telling = telling or (alone and _entitles(lead, below)) or _drafted(lead)
        if not line.text[cut:].strip() and line.start == 0 and "?" in lead:
            telling = telling or _asks_about(lead, below)
    else:  # a line alone announces a text that a blank line sets apart; a request on the first line any
        apart = not below[0].text.strip()
        ending = sentences(lead)[-1:]
        last = " ".join(sentences(lead)[-_LAST_SENTENCES:])
        asked = _asks_of_it(last if last == lead.strip() else _BEFORE.sub("", last))
        if line.start == 0 and _asks_about(lead, below):
            return line.end
        telling = (
            (apart and (_shows(lead) or _tells(lead)))
            or any(map(phrase("below").search, ending))
            or ((apart or line.start == 0) and asked)
        )
    if not telling or phrase("own").search(lead):
        return None
    return line.start + cut if cut else line.end


def _last(text: str) -> str:
    return (sentences(text) or [""])[-1]


def _names_behind(lead: str) -> bool:
    """True if a lead ends with the name of a text, behind another sentence."""
    name = _last(lead)
    return len(name) <= min(_NAME_CHARS, len(lead) - 1) and phrase("document").match(name) is not None


def _titled_behind(lead: str, below: list[Line]) -> bool:
    """True if a lead ends with a few words behind a question, and these speak of nobody, nor does the text begin so."""
    name = _last(lead)
    text = next((line.text for line in below if line.text.strip()), "")
    asks = any(mark in lead[: -len(name)] for mark in "?？")
    return (
        asks
        and len(name.split()) <= _SHORT
        and not _SELF(name)
        and not BULLET.match(text)
        and not _SELF(re.split("[:：]", text[:_BEGIN])[0])
    )


def _worked_on(text: str, lines: list[Line]) -> Iterator[Span]:
    """Find a text below a line that asks; nobody speaks of themselves or asks in it, and it is no list."""
    written = [line for line in lines if line.text.strip()]
    if len(written) < 2 or len(lines) < 3 or len(lead := written[0].text) > LEAD_CHARS:
        return
    start = written[1].start
    body = text[start:]
    asks = any(phrase(name).search(lead) for name in ("requests", "retell", "verbs")) and not SAYS_I.search(lead)
    own = (phrase("of_mine").search(lead) and not names_another(lead)) or _SELF(body) or re.search(r"[?？]", body)
    apart = text[written[0].end : start].count("\n") > 1
    if asks and apart and not own and not BULLET.match(body) and len(sentences(body)) > 1:
        yield start, len(text)


def _articles(text: str) -> Iterator[Span]:
    """Find paragraphs that are written as an article is, in a message that is typed as people chat.

    Each of their sentences begins with a capital, nobody speaks of themselves, and they hardly order anything; another
    paragraph begins with a small letter.
    """
    paragraphs = [(*found.span(), found.group()) for found in _PARAGRAPH.finditer(text)]
    if any(part[:1].islower() for *_, part in paragraphs):
        for start, end, part in paragraphs:
            said = sentences(part)
            as_article = len(said) >= _ARTICLE and all(each.lstrip()[:1].isupper() for each in said)
            if as_article and 2 * sum(map(orders, said)) <= len(said) and not _SELF(part):
                yield start, end


def _asks_about(lead: str, below: list[Line]) -> bool:
    """True if a line asks for something about the text below it, which does not begin with the person themselves."""
    text = next((line.text for line in below if line.text.strip()), "")
    if not text or phrase("of_mine").search(lead) or FIRST_PERSON.search(text[:_BEGIN]):
        return False
    asked = " ".join(sentences(lead)[-_LAST_SENTENCES:])
    this = phrase("this").search(asked)
    short = len(lead.split()) <= _SHORT and not below[0].text.strip() and SAYS_I.search(lead) is None
    asks = any(phrase(name).search(asked) for name in ("requests", "retell", "verbs")) or _asks_of_it(asked)
    return this is not None and (asks or (short and this.start() > 0))


def _colon(line: str) -> int:
    """Return the place behind the first colon that ends a lead; 0 if there is none."""
    found = re.search(r"[:：](?=\s|\Z|[\"“„«「'‘\u3040-\u9fff\uac00-\ud7a3])|：", line)
    return found.end() if found is not None else 0


def _asks(text: str, start: int) -> bool:
    """True if the person has already said what they want of the text that comes."""
    before = text[max(0, start - 2 * LEAD_CHARS) : start]
    return "?" in before or "？" in before or _asks_of_it(before)


def _says(text: str) -> bool:
    """True if others are said to say something."""
    return phrase("says").search(phrase("i_say").sub(" ", text)) is not None


def _tells(lead: str) -> bool:
    """True if a lead ends with what others say, write, send or have written on them; one's own notes are no others."""
    last = phrase("i_say").sub(" ", _last(lead))
    return phrase("tells").search(last) is not None and phrase("own_text").search(last) is None


def _asks_of_it(text: str) -> bool:
    return phrase("asks_of_it").search(text) is not None or followed("verbs", "it", text)


def _shows(lead: str) -> bool:
    return any(phrase(name).search(lead) for name in ("shows", "named")) or followed("heads", "shown", lead)


def _entitles(lead: str, below: list[Line]) -> bool:
    """True if a lead is the name of a text of others; one that a list follows may be of one's own rules."""
    if phrase("titles").search(lead) or phrase("entitled").search(lead):
        return True
    listed = any(BULLET.match(each.text) for each in below)
    return not listed and phrase("of_site").search(lead) is not None


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
        ruled = [line for line in lines_of(text[begun:]) if _RULED.match(line.text)]
        if len(ruled) > 1:
            between = text[begun + ruled[0].end : begun + ruled[1].start].strip("\n").split("\n")
            if not all(_KEYED.match(line) for line in between):
                return begun + ruled[1].end
    if labels := [found.start() for found in phrase("asked_label").finditer(text, begun)]:
        return labels[-1]
    tail = text.rstrip()
    last = max(tail.rfind("\n\n", begun), tail.rfind("\n \n", begun))
    if asked or last < 0 or len(tail) - last > LEAD_CHARS:
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
        before = text[max(0, found.start() - 120) : found.start()].rsplit("\n", 1)[-1]
        if _drafted(before):
            yield from _orders(text, *found.span())
        elif phrase("own_text").search(before) and not _tells(before):
            continue
        elif count >= _LONG_QUOTE or (
            count >= _BEGUN_QUOTE and (before.rstrip().endswith(("?", "？")) or _begins_with(text, found))
        ):
            yield found.span()
        elif count >= _SPOKEN_QUOTE:
            before = re.split(r"[.!?。！？\n]", text[max(0, found.start() - 120) : found.start()])[-1]
            if _tells(before) or (_says(before) and not phrase("own").search(before)):
                yield found.span()
