"""Finds what a statement says that could be otherwise: a day, a time of day, a number, a thing of a known kind.

Pure functions over texts, in the languages whose dates `text.days` reads; the kinds of things are rows of `rules.toml`.
Which statement is meant is for the caller to find; here only values of the same sort replace each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from commonplace.jobs.rules.patterns import guard, kinds
from commonplace.text import days
from commonplace.text.everyday import COMMON
from commonplace.text.patterns import pattern

_FRACTION: Final = pattern(r"[.,]\d{1,2}\Z")  # of a number


class Value(NamedTuple):
    """A value in one place of a text, and of which sorts it is; a `part` is a day of which the month is not said."""

    sorts: frozenset[str]
    start: int
    end: int
    said: str
    part: bool = False


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Value, ...]:
    """Return the days, weekdays, times of day, things and numbers of a text, in order."""
    spans = [
        ("clock" if named.readings[0][0] == "clock" else "date", named.start, named.end, False)
        for named in days.named(text)
        if len(named.readings[0]) == 3
    ]
    spans += [("day", *each.span(), False) for weekday in days.WEEKDAYS for each in weekday.finditer(text.lower())]
    for name, sort in (("bare_hour", "clock"), ("bare_day", "date"), ("a_number", "number")):
        for each in guard(name).finditer(text):
            if not any(each.start("v") < end and start < each.end("v") for _, start, end, _ in spans):
                spans.append((sort, *each.span("v"), sort == "date"))
    found = [Value(frozenset([sort]), start, end, "", part) for sort, start, end, part in spans]
    things = _things(text)
    found = [each for each in found if not any(each.start < thing.end and thing.start < each.end for thing in things)]
    found += things
    ends = (each._replace(end=_end(text, each)) for each in found)
    return tuple(
        sorted((each._replace(said=text[each.start : each.end]) for each in ends), key=lambda each: each.start)
    )


def _end(text: str, value: Value) -> int:
    unit = guard("clock_unit").match(text, value.end) if "clock" in value.sorts else None
    return unit.end() if unit else value.start + len(text[value.start : value.end].rstrip())


def _things(text: str) -> list[Value]:
    """Return the things of which one of a kind is used at a time, but for everyday words in small letters."""
    found: list[Value] = []
    for each in guard("a_thing").finditer(text):
        ends = {name: thing.end() for name, kind in kinds().items() if (thing := kind.named.match(text, each.start()))}
        end = max(ends.values(), default=0)
        if end and (not found or each.start() >= found[-1].end) and text[each.start() : end] not in COMMON:
            sorts = frozenset(name for name in ends if ends[name] == end)
            found.append(Value(sorts, each.start(), end, text[each.start() : end]))
    return found


def without(text: str) -> str:
    """Return a text without its values."""
    left = list(text)
    for each in values(text):
        left[each.start : each.end] = " " * (each.end - each.start)
    return "".join(left)


def marked(text: str) -> str:
    """Return a text with a sign in place of each value: `①` for a day, `②` for an hour, `③` a number, `④` a thing."""
    for each in reversed(values(text)):
        sign = {"date": "①", "day": "①", "clock": "②", "number": "③"}.get(min(each.sorts), "④")
        text = text[: each.start] + sign + text[each.end :]
    return " ".join(text.split())


def replaced(said: str, other: str) -> str | None:
    """Return a statement with the values of what was said now; None if it is not clear which takes the place of which.

    Of several values of a sort the one is over that both texts have, or that is behind the same word in both.
    """
    new, old = values(said), values(other)
    known = {each.said.casefold() for each in old}
    swaps: dict[Value, Value] = {}
    for value in new:
        alike = [each for each in old if each.sorts & value.sorts]
        if value.said.casefold() in known or not alike:
            continue
        at = alike if len(alike) == 1 else _the_one(said, value, other, alike, new)
        if len(at) != 1 or at[0] in swaps or not _of_one_size(at[0], value):
            return None
        swaps[at[0]] = value
    text = other
    for value in reversed(old):
        if value in swaps:
            text = text[: value.start] + _in_place_of(value.said, swaps[value]) + text[value.end :]
        elif "day" in value.sorts and any("date" in each.sorts for each in swaps):
            text = text[: value.start] + text[value.end :].lstrip(" ,")  # of another date the weekday is another
    return text if swaps else None


def _the_one(said: str, value: Value, other: str, alike: Sequence[Value], new: Sequence[Value]) -> list[Value]:
    over = {each.said.casefold() for each in new}
    found = [each for each in alike if each.said.casefold() in over]
    before = guard("word_before").search(said[: value.start])
    if found or before is None:
        return found
    words = ((each, guard("word_before").search(other[: each.start])) for each in alike)
    return [each for each, word in words if word is not None and word[0].casefold() == before[0].casefold()]


def _of_one_size(old: Value, new: Value) -> bool:
    """True unless two numbers have far more digits than each other (a port, and how many dogs there are)."""
    whole, other = (len(_FRACTION.sub("", each.said)) for each in (old, new))
    return "number" not in old.sorts or abs(whole - other) <= 1


def is_whole(said: str) -> bool:
    """True if each day of a text has its month."""
    return not any(each.part for each in values(said))


@lru_cache(maxsize=4096)
def sorts(text: str) -> frozenset[str]:
    """Return of which sorts the values of a text are."""
    return frozenset().union(*(each.sorts for each in values(text)))


def things(text: str) -> frozenset[str]:
    """Return of which kinds the things are that a text names."""
    return sorts(text) & kinds().keys()


def _in_place_of(old: str, new: Value) -> str:
    if not new.part:
        return new.said if old.endswith("s") else re.sub(r"(?<=day)s\Z", "", new.said)
    day = re.search(r"\d{1,2}", new.said)
    places = list(re.finditer(r"(?<!\d)\d{1,2}(?!\d)", old))
    if day is None or not places:
        return old
    iso = re.fullmatch(r"\d{4}-\d\d-\d\d", old) is not None
    wide = [place for place in places if old[place.end() :].lstrip()[:1] in {"日", "号", "號"} and old[place.end() :]]
    place = places[-1] if iso else (wide or places)[0]
    written = f"{int(day[0]):02d}" if iso else day[0]
    return old[: place.start()] + written + old[place.end() :]
