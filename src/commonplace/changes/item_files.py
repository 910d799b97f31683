"""The place of each live item in its file, so that one of a hundred thousand is found without reading the others.

Derived, in memory: a file that only grew is read on from where it was read before, any other is read again. An item is
always read back from its file, so a place that proves wrong costs a reading and never gives a wrong answer.
"""

from __future__ import annotations

import threading
from itertools import islice

from commonplace.layouts.codecs import items
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.item_model import stays
from commonplace.records import Item
from commonplace.store.protocol import MISSING, Store


class ItemFile:
    """One file as far as it was read: the place of each live item, and the id of each fingerprint."""

    def __init__(self) -> None:
        self.version = MISSING
        self.size = 0
        self.tail = b""
        """The last line."""
        self.lines = 0
        self.malformed = 0
        self.places: dict[str, tuple[int, int]] = {}
        """The span of each live item, in the order of their last lines."""
        self.staying: set[str] = set()
        """The ids of those that stay in sight however old they are."""
        self.prints: dict[str, str] = {}

    def take(self, data: bytes) -> None:
        """Read lines that follow what was read before."""
        for line in items.read(data).lines:
            self.lines += 1
            self.tail = data[line.start : line.end]
            if line.data is None:
                self.malformed += 1
                continue
            self.places.pop(line.id, None)
            self.staying.discard(line.id)
            if not line.deleted:
                self.places[line.id] = (self.size + line.start, self.size + line.end)
                if stays(line.data):
                    self.staying.add(line.id)
                if isinstance(mark := line.data.get("fingerprint"), str):
                    self.prints[mark] = line.id
        self.size += len(data)


class ItemFiles:
    """The item files of one store. Safe across threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._files: dict[str, ItemFile] = {}
        self._lock = threading.Lock()

    def file(self, path: str) -> ItemFile:
        """Return what is known of a file, brought up to what it says now."""
        with self._lock:
            known = self._files.get(path)
            version = self._store.version(path)
            if known is None or known.version != version:
                known = self._files[path] = self._grown(path, known) or self._read(path)
            return known

    def _grown(self, path: str, known: ItemFile | None) -> ItemFile | None:
        """Read on in a file; None if it is not what was read with lines added."""
        if known is None or not known.tail.endswith(b"\n"):
            return None
        head = len(known.tail)
        blob = self._store.read(path, known.size - head)
        if blob is None or len(blob.data) <= head or blob.data[:head] != known.tail:
            return None
        known.take(blob.data[head:])
        known.version = blob.version
        return known

    def _read(self, path: str) -> ItemFile:
        fresh = ItemFile()
        blob = self._store.read(path)
        if blob is not None:
            fresh.take(blob.data)
            fresh.version = blob.version
        return fresh

    def item(self, path: str, name: str) -> Item | None:
        """Return a live item by its id in its file; None if there is none."""
        span = self.file(path).places.get(name)
        blob = self._store.read(path, *span) if span is not None else None
        found = items.records(path, blob.data) if blob is not None else ()
        return next((each for each in found if split_id(each.id)[1] == name), None)

    def newest(self, path: str, count: int) -> list[Item]:
        """Return the last items of a file, oldest first."""
        spans = list(islice(reversed(self.file(path).places.values()), count))
        first = min((start for start, _ in spans), default=0)
        blob = self._store.read(path, first) if spans else None
        if blob is None:
            return []
        lines = (blob.data[start - first : end - first] for start, end in reversed(spans))
        return [item for line in lines for item in items.records(path, line)]

    def staying(self, path: str) -> list[Item]:
        """Return the items of a file that stay in sight however old they are."""
        names = sorted(self.file(path).staying)
        return [found for name in names if (found := self.item(path, name)) is not None]

    def named(self, path: str, fingerprint: str) -> str | None:
        """Return the id of the live item with this fingerprint; None if none has it."""
        name = self.file(path).prints.get(fingerprint)
        found = self.item(path, name) if name is not None else None
        return name if found is not None and found.data.get("fingerprint") == fingerprint else None
