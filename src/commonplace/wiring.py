"""One scope, wired: its store, its transcripts, its index, and what searches them.

The only place where the parts of the engine meet; `memory` gives them their public shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from commonplace import context as contexts
from commonplace import guard
from commonplace.changes import edits
from commonplace.config import Clock, Config
from commonplace.errors import ConfigError, IndexVersionError, ScopeError, StoreError
from commonplace.index.rows import IndexRow
from commonplace.index.sqlite import SqliteIndex
from commonplace.indexing import Indexing
from commonplace.layouts import Layout, native
from commonplace.recall import search
from commonplace.records import Entry, Hit, LayerName, Query, Record
from commonplace.sessions import Sessions
from commonplace.storage import STATE
from commonplace.storage.files import FilesStore
from commonplace.text import encode_name

LAYOUTS: Final[dict[str, Layout]] = {layout.name: layout for layout in (native.LAYOUT,)}
_SCOPE: Final = re.compile(r"[^\s/\\\x00-\x1f\x7f.][^/\\\x00-\x1f\x7f]{0,199}")


def layout_named(name: str) -> Layout:
    """Give a layout by its name.

    Raises:
        ConfigError: There is no layout of that name.
    """
    try:
        return LAYOUTS[name]
    except KeyError:
        names = ", ".join(sorted(LAYOUTS))
        raise ConfigError(f"there is no layout {name!r}; choose one of {names}", layout=name) from None


def scope_chain(scope: str | Iterable[str]) -> tuple[str, ...]:
    """Read a scope or an ordered chain of scopes.

    Raises:
        ScopeError: A name is empty, too long, doubled, or holds a slash or a control character.
    """
    chain = (scope,) if isinstance(scope, str) else tuple(scope)
    for name in chain:
        if not _SCOPE.fullmatch(name):
            raise ScopeError(
                f"{name!r} is no scope; use a name such as 'user:42', without slashes, at most 200 characters",
                scope=name,
            )
    if not chain or len(set(chain)) != len(chain):
        raise ScopeError("a scope chain holds at least one name, each once", scope=chain)
    return chain


class Scope:
    """The engine's parts for one scope.

    Args:
        location: The folder that `Memory.open` was given.
        name: `default` is the location itself; others have a folder of their own in it.
    """

    def __init__(
        self, location: str, name: str, *, layout: Layout, config: Config, clock: Clock, read_only: bool = False
    ) -> None:
        self.name = name
        self.layout = layout
        self.config = config
        self.zone = ZoneInfo(config.timezone)
        inside = "" if name == "default" else "/" + layout.scopes.format(scope=encode_name(name))
        self.store = FilesStore(location + inside, clock=clock, config=config.store, read_only=read_only)
        self.sessions = Sessions(
            self.store,
            screen=guard.screen,
            screen_content=guard.encodable if config.guard.raw_transcripts else None,
            clock=clock,
            guard=config.guard,
            folder=layout.sessions,
            zone=config.timezone,
            max_line_bytes=config.store.max_line_bytes,
        )
        self.indexing = Indexing(self.store, self._open_index(), folder=layout.sessions, records=self._rows)

    def _open_index(self) -> SqliteIndex:
        if self.store.read_only:
            return SqliteIndex(None)
        path = f"{self.store.root}/{STATE}/index.sqlite"
        try:
            return SqliteIndex(path)
        except (IndexVersionError, StoreError):
            return SqliteIndex(None)  # theirs stays as it is; ours is made in memory from the files

    def _rows(self, path: str, data: bytes) -> Iterable[IndexRow] | None:
        layer = self.layout.layer_of(path)
        if layer is None or not layer.weight:
            return None
        return [
            IndexRow(record=record.id, text=record.text, layer=layer.kind)
            for record in edits.records(layer, path, data, self.zone)
        ]

    @property
    def key(self) -> bytes:
        """The scope's own key."""
        return self.store.key()

    @property
    def recalled_layers(self) -> tuple[LayerName, ...]:
        """The layers whose records may enter a context unasked."""
        return self.layout.recalls

    def recall(self, query: Query, *, now: datetime, explain: bool) -> list[Hit]:
        """Search this scope."""
        return search.search(query, indexing=self.indexing, now=now, config=self.config.recall, explain=explain)

    def drafts(self, session_id: str | None) -> Iterator[contexts.Draft]:
        """Give the sections that stand in a context unasked, in the order of the layout."""
        for layer in self.layout.layers:
            if layer.shown:
                path = self.layout.path_of(layer)
                blob = self.store.read(path)
                if blob is not None:
                    entries = shown_entries(edits.records(layer, path, blob.data, self.zone))
                    yield contexts.Draft(layer.title, layer.shown, tuple(entries))
        if session_id is not None and self.sessions.exists(session_id):
            summary = self.sessions.summary(session_id)
            if summary:
                shown = contexts.Shown(self.sessions.path(session_id), summary)
                yield contexts.Draft("Earlier in this session", "volatile", (shown,))

    def sync(self) -> int:
        """Look at every file and bring the index up to it."""
        return self.indexing.catch_up(sweep=True)

    def close(self) -> None:
        """Let go of files and the index; what was acknowledged stays."""
        self.indexing.index.close()
        self.store.close()


def shown_entries(records: Iterable[Record]) -> Iterator[contexts.Shown]:
    """Give entries as they read in a prompt: list items, each new section with its heading."""
    section = ""
    for record in records:
        heading = ""
        if isinstance(record, Entry) and record.section != section:
            section = record.section
            heading = f"### {section}\n" if section else ""
        indented = record.text.replace("\n", "\n  ")
        yield contexts.Shown(record.id, f"{heading}- {indented}")
