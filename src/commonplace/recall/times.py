"""Read the time a question speaks of, as ranges of instants. Pure.

`now` decides what "last week" is. A month without a year is that month of each of the last years,
the ranges only ever raise what was said in them: a question that names a time may still be answered
by what was said at another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from commonplace.patterns import pattern

Range = tuple[datetime, datetime]

_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTH: Final = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
_YEAR: Final = r"(?:19|20)\d\d"
_DAY: Final = r"(?P<day>\d\d?)(?:st|nd|rd|th)?"
_COUNT: Final = r"\d{1,3}|a|an|couple|few|one|two|three|four|five|six|seven|eight|nine|ten"
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS: Final = {
    "a": 1, "an": 1, "couple": 2, "few": 3, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8,
    "九": 9, "十": 10,
}  # fmt: skip
_UNITS: Final = {"day": 1, "week": 7, "month": 30, "year": 365, "天": 1, "周": 7, "星期": 7, "个月": 30, "年": 365}
_YEARS_BACK: Final = 5  # a month without a year is looked for in this many years


def ranges(text: str, now: datetime) -> tuple[Range, ...]:
    """List the ranges of time a question names; empty when it names none."""
    lowered = text.lower()
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    found: list[Range] = []
    for marks, expression, reader in _READERS:
        if not any(mark in lowered for mark in marks):
            continue
        for match in expression.finditer(lowered):
            try:
                found.extend(reader(match, today))
            except (ValueError, OverflowError):  # the 31st of February, the year 0
                continue
    return tuple(dict.fromkeys(found))


def _days(start: datetime, count: int) -> Range:
    return start, start + timedelta(days=count)


def _month(year: int, month: int) -> Range:
    start = datetime(year, month, 1, tzinfo=UTC)
    return start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word]


def _month_number(name: str) -> int:
    return next(at for at, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _iso(match: re.Match[str], _: datetime) -> Iterator[Range]:
    year, month, day = match.groups()
    if day:
        yield _days(datetime(int(year), int(month), int(day), tzinfo=UTC), 1)
    else:
        yield _month(int(year), int(month))


def _month_day(match: re.Match[str], today: datetime) -> Iterator[Range]:
    parts = match.groupdict()
    month, day, year = _month_number(parts["month"]), int(parts["day"]), parts.get("year")
    for each in [int(year)] if year else range(today.year - _YEARS_BACK, today.year + 1):
        yield _days(datetime(each, month, day, tzinfo=UTC), 1)


def _month_only(match: re.Match[str], today: datetime) -> Iterator[Range]:
    month, year = _month_number(match[1]), match[2]
    for each in [int(year)] if year else range(today.year - _YEARS_BACK, today.year + 1):
        yield _month(each, month)


def _ago(match: re.Match[str], today: datetime) -> Iterator[Range]:
    count, unit = _number(match[1]), _UNITS[match[2]]
    around = max(1, unit // 2) if unit > 1 else 0
    middle = today - timedelta(days=count * unit)
    yield middle - timedelta(days=around), middle + timedelta(days=around + 1)


def _last(match: re.Match[str], today: datetime) -> Iterator[Range]:
    which, unit = match[1], match[2]
    if unit in _DAYS:
        back = (today.weekday() - _DAYS.index(unit)) % 7 or 7
        yield _days(today - timedelta(days=back), 1)
        return
    this = which in {"this", "这", "本", "今"}
    if unit in {"week", "周", "星期"}:
        monday = today - timedelta(days=today.weekday())
        yield _days(monday if this else monday - timedelta(days=7), 7)
    elif unit in {"month", "月", "个月"}:
        before = today.replace(day=1) - timedelta(days=0 if this else 1)
        yield _month(before.year, before.month)
    elif unit in {"year", "年"}:
        year = today.year if this else today.year - 1
        yield datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    elif unit == "weekend":
        saturday = today - timedelta(days=(today.weekday() - 5) % 7 or 7)
        yield _days(saturday, 2)


def _year(match: re.Match[str], _: datetime) -> Iterator[Range]:
    year = int(match[1])
    yield datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)


def _chinese_date(match: re.Match[str], today: datetime) -> Iterator[Range]:
    year, month, day = match.groups()
    for each in [int(year)] if year else range(today.year - _YEARS_BACK, today.year + 1):
        yield _days(datetime(each, int(month), int(day), tzinfo=UTC), 1) if day else _month(each, int(month))


def _near(offsets: dict[str, int]) -> Callable[[re.Match[str], datetime], Iterator[Range]]:
    def read(match: re.Match[str], today: datetime) -> Iterator[Range]:
        yield _days(today - timedelta(days=offsets[match[0]]), 1)

    return read


_NEAR: Final = {"yesterday": 1, "today": 0, "last night": 1, "昨天": 1, "昨日": 1, "今天": 0, "前天": 2, "어제": 1}
_MONTHS_BEGIN: Final = tuple(month[:3] for month in _MONTHS)
Reader = Callable[[re.Match[str], datetime], Iterator[Range]]
_READERS: Final[tuple[tuple[Iterable[str], re.Pattern[str], Reader], ...]] = (
    (("-",), pattern(rf"\b({_YEAR})-(\d\d?)(?:-(\d\d?))?\b"), _iso),
    (_MONTHS_BEGIN, pattern(rf"\b(?P<month>{_MONTH})\.? {_DAY}\b(?:,? (?P<year>{_YEAR}))?"), _month_day),
    (_MONTHS_BEGIN, pattern(rf"\b{_DAY} (?:of )?(?P<month>{_MONTH})\b(?:,? (?P<year>{_YEAR}))?"), _month_day),
    (
        _MONTHS_BEGIN,
        pattern(
            rf"\b(?:in|during|since|this(?! may)|last|early|late|mid|by) ({_MONTH})\b(?! \d\d?\b)"
            rf",?(?: (?:of )?({_YEAR}))?"
        ),
        _month_only,
    ),
    (_MONTHS_BEGIN, pattern(rf"\b({_MONTH}),? ({_YEAR})\b"), _month_only),
    ((" ago",), pattern(rf"\b({_COUNT}) (?:of )?(day|week|month|year)s? ago\b"), _ago),
    (("前",), pattern(r"(\d{1,3}|[一两二三四五六七八九十])(天|周|星期|个月|年)前"), _ago),
    (
        ("last ", "this ", "past ", "previous "),
        pattern(rf"\b(last|this|past|previous) (week|month|year|weekend|{'|'.join(_DAYS)})\b"),
        _last,
    ),
    (("上", "这", "本", "今", "去"), pattern(r"(上|这|本|今|去)个?(周|星期|月|年)"), _last),
    ((" 19", " 20"), pattern(rf"\b(?:in|during|since|for) ({_YEAR})\b"), _year),
    (("月",), pattern(rf"(?:({_YEAR})年)?(\d\d?)月(?:(\d\d?)[日号])?"), _chinese_date),
    (_NEAR, pattern("|".join(_NEAR)), _near(_NEAR)),
)
"""What a lower-case text holds where the expression could match, the expression, and what reads its matches."""
