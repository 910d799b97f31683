"""Memory: the public face of one location, one scope or chain of scopes, one layout.

Wires nothing itself beyond its scopes and holds no rule: each method hands over to the stage that
owns the work. What a caller must know is raised (bad input, a message that could not be kept); what
would only make an answer poorer is logged, and the answer is given without it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

import msgspec

from commonplace import context as contexts
from commonplace import doctor as doctors
from commonplace.config import Clock, Config, system_clock
from commonplace.errors import CommonplaceError, InputError, StoreReadOnlyError
from commonplace.recall import chain
from commonplace.records import LAYERS, Context, Hit, LayerName, Message, Query, Report, Source
from commonplace.sessions import Sessions
from commonplace.text import strip_fences
from commonplace.wiring import Scope, layout_named, scope_chain

logger = logging.getLogger(__name__)


class Memory:
    """The memory kept at one location.

    Made by `Memory.open`; use it as a context manager or call `close`. Threads may share it.
    """

    def __init__(self, scopes: Sequence[Scope], *, config: Config, clock: Clock) -> None:
        self._scopes = tuple(scopes)
        self._config = config
        self._clock = clock

    @classmethod
    def open(
        cls,
        location: str | os.PathLike[str],
        *,
        scope: str | Iterable[str] = "default",
        layout: str = "native",
        config: Config | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
    ) -> Self:
        """Open the memory at a folder, which is made when something is first kept.

        Args:
            location: A folder.
            scope: A name, or names in order: reads follow the chain, writes go to the first.
            layout: How memory is laid out in files.
            config: Knobs; the defaults where not given.
            clock: Gives the time now, aware; the system's where not given.
            read_only: Nothing is written, not even an index.

        Raises:
            ConfigError: There is no such layout.
            ScopeError: A scope is not a name.
            StoreError: The folder cannot be used.
        """
        config = config or Config()
        clock = clock or system_clock
        found = layout_named(layout)
        root = os.fspath(location)
        return cls(
            [
                Scope(root, name, layout=found, config=config, clock=clock, read_only=read_only)
                for name in scope_chain(scope)
            ],
            config=config,
            clock=clock,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
    def sessions(self) -> Sessions:
        """The transcripts of the scope that takes writes."""
        return self._scopes[0].sessions

    def append(
        self, session_id: str, messages: Iterable[Message], *, agent: str = "main", kind: str = "foreground"
    ) -> list[Source]:
        """Keep messages; when this returns they are on disk and a search finds them.

        No model is called. Appending the same message ids again changes nothing. Text that this
        memory fenced as recalled is taken out first, so nothing recalled is kept a second time.

        Args:
            session_id: For example `telegram:12345`; anything but control characters.
            messages: In order; a message without an id is numbered, without an instant dated now.
            agent: Who spoke with the user.
            kind: `foreground`, or what else the session is (`background`, `memory`).

        Returns:
            The source of each message, also of those that were there already.

        Raises:
            InputError: A message or id is not well formed; nothing was kept.
            StoreError: They could not be kept; nothing was.
        """
        scope = self._scopes[0]
        key = scope.key
        cleaned = [
            msgspec.structs.replace(message, content=strip_fences(message.content, key))
            if "<recalled-memory" in message.content
            else message
            for message in messages
        ]
        return scope.sessions.append(session_id, cleaned, agent=agent, kind=kind)

    def recall(
        self, query: str | Query, *, k: int = 8, layers: Iterable[LayerName] | None = None, explain: bool = False
    ) -> list[Hit]:
        """Find what was said or noted; the best first, nothing where nothing fits.

        Args:
            query: A question in plain words, or a `Query` with its own limits.
            k: The most hits wanted; not used with a `Query`.
            layers: Where to look; everywhere the layout recalls from when None.
            explain: Have each hit say what its score is made of.

        Raises:
            InputError: A layer is unknown or `k` is below 1.
        """
        asked = self._query(query, k, layers)
        found: list[list[Hit]] = []
        for scope in self._scopes:
            try:
                found.append(scope.recall(asked, now=self._clock(), explain=explain))
            except InputError:
                raise
            except CommonplaceError:
                logger.warning("recall goes on without scope %r", scope.name, exc_info=True)
        return chain.fair_share(found, asked.k) if len(self._scopes) > 1 else (found or [[]])[0]

    @staticmethod
    def _query(query: str | Query, k: int, layers: Iterable[LayerName] | None) -> Query:
        asked = query if isinstance(query, Query) else Query(text=query, k=k)
        if layers is not None:
            asked = msgspec.structs.replace(asked, layers=tuple(layers))
        unknown = [layer for layer in asked.layers or () if layer not in LAYERS]
        if unknown:
            raise InputError(f"there is no layer {unknown[0]!r}; choose from {', '.join(LAYERS)}")
        if asked.k < 1:
            raise InputError(f"k is at least 1, not {asked.k}")
        return asked

    def context(self, session_id: str | None = None, query: str | None = None, *, tokens: int | None = None) -> Context:
        """Give what should enter the prompt, inside a hard token budget.

        Args:
            session_id: The session that goes on; its earlier part is recapped, its live part left out.
            query: What the user just asked; without one nothing is recalled.
            tokens: The whole budget; the configured one when None.

        Returns:
            A context whose bytes are the same for the same memory, session and query.
        """
        budget = self._config.context.tokens if tokens is None else tokens
        if budget < 1:
            raise InputError(f"a token budget is at least 1, not {budget}")
        drafts: list[contexts.Draft] = []
        for scope in self._scopes:
            try:
                drafts.extend(scope.drafts(session_id))
            except InputError:
                raise
            except CommonplaceError:
                logger.warning("the context goes on without scope %r", scope.name, exc_info=True)
        hits: list[Hit] = []
        if query and query.strip():
            wanted = Query(text=query, k=self._config.context.recall_k, layers=self._scopes[0].recalled_layers)
            live = self._live(session_id)
            hits = [hit for hit in self.recall(wanted) if not any((s.session, s.message) in live for s in hit.sources)]
        return contexts.build(drafts, hits, tokens=budget, key=self._scopes[0].key)

    def _live(self, session_id: str | None) -> frozenset[tuple[str, str]]:
        """Name the messages that the session's own window already puts before the model."""
        sessions = self._scopes[0].sessions
        if session_id is None or not sessions.exists(session_id):
            return frozenset()
        return frozenset((session_id, str(message.message.id)) for message in sessions.window(session_id))

    def sync(self) -> int:
        """Look at every file for what changed outside, bring the index up to it, and count the files looked into."""
        return sum(scope.sync() for scope in self._scopes)

    def reindex(self) -> int:
        """Make the index again from the files and count the files read."""
        return sum(scope.indexing.rebuild() for scope in self._scopes)

    def doctor(self, *, fix: bool = False) -> Report:
        """Look for damage and for drift between files and index; write only with `fix`.

        A damaged record is never deleted: `fix` copies it to quarantine, and makes the index anew.
        """
        if fix and self._scopes[0].store.read_only:
            raise StoreReadOnlyError("this memory was opened read-only; open it for writing to fix it")
        return doctors.merge(
            [
                doctors.examine(scope.store, scope.indexing, transcripts=scope.layout.sessions, fix=fix)
                for scope in self._scopes
            ]
        )

    def close(self) -> None:
        """Let go of everything held open; what was acknowledged stays. May be called again."""
        for scope in self._scopes:
            scope.close()
