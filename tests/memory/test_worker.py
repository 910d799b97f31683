"""The worker: due jobs of all scopes, a few sessions a tick, in any number of processes."""

from __future__ import annotations

import json
import logging

import pytest

from commonplace import Memory, Message, Worker
from commonplace.errors import ModelTimeoutError
from commonplace.memory import worker as worker_module
from commonplace.memory.worker import Status
from commonplace.testing import FixedClock, ScriptedLLM
from inside import around, counted, due_of, known_sessions, open_scopes, stop_at
from marking import slow_after

START = "2026-11-20T10:00:00+00:00"


@pytest.fixture
def clock():
    return FixedClock(START)


def said(clock, text="I live in Bergen."):
    return [Message("user", text, at=clock()), Message("assistant", "Noted.", at=clock())]


def opened(folder, clock, **options):
    return Memory.open(folder, clock=clock, jobs="worker", **options)


def reply(asked):
    if asked.purpose == "compact":
        return "A summary."
    return json.dumps({"journal": "The user said where they live.", "operations": []})


def test_a_session_that_fell_silent_is_done_by_a_worker_with_its_own_model(tmp_path, clock):
    """Seed graph, "Memory Worker Tick": sessions are found by a poller, not by who records."""
    with opened(tmp_path, clock) as memory:
        memory.append("chat:1", said(clock))
        model = ScriptedLLM(reply)
        with Worker(tmp_path, llm=model, clock=clock) as worker:
            assert worker.tick() == 0
            clock.advance(hours=2)
            assert worker.tick() == 1
            assert worker.tick() == 0
        assert len(model.requests) == 1
        assert memory.sessions.state("chat:1").cursors == {"consolidate": 2}


def test_a_worker_that_starts_late_knows_how_long_a_session_is_silent(tmp_path, clock):
    """Issue 20: a worker may be started at any time."""
    with opened(tmp_path, clock) as memory:
        memory.append("chat:1", said(clock))
    clock.advance(hours=2)
    with Worker(tmp_path, llm=ScriptedLLM(reply), clock=clock) as worker:
        assert worker.tick() == 1


def test_what_a_reset_left_is_due_at_once(tmp_path, clock):
    """Seed graph, invalidation point 2: reset; the host does not wait for a model."""
    with opened(tmp_path, clock) as memory:
        memory.append("chat:1", said(clock))
        memory.reset("chat:1", now=True)
        with Worker(tmp_path, llm=ScriptedLLM(reply), clock=clock) as worker:
            assert worker.tick() == 1
        assert memory.sessions.state("chat:1").cursors == {"consolidate": 2}


@pytest.mark.parametrize("ending", slow_after(1, ["reset", "end"]))
@pytest.mark.parametrize("layout", ["native", "two-layer", "graph", "structured", "memdir", "facts"])
def test_what_ends_is_left_to_the_worker_in_every_layout(tmp_path, clock, layout, ending):
    """Issue 20: it serves every layout's due jobs; nobody who records waits for a model, nor do the rules come first."""
    purposes = []

    def answer(asked):
        purposes.append(asked.purpose)
        return "Not what was asked for."

    with opened(tmp_path, clock, layout=layout) as memory:
        for _ in range(3):
            memory.append("chat:1", said(clock))
        assert getattr(memory, ending)("chat:1").status == "applied"
        assert not [file for file in tmp_path.rglob("*.md") if "Bergen" in file.read_text("utf-8")]
        with Worker(tmp_path, layout=layout, llm=ScriptedLLM(answer), clock=clock) as worker:
            assert {due.session for due in worker.status().due} == {"chat:1"}
            worker.tick()
            assert purposes
            for _ in range(8):
                clock.advance(hours=2)
                worker.tick()
            left = worker.status()
            assert (left.due, left.held) == ((), ())
            assert [failure.released for _, failure in left.failed] == ([6] if layout == "two-layer" else [])
        assert any("Bergen" in hit.text for hit in memory.recall("where do I live"))


