"""Make cases from a memory itself: what was corrected, and what rests on which message.

No model writes the questions: they are the words of the records and messages. Which records are asked
about is settled by a hash of their ids and a seed, so that a case stays the same while memory grows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import msgspec

from commonplace.errors import CommonplaceError
from commonplace.memory.memory import Memory
from commonplace.records import (
    TRUST_RANK,
    Change,
    Entry,
    Item,
    JournalEntry,
    LayerName,
    Quote,
    RecordedMessage,
    Source,
    Topic,
    Trail,
)
from commonplace.surfaces.evaluate.cases import TOKENS, Case, K, Target
from commonplace.text import terms
from commonplace.text.patterns import pattern

_WORDS = 4  # of one question; with more of them hardly a search can miss
_SHARED = 2  # words that old and new have in common, for the question to be about something
_RESTS_ON = 5  # messages; what sums up more is found by any of them
_TRAILS = 8  # looked up for each case wanted, at most
_PIECE = pattern(r"\w+(?:[-'’.:]\w+)*")


def made(memory: Memory, *, limit: int = 50, seed: int = 0, k: int = K, tokens: int = TOKENS) -> tuple[Case, ...]:
    """Make cases from the corrections and the `why` trails of a memory, the same each time.

    A correction asks with the words that the old and the new text share: the new one, or a message it
    rests on, is expected, and the old one may only be below. A trail is asked twice: the words of the
    record should find a message it rests on, and the words of that message the record.

    Args:
        memory: The memory; its change log is that of the scope that takes writes.
        limit: The most cases; half of them are corrections where there are that many.
        seed: Another one asks about other records.
        k: Ranks that are looked at.
        tokens: The budget of each case.
    """
    limit = max(limit, 0)
    changes = memory.log(None)
    by_number = {change.number: change for change in changes}
    standing, rewritten = _standing(changes)
    most = _TRAILS * limit
    corrections = (_correction(trail, by_number) for trail in _trails(memory, rewritten, most, seed))
    both_ways = (
        case for trail in _trails(memory, standing, most, seed) for case in _both_ways(memory, trail, by_number)
    )
    found = _some(limit // 2, corrections)
    rested = _some(limit - len(found), both_ways)
    found += _some(limit - len(found) - len(rested), corrections)
    return tuple(msgspec.structs.replace(case, k=k, tokens=tokens) for case in (*found, *rested))


def _some(most: int, cases: Iterator[Case | None]) -> list[Case]:
    return list(islice((case for case in cases if case is not None), most))


def _standing(changes: list[Change]) -> tuple[list[str], list[str]]:
    """Return the records that changes made and none removed, and those of them that replaced others."""
    standing: dict[str, bool] = {}
    for change in reversed(changes):
        for record in change.removed:
            standing.pop(record, None)
        for record in change.added:
            standing[record] = record in standing or bool(change.removed)
    return list(standing), [record for record, again in standing.items() if again]


def _trails(memory: Memory, ids: list[str], most: int, seed: int) -> Iterator[Trail]:
    """Yield the trails of records, in an order that does not depend on what else there is."""

    def place(record: str) -> bytes:
        return hashlib.blake2b(f"{seed} {record}".encode("utf-8", "surrogatepass"), digest_size=8).digest()

    for record in sorted(ids, key=place)[:most]:
        try:
            trail = memory.why(record)
        except CommonplaceError:
            continue  # gone since, or its text was erased
        if trail.record == record and TRUST_RANK[trail.trust] >= TRUST_RANK["agent"]:
            yield trail


# --- corrections ---


def _correction(trail: Trail, changes: Mapping[int, Change]) -> Case | None:
    """Return a case on the subject of a record that was corrected; None if it only says more now."""
    new = _content(trail.text)
    for at, step in enumerate(trail.steps):
        old = _content(step.text)
        shared = [surface for word, surface in new.items() if word in old]
        if old.keys() <= new.keys() or new.keys() <= old.keys() or len(shared) < _SHARED:
            continue
        since = [each.change for each in trail.steps[:at]]
        rests_now = _quoted(trail, changes, since)
        rested = [source for source in _quoted(trail, changes, [step.change]) if source not in rests_now]
        current = _one_of([Target(record=trail.record), *map(_message, rests_now)])
        return Case(
            name=f"correction of {trail.record}",
            question=" ".join(shared[:_WORDS]),
            expected=(current,),
            superseded=(Target(text=step.text), *map(_message, rested)),
        )
    return None


def _quoted(trail: Trail, changes: Mapping[int, Change], numbers: list[int]) -> list[Source]:
    """Return the ids of the messages that a record came to rest on in these changes."""
    named = {source for number in numbers if number in changes for source in changes[number].sources}
    return _whole(quote.source for quote in trail.quotes if quote.source in named)


# --- trails ---


def _both_ways(memory: Memory, trail: Trail, changes: Mapping[int, Change]) -> Iterator[Case]:
    sources = _quoted(trail, changes, [step.change for step in trail.steps if step.text == trail.text])
    own = _content(trail.text)
    layer = _layer(memory, trail.record) if own and 0 < len(sources) <= _RESTS_ON else None
    if layer is None:
        return
    yield Case(
        name=f"message behind {trail.record}",
        question=" ".join(list(own.values())[:_WORDS]),
        expected=(_one_of([_message(source) for source in sources]),),
        layers=("sessions",),
    )
    asked = _asked(next(quote for quote in trail.quotes if _whole([quote.source])[0] == sources[0]), own)
    if asked:
        yield Case(
            name=f"record of {trail.record}",
            question=asked,
            expected=(Target(record=trail.record),),
            layers=(layer,),
        )


def _layer(memory: Memory, record: str) -> LayerName | None:
    """Return the layer that a record is asked for in; none for a journal's, which any of many messages would find."""
    try:
        found = memory.read(record)
    except CommonplaceError:
        return None  # somebody took it away just now
    match found:
        case Entry():
            return "documents"
        case Topic():
            return "topics"
        case Item():
            return "items"
        case JournalEntry() | RecordedMessage():
            return None


def _asked(quote: Quote, own: Mapping[str, str]) -> str:
    """Return a question of a message's words; of a long one first those that the record has too."""
    said = _content(quote.text)
    if not any(word in own for word in said):
        return ""
    chosen = sorted(said, key=lambda word: word not in own)[:_WORDS]
    return " ".join(surface for word, surface in said.items() if word in chosen)


def _whole(sources: Iterable[Source]) -> list[Source]:
    """Return messages once each, without the part that was quoted."""
    return list(dict.fromkeys(Source(source.session, source.message) for source in sources))


def _message(source: Source) -> Target:
    return Target(message=f"{source.session}#{source.message}")


def _one_of(targets: list[Target]) -> Target:
    return targets[0] if len(targets) == 1 else Target(any=tuple(targets))


def _content(text: str) -> dict[str, str]:
    """Return the words that say something, folded, each with how it is written; wide characters by pairs."""
    found: dict[str, str] = {}
    for piece in _PIECE.finditer(terms.fold(text)):
        if piece[0].isascii():
            folded = piece[0].lower()
            if folded not in terms.STOP_WORDS:
                found.setdefault(folded, piece[0])
        else:
            for word in terms.words(piece[0]):
                if word not in terms.STOP_WORDS:
                    found.setdefault(word, word)
    return found
