"""Show what an edit makes of a file, by line, and what it takes away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

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


def of_edit(path: str, before: bytes, after: bytes) -> str:
    """Show an edit as removed and added lines under the file's name, each change with its line number."""
    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    head = _same(old, new)
    tail = _same(old[head:][::-1], new[head:][::-1])
    olds, news = old[head : len(old) - tail], new[head : len(new) - tail]
    shown = [f"--- {path}"]
    for tag, i, j, k, m in SequenceMatcher(None, olds, news).get_opcodes():
        if tag != "equal":
            shown.append(f"@@ line {head + i + 1} @@")
            shown += [f"-{line}" for line in olds[i:j]]
            shown += [f"+{line}" for line in news[k:m]]
    return truncate("\n".join(shown), SHOWN_CHARS, "\n... and more; `show` has the whole file")


def added(path: str, lines: Sequence[str]) -> str:
    """Show lines that an edit adds to the end of a file, under its name."""
    return truncate("\n".join([f"--- {path}", *(f"+{line}" for line in lines)]), SHOWN_CHARS, "\n... and more")


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many same lines two texts begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))
