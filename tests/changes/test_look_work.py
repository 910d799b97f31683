"""What a first look at all files costs."""

from __future__ import annotations

import pytest
from doors import opened, write

from commonplace.changes import inverse
from commonplace.operations import PutTopic


def read_of_the_log(monkeypatch, memory):
    """Return how many changes of the log a recall reads to tell its own writes from edits by hand."""
    read = []
    writes_of = inverse.writes_of
    with monkeypatch.context() as patched:
        patched.setattr(inverse, "writes_of", lambda logged: read.append(logged.number) or writes_of(logged))
        assert memory.recall("harbour 3")
    return len(read)


@pytest.mark.parametrize("by", ["changes", "hand"])
def test_twice_as_many_files_cost_twice_the_log(tmp_path, monkeypatch, by):
    """Issue 23.7: without its indexes the first recall over 300 topics took 39 s, over 2,000 notes 115 s."""
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
            assert len(list(memory.log(None))) == count
    small, large = work
    assert small > 0
    assert large <= 2.2 * small
