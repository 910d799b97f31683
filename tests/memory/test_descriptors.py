"""A memory needs few open files, however many files a change writes and however many memories are open."""

from __future__ import annotations

import gc
import resource
from collections import OrderedDict
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.operations import PutTopic
from commonplace.store import sqlite_file
from forking import in_child

pytestmark = pytest.mark.battery


def held() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_change_over_many_files_and_its_undo_hold_few_of_them_open(tmp_path):
    """Issue 23.7: the undo of a change over 600 files failed where a process may open 1,024."""

    def work():
        soft = held() + 24
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, soft))
        topics = [PutTopic(path=f"memory/topic-{n}.md", title=f"Topic {n}", body=f"Body {n}.") for n in range(30)]
        with Memory.open(tmp_path, jobs="worker") as memory:
            done = memory.apply(topics, reason="many")
            assert done.status == "applied"
            assert len(list((tmp_path / "memory").glob("topic-*.md"))) == 30
            assert memory.undo(done).status == "applied"
            assert memory.doctor().ok
        assert list((tmp_path / "memory").glob("topic-*.md")) == []

    assert in_child(work) == 0


def test_many_open_memories_hold_few_files_open(tmp_path, monkeypatch):
    """Issue 23: 275 memories at once had all of the 1,024 files that a process may open."""
    monkeypatch.setattr(sqlite_file, "MOST_OPEN", 2)
    monkeypatch.setattr(sqlite_file, "opened", OrderedDict())  # without those that other tests opened
    for number in range(4):
        with Memory.open(tmp_path, scope=f"user:{number}", jobs="worker") as memory:
            memory.append("t", [Message("user", "There is a bell.")])
    gc.collect()  # what other tests left open is closed now, and not while files are counted
    before = held()
    opened = [Memory.open(tmp_path, scope=f"user:{number}", jobs="worker") for number in range(4)]
    for turn in range(2):
        for number, memory in enumerate(opened):
            memory.append("s", [Message("user", f"Lighthouse {number} has lamp {turn}.")])
            assert {hit.text for hit in memory.recall(f"lighthouse {number}", k=turn + 1)} == {
                f"Lighthouse {number} has lamp {each}." for each in range(turn + 1)
            }
            memory.remember("It is white.")
            memory.context("s", "lighthouse")
            assert held() <= before + 2 * 3
    for memory in opened:
        memory.close()
    assert held() == before
