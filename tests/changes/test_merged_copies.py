"""Two copies of a memory that grew by themselves, and whose transcripts were merged line by line, as git does."""

from __future__ import annotations

import shutil

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock

PLACE = "sessions/cli%3Amain.jsonl"


def turn(said):
    return [Message("user", said), Message("assistant", "Noted.")]


def opened(folder):
    return Memory.open(folder, clock=FixedClock("2026-03-01T10:00:00+00:00"), jobs="inline")


@pytest.fixture
def copies(tmp_path):
    """Return the folders of two copies that share one turn."""
    one, other = tmp_path / "one", tmp_path / "other"
    with opened(one) as memory:
        memory.append("cli:main", turn("We use PostgreSQL 15."))
    shutil.copytree(one, other, ignore=shutil.ignore_patterns(".commonplace"))
    return one, other


def merged(one, other):
    """Open the first copy with the lines of the second behind its own."""
    lines = (one / PLACE).read_bytes()
    shared = lines.splitlines(keepends=True)[:3]
    own = (other / PLACE).read_bytes().removeprefix(b"".join(shared))
    (one / PLACE).write_bytes(lines + own)
    return opened(one)


def test_both_sides_are_read_found_noted_and_forgotten_each_by_its_own_id(copies):
    """Issue 10: two messages had one id; one side was lost to the session and to jobs, and forgotten by its id."""
    for folder, said in zip(copies, ("My desk is in room Alpha.", "I'm allergic to nuts."), strict=True):
        with opened(folder) as memory:
            memory.append("cli:main", turn(said))
    with merged(*copies) as memory:
        read = [message.text for message in memory.sessions.read("cli:main")]
        assert read[::2] == ["We use PostgreSQL 15.", "My desk is in room Alpha.", "I'm allergic to nuts."]
        assert len(read) == 6
        assert memory.doctor().ok
        memory.consolidate("cli:main")
        shown = memory.context().stable
        assert "room Alpha" in shown
        assert "allergic to nuts" in shown
        hit = memory.recall("allergic nuts", layers=["sessions"])[0]
        assert memory.read(hit.record).text == hit.text == "I'm allergic to nuts."
        memory.forget(hit.record)
        assert "nuts" not in memory.context().stable
        assert "room Alpha" in memory.context().stable


@pytest.mark.parametrize("undone", [False, True])
def test_what_one_side_consolidated_leaves_nothing_of_the_other_out(copies, undone):
    """Issue 10: a cursor counts messages, and those of the other copy came before it."""
    one, other = copies
    with opened(one) as memory:
        memory.append("cli:main", turn("My desk is in room Alpha."))
    with opened(other) as memory:
        memory.append("cli:main", turn("I'm allergic to nuts."))
        change = memory.consolidate("cli:main").change
        if undone:
            memory.undo(change)
    with merged(one, other) as memory:
        memory.end("cli:main")
        memory.flush()
        shown = memory.context().stable
        assert "room Alpha" in shown
        assert "allergic to nuts" in shown
        assert memory.consolidate("cli:main").status == "skipped"


def test_a_session_that_one_side_deleted_stays_deleted(copies):
    """DESIGN 1.10: forgetting is in the transcript, also in one that was merged."""
    one, other = copies
    with opened(one) as memory:
        memory.append("cli:main", turn("My desk is in room Alpha."))
    with opened(other) as memory:
        memory.append("cli:main", turn("I'm allergic to nuts."))
        memory.sessions.delete("cli:main")
    with merged(one, other) as memory:
        assert memory.recall("allergic nuts") == []
        memory.append("cli:main", turn("The door is green."))
        assert [message.text for message in memory.sessions.read("cli:main")] == ["The door is green.", "Noted."]
