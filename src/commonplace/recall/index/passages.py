"""Cut a long text into passages at the ends of sentences. Pure and stable: the cut is never stored."""

from __future__ import annotations

from typing import Final

from commonplace.text.patterns import pattern

CHARS: Final = 480  # about so long is a passage, in every index
SLACK: Final = 1.25  # a text this much longer than a passage stays whole

_BREAK: Final = pattern(r"[.!?…]+[\"'”’)\]]*\s+|[。！？；]+[”’」』）]*|\n+")


def passages(text: str, size: int = CHARS) -> list[tuple[int, int]]:
    """Cut a text into spans of about `size` characters that end where a sentence or line ends.

    The spans cover the whole text in order. Where no sentence ends in reach the cut falls after a
    space, or where nothing else can be done, after `size` characters.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > size * SLACK:
        end = _cut(text, start, size)
        spans.append((start, end))
        start = end
    return [*spans, (start, len(text))]


def _cut(text: str, start: int, size: int) -> int:
    best = 0
    for match in _BREAK.finditer(text, start + size // 4, start + int(size * SLACK)):
        if match.end() - start > size and best:
            break
        best = match.end()
    if best > start:
        return best
    space = text.rfind(" ", start + size // 2, start + size)
    return space + 1 if space > 0 else start + max(1, size)
