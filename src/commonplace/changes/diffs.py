"""Show and invert edits that are given as kept spans and new texts.

The diff is of what was really written: it is read from the pieces, not from a description of them, and its
cost depends on what changed, not on the size of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from commonplace.text.pieces import truncate
from commonplace.text.spans import Keep

Piece = Keep | str
SHOWN_CHARS = 200_000  # of one diff; the log has all that was written


def gaps(original: bytes, pieces: Sequence[Piece]) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, bytes) of what the pieces leave out of the original, in order."""
    at = 0
    for piece in pieces:
        if isinstance(piece, Keep):
            if piece.start > at:
                yield at, original[at : piece.start]
            at = piece.end
    if at < len(original):
        yield at, original[at:]


def of_pieces(path: str, original: bytes, pieces: Sequence[Piece]) -> str:
    """Show an edit as removed and added lines under the file's name, each change with its line number."""
    shown = [f"--- {path}"]
    for start, removed, added in _hunks(original, pieces):
        number = original.count(b"\n", 0, start) + 1
        gone, came = removed.decode("utf-8", "replace").splitlines(), added.splitlines()
        while gone and came and gone[0] == came[0]:  # a last line without its line break is in both
            del gone[0], came[0]
            number += 1
        while gone and came and gone[-1] == came[-1]:
            del gone[-1], came[-1]
        shown.append(f"@@ line {number} @@")
        shown.extend(f"-{line}" for line in gone)
        shown.extend(f"+{line}" for line in came)
    return truncate("\n".join(shown), SHOWN_CHARS, "\n... and more; `show` has the whole file")


def added(path: str, lines: Sequence[str]) -> str:
    """Show lines that an edit adds to the end of a file, under its name."""
    return truncate("\n".join([f"--- {path}", *(f"+{line}" for line in lines)]), SHOWN_CHARS, "\n... and more")


def _hunks(original: bytes, pieces: Sequence[Piece]) -> Iterator[tuple[int, bytes, str]]:
    """Yield (line start, removed bytes, added text) of each change, grown to whole lines."""
    end_of_last = 0
    open_hunk: tuple[int, int, str] | None = None  # start, end in the original, new text so far
    for low, high, text in _replacements(original, pieces):
        start = original.rfind(b"\n", 0, low) + 1 if low else 0
        start = max(start, end_of_last)
        if open_hunk is not None and start <= open_hunk[1]:
            middle = original[open_hunk[1] : low].decode("utf-8", "replace")
            open_hunk = (open_hunk[0], high, open_hunk[2] + middle + text)
            continue
        if open_hunk is not None:
            closed = _close(original, open_hunk)
            end_of_last = open_hunk[0] + len(closed[1])
            yield closed
            start = max(start, min(end_of_last, low))
        open_hunk = (start, high, original[start:low].decode("utf-8", "replace") + text)
    if open_hunk is not None:
        yield _close(original, open_hunk)


def _close(original: bytes, hunk: tuple[int, int, str]) -> tuple[int, bytes, str]:
    start, end, text = hunk
    whole_line = (end == start or original[end - 1 : end] == b"\n") and (not text or text.endswith("\n"))
    if not whole_line:
        stop = original.find(b"\n", end)
        stop = len(original) if stop < 0 else stop + 1
        text += original[end:stop].decode("utf-8", "replace")
        end = stop
    return start, original[start:end], text


def _replacements(original: bytes, pieces: Iterable[Piece]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, new text) for each part of the original that is replaced."""
    at = 0
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
            continue
        if text or piece.start > at:
            yield at, piece.start, text
            text = ""
        at = piece.end
    if text or at < len(original):
        yield at, len(original), text
