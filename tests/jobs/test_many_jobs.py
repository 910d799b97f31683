"""A layout with several range jobs: a cursor for each, those that ask no model first, functions of other packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from commonplace import Memory, Message
from commonplace.config import Config, ConsolidationConfig
from commonplace.errors import ModelSetupError, ModelTimeoutError
from commonplace.layouts.native import LAYOUT
from commonplace.layouts.schema import Job, Layout, Trigger
from commonplace.testing import FixedClock, ScriptedLLM

NOTES = Job(name="notes", range="turns", consolidator="rules", triggers=(Trigger(when="turns", over="1"),))
SUMMARY = '{"journal": "The user told where they live.", "operations": []}'


def two_jobs(**fields: object) -> Layout:
    return replace(LAYOUT, name="two-jobs", jobs=(replace(NOTES, **fields), *LAYOUT.jobs))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)


def opened(folder: Path, clock: FixedClock, **options: object) -> Memory:
    knobs = Config(consolidation=ConsolidationConfig(range_tokens=60))
    return Memory.open(folder, layout=two_jobs(), config=knobs, clock=clock, jobs="inline", **options)


def cursors(memory: Memory) -> dict[str, int]:
    return dict(memory.sessions.state("s").cursors)


def test_each_job_moves_a_cursor_of_its_own(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 18: one job a turn without a model, another on long ranges with one."""
    model = ScriptedLLM(SUMMARY, repeat=True)
    with opened(tmp_path, clock, llm=model) as memory:
        memory.append("s", [Message("user", "I live in Bergen."), Message("assistant", "Noted.")])
        memory.flush()
        assert cursors(memory) == {"notes": 2}
        assert not model.requests
        memory.append("s", [Message("user", "word " * 80), Message("assistant", "Long.")])
        memory.flush()
        assert cursors(memory) == {"notes": 4, "consolidate": 4}
        assert [each.cause for each in model.requests] == ["trigger"] * 2


