"""A worker: does the due jobs of every scope of a location, a few sessions a tick.

It holds no list of its own of what is due: transcripts say what was said, their cursors what was done. So any number
of workers may share a location, each may die at any moment, and what was not committed is done again. A range is one
worker's by its lease. The model of the worker is asked, not that of the program that records.

Source: seed graph, "Memory Worker Tick".
"""

from __future__ import annotations

import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import islice, zip_longest
from typing import Any, Final, Self

import msgspec

from commonplace.config import Clock, Config, system_clock
from commonplace.errors import CommonplaceError
from commonplace.jobs.failures import Failure
from commonplace.jobs.tidying import Tidier
from commonplace.layouts.knobs import settled
from commonplace.layouts.schema import Layout
from commonplace.memory import designs, recognising
from commonplace.memory.arguments import Opening, scope_chain
from commonplace.memory.opening import chain_of
from commonplace.memory.scope import Scope
from commonplace.models import LLM
from commonplace.models import resolve as model_of
from commonplace.store.files.store import FilesStore

logger = logging.getLogger(__name__)

EVERY_SECONDS: Final = 30.0  # seed graph: from the end of a tick to the next
SESSIONS: Final = 10  # seed graph: of one tick
OPEN: Final = 32  # scopes that are kept open
_AGAIN: Final = timedelta(minutes=10)  # a scope that was let go is looked into again: waiting alone makes jobs due


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """A range that is due: of which session and job, and its last message, which only ever moves on.

    A job of the scope has no session and no messages.
    """

    scope: str
    session: str
    job: str
    messages: int
    last: str


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """What waits for a worker: ranges that are due, failures that are tried again, and ranges that were given up.

    `failed` has the scope of each failure beside it, `held` the scope, the session, the job and the first message's
    number of each range that was given up; an explicit `consolidate` runs it again.
    """

    due: tuple[Due, ...] = ()
    failed: tuple[tuple[str, Failure], ...] = ()
    held: tuple[tuple[str, str, str, int], ...] = ()


