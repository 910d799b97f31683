"""The power goes after any system call: what was acknowledged is there, what was under way wholly or not at all."""

from __future__ import annotations

import os
import random
import shutil
import stat
from pathlib import Path

import pytest
from scopes import ITEMS, A, B, document, line, numbers, open_store, together

from commonplace.config import StoreConfig
from commonplace.guard.screened import seal
from commonplace.store.files.disk import Disk
from commonplace.store.protocol import Append, Delete, Put
from commonplace.text.spans import Keep

pytestmark = pytest.mark.battery

JOURNAL = "memory/HISTORY.md"
FILES = (A, B, ITEMS, JOURNAL)
CONFIG = StoreConfig(checkpoint_changes=4, checkpoint_seconds=9999)


class LosingDisk(Disk):
    """Knows which bytes and names are on the disk for certain, and lays out what it may hold after a loss of power."""

    def __init__(self, root: Path, after_each) -> None:
        self.root = root
        self.after_each = after_each
        self.bytes: dict[int, bytes] = {}
        self.folders: dict[str, dict[str, int]] = {}

    def note_sync(self, fd: int) -> None:
        found = os.fstat(fd)
        path = str(Path(f"/proc/self/fd/{fd}").readlink())
        if stat.S_ISDIR(found.st_mode):
            self.folders[path] = {each.name: each.inode() for each in os.scandir(path)}
        else:
            self.bytes[found.st_ino] = Path(f"/proc/self/fd/{fd}").read_bytes()

    def lay(self, folder: str, out: Path, *, model: str, chance: random.Random) -> None:
        """Build one folder as it may be found: `names` of the last sync, or all names but only synced bytes."""
        out.mkdir(parents=True)
        there = {each.name: each.inode() for each in os.scandir(folder)}
        for name, inode in (self.folders.get(folder, {}) if model == "names" else there).items():
            if name.startswith(("index.", "seen.")):
                continue
            path = Path(folder, name)
            if path.is_dir():
                self.lay(os.fspath(path), out / name, model=model, chance=chance)
                continue
            kept = self.bytes.get(inode, b"")
            if model == "random" and there.get(name) == inode:
                now = path.read_bytes()
                if now.startswith(kept):
                    kept = now[: chance.randint(len(kept), len(now))]
            (out / name).write_bytes(kept)


def _watched(name: str):
    def call(self, *args, **options):
        result = getattr(super(LosingDisk, self), name)(*args, **options)
        if name in {"sync", "sync_all"}:
            self.note_sync(args[0])
        self.after_each()
        return result

    return call


for _name in ("open", "mkdir", "write", "pwrite", "sync", "sync_all", "truncate", "rename", "rename_new", "exchange", "unlink"):  # fmt: skip
    setattr(LosingDisk, _name, _watched(_name))


def changes(number: int) -> list:
    """Make the writes of one change: new files, edits that keep most bytes, appends, a file taken away."""
    if number == 1:
        return [Put(A, (document(1),)), Append(JOURNAL, (seal(""), seal("## one"), seal("first")))]
    if number == 5:
        return [Delete(B), Append(ITEMS, (line(number),))]
    edit = Put(A, (seal(f"{number}\n"), Keep(2, 150 - number)))
    return [
        edit,
        Put(B, (document(number),)),
        Append(ITEMS, (line(number),)),
        Append(JOURNAL, (seal(""), seal(f"## {number}"))),
    ]


def says(store) -> tuple:
    return tuple(blob.data if blob else None for blob in together(store, FILES).values())


def cut_everywhere(folder: Path, monkeypatch, *, upto: int, seeds: int) -> int:
    """Make some changes, cut the power after each call, and see what a machine that starts again finds."""
    root, cut = folder / "scope", folder / "cut"
    states, acknowledged, cuts = [(None,) * len(FILES)], 0, 0

    def clean() -> None:
        with open_store(folder / "clean") as store:
            for number in range(1, upto + 1):
                store.commit({}, {}, changes(number))
                states.append(says(store))

    def look() -> None:
        nonlocal cuts
        if not root.exists():
            return
        for model in ["names", "bytes", *["random"] * seeds]:
            disk.lay(os.fspath(root), cut, model=model, chance=random.Random(cuts))
            cuts += 1
            with monkeypatch.context() as machine:
                for module in ("locks", "state", "commits", "feed"):
                    machine.setattr(f"commonplace.store.files.{module}.boot_id", lambda: "the-next-boot", raising=False)
                with open_store(cut) as store:
                    found = says(store)
                    assert found in states[acknowledged : acknowledged + 2], (model, acknowledged)
                    assert (store.verify_log(), store.conflicts()) == ((), ())
                    store.commit({}, {}, [Append(ITEMS, (line(99),))])
                    assert numbers(store.read(ITEMS).data)[-1] == 99
            shutil.rmtree(cut)

    clean()
    disk = LosingDisk(root, look)
    store = open_store(root, disk=disk, config=CONFIG)
    for number in range(1, upto + 1):
        store.commit({}, {}, changes(number))
        acknowledged = number
    store.close()
    look()
    return cuts


@pytest.mark.slow
def test_a_power_cut_after_any_call_leaves_whole_changes(fast_path, monkeypatch):
    """Issue 23.1: data is on the disk before its name changes, and the log brings back what is shorter than it says."""
    assert cut_everywhere(fast_path, monkeypatch, upto=2, seeds=1) > 120


@pytest.mark.slow
def test_a_power_cut_after_any_call_of_many_changes_leaves_whole_changes(fast_path, monkeypatch):
    """Issue 23.1, at length: checkpoints, deletes, and three seeds of what a disk may have written."""
    assert cut_everywhere(fast_path, monkeypatch, upto=9, seeds=3) > 1000
