"""Writers that die at any moment: nothing acknowledged is lost, nobody sees half a change."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from scopes import (
    FULL,
    HERE,
    ITEMS,
    A,
    FailingDisk,
    die_after,
    die_before,
    die_halfway,
    everything,
    line,
    numbers,
    open_store,
    round_of,
    state_of,
    together,
)

from forking import in_child
from marking import slow_after

pytestmark = pytest.mark.battery

# How many are killed, and with which seed: 2,550 on each path in the battery.
DEATHS = (die_halfway, die_before, die_after)
KILLS = [(12, 0), *((150, seed) for seed in range(17 if FULL else 1))]


def drive(*arguments: object) -> dict:
    done = subprocess.run(
        [sys.executable, HERE / "crash_driver.py", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(("kills", "seed"), KILLS)
def test_killed_appenders_lose_nothing_acknowledged(fast_path, kills, seed):
    """Issue 2 and safety battery F02: kill -9 at random moments on the append path."""
    result = drive("append", fast_path / "scope", kills, seed)
    assert (result["kills"], result["lost"], result["duplicates"]) == (kills, 0, 0), result
    assert result["acked"] > kills // 2  # four of five were killed after a word of theirs
    assert result["damaged"] <= kills


@pytest.mark.parametrize(("kills", "seed"), slow_after(0, KILLS))
def test_killed_committers_lose_nothing_and_nobody_sees_half_a_change(fast_path, kills, seed):
    """Issue 2 and safety battery F01: kill -9 at random moments on the commit path, a reader beside it."""
    result = drive("commit", fast_path / "scope", kills, seed)
    assert (result["kills"], result["lost"], result["half"], result["problems"]) == (kills, 0, 0, 0), result
    assert result["acked"] > 0
    assert result["reads"] > 0
    assert result["changes"] == result["last"] == result["items"]
    assert result["left"] == 0


@pytest.mark.parametrize(("die", "stride"), slow_after(1, [(die_halfway, 3), *((die, 1) for die in DEATHS)]))
def test_a_commit_killed_at_each_of_its_steps_is_whole_or_not_there(fast_path, die, stride):
    """DESIGN 5: whoever takes the lock first finishes the log's unapplied tail."""
    step, status = 0, 9
    while status:
        step += stride
        root = fast_path / str(step)
        with open_store(root) as store:
            store.commit({}, {}, everything(1))

        def work(root=root, step=step):
            disk = FailingDisk(step, die)
            open_store(root, disk=disk).commit({}, {}, everything(2))

        status = in_child(work)
        with open_store(root) as store:
            found = together(store, [A, "memory/new-1.md", "memory/new-2.md", ITEMS])
            after = store.change_number() == 2
            assert after or store.change_number() == 1
            assert found[A].data.startswith(b"2\n" if after else b"1\n")
            assert (found["memory/new-1.md"] is None) == after
            assert (found["memory/new-2.md"] is not None) == after
            assert numbers(found[ITEMS].data) == ([1, 1, 2, 2] if after else [1, 1])
            assert found[ITEMS].data.count(b"\n") == (4 if after else 2)
            assert store.commit({}, {}, everything(3)).number == (3 if after else 2)
            assert store.verify_log() == ()
            assert store.conflicts() == ()
        assert status == 0 or os.WTERMSIG(status) == 9
    assert step > 30
    assert list((root / "memory").glob(".*")) == []


@pytest.mark.parametrize(("die", "stride"), slow_after(1, [(die_halfway, 3), *((die, 1) for die in DEATHS)]))
def test_a_first_append_killed_at_each_of_its_steps_leaves_a_file_that_works(fast_path, die, stride):
    """Safety notes 2.2: a torn tail costs only itself."""
    step, status = 0, 9
    while status:
        step += stride
        root = fast_path / str(step)

        def work(root=root, step=step):
            open_store(root, disk=FailingDisk(step, die)).append("sessions/a.jsonl", [line(1)])

        status = in_child(work)
        with open_store(root) as store:
            before, _ = store.appended(None)
            store.append("sessions/a.jsonl", [line(2)])
            assert numbers(store.read("sessions/a.jsonl").data)[-1:] == [2]
            named = store.appended(before)[1]
            assert "sessions/a.jsonl" in named if before else named is None
    assert step > 8


