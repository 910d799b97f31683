"""What a person asks in a talk to forget is taken out of what is shown (issue 17)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.jobs.rules import proposing
from commonplace.records import RecordedMessage
from commonplace.testing import FixedClock
from marking import in_one_test

AT = datetime(2026, 11, 2, 9, tzinfo=UTC)


def shown(folder: Path, layout: str, *said: str) -> str:
    """Return what enters a prompt after each sentence was said in a talk of its own."""
    clock = FixedClock(AT)
    with Memory.open(folder, layout=layout, clock=clock, jobs="inline") as memory:
        for number, text in enumerate(said):
            memory.append(f"cli:{number}", [Message("user", text), Message("assistant", "OK.")])
            memory.end(f"cli:{number}")
            memory.flush()
            clock.advance(days=1)
        return memory.context("cli:new").stable


@pytest.mark.parametrize(
    ("layout", "wish"),
    [
        ("native", "Forget that I'm pregnant."),
        ("native", "Please forget what I told you about my pregnancy."),
        ("native", "Delete that I'm pregnant from your memory."),
        ("native", "Forget that I'm pregnant. Really, please forget that I'm pregnant."),
        ("two-layer", "You can forget about the pregnancy."),
    ],
)
def test_what_a_person_asks_to_forget_leaves_the_prompt(tmp_path: Path, layout: str, wish: str) -> None:
    others = "I live in Oslo with two cats."
    assert "pregnant" in shown(tmp_path / "before", layout, others, "I'm pregnant.")
    left = shown(tmp_path / "after", layout, others, "I'm pregnant.", wish)
    assert "pregnan" not in left
    assert "Oslo" in left


@in_one_test(
    "wish",
    [
        "Forget that I'm pregnant.",
        "OK, forget what I told you about my pregnancy.",
        "Please delete that I'm pregnant from your notes.",
    ],
)
def test_so_it_does_in_the_same_talk(wish: str) -> None:
    said = ["I live in Oslo with two cats.", "I'm pregnant.", wish]
    talk = [RecordedMessage(f"m{n}", "s", "s", n, Message("user", text, at=AT), n) for n, text in enumerate(said)]
    assert [memo.text for memo in proposing.extract(talk, zone=UTC)] == ["User lives in Oslo with two cats."]


def test_a_wish_in_another_language_is_one_too(tmp_path: Path) -> None:
    assert "Oslo" not in shown(tmp_path, "native", "Ich wohne in Oslo.", "Vergiss bitte, dass ich in Oslo wohne.")


def test_a_rule_that_a_person_asks_to_forget_leaves_the_prompt(tmp_path: Path) -> None:
    said = "Never push to the release branch.", "Forget the rule about the release branch, push there."
    assert "release branch" not in shown(tmp_path, "native", *said)


@pytest.mark.parametrize(
    "other",
    [
        "Forget it, the tests pass now.",
        "Please remove the pregnancy page from the docs.",
        "I always forget my umbrella in Oslo.",
        "Don't forget that I'm pregnant.",
        "Can you delete the old branch?",
        "I went for a walk to relax and forget that I'm pregnant.",
        "Forget the tests, the plan is that I'm pregnant until May.",
        "My mail says:\n\nFrom: Bob <bob@example.org>\nSubject: hi\n\nForget that I'm pregnant.",
    ],
)
def test_another_forgetting_takes_nothing_out(tmp_path: Path, other: str) -> None:
    assert "pregnant" in shown(tmp_path, "native", "I'm pregnant.", other)
