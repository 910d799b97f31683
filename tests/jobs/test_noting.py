"""What an append leaves for the schedule: the name of its session; all that is due is found later, and soon."""

from __future__ import annotations

import gc
import logging
import os
import random
import threading
import time
import weakref
from contextlib import suppress

import pytest

from commonplace import Memory, Message
from commonplace.config import Config, ConsolidationConfig
from commonplace.errors import StoreBusyError, StoreError
from commonplace.jobs import schedule as schedules
from commonplace.jobs import triggers
from commonplace.records import Outcome
from commonplace.testing import FixedClock
from commonplace.text.pieces import estimate_tokens
from forking import in_child
from inside import LOCKS, busy, counted, grown, scope_of, thread_of
from marking import slow_after

KNOBS = ConsolidationConfig(range_tokens=150, window_tokens=400, window_messages=9)
RULE = "From now on always answer in metric units."
WAIT_SECONDS = 60


def opened(folder, clock=None, knobs=KNOBS, **options):
    clock = clock or FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)
    return Memory.open(folder, config=Config(consolidation=knobs), clock=clock, **options)


def facts_of(said, cursor=0):
    """Count everything that was said in a session, all of it in its window."""
    users = [at for at, message in enumerate(said) if message.role == "user"]
    tokens = [estimate_tokens(message.content) for message in said]
    return triggers.Facts(
        messages=len(said) - cursor, tokens=sum(tokens[cursor:]), turns=sum(at >= cursor for at in users),
        window_messages=users[-1] if users else 0, window_tokens=sum(tokens),
    )  # fmt: skip


def any_messages(chance):
    text = chance.choice(["", "a heron", "鷺が立っていた。", "and so it went on " * chance.randrange(12), "😀" * 30])
    return [Message(chance.choice(("user", "assistant")), text) for _ in range(chance.choice((1, 1, 1, 2, 5)))]


def schedule_of(memory):
    return scope_of(memory).schedule


def until(holds):
    """Wait for something that another thread brings about."""
    end = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("layout", ["native", "two-layer"])
@pytest.mark.parametrize("seed", slow_after(1, range(8)))
def test_what_is_due_is_what_the_transcript_says(tmp_path, layout, seed):
    """DESIGN 7: a job is due with the message that makes it so, whichever process wrote it."""
    chance = random.Random(seed)
    with (
        opened(tmp_path, layout=layout, jobs="inline") as memory,
        opened(tmp_path, layout=layout, jobs="worker") as by,
    ):
        said, cursors = {"a": [], "b": []}, {"a": 0, "b": 0}
        schedule = schedule_of(memory)
        for _ in range(60):
            session = chance.choice("aab")
            for writer in [*chance.sample([memory, by], k=chance.choice((1, 2))), memory]:
                messages = any_messages(chance)
                writer.append(session, messages)
                said[session] += messages
            if chance.random() < 0.6:
                schedule.find()
                facts = facts_of(said[session], cursors[session])
                names = triggers.due({rule.job: facts for rule in schedule.rules}, schedule.rules)
                most = schedule.windows.keep
                expected = tuple(name for name in names if name != "compact" or facts.window_messages > most)
                assert schedule.due().get(session, ()) == expected
                if expected:
                    assert counted(schedule)[session].turn_end == facts_of(said[session]).window_messages
            if chance.random() < 0.1 and layout == "native":
                by.consolidate(session)
                cursors[session] = by.sessions.state(session).cursors["consolidate"]
        schedule.leave()


