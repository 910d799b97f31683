"""A disk that refuses: a typed error, old content whole, reads still work."""

from __future__ import annotations

import errno
import fcntl
import os
import pathlib
import resource
import subprocess

import pytest
from scopes import (
    ITEMS,
    A,
    B,
    FailingDisk,
    document,
    everything,
    fail_with,
    line,
    numbers,
    open_store,
    round_of,
    state_of,
    together,
)

from commonplace.errors import CommonplaceError, StoreError, StoreFailedError, StoreFullError, StoreReadOnlyError
from commonplace.store.files.disk import SyncFailedError
from commonplace.store.protocol import MISSING, Append, Put
from forking import in_child
from inside import refuse_writes

pytestmark = pytest.mark.battery

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: mounts a small file system or changes its user")
SESSION = "sessions/a.jsonl"


def half_write(disk, name, call, args):
    """Write a part and say so, as a full pipe or a signal may."""
    if name == "write":
        return os.write(args[0], bytes(args[1])[: max(1, len(args[1]) // 2)])
    return call()


def interrupted(disk, name, call, args):
    raise InterruptedError(errno.EINTR, os.strerror(errno.EINTR))


FAULTS = {
    "EIO": fail_with(errno.EIO),
    "ENOSPC": fail_with(errno.ENOSPC),
    "EACCES": fail_with(errno.EACCES),
    "EINTR": interrupted,
    "short": half_write,
}


def fail_always(code):
    """Return a call that always fails."""

    def call(*args, **options):
        raise OSError(code, os.strerror(code))

    return call


def tried(work) -> bool:
    """Do it and say whether it was acknowledged."""
    try:
        work()
    except CommonplaceError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_commit_whose_nth_call_fails_is_whole_or_not_there(fast_path, fault):
    """Safety battery F03: every n, every call; an error is surfaced, state is before or after."""
    step, was_hit, went_on = 0, True, 0
    while was_hit:
        step += 1
        root = fast_path / str(step)
        with open_store(root) as store:
            store.commit({}, {}, everything(1))
        disk = FailingDisk(step, FAULTS[fault])
        store = open_store(root, disk=disk)
        acknowledged = tried(lambda store=store: store.commit({}, {}, everything(2)))
        was_hit, disk.at = disk.calls >= step, 0
        assert acknowledged or fault != "short"
        # The store that met the fault either goes on by itself or reads only until it is reopened.
        went_on += tried(lambda store=store: store.commit({}, {}, [Append("x.jsonl", (line(1),))]))
        with open_store(root) as fresh:
            found = together(fresh, [A, "memory/new-1.md", "memory/new-2.md", ITEMS])
            after = found["memory/new-2.md"] is not None
            assert after or not acknowledged
            assert found[A].data.startswith(b"2\n" if after else b"1\n")
            assert (found["memory/new-1.md"] is None) == after
            assert numbers(found[ITEMS].data) == ([1, 1, 2, 2] if after else [1, 1])
            last = fresh.change_number()
            assert fresh.commit({}, {}, everything(3)).number == last + 1
            assert (fresh.verify_log(), fresh.conflicts()) == ((), ())
    assert step > 25
    assert went_on > step // 2
    assert not list(fast_path.rglob(".*.cp*"))


@pytest.mark.parametrize("earlier", [0, 1])
@pytest.mark.parametrize("fault", FAULTS)
def test_an_append_whose_nth_call_fails_is_whole_or_not_there(fast_path, fault, earlier):
    """Safety battery F03 on the append path, the first append and a later one."""
    step, was_hit = 0, True
    while was_hit:
        step += 1
        root = fast_path / str(step)
        with open_store(root) as store:
            for each in range(earlier):
                store.append(SESSION, [line(each)])
        disk = FailingDisk(step, FAULTS[fault])
        store = open_store(root, disk=disk)
        acknowledged = tried(lambda store=store: store.append(SESSION, [line(7), line(8, 3000)]))
        was_hit, disk.at = disk.calls >= step, 0
        assert acknowledged or fault != "short"
        with open_store(root) as fresh:
            blob = fresh.read(SESSION)
            kept = numbers(blob.data) if blob else []
            assert kept == list(range(earlier)) + ([7, 8] if acknowledged else [])
            before = fresh.appended(None)[0]
            fresh.append(SESSION, [line(9)])
            assert numbers(fresh.read(SESSION).data) == [*kept, 9]
            assert fresh.appended(before)[1] == ((SESSION,) if before else None)
    assert step > 5


def test_after_a_failed_sync_the_store_only_reads_until_it_is_reopened(tmp_path):
    """Safety notes, P5: never retry a sync and say that it is well."""
    for verb in (
        lambda store: store.append(SESSION, [line(2)]),
        lambda store: store.commit({}, {}, round_of(2)),
    ):
        disk = FailingDisk(0, None)
        store = open_store(tmp_path, disk=disk)
        store.append(SESSION, [line(1)])
        before = store.read(SESSION)

        def refuses(fd):
            raise SyncFailedError(errno.EIO, "Input/output error")

        disk.sync = refuses
        with pytest.raises(StoreFailedError):
            verb(store)
        del disk.sync
        assert store.read_only
        with pytest.raises(StoreFailedError):
            store.append(SESSION, [line(3)])
        with pytest.raises(StoreFailedError):
            store.commit({}, {}, [])
        with pytest.raises(StoreFailedError):
            store.lease("x", 1)
        assert store.read(SESSION) == before
        assert state_of(store)[0] == 0
        with open_store(tmp_path) as fresh:
            assert not fresh.read_only
            fresh.append(SESSION, [line(4)])


def test_a_failed_checkpoint_does_not_take_an_acknowledged_change_back(tmp_path):
    """The change stands in the synced log; what fails is the promise for the next one."""
    from commonplace.config import StoreConfig

    disk = FailingDisk(0, None)
    store = open_store(tmp_path, disk=disk, config=StoreConfig(checkpoint_changes=2, checkpoint_seconds=9999))
    store.commit({}, {}, round_of(1))
    swap = disk.exchange

    def swaps_and_breaks(*args, **options):
        disk.sync_all = lambda fd: (_ for _ in ()).throw(SyncFailedError(errno.EIO, "Input/output error"))
        return swap(*args, **options)

    disk.exchange = swaps_and_breaks
    assert store.commit({}, {}, round_of(2)).number == 2
    with pytest.raises(StoreFailedError):
        store.commit({}, {}, round_of(3))
    with open_store(tmp_path) as fresh:
        assert state_of(fresh) == (2, 2, [1, 2])
        fresh.commit({}, {}, round_of(3))


@pytest.mark.parametrize("refused", ["unlink", "sync_all and unlink"])
def test_a_temporary_file_that_could_not_be_taken_away_is_taken_away_by_the_next_writer(fast_path, refused):
    """Issue 23.10: stray temporary files stayed after a failed unlink."""
    with open_store(fast_path) as store:
        store.commit({}, {}, round_of(1))
    disk = FailingDisk(0, None)
    with open_store(fast_path, disk=disk) as store:
        disk.unlink = lambda *_, **__: (_ for _ in ()).throw(OSError(errno.EROFS, "Read-only file system"))
        if "sync_all" in refused:
            disk.sync_all = lambda fd: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left on device"))
            with pytest.raises(StoreError):
                store.commit({}, {}, round_of(2))
            assert list((fast_path / "memory").glob(".*tmp"))
        else:
            store.commit({}, {}, round_of(2))
    with open_store(fast_path) as store:
        store.commit({}, {}, round_of(3))
    assert not list(fast_path.rglob(".*tmp"))
    assert not list(fast_path.rglob(".*.new"))
    assert not list((fast_path / ".commonplace/swapped").iterdir())


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip(f"cannot mount a small file system: {done.stderr.decode()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@AS_ROOT
def test_a_full_disk_is_named_and_nothing_is_changed(small_disk):
    """Safety battery F04: typed error, old content whole, goes on when there is room."""
    root = small_disk / "scope"
    with open_store(root) as store:
        store.commit({}, {}, round_of(1))
        store.append(SESSION, [line(1)])
        filler = small_disk / "filler"
        for room in range(0, 120_000, 3000):
            filler.write_bytes(b"")
            free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_bsize
            filler.write_bytes(b"x" * max(0, free - room // 4096 * 4096))
            state = state_of(store)
            lines = store.read(SESSION)
            try:
                store.commit({}, {}, round_of(state[0] + 1, 9000))
            except StoreFullError:
                assert state_of(store) == state
            else:
                assert state_of(store)[0] == state[0] + 1
                filler.write_bytes(b"")
                continue
            try:
                store.append(SESSION, [line(2, 60_000)])
            except StoreFullError:
                assert store.read(SESSION) == lines
            assert [stat.path for stat in store.list()] == sorted([B, A, ITEMS, SESSION])
        filler.unlink()
        number = state_of(store)[0]
        assert number < 10
        store.commit({}, {}, round_of(number + 1))
        store.append(SESSION, [line(3)])
        assert state_of(store)[0] == number + 1
        assert numbers(store.read(SESSION).data)[-1] == 3
        assert store.verify_log() == ()
    assert not list(root.rglob(".*.cp*"))


def test_a_file_size_limit_is_a_full_store(tmp_path):
    """Safety battery F05: EFBIG, old content whole."""
    with open_store(tmp_path) as store:
        store.commit({}, {}, round_of(1))
        store.append(SESSION, [line(1)])
        before = state_of(store), store.read(SESSION)

        def work():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
            full = 0
            for verb in (
                lambda: store.append(SESSION, [line(2, 20_000)]),
                lambda: store.commit({}, {}, [Append(ITEMS, (line(2, 20_000),))]),
                lambda: store.commit({}, {}, [Put(A, (document(2, 20_000),))]),
            ):
                try:
                    verb()
                except StoreFullError:
                    full += 1
            return 40 + full

        assert os.WEXITSTATUS(in_child(work)) == 43
        assert (state_of(store), store.read(SESSION)) == before
        store.commit({}, {}, round_of(2))
        assert store.verify_log() == ()


def as_nobody(work):
    def dropped():
        os.setgid(65534)
        os.setuid(65534)
        return work()

    return os.WEXITSTATUS(in_child(dropped))


@AS_ROOT
def test_a_scope_of_somebody_else_is_read_and_not_written(fast_path):
    """Safety battery F06: EACCES, as a user whom permissions bind."""
    fast_path.chmod(0o755)
    root = fast_path / "scope"
    with open_store(root) as store:
        store.commit({}, {}, round_of(1))
        store.append(SESSION, [line(1)])
    for folder, _, files in os.walk(root):
        pathlib.Path(folder).chmod(0o555)
        for name in files:
            pathlib.Path(folder, name).chmod(0o444)

    def work():
        with open_store(root) as store:
            assert store.read_only
            assert state_of(store) == (1, 1, [1])
            assert store.change_number() == 1
            assert len(list(store.since(0))) == 1
            assert store.verify_log() == ()
            assert len(store.list()) == 4
            for verb in (
                lambda: store.append(SESSION, [line(2)]),
                lambda: store.commit({}, {}, round_of(2)),
                lambda: store.lease("x", 1),
                lambda: store.locked(SESSION).__enter__(),
            ):
                with pytest.raises(StoreReadOnlyError):
                    verb()
        return 42

    assert as_nobody(work) == 42


@AS_ROOT
def test_one_file_without_permission_fails_the_change_whole(fast_path):
    """Safety battery F06: EACCES in the middle of a change of several files."""
    fast_path.chmod(0o777)
    root = fast_path / "scope"

    def make():
        with open_store(root) as store:
            store.commit({}, {}, round_of(1))
        return 42

    assert as_nobody(make) == 42
    (root / "memory" / "deep").chmod(0o555)
    os.chown(root / "memory" / "deep", 0, 0)

    def work():
        with open_store(root) as store:
            with pytest.raises(StoreReadOnlyError):
                store.commit({}, {}, round_of(2))
            assert state_of(store) == (1, 1, [1])
            store.commit({}, {}, [Put(A, (document(1, 30),))])
            assert store.verify_log() == ()
        return 43

    assert as_nobody(work) == 43


def test_a_store_opened_for_reading_only_writes_nothing(tmp_path):
    """Issue 2: read-only folder: a typed error, reads still work, no lock file."""
    with open_store(tmp_path / "scope") as store:
        store.commit({}, {}, round_of(1))
    with open_store(tmp_path / "scope", read_only=True) as store:
        before = sorted((str(p), p.stat().st_mtime_ns) for p in (tmp_path / "scope").rglob("*"))
        assert state_of(store) == (1, 1, [1])
        assert store.key
        for verb in (
            lambda: store.append(SESSION, [line(2)]),
            lambda: store.commit({}, {}, round_of(2)),
            lambda: store.lease("x", 1),
            lambda: store.erase({1: {}}, lambda _, data: data),
        ):
            with pytest.raises(StoreReadOnlyError):
                verb()
        assert sorted((str(p), p.stat().st_mtime_ns) for p in (tmp_path / "scope").rglob("*")) == before


def test_every_error_of_the_store_is_typed_and_carries_its_path(tmp_path):
    """House style: an error carries data."""
    with open_store(tmp_path, disk=FailingDisk(0, None)) as store:
        store.append(SESSION, [line(1)])
        refuse_writes(store, OSError(errno.EDQUOT, "quota"))
        with pytest.raises(StoreFullError) as caught:
            store.append(SESSION, [line(2)])
        assert isinstance(caught.value, (StoreError, OSError))
        assert caught.value.path == SESSION


@pytest.mark.parametrize("call", ["exchange", "rename_new", "write"])
def test_a_change_that_is_logged_is_done_though_the_disk_refuses_to_apply_it(tmp_path, call):
    """Issue 23.5: no error says that nothing was changed when it was; whoever comes next applies it."""
    disk = FailingDisk(0, None)
    with open_store(tmp_path, disk=disk) as store, open_store(tmp_path) as other:
        store.commit({}, {}, round_of(1))
        real = getattr(disk, call)

        def refuses(*args, **options):
            if call == "write" and "log" in pathlib.Path(f"/proc/self/fd/{args[0]}").readlink().parts:
                return real(*args, **options)
            if call == "write" and not pathlib.Path(f"/proc/self/fd/{args[0]}").readlink().name.endswith(".jsonl"):
                return real(*args, **options)
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

        setattr(disk, call, refuses)
        writes = [*round_of(2), Put("memory/new.md", (document(2),))]
        assert store.commit({}, {}, writes).number == 2
        assert state_of(store) == (2, 2, [1, 2])
        assert store.read("memory/new.md").data == document(2).text.encode()
        with pytest.raises(StoreError):
            store.commit({}, {}, round_of(3))
        assert not store.read_only
        assert state_of(store) == (2, 2, [1, 2])
        setattr(disk, call, real)
        assert store.commit({}, {}, round_of(3)).number == 3
        assert state_of(other) == (3, 3, [1, 2, 3])
        assert store.verify_log() == store.conflicts() == ()
    assert numbers((tmp_path / ITEMS).read_bytes()) == [1, 2, 3]


def test_a_log_that_can_be_neither_synced_nor_cut_back_says_that_nobody_knows(tmp_path):
    """Issue 23.5: a retry would double what may be there; the store is reopened and looked at."""
    disk = FailingDisk(0, None)
    with open_store(tmp_path, disk=disk) as store:
        store.commit({}, {}, round_of(1))
        disk.sync = disk.truncate = lambda *_: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error"))
        with pytest.raises(StoreFailedError, match="look whether the change is there"):
            store.commit({}, {}, [Append(ITEMS, (line(2),))])
        with pytest.raises(StoreFailedError):
            store.commit({}, {}, [Append(ITEMS, (line(2),))])
    with open_store(tmp_path) as store:
        assert state_of(store) == (1, 1, [1, 2])


@pytest.mark.parametrize("call", ["close", "flock"])
def test_a_change_that_is_logged_is_done_though_closing_or_unlocking_fails(tmp_path, monkeypatch, call):
    """Issue 23.5: `remember` said that nothing was changed, and the next write waited 30 s for our own lock."""
    with open_store(tmp_path) as store:
        store.commit({}, {}, round_of(1))
        log = next((tmp_path / ".commonplace/log").iterdir())
        logged = log.stat().st_size
        with monkeypatch.context() as patch, store.exclusive():
            if call == "close":
                real = os.close

                def closing(fd: int) -> None:
                    real(fd)
                    if log.stat().st_size > logged:
                        raise OSError(errno.EIO, os.strerror(errno.EIO))

                patch.setattr(os, "close", closing)
            else:
                real_flock = fcntl.flock

                def unlocking(fd: int, operation: int) -> None:
                    if operation == fcntl.LOCK_UN:
                        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
                    real_flock(fd, operation)

                patch.setattr(fcntl, "flock", unlocking)
            assert store.commit({}, {}, [Append(ITEMS, (line(2),))]).number == 2
        assert numbers((tmp_path / ITEMS).read_bytes()) == [1, 2]
    with open_store(tmp_path) as other, other.exclusive(wait_seconds=1):  # the lock is free
        assert other.commit({}, {}, [Append(ITEMS, (line(3),))]).number == 3


def test_what_was_logged_is_read_by_its_own_writer_though_the_disk_refused_it_once(tmp_path):
    """Issue 23.5: the writer took its own unapplied file for an edit from outside and put its text into review."""
    disk = FailingDisk(0, None)
    with open_store(tmp_path, disk=disk) as store, store.exclusive():
        store.commit({}, {}, round_of(1))
        real, disk.rename_new = disk.rename_new, fail_always(errno.EIO)
        store.commit({}, {}, [Put("memory/new.md", (document(2),))])
        assert store.read("memory/new.md").data == document(2).text.encode()
        disk.rename_new = real
        assert store.version("memory/new.md") != MISSING
        assert store.conflicts() == ()


def test_an_append_that_cannot_be_taken_back_says_that_nobody_knows(tmp_path):
    """Issue 23.5: the error said that nothing was changed while the bytes stood in the file."""
    disk = FailingDisk(0, None)
    with open_store(tmp_path, disk=disk) as store:
        store.append(SESSION, [line(1)])
        disk.sync = disk.truncate = fail_always(errno.EIO)
        with pytest.raises(StoreFailedError, match="reopen"):
            store.append(SESSION, [line(2)])
