"""Words that are too common to say whose they are, and words in capitals that are no names."""

from __future__ import annotations

from typing import Final

from commonplace.text import content, days, denials, packaged
from commonplace.text.numerals import WORDS

COMMON: Final = frozenset(packaged.text(__package__, "everyday.txt").split())
_SHORT: Final = """
    ci cd api utc dst pdf csv json html url ui ux db sql cpu ram os id faq tv pc usb am pm ok asap vip ceo cto
    cfo hr it pr qa gps sms eur usd gbp chf jpy cad aud nzd eu uk us usa md diy aka e2e llm ai ml ide cli sdk
    http https tls ssh mr mrs ms dr prof sr sra mme mlle herr frau sig dra don doña uhr kw kfz gmbh ag ev nr tel mon tue
    wed thu fri sat sun
"""
_KNOWN_SHORT: Final = frozenset(_SHORT.split())


def is_no_name(word: str) -> bool:
    """True if a word in capitals is no name: a joining or number word, a usual abbreviation, a day or month."""
    plain = content.bare(word)
    if (
        denials.doubts(word)
        or _KNOWN_SHORT.issuperset(plain.split("-"))
        or plain in WORDS
        or content.is_wide(word)
        or not content.content(word)
    ):
        return True
    dated = next(days.named(f"1 {word}"), None) is not None
    return dated or any(day.match(plain) or day.match(word.casefold()) for day in days.WEEKDAYS)
