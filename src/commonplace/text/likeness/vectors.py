"""Random projections of hashed words and word pairs: how alike two texts are, as one number.

Each word and each pair of neighbours is hashed to a row of signs; a text is the sum of its rows. Nothing
is fitted, so a word that no fact held before counts as much as any other, and an empty memory needs no
special case. The number nominates and never decides: contradictions score as high as repetitions.

Source: seed facts, "Merge-on-Write"; seed model, conclusion 1.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from commonplace.text.likeness import wording

DIMENSIONS: Final = 256  # seed facts: of its random projections
_SIGNS: Final = tuple(tuple(1 if byte >> bit & 1 else -1 for bit in range(8)) for byte in range(256))


@lru_cache(maxsize=4096)
def vector(text: str) -> tuple[float, ...]:
    """Project a text to `DIMENSIONS` numbers of length 1 together; all 0 where it has no words."""
    sums = [0] * DIMENSIONS
    for feature in _features(text):
        sums = [a + b for a, b in zip(sums, _row(feature), strict=True)]
    length = math.sqrt(sum(value * value for value in sums))
    return tuple(value / length for value in sums) if length else (0.0,) * DIMENSIONS


def cosine(one: Iterable[float], other: Iterable[float]) -> float:
    """Return the cosine of two vectors of `vector`, -1..1."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def nominate(text: str, others: Iterable[str], *, over: float) -> list[tuple[float, int]]:
    """Return those of some texts that are compared with one: (cosine, place), the nearest first.

    Their cosine is at least `over`; of a text with a label (`City: Berlin`) it counts as that much for all of that
    label, however long the values are.
    """
    mine, label = vector(text), _label(text)
    found = [
        (max(cosine(mine, vector(other)), over if label and _label(other) == label else -1.0), place)
        for place, other in enumerate(others)
    ]
    return sorted(((score, place) for score, place in found if score >= over), key=lambda each: (-each[0], each[1]))


def _label(text: str) -> tuple[str, ...]:
    """Return the words of the label that a text begins with; none if it has none."""
    return tuple(token.word for token in wording.tokens(wording.labelled(text)[0]))


def _features(text: str) -> Iterator[str]:
    words = [token.word for token in wording.tokens(text)]
    yield from words
    for one, two in pairwise(words):
        yield f"{one} {two}"


@lru_cache(maxsize=16_384)
def _row(feature: str) -> tuple[int, ...]:
    digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=DIMENSIONS // 8).digest()
    return tuple(sign for byte in digest for sign in _SIGNS[byte])
