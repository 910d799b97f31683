"""How the work of code below Python grows with its input: patterns and slices, whose steps no counter sees."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 16


def grows_like_its_input(job: Callable[[int], object], chars: int) -> bool:
    """True if 16 times the input costs at most 80 times the processor time.

    What is linear takes 16 times as long and what is quadratic 256 times: a machine that is busy with other work changes neither fivefold.
    """
    return _seconds(job, TIMES * chars) <= 5 * TIMES * max(_seconds(job, chars), 0.0005)


def _seconds(job: Callable[[int], object], chars: int) -> float:
    """Return the processor time of the least disturbed of three runs."""
    taken = []
    for _ in range(3):
        start = time.thread_time()
        job(chars)
        taken.append(time.thread_time() - start)
    return min(taken)
