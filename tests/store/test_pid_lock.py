"""The lock file that other programs read: seed memdir, `.consolidate-lock`."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from commonplace.errors import PathError
from commonplace.store.pid_lock import PidLock

NOW = datetime(2026, 3, 5, 9, 0, tzinfo=UTC)
OURS = 4_000_001  # above the largest number that a process can have here


@pytest.fixture
def path(tmp_path):
    return tmp_path / ".consolidate-lock"


@pytest.fixture
def living():
    """The number of a process that lives as long as the test."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process.pid
        process.communicate(b"\n")


def held(path, pid, minutes):
    path.write_text(str(pid), encoding="ascii")
    at = (NOW - timedelta(minutes=minutes)).timestamp()
    os.utime(path, (at, at))


def test_it_holds_the_process_and_the_time_of_the_run(path):
    lock = PidLock(str(path), OURS)
    assert lock.last() is None
    assert lock.take(NOW)
    assert path.read_text(encoding="ascii") == str(OURS)
    assert lock.last() == NOW


@pytest.mark.parametrize(("minutes", "taken"), [(59, False), (60, True), (61, True)])
def test_a_living_process_holds_it_for_sixty_minutes(path, living, minutes, taken):
    """Scenario 10, and a number that is used again: it holds no longer than that."""
    held(path, living, minutes)
    assert PidLock(str(path), OURS).take(NOW) is taken


def test_a_dead_process_holds_nothing(path):
    """Scenario 10."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    held(path, process.pid, 1)
    assert PidLock(str(path), OURS).take(NOW)


@pytest.mark.parametrize("body", ["", "not a number", "9" * 30, "\ud7ff"])
def test_what_is_no_process_holds_nothing(path, body):
    path.write_text(body, encoding="utf-8")
    assert PidLock(str(path), OURS).take(NOW)


def test_a_run_that_failed_leaves_the_time_of_the_run_before(path):
    """Scenario 11."""
    held(path, "", 3000)
    lock = PidLock(str(path), OURS)
    assert lock.take(NOW)
    lock.give_back()
    assert lock.last() == NOW - timedelta(minutes=3000)
    assert path.read_text(encoding="ascii") == ""


def test_a_first_run_that_failed_leaves_no_file(path):
    """Scenario 11."""
    lock = PidLock(str(path), OURS)
    assert lock.take(NOW)
    lock.give_back()
    assert not path.exists()


def test_a_holder_that_slept_takes_nothing_from_the_one_after_it(path):
    """Issue 21: a stopped and resumed holder."""
    slow = PidLock(str(path), os.getpid())
    assert slow.take(NOW)
    quick = PidLock(str(path), OURS)
    assert not quick.take(NOW + timedelta(minutes=59))
    assert quick.take(NOW + timedelta(minutes=61))
    slow.give_back()
    assert path.read_text(encoding="ascii") == str(OURS)
    assert quick.last() == NOW + timedelta(minutes=61)


def test_a_link_in_its_place_is_not_written_through(path, tmp_path):
    """A hostile folder leads no write elsewhere."""
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    path.symlink_to(victim)
    with pytest.raises(PathError):
        PidLock(str(path), OURS).take(NOW)
    assert victim.read_text(encoding="utf-8") == "mine"
