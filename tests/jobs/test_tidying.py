"""Jobs of a scope: they tidy what is there, when enough time and sessions have passed; undone with when they ran."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from commonplace import Memory, Message
from commonplace.errors import InputError, ModelSetupError, ModelTimeoutError
from commonplace.layouts.native import LAYOUT
from commonplace.layouts.schema import Job, Layout, Trigger
from commonplace.memory.worker import Worker
from commonplace.testing import FixedClock, ScriptedLLM
from inside import scope_of

GATES = Trigger(when="hours+scan_seconds+sessions", over="24+600+5")
DREAM = Job(name="dream", range="none", consolidator="condense", writes=("facts_user",), triggers=(GATES,))
MERGE = '{"merges": [{"entries": [1, 2], "text": "Sails on Sundays and rows on Mondays"}]}'


def layout(**fields: object) -> Layout:
    return replace(LAYOUT, name="dreaming", jobs=(replace(DREAM, **fields),))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)


def opened(folder: Path, clock: FixedClock, llm: ScriptedLLM | None = None, **fields: object) -> Memory:
    return Memory.open(folder, layout=layout(**fields), clock=clock, jobs="inline", llm=llm)


def two_facts(memory: Memory) -> None:
    memory.remember("Sails on Sundays")
    memory.remember("Rows on Mondays")


def talk(memory: Memory, clock: FixedClock, sessions: int, name: str = "s") -> None:
    for number in range(sessions):
        memory.append(f"{name}{number}", [Message("user", "Good morning."), Message("assistant", "Morning.")])
        clock.advance(5)


def text(memory: Memory) -> str:
    return memory.document("facts_user")


def asked(llm: ScriptedLLM) -> int:
    return len(llm.requests)


def test_it_runs_by_name_and_in_dry_run_changes_nothing(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 18: `memory.dream`, whatever the triggers say."""
    with opened(tmp_path, clock, ScriptedLLM(MERGE, repeat=True)) as memory:
        two_facts(memory)
        before = text(memory)
        assert memory.dream(dry_run=True).status == "planned"
        assert text(memory) == before
        assert not (tmp_path / ".commonplace/jobs.jsonl").exists()
        outcome = memory.dream("dream")
        assert outcome.status == "applied"
        assert text(memory).strip() == "Sails on Sundays and rows on Mondays"
        assert memory.log(1)[0].actor == "consolidator:dream"
        with pytest.raises(InputError, match="it has dream"):
            memory.dream("nightmare")


