"""Replaces the day or time of day of a statement by a new one: `the dentist is the 16th instead`.

Pure functions over texts, in the languages whose dates `text.days` reads. Which thing is meant is for the caller to
find; here only values of the same sort replace each other.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from commonplace.jobs.rules.patterns import guard
from commonplace.text import days


class Value(NamedTuple):
    """A day, a weekday or a time of day in a text; a `part` is a day of which the month is not said."""

    sort: str
    start: int
    end: int
    said: str
    part: bool = False


def values(text: str) -> list[Value]:
    """Return the days, weekdays and times of day of a text, in order."""
    found = [
        Value("clock" if named.readings[0][0] == "clock" else "date", named.start, named.end, "")
        for named in days.named(text)
        if len(named.readings[0]) == 3
    ]
    found += [Value("day", *each.span(), "") for weekday in days.WEEKDAYS for each in weekday.finditer(text)]
    for name, sort, part in (("bare_hour", "clock", False), ("bare_day", "date", True)):
        for each in guard(name).finditer(text):
            if not any(each.start("v") < old.end and old.start < each.end("v") for old in found):
                found.append(Value(sort, *each.span("v"), "", part=part))
    ends = (each._replace(end=each.start + len(text[each.start : each.end].rstrip())) for each in found)
    return sorted((each._replace(said=text[each.start : each.end]) for each in ends), key=lambda each: each.start)


def without(text: str) -> str:
    """Return a text without its days and times of day."""
    left = list(text)
    for each in values(text):
        left[each.start : each.end] = " " * (each.end - each.start)
    return "".join(left)


def replaced(said: str, other: str) -> str | None:
    """Return a statement with the values of what was said now; None if no value of its sorts is in their place."""
    new, old = values(said), values(other)
    sorts = {each.sort for each in new}
    one = all(sum(each.sort == sort for each in side) <= 1 for sort in sorts for side in (new, old))
    if not one or not sorts & {each.sort for each in old}:
        return None
    text = other
    for value in reversed(old):
        after = next((each for each in new if each.sort == value.sort), None)
        if after is not None:
            text = text[: value.start] + _in_place_of(value.said, after) + text[value.end :]
    if text == other:
        return None
    return text


def is_whole(said: str) -> bool:
    """True if each day of a text has its month."""
    return not any(each.part for each in values(said))


def says_the_sorts(said: str, other: str) -> bool:
    """True if all sorts of values that a statement has are in what was said now."""
    return {each.sort for each in values(other)} <= {each.sort for each in values(said)}


def _in_place_of(old: str, new: Value) -> str:
    if not new.part:
        return new.said
    day = re.search(r"\d{1,2}", new.said)
    places = list(re.finditer(r"(?<!\d)\d{1,2}(?!\d)", old))
    if day is None or not places:
        return old
    iso = re.fullmatch(r"\d{4}-\d\d-\d\d", old) is not None
    wide = [place for place in places if old[place.end() :].lstrip()[:1] in {"日", "号", "號"} and old[place.end() :]]
    place = places[-1] if iso else (wide or places)[0]
    written = f"{int(day[0]):02d}" if iso else day[0]
    return old[: place.start()] + written + old[place.end() :]
