"""What the tests of the store on files share: opening one, its clock, a merge by lines, a disk that fails."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from commonplace.config import StoreConfig
from commonplace.guard.screened import json_line, seal
from commonplace.store.files.disk import Disk, SyncFailedError
from commonplace.store.files.store import FilesStore
from commonplace.store.protocol import Append, Blob, Delete, Put

HERE = Path(__file__).parent
FULL = os.environ.get("COMMONPLACE_BATTERY") == "full"


A, B, ITEMS = "memory/A.md", "memory/deep/B.md", "items/all.jsonl"


def clock() -> datetime:
    return datetime(2026, 11, 21, 9, tzinfo=UTC)


def open_store(root: object, **options: object) -> FilesStore:
    options.setdefault("clock", clock)
    options.setdefault("config", StoreConfig(lock_wait_seconds=30.0))
    return FilesStore(os.fspath(root), **options)


def line(number: int, chars: int = 20):
    return json_line({"n": number, "pad": seal("x" * chars)})


def numbers(data: bytes) -> list[int]:
    """Read the numbers of whole lines; damaged ones are left out."""
    found = []
    for each in data.splitlines():
        try:
            found.append(json.loads(each)["n"])
        except (ValueError, KeyError, TypeError):
            continue
    return found


def document(number: int, chars: int = 200):
    return seal(f"{number}\n" + "y" * chars + "\n")


def round_of(number: int, chars: int = 200) -> list:
    """Writes of one change over three files that belong together."""
    return [
        Put(A, (document(number, chars),)),
        Put(B, (document(number, chars),)),
        Append(ITEMS, (line(number, chars),)),
    ]


def together(store: FilesStore, paths: Sequence[str]) -> dict[str, Blob | None]:
    """Read files as they are between two changes."""
    while True:
        number = store.change_number()
        found = {path: store.read(path) for path in paths}
        if store.change_number() == number:
            return found


def state_of(store: FilesStore) -> tuple[int, int, list[int]]:
    """Read the three files between two changes."""
    found = together(store, [A, B, ITEMS])
    first, second, items = found[A], found[B], found[ITEMS]
    return (
        int(first.data.split(b"\n", 1)[0]) if first else 0,
        int(second.data.split(b"\n", 1)[0]) if second else 0,
        numbers(items.data) if items else [],
    )


def merge_lines(path: str, before: bytes, theirs: bytes, ours: bytes) -> bytes:
    """Keep their text and add the lines that only ours has."""
    known = set(before.splitlines()) | set(theirs.splitlines())
    fresh = [each for each in ours.splitlines() if each not in known]
    glue = b"" if not theirs or theirs.endswith(b"\n") else b"\n"
    return theirs + glue + b"".join(each + b"\n" for each in fresh)


CALLS = (
    "open", "mkdir", "write", "pwrite", "sync", "sync_all", "truncate",
    "reserve", "rename", "rename_new", "exchange", "unlink", "flock",
)  # fmt: skip


class FailingDisk(Disk):
    """Lets the n-th call go wrong: `fail` is called instead of it, or before it."""

    def __init__(self, at: int, fail) -> None:
        self.at = at
        self.fail = fail
        self.calls = 0
        self.names: list[str] = []


def _counted(name: str):
    def call(self, *args, **options):
        real = getattr(super(FailingDisk, self), name)
        self.calls += 1
        self.names.append(name)
        if self.calls == self.at:
            return self.fail(self, name, lambda: real(*args, **options), args)
        return real(*args, **options)

    return call


for _name in CALLS:
    setattr(FailingDisk, _name, _counted(_name))


def die_before(disk, name, call, args):
    os.kill(os.getpid(), signal.SIGKILL)


def die_after(disk, name, call, args):
    try:
        call()
    finally:
        os.kill(os.getpid(), signal.SIGKILL)


def die_halfway(disk, name, call, args):
    """Write half of what was to be written, then die."""
    if name == "write":
        os.write(args[0], bytes(args[1])[: max(1, len(args[1]) // 2)])
    os.kill(os.getpid(), signal.SIGKILL)


def fail_with(code: int):
    def fail(disk, name, call, args):
        if name in {"sync", "sync_all"}:
            raise SyncFailedError(code, os.strerror(code))
        raise OSError(code, os.strerror(code))

    return fail


def everything(number: int) -> list:
    """A change of every kind: replace, make, take away, append."""
    return [
        Put(A, (document(number),)),
        Put(f"memory/new-{number}.md", (document(number),)),
        Delete(f"memory/new-{number - 1}.md"),
        Append(ITEMS, (line(number), line(number, 400))),
    ]
