"""Make room in a full document without a model: its lowest-ranked entries move to a topic, in the same change.

Pure. What a person wrote stays; of the rest the least trusted go first, then the oldest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from commonplace.operations import AddEntry, Edit, PutTopic, RemoveEntry, ReplaceEntry, ViewEntry
from commonplace.records import TRUST_RANK, Source


class Room(msgspec.Struct, frozen=True):
    """A document with its limit: `size` measures one text in the limit's unit, separators included."""

    path: str
    limit: int
    size: Callable[[str], int]


class Shelf(msgspec.Struct, frozen=True):
    """The topic that takes what moves out of a document: its path and what it says already."""

    path: str
    title: str
    body: str


def relieve(
    entries: Sequence[ViewEntry],
    wanted: Sequence[Edit],
    room: Room,
    shelf: Shelf,
    *,
    age: Callable[[ViewEntry], int],
    sources: Callable[[ViewEntry], tuple[Source, ...]],
) -> list[Edit]:
    """Give the edits that make room for what is wanted; none where it fits or nothing may move.

    Args:
        entries: The document's entries as they stand.
        wanted: What is about to be done; entries it replaces do not move.
        room: The document and its limit.
        shelf: Where entries go.
        age: Higher for an entry that was written later.
        sources: What an entry rests on.
    """
    mine = [entry for entry in entries if entry.path == room.path]
    touched = {edit.target for edit in wanted if isinstance(edit, (ReplaceEntry, RemoveEntry))}
    coming = sum(room.size(edit.text) for edit in wanted if isinstance(edit, AddEntry) and edit.path == room.path)
    over = sum(room.size(entry.text) for entry in mine) + coming - room.limit
    if over <= 0 or not coming:
        return []
    movable = [entry for entry in mine if not (entry.user_authored or entry.pinned or entry.id in touched)]
    movable.sort(key=lambda entry: (TRUST_RANK[entry.trust], age(entry)))
    moved: list[ViewEntry] = []
    while over > 0 and movable:
        entry = movable.pop(0)
        moved.append(entry)
        over -= room.size(entry.text)
    if over > 0 or not moved:
        return []
    lines = [f"- {entry.text}" for entry in moved]
    body = "\n".join([*([shelf.body.rstrip()] if shelf.body.strip() else []), *lines])
    rests = tuple(dict.fromkeys(source for entry in moved for source in sources(entry)))
    topic = PutTopic(path=shelf.path, title=shelf.title, body=body, kind="archive", sources=rests)
    return [*(RemoveEntry(path=room.path, target=entry.id) for entry in moved), topic]
