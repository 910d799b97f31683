"""Read a question: its words, its quoted phrases, the names and the time it speaks of. Pure."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

import msgspec

from commonplace.index import terms

MAX_WORDS: Final = 48  # more words add cost and no meaning; the rest of a long question is left out
_LOOKED_AT_CHARS: Final = 20_000  # of a longer question only this much is read
_PHRASE: Final = re.compile(r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|「([^」\n]{1,200})」')
_WHEN: Final = re.compile(
    r"\bwhen\b|\bwhat (?:time|day|date|month|year)\b|\bhow long\b|什么时候|何时|几号|几点|いつ|언제", re.IGNORECASE
)


class Question(msgspec.Struct, frozen=True):
    """What a question asks for.

    `words` are its terms without stop words, or all of them when nothing else is left (`bare`).
    `lowered` is the text in lower case.
    """

    words: tuple[str, ...]
    lowered: str
    phrases: tuple[str, ...] = ()
    asks_when: bool = False
    bare: bool = False
    span: tuple[datetime, datetime] | None = None


def read(text: str, now: datetime) -> Question:
    """Take a question apart; any text at all gives a question, perhaps one without words."""
    text = text[:_LOOKED_AT_CHARS]
    found = terms.words(text)
    words = [word for word in found if word not in terms.STOP_WORDS and len(word) <= 64]
    phrases = tuple(" ".join(part for part in groups if part) for groups in _PHRASE.findall(text))
    return Question(
        tuple(words[:MAX_WORDS] or found[:MAX_WORDS]),
        text.lower(),
        phrases,
        asks_when=bool(_WHEN.search(text)),
        bare=not words,
    )
