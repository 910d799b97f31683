"""Many writers of one file stand in line."""

from __future__ import annotations

import os

import pytest
from doors import DOC, opened, texts

from commonplace.store.files import locks
from commonplace.store.files.disk import Disk
from commonplace.store.files.locks import FileLock
from forking import in_processes

pytestmark = pytest.mark.battery


def remembered(folder, processes, each):
    def work(number):
        with opened(folder) as memory:
            for turn in range(each):
                assert memory.remember(f"writer {number} says {turn}", kind="decision").status == "applied"

    assert in_processes(processes, work, seconds=500) == [0] * processes
    with opened(folder) as memory:
        kept = [text for path in ("memory/archive/2026-11.md", DOC) for text in texts(memory, path)]
        assert sorted(kept) == sorted(f"writer {n} says {t}" for n in range(processes) for t in range(each))
        changes = memory.log(None)
    assert [change.number for change in changes] == list(range(processes * each, 0, -1))
    assert {change.actor for change in changes} == {"library"}


@pytest.mark.slow
def test_twelve_processes_remember_two_facts_each(fast_path):
    """Issue 23.2: none ends in a conflict, none is logged as an edit by hand."""
    remembered(fast_path, 12, 2)


@pytest.mark.slow
def test_a_hundred_processes_remember_five_facts_each(fast_path):
    """Issue 23.2: 500 of 500 at full size, more than a MEMORY.md has room for."""
    remembered(fast_path, 100 if os.environ.get("COMMONPLACE_BATTERY") == "full" else 16, 5)


def test_a_lock_that_changes_hands_is_waited_for_and_one_that_does_not_is_given_up(tmp_path, monkeypatch):
    """The limit is that of one holder; a place in the line is kept meanwhile."""
    path = tmp_path / "lock"
    holder, waiter = FileLock(str(path), Disk()), FileLock(str(path), Disk())
    assert holder.acquire(0)
    assert not waiter.acquire(0, in_line=True)
    looks = []

    def taken(self):
        looks.append(1)
        if len(looks) == 4:
            holder.release()
        return len(looks)

    monkeypatch.setattr(locks.FileLock, "last_taken", taken)
    assert waiter.acquire(0.001, in_line=True)
    assert len(looks) >= 4
    waiter.release()
