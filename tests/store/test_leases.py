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
from forking import forked, in_child
from marking import slow_after

pytestmark = pytest.mark.battery


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
        assert two.lease("another / job:é", 60).fence == 2
        now.advance(50)
        first.renew()
        now.advance(50)
        assert two.lease("dream", 60) is None
        now.advance(11)
        second = two.lease("dream", 60)
        assert (first.fence, second.fence) == (1, 3)
        with pytest.raises(LeaseLostError):
            first.check()
        with pytest.raises(LeaseLostError):
            first.renew()
        first.release()  # not its own any more: nothing happens
        second.check()
        second.release()
        assert one.lease("dream", 60).fence == 4


def test_a_stopped_holder_is_fenced_out_when_it_wakes(tmp_path):
    """Safety battery F13: slow is not dead; the late commit is refused, nothing is lost."""
    now = Clock()
    reader, writer = os.pipe()

    def work():
        store = open_store(tmp_path, clock=now)
        lease = store.lease("dream", 60)
        os.write(writer, b"held")
        os.kill(os.getpid(), signal.SIGSTOP)
        try:
            store.commit({}, {}, [Put(A, (document(1),))], fence=lease)
        except LeaseLostError:
            return 42

    pid = forked(work)
    try:
        assert os.read(reader, 4) == b"held"
        os.waitpid(pid, os.WUNTRACED)
        with open_store(tmp_path, clock=now) as store:
            assert store.lease("dream", 60) is None
            now.advance(61)
            mine = store.lease("dream", 60)
            assert mine.fence == 2
            store.commit({}, {}, [Put(A, (document(2),))], fence=mine)
    finally:
        os.kill(pid, signal.SIGCONT)
        status = os.waitpid(pid, 0)[1]
    with open_store(tmp_path, clock=now) as store:
        assert os.waitstatus_to_exitcode(status) == 42
        assert store.read(A).data == document(2).text.encode()
        assert store.change_number() == 1


def test_a_dead_owner_frees_its_lease_at_once(tmp_path):
    """Safety battery F14: no waiting for the clock, whether the corpse was collected or not."""
    with open_store(tmp_path) as store:
        for fence in range(1, 6):
            reader, writer = os.pipe()

            def work(writer=writer):
                os.write(writer, b"%d" % store.lease("dream", 3600).fence)
                os.kill(os.getpid(), signal.SIGKILL)

            pid = forked(work)
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


@pytest.mark.parametrize(("every", "bits"), slow_after(1, [(5, [4]), (1, [1, 32, 128])]))
def test_a_damaged_lease_file_stops_no_job_and_no_write(tmp_path, every, bits):
    """Issue 23: one flipped bit, whichever it is, costs at most the leases that were held."""
    path = tmp_path / ".commonplace" / "state" / "leases"
    with open_store(tmp_path) as store:
        store.lease("dream", 60)
        whole = path.read_bytes()
        for place in range(0, len(whole), every):
            for bit in bits:
                damaged = bytearray(whole)
                damaged[place] ^= bit
                path.write_bytes(damaged)
                lease = store.lease("another", 60)
                store.commit({}, {}, [], fence=lease)
                lease.release()
        path.write_bytes(whole[:20])
        assert store.lease("dream", 60) is not None


def test_leases_leave_no_file_for_each_session(tmp_path):
    """DESIGN 6: no file per session; what was given back or whose owner died leaves nothing at all."""
    state = tmp_path / ".commonplace" / "state"
    now = Clock()
    with open_store(tmp_path, clock=now) as store:
        store.lease("first", 60).release()
        files, size = sorted(state.iterdir()), (state / "leases").stat().st_size
        for number in range(9):
            store.lease(f"job of session {number}", 60).release()
        assert in_child(lambda: store.lease("of a process that dies", 60) and os.kill(os.getpid(), signal.SIGKILL)) == 9
        store.lease("long gone", 60)
        now.advance(2 * 24 * 3600)
        store.lease("last", 60).release()
        assert sorted(state.iterdir()) == files
        assert (state / "leases").stat().st_size <= size + 1  # the fence has two digits now


def test_a_lease_is_lost_only_to_who_takes_it(tmp_path):
    """Others take and give back theirs meanwhile, in one file."""
    with open_store(tmp_path) as one, open_store(tmp_path) as two:
        mine = one.lease("mine", 60)
        for name in ("a", "b"):
            other = two.lease(name, 60)
            mine.renew()
            other.check()
            other.release()
        mine.check()


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
