"""A writer that dies in the middle of a race leaves nothing in the dark: a person decides, both texts before them."""

from __future__ import annotations

import os
import signal

import pytest
from doors import DOC, files, opened, texts, write

from commonplace.changes.door import Door
from commonplace.operations import AddEntry, PutTopic, RemoveEntry, ReplaceEntry
from commonplace.store.files.disk import Disk
from commonplace.testing import FixedClock
from forking import in_child
from inside import put_around, scope_of
from marking import slow_after

pytestmark = pytest.mark.battery


def kill(*_args, **_options):
    os.kill(os.getpid(), signal.SIGKILL)


def dies(folder, work, *, prepare):
    """Let a process do some work on a memory and be killed where `prepare` says."""

    def killed():
        prepare()
        work(opened(folder, clock=FixedClock("2026-11-20T11:00:00+00:00", step_seconds=1)))

    assert os.WTERMSIG(in_child(killed)) == signal.SIGKILL


def before_the_swap():
    Disk.exchange = Disk.rename_new = kill


def before_review():
    put_around(Door, "kept_out", kill)


def edited_at_the_swap(path, text):
    """Edit a file as a person does, right when the door's own file takes its place."""

    def prepare():
        real, done = Disk.exchange, []

        def exchange(self, *args, **options):
            if not done:
                done.append(1)
                path.write_text(text, encoding="utf-8")
            return real(self, *args, **options)

        Disk.exchange = exchange
        before_review()

    return prepare


def later():
    return FixedClock("2026-11-20T12:00:00+00:00", step_seconds=1)


@pytest.fixture
def kept(tmp_path):
    """A memory with two entries; gives its folder and the id of the first."""
    with opened(tmp_path) as memory:
        record = memory.remember("one", kind="decision").records[0]
        memory.remember("two", kind="decision")
    return tmp_path, record


def replaces(record):
    return lambda memory: memory.update(record, "one by the dead writer")


@pytest.mark.parametrize("found_by", slow_after(1, ["review", "sync", "commit"]))
@pytest.mark.parametrize("how", ["before the swap", "before review"])
def test_what_a_dead_writer_lost_to_an_edit_waits_with_both_texts(kept, how, found_by):
    """DESIGN 5: other content is an outside edit, merged by entry, or left as is with ours in review."""
    folder, record = kept
    theirs = "- one by hand\n- two\n"
    if how == "before the swap":
        dies(folder, replaces(record), prepare=before_the_swap)
        write(folder, DOC, theirs)
    else:
        dies(folder, replaces(record), prepare=edited_at_the_swap(folder / DOC, theirs))
    with opened(folder, clock=later()) as memory:
        if found_by == "sync":
            memory.sync()
        elif found_by == "commit":
            memory.remember("three", kind="decision")
        if found_by != "review":
            assert scope_of(memory).store.conflicts() == ()
        (waits,) = memory.review().list()
        assert (waits.state, waits.actor) == ("conflicted", "library")
        assert (waits.operation["text"], waits.theirs) == ("one by the dead writer", "one by hand")
        assert texts(memory, DOC)[:2] == ["one by hand", "two"]
        assert scope_of(memory).store.conflicts() == ()
        assert memory.read(record).text == "one by hand"
    with opened(folder, clock=later()) as memory:
        memory.sync()
        assert [each.id for each in memory.review()] == [waits.id]
        assert memory.doctor().problems == ()


