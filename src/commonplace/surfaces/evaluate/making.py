"""Make cases from a memory itself: what was corrected, and what rests on which message.

No model writes the questions: they are the words of the records and messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from commonplace.errors import CommonplaceError
from commonplace.memory.memory import Memory
from commonplace.records import JournalEntry, Trail, is_below_agent
from commonplace.surfaces.evaluate.cases import Case, Target
from commonplace.text import terms
from commonplace.text.patterns import pattern

_WORDS = 4  # of one question; with more of them hardly a search can miss
_SHARED = 2  # words that old and new have in common, for the question to be about something
_RESTS_ON = 5  # messages; what sums up more is found by any of them
_PIECE = pattern(r"\w+(?:[-'’.:]\w+)*")


def made(memory: Memory, *, limit: int = 50) -> tuple[Case, ...]:
    """Make cases from the corrections and the `why` trails of a memory, the newest first; the same each time.

    A correction asks with the words that the old and the new text share: the new one, or a message it
    rests on, is expected, and the old one may only be below. A record that was not corrected is asked twice: its
    words should find a message it rests on, and the words of that message the record.

    Args:
        memory: The memory; its change log is that of the scope that takes writes.
        limit: The most cases.
    """
    return tuple(islice((case for trail in _trails(memory) for case in _cases(trail)), max(limit, 0)))


def _trails(memory: Memory) -> Iterator[Trail]:
    """Yield why each record is there that a change made; journals are left out: many messages would find them."""
    seen: set[str] = set()
    for change in memory.log(None):
        for record in change.added:
            try:
                trail = memory.why(record)
                journal = isinstance(memory.read(record), JournalEntry)
            except CommonplaceError:
                continue  # gone since, or its text was erased
            if trail.record not in seen and not journal and not is_below_agent(trail.trust):
                seen.add(trail.record)
                yield trail


def _cases(trail: Trail) -> Iterator[Case]:
    own = _content(trail.text)
    record = Target(any=(Target(record=trail.record), Target(text=trail.text)))
    for step in trail.steps:
        old = _content(step.text)
        shared = [surface for word, surface in own.items() if word in old]
        if len(shared) < _SHARED or old.keys() <= own.keys() or own.keys() <= old.keys():
            continue  # about something else, or the one only says more than the other
        superseded = (Target(text=step.text),)
        name = f"correction of {trail.record}"
        yield Case(name=name, question=" ".join(shared[:_WORDS]), expected=(record,), superseded=superseded)
        return
    messages = dict.fromkeys(Target(message=f"{at.source.session}#{at.source.message}") for at in trail.quotes)
    if not own or not 0 < len(messages) <= _RESTS_ON:
        return
    question = " ".join(list(own.values())[:_WORDS])
    expected = (Target(any=tuple(messages)),)
    yield Case(name=f"message behind {trail.record}", question=question, expected=expected, layers=("sessions",))
    said = _content(trail.quotes[0].text)
    if own.keys() & said.keys():
        chosen = sorted(said, key=lambda word: word not in own)[:_WORDS]  # of a long one first what both have
        question = " ".join(surface for word, surface in said.items() if word in chosen)
        yield Case(name=f"record of {trail.record}", question=question, expected=(record,))


def _content(text: str) -> dict[str, str]:
    """Return the words that say something, folded, each with how it is written; wide characters by pairs."""
    found: dict[str, str] = {}
    for piece in _PIECE.finditer(terms.fold(text)):
        words = {piece[0].lower(): piece[0]} if piece[0].isascii() else {each: each for each in terms.words(piece[0])}
        found |= {
            word: surface for word, surface in words.items() if word not in found and word not in terms.STOP_WORDS
        }
    return found
