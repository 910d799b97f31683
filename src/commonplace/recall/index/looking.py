"""Read an index file without changing a byte of it or of its folder."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from commonplace.errors import DamagedError
from commonplace.recall.index.sqlite import SqliteIndex


@contextlib.contextmanager
def copied(path: Path | str) -> Iterator[SqliteIndex | None]:
    """Open a copy of an index; None if there is none.

    SQLite cannot open a file with a write-ahead log without writing beside it, so the copy lies elsewhere.

    Raises:
        DamagedError: The file cannot be read as an index.
    """
    with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
        copy = Path(folder) / "index.sqlite"
        for suffix in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                Path(f"{copy}{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
        if not copy.exists():
            yield None
            return
        try:
            index = SqliteIndex(copy, mend=False)
        except DamagedError as error:
            raise DamagedError(str(error).replace(str(copy), str(path)), path=str(path)) from error
        with contextlib.closing(index):
            yield index
