"""Children of a test: forked ones that do some work, and programs. None of them outlives its test."""

from __future__ import annotations

import os
import signal
import subprocess
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

CHILD_SECONDS = 240  # below what pytest gives a test


def in_child(work: Callable[[], int | None], *, seconds: int = CHILD_SECONDS) -> int:
    """Run work in a forked child and give its wait status; one that hangs is killed by its own alarm."""
    return os.waitpid(forked(work, seconds), 0)[1]


def in_processes(count: int, work: Callable[[int], int | None], *, seconds: int = CHILD_SECONDS) -> list[int]:
    """Run work in that many forked children, all let go at once, and give their wait statuses."""
    gate, opener = os.pipe()

    def child(number: int) -> Callable[[], int | None]:
        def begun() -> int | None:
            os.close(opener)
            os.read(gate, 1)  # until all are there
            return work(number)

        return begun

    pids = [forked(child(number), seconds) for number in range(count)]
    os.close(opener)
    os.close(gate)
    return [os.waitpid(pid, 0)[1] for pid in pids]


def forked(work: Callable[[], int | None], seconds: int = CHILD_SECONDS) -> int:
    """Run work in a forked child and give its process id: it ends with its work, or after so many seconds."""
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


@contextmanager
def started(command: Sequence[object], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a program; one that has not ended with the block is killed."""
    with subprocess.Popen([os.fspath(each) for each in command], **options) as child:  # type: ignore[call-overload]
        try:
            yield child
        finally:
            child.kill()
