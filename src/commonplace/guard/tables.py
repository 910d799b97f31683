"""Find the cells of a table that a name in its head, or in front of them, says are secrets.

Owns how tables are drawn: with separators (CSV, Markdown, `psql`, `mysql`), with spaces (`kubectl`), in SQL, and
as records of a name and a value a line. A table is read once, whatever its head names; each row is bounded, and
so is how often it is read, so the work is linear.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Final, NamedTuple

from commonplace.guard.table import compiled

Span = tuple[int, int]

_COLUMNS: Final = 4  # of secrets in a table
_VALUES_OF_SQL: Final = 200  # between two brackets
_LINE: Final = 2000  # characters of a row
_SEPARATORS: Final = "|│┃\t;,"
_DRAWN: Final = "|│┃"
_STRING: Final = r"\"\s{0,2}:\s{0,2}\""  # behind it a table in a string of JSON may begin
_STRING_ENDS: Final = r"\"\s{0,2}(?:[}\]]|,\s{0,2}\"[\w-]{1,40}\"\s{0,2}:)"
_HEAD: Final = r"(?!\d[\d.:-])[\w\u0900-\u0e7f .'\"/+*`-]{1,40}\Z"  # a cell of a row of names, with signs on letters
_LISTED: Final = r"\s{1,80}[\"']|[\"'][^\n]{0,1900}[\"'],\s{0,8}\Z"  # words in a list of code
_RULE: Final = r"[\s|+:=\u2500-\u257f-]{1,2000}\Z"
_UNDER: Final = (
    r"[ \t]{0,8}[-=]{2}[-= \t]{0,400}[ \t][-= \t]{0,400}[-=]\s{0,8}\Z"  # the line under a head without separators
)
_WORDS: Final = r"\S{1,64}(?: \S{1,64}){0,3}"  # a cell between two or more spaces
_SQL: Final = r"(?i)\b(?:insert\s{1,4}into|replace\s{1,4}into|copy)\s{1,4}[\w.`\"\[\]]{1,80}\s{0,4}\Z"
_ROWS_OF_SQL: Final = r"(?i)\)\s{0,8}(?:(values)\s{0,8}|from\s{1,4}stdin[^\n]{0,80}\n)"
_TUPLE: Final = r"\s{0,8},?\s{0,8}\("
_SQL_VALUE: Final = (
    r"\s{0,8}(?:[NE]?'((?:[^'\\\n]|''|\\.){0,500})'|([^',()\n]{0,200}(?:\([^()\n]{0,200}\))?))\s{0,8}([,)])"
)
_VALUES: Final = (  # the head of a table whose rows are a name and a value, or of a record
    r"(?im)^[^\n]{0,80}\b(?:value|wert|valeur|valor|valore|waarde|wartość|значение|値|值)[*`\s|│┃]{0,80}\n[\s|+:=\u2500-\u257f-]{3,200}$"
    r"|-\[ RECORD \d{1,6} \]"
)
_BESIDE: Final = (
    r"[A-Za-z0-9_-]{0,14}[\"'`*]{0,3}(?:[ \t]{0,40}[|│┃][ \t]{0,8}|[ \t]{2,60}|\t)"
    r"[`*\"']{0,2}([^\s|│┃`*\"']{3,128})[`*\"']{0,2}[ \t]{0,80}[|│┃]?[ \t]{0,8}\r?(?=\n|\Z|\")"
)
_OPENS_ROW: Final = r"(?:\n|\A|\")[ \t]{0,8}[|│┃]?[ \t]{0,8}[`*\"']{0,3}(?:[\w.-]{1,40}[ _-]){0,2}[\w.-]{0,40}\Z"
_CELL_ENDS: Final = (  # behind a name that may be a cell, or have one beside it
    r"[A-Za-z0-9_-]{0,14}(?:[\s\"'`*:]{0,200}(?:[|│┃;,<)\]\n\t]|\Z)|[\"'`*:]{0,200}(?: (?=\s)|[^\S ]))"
)


class _Read(NamedTuple):
    """A table: the cells of its head, the end of the head, and what reads its rows, each with its end."""

    heads: list[Span]
    end: int
    rows: Callable[[], Iterator[tuple[list[Span], int]]]


class Tables:
    """The tables of a text, in which names are looked up in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._table = _Read([], 0, lambda: iter(()))
        self._rows_end = self._line_end = 0  # of the table, and of a line that was found to be no head
        self._columns = 0  # that were read

    def cells(self, start: int, end: int) -> Iterator[Span]:
        """Yield the cells below a head that is the name at [start, end), or the cell beside that name."""
        if not compiled(_CELL_ENDS).match(self._text, end):
            return  # in most lines it is a word among others, and no line of those is read
        if start >= self._rows_end and start >= self._line_end and (read := self._read(start, end)):
            self._table, self._rows_end, self._columns = read, read.end, 0
        if start >= self._table.end:
            yield from self._beside(start, end)
            return
        column = next((n for n, (a, b) in enumerate(self._table.heads) if a <= start < b), -1)
        if column >= 0 and self._columns < _COLUMNS and self._is_name(self._table.heads[column], (start, end)):
            self._columns += 1
            for row, rows_end in self._table.rows():
                self._rows_end = rows_end
                yield row[column]

    def _is_name(self, cell: Span, noun: Span) -> bool:
        """True if a cell is nothing but a name for a secret."""
        behind, before = self._text[noun[1] : cell[1]], self._text[cell[0] : noun[0]]
        return not behind.strip("\"' `*:") and len(before.split()) <= 2

    def _read(self, start: int, end: int) -> _Read | None:
        """Read the table whose head a place is in, if it is in one."""
        if read := _sql(self._text, start, end):
            return read
        text = self._text
        begin = text.rfind("\n", max(0, start - _LINE), start) + 1
        stop = text.find("\n", end, end + _LINE)
        self._line_end = stop if stop > 0 else min(len(text), end + _LINE)
        if stop < 0:
            return None
        begin = max((match.end() for match in compiled(_STRING).finditer(text, begin, start)), default=begin)
        return _separated(text, begin, stop) or _spaced(text, begin, stop)

    def _beside(self, start: int, end: int) -> Iterator[Span]:
        """Yield the value in the same row, where the rows are a name and a value each."""
        text = self._text
        match = compiled(_BESIDE).match(text, end)
        if not match:
            return
        at = bisect_left(self._of_values, start)
        begin = self._of_values[at - 1] if at else start
        in_table = begin < start <= begin + 2 * _LINE and "\n\n" not in text[begin:start]
        if in_table and compiled(_OPENS_ROW).search(text, max(0, start - 90), start):
            yield match.span(1)

    @cached_property
    def _of_values(self) -> list[int]:
        """The ends of heads whose rows are a name and a value each."""
        return [match.end() for match in compiled(_VALUES).finditer(self._text)]


