"""Score typed items for a question and choose those that enter a prompt: per layer, each once, inside two budgets.

Pure. An item that was not written again for long counts less, and is never deleted for it.

Source: seed systems 3.1, with the vectors of its scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Final

import msgspec

from commonplace.layouts.item_model import MemoryItem
from commonplace.text import content

TYPE_BOOST: Final = (
    dict.fromkeys(("FAILURE", "FIX", "CONSTRAINT"), 0.12)
    | dict.fromkeys(("DECISION", "PROJECT_FACT", "PREFERENCE"), 0.08)
    | dict.fromkeys(("TASK_STATE", "COMMAND_RESULT"), 0.05)
)
_LEXICAL, _RECENT, _SALIENT, _SURE = 0.40, 0.20, 0.20, 0.20
_SKILL: Final = 0.10
_UNASKED: Final = 0.20  # what every item has of a question that is not there
_UNDATED: Final = 0.30
_RECENT_DAYS: Final = 30
_SALIENCE: Final = 0.50  # of an item that says none
_CONFIDENCE: Final = 0.55
_FADED: Final = 0.50  # what is left of the score of an item that is past its time
_BEYOND_SOFT: Final = 0.85  # from this score on, an item may go over the soft budget
_LEAST_TOKENS: Final = 20
_LONGEST_DAYS: Final = 1e6
BUDGET: Final = "over the pack's budget"


class ItemQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of the items, and how many may come.

    `top_k` is by layer; a layer that it does not name gives nothing. `skill` is the tag of what the agent does now.
    `decay_days` of 0 lets nothing fade. The items whose ids are in `stays` come first, whatever their score, as far as
    the hard budget goes; they take no place and nothing of the soft budget from the others.
    """

    text: str = ""
    skill: str = ""
    top_k: Mapping[str, int] = {}
    soft_tokens: int = 1800
    max_tokens: int = 3500
    decay_days: int = 30
    stays: frozenset[str] = frozenset()


class Scored(msgspec.Struct, frozen=True):
    """An item and how much it is worth now; one that `stays` is chosen whatever that is."""

    item: MemoryItem
    score: float
    stays: bool = False


class Pack(msgspec.Struct, frozen=True):
    """The items that were chosen, the best first, and those for which the budget had no room."""

    items: tuple[Scored, ...] = ()
    dropped: tuple[Scored, ...] = ()
    candidates: int = 0
    tokens: int = 0

    @property
    def diagnostics(self) -> dict[str, int]:
        """How many items there were to choose from, how many were chosen and dropped, and what they cost."""
        return {
            "candidateCount": self.candidates,
            "selectedCount": len(self.items),
            "droppedByBudget": len(self.dropped),
            "estimatedTokens": self.tokens,
        }


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    return content.keywords(text)


def score(
    item: MemoryItem, now: datetime, *, asked: frozenset[str] = frozenset(), skill: str = "", decay_days: int = 30
) -> float:
    """Return how much an item is worth: by its words, its age, its weight and its type."""
    held = _words(f"{item.title} {item.content} {' '.join(item.tags)}") if asked else frozenset[str]()
    lexical = len(asked & held) / len(asked) if asked else _UNASKED
    days = (now - item.at).days if item.at is not None else None
    recent = _UNDATED if days is None else min(1.0, max(0.0, 1 - days / _RECENT_DAYS))
    found = (
        _LEXICAL * lexical
        + _RECENT * recent
        + _SALIENT * (_SALIENCE if item.salience is None else item.salience)
        + _SURE * (_CONFIDENCE if item.confidence is None else item.confidence)
        + TYPE_BOOST.get(item.type, 0.0)
        + (_SKILL if skill and skill in item.tags else 0.0)
    )
    return found * _FADED if faded(item, now, decay_days) else found


def faded(item: MemoryItem, now: datetime, decay_days: int) -> bool:
    """True if an item is past its own time to live, or was not written for so many days."""
    if not decay_days:
        return False
    since, days = item.created_at, item.ttl_days
    outlived = since is not None and days is not None and now - since > timedelta(days=min(days, _LONGEST_DAYS))
    return outlived or (item.at is not None and now - item.at > timedelta(days=decay_days))


def tokens_of(item: MemoryItem) -> int:
    """Estimate what an item costs in a prompt."""
    chars = len(item.title) + len(item.content) + sum(len(tag) + 1 for tag in item.tags)
    return max(_LEAST_TOKENS, chars // 4 + 8)


def choose(items: Iterable[MemoryItem], query: ItemQuery, now: datetime) -> Pack:
    """Choose the items that a prompt shows for a question, or without one."""
    asked = content.keywords(query.text)
    worth = partial(score, now=now, asked=asked, skill=query.skill, decay_days=query.decay_days)
    return within([Scored(item, worth(item), item.id in query.stays) for item in items], query)


def within(scored: Sequence[Scored], query: ItemQuery) -> Pack:
    """Choose from items that have their score: those that stay, then the best of each layer, while budgets last."""
    left = dict(query.top_k)
    seen: set[str] = set()
    chosen: list[Scored] = []
    for each in sorted(scored, key=_order):
        mark = each.item.fingerprint or each.item.id
        if mark not in seen and (each.stays or left.get(each.item.layer, 0) > 0):
            seen.add(mark)
            left[each.item.layer] = left.get(each.item.layer, 0) - (not each.stays)
            chosen.append(each)
    kept: list[Scored] = []
    dropped: list[Scored] = []
    spent = soft = 0
    hard = max(query.soft_tokens, query.max_tokens)
    for each in chosen:
        cost = tokens_of(each.item)
        goes_over = each.stays or each.score >= _BEYOND_SOFT
        if spent + cost <= hard and (goes_over or soft + cost <= query.soft_tokens):
            spent += cost
            soft += 0 if each.stays else cost
            kept.append(each)
        else:
            dropped.append(each)
    return Pack(tuple(kept), tuple(dropped), len(scored), spent)


def _order(scored: Scored) -> tuple[bool, float, float, str]:
    at = scored.item.at
    return not scored.stays, -scored.score, -(at.timestamp() if at is not None else 0.0), scored.item.id
