"""What one text says that a statement may rest on: its words, numbers and days, each read once."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cached_property
from typing import Final

from commonplace.text import content, days
from commonplace.text.content import Vocabulary
from commonplace.text.numerals import numerals
from commonplace.text.patterns import pattern

HALF: Final = pattern(
    r"half|halb|demi|media|mezz[ao]|meia|пол|pół|半|반|quarter|viertel|quart|cuarto|четверть|kwadrans|刻|past|to\b",
    re.IGNORECASE,
)
_HALF_HOUR: Final = pattern(
    r"half an hour|halbe\w* stunde|demi-heure|media hora|mezz['’]ora|meia hora|полчаса|półgodzin\w*|pół godziny"
    r"|半小时|半時間|반\s?시간",
    re.IGNORECASE,
)
_COUNTED: Final = pattern(r"\s?[€$£¥%元円원个個人回次]|\s([^\W\d_]{4,})")  # behind a number: of it there are so many


class Said:
    """One text that a statement may rest on."""

    def __init__(self, text: str, *, speaker: str = "", person: bool = False, at: datetime | None = None) -> None:
        self.text = text
        self.speaker = speaker
        self.person = person
        self.at = at
        self.words = frozenset(content.words(f"{speaker} {text}"))
        numbers = {value for number in numerals(text) for value in number.values}
        if at is not None:
            numbers.add(str(at.year))
        if _HALF_HOUR.search(text):
            numbers.add("30")
        if HALF.search(text):
            numbers |= {f"{value}.5" for value in numbers if value.isdigit() and len(value) < 4}
        self.numbers = frozenset(numbers)

    @cached_property
    def day_numbers(self) -> frozenset[str]:
        """The numbers that can be the day of a month: of no time of day or weekday, and no count of something."""
        folded = self.text.casefold()
        apart = [(each.start, each.end) for each in days.named(self.text) if ("clock" in each.readings[0])]
        apart += [match.span() for day in days.WEEKDAYS for match in day.finditer(folded)]
        return frozenset(
            value
            for number in numerals(self.text)
            if not any(start < number.end and number.start < end for start, end in apart)
            and not _counts(self.text, number.end)
            for value in number.values
        )

    @cached_property
    def folded(self) -> str:
        """The text folded for comparison."""
        return content.fold(self.text)

    @cached_property
    def meant(self) -> days.Meant:
        """The days the text can mean."""
        return days.meant(self.text, self.at.date() if self.at else None)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Its words, to be found by words that are alike."""
        return Vocabulary(self.words)


def _counts(text: str, end: int) -> bool:
    """True if a number that ends here says how many there are of something."""
    match = _COUNTED.match(text, end)
    word = match[1] if match else None
    return match is not None and (word is None or (word.islower() and not content.is_joining(content.bare(word))))
