"""Memories for evaluating: an empty one on a fixed clock, and the demo's conversation."""

from __future__ import annotations

from commonplace import Memory
from commonplace.surfaces.cli import sample
from commonplace.testing import FixedClock


def opened(folder, **options):
    return Memory.open(folder, clock=FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1), jobs="worker", **options)


def record_sample(folder):
    """Ten sessions, consolidated by the rules, with their corrections."""
    with opened(folder) as memory:
        for batch in sample.batches():
            memory.append(batch.session_id, batch.messages)
        memory.consolidate()