def test_undo_restores_the_bytes_and_when_it_last_ran(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 21: undone with one command, gate state included."""
    with opened(tmp_path, clock, ScriptedLLM(MERGE, repeat=True)) as memory:
        two_facts(memory)
        before = text(memory)
        first = memory.dream()
        ran = (tmp_path / ".commonplace/jobs.jsonl").read_text(encoding="utf-8")
        assert json.loads(ran)["job"] == "dream"
        assert memory.undo(first).status == "applied"
        assert text(memory) == before
        left = tmp_path / ".commonplace/jobs.jsonl"
        assert not left.exists() or left.read_text(encoding="utf-8") == ""


def test_it_is_due_when_every_gate_is_open(tmp_path: Path, clock: FixedClock) -> None:
    """Seed memdir: 24 hours, five other sessions; the newest may still go on and does not count."""
    llm = ScriptedLLM(MERGE, repeat=True)
    with opened(tmp_path, clock, llm) as memory:
        two_facts(memory)
        talk(memory, clock, 5)
        memory.flush()
        assert asked(llm) == 0
        talk(memory, clock, 6)
        clock.advance(hours=1)
        memory.flush()
        assert asked(llm) == 1
        two_facts(memory)
        talk(memory, clock, 9, name="t")
        clock.advance(hours=20)
        memory.flush()
        assert asked(llm) == 1
        clock.advance(hours=5)
        memory.flush()
        assert asked(llm) == 2


def test_sessions_are_not_counted_again_and_again(
    tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed memdir: a scan throttle; the dearest gate is looked at last."""
    with opened(tmp_path, clock) as memory:
        two_facts(memory)
        talk(memory, clock, 2)
        counted: list[int] = []
        sessions = scope_of(memory).sessions
        listed = type(sessions).list
        monkeypatch.setattr(type(sessions), "list", lambda self, most=None: counted.append(1) or listed(self, most))
        for _ in range(20):
            clock.advance(60)
            memory.flush()
        assert 1 <= len(counted) <= 4


def test_what_a_person_undid_is_not_done_again_at_once(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 1.3: undo takes it out of what is due."""
    llm = ScriptedLLM(MERGE, repeat=True)
    with opened(tmp_path, clock, llm) as memory:
        two_facts(memory)
        talk(memory, clock, 7)
        clock.advance(hours=1)
        memory.flush()
        assert asked(llm) == 1
        memory.undo(memory.log(1)[0].number)
        talk(memory, clock, 9, name="t")
        clock.advance(hours=2)
        memory.flush()
        assert asked(llm) == 1
        clock.advance(hours=25)
        memory.flush()
        assert asked(llm) == 2


def test_a_model_that_fails_is_tried_again_later_and_never_replaced_by_the_rules(
    tmp_path: Path, clock: FixedClock
) -> None:
    """Issue 18: such jobs tidy, so nothing is lost by waiting."""
    llm = ScriptedLLM(ModelTimeoutError("slow"), repeat=True)
    with opened(tmp_path, clock, llm) as memory:
        two_facts(memory)
        memory.remember("Sails on Sundays at noon")
        talk(memory, clock, 7)
        before = text(memory)
        for _ in range(12):
            clock.advance(hours=2)
            memory.flush()
        assert asked(llm) == 12
        assert text(memory) == before
        assert [(each.job, each.session) for each in memory.failures()] == [("dream", "")]
        assert not (tmp_path / ".commonplace/jobs.jsonl").exists()


def test_a_success_takes_the_failure_off_the_list(tmp_path: Path, clock: FixedClock) -> None:
    """`failures` lists what is still to be done."""
    llm = ScriptedLLM([ModelTimeoutError("slow"), MERGE])
    with opened(tmp_path, clock, llm) as memory:
        two_facts(memory)
        talk(memory, clock, 7)
        clock.advance(hours=1)
        memory.flush()
        assert len(memory.failures()) == 1
        memory.dream()
        assert memory.failures() == []


def test_a_dream_that_was_asked_for_and_failed_is_tried_again(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 1.5: a job that tidies is only tried again, whoever asked for it, and `failures` says when."""
    slow = ModelTimeoutError("slow")
    with opened(tmp_path, clock, ScriptedLLM([slow, slow, MERGE])) as memory:
        two_facts(memory)
        assert memory.dream(dry_run=True).status == "failed"
        assert memory.failures() == []
        assert memory.dream().status == "failed"
        assert [(each.job, each.attempts) for each in memory.failures()] == [("dream", 1)]
        clock.advance(hours=2)
        memory.flush()
        assert memory.failures() == []
        assert "consolidator:dream" in {change.actor for change in memory.log()}


def test_a_missing_key_is_an_error_and_counts_as_no_attempt(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 1.5."""
    with opened(tmp_path, clock, ScriptedLLM(ModelSetupError("no key"), repeat=True)) as memory:
        two_facts(memory)
        with pytest.raises(ModelSetupError):
            memory.dream()
        assert memory.failures() == []


def test_one_worker_does_it(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 18: its lease is one of the scope."""
    with opened(tmp_path, clock, ScriptedLLM(MERGE, repeat=True)) as memory:
        two_facts(memory)
        lease = scope_of(memory).store.lease("dream", 60)
        assert lease is not None
        assert memory.dream().status == "skipped"
        lease.release()
        assert memory.dream().status == "applied"


def test_a_run_that_finds_nothing_counts_as_a_run(tmp_path: Path, clock: FixedClock) -> None:
    """Else it would be due at every look."""
    with opened(tmp_path, clock) as memory:
        memory.remember("Sails on Sundays")
        assert memory.dream().status in {"unchanged", "skipped"}
        assert (tmp_path / ".commonplace/jobs.jsonl").read_text(encoding="utf-8").count("dream") == 1


def test_a_dream_in_rounds_reads_topics_and_merges_them(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 21: a prompt and a row of the table; what one file says of another's subject moves there."""
    first = json.dumps({"operations": [], "read": ["boats.md", "sailing.md"], "search": [], "done": False})
    second = json.dumps(
        {
            "journal": "Boats and sailing were one subject.",
            "operations": [
                {"op": "add", "path": "memory/sailing.md", "text": "The boat is called Petrel.", "cites": []},
                {"op": "remove", "target": 1, "cites": []},
            ],
            "read": [], "search": [], "done": True,
        }
    )  # fmt: skip
    llm = ScriptedLLM([first, second])
    rounds = {"consolidator": "rounds", "prompt": "rounds", "rounds": 3, "writes": ("topics",)}
    with opened(tmp_path, clock, llm, **rounds) as memory:
        memory.remember("The boat is called Petrel.", to="memory/boats.md")
        memory.remember("Sails on Sundays.", to="memory/sailing.md")
        assert memory.dream().status == "applied"
        assert not (tmp_path / "memory/boats.md").exists()
        sailing = (tmp_path / "memory/sailing.md").read_text(encoding="utf-8")
        assert "Sails on Sundays." in sailing
        assert "Petrel" in sailing
        memory.undo(memory.log(1)[0].number)
        assert "Petrel" in (tmp_path / "memory/boats.md").read_text(encoding="utf-8")
    assert [each.purpose for each in llm.requests] == ["dream", "dream"]
    assert "## Messages" not in llm.prompts[0]


def test_a_dream_that_would_delete_everything_deletes_nothing(tmp_path: Path, clock: FixedClock) -> None:
    """Bad input of issue 21: what nothing else says stays, and the removal waits for a person."""
    gone = [{"op": "remove", "target": number, "cites": []} for number in (1, 2)]
    llm = ScriptedLLM(json.dumps({"operations": gone, "journal": ""}))
    rounds = {"consolidator": "rounds", "prompt": "rounds", "rounds": 1, "writes": ("topics",)}
    with opened(tmp_path, clock, llm, **rounds) as memory:
        memory.remember("The boat is called Petrel.", to="memory/boats.md")
        memory.remember("Sails on Sundays.", to="memory/sailing.md")
        outcome = memory.dream()
        assert len(outcome.review) == 2
        assert (tmp_path / "memory/boats.md").exists()
        assert (tmp_path / "memory/sailing.md").exists()


def test_a_worker_serves_the_jobs_of_the_scope_too(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 20: the worker serves every layout's due jobs, memdir's dream among them."""
    with Memory.open(tmp_path, layout=layout(), clock=clock, jobs="worker") as memory:
        two_facts(memory)
        talk(memory, clock, 7)
    clock.advance(hours=1)
    llm = ScriptedLLM(MERGE, repeat=True)
    with Worker(tmp_path, layout=layout(), clock=clock, llm=llm) as worker:
        assert [(due.job, due.session) for due in worker.status().due] == [("dream", "")]
        assert asked(llm) == 0
        assert worker.tick() == 1
        assert worker.tick() == 0
    assert asked(llm) == 1
    with opened(tmp_path, clock) as memory:
        assert text(memory).strip() == "Sails on Sundays and rows on Mondays"


def test_the_thread_runs_a_job_of_the_scope_that_is_due(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 2: due jobs run by themselves; closing waits for them."""
    llm = ScriptedLLM(MERGE, repeat=True)
    with Memory.open(tmp_path, layout=layout(), clock=clock, jobs="thread", llm=llm) as memory:
        two_facts(memory)
        talk(memory, clock, 7)
        clock.advance(hours=1)
        assert memory.flush(60)
    assert asked(llm) == 1
