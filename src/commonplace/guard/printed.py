"""Find secrets in what machines print: fields of data and settings, XML, and columns of tables.

Owns what the value of a name is. The names are data in `rules/printed.toml`. From a name it looks at a bounded
stretch, so the work is linear.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final

from commonplace.guard import values
from commonplace.guard.table import Rule, compiled

Span = tuple[int, int]

_PAIR: Final = (
    r"[A-Za-z0-9_-]{0,14}[\"'`\]]{0,2}[ \t]{0,4}(?:=>|:=|[:=]|value=)\s{0,4}(?:\[\s{0,4})?"
    r"(?:\"([^\"\\\s]{512}|(?:[^\"\\\n]|\\.){1,512}(?=\"))|'([^'\\\s]{512}|(?:[^'\\\n]|\\.){1,512}(?='))"
    r"|([^\s\"'`,;&{}<>\[\]()，。、]{1,512}))"
)
_PLAIN: Final = 3  # the group of `_PAIR` without quotes
_ASSIGNED: Final = (  # "set SMTP_PASS to …"
    r"[A-Z0-9_]{0,14}[`\"']?(?::|\s(?:to|as|is|auf|op|na|на|a|à|en|para|vaut))\s{1,2}([^\s\"'`,;&{}<>\[\]()]{4,64})"
)
_ELEMENT: Final = (
    r"[\w-]{0,14}>\s{0,8}(?:</key>\s{0,8}<string>)?(?:<!\[CDATA\[)?"
    r"([^<>\[\]\s]{512}|[^<>\[\]\n]{3,512}?(?=(?:\]\]>)?\s{0,8}</))"
    r"|[\w-]{0,14}</key>\s{0,8}<string>([^<>\s]{512}|[^<>\n]{3,512}(?=</))"
)
_CALLED: Final = r"(?i)(?:\b(?:name|key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?|[{,]\s{0,40}\")[\w./-]{0,60}\Z"
_APART: Final = (  # the value of an object that names its secret in another field
    r"(?i)(?:[_-]?key)?(?:[_-]?\d{1,2})?(?:[\"']?\s{0,40}|\"\s{0,4}:\s{0,4}\{\s{0,40})"
    r"(?:,?\s{0,24}\"(?:type|sensitive|enabled)\"\s?:\s?[\w\"-]{1,20}){0,2},?\s{0,40}"
    r"(?:[\"']|\b)(?:value|secretstring)[\"']?\s{0,4}:\s{0,4}"
    r"(?:\"([^\"\\\s]{512}|(?:[^\"\\\s]|\\.){3,512}(?=\"))|'([^'\\\s]{3,512})'|([^\s\"'`,;&{}<>\[\]()]{3,512})(?=\s|\Z))"
)
_BOX: Final = r"(?i)<input(?=\s)[^<>]{0,160}?\s(?:type|name|id)\s?=\s?[\"']?[\w.\[-]{0,40}\Z"
_FILLED: Final = r"(?i)\svalue\s?=\s?[\"']([^\"'<>\n]{3,512})[\"']"
_BUTTON: Final = r"(?i)\stype\s?=\s?[\"']?(?:submit|button|checkbox|radio|reset|image)\b"
_SETTING: Final = r"(?:^|[\n?&;])[ \t]{0,8}(?:[A-Za-z_][\w.-]{0,40})?\Z|[{,]\s{0,8}[\"'][\w.-]{0,40}\Z"
_EXPORTED: Final = r"(?:\A|[\s`\"'])[A-Z][A-Z0-9_]{0,40}\Z"  # in a sentence: "set DB_PASSWORD=… before"
_QUERY: Final = r"[?&][\w.-]{0,40}\Z"  # of a URL, which a sentence may go on behind
_WORTHLESS: Final = (
    r"(?i)(?:\[[a-z]|\*{2}|•|x{3}|\.{3}|-{2}|_{2}|\$|%[({A-Z_]|\{\{|<|your|change_?me|example|placeholder|redacted|dummy|todo|tbd|insert|replace|⟦"
    r"|masked|hidden|secrets\.|(?:none|null|undefined|true|false|nil|n/?a|yes|no|string|str|int|integer|bool|boolean|pass|pwd|user|username|hunter|text|number|object|array"
    r"|required|optional|unknown|empty|file|path|password|passwort|passwd|secret|token|key|value|bearer|basic|header|cookie|query|body|env|vault)\Z"
    r"|https?://|[\w.]{1,40}\(|[a-z_.-]{0,40}passwor[dt][a-z_.-]{0,20}\Z)"
)
_TYPES: Final = r"(?i)(?:var)?char\b|text\b|optional\[|str(?:ing)?\b|integer\b|\w{1,40}\.\w{1,40}\("
_HEAD_OF_KEY: Final = 128  # characters that show if a machine made a value
_BACK: Final = 48  # characters before a name that say what it is
_TAG: Final = 240  # characters of a tag of a form on each side of a name
_AHEAD: Final = 640  # characters behind it that its value may take
_MOST_KNOWN: Final = 64  # places whose values are kept in mind
_ROWS: Final = 200  # of a table
_LINE: Final = 2000  # characters of a row
_SEPARATORS: Final = "|│\t;,"
_STRING: Final = r"\"\s{0,2}:\s{0,2}\""  # behind it a table in a string of JSON may begin
_STRING_ENDS: Final = r"\"\s{0,2}(?:[}\]]|,\s{0,2}\"[\w-]{1,40}\"\s{0,2}:)"
_HEAD: Final = r"[\w .'\"/+*`-]{1,40}\Z"  # a cell of a row of names


class Printed:
    """A text in which names of secrets are looked up, in order; the rows of a table are read once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._header = self._rows_end = 0  # ends of the header of the last table, and of its rows
        self._heads: list[Span] = []
        self._rows: list[list[Span]] = []
        self._known: dict[tuple[str, int, str], Span | None] = {}

    def values(self, start: int, keyword: str, rule: Rule) -> Iterator[Span]:
        """Yield the values that the name at `start` has in data, settings, XML or a table."""
        end = start + len(keyword)
        if not compiled(values.ABOUT_IT).match(self._text, end):
            span = self._value(start, end, rule)
            if span:
                yield span
            elif rule.check != "made":
                yield from self._column(start, end)

    def _value(self, start: int, end: int, rule: Rule) -> Span | None:
        """Return the value behind a name; where a text repeats itself, it is looked for once."""
        begin = max(0, start - _TAG)
        around = self._text[begin : end + _AHEAD], start - begin, rule.check
        if around not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            span = (
                paired(self._text, start, end, rule)
                or _element(self._text, start, end, rule)
                or _apart(self._text, start, end, rule)
                or _filled(self._text, start, end, rule)
                or _assigned(self._text, start, end, rule)
            )
            self._known[around] = (span[0] - start, span[1] - start) if span else None
        known = self._known[around]
        return (start + known[0], start + known[1]) if known else None

    def _column(self, start: int, end: int) -> Iterator[Span]:
        """Yield the cells below a header that names a secret."""
        if start >= self._rows_end:
            self._read(start, end)
        if start >= self._header:  # in a row, or in no table
            return
        column = next((n for n, (first, last) in enumerate(self._heads) if first <= start < last), -1)
        if column >= 0 and _is_header(self._text, self._heads[column], (start, end)):
            for first, last in (row[column] for row in self._rows):
                if last - first >= 3 and not is_worthless(self._text[first:last]):
                    yield first, last

    def _read(self, start: int, end: int) -> None:
        """Read the table whose header a place is in, if it is in one."""
        text = self._text
        begin = text.rfind("\n", max(0, start - _LINE), start) + 1
        stop = text.find("\n", end, end + _LINE)
        begin = max((match.end() for match in compiled(_STRING).finditer(text, begin, start)), default=begin)
        separator = next((sign for sign in _SEPARATORS if sign in text[begin:stop]), "") if stop > 0 else ""
        self._heads = list(cells(text, begin, stop, separator)) if separator else []
        if len(self._heads) < 2 or not all(compiled(_HEAD).match(text[a:b]) for a, b in self._heads if a < b):
            return
        self._header, self._rows = stop, []
        for _ in range(_ROWS):
            begin, stop = stop + 1, text.find("\n", stop + 1, stop + 1 + _LINE)
            stop = min(len(text), begin + _LINE) if stop < 0 else stop
            line = text[begin:stop]
            if compiled(r"[\s|+:=\u2500-\u257f-]+\Z").match(line):
                continue
            if end_of_string := compiled(_STRING_ENDS).search(line):
                line = line[: end_of_string.start()]
            row = list(cells(text, begin, begin + len(line), separator))
            if len(row) == len(self._heads) - 1 and line.rstrip("\r").endswith(separator):
                row.append((begin + len(line),) * 2)  # the last cell is empty
            if len(row) != len(self._heads) or (separator not in "|│" and any(char in line for char in "(){}=")):
                break
            self._rows.append(row)
        self._rows_end = begin


