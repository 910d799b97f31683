"""A process forked from one with threads: the child uses the memory it inherits, whatever they were at."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from commonplace import AsyncMemory, Memory, Message, forks
from commonplace.models.sdk import Opening
from forking import in_child

WAIT_SECONDS = 30.0


@contextmanager
def another_thread_in(block):
    """Have another thread stand in a block."""
    inside, over = threading.Event(), threading.Event()

    def stand() -> None:
        with block:
            inside.set()
            over.wait(WAIT_SECONDS)

    thread = threading.Thread(target=stand)
    thread.start()
    assert inside.wait(WAIT_SECONDS)
    try:
        yield
    finally:
        over.set()
        thread.join(WAIT_SECONDS)


def use(memory: Memory, word: str) -> None:
    """Do with a memory what an agent does, and find it again."""
    memory.append("s", [Message("user", f"the word is {word}")])
    assert f"the word is {word}" in [hit.text for hit in memory.recall(word)]
    memory.remember(f"Ada bought {word}.")
    assert memory.context("s", word).text
    memory.consolidate("s")
    assert memory.flush(WAIT_SECONDS)


def sqlite_files() -> list[str]:
    """Name the databases that this process has open."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(link.readlink()))
        except OSError:  # the descriptor of the listing itself
            continue
    return [name for name in found if ".sqlite" in name and not name.endswith(".lock")]


LOCKS = {
    "sessions": lambda scope: scope.sessions._lock,
    "ledger": lambda scope: scope.ledger._lock,
    "capped facts": lambda scope: scope.capped._lock,
    "wiring": lambda scope: scope._making,
    "door": lambda scope: scope.changing.door.lock,
    "schedule": lambda scope: scope.changing.schedule._lock,
    "indexing": lambda scope: scope.indexing._lock,
    "index": lambda scope: scope.indexing.index._lock,
    "looks": lambda scope: scope._seen._lock,
    "scope lock": lambda scope: scope.store._commits.lock._threads,
}


@pytest.mark.parametrize("name", LOCKS)
def test_a_child_uses_the_memory_while_a_thread_of_its_parent_holds(name, tmp_path, monkeypatch):
    """The thread is not in the child, its lock is: without renewal the child waits for ever."""
    monkeypatch.setattr(forks, "_WAIT_SECONDS", 0.01)
    with Memory.open(tmp_path, layout="facts" if name == "capped facts" else "native") as memory:
        if name != "wiring":
            use(memory, "zebra")
        with another_thread_in(LOCKS[name](memory._scopes[0])):
            assert in_child(lambda: use(memory, "okapi")) == 0
        use(memory, "quagga")
        assert len(memory.recall("the word is okapi", k=50)) >= 1
        assert memory.doctor().problems == ()


def test_no_database_is_open_at_a_fork(tmp_path):
    """SQLite, how to corrupt a database, 2.6: no connection is carried over a fork, not even to be closed."""
    with Memory.open(tmp_path) as memory:
        use(memory, "zebra")
        assert sqlite_files()

        def look() -> None:
            assert sqlite_files() == []
            use(memory, "okapi")
            assert sqlite_files()
            memory.close()

        assert in_child(look) == 0
        assert [hit.text for hit in memory.recall("okapi", layers=["sessions"])] == ["the word is okapi"]
        assert memory.doctor().problems == ()


def test_a_child_leaves_an_index_alone_that_was_being_written(tmp_path, monkeypatch):
    """SQLite keeps one account of a file's locks for a process; the one a child inherits is its parent's."""
    monkeypatch.setattr(forks, "_WAIT_SECONDS", 0.01)
    with Memory.open(tmp_path) as memory:
        use(memory, "zebra")
        index = memory._scopes[0].indexing.index
        with another_thread_in(index.writing()):
            inherited = len(sqlite_files())

            def look() -> None:
                use(memory, "okapi")
                assert [hit.text for hit in memory.recall("zebra", layers=["sessions"])] == ["the word is zebra"]
                assert len(sqlite_files()) <= inherited
                with Memory.open(tmp_path) as again:
                    use(again, "quagga")
                memory.close()

            assert in_child(look) == 0
        for word in ("zebra", "okapi", "quagga"):
            assert f"the word is {word}" in [hit.text for hit in memory.recall(word)]
        assert memory.doctor().problems == ()


def test_an_index_in_memory_goes_on_in_a_child(tmp_path):
    """A memory that is open for reading only has its index nowhere else."""
    with Memory.open(tmp_path) as memory:
        use(memory, "zebra")
    with Memory.open(tmp_path, read_only=True) as memory:
        assert memory.recall("zebra")

        def look() -> None:
            assert memory.recall("zebra")

        assert in_child(look) == 0
        assert memory.recall("zebra")


