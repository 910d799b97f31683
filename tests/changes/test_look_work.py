"""What a first look at all files costs."""

from __future__ import annotations

import pytest
from doors import opened, write

from commonplace.changes import drift, inverse
from commonplace.operations import PutTopic
from inside import around

pytestmark = pytest.mark.battery


def read_of_the_log(monkeypatch, memory):
    """Return how many changes of the log a recall reads to tell its own writes from edits by hand."""
    read = []
    writes_of = inverse.writes_of
    with monkeypatch.context() as patched:
        patched.setattr(inverse, "writes_of", lambda logged: read.append(logged.number) or writes_of(logged))
        assert memory.recall("harbour 3")
    return len(read)


@pytest.mark.slow
@pytest.mark.usefixtures("unswept")
@pytest.mark.parametrize("by", ["changes", "hand"])
def test_twice_as_many_files_cost_twice_the_log(tmp_path, monkeypatch, by):
    """Issue 23.7: without its indexes the first recall over 300 topics took 39 s, over 2,000 notes 115 s."""
    monkeypatch.setattr(drift, "FOUND_FILES", 4)
    work = []
    for count in (20, 40):
        folder = tmp_path / str(count)
        if by == "changes":
            with opened(folder) as memory:
                for number in range(count):
                    topic = PutTopic(path=f"memory/t{number}.md", title=f"T {number}", body=f"Of harbour {number}")
                    memory.apply([topic], reason="")
            for path in (folder / ".commonplace").glob("*.sqlite*"):
                path.unlink()
        else:
            for number in range(count):
                write(folder, f"memory/t{number}.md", f"# T {number}\n\nOf harbour {number}\n")
        with opened(folder) as memory:
            work.append(read_of_the_log(monkeypatch, memory))
            assert len(list(memory.log(None))) == (count if by == "changes" else count / 4)
    small, large = work
    assert (small > 0) == (by == "changes")  # for a file that is found nothing of the log is read
    assert large <= 2.2 * small


def test_files_that_are_found_are_logged_together_and_edits_of_them_alone(tmp_path):
    """Issue 21: 20,000 topics; no undo takes away what was found, and each later edit has an undo of its own."""
    for number in range(5):
        write(tmp_path, f"memory/t{number}.md", f"# T {number}\n\nOf harbour {number}\n")
    with opened(tmp_path) as memory:
        memory.sync()
        found = memory.log()
        assert [change.paths for change in found] == [tuple(f"memory/t{number}.md" for number in range(5))]
        assert memory.why("memory/t3.md").steps[0].change == found[0].number
        assert memory.undo(found[0].number).status == "refused"
        for number in (1, 2):
            write(tmp_path, f"memory/t{number}.md", f"# T {number}\n\nOf pier {number}\n")
        memory.sync()
        (first, second) = memory.log()[:2]
        assert sorted([*first.paths, *second.paths]) == ["memory/t1.md", "memory/t2.md"]
        assert memory.undo(first.number).status == "applied"
        assert "pier" in memory.read(second.paths[0]).body
        assert "harbour" in memory.read(first.paths[0]).body
        past = memory.at(found[0].at)
        assert "harbour" in past.read("memory/t2.md").body


def test_a_file_that_changes_while_it_is_found_costs_the_others_nothing(tmp_path):
    """Issue 21: one of many is written to between the look and the log."""
    for number in range(5):
        write(tmp_path, f"memory/t{number}.md", f"Of harbour {number}\n")
    once = []

    def logged(log, edits, edited):
        if not once:
            once.append(1)
            write(tmp_path, "memory/t3.md", "Of pier 3\n")
        return log(edits, edited)

    with around(drift.Drift, "log", logged), opened(tmp_path) as memory:
        memory.sync()
        assert once
        assert sorted(path for change in memory.log() for path in change.paths) == [f"memory/t{n}.md" for n in range(5)]
        assert memory.read("memory/t3.md").body == "Of pier 3"
        assert memory.doctor().problems == ()