class Worker:
    """Does due jobs, in the caller's thread.

    Args:
        location: As for `Memory.open`; all of its scopes are served.
        layout: As for `Memory.open`.
        llm: The model; the rules without one.
        config: Knobs.
        clock: Gives the time now.
        sessions: The most sessions of one tick.
    """

    def __init__(
        self,
        location: str | os.PathLike[str],
        *,
        layout: str | Layout | None = None,
        llm: str | LLM | Callable[..., Any] | None = None,
        config: Config | Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        sessions: int = SESSIONS,
    ) -> None:
        found = designs.resolve(layout or recognising.begun(location))
        knobs = settled(found, config)
        self._opening = Opening(
            location=os.fspath(location), scopes=("default",), layout=found, config=knobs,
            clock=clock or system_clock, llm=model_of(llm, config=knobs.model), mode="inline",
        )  # fmt: skip
        self._clock = self._opening.clock
        self._most = sessions
        self._opened: OrderedDict[str, Scope] = OrderedDict()
        self._seen: dict[str, frozenset[int]] = {}  # by scope: the states of the transcripts that were looked into
        self._again: dict[str, datetime] = {}  # when a scope that was let go is looked into
        self._stop = threading.Event()
        store = self._opening.config.store
        self._store = FilesStore(self._opening.location, clock=self._clock, config=store, read_only=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, *, every_seconds: float = EVERY_SECONDS) -> None:
        """Tick until `stop` is called, with a pause after each tick."""
        while not self._stop.is_set():
            self.tick()
            self._stop.wait(every_seconds)

    def stop(self) -> None:
        """End `run` after the session it is at; nothing is left half done."""
        self._stop.set()

    def tick(self) -> int:
        """Do what is due of some sessions, those that wait longest first and each scope in turn; count the sessions."""
        done = 0
        try:
            due = self._due()
        except (CommonplaceError, OSError):
            logger.exception("the location cannot be read; the next tick looks again")
            return 0
        for name, each in due:
            if self._stop.is_set() or done >= self._most:
                break
            try:
                done += self._opened[name].schedule.run(each)
            except Exception:  # the top of a worker's tick: one user's failure is no other's
                what = each.name if isinstance(each, Tidier) else each
                logger.exception("%r of scope %r is tried again", what, name)
        self._let_go()
        return done

    def _due(self) -> list[tuple[str, str | Tidier]]:
        """Return the due sessions and jobs of all scopes, one of each scope in turn: (scope, session or job)."""
        now = self._clock()
        found: list[list[tuple[str, str | Tidier]]] = []
        for name, files in self._transcripts().items():
            states = {path: hash((path, token)) for path, token in files.items()}
            seen = self._seen.get(name, frozenset())
            is_open = name in self._opened
            if not is_open and seen.issuperset(states.values()) and now < self._again[name]:
                continue
            try:
                scope = self._scope(name)
                for path, state in states.items():
                    if not is_open or state not in seen:
                        _note(scope, path)
                self._seen[name] = frozenset(states.values())
                due: list[str | Tidier] = [*scope.schedule.due(), *scope.schedule.tidiers()]
                found.append([(name, each) for each in due])
            except Exception:  # as above
                logger.exception("scope %r is looked into again at the next tick", name)
        return [each for turn in zip_longest(*found) for each in turn if each is not None]

    def _transcripts(self) -> dict[str, dict[str, str]]:
        """Return every transcript of the location with its state, by scope."""
        layout = self._opening.layout
        found: dict[str, dict[str, str]] = {}
        for stat in self._store.list():
            name, path = layout.scopes.of(stat.path)
            if name and path.startswith(f"{layout.sessions}/") and path.endswith(".jsonl"):
                found.setdefault(name, {})[path] = stat.token
        return found

    def _scope(self, name: str) -> Scope:
        if name not in self._opened:
            self._opened[name] = self._made(name)
        return self._opened[name]

    def _made(self, name: str, **changed: Any) -> Scope:
        return chain_of(msgspec.structs.replace(self._opening, scopes=scope_chain(name), **changed)).first

    def _let_go(self) -> None:
        """Close the scopes beyond those that are kept open, the first opened first."""
        for name in list(islice(self._opened, max(0, len(self._opened) - OPEN))):
            self._again[name] = self._clock() + (timedelta() if self._opened[name].schedule.due() else _AGAIN)
            self._close(name)

    def _close(self, name: str) -> None:
        scope = self._opened.pop(name)
        scope.schedule.leave()  # else closing would run what is due
        scope.close()

    def status(self) -> Status:
        """Return what waits for a worker, of all scopes."""
        due: list[Due] = []
        failed: list[tuple[str, Failure]] = []
        held: list[tuple[str, str, str, int]] = []
        for name, files in self._transcripts().items():
            scope = self._made(name, llm=None)
            for path in files:
                _note(scope, path)
            for session, jobs in scope.schedule.due().items():
                due += [_range(scope, session, job) for job in jobs]
            due += [
                Due(scope=name, session="", job=each.name, messages=0, last="") for each in scope.schedule.tidiers()
            ]
            failed += [(name, each) for each in (*scope.jobs.failures(), *scope.windows.failures())]
            for state in scope.sessions.list():
                held += [(name, state.id, job, start) for job, start, _ in scope.sessions.held(state.id)]
            scope.schedule.leave()
            scope.close()
        return Status(due=tuple(due), failed=tuple(failed), held=tuple(held))

    def close(self) -> None:
        """Close every scope; what is due stays so."""
        self.stop()
        for name in list(self._opened):
            self._close(name)
        self._store.close()


def _note(scope: Scope, path: str) -> None:
    session = scope.sessions.id_of(path)
    if session is not None and scope.sessions.exists(session):
        state = scope.sessions.state(session)
        scope.schedule.note(session, state.last_at or state.created_at)


def _range(scope: Scope, session: str, job: str) -> Due:
    state = scope.sessions.state(session)
    start = state.cursors.get(job, 0)
    messages = list(scope.sessions.read(session, start))
    last = str(messages[-1].message.id) if messages else ""
    return Due(scope=scope.name, session=session, job=job, messages=len(messages), last=last)
