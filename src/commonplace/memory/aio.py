"""AsyncMemory: the methods of Memory for asyncio, each run in a thread.

Holds no logic of its own. What touches files runs in one pool, questions in another and what waits for a model
in a third, so that a slow model never delays an append. Cancelling an await does not stop the work:
it is done or not done as a whole, as with Memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from datetime import datetime
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from commonplace.changes.review import Queue
from commonplace.config import Clock, Config
from commonplace.jobs.schedule import Mode
from commonplace.layouts.schema import Layout
from commonplace.memory import forks
from commonplace.memory.memory import Memory
from commonplace.memory.scope import Transcripts
from commonplace.memory.tool import Provider, Tool
from commonplace.models import LLM
from commonplace.recall.index.near import Embedder
from commonplace.records import RecordedMessage
from commonplace.store.sqlite_file import IndexFile

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Held_co = TypeVar("Held_co", covariant=True)

THREADS = 4  # in each pool: files of one scope are locked for a moment each, more threads would only queue


async def _in(pool: Executor | None, call: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    # Imported here: asyncio costs 30 ms, and a caller that awaits this has imported it already.
    from asyncio import get_running_loop  # noqa: PLC0415 - see above

    return await get_running_loop().run_in_executor(pool, partial(call, *args, **kwargs))


class _Pools:
    """The threads of one AsyncMemory; none after its close, when its calls do nothing that takes long."""

    def __init__(self) -> None:
        self.renew()
        forks.watch(self)

    def renew(self) -> object:
        """Make the threads (a forked child makes its own), and return those of before."""
        left = vars(self).copy()
        self.files: Executor | None = ThreadPoolExecutor(THREADS, thread_name_prefix="commonplace-files")
        self.questions: Executor | None = ThreadPoolExecutor(THREADS, thread_name_prefix="commonplace-questions")
        self.models: Executor | None = ThreadPoolExecutor(THREADS, thread_name_prefix="commonplace-models")
        return left

    def databases(self) -> tuple[IndexFile, ...]:
        """Return nothing: threads have no files."""
        return ()

    def close(self) -> None:
        """End the threads when their work is done."""
        for pool in (self.files, self.questions, self.models):
            if pool is not None:
                pool.shutdown(wait=False)
        self.files = self.questions = self.models = None


class _Twin(Generic[Held_co]):
    """An object whose methods are awaited; `_of` returns the object that does the work."""

    def __init__(self, of: Callable[[], Held_co], pools: _Pools) -> None:
        self._of = of
        self._pools = pools


_Method = Callable[Concatenate[T, P], R]
_Awaited = Callable[Concatenate[_Twin[T], P], Coroutine[Any, Any, R]]


def _run(pool: Callable[[_Pools], Executor | None], method: _Method[T, P, R]) -> _Awaited[T, P, R]:
    @wraps(method)
    async def run(self: _Twin[T], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await _in(pool(self._pools), method, self._of(), *args, **kwargs)

    return run


def _files(method: _Method[T, P, R]) -> _Awaited[T, P, R]:
    return _run(lambda pools: pools.files, method)


def _question(method: _Method[T, P, R]) -> _Awaited[T, P, R]:
    return _run(lambda pools: pools.questions, method)


def _model(method: _Method[T, P, R]) -> _Awaited[T, P, R]:
    return _run(lambda pools: pools.models, method)


class AsyncSessions(_Twin[Transcripts]):
    """The transcripts of the scope that takes writes, for asyncio; as `Memory.sessions`."""

    get_or_create = _files(Transcripts.get_or_create)
    exists = _files(Transcripts.exists)
    state = _files(Transcripts.state)
    count = _files(Transcripts.count)
    list = _files(Transcripts.list)
    message = _files(Transcripts.message)
    window = _files(Transcripts.window)
    clear = _files(Transcripts.clear)
    delete = _files(Transcripts.delete)
    describe = _files(Transcripts.describe)

    async def read(self, session_id: str, start: int = 0, end: int | None = None) -> tuple[RecordedMessage, ...]:
        """As `Sessions.read`, all at once."""
        return await _in(self._pools.files, lambda: tuple(self._of().read(session_id, start, end)))


class AsyncQueue(_Twin[Queue]):
    """What waits for a person, for asyncio; as `Queue`."""

    list = _files(Queue.list)
    get = _files(Queue.get)
    approve = _files(Queue.approve)
    reject = _files(Queue.reject)


class AsyncTool(_Twin[Tool]):
    """The agent's tool, for asyncio; as `Tool`."""

    call = _question(Tool.call)

    @property
    def actions(self) -> tuple[str, ...]:
        """As `Tool.actions`."""
        return self._of().actions

    def schema(self, provider: Provider = "anthropic") -> dict[str, Any]:
        """As `Tool.schema`; nothing is waited for."""
        return self._of().schema(provider)

    def schemas(self, provider: Provider = "anthropic") -> list[dict[str, Any]]:
        """As `Tool.schemas`; nothing is waited for."""
        return self._of().schemas(provider)