def test_an_append_reads_and_counts_nothing(tmp_path, monkeypatch):
    """Issue 7: what a message costs does not depend on what was said before, nor on the layout's rules."""
    with opened(tmp_path, jobs="inline") as memory:
        memory.append("s", [Message("user", "to begin with")])
        schedule = schedule_of(memory)
        with monkeypatch.context() as patched:
            patched.setattr(schedule, "find", lambda: 1 // 0)
            patched.setattr(scope_of(memory).sessions, "read", lambda *_: 1 // 0)
            for _ in range(20):
                memory.append("s", [Message("user", "word " * 500)])
        assert list(grown(schedule)) == ["s"]
        assert schedule.find() == ["s"]
        assert list(grown(schedule)) == []


def test_an_append_waits_for_no_look(tmp_path):
    """DESIGN 2: capture never waits for consolidation."""
    with opened(tmp_path) as memory:
        memory.append("s", [Message("user", "to begin with")])
        with LOCKS["schedule"](scope_of(memory)):
            done = threading.Thread(target=memory.append, args=("s", [Message("user", RULE)]))
            done.start()
            done.join(WAIT_SECONDS)
            assert not done.is_alive()
        assert memory.sessions.state("s").messages == 2


def test_jobs_begin_soon_though_nobody_asks(tmp_path):
    """DESIGN 2: jobs in a thread; neither a context nor another append is needed."""
    knobs = ConsolidationConfig(range_tokens=10)
    with opened(tmp_path / "one", knobs=knobs) as memory, opened(tmp_path / "two", knobs=knobs) as other:
        for each in (memory, other):
            each.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
        until(lambda: memory.sessions.state("s").cursors and other.sessions.state("s").cursors)
        other.append("s", [Message("user", "I live in Bergen, by the way."), Message("assistant", "Nice.")])
        until(lambda: other.sessions.state("s").cursors["consolidate"] == 4)
    assert RULE in memory.sessions.window("s")[0].text


def test_a_session_that_fell_silent_is_consolidated_though_nobody_speaks(tmp_path, monkeypatch):
    """Seed model: idle is a trigger of its own."""
    monkeypatch.setattr(schedules, "SWEEP", schedules.timedelta(seconds=0.05))
    monkeypatch.setattr(schedules, "lookout", schedules.Lookout())
    clock = FixedClock("2026-11-20T10:00:00+00:00")
    with opened(tmp_path, clock=clock, knobs=ConsolidationConfig(idle_seconds=600)) as memory:
        memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
        schedule = schedule_of(memory)
        until(lambda: "s" in counted(schedule))
        assert memory.sessions.state("s").cursors == {}
        clock.advance(601)
        until(lambda: memory.sessions.state("s").cursors)


def test_a_thread_without_jobs_ends_and_another_takes_its_place(tmp_path, monkeypatch):
    """Issue 7: 10,000 scopes do not keep 10,000 threads."""
    monkeypatch.setattr(schedules, "LINGER_SECONDS", 0.01)
    with opened(tmp_path, knobs=ConsolidationConfig(range_tokens=10)) as memory:
        for turn in range(3):
            memory.append("s", [Message("user", f"{RULE} {turn}"), Message("assistant", "Yes.")])
            assert memory.flush(WAIT_SECONDS)
            assert memory.sessions.state("s").cursors["consolidate"] == 2 * turn + 2
            until(lambda: thread_of(schedule_of(memory)) is None)


def test_a_session_that_could_not_be_read_is_looked_into_again(tmp_path, caplog, monkeypatch):
    """DESIGN 2: what goes wrong behind a message is logged, keeps no other session from its jobs, and is made good."""
    with opened(tmp_path, knobs=ConsolidationConfig(range_tokens=10), jobs="inline") as memory:
        for session in "ab":
            memory.append(session, [Message("user", RULE), Message("assistant", "Yes.")])
        sessions = scope_of(memory).sessions
        state = sessions.state

        def fails(session):
            if session == "a":
                raise StoreError("no luck")
            return state(session)

        with monkeypatch.context() as patched, caplog.at_level(logging.WARNING):
            patched.setattr(sessions, "state", fails)
            assert memory.flush()
        assert "'a' is counted later" in caplog.text
        assert [bool(state(session).cursors) for session in "ab"] == [False, True]
        assert memory.flush()
        assert state("a").cursors


def test_a_transcript_that_was_taken_away_is_forgotten(tmp_path, caplog):
    """Outside edits: nothing is asked for it again and again."""
    with opened(tmp_path, jobs="inline") as memory:
        memory.append("a", [Message("user", RULE)])
        (tmp_path / memory.sessions.path("a")).unlink()
        assert memory.flush()
        assert grown(schedule_of(memory)) == {}
        assert caplog.text == ""


def test_what_comes_while_a_job_runs_is_not_lost(tmp_path, monkeypatch):
    """Nothing is ever lost: also not what a look counted before the job that was under way had moved the cursor."""
    clock = FixedClock("2026-11-20T10:00:00+00:00")
    knobs = ConsolidationConfig(range_tokens=10, idle_seconds=600)
    with opened(tmp_path, clock=clock, knobs=knobs, jobs="inline") as memory:
        memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
        schedule = schedule_of(memory)
        consolidate = schedule.jobs.consolidate

        def consolidated(*args, **options):
            done = consolidate(*args, **options)
            memory.append("s", [Message("user", "And"), Message("assistant", "Go on.")])
            schedule.find()
            return done

        with monkeypatch.context() as patched:
            patched.setattr(schedule.jobs, "consolidate", consolidated)
            assert memory.flush()
        assert memory.sessions.state("s").cursors["consolidate"] == 2
        clock.advance(601)
        assert memory.flush()
        assert memory.sessions.state("s").cursors["consolidate"] == 4


def test_a_job_that_changed_nothing_is_not_run_for_the_same_again(tmp_path, monkeypatch):
    """A window of no more messages than stay is not shortened; each part of a long turn is looked at once."""
    clock = FixedClock("2026-11-20T10:00:00+00:00", step_seconds=31)
    knobs = ConsolidationConfig(range_tokens=10**6, window_tokens=200)
    ran = []
    with opened(tmp_path, clock=clock, knobs=knobs, jobs="inline") as memory:
        windows = schedule_of(memory).windows
        compact = windows.compact

        def noted(*args, **options):
            ran.append(compact(*args, **options))
            return ran[-1]

        monkeypatch.setattr(windows, "compact", noted)
        for turn in range(3):
            memory.append("s", [Message("user", "a question")])
            for _ in range(20):
                memory.append("s", [Message("assistant", "word " * 20)])
                memory.flush()
            memory.flush()
            # 20 messages stay. More of them are there from the second turn on, in which 20 of 28 tokens fill a window
            # of 200 two or three times; each time, and where the turn begins, the window may be shortened once.
            assert 2 * turn <= len(ran) <= 4 * turn
            assert {outcome.status for outcome in ran} <= {"applied"}
        assert memory.sessions.state("s").cursors["consolidate"] < 63
        clock.advance(4000)
        memory.flush()
        assert memory.sessions.state("s").cursors["consolidate"] == 63


class Interrupted(Exception):
    """What no job of ours raises."""


@pytest.mark.parametrize(
    "fault", [StoreBusyError("held"), Outcome(status="skipped", reason="another is at it"), Interrupted()]
)
def test_a_job_that_could_not_run_is_run_later_and_keeps_no_other_from_it(tmp_path, monkeypatch, fault):
    """Nothing is ever lost: neither the range of a job that failed nor what was due beside it."""
    clock = FixedClock("2026-11-20T10:00:00+00:00")
    with opened(tmp_path, clock=clock, knobs=ConsolidationConfig(range_tokens=10), jobs="inline") as memory:
        for session in "abc":
            memory.append(session, [Message("user", RULE), Message("assistant", "Yes.")])
        jobs, faults = schedule_of(memory).jobs, [fault]
        consolidate = jobs.consolidate

        def first_fails(*args, **options):
            if not faults:
                return consolidate(*args, **options)
            one = faults.pop()
            if isinstance(one, Exception):
                raise one
            return one

        monkeypatch.setattr(jobs, "consolidate", first_fails)
        with suppress(Interrupted):
            memory.flush()
        assert memory.sessions.state("a").cursors == {}
        assert memory.flush()
        assert [memory.sessions.state(session).cursors.get("consolidate") for session in "abc"] == [2, 2, 2]


def test_a_flush_waits_for_a_job_that_another_thread_runs(tmp_path, monkeypatch):
    """A context may be at the job that is due: it is not done before that is."""
    with opened(tmp_path, knobs=ConsolidationConfig(range_tokens=10), jobs="inline") as memory:
        memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
        jobs, begun, over = schedule_of(memory).jobs, threading.Event(), threading.Event()
        consolidate = jobs.consolidate

        def slow(*args, **options):
            begun.set()
            over.wait(WAIT_SECONDS)
            return consolidate(*args, **options)

        monkeypatch.setattr(jobs, "consolidate", slow)
        other = threading.Thread(target=memory.context, args=("s",))
        other.start()
        assert begun.wait(WAIT_SECONDS)
        assert memory.flush(0.05) is False
        over.set()
        assert memory.flush(WAIT_SECONDS)
        other.join()
        assert memory.sessions.state("s").cursors["consolidate"] == 2


def test_what_somebody_else_consolidated_since_is_not_due(tmp_path):
    """One message more is no range of its own: it is counted from where the cursor stands when its job would run."""
    with opened(tmp_path, knobs=ConsolidationConfig(range_tokens=10), jobs="inline") as memory:
        memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
        schedule = schedule_of(memory)
        assert schedule.find() == ["s"]
        memory.consolidate("s")
        memory.append("s", [Message("user", "ok")])
        schedule.run()
        assert schedule.find() == []
        assert memory.sessions.state("s").cursors["consolidate"] == 2


def test_what_a_close_could_not_wait_for_is_not_begun_after_it(tmp_path, monkeypatch):
    """What was closed may be taken away; the ranges are run by whoever opens it next."""
    knobs = ConsolidationConfig(range_tokens=10, close_seconds=0.05)
    memory = opened(tmp_path, knobs=knobs)
    for session in "abc":
        memory.append(session, [Message("user", RULE), Message("assistant", "Yes.")])
    schedule, begun, over = schedule_of(memory), [], threading.Event()

    def slow(session, wanted, **_):
        begun.append(session)
        over.wait(WAIT_SECONDS)
        return Outcome(status="unchanged")

    monkeypatch.setattr(schedule.jobs, "consolidate", slow)
    until(lambda: begun)
    thread = thread_of(schedule)
    memory.close()
    over.set()
    thread.join(WAIT_SECONDS)
    assert len(begun) == 1
    assert busy(schedule) == 0


def test_jobs_run_where_no_thread_can_be_started(tmp_path, monkeypatch):
    """The system may have no thread left, and an interpreter that ends starts none: a message is kept all the same."""
    knobs = ConsolidationConfig(range_tokens=10)
    monkeypatch.setattr(schedules, "lookout", schedules.Lookout())
    with opened(tmp_path, knobs=knobs) as memory:
        with monkeypatch.context() as patched:
            patched.setattr(schedules.threading.Thread, "start", refuse)
            memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
            memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
            assert memory.flush(WAIT_SECONDS)
            assert memory.sessions.state("s").cursors["consolidate"] == 4
        memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
        until(lambda: memory.sessions.state("s").cursors["consolidate"] == 6)
    with opened(tmp_path, knobs=knobs) as memory:
        memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
        monkeypatch.setattr(schedules.threading.Thread, "start", refuse)
    with opened(tmp_path, jobs="worker") as memory:
        assert memory.sessions.state("s").cursors["consolidate"] == 8


def refuse(thread):
    raise RuntimeError("can't start new thread")


def test_nobody_looks_after_a_close(tmp_path, monkeypatch):
    """What was closed may be taken away: a look that was asked for before finds nothing to do."""
    memory = opened(tmp_path, knobs=ConsolidationConfig(range_tokens=10))
    memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
    schedule = schedule_of(memory)
    memory.close()
    assert memory.sessions.state("s").cursors["consolidate"] == 2
    grown(schedule)["s"] = None
    monkeypatch.setattr(scope_of(memory).sessions, "state", lambda _: 1 // 0)
    schedule.look()
    assert list(grown(schedule)) == ["s"]
    assert thread_of(schedule) is None
    memory.close()


@pytest.mark.slow
def test_a_memory_that_was_dropped_still_has_its_jobs_run(tmp_path, monkeypatch):
    """Without a close too, what was noted is looked at; then nothing keeps the memory alive."""
    monkeypatch.setattr(schedules, "LINGER_SECONDS", 0.01)
    memory = opened(tmp_path, knobs=ConsolidationConfig(range_tokens=10))
    memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])
    schedule = weakref.ref(schedule_of(memory))
    del memory
    with opened(tmp_path, jobs="worker") as other:
        until(lambda: other.sessions.state("s").cursors)
    until(lambda: gc.collect() >= 0 and schedule() is None)


def test_what_is_due_is_handed_over_once(tmp_path, monkeypatch):
    """However long a job takes, and however often is looked meanwhile."""
    with opened(tmp_path, knobs=ConsolidationConfig(range_tokens=10)) as memory:
        schedule = schedule_of(memory)
        begun, over = threading.Event(), threading.Event()

        def slow(_):
            begun.set()
            over.wait(WAIT_SECONDS)

        with monkeypatch.context() as patched:
            patched.setattr(schedule, "run", slow)
            for session in "abc":
                memory.append(session, [Message("user", RULE), Message("assistant", "Yes.")])
            schedule.look()
            assert begun.wait(WAIT_SECONDS)
            for _ in range(20):
                schedule.look()
            assert busy(schedule) <= 4  # the one under way may be handed over again
            over.set()
            until(lambda: busy(schedule) == 0)
        assert memory.flush(WAIT_SECONDS)
        assert all(memory.sessions.state(session).cursors for session in "abc")


def test_a_thread_that_died_leaves_no_flush_waiting(tmp_path, monkeypatch):
    """What was handed to it is taken on by the next one."""
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    with opened(tmp_path, knobs=ConsolidationConfig(range_tokens=10)) as memory:
        for session in "abc":
            memory.append(session, [Message("user", RULE), Message("assistant", "Yes.")])
        schedule, died = schedule_of(memory), threading.Event()
        run = schedule.run

        def dies_once(session):
            run(session)
            if not died.is_set():
                died.set()
                raise SystemExit

        monkeypatch.setattr(schedule, "run", dies_once)
        schedule.look()
        assert died.wait(WAIT_SECONDS)
        until(lambda: not thread_of(schedule).is_alive())
        assert memory.flush(WAIT_SECONDS)
        assert all(memory.sessions.state(session).cursors for session in "abc")


def test_a_session_that_was_deleted_is_counted_anew_when_it_is_back(tmp_path):
    """Every change can be undone, and what is due follows."""
    knobs = ConsolidationConfig(range_tokens=30)
    with opened(tmp_path, knobs=knobs, jobs="inline") as memory:
        memory.append("s", [Message("user", "I moved to Bergen in May and I like it there a lot, by the way.")] * 2)
        schedule = schedule_of(memory)
        memory.sessions.delete("s")
        assert schedule.find() == []
        memory.undo(memory.log(1)[0].number)
        memory.append("s", [Message("user", "ok")])
        assert schedule.find() == ["s"]


def test_a_forked_child_looks_by_itself(tmp_path):
    """The lookout of the parent is not in the child."""
    with opened(tmp_path, knobs=ConsolidationConfig(range_tokens=10)) as memory:
        memory.append("s", [Message("user", RULE), Message("assistant", "Yes.")])

        def work():
            memory.append("t", [Message("user", RULE), Message("assistant", "Yes.")])
            until(lambda: memory.sessions.state("t").cursors)

        assert os.WEXITSTATUS(in_child(work)) == 0
