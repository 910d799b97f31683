"""A person edits a shown document while the door commits to it."""

from __future__ import annotations

import random
import subprocess
import sys
import threading

import pytest
from doors import FULL, HERE, opened, write

from commonplace.changes.door import Door
from commonplace.store.files import replace
from forking import started
from inside import around, commits_of, scope_of

pytestmark = pytest.mark.battery

RACES = 5000 if FULL else 500
PATH = "memory/MEMORY.md"


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Wait less for writers than for a person's disk; the editor here writes a few hundred bytes."""
    monkeypatch.setattr(replace, "QUIET_SECONDS", 0.005)


@pytest.fixture
def editor(fast_path):
    write(fast_path, PATH, "# Memory\n\n- the first\n- fact 0\n")
    command = [sys.executable, HERE / "editor.py", fast_path / PATH]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with started(command, **pipes, text=True, encoding="utf-8") as child:
        yield child


def explained(memory, outcome, text):
    """Say whether a success is on disk, or was taken away by an edit that the log shows."""
    if text in (scope_of(memory).store.read(PATH).data.decode()):
        return True
    later = [c for c in memory.log(10) if c.number > outcome.change and "outside" in c.kinds]
    return any(f"-- {text}" in c.diff for c in later)


@pytest.mark.timeout(1800 if FULL else 300)
@pytest.mark.slow
@pytest.mark.parametrize("style", ["rename", "place"])
def test_edits_race_as_many_changes(fast_path, editor, style):
    """Issue 3: 1,000 races, 0 edits lost, 0 successes with nothing on disk. Source: safety F10."""
    chance = random.Random(3)
    lost, hollow, conflicts = [], [], 0
    with opened(fast_path) as memory:
        record = memory.update("fact 0", "fact zero").records[0]
        for number in range(1, RACES + 1):
            editor.stdin.write(f"{style} {number} {chance.randrange(200_000)}\n")
            editor.stdin.flush()
            text = f"fact {number}"
            if number % 10:
                outcome = memory.update(record, text)
            else:
                outcome = memory.remember(f"new {number}", kind="decision")
                text = f"new {number}"
            assert editor.stdout.readline().strip() == str(number)
            on_disk = (fast_path / PATH).read_text(encoding="utf-8")
            if f"- edit {number} of the person" not in on_disk:
                memory.sync()  # it was written into the file that the change had replaced
                on_disk = (fast_path / PATH).read_text(encoding="utf-8")
            if f"- edit {number} of the person" not in on_disk:
                lost.append(number)
            if outcome.status == "applied":
                if not explained(memory, outcome, text):
                    hollow.append(number)
                if number % 10:
                    record = (
                        memory.read(outcome.records[0]).id
                        if text in on_disk
                        else memory.update("fact", text).records[0]
                    )
            else:
                assert outcome.status == "conflict", outcome
                assert outcome.review, outcome
                conflicts += 1
                memory.review().reject(outcome.review[0])
        assert memory.doctor().problems == ()
        log = memory.log(None)
    assert (lost, hollow) == ([], [])
    assert sum("outside" in change.kinds for change in log) > RACES // 2
    assert conflicts <= RACES // 4


def test_an_edit_between_the_look_and_the_plan_is_logged_before_the_change(tmp_path, monkeypatch):
    """Issue 23.8: such an edit was in the file, but the log took it for ours."""
    with opened(tmp_path) as memory:
        memory.remember("one", kind="decision")
        real, done = Door.plan, []

        def plan(self):
            if not done:
                done.append(1)
                write(tmp_path, PATH, "- one\n- by hand\n")
            return real(self)

        monkeypatch.setattr(Door, "plan", plan)
        assert memory.remember("two", kind="decision").status == "applied"
        assert (tmp_path / PATH).read_text(encoding="utf-8") == "- one\n- by hand\n- two\n"
        ours, edit, _ = memory.log(None)
    assert ("outside" in ours.kinds, "outside" in edit.kinds) == (False, True)
    assert "by hand" in edit.diff


def test_a_look_while_a_commit_is_half_way_sees_no_edit_from_outside(tmp_path):
    """DESIGN 1.3: `outside` names what a person did, never what the door itself has written but not yet counted."""
    with opened(tmp_path) as writer, opened(tmp_path) as watcher:
        writer.remember("the first fact", kind="decision")
        watcher.sync()
        half_way, may_end = threading.Event(), threading.Event()

        def slow(finished, head):
            half_way.set()
            assert may_end.wait(60)
            finished(head)

        with around(commits_of(scope_of(writer).store), "finished", slow):
            write_thread = threading.Thread(
                target=writer.remember, args=("the second fact",), kwargs={"kind": "decision"}
            )
            write_thread.start()
            assert half_way.wait(60)
            looks = threading.Thread(target=watcher.sync)
            looks.start()
            looks.join(0.5)  # it may wait for the commit, or come to an answer without it
            may_end.set()
            write_thread.join()
            looks.join()
        watcher.sync()
        assert [change.actor for change in watcher.log(None)] == ["library"] * 2
