"""A program that opens memory, says something and ends, day after day: what was said becomes memory all the same."""

from __future__ import annotations

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock

JOBS = {"graph": "memory-agent", "memdir": "extract"} | dict.fromkeys(
    ("native", "two-layer", "structured", "facts"), "consolidate"
)


def said(memory: Memory, day: int) -> None:
    memory.append(f"cli:{day}", [Message("user", f"I live in Oslo, at number {day}."), Message("assistant", "Okay.")])


@pytest.mark.parametrize(("layout", "jobs"), [*((layout, "thread") for layout in JOBS), ("native", "inline")])
def test_a_session_that_an_earlier_process_left_is_taken_by_the_next_that_records(tmp_path, layout, jobs):
    clock = FixedClock("2026-11-01T09:00:00+00:00", step_seconds=0.01)
    for day in (1, 2):
        with Memory.open(tmp_path, layout=layout, jobs=jobs, clock=clock) as memory:
            said(memory, day)
        clock.advance(days=1)
    with Memory.open(tmp_path, read_only=True, clock=clock) as memory:
        assert JOBS[layout] in memory.sessions.state("cli:1").cursors
        assert JOBS[layout] not in memory.sessions.state("cli:2").cursors


def test_flush_takes_what_earlier_processes_left_and_a_process_that_only_asks_does_not(tmp_path):
    clock = FixedClock("2026-11-01T09:00:00+00:00", step_seconds=0.01)
    with Memory.open(tmp_path, clock=clock) as memory:
        said(memory, 1)
    clock.advance(days=1)
    with Memory.open(tmp_path, clock=clock) as memory:
        assert memory.recall("Oslo")
        assert memory.context("cli:2", "where does she live").text
    with Memory.open(tmp_path, clock=clock) as memory:
        assert memory.log() == []
        memory.flush()
        assert memory.log()


def test_of_many_sessions_only_those_written_last_are_looked_into(tmp_path):
    clock = FixedClock("2026-11-01T09:00:00+00:00", step_seconds=0.01)
    with Memory.open(tmp_path, jobs="worker", clock=clock) as memory:
        for day in range(40):
            said(memory, day)
    clock.advance(days=1)
    with Memory.open(tmp_path, clock=clock) as memory:
        memory.flush()
        taken = {session.id for session in memory.sessions.list() if session.cursors}
    assert taken == {f"cli:{day}" for day in range(8, 40)}
