"""The numbers, days and times of day that were said: does a statement have another one? Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from commonplace.guard.spoken import HALF, NOON, Said
from commonplace.guard.sums import listed
from commonplace.text import content, days
from commonplace.text.numerals import Numeral
from commonplace.text.patterns import pattern
from commonplace.text.units import measured

_FULL_HOUR: Final = 60  # minutes
_SHORT_DATE: Final = pattern(r"(?<![\d.,:-])(\d\d)[.-](\d\d)(?![\d.:-])")  # `28.01`, `01-28`
_ORDINAL: Final = pattern(r"(?:st|nd|rd|th|er|º|ª|[日号])(?!\w)")  # behind the number of a day: `the 12th`


class Figures:
    """The numbers, days and times of day of a talk.

    Args:
        said: Its messages.
        known: What memory says.
    """

    def __init__(self, said: Sequence[Said], known: Sequence[Said]) -> None:
        self._said = said
        self._all = [*said, *known]

    def new(self, text: str) -> str:
        """Return the fault if a statement has a number, a day or a time that nobody said or means."""
        spans: list[tuple[int, int]] = [
            (each.start, each.end) for each in content.quoted(text) if each.kind == "address"
        ]
        for named in days.named(text):
            spans.append((named.start, named.end))
            if not any(self._has_reading(reading) for reading in named.readings) and not self._writes(
                text[named.start : named.end].strip(" .")
            ):
                return f"new-date: no message says or means {text[named.start : named.end].strip()!r}"
        spans += [
            match.span()
            for match in _SHORT_DATE.finditer(text)
            if any(
                (day.day, day.month) in (pair := (int(match[1]), int(match[2])), pair[::-1]) for day in self._meant.days
            )
        ]
        hours = any(reading[0] == "clock" for named in days.named(text) for reading in named.readings)
        sizes = listed(text)
        for number, unit in measured(text):
            if not number.sure or any(start < number.end and number.start < end for start, end in spans):
                continue
            if _ORDINAL.match(text, number.end) and {value.lstrip("0") for value in number.values} & self._day_numbers:
                continue
            hour = next(iter(number.values)) if hours else ""
            if number.values & self._numbers or (not unit and number.values & sizes):
                continue
            if not (hour.isdigit() and self._has_time(int(hour), 0)):
                return f"new-number: no message says {text[number.start : number.end]!r}"
        for weekday, expression in enumerate(days.WEEKDAYS):
            if weekday not in self._weekdays and (match := expression.search(text.casefold())):
                return f"new-date: no message says or means {match.group()!r}"
        return ""

    def other_unit(self, text: str) -> str:
        """Return the fault if each time that a number was said, it was said with another unit."""
        for number, unit in measured(text):
            units = {each for said in self._all for value in number.values for each in said.units.get(value, ())}
            if unit and units and not units & {unit, ""}:
                return f"other-number: it was said of {', '.join(sorted(units))}, not of {unit}"
        return ""

    def has(self, number: Numeral) -> bool:
        """True if a number was said."""
        return number.sure and not number.values.isdisjoint(self._numbers)

    @cached_property
    def _numbers(self) -> set[str]:
        speakers = {said.speaker for said in self._said if said.speaker}
        found = {value for said in self._all for value in said.numbers}
        return found | ({str(len(speakers))} if len(speakers) > 1 else set())

    @cached_property
    def _days(self) -> set[str]:
        return {value for said in self._all for value in said.day_numbers}

    @cached_property
    def _day_numbers(self) -> set[str]:
        return self._numbers | {str(day.day) for day in self._meant.days}

    @cached_property
    def _meant(self) -> days.Meant:
        found = days.Meant()
        for said in self._all:
            found.take(said.meant)
        texts = [said.text for said in self._said]
        named = sorted(day for said in self._all for day in days.meant(said.text, None).days)
        for day in (*days.later(texts, named), *days.beside(texts, tuple(found.days))):
            found.add(day)
        return found

    @cached_property
    def _weekdays(self) -> set[int]:
        found = {number for said in self._all for number in said.meant.weekdays}
        for said in self._all:
            found |= {day.weekday() for day in days.meant(said.text, None).days}
            if said.at is not None:
                for day in days.explicit(said.text, said.at.date()):
                    found.add(day.weekday())
        return found

    @cached_property
    def _folded(self) -> str:
        return "\n".join(said.folded for said in self._all)

    def _writes(self, word: str) -> bool:
        """True if a text has one word that could be a month, as the name of a person can, in the same letters."""
        if not word.isalpha():
            return False
        written = re.compile(rf"\b{re.escape(word)}\b")
        return any(written.search(said.text) for said in self._all)

    def _has_reading(self, reading: tuple[object, ...]) -> bool:
        match reading:
            case ("clock", int() as hour, int() as minute):
                return self._has_time(hour, minute)
        return self._meant.holds(reading, self._numbers if len(reading) == 1 else self._days)

    def _has_time(self, hour: int, minute: int) -> bool:
        if any(said.at is not None and (said.at.hour, said.at.minute) == (hour, minute) for said in self._said):
            return True
        hours = {str(h) for h in (hour, hour % 12, hour + 12) if h <= 24} | {str(hour % 12 or 12)}
        after = {str(h) for h in ((hour + 1) % 24, (hour + 1) % 12 or 12)}
        if minute and any(f"{each}.{minute:02d}" in self._numbers for h in hours for each in (h, h.zfill(2))):
            return True
        if any((str(_FULL_HOUR - minute), each) in said.before_hour for each in after for said in self._all):
            return True
        if minute == 0:
            return bool(hours & self._numbers) or (hour == 12 and NOON.search(self._folded) is not None)
        written = {str(minute), f"{minute:02d}"} & self._numbers or f":{minute:02d}" in self._folded
        if hours & self._numbers and written:
            return True
        return minute in {15, 30, 45} and bool(HALF.search(self._folded) and (hours | after) & self._numbers)
