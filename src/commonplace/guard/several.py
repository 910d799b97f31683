"""Find what is under one name for several secrets: a list, a map, deeper lines, a block of text, a here-document.

Owns where such a group begins and ends. A group is bounded, so the work is linear where no group is read twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from commonplace.guard.table import compiled

_MOST: Final = 4000  # characters of a group
_BEGINS: Final = (
    r"(?P<more>[A-Za-z0-9_-]{0,14})[\"']?[ \t]{0,4}(?:=>|:=|[:=])"
    r"(?:\s{0,8}(?P<bracket>[\[{])|[ \t]{0,4}(?P<block>[|>])[+-]?\d?[+-]?[ \t]{0,4}\r?(?=\n)"
    r"|[ \t]{0,4}<<[-~]?[\"']?(?P<tag>\w{1,20})[\"']?[^\n]{0,40}(?=\n)|[ \t]{0,4}\r?(?=\n))"
)
_IN_BRACKETS: Final = (
    r"\"(?P<double>(?:[^\"\\\n]|\\.){0,512})\"(?!\s{0,8}:)|'(?P<single>(?:[^'\\\n]|\\.){0,512})'(?!\s{0,8}:)"
    r"|\"[^\"\n]{0,512}\"|'[^'\n]{0,512}'|(?P<plain>[^\s\"',:;{}\[\]()]{1,512})(?!\s{0,2}:)|(?P<sign>[\[{\]}])|\S"
)
_ITEM: Final = (  # a deeper line
    r"[ \t]{0,60}(?:-[ \t]{1,4})?(?:[\"']?[\w.@-]{1,60}[\"']?[ \t]{0,4}:[ \t]{1,4})?"
    r"(?:\"(?P<double>[^\"\n]{3,512})\"|'(?P<single>[^'\n]{3,512})'|(?P<plain>[^\s\"'#{\[&*!|>][^\s]{2,511}))"
    r"[ \t]{0,8},?\r?\Z"
)
_OPENS_LINE: Final = r"(?:\n|\A)([ \t]{0,60})(?:-[ \t]{1,4})?[\"']?[\w.-]{0,40}\Z"
_SCHEMA: Final = r"[\"']?(?:type|description|title|properties|required|\$ref|items|enum|format)[\"']?\s{0,4}:"
_MANY: Final = r"(?i)(?:[\w-]{0,12}(?:s|en)|s_[\w-]{1,12})\Z"  # what follows a noun in a name for several


class Held(NamedTuple):
    """A word of a group: its place, and if it is in quotes or a line of a block."""

    start: int
    end: int
    quoted: bool


def find(text: str, start: int, end: int) -> tuple[list[Held], int]:
    """Return the words of the group under the name at [start, end) that may be values, and the end of the group."""
    begins = compiled(_BEGINS).match(text, end)
    if not begins:
        return [], end
    stop = min(len(text), begins.end() + _MOST)
    many = compiled(_MANY).match(begins["more"]) is not None
    if begins["bracket"] == "[" or (begins["bracket"] and many):
        return _bracketed(text, begins.start("bracket"), stop)
    opens = compiled(_OPENS_LINE).search(text, max(0, start - 110), start)
    if begins["bracket"] or not opens or not (many or begins["block"] or begins["tag"]):
        return [], end
    lines = list(_lines(text, begins.end(), stop, len(opens[1]), begins["tag"] or ""))
    last = lines[-1][1] if lines else end
    if begins["block"] or begins["tag"]:
        return [Held(*_bare(text, *line), quoted=True) for line in lines], last
    return list(_items(text, lines)), last


def is_schema(text: str, start: int, end: int) -> bool:
    """True if a group describes what a value is like and holds none."""
    return compiled(_SCHEMA).search(text, start, end) is not None


def _bracketed(text: str, start: int, stop: int) -> tuple[list[Held], int]:
    """Return the words between brackets, without the names of fields."""
    depth = 0
    words: list[Held] = []
    for match in compiled(_IN_BRACKETS).finditer(text, start, stop):
        if match["sign"]:
            depth += 1 if match["sign"] in "[{" else -1
            if not depth:
                return words, match.end()
        elif match.lastgroup:
            words.append(Held(*match.span(match.lastgroup), quoted=match.lastgroup != "plain"))
    return words, stop


def _lines(text: str, at: int, stop: int, indent: int, tag: str) -> Iterator[tuple[int, int]]:
    """Yield the lines behind a place that are deeper than an indent, or that come before a `tag`."""
    while at < stop and text[at] == "\n":
        first = at + 1
        at = text.find("\n", first, stop)
        at = at if at >= 0 else stop
        line = text[first:at].rstrip("\r")
        words = line.lstrip(" \t")
        depth = len(line) - len(words)
        if words == tag if tag else words and depth <= indent and not (depth == indent and words.startswith("- ")):
            return
        if words:
            yield first, at


def _items(text: str, lines: list[tuple[int, int]]) -> Iterator[Held]:
    for first, last in lines:
        item = compiled(_ITEM).match(text[first:last])
        if item and item.lastgroup:
            begin, end = item.span(item.lastgroup)
            yield Held(first + begin, first + end, quoted=item.lastgroup != "plain")


def _bare(text: str, first: int, last: int) -> tuple[int, int]:
    """Return a line without white space at its edges."""
    line = text[first:last]
    return first + len(line) - len(line.lstrip()), first + len(line.rstrip())
