"""Memory: the public face of one location, a chain of scopes and a layout. It holds no rule of its own.

What a caller must know is raised; what would only make an answer poorer is logged.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import Any, Literal, Self

from commonplace.changes.actors import LIBRARY, PERSON, Actor, tool_of
from commonplace.changes.review import Queue
from commonplace.config import Clock, Config, system_clock
from commonplace.errors import StoreReadOnlyError
from commonplace.jobs.failures import Failure
from commonplace.jobs.running import Wanted
from commonplace.jobs.schedule import Mode
from commonplace.jobs.windows import unknown
from commonplace.layouts.schema import Layout
from commonplace.memory import designs, recognising, said, taken_back, verbs
from commonplace.memory import doctor as doctors
from commonplace.memory.answers import Answers
from commonplace.memory.arguments import Opening, configured, require_location, require_mode, scope_chain
from commonplace.memory.opening import Opened
from commonplace.memory.past import Past
from commonplace.memory.scope import Scope, Transcripts
from commonplace.memory.tool import Tool
from commonplace.memory.using import Use
from commonplace.models import LLM
from commonplace.models.spending import Totals, totals
from commonplace.operations import Operation, Promote
from commonplace.recall.index.near import Embedder
from commonplace.records import (
    Context,
    Hit,
    LayerName,
    Outcome,
    Problem,
    Query,
    Record,
    Report,
    Snapshot,
    Source,
    Trust,
)

logger = logging.getLogger(__name__)


class Memory(Past):
    """The memory kept at one location.

    Made by `Memory.open`; use it as a context manager or call `close`. Threads may share it.
    """

    def __init__(self, opening: Opening) -> None:
        self._opened = Opened(opening)
        self._config, self._clock = opening.config, opening.clock
        self._answers = Answers()

    @property
    def _scopes(self) -> tuple[Scope, ...]:
        return self._opened.scopes()

    @classmethod
    def open(
        cls,
        location: str | os.PathLike[str],
        *,
        scope: str | Iterable[str] = "default",
        layout: str | Layout | None = None,
        llm: str | LLM | Callable[..., Any] | None = None,
        embedder: str | Embedder | None = None,
        config: Config | Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        jobs: Mode = "thread",
        read_only: bool = False,
        found: bool = False,
    ) -> Self:
        """Open the memory at a folder, which is made when something is first kept.

        Args:
            location: A folder.
            scope: A name, or names in order: reads follow the chain, writes go to the first.
            layout: How memory is laid out in files: a name, a `Layout`, or the path of a TOML file; what the folder
                is kept in when None, `native` for a new one.
            llm: `anthropic:MODEL`, `openai:MODEL`, anything with `complete`, or a function; else the rules work.
            embedder: A function from texts to vectors, `openai:MODEL`, `sentence-transformers:FOLDER` or
                `model2vec:FOLDER`; the configured one when None, and without one recall goes by words.
            config: Knobs, or some of them by the names of the layout's document; defaults where not given.
            clock: Gives the time now, aware; the system's where not given.
            jobs: `thread` runs them in the background, `inline` at a context (if they ask no model),
                flush or close, `worker` nowhere.
            read_only: Nothing is written, not even an index.
            found: Nobody named this folder. If this machine neither made nor accepted it, it is only read: what it says
                is found and marked as from a tool, and nothing of it is shown unasked.

        Raises:
            ConfigError: There is no such layout, knob or way to run jobs, the layout has mistakes, or no model or
                embedder can be made of what was given.
            ScopeError: A scope is not a name.
            StoreError: The folder cannot be used.
        """
        require_location(os.fspath(location))
        named = layout or recognising.begun(location)
        design = designs.resolve(named)
        require_mode(jobs)
        return cls(Opening(
            location=os.fspath(location), scopes=scope_chain(scope, design), layout=design,
            kept_as=designs.kept_as(named, design, os.fspath(location)),
            config=configured(design, os.fspath(location), config),
            clock=clock or system_clock, llm=llm, embedder=embedder, mode=jobs, read_only=read_only, found=found,
        ))  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def scope(self) -> tuple[str, ...]:
        """The names of the scopes, the one that takes writes first."""
        return tuple(scope.name for scope in self._scopes)

    @property
    def location(self) -> str:
        """The folder of the scope that takes writes."""
        return self._scopes[0].store.root

    @property
    def foreign(self) -> bool:
        """True if the memory was found and this machine neither made nor accepted it."""
        return any(scope.parts.foreign for scope in self._scopes)

    def scopes(self) -> list[str]:
        """Return the names of the scopes that are kept at this location, `default` included, in order."""
        return self._opened.opening().kept()

    @property
    def sessions(self) -> Transcripts:
        """The transcripts of the scope that takes writes."""
        return self._scopes[0].transcripts

    def append(
        self, session_id: str, messages: said.Said, *, agent: str = "main", kind: str = "foreground"
    ) -> list[Source]:
        """Keep messages; when this returns they are on disk and a search finds them.

        No model is called. Appending the same messages with their ids again changes nothing. Text that this
        memory fenced as recalled is taken out first, as is what its own tool answered, so nothing recalled is kept a
        second time.

        Args:
            session_id: For example `telegram:12345`; anything but control characters.
            messages: One or many, in order: `Message`, or the SDKs' `{"role", "content"}` with their content
                blocks, or the items of OpenAI's Responses. A message without an id is numbered, without an instant
                dated now.
            agent: Who spoke with the user.
            kind: `foreground`, `background`, or of memory itself, so that nothing of it is remembered: `memory`,
                `memory-agent`, `compactor`, `search`.

        Returns:
            The source of each message, also of those that were there already. None if the disk refused them and
            they wait in memory (`store.unstored_messages`): they are not stored yet, no search finds them, and they
            are lost if the process dies. The next append, context, flush or close stores them; do not append them
            again. `close` raises StoreError if some could not be stored.

        Raises:
            InputError: A message or id is not well formed, or the session has another text under the id of a
                message; nothing was kept.
            StoreError: They could not be kept; nothing was.
        """
        scope = self._chain.first
        given = said.messages(messages, scope.key, partial(scope.transcripts.tool_called, session_id))
        new = list(map(self._answers.without_known, given))
        return scope.append(session_id, new, agent=agent, kind=kind)

    def recall(
        self,
        query: str | Query,
        *,
        k: int = 8,
        layers: Iterable[LayerName] | None = None,
        explain: bool = False,
        rerank: bool = False,
    ) -> list[Hit]:
        """Find what was said or noted; the best first, nothing where nothing fits.

        Args:
            query: A question in plain words, or a `Query` with its own limits.
            k: The most hits wanted; not used with a `Query`.
            layers: Where to look; everywhere the layout recalls from when None.
            explain: Have each hit say what its score is made of.
            rerank: Have the model order the best 20; it is asked only here. Our order where it gives none.

        Raises:
            InputError: A layer is unknown or `k` is below 1.
        """
        asked = verbs.asked(query, k, layers)
        return verbs.named(self._chain.recall(asked, now=self._clock(), explain=explain, rerank=rerank))

    def context(self, session_id: str | None = None, query: str | None = None, *, tokens: int | None = None) -> Context:
        """Return what should enter the prompt, inside a hard token budget.

        Left out: the live messages of the session, which the host sends itself (layouts with a recap show them,
        unless `context.recap` is off); what is trusted below `agent`, of the part that is always shown; messages
        whose words a shown entry has; what was forgotten; and what has no room, which `dropped` names.

        Args:
            session_id: The session that goes on; its earlier part is recapped, its live part left out.
            query: What the user just asked; without one nothing is recalled.
            tokens: The whole budget; the configured one when None.

        Returns:
            A context whose bytes are the same for the same memory, session and query.
        """
        return self._chain.context(session_id, query, tokens=tokens, now=self._clock())

    def surface(self, session_id: str | None, query: str) -> list[Hit]:
        """Choose topics for what the user just asked; the agent gets each once in a window of the session.

        The model chooses if there is one, so this is called beside the turn: a context asks none. Each hit has the
        text of the topic as in the prompts of the session from then on. Only layouts that show what is surfaced do so.

        Args:
            session_id: The session that goes on; with None nothing is noted.
            query: What the user just asked; the same question again finds nothing new.
        """
        return self._chain.surface(session_id, query)

    # --- changing memory ---

    def remember(
        self,
        text: str,
        *,
        kind: str = "fact",
        to: str | None = None,
        source: Source | None = None,
        trust: Trust | None = None,
        valid_from: date | None = None,
        expires: date | None = None,
        expect: str | None = None,
        reason: str = "",
        actor: Actor = LIBRARY,
    ) -> Outcome:
        """Store one memory, in place of the one that it takes back in its words (`no longer in Brixton`).

        Args:
            text: One statement.
            kind: What it is; the layout says which layer takes it.
            to: A scope of the chain, a layer's name, or a file, instead.
            source: The message it rests on.
            trust: How far it is trusted, if less than the actor.
            valid_from: The day from which it holds.
            expires: The day after which it does not.
            expect: The version that the file must still have, as `version` returns it.
            reason: For the log.
            actor: Who writes; the library itself counts as `agent`.

        Returns:
            The outcome: applied, duplicate, refused with the class of what was found, pending
            if a person has to decide, over_cap with the sizes.

        Raises:
            InputError: The text is empty, `to` names nothing, its last day is over, or what is said of it is not well
                formed.
            VersionConflictError: The file is not as `expect` says.
        """
        scope, place = self._chain.place(to)
        operation = verbs.remember(
            scope, text, kind=kind, to=place, source=source, trust=trust, valid_from=valid_from, expires=expires
        )
        versions = {operation.path: expect} if expect is not None else None
        operations = taken_back.in_place(scope, operation, actor)
        done = self._chain.made_in(scope, scope.commit(operations, actor=actor, reason=reason, expect=versions))
        others = (each for each in self._chain.scopes if each is not scope)
        return taken_back.beside(others, done, operation, actor)

    def read(self, record_id: str) -> Record:
        """Return a record by its id, or the one that has replaced it, without what was forgotten.

        Raises:
            GoneError: It was removed, or all of it was forgotten.
            RecordNotFoundError: There is none.
        """
        return self._chain.given_out(record_id)

    def version(self, record_id_or_path: str) -> str:
        """Return the version of a record's file, for `expect`: call this, read, then write.

        A layer or a path names the file itself; `missing` is the version of one that is not there.

        Raises:
            GoneError, RecordNotFoundError: There is no such record.
            InputError: The layer has many files, or several records hold the words.
        """
        return verbs.version(self._chain, record_id_or_path)

    def update(
        self, record_id: str, text: str, *, expect: str | None = None, reason: str = "", actor: Actor = LIBRARY
    ) -> Outcome:
        """Replace the text of a record; the old id leads to the new one.

        Args:
            record_id: A record's id, or words that exactly one record holds.
            text: What it says from now on.
            expect: The version that its file must still have, as `version` returns it.
            reason: For the log.
            actor: Who writes.

        Raises:
            GoneError: The record was removed or forgotten.
            RecordNotFoundError: There is no such record.
            InputError: The record is a message, which is kept as it was said, or is of another scope than the first, or
                several hold the words.
            VersionConflictError: The file is not as `expect` says.
        """
        scope, record = self._chain.own_record(record_id)
        operation = verbs.update(record, text)
        versions = {operation.path: expect} if expect is not None else None
        done = scope.commit([operation], actor=actor, reason=reason, expect=versions)
        return self._chain.made_in(scope, done)

    def apply(
        self,
        operations: Sequence[Operation],
        *,
        reason: str,
        expect: Mapping[str, str] | None = None,
        dry_run: bool = False,
        actor: Actor = LIBRARY,
    ) -> Outcome:
        """Do several operations as one change of the first scope, or none of them.

        Raises:
            VersionConflictError: A file is not in the version that `expect` gives by its path.
        """
        scope = self._chain.first
        return self._chain.made_in(
            scope, scope.commit(operations, actor=actor, reason=reason, expect=expect, dry_run=dry_run)
        )

    def document(self, layer: str) -> str:
        """Return the whole text of a document, named by its layer or its file; empty if there is none."""
        return verbs.document(self._chain.first, layer)

    def rewrite(self, layer: str, text: str, *, reason: str = "", actor: Actor = LIBRARY) -> Outcome:
        """Make a document read as given, as the smallest edit that does it."""
        return self.apply([verbs.rewrite(self._chain.first, layer, text)], reason=reason, actor=actor)

    def note(
        self, layer: str, text: str, *, at: datetime | None = None, reason: str = "", actor: Actor = LIBRARY
    ) -> Outcome:
        """Append one entry to a journal, and to the one that mirrors it; dated now when `at` is None."""
        return self.apply([verbs.note(self._chain.first, layer, text, at)], reason=reason, actor=actor)

    def promote(self, record_id: str, *, to: Trust = "user", reason: str = "") -> Outcome:
        """Raise the trust of a record, as a person; the agent's tool cannot do this."""
        scope, record = self._chain.own_record(record_id)
        promotion = Promote(record=record.id, to=to)
        return self._chain.made_in(scope, scope.door.commit([promotion], actor=PERSON, reason=reason))

    # --- consolidation ---

    def consolidate(
        self, session_id: str | None = None, *, reason: str = "manual", dry_run: bool = False, model: str | None = None
    ) -> Outcome:
        """Turn what was said since the last time into memory, of one session or of all.

        Also runs ranges that an undo holds. With a model it is asked once a range; without one the
        rules decide. Nothing is done of a session that is not there, and the outcome says so. What the gate holds
        waits in `review`. If the model fails, the outcome is `failed`, nothing
        of the range is written, and it is tried again; `failures` lists what waits so. `model` is asked for
        this once in place of the one that was opened.

        Raises:
            ModelSetupError: A package or key is missing, or the server does not accept the key or the model.
        """
        scope = self._chain.first
        if session_id is not None and not scope.sessions.exists(session_id):
            return self._chain.made_in(scope, unknown(session_id))
        names = [session_id] if session_id is not None else [s.id for s in reversed(scope.sessions.list())]
        done = scope.jobs.consolidate(names, Wanted(cause=reason, dry_run=dry_run, model=model))
        return self._chain.made_in(scope, done)

    def dream(self, job: str = "", *, dry_run: bool = False, model: str | None = None) -> Outcome:
        """Run the jobs of the layout that tidy the whole scope, or the one of a name, whatever their triggers say.

        Raises InputError if the layout has no such job, and ModelSetupError as `consolidate` does.
        """
        return self._chain.made_in(
            self._chain.first, self._chain.first.jobs.tidy(job, Wanted(dry_run=dry_run, model=model))
        )

    def compact(self, session_id: str, keep: int | None = None) -> Outcome:
        """Move the beginning of a session's live window on, with a summary of what was before it.

        Raises:
            InputError: `keep` is no number of messages.
        """
        first = self._chain.first
        return self._chain.made_in(first, first.windows.compact(session_id, verbs.window_size(keep)))

    def reset(self, session_id: str, *, now: bool | None = None) -> Outcome:
        """Consolidate a session, then empty its live window; the transcript stays.

        Nothing is done of a session that is not there, and the outcome says so. If the model fails, or cannot be
        used, the window stays as it is and the outcome is `failed`. With `now` nothing is consolidated first: its
        range stays due. That is so without being asked for if jobs are left to a worker and no model was opened here.
        """
        scope = self._chain.first
        return self._chain.made_in(scope, scope.reset(session_id, now=now))

    def end(self, session_id: str, *, now: bool | None = None) -> Outcome:
        """Consolidate a session and mark it as ended; an append opens it again. `now` is as for `reset`.

        If the model fails, or cannot be used, the session has ended all the same: the outcome is `failed`, and what
        was said stays due.
        """
        scope = self._chain.first
        return self._chain.made_in(scope, scope.end(session_id, now=now))

    def failures(self) -> list[Failure]:
        """Return what a model failed to do: why, how often, and when it is tried again.

        Until it is done; what a raw entry took the place of, until the job does another range of any session.
        """
        return [*self._chain.first.jobs.failures(), *self._chain.first.windows.failures()]

    def flush(self, timeout_seconds: float | None = None) -> bool:
        """Wait until all jobs that are due have run; False where the time was not enough."""
        self._chain.first.store_rest()
        finished = [scope.schedule.flush(timeout_seconds) for scope in self._chain.scopes]
        return all(finished)

    def cost(self, by: Literal["day", "purpose", "model"] = "day") -> dict[str, Totals]:
        """Sum what model calls took, by day, purpose or model."""
        return totals(self._chain.first.spending.spends(), by, self._chain.first.zone)

    def at(self, instant: datetime) -> Self:
        """Return this memory as it was at an instant, read-only."""
        verbs.require_aware(instant)
        return type(self)(self._opened.opening().past(instant))

    def review(self) -> Queue:
        """Return what waits for a person; approving writes as one."""
        return self._chain.first.review

    def snapshot(self) -> Snapshot:
        """Return what is always shown, frozen and read-only, for a sub-agent."""
        return Snapshot(text=self._chain.snapshot(), at=self._clock(), scope=self.scope)

    def tool(self, session_id: str | None = None, *, read_only: bool = False) -> Tool:
        """Return the agent's tool, which never approves, promotes or undoes; a session's words judge what it writes."""
        layout = self._chain.first.layout
        use = Use(self, self._chain.scopes, tool_of(session_id), layout.tool.targets or layout.kinds())
        return Tool(layout.tool, use, self._answers, read_only=read_only)

    def sync(self) -> int:
        """Check every file for outside edits, update the index, and return how many files were read."""
        return sum(scope.sync() for scope in self._chain.scopes)

    def reindex(self) -> int:
        """Make the index again from the files and count the files read."""
        return sum(scope.indexing.rebuild() for scope in self._chain.scopes)

    def limits(self) -> list[Problem]:
        """Return the documents that hold more than they may, or than is shown, each with what to do about it."""
        return [problem for scope in self._chain.scopes for problem in scope.over_limits()]

    def doctor(self, *, fix: bool = False) -> Report:
        """Check for damage and for drift between files and index; write only with `fix`.

        What was edited outside is logged first, as by every reader.
        `fix` makes a drifted index again; a damaged record is never deleted.
        """
        if fix and self._chain.first.store.read_only:
            raise StoreReadOnlyError("this memory was opened read-only; open it for writing to fix it")
        return doctors.merge([scope.examine(fix=fix) for scope in self._chain.scopes])

    def close(self) -> None:
        """Close everything that is open; only `sessions` can be read from then on, all else raises StoreError."""
        self._opened.close()
