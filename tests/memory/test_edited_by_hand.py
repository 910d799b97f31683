"""What a person wrote by hand is corrected by what they say later, and by nobody else's idea (DESIGN 1.6)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock, ScriptedLLM

START = "2026-03-01T10:00:00+00:00"
TALK = ("My boss is Amir now.", "Is Karen Hill no longer your boss? Then it is Amir or Tom.")


def say(memory: Memory, clock: FixedClock, session: str, said: str, answer: str = "OK.") -> None:
    """Append one turn to a session of its own."""
    memory.append(session, [Message("user", said, at=clock()), Message("assistant", answer, at=clock())])


def edit(folder: Path, memory: Memory, clock: FixedClock) -> None:
    """Change the record by hand, a day after it was made and before what comes."""
    clock.advance(days=1)
    facts = folder / "memory/facts/user.md"
    facts.write_text(facts.read_text("utf-8").replace("Karen", "Karen Hill"), "utf-8")
    memory.sync()
    clock.advance(days=1)


@pytest.mark.parametrize("late", [False, True])
def test_what_a_person_says_after_their_edit_replaces_it_and_before_it_does_not(tmp_path: Path, late: bool) -> None:
    """The journal says that it was replaced only where it was."""
    clock = FixedClock(START)
    with Memory.open(tmp_path, jobs="worker", clock=clock) as memory:
        say(memory, clock, "cli:a", "My boss is Karen.")
        memory.consolidate("cli:a")
        if not late:
            say(memory, clock, "cli:b", TALK[0])
        edit(tmp_path, memory, clock)
        if late:
            say(memory, clock, "cli:b", TALK[0])
        memory.consolidate("cli:b")
        assert ("Amir" in memory.context("cli:c").stable) == late
        assert list(memory.review()) == []
        journal = "".join(path.read_text("utf-8") for path in (tmp_path / "memory").glob("HISTORY*"))
        assert ("(before: User's boss is Karen Hill.)" in journal) == late


@pytest.mark.parametrize(
    ("op", "text", "message", "quote", "done"),
    [
        ("replace", "The user's boss is Amir.", 1, TALK[0], True),
        ("replace", "The user's boss is Tom.", 1, TALK[0], False),
        ("replace", "The user's boss is Tom.", 2, "it is Amir or Tom", False),
        ("remove", "", 2, "Karen Hill no longer your boss", False),
    ],
)
def test_a_model_replaces_a_persons_edit_only_by_their_own_words(
    tmp_path: Path, op: str, text: str, message: int, quote: str, done: bool
) -> None:
    """What the model or the assistant thought of waits."""
    clock, cites = FixedClock(START), [{"message": message, "quote": quote}]
    change = {"op": op, "target": "1", "path": "memory/facts/user.md", "text": text, "cites": cites}
    with Memory.open(tmp_path, jobs="worker", clock=clock) as memory:
        say(memory, clock, "cli:a", "My boss is Karen.")
        memory.consolidate("cli:a")
        edit(tmp_path, memory, clock)
    llm = ScriptedLLM([json.dumps({"journal": "They spoke of the boss.", "operations": [change]})])
    with Memory.open(tmp_path, jobs="worker", clock=clock, llm=llm) as memory:
        say(memory, clock, "cli:b", *TALK)
        memory.consolidate("cli:b")
        shown = memory.context("cli:c").stable
        assert ("Amir" in shown, "Karen Hill" in shown) == (done, not done)
        assert len(list(memory.review())) == (not done)
