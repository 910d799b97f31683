"""After a loss of power files may be as they were some changes ago; the log brings them back."""

from __future__ import annotations

import itertools
import os

import pytest
from scopes import document, line, numbers, open_store, together

from commonplace.config import StoreConfig
from commonplace.store.protocol import Append, Delete, Put
from inside import head_bytes, lose_power

pytestmark = pytest.mark.battery

D, J, H = "memory/D.md", "items/J.jsonl", "HISTORY.md"
CONFIG = StoreConfig(checkpoint_changes=10**6, checkpoint_seconds=10**6)


def changes():
    """Writes of every kind, each file's own history."""
    yield [Put(D, (document(1),)), Append(J, (line(1),)), Append(H, (line(1),))]
    yield [Put(D, (document(2),)), Append(J, (line(2),))]
    yield [Append(J, (line(3),)), Append(H, (line(2),))]
    yield [Delete(D), Append(H, (line(3),))]
    yield [Put(D, (document(5),)), Put(H, (document(7),))]
    yield [Append(D, (line(6),)), Append(H, (line(4),)), Append(J, (line(6),))]


def another_boot(root) -> None:
    """Make the head say that it was written before the machine went down."""
    head = root / ".commonplace" / "state" / "head"
    fields = head.read_text(encoding="ascii").split()
    from commonplace.store.files import state

    found = state.Head(int(fields[0]), False, fields[2], int(fields[3]), fields[4], "an-earlier-boot")
    head.write_bytes(head_bytes(found))


def content(root, path):
    return (root / path).read_bytes() if (root / path).exists() else None


@pytest.mark.slow
def test_files_of_any_age_come_back_to_the_last_change(fast_path):
    """DESIGN 5: a redo write applies only where the file's hash is `before`; appends replay once."""
    with open_store(fast_path, config=CONFIG) as store:
        store.commit({}, {}, [])
    with open_store(fast_path, config=CONFIG) as store:
        ages = [{path: content(fast_path, path) for path in (D, J, H)}]
        for writes in changes():
            store.commit({}, {}, writes)
            ages.append({path: content(fast_path, path) for path in (D, J, H)})
        lose_power(store)  # no checkpoint at closing: the power went
    last = ages[-1]
    for age in itertools.product(range(len(ages)), repeat=3):
        for path, at in zip((D, J, H), age, strict=True):
            (fast_path / path).parent.mkdir(exist_ok=True)
            if ages[at][path] is None:
                (fast_path / path).unlink(missing_ok=True)
            else:
                (fast_path / path).write_bytes(ages[at][path])
        another_boot(fast_path)
        store = open_store(fast_path, config=CONFIG)
        found = together(store, [D, J, H])
        assert {path: blob.data for path, blob in found.items()} == last, age
        assert store.conflicts() == ()
        lose_power(store)


@pytest.mark.parametrize("cut", [0, 1, 5, 30])
def test_an_append_only_file_that_lost_its_end_gets_it_back(fast_path, cut):
    """Unsynced bytes may be gone, or cut anywhere."""
    with open_store(fast_path, config=CONFIG) as store:
        for each in range(1, 6):
            store.commit({}, {}, [Append(J, (line(each),))])
        lose_power(store)
    data = (fast_path / J).read_bytes()
    (fast_path / J).write_bytes(data[: len(data) // 2 - cut])
    another_boot(fast_path)
    with open_store(fast_path, config=CONFIG) as store:
        assert numbers(store.read(J).data) == [1, 2, 3, 4, 5]


def test_changes_that_never_reached_the_disk_are_gone_whole(fast_path):
    """`durable=False` survives a crash of the process, not of the machine; numbers go on without a gap."""
    with open_store(fast_path, config=CONFIG) as store:
        store.commit({}, {}, [Put(D, (document(1),))])
        size = (fast_path / ".commonplace/log/2026-11.jsonl").stat().st_size
        store.commit({}, {}, [Put(D, (document(2),))], durable=False)
        lose_power(store)
    os.truncate(fast_path / ".commonplace/log/2026-11.jsonl", size)
    another_boot(fast_path)
    with open_store(fast_path, config=CONFIG) as store:
        assert store.change_number() == 1
        assert store.commit({}, {}, []).number == 2
        assert store.verify_log() == ()


def test_an_edit_from_outside_since_the_checkpoint_survives_the_loss_of_power(fast_path):
    """Content the log does not know is somebody's edit: it stays, and the change is listed."""
    with open_store(fast_path, config=CONFIG) as store:
        store.commit({}, {}, [Put(D, (document(1),))])
        store.commit({}, {}, [Put(D, (document(2),))])
        lose_power(store)
    (fast_path / D).write_bytes(b"by hand\n")
    another_boot(fast_path)
    with open_store(fast_path, config=CONFIG) as store:
        assert store.read(D).data == b"by hand\n"
        assert [(each.path, each.number) for each in store.conflicts()] == [(D, 2)]