@pytest.mark.parametrize("die", slow_after(0, [die_before, die_after]))
def test_erasing_killed_at_each_of_its_steps_keeps_the_log_whole(fast_path, die):
    """DESIGN 5: erase replaces payloads only, so the chain verifies."""
    step, status = 0, 9
    while status:
        step += 1
        root = fast_path / str(step)
        with open_store(root) as store:
            for number in range(1, 4):
                store.commit({}, {}, round_of(number))

        def work(root=root, step=step):
            open_store(root, disk=FailingDisk(step, die)).erase({1: {}, 3: {}}, lambda _, data: data)

        status = in_child(work)
        with open_store(root) as store:
            assert state_of(store) == (3, 3, [1, 2, 3])
            assert store.verify_log() == ()
            store.erase({1: {}, 3: {}}, lambda _, data: data)
            assert [each.erased for each in store.since(0)] == [True, False, True]
            assert store.commit({}, {}, round_of(4)).number == 4
            assert store.verify_log() == ()
    assert step > 8


@pytest.mark.slow
def test_two_live_processes_finish_each_others_unapplied_tail(fast_path):
    """Issue 2: each of two stores dies by turns between log and files, the other one finishes it."""

    def dies_when_applying(number):
        def work():
            disk = FailingDisk(0, None)
            store = open_store(fast_path, disk=disk)
            disk.exchange = lambda *a, **k: os.kill(os.getpid(), 9)
            disk.rename_new = disk.exchange
            store.commit({}, {}, round_of(number))

        return work

    one, two = open_store(fast_path), open_store(fast_path)
    one.commit({}, {}, round_of(1))
    for turn in range(2, 12):
        assert os.WTERMSIG(in_child(dies_when_applying(turn))) == 9
        reader = one if turn % 2 else two
        assert state_of(reader) == (turn, turn, list(range(1, turn + 1)))
    assert two.change_number() == one.change_number() == 11
    assert one.verify_log() == two.verify_log() == ()


def test_a_reader_that_may_not_write_sees_the_whole_change_of_a_dead_writer(fast_path):
    """DESIGN 5: a reader that finds an unapplied tail never shows half of it."""
    with open_store(fast_path) as store:
        store.commit({}, {}, round_of(1))

    def work():
        disk = FailingDisk(0, None)
        store = open_store(fast_path, disk=disk)
        real, done = disk.exchange, []

        def once(*args, **options):
            if done:
                os.kill(os.getpid(), 9)
            done.append(1)
            return real(*args, **options)

        disk.exchange = once
        store.commit({}, {}, round_of(2))

    assert os.WTERMSIG(in_child(work)) == 9
    with open_store(fast_path, read_only=True) as reader:
        assert state_of(reader) == (2, 2, [1, 2])
        assert reader.version(A) != reader.version("memory/none.md")
    assert (fast_path / ITEMS).read_bytes().count(b"\n") == 1


def test_a_dead_writers_temporary_files_are_taken_away(fast_path):
    """Safety notes 2.1: own temporary files are swept when their owner is dead."""

    def work():
        disk = FailingDisk(0, None)
        store = open_store(fast_path, disk=disk)
        disk.sync = lambda fd: os.kill(os.getpid(), 9)
        store.commit({}, {}, round_of(1))

    with open_store(fast_path) as store:
        store.commit({}, {}, [])
    in_child(work)
    assert list((fast_path / "memory").glob(".*tmp"))
    with open_store(fast_path) as store:
        store.list()
    assert not list((fast_path / "memory").glob(".*tmp"))
