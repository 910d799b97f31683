"""What the agent's tool wrote down of a talk is not written down again by the rules in their own words."""

from __future__ import annotations

import pytest

from commonplace import Memory, Message
from commonplace.jobs.rules import matching
from commonplace.testing import FixedClock
from marking import slow_after

TALK = [
    ("I moved to Lyon last month for a job at Sanofi.", "The user moved to Lyon in February 2026 for a job at Sanofi."),
    ("My standup is next Thursday at 9:30.", "The user's standup is on 2026-03-12 at 9:30."),
    ("My sister's name is Elif, she is a vet.", "The user's sister is called Elif and is a vet."),
    ("We use pnpm here, never npm.", "Use pnpm in this repository, never npm."),
]


def talk(folder, layout):
    """Return a memory after a talk of which the agent wrote down each statement, and of which the rules had their turn."""
    clock = FixedClock("2026-03-02T08:00:00+00:00")
    memory = Memory.open(folder, layout=layout, clock=clock, jobs="inline")
    for number, (said, written) in enumerate(TALK):
        memory.append("s", [Message("user", said)])
        titled = {"title": f"Note {number}", "description": written, "content": written}
        match layout:
            case "memdir":
                memory.tool("s").call({"action": "save", "type": "user", **titled})
            case "graph":
                memory.tool("s").call(titled, "memory_node_write")
            case _:
                memory.tool("s").call({"action": "add", "content": written})
        memory.append("s", [Message("assistant", "OK")])
    memory.end("s")
    return memory


@pytest.mark.parametrize("layout", slow_after(2, ["native", "memdir", "two-layer", "structured"]))
def test_no_statement_is_in_memory_twice(tmp_path, layout):
    """Bug: native showed 4 of 5 statements twice, and the tool then said that two records are meant."""
    with talk(tmp_path, layout) as memory:
        for word in ("Sanofi", "standup", "Elif", "pnpm"):
            hits = memory.recall(word, k=9, layers=["documents", "topics", "items"])
            texts = [hit.text for hit in hits if word in hit.text and "User: " not in hit.text]
            lines = {line for text in texts for line in text.splitlines() if word in line}
            assert len(lines) == 1, lines
        if layout in {"native", "two-layer"}:
            change = {"action": "replace", "old_text": "standup", "content": "The user's standup is at 10:15."}
            assert memory.tool("s").call(change)["success"]


def test_what_is_over_goes_though_the_tool_wrote_what_is_so_now(tmp_path):
    """A statement that an older record is over for still takes its place."""
    clock = FixedClock("2026-03-02T08:00:00+00:00")
    with Memory.open(tmp_path, clock=clock, jobs="inline") as memory:
        memory.append("a", [Message("user", "I live in Ghent."), Message("assistant", "OK")])
        memory.end("a")
        clock.advance(86400)
        memory.append("b", [Message("user", "I live in Lyon now.")])
        memory.tool("b").call({"action": "add", "target": "environment", "content": "The user lives in Lyon now."})
        memory.append("b", [Message("assistant", "OK")])
        memory.end("b")
        assert "Ghent" not in memory.context().text


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("The user's sister moved to Lyon in February 2026.", "User moved to Lyon in 2026-02."),
        ("The user's standup is on 2026-03-12 at 10:15.", "User's standup is 2026-03-12 at 9:30."),
        ("The user asked to order coffee beans on Friday.", "User likes coffee."),
        ("The user's brother is called Emre and is a vet.", "User's sister's name is Elif, she is a vet."),
        ("The user lives in Lyon and not in Ghent.", "User lives in Ghent."),
    ],
)
def test_another_statement_is_no_retelling(written, said):
    """Of another person, with another number, with another sense, or of something else."""
    assert not matching.retells(written, said)
