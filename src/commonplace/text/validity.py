"""The days on which a statement holds. Pure.

Its text says them at its end, `(from 2026-11-01 until 2026-11-25)`, or it tells of an event of one day.
"""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise
from typing import Final

from commonplace.text import content, days
from commonplace.text.dates import day_of
from commonplace.text.patterns import pattern

_UNTIL: Final = pattern(r"\((?:from \d{4}-\d\d-\d\d )?until (\d{4}-\d\d-\d\d)\)[*_]*\s*\Z")
_HAS: Final = {
    "on": r"has|have|['’]ve|fl(?:y|ies|ying)|travel\w*|visit(?:s|ing)?|meet(?:s|ing)?|see(?:s|ing)?|going to|comes?"
    r"|stay(?:s|ing)?|leaves?(?= on\b)|is (?:away|off|in|on (?:holiday|leave|vacation))",
    "am": r"hat|haben?|bin|übernachte\w*|flieg(?:e|en|t)|reis(?:e|en|t)|besuch(?:e|en|t)|trifft|treffen|kommt",
    "le": "a|ai|ont|avons|prend|prenons|va|vont|allons|rencontre|vient",
    "el": "tiene|tengo|tienen|tenemos|hay|vuela|volamos|viaja|viajamos|va|vamos|viene",
}
_EVENT: Final = pattern(
    r"(?:(?:\b|(?<=\w)['’])(?:s|is|are|takes? place|ist|sind|findet|finden|est|sont|aura lieu|a lieu|es|son|será"
    r"|tiene lugar)"
    r"(?: (?:scheduled|planned|set|geplant|prévue?|previst[oa]|programad[oa]))?"
    r"(?: (?:on|for|at|am|den|für den|um|le|pour le|el|para el))? |[是在于]\s?)\0"
    r"|[\0\1][^\0\1]{0,6}[飞有去来见]"
    + "".join(
        rf"|\b(?:{verbs})\b[^\0\1]*\b{on} [\0\1]|\A(?:.*: )?{on} [\0\1],? [^\0\1]*\b(?:{verbs})\b"
        for on, verbs in _HAS.items()
    ),
    re.IGNORECASE,
)
"""That something is on a day, or that one has, visits or travels something then: `\\0`, or `\\1` without its year."""
_LASTS: Final = pattern(
    r"\b(?:birth\w*|born|annivers\w*|wedding|due|first|last|every|each|year\w*|start\w*|begin\w*|ends?|expir\w*"
    r"|mov(?:e|es|ing)|since|from|live with|and|but|because|who|which|that"
    r"|geb(?:oren|urt\w*)|hochzeit|jähr\w*|jede\w*|seit|ab|erste\w*|letzte\w*|beginn\w*|umzug|und|aber|weil"
    r"|naissance|née?|mariage|chaque|depuis|partir|premi\w+|derni\w+|début|et|mais"
    r"|cumplea\w+|naci\w+|boda|aniversario|cada|desde|primer\w*|últim\w+|inicio|mudanza|y|pero)\b"
    r"|生日|出生|纪念|婚|开始|入职|搬|到期|最后|第一|[自从起每]",
    re.IGNORECASE,
)
"""Words of what goes on or comes again after its day, and of a statement that says more."""


_ON: Final = {"from": "on", "vom": "am", "du": "le", "del": "el"}
_FROM: Final = pattern(rf"\b({'|'.join(_ON)})\s\Z", re.IGNORECASE)
_TO: Final = pattern(r"\s?(?:to|until|till|through|bis(?: zum)?|au|al|[–—-])\s?", re.IGNORECASE)


def mark(first: date | None, last: date | None) -> str:
    """Return what to write behind a statement that holds from a day on, or up to a day; empty without either."""
    said = [f"from {first:%Y-%m-%d}"] if first else []
    said += [f"until {last:%Y-%m-%d}"] if last else []
    return f" ({' '.join(said)})" if said else ""


def has_end(text: str) -> bool:
    """True if a statement says the last day on which it holds."""
    return _UNTIL.search(text) is not None


def is_over(text: str, today: date) -> bool:
    """True if the last day on which a statement holds is before today."""
    found = _UNTIL.search(text)
    return found is not None and found[1] < f"{today:%Y-%m-%d}"


def current(text: str, today: date) -> str:
    """Return a text without the lines that are over, and without the sentences of a line that are."""
    lines = [line for line in text.split("\n") if not is_over(line, today)] if "\n" in text else [text]
    return "\n".join(_current(line, today) if "until " in line else line for line in lines).strip()


def _current(line: str, today: date) -> str:
    said = content.sentences(line)
    kept = [each for each in said if not is_over(each.rstrip(". "), today)]
    return " ".join(kept) if len(kept) < len(said) else line


def _by_its_end(text: str) -> str:
    """Return a text of the days from one to another with the last of them alone."""
    for first, last in pairwise(days.named(text)):
        begins = _FROM.search(text[: first.start])
        if begins is not None and _TO.fullmatch(text, first.end, last.start):
            return f"{text[: begins.start()]}{_ON[begins[1].casefold()]} {text[last.start :]}"
    return text


def is_past_event(text: str, said: date, today: date) -> bool:
    """True if a statement tells of nothing but an event of a day or of some days on end, to come then and over now."""
    text = _by_its_end(days.without_weekdays(text))
    if _LASTS.search(text) or len(content.sentences(text)) != 1:
        return False
    named = [each for each in days.named(text) if [len(reading) for reading in each.readings] == [3]]
    found = [each for each in named if each.readings[0][0] != "clock"]
    match found:
        case [days.Named(start, end, ((int() | None as year, int() as month, int() as number),))]:
            day = day_of(year or said.year, month, number)
            if day is not None and year is None and day < said:
                day = day_of(said.year + 1, month, number)
            mark = "\1" if year is None and len(named) == 1 else "\0"  # one with a time of day is not of each year
            came = day is not None and said <= day < today
            return came and _EVENT.search(f"{text[:start]}{mark}{text[end:]}") is not None
    return False
