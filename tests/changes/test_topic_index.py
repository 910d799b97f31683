"""The generated index follows topics that a person edits, and leaves the person's own text alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import pytest
from doors import DOC, files, opened, texts, write

from commonplace.layouts.codecs.blocks import INDEX_CLOSE, INDEX_OPEN
from commonplace.operations import PutTopic, RemoveTopic
from commonplace.store.files.disk import Disk
from commonplace.store.files.store import FilesStore
from inside import scope_of

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


def lines_by_hand(folder, *lines):
    write(folder, DOC, "".join(f"{line}\n" for line in lines))


def put(memory, name, **fields):
    return memory.apply([PutTopic(path=f"{name}.md", **({"title": name, "body": "x"} | fields))], reason="")


def test_a_persons_pointer_stays_as_it_is_and_the_block_lists_only_topics_without_one(tmp_path):
    """Issue 21: an existing pointer line outside the block is owned in place, its hook kept."""
    lines_by_hand(tmp_path, "# Index", "* [Alpha](a.md) — my own hook", "- [gone](gone.md) — leads nowhere")
    with opened(tmp_path) as memory:
        put(memory, "a", description="another hook")
        put(memory, "b", description="about b")
        assert listed(tmp_path) == ["- [b](b.md) — about b"]
        assert (
            (tmp_path / DOC)
            .read_text(encoding="utf-8")
            .startswith("# Index\n* [Alpha](a.md) — my own hook\n- [gone](gone.md) — leads nowhere\n")
        )


def test_a_persons_hook_that_its_topic_no_longer_says_goes_with_the_correction(tmp_path):
    """Issue 21: the index is in every prompt; what a correction took back is not said there. Its other bytes stay."""
    before = "# Index", "* [Bugs](a.md) — in Linear INGEST", "- [Freeze](b.md): from 5 March for Kestrel", "- [C](c.md)"
    lines_by_hand(tmp_path, *before)
    with opened(tmp_path) as memory:
        put(memory, "a", body="Pipeline bugs are in Linear INGEST.", description="where bugs are")
        put(memory, "b", body="The freeze for Kestrel begins on 5 March.", description="when merges stop")
        put(memory, "c", body="Ann bakes.", description="who bakes")
        assert (tmp_path / DOC).read_text(encoding="utf-8") == "\n".join(before) + "\n"
        put(memory, "a", body="Pipeline bugs are in Jira PIPE.")
        put(memory, "b", body="The freeze for Kestrel begins on 12 March.")
        put(memory, "c", body="Ben bakes.")
    after = "# Index", "* [Bugs](a.md) — where bugs are", "- [Freeze](b.md) — when merges stop", "- [C](c.md)"
    assert (tmp_path / DOC).read_text(encoding="utf-8") == "\n".join(after) + "\n"


def test_a_topic_that_goes_takes_its_pointer_along_and_undo_brings_both_back(tmp_path):
    """Issue 21: deleted through operations, the pointer in the same commit."""
    lines_by_hand(tmp_path, "- [Alpha](a.md) — my own hook", "- [Other](b.md)")
    with opened(tmp_path) as memory:
        put(memory, "a")
        before = files(tmp_path)
        done = memory.apply([RemoveTopic(path="a.md")], reason="")
        assert (tmp_path / DOC).read_text(encoding="utf-8") == "- [Other](b.md)\n"
        assert memory.undo(done).status == "applied"
        assert files(tmp_path) == before


def test_a_topic_that_moves_keeps_its_hook_and_its_old_id_leads_on(tmp_path):
    """Issue 21: renamed and merged, the pointer in the same commit; DESIGN 6: an old id resolves to its successor."""
    lines_by_hand(tmp_path, "- [Alpha](a.md) — my own hook", "- [Beta](b.md)")
    with opened(tmp_path) as memory:
        put(memory, "a")
        put(memory, "b")
        renamed = [PutTopic(path="c.md", title="Gamma", body="x"), RemoveTopic(path="a.md", into="c.md")]
        memory.apply(renamed, reason="")
        assert (tmp_path / DOC).read_text(encoding="utf-8") == "- [Gamma](c.md) — my own hook\n- [Beta](b.md)\n"
        assert memory.read("memory/a.md").path == "memory/c.md"
        merged = [PutTopic(path="c.md", body="x and y"), RemoveTopic(path="b.md", into="c.md")]
        memory.apply(merged, reason="")
        assert (tmp_path / DOC).read_text(encoding="utf-8") == "- [Gamma](c.md) — my own hook\n"
        assert memory.read("memory/b.md").body == "x and y"
        undone = memory.undo(memory.log(1)[0])
        assert memory.read("memory/b.md").path == "memory/b.md"
        assert memory.undo(undone).status == "applied"
        assert memory.read("memory/b.md").path == "memory/c.md"  # as if it had never been taken back


def test_a_document_that_is_full_still_takes_a_topic_and_says_so(tmp_path):
    """Seed memdir 4.4.4: the write succeeds, the caller hears of it, nothing is taken from the file."""
    lines_by_hand(tmp_path, *(f"- [Old {n}](old-{n}.md)" for n in range(200)))
    with opened(tmp_path) as memory:
        done = put(memory, "fresh")
        assert done.status == "applied"
        assert "201 lines (limit: 200)" in done.reason
        assert listed(tmp_path) == ["- [fresh](fresh.md) — x"]
        assert (tmp_path / DOC).read_text(encoding="utf-8").startswith("- [Old 0](old-0.md)\n")
        assert [problem.kind for problem in memory.doctor().problems] == ["limit"]


@pytest.mark.parametrize(
    ("limits", "hook", "fits"),
    [({"context.index_lines": 12}, "about", 8), ({"context.index_bytes": 2000}, "界" * 100, 5), ({}, "about", 20)],
    ids=["lines", "bytes", "room"],
)
def test_an_index_over_its_limits_lists_what_changed_last_and_says_so(tmp_path, limits, hook, fits):
    """Seed memdir 4.4.4: never a silent truncation; blank lines count for nothing."""
    lines_by_hand(tmp_path, "# Index", "", "")
    with opened(tmp_path, config=limits) as memory:
        for number in range(20):
            put(memory, f"t{number:02}", description=hook)
        lines = listed(tmp_path)
        shown = [line for line in lines if line.startswith("- ")]
        assert [line[3:6] for line in shown] == [f"t{number:02}" for number in range(20 - fits, 20)]
        notice = f"> {20 - fits} more topics are not listed here; a search finds them."
        assert lines[len(shown) :] == ([notice] if fits < 20 else [])
        whole = (tmp_path / DOC).read_bytes()
        assert len([line for line in whole.splitlines() if line]) <= limits.get("context.index_lines", 200)
        assert len(whole) <= limits.get("context.index_bytes", 25_000)


def test_an_index_reads_no_topic_that_did_not_change(tmp_path, monkeypatch):
    """Issue 21: kept current incrementally."""
    read = []
    real = FilesStore.read
    with opened(tmp_path) as memory:
        for n in range(20):
            put(memory, f"t{n}")
        monkeypatch.setattr(FilesStore, "read", lambda self, path, *a: (read.append(path), real(self, path, *a))[1])
        put(memory, "t7", description="changed")
    assert {path for path in read if path.startswith("memory/t")} <= {"memory/t7.md", "memory/t19.md"}


def test_a_mark_far_down_in_the_front_matter_keeps_a_topic_out_of_the_index(tmp_path):
    """Issue 21: a head is 30 lines, a mark is read wherever it is; DESIGN 1.7."""
    keys = "".join(f"k{number}: v\n" for number in range(60))
    for name, mark in (("good", ""), ("odd", "trust: web\n")):
        write(tmp_path, f"memory/{name}.md", f"---\ntitle: {name}\n{keys}{mark}---\n\nThe {name} heron.\n")
    with opened(tmp_path) as memory:
        put(memory, "new")
        assert listed(tmp_path) == ["- [good](good.md) — The good heron.", "- [new](new.md) — x"]


def counted(call: Callable[[], object]) -> int:
    """Count the calls that a call makes, of functions in C too."""
    count = 0

    def note(_frame, _event, _arg):
        nonlocal count
        count += 1

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("size", [5, pytest.param(100, marks=pytest.mark.slow)])
def test_twice_as_many_topics_cost_twice_the_work(tmp_path, size):
    """Issue 21: finding them, scanning them, and refreshing the index, where nothing changed and where one did."""
    works = []
    for count in (size, 2 * size):
        folder = tmp_path / str(count)
        for number in range(count):
            write(folder, f"memory/t{number}.md", TOPIC.format(f"T {number}", f"harbour {number}"))
        with opened(folder) as memory:
            found = counted(memory.sync)
            put(memory, "t0", description="changed")
            heads = scope_of(memory).parts.heads
            scans = []
            for text in ("same", "once", "twice"):
                write(folder, "memory/t1.md", TOPIC.format("T 1", f"harbour {text}"))
                scans.append(counted(partial(heads.all, {"topics"})))
            one = counted(memory.sync)
            none = counted(memory.sync)
            write_one = counted(lambda: put(memory, "t2", description="changed too"))
            works.append((found, *scans, one, none, write_one))
    assert [large <= 2.2 * small for small, large in zip(*works, strict=True)] == [True] * 7


def test_a_topic_without_a_title_is_called_by_the_words_of_its_file(tmp_path):
    """Issue 21: tried as a user would; one index, one way to write titles."""
    lines_by_hand(tmp_path, "# Index")
    with opened(tmp_path) as memory:
        put(memory, "mobile-app", title="")
    assert listed(tmp_path) == ["- [Mobile app](mobile-app.md) — x"]


def test_a_topic_whose_name_differs_by_case_alone_is_the_same_on_every_disk(tmp_path):
    """Issue 22: a disk that folds case has one file, so every disk has; folders too, and other names stay apart."""
    with opened(tmp_path) as memory:
        for path in ("Deploys.md", "deploys.md", "Work/Straße.md", "work/STRASSE.md", "work/Plan.md", "deploy.md"):
            memory.apply([PutTopic(path=path, title="T", body=f"about {path}", description="")], reason="")
        memory.apply(
            [PutTopic(path="n.md", title="N", body="1"), PutTopic(path="N.md", title="N", body="2")], reason=""
        )
        found = {str(path.relative_to(tmp_path / "memory")) for path in (tmp_path / "memory").rglob("*.md")}
        assert found - {"MEMORY.md"} == {"Deploys.md", "Work/Straße.md", "Work/Plan.md", "deploy.md", "n.md"}
        assert "about deploys.md" in (tmp_path / "memory" / "Deploys.md").read_text(encoding="utf-8")
        memory.apply([RemoveTopic(path="DEPLOYS.md")], reason="")
        assert not (tmp_path / "memory" / "Deploys.md").exists()
