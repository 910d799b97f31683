"""An index that was let go answers all the same, and one that was closed leaves nothing open."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest
from indexed_scope import Scope

from commonplace import Memory, Message
from commonplace.errors import StoreError
from inside import scope_of, shelf_of


def open_files(below) -> int:
    """Count the descriptors of this process that lead below a folder."""
    count = 0
    for link in Path("/proc/self/fd").iterdir():
        try:
            count += str(link.readlink()).startswith(str(below))
        except OSError:  # the descriptor of the listing itself
            continue
    return count


def ask(memory, number):
    memory.append("s", [Message("user", f"the word of {number} is zebra{number}")])
    assert [hit.text for hit in memory.recall(f"zebra{number}")] == [f"the word of {number} is zebra{number}"]


def test_a_closed_memory_leaves_nothing_open(tmp_path):
    """2N scopes opened, asked and closed one after another leave as much open as N: nothing."""
    left, threads = [], threading.active_count()
    for number in range(12):
        with Memory.open(tmp_path, scope=f"user:{number}", jobs="worker") as memory:
            ask(memory, number)
        left.append(open_files(tmp_path))
    assert left == [0] * 12
    assert threading.active_count() == threads


def test_what_is_derived_belongs_to_its_owner_alone_too(tmp_path):
    """Safety notes: key files 0644 in the wild; index and last looks hold words and texts of memory."""
    before = os.umask(0)
    try:
        with Memory.open(tmp_path, jobs="worker") as memory:
            memory.remember("Ada lives in Oslo.")
            ask(memory, 1)
            modes = {each.name: each.stat().st_mode & 0o777 for each in (tmp_path / ".commonplace").glob("*.sqlite*")}
    finally:
        os.umask(before)
    made = [f"{name}.sqlite{more}" for name in ("index", "seen") for more in ("", "-wal", "-shm")]
    assert modes == dict.fromkeys([*made, "index.sqlite.lock", "seen.sqlite.lock"], 0o600)


def test_an_index_that_was_let_go_remembers_nothing(scope):
    """Memory is bounded too: what ranking keeps of each message goes with the file."""
    scope.say("s", "alpha beta")
    scope.recall("alpha")
    assert scope.index.rest()
    assert not shelf_of(scope.index).slots
    assert open_files(scope.index_path) == 0
    assert scope.texts("alpha") == ["alpha beta"]


def delete(path):
    for each in path.parent.glob("index.sqlite*"):
        each.unlink()


def damage(path):
    path.write_bytes(b"not a database, just a text that is long enough to be read as a header" * 9)


def newer(path):
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    db.close()


@pytest.mark.parametrize("change", [delete, damage, newer])
def test_a_file_changed_while_it_was_let_go_is_seen_at_the_next_question(scope, change, caplog):
    """Deleted, damaged or of a newer version: what was true of an open index holds for one at rest."""
    scope.say("s", "alpha beta", "gamma delta")
    assert scope.texts("gamma") == ["gamma delta"]
    assert scope.index.rest()
    change(scope.index_path)
    assert scope.texts("gamma") == ["gamma delta"]
    scope.say("s", "epsilon zeta")
    assert scope.texts("epsilon") == ["epsilon zeta"]
    assert scope.differences() == []


def test_an_index_made_anew_elsewhere_while_it_was_let_go_is_the_one_that_answers(scope):
    scope.say("s", "alpha beta")
    scope.recall("alpha")
    assert scope.index.rest()
    delete(scope.index_path)
    other = Scope(scope.folder)
    other.say("t", "iota kappa")
    other.recall("iota")
    other.close()
    assert scope.texts("iota") == ["iota kappa"]
    assert scope.texts("alpha") == ["alpha beta"]


def test_a_closed_memory_leaves_the_index_of_others_alone(tmp_path, caplog):
    """Issue 7: a closed file is no damaged one; what others have open is not thrown away under them."""
    closed = Memory.open(tmp_path, jobs="worker")
    ask(closed, 1)
    with Memory.open(tmp_path, jobs="worker") as other:
        assert len(other.recall("zebra1")) == 1
        path = tmp_path / ".commonplace" / "index.sqlite"
        before = path.stat().st_ino
        closed.close()
        closed.close()
        indexing = scope_of(closed).indexing
        # As a thread meets it that was at work meanwhile.
        for late in (indexing.rebuild, lambda: indexing.catch_up(sweep=True)):
            with pytest.raises(StoreError, match="closed") as caught:
                late()
            assert type(caught.value) is StoreError
        assert path.stat().st_ino == before
        assert len(other.recall("zebra1")) == 1
    assert "damaged" not in caplog.text
    assert open_files(path) == 0


def test_a_closed_index_can_neither_be_reopened_nor_thrown_away(scope):
    scope.say("s", "alpha beta")
    scope.recall("alpha")
    assert scope.index.rest()
    scope.index.close()
    for late in (scope.index.reopen, scope.index.reset, scope.index.states):
        with pytest.raises(StoreError, match="closed"):
            late()
    assert scope.index_path.exists()


def test_an_index_in_use_is_not_let_go(scope):
    """Neither by another thread nor by the one that is at it."""
    scope.say("s", "alpha beta")
    scope.recall("alpha")
    answers = []
    with scope.index.writing():
        answers.append(scope.index.rest())
        other = threading.Thread(target=lambda: answers.append(scope.index.rest()))
        other.start()
        other.join()
    assert answers == [False, False]
    assert scope.index.rest()
