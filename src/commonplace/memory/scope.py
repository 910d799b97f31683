"""One scope: the parts of the engine put together, over its files.

The only place where they meet; `memory` gives them their public shape.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import msgspec

from commonplace.changes import edits
from commonplace.changes.actors import LIBRARY, Actor
from commonplace.changes.door import Door
from commonplace.changes.erasing import Erasing
from commonplace.changes.forgetting import Forgetting
from commonplace.changes.history import History
from commonplace.changes.listing import over_limits
from commonplace.changes.merging import merging
from commonplace.changes.overflow import over_caps
from commonplace.changes.parts import Parts
from commonplace.changes.past import PastStore
from commonplace.changes.plan import files_of
from commonplace.changes.review import Queue
from commonplace.changes.sessions import Sessions
from commonplace.changes.transcripts import Event, event_line
from commonplace.config import Clock, Config
from commonplace.errors import (
    CommonplaceError,
    DamagedError,
    InputError,
    RecordNotFoundError,
    ScopeError,
    StoreError,
    require_text,
)
from commonplace.guard import screen
from commonplace.guard.proposed import sentences_of
from commonplace.guard.screened import Screened
from commonplace.jobs import triggers
from commonplace.jobs.consolidators import merge
from commonplace.jobs.schedule import Schedule
from commonplace.jobs.table import Jobs
from commonplace.jobs.views import Views
from commonplace.jobs.windows import Windows
from commonplace.layouts import tree
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.knobs import jobs_of
from commonplace.layouts.schema import Layer, Layout, for_project
from commonplace.memory import doctor
from commonplace.memory.arguments import Opening
from commonplace.memory.unstored import Unstored
from commonplace.models import spending
from commonplace.models.protocol import LLM
from commonplace.operations import AddEntry, Forget, MoveWindow, Operation
from commonplace.recall import searching, select
from commonplace.recall.embedding import Embedding, Guarded
from commonplace.recall.index.looking import copied
from commonplace.recall.index.sqlite import SqliteIndex
from commonplace.recall.indexing import Indexing
from commonplace.recall.prompt.sections import Sections
from commonplace.recall.searching import Searching
from commonplace.recall.surfacing import Surfacing
from commonplace.records import (
    TRUST_RANK,
    Hit,
    Message,
    Outcome,
    Problem,
    Query,
    Record,
    Report,
    Session,
    Source,
    Topic,
)
from commonplace.store.files import machine
from commonplace.store.files.store import FilesStore
from commonplace.store.protocol import STATE, Store
from commonplace.store.seen import Seen
from commonplace.store.sqlite_file import IndexFile
from commonplace.text.patterns import pattern

logger = logging.getLogger(__name__)

SPENDING: Final = f"{STATE}/spending.jsonl"
"""The ledger of model calls, one line a call."""

_UNMERGED: Final = pattern(rb"^<{7} .*?^>{7} ", re.MULTILINE | re.DOTALL)
_KEPT: Final = (
    "this memory is kept in the layout %r, as %s says, and is opened in %r: it is only read; name that layout"
)
_RELATED: Final = 40  # hits of a range among the documents, shown entries included
_INPUT_SHARE: Final = 0.8  # seed structured: of what a model takes
_LOOKS: Final = 20  # an editor that saves without end gets its way


class Transcripts(Sessions):
    """The transcripts of a scope, of which one can also be described, cleared or deleted."""

    def __init__(self, of: Parts, door: Door) -> None:
        vars(self).update(vars(of.sessions))  # what was read of the transcripts is kept once
        self._door, self._files, self._now = door, of.store, of.clock
        self._look = of.look_at_instructions

    def clear(self, session_id: str) -> Outcome:
        """Begin the live window after the last message; nothing is deleted, and `undo` opens it again.

        Raises:
            RecordNotFoundError: There is no such session.
        """
        move = MoveWindow(session=session_id, to=self.state(session_id).messages, why="reset")
        return self._door.commit([move], actor=LIBRARY, reason="asked for")

    def delete(self, session_id: str) -> Outcome:
        """Hide every message of a session from recall, context and jobs; `undo` shows them again.

        Raises:
            RecordNotFoundError: There is no such session.
        """
        self.state(session_id)
        self._look()
        return self._door.commit([Forget(record=self.path(session_id))], actor=LIBRARY, reason="asked for")

    def describe(
        self, session_id: str, *, paused: bool | None = None, metadata: Mapping[str, Any] | None = None
    ) -> Session:
        """Keep what the host says of a session; what is left out stays.

        Args:
            session_id: The session; it is made if there is none.
            paused: Whether the host has paused it.
            metadata: Takes the place of what was kept: names, and values that have a place in JSON.

        Raises:
            InputError: The metadata is no mapping, or holds what has no place in JSON.
        """
        known = self.get_or_create(session_id)
        given = known.metadata if metadata is None else metadata
        try:
            plain = msgspec.json.decode(msgspec.json.encode(dict(given)), type=dict[str, Any])
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise InputError(f"metadata is a mapping of what has a place in JSON: {error}") from error
        event = Event("about", self._now(), paused=known.paused if paused is None else paused, metadata=plain)
        self._files.append(self.path(session_id), [event_line(event)])
        return self.state(session_id)


class Scope:
    """The engine's parts for one scope.

    Args:
        opening: What the memory is opened with; its model and embedder are those below.
        name: `default` is the location itself; others have a folder of their own in it.
        llm: The model, not yet metered.
        embedder: Turns texts into vectors; words alone if None.
    """

    def __init__(self, opening: Opening, name: str, *, llm: LLM | None, embedder: Guarded | None) -> None:
        location, config, clock, at = opening.location, opening.config, opening.clock, opening.at
        layout = for_project(opening.layout, config.project)
        layout = msgspec.structs.replace(layout, jobs=jobs_of(layout, config))
        folder = f"{location}/{layout.scopes.folder(name)}".rstrip("/")
        new = machine.is_accepted(f"{folder}/{STATE}") is None
        if new and name != "default" and screen(name).text != name:
            raise ScopeError(f"{screen(name).text!r} is no scope: it holds a secret or hidden characters", scope="")
        foreign = opening.found and is_foreign(folder, layout, clock, config)
        store: Store = FilesStore(
            folder, clock=clock, config=config.store, read_only=opening.read_only or foreign or at is not None,
            rebase=merging(layout), layout=(location, opening.kept_as),
        )  # fmt: skip
        store = store if at is None else PastStore(store, sessions=layout.sessions, instant=at)
        self.name, self.title = name, layout.scopes.called(name) or name
        self.indexing = searching.indexing(store, layout, config.zone)
        self._past = at is not None
        self._mode = opening.mode
        self._seen = Seen(None if store.read_only else f"{store.root}/{STATE}/seen.sqlite")
        self.parts = of = Parts(
            store,
            layout=layout,
            config=config,
            clock=clock,
            seen=self._seen,
            noticed=self.indexing.notice,
            foreign=foreign,
            scope=layout.scopes.called(name),
        )
        self.store, self.layout, self.config, self.zone = store, layout, config, of.zone
        self.sessions, self.ledger, self.reader, self.drift = of.sessions, of.ledger, of.reader, of.drift
        self.tombstones, self.now = of.tombstones, of.now
        self._all_projects = opening.layout
        if left_out := self._left_out():
            logger.warning("%s", _kept_otherwise(layout.name, left_out))
        if kept := machine.kept_otherwise(location, opening.kept_as):
            logger.warning(_KEPT, kept, machine.LAYOUT, opening.kept_as)
        self._wire_changing(llm)
        self.embedding = Embedding(embedder, of, self.indexing, self.spending) if embedder is not None else None
        self.searching = Searching(of, self.indexing, self.embedding)
        shown = [name for row in layout.prompt if row.renderer == "surfaced" for name in row.of]
        self.surfacing = Surfacing(of, self.searching, shown)
        self.sections = Sections(of, self.surfacing)

    def _wire_changing(self, llm: LLM | None) -> None:
        """Make what changes memory: the door, the past, review, and the jobs with their model."""
        of, config = self.parts, self.config
        self.door = Door(of)
        most = 0 if of.store.read_only else config.store.unstored_messages
        self._unstored = Unstored(of.sessions, of.clock, most)
        self.transcripts = Transcripts(of, self.door)
        self.history = History(of, self.door)
        erasing = Erasing(of, self.door, self._seen.reopen)
        erasing.finish()
        self.forgetting = Forgetting(of, self.door, erasing, self.history.why)
        self.review = Queue(of, self.door)
        self.spending = spending.Ledger(
            config.spending, self._note_spend, self._spend_lines, clock=of.clock, zone=of.zone
        )
        self.llm = spending.MeteredLLM(llm, self.spending) if llm is not None else None
        self.views = Views(of, self._related, self._search)
        self.jobs = Jobs(of, self.door, self.views, self.llm)
        self.windows = Windows(of, self.door, self.jobs, self.views, self.llm)
        declared = ((job.name, each.when, each.over) for job in of.layout.jobs for each in job.triggers)
        rules = triggers.rules(declared, _numbers(config))
        self.schedule = Schedule(self.jobs, self.windows, of.sessions, rules=rules, mode=self._mode, clock=of.clock)

    def _search(self, query: Query) -> list[Hit]:
        """Search for a job that asks."""
        return self.searching.recall(query, now=self.now(), explain=False, shown=False)

    def _note_spend(self, line: Screened) -> None:
        self.store.append(SPENDING, [line], durable=False)

    def _spend_lines(self) -> Sequence[bytes]:
        blob = self.store.read(SPENDING)
        return blob.data.splitlines() if blob else ()

    def file(self, layer: Layer) -> str:
        """Return the file of a layer that takes what is written now."""
        return files_of(self.layout, layer, self.now())

    def append(self, session: str, messages: Sequence[Message], *, agent: str, kind: str) -> list[Source]:
        """Append to a session; no sources are returned of messages that the disk refused and that wait."""
        self.store_rest()
        sources, new = self._unstored.append(session, messages, agent=agent, kind=kind)
        if new:
            self.note(session)
        return sources

    def store_rest(self) -> None:
        """Store the messages that wait because the disk refused them, as far as it takes them now."""
        for session in self._unstored.store():
            self.note(session)

    def note(self, session: str) -> None:
        """Note that a session grew, unless a worker process looks after what that makes due."""
        if self._mode != "worker":
            self.schedule.note(session)

    def prepare(self, session: str | None) -> None:
        """Store what waits and finish the model-free jobs that are due, so that a context sees what they noted."""
        self.store_rest()
        self.tombstones.catch_up(look=True)
        if self._mode != "worker":
            self.schedule.prepare(session)

    @property
    def key(self) -> bytes:
        """The scope's own key; empty, as in a read-only scope, if there is none and the disk takes no new one."""
        try:
            return self.store.key()
        except StoreError:
            return b""

    def commit(
        self,
        operations: Sequence[Operation],
        *,
        actor: Actor,
        reason: str = "",
        expect: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> Outcome:
        """Do some operations as one change, or none of them; the model is asked about new entries in doubt."""
        if actor.defers:  # searched before the door is locked, for a search may wait for who writes
            said = [sentence for each in operations for sentence in sentences_of(each)]
            found = self.views.elsewhere(said, actor.session, before_reset=True) if said else ()
            actor = msgspec.structs.replace(actor, elsewhere=found)
        judged = partial(merge.propose, actor=actor, door=self.door, llm=self.llm, config=self.config)
        asked = [
            one for each in operations for one in (judged(each).operations if isinstance(each, AddEntry) else (each,))
        ]
        return self.door.commit(asked, actor=actor, reason=reason, expect=expect, dry_run=dry_run)

    def recall(
        self, query: Query, *, now: datetime, explain: bool, without: Collection[tuple[str, str]] = ()
    ) -> list[Hit]:
        """Search this scope, edits made outside included; `without` are messages that are no hits."""
        self.sections.look()
        return self.searching.recall(query, now=now, explain=explain, without=without)

    def _related(self, text: str, paths: Collection[str]) -> list[Record]:
        """Find what speaks of the same as a text: in some files, and among what moved out of full documents."""
        names = {layer.overflow for layer in self.layout.layers} - {""}
        files = {path for _, path in self.reader.files(lambda layer: layer.name in names)} if names else set()
        files |= {*paths}
        asked = Query(text=text, k=_RELATED, layers=("documents", "items") if paths else ("documents",))
        ids = {hit.record for hit in self._search(asked)} if files else set()
        found = (
            each
            for path in sorted(files & {split_id(record)[0] for record in ids})
            for each in self.reader.records(path)
        )
        return [record for record in found if record.id in ids]

    def surface(self, session: str | None, question: str) -> list[Hit]:
        """Choose topics to put before the agent, by the model if there is one."""
        self.sections.look()
        choose = None
        if self.llm is not None:
            seconds, model = self.config.recall.rerank_seconds, self.config.consolidation.model or None
            choose = partial(select.files, llm=self.llm, seconds=seconds, model=model)
        return self.surfacing.surface(session, question, choose)

    @property
    def _leaves(self) -> bool:
        """True if what a session leaves is for a worker to consolidate, with its model."""
        return self._mode == "worker" and self.jobs.all_free

    def reset(self, session_id: str, *, now: bool | None) -> Outcome:
        """Consolidate a session, or leave that to a worker, then empty its window."""
        return self.windows.reset(session_id, now=self._leaves if now is None else now)

    def end(self, session_id: str, *, now: bool | None) -> Outcome:
        """Consolidate a session, or leave that to a worker, and mark it as ended; it is shown memory as of then."""
        outcome = self.windows.end(session_id, now=self._leaves if now is None else now)
        try:
            self.sections.thaw(session_id)
        except StoreError:  # it has ended all the same
            logger.warning("session %r goes on to be shown memory as it was", session_id, exc_info=True)
        return outcome

    def find(self, record_id: str) -> Record:
        """Return the record of an id, or what replaced it, edits made outside included.

        Raises:
            GoneError: It was removed or forgotten.
            RecordNotFoundError: There is none.
        """
        require_text(record_id, "a record id")
        path = split_id(record_id)[0]
        watched = [path] if self.layout.layer_of(path) is not None else []
        for _ in range(_LOOKS):
            self.drift.glance(watched)
            try:
                return self.reader.find(record_id)
            except RecordNotFoundError:
                if not self.drift.moved(watched):  # else it was edited since the look: look again
                    raise
        return self.reader.find(record_id)

    def over_limits(self) -> list[Problem]:
        """Return the documents that hold more than they may, or than is shown, and the files that are damaged."""
        return [*over_caps(self.parts), *over_limits(self.parts), *self._damaged()]

    def _damaged(self) -> Iterator[Problem]:
        for _, path in self.reader.files(lambda layer: layer.kind != "items"):
            data = self.reader.data(path) or b""
            if not edits.is_text(data):
                yield Problem(kind="damaged", path=path, reason="no text, so not read; undo its change, see `log`")
            elif unmerged := _UNMERGED.search(data):
                line, reason = data.count(b"\n", 0, unmerged.start()) + 1, "a merge left both sides here: keep one"
                yield Problem(kind="damaged", path=path, line=line, reason=f"{reason}, without the marks around them")

    def _waiting(self) -> int:
        try:
            return len(self.review.list())
        except CommonplaceError:  # the file is damaged, and named among the problems
            return 0

    def examine(self, *, fix: bool) -> Report:
        """Check for damage and drift; mend only when asked."""
        self.drift.glance([path for _, path in self.reader.files(lambda layer: layer.person_only)])
        self.parts.ledger.catch_up()
        full = [*self.over_limits(), *self._loose(), *self._edited_by_agents()]
        if left_out := self._left_out():
            full.append(Problem(kind="layout", path=left_out[0], reason=_kept_otherwise(self.layout.name, left_out)))
        look = partial(doctor.examine, self.parts, full=full, waiting=self._waiting())
        if not self.store.read_only:
            return look(self.indexing, fix=fix)
        try:
            with copied(searching.index_path(self.store)) as index:
                return look(None if index is None or self._past else self._indexing(index))
        except DamagedError as error:
            report = look(None)
            damage = Problem(kind="drift", path="index", reason=str(error))
            return msgspec.structs.replace(report, problems=(*report.problems, damage))

    def _left_out(self) -> list[str]:
        """Return the files of memory that the layout has no layer for, also not as files of another project."""
        return [path for path in self.drift.left_out() if self._all_projects.layer_of(path) is None]

    def _edited_by_agents(self) -> Iterator[Problem]:
        """Yield the files that only a person writes and that were edited while a session went on."""
        for _, path in self.reader.files(lambda layer: layer.person_only):
            if any(
                TRUST_RANK[self.reader.rank(record.id)] < TRUST_RANK["user"] for record in self.reader.records(path)
            ):
                reason = (
                    "edited outside while a session went on, so perhaps by the agent; if you did, save it again later"
                )
                yield Problem(kind="outside", path=path, reason=reason)

    def _loose(self) -> Iterator[Problem]:
        """Yield the topics that are their own ancestors, and the links that lead nowhere."""
        paths = (path for _, path in self.reader.files(lambda each: each.kind == "topics"))
        found = [each for path in paths for each in self.reader.records(path) if isinstance(each, Topic)]
        for fault in tree.build(found).faults():
            yield Problem(kind="link", path=fault.path, reason=fault.reason)

    def _indexing(self, index: SqliteIndex) -> Indexing:
        return searching.indexing(self.store, self.layout, self.zone, index)

    def sync(self) -> int:
        """Check every file, log what was edited outside, and update the index."""
        edited = self.drift.sweep()
        self.door.keep_up()
        return max(len(edited), self.searching.sync())

    def databases(self) -> tuple[IndexFile, ...]:
        """Return the SQLite files of this scope."""
        return self.indexing.index, self._seen

    def close(self) -> None:
        """Finish the jobs under way, then let go of files and the index; what was acknowledged stays.

        Raises:
            StoreError: Messages that the disk refused could not be stored to the end.
        """
        try:
            self.store_rest()
            self.schedule.close(self.config.consolidation.close_seconds)
        finally:
            if self.embedding is not None:
                self.embedding.close()
            self.indexing.index.close()
            self._seen.close()
            self.store.close()
        if lost := self._unstored.count:
            raise StoreError(f"{lost} messages could not be stored before this memory was closed, and are lost")


def _kept_otherwise(layout: str, paths: Sequence[str]) -> str:
    """Return the message that a memory was kept under another layout, with what to do."""
    some = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
    return (
        f"no layer of the layout {layout!r} has {some}: nothing is lost, and nothing reads it; open the memory with "
        "the layout that it was kept in, or give the layout a layer with that path"
    )


def is_foreign(folder: str, layout: Layout, clock: Clock, config: Config) -> bool:
    """True if a folder holds a memory that this machine neither made nor accepted."""
    accepted = machine.is_accepted(f"{folder}/{STATE}")
    if accepted is not None:
        return not accepted
    with FilesStore(folder, clock=clock, config=config.store, read_only=True) as store:
        paths = [stat.path for stat in store.list()]
    return any(path.startswith(f"{layout.sessions}/") or layout.layer_of(path) for path in paths)


def _numbers(config: Config) -> dict[str, float]:
    """Return the knobs that triggers are held against; of a prompt four fifths of what the model takes, if less."""
    knobs = config.consolidation
    found = {name: getattr(knobs, name) for name in knobs.__struct_fields__}
    numbers = {name: float(value) for name, value in found.items() if isinstance(value, (int, float))}
    if config.model.input_tokens:
        numbers["context_tokens"] = min(numbers["context_tokens"], _INPUT_SHARE * config.model.input_tokens)
    return numbers
