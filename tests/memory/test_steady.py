"""What is read of several files is of one moment, and a reader answers whatever the disk refuses."""

from __future__ import annotations

import errno
import os

import pytest

from commonplace import Memory
from commonplace.errors import CommonplaceError
from commonplace.operations import RewriteDocument
from commonplace.recall.prompt.page import Page
from commonplace.store.files.disk import Disk

pytestmark = pytest.mark.battery

USER, ENV = "memory/facts/user.md", "memory/facts/env.md"


def pair(memory, number):
    memory.apply(
        [RewriteDocument(path=path, text=f"Pair number {number} in {path}.") for path in (USER, ENV)], reason="pair"
    )


def test_a_change_in_the_middle_of_a_context_is_not_seen_by_halves(tmp_path, monkeypatch):
    """Issue 23.3: what is read of several files is read again where a change came between."""
    with Memory.open(tmp_path, jobs="worker") as memory, Memory.open(tmp_path, jobs="worker") as other:
        pair(memory, 1)
        real, numbers = Page.records, [2, 3]

        def slow(self, layer):
            found = real(self, layer)
            if layer.name == "facts_user" and numbers:
                pair(other, numbers.pop(0))
            return found

        monkeypatch.setattr(Page, "records", slow)
        text = memory.context().stable
    assert [text.count(f"Pair number {number} ") for number in (1, 2, 3)] == [0, 0, 2]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_takes_nothing_is_read_all_the_same(tmp_path, monkeypatch, code):
    """Issue 23.6: not empty, as if nothing fitted, and the memory goes on writing when it can."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        pair(memory, 1)
        with monkeypatch.context() as full:
            for name in ("exchange", "rename_new", "pwrite"):
                full.setattr(Disk, name, refusing(code))
            with pytest.raises(CommonplaceError):
                memory.remember("one more", kind="decision")
            (tmp_path / ENV).write_text("Pair number 1 by hand.", encoding="utf-8")
            assert "Pair number 1 " in memory.context().stable
            assert any("Pair number 1 " in hit.text for hit in memory.recall("pair number"))
        assert memory.remember("one more", kind="decision").status == "applied"
        assert any("outside" in change.kinds for change in memory.log(None))


def refusing(code):
    def call(*_args, **_options):
        raise OSError(code, os.strerror(code))

    return call


def test_a_memory_of_which_nothing_can_be_read_raises(tmp_path, monkeypatch):
    """Issue 23.6: an error is typed, and is no empty answer."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        pair(memory, 1)
        monkeypatch.setattr(Disk, "open", refusing(errno.EMFILE))
        with pytest.raises(CommonplaceError):
            memory.context()
        with pytest.raises(CommonplaceError):
            memory.recall("pair number")
