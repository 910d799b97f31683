"""Gather what a consolidator sees and what the gate judges by: the range, the records, the limits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from commonplace.changes.log import Ledger
from commonplace.changes.plan import files_of
from commonplace.changes.reader import Reader
from commonplace.config import Config
from commonplace.consolidation.overflow import Room, Shelf, relieve
from commonplace.layouts import Layout
from commonplace.operations import AddEntry, Edit, View, ViewEntry
from commonplace.records import RecordedMessage, Source, Topic
from commonplace.text import estimate_tokens

_NO_ENTRY_KINDS = frozenset({"journal", "topic"})


_SEPARATOR = 3  # what stands between two entries: a bullet and a line break, or a separator line


class Views:
    """Makes views of one scope's memory."""

    def __init__(self, layout: Layout, reader: Reader, ledger: Ledger, config: Config) -> None:
        self._layout = layout
        self._reader = reader
        self._ledger = ledger
        self._config = config

    def places(self, at: datetime) -> dict[str, str]:
        """Say which file takes a memory of which kind at an instant."""
        found: dict[str, str] = {}
        for kind, name in self._layout.targets.items():
            layer = self._layout.layer(name)
            if kind not in _NO_ENTRY_KINDS and "{topic}" not in layer.path:
                found[kind] = files_of(self._layout, layer, at)
        return found

    def documents(self, at: datetime) -> dict[str, str]:
        """Give the whole texts of the documents among the places."""
        found: dict[str, str] = {}
        for path in dict.fromkeys(self.places(at).values()):
            layer = self._layout.layer_of(path)
            if layer is not None and layer.kind == "documents":
                found[path] = self._reader.text(path)
        return found

    def journal_path(self, at: datetime) -> str:
        """Name the journal that takes what happened at an instant."""
        return files_of(self._layout, self._layout.layer(self._layout.targets["journal"]), at)

    def relief(self, view: View, wanted: Sequence[Edit]) -> list[Edit]:
        """Give the edits that make room for what is wanted in documents that would pass their limit."""
        topics = self._layout.targets.get("topic")
        if topics is None:
            return []
        made: list[Edit] = []
        for path in dict.fromkeys(edit.path for edit in wanted if isinstance(edit, AddEntry)):
            layer = self._layout.layer_of(path)
            knob = (layer.cap or layer.compress_over) if layer is not None else ""
            if layer is None or not knob:
                continue
            room = Room(path, getattr(self._config.limits, knob), partial(_size, unit=knob.rsplit("_", 1)[-1]))
            inside = path.removeprefix(self._layout.memory).strip("/").removesuffix(".md")
            name = f"older-{inside.replace('/', '-').lower()}"
            shelf_path = self._layout.path_of(self._layout.layer(topics), topic=name)
            body = next((r.body for r in self._reader.records(shelf_path) if isinstance(r, Topic)), "")
            shelf = Shelf(shelf_path, f"Older entries of {path}", body)
            made += relieve(view.entries, wanted, room, shelf, age=self._age, sources=self._sources)
        return made

    def _age(self, entry: ViewEntry) -> int:
        made = self._ledger.made(entry.id)
        return made[0] if made else 0

    def _sources(self, entry: ViewEntry) -> tuple[Source, ...]:
        made = self._ledger.made(entry.id)
        return made[1].sources if made else ()

    def view(self, messages: Sequence[RecordedMessage], at: datetime) -> View:
        """Give the view of a range: the records of every place it may write, as far as the limit goes."""
        self._ledger.catch_up()
        paths = list(dict.fromkeys(self.places(at).values()))
        shown = tuple(self._layout.path_of(layer) for layer in self._layout.layers if layer.shown == "stable")
        entries: list[ViewEntry] = []
        compress = False
        caps: dict[str, int] = {}
        for path in paths:
            layer = self._layout.layer_of(path)
            records = self._reader.records(path)
            if layer is not None and layer.compress_over:
                caps[path] = getattr(self._config.limits, layer.compress_over)
                compress = compress or sum(len(r.text.encode()) + 3 for r in records) > caps[path]
            for record in records[-self._config.consolidation.entries :]:
                made = self._ledger.made(record.id)
                entries.append(
                    ViewEntry(
                        id=record.id,
                        number=len(entries) + 1,
                        path=path,
                        text=record.text,
                        trust=self._reader.trust(record),
                        user_authored=made[1].person if made else not self._layout.agent_edits_files,
                        shown=path in shown,
                    )
                )
        return View(
            messages=tuple(messages),
            entries=tuple(entries),
            caps=caps,
            shown=shown,
            writable=tuple(paths),
            compress=compress,
        )


def _size(text: str, *, unit: str) -> int:
    """Measure an entry in a document in characters, bytes or tokens."""
    if unit == "tokens":
        return estimate_tokens(text) + 1
    return len(text.encode() if unit == "bytes" else text) + _SEPARATOR
