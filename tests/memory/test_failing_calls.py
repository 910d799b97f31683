"""Any one call to the disk fails, in any public write: an error means that nothing was done, and none that all was."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.errors import CommonplaceError, StoreFailedError
from commonplace.operations import AddEntry, AppendJournal
from commonplace.store.files.disk import Disk, SyncFailedError

pytestmark = pytest.mark.battery

CALLS = (
    "open",
    "write",
    "pwrite",
    "sync",
    "sync_all",
    "reserve",
    "rename",
    "rename_new",
    "exchange",
    "unlink",
    "flock",
)
DOC = "memory/MEMORY.md"
WRITES: dict[str, Callable[[Memory], object]] = {
    "update": lambda memory: memory.update("The ferry leaves at nine.", "The ferry leaves at ten."),
    "remember": lambda memory: memory.remember("Lives in Oslo"),
    "forget": lambda memory: memory.forget("The ferry leaves at nine."),
    "apply": lambda memory: memory.apply(
        [AddEntry(path=DOC, text="New rope."), AppendJournal(path="memory/HISTORY-2026-01.md", text="Bought rope.")],
        reason="x",
    ),
    "undo": lambda memory: memory.undo(memory.log()[0].number),
    "append": lambda memory: memory.append("web:a", [Message("user", "And the anchor?", id="b")]),
    "consolidate": lambda memory: memory.consolidate("web:a"),
    "end": lambda memory: memory.end("web:a"),
}


class Failing:
    """Lets the n-th call to any disk fail, once or from then on."""

    def __init__(self, patch: pytest.MonkeyPatch, *, lasts: bool) -> None:
        self.at = self.calls = 0
        for name in CALLS:
            patch.setattr(Disk, name, self._wrapped(name, getattr(Disk, name), lasts=lasts))
        for name in ("open", "pread"):
            patch.setattr(os, name, self._wrapped(name, getattr(os, name), lasts=lasts))

    def _wrapped(self, name: str, real: Callable[..., object], *, lasts: bool) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            self.calls += 1
            if self.at and (self.calls == self.at or (lasts and self.calls > self.at)):
                error = SyncFailedError if name.startswith("sync") else OSError
                raise error(errno.EIO, os.strerror(errno.EIO))
            return real(*args, **options)

        return staticmethod(call) if name in {"write", "flock"} else call


def told(root: Path) -> tuple[object, ...]:
    """Return what a memory says: its files, its log, its messages."""
    with Memory.open(root, jobs="worker") as memory:
        assert memory.doctor().ok
        files = {path.name: path.read_bytes() for path in (root / "memory").rglob("*") if path.is_file()}
        return files, len(memory.log(100)), [message.text for message in memory.sessions.read("web:a")]


@pytest.mark.slow
@pytest.mark.parametrize("lasts", [False, True])
@pytest.mark.parametrize("name", WRITES)
def test_a_write_whose_nth_call_fails_says_truly_whether_it_is_done(tmp_path, monkeypatch, name, lasts):
    """Issue 23.5: 242 errors said that nothing was changed although it was; a retry then doubled a note."""
    with Memory.open(tmp_path / "begun", jobs="worker") as memory:
        memory.append("web:a", [Message("user", "From now on, always answer in metres.", id="a")])
        memory.remember("The ferry leaves at nine.", kind="decision")
    disk = Failing(monkeypatch, lasts=lasts)
    shutil.copytree(tmp_path / "begun", tmp_path / "done")
    with Memory.open(tmp_path / "done", jobs="worker") as memory:
        began = disk.calls
        WRITES[name](memory)
        calls = disk.calls - began
    before, after = told(tmp_path / "begun"), told(tmp_path / "done")
    assert calls > 1
    for step in range(1, calls + 1, 1 if name == "append" else 7):
        root = tmp_path / str(step)
        shutil.copytree(tmp_path / "begun", root)
        memory = Memory.open(root, jobs="worker")
        disk.at, error = disk.calls + step, None
        try:
            WRITES[name](memory)
        except CommonplaceError as caught:
            error = caught
        disk.at = 0
        memory.close()
        found = told(root)
        if error is None:
            assert _shape(found) == _shape(after), step
        elif not isinstance(error, StoreFailedError):  # that one says that nobody knows
            assert found == before, (step, error)


def _shape(found: tuple[object, ...]) -> tuple[object, ...]:
    """Return what a memory says without the instants of its journals."""
    files, changes, messages = found
    assert isinstance(files, dict)
    return {name: len(data) for name, data in files.items()}, changes, messages