@pytest.mark.parametrize("approve", [True, False])
@pytest.mark.parametrize(
    "theirs", slow_after(1, ["- one by hand\n- two\n", "- two\n", None, "# Another\n\ntext\n\n- two\n"])
)
def test_a_person_lets_what_a_dead_writer_lost_in_or_not(kept, theirs, approve):
    folder, record = kept
    dies(folder, replaces(record), prepare=before_the_swap)
    if theirs is None:
        (folder / DOC).unlink()
    else:
        write(folder, DOC, theirs)
    with opened(folder, clock=later()) as memory:
        (waits,) = memory.review().list()
        before = files(folder)
        if approve:
            outcome = memory.review().approve(waits.id)
            assert outcome.status == "applied"
            assert "one by the dead writer" in texts(memory, DOC)
            assert "one by hand" not in texts(memory, DOC)
            memory.undo(outcome.change)
        else:
            assert memory.review().reject(waits.id).ok
        assert files(folder) == before
        assert (folder / DOC).exists() == (theirs is not None)
        assert [each.id for each in memory.review()] == [waits.id] * approve


def test_a_removal_that_met_an_edit_gives_way_for_good(kept):
    """The text that was to go is gone; what a person wrote in its place is another."""
    folder, record = kept

    def work(memory):
        memory.apply([RemoveEntry(path=DOC, target=record), AddEntry(path=DOC, text="three")], reason="")

    dies(folder, work, prepare=before_the_swap)
    write(folder, DOC, "- one by hand\n- two\n")
    with opened(folder, clock=later()) as memory:
        assert memory.review().list() == ()
        assert texts(memory, DOC) == ["one by hand", "two", "three"]
        assert scope_of(memory).store.conflicts() == ()


def test_a_topic_written_by_two_at_once_waits(kept):
    folder, _ = kept
    path = "memory/t.md"
    dies(
        folder,
        lambda memory: memory.apply([PutTopic(path=path, title="T", body="ours")], reason=""),
        prepare=before_the_swap,
    )
    write(folder, path, "theirs\n")
    with opened(folder, clock=later()) as memory:
        (waits,) = memory.review().list()
        assert (waits.operation["body"], waits.theirs) == ("ours", "theirs")
        assert memory.read(path).body == "theirs"
        assert memory.review().approve(waits.id).status == "applied"
        assert memory.read(path).body == "ours"


def test_what_both_wrote_alike_or_merges_waits_for_nobody(kept):
    folder, record = kept
    dies(folder, replaces(record), prepare=before_the_swap)
    write(folder, DOC, "- one by the dead writer\n- two\n- three by hand\n")
    with opened(folder, clock=later()) as memory:
        memory.sync()
        assert memory.review().list() == ()
        assert texts(memory, DOC) == ["one by the dead writer", "two", "three by hand"]
        assert scope_of(memory).store.conflicts() == ()


def test_nothing_is_put_into_review_by_a_reader(kept):
    folder, record = kept
    dies(folder, replaces(record), prepare=before_the_swap)
    write(folder, DOC, "- one by hand\n- two\n")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with opened(folder, read_only=True) as memory:
        assert memory.review().list() == ()
        memory.sync()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_an_undo_that_met_an_edit_says_so(tmp_path, monkeypatch):
    """An undo is no success where an edit from outside stands in its place."""
    with opened(tmp_path) as memory:
        record = memory.remember("two", kind="decision").records[0]
        change = memory.update(record, "two by us").change
        real, done = Disk.exchange, []

        def exchange(self, *args, **options):
            if not done:
                done.append(1)
                write(tmp_path, DOC, "- two by hand\n")
            return real(self, *args, **options)

        monkeypatch.setattr(Disk, "exchange", exchange)
        outcome = memory.undo(change)
        assert (outcome.status, texts(memory, DOC)) == ("conflict", ["two by hand"])
        assert DOC in outcome.reason
        assert scope_of(memory).store.conflicts() == ()


def test_one_that_waits_is_replaced_by_other_words(kept):
    folder, record = kept
    dies(
        folder,
        lambda memory: memory.apply([ReplaceEntry(path=DOC, target=record, text="one by us")], reason=""),
        prepare=before_the_swap,
    )
    write(folder, DOC, "- two\n")
    with opened(folder, clock=later()) as memory:
        (waits,) = memory.review().list()
        assert memory.review().approve(waits.id, text="both of us").status == "applied"
        assert texts(memory, DOC) == ["two", "both of us"]
