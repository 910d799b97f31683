"""Several processes feed and read one index at once."""

from __future__ import annotations

import pytest
from indexed_scope import Scope

from forking import in_processes

PROCESSES, ROUNDS = 6, 5


@pytest.mark.slow
def test_processes_that_catch_up_at_once_index_each_message_once(tmp_path):
    """Issue 7, bad input: two processes catching up at once."""
    first = Scope(tmp_path / "m")
    first.say("s", *(f"message {number} about turtles" for number in range(300)))
    first.close()

    def catch_up(_):
        scope = Scope(tmp_path / "m")
        assert len({hit.record for hit in scope.recall("turtles", k=400)}) == 300
        scope.close()

    assert in_processes(PROCESSES, catch_up) == [0] * PROCESSES
    after = Scope(tmp_path / "m")
    assert after.index.rows() == 300
    assert after.differences() == []
    after.close()


def test_each_process_finds_what_it_just_said(tmp_path):
    """DESIGN 1.2, with several writers."""

    def talk(child):
        scope = Scope(tmp_path / "m")
        for number in range(ROUNDS):
            scope.say(f"s{child % 2}", f"word zebra{child}x{number}")
            assert scope.texts(f"zebra{child}x{number}") == [f"word zebra{child}x{number}"]
        scope.close()

    assert in_processes(PROCESSES, talk) == [0] * PROCESSES
    after = Scope(tmp_path / "m")
    assert len(after.recall("word", k=100)) == PROCESSES * ROUNDS
    assert after.differences() == []
    after.close()


def test_a_sweep_keeps_what_was_indexed_while_it_looked(tmp_path, monkeypatch):
    """A session that began between a sweep's list of files and its list of the index was taken for a file that is gone."""
    one, other = Scope(tmp_path / "m"), Scope(tmp_path / "m")
    one.say("first", "alpha")
    assert one.texts("alpha") == ["alpha"]
    real = one.store.list

    def listed(*folders):
        found = real(*folders)
        other.say("s", "word zebra")
        assert other.texts("zebra") == ["word zebra"]
        return found

    monkeypatch.setattr(one.store, "list", listed)
    one.indexing.catch_up(sweep=True)
    assert other.texts("zebra") == ["word zebra"]
    one.close()
    other.close()


def test_a_rebuild_elsewhere_is_seen(tmp_path):
    """The slots a process holds in memory are those of the index that is there."""
    one = Scope(tmp_path / "m")
    one.say("s", "alpha beta", "gamma delta")
    assert one.texts("gamma") == ["gamma delta"]
    other = Scope(tmp_path / "m")
    other.indexing.rebuild()
    other.close()
    assert one.texts("gamma") == ["gamma delta"]
    one.say("s", "epsilon")
    assert one.texts("epsilon") == ["epsilon"]
    one.close()
