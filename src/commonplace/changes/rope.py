"""A text under edit: kept spans of the original bytes with new text between them.

Several operations on one file become one write: each edit speaks of the text as the edits before it
left it, the rope speaks of the file as it is on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commonplace.layouts.codecs import edits
from commonplace.text.spans import Keep


class Rope:
    """What a file is about to read as: `original` are the bytes it began with, `data` the bytes as they are now."""

    def __init__(self, original: bytes) -> None:
        self.original = self.data = original
        self.pieces: tuple[Keep | str, ...] = (Keep(0, len(original)),) if original else ()
        """What the original becomes: kept spans and new texts, neighbours joined."""

    @property
    def changed(self) -> bool:
        """True if the text differs from the original."""
        return self.data != self.original

    def edit(self, pieces: Sequence[Keep | str]) -> None:
        """Replace the text by pieces; their kept spans are offsets in the current text."""
        self.pieces = tuple(edits.joined(_through(self.pieces, pieces)))
        self.data = edits.assemble(self.original, self.pieces)


def _through(first: Sequence[Keep | str], second: Sequence[Keep | str]) -> Iterator[Keep | str]:
    """Express pieces against the middle bytes as pieces against the first ones."""
    middle: list[tuple[int, int, Keep | bytes]] = []
    at = 0
    for part in first:
        source = part if isinstance(part, Keep) else edits.encode(part)
        size = source.end - source.start if isinstance(source, Keep) else len(source)
        middle.append((at, at + size, source))
        at += size
    for piece in second:
        if not isinstance(piece, Keep):
            yield piece
            continue
        for start, end, source in middle:
            low, high = max(start, piece.start), min(end, piece.end)
            if low >= high:
                continue
            if isinstance(source, Keep):
                yield Keep(source.start + low - start, source.start + high - start)
            else:
                yield edits.decode(source[low - start : high - start])
