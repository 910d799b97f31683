"""Read the time a question speaks of, as ranges of instants. Pure.

`now` decides what "last week" is, in its own zone. A month without a year is that month of each of the last years;
where the question says "since" or "before" it, of the last one that has begun. The ranges only ever raise what was
said in them: a question that names a time may still be answered by what was said at another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from commonplace.text.dates import MONTHS, NUMBERS, WEEKDAYS
from commonplace.text.patterns import pattern

Range = tuple[datetime, datetime]

_MONTH: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEAR: Final = r"(?:19|20)\d\d"
_DAY: Final = r"(?P<day>\d\d?)(?:st|nd|rd|th)?"
_COUNT: Final = r"\d{1,3}|a|an|couple|few|one|two|three|four|five|six|seven|eight|nine|ten"
_DAYS: Final = tuple(name for name in WEEKDAYS if name.endswith("day"))
_BESIDE: Final = rf"(?:\b(?:{'|'.join(_DAYS)}),? (?:the )?)?"  # the weekday before a date
_NUMBERS: Final = NUMBERS | {
    "few": 3, "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}  # fmt: skip
_UNITS: Final = {
    "day": 1, "night": 1, "weekend": 7, "week": 7, "month": 30, "year": 365, "天": 1, "周": 7,
    "星期": 7, "个月": 30, "年": 365,
}  # fmt: skip
_YEARS_BACK: Final = 5  # a month without a year is looked for in this many years


class Times(NamedTuple):
    """The ranges of time a question names, and what is left of it, in lower case, without the words that name them."""

    ranges: tuple[Range, ...]
    rest: str


class _Named(NamedTuple):
    """A time in a question, from `start` to `end`, as the ranges it may be."""

    start: int
    end: int
    ranges: list[Range]


def ranges(text: str, now: datetime) -> tuple[Range, ...]:
    """List the ranges of time a question names; empty when it names none."""
    return read(text, now).ranges


def read(text: str, now: datetime) -> Times:
    """Find the times a question names, each with the side of it that is meant ("before May 7", "since Monday")."""
    lowered = text.lower()
    today = now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    named: list[_Named] = []
    for expression, reader in _READERS:
        for match in expression.finditer(lowered):
            try:
                found = list(reader(match, today))
            except (ValueError, OverflowError):  # the year 0, the month 13
                continue
            if not found:  # the 31st of February
                continue
            start = match.start("core") if "core" in expression.groupindex else match.start()
            named.append(_Named(start, match.end(), found))
    if not named:
        return Times((), lowered)
    meant: list[Range] = []
    rest: list[str] = []
    before = _Named(0, 0, [])
    for each in sorted(named, key=lambda each: (each.start, -each.end)):
        if each.start < before.end:  # the year of a month that was read with it
            continue
        rest.append(lowered[before.end : each.start])
        try:
            meant = _meant(lowered, before, each, meant, today)
        except OverflowError:  # at the edge of the calendar
            meant += each.ranges
        before = each
    return Times(tuple(dict.fromkeys(meant)), " ".join([*rest, lowered[before.end :]]))


def _meant(text: str, before: _Named, named: _Named, meant: list[Range], today: datetime) -> list[Range]:
    """Add to what is meant so far the side of a time that the words around it ask for."""
    word, reach = _side(text, named)
    if not word and (wide := _WIDE_SIDE.match(text, named.end)):
        word = _WIDE_SIDES[wide[0]]
    start, end = _last_begun(named.ranges, today)
    if before.ranges and _TO.fullmatch(text, before.end, named.start) and _side(text, before)[0] in _FROM:
        return [*meant[:-1], (min(start, _last_begun(before.ranges, start)[0]), end)]
    if word in {"before", "prior"}:
        # "The week before May 7" may be said on that day.
        return [*meant, (start - reach, end) if reach else (_FIRST, start)]
    if word == "after":
        return [*meant, (start, end + reach) if reach else (end, _LAST)]
    if word in {"until", "till", "by"}:
        return [*meant, (_FIRST, end)]
    if word == "since" or word in _FROM:  # the end of "between" may follow
        return [*meant, (start, _LAST)]
    return [*meant, *named.ranges]


def _side(text: str, named: _Named) -> tuple[str, timedelta | None]:
    """Return the word before a time that says which side of it is meant, and how far ("two weeks before")."""
    words = text[max(0, named.start - _SIDE_CHARS) : named.start].split()
    while words and words[-1] in _BETWEEN_SIDE_AND_TIME:
        words.pop()
    if not words or words[-1] not in _SIDES:
        return "", None
    side = words.pop()
    unit = _UNITS.get(words[-1].removesuffix("s")) if words else None
    if unit is None:
        return side, None
    count = next((word for word in words[-2:-4:-1] if word != "of"), "")
    return side, timedelta(days=unit * (_number(count) if count.isdecimal() or count in _NUMBERS else 1))


def _last_begun(found: Sequence[Range], today: datetime) -> Range:
    """Of a time in each of several years take the last that has begun."""
    return next((each for each in reversed(found) if each[0] <= today), found[0])


def _days(start: datetime, count: int) -> Range:
    return start, start + timedelta(days=count)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word]


def _calendar(match: re.Match[str], today: datetime) -> Iterator[Range]:
    """A day or a month, by name or number; without a year that of each of the last years."""
    parts = match.groupdict()
    month, day, year = MONTHS.get(parts["month"]) or int(parts["month"]), parts.get("day"), parts.get("year")
    for each in [int(year)] if year else range(today.year - _YEARS_BACK, today.year + 1):
        with suppress(ValueError):  # February 29 is in some years alone
            start = today.replace(year=each, month=month, day=int(day or 1))
            yield _days(start, 1) if day else (start, start.replace(year=each + month // 12, month=month % 12 + 1))


def _ago(match: re.Match[str], today: datetime) -> Iterator[Range]:
    count, unit = _number(match[1]), _UNITS[match[2]]
    around = max(1, unit // 2) if unit > 1 else 0
    middle = today - timedelta(days=count * unit)
    yield middle - timedelta(days=around), middle + timedelta(days=around + 1)


def _last(match: re.Match[str], today: datetime) -> Iterator[Range]:
    which, unit = match[1], match[2]
    if unit in _DAYS:
        back = (today.weekday() - WEEKDAYS[unit]) % 7 or 7
        yield _days(today - timedelta(days=back), 1)
        return
    this = which in {"this", "这", "本", "今"}
    if unit in {"week", "周", "星期"}:
        monday = today - timedelta(days=today.weekday())
        yield _days(monday if this else monday - timedelta(days=7), 7)
    elif unit in {"month", "月", "个月"}:
        start = today.replace(day=1) if this else (today.replace(day=1) - timedelta(days=1)).replace(day=1)
        yield start, (start + timedelta(days=31)).replace(day=1)
    elif unit in {"year", "年"}:
        yield _whole_year(today.year if this else today.year - 1, today)
    elif unit == "weekend":
        saturday = today - timedelta(days=(today.weekday() - 5) % 7 or 7)
        yield _days(saturday, 2)


def _recent(match: re.Match[str], today: datetime) -> Iterator[Range]:
    """The last few days or weeks, today with them."""
    days = _number(match[1]) * _UNITS[match[2]]
    yield today - timedelta(days=days), today + timedelta(days=1)


def _weekday(match: re.Match[str], today: datetime) -> Iterator[Range]:
    back = (today.weekday() - WEEKDAYS[match["core"]]) % 7 or 7
    yield _days(today - timedelta(days=back), 1)


def _year(match: re.Match[str], today: datetime) -> Iterator[Range]:
    yield _whole_year(int(match["core"]), today)


def _whole_year(year: int, today: datetime) -> Range:
    start = today.replace(year=year, month=1, day=1)
    return start, start.replace(year=year + 1)


def _near(offsets: dict[str, int]) -> Callable[[re.Match[str], datetime], Iterator[Range]]:
    def read(match: re.Match[str], today: datetime) -> Iterator[Range]:
        yield _days(today - timedelta(days=offsets[match[0]]), 1)

    return read


_NEAR: Final = {
    "day before yesterday": 2, "yesterday": 1, "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0,
    "this evening": 0, "last night": 1, "昨天": 1, "昨日": 1, "今天": 0, "前天": 2, "어제": 1,
}  # fmt: skip
_SIDES: Final = frozenset(["before", "prior", "until", "till", "by", "after", "since", "from", "between"])
_FROM: Final = frozenset(["from", "between"])
_BETWEEN_SIDE_AND_TIME: Final = frozenset(["the", "on", "in", "early", "late", "mid", "to"])
_SIDE_CHARS: Final = 48  # characters before a time in which words may say on which side of it
_WIDE_SIDES: Final = {
    "之前": "before", "以前": "before", "之后": "after", "以后": "after", "之後": "after", "以後": "after",
    "以来": "since", "以來": "since",
}  # fmt: skip
_WIDE_SIDE: Final = pattern("|".join(_WIDE_SIDES))
_TO: Final = pattern(r" *(?:and|to|until|till|through|-|–|—)(?: (?:the|on|in|early|late|mid))* *")
_FIRST: Final = datetime(1, 1, 2, tzinfo=UTC)  # the calendar itself ends too near for another zone
_LAST: Final = datetime(9999, 12, 30, tzinfo=UTC)
_LEADS: Final = (
    "in|during|since|last|early|late|mid|by|before|after|until|till|from|(?:this|and|to|through|between)(?! may)"
)
Reader = Callable[[re.Match[str], datetime], Iterator[Range]]
_READERS: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = (
    (pattern(rf"{_BESIDE}\b(?P<year>{_YEAR})-(?P<month>\d\d?)(?:-(?P<day>\d\d?))?\b"), _calendar),
    (pattern(rf"{_BESIDE}\b(?P<month>{_MONTH})\.? {_DAY}\b(?:,? (?P<year>{_YEAR}))?"), _calendar),
    (pattern(rf"{_BESIDE}\b{_DAY} (?:of )?(?P<month>{_MONTH})\b(?:,? (?P<year>{_YEAR}))?"), _calendar),
    (
        pattern(rf"\b(?:{_LEADS}) (?P<core>(?P<month>{_MONTH})\b(?! \d\d?\b),?(?: (?:of )?(?P<year>{_YEAR}))?)"),
        _calendar,
    ),
    (pattern(rf"\b(?P<month>{_MONTH}),? (?P<year>{_YEAR})\b"), _calendar),
    (pattern(rf"\b({_COUNT}) (?:of )?(day|week|month|year)s? ago\b"), _ago),
    (pattern(r"(\d{1,3}|[一两二三四五六七八九十])(天|周|星期|个月|年)前"), _ago),
    (pattern(rf"\b(last|this|past|previous) (week|month|year|weekend|{'|'.join(_DAYS)})\b"), _last),
    (pattern(rf"\b(?:last|past) ({_COUNT})(?: of)? (day|week|month|year)s?\b"), _recent),
    (pattern(rf"\b(?:on|since|before|after|until|till|by|from) (?P<core>{'|'.join(_DAYS)})\b"), _weekday),
    (pattern(r"(上|这|本|今|去)个?(周|星期|月|年)"), _last),
    (pattern(rf"\b(?:in|during|since|for|before|after|until|till|by|from) (?P<core>{_YEAR})\b(?!-)"), _year),
    (pattern(rf"(?:(?P<year>{_YEAR})年)?(?P<month>\d\d?)月(?:(?P<day>\d\d?)[日号])?"), _calendar),
    (pattern("|".join(_NEAR)), _near(_NEAR)),
)
"""What names a time in a lower-case text, and what reads it.

Where an expression has a group `core`, that is the time; the words before it say which side of it is meant.
"""
