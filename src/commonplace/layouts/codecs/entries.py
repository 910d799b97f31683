"""Reading a document to its entries and its structure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from commonplace.errors import InputError
from commonplace.layouts.codecs import blocks, edits
from commonplace.layouts.codecs.blocks import Block
from commonplace.layouts.codecs.edits import Numbered
from commonplace.text.patterns import pattern

SEPARATOR: Final = "§"  # seed facts: entries are joined by a line of it
STYLES: Final = ("", "list", "paragraph", "separator")
_SEPARATED: Final = pattern(rf"^{SEPARATOR}\r?$", re.MULTILINE)
_KEPT_BYTES: Final = 1 << 18  # a larger document is read anew: what was read of it takes many times its bytes
ENTRY_KINDS: Final = frozenset(["item", "fence", "text"])
"""Blocks that are entries; all others are structure."""


class Part(NamedTuple):
    """One entry as read: its words, its section, and its block."""

    text: str
    section: str
    block: Block


class Document:
    """One text read to its entries (`parts`) and its structure, in characters."""

    __slots__ = ("blocks", "ids", "newline", "parts", "path", "style", "text")

    def __init__(self, path: str, text: str, style: str) -> None:
        if style not in STYLES:
            raise InputError(f"no document style {style!r}; use one of {', '.join(map(repr, STYLES))}")
        self.path = path
        self.text = text
        self.style = style
        self.newline = edits.newline_of(text)
        self.blocks = _separated(text) if style == "separator" else blocks.scan(text, items=style != "paragraph")
        self.parts = list(_parts(text, self.blocks))
        self.ids: list[Numbered] = edits.number(path, (part.text for part in self.parts))

    def structure(self) -> list[str]:
        """Return what is no entry, piece by piece; the generated index by its name only."""
        return [
            "index" if block.kind == "index" else self.text[block.start : block.end]
            for block in self.blocks
            if block.kind not in ENTRY_KINDS
        ]


def read(path: str, data: bytes, style: str) -> Document:
    """Read a document's bytes; what it gives is shared, as one change asks for the same bytes several times."""
    return _kept(path, data, style) if len(data) <= _KEPT_BYTES else Document(path, edits.decode(data), style)


@lru_cache(maxsize=8)
def _kept(path: str, data: bytes, style: str) -> Document:
    return Document(path, edits.decode(data), style)


def _parts(text: str, found: Sequence[Block]) -> Iterator[Part]:
    section = ""
    for block in found:
        if block.kind == "heading":
            section = edits.visible(block.title)
        elif block.kind in ENTRY_KINDS:
            words = _words(text, block)
            if words:
                yield Part(words, section, block)


def _words(text: str, block: Block) -> str:
    """Return the words of an entry: without bullet, indentation of its continuation lines and blank edges."""
    raw = edits.visible(text[block.body : block.end])
    if "\n" not in raw:
        return raw.strip()
    lines = raw.replace("\r\n", "\n").split("\n")
    if block.width:
        lines[1:] = [blocks.dedent(line, block.width) for line in lines[1:]]
    return "\n".join(line if line.strip() else "" for line in lines).strip()


def _separated(text: str) -> list[Block]:
    """Split a text at its separator lines; each block is trimmed, empty ones are none."""
    found: list[Block] = []
    start = 1 if text.startswith("\ufeff") else 0
    for stop in [*(match.span() for match in _SEPARATED.finditer(text)), (len(text), len(text))]:
        inside = text[start : stop[0]]
        words = inside.strip()
        if words:
            begin = start + len(inside) - len(inside.lstrip())
            found.append(Block("text", begin, begin, begin + len(words)))
        start = stop[1]
    return found
