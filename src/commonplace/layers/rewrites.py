"""Whole documents made anew, and two edits of one document made one, entry by entry.

A rewrite keeps the bytes of every line that stays and says which entries came, went and changed. A
merge holds what both sides did; where both changed one entry, theirs stands and ours is reported.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from commonplace.errors import CommonplaceError
from commonplace.layers import blocks, documents, edits
from commonplace.layers.documents import Document
from commonplace.layers.edits import Duplicate, Effect, Numbered, Splice

_SAME_ENTRY: Final = 0.5  # share of the shorter text's words that both hold, for one to follow the other
_PAIR_LIMIT: Final = 24  # entries of one hunk that are compared each with each; beyond, in order only
_MERGE_BYTES: Final = 64_000_000  # edits times size: beyond, a merge is left to a person
_WORD: Final = re.compile(r"[^\W_]+")
_WIDE: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


class Merged(msgspec.Struct, frozen=True):
    """Two edits of one document made one, as an effect on their bytes.

    `conflicts` holds our texts that gave way to theirs (empty text: an entry we had removed).
    """

    data: bytes
    effect: Effect
    conflicts: tuple[str, ...] = ()


def rewrite(path: str, data: bytes, text: str, *, style: str = "") -> Effect:
    """Make a document read as given by the smallest set of line edits, counted by entry.

    Line breaks, byte order mark and the blank end follow the old document; its generated index stays
    unless the new text brings one. `kept`, `replaced`, `added` and `gone` tell a shrink guard what
    became of the entries.
    """
    old = Document(path, edits.decode(data), style)
    target = _as_written(old, text)
    edits.encode(target)
    parts = edits.pieces(old.text, _line_splices(old.text, target))
    new = Document(path, edits.decode(edits.assemble(data, parts)), style)
    return edits.effect(data, parts, old.ids, new.ids, align(old, new)[1])


def compare(path: str, before: bytes, after: bytes, *, style: str = "") -> Effect:
    """Say what an edit made outside did to the entries of a document; its pieces rebuild `after`.

    Bytes that are no UTF-8 stand in the pieces as `decode` reads them.
    """
    old, new = (Document(path, edits.decode(data), style) for data in (before, after))
    parts = edits.pieces(old.text, _line_splices(old.text, new.text))
    return edits.effect(before, parts, old.ids, new.ids, align(old, new)[1])


def align(old: Document, new: Document) -> tuple[dict[int, int], list[tuple[int, int]]]:
    """Match the entries of two versions: (those that are in both, those that became others).

    Equal texts match in order wherever they stand; of the rest, those between the same neighbours
    match when they share words.
    """
    same = _equal(old.ids, new.ids)
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


def merge3(path: str, before: bytes, theirs: bytes, ours: bytes, *, style: str = "") -> Merged | None:
    """Put our edit of a document onto theirs, entry by entry; None where only a person can.

    Their bytes stay but for what we did: our new entries go below the neighbour they had, our removals
    and replacements hold where they left the entry alone. Headings we added come with their entries;
    any other change of ours outside of entries, the generated index apart, cannot be merged.
    """
    base, their, our = (Document(path, edits.decode(data), style) for data in (before, theirs, ours))
    if not _only_adds_headings(base, our):
        return None
    same, replaced = align(base, our)
    changed = dict(replaced)
    came = [j for j in range(len(our.ids)) if j not in set(same.values()) and j not in set(changed.values())]
    went = [i for i in range(len(base.ids)) if i not in same and i not in changed]
    if (len(came) + len(went) + len(changed)) * len(theirs) > _MERGE_BYTES:
        return None
    merge = _Merge(path, theirs, style)
    stands = _equal(base.ids, their.ids)
    edited = {i for i, _j in align(base, their)[1]}
    theirs_now = {one.id for one in their.ids}
    for i, j in sorted(changed.items()):
        if our.ids[j].id not in theirs_now:
            merge.replace(their.ids[stands[i]].id if i in stands else "", our.parts[j].text)
    for i in sorted(went, reverse=True):
        if i in stands:
            merge.remove(their.ids[stands[i]].id)
        elif i in edited:
            merge.conflicts.append("")
    for j in came:
        merge.add(our, j)
    merge.index(our, base)
    return Merged(merge.data, merge.effect, tuple(merge.conflicts))


class _Merge:
    """Our edits, put one after the other onto their bytes."""

    def __init__(self, path: str, theirs: bytes, style: str) -> None:
        self.path = path
        self.style = style
        self.theirs = theirs
        self.data = theirs
        self.effect = documents.unchanged(path, theirs, style)
        self.conflicts: list[str] = []

    def _take(self, effect: Effect | Duplicate) -> None:
        if isinstance(effect, Effect):
            self.effect = edits.compose(self.theirs, self.effect, effect)
            self.data = edits.assemble(self.theirs, self.effect.pieces)

    def replace(self, target: str, text: str) -> None:
        current = self.effect.successors.get(target, target)
        try:
            if not target:
                self.conflicts.append(text)
            else:
                self._take(documents.replace(self.path, self.data, current, text, style=self.style))
        except CommonplaceError:
            self.conflicts.append(text)

    def remove(self, target: str) -> None:
        try:
            self._take(documents.remove(self.path, self.data, target, style=self.style))
        except CommonplaceError:
            self.conflicts.append("")

    def add(self, our: Document, place: int) -> None:
        """Add one of our entries below the nearest entry above it that they have too."""
        document = Document(self.path, edits.decode(self.data), self.style)
        part = our.parts[place]
        known = {one.id: i for i, one in enumerate(document.ids)}
        if our.ids[place].fingerprint in {one.fingerprint for one in document.ids}:
            return
        above = next((i for i in range(place - 1, -1, -1) if our.parts[i].section != part.section), -1)
        near = next((our.ids[i].id for i in range(place - 1, above, -1) if our.ids[i].id in known), None)
        try:
            if near is None or self.style == "separator":
                section = "" if self.style == "separator" else part.section
                self._take(documents.add(self.path, self.data, part.text, section=section, style=self.style))
            else:
                anchor = document.parts[known[near]].block
                self._take(documents.place_entry(self.data, document, part.text, anchor))
        except CommonplaceError:
            self.conflicts.append(part.text)

    def index(self, our: Document, base: Document) -> None:
        """Take over the generated index when we made it anew."""
        lines = documents.index_lines(our)
        if lines is not None and lines != documents.index_lines(base):
            self._take(documents.replace_index(self.path, self.data, lines))


def _equal(old: Sequence[Numbered], new: Sequence[Numbered]) -> dict[int, int]:
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


def _only_adds_headings(base: Document, our: Document) -> bool:
    """Whether our structure is that of the base, with nothing but headings added to it."""
    left = iter([one for one in base.structure() if one != "index"])
    expected = next(left, None)
    for piece in our.structure():
        if piece == "index":
            continue
        if piece == expected:
            expected = next(left, None)
        elif not piece.startswith("#"):
            return False
    return expected is None


def _as_written(old: Document, text: str) -> str:
    """Give the new text the line breaks, the mark, the index and the blank end of the old one."""
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
    """Find the lines that differ: common ends first, then the lines that stand once on each side."""
    olds, news = _lines(old), _lines(new)
    splices: list[Splice] = []
    place = [0]
    for line in olds:
        place.append(place[-1] + len(line))
    for i, i_end, j, j_end in _hunks(olds, news):
        splices.append(Splice(place[i], place[i_end], "".join(news[j:j_end])))
    return splices


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def _hunks(olds: Sequence[str], news: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield (start, end) on both sides of each run of lines that differs, ascending."""
    i = j = 0
    for a, b in [*_anchors(olds, news), (len(olds), len(news))]:
        if a < i or b < j:
            continue
        low_i, low_j, high_i, high_j = i, j, a, b
        while low_i < high_i and low_j < high_j and olds[low_i] == news[low_j]:
            low_i, low_j = low_i + 1, low_j + 1
        while low_i < high_i and low_j < high_j and olds[high_i - 1] == news[high_j - 1]:
            high_i, high_j = high_i - 1, high_j - 1
        if low_i < high_i or low_j < high_j:
            yield low_i, high_i, low_j, high_j
        i, j = a, b


def _anchors(olds: Sequence[str], news: Sequence[str]) -> list[tuple[int, int]]:
    """Give the longest ascending run of lines that stand exactly once on each side (patience diff)."""
    count_old: dict[str, int] = {}
    for i, line in enumerate(olds):
        count_old[line] = -1 if line in count_old else i
    count_new: dict[str, int] = {}
    for j, line in enumerate(news):
        count_new[line] = -1 if line in count_new else j
    both = [(i, count_new[line]) for line, i in count_old.items() if i >= 0 and count_new.get(line, -1) >= 0]
    tails: list[int] = []
    at_tail: list[int] = []
    previous: list[int] = []
    for place, (_i, j) in enumerate(both):
        low = bisect_left(tails, j)
        previous.append(at_tail[low - 1] if low else -1)
        tails[low : low + 1] = [j]
        at_tail[low : low + 1] = [place]
    chain: list[tuple[int, int]] = []
    place = at_tail[-1] if at_tail else -1
    while place >= 0:
        chain.append(both[place])
        place = previous[place]
    return chain[::-1]
