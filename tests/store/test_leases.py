"""One job, one holder; a late one is fenced out, a dead one frees its lease at once."""

from __future__ import annotations

import errno
import os
import signal
from datetime import timedelta

import pytest
from scopes import A, clock, document, open_store

from commonplace.errors import LeaseLostError, StoreError
from commonplace.store.files.disk import Disk
from commonplace.store.files.locks import Process, may_live, this_process
from commonplace.store.protocol import Put


class Clock:
    def __init__(self) -> None:
        self.now = clock()

    def __call__(self):
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def test_a_lease_has_one_holder_and_the_fence_grows_with_each(tmp_path):
    """Safety notes 2.3: steal bumps the fence."""
    now = Clock()
    with open_store(tmp_path, clock=now) as one, open_store(tmp_path, clock=now) as two:
        first = one.lease("dream", 60)
        assert two.lease("dream", 60) is None
        assert one.lease("dream", 60) is None
        assert two.lease("another / job:é", 60).fence == 1
        now.advance(50)
        first.renew()
        now.advance(50)
        assert two.lease("dream", 60) is None
        now.advance(11)
        second = two.lease("dream", 60)
        assert (first.fence, second.fence) == (1, 2)
        with pytest.raises(LeaseLostError):
            first.check()
        with pytest.raises(LeaseLostError):
            first.renew()
        first.release()  # not its own any more: nothing happens
        second.check()
        second.release()
        assert one.lease("dream", 60).fence == 3


def test_a_stopped_holder_is_fenced_out_when_it_wakes(tmp_path):
    """Safety battery F13: slow is not dead; the late commit is refused, nothing is lost."""
    now = Clock()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            store = open_store(tmp_path, clock=now)
            lease = store.lease("dream", 60)
            os.write(writer, b"held")
            os.kill(os.getpid(), signal.SIGSTOP)
            try:
                store.commit({}, {}, [Put(A, (document(1),))], fence=lease)
            except LeaseLostError:
                code = 42
        finally:
            os._exit(code)
    assert os.read(reader, 4) == b"held"
    os.waitpid(pid, os.WUNTRACED)
    with open_store(tmp_path, clock=now) as store:
        assert store.lease("dream", 60) is None
        now.advance(61)
        mine = store.lease("dream", 60)
        assert mine.fence == 2
        store.commit({}, {}, [Put(A, (document(2),))], fence=mine)
        os.kill(pid, signal.SIGCONT)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 42
        assert store.read(A).data == document(2).text.encode()
        assert store.change_number() == 1


def test_a_dead_owner_frees_its_lease_at_once(tmp_path):
    """Safety battery F14: no waiting for the clock, whether the corpse was collected or not."""
    with open_store(tmp_path) as store:
        for fence in range(1, 6):
            reader, writer = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.write(writer, b"%d" % store.lease("dream", 3600).fence)
                os.kill(os.getpid(), signal.SIGKILL)
            assert os.read(reader, 9) == b"%d" % (2 * fence - 1)
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            lease = store.lease("dream", 3600)
            assert lease.fence == 2 * fence
            lease.release()
            os.waitpid(pid, 0)


def test_a_process_id_used_again_is_not_the_same_process():
    """Safety notes, finding 4: the start time tells them apart, and the boot."""
    me = this_process()
    assert may_live(me)
    assert not may_live(Process(me.boot, me.pid, "1", me.space))
    assert not may_live(Process("another-boot", me.pid, me.start, me.space))
    assert may_live(Process(me.boot, 999_999_999, "1", "pid:[1]"))


def test_a_damaged_lease_file_can_be_taken(tmp_path):
    """A torn lease must not stop a job for good."""
    with open_store(tmp_path) as store:
        store.lease("dream", 60)
        (tmp_path / ".commonplace" / "leases" / "dream.json").write_bytes(b'{"name": "dr')
        assert store.lease("dream", 60) is not None


def test_an_expired_lease_that_nobody_took_still_commits(tmp_path):
    """Fencing, not the clock, decides: a slow sole worker loses nothing."""
    now = Clock()
    with open_store(tmp_path, clock=now) as store:
        lease = store.lease("dream", 1)
        now.advance(100)
        store.commit({}, {}, [Put(A, (document(1),))], fence=lease)
        assert store.change_number() == 1


class Broken(Disk):
    """A disk that takes nothing new once it is broken."""

    broken = False

    def open(self, path, flags, *args, **options):
        if self.broken and flags & os.O_CREAT:
            raise OSError(errno.EIO, "Input/output error")
        return super().open(path, flags, *args, **options)


def test_a_lease_that_cannot_be_given_back_is_no_error_and_runs_out(tmp_path, caplog):
    """Bug: an OSError of the release came out of a job that had been applied."""
    now, disk = Clock(), Broken()
    with open_store(tmp_path, clock=now, disk=disk) as store, open_store(tmp_path, clock=now) as other:
        lease = store.lease("dream", 60)
        disk.broken = True
        lease.release()
        assert "'dream' could not be given back" in caplog.text
        assert other.lease("dream", 60) is None
        now.advance(61)
        assert other.lease("dream", 60).fence == lease.fence + 1


def test_a_lease_that_cannot_be_written_is_a_typed_error(tmp_path):
    """Bug: `renew` let a plain OSError through."""
    disk = Broken()
    with open_store(tmp_path, disk=disk) as store:
        lease = store.lease("dream", 60)
        disk.broken = True
        with pytest.raises(StoreError):
            lease.renew()
        with pytest.raises(StoreError):
            store.lease("another", 60)