def is_worthless(value: str) -> bool:
    """True if a value is a placeholder, a variable or a type."""
    return bool(compiled(_WORTHLESS).match(value))


def paired(text: str, start: int, end: int, rule: Rule) -> Span | None:
    """Return the value that a name has behind a sign, as in data and settings."""
    match = compiled(_PAIR).match(text, end)
    if not match or not match.lastindex:
        return None
    first, last = match.span(match.lastindex)
    plain = match.lastindex == _PLAIN
    value = text[first:last]
    named = plain and text[first - 1] == "=" and compiled(_EXPORTED).search(text, max(0, start - _BACK), start)
    if named and not is_worthless(value) and "..." not in value and (rule.check == "chosen" or values.is_made(value)):
        return first, last
    if plain and rule.check != "made" and not compiled(_SETTING).search(text, max(0, start - _BACK), start):
        return None
    if plain and compiled(r"[\w.]{0,40}[({\[]|[，、]").match(text, last):
        return None  # a call in code
    in_query = plain and compiled(_QUERY).search(text, max(0, start - _BACK), start)
    if plain and not in_query and compiled(r"[ \t]{1,4}[^\s#/]").match(text, last):
        return None  # prose
    return (first, last) if _is_secret(value, rule, plain=plain) else None


def _assigned(text: str, start: int, end: int, rule: Rule) -> Span | None:
    """Return the value that a sentence says a variable has."""
    match = compiled(_ASSIGNED).match(text, end) if rule.check == "chosen" else None
    if not match or not compiled(_EXPORTED).search(text, max(0, start - _BACK), start):
        return None
    first, last = values.stripped(text, *match.span(1))
    made = values.is_made(text[first:last]) and not is_worthless(text[first:last])
    return (first, last) if made else None


