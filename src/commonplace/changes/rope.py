"""A text under edit: kept spans of the original bytes with new text between them.

Several operations on one file become one write: each edit speaks of the text as the edits before it
left it, the rope speaks of the file as it is on disk.
"""

from __future__ import annotations

from collections.abc import Sequence

from commonplace.text.spans import Keep


class Rope:
    """What a file is about to read as."""

    def __init__(self, original: bytes) -> None:
        self._original = original
        self._pieces: list[Keep | str] = [Keep(0, len(original))] if original else []
        self._bytes: bytes | None = original

    @property
    def original(self) -> bytes:
        """The bytes the rope began with."""
        return self._original

    @property
    def data(self) -> bytes:
        """The bytes as they are now."""
        if self._bytes is None:
            self._bytes = b"".join(
                self._original[piece.start : piece.end] if isinstance(piece, Keep) else encode(piece)
                for piece in self._pieces
            )
        return self._bytes

    @property
    def pieces(self) -> tuple[Keep | str, ...]:
        """What the original becomes: kept spans and new texts, neighbours joined."""
        return tuple(_joined(self._pieces))

    @property
    def changed(self) -> bool:
        """True if the text differs from the original."""
        return self.data != self._original

    def edit(self, pieces: Sequence[Keep | str]) -> None:
        """Replace the text by pieces; their kept spans are offsets in the current text."""
        fresh: list[Keep | str] = []
        for piece in pieces:
            fresh.extend(self._slice(piece.start, piece.end) if isinstance(piece, Keep) else [piece])
        self._pieces = [piece for piece in fresh if not isinstance(piece, Keep) or piece.end > piece.start]
        self._bytes = None

    def _slice(self, start: int, end: int) -> list[Keep | str]:
        found: list[Keep | str] = []
        at = 0
        for piece in self._pieces:
            size = piece.end - piece.start if isinstance(piece, Keep) else len(encode(piece))
            low, high = max(start, at), min(end, at + size)
            if low < high:
                if isinstance(piece, Keep):
                    found.append(Keep(piece.start + low - at, piece.start + high - at))
                else:
                    found.append(encode(piece)[low - at : high - at].decode("utf-8", "surrogateescape"))
            at += size
        return found


def encode(text: str) -> bytes:
    """Encode text that may carry bytes that were no UTF-8 when they were read."""
    return text.encode("utf-8", "surrogateescape")


def _joined(pieces: Sequence[Keep | str]) -> list[Keep | str]:
    joined: list[Keep | str] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if isinstance(piece, Keep) and isinstance(last, Keep) and last.end == piece.start:
            joined[-1] = Keep(last.start, piece.end)
        elif isinstance(piece, str) and isinstance(last, str):
            joined[-1] = last + piece
        elif piece != "":
            joined.append(piece)
    return joined
