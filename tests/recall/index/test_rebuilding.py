"""How much work a rebuild and a look at unchanged files are: counted, never timed."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from indexed_scope import Scope

from commonplace.recall.index import rows
from commonplace.records import Message
from commonplace.text import terms
from inside import read_through

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

    def __getattr__(self, name):
        return getattr(self._store, name)


@pytest.mark.slow
@pytest.mark.parametrize("each", [3, 40])
def test_a_rebuild_reads_each_transcript_once(scope, each):
    """Issue 7: rebuild at half the raw rate; performance notes, goal 8."""
    for session in range(30):
        scope.say(f"s{session}", *(f"message {number} of session {session}" for number in range(each)))
    scope.indexing.catch_up()
    read_through(scope.indexing, counted := Counted(scope.store))
    scope.indexing.rebuild()
    assert sorted(counted.read_paths) == sorted(stat.path for stat in scope.store.list("sessions"))
    assert scope.index.rows() == 30 * each
    assert scope.differences() == []


@pytest.mark.slow
def test_a_large_transcript_is_read_in_parts_and_each_part_once(scope, monkeypatch):
    """Memory stays bounded however long a session is; its end is known without asking again."""
    monkeypatch.setattr("commonplace.changes.transcripts.PART_BYTES", 10_000)
    scope.say("s", *(f"message {number} has the word w{number}" for number in range(600)))
    read_through(scope.indexing, counted := Counted(scope.store))
    scope.indexing.rebuild()
    size = scope.store.list("sessions")[0].size
    assert len(counted.read_paths) <= size // 9_500 + 1
    assert scope.texts("w599") == ["message 599 has the word w599"]
    assert scope.differences() == []


@pytest.mark.slow
@pytest.mark.battery
def test_the_work_of_a_rebuild_is_linear_in_its_files(tmp_path, monkeypatch):
    """Issue 15: work per N is linear."""
    counts = {}
    for files in (16, 32, 64):
        made = Scope(tmp_path / str(files))
        for session in range(files):
            made.say(f"s{session}", "a message", "another")
        with counted_looks(monkeypatch) as counts[files]:
            made.indexing.rebuild()
        assert made.differences() == []
        made.close()
    more = {name: (counts[32][name] - counts[16][name], counts[64][name] - counts[32][name]) for name in counts[64]}
    assert all(second <= 2 * first for first, second in more.values()), more


def plain_flags(content: str) -> bool:
    dated = any("0" <= char <= "9" or char in "年月日周天" for char in content)
    return dated or any(word in content.lower() for word in WORDS_OF_TIME)


@given(
    st.lists(
        st.sampled_from([*WORDS_OF_TIME, *NEAR_TIME, *(word.upper() for word in WORDS_OF_TIME)]) | st.text(max_size=6)
    )
)
def test_every_word_of_time_is_seen(parts):
    """The list above has the words, and what only looks like one."""
    for content in ("".join(parts), " ".join(parts)):
        assert bool(rows.flags_of("user", content) & rows.DATED) is plain_flags(content)


@given(st.text(alphabet="aaBBC1_./-: \t\u3000\x1cé日", max_size=30))
def test_every_identifier_of_a_text_stands_in_a_piece_that_is_looked_at(text):
    """Only pieces that hold a sign are looked at with the slow patterns; no match of these is left out by it."""
    looked_at = [piece for piece in text.split() if terms.SIGN.search(piece)]
    for slow in (terms.JOINED, terms.HUMPED):
        assert slow.findall(text) == slow.findall(" ".join(looked_at))


def test_messages_with_tools_and_long_ones_are_cut_in_bulk_too(scope):
    long = "A sentence of the long one stands here. " * 60 + "Its last word is heliotrope."
    scope.say("s", *(Message("tool", f"ran number {n}", tools=("bash",)) for n in range(3)), long)
    scope.indexing.rebuild()
    assert len(scope.recall("ran number")) == 3
    assert scope.recall("heliotrope")[0].text.endswith("heliotrope.")


class CountedEntry:
    """An entry of a folder that counts how often it is looked at."""

    def __init__(self, entry: os.DirEntry, counts: Counter) -> None:
        self._entry = entry
        self._counts = counts

    def stat(self, *, follow_symlinks=True):
        self._counts["stat of an entry"] += 1
        return self._entry.stat(follow_symlinks=follow_symlinks)

    def __getattr__(self, name):
        return getattr(self._entry, name)


class Entries(list):
    """A listing of a folder, as `os.scandir` gives it."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@contextlib.contextmanager
