"""A folder of ours that somebody took away is made again when something is written into it."""

from __future__ import annotations

import shutil

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock

pytestmark = pytest.mark.battery

OURS = ["state", "log", "quarantine"]


def opened(folder, **options):
    return Memory.open(folder, jobs="worker", clock=FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1), **options)


@pytest.fixture
def full(tmp_path):
    with opened(tmp_path) as memory:
        memory.append("s", [Message("user", "The ferry leaves at noon.")])
        memory.remember("likes the ferry")
    return tmp_path


def use(memory):
    """Ask and change all that needs our own folders."""
    assert len(memory.recall("ferry")) == 2
    memory.append("s", [Message("user", "It is late.")])
    memory.remember("lives in Oslo")
    memory.consolidate("s")
    return memory.doctor(fix=True).problems


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("when", ["before it is opened", "while it is open"])
def test_a_missing_folder_of_ours_stops_nothing(full, name, when):
    """One folder taken away by hand or by a copy that leaves out empty ones had stopped every command."""
    if when == "before it is opened":
        shutil.rmtree(full / ".commonplace" / name)
    with opened(full) as memory:
        if when == "while it is open":
            shutil.rmtree(full / ".commonplace" / name)
        found = use(memory)
        assert memory.recall("Oslo")[0].text == "lives in Oslo"
    assert (full / ".commonplace" / name).is_dir()
    assert [problem.kind for problem in found] == (["log"] if name == "log" else [])


@pytest.mark.parametrize("name", OURS)
def test_who_may_not_write_reads_without_the_folder(full, name):
    shutil.rmtree(full / ".commonplace" / name)
    with opened(full, read_only=True) as memory:
        assert len(memory.recall("ferry")) == 2
    assert not (full / ".commonplace" / name).exists()


def test_a_log_that_is_gone_is_named_with_what_it_held(full):
    """The history is gone and cannot be made again; memory stands."""
    shutil.rmtree(full / ".commonplace" / "log")
    with opened(full) as memory:
        (problem,) = memory.doctor().problems
    assert problem.reason == "the log is gone, with all up to change 1; memory is as they left it"


def test_a_memory_that_was_taken_away_while_it_is_open_begins_anew(full):
    """Issue 23.4: an append raised that there is no such file, until the memory was opened again."""
    with opened(full) as memory:
        shutil.rmtree(full)
        memory.append("s", [Message("user", "the heron is back")])
        assert memory.remember("The heron nests here.").status == "applied"
        assert [hit.text for hit in memory.recall("heron back", layers=["sessions"])] == ["the heron is back"]
