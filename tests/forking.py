"""Forked children of a test: one that does some work, or many that do it at once."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable

CHILD_SECONDS = 60


def in_child(work: Callable[[], int | None], *, seconds: int = CHILD_SECONDS) -> int:
    """Run work in a forked child and give its wait status; one that hangs is killed by its own alarm."""
    return os.waitpid(_forked(work, seconds), 0)[1]


def in_processes(count: int, work: Callable[[int], int | None], *, seconds: int = 2 * CHILD_SECONDS) -> list[int]:
    """Run work in that many forked children, all let go at once, and give their wait statuses."""
    gate, opener = os.pipe()

    def child(number: int) -> Callable[[], int | None]:
        def begun() -> int | None:
            os.close(opener)
            os.read(gate, 1)  # until all are there
            return work(number)

        return begun

    pids = [_forked(child(number), seconds) for number in range(count)]
    os.close(opener)
    os.close(gate)
    return [os.waitpid(pid, 0)[1] for pid in pids]


def _forked(work: Callable[[], int | None], seconds: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # not what ends a test that takes too long
    signal.alarm(seconds)
    try:
        code = work() or 0
    except BaseException:
        traceback.print_exc()  # nobody above would: the child ends here
    finally:
        os._exit(code)
