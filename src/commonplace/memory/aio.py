"""AsyncMemory: the methods of Memory for asyncio, each run in a thread.

Holds no logic of its own. What touches files runs in one pool, what may wait for a model in another,
so that a slow model never delays an append. Cancelling an await does not stop the work:
it is done or not done as a whole, as with Memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from datetime import date, datetime
from functools import partial
from types import TracebackType
from typing import Any, Literal, ParamSpec, Self, TypeVar

from commonplace.changes.actors import LIBRARY, PERSON, Actor
from commonplace.changes.review import Queue
from commonplace.config import Clock, Config
from commonplace.jobs.failures import Failure
from commonplace.jobs.schedule import Mode
from commonplace.layouts.schema import Layout
from commonplace.memory import forks, said
from commonplace.memory.memory import Memory
from commonplace.memory.tool import Provider, Tool
from commonplace.models import LLM
from commonplace.models.spending import Totals
from commonplace.operations import Operation
from commonplace.recall.index.near import Embedder
from commonplace.records import (
    Change,
    Context,
    Hit,
    LayerName,
    Outcome,
    Problem,
    Query,
    Receipt,
    Record,
    RecordedMessage,
    Report,
    Session,
    Snapshot,
    Source,
    Trail,
    Trust,
    Waiting,
)

P = ParamSpec("P")
R = TypeVar("R")

STORE_THREADS = 4  # files of one scope are locked for a moment each; more threads would only queue
MODEL_THREADS = 4  # calls that wait for a server at the same time


async def _in(pool: Executor | None, call: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    # Imported here: asyncio costs 30 ms, and whoever awaits this has paid for it already.
    from asyncio import get_running_loop  # noqa: PLC0415 - see above

    return await get_running_loop().run_in_executor(pool, partial(call, *args, **kwargs))


class _Pools:
    """The threads of one AsyncMemory; none after its close, when its calls do nothing that takes long."""

    def __init__(self, *, embeds: bool) -> None:
        self._embeds = embeds
        self.store: Executor | None
        self.models: Executor | None
        self.renew()
        forks.watch(self)

    def renew(self) -> tuple[Executor | None, Executor | None]:
        """Make threads, anew in a forked child, and return those of before."""
        left = getattr(self, "store", None), getattr(self, "models", None)
        self.store = ThreadPoolExecutor(STORE_THREADS, thread_name_prefix="commonplace-store")
        self.models = ThreadPoolExecutor(MODEL_THREADS, thread_name_prefix="commonplace-model")
        return left

    def databases(self) -> tuple[forks.Database, ...]:
        """Return nothing: threads have no files."""
        return ()

    @property
    def asking(self) -> Executor | None:
        """For questions: an embedder may have to be waited for."""
        return self.models if self._embeds else self.store

    def close(self) -> None:
        """End the threads when their work is done."""
        for pool in (self.store, self.models):
            if pool is not None:
                pool.shutdown(wait=False)
        self.store = self.models = None


class AsyncSessions:
    """The transcripts of the scope that takes writes, for asyncio; as `Memory.sessions`."""

    def __init__(self, memory: Memory, pools: _Pools) -> None:
        self._memory = memory
        self._pools = pools

    async def get_or_create(
        self, session_id: str, *, agent: str = "main", kind: str = "foreground", created_at: datetime | None = None
    ) -> Session:
        """As `Sessions.get_or_create`."""
        return await _in(
            self._pools.store, self._memory.sessions.get_or_create, session_id,
            agent=agent, kind=kind, created_at=created_at,
        )  # fmt: skip

    async def exists(self, session_id: str) -> bool:
        """As `Sessions.exists`."""
        return await _in(self._pools.store, self._memory.sessions.exists, session_id)

    async def state(self, session_id: str) -> Session:
        """As `Sessions.state`."""
        return await _in(self._pools.store, self._memory.sessions.state, session_id)

    async def count(self) -> int:
        """As `Sessions.count`."""
        return await _in(self._pools.store, self._memory.sessions.count)

    async def list(self) -> Sequence[Session]:
        """As `Sessions.list`."""
        return await _in(self._pools.store, self._memory.sessions.list)

    async def message(self, session_id: str, message_id: str) -> RecordedMessage:
        """As `Sessions.message`."""
        return await _in(self._pools.store, self._memory.sessions.message, session_id, message_id)

    async def window(self, session_id: str) -> tuple[RecordedMessage, ...]:
        """As `Sessions.window`."""
        return await _in(self._pools.store, self._memory.sessions.window, session_id)

    async def read(self, session_id: str, start: int = 0, end: int | None = None) -> tuple[RecordedMessage, ...]:
        """As `Sessions.read`, all at once."""
        return await _in(self._pools.store, lambda: tuple(self._memory.sessions.read(session_id, start, end)))


class AsyncQueue:
    """What waits for a person, for asyncio; as `Queue`."""

    def __init__(self, queue: Queue, pools: _Pools) -> None:
        self._queue = queue
        self._pools = pools

    async def list(self) -> tuple[Waiting, ...]:
        """As `Queue.list`."""
        return await _in(self._pools.store, self._queue.list)

    async def get(self, name: str) -> Waiting:
        """As `Queue.get`."""
        return await _in(self._pools.store, self._queue.get, name)

    async def approve(self, name: str, *, text: str | None = None, reason: str = "") -> Outcome:
        """As `Queue.approve`."""
        return await _in(self._pools.store, self._queue.approve, name, text=text, reason=reason)

    async def reject(self, name: str, *, reason: str = "") -> Outcome:
        """As `Queue.reject`."""
        return await _in(self._pools.store, self._queue.reject, name, reason=reason)


class AsyncTool:
    """The agent's tool, for asyncio; as `Tool`."""

    def __init__(self, tool: Tool, pools: _Pools) -> None:
        self._tool = tool
        self._pools = pools

    @property
    def actions(self) -> tuple[str, ...]:
        """As `Tool.actions`."""
        return self._tool.actions

    def schema(self, provider: Provider = "anthropic") -> dict[str, Any]:
        """As `Tool.schema`; nothing is waited for."""
        return self._tool.schema(provider)

    def schemas(self, provider: Provider = "anthropic") -> list[dict[str, Any]]:
        """As `Tool.schemas`; nothing is waited for."""
        return self._tool.schemas(provider)

    async def call(self, arguments: Mapping[str, Any] | str, name: str = "") -> dict[str, Any]:
        """As `Tool.call`."""
        return await _in(self._pools.asking, self._tool.call, arguments, name)


