"""What one process changes, another one that holds the same memory open knows at its very next question."""

from __future__ import annotations

import errno
from types import SimpleNamespace

import pytest

from commonplace import Memory, Message
from commonplace.errors import StoreError
from commonplace.recall import indexing as indexing_module
from commonplace.store.files.disk import Disk
from inside import scope_of


@pytest.fixture
def two(tmp_path, monkeypatch):
    """Two memories over one folder, as two processes have them; neither looks at all files by itself."""
    monkeypatch.setattr(indexing_module, "SWEEP_SECONDS", 1e9)
    with Memory.open(tmp_path, jobs="worker") as one, Memory.open(tmp_path, jobs="worker") as other:
        one.append("tea", [Message("user", "My kettle whistles.")])
        one.remember("The kettle is red.")
        assert found(other) == ["The kettle is red."]
        yield one, other


def found(memory):
    return [hit.text for hit in memory.recall("kettle", layers=("documents", "topics", "items"))]


def test_what_was_forgotten_elsewhere_is_not_found(two):
    """Forgetting really forgets: also in a process that has looked a moment ago."""
    one, other = two
    one.forget("The kettle is red.")
    assert found(other) == []
    one.undo(one.log(limit=1)[0].number)
    assert found(other) == ["The kettle is red."]


def test_what_was_corrected_elsewhere_is_found_as_it_is_now(two):
    """A superseded text is shown by nobody."""
    one, other = two
    [hit] = other.recall("kettle", layers=("documents",))
    one.update(hit.record, "The kettle is green.")
    assert found(other) == ["The kettle is green."]
    other.remember("The kettle has a lid.")
    assert sorted(found(one)) == ["The kettle has a lid.", "The kettle is green."]


def test_what_rules_made_elsewhere_is_found(two):
    """A consolidation is a change like any other."""
    one, other = two
    one.append("tea", [Message("user", "I prefer oolong tea in the morning.")])
    assert one.consolidate("tea").change
    assert [hit.text for hit in other.recall("oolong", layers=("documents",))] == [
        "User prefers oolong tea in the morning."
    ]


def test_only_what_was_changed_is_looked_into(two):
    """Work done: one file of many, and none where nothing happened."""
    one, other = two
    for number in range(50):
        one.append(f"s{number}", [Message("user", f"note {number}")])
    looking = scope_of(other).indexing
    looking.catch_up()
    one.remember("The kettle has a lid.")
    assert looking.catch_up() == 1
    assert looking.catch_up() == 0


@pytest.mark.slow
def test_after_many_changes_all_files_are_looked_at(two):
    """More of the change log than it is worth is not read."""
    one, other = two
    for number in range(indexing_module.CHANGES_READ + 1):
        one.remember(f"Cup {number} is blue.")
    one.forget("The kettle is red.")
    assert found(other) == []
    assert len(other.recall("cup blue", k=200, layers=("documents", "topics", "items"))) > 0


def test_what_could_not_be_synced_is_known_to_nobody(two, monkeypatch):
    """It stands in the file while the disk is waited for, and others may look just then."""
    one, other = two
    real = Disk.sync

    def sync(disk, fd):
        assert [hit.text for hit in other.recall("doomed heron")] == ["The doomed heron stood there."]
        monkeypatch.setattr(Disk, "sync", real)
        raise OSError(errno.EIO, "the disk is gone")

    monkeypatch.setattr(Disk, "sync", sync)
    with pytest.raises(StoreError):
        one.append("tea", [Message("user", "The doomed heron stood there.")])
    for memory in (one, other):
        assert memory.recall("doomed heron") == []
        assert [each.message.content for each in memory.sessions.read("tea")] == ["My kettle whistles."]
    [source] = other.append("tea", [Message("user", "A heron stands there again.")])
    assert source.message.startswith("m1-")
    assert [hit.text for hit in one.recall("heron")] == ["A heron stands there again."]


def test_a_walk_over_all_files_that_takes_long_is_made_seldom(tmp_path, monkeypatch):
    """Issue 23: with 100,000 sessions each recall after two seconds took as long as a walk over all of them."""
    now, took, walks = [0.0], [0.0], []
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("tea", [Message("user", "My kettle whistles.")])
        store = scope_of(memory).store
        real = store.list

        def walk(prefix=""):
            if not prefix:
                walks.append(now[0])
                now[0] += took[0]
            return real(prefix)

        monkeypatch.setattr(store, "list", walk)
        monkeypatch.setattr(indexing_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
        for seconds, pause in ((0.01, 2.0), (1.0, 20.0)):
            walks.clear()
            took[0] = seconds
            memory.sync()
            memory.recall("kettle")
            assert len(walks) == 1
            now[0] += pause - 0.1
            assert len(memory.recall("kettle")) == 1
            assert len(walks) == 1
            now[0] += 0.2
            memory.recall("kettle")
            assert len(walks) == 2
