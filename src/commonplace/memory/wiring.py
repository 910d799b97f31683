"""One scope, wired: its store, its transcripts, its index, and what searches them.

The only place where the parts of the engine meet; `memory` gives them their public shape.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from functools import partial
from typing import Final

import msgspec

from commonplace import guard
from commonplace.changes import edits
from commonplace.changes.actors import LIBRARY
from commonplace.changes.drift import Drift
from commonplace.changes.log import Ledger
from commonplace.changes.merging import merging
from commonplace.changes.past import PastStore
from commonplace.changes.reader import Reader
from commonplace.changes.sessions import Sessions
from commonplace.changes.tombstones import Tombstones
from commonplace.config import Clock, Config
from commonplace.errors import (
    CommonplaceError,
    DamagedError,
    IndexVersionError,
    RecordNotFoundError,
    StoreError,
    require_text,
)
from commonplace.jobs.schedule import Mode
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.schema import Layer, Layout, for_project
from commonplace.memory import doctor
from commonplace.memory.changing import Changing
from commonplace.models.protocol import LLM
from commonplace.recall import search
from commonplace.recall.embedding import Guarded
from commonplace.recall.index import near, vectors
from commonplace.recall.index.looking import copied
from commonplace.recall.index.rows import IndexRow
from commonplace.recall.index.sqlite import SqliteIndex
from commonplace.recall.indexing import Indexing
from commonplace.recall.prompt.capped import CappedBlock
from commonplace.recall.prompt.sections import Sections
from commonplace.records import TRUST_RANK, Hit, Outcome, Problem, Query, Record, Report, Trust
from commonplace.store.files.store import FilesStore
from commonplace.store.protocol import STATE, Store
from commonplace.store.seen import Seen
from commonplace.text.pieces import encode_name

logger = logging.getLogger(__name__)

_HIDDEN_ROOM: Final = 50  # so many forgotten messages may stand among the best hits until more are asked for
_LOOKS: Final = 20  # an editor that saves without end gets its way
_WIDER: Final = 8


class Scope:
    """The engine's parts for one scope.

    Args:
        location: The folder that `Memory.open` was given.
        name: `default` is the location itself; others have a folder of their own in it.
        at: Give the scope as it was at this instant, read-only.
        llm: The model, not yet metered.
        embedder: Turns texts into vectors; words alone where None.
        mode: Who runs the jobs.
    """

    def __init__(
        self,
        location: str,
        name: str,
        *,
        layout: Layout,
        config: Config,
        clock: Clock,
        read_only: bool = False,
        at: datetime | None = None,
        llm: LLM | None = None,
        embedder: Guarded | None = None,
        mode: Mode = "thread",
    ) -> None:
        self.name = name
        self.layout = layout = for_project(layout, config.facts.project)
        self.config = config
        self.zone = config.zone
        self._location = location
        self._clock = clock
        self.store = self._open_store(read_only=read_only, at=at)
        self.sessions = self._open_sessions()
        self._past = at is not None
        self._index_path = f"{self.store.root}/{STATE}/index.sqlite"
        self.indexing = self._indexing(self._open_index())
        self._llm = llm
        self._mode = mode
        self._making = threading.Lock()
        self._changing: Changing | None = None
        self.note: Callable[[str], None] = self._note
        """Have it noted that a session grew, unless a worker process looks after what that makes due."""
        self._wire_reading()
        self._wire_vectors(embedder)

    def _open_store(self, *, read_only: bool, at: datetime | None) -> Store:
        inside = "" if self.name == "default" else "/" + self.layout.scopes.format(scope=encode_name(self.name))
        store = FilesStore(
            self._location + inside,
            clock=self._clock,
            config=self.config.store,
            read_only=read_only or at is not None,
            rebase=merging(self.layout),
        )
        return store if at is None else PastStore(store, sessions=self.layout.sessions, instant=at)

    def _open_sessions(self) -> Sessions:
        return Sessions(
            self.store,
            screen=guard.screen,
            screen_content=guard.encodable if self.config.guard.raw_transcripts else None,
            clock=self._clock,
            guard=self.config.guard,
            folder=self.layout.sessions,
            zone=self.config.timezone,
            max_line_bytes=self.config.store.max_line_bytes,
            forgotten=lambda: self.tombstones.since(),  # noqa: PLW0108 - they are made later, with the key
        )

    def _wire_reading(self) -> None:
        """Make what reads memory: ledger, reader, drift, what is shown."""
        layout = self.layout
        trust: Trust = "agent" if layout.agent_edits_files else "user"
        self.ledger = Ledger(self.store.since)
        self.tombstones = Tombstones(self.store, self.key)
        self.reader = Reader(
            self.store, layout, self.sessions, self.ledger,
            zone=self.zone, writers_trust=trust, forgotten=self.tombstones.since_named,
        )  # fmt: skip
        self._seen = Seen(None if self.store.read_only else f"{self.store.root}/{STATE}/seen.sqlite")
        self.drift = Drift(
            self.store, layout, self._seen, self.ledger, zone=self.zone, trust=trust, noticed=self.indexing.notice
        )
        self.sessions.through(
            lambda operations: self.changing.door.commit(operations, actor=LIBRARY, reason="asked for")
        )
        self.capped = self._capped() if layout.block == "capped" else None
        self.sections = self._sections()

    @property
    def changing(self) -> Changing:
        """What changes this scope, loaded and made when it is first asked for."""
        if self._changing is None:
            with self._making:
                if self._changing is None:
                    self._changing = self._wire_changing()
        return self._changing

    def _wire_changing(self) -> Changing:
        return Changing(
            self.store,
            layout=self.layout,
            config=self.config,
            clock=self._clock,
            zone=self.zone,
            sessions=self.sessions,
            ledger=self.ledger,
            reader=self.reader,
            drift=self.drift,
            tombstones=self.tombstones,
            llm=self._llm,
            mode=self._mode,
        )

    def _note(self, session: str) -> None:
        if self._mode != "worker":
            self.note = self.changing.schedule.note  # which each later append finds without a way around
            self.note(session)

    def prepare(self, session: str | None) -> None:
        """Finish the model-free jobs that are due, so that a context sees what they noted."""
        if self._mode != "worker":
            self.changing.schedule.prepare(session)

    def _wire_vectors(self, embedder: Guarded | None) -> None:
        """Make what keeps vectors; none where there is no embedder."""
        self.embedding = (
            embedder.scope(
                indexing=self.indexing,
                store=self.store,
                config=self.config.recall,
                seconds=self.config.model.timeout_seconds,
                meter=self.changing.meter,
            )
            if embedder is not None
            else None
        )

    @property
    def embeds(self) -> bool:
        """Whether what is asked of this scope may wait for an embedder."""
        return self.embedding is not None and not self.store.read_only

    def _tidy_vectors(self) -> None:
        """Without an embedder, take out what one left of texts that were forgotten or changed since."""
        index = self.indexing.index
        if self.embedding is not None or not near.holds_vectors(index):
            return
        try:
            vectors.Vectors(index).tidy(vectors.mark(self.tombstones.hidden()))
        except CommonplaceError:
            logger.warning("vectors of what was forgotten are taken out another time", exc_info=True)

    def _capped(self) -> CappedBlock:
        return CappedBlock(
            self.store,
            layout=self.layout,
            config=self.config,
            reader=self.reader,
            ledger=self.ledger,
            sessions=self.sessions,
            tombstones=self.tombstones,
            zone=self.zone,
        )

    def _sections(self) -> Sections:
        return Sections(
            self.store,
            layout=self.layout,
            config=self.config,
            reader=self.reader,
            ledger=self.ledger,
            drift=self.drift,
            sessions=self.sessions,
            capped=self.capped,
            clock=self._clock,
            zone=self.zone,
        )

    def _indexing(self, index: SqliteIndex) -> Indexing:
        return Indexing(self.store, index, folder=self.layout.sessions, records=self._rows)

    def _open_index(self) -> SqliteIndex:
        if self.store.read_only:
            return SqliteIndex(None)
        try:
            return SqliteIndex(self._index_path)
        except (IndexVersionError, StoreError):
            return SqliteIndex(None)  # theirs stays as it is; ours is made in memory from the files

    def _rows(self, path: str, data: bytes) -> Iterable[IndexRow] | None:
        layer = self.layout.layer_of(path)
        if layer is None or not layer.weight:
            return None
        return [_row(layer, record) for record in edits.records(layer, path, data, self.zone)]

    def now(self) -> datetime:
        """Give the instant now, in the zone that files are dated in."""
        return self._clock().astimezone(self.zone)

    @property
    def key(self) -> bytes:
        """The scope's own key."""
        return self.store.key()

    def recall(self, query: Query, *, now: datetime, explain: bool) -> list[Hit]:
        """Search this scope; what was forgotten is left out, trust is what it is now."""
        self.sections.look()
        weights: dict[str, float] = {}
        for layer in self.layout.layers:
            weights[layer.kind] = max(weights.get(layer.kind, 0.0), layer.weight)
        hidden = self.tombstones.hidden()
        found_near = self.embedding.near(query.text, hidden=hidden) if self.embedding is not None else None
        room = min(len(hidden), _HIDDEN_ROOM)
        self.ledger.catch_up()
        superseded = self.ledger.superseded()
        while True:
            wider = msgspec.structs.replace(query, k=query.k + room)
            found = search.search(
                wider,
                indexing=self.indexing,
                now=now.astimezone(self.zone),
                config=self.config.recall,
                explain=explain,
                weights=weights,
                near=found_near,
                superseded=superseded,
                written_at=self.ledger.written_at,
            )
            self.ledger.catch_up()
            kept = [hit for hit in found if self._given_out(hit, hidden)]
            if len(kept) >= query.k or len(found) < wider.k or room >= len(hidden):
                break
            room = min(len(hidden), room * _WIDER)
        self._tidy_vectors()
        return [self._as_now(hit) for hit in kept[: query.k]]

    def _given_out(self, hit: Hit, hidden: Collection[tuple[str, str]]) -> bool:
        """Say whether recall may give a hit: not forgotten, and trusted as much as its layer asks for."""
        if any((s.session, s.message) in hidden for s in hit.sources):
            return False
        layer = None if hit.layer == "sessions" else self.layout.layer_of(split_id(hit.record)[0])
        return layer is None or TRUST_RANK[self.reader.rank(hit.record)] >= TRUST_RANK[layer.recall_from]

    def _as_now(self, hit: Hit) -> Hit:
        if hit.layer == "sessions":
            return hit
        made = self.ledger.made(hit.record)
        return msgspec.structs.replace(
            hit,
            trust=self.reader.rank(hit.record),
            sources=made[1].sources if made else hit.sources,
        )

    def end(self, session_id: str) -> Outcome:
        """Consolidate a session and mark it as ended; what it is shown from then on is as of then."""
        outcome = self.changing.windows.end(session_id)
        if self.capped is not None:
            self.capped.thaw(session_id)
        return outcome

    def find(self, record_id: str) -> Record:
        """Give the record of an id, or what replaced it, edits made outside included.

        Raises:
            GoneError: It was removed or forgotten.
            RecordNotFoundError: There is none.
        """
        require_text(record_id, "a record id")
        path = split_id(record_id)[0]
        watched = [path] if self.layout.layer_of(path) is not None else []
        for _ in range(_LOOKS):
            self.drift.look(watched)
            try:
                return self.reader.find(record_id)
            except RecordNotFoundError:
                if not self.drift.moved(watched):  # else an editor was at it since the look: look again
                    raise
        return self.reader.find(record_id)

    def examine(self, *, fix: bool) -> Report:
        """Look for damage and drift; mend only when asked."""
        items = [path for _, path in self.reader.files(lambda layer: layer.kind == "items")]
        of = self.layout
        look = partial(doctor.examine, self.store, memory=of.memory, transcripts=of.sessions, items=items)
        if not self.store.read_only:
            return look(self.indexing, fix=fix)
        try:
            with copied(self._index_path) as index:
                looked = None if index is None or self._past else self._indexing(index)
                return look(looked)
        except DamagedError as error:
            report = look(None)
            damage = Problem(kind="drift", path="index", reason=str(error))
            return msgspec.structs.replace(report, problems=(*report.problems, damage))

    def sync(self) -> int:
        """Look at every file, log what was edited outside, and bring the index up to it."""
        edited = self.drift.sweep()
        self.changing.door.keep_up()
        looked = self.indexing.catch_up(sweep=True)
        if self.embedding is not None:
            self.embedding.fill(hidden=self.tombstones.hidden)
        self._tidy_vectors()
        return max(len(edited), looked)

    def databases(self) -> tuple[SqliteIndex, Seen]:
        """Give the SQLite files of this scope."""
        return self.indexing.index, self._seen

    def close(self) -> None:
        """Finish the jobs under way, then let go of files and the index; what was acknowledged stays."""
        if self._changing is not None:
            self._changing.schedule.close(self.config.consolidation.close_seconds)
        if self.embedding is not None:
            self.embedding.close()
        self.indexing.index.close()
        self._seen.close()
        self.store.close()


def _row(layer: Layer, record: Record) -> IndexRow:
    at = getattr(record, "at", None)
    return IndexRow(
        record=record.id,
        text=guard.shown(record.text),
        layer=layer.kind,
        title=guard.shown(getattr(record, "title", "")),
        kind=getattr(record, "kind", ""),
        at_ms=int(at.timestamp() * 1000) if at else None,
        tags=getattr(record, "tags", ()),
    )
