"""Read an index file without changing a byte of it or of its folder."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from commonplace.errors import DamagedError
from commonplace.recall.index.sqlite import SqliteIndex

_TRIES: Final = 3  # a copy made while another process wrote may be damaged; it is made again


@contextlib.contextmanager
def copied(path: Path | str) -> Iterator[SqliteIndex | None]:
    """Open a copy of an index; None where there is none.

    SQLite cannot open a file with a write-ahead log without writing beside it, so the copy lies elsewhere.

    Raises:
        DamagedError: The file cannot be read as an index.
    """
    with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
        index = _opened(Path(path), Path(folder))
        try:
            yield index
        finally:
            if index is not None:
                index.close()


def _opened(path: Path, folder: Path) -> SqliteIndex | None:
    for attempt in range(_TRIES):
        before = _stamp(path)
        copy = folder / f"{attempt}.sqlite"
        for suffix in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                Path(f"{copy}{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
        if not copy.exists():
            return None
        try:
            return SqliteIndex(copy, mend=False)
        except DamagedError as error:
            if before == _stamp(path) or attempt == _TRIES - 1:
                raise DamagedError(str(error).replace(str(copy), str(path)), path=str(path)) from error
    return None


def _stamp(path: Path) -> list[tuple[int, int]]:
    found = []
    for suffix in ("", "-wal"):
        with contextlib.suppress(FileNotFoundError):
            stat = Path(f"{path}{suffix}").stat()
            found.append((stat.st_size, stat.st_mtime_ns))
    return found
