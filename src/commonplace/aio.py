"""AsyncMemory: the methods of Memory for asyncio, each run in a thread.

Holds no logic of its own. What touches files runs in one pool, what may wait for a model in another,
so that a slow model never stands in the way of an append. Cancelling an await does not stop the work:
it is done or not done as a whole, as with Memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

from commonplace.config import Clock, Config
from commonplace.memory import Memory
from commonplace.records import Context, Hit, LayerName, Message, Query, RecordedMessage, Report, Session, Source

if TYPE_CHECKING:
    from concurrent.futures import Executor

P = ParamSpec("P")
R = TypeVar("R")

STORE_THREADS = 4  # files of one scope are locked for a moment each; more threads would only queue
MODEL_THREADS = 4  # calls that wait for a server at the same time


async def _in(pool: Executor | None, call: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    # Imported here: asyncio costs 30 ms, and whoever awaits this has paid for it already.
    from asyncio import get_running_loop  # noqa: PLC0415 - see above
    from functools import partial  # noqa: PLC0415 - see above

    return await get_running_loop().run_in_executor(pool, partial(call, *args, **kwargs))


class AsyncSessions:
    """The transcripts of the scope that takes writes, for asyncio; as `Memory.sessions`."""

    def __init__(self, memory: Memory, pool: Executor) -> None:
        self._memory = memory
        self._pool = pool

    async def get_or_create(self, session_id: str, *, agent: str = "main", kind: str = "foreground") -> Session:
        """As `Sessions.get_or_create`."""
        return await _in(self._pool, self._memory.sessions.get_or_create, session_id, agent=agent, kind=kind)

    async def exists(self, session_id: str) -> bool:
        """As `Sessions.exists`."""
        return await _in(self._pool, self._memory.sessions.exists, session_id)

    async def state(self, session_id: str) -> Session:
        """As `Sessions.state`."""
        return await _in(self._pool, self._memory.sessions.state, session_id)

    async def count(self) -> int:
        """As `Sessions.count`."""
        return await _in(self._pool, self._memory.sessions.count)

    async def list(self) -> Sequence[Session]:
        """As `Sessions.list`."""
        return await _in(self._pool, self._memory.sessions.list)

    async def message(self, session_id: str, message_id: str) -> RecordedMessage:
        """As `Sessions.message`."""
        return await _in(self._pool, self._memory.sessions.message, session_id, message_id)

    async def window(self, session_id: str) -> tuple[RecordedMessage, ...]:
        """As `Sessions.window`."""
        return await _in(self._pool, self._memory.sessions.window, session_id)

    async def read(self, session_id: str, start: int = 0, end: int | None = None) -> tuple[RecordedMessage, ...]:
        """As `Sessions.read`, all at once."""
        return await _in(self._pool, lambda: tuple(self._memory.sessions.read(session_id, start, end)))


class AsyncMemory:
    """The memory kept at one location, for asyncio.

    Made by `await AsyncMemory.open(...)`; use it with `async with` or await `close`. Each method does
    what the method of that name does in `Memory`, with the same arguments, results and errors.
    """

    def __init__(self, memory: Memory) -> None:
        # Imported here for the same reason as asyncio above.
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - see above

        self._memory = memory
        self._store = ThreadPoolExecutor(STORE_THREADS, thread_name_prefix="commonplace-store")
        self._models = ThreadPoolExecutor(MODEL_THREADS, thread_name_prefix="commonplace-model")

    @classmethod
    async def open(
        cls,
        location: str | os.PathLike[str],
        *,
        scope: str | Iterable[str] = "default",
        layout: str = "native",
        config: Config | None = None,
        clock: Clock | None = None,
        read_only: bool = False,
    ) -> Self:
        """As `Memory.open`."""
        memory = await _in(
            None, Memory.open, location,
            scope=scope, layout=layout, config=config, clock=clock, read_only=read_only,
        )  # fmt: skip
        return cls(memory)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def scope(self) -> tuple[str, ...]:
        """As `Memory.scope`."""
        return self._memory.scope

    @property
    def location(self) -> str:
        """As `Memory.location`."""
        return self._memory.location

    @property
    def sessions(self) -> AsyncSessions:
        """As `Memory.sessions`."""
        return AsyncSessions(self._memory, self._store)

    async def append(
        self, session_id: str, messages: Iterable[Message], *, agent: str = "main", kind: str = "foreground"
    ) -> list[Source]:
        """As `Memory.append`."""
        return await _in(self._store, self._memory.append, session_id, messages, agent=agent, kind=kind)

    async def recall(
        self, query: str | Query, *, k: int = 8, layers: Iterable[LayerName] | None = None, explain: bool = False
    ) -> list[Hit]:
        """As `Memory.recall`."""
        return await _in(self._store, self._memory.recall, query, k=k, layers=layers, explain=explain)

    async def context(
        self, session_id: str | None = None, query: str | None = None, *, tokens: int | None = None
    ) -> Context:
        """As `Memory.context`."""
        return await _in(self._store, self._memory.context, session_id, query, tokens=tokens)

    async def sync(self) -> int:
        """As `Memory.sync`."""
        return await _in(self._store, self._memory.sync)

    async def reindex(self) -> int:
        """As `Memory.reindex`."""
        return await _in(self._store, self._memory.reindex)

    async def doctor(self, *, fix: bool = False) -> Report:
        """As `Memory.doctor`."""
        return await _in(self._store, self._memory.doctor, fix=fix)

    async def close(self) -> None:
        """As `Memory.close`."""
        await _in(None, self._memory.close)
        self._store.shutdown(wait=False)
        self._models.shutdown(wait=False)