def test_a_job_that_had_nothing_to_do_is_no_reason_beside_one_that_did(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 18: a consolidation that wrote something said that there was nothing to do."""
    with opened(tmp_path, clock) as memory:
        memory.append("s", [Message("user", "I live in Bergen."), Message("assistant", "Noted.")])
        memory.flush()
        done = memory.consolidate("s")
        assert (done.status, done.reason) == ("applied", "")
        again = memory.consolidate("s")
        assert (again.status, again.reason) == ("skipped", "nothing to do")


def test_a_turn_without_its_answer_is_left_for_the_next_time(tmp_path: Path, clock: FixedClock) -> None:
    """Source: seed structured, a note holds the user's words and the agent's."""
    with opened(tmp_path, clock) as memory:
        memory.append("s", [Message("user", "I live in Bergen."), Message("assistant", "Noted.")])
        memory.append("s", Message("user", "I have a cat."))
        memory.flush()
        assert cursors(memory) == {"notes": 2}
        memory.append("s", Message("assistant", "A cat!"))
        memory.flush()
        assert cursors(memory) == {"notes": 4}


def test_a_turn_that_is_never_answered_is_taken_after_an_hour(tmp_path: Path, clock: FixedClock) -> None:
    """Nothing that was said waits for ever."""
    with opened(tmp_path, clock) as memory:
        memory.append("s", Message("user", "I live in Bergen."))
        memory.flush()
        assert cursors(memory) == {}
        clock.advance(hours=2)
        memory.flush()
        assert cursors(memory) == {"notes": 1, "consolidate": 1}


def test_a_job_without_a_model_is_done_before_the_next_context(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 2: model-free jobs of a session are finished before its next context, and no model is asked in it."""
    with opened(tmp_path, clock, llm=ScriptedLLM()) as memory:
        memory.append("s", [Message("user", "I live in Bergen."), Message("assistant", "Noted.")])
        assert "Bergen" in memory.context("s").stable
        assert cursors(memory) == {"notes": 2}


def test_a_model_that_fails_holds_up_no_job_that_needs_none(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 1.5: the range of the one stays due, that of the other is done."""
    with opened(tmp_path, clock, llm=ScriptedLLM(ModelTimeoutError("slow"), repeat=True)) as memory:
        memory.append("s", [Message("user", "I live in Bergen."), Message("assistant", "Noted.")])
        assert memory.consolidate("s").status == "failed"
        assert cursors(memory) == {"notes": 2}
        assert [(each.job, each.start) for each in memory.failures()] == [("consolidate", 0)]


def test_a_missing_key_holds_up_no_job_that_needs_none(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 1.5: a fault of the setup is an error of the job that needs the model."""
    with opened(tmp_path, clock, llm=ScriptedLLM(ModelSetupError("no key"), repeat=True)) as memory:
        memory.append("s", [Message("user", "I live in Bergen."), Message("assistant", "Noted.")])
        with pytest.raises(ModelSetupError):
            memory.consolidate("s")
        assert cursors(memory) == {"notes": 2}


def test_an_undo_holds_the_range_of_the_job_it_takes_back(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 1.3: undo restores the cursor, and only an explicit consolidate runs the range again."""
    with opened(tmp_path, clock, llm=ScriptedLLM([SUMMARY])) as memory:
        memory.append("s", [Message("user", "I live in Bergen."), Message("assistant", "Noted.")])
        memory.flush()
        memory.undo(memory.log(1)[0].number)
        assert cursors(memory) == {"notes": 0}
        memory.flush()
        assert cursors(memory) == {"notes": 0}
        memory.consolidate("s")
        assert cursors(memory)["consolidate"] == 2
        assert not memory.sessions.held("s")


def test_a_reset_does_every_job_first(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 18: reset looks at all range jobs of the layout."""
    with opened(tmp_path, clock, llm=ScriptedLLM([SUMMARY])) as memory:
        memory.append("s", Message("user", "I live in Bergen."))
        assert memory.reset("s").status == "applied"
        assert cursors(memory) == {"notes": 1, "consolidate": 1}


PACKAGE = """
from commonplace.jobs.consolidators.work import Consolidator
from commonplace.operations import AddEntry, Proposal

def shout(work):
    said = [m for m in work.view.messages if m.message.role == "user"]
    return Proposal(operations=tuple(AddEntry(path=work.places["fact"].path, text=m.text) for m in said))

LOUD = Consolidator(shout, asks=False)

def often(facts, over):
    return facts.messages >= over
"""


def test_another_package_brings_a_consolidator_and_a_trigger(
    tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN 5: a closed set for the table, open to other packages through entry points."""
    info = tmp_path / "site" / "loud-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n", encoding="utf-8")
    points = "[commonplace.consolidators]\nloud = loud:LOUD\n[commonplace.triggers]\noften = loud:often\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    (tmp_path / "site" / "loud.py").write_text(PACKAGE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    layout = two_jobs(consolidator="loud", triggers=(Trigger(when="often", over="2"),))
    with Memory.open(tmp_path / "m", layout=layout, clock=clock, jobs="inline") as memory:
        memory.append("s", [Message("user", "The heron stood in the water."), Message("assistant", "Yes.")])
        memory.flush()
        assert "The heron stood in the water." in memory.document("facts_user")


def test_what_was_undone_and_asked_for_again_is_not_due_any_more(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 1.3: only an explicit consolidate runs an undone range again, and it runs it once."""
    with opened(tmp_path, clock) as memory:
        memory.append("s", [Message("user", "I live in Bergen."), Message("assistant", "Noted.")])
        memory.flush()
        memory.undo(memory.log(1)[0].number)
        again = memory.consolidate("s")
        assert again.status == "applied"
        assert cursors(memory)["notes"] == 2
        changes = memory.log(1)[0].number
        clock.advance(hours=3)
        memory.flush()
        assert memory.log(1)[0].number == changes
        memory.undo(changes)
        assert memory.consolidate("s").status == "applied"
        assert not memory.sessions.held("s")
