"""Gather what a consolidator sees and what the gate judges by: the range, the records, the limits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from commonplace.changes.log import Ledger
from commonplace.changes.plan import files_of
from commonplace.changes.reader import Reader
from commonplace.config import Config
from commonplace.layouts import Layout
from commonplace.operations import View, ViewEntry
from commonplace.records import RecordedMessage

_NO_ENTRY_KINDS = frozenset({"journal", "topic"})


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

    def view(self, messages: Sequence[RecordedMessage], at: datetime) -> View:
        """Give the view of a range: the records of every place it may write, as far as the limit goes."""
        self._ledger.catch_up()
        paths = list(dict.fromkeys(self.places(at).values()))
        shown = tuple(self._layout.path_of(layer) for layer in self._layout.layers if layer.shown)
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
