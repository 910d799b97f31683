"""What becomes of the statements of a record from one version to the next: kept, said otherwise, made of which words.

Pure: texts in, texts out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from commonplace.layouts.codecs import edits, rewrites
from commonplace.text import content
from commonplace.text.patterns import pattern

_DATE: Final = pattern(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_OVER: Final = pattern(  # what a statement says is over
    r"(?i)\b(?:switch|migrat|mov|chang)\w* (?:\w+ ){0,3}?from .{1,60}?(?= (?:over )?to )"
    r"|\b(?:instead of|rather than|in place of|no longer) [^,.;]{1,60}"
)


def differ(was: str, now: str) -> bool:
    """True unless one of two statements only says more than the other."""
    was, now = (_DATE.sub(r"\1\2\3", text) for text in (was, now))  # a date is one word
    said, says = content.keywords(was), content.keywords(_OVER.sub(" ", now))
    return not (said <= says or content.keywords(now) <= said)


def lines(text: str) -> list[str]:
    """Return the lines of a topic without their bullets."""
    return [line.strip().removeprefix("- ") for line in text.split("\n")]


def replaced(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the lines that went and say otherwise than one that came for them, each with that line."""
    same = rewrites.equal(*(edits.number("", each) for each in (before, after)))
    for i, j in rewrites.became(before, after, same, differ):
        if before[i] and after[j] and differ(before[i], after[j]):
            yield before[i], after[j]


def quoted(statement: str, quotes: Sequence[str]) -> int | None:
    """Return the place of the quote that a statement was made of; None if it shares no word with any."""
    said = content.keywords(statement)
    shared, at = max(((len(said & content.keywords(quote)), -at) for at, quote in enumerate(quotes)), default=(0, 0))
    return -at if shared else None