def _apart(text: str, start: int, end: int, rule: Rule) -> Span | None:
    """Return the value of an object whose name, in a field of its own, ends with a word for a secret."""
    if not compiled(_CALLED).search(text, max(0, start - 2 * _BACK), start):
        return None
    match = compiled(_APART).match(text, end)
    if not match or not match.lastindex:
        return None
    span = match.span(match.lastindex)
    return span if _is_secret(text[slice(*span)], rule, plain=match.lastindex == _PLAIN) else None


def _filled(text: str, start: int, end: int, rule: Rule) -> Span | None:
    """Return what the box of a form is filled with, if the box is one for a secret."""
    tag = text.rfind("<", max(0, start - _TAG), start)
    if tag < 0 or not compiled(_BOX).match(text[tag:start]):
        return None
    close = text.find(">", end, end + _TAG)
    match = compiled(_FILLED).search(text, tag, close) if close > 0 else None
    if not match or compiled(_BUTTON).search(text, tag, close):
        return None
    return match.span(1) if _is_secret(match[1], rule, plain=False) else None


def _element(text: str, start: int, end: int, rule: Rule) -> Span | None:
    if "<" not in text[max(0, start - 30) : start]:
        return None
    match = compiled(_ELEMENT).match(text, end)
    if not match or not match.lastindex:
        return None
    span = match.span(match.lastindex)
    return span if _is_secret(text[slice(*span)], rule, plain=False) else None


def _is_secret(value: str, rule: Rule, *, plain: bool) -> bool:
    if is_worthless(value) or compiled(_TYPES).match(value):
        return False
    match rule.check:
        case "code":
            return bool(compiled(r"\d{3,12}\Z").match(value))
        case "made":
            head = value[:_HEAD_OF_KEY]
            return len(value) >= 16 and " " not in value and (values.looks_random(head) or _is_encoded(head))
        case _:
            if plain and (
                compiled(r"[A-Za-z_][\w]{0,60}(?:\.[A-Za-z_]\w{0,60}){1,6}\Z").match(value) or value.isdecimal()
            ):
                return False
            return len(value) >= 3 and value.casefold() not in values.described() and not value.endswith(":")


def _is_encoded(value: str) -> bool:
    """True if a value is Base64 of something: both cases and a digit or padding, no word."""
    return bool(compiled(r"[A-Za-z0-9+/_%.-]{16,4096}={0,2}\Z").match(value)) and (
        any(low.islower() and high.isupper() for low, high in itertools.pairwise(value))
        and any(char.isdigit() or char in "=+/" for char in value)
        and not compiled(r"(?:[a-z]{2,30}[A-Z]?){2,9}\Z|[\w-]{1,40}(?:[./][\w-]{1,40}){1,9}\Z").match(value)
    )


def _is_header(text: str, cell: Span, noun: Span) -> bool:
    """True if a cell is nothing but a name for a secret."""
    return not text[noun[1] : cell[1]].strip("\"' ") and len(text[cell[0] : noun[0]].split()) <= 2


def cells(text: str, begin: int, stop: int, separator: str) -> Iterator[Span]:
    """Yield the cells of a row without their space and quotes; a separator in quotes parts nothing."""
    sign = re.escape(separator)
    pattern = rf"(?:\s*\"(?:[^\"\n]|\"\"){{0,500}}\"\s*|[^{sign}\n]{{0,500}})(?:{sign}|$|(?=\n))"
    place = begin
    while place < stop:
        match = compiled(pattern).match(text, place, stop)
        if not match or match.end() == place:
            return
        first, last = place, match.end() - text[place : match.end()].endswith(separator)
        while first < last and text[first] in " \"'":
            first += 1
        while last > first and text[last - 1] in " \"'\r":
            last -= 1
        for sign in ("**", "`"):
            if last - first > 2 * len(sign) and text[first:last].startswith(sign) and text[first:last].endswith(sign):
                first, last = first + len(sign), last - len(sign)
        yield first, last
        place = match.end()
