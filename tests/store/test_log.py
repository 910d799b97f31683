"""Whatever is done to the change log from outside is found."""

from __future__ import annotations

import io
import os
import pathlib
import random

import pytest
from scopes import FULL, line, open_store, round_of

from commonplace.guard.screened import seal
from commonplace.store.files import changelog
from commonplace.store.files.disk import Disk
from commonplace.store.protocol import Append
from inside import log_line

pytestmark = pytest.mark.battery

MUTATIONS = 10_000 if FULL else 1200


@pytest.fixture(scope="module")
def scope(tmp_path_factory):
    root = tmp_path_factory.mktemp("scope")
    with open_store(root) as store:
        for each in range(1, 31):
            store.commit({"actor": "agent"}, {"reason": seal(f"because {each}")}, round_of(each, 60), durable=False)
        store.erase({7: {}, 30: {}}, lambda _, data: data)
        store.commit({}, {}, [Append("x.jsonl", (line(1),))])
    return root


def mutated(lines: list[bytes], chance: random.Random) -> tuple[str, bytes]:
    kind = chance.choice(["flip", "flip", "flip", "delete", "swap", "double", "cut", "insert"])
    at = chance.randrange(len(lines))
    if kind == "flip":
        data = bytearray(b"".join(lines))
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        return kind, bytes(data)
    if kind == "delete":
        return kind, b"".join(lines[:at] + lines[at + 1 :])
    if kind == "swap":
        other = (at + chance.randrange(1, len(lines))) % len(lines)
        lines = list(lines)
        lines[at], lines[other] = lines[other], lines[at]
        return kind, b"".join(lines)
    if kind == "double":
        return kind, b"".join(lines[: at + 1] + lines[at:])
    if kind == "cut":
        data = b"".join(lines)
        return kind, data[: chance.randrange(len(data))]
    data = b"".join(lines)
    place = chance.randrange(len(data))
    return kind, data[:place] + bytes([chance.randrange(256)]) + data[place:]


@pytest.mark.slow
def test_every_mutation_of_the_log_is_found(scope):
    """Safety notes, T11: flip, delete, reorder, cut: 100 % of at least 1,000."""
    path = scope / ".commonplace" / "log" / "2026-11.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    chance = random.Random(11)
    missed = []
    with open_store(scope, read_only=True) as store:
        assert store.verify_log() == ()
        for _ in range(MUTATIONS):
            kind, data = mutated(lines, chance)
            path.write_bytes(data)
            if not store.verify_log():
                missed.append((kind, len(data)))
        path.write_bytes(whole)
        assert missed == []
        assert store.verify_log() == ()


def test_a_month_that_is_gone_is_found(scope):
    """A whole file is as easily taken away as a line."""
    path = scope / ".commonplace" / "log" / "2026-11.jsonl"
    whole = path.read_bytes()
    path.unlink()
    try:
        with open_store(scope, read_only=True) as store:
            assert store.verify_log() != ()
    finally:
        path.write_bytes(whole)


def test_a_forged_text_under_a_right_line_hash_is_found(scope):
    """The hash of the texts is keyed: without the key nobody can write a line that holds."""
    from commonplace.store.files import changelog

    path = scope / ".commonplace" / "log" / "2026-11.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    header, payload = changelog.decode(lines[3][:-1])
    lines[3] = log_line(header, payload.replace(b"because", b"BECAUSE")) + b"\n"
    path.write_bytes(b"".join(lines))
    try:
        with open_store(scope, read_only=True) as store:
            assert [(each.line, each.file) for each in store.verify_log()] == [(4, "2026-11.jsonl")]
    finally:
        path.write_bytes(whole)


def test_a_damaged_line_costs_only_itself_to_readers(tmp_path):
    """Safety notes, P4: a bad record costs that record only and is never fatal."""
    with open_store(tmp_path) as store:
        for each in range(1, 6):
            store.commit({}, {"reason": seal("r")}, round_of(each))
        path = tmp_path / ".commonplace" / "log" / "2026-11.jsonl"
        path.write_bytes(path.read_bytes().replace(b'"number":3,', b'"number":8,'))
        assert [each.number for each in store.since(0)] == [1, 2, 4, 5]
        assert store.commit({}, {}, round_of(6)).number == 6
        assert [each.line for each in store.verify_log()] == [3, 4]


def test_a_log_that_lost_its_marks_goes_on(tmp_path):
    """Everything but log and files can be made again."""
    with open_store(tmp_path) as store:
        for each in range(1, 6):
            store.commit({}, {}, round_of(each))
    for name in ("head", "checkpoint"):
        pathlib.Path(tmp_path / ".commonplace" / "state" / name).unlink()
    (tmp_path / ".commonplace" / "lock").unlink()
    (tmp_path / "memory" / "A.md").write_bytes(b"9\nby hand\n")
    with open_store(tmp_path) as store:
        assert store.change_number() == 5
        assert store.read("memory/A.md").data == b"9\nby hand\n"
        assert store.commit({}, {}, []).number == 6
        assert store.verify_log() == ()


def test_a_damaged_head_is_made_again(tmp_path):
    """The head is a cache of the log."""
    with open_store(tmp_path) as store:
        store.commit({}, {}, round_of(1))
        head = tmp_path / ".commonplace" / "state" / "head"
        for damage in (b"", b"\0" * 192, head.read_bytes()[:-100], head.read_bytes().replace(b"1", b"7")):
            head.write_bytes(damage)
            assert store.change_number() == 1
        assert store.commit({}, {}, round_of(2)).number == 2
        assert store.verify_log() == ()


@pytest.mark.slow
def test_a_torn_last_line_of_the_log_goes_to_quarantine_at_every_byte(fast_path):
    """Never cut silently: what was torn is kept aside, and it was never acknowledged."""
    with open_store(fast_path) as store:
        store.commit({}, {}, round_of(1))
        store.commit({}, {}, round_of(2))
    path = fast_path / ".commonplace" / "log" / "2026-11.jsonl"
    whole = path.read_bytes()
    torn_line = whole.splitlines(keepends=True)[1]
    aside = fast_path / ".commonplace" / "quarantine"
    for cut in range(1, len(torn_line), 3):
        with path.open("ab") as file:
            file.write(torn_line[:cut])
        with open_store(fast_path) as store:
            store.lease("any", 1).release()  # whoever takes the lock tidies up
            assert store.change_number() == 2
        assert path.read_bytes() == whole
        (kept,) = aside.iterdir()
        assert kept.read_bytes() == torn_line[:cut]
        kept.unlink()


def test_a_log_that_is_cut_while_it_is_read_ends_the_reading(tmp_path, monkeypatch):
    """Issue 23: the next writer cuts off a dead one's torn line while another process looks for its place."""
    with open_store(tmp_path) as store:
        store.commit({}, {}, round_of(1))
    path = tmp_path / ".commonplace" / "log" / "2026-11.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"n":2,' + b"x" * 200_000)

    class Cut(io.BufferedReader):
        def seek(self, offset, whence=0):
            found = super().seek(offset, whence)
            if whence == os.SEEK_END:
                path.write_bytes(whole)
            return found

    monkeypatch.setattr(changelog, "open", lambda name, mode: Cut(io.FileIO(name, mode[:1])), raising=False)
    log = changelog.Log(os.fspath(path.parent), Disk())
    assert [entry.number for _, entry in log.after(0)] == [1]
