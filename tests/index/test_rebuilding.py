"""How much work a rebuild and a look at unchanged files are: counted, never timed."""

from __future__ import annotations

import sqlite3
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from indexed_scope import Scope

from commonplace.errors import StoreBusyError
from commonplace.index import rows, terms
from commonplace.index.filling import Filling, Pending
from commonplace.records import Message

OF_TIME = (
    "today tonight tomorrow yesterday last_ next_ _ago week month year since_ until_ january february march april "
    "_june _july august september october november december monday tuesday wednesday thursday friday saturday sunday"
).replace("_", "\0")
WORDS_OF_TIME = [word.replace("\0", " ") for word in OF_TIME.split(" ")]
NEAR_TIME = [
    "holiday",
    "at last",
    "nextly",
    "agony",
    "sincere",
    "untilled",
    "dune",
    "july",
    "Mayday",
    "marsh",
    " ",
    "?",
]


class Counted:
    """A store that counts which files were read."""

    def __init__(self, store) -> None:
        self._store = store
        self.read_paths: list[str] = []

    def read(self, path, start=0, end=None):
        self.read_paths.append(path)
        return self._store.read(path, start, end)

    def read_many(self, paths):
        self.read_paths.extend(paths)
        return self._store.read_many(paths)

    def __getattr__(self, name):
        return getattr(self._store, name)


@pytest.mark.parametrize("each", [3, 40])
def test_a_rebuild_reads_each_transcript_once(scope, each):
    """Issue 7: rebuild at half the raw rate; performance notes, goal 8."""
    for session in range(30):
        scope.say(f"s{session}", *(f"message {number} of session {session}" for number in range(each)))
    scope.indexing.catch_up()
    scope.indexing._store = counted = Counted(scope.store)
    scope.indexing.rebuild()
    assert sorted(counted.read_paths) == sorted(stat.path for stat in scope.store.list("sessions"))
    assert scope.index.rows() == 30 * each
    assert scope.indexing.check() == []


def test_a_large_transcript_is_read_in_parts_and_each_part_once(scope, monkeypatch):
    """Memory stays bounded however long a session is; its end is known without asking again."""
    monkeypatch.setattr("commonplace.indexing._CHUNK_BYTES", 10_000)
    monkeypatch.setattr("commonplace.indexing._SMALL_BYTES", 10_000)
    scope.say("s", *(f"message {number} has the word w{number}" for number in range(600)))
    scope.indexing._store = counted = Counted(scope.store)
    scope.indexing.rebuild()
    size = scope.store.list("sessions")[0].size
    assert len(counted.read_paths) <= size // 9_500 + 1
    assert scope.texts("w599") == ["message 599 has the word w599"]
    assert scope.indexing.check() == []


def test_rows_written_beside_are_the_rows_written_at_once(tmp_path, monkeypatch):
    """Many rows are written in a thread while the next are cut; what is found does not depend on it."""
    texts = [f'said "{number}" with \\ and \t and Zoë, 数据库 and word{number}' for number in range(300)]
    found = []
    for limit in (7, 1_000_000):
        monkeypatch.setattr("commonplace.index.filling._ROWS", limit)
        made = Scope(tmp_path / str(limit))
        for at in range(0, 300, 50):
            made.say(f"s{at}", *texts[at : at + 50])
        made.indexing.rebuild()
        assert made.indexing.check() == []
        found.append([hit.text for word in ("word7", "数据库 word120", "zoe") for hit in made.recall(word, k=20)])
        made.close()
    assert found[0] == found[1]
    assert found[0]
    assert threading.active_count() == 1


def test_what_fails_beside_fails_the_transaction(scope, monkeypatch):
    """A row that cannot be written takes the whole transaction with it, wherever it is written."""
    monkeypatch.setattr("commonplace.index.filling._ROWS", 5)
    scope.say("s", "the first")
    scope.indexing.catch_up()

    def fail(*_):
        raise sqlite3.OperationalError("database is locked")

    def write():
        with scope.index.writing() as pending:
            monkeypatch.setattr(Pending, "_write", fail)
            for number in range(6):
                pending.say(rows.pack(9, number, 0), "never")
            pending.put_slot(Filling(9, 0), "sessions/x.jsonl", "x")
            pending.put_down()

    with pytest.raises(StoreBusyError):
        write()
    monkeypatch.undo()
    assert scope.texts("the first") == ["the first"]
    scope.say("s", "the second")
    assert scope.texts("the second") == ["the second"]
    assert scope.indexing.check() == []


def plain_flags(content: str) -> bool:
    dated = any("0" <= char <= "9" or char in "年月日周天" for char in content)
    return dated or any(word in content.lower() for word in WORDS_OF_TIME)


@given(
    st.lists(
        st.sampled_from([*WORDS_OF_TIME, *NEAR_TIME, *(word.upper() for word in WORDS_OF_TIME)]) | st.text(max_size=6)
    )
)
def test_the_quick_look_for_a_time_sees_every_word_of_time(parts):
    """The pattern is written for speed; what it means is the list above it."""
    for content in ("".join(parts), " ".join(parts)):
        assert bool(rows.flags_of("user", content) & rows.DATED) is plain_flags(content)


@given(st.text(alphabet="aB_./-:# cD1é", max_size=20))
def test_the_quick_look_for_an_identifier_misses_none(text):
    """`indexed` adds terms exactly where an identifier has any."""
    added = list(dict.fromkeys(term for word in terms._identifiers(terms.fold(text)) for term in word))
    assert terms.indexed(text) == (f"{terms.fold(text)} {' '.join(added)}" if added else terms.fold(text))


def test_messages_with_tools_and_long_ones_are_cut_in_bulk_too(scope):
    long = "A sentence of the long one stands here. " * 60 + "Its last word is heliotrope."
    scope.say("s", *(Message("tool", f"ran number {n}", tools=("bash",)) for n in range(3)), long)
    scope.indexing.rebuild()
    assert len(scope.recall("ran number", tools=("bash",))) == 3
    assert scope.recall("heliotrope")[0].text.endswith("heliotrope.")
