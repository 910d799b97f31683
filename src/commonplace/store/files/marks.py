"""Whether some files stand as they stood before, at the price of one `stat` each.

A stamp of `stat` alone can miss an edit: two writes within one tick of the kernel's clock may leave the
same size and the same times. So no mark is given while a file was touched a moment ago; whoever asks reads
the file then.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Final

from commonplace.store.files.paths import split

YOUNG_NS: Final = 2_000_000_000
"""A file changed less than this ago may change again unseen; two seconds is the coarsest clock of a file system."""


_stamp: Final = attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")


def stamps(root: str, paths: Sequence[str], *, state: str) -> tuple[object, ...] | None:
    """Give what two looks at these files have in common only where nothing was written between them.

    Args:
        root: The scope's folder, links resolved.
        paths: Files of the scope; one that is not there has a stamp of its own.
        state: The folder of the store's own files.

    Returns:
        The stamps in the order of the paths; None where one of the files may change without its stamp.
    """
    # The kernel stamps files by this clock; the scope's own clock may be a test's.
    old = time.clock_gettime_ns(time.CLOCK_REALTIME) - YOUNG_NS
    found: list[tuple[int, ...]] = []
    places, absent = _places(root, tuple(paths), state)
    for place in places:
        if place in absent:  # most often it still is, and the error of a look costs as much as the look
            if not os.access(place, os.F_OK):
                found.append(())
                continue
            absent.discard(place)
        try:
            stamp = _stamp(os.stat(place))
        except (FileNotFoundError, NotADirectoryError):
            absent.add(place)
            found.append(())
            continue
        except OSError:
            return None  # a link to itself, no right to look: who reads it tells more
        if stamp[-1] > old:
            return None
        found.append(stamp)
    return tuple(found)


@lru_cache(maxsize=256)
def _places(root: str, paths: tuple[str, ...], state: str) -> tuple[list[str], set[str]]:
    """Give where the files are, and which of these were not there once."""
    return [f"{root}/{'/'.join(split(path, state))}" for path in paths], set()
