"""Merge an edit from outside that raced a commit, entry by entry; the store calls it in the middle of one."""

from __future__ import annotations

import threading

from commonplace.layers.merges import merge3
from commonplace.layouts import Layout


class Merging:
    """A store's `Rebase` for one layout; remembers which files an edit of ours gave way in."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._lost = threading.local()

    def __call__(self, path: str, before: bytes, theirs: bytes, ours: bytes) -> bytes | None:
        """Give both edits in one text, theirs winning where both touched an entry; None where a person must."""
        layer = self._layout.layer_of(path)
        if layer is None or layer.kind != "documents":
            return None
        merged = merge3(path, before, theirs, ours, style=layer.style)
        if merged is None:
            return None
        if merged.conflicts:
            self.gave_way().add(path)
        return merged.data

    def gave_way(self) -> set[str]:
        """The files, in this thread's commit, in which something of ours did not get in."""
        found: set[str] = self._lost.__dict__.setdefault("paths", set())
        return found
