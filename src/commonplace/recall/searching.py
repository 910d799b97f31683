"""Recall in one scope: the index is asked, what was forgotten is left out, and trust is what it is now."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime, tzinfo
from typing import Final

import msgspec

from commonplace import guard
from commonplace.changes import edits
from commonplace.changes.forgotten import Forgotten
from commonplace.changes.heads import stamp
from commonplace.changes.overruling import Overruling, words_of
from commonplace.changes.parts import Parts
from commonplace.errors import CommonplaceError, StoreError
from commonplace.layouts.schema import Layer, Layout
from commonplace.recall.embedding import Embedding
from commonplace.recall.index import vectors
from commonplace.recall.index.near import Near
from commonplace.recall.index.rows import IndexRow
from commonplace.recall.index.sqlite import SqliteIndex
from commonplace.recall.indexing import Indexing
from commonplace.recall.search import Search
from commonplace.records import Hit, Query, Record, RecordedMessage, Topic, lowest_trust
from commonplace.store.protocol import STATE, Store
from commonplace.text import validity
from commonplace.text.content import sentences
from commonplace.text.pieces import short_name

logger = logging.getLogger(__name__)

_HIDDEN_ROOM: Final = 50  # so many messages that are no hits may be among the best hits until more are asked for
_WIDER: Final = 8


def index_path(store: Store) -> str:
    """Return the path of the file that the index of a scope is kept in."""
    return f"{store.root}/{STATE}/index.sqlite"


def indexing(store: Store, layout: Layout, zone: tzinfo, index: SqliteIndex | None = None) -> Indexing:
    """Make what keeps an index up with the files of a scope.

    Args:
        store: Holds the files.
        layout: Says which of them hold records that recall returns.
        zone: The one that files are dated in.
        index: The index; the scope's own if None, in memory if that cannot be written.
    """

    def rows(path: str, data: bytes) -> Iterable[IndexRow] | None:
        layer = layout.layer_of(path)
        if layer is None or not layer.weight:
            return None
        return [_row(layer, record) for record in edits.records(layer, path, data, zone)]

    form = zlib.crc32(repr((layout.memory, layout.sessions, layout.layers, str(zone))).encode())
    opened = _opened(store) if index is None else index
    return Indexing(store, opened, folder=layout.sessions, records=rows, form=form)


def _opened(store: Store) -> SqliteIndex:
    if store.read_only:
        return SqliteIndex(None)
    try:
        return SqliteIndex(index_path(store))
    except StoreError:
        return SqliteIndex(None)  # the file stays as it is; this index is made in memory from the files


def _row(layer: Layer, record: Record) -> IndexRow:
    at = getattr(record, "at", None)
    return IndexRow(
        record=record.id,
        text=guard.shown(record.text),
        layer=layer.kind,
        title=guard.shown(getattr(record, "title", "")),
        at_ms=int(at.timestamp() * 1000) if at else None,
        tags=getattr(record, "tags", ()),
    )


class Searching:
    """Searches one scope.

    Args:
        parts: The scope.
        indexing: Its index.
        embedding: Its vectors; words alone if None.
    """

    def __init__(self, parts: Parts, indexing: Indexing, embedding: Embedding | None) -> None:
        self._parts = parts
        self._indexing = indexing
        self._embedding = embedding
        self._forgotten: tuple[dict[str, int], Forgotten] = {}, Forgotten()
        parts.tombstones.learn_from(self._taken_back)
        self._weights: dict[str, float] = {}
        for layer in parts.layout.layers:
            self._weights[layer.kind] = max(self._weights.get(layer.kind, 0.0), layer.weight)

    def recall(
        self,
        query: Query,
        *,
        now: datetime,
        explain: bool,
        without: Collection[tuple[str, str]] = (),
        shown: bool = True,
    ) -> list[Hit]:
        """Return the best hits of a question.

        Args:
            query: The question.
            now: What its times are counted from.
            explain: Add to each hit's `why` what its score is made of.
            without: Messages, by session and id, that are no hits.
            shown: The hits are for a prompt or a person: what the assistant repeated ranks as what it was taken from.
        """
        self._parts.tombstones.catch_up(look=True)
        hidden = self._parts.tombstones.hidden()
        found_near = self._embedding.near(query.text, hidden=hidden) if self._embedding is not None else None
        room = min(len(without), _HIDDEN_ROOM)
        ledger = self._parts.ledger
        ledger.catch_up()
        overruling = Overruling(ledger, self._parts.reader)
        read: dict[tuple[str, str], RecordedMessage] = {}

        def note(message: RecordedMessage) -> None:
            read[message.session, str(message.message.id)] = self._parts.sessions.placed(message)

        while True:
            wider = msgspec.structs.replace(query, k=query.k + room)
            found = Search(
                query=wider,
                indexing=self._indexing,
                now=now.astimezone(self._parts.zone),
                config=self._parts.config.recall,
                layers=self._weights,
                near=found_near or Near(),
                hidden=hidden,
                overruling=overruling,
                written_at=ledger.written_at,
                read=note,
            ).hits(explain=explain)
            ledger.catch_up()
            today = (query.as_of or now).astimezone(self._parts.zone).date()
            kept = [left for hit in found if (left := self._given_out(hit, without, today, read)) is not None]
            if len(kept) >= query.k or len(found) < wider.k:
                break
            room = max(query.k, room * _WIDER)
        self._tidy_vectors()
        return [self._as_now(hit, read if shown else {}) for hit in kept[: query.k]]

    def _taken_back(self) -> Forgotten:
        """Return the messages that the transcripts say were forgotten; the same object while nothing changed."""
        found, sessions = self._indexing.forgetting(), self._parts.sessions
        if found != self._forgotten[0]:
            names = [name for path in found if (name := sessions.id_of(path)) is not None]
            messages = (each for name in names for each in sessions.taken_back(name))
            unsaid = (each for name in names for events in sessions.unsaid(name).values() for each in events)
            gone = ((each.name, each.at, each.along) for each in unsaid)
            hidden = (each for name in names for each in sessions.hidden(name))
            self._forgotten = found, Forgotten(messages, hidden, gone)
        return self._forgotten[1]

    def sync(self) -> int:
        """Bring index and vectors up to all files, and return how many files were looked into."""
        looked = self._indexing.catch_up(sweep=True)
        self._parts.tombstones.catch_up(look=True)
        if self._embedding is not None:
            self._embedding.fill(hidden=self._parts.tombstones.hidden)
        self._tidy_vectors()
        return looked

    def _tidy_vectors(self) -> None:
        """Without an embedder, take out what one left of texts that were forgotten or changed since."""
        if self._embedding is not None:
            return
        try:
            vectors.Vectors(self._indexing.index).tidy(vectors.mark(self._parts.tombstones.hidden()))
        except CommonplaceError:
            logger.warning("vectors of what was forgotten are taken out another time", exc_info=True)

    def _given_out(
        self,
        hit: Hit,
        without: Collection[tuple[str, str]],
        today: date,
        read: Mapping[tuple[str, str], RecordedMessage],
    ) -> Hit | None:
        """Return what recall may give of a hit: what is not forgotten, and of a record what is not over."""
        reader, tombstones = self._parts.reader, self._parts.tombstones
        said = hit.layer == "sessions"
        since = tombstones.since() if said else tombstones.since_named()
        if since is not None and since(hit.text) is not None:
            return None
        if said:
            source = hit.sources[0].session, hit.sources[0].message
            if source in without:
                return None
            left = tombstones.known().left_of_part(read[source], hit.text) if source in read else hit.text
            return _cut(hit, left)
        if validity.is_over(hit.text, today):
            return None
        return _cut(hit, reader.left_of(hit.record, hit.text, journal=hit.layer == "journals"))

    def _as_now(self, hit: Hit, read: Mapping[tuple[str, str], RecordedMessage]) -> Hit:
        if hit.layer == "sessions":
            source = hit.sources[0]
            if (message := read.get((source.session, source.message))) is None:
                return msgspec.structs.replace(hit, trust=lowest_trust([hit.trust, self._parts.reader.most]))
            (rank,) = self._parts.reader.trust_of_parts([(message, source.span or (0, len(message.text)))])
            return msgspec.structs.replace(hit, trust=rank, name=short_name(message.message.name) or "")
        made = self._parts.ledger.made(hit.record)
        return msgspec.structs.replace(
            hit,
            trust=self._parts.reader.rank(hit.record),
            sources=made[1].sources if made else hit.sources,
            at=hit.at or (made[1].said if made else None) or self._written(hit, made[0] if made else 0),
        )

    def _written(self, hit: Hit, number: int) -> datetime | None:
        """Return when a record was written, as its front matter or the change that made it says; None if unknown."""
        if hit.layer == "topics":
            found = (each for each in self._parts.reader.records(hit.record) if isinstance(each, Topic))
            if (topic := next(found, None)) is not None and (at := stamp(topic)) is not None:
                return at
        change = self._parts.ledger.change(number)
        return change.at if change is not None and "outside" not in change.kinds else None


def _cut(hit: Hit, left: str) -> Hit | None:
    """Return a hit with what is left of its text, and of the words that are over; None if nothing is left."""
    if left == hit.text or not left:
        return hit if left else None
    hit = msgspec.structs.replace(hit, text=left)
    if not hit.superseded_words:
        return hit
    over = [sentence for sentence in sentences(hit.superseded_words) if sentence in left]
    by = hit.superseded_by if over else ""
    return msgspec.structs.replace(hit, superseded_by=by, superseded_words=words_of(left, over))
