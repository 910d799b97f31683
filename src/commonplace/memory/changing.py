"""What changes memory in one scope: the door, the past, review, and the jobs with their model.

Apart from `wiring` because most processes only read: this half of the engine is loaded at the first
change, job or look into the past.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo
from typing import Final

from commonplace.changes.door import Door
from commonplace.changes.drift import Drift
from commonplace.changes.history import History
from commonplace.changes.log import Ledger
from commonplace.changes.reader import Reader
from commonplace.changes.review import Queue
from commonplace.changes.sessions import Sessions
from commonplace.changes.tombstones import Tombstones
from commonplace.config import Clock, Config, ConsolidationConfig
from commonplace.guard.screened import Screened
from commonplace.jobs import triggers
from commonplace.jobs.consolidators.merge import MergingDoor
from commonplace.jobs.runner import Jobs
from commonplace.jobs.schedule import Mode, Schedule
from commonplace.jobs.views import Views
from commonplace.jobs.windows import Windows
from commonplace.layouts.schema import Layout
from commonplace.models import spending
from commonplace.models.protocol import LLM
from commonplace.store.protocol import STATE, Store

SPENDING: Final = f"{STATE}/spending.jsonl"
"""The ledger of model calls, one line a call."""


class Changing:
    """The changing half of a scope, over the parts of its reading half.

    Args:
        llm: The model, not yet metered.
        mode: Who runs the jobs.
    """

    def __init__(
        self,
        store: Store,
        *,
        layout: Layout,
        config: Config,
        clock: Clock,
        zone: tzinfo,
        sessions: Sessions,
        ledger: Ledger,
        reader: Reader,
        drift: Drift,
        tombstones: Tombstones,
        llm: LLM | None,
        mode: Mode,
    ) -> None:
        self._store = store
        self.door = Door(
            store, layout=layout, sessions=sessions, ledger=ledger, reader=reader, drift=drift,
            tombstones=tombstones, clock=clock, config=config,
        )  # fmt: skip
        self.history = History(store, layout=layout, sessions=sessions, ledger=ledger, reader=reader, door=self.door)
        self.review = Queue(store, self.door)
        self.spending = spending.Ledger(self._note_spend, self._spend_lines)
        budget = spending.Budget(config.spending, self.spending.spends, zone)
        breaker = spending.Breaker(config.spending, self.spending.spends)
        self.llm = spending.MeteredLLM(llm, self.spending, budget, breaker, clock) if llm is not None else None
        self.meter = spending.EmbeddingMeter(self.spending, budget, clock)
        self.views = Views(layout, reader, ledger, config)
        self.merging = MergingDoor(
            self.door, store=store, reader=reader, ledger=ledger, layout=layout, config=config, llm=self.llm
        )
        self.jobs = Jobs(
            store, layout=layout, sessions=sessions, door=self.door, views=self.views, clock=clock, config=config,
            zone=zone, llm=self.llm,
        )  # fmt: skip
        self.windows = Windows(
            store, layout=layout, sessions=sessions, door=self.door, jobs=self.jobs, clock=clock, config=config,
            llm=self.llm,
        )  # fmt: skip
        declared = ((job.name, each.when, each.over) for job in layout.jobs for each in job.triggers)
        rules = triggers.rules(declared, _numbers(config.consolidation))
        self.schedule = Schedule(self.jobs, self.windows, sessions, rules=rules, mode=mode, clock=clock)

    def _note_spend(self, line: Screened) -> None:
        self._store.append(SPENDING, [line], durable=False)

    def _spend_lines(self) -> Iterable[bytes]:
        blob = self._store.read(SPENDING)
        return blob.data.splitlines() if blob else ()


def _numbers(knobs: ConsolidationConfig) -> dict[str, float]:
    """Give the knobs that triggers are held against."""
    found = {name: getattr(knobs, name) for name in knobs.__struct_fields__}
    return {name: float(value) for name, value in found.items() if isinstance(value, (int, float))}
