"""A memory needs few open files, however many files a change writes and however many memories are open."""

from __future__ import annotations

import os
import resource

import pytest

from commonplace import Memory, Message
from commonplace.operations import PutTopic
from forking import in_child

pytestmark = pytest.mark.battery


def held() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_change_over_many_files_and_its_undo_hold_few_of_them_open(tmp_path):
    """Issue 23.7: the undo of a change over 600 files failed where a process may open 1,024."""

    def work():
        soft = held() + 40
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, soft))
        topics = [PutTopic(path=f"memory/topic-{n}.md", title=f"Topic {n}", body=f"Body {n}.") for n in range(60)]
        with Memory.open(tmp_path, jobs="worker") as memory:
            done = memory.apply(topics, reason="many")
            assert done.status == "applied"
            assert len(list((tmp_path / "memory").glob("topic-*.md"))) == 60
            assert memory.undo(done).status == "applied"
            assert memory.doctor().ok
        assert list((tmp_path / "memory").glob("topic-*.md")) == []

    assert in_child(work) == 0


def test_an_open_memory_that_was_used_holds_few_files_open(tmp_path):
    """Issue 23: 170 memories at once had all of the 1,024 files that a process may open."""
    before = held()
    opened = []
    for number in range(5):
        memory = Memory.open(tmp_path / str(number), jobs="worker")
        memory.append("s", [Message("user", "The lighthouse is white.")])
        memory.recall("lighthouse")
        memory.remember("It is white.")
        memory.context("s", "lighthouse")
        opened.append(memory)
    used = (held() - before) / len(opened)
    for memory in opened:
        memory.close()
    assert held() == before
    assert used <= 4
