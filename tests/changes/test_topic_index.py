"""The generated index follows topics that a person edits, and leaves the person's own text alone."""

from __future__ import annotations

import pytest
from doors import DOC, files, opened, texts, write

from commonplace.layouts.codecs.blocks import INDEX_CLOSE, INDEX_OPEN
from commonplace.operations import PutTopic
from commonplace.store.files.disk import Disk

TOPIC = "---\ntitle: {}\ndescription: about {}\n---\n\nbody\n"


def listed(folder):
    """Give the lines of the index block."""
    lines = (folder / DOC).read_text(encoding="utf-8").splitlines()
    return lines[lines.index(INDEX_OPEN) + 1 : lines.index(INDEX_CLOSE)]


@pytest.fixture
def noted(tmp_path):
    """A memory with one topic and so with an index block, below a text of a person's own."""
    write(tmp_path, DOC, "# Mine\r\n\r\n- by hand\r\n")
    with opened(tmp_path) as memory:
        memory.apply([PutTopic(path="a.md", title="A", body="x", description="about a")], reason="")
    assert listed(tmp_path) == ["- [A](a.md) — about a"]
    return tmp_path


@pytest.mark.parametrize("found_by", ["sync", "commit", "log, then a commit of another process"])
def test_topics_edited_made_and_deleted_by_hand_are_listed_as_they_are(noted, found_by):
    """DESIGN 1.1: an edit made outside is noticed and wins, also in what is generated from it."""
    write(noted, "memory/a.md", TOPIC.format("Alpha", "alpha"))
    write(noted, "memory/deep/b.md", TOPIC.format("Beta", "beta"))
    own = (noted / DOC).read_bytes().partition(INDEX_OPEN.encode())[0]
    with opened(noted) as memory:
        if found_by == "sync":
            memory.sync()
        else:
            memory.log()
            if found_by == "commit":
                memory.remember("a fact")
    if "another" in found_by:
        with opened(noted) as memory:
            memory.remember("a fact")
    assert sorted(listed(noted)) == ["- [Alpha](a.md) — about alpha", "- [Beta](deep/b.md) — about beta"]
    assert (noted / DOC).read_bytes().startswith(own)
    (noted / "memory/a.md").unlink()
    with opened(noted) as memory:
        memory.sync()
        assert listed(noted) == ["- [Beta](deep/b.md) — about beta"]
        change = memory.log()[0]
        assert (change.actor, change.kinds, change.paths) == ("upkeep", ("index",), (DOC,))
        assert "Alpha" not in memory.context().stable
        assert memory.doctor().problems == ()


def test_an_index_that_is_up_to_date_is_not_written_again(noted):
    write(noted, "memory/a.md", TOPIC.format("Alpha", "alpha"))
    with opened(noted) as memory:
        memory.sync()
        number = memory.log()[0].number
        memory.sync()
        memory.remember("a fact")
        assert [change.kinds for change in memory.log() if change.number > number] == [("add",)]
    with opened(noted) as memory:
        memory.sync()
        memory.remember("another fact")
        assert [change.kinds for change in memory.log() if change.number > number] == [("add",), ("add",)]


def test_what_a_commit_brings_along_stays_when_the_commit_is_undone(noted):
    with opened(noted) as memory:
        write(noted, "memory/a.md", TOPIC.format("Alpha", "alpha"))
        memory.log()
        change = memory.remember("one", kind="decision").change
        assert memory.undo(change).status == "applied"
        assert listed(noted) == ["- [Alpha](a.md) — about alpha"]
        assert texts(memory, DOC) == ["by hand"]


def test_a_write_that_expects_a_version_is_not_refused_for_our_own_upkeep(noted):
    with opened(noted) as memory:
        write(noted, "memory/a.md", TOPIC.format("Alpha", "alpha"))
        memory.log()
        done = memory.remember("one", kind="decision", expect=memory.version(DOC))
        assert done.status == "applied"
        memory.remember("two", kind="decision")
        assert listed(noted) == ["- [Alpha](a.md) — about alpha"]


def test_no_index_is_put_into_a_persons_file_because_they_edit_topics(tmp_path):
    write(tmp_path, DOC, "# Mine\n")
    write(tmp_path, "memory/a.md", TOPIC.format("A", "a"))
    before = files(tmp_path)
    with opened(tmp_path) as memory:
        memory.sync()
        memory.remember("a fact")
        memory.sync()
    assert {path: data for path, data in files(tmp_path).items() if path in before} == before


def test_an_edit_of_the_document_at_the_same_moment_is_not_lost(noted, monkeypatch):
    real, done = Disk.exchange, []

    def exchange(self, *args, **options):
        if not done:
            done.append(1)
            data = (noted / DOC).read_bytes()
            (noted / DOC).write_bytes(data.replace(b"- by hand\r\n", b"- by hand\r\n- and at once\r\n"))
        return real(self, *args, **options)

    monkeypatch.setattr(Disk, "exchange", exchange)
    with opened(noted) as memory:
        write(noted, "memory/a.md", TOPIC.format("Alpha", "alpha"))
        memory.sync()
        assert done
        assert texts(memory, DOC) == ["by hand", "and at once"]
        assert listed(noted) == ["- [Alpha](a.md) — about alpha"]


def test_a_reader_writes_no_index(noted):
    write(noted, "memory/a.md", TOPIC.format("Alpha", "alpha"))
    before = files(noted)
    with opened(noted, read_only=True) as memory:
        memory.sync()
        memory.context()
    assert files(noted) == before
