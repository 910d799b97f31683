"""What of a text may still be given out: forgotten messages take the records and sentences that rest on them along.

Known from the transcripts alone, so that it holds without the change log too. Pure; hides nothing in any file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

import msgspec

from commonplace.records import Source
from commonplace.text.content import keywords
from commonplace.text.patterns import pattern

_SENTENCE: Final = pattern(r"[^\n]*?(?:[.!?…](?=\s)|[。！？]|\n|\Z)[ \t]*\n?")
_FEW: Final = 2  # so many distinctive words of a message give it away; of one with fewer, all of them
_SHARE: Final = 1 / 3  # of a sentence of unknown origin that a message must hold besides
_FIRM_CHARS: Final = 3  # a number with so many digits gives a message away by itself


class Forgot(msgspec.Struct, frozen=True):
    """One forgotten message: its words, and those that nobody had used before it in its session.

    `single` is true if it was forgotten by itself, not with its whole session.
    """

    session: str
    message: str
    at: datetime
    text: str
    words: frozenset[str]
    distinctive: frozenset[str]
    single: bool = True


class Forgotten:
    """The forgotten messages of a scope, and what of other texts goes with them."""

    def __init__(self, messages: Iterable[Forgot] = ()) -> None:
        self.messages = tuple(messages)
        self.ids = frozenset((each.session, each.message) for each in self.messages)

    def __bool__(self) -> bool:
        """True if anything was forgotten."""
        return bool(self.messages)

    def left_of(
        self, text: str, sources: Sequence[Source] | None, written: datetime | None = None, *, journal: bool = False
    ) -> str:
        """Return the part of a record's text that may be shown; empty if nothing may.

        Args:
            text: The text of a record, or a part of it.
            sources: The messages that the record rests on; None if they are unknown.
            written: When a record of unknown sources was written, if known: messages that were forgotten before
                then were said again.
            journal: The record is about a range, of which `sources` are the first and the last message.
        """
        if not self.messages or (sources is not None and not sources and not journal):
            return text
        if not sources:
            return self._cut(text, [m for m in self.messages if written is None or m.at >= written], sure=False)
        known = [source for source in sources if (source.session, source.message) in self.ids]
        if len(known) == len(sources) and (not journal or len(sources) == 1):
            return ""
        if journal:
            sessions = {source.session for source in sources}
            return self._cut(text, [each for each in self.messages if each.session in sessions], sure=True)
        cited = {(source.session, source.message) for source in known}
        return self._cut(text, [each for each in self.messages if (each.session, each.message) in cited], sure=True)

    def _cut(self, text: str, messages: Sequence[Forgot], *, sure: bool) -> str:
        used = keywords(text)
        near = [each for each in messages if not used.isdisjoint(each.distinctive)]
        if not near:
            return text
        parts = _sentences(text)
        left = [part for part in parts if not any(_tells(keywords(part), each, sure=sure) for each in near)]
        if len(left) == len(parts):
            return text
        return "".join(left).strip() if keywords("".join(left)) else ""


def lost(text: str, left: str) -> str:
    """Return the sentences of a text that are not in what is left of it."""
    return "".join(part for part in _sentences(text) if part.strip() not in left).strip()


def _sentences(text: str) -> list[str]:
    return [found.group() for found in _SENTENCE.finditer(text) if found.group()]


def _tells(words: frozenset[str], forgot: Forgot, *, sure: bool) -> bool:
    """True if a sentence of these words says what a forgotten message said."""
    shared = words & forgot.distinctive
    if any(len(word) >= _FIRM_CHARS and any(char.isdigit() for char in word) for word in shared):
        return True
    if not shared or len(shared) < min(_FEW, len(forgot.distinctive)):
        return False
    return sure or len(words & forgot.words) >= len(words) * _SHARE
