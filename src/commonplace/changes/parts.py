"""The shared parts of one scope, made once: the door, the past, jobs, recall and the prompt use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, tzinfo
from functools import cache
from typing import Self

import msgspec

from commonplace.changes.drift import Drift
from commonplace.changes.heads import Heads
from commonplace.changes.item_files import ItemFiles
from commonplace.changes.log import Ledger
from commonplace.changes.reader import Reader
from commonplace.changes.sessions import Sessions
from commonplace.changes.tombstones import Tombstones
from commonplace.config import Clock, Config
from commonplace.layouts.schema import Layout
from commonplace.records import Trust
from commonplace.store.protocol import Store
from commonplace.store.seen import Seen


class Parts(msgspec.Struct, frozen=True):
    """One scope: where it is kept and how it is laid out, and what reads it."""

    store: Store
    layout: Layout
    config: Config
    clock: Clock
    zone: tzinfo
    sessions: Sessions
    ledger: Ledger
    tombstones: Tombstones
    reader: Reader
    drift: Drift
    items: ItemFiles
    heads: Heads

    def now(self) -> datetime:
        """Return the instant now, in the zone that files are dated in."""
        return self.clock().astimezone(self.zone)

    @classmethod
    def made(
        cls,
        store: Store,
        *,
        layout: Layout,
        config: Config,
        clock: Clock,
        seen: Seen,
        noticed: Callable[[Iterable[str]], None],
    ) -> Self:
        """Make the parts of a scope.

        Args:
            store: Holds its files.
            layout: How it is laid out.
            config: Every knob.
            clock: Gives the time now.
            seen: What each file said when it was last looked at.
            noticed: Called with the paths that changed outside, so that the index looks into them.
        """
        zone = config.zone
        tombstones = Tombstones(store)
        sessions = Sessions(store, config=config, clock=clock, folder=layout.sessions, tombstones=tombstones)
        ledger = Ledger(store.since)
        trust = _of_outside(layout, ledger, sessions)
        items, heads = ItemFiles(store), Heads(store, layout, ledger)
        reader = Reader(
            store,
            layout,
            sessions,
            ledger,
            tombstones,
            items=items,
            zone=zone,
            today=lambda: clock().astimezone(zone).date(),
            writers_trust=trust,
        )
        drift = Drift(store, layout, seen, ledger, zone=zone, trust=trust, noticed=noticed)
        return cls(store, layout, config, clock, zone, sessions, ledger, tombstones, reader, drift, items, heads)


def _of_outside(layout: Layout, ledger: Ledger, sessions: Sessions) -> Callable[[], Trust]:
    """Return a function for the trust of an outside edit: `user`, unless another than a person may have made it.

    The agent may have a file tool; and if a part of the log is lost, an edit that it does not explain can be anybody's.
    """

    @cache
    def is_lost() -> bool:  # said once, before what is found is logged
        ledger.catch_up()
        return not ledger.newest and any(each.cursors or each.window_start for each in sessions.list())

    def trust() -> Trust:
        return "agent" if layout.agent_edits_files or is_lost() or ledger.has_gap else "user"

    return trust
