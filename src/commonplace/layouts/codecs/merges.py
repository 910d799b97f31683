"""Merge two edits of one document, entry by entry.

A merge holds what both sides did; if both changed one entry, the outside edit wins and ours is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from commonplace.errors import CommonplaceError
from commonplace.layouts.codecs import documents, edits, rewrites
from commonplace.layouts.codecs.edits import Duplicate, Effect
from commonplace.layouts.codecs.entries import Document

_MERGE_BYTES: Final = 64_000_000  # edits times size: beyond, a merge is left to a person


class Merged(msgspec.Struct, frozen=True):
    """The merge of two edits of one document; `conflicts` are the texts of ours that lost (empty: one we removed)."""

    data: bytes
    conflicts: tuple[str, ...] = ()


def merge3(path: str, before: bytes, theirs: bytes, ours: bytes, *, style: str = "") -> Merged | None:
    """Apply our edit of a document to the other's, entry by entry; None if only a person can merge them.

    Their bytes stay but for what we did: our new entries go below the neighbour they had, our removals
    and replacements hold where they left the entry alone. Headings we added come with their entries;
    any other change of ours outside of entries, the generated index apart, cannot be merged.
    """
    base, their, our = (Document(path, edits.decode(data), style) for data in (before, theirs, ours))
    if not _only_adds_headings(base, our):
        return None
    same, replaced = rewrites.align(base, our)
    changed = dict(replaced)
    came = [j for j in range(len(our.ids)) if j not in set(same.values()) and j not in set(changed.values())]
    went = [i for i in range(len(base.ids)) if i not in same and i not in changed]
    if (len(came) + len(went) + len(changed)) * len(theirs) > _MERGE_BYTES:
        return None
    merge = _Merge(path, theirs, style)
    unchanged = rewrites.equal(base.ids, their.ids)
    edited = {i for i, _j in rewrites.align(base, their)[1]}
    theirs_now = {one.id for one in their.ids}
    for i, j in sorted(changed.items()):
        if our.ids[j].id not in theirs_now:
            merge.replace(their.ids[unchanged[i]].id if i in unchanged else "", our.parts[j].text)
    for i in sorted(went, reverse=True):
        if i in unchanged:
            merge.remove(their.ids[unchanged[i]].id)
        elif i in edited:
            merge.conflicts.append("")
    for j in came:
        merge.add(our, j)
    merge.index(our, base)
    return Merged(merge.data, tuple(merge.conflicts))


class _Merge:
    """Our edits, put one after the other onto their bytes."""

    def __init__(self, path: str, theirs: bytes, style: str) -> None:
        self.path = path
        self.style = style
        self.data = theirs
        self.successors: dict[str, str] = {}
        self.conflicts: list[str] = []

    def _take(self, effect: Effect | Duplicate) -> None:
        if isinstance(effect, Effect):
            self.data = edits.assemble(self.data, effect.pieces)
            self.successors = {old: effect.successors.get(new, new) for old, new in self.successors.items()}
            self.successors |= effect.successors

    def _try(self, text: str, edit: Callable[[], Effect | Duplicate]) -> None:
        try:
            self._take(edit())
        except CommonplaceError:
            self.conflicts.append(text)

    def replace(self, target: str, text: str) -> None:
        current = self.successors.get(target, target)  # none if they changed it
        self._try(text, lambda: documents.replace(self.path, self.data, current, text, style=self.style))

    def remove(self, target: str) -> None:
        self._try("", lambda: documents.remove(self.path, self.data, target, style=self.style))

    def add(self, our: Document, place: int) -> None:
        """Add one of our entries below the nearest entry above it that they have too."""
        document = Document(self.path, edits.decode(self.data), self.style)
        part = our.parts[place]
        known = {one.id: i for i, one in enumerate(document.ids)}
        if our.ids[place].fingerprint in {one.fingerprint for one in document.ids}:
            return
        above = next((i for i in range(place - 1, -1, -1) if our.parts[i].section != part.section), -1)
        near = next((our.ids[i].id for i in range(place - 1, above, -1) if our.ids[i].id in known), None)
        if near is None or self.style == "separator":
            section = "" if self.style == "separator" else part.section
            self._try(
                part.text, lambda: documents.add(self.path, self.data, part.text, section=section, style=self.style)
            )
        else:
            anchor = document.parts[known[near]].block
            self._try(part.text, lambda: documents.place_entry(self.data, document, part.text, anchor))

    def index(self, our: Document, base: Document) -> None:
        """Copy the generated index if we changed it."""
        lines = _index_lines(our)
        if lines is not None and lines != _index_lines(base):
            self._take(documents.replace_index(self.path, self.data, lines))


def _only_adds_headings(base: Document, our: Document) -> bool:
    """True if our structure is that of the base, with nothing but headings added to it."""
    left = iter([one for one in base.structure() if one != "index"])
    expected = next(left, None)
    for piece in our.structure():
        if piece == "index":
            continue
        if piece == expected:
            expected = next(left, None)
        elif not piece.startswith("#"):
            return False
    return expected is None


def _index_lines(document: Document) -> list[str] | None:
    """Return the lines of the generated index block; None if there is none."""
    block = next((one for one in document.blocks if one.kind == "index"), None)
    if block is None:
        return None
    return document.text[block.start : block.end].replace("\r\n", "\n").split("\n")[1:-1]
