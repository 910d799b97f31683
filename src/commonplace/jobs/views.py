"""Gather what a consolidator sees and what the gate judges by: the range, the records, the limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from commonplace.changes.parts import Parts
from commonplace.changes.plan import files_of
from commonplace.changes.reader import Reader
from commonplace.guard import screen
from commonplace.layouts.codecs import documents
from commonplace.layouts.codecs.documents import cap_of
from commonplace.operations import View, ViewEntry
from commonplace.records import Entry, Record, RecordedMessage
from commonplace.text.pieces import estimate_tokens

_NO_ENTRY_KINDS = frozenset({"journal", "topic"})


_UNITS = {"chars": "characters"}
_SPOKEN_CHARS = 1000  # of a message that may correct an entry; a longer one tells or pastes
_MOVED = 40  # entries that are not shown any more, in one view
_SEPARATOR = 3  # what stands between two entries: a bullet and a line break, or a separator line


Related = Callable[[str], Sequence[Record]]
"""Finds entries that speak of the same as a text, among those that moved out of a full document."""


class Views:
    """Makes views of one scope's memory.

    Args:
        parts: The scope.
        related: Finds entries that are not shown any more, so that what is said of them now is held against them.
    """

    def __init__(self, parts: Parts, related: Related) -> None:
        self._related = related
        self._layout = parts.layout
        self._reader = parts.reader
        self._ledger = parts.ledger
        self._config = parts.config

    @property
    def reader(self) -> Reader:
        """What the records are read by."""
        return self._reader

    def entries(self, path: str) -> list[ViewEntry]:
        """Give the entries of one document, by number, with who wrote them last."""
        self._ledger.catch_up()
        told = self._reader.told(self._reader.records(path))
        return [self._entry(record, path, number) for number, record in enumerate(told, 1)]

    def _entry(self, record: Record, path: str, number: int, *, shown: bool = True) -> ViewEntry:
        made = self._ledger.made(record.id)
        trust = self._reader.trust(record)
        return ViewEntry(
            id=record.id,
            number=number,
            path=path,
            text=screen(record.text).text,  # a prompt is made of it
            section=record.section if isinstance(record, Entry) else "",
            trust=trust,
            user_authored=made[1].person if made else trust == "user",
            shown=shown,
        )

    def places(self, at: datetime) -> dict[str, str]:
        """Say which file takes a memory of which kind at an instant."""
        found: dict[str, str] = {}
        for kind, name in self._layout.targets.items():
            layer = self._layout.layer(name)
            if kind not in _NO_ENTRY_KINDS and "{topic}" not in layer.path:
                found[kind] = files_of(self._layout, layer, at)
        return found

    def documents(self, at: datetime) -> dict[str, str]:
        """Give the texts of the documents among the places; of a long one its end, from an entry on."""
        found: dict[str, str] = {}
        for path in dict.fromkeys(self.places(at).values()):
            layer = self._layout.layer_of(path)
            if layer is not None and layer.kind == "documents":
                data = self._reader.data(path) or b""
                data = self._told(path, data, layer.style)
                found[path] = data[self._end(path, data, layer.style) :].decode("utf-8", "surrogateescape")
        return found

    def _told(self, path: str, data: bytes, style: str) -> bytes:
        """Give a document without the entries that may not enter a prompt; its other bytes are as they were."""
        parsed = documents.parse(path, data, style)
        told = {record.id: record.text for record in self._reader.told(placed.entry for placed in parsed)}
        for placed in reversed(parsed):
            if told.get(placed.entry.id) != placed.entry.text:
                data = data[: placed.start] + data[placed.end :].removeprefix(b"\n")
        return data

    def _end(self, path: str, data: bytes, style: str) -> int:
        """Say where the end of a document begins that is short enough to be written anew."""
        left = self._config.consolidation.rewrite_tokens
        if len(data) <= left:  # a token is at least one byte
            return 0
        placed = documents.parse(path, data, style)
        for place in reversed(placed):
            left -= estimate_tokens(place.entry.text) + _SEPARATOR
            if left < 0:
                return place.end + (data[place.end : place.end + 1] == b"\n")
        return 0

    def journal_path(self, at: datetime) -> str:
        """Return the journal that takes what happened at an instant; empty if the layout has none."""
        if "journal" not in self._layout.targets:
            return ""
        return files_of(self._layout, self._layout.layer(self._layout.targets["journal"]), at)

    def _moved(self, messages: Sequence[RecordedMessage]) -> list[Record]:
        """Find the entries that moved out of full documents and that a person's words in a range may speak of."""
        said = [
            each.text
            for each in messages
            if each.message.role == "user" and len(each.text) <= _SPOKEN_CHARS and not each.text.endswith(("?", "？"))
        ]
        found = [record for text in said for record in self._related(text)]
        return list({record.id: record for record in self._reader.told(found)}.values())[:_MOVED]

    def view(self, messages: Sequence[RecordedMessage], at: datetime, texts: Mapping[str, str] | None = None) -> View:
        """Give the view of a range: the records of every place it may write, as far as the limit goes.

        Where a document is written anew from its text in `texts`, every entry of that text is in the view.
        """
        self._ledger.catch_up()
        paths = list(dict.fromkeys(self.places(at).values()))
        shown = tuple(
            self._layout.path_of(layer) for layer in self._layout.layers if self._layout.part(layer) == "stable"
        )
        entries: list[ViewEntry] = []
        limit = ""
        for path in paths:
            layer = self._layout.layer_of(path)
            records = tuple(self._reader.told(self._reader.records(path)))
            if layer is not None and layer.compress:
                cap = cap_of(layer, self._config.limits)
                if cap is not None and cap.over(self._reader.text(path)) > 0:
                    limit = limit or f"{cap.limit} {_UNITS.get(cap.unit, cap.unit)}"
            count = self._config.consolidation.entries
            if texts and path in texts and layer is not None:
                count = len(list(documents.records(path, texts[path].encode("utf-8", "surrogateescape"), layer.style)))
            for record in records[len(records) - min(count, len(records)) :]:
                entries.append(self._entry(record, path, len(entries) + 1, shown=path in shown))
        moved = self._moved(messages) if texts is None or not texts else []
        entries += [self._entry(each, each.path, len(entries) + n, shown=False) for n, each in enumerate(moved, 1)]
        return View(
            messages=tuple(messages),
            entries=tuple(entries),
            shown=shown,
            writable=tuple(dict.fromkeys([*paths, *(each.path for each in moved)])),
            compress=bool(limit),
            limit=limit,
        )