def test_a_child_waits_for_no_job_of_its_parent(tmp_path, monkeypatch):
    """The thread that runs jobs is not in the child, and what it had taken on is the parent's."""
    with Memory.open(tmp_path) as memory:
        use(memory, "zebra")
        begun, over = threading.Event(), threading.Event()
        schedule = memory._scopes[0].changing.schedule

        def long_job(session: str) -> None:
            begun.set()
            over.wait(WAIT_SECONDS)

        with monkeypatch.context() as patched:
            patched.setattr(schedule, "run", long_job)
            schedule._hand_over("s")
            assert begun.wait(WAIT_SECONDS)
        assert in_child(lambda: use(memory, "okapi")) == 0
        over.set()
        use(memory, "quagga")


def test_a_child_waits_for_no_vectors_that_its_parent_makes(tmp_path):
    """The thread that fills them in is not in the child; its own goes on with what is missing."""
    parent, begun, over = os.getpid(), threading.Event(), threading.Event()

    def embed(texts):
        if os.getpid() == parent and any("zebra" in text for text in texts):
            begun.set()
            over.wait(WAIT_SECONDS)
        return [[float(sum(map(ord, text)) * prime % 13 - 6) for prime in (2, 3, 5, 7, 11)] for text in texts]

    config = {"recall.embed_seconds": 5.0}
    with Memory.open(tmp_path, embedder=embed, config=config, jobs="worker") as memory:
        memory.append("s", [Message("user", "the word is zebra")])
        asking = threading.Thread(target=memory.recall, args=("word",))
        asking.start()
        assert begun.wait(WAIT_SECONDS)

        def look() -> None:
            memory.sync()
            assert memory._scopes[0].embedding._missing() is False

        try:
            assert in_child(look) == 0
        finally:
            over.set()
            asking.join(WAIT_SECONDS)


def test_a_child_opens_connections_to_a_model_of_its_own(tmp_path):
    """Two processes on one connection read each other's answers."""

    class Provider(Opening):
        def _made(self):
            return os.getpid(), object()

    provider = Provider()
    assert provider._open()[0] == os.getpid()

    def look() -> None:
        assert provider._open()[0] == os.getpid()

    with another_thread_in(provider._opening):
        assert in_child(look) == 0
    assert provider._open()[0] == os.getpid()


def test_a_child_has_threads_of_its_own_for_asyncio(tmp_path):
    """Those of the pools are not in the child."""

    async def begin() -> AsyncMemory:
        memory = await AsyncMemory.open(tmp_path)
        await memory.append("s", [Message("user", "the word is zebra")])
        await memory.recall("zebra")
        return memory

    memory = asyncio.run(begin())
    sessions = memory.sessions  # given out before the fork

    def look() -> None:
        assert asyncio.run(memory.recall("zebra"))
        asyncio.run(memory.append("s", [Message("user", "the word is okapi")]))
        assert asyncio.run(sessions.exists("s"))
        assert asyncio.run(memory.recall("okapi"))

    assert in_child(look) == 0
    assert asyncio.run(memory.recall("okapi"))
    asyncio.run(memory.close())


def test_no_fork_comes_into_the_middle_of_a_late_import(tmp_path, monkeypatch):
    """A child would wait for ever for the thread that was importing."""
    (tmp_path / "imported_late.py").write_text(
        "import sys\nsys.begun.set()\nassert sys.go_on.wait(60)\nvalue = 1\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "begun", threading.Event(), raising=False)
    monkeypatch.setattr(sys, "go_on", threading.Event(), raising=False)
    monkeypatch.setattr(forks, "_WAIT_SECONDS", WAIT_SECONDS)
    hold = forks._hold
    monkeypatch.setattr(forks, "_hold", lambda *given: (sys.go_on.set(), hold(*given)))
    importing = threading.Thread(target=forks.load, args=("imported_late",))
    importing.start()
    assert sys.begun.wait(WAIT_SECONDS)

    def look() -> None:
        assert forks.load("imported_late").value == 1

    assert in_child(look) == 0
    importing.join(WAIT_SECONDS)
    sys.modules.pop("imported_late")


def test_a_fork_waits_for_no_lock_while_it_holds_another():
    """Whoever holds one of them may be waiting for another."""
    one, other = threading.Lock(), threading.Lock()
    has_one = threading.Event()

    def both() -> None:
        with one:
            has_one.set()
            with other:
                pass

    with other:
        thread = threading.Thread(target=both)
        thread.start()
        assert has_one.wait(WAIT_SECONDS)
    forks._hold([other, one], time.monotonic() + WAIT_SECONDS)
    assert [one.locked(), other.locked(), len(forks._held)] == [True, True, 2]
    forks._release()
    thread.join(WAIT_SECONDS)
    assert not thread.is_alive()


def test_a_child_that_was_not_waited_for_goes_without(monkeypatch):
    """Never hang: what cannot be had in time is renewed in the child."""
    one, other = threading.Lock(), threading.Lock()
    with one:
        forks._hold([one, other], time.monotonic())
        assert forks._held == [other]
        forks._release()
    assert not other.locked()
