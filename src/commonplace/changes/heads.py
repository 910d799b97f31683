"""What the head of each topic says: its front matter, and when it last changed.

Kept in memory by the token of each file: if no topic changed no file is read, and one that changed is read
alone.

Source: seed memdir, "memoryScan".
"""

from __future__ import annotations

from collections.abc import Container
from datetime import UTC, datetime
from typing import Final

import msgspec

from commonplace.changes.log import Ledger
from commonplace.changes.marks import mark_of
from commonplace.guard.written import statements
from commonplace.layouts.codecs import edits, topics
from commonplace.layouts.schema import Layout
from commonplace.records import Topic, Trust
from commonplace.store.protocol import Store
from commonplace.text import frontmatter
from commonplace.text.instants import instant_of
from commonplace.text.pieces import beginning, one_line
from commonplace.text.standing import is_standing

LINES: Final = 30  # seed memdir: of a file; here of what follows its front matter, if it has one
_BEGINNING: Final = 4_000  # characters that those lines may have
_BYTES: Final = 24_000  # of a file; no front matter that is read is as long
_HOOK_CHARS: Final = 150


class Head(msgspec.Struct, frozen=True):
    """What a topic says of itself; `description` is the beginning of its text if it has none.

    `stays` says that it is pinned, or an instruction that holds for good: its pointer is the last to be left out.
    `mark` is how far it says that it is trusted, None if it does not. `orders` are its statements that are standing
    instructions or matters of safety.
    """

    path: str
    title: str
    description: str
    kind: str
    at: datetime
    stays: bool = False
    mark: Trust | None = None
    orders: tuple[str, ...] = ()


class Heads:
    """Reads the heads of the topics of one scope."""

    def __init__(self, store: Store, layout: Layout, ledger: Ledger) -> None:
        self._store = store
        self._layout = layout
        self._ledger = ledger
        self._known: dict[str, tuple[str, str, Head | None]] = {}  # a file's token, layer and head

    def all(self, layers: Container[str]) -> list[Head]:
        """Return the heads of the topics of some layers, by path."""
        self._ledger.catch_up()
        known: dict[str, tuple[str, str, Head | None]] = {}
        for stat in self._store.list(self._layout.memory):
            found = self._known.get(stat.path)
            if found is None or found[0] != stat.token:
                found = (stat.token, *self._look(stat.path, stat.written_ns))
            known[stat.path] = found
        self._known = known
        return [head for _, layer, head in known.values() if head is not None and layer in layers]

    def _look(self, path: str, written_ns: int) -> tuple[str, Head | None]:
        layer = self._layout.layer_of(path)
        if layer is None or layer.kind != "topics":
            return "", None
        blob = self._store.read(path, 0, _BYTES)
        if blob is None:
            return layer.name, None
        found = head(path, blob.data, layer.style, self._written(path, written_ns))
        made = self._ledger.made(path)
        said = made[1].said if made else None  # what the file says of itself is when it was written
        return layer.name, msgspec.structs.replace(found, at=said) if said else found

    def _written(self, path: str, written_ns: int) -> datetime:
        """Return when a file was written: as the change log has it, or as its system says of an edit from outside."""
        made = self._ledger.made(path)
        change = self._ledger.change(made[0]) if made else None
        if change is not None and (not written_ns or "outside" not in change.kinds):
            return change.at
        return datetime.fromtimestamp(written_ns // 10**9, UTC)


def head(path: str, data: bytes, style: str, written: datetime) -> Head:
    """Return the head of a topic that was written at an instant, if it does not say itself when."""
    text = edits.decode(data[:_BYTES])
    found = frontmatter.find(text)
    body = found[2] if found else 0
    rest = text[body : body + _BEGINNING].splitlines(keepends=True)[:LINES]
    topic = topics.parse(path, "".join([text[:body], *rest]).encode("utf-8", "surrogateescape"), style).topic
    first = next((line.lstrip("#-*> \t") for line in rest if line.strip("#-*> \t\r\n")), "")
    meta = topic.extra.get("metadata")
    pinned = topic.extra.get("pinned", meta.get("pinned") if isinstance(meta, dict) else None)
    return Head(
        path,
        topic.title,
        one_line(topic.description) or beginning(first, _HOOK_CHARS),
        topic.kind,
        stamp(topic) or written,
        stays=str(pinned).casefold() in {"true", "yes"} or is_standing(topic.description),
        mark=mark_of(topic),
        orders=tuple(filter(is_standing, statements(text[body:]))),
    )


def stamp(topic: Topic) -> datetime | None:
    """Return when a topic changed, as its front matter says."""
    written = str(topic.extra.get("updatedAt") or topic.extra.get("modified") or "")
    return instant_of(int(written) if written.isascii() and written.isdigit() else written)
