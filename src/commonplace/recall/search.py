"""Answer a question from the index: collect, rank, read back, choose.

The only part of recall that touches the index and the store; what makes a hit better than another is
decided in `ranking`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from commonplace.config import RecallConfig
from commonplace.index import passages, rows
from commonplace.index.rows import MESSAGE_BITS, PASSAGE_BITS, SLOT_MESSAGES
from commonplace.indexing import Indexing
from commonplace.recall import question as questions
from commonplace.recall import ranking
from commonplace.records import LAYERS, Hit, Query, RecordedMessage, Source

DEFAULT_WEIGHTS: Final[Mapping[str, float]] = {
    "sessions": 1.0,
    "documents": 1.0,
    "journals": 1.0,
    "topics": 1.0,
    "items": 1.0,
}


def search(
    query: Query,
    *,
    indexing: Indexing,
    now: datetime,
    config: RecallConfig,
    explain: bool = False,
    weights: Mapping[str, float] | None = None,
) -> list[Hit]:
    """Give the best hits of a question, best first; empty when nothing fits."""
    indexing.catch_up()
    return indexing.answer(lambda _: _search(query, indexing, now, config, explain=explain, weights=weights))


def _search(
    query: Query,
    indexing: Indexing,
    now: datetime,
    config: RecallConfig,
    *,
    explain: bool,
    weights: Mapping[str, float] | None,
) -> list[Hit]:
    question = questions.read(query.text, now)
    if not question.words:
        return []
    index = indexing.index
    layers = query.layers or LAYERS
    found = index.search(question.words, messages="sessions" in layers, notes=bool({*layers} - {"sessions"}))
    idf = ranking.rareness(found.found, found.total)
    slots = index.slots()
    ranked = ranking.messages(found.messages, idf, slots, question, config)
    hits: list[Hit] = []
    places = {}
    for each in ranked:
        if len(hits) >= query.k:
            break
        number = each.key >> MESSAGE_BITS
        slot = slots[number]
        if number not in places:
            places[number] = index.places(number)
        where = places[number]
        if where is None:
            continue
        message = indexing.message(where, slot.path, slot.session, each.key & (SLOT_MESSAGES - 1))
        if message is None:
            continue
        hits.append(_hit(message, each, config, explain=explain))
    return hits


def _hit(message: RecordedMessage, ranked: ranking.Ranked, config: RecallConfig, *, explain: bool) -> Hit:
    text = message.text
    spans = passages.passages(text, config.passage_chars)
    wanted = ranked.row & ((1 << PASSAGE_BITS) - 1)
    start, end = next(
        span for at, span in enumerate(spans) if rows.fold_passage(at, len(spans)) == min(wanted, len(spans) - 1)
    )
    shown = text[start:end].strip()
    span = None if (start, end) == (0, len(text)) else (start, end)
    at = message.message.at
    return Hit(
        record=message.id,
        text=shown,
        score=ranked.score,
        layer="sessions",
        sources=(Source(message.session, message.message.id or "", span),),
        trust=message.message.trust or "user",
        at=at.astimezone(UTC) if at else None,
        why=dict(ranked.parts) if explain else {},
    )
