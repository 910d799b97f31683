"""Which rows hold which words: reading the full-text tables at a bounded cost.

FTS5 walks a list of rows about ten times faster than rows can be handed to Python, so a rare word's rows are taken
whole, and a common word is only looked up among the rows of rarer ones.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

import msgspec

from commonplace.text import terms

COMMON: Final = 8192  # a word on as many rows is looked up among the rows of rarer words; without one, in the newest
_RARE_WORDS: Final = 24  # most words in the expression that a common word is looked up with
_STEMMED: Final = 3  # letters that stemming takes off
_LEAST: Final = 5  # a shorter word is a letter away from many
_ENDINGS: Final = ("s", "es", "ed", "ing", "ly", "ment", "er", "y", "e", "ies", "ation")  # that stemming takes off
_INTEGERS: Final = msgspec.json.Decoder(list[int])


class Found(msgspec.Struct):
    """For each row the words it holds, as bits; for each word on how many rows it is."""

    masks: dict[int, int]
    found: list[int]


def gather(
    db: sqlite3.Connection, table: str, words: Sequence[Sequence[str]], marks: Sequence[Sequence[str]] = ()
) -> Found:
    """Collect the rows of some words that have one mark of each group; any word of group `n` sets bit `n`."""
    expressions = [terms.match(group, marks) for group in words]
    lists = [_rows(db, table, expression) for expression in expressions]
    found = [len(each) for each in lists]
    rare = [at for at, each in enumerate(lists) if 0 < len(each) < COMMON][:_RARE_WORDS]
    among = " OR ".join(f"({expressions[at]})" for at in rare)
    for at, expression in enumerate(expressions):
        if found[at] >= COMMON:
            query = f"SELECT count(*) FROM {table} WHERE {table} MATCH ?"  # noqa: S608 - our own table names
            found[at] = int(db.execute(query, (expression,)).fetchone()[0])
            lists[at] = _rows(db, table, f"({among}) AND ({expression})") if among else lists[at]
    masks: dict[int, int] = {}
    for at, each in enumerate(lists):
        for row in each:
            masks[row] = masks.get(row, 0) | 1 << at
    return Found(masks, found)


def _rows(db: sqlite3.Connection, table: str, expression: str) -> list[int]:
    """Return the rows that an expression matches, at most so many as make it common, the newest first."""
    rows = f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid DESC LIMIT {COMMON}"  # noqa: S608 - our own table names
    query = f"SELECT json_group_array(rowid) FROM ({rows})"  # noqa: S608 - see above
    try:
        return _INTEGERS.decode(db.execute(query, (expression,)).fetchone()[0])
    except sqlite3.OperationalError as error:
        if "phrase" in str(error):  # FTS5 splits this word where we do not: it names no single term
            return []
        raise


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
