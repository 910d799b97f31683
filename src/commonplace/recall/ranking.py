"""Rank what the index found: passages of messages in the light of their turn and their session. Pure.

A passage scores by the rareness of the question's words it holds. A message takes its best passage,
then a part of what its neighbours score (an answer often shares no word with its question), and of
what its whole session scores. Source: retrieval notes, section 5.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

import msgspec

from commonplace.config import RecallConfig
from commonplace.index.rows import (
    DATED,
    HIDDEN,
    LENGTH_MASK,
    LENGTH_SHIFT,
    MESSAGE_BITS,
    PASSAGE_BITS,
    QUESTION,
    ROLE_MASK,
    SLOT_MESSAGES,
    Slot,
)
from commonplace.recall.question import Question


class Ranked(msgspec.Struct):
    """One message in the ranking: its packed key (slot, message), its best passage, the parts of its score."""

    key: int
    row: int
    score: float
    parts: dict[str, float]


def rareness(found: Sequence[int], total: int) -> list[float]:
    """Weigh words by how few rows hold them; a word on no row weighs nothing."""
    return [math.log(1 + (total - count + 0.5) / (count + 0.5)) if count else 0.0 for count in found]


def messages(
    masks: Mapping[int, int],
    weights: Sequence[float],
    slots: Mapping[int, Slot],
    question: Question,
    config: RecallConfig,
) -> list[Ranked]:
    """Rank messages, best first; only those with a score above 0."""
    sums = _Sums(weights)
    best, where, session_masks = _best_passages(masks, sums, slots, config)
    if not best:
        return []
    named = _named_speakers(slots, question)
    top = heapq.nlargest(config.candidates, best, key=best.__getitem__)
    keys = {key + step for key in top for step in (-2, -1, 0, 1, 2)} if config.neighbour else set(top)
    strongest_session = max((sums[mask] for mask in session_masks.values()), default=0.0)
    scored: list[tuple[float, int, float, float, float, float]] = []
    get = best.get
    for key in keys:
        slot = slots.get(key >> MESSAGE_BITS)
        at = key & (SLOT_MESSAGES - 1)
        if slot is None or at >= len(slot.flags):
            continue
        flags = slot.flags[at]
        if flags & HIDDEN:
            continue
        own = get(key, 0.0)
        around = carried = 0.0
        if flags & ROLE_MASK == 0:
            before = get(key - 1, 0.0) if at else 0.0
            after = get(key + 1, 0.0) if at + 1 < len(slot.flags) else 0.0
            around = config.neighbour * (before + after)
            if at and slot.flags[at - 1] & QUESTION:
                carried = config.answer * before
        score = own + around + carried
        if not score:
            continue
        if named and slot.speakers[at] and slot.names[slot.speakers[at] - 1] in named:
            score *= config.speaker
        if question.asks_when and flags & DATED:
            score *= config.dated
        scored.append((score, key, own, around, carried, 0.0))
    if not scored:
        return []
    strongest = max(scored)[0]
    ranked: list[Ranked] = []
    for score, key, own, around, carried, _ in scored:
        prior = config.session * sums[session_masks.get(key >> MESSAGE_BITS, 0)] / (strongest_session or 1.0)
        ranked.append(
            Ranked(
                key,
                where.get(key, key << PASSAGE_BITS),
                score / strongest + prior,
                {"words": own, "neighbours": around, "answers": carried, "session": prior},
            )
        )
    ranked.sort(key=lambda each: (-each.score, each.key))
    return ranked


class _Sums(dict[int, float]):
    """Word weights summed over a mask, remembered."""

    def __init__(self, weights: Sequence[float]) -> None:
        super().__init__()
        self._weights = weights

    def __missing__(self, mask: int) -> float:
        total = 0.0
        left = mask
        while left:
            low = left & -left
            total += self._weights[low.bit_length() - 1]
            left ^= low
        self[mask] = total
        return total


def _best_passages(
    masks: Mapping[int, int], sums: _Sums, slots: Mapping[int, Slot], config: RecallConfig
) -> tuple[dict[int, float], dict[int, int], dict[int, int]]:
    best: dict[int, float] = {}
    where: dict[int, int] = {}
    session_masks: dict[int, int] = {}
    for row, mask in masks.items():
        key = row >> PASSAGE_BITS
        score = sums[mask]
        if score > best.get(key, 0.0):
            best[key] = score
            where[key] = row
        slot = key >> MESSAGE_BITS
        session_masks[slot] = session_masks.get(slot, 0) | mask
    factors = _factors(config)
    for key in list(best):
        slot_of = slots.get(key >> MESSAGE_BITS)
        if slot_of is None:
            del best[key]
            continue
        best[key] *= factors[slot_of.flags[key & (SLOT_MESSAGES - 1)] & 0x7F]
    return best, where, session_masks


def _factors(config: RecallConfig) -> list[float]:
    """What each flag byte makes of a score: role and length."""
    made: list[float] = []
    for flags in range(128):
        length = (flags >> LENGTH_SHIFT & LENGTH_MASK) / (LENGTH_MASK + 1)
        role = config.user if flags & ROLE_MASK == 0 else 1.0
        made.append(role / (1 - config.length / 2 + config.length * length))
    return made


def _named_speakers(slots: Mapping[int, Slot], question: Question) -> set[str]:
    names = {name for slot in slots.values() for name in slot.names}
    named = {name for name in names if name.lower() in question.lowered}
    return named if len(named) == 1 else set()
