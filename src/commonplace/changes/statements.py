"""What becomes of the statements of a record from one version to the next: kept, said otherwise, made of which words.

Pure: texts in, texts out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from commonplace.changes import forgotten
from commonplace.layouts.codecs import edits, rewrites
from commonplace.text import content, denials
from commonplace.text.patterns import pattern

_DATE: Final = pattern(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_OVER: Final = pattern(  # what a statement says is over
    r"(?i)\b(?:switch|migrat|mov|chang)\w* (?:\w+ ){0,3}?from .{1,60}?(?= (?:over )?to )"
    r"|\b(?:instead of|rather than|in place of|no longer) [^,.;]{1,60}"
)
_ARTICLE: Final = pattern(r"(?i)\A\W*(?:(?:the|der|die|das|le|la|les|el|los|il|lo|o|a|de|het)\s)?")


def differ(was: str, now: str) -> bool:
    """True unless one of two statements only says more than the other, and denies nothing of it."""
    was, now = (_DATE.sub(r"\1\2\3", text) for text in (was, now))  # a date is one word
    said, says = content.keywords(was), content.keywords(_OVER.sub(" ", now))
    return _takes_back(was, now) or _tells_of_old(said, now) or not (said <= says or content.keywords(now) <= said)


def _tells_of_old(said: frozenset[str], now: str) -> bool:
    """True if a statement says of a value of another one, behind what is so now, what became of it: `…, Karin left`."""
    first, *rest = content.clauses(now) or [""]
    claims = content.keywords(first)
    gone = said - claims
    begun = (_ARTICLE.sub("", clause).split(maxsplit=1)[:1] for clause in rest)
    new = bool(claims - said) and bool(gone) and gone < said
    return new and any(gone & content.keywords(word) for words in begun for word in words)


def _takes_back(was: str, now: str) -> bool:
    """True if a statement denies something of one that denies nothing: `her sister cannot come`."""
    said = content.keywords(was)
    denied = (clause for clause in content.clauses(now) if denials.denies(clause))
    return not denials.denies(was) and any(said & content.keywords(clause) for clause in denied)


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


class Brought:
    """Which version of a topic brought in each of its sentences; a version that is like the last one brought all.

    Of a version whose text was erased nobody knows what it brought in.
    """

    def __init__(self) -> None:
        self._count = 0
        self._newest = ""
        self._places: dict[str, int | None] = {}
        self._erased = False
        self._lines: dict[str, tuple[str, ...]] = {}

    def place(self, sentence: str, texts: Sequence[str]) -> int | None:
        """Return the place of the version that brought in a sentence, by the texts of all; None if it is not known.

        A line of an index has a title before the sentence, and may have cut it off.
        """
        for place in range(self._count, len(texts)):
            if not texts[place]:
                self._erased = True
                continue
            known = {} if texts[place] == self._newest else self._places
            own = (each for line in texts[place].split("\n") for each in self._sentences(line))
            by = None if self._erased else place
            self._places = {each: known.get(each, by) for each in own}
            self._newest, self._erased = texts[place], False
        self._count = len(texts)
        said = _key(sentence)
        if said in self._places:
            return self._places[said]
        near = (each for each in self._places if said in each or (each in said and 2 * len(each) > len(said)))
        return self._places.get(max(near, key=len, default=""))

    def _sentences(self, line: str) -> tuple[str, ...]:
        if line not in self._lines:
            self._lines[line] = tuple(map(_key, forgotten.sentences_of(line)))
        return self._lines[line]


def _key(sentence: str) -> str:
    return " ".join(content.words(sentence))
