"""Words that mean the same in everyday English: what stemming cannot know.

The words are in `related.txt`, in three kinds of line. `=` forms of one word, as good as the word itself. `~`
near-synonyms and `>` a kind followed by things of that kind; both count less than the word.
"""

from __future__ import annotations

import functools
from typing import Final

import msgspec

from commonplace.text import packaged
from commonplace.text.patterns import pattern

_VOWEL: Final = pattern("[aeiouy]")
_SHORTEST: Final = 4  # a shorter word is taken as it is


class Related(msgspec.Struct, frozen=True):
    """The words that may replace a word: its other forms, its near-synonyms, and things of its kind.

    `stems` name the word and its forms for comparison; they need not be words.
    """

    stems: tuple[str, ...]
    forms: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@functools.cache
def related(word: str) -> Related:
    """Return the words that may replace a lower-case word; none for a word not listed."""
    tables = _tables()
    stems = [stem(word)]
    forms = _gather(tables["="], stems)
    stems += [stem(form) for form in forms]
    synonyms = _gather(tables["~"], stems)
    kinds = _gather(tables[">"], stems[:1])
    known = {*stems}
    near = [each for each in synonyms if stem(each) not in known]
    return Related(
        tuple(dict.fromkeys(stems)),
        tuple(each for each in forms if each != word),
        tuple(near),
        tuple(each for each in kinds if stem(each) not in known and each not in near),
    )


def stem(word: str) -> str:
    """Return an English word without its common endings, so that inflections compare equal; never shown."""
    if len(word) < _SHORTEST or not word.isascii():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) > 2 and _VOWEL.search(root):
            word = root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root
            break
    if word.endswith("y"):
        return word[:-1] + "i"
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST else word


def _gather(table: dict[str, tuple[str, ...]], stems: list[str]) -> list[str]:
    return list(dict.fromkeys(other for each in stems for other in table.get(each, ())))


@functools.cache
def _tables() -> dict[str, dict[str, tuple[str, ...]]]:
    tables: dict[str, dict[str, list[str]]] = {"=": {}, "~": {}, ">": {}}
    for line in packaged.text(__package__, "related.txt").splitlines():
        sign, *group = line.split()
        for word in group[:1] if sign == ">" else group:
            tables[sign].setdefault(stem(word), []).extend(group)
    return {sign: {word: tuple(others) for word, others in table.items()} for sign, table in tables.items()}
