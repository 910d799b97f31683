"""The one place where tests reach for private names: what a test must see or stop that no public name shows."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from commonplace import AsyncMemory, Config, Memory, Worker
from commonplace.changes.log import Ledger
from commonplace.changes.payload import Added
from commonplace.changes.sessions import Sessions
from commonplace.jobs.host import Host
from commonplace.jobs.schedule import Schedule
from commonplace.jobs.windows import Windows
from commonplace.layouts.codecs import entries
from commonplace.memory.scope import Scope
from commonplace.models.spending import MeteredLLM
from commonplace.recall.embedding import Embedding
from commonplace.recall.index.rows import Shelf
from commonplace.recall.index.sqlite import SqliteIndex
from commonplace.recall.indexing import Indexing
from commonplace.store.files import changelog, state
from commonplace.store.files.commits import Commits
from commonplace.store.files.store import FilesStore
from commonplace.text.installed import Installed


def scopes_of(memory: Memory) -> tuple[Scope, ...]:
    """Return the parts of the scopes of a memory."""
    return memory._scopes


def scope_of(memory: Memory) -> Scope:
    """Return the parts of the scope that takes writes."""
    return scopes_of(memory)[0]


def config_of(memory: Memory) -> Config:
    """Return the knobs that a memory was opened with."""
    return memory._opened._opening.config


def has_threads(memory: AsyncMemory) -> bool:
    """True if its threads were not ended."""
    return memory._pools.files is not None


def put_around(part: Any, step: str, does: Callable[..., Any]) -> Callable[[], None]:
    """Put `does(real, *arguments)` in place of a private step of a part or a class; return what undoes it."""
    name = f"_{step}"
    real, own = getattr(part, name), name in vars(part)

    def run(*arguments: Any, **options: Any) -> Any:
        return does(real, *arguments, **options)

    setattr(part, name, run)
    return partial(setattr, part, name, real) if own else partial(delattr, part, name)


@contextmanager
def around(part: Any, step: str, does: Callable[..., Any]) -> Iterator[None]:
    """Run `does(real, *arguments)` in place of a private step of a part or a class, for the time of a block."""
    undo = put_around(part, step, does)
    try:
        yield
    finally:
        undo()


# --- jobs ---


def by_name(installed: Installed[Any]) -> dict[str, Any]:
    """Return the functions of a registry, for a test that puts one in."""
    return installed._found


def grown(schedule: Schedule) -> dict[str, Any]:
    """Return the sessions that grew since the last look."""
    return schedule._grown


def counted(schedule: Schedule) -> Mapping[str, Any]:
    """Return what is kept of each session that was counted."""
    return schedule._counted


def thread_of(schedule: Schedule) -> Any:
    """Return the thread that runs its jobs; None if there is none."""
    return schedule._thread


def busy(schedule: Schedule) -> int:
    """Return how many jobs are under way or handed over."""
    return schedule._busy


def hand_over(schedule: Schedule, session: str) -> None:
    """Pass a session to the thread that runs its jobs, due or not."""
    schedule._hand_over([session])


def host_of(windows: Windows) -> Host:
    """Return what gives a compaction its work."""
    return windows._host


def open_scopes(worker: Worker) -> OrderedDict[str, Scope]:
    """Return the scopes that a worker has open."""
    return worker._opened


def known_sessions(worker: Worker, scope: str) -> Mapping[str, Any]:
    """Return what a worker keeps of the sessions of a scope."""
    return worker._seen[scope]


def due_of(worker: Worker) -> Any:
    """Return what a worker would do next."""
    return worker._due()


def held_tokens(llm: MeteredLLM) -> int:
    """Return the tokens that are held for calls under way."""
    return llm._held_tokens


def stop_at(worker: Worker, event: Any) -> None:
    """Let a worker wait at this event in place of its own."""
    worker._stop = event


# --- files ---


def commits_of(store: FilesStore) -> Commits:
    """Return what writes the changes of a store."""
    return store._commits


def lose_power(store: FilesStore) -> None:
    """Let a store close without a checkpoint."""
    store._commits._dirty = False


def head_bytes(head: state.Head) -> bytes:
    """Return the file of a head."""
    return state._render(head)


def log_line(header: bytes, payload: bytes) -> bytes:
    """Return a line of the log with the hash that is right for it."""
    return changelog._line(header, payload)


def never_exchange(store: FilesStore) -> None:
    """Take the system's call for an exchange away from a store."""
    store._commits._replacer._disk.exchange = lambda *_, **__: False


def refuse_writes(store: FilesStore, error: OSError) -> None:
    """Let every append of a store end in an error."""

    def refuse(*_: object) -> None:
        raise error

    store._appender._disk.write = refuse


def append_within(store: FilesStore, seconds: float) -> None:
    """Let an append of a store wait so long for others."""
    store._appender._wait_seconds = seconds


def holds_any(store: FilesStore) -> bool:
    """True if a thread of this process holds a file that is appended to."""
    return store._appender.holds_any


def folded(sessions: Sessions, path: str) -> Any:
    """Return what is remembered of a transcript."""
    return sessions._fold(path)


def made_by(ledger: Ledger, number: int) -> list[Added]:
    """Return what a change added."""
    return [added for kept in ledger._made.values() for at, added in kept if at == number]


LOCKS: Mapping[str, Callable[[Scope], AbstractContextManager[Any]]] = {
    "sessions": lambda scope: scope.sessions._lock,
    "frozen facts": lambda scope: scope.sections._frozen._lock,
    "door": lambda scope: scope.door.lock,
    "schedule": lambda scope: scope.schedule._lock,
    "index": lambda scope: scope.indexing.index._lock,
    "scope lock": lambda scope: scope.store._commits.lock._threads,
}
"""The locks of a scope that its threads take."""


# --- the index, models ---


def read_through(indexing: Indexing, store: Any) -> None:
    """Let an index read files through another store."""
    indexing._store = store


def database_of(index: SqliteIndex) -> Any:
    """Return the SQLite connection of an index."""
    return index._db


def shelf_of(index: SqliteIndex) -> Shelf:
    """Return what an index has in memory now."""
    return index._shelf


def file_lock(index: SqliteIndex) -> AbstractContextManager[None]:
    """Return the lock that is held while the file of an index is made or replaced."""
    return index._file_lock(index.path, exclusive=True)


def lacks_vectors(embedding: Embedding) -> bool:
    """True if some texts have no vector yet."""
    return embedding._missing()


def embedder_of(memory: Memory) -> Any:
    """Return the embedder that was given or named, without what guards it."""
    return scope_of(memory).embedding._embedder._embedder


def is_open(model: Any) -> bool:
    """True if the client of a model or embedder was made."""
    return model._opened is not None


def forget_client(model: Any) -> None:
    """Let the next call make the client of a model or embedder."""
    model._opened = None


def close_client(model: Any) -> None:
    """Close the connections of a model or embedder, if it has any."""
    if model._opened is not None:
        model._opened[1].close()


def address_of(model: Any) -> str:
    """Return the server that a model was given."""
    return model._base_url


def forget_entries() -> None:
    """Let entries be read from their bytes again."""
    entries._kept.cache_clear()


def parsed(pattern: str) -> Any:
    """Return the tree of a regular expression."""
    return re._parser.parse(pattern)
