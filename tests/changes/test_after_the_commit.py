"""What goes wrong after a change was committed is no failure of the change."""

from __future__ import annotations

import errno
import os

import pytest
from doors import DOC, opened, texts

from commonplace.errors import StoreError
from commonplace.store.files.disk import Disk

pytestmark = pytest.mark.battery

CHANGES = {
    "update": (
        lambda memory, record: memory.update(record, "Ada lives in Bergen."),
        ["Bob rows.", "Ada lives in Bergen."],
    ),
    "forget": (lambda memory, record: memory.forget(record), ["Bob rows."]),
    "undo": (lambda memory, record: memory.undo(2), ["Bob rows."]),
}


@pytest.fixture
def refuse_after_the_commit(monkeypatch):
    """From the end of the next commit on, no file of memory can be opened, until it is called again."""
    real_open, real_write = Disk.open, Disk.pwrite
    state = {"armed": False, "committed": False, "refused": 0}

    def opening(self, path, flags, *args, **options):
        if state["committed"] and not os.fspath(path).startswith("."):
            state["refused"] += 1
            raise OSError(errno.EMFILE, "Too many open files")
        return real_open(self, path, flags, *args, **options)

    def writing(self, fd, data, offset):
        real_write(self, fd, data, offset)
        if state["armed"] and b" idle " in data:  # the head, when all is applied
            state["committed"] = True

    monkeypatch.setattr(Disk, "open", opening)
    monkeypatch.setattr(Disk, "pwrite", writing)

    def switch(*, armed):
        state.update(armed=armed, committed=False)
        return state["refused"]

    return switch


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_a_change_that_was_committed_is_not_reported_as_failed(tmp_path, refuse_after_the_commit, caplog, name):
    """Bug: with no descriptor left, the caller was told "nothing was changed" of what stood in file and log."""
    change, left = CHANGES[name]
    with opened(tmp_path) as memory:
        memory.remember("Bob rows.", kind="decision")
        record = memory.remember("Ada lives in Oslo.", kind="decision").records[0]
        refuse_after_the_commit(armed=True)
        done = change(memory, record)
        assert refuse_after_the_commit(armed=False) > 0
        assert done.change == 3
        assert "change 3 is done" in caplog.text
        assert texts(memory, DOC) == left
        memory.sync()
        assert [entry.number for entry in memory.log()] == [3, 2, 1]  # and none of them an edit from outside
        assert sorted(hit.text for hit in memory.recall("Bob Ada", layers=["documents"])) == sorted(left)
        assert memory.undo(3).status == "applied"
        assert texts(memory, DOC) == ["Bob rows.", "Ada lives in Oslo."]
        assert memory.doctor().ok


def test_a_change_that_was_not_committed_is_reported_as_failed(tmp_path, monkeypatch):
    with opened(tmp_path) as memory:
        memory.remember("Ada lives in Oslo.", kind="decision")

        def refused(self, path, *args, **options):
            raise OSError(errno.EIO, "Input/output error")

        with monkeypatch.context() as patched:
            patched.setattr(Disk, "open", refused)
            with pytest.raises(StoreError):
                memory.update("Ada lives in Oslo.", "Ada lives in Bergen.")
        assert texts(memory, DOC) == ["Ada lives in Oslo."]
        assert len(memory.log()) == 1
