"""A statement is shown once: what the assistant repeats of it is left out, with another value or person it is not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonplace import Memory, Message
from commonplace.recall.prompt.repeats import Repeats, says_nothing
from commonplace.testing import FixedClock
from marking import in_one_test, slow_after

SAME = [
    ("I live in Bergen.", "Noted: you live in Bergen."),
    ("User lives in Bergen.", "Got it, you live in Bergen."),
    ("I live in Bergen with my two cats.", "Okay! So you live in Bergen."),
    ("My sister Ottilie works at the mill.", "Got it, your sister Ottilie works at the mill. Anything else?"),
    ("I am allergic to peanuts.", "Alright, you are allergic to peanuts."),
    ("My train leaves on 3 March at 07:45 from Oslo.", "Great! Your train leaves on 3 March at 07:45."),
    ("I don't eat meat.", "Understood: you don't eat meat."),
    ("I prefer tabs over spaces.", "Okay, I'll remember that you prefer tabs over spaces."),
    ("Ich wohne in Bergen.", "Notiert: du wohnst in Bergen."),
    ("J'habite à Bergen.", "C'est noté : tu habites à Bergen."),
    ("我住在卑尔根。", "好的，你住在卑尔根。"),
    ("Mieszkam w Bergen.", "Jasne, mieszkasz w Bergen."),
]
OTHER = [
    ("I live in Bergen.", "Noted: you live in Oslo."),
    ("I live in Bergen.", "Noted: you do not live in Bergen."),
    ("I live in Bergen.", "No, you live in Bergen."),
    ("I live in Bergen.", "Noted: she lives in Bergen."),
    ("I live in Bergen.", "Noted: you lived in Bergen."),
    ("I live in Bergen.", "You live in Bergen, in the red house."),
    ("I used to live in Bergen.", "You live in Bergen."),
    ("I might live in Bergen.", "You live in Bergen."),
    ("Do I live in Bergen?", "You live in Bergen."),
    ("My sister lives in Bergen.", "Noted: you live in Bergen."),
    ("Ada lives in Bergen.", "Noted: Ben lives in Bergen."),
    ("Mario lives in Bergen.", "Noted: Maria lives in Bergen."),
    ("Ada pays Ben.", "Ben pays Ada."),
    ("I like tea.", "Noted: you need tea."),
    ("My train leaves at 07:45.", "Your train leaves at 07:55."),
    ("我不住在卑尔根。", "好的，你住在卑尔根。"),
    ("I live in Bergen.", "Noted."),
]


@in_one_test(("shown", "again"), SAME)
def test_what_is_shown_is_said_whatever_acknowledges_it(shown, again):
    said = Repeats()
    said.add(shown, "user")
    assert said.says(again, "agent")


@in_one_test(("shown", "again"), OTHER)
def test_another_value_denial_person_or_time_is_not_said(shown, again):
    said = Repeats()
    said.add(shown, "user")
    assert not said.says(again, "agent")


@in_one_test(
    ("text", "expected"),
    [
        ("Looking.", True),
        ("Done, as you said.", True),
        ("Can you read this page?", True),
        ("好的", True),
        ("Bergen.", False),
        ("Yes, on Tuesday", False),
        ("At 9:30", False),
        ("Not before Easter", False),
    ],
)
def test_what_says_nothing_is_found_only_beside_something_else(text, expected):
    """Found in use: `Looking.` and `Can you read this page?` took ranks in the prompt."""
    assert says_nothing(text) is expected


def test_what_is_trusted_less_says_nothing_for_what_is_trusted_more():
    said = Repeats()
    said.add("The ferry leaves from Quay Marrow.", "web")
    assert said.says("The ferry leaves from Quay Marrow.", "web")
    assert not said.says("The ferry leaves from Quay Marrow.", "user")


def test_a_message_that_asks_something_too_is_not_said():
    said = Repeats()
    said.add("I live in Bergen.", "user")
    assert not said.says("I live in Bergen. Where is the next clinic?", "user")


@in_one_test(
    "noted, left",
    [
        ("Noted: User lives in Bergen. (before: User lives in Oslo.)", ""),
        ("Noted: User lives in Bergen (before: User lives in Oslo).", ""),
        ("Noted: User lives in Bergen. Commits are signed. User plays chess.", "Noted: User plays chess."),
        ("Noted: User plays chess (before: User plays go).", "Noted: User plays chess (before: User plays go)."),
    ],
)
def test_what_the_rules_noted_is_left_without_what_the_prompt_says(noted, left):
    """Issue 17.6: the always-shown part came again, with the value that it replaced."""
    said = Repeats()
    said.add("User lives in Bergen. Commits are signed.", "user")
    assert said.left(noted, "agent") == left


def opened(folder, layout):
    clock = FixedClock(datetime(2026, 11, 20, 10, tzinfo=UTC), step_seconds=1)
    return Memory.open(folder, layout=layout, clock=clock, jobs="worker")


@pytest.mark.parametrize("layout", slow_after(1, ["native", "two-layer", "graph", "structured"]))
@pytest.mark.parametrize("consolidated", [False, True])
def test_the_assistants_acknowledgement_is_not_shown_beside_the_statement(tmp_path, layout, consolidated):
    """Issue 17.6: no statement twice."""
    with opened(tmp_path, layout) as memory:
        memory.append("a", [Message("user", "I live in Bergen."), Message("assistant", "Noted: you live in Bergen.")])
        if consolidated:
            memory.consolidate("a")
        shown = memory.context("b", "Where do I live, in Bergen?").text
        assert shown.count("Bergen") == 1
        assert "oted: you" not in shown


def test_what_the_assistant_answers_otherwise_is_shown(tmp_path):
    with opened(tmp_path, "native") as memory:
        memory.append("a", [Message("user", "I live in Bergen."), Message("assistant", "Noted: you live in Oslo.")])
        shown = memory.context("b", "Do I live in Bergen or in Oslo?").text
        assert "I live in Bergen." in shown
        assert "you live in Oslo" in shown


def test_of_two_hits_that_say_the_same_the_persons_own_is_shown(tmp_path):
    with opened(tmp_path, "native") as memory:
        memory.append("a", [Message("assistant", "Noted: you play the cello on Mondays.")])
        memory.append("b", [Message("user", "I play the cello on Mondays in the old town hall.")])
        shown = memory.context("c", "play the cello on Mondays").text
        assert "old town hall" in shown
        assert shown.count("cello") == 1


def test_a_topic_put_before_the_agent_says_nothing_that_its_index_line_says(tmp_path):
    """Issue 17.6: memdir showed a statement in the index line, and again in the topic."""
    clock = FixedClock(datetime(2026, 3, 1, tzinfo=UTC))
    with Memory.open(tmp_path, layout="memdir", jobs="worker", clock=clock) as memory:
        memory.remember(
            f"The hull is oak.\nThe mast is in Ulm.\nThe keel was cast by {'a yard in Wales and ' * 9}another."
        )
        volatile = memory.context("s", "What is the hull made of?").volatile
    head, *said = volatile.partition("### ")[2].splitlines()
    assert head.startswith("The hull is oak.")
    assert "written today" in head
    assert [line[:21] for line in said[:-1]] == ["The keel was cast by "]


def test_a_topic_of_which_nothing_is_left_has_no_head(tmp_path):
    """Found in use: the index said it all, and the topic's head stood alone below it."""
    clock = FixedClock("2026-03-01T08:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout="memdir", clock=clock) as memory:
        memory.append("a", [Message("user", "I live in Bern.")])
        memory.end("a")
        shown = memory.context("b", "Where do I live?").text
    assert shown.count("Bern") == 1
    assert "###" not in shown
