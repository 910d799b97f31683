"""What an append has to do: counted in calls to the system, so that it is the same on any machine."""

from __future__ import annotations

import fcntl
import gc
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from commonplace import Memory, Message
from commonplace.store.files.disk import Disk
from commonplace.testing import FixedClock
from forking import in_processes
from inside import folded

COUNTED = (
    "open", "close", "stat", "lstat", "fstat", "access", "listdir", "scandir", "read", "pread", "write", "pwrite",
    "lseek", "fsync", "fdatasync", "mkdir", "rename", "replace", "unlink", "ftruncate",
)  # fmt: skip


def opened(folder, **options):
    return Memory.open(folder, jobs="inline", clock=FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1), **options)


@contextmanager
def counted():
    """Count the calls of functions of `os`, and of `fcntl.flock`, that are made inside."""
    counts = Counter()
    here = threading.get_ident()

    def call(name, real, *args, **options):
        counts[name] += threading.get_ident() == here  # not what a thread of another test still does
        return real(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        for module, name in [*((os, name) for name in COUNTED), (fcntl, "flock")]:
            patch.setattr(module, name, partial(call, name, getattr(module, name)))
        for name in ("write", "flock"):
            patch.setattr(Disk, name, staticmethod(partial(call, name, getattr(Disk, name))))
        gc.disable()  # nothing that another test left open is closed meanwhile
        try:
            yield counts
        finally:
            gc.enable()


def work_of(memory, session, text="how the heron stood", times=10):
    """Count what some appends do together."""
    with counted() as counts:
        for _ in range(times):
            memory.append(session, [Message("user", text)])
    return counts


@pytest.mark.parametrize("spread", ["in one session", "over sessions"])
def test_an_append_does_the_same_work_whatever_is_stored(tmp_path, spread):
    """Issue 7: the same at 1k and at 1M records stored."""
    found = []
    for number, stored in enumerate((100, 800)):
        with opened(tmp_path / str(number)) as memory:
            if spread == "in one session":
                memory.append("s", [Message("assistant", f"word {at}") for at in range(stored)])
            else:
                for session in range(stored // 20):
                    memory.append(f"s{session}", [Message("assistant", f"word {at}") for at in range(20)])
            memory.append("s", [Message("assistant", "first")])
            memory.append("s", [Message("assistant", "second")])
            found.append(work_of(memory, "s"))
    assert found[0] == found[1]


@pytest.mark.usefixtures("unswept")
def test_a_recall_and_a_context_do_the_same_work_whatever_sessions_they_do_not_show(tmp_path):
    """Issue 23.7: with 100,000 sessions a recall took 1.1 s."""
    found = []
    for sessions in (3, 12):
        with Memory.open(tmp_path / str(sessions), jobs="worker") as memory:
            for number in range(sessions):
                memory.append(f"s{number}", [Message("user", f"Visitor v{number}w asks.")])
            memory.recall("visitor")
            with counted() as counts:
                memory.append("s1", [Message("user", "The okapi is back.")])
                assert [hit.text for hit in memory.recall("okapi")] == ["The okapi is back."]
                assert "okapi is back" in memory.context("s2", "okapi").text
            found.append(counts)
    assert found[0] == found[1]


def test_messages_of_one_call_share_one_sync(tmp_path):
    """DESIGN 9: one sync per append."""
    with opened(tmp_path) as memory:
        memory.append("s", [Message("user", "to begin with")])
        memory.append("s", [Message("user", "and then")])  # reads once what the first one wrote
        with counted() as one:
            memory.append("s", [Message("user", "a")])
        with counted() as many:
            memory.append("s", [Message("user", f"word {at}") for at in range(50)])
        assert one["fdatasync"] == 1
        assert one == many


@pytest.mark.slow
def test_what_an_append_knows_is_what_its_file_says(tmp_path):
    """House style, round trips: a state kept from call to call is the one that the lines fold to."""
    clock = FixedClock("2026-11-20T10:00:00.123456+00:00", step_seconds=0.0015)
    with Memory.open(tmp_path, jobs="worker", clock=clock) as memory:
        at = datetime(2026, 11, 20, 9, 0, 0, 999_999, tzinfo=UTC) + timedelta(days=1)
        for turn in range(30):
            said = [
                Message("user", f"é and 日本 {turn}", id=f"given-{turn}-{'x' * (turn % 40)}"),
                Message("tool", "what a page said", tools=("web_fetch",)),
                Message("assistant", "so it is", at=at, name="ada"),
            ]
            memory.append("s", said[: 1 + turn % 3])
            memory.append("s", said[: 1 + turn % 2])  # some of it again
            twice = Message("user", f"said twice {turn}", id=f"twice-{turn}")
            memory.append("s", [twice, twice, Message("user", f"between {turn}"), twice, said[0], said[-1]])
            with Memory.open(tmp_path, jobs="worker") as fresh:
                assert memory.sessions.state("s") == fresh.sessions.state("s")
                assert list(memory.sessions.read("s")) == list(fresh.sessions.read("s"))
                mine, theirs = (folded(each.sessions, "sessions/s.jsonl") for each in (memory, fresh))
                assert list(mine.offsets) == list(theirs.offsets)
                assert (mine.ids, mine.bytes_read) == (theirs.ids, theirs.bytes_read)


def test_what_others_write_between_two_appends_is_seen(tmp_path):
    """Issue 2: several processes, edits from outside and torn tails; nothing kept in memory hides them."""
    path = tmp_path / "sessions" / "s.jsonl"
    with opened(tmp_path) as memory, opened(tmp_path) as other:
        ids = [memory.append("s", [Message("user", f"mine {at}")])[0].message for at in range(3)]
        ids.append(other.append("s", [Message("user", "theirs")])[0].message)
        assert memory.append("s", [Message("user", "theirs", id=ids[-1])])[0].message == ids[-1]
        ids.append(memory.append("s", [Message("user", "mine after theirs")])[0].message)
        with path.open("ab") as file:
            file.write(b'{"type":"message","n":99,"torn')
        ids.append(memory.append("s", [Message("user", "after a torn line")])[0].message)
        ids.append(memory.append("s", [Message("user", "and after that")])[0].message)
        assert len(set(ids)) == len(ids) == memory.sessions.state("s").messages
        assert [m.message.id for m in other.sessions.read("s")] == ids
        kept = path.read_bytes().splitlines(keepends=True)[:3]  # the head and two messages
        (tmp_path / "fresh").write_bytes(b"".join(kept))
        (tmp_path / "fresh").replace(path)
        memory.append("s", [Message("user", "after it was cut")])
        assert [m.text for m in memory.sessions.read("s")] == ["mine 0", "mine 1", "after it was cut"]
        path.write_bytes(b"".join(kept))
        memory.append("s", [Message("user", "after it was cut in its place")])
        assert [m.text for m in memory.sessions.read("s")][2:] == ["after it was cut in its place"]


@pytest.mark.slow
def test_what_threads_of_two_processes_know_is_what_their_files_say(tmp_path):
    """Issue 2: writers meet in one file, readers beside them, and somebody writes past the lock."""

    def talk(memory, thread, said):
        for at in range(40):
            session = f"s{(at + thread) % 2}"
            said += [(session, each.message) for each in memory.append(session, [Message("user", f"word {at}")] * 2)]
            memory.sessions.state(session)
            if at == 20:
                with (tmp_path / "sessions" / "s0.jsonl").open("ab") as file:
                    file.write(b"past the lock\n")

    def work(number):
        said = []
        with Memory.open(tmp_path, jobs="worker") as memory:
            threads = [threading.Thread(target=talk, args=(memory, thread, said)) for thread in range(3)]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
            (tmp_path / f"said-{number}").write_text(json.dumps(said), encoding="utf-8")
            while len(list(tmp_path.glob("said-*"))) < 2:
                time.sleep(0.01)
            with Memory.open(tmp_path, jobs="worker") as fresh:
                for name in ("sessions/s0.jsonl", "sessions/s1.jsonl"):
                    mine, theirs = folded(memory.sessions, name), folded(fresh.sessions, name)
                    assert list(mine.offsets) == list(theirs.offsets)
                    assert (mine.ids, mine.numbers, mine.bytes_read) == (theirs.ids, theirs.numbers, theirs.bytes_read)

    assert in_processes(2, work) == [0, 0]
    said = [
        tuple(each)
        for number in range(2)
        for each in json.loads((tmp_path / f"said-{number}").read_text(encoding="utf-8"))
    ]
    with Memory.open(tmp_path, jobs="worker") as memory:
        kept = [(session, each.message.id) for session in ("s0", "s1") for each in memory.sessions.read(session)]
    assert len(said) == 480
    assert sorted(said) == sorted(kept)


@pytest.mark.slow
def test_a_reader_beside_a_writer_takes_in_each_message_once(tmp_path):
    """A reader may fold the lines that a writer is about to take in unread."""
    code = (
        "import sys, threading\nfrom commonplace import Memory, Message\n"
        "memory = Memory.open(sys.argv[1], jobs='worker')\n"
        "done = threading.Event()\n"
        "def look():\n"
        "    while not done.is_set():\n"
        "        if memory.sessions.exists('s'):\n"
        "            memory.sessions.state('s')\n"
        "readers = [threading.Thread(target=look) for _ in range(2)]\n"
        "def say(name):\n"
        "    for at in range(10):\n"
        "        memory.append('s', [Message('user', f'{name} {at}')])\n"
        "writers = [threading.Thread(target=say, args=(name,)) for name in 'abc']\n"
        "sys.setswitchinterval(1e-5)\n"
        "for each in readers + writers:\n    each.start()\n"
        "for each in writers:\n    each.join()\n"
        "done.set()\n"
        "for each in readers:\n    each.join()\n"
        "assert memory.sessions.state('s').messages == 30\n"
        "assert memory.doctor().problems == ()\n"
    )
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True, timeout=120)
    with opened(tmp_path) as memory:
        assert [m.number for m in memory.sessions.read("s")] == list(range(30))
        assert memory.doctor().problems == ()