def _separated(text: str, begin: int, stop: int) -> _Read | None:
    """Read a table with a sign between its cells."""
    separator = next((sign for sign in _SEPARATORS if sign in text[begin:stop]), "")
    heads, _ = cells(text, begin, stop, separator) if separator else ([], 0)
    if len(heads) < 2 or not all(compiled(_HEAD).match(text[a:b]) for a, b in heads if a < b):
        return None
    if compiled(_LISTED).match(text, begin, stop):
        return None
    above = text[max(0, begin - _LINE) : max(0, begin - 1)].split("\n")
    row_above = above[-2] if len(above) > 1 and compiled(_RULE).match(above[-1]) else above[-1]
    if row_above.count(separator) == text.count(separator, begin, stop) and not compiled(_RULE).match(row_above):
        return None  # a row
    return _Read(heads, stop, partial(_rows_separated, text, stop, len(heads), separator))


def _rows_separated(text: str, end: int, width: int, separator: str) -> Iterator[tuple[list[Span], int]]:
    """Yield the rows of a table with a sign between its cells, below the end of its head."""
    while end + 1 < len(text):
        first = end + 1
        line_end = text.find("\n", first, first + _LINE)
        line = text[first : line_end if line_end >= 0 else first + _LINE]
        if compiled(_RULE).match(line):
            end = first + len(line)
            continue
        ends = compiled(_STRING_ENDS).search(line)
        last = first + ends.start() if ends else len(text)
        row, end = cells(text, first, min(last, first + _LINE), separator)
        if len(row) == width - 1 and text[end - 1] == separator:
            row.append((end, end))  # the last cell is empty
        code = separator not in _DRAWN and any(char in line for char in "(){}=") and '"' not in line
        if len(row) != width or code:
            return
        yield row, end
        if ends:
            return


