"""The shared parts of one scope, made once: the door, the past, jobs, recall and the prompt use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice
from typing import Final, Protocol

from commonplace.changes.drift import Drift
from commonplace.changes.heads import Heads
from commonplace.changes.item_files import ItemFiles
from commonplace.changes.log import Ledger
from commonplace.changes.overruling import taken_back
from commonplace.changes.reader import Reader
from commonplace.changes.sessions import Sessions
from commonplace.changes.tombstones import Tombstones
from commonplace.config import Clock, Config
from commonplace.layouts.schema import Layer, Layout
from commonplace.records import Session, Trust
from commonplace.store.protocol import Store
from commonplace.store.seen import Seen

_QUIET: Final = timedelta(hours=1)
_MOST_GOING_ON: Final = 20  # sessions at one time
"""A session without a message for so long is taken to be over, though nobody ended it."""


class Parts:
    """One scope: where it is kept and how it is laid out, and what reads it. Nothing of it is set again."""

    def __init__(
        self,
        store: Store,
        *,
        layout: Layout,
        config: Config,
        clock: Clock,
        seen: Seen,
        noticed: Callable[[Iterable[str]], None],
        foreign: bool = False,
        scope: str = "",
    ) -> None:
        """Make the parts of a scope.

        Args:
            store: Holds its files.
            layout: How it is laid out.
            config: Every knob.
            clock: Gives the time now.
            seen: What each file said when it was last looked at.
            noticed: Called with the paths that changed outside, so that the index looks into them.
            foreign: Found, neither made nor accepted by this machine: all of it ranks below the agent.
            scope: Its name.
        """
        self.store, self.layout, self.config, self.clock, self.zone = store, layout, config, clock, config.zone
        self.foreign, self.scope = foreign, scope
        self.tombstones = Tombstones(store)
        self.ledger = Ledger(store.since)
        self.sessions = Sessions(
            store, config=config, clock=clock, folder=layout.sessions, tombstones=self.tombstones,
            taken_back_in=lambda session: taken_back(self.ledger, self.sessions, session),
        )  # fmt: skip
        self.items, self.heads = ItemFiles(store), Heads(store, layout, self.ledger)
        trust = _of_outside(layout, self.ledger, clock, self.sessions, lambda: seen.newest() or self.reader.has_marks())
        self.reader = Reader(
            store,
            layout,
            self.sessions,
            self.ledger,
            self.tombstones,
            self.items,
            self.zone,
            now=self.now,
            writers_trust=trust,
            most="tool" if foreign else "user",
        )
        self.drift = Drift(store, layout, seen, self.ledger, self.zone, trust=trust, noticed=noticed)

    def now(self) -> datetime:
        """Return the instant now, in the zone that files are dated in."""
        return self.clock().astimezone(self.zone)

    def going_on(self, times: Iterable[datetime]) -> list[str]:
        """Return the sessions that went on at one of some instants; of many those that were used last."""
        asked = list(times)
        found = (each.id for each in self.sessions.list() if any(_went_on(each, at) for at in asked)) if asked else ()
        return list(islice(found, _MOST_GOING_ON))

    def look_at_instructions(self) -> None:
        """Log what was edited outside of the files that only a person writes."""
        self.drift.look([path for _, path in self.reader.files(lambda layer: layer.person_only)])


def _went_on(session: Session, at: datetime) -> bool:
    return session.last_at is not None and session.created_at - _QUIET < at < session.last_at + _QUIET


class _OfOutside(Protocol):
    def __call__(self, layer: Layer | None = None, written_ns: int = 0) -> Trust: ...


def _of_outside(
    layout: Layout, ledger: Ledger, clock: Clock, sessions: Sessions, shows_changes: Callable[[], object]
) -> _OfOutside:
    """Return a function for the trust of an outside edit: `user`, unless another than a person may have made it.

    The agent may have a file tool: in the layout, or of the host's, while a session goes on; of the latter only what
    tells the agent what to do is taken for its own. And if a part of the log is lost, an edit that it does not explain
    can be anybody's. All of it is lost if there is none, but changes were made: sessions, files or what was seen of
    files tell of them.
    """

    @cache
    def is_lost() -> bool:  # said once, before what is found is logged
        ledger.catch_up()
        if ledger.newest:
            return False
        return any(each.cursors or each.window_start for each in sessions.list()) or bool(shows_changes())

    def goes_on(written_ns: int) -> bool:
        """True if a session went on when a file was written; it may be noticed long after that."""
        at = min(clock(), datetime.fromtimestamp(written_ns // 10**9, UTC)) if written_ns else clock()
        return any(not each.ended and _went_on(each, at) for each in sessions.list())

    def trust(layer: Layer | None = None, written_ns: int = 0) -> Trust:
        if layout.agent_edits_files or is_lost() or ledger.has_gap:
            return "agent"
        return "agent" if layer is not None and layer.person_only and goes_on(written_ns) else "user"

    return trust
