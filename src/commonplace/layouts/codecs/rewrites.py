"""Rewrites of whole documents: every line that stays keeps its bytes, every change is reported by entry."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, product
from typing import Final

from commonplace.layouts.codecs import blocks, edits
from commonplace.layouts.codecs.edits import Effect, Numbered, Splice
from commonplace.layouts.codecs.entries import Document, read
from commonplace.text import content
from commonplace.text.patterns import pattern

_SAME_ENTRY: Final = 0.5  # share of the shorter text's words that both hold, for one to follow the other
_SAME_ELSEWHERE: Final = 2 / 3  # the same of their content words, for one to follow the other in another place
_PAIR_LIMIT: Final = 24  # entries that are compared each with each; beyond, between two neighbours in order only
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
    new = Document(path, edits.decode(edits.assemble(data, parts)), style)
    return edits.effect(parts, old.ids, new.ids, align(old, new)[1])


def compare(path: str, before: bytes, after: bytes, *, style: str = "") -> Effect:
    """Return what an outside edit did to the entries of a document; its pieces rebuild `after`.

    Bytes that are no UTF-8 are in the pieces as `decode` reads them.
    """
    old = read(path, before, style)
    new = Document(path, edits.decode(after), style)
    parts = edits.pieces(old.text, _line_splices(old.text, new.text))
    return edits.effect(parts, old.ids, new.ids, align(old, new)[1])


def align(old: Document, new: Document) -> tuple[dict[int, int], list[tuple[int, int]]]:
    """Match the entries of two versions: (those that are in both, those that became others).

    Equal texts match in order, in any place; of the rest, those that are alike or in the place of each other.
    """
    same = equal(old.ids, new.ids)
    before, after = ([part.text for part in each.parts] for each in (old, new))
    return same, list(became(before, after, same, _about_same))


def equal(old: Sequence[Numbered], new: Sequence[Numbered]) -> dict[int, int]:
    """Match equal entries of two versions in order: old place to new place."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for j in range(len(new) - 1, -1, -1):
        places[new[j].fingerprint].append(j)
    return {i: places[one.fingerprint].pop() for i, one in enumerate(old) if places[one.fingerprint]}


def became(
    old: Sequence[str], new: Sequence[str], same: dict[int, int], in_its_place: Callable[[str, str], bool]
) -> Iterator[tuple[int, int]]:
    """Yield the places of texts that went, each with that of the one that came for it, the most alike first.

    Between the same neighbours that is one that shares half its words, elsewhere one that says nearly the same.

    Args:
        old: The texts before.
        new: The texts after.
        same: The places of those that stayed, old to new.
        in_its_place: True if a text that is just where another one was came for it, though they are not alike.
    """
    gaps = _gaps(len(old), len(new), same)
    scored: list[tuple[float, int, int, int]] = []
    for olds, news in gaps:
        near = zip(olds, news, strict=False) if max(len(olds), len(news)) > _PAIR_LIMIT else product(olds, news)
        beside = ((_overlap(_words(old[i]), _words(new[j])), -abs(i - j), i, j) for i, j in near)
        scored += [each for each in beside if each[0] >= _SAME_ENTRY]
        if len(olds) == len(news):
            scored += [(0.0, 0, i, j) for i, j in zip(olds, news, strict=True) if in_its_place(old[i], new[j])]
    went, came = ([place for gap in gaps for place in gap[side]] for side in (0, 1))
    if max(len(went), len(came)) <= _PAIR_LIMIT:
        said = {text: content.keywords(text) for text in [*(old[i] for i in went), *(new[j] for j in came)]}
        apart = ((_overlap(said[old[i]], said[new[j]]), -abs(i - j), i, j) for i, j in product(went, came))
        scored += [each for each in apart if each[0] >= _SAME_ELSEWHERE]
    used_old: set[int] = set()
    used_new: set[int] = set()
    for _, _, i, j in sorted(scored, key=lambda one: (-one[0], -one[1], one[2], one[3])):
        if i not in used_old and j not in used_new:
            used_old.add(i)
            used_new.add(j)
            yield i, j


def _gaps(old: int, new: int, same: dict[int, int]) -> list[tuple[list[int], list[int]]]:
    """Return the places of what went and of what came between each two that stayed, in the order of the old ones."""
    gaps: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, count, stayed in ((0, old, {i: i for i in same}), (1, new, {j: i for i, j in same.items()})):
        last = -1
        for place in range(count):
            last = stayed.get(place, last)
            if place not in stayed:
                gaps[last][side].append(place)
    return list(gaps.values())


def _about_same(one: str, other: str) -> bool:
    """True if two entries share a word of content behind their first words, which name what they are about."""
    return not content.keywords(one.partition(" ")[2]).isdisjoint(content.keywords(other.partition(" ")[2]))


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