def test_eleven_sessions_take_two_ticks_and_the_oldest_comes_first(tmp_path, clock):
    """Reference 2.4, scenario 10, in any layout."""
    with opened(tmp_path, clock) as memory:
        for number in range(11):
            memory.append(f"chat:{number}", said(clock))
            clock.advance(60)
        clock.advance(hours=2)
        with Worker(tmp_path, llm=ScriptedLLM(reply), clock=clock) as worker:
            assert worker.tick() == 10
            assert [each.session for each in worker.status().due] == ["chat:10"]
            assert worker.tick() == 1


def test_a_scope_whose_model_fails_costs_the_others_nothing_and_is_tried_again(tmp_path, clock, caplog):
    """Issue 20: one user's failure never touches another's."""
    for scope, text in (("ann", "I live in Bergen."), ("bob", "I live in Oslo.")):
        with opened(tmp_path, clock, scope=scope) as memory:
            memory.append("chat:1", said(clock, text))
    clock.advance(hours=2)

    def answer(asked):
        if "Bergen" in asked.prompt:
            raise ModelTimeoutError("no answer")
        return reply(asked)

    with Worker(tmp_path, llm=ScriptedLLM(answer), clock=clock) as worker:
        assert worker.tick() == 2
        status = worker.status()
        assert [(scope, failure.attempts) for scope, failure in status.failed] == [("ann", 1)]
        clock.advance(90)
        worker.tick()
        assert worker.status().failed[0][1].attempts == 2
        for _ in range(4):
            clock.advance(hours=2)
            worker.tick()
        assert worker.status().failed == ()
    with opened(tmp_path, clock, scope="ann") as memory:
        assert memory.sessions.state("chat:1").cursors == {"consolidate": 2}


def test_a_damaged_scope_is_logged_and_the_others_are_served(tmp_path, clock, caplog):
    """Issue 20: one user's failure never touches another's."""
    for scope in ("ann", "bob"):
        with opened(tmp_path, clock, scope=scope) as memory:
            memory.append("chat:1", said(clock))
    log = tmp_path / "scopes" / "ann" / ".commonplace"
    for file in log.iterdir():
        if file.is_file():
            file.unlink()
    (log / "state").mkdir(exist_ok=True)
    clock.advance(hours=2)
    with caplog.at_level(logging.CRITICAL), Worker(tmp_path, llm=ScriptedLLM(reply), clock=clock) as worker:
        assert worker.tick() >= 1
    with opened(tmp_path, clock, scope="bob") as memory:
        assert memory.sessions.state("chat:1").cursors == {"consolidate": 2}


def test_two_workers_do_each_range_once(tmp_path, clock):
    """Issue 20: leases, so that several workers share one store."""
    with opened(tmp_path, clock) as memory:
        for number in range(6):
            memory.append(f"chat:{number}", said(clock))
        clock.advance(hours=2)
        model = ScriptedLLM(reply)
        with Worker(tmp_path, llm=model, clock=clock) as one, Worker(tmp_path, llm=model, clock=clock) as two:
            assert due_of(one) == due_of(two)
            assert (one.tick(), two.tick()) == (6, 0)
        assert len(model.requests) == 6


def test_a_worker_that_is_told_to_stop_ends_after_the_session_it_is_at(tmp_path, clock):
    """Issue 20: clean stop, nothing half done."""
    with opened(tmp_path, clock) as memory:
        for number in range(3):
            memory.append(f"chat:{number}", said(clock))
            clock.advance(60)
        clock.advance(hours=2)

        def stopping(asked):
            worker.stop()
            return reply(asked)

        with Worker(tmp_path, llm=ScriptedLLM(stopping), clock=clock) as worker:
            worker.run()
        done = [state.cursors.get("consolidate", 0) for state in memory.sessions.list()]
        assert sorted(done) == [0, 0, 2]


class Pauses:
    """Ends a run after two pauses."""

    def __init__(self):
        self.seconds = []

    def is_set(self):
        return len(self.seconds) == 2

    def wait(self, seconds):
        self.seconds.append(seconds)

    def set(self):
        pass