def counted_looks(monkeypatch):
    """Count the calls to the file system made inside."""
    counts: Counter = Counter()
    here = threading.get_ident()
    real = {name: getattr(os, name) for name in ("stat", "lstat", "fstat", "open", "pread", "scandir")}

    def counting(name):
        def call(*args, **options):
            counts[name] += threading.get_ident() == here  # not what a thread of another test still does
            return real[name](*args, **options)

        return call

    def scandir(path):
        counts["scandir"] += 1
        with real["scandir"](path) as entries:
            return Entries(CountedEntry(entry, counts) for entry in entries)

    with monkeypatch.context() as patched:
        for name in real:
            patched.setattr(os, name, counting(name))
        patched.setattr(os, "scandir", scandir)
        yield counts


def test_a_look_at_unchanged_files_is_one_stat_each_and_opens_none(tmp_path, monkeypatch):
    """Issue 7: a no-change sync costs at most 2.5 times its stat calls; performance notes, goal 8."""
    counts = {}
    for files in (20, 40):
        made = Scope(tmp_path / str(files))
        for session in range(files):
            made.say(f"s{session}", "a message")
        made.indexing.catch_up(sweep=True)
        with counted_looks(monkeypatch) as counts[files]:
            assert made.indexing.catch_up(sweep=True) == 0
        made.close()
    assert counts[40].pop("stat of an entry") == 40
    assert counts[20].pop("stat of an entry") == 20
    assert counts[40] == counts[20]  # whatever else is looked at, it is not once a file


def test_a_file_that_came_went_or_changed_is_listed_as_it_is(scope):
    """What is remembered of a listing never stands for a file that is another by now."""
    for name in ("a", "b", "c"):
        scope.say(name, "one")
    before = {stat.path: stat for stat in scope.store.list()}
    folder = scope.folder / "sessions"
    (folder / "a.jsonl").unlink()
    (folder / "b.jsonl").rename(folder / "d.jsonl")
    (folder / "c.jsonl").unlink()
    (folder / "c.jsonl").mkdir()
    (folder / "c.jsonl" / "e.jsonl").write_text("{}\n", encoding="utf-8")
    (folder / "a.jsonl").symlink_to(folder / "d.jsonl")
    now = {stat.path: stat for stat in scope.store.list()}
    assert list(now) == ["sessions/c.jsonl/e.jsonl", "sessions/d.jsonl"]
    assert now["sessions/d.jsonl"].size == before["sessions/b.jsonl"].size
    assert [stat.path for stat in scope.store.list("sessions/c.jsonl")] == ["sessions/c.jsonl/e.jsonl"]
    assert {stat.path: stat for stat in scope.store.list()} == now


def test_a_token_changes_with_size_time_and_inode(scope):
    """DESIGN 1.1: an edit made outside is noticed, one of the same length in the same second too."""
    scope.say("s", "one")
    path = scope.folder / "sessions" / "s.jsonl"
    tokens = [scope.store.list()[0].token]
    path.write_bytes(path.read_bytes().replace(b"one", b"two"))
    tokens.append(scope.store.list()[0].token)
    os.utime(path, ns=(1, 1))
    tokens.append(scope.store.list()[0].token)
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(1, 1))
    other.replace(path)
    tokens.append(scope.store.list()[0].token)
    assert len(set(tokens)) == len(tokens)
