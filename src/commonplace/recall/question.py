"""Read a question: its words and what may replace them, its phrases, whom and when it speaks of. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from commonplace.recall.related import related
from commonplace.text import content, packaged, terms
from commonplace.text.patterns import pattern
from commonplace.text.times import read as read_times

MAX_WORDS: Final = 96  # of a longer question the first third and the end are taken; what is asked is mostly at the end
_LOOKED_AT_CHARS: Final = 20_000  # of a longer question only this much is read
_RELATED_WORDS: Final = 32  # of a longer question, only this many words get synonyms

# Weights of a word against a plain one; chosen over four sets (docs/benchmarks.md).
CAPITAL: Final = 1.5  # a capital letter inside a sentence: a name is what a question is about
FRAME: Final = 0.4  # a word about the asking, not about what was said
EVERYDAY: Final = 0.3  # a word of all talk says little, also where a young memory holds it only once
TERSE_WORDS: Final = 10  # in a shorter question every word is meant
SPEAKER: Final = 0.3  # weight of the speaker's name: said to another person, it marks the wrong message
IDENTIFIER: Final = 3.0  # a code identifier or path: who types it whole means it whole
PART: Final = 0.6  # a part of it, where the whole is not
SYNONYM: Final = 0.6
KIND: Final = 0.5

_PHRASE: Final = pattern(r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|「([^」\n]{1,200})」')
_WHEN: Final = pattern(r"\bwhen\b|\bwhat (?:time|day|date|month|year)\b|\bhow long\b|什么时候|何时|几号|几点|いつ|언제")
_CAPITAL: Final = pattern(r'(?<![.?!。？！"]\s)(?<!^)\b[A-Z]\w*')
FRAME_WORDS: Final = frozenset(packaged.text(__package__, "frame_words.txt").split())
EVERYDAY_WORDS: Final = frozenset(packaged.text(__package__, "everyday_words.txt").split())
_NOTHING_ASKED: Final = terms.STOP_WORDS | FRAME_WORDS | EVERYDAY_WORDS | {"prior", "till", "weekend"}


class Group(msgspec.Struct, frozen=True):
    """Words of which any counts: a word of the question with its forms, or what may replace that word.

    `parent` is the number of the group that this one replaces; it counts only if that is not found.
    `name` is true if the word is written like a name, `identifier` if it is one of code, whose
    parts count too.
    """

    words: tuple[str, ...]
    factor: float = 1.0
    parent: int = -1
    name: bool = False
    identifier: bool = False


class Question(msgspec.Struct, frozen=True):
    """What a question asks for; without groups it asks for nothing that could be found.

    `speaker` is the one speaker it names, `only_times` says that it asks for nothing but what was said in its `times`,
    ranges of milliseconds whose ends lie outside.
    """

    groups: tuple[Group, ...]
    phrases: tuple[str, ...] = ()
    when: bool = False
    speaker: str | None = None
    times: tuple[tuple[int, int], ...] = ()
    only_times: bool = False


def read(text: str, now: datetime, names: Iterable[str] = (), *, whole: bool = False) -> Question:
    """Read a question; any text at all gives a question, perhaps one without words.

    Args:
        text: The question as asked.
        now: What "last week" is counted from.
        names: Who speaks in the transcripts.
        whole: Read Chinese and Japanese uncut, when the question's words alone found nothing.
    """
    if len(text) > _LOOKED_AT_CHARS:
        text = f"{text[: _LOOKED_AT_CHARS // 3]} {text[-2 * _LOOKED_AT_CHARS // 3 :]}"
    found = terms.words(text, whole=whole)
    phrases = tuple(" ".join(part for part in groups if part) for groups in _PHRASE.findall(text))
    found = [word for word in found if len(word) <= terms.LONGEST]
    kept = content.asked_for(found) or (found if phrases else [])
    lowered = text.lower()
    named = [
        name
        for name in names
        if (said := name.lower()) in lowered and re.search(rf"(?<!\w){re.escape(said)}(?!\w)", lowered)
    ]
    speakers = {part for name in named for part in name.lower().split()}
    capital = {match.group().lower() for match in _CAPITAL.finditer(text) if match.start()}
    if len(kept) > MAX_WORDS:
        kept = kept[: MAX_WORDS // 3] + kept[-2 * MAX_WORDS // 3 :]
    times = read_times(text, now)
    return Question(
        _groups(kept, capital, speakers, terms.identifiers(text)),
        phrases,
        when=bool(_WHEN.search(lowered)),
        speaker=named[0] if len(named) == 1 else None,
        times=tuple((int(start.timestamp() * 1000), int(end.timestamp() * 1000)) for start, end in times.ranges),
        only_times=bool(times.ranges) and not phrases and not _asks(times.rest),
    )


def _asks(rest: str) -> bool:
    """True if a question asks for anything besides the times it names."""
    return any(word not in _NOTHING_ASKED and not word.isdigit() for word in terms.words(rest))


def _groups(
    words: list[str], capital: set[str], speakers: set[str], identifiers: Mapping[str, Sequence[str]]
) -> tuple[Group, ...]:
    parts = Counter(part for each in identifiers.values() for part in each)
    said = Counter(words)
    parted = {part for part, count in parts.items() if said[part] <= count}  # not also asked for by themselves
    chatty = len(words) > TERSE_WORDS
    main: list[Group] = []
    more: list[Group] = []
    seen: set[str] = set()
    for word in words:
        if word in parted and word not in identifiers:
            continue
        other = related(word)
        if any(each in seen for each in other.stems):  # "run" and "running" are one word asked twice
            continue
        at = len(main)
        seen.update(other.stems)
        factor = 1.0
        if word in speakers:
            factor = SPEAKER
        elif word in identifiers:
            factor = IDENTIFIER
        elif word in capital:
            factor = CAPITAL
        if word in FRAME_WORDS:
            factor *= FRAME
        elif chatty and word in EVERYDAY_WORDS:
            factor *= EVERYDAY
        main.append(Group((word, *other.forms), factor, name=word in capital, identifier=word in identifiers))
        more += [
            Group((part, *related(part).forms), PART, at)
            for part in dict.fromkeys(identifiers.get(word, ()))
            if part in parted and part not in terms.STOP_WORDS
        ]
        for instead, weight in ((other.synonyms, SYNONYM), (other.kinds, KIND)):
            if instead and at < _RELATED_WORDS and word not in speakers:
                more.append(Group(instead, weight * factor, at))
    return (*main, *more)