def cells(text: str, begin: int, stop: int, separator: str) -> tuple[list[Span], int]:
    """Return the cells of a row without their space and quotes, and its end; in quotes, nothing parts and ends."""
    sign = re.escape(separator)
    pattern = (
        rf"[ \t]*\"((?:[^\"]|\"\"){{0,1000}})\"[ \t\r]*(?:{sign}|(?=\n)|\Z)|([^{sign}\n]{{0,500}})(?:{sign}|(?=\n)|\Z)"
    )
    found: list[Span] = []
    place = begin
    while place < stop and text[place] != "\n":
        match = compiled(pattern).match(text, place, stop)
        if not match or match.end() == place:
            break
        found.append(_bare(text, *match.span(match.lastindex or 0)))
        place = match.end()
    return found, place


def _bare(text: str, first: int, last: int) -> Span:
    """Return the span of a cell without space, quotes and emphasis at its edges."""
    while first < last and text[first] in " \t\"'":
        first += 1
    while last > first and text[last - 1] in " \t\"'\r":
        last -= 1
    for sign in ("**", "`"):
        if last - first > 2 * len(sign) and text[first:last].startswith(sign) and text[first:last].endswith(sign):
            first, last = first + len(sign), last - len(sign)
    return first, last


def _spaced(text: str, begin: int, stop: int) -> _Read | None:
    """Read a table whose columns are made with spaces, below a head in capitals or with a line under it."""
    heads = [match.span() for match in compiled(_WORDS).finditer(text, begin, stop)]
    below = text[stop + 1 : (text.find("\n", stop + 1, stop + 1 + _LINE) + 1 or stop + _LINE) - 1]
    ruled = compiled(_UNDER).match(below)
    if len(heads) < 2 or not (ruled or text[begin:stop].isupper()):
        return None
    return _Read(heads, stop, partial(_rows_spaced, text, stop + (1 + len(below) if ruled else 0), heads, begin))


def _rows_spaced(text: str, end: int, heads: list[Span], begin: int) -> Iterator[tuple[list[Span], int]]:
    """Yield the rows of a table made with spaces: in each column, the word below its head."""
    while end + 1 < len(text):
        first = end + 1
        line_end = text.find("\n", first, first + _LINE)
        end = line_end if line_end >= 0 else min(len(text), first + _LINE)
        found = [match.span() for match in compiled(_WORDS).finditer(text, first, end)]
        if len(found) < 2:
            return
        words = [span for span in found if " " not in text[slice(*span)]]
        move = first - begin
        yield [next((c for c in words if c[0] < b + move and c[1] > a + move), (end, end)) for a, b in heads], end


def _sql(text: str, start: int, end: int) -> _Read | None:
    """Read the rows that a statement of SQL puts in: behind VALUES, or in lines with tabs."""
    opens = text.rfind("(", max(0, start - 600), start)
    if opens < 0 or not compiled(_SQL).search(text, max(0, opens - 120), opens):
        return None
    closes = text.find(")", end, end + 600)
    begin = compiled(_ROWS_OF_SQL).match(text, closes) if closes >= 0 else None
    if not begin:
        return None
    heads = [_sql_name(text, *match.span()) for match in compiled(r"[^,]{1,80}").finditer(text, opens + 1, closes)]
    return _Read(heads, closes, partial(_rows_of_sql, text, begin.end(), len(heads), lines=not begin[1]))


def _rows_of_sql(text: str, place: int, width: int, *, lines: bool) -> Iterator[tuple[list[Span], int]]:
    """Yield the rows behind VALUES, or in `lines` with tabs."""
    while place < len(text):
        row, place = cells(text, place, place + _LINE, "\t") if lines else _tuple(text, place)
        if len(row) != width:
            return
        yield row, place
        place += lines


def _sql_name(text: str, first: int, last: int) -> Span:
    while first < last and text[first] in ' \t\r\n`"[':
        first += 1
    while last > first and text[last - 1] in ' \t\r\n`"]':
        last -= 1
    return first, last


def _tuple(text: str, place: int) -> tuple[list[Span], int]:
    """Return the values between two brackets of SQL, and the end; what is no string is empty."""
    opens = compiled(_TUPLE).match(text, place)
    row: list[Span] = []
    at = opens.end() if opens else 0
    while opens and len(row) < _VALUES_OF_SQL and (match := compiled(_SQL_VALUE).match(text, at)):
        at = match.end()
        row.append(match.span(1) if match[1] is not None else (at, at))
        if match[3] == ")":
            break
    return row, at