class AsyncMemory(_Twin[Memory]):
    """The memory kept at one location, for asyncio.

    Made by `await AsyncMemory.open(...)`; use it with `async with` or await `close`. Each method does
    what the method of that name does in `Memory`, with the same arguments, results and errors.
    """

    def __init__(self, memory: Memory) -> None:
        super().__init__(lambda: memory, _Pools())

    @classmethod
    async def open(
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
        """As `Memory.open`."""
        memory = await _in(
            None, Memory.open, location,
            scope=scope, layout=layout, llm=llm, embedder=embedder, config=config, clock=clock, jobs=jobs,
            read_only=read_only, found=found,
        )  # fmt: skip
        return cls(memory)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def scope(self) -> tuple[str, ...]:
        """As `Memory.scope`."""
        return self._of().scope

    @property
    def foreign(self) -> bool:
        """As `Memory.foreign`."""
        return self._of().foreign

    @property
    def location(self) -> str:
        """As `Memory.location`."""
        return self._of().location

    @property
    def sessions(self) -> AsyncSessions:
        """As `Memory.sessions`."""
        return AsyncSessions(lambda: self._of().sessions, self._pools)

    scopes = _files(Memory.scopes)
    append = _files(Memory.append)
    remember = _files(Memory.remember)
    read = _files(Memory.read)
    version = _files(Memory.version)
    update = _files(Memory.update)
    apply = _files(Memory.apply)
    document = _files(Memory.document)
    rewrite = _files(Memory.rewrite)
    note = _files(Memory.note)
    forget = _files(Memory.forget)
    promote = _files(Memory.promote)
    failures = _files(Memory.failures)
    cost = _files(Memory.cost)
    why = _files(Memory.why)
    log = _files(Memory.log)
    diff = _files(Memory.diff)
    undo = _files(Memory.undo)
    reindex = _files(Memory.reindex)
    doctor = _files(Memory.doctor)
    recall = _question(Memory.recall)
    context = _question(Memory.context)
    surface = _question(Memory.surface)
    snapshot = _question(Memory.snapshot)
    sync = _question(Memory.sync)
    limits = _question(Memory.limits)
    consolidate = _model(Memory.consolidate)
    dream = _model(Memory.dream)
    compact = _model(Memory.compact)
    reset = _model(Memory.reset)
    end = _model(Memory.end)
    flush = _model(Memory.flush)

    async def at(self, instant: datetime) -> Self:
        """As `Memory.at`."""
        return type(self)(await _in(self._pools.files, self._of().at, instant))

    async def review(self) -> AsyncQueue:
        """As `Memory.review`."""
        queue = await _in(self._pools.files, self._of().review)
        return AsyncQueue(lambda: queue, self._pools)

    async def tool(self, session_id: str | None = None, *, read_only: bool = False) -> AsyncTool:
        """As `Memory.tool`."""
        tool = await _in(self._pools.files, partial(self._of().tool, session_id, read_only=read_only))
        return AsyncTool(lambda: tool, self._pools)

    async def close(self) -> None:
        """As `Memory.close`."""
        try:
            await _in(None, self._of().close)
        finally:
            self._pools.close()
