"""Turns the relative dates of a statement into calendar dates, from the instant it was said.

Owns English date wording only; it reads no clock and guesses no zone. What it cannot date stays as
it was written. Weeks begin on Monday.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

import msgspec

from commonplace.text.patterns import pattern

_DAY_NAMES: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH_NAMES: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_COUNTED: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
WEEKDAYS: Final = {form: number for number, name in enumerate(_DAY_NAMES) for form in (name, name[:3])} | {
    "tues": 1, "thur": 3, "thurs": 3,
}  # fmt: skip
MONTHS: Final = {form: number for number, name in enumerate(_MONTH_NAMES, 1) for form in (name, name[:3])} | {"sept": 9}
NUMBERS: Final = {word: number for number, word in enumerate(_COUNTED, 1)} | {
    "a": 1, "an": 1, "couple": 2, "couple of": 2, "a couple": 2, "a couple of": 2,
}  # fmt: skip
SEASONS: Final = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}


class When(msgspec.Struct, frozen=True):
    """A date found in a text: its place, how it reads as a calendar date, its first and last day.

    `day` is true of a day that is said with its month.
    """

    start: int
    end: int
    wording: str
    first: date
    last: date
    day: bool = False


class _Span(msgspec.Struct, frozen=True):
    label: str
    first: date
    last: date
    preposition: str = "on"


def _on(day: date) -> _Span:
    return _Span(day.isoformat(), day, day)


def _week(monday: date) -> _Span:
    return _Span(f"the week of {monday.isoformat()}", monday, monday + timedelta(days=6), "in")


def _month(year: int, month: int) -> _Span:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    first = date(year, month, 1)
    return _Span(f"{year:04d}-{month:02d}", first, _month_end(first), "in")


def _month_end(day: date) -> date:
    following = date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return following - timedelta(days=1)


def _year(year: int) -> _Span:
    return _Span(f"{year:04d}", date(year, 1, 1), date(year, 12, 31), "in")


def _quarter(year: int, index: int) -> _Span:
    year, index = year + index // 4, index % 4
    return _Span(
        f"Q{index + 1} {year:04d}", date(year, index * 3 + 1, 1), _month_end(date(year, index * 3 + 3, 1)), "in"
    )


def _add_months(day: date, months: int) -> date:
    total = day.year * 12 + day.month - 1 + months
    year, month = divmod(total, 12)
    return date(year, month + 1, min(day.day, _month_end(date(year, month + 1, 1)).day))


def _weekday(match: re.Match[str], today: date, past: bool) -> _Span | None:
    """Date a weekday; `next` is the one of next week, `last` the nearest gone by.

    `next Thursday` said on a Thursday is seven days on. Source: seed model, scenario 12.
    """
    which = (match["which"] or "").lower()
    if len(match["day"]) < 6 and not which and not match["lead"]:
        return None  # a bare `Sat` or `Sun` opens too many sentences
    number = WEEKDAYS[match["day"].lower()]
    monday = today - timedelta(days=today.weekday())
    if which == "next":
        return _on(monday + timedelta(days=7 + number))
    if which in {"last", "this past", "past"} or (past and not which):
        return _on(today - timedelta(days=(today.weekday() - number - 1) % 7 + 1))
    return _on(today + timedelta(days=(number - today.weekday() - 1) % 7 + 1))


def _unit(match: re.Match[str], today: date, past: bool) -> _Span | None:
    which = _STEPS[match["step"].lower()]
    unit = match["unit"].lower()
    monday = today - timedelta(days=today.weekday())
    if unit == "week":
        return _week(monday + timedelta(weeks=which))
    if unit == "weekend":
        saturday = monday + timedelta(days=5, weeks=which)
        if which == 0 and past and saturday > today:
            saturday -= timedelta(weeks=1)
        return _Span(f"the weekend of {saturday.isoformat()}", saturday, saturday + timedelta(days=1), "on")
    if unit == "month":
        return _month(today.year, today.month + which)
    if unit == "quarter":
        return _quarter(today.year, (today.month - 1) // 3 + which)
    if unit == "year":
        return _year(today.year + which)
    return _season(unit, which, today)


def _season(unit: str, which: int, today: date) -> _Span:
    """Return the season and its year; `last summer` said in summer is the one a year ago."""
    first = date(today.year, SEASONS[unit], 1)
    if which < 0 and first > _add_months(today, -3):
        first = _add_months(first, -12)
    elif which > 0 and first <= today:
        first = _add_months(first, 12)
    return _Span(f"{unit} {first.year}", first, _month_end(_add_months(first, 2)), "in")


def _number(text: str) -> int:
    return int(text) if text.isdigit() else NUMBERS[text.lower()]


def _ago(match: re.Match[str], today: date, _past: bool) -> _Span | None:
    """Date `three years ago`, as finely as the words are."""
    amount = _number(match["count"])
    unit = match["unit"].lower()
    if unit == "day":
        return _on(today - timedelta(days=amount))
    if unit == "week":
        return _week(today - timedelta(days=today.weekday(), weeks=amount))
    if unit == "month":
        return _month(today.year, today.month - amount)
    return _year(today.year - amount)


def _ahead(match: re.Match[str], today: date, past: bool) -> _Span | None:
    """Return the date of `in two weeks`; None in the past tense, in which it is a duration."""
    if past:
        return None
    amount = _number(match["count"])
    unit = match["unit"].lower()
    if unit in {"day", "week"}:
        return _on(today + timedelta(days=amount * (7 if unit == "week" else 1)))
    if unit == "month":
        return _on(_add_months(today, amount))
    return _year(today.year + amount)


def _vague(match: re.Match[str], today: date, _past: bool) -> _Span | None:
    words = match.group().strip()[: -len(" ago")]
    return _Span(f"{words} before {today.isoformat()}", today, today, "")


def _named(match: re.Match[str], today: date, _past: bool) -> _Span:
    words = match["named"].lower()
    offset = 1 if "tomorrow" in words else -1 if "yesterday" in words or "last" in words else 0
    return _on(today + timedelta(days=offset * 2 if words.startswith("the day") else offset))


def _end_of(match: re.Match[str], today: date, _past: bool) -> _Span:
    unit = (match["unit"] or match["dashed"] or match["short"]).lower()
    step = 1 if (match["step"] or "").lower() == "next" else 0
    if unit in {"day", "eod"}:
        return _on(today)
    if unit in {"week", "eow"}:
        return _on(today - timedelta(days=today.weekday()) + timedelta(days=4, weeks=step))
    if unit in {"month", "eom"}:
        return _on(_month_end(_add_months(today.replace(day=1), step)))
    if unit == "quarter":
        return _on(_quarter(today.year, (today.month - 1) // 3 + step).last)
    return _on(date(today.year + step, 12, 31))


def _calendar(match: re.Match[str], today: date, past: bool) -> _Span | None:
    """Date `March 3rd`: without a year the nearest one on the side that the tense gives."""
    day = _nearest(match, match["number"], today, past)
    return None if day is None else _on(day)


def _nearest(match: re.Match[str], number: str, today: date, past: bool) -> date | None:
    month = MONTHS[match["month"].lower()]
    years = [int(match["year"])] if match["year"] else [today.year - 1, today.year, today.year + 1]
    days = [day for day in (day_of(year, month, int(number)) for year in years) if day is not None]
    if not days:
        return None
    side = [day for day in days if (day <= today if past else day >= today)]
    near = min(days, key=lambda day: abs((day - today).days))
    if past:  # a day or two ahead is a slip of the clock, not a year ago
        return max(side, default=near) if (near - today).days > 3 else near
    ahead = min(side, default=near)  # a date just gone by is meant more often than one far ahead
    gone_by = (ahead - today).days > 2 * abs((near - today).days) and not _is_on(match["day"], ahead)
    return near if gone_by else ahead


def _is_on(name: str | None, day: date) -> bool:
    """True if a day is of a weekday that is said."""
    return name is not None and WEEKDAYS[name.lower()] == day.weekday()


def _from_to(match: re.Match[str], today: date, past: bool) -> _Span | None:
    """Return the days of `3 to 7 April`; None unless they come one after the other, each on its weekday if one is."""
    first, last = (_nearest(match, match[name], today, past) for name in ("number", "last"))
    if first is None or last is None or first >= last:
        return None
    if (match["day"] and not _is_on(match["day"], first)) or (match["end"] and not _is_on(match["end"], last)):
        return None
    word = match["to"].strip(" -–—") or "to"
    if word in _AND and not (match["lead"] or match["day"]):  # `I live at number 3 and 7 April is …`
        return None
    return _Span(f"{first.isoformat()} {word} {last.isoformat()}", first, last, "on" if word in _AND else "from")


def _iso(match: re.Match[str], _today: date, _past: bool) -> _Span:
    return _on(date.fromisoformat(match["iso"]))


def _day_of_month(match: re.Match[str], today: date, past: bool) -> _Span | None:
    """Return the date of `the 12th`, or `Friday the 12th`: the nearest such day on the side that the tense gives."""
    months = (_add_months(today.replace(day=1), -step if past else step) for step in range(3))
    days = (day_of(month.year, month.month, int(match["number"])) for month in months)
    fit = (day for day in days if day is not None and (day <= today if past else day >= today))
    name = match.groupdict().get("day")
    return next((_on(day) for day in fit if name is None or _is_on(name, day)), None)


def day_of(year: int, month: int, number: int) -> date | None:
    """Return a day of the calendar; None if it has no such day."""
    try:
        return date(year, month, number)
    except ValueError:
        return None


def _month_name(match: re.Match[str], today: date, past: bool) -> _Span:
    month = MONTHS[match["month"].lower()]
    step = (match["step"] or "").lower()
    year = today.year
    if step == "last" or (past and step != "next"):
        year -= month > today.month or (month == today.month and step == "last")
    elif month < today.month or (month == today.month and step == "next"):
        year += 1
    return _month(year, month)


_DAY = r"(?P<day>(?i:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b"
_MONTH = (
    r"(?P<month>January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b"
)
_MONTH_BESIDE = _MONTH.replace(  # beside a day, in whatever case; `may` and `march` say something else too
    "(?P<month>", "(?P<month>(?i:january|february|april|june|july|august|september|october|november|december)|"
)
_COUNT = r"(?P<count>\d{1,3}|(?i:a couple(?: of)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))"
_LEAD_KEPT = r"(?:\b(?P<lead>(?i:by|until|till|before|since|from|after|starting|beginning|for|due|between|of)) )?"
_LEAD = _LEAD_KEPT.replace("|of", "|of|on|in|at|during")
_LEAD_DAY = _LEAD_KEPT.replace("|of", "|on")
_PART = r"(?i:,? (?:morning|afternoon|evening|night|end of (?:the )?day)\b| EOD\b)?"
_YEAR = (  # of `16-18` the month is not said twice
    r"(?! ?[-–] ?\d(?!\d?(?:st|nd|rd|th)? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)))"
    r"(?:,? (?P<year>(?:19|20)\d\d)\b)?(?!\d|:\d)"
)
_DAY_ALONE = (
    r"(?P<number>\d{1,2})(?:st|nd|rd|th)"
    r"(?=\Z|[.,;:!?)]| (?:at|so|but|because|with|in the (?:morning|afternoon|evening))\b)"
)
_DAY_BESIDE = (  # a small number without an ending may be an hour
    r"(?P<number>\d{1,2}(?=st|nd|rd|th)|(?:1[3-9]|2\d|3[01])(?=\Z|[.,;!?)](?!\d)| at\b))(?:st|nd|rd|th)?"
    r"\b(?! (?:century|floor|anniversary|birthday)\b)"
)
_UNIT = r"(?P<unit>(?i:day|week|month|year))s?\b"
_WHICH = r"(?:\b(?P<which>(?i:next|last|this coming|this past|this|past|coming)) )?"
_TH = "(?:st|nd|rd|th)?"
_NUMBER = rf"(?P<number>\d{{1,2}}){_TH}"
_TO = "(?P<to> (?:to|until|till|through|and|or) | ?[-–—] ?)"
_BESIDE = rf"(?P<beside>{_WHICH}\b{_DAY}\.?{_PART}(?:,? (?:the )?| \((?:the )?))"  # the weekday before a date
_END_DAY = rf"(?:the )?(?:{_DAY.replace('P<day>', 'P<end>')}\.?,? (?:the )?)?(?P<last>\d{{1,2}})(?!\d){_TH}"
_STEPS: Final = {"last": -1, "this past": -1, "past": -1, "previous": -1, "this": 0, "this coming": 0, "next": 1}

Reading = Callable[["re.Match[str]", date, bool], _Span | None]
_READINGS: Final[tuple[tuple[re.Pattern[str], Reading], ...]] = tuple(
    (pattern(source), reading)
    for source, reading in (
        (r"(?P<lead>)\b" + _COUNT + " " + _UNIT + r" (?i:from (?:now|today))\b", _ahead),
        (
            _LEAD_KEPT
            + r"\b(?P<named>(?i:the day after tomorrow|the day before yesterday|tomorrow|yesterday|tonight|today|"
            r"last night|this (?:morning|afternoon|evening)))\b" + _PART,
            _named,
        ),
        (
            rf"{_LEAD}{_BESIDE}?\b(?:the )?(?<![.:/-]){_NUMBER}{_TO}{_END_DAY}(?: of)? {_MONTH_BESIDE}{_YEAR}",
            _from_to,
        ),
        (
            rf"{_LEAD}{_BESIDE}?\b{_MONTH_BESIDE}\.? {_NUMBER}(?P<to> (?:to|through) ){_END_DAY}{_YEAR}(?! ?[ap]m)",
            _from_to,
        ),
        (
            rf"{_LEAD}{_BESIDE}?\b(?:the (?=\d+[a-z]))?{_NUMBER}(?: of)? {_MONTH_BESIDE}{_YEAR}",
            _calendar,
        ),
        (rf"{_LEAD}{_BESIDE}?(?<![\w-])(?P<iso>(?:19|20)\d\d-\d\d-\d\d)(?![\w-])", _iso),
        (rf"{_LEAD}{_BESIDE}?\b{_MONTH_BESIDE}\.? {_NUMBER}\b{_YEAR}", _calendar),
        (_LEAD + _BESIDE + _DAY_BESIDE, _day_of_month),
        (_LEAD_DAY + _WHICH + r"\b" + _DAY + _PART, _weekday),
        (
            _LEAD
            + r"\b(?:(?i:the )?(?i:end of (?:the |this )?(?:(?P<step>next) )?(?P<unit>day|week|month|quarter|year))|"
            r"(?i:(?P<dashed>month|quarter|year)[- ]end)|(?P<short>EOD|EOW|EOM))\b",
            _end_of,
        ),
        (
            _LEAD_KEPT + r"\b(?P<step>(?i:last|this past|past|previous|this coming|this|next)) "
            r"(?P<unit>(?i:weekend|week|month|quarter|year|spring|summer|fall|autumn|winter))\b",
            _unit,
        ),
        (r"\b(?P<lead>(?i:about |around |almost |nearly |over |like )?)" + _COUNT + " " + _UNIT + r" (?i:ago)\b", _ago),
        (r"(?P<lead>)\b(?i:an?|a few|some|several|many|a couple(?: of)?) \w{3,8}s? (?i:ago)\b", _vague),
        (r"\b(?P<lead>)(?i:in) " + _COUNT + " " + _UNIT, _ahead),
        (
            r"\b(?P<lead>(?i:by|until|since|before|after|during|in|of)) (?i:(?P<step>next|last|this) )?"
            + _MONTH
            + r"(?!\.? ?\d)(?!,? (?:of )?(?:19|20)\d\d)",
            _month_name,
        ),
        (
            r"\b(?P<lead>(?i:by|until|till|before|since|from|after|starting|on|for)) the " + _DAY_ALONE,
            _day_of_month,
        ),
    )
)
_KEPT: Final = frozenset([
    "by", "until", "till", "before", "since", "from", "after", "starting", "beginning", "for", "due", "between", "of",
])  # fmt: skip
_AND: Final = frozenset({"and", "or"})
_AHEAD: Final = frozenset({"by", "until", "till", "before", "starting", "beginning", "due"})
_ROUGHLY: Final = frozenset({"about", "around", "almost", "nearly", "over", "like"})
_BARE_AFTER: Final = pattern(
    r"(?:\b(?:the|an?|my|our|their|his|her|is|was|are|be|to|than|between|and|or|moved|[Ee]very)|[(\"/–-]) ?\Z"
)
_HABIT_BEFORE: Final = pattern(
    r"\b(?:every|each|(?:every|each) (?:first|second|third|last|other)|most|black|good|cyber|any|per"
    r"|through|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6} to) \Z",
    re.IGNORECASE,
)
_MOVED_TO: Final = pattern(
    r"\b(?:mov(?:e[sd]?|ing)|push(?:e[sd]|ing)?|postpon(?:e[sd]?|ing)|reschedul(?:e[sd]?|ing)|shift(?:s|ed|ing)?"
    r"|chang(?:e[sd]?|ing)|delay(?:s|ed|ing)?|slip(?:s|ped|ping)?|brought forward|put (?:off|back))\b"
    r"[^.;\n]{0,60}\bto \Z",
    re.IGNORECASE,
)
"""What is before the date that something has now: it lies ahead, whatever the tense."""
_FROM_TO: Final = pattern(r"\bfrom [a-z]{3,6}days? to [a-z]{3,6}days?\b", re.IGNORECASE)
_HABIT_AFTER: Final = pattern(r"s\b| (?:mornings|afternoons|evenings|nights)\b| through\b")
_OF_A_THING: Final = pattern(
    r"\b(?:my|our|your|their|his|her|the|an?|regular|usual|(?:bi-?)?weekly|fortnightly|monthly) \Z", re.IGNORECASE
)
"""What is before a weekday that only names a thing: `our Friday lunch`, `the weekly Monday call`."""
_BETWEEN: Final = pattern(r" \(|,? an? |,? ")  # a date and its weekday
_A_THING: Final = pattern(r" (?!(?:at|in|on|from|to|by|after|before|and|or|is|was|for|with|of)\b)[a-z]")


def find(text: str, at: datetime, zone: tzinfo, *, past: bool = False, once: bool = True) -> list[When]:
    """Find the dates that a statement names, in order, none overlapping.

    Args:
        text: One statement in English.
        at: The instant it was said, aware.
        zone: Where its days begin.
        past: Whether it says what has happened: then a bare `Friday` is the last one.
        once: Whether it is of one occasion; else a bare `Friday` may be each, and stays.
    """
    today = at.astimezone(zone).date()
    found: list[When] = []
    taken: list[tuple[int, int]] = []
    for known, reading in _READINGS:
        for match in known.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            moved = _MOVED_TO.search(text, 0, match.start()) is not None
            lead = (match["lead"] or "").lower()
            sure = once or moved or lead in _AHEAD
            said = match.groupdict()
            if reading is _weekday and ((not sure and not said["which"]) or any(_is_behind(match, on) for on in found)):
                continue
            if reading in {_weekday, _day_of_month} and said.get("day") and _is_no_date(text, match, moved=moved):
                continue
            try:
                span = reading(match, today, lead == "since" or (past and not moved and lead not in _AHEAD))
            except (ValueError, OverflowError):  # a date outside the calendar
                continue
            beside = [when.first for when in found if when.day] if reading is _day_of_month else []
            if span is not None and beside:  # `the 21st` beside `20 December`
                day = day_of(beside[0].year, beside[0].month, int(match["number"]))
                span = _on(day) if day is not None and day > beside[0] else None
            if span is not None or said.get("beside"):
                taken.append(match.span())
            if span is not None:
                start, wording = match.start(), _wording(match, span)
                if said.get("beside") and not _is_one(match, span):
                    start, wording = match.end("beside"), span.label
                found.append(When(start, match.end(), wording, span.first, span.last, reading is _calendar))
    return sorted(found, key=lambda when: when.start)


def _is_no_date(text: str, match: re.Match[str], *, moved: bool) -> bool:
    """True if a weekday says when something recurs, or which of several things is meant."""
    start, end = match.span()
    if any(each.start() <= match.start("day") < each.end() for each in _FROM_TO.finditer(text)):
        return True
    if moved or match["which"]:
        return False
    if _HABIT_BEFORE.search(text, max(0, start - 14), start) or _HABIT_AFTER.match(text, end):
        return True
    return not match["lead"] and bool(_OF_A_THING.search(text, max(0, start - 16), start) and _A_THING.match(text, end))


def _is_one(match: re.Match[str], span: _Span) -> bool:
    """True if a weekday and the date behind it are one; else its word stays (`Good Friday`, `Friday (20 March)`)."""
    start = match.start("beside")
    each = _HABIT_BEFORE.search(match.string, max(0, start - 14), start)
    return each is None and "(" not in match["beside"] and _is_on(match["day"], span.first)


def _is_behind(match: re.Match[str], when: When) -> bool:
    """True if a weekday is that of the date before it (`20 March (Friday)`, `20 March, a Friday`)."""
    between = _BETWEEN.fullmatch(match.string, when.end, match.start())
    return between is not None and ("(" in between[0] or _is_on(match["day"], when.first))


def _wording(match: re.Match[str], span: _Span) -> str:
    lead = (match["lead"] or "").lower().strip()
    if lead in _ROUGHLY:
        return f"around {span.label}"
    text = match.string
    if lead in _KEPT:
        return f"{match['lead']} {span.label}"
    before = text[max(0, match.start() - 12) : match.start()]
    if text.startswith(("'s", "’s"), match.end()) or (not lead and _BARE_AFTER.search(before)) or not span.preposition:
        return span.label
    preposition = (
        span.preposition.capitalize() if text[match.start()].isupper() and not match.start() else span.preposition
    )
    return f"{preposition} {span.label}"


_RELATIVE: Final = pattern(r"\b(?:next|last|tomorrow|yesterday|ago)\b", re.IGNORECASE)


def absolute(
    text: str, at: datetime, zone: tzinfo, *, past: bool = False, once: bool = True
) -> tuple[str, tuple[When, ...]]:
    """Replace relative dates by calendar dates; return the text and the dates found."""
    found = find(text, at, zone, past=past, once=once)
    return _put(text, found), tuple(found)


def dated(text: str, at: datetime, zone: tzinfo, known: Container[str]) -> str:
    """Replace `tomorrow`, `last week` and the like, which mean one day only, in lines that are not known."""

    def line(said: str) -> str:
        found = (when for when in find(said, at, zone) if when.first == when.last and not _recurs(said, when))
        return _put(said, [when for when in found if _RELATIVE.search(said, when.start, when.end)])

    return "\n".join(each if each in known else line(each) for each in text.split("\n"))


def _recurs(said: str, when: When) -> bool:
    return said.endswith("the ", 0, when.start)  # the last Monday of the month


def _put(text: str, found: Iterable[When]) -> str:
    pieces: list[str] = []
    done = 0
    for when in found:
        pieces.extend((text[done : when.start], when.wording))
        done = when.end
    return "".join((*pieces, text[done:]))
