"""What add rules make of a new item that gives a label another value."""

from __future__ import annotations

import pytest

from commonplace import Memory
from commonplace.operations import PutTopic
from commonplace.testing import FixedClock
from inside import scope_of
from marking import slow_after

LABELS = ("City: New York", "Editor: Visual Studio Code", "Allergy: nuts", "Diet: vegetarian")


def opened(folder, layout):
    return Memory.open(
        folder, layout=layout, clock=FixedClock("2026-03-01T10:00:00+00:00", step_seconds=1), jobs="worker"
    )


@pytest.mark.parametrize("layout", slow_after(3, ["native", "memdir", "two-layer", "facts", "structured", "graph"]))
def test_a_label_with_another_value_takes_the_place_of_the_old_one(tmp_path, layout):
    """Issue 17.7: in each layout; what was replaced is in the log, and an undo brings it back."""
    with opened(tmp_path, layout) as memory:
        for text in LABELS:
            memory.remember(text)
        outcome = memory.remember("- City: Berlin")  # as a list has it
        memory.remember("Allergy：penicillin")
        shown = memory.context(query="city, editor, allergy, diet").text
        hits = [hit.text for hit in memory.recall("City: New York")]
        memory.undo(outcome)
        before = memory.context(query="city, editor, allergy, diet").text

    assert [text for text in (*LABELS[1:], "City: Berlin", "Allergy：penicillin") if text not in shown] == []
    assert "New York" not in shown
    assert "City: New York" not in hits
    assert "City: New York" in before
    assert "Berlin" not in before


@pytest.mark.parametrize("layout", ["structured", "graph"])
def test_the_agents_tool_gives_a_label_another_value(tmp_path, layout):
    with opened(tmp_path, layout) as memory:
        tool, name = memory.tool(), "memory_add" if layout == "graph" else None
        for text in ("City: New York", "City: Berlin"):
            given = {"content": text} if name else {"action": "add", "content": text}
            assert (tool.call(given, name) if name else tool.call(given))["success"]
        shown = memory.context(query="city").text

    assert "City: Berlin" in shown
    assert "New York" not in shown


def test_an_item_keeps_its_id_and_what_it_was_is_in_the_log(tmp_path):
    with opened(tmp_path, "structured") as memory:
        first = memory.remember("City: New York").records[0]
        memory.remember("City: Berlin")
        item = memory.read(first)
        said = [added.text for _, added in scope_of(memory).parts.ledger.versions(first)]

    assert (item.text, item.title) == ("City: Berlin", "City: Berlin")
    assert said == ["City: Berlin", "City: New York"]


def test_what_ranks_below_the_agent_replaces_no_label(tmp_path):
    with opened(tmp_path, "structured") as memory:
        memory.remember("City: New York")
        memory.remember("City: Paris", trust="web")
        texts = {hit.text: hit.trust for hit in memory.recall("City", layers=("items",))}

    assert texts == {"City: New York": "agent", "City: Paris": "web"}


def test_a_topic_that_says_more_than_a_label_stays(tmp_path):
    """Issue 17.7: in memdir a topic goes only if all it says has another value, and never for a text of the web."""
    with opened(tmp_path, "memdir") as memory:
        memory.remember("City: New York\nThe flat there has two rooms.")
        memory.remember("Team: Alpha")
        memory.remember("City: Berlin")
        memory.remember("Team: Beta", trust="web")
        texts = " ".join(hit.text for hit in memory.recall("city team flat"))

    assert [each for each in ("New York", "two rooms", "Berlin", "Alpha", "Beta") if each not in texts] == []


def test_a_topic_with_a_title_of_its_own_stays(tmp_path):
    """The same label under another title is of another thing: the deadlines of two projects."""
    with opened(tmp_path, "memdir") as memory:
        for name, day in (("kestrel", "3 May"), ("heron", "5 June")):
            body = f"Deadline: {day}"
            memory.apply([PutTopic(path=f"{name}.md", title=f"The {name} project", body=body)], reason="")
        bodies = [memory.read(f"{name}.md").body for name in ("kestrel", "heron")]

    assert bodies == ["Deadline: 3 May", "Deadline: 5 June"]
