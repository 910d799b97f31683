"""Topics through the tool and the command: the tree, one with its neighbourhood, and writing one."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from commonplace import Memory
from commonplace.layouts import graph, native
from commonplace.layouts.schema import Action, AgentTool
from commonplace.operations import PutTopic
from commonplace.surfaces.cli.reading import show_command
from commonplace.testing import FixedClock
from inside import scope_of
from marking import slow_after

NATIVE = msgspec.structs.replace(
    native.LAYOUT,
    tool=AgentTool(
        separate=True,
        actions=tuple(Action(name=verb, verb=verb, description=verb) for verb in ("tree", "expand", "write")),
        parameters=dict.fromkeys(["id", "content", "title", "description", "parents", "refs", "reason"], "it"),
    ),
)


@pytest.fixture(params=[NATIVE, graph.LAYOUT], ids=["native", "graph"])
def memory(request, tmp_path):
    clock = FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout=request.param, clock=clock, jobs="worker") as opened:
        yield opened


def call(memory, verb, **given):
    tool = scope_of(memory).layout.tool
    action = next(each for each in tool.actions if each.verb == verb)
    return memory.tool().call({tool.names.get(key, key): value for key, value in given.items()}, action.name)


def people(memory):
    assert call(memory, "write", id="people", title="People", content="All people.")["success"]
    assert call(memory, "write", title="Steve", content="Steve bakes with [[ann]].", parents=["people"])["success"]
    assert call(memory, "write", title="Ann", content="Ann bakes.", parents="people", refs=["steve"])["success"]


def test_the_tree_shows_each_topic_where_it_stands(memory):
    """Issue 20: tree view."""
    people(memory)
    assert call(memory, "expand")["message"].splitlines() == [
        "- People [people]: All people.",
        "  - Ann [ann]: Ann bakes.",
        "  - Steve [steve]: Steve bakes with [[ann]].",
    ]


def test_a_topic_is_read_with_what_lies_around_it_each_once(memory):
    """Issue 20: a node with its neighbourhood."""
    people(memory)
    assert call(memory, "write", id="people", content="All people, [[ann]] first.", reason="r")["success"]
    assert call(memory, "expand", id="people")["text"].splitlines()[2:] == [
        "Below:",
        "- Ann [ann]: Ann bakes.",
        "- Steve [steve]: Steve bakes with [[ann]].",
    ]
    assert call(memory, "expand", id="Steve")["text"].splitlines() == [
        "- Steve [steve]",
        "Steve bakes with [[ann]].",
        "Under:",
        "- People [people]: All people, [[ann]] first.",
        "Links to:",
        "- Ann [ann]: Ann bakes.",
    ]
    assert "ask without a name" in call(memory, "expand", id="nobody")["error"]


@pytest.mark.slow
def test_a_tree_of_many_topics_keeps_to_its_budget_and_says_that_it_is_cut(memory):
    """Issue 20: within a budget."""
    body = "A sentence of some length about it. " * 5
    layer = next(each for each in scope_of(memory).layout.layers if "{topic}" in each.path)
    paths = [scope_of(memory).layout.path_of(layer, topic=f"topic-{number:03}") for number in range(100)]
    memory.apply([PutTopic(path=path, title=f"{path}, {body[:80]}", body=body) for path in paths], reason="many")
    text = call(memory, "expand")["message"]
    assert len(text) < 9000
    assert text.endswith("(no room for more; search, or ask for one of these)")


def test_a_topic_of_which_the_tree_shows_one_line_is_found_for_a_question(tmp_path):
    """DESIGN 1.4: nothing is said twice, and what the prompt does not say can still be recalled into it."""
    with Memory.open(tmp_path, layout=graph.LAYOUT, clock=FixedClock()) as memory:
        text = "It runs on PostgreSQL 15.\n\nIt is backed up every night at 03:00."
        call(memory, "write", id="payments", title="Payments", description="A database.", content=text)
        call(
            memory,
            "write",
            id="search",
            title="Search",
            description="It has three nodes.",
            content="It has three nodes.",
        )
        assert "03:00" in memory.context(query="when is payments backed up at night?").volatile
        assert "three nodes" not in memory.context(query="how many nodes has search, three?").volatile


def test_a_parent_that_is_not_there_and_one_that_stands_below_are_refused(memory):
    """Issue 20, bad input: a parent cycle."""
    people(memory)
    assert "nobody" in call(memory, "write", title="X", content="y", parents="nobody")["error"]
    refused = call(memory, "write", id="people", content="All.", parents="steve", reason="r")
    assert "own ancestor" in refused["error"]
    assert memory.doctor().ok


def test_a_category_of_the_tree_is_a_place_for_a_topic(memory):
    """Issue 20: what the tree shows can be named; `path` of the seed."""
    write = PutTopic(path="memory/steve.md", title="Steve", body="Steve bakes.", category="people/friends")
    assert memory.apply([write], reason="r").ok
    for name, parents in (("Ann", "People/Friends"), ("Ben", "friends"), ("Cleo", "people")):
        assert call(memory, "write", title=name, content=f"{name} bakes.", parents=parents)["success"]
    assert call(memory, "expand")["message"].splitlines() == [
        "- people/",
        "  - Cleo [cleo]: Cleo bakes.",
        "  - friends/",
        "    - Ann [ann]: Ann bakes.",
        "    - Ben [ben]: Ben bakes.",
        "    - Steve [steve]: Steve bakes.",
    ]


@pytest.mark.parametrize("name", slow_after(4, ["../../x", "__root__", "a/b", ".hidden", "a\\b", "con"]))
def test_a_name_that_is_a_path_or_reserved_writes_nothing(memory, name):
    """Reference 2.4, scenario 11."""
    assert not call(memory, "write", id=name, title="x", content="y")["success"]
    assert not [file for file in Path(memory.location).rglob("*.md") if "state" not in file.parts]


def test_a_link_that_leads_nowhere_is_a_problem_of_doctor(memory):
    """Reference 2.4, scenario 3."""
    people(memory)
    memory.forget("Ann bakes.")
    assert [(each.kind, each.reason) for each in memory.doctor().problems] == [("link", "its link 'ann' is not there")]


def test_the_command_shows_the_tree_and_one_topic(tmp_path):
    """Issue 20: `commonplace show --tree`."""
    with Memory.open(tmp_path, layout=NATIVE, jobs="worker") as memory:
        people(memory)
    whole = CliRunner().invoke(show_command, ["--tree", "-C", str(tmp_path)])
    assert whole.output.splitlines()[0] == "- People [people]: All people."
    one = CliRunner().invoke(show_command, ["ann", "--tree", "-C", str(tmp_path)])
    assert "Under:" in one.output
    assert CliRunner().invoke(show_command, ["-C", str(tmp_path)]).exit_code == 2