class AsyncMemory:
    """The memory kept at one location, for asyncio.

    Made by `await AsyncMemory.open(...)`; use it with `async with` or await `close`. Each method does
    what the method of that name does in `Memory`, with the same arguments, results and errors.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        embeds = memory._chain.embeds  # noqa: SLF001 - Memory has no public way to tell whether one may be waited for
        self._pools = _Pools(embeds=embeds)

    @classmethod
    async def open(
        cls,
        location: str | os.PathLike[str],
        *,
        scope: str | Iterable[str] = "default",
        layout: str | Layout = "native",
        llm: str | LLM | Callable[..., Any] | None = None,
        embedder: str | Embedder | None = None,
        config: Config | Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        jobs: Mode = "thread",
        read_only: bool = False,
        found: bool = False,
    ) -> Self:
        """As `Memory.open`."""
        memory = await _in(
            None, Memory.open, location,
            scope=scope, layout=layout, llm=llm, embedder=embedder, config=config, clock=clock, jobs=jobs,
            read_only=read_only, found=found,
        )  # fmt: skip
        return cls(memory)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def _store(self) -> Executor | None:
        return self._pools.store

    @property
    def _models(self) -> Executor | None:
        return self._pools.models

    @property
    def _asking(self) -> Executor | None:
        return self._pools.asking

    @property
    def scope(self) -> tuple[str, ...]:
        """As `Memory.scope`."""
        return self._memory.scope

    @property
    def foreign(self) -> bool:
        """As `Memory.foreign`."""
        return self._memory.foreign

    @property
    def location(self) -> str:
        """As `Memory.location`."""
        return self._memory.location

    async def scopes(self) -> list[str]:
        """As `Memory.scopes`."""
        return await _in(self._store, self._memory.scopes)

    @property
    def sessions(self) -> AsyncSessions:
        """As `Memory.sessions`."""
        return AsyncSessions(self._memory, self._pools)

    async def append(
        self, session_id: str, messages: said.Said, *, agent: str = "main", kind: str = "foreground"
    ) -> list[Source]:
        """As `Memory.append`."""
        return await _in(self._store, self._memory.append, session_id, messages, agent=agent, kind=kind)

    async def recall(
        self,
        query: str | Query,
        *,
        k: int = 8,
        layers: Iterable[LayerName] | None = None,
        explain: bool = False,
        rerank: bool = False,
    ) -> list[Hit]:
        """As `Memory.recall`."""
        pool = self._models if rerank else self._asking
        return await _in(pool, self._memory.recall, query, k=k, layers=layers, explain=explain, rerank=rerank)

    async def context(
        self, session_id: str | None = None, query: str | None = None, *, tokens: int | None = None
    ) -> Context:
        """As `Memory.context`."""
        return await _in(self._asking, self._memory.context, session_id, query, tokens=tokens)

    async def surface(self, session_id: str | None, query: str) -> list[Hit]:
        """As `Memory.surface`."""
        return await _in(self._asking, self._memory.surface, session_id, query)

    async def remember(
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
        """As `Memory.remember`."""
        return await _in(
            self._store, self._memory.remember, text,
            kind=kind, to=to, source=source, trust=trust, valid_from=valid_from, expires=expires,
            expect=expect, reason=reason, actor=actor,
        )  # fmt: skip

    async def read(self, record_id: str) -> Record:
        """As `Memory.read`."""
        return await _in(self._store, self._memory.read, record_id)

    async def version(self, record_id_or_path: str) -> str:
        """As `Memory.version`."""
        return await _in(self._store, self._memory.version, record_id_or_path)

    async def update(
        self, record_id: str, text: str, *, expect: str | None = None, reason: str = "", actor: Actor = LIBRARY
    ) -> Outcome:
        """As `Memory.update`."""
        return await _in(self._store, self._memory.update, record_id, text, expect=expect, reason=reason, actor=actor)

    async def apply(
        self,
        operations: Sequence[Operation],
        *,
        reason: str,
        expect: Mapping[str, str] | None = None,
        dry_run: bool = False,
        actor: Actor = LIBRARY,
    ) -> Outcome:
        """As `Memory.apply`."""
        return await _in(
            self._store, self._memory.apply, operations, reason=reason, expect=expect, dry_run=dry_run, actor=actor
        )

    async def document(self, layer: str) -> str:
        """As `Memory.document`."""
        return await _in(self._store, self._memory.document, layer)

    async def rewrite(self, layer: str, text: str, *, reason: str = "", actor: Actor = LIBRARY) -> Outcome:
        """As `Memory.rewrite`."""
        return await _in(self._store, self._memory.rewrite, layer, text, reason=reason, actor=actor)

    async def note(
        self, layer: str, text: str, *, at: datetime | None = None, reason: str = "", actor: Actor = LIBRARY
    ) -> Outcome:
        """As `Memory.note`."""
        return await _in(self._store, self._memory.note, layer, text, at=at, reason=reason, actor=actor)

    async def forget(
        self,
        record_id_or_query: str = "",
        *,
        session: str | None = None,
        every: bool = False,
        whole_scope: bool = False,
        dry_run: bool = False,
        erase: bool = False,
        actor: Actor = LIBRARY,
    ) -> Receipt:
        """As `Memory.forget`."""
        return await _in(
            self._store,
            self._memory.forget,
            record_id_or_query,
            session=session,
            every=every,
            whole_scope=whole_scope,
            dry_run=dry_run,
            erase=erase,
            actor=actor,
        )

    async def promote(self, record_id: str, *, to: Trust = "user", reason: str = "") -> Outcome:
        """As `Memory.promote`."""
        return await _in(self._store, self._memory.promote, record_id, to=to, reason=reason)

    async def consolidate(
        self,
        session_id: str | None = None,
        *,
        reason: str = "manual",
        dry_run: bool = False,
        model: str | None = None,
    ) -> Outcome:
        """As `Memory.consolidate`."""
        return await _in(
            self._models, self._memory.consolidate, session_id, reason=reason, dry_run=dry_run, model=model
        )

    async def dream(self, job: str = "", *, dry_run: bool = False, model: str | None = None) -> Outcome:
        """As `Memory.dream`."""
        return await _in(self._models, self._memory.dream, job, dry_run=dry_run, model=model)

    async def compact(self, session_id: str, keep: int | None = None) -> Outcome:
        """As `Memory.compact`."""
        return await _in(self._models, self._memory.compact, session_id, keep)

    async def reset(self, session_id: str, *, now: bool | None = None) -> Outcome:
        """As `Memory.reset`."""
        return await _in(self._models, self._memory.reset, session_id, now=now)

    async def end(self, session_id: str, *, now: bool | None = None) -> Outcome:
        """As `Memory.end`."""
        return await _in(self._models, self._memory.end, session_id, now=now)

    async def failures(self) -> list[Failure]:
        """As `Memory.failures`."""
        return await _in(self._store, self._memory.failures)

    async def flush(self, timeout_seconds: float | None = None) -> bool:
        """As `Memory.flush`."""
        return await _in(self._models, self._memory.flush, timeout_seconds)

    async def cost(self, by: Literal["day", "purpose", "model"] = "day") -> dict[str, Totals]:
        """As `Memory.cost`."""
        return await _in(self._store, self._memory.cost, by)

    async def why(self, record_id: str) -> Trail:
        """As `Memory.why`."""
        return await _in(self._store, self._memory.why, record_id)

    async def log(self, limit: int | None = 50) -> list[Change]:
        """As `Memory.log`."""
        return await _in(self._store, self._memory.log, limit)

    async def diff(self, change: int | Outcome | Receipt | Change) -> str:
        """As `Memory.diff`."""
        return await _in(self._store, self._memory.diff, change)

    async def undo(
        self, change: int | Outcome | Receipt | Change, *, reason: str = "", actor: Actor = PERSON
    ) -> Outcome:
        """As `Memory.undo`."""
        return await _in(self._store, self._memory.undo, change, reason=reason, actor=actor)

    async def at(self, instant: datetime) -> Self:
        """As `Memory.at`."""
        return type(self)(await _in(self._store, self._memory.at, instant))

    async def review(self) -> AsyncQueue:
        """As `Memory.review`."""
        return AsyncQueue(await _in(self._store, self._memory.review), self._pools)

    async def snapshot(self) -> Snapshot:
        """As `Memory.snapshot`."""
        return await _in(self._asking, self._memory.snapshot)

    async def tool(self, session_id: str | None = None, *, read_only: bool = False) -> AsyncTool:
        """As `Memory.tool`."""
        return AsyncTool(await _in(self._store, self._memory.tool, session_id, read_only=read_only), self._pools)

    async def sync(self) -> int:
        """As `Memory.sync`."""
        return await _in(self._asking, self._memory.sync)

    async def reindex(self) -> int:
        """As `Memory.reindex`."""
        return await _in(self._store, self._memory.reindex)

    async def limits(self) -> list[Problem]:
        """As `Memory.limits`."""
        return await _in(self._asking, self._memory.limits)

    async def doctor(self, *, fix: bool = False) -> Report:
        """As `Memory.doctor`."""
        return await _in(self._store, self._memory.doctor, fix=fix)

    async def close(self) -> None:
        """As `Memory.close`."""
        await _in(None, self._memory.close)
        self._pools.close()
