"""Merge an edit from outside that raced a commit, entry by entry; the store calls it in the middle of one."""

from __future__ import annotations

from commonplace.layers.merges import merge3
from commonplace.layouts import Layout
from commonplace.storage import Rebase


def merging(layout: Layout) -> Rebase:
    """Give a store's `Rebase` for one layout: theirs wins where both touched an entry.

    The door sees by the file what of ours gave way, and puts it before a person.
    """

    def merge(path: str, before: bytes, theirs: bytes, ours: bytes) -> bytes | None:
        layer = layout.layer_of(path)
        if layer is None or layer.kind != "documents":
            return None
        merged = merge3(path, before, theirs, ours, style=layer.style)
        return merged.data if merged is not None else None

    return merge
