"""A scope on real files with its sessions and its index, for the tests of index and recall."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from commonplace.changes.sessions import Sessions
from commonplace.changes.tombstones import Tombstones
from commonplace.changes.transcripts import whole_lines
from commonplace.config import Config, RecallConfig, StoreConfig
from commonplace.recall.index.rows import IndexRow
from commonplace.recall.index.sqlite import SqliteIndex
from commonplace.recall.indexing import Indexing
from commonplace.recall.search import Search
from commonplace.records import Hit, Message, Query
from commonplace.store.files.store import FilesStore

NOW = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)


class Clock:
    """Moves one minute at each reading."""

    def __init__(self, at: datetime = NOW - timedelta(days=10)) -> None:
        self.at = at

    def __call__(self) -> datetime:
        self.at += timedelta(minutes=1)
        return self.at


class Scope:
    """Store, sessions, index and recall of one folder."""

    def __init__(self, folder: Path, *, memory: bool = False, records=None) -> None:
        self.folder = folder
        self.records = records
        clock = Clock()
        self.store = FilesStore(str(folder), clock=clock, config=StoreConfig())
        self.sessions = Sessions(self.store, config=Config(), clock=clock, tombstones=Tombstones(self.store))
        self.index = SqliteIndex(None if memory else self.index_path)
        self.indexing = Indexing(self.store, self.index, records=records)

    @property
    def index_path(self) -> Path:
        return self.folder / ".commonplace" / "index.sqlite"

    def say(self, session: str, *texts: str | Message, role: str = "user", **more: object) -> None:
        messages = [text if isinstance(text, Message) else Message(role, text, **more) for text in texts]
        self.sessions.append(session, messages)

    def recall(self, text: str, *, now: datetime = NOW, explain: bool = False, weights=None, **limits) -> list[Hit]:
        query = Query(text=text, **limits)
        search = Search(query=query, indexing=self.indexing, now=now, config=RecallConfig(), layers=weights or {})
        return search.hits(explain=explain)

    def texts(self, text: str, **limits: object) -> list[str]:
        return [hit.text for hit in self.recall(text, **limits)]

    def differences(self) -> list[str]:
        """Return every difference between the files and the index, also what the next search takes in."""
        problems, states, records = self.indexing.check(), self.index.states(), self.records
        for path in [] if problems else [stat.path for stat in self.store.list()]:
            state = states.pop(path, None)
            if path.startswith("sessions/"):
                end = state.bytes if state else 0
                if state is None or next(whole_lines(self.store, path, end), b""):
                    problems.append(f"{path}: lines after byte {end} are not indexed")
            elif records is not None and records(path, data := self.store.read(path).data) is not None:
                problems += [] if state and state.crc == zlib.crc32(data) else [f"{path}: not indexed as it is"]
        return problems + [f"{path}: indexed, but the file is gone" for path in states]

    def close(self) -> None:
        self.index.close()
        self.store.close()


def lines_as_rows(path: str, data: bytes) -> list[IndexRow] | None:
    """Read a Markdown file as one record a line."""
    if not path.endswith(".md"):
        return None
    layer = "journals" if "HISTORY" in path else "documents"
    lines = [line[2:] for line in data.decode().splitlines() if line.startswith("- ")]
    return [IndexRow(record=f"{path}#{line}", text=line, layer=layer) for line in lines]
