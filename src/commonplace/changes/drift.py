"""Edits made past the door: found, left as they are, logged as `outside`.

A person may edit any file with any tool at any time. What they wrote wins; the log says what it
replaced, and ids of entries they changed lead on to what stands there now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import tzinfo
from typing import Any

import msgspec

from commonplace.changes import diffs, edits
from commonplace.changes.log import Added, Ledger, Payload
from commonplace.changes.sealing import sealed
from commonplace.guard import screen
from commonplace.index.seen import Seen
from commonplace.layers import rewrites
from commonplace.layouts import Layer, Layout
from commonplace.records import Screened, Trust
from commonplace.storage import MISSING, Keep, Store


class Drift:
    """Notices outside edits of one scope.

    Args:
        trust: How far an outside edit is trusted: `agent` where the layout's agent has a file tool.
        noticed: Told the paths that changed, so that the index looks into them.
    """

    def __init__(
        self,
        store: Store,
        layout: Layout,
        seen: Seen,
        ledger: Ledger,
        *,
        zone: tzinfo,
        trust: Trust,
        noticed: Callable[[Iterable[str]], None],
    ) -> None:
        self._store = store
        self._layout = layout
        self._seen = seen
        self._ledger = ledger
        self._zone = zone
        self._trust: Trust = trust
        self._noticed = noticed
        self._tokens: dict[str, str] = {}

    def sweep(self) -> list[str]:
        """Look at every file of memory and give those that were edited outside."""
        stats = {s.path: s.token for s in self._store.list(self._layout.memory) if self._layout.layer_of(s.path)}
        moved = [path for path, token in stats.items() if self._tokens.get(path) != token]
        known = self._seen.versions()
        gone = [path for path in known if path not in stats and self._layout.layer_of(path)]
        found = self.look([*moved, *gone])
        self._tokens = stats
        return found

    def look(self, paths: Iterable[str]) -> list[str]:
        """Compare some files with what they said when last looked at; log what differs, and give it."""
        if self._store.read_only:
            return []
        edited = [path for path in paths if self._version(path) != (self._seen.version(path) or MISSING)]
        for path in edited:
            with self._seen.exclusive():
                self._take(path)
        if edited:
            self._noticed(edited)
        return edited

    def note(self, paths: Iterable[str]) -> None:
        """Remember what the door itself made of some files."""
        for path in paths:
            if self._layout.layer_of(path) is None:
                continue
            blob = self._store.read(path)
            if blob is None:
                self._seen.drop(path)
            else:
                self._seen.note(path, self._store.version(path), _text(blob.data))

    def _version(self, path: str) -> str:
        return self._store.version(path)

    def _take(self, path: str) -> None:
        layer = self._layout.layer_of(path)
        version = self._version(path)
        if layer is None or version == (self._seen.version(path) or MISSING):
            return  # another process was first
        blob = self._store.read(path)
        after = blob.data if blob else b""
        before = (self._seen.text(path) or "").encode()
        header = {"actor": "outside", "kinds": ["outside"], "outside": [screen(path)]}
        self._store.commit(
            header, {"change": sealed(msgspec.to_builtins(self._payload(layer, path, before, after)))}, ()
        )
        if blob is None:
            self._seen.drop(path)
        else:
            self._seen.note(path, version, _text(after))

    def _payload(self, layer: Layer, path: str, before: bytes, after: bytes) -> Payload:
        shown = _text(after).text.encode()
        old = {record.id: record.text for record in edits.records(layer, path, before, self._zone)} if before else {}
        new = {record.id: record.text for record in edits.records(layer, path, shown, self._zone)} if shown else {}
        successors: dict[str, str] = {}
        if layer.kind == "documents" and before and shown:
            successors = rewrites.compare(path, before, shown, style=layer.style).successors
        return Payload(
            reason="edited outside",
            diff=diffs.of_pieces(path, before, edits.between(before, shown)),
            added=tuple(
                Added(record, text, self._trust, person=True) for record, text in new.items() if record not in old
            ),
            successors=successors,
            removed_ids=tuple(record for record in old if record not in new and record not in successors),
        )


def _way_back(before: bytes | None, after: bytes | None) -> dict[str, Any]:
    """Give what takes an outside edit back: kept spans, lengths of new text, old text; nothing where unknown."""
    if before is None or after is None:
        return {}
    pieces = edits.between(before, after)
    return {
        "pieces": [[p.start, p.end] if isinstance(p, Keep) else len(p.encode()) for p in pieces],
        "removed": [[start, screen(part.decode("utf-8", "replace"))] for start, part in diffs.gaps(before, pieces)],
    }


def _text(data: bytes) -> Screened:
    return screen(data.decode("utf-8", "replace"))
