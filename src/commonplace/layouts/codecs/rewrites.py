"""Rewrites of whole documents: every line that stays keeps its bytes, every change is reported by entry."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Final

from commonplace.layouts.codecs import blocks, edits
from commonplace.layouts.codecs.edits import Effect, Numbered, Splice
from commonplace.layouts.codecs.entries import Document, read
from commonplace.text.patterns import pattern

_SAME_ENTRY: Final = 0.5  # share of the shorter text's words that both hold, for one to follow the other
_PAIR_LIMIT: Final = 24  # entries of one hunk that are compared each with each; beyond, in order only
_MOST_LINES: Final = 40_000  # that are compared with each other; comparing more takes too long
_WORD: Final = pattern(r"[^\W_]+")
_WIDE: Final = pattern(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def rewrite(path: str, data: bytes, text: str, *, style: str = "") -> Effect:
    """Make a document read as given by the smallest set of line edits, counted by entry.

    Line breaks, byte order mark and the blank end follow the old document; its generated index stays
    unless the new text brings one. `kept`, `replaced`, `added` and `gone` tell a shrink guard what
    became of the entries.
    """
    old = read(path, data, style)
    target = _as_written(old, text)
    edits.encode(target)
    parts = edits.pieces(old.text, _line_splices(old.text, target))
    new = Document(path, edits.decode(edits.assemble(data, parts)), style, old.marks)
    return edits.effect(parts, old.ids, new.ids, align(old, new)[1])


def compare(path: str, before: bytes, after: bytes, *, style: str = "") -> Effect:
    """Return what an outside edit did to the entries of a document; its pieces rebuild `after`.

    Bytes that are no UTF-8 are in the pieces as `decode` reads them.
    """
    old = read(path, before, style)
    new = Document(path, edits.decode(after), style, old.marks)
    parts = edits.pieces(old.text, _line_splices(old.text, new.text))
    return edits.effect(parts, old.ids, new.ids, align(old, new)[1])


def align(old: Document, new: Document) -> tuple[dict[int, int], list[tuple[int, int]]]:
    """Match the entries of two versions: (those that are in both, those that became others).

    Equal texts match in order, in any place; of the rest, those between the same neighbours
    match when they share words.
    """
    same = equal(old.ids, new.ids)
    taken = set(same.values())
    hunks: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    last = -1
    for i in range(len(old.ids)):
        if i in same:
            last = i
        else:
            hunks[last][0].append(i)
    back = {j: i for i, j in same.items()}
    last = -1
    for j in range(len(new.ids)):
        if j in taken:
            last = back[j]
        elif last in hunks:
            hunks[last][1].append(j)
    pairs: list[tuple[int, int]] = []
    for olds, news in hunks.values():
        pairs += _pairs(old, new, olds, news)
    return same, pairs


def equal(old: Sequence[Numbered], new: Sequence[Numbered]) -> dict[int, int]:
    """Match equal entries of two versions in order: old place to new place."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for j in range(len(new) - 1, -1, -1):
        places[new[j].fingerprint].append(j)
    return {i: places[one.fingerprint].pop() for i, one in enumerate(old) if places[one.fingerprint]}


def _pairs(old: Document, new: Document, olds: Sequence[int], news: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pair the entries of one hunk by the words they share; in a large hunk, only those at one place."""
    if len(olds) > _PAIR_LIMIT or len(news) > _PAIR_LIMIT:
        near = list(zip(olds, news, strict=False))
    else:
        near = [(i, j) for i in olds for j in news]
    words = {("old", i): _words(old.parts[i].text) for i in olds} | {
        ("new", j): _words(new.parts[j].text) for j in news
    }
    scored = [(_overlap(words["old", i], words["new", j]), -abs(i - j), i, j) for i, j in near]
    used_old: set[int] = set()
    used_new: set[int] = set()
    for score, _near, i, j in sorted(scored, key=lambda one: (-one[0], -one[1], one[2], one[3])):
        if score >= _SAME_ENTRY and i not in used_old and j not in used_new:
            used_old.add(i)
            used_new.add(j)
            yield i, j


def _words(text: str) -> frozenset[str]:
    folded = text.casefold()
    return frozenset(_WIDE.findall(folded)) | frozenset(_WORD.findall(_WIDE.sub(" ", folded)))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _as_written(old: Document, text: str) -> str:
    """Return the new text with the line breaks, the byte order mark, the index and the blank end of the old one."""
    target = text.removeprefix("\ufeff")
    if not old.text.strip("\ufeff"):
        return target if not target or target.endswith("\n") or old.style == "separator" else target + "\n"
    if old.newline == "\r\n" and "\r" not in target:
        target = target.replace("\n", "\r\n")
    end = old.text[len(old.text.rstrip()) :]
    index = next((block for block in old.blocks if block.kind == "index"), None)
    if index is not None and not any(block.kind == "index" for block in blocks.scan(target)):
        gap = 2 * old.newline if target.strip() else ""
        target = target.rstrip() + gap + old.text[index.start : index.end]
    mark = "\ufeff" if old.text.startswith("\ufeff") else ""
    return mark + (target.rstrip() + end if target.strip() else target)


def _line_splices(old: str, new: str) -> list[Splice]:
    """Return the lines that differ."""
    olds, news = _lines(old), _lines(new)
    place = [0, *accumulate(map(len, olds))]
    return [Splice(place[i], place[i_end], "".join(news[j:j_end])) for i, i_end, j, j_end in _hunks(olds, news)]


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def _hunks(olds: Sequence[str], news: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield (start, end) on both sides of each run of lines that differs, ascending; of very many lines one run."""
    most = min(len(olds), len(news))
    head = next((n for n in range(most) if olds[n] != news[n]), most)
    tail = next((n for n in range(most - head) if olds[-1 - n] != news[-1 - n]), most - head)
    ours, theirs = olds[head : len(olds) - tail], news[head : len(news) - tail]
    if len(ours) + len(theirs) > _MOST_LINES:
        yield head, head + len(ours), head, head + len(theirs)
        return
    for tag, i, i_end, j, j_end in SequenceMatcher(None, ours, theirs).get_opcodes():
        if tag != "equal":
            yield head + i, head + i_end, head + j, head + j_end
