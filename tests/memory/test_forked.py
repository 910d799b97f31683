"""A process forked from one with threads: the child uses the memory it inherits, whatever they were at."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from commonplace import AsyncMemory, Memory, Message
from commonplace.errors import StoreError
from forking import forked, in_child
from inside import LOCKS, file_lock, hand_over, lacks_vectors, scope_of
from marking import slow_after

WAIT_SECONDS = 60.0


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


@pytest.mark.parametrize("name", slow_after(3, LOCKS))
def test_a_child_uses_the_memory_while_a_thread_of_its_parent_holds(name, tmp_path):
    """The thread is not in the child, its lock is: a child that used it would wait for ever (issue 15)."""
    with Memory.open(tmp_path, layout="facts" if name == "frozen facts" else "native") as memory:
        use(memory, "zebra")
        with another_thread_in(LOCKS[name](scope_of(memory))):
            assert in_child(lambda: use(memory, "okapi")) == 0
        use(memory, "quagga")
        assert len(memory.recall("the word is okapi", k=50)) >= 1
        assert memory.doctor().problems == ()


def test_a_child_closes_what_it_made_itself_and_nothing_of_its_parent(tmp_path):
    """Issue 15: nothing of the parent is undone; a memory that the child never used is closed as well."""
    with Memory.open(tmp_path / "a") as memory, Memory.open(tmp_path / "b") as unused:
        use(memory, "zebra")

        def look() -> None:
            use(memory, "okapi")
            memory.close()
            unused.close()
            with pytest.raises(StoreError):
                memory.recall("zebra")

        assert in_child(look) == 0
        use(memory, "quagga")
        use(unused, "kudu")


def test_a_closed_memory_stays_closed_in_a_child(tmp_path):
    """Issue 15: only what is open is opened anew."""
    with Memory.open(tmp_path) as memory:
        use(memory, "zebra")

    def look() -> None:
        with pytest.raises(StoreError):
            memory.recall("zebra")

    assert in_child(look) == 0


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


def test_a_child_leaves_an_index_alone_that_was_being_written(tmp_path):
    """SQLite keeps one account of a file's locks for a process; the one a child inherits is its parent's."""
    with Memory.open(tmp_path) as memory:
        use(memory, "zebra")
        index = scope_of(memory).indexing.index
        with another_thread_in(index.writing()):
            inherited = len(sqlite_files())

            def look() -> None:
                use(memory, "okapi")
                assert [hit.text for hit in memory.recall("zebra", layers=["sessions"])] == ["the word is zebra"]
                assert len(sqlite_files()) <= inherited + 1  # what was last seen of the files
                with Memory.open(tmp_path) as again:
                    use(again, "quagga")
                memory.close()

            assert in_child(look) == 0
        for word in ("zebra", "okapi", "quagga"):
            assert f"the word is {word}" in [hit.text for hit in memory.recall(word)]
        assert memory.doctor().problems == ()


def test_a_child_forked_while_an_index_was_being_opened_waits_for_nobody(tmp_path):
    """Issue 23.2: one child in forty hung for ever at a lock whose descriptor it had inherited."""
    with Memory.open(tmp_path) as memory:
        use(memory, "zebra")
        index = scope_of(memory).indexing.index
        with file_lock(index):
            child = forked(lambda: use(memory, "okapi"), 20)
        assert os.waitpid(child, 0)[1] == 0
        assert memory.recall("okapi")


def test_a_memory_open_for_reading_can_be_read_in_a_child(tmp_path):
    """Its index is in memory, and made again."""
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
        schedule = scope_of(memory).schedule

        def long_job(session: str) -> None:
            begun.set()
            over.wait(WAIT_SECONDS)

        with monkeypatch.context() as patched:
            patched.setattr(schedule, "run", long_job)
            hand_over(schedule, "s")
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
            assert not lacks_vectors(scope_of(memory).embedding)

        try:
            assert in_child(look) == 0
        finally:
            over.set()
            asking.join(WAIT_SECONDS)


def test_a_child_makes_the_named_model_of_its_own(tmp_path):
    """Two processes on one connection read each other's answers."""
    with Memory.open(tmp_path, llm="openai:m@http://127.0.0.1:9/v1") as memory:
        inherited = scope_of(memory).llm.inner

        def look() -> None:
            assert scope_of(memory).llm.inner is not inherited

        assert in_child(look) == 0
        assert scope_of(memory).llm.inner is inherited


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