def test_it_pauses_for_thirty_seconds_after_each_tick(tmp_path, clock):
    """Seed graph, "Memory Worker Tick": each 30 seconds."""
    with Worker(tmp_path, clock=clock) as worker:
        stop_at(worker, pauses := Pauses())
        worker.run()
    assert pauses.seconds == [30.0, 30.0]


def test_what_an_undo_took_back_is_held_until_it_is_asked_for(tmp_path, clock):
    """DESIGN 1.3: only an explicit `consolidate` runs it again; the status says so."""
    with opened(tmp_path, clock) as memory, Worker(tmp_path, llm=ScriptedLLM(reply), clock=clock) as worker:
        memory.append("chat:1", said(clock))
        memory.end("chat:1")
        assert worker.tick() == 1
        memory.undo(memory.log(1)[0].number)
        clock.advance(hours=2)
        assert worker.tick() == 0
        assert worker.status() == Status(held=(("default", "chat:1", "consolidate", 0),))
        memory.consolidate("chat:1")
        assert worker.status() == Status()


@pytest.fixture
def few_open(monkeypatch):
    monkeypatch.setattr(worker_module, "OPEN", 2)


def test_more_scopes_than_are_kept_open_are_all_served(tmp_path, clock, few_open):
    """Issue 20: per user; nobody starved."""
    for number in range(5):
        with opened(tmp_path, clock, scope=f"user{number}") as memory:
            memory.append("chat:1", said(clock))
    with Worker(tmp_path, clock=clock, sessions=2) as worker:
        assert worker.tick() == 0
        assert len(open_scopes(worker)) == 2
        clock.advance(hours=2)
        assert [worker.tick() for _ in range(4)] == [2, 2, 1, 0]


def test_a_session_that_is_done_is_kept_no_more_and_found_again_when_it_grows(tmp_path, clock):
    """Issue 20: flat memory, however many sessions there were."""
    with opened(tmp_path, clock) as memory, Worker(tmp_path, llm=ScriptedLLM(reply), clock=clock) as worker:
        for number in range(5):
            memory.append(f"chat:{number}", said(clock))
        clock.advance(hours=2)
        assert [worker.tick(), worker.tick()] == [5, 0]
        clock.advance(60)
        assert worker.tick() == 0
        assert counted(open_scopes(worker)["default"].schedule) == {}
        assert len(known_sessions(worker, "default")) == 5  # a number for each
        memory.append("chat:3", said(clock, "I moved to Oslo."))
        assert worker.tick() == 0
        clock.advance(hours=2)
        assert [worker.tick(), worker.tick()] == [1, 0]


def test_a_scope_that_was_let_go_is_opened_again_when_it_grows_or_waiting_may_make_it_due(tmp_path, clock, few_open):
    """Issue 20: many users, few of them at a time."""
    names = {f"user{number}" for number in range(4)}
    for name in names:
        with opened(tmp_path, clock, scope=name) as memory:
            memory.append("chat:1", said(clock))
    with Worker(tmp_path, clock=clock) as worker:
        worker.tick()
        left = names - set(open_scopes(worker))
        assert len(left) == 2
        worker.tick()
        assert not left & set(open_scopes(worker))
        name = left.pop()
        with opened(tmp_path, clock, scope=name) as memory:
            memory.append("chat:1", said(clock))
        made = []
        with around(worker, "made", lambda make, scope: made.append(scope) or make(scope)):
            worker.tick()
        assert made == [name]
        clock.advance(hours=2)
        assert worker.tick() == 4


def test_the_status_names_the_last_message_of_what_is_due(tmp_path, clock):
    """Seed graph: invalidation is recorded as the last message; a later one raises it and makes no second job."""
    with opened(tmp_path, clock) as memory, Worker(tmp_path, clock=clock) as worker:
        memory.append("chat:1", [Message("user", "I live in Bergen.", id="a", at=clock())])
        clock.advance(hours=2)
        assert [(each.session, each.messages, each.last) for each in worker.status().due] == [("chat:1", 1, "a")]
        memory.append("chat:1", [Message("user", "I moved to Oslo.", id="b", at=clock())])
        memory.reset("chat:1", now=True)
        assert [(each.session, each.messages, each.last) for each in worker.status().due] == [("chat:1", 2, "b")]
