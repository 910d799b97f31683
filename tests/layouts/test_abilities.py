"""What one layout was made for, another can choose: native with episodes, merging, condensing and more jobs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from commonplace import Memory, Message
from commonplace.layouts.native import LAYOUT
from commonplace.layouts.schema import AddRule, Job, Trigger
from commonplace.testing import FixedClock, ScriptedLLM, check_layout

MORE = replace(
    LAYOUT,
    name="native-and-more",
    jobs=(
        *LAYOUT.jobs,
        Job(name="episodes", range="session", consolidator="episodes", writes=("episodes",),
            triggers=(Trigger(when="session_end"),)),
        Job(name="condense", range="none", consolidator="condense", writes=("facts_user", "facts_env"),
            triggers=(Trigger(when="hours", over="168"),)),
    ),
    add=(*LAYOUT.add, AddRule(rule="merge", of=("facts_user", "facts_env"))),
)  # fmt: skip


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)


def talk(memory: Memory) -> None:
    for text in ("I live in Bergen.", "I prefer green tea.", "We decided to use PostgreSQL."):
        memory.append("s", [Message("user", text), Message("assistant", "Noted.")])


def test_it_passes_the_suite_that_every_layout_passes(tmp_path: Path) -> None:
    """Issue 18: merging, condensing and episodes are abilities that native can choose."""
    check_layout(MORE, str(tmp_path))


def test_an_ended_session_leaves_facts_and_an_episode(tmp_path: Path, clock: FixedClock) -> None:
    """Two jobs, each with its cursor, in one session."""
    with Memory.open(tmp_path, layout=MORE, clock=clock, jobs="inline") as memory:
        talk(memory)
        memory.end("s")
        assert memory.sessions.state("s").cursors == {"consolidate": 6, "episodes": 6}
        assert "Bergen" in memory.document("facts_user")
        episode = (tmp_path / "memory/episodes/s.md").read_text(encoding="utf-8")
        assert "Bergen" in episode
        assert memory.read("memory/episodes/s.md").path


def test_an_episode_by_a_model_is_judged_line_by_line(tmp_path: Path, clock: FixedClock) -> None:
    """One host hands every proposal to the gate."""

    def answers(request: object) -> str:
        if request.purpose == "episode":
            return "- The user lives in Bergen.\n- The user owns 7 yachts."
        return json.dumps({"journal": "The user told of their life.", "operations": []})

    with Memory.open(tmp_path, layout=MORE, clock=clock, jobs="inline", llm=ScriptedLLM(answers)) as memory:
        talk(memory)
        assert memory.end("s").review
        episode = (tmp_path / "memory/episodes/s.md").read_text(encoding="utf-8")
        assert "Bergen" in episode
        assert "yachts" not in episode


def test_a_compaction_writes_no_episode_of_a_session_that_goes_on(tmp_path: Path, clock: FixedClock) -> None:
    """A job that reads a session whole waits until it is over."""
    with Memory.open(tmp_path, layout=MORE, clock=clock, jobs="inline") as memory:
        talk(memory)
        memory.compact("s", keep=2)
        assert memory.sessions.state("s").cursors == {"consolidate": 4}
        assert not (tmp_path / "memory/episodes").exists()


def test_new_facts_are_held_against_the_old_ones(tmp_path: Path, clock: FixedClock) -> None:
    """Merging is an add rule, of any layout."""
    with Memory.open(tmp_path, layout=MORE, clock=clock, jobs="inline") as memory:
        memory.remember("Listens on port 8080", kind="environment")
        memory.remember("Listens on port 8080, behind nginx", kind="environment")
        assert memory.document("facts_env").strip() == "Listens on port 8080, behind nginx"


def test_condensing_drops_what_is_said_twice(tmp_path: Path, clock: FixedClock) -> None:
    """Condensing is a job of the scope, of any layout."""
    plain = replace(MORE, add=LAYOUT.add)
    with Memory.open(tmp_path, layout=plain, clock=clock, jobs="inline") as memory:
        for text in ("Errors go to Sentry", "Listens on port 8080", "Listens on port 8080, behind nginx"):
            memory.remember(text, kind="environment")
        assert memory.dream("condense").status == "applied"
        assert [line for line in memory.document("facts_env").splitlines() if line != "§"] == [
            "Errors go to Sentry",
            "Listens on port 8080, behind nginx",
        ]
