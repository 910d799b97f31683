"""Pointers to topics in a document: which lines are pointers, and which lines are shown where not all fit. Pure.

Source: seed memdir, "MEMORY.md"; seed model, conclusion 5.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from commonplace.config import ContextConfig
from commonplace.layouts.codecs import blocks
from commonplace.text.patterns import pattern

LINK: Final = pattern(r"\[((?:[^\[\]\\\n]|\\.){1,300})\]\(<?((?:[^()\s<>:#]|%3A){1,300}\.md)>?\)")
"""The link of a pointer: its title and its path."""

FIRST: Final = 1e12
"""The rank of a line that is no pointer; added to the rank of a pointer that stays longest."""

_BULLET: Final = pattern(r" {0,3}[-*+][ \t]+")
_NOTICE: Final = pattern(r"> (\d+) more topics are not listed here")
_CUT_BYTES: Final = 1000  # a line longer than that is shown in part, if it does not fit whole


class Line(NamedTuple):
    """A line of a document with its number; `topic` is the file that it points to, empty if it is no pointer."""

    number: int
    text: str
    topic: str = ""


class Loaded(NamedTuple):
    """The lines of a document that are shown, each with its rank, and what is said of those that are not."""

    lines: tuple[tuple[Line, float], ...]
    warning: str = ""


def topic_of(document: str, text: str) -> str:
    """Return the file that an entry of a document points to; empty if it is no pointer."""
    found = LINK.match(text)
    if found is None or "\n" in text.strip():
        return ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(document), unquote(found[2])))
    return "" if path.startswith(("../", "/")) else path


def lines_of(document: str, text: str) -> list[Line]:
    """Return the lines of a document that are not blank, without the markers of its index."""
    found: list[Line] = []
    for number, line in enumerate(text.split("\n")):
        if line.strip() and line.strip() not in {blocks.INDEX_OPEN, blocks.INDEX_CLOSE}:
            bullet = _BULLET.match(line)
            topic = topic_of(document, line[bullet.end() :]) if bullet else ""
            found.append(Line(number, line.rstrip("\r"), topic))
    return found


def fit(lines: Iterable[tuple[Line, float]], limits: ContextConfig) -> tuple[tuple[Line, float], ...]:
    """Return the lines that are shown, in their order: those that are no pointer first, then by rank.

    Where there are more than fit, what is no pointer leaves half of the room to pointers.
    """
    given = list(lines)
    pointers = sum(bool(line.topic) for line, _ in given)
    spare = limits.index_lines - min(pointers, limits.index_lines // 2)
    shown: list[tuple[Line, float]] = []
    plain, left = 0, limits.index_bytes
    for line, rank in sorted(given, key=lambda each: (-each[1], each[0].number)):
        if len(shown) >= limits.index_lines:
            break
        if not line.topic and plain >= spare:
            continue
        data = line.text.encode("utf-8", "replace")
        if len(data) < left:
            shown.append((line, rank))
        elif len(data) > _CUT_BYTES and left > 1:
            data = data[: left - 1]
            shown.append((line._replace(text=data.decode("utf-8", "ignore")), rank))
        else:
            continue
        plain += not line.topic
        left -= len(data) + 1
    return tuple(sorted(shown, key=lambda each: each[0].number))


def loaded(
    document: str, text: str, limits: ContextConfig, rank: Callable[[Sequence[Line]], Sequence[float]]
) -> Loaded:
    """Return what of a document is shown.

    Args:
        document: Its file.
        text: What it says.
        limits: How many lines and bytes are shown.
        rank: Ranks lines; asked only if not all of them fit.
    """
    lines = lines_of(document, text)
    unlisted = sum(int(found[1]) for line in lines if (found := _NOTICE.match(line.text)))
    lines = [line for line in lines if not _NOTICE.match(line.text)]
    size = sum(len(line.text.encode("utf-8", "replace")) + 1 for line in lines)
    if len(lines) <= limits.index_lines and size <= limits.index_bytes:
        shown = tuple((line, 0.0) for line in lines)
    else:
        shown = fit(zip(lines, rank(lines), strict=True), limits)
    left_out = len(lines) + unlisted - len(shown)
    cut = sum(len(line.text) for line, _ in shown) < sum(len(line.text) for line in lines) if not left_out else True
    return Loaded(shown, _warning(document, len(lines) + unlisted, size, left_out, limits) if cut else "")


def _warning(document: str, count: int, size: int, left_out: int, limits: ContextConfig) -> str:
    over = [f"{count:,} lines (limit: {limits.index_lines:,})"] if count > limits.index_lines else []
    over += [f"{size:,} bytes (limit: {limits.index_bytes:,})"] if size > limits.index_bytes or not over else []
    gone = f"{left_out} lines are left out, those whose topics changed longest ago" if left_out else "a line is cut"
    return (
        f"{document.rpartition('/')[2]} has {' and '.join(over)}. Only part of it is shown: {gone}. "
        "A search finds the topics. Shorten long lines, or merge topics."
    )
