"""Work out numbers that follow from a text: other units, sums and products, how many things it lists. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, product
from typing import Final

from commonplace.text import content, days
from commonplace.text.numerals import numerals, plain
from commonplace.text.patterns import pattern
from commonplace.text.units import measured, other_units

_MOST_NUMBERS: Final = 4  # of a sentence; of more, too much would follow
_LIST_SIGN: Final = pattern(
    r"\s*(?:[,;、，；/+&]|(?<![^\W_])(?:and|or|und|oder|sowie|et|ou|y|o|e|i|oraz|и|en|of|och|和|与|と)(?![^\W_]))\s*"
)
_HUNDREDTHS: Final = pattern(r"\s?(?:[^\W\d_]{1,12}|[€$£])\s(?:(?:and|und|et|y|e|и|i|en)\s)?")  # a unit before them
_WITH_HUNDREDTHS: Final = frozenset("m€$£")
_AROUND_LIST: Final = pattern(r"[.!?:;()\[\]。！？：（）\n]")
_PLACES: Final = 2
_ITEM_WORDS: Final = 4
_LONGEST_LIST: Final = 12


def worked_out(text: str) -> Iterator[tuple[str, str]]:
    """Yield each number that follows from a text, and its unit; an empty unit is none that is known."""
    for number, unit in measured(text):
        for value in number.values:
            yield from other_units(value, unit)
    for (whole, unit), (part, _) in pairwise(measured(text)):  # `two metres ninety-five`
        if unit in _WITH_HUNDREDTHS and _HUNDREDTHS.fullmatch(text, whole.end, part.start):
            hundredths = (value for value in part.values if value.isdigit() and len(value) == _PLACES)
            yield from ((plain(float(f"{one}.{two}")), unit) for one, two in product(whole.values, hundredths))
    for sentence in content.sentences(text):
        for value in _combined(sentence):
            yield value, ""
    for size in listed(text):
        yield size, ""


def listed(text: str) -> set[str]:
    """Return how many things the lists of a text have (`Ann, Ben and Cleo` has 3)."""
    sizes: set[str] = set()
    for part in _AROUND_LIST.split(text):
        items = [item for item in _LIST_SIGN.split(part) if item]
        if 2 <= len(items) <= _LONGEST_LIST and all(len(item.split()) <= _ITEM_WORDS for item in items):
            sizes.add(str(len(items)))
    return sizes


def _combined(sentence: str) -> set[str]:
    """Return what the numbers of one sentence are together, dates and times of day aside."""
    dated = [(named.start, named.end) for named in days.named(sentence)]
    counted = [
        min(number.values, key=lambda value: (not value.isdigit(), len(value), value))
        for number in numerals(sentence)
        if number.sure and not any(start < number.end and number.start < end for start, end in dated)
    ]
    known = [float(value) for value in counted if value.replace(".", "", 1).isdigit() and len(value) < 10]
    if not 2 <= len(known) <= _MOST_NUMBERS:
        return set()
    found = {sum(known)}
    for one, other in combinations(known, 2):
        found |= {one + other, abs(one - other), one * other}
    return {plain(value) for value in found}
