"""Which rows hold which words: reading the full-text tables at a bounded cost.

FTS5 walks a list of rows about ten times faster than rows can be handed to Python, so a rare word's
rows are taken whole and a common word is only looked up among the rows of rarer ones. How many rows a
very common word is on is reckoned from a sample; a word on a tenth of all rows weighs next to nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

import msgspec

from commonplace.recall.index.rows import MESSAGE_BITS, PASSAGE_BITS
from commonplace.text import terms

COMMON: Final = 4096  # a word on more rows is looked up among the rows of rarer words only
NEWEST: Final = 8192  # rows taken of the rarest word when every word of a question is that common
COUNTED: Final = 20_000  # a word that seems to be on more rows is counted in samples
_SAMPLES: Final = 4  # parts of the whole, evenly spread, in which such a word is counted
_SAMPLE_SHARE: Final = 64  # each is a 64th of the whole
_TOPS: Final = {
    "said": ("SELECT max(id) + 1 FROM slots", MESSAGE_BITS + PASSAGE_BITS),
    "noted": ("SELECT max(id) + 1 FROM notes", 0),
}
_RARE_WORDS: Final = 24  # most words in the expression that a common word is looked up with
_STEMMED: Final = 3  # letters that stemming takes off
_LEAST: Final = 5  # a shorter word is a letter away from many
_ENDINGS: Final = ("s", "es", "ed", "ing", "ly", "ment", "er", "y", "e", "ies", "ation")  # that stemming takes off
_INTEGERS: Final = msgspec.json.Decoder(list[int])


class Found(msgspec.Struct):
    """For each row the words it holds, as bits; for each word on how many rows it is."""

    masks: dict[int, int]
    found: list[int]


def gather(db: sqlite3.Connection, table: str, words: Sequence[Sequence[str]], marks: Sequence[Sequence[str]]) -> Found:
    """Collect the rows of some words; any word of group `n` sets bit `n`."""
    expressions = [terms.match(group, marks) for group in words]
    lists = [_rows(db, table, expression, COMMON + 1) for expression in expressions]
    found = [len(each) for each in lists]
    common = [at for at, each in enumerate(lists) if len(each) > COMMON]
    if common:
        _narrow(db, table, expressions, lists=lists, found=found, common=common)
    masks: dict[int, int] = {}
    for at in sorted(range(len(lists)), key=lambda at: -len(lists[at])):
        bit = 1 << at
        if not masks:
            masks = dict.fromkeys(lists[at], bit)
            continue
        get = masks.get
        for row in lists[at]:
            masks[row] = get(row, 0) | bit
    return Found(masks, found)


def _narrow(
    db: sqlite3.Connection,
    table: str,
    expressions: Sequence[str],
    *,
    lists: list[list[int]],
    found: list[int],
    common: list[int],
) -> None:
    """Replace the rows of common words by those that hold a rarer word too."""
    query, bits = _TOPS[table]
    top = int(db.execute(query).fetchone()[0]) << bits
    for at in common:
        found[at] = _count(db, table, expressions[at], head=lists[at], top=top)
    common = sorted(common, key=found.__getitem__)
    rare = sorted((at for at in range(len(lists)) if at not in common and lists[at]), key=found.__getitem__)
    rare = rare[:_RARE_WORDS]
    limit, oldest = sum(found[at] for at in rare), 0
    if not rare:
        first = common.pop(0)
        lists[first] = _rows(db, table, expressions[first], NEWEST, newest=True)
        rare, limit, oldest = [first], NEWEST, lists[first][-1]
    among = " OR ".join(f"({expressions[at]})" for at in rare)
    for at in common:
        lists[at] = _rows(db, table, f"({among}) AND ({expressions[at]})", limit, oldest=oldest)


def _rows(
    db: sqlite3.Connection, table: str, expression: str, limit: int, *, newest: bool = False, oldest: int = 0
) -> list[int]:
    order = "ORDER BY rowid DESC " if newest else ""
    rows = f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid >= ? {order}LIMIT ?"  # noqa: S608 - our own table names
    query = f"SELECT json_group_array(rowid) FROM ({rows})"  # noqa: S608 - see above
    try:
        return _INTEGERS.decode(db.execute(query, (expression, oldest, limit)).fetchone()[0])
    except sqlite3.OperationalError as error:
        if "phrase" in str(error):  # FTS5 splits this word where we do not: it names no single term
            return []
        raise


def _count(db: sqlite3.Connection, table: str, expression: str, *, head: Sequence[int], top: int) -> int:
    """Return on how many rows a word is, of which the first rows are known; of a very common one about how many."""
    if len(head) * top <= COUNTED * head[-1]:
        query = f"SELECT count(*) FROM {table} WHERE {table} MATCH ?"  # noqa: S608 - our own table names
        return int(db.execute(query, (expression,)).fetchone()[0])
    query = f"SELECT count(*) FROM {table} WHERE {table} MATCH ? AND rowid >= ? AND rowid < ?"  # noqa: S608 - our own table names
    size = max(1, top // _SAMPLE_SHARE)
    starts = [top * (2 * at + 1) // (2 * _SAMPLES) for at in range(_SAMPLES)]
    held = sum(int(db.execute(query, (expression, start, start + size)).fetchone()[0]) for start in starts)
    return max(len(head), held * top // (size * _SAMPLES))


def similar(db: sqlite3.Connection, tables: Sequence[str], word: str) -> list[str]:
    """List indexed terms at most a typo away from a word, the likeliest first."""
    if len(word) < _LEAST or not word.isalpha():
        return []
    allowed = 1 if len(word) < 8 else 2
    letters = set(word)
    stems = (word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))
    forms = [word, *(stem for stem in stems if len(stem) >= _LEAST - 1)]
    scored: dict[str, tuple[int, int]] = {}
    for table in tables:
        for first in dict.fromkeys(word[:2]):
            query = f"SELECT term, doc FROM {table}_terms WHERE term >= ? AND term < ?"  # noqa: S608 - our own table names
            for term, count in db.execute(query, (first, first + "\U0010ffff")):
                if (
                    abs(len(term) - len(word)) > _STEMMED
                    or len(letters.symmetric_difference(term)) > 2 * allowed + _STEMMED
                ):
                    continue
                distance = min(edits(form, term, allowed) for form in forms)
                if distance <= allowed:
                    scored[term] = (distance, -count)
    return sorted(scored, key=scored.__getitem__)[:3]


def edits(one: str, other: str, limit: int) -> int:
    """Count the letters to insert, drop, change or swap between two words; `limit` + 1 when more."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    previous = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        current = [i]
        for j, b in enumerate(other, 1):
            cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, previous = previous, current
    return min(previous[-1], limit + 1)
