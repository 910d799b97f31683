"""What one text says that a statement may rest on: its words, numbers and days, each read once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from itertools import pairwise, product
from typing import Final

from commonplace.guard.sums import worked_out
from commonplace.records import RecordedMessage
from commonplace.text import content, days, denials
from commonplace.text.content import Vocabulary
from commonplace.text.numerals import Numeral, numerals, said_as_one
from commonplace.text.patterns import pattern
from commonplace.text.units import measured, other_units

HALF: Final = pattern(
    r"half|halb|demi|media|mezz[ao]|meia|пол|pół|半|반|quarter|viertel|quart|cuarto|четверть|kwadrans|刻|past|to\b",
    re.IGNORECASE,
)
NOON: Final = pattern(
    r"\bnoon|\bmidday|\bmittags?\b|\bmidi\b|\bmediodía|\bmezzogiorno|\bmeio-dia|\bполдень|\bполудн|\bpołudni|\bmiddag\b|正午|中午|정오"
)
_HALF_HOUR: Final = pattern(
    r"half an hour|halbe\w* stunde|demi-heure|media hora|mezz['’]ora|meia hora|полчаса|półgodzin\w*|pół godziny"
    r"|半小时|半時間|반\s?시간",
    re.IGNORECASE,
)
_QUARTERS: Final = pattern(
    r"quarters? of an hour|quarter[ -]hour|viertelstunde|quarts? d['’]heure|cuartos? de hora|quart[oi] d['’]ora"
    r"|quartos? de hora|четверт\w+ часа|kwadrans|刻钟",
    re.IGNORECASE,
)
_ONE: Final = pattern(  # `an hour and a half`
    r"\b(?:an?|une?|una|uma|eine?)\s(?=[^\W\d_]+\s(?:and a half|et demie?|y media|e mezz[ao]|e meia|und ein\w* halbe))",
    re.IGNORECASE,
)
_COUNTED: Final = pattern(r"\s?[€$£¥%元円원个個人回次]|\s([^\W\d_]{4,})")  # behind a number: of it there are so many

_GERMAN: Final = pattern(
    r"\b(?:und|nichts?|ist|sind|der|die|das|ich|mir|wir|mit|für|auf|von|den|zum|zur|bitte|mehr|eine?|mein\w*|kein\w*|wird|auch|noch)\b",
    re.IGNORECASE,
)
_END_CHARS: Final = 20_000  # of each end of another message
_TOOL_CHARS: Final = 3000  # of each end of a tool's result
_TO: Final = frozenset(["to", "vor", "voor", "para as", "para a", "para o"])  # between minutes and an hour
_LESS: Final = frozenset(["moins", "menos", "meno"])  # between an hour and minutes
_MOST_DAYS: Final = 31  # of a month
_INSIDE_CHARS: Final = 4  # of a word that may be part of another one


class Said:
    """One text that a statement may rest on."""

    def __init__(self, text: str, *, speaker: str = "", person: bool = False, at: datetime | None = None) -> None:
        self.text = text
        self.speaker = speaker
        self.person = person
        self.at = at
        self.words = frozenset(content.words(f"{speaker} {text}"))
        numbers = numerals(text)
        written = {value for number in numbers for value in number.values}
        follow = {(str(span), "") for span in days.lasting(text)}
        follow |= {(value, "") for value in said_as_one(text, numbers)}
        if at is not None:
            follow.add((str(at.year), ""))
        if _HALF_HOUR.search(text):
            follow.add(("30", ""))
        if _QUARTERS.search(text):
            follow |= {("15", "min"), ("45", "min")}
        if HALF.search(text):
            whole = [(value, unit) for number, unit in measured(_ONE.sub("1 ", text)) for value in number.values]
            halves = [(f"{value}.5", unit) for value, unit in whole if value.isdigit() and len(value) < 4]
            follow.update(halves, *(other_units(*half) for half in halves))
        self._follow = follow.union(worked_out(text))
        self.numbers = frozenset(written.union(value for value, _ in self._follow))

    @cached_property
    def day_numbers(self) -> frozenset[str]:
        """The numbers that can be the day of a month: of no time of day or weekday, and no count of something.

        Three days from the 27th on end on the 29th.
        """
        folded = self.text.casefold()
        apart = [(each.start, each.end) for each in days.named(self.text) if ("clock" in each.readings[0])]
        apart += [match.span() for day in days.WEEKDAYS for match in day.finditer(folded)]
        found = frozenset(
            value
            for number in numerals(self.text)
            if not any(start < number.end and number.start < end for start, end in apart)
            and not _counts(self.text, number.end)
            for value in number.values
        )
        begun = [int(value) for value in found if value.isdigit() and int(value) <= _MOST_DAYS]
        spans = {span for span in days.lasting(self.text) if span > 1} if begun else set()
        return found | {str(day + span - 1) for day in begun for span in spans}

    @cached_property
    def before_hour(self) -> set[tuple[str, str]]:
        """The minutes that it says are before an hour, each with the hour (`ten to four`, `las tres menos diez`)."""
        found: set[tuple[str, str]] = set()
        for one, two in pairwise(numerals(self.text)):
            between = self.text[one.end : two.start].strip().casefold()
            if between in _TO or between in _LESS:
                pair = (one.values, two.values) if between in _TO else (two.values, one.values)
                found.update(product(*pair))
        return found

    @cached_property
    def units(self) -> dict[str, set[str]]:
        """The units that each of its numbers is said with; an empty one is none that is known."""
        found: dict[str, set[str]] = {}
        for value, unit in self._follow:
            found.setdefault(value, set()).add(unit)
        for number, unit in measured(self.text):
            for value in number.values:
                found.setdefault(value, set()).add(unit)
        return found

    @cached_property
    def folded(self) -> str:
        """The text folded for comparison."""
        return content.fold(self.text)

    @cached_property
    def bare(self) -> str:
        """The text folded, without accents."""
        return content.bare(self.folded)

    def has_inside(self, word: str) -> bool:
        """True if a bare word is part of one of its words."""
        return len(word) >= _INSIDE_CHARS and word in self.bare

    @cached_property
    def meant(self) -> days.Meant:
        """The days the text can mean."""
        return days.meant(self.text, self.at.date() if self.at else None)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Its words, to be found by words that are alike."""
        return Vocabulary(self.words)

    def says_anew(self, words: Iterable[str], *, wholly: bool) -> bool:
        """True if a person says one of some words in a sentence about a change, `wholly` of one thing for another."""
        sentences = content.sentences(self.text) if self.person else ()
        return any(
            denials.changes(each, wholly=wholly) and Vocabulary(content.words(each)).shared(words) for each in sentences
        )

    def agreeing(self, words: Iterable[str], numbers: Iterable[Numeral], dates: Iterable[days.Named]) -> int:
        """Return how many of some words, numbers and dates it has; a time of day counts."""
        shared = sum(self.vocabulary.holds(word) or self.has_inside(word) for word in words)
        counted = sum(not number.values.isdisjoint(self.numbers) for number in numbers)
        return shared + counted + sum(any(map(self._means, date.readings)) for date in dates)

    def _means(self, reading: tuple[object, ...]) -> bool:
        return reading[0] == "clock" or self.meant.holds(reading, self.numbers)


def _counts(text: str, end: int) -> bool:
    """True if a number that ends here says how many there are of something."""
    match = _COUNTED.match(text, end)
    word = match[1] if match else None
    return match is not None and (word is None or (word.islower() and not content.is_joining(content.bare(word))))


def seen(recorded: RecordedMessage) -> str:
    """Return what a model can have seen of a message: of a long one the two ends."""
    end = _TOOL_CHARS if recorded.message.role == "tool" else _END_CHARS
    text = recorded.text
    return text if len(text) <= 2 * end else f"{text[:end]}\n{text[-end:]}"


def has_german(text: str) -> bool:
    """True if a text has a word of German that joins others."""
    return _GERMAN.search(text) is not None


def reads_german(text: str) -> bool:
    """True if a text is written in German."""
    return len(_GERMAN.findall(text)) * 12 > len(text.split()) > 0
