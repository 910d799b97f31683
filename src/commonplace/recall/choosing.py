"""Choose the hits of a ranking: what says the same once, no source alone, within the limits. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from commonplace.config import RecallConfig
from commonplace.records import Hit, Query
from commonplace.text import terms
from commonplace.text.patterns import pattern

_ALIKE: Final = 0.9  # share of words two passages have in common to say the same
_ALIKE_WORDS: Final = 12  # shorter passages say the same only when all words are the same
_COMPARED: Final = 50  # of the hits before it, a hit is compared with that many
_FLOOD: Final = 20  # so many passages of one source among the best ...
_FLOOD_SCORE: Final = 0.8  # ... that score at least this share of the best: the source floods
_LOOKED_AT: Final = 60  # of the ranking, that many are looked at for a flood
_OTHERS: Final = 0.5  # a hit of another source is there for a flood's place from this share of the best on
_EDGES: Final = ".,;:!…\"'“”‘’«»()[]*•"  # of a word they say nothing; a `?`, a sign or a unit does
_DASHES: Final = frozenset(["", "-", "–", "—"])
_TELLING: Final = pattern(r"\d|\A(?:no|not|never|without|t|cannot|none|不|没|无|非)\Z")


class Shown(msgspec.Struct, frozen=True):
    """A hit that could be shown, and the file it comes from."""

    hit: Hit
    source: str


def choose(
    shown: Iterable[Shown], ranking: Sequence[tuple[str, float]], query: Query, config: RecallConfig
) -> list[Hit]:
    """Choose hits in order, each text once, until there are as many as the query asks for.

    A source whose near-equal passages fill the top is held to its share of the places as long as
    others have something to say.

    Args:
        shown: What could be shown, best first; read only as far as needed.
        ranking: The source and score of each, best first.
        query: Says how many.
        config: The share of a flood.
    """
    flooding, places = _flooding(ranking), max(1, int(config.flood_share * query.k))
    enough = _OTHERS * (ranking[0][1] if ranking else 0.0)
    offered = _Offered()
    taken: list[int] = []
    held_back: list[int] = []
    by_source: Counter[str] = Counter()
    for each in shown:
        if (number := offered.add(each.hit)) is None:
            continue
        if each.source in flooding and by_source[each.source] >= places:
            held_back.append(number)
            continue
        while held_back and each.hit.score < enough and len(taken) < query.k:
            taken.append(held_back.pop(0))
        by_source[each.source] += 1
        taken.append(number)
        if len(taken) >= query.k:
            break
    return sorted((offered.hits[at] for at in [*taken, *held_back][: query.k]), key=lambda hit: -hit.score)


def _flooding(ranking: Sequence[tuple[str, float]]) -> frozenset[str]:
    if len(ranking) < _FLOOD:
        return frozenset()
    floor = ranking[0][1] * _FLOOD_SCORE
    counts = Counter(source for source, score in ranking[:_LOOKED_AT] if score >= floor)
    return frozenset(source for source, count in counts.items() if count >= _FLOOD)


class _Offered:
    """The hits so far, each text once."""

    def __init__(self) -> None:
        self.hits: list[Hit] = []
        self._words: list[frozenset[str]] = []
        self._same: dict[str, int] = {}

    def add(self, hit: Hit) -> int | None:
        """Return the number of a hit; None if it says what one before it says, which then has its sources too."""
        plain = _plain(hit.text)
        same = self._same.get(plain)
        if same is None:
            words = frozenset(plain.split() if plain.isascii() else terms.words(plain, whole=True))
            recent = range(max(0, len(self._words) - _COMPARED), len(self._words))
            same = next((at for at in recent if _alike(words, self._words[at])), None)
            if same is None:
                self._same[plain] = len(self.hits)
                self.hits.append(hit)
                self._words.append(words)
                return len(self.hits) - 1
        older = self.hits[same]
        sources = tuple(dict.fromkeys([*older.sources, *hit.sources]))
        self.hits[same] = msgspec.structs.replace(older, sources=sources)
        return None


def _plain(text: str) -> str:
    """Return what a text says without how it is set: case, spaces, quotes, the dash of a list, the full stop."""
    words = (word.strip(_EDGES) for word in text.lower().split())
    return " ".join(word for word in words if word not in _DASHES)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    fewer, more = sorted((len(one), len(other)))
    if fewer < _ALIKE_WORDS or fewer < _ALIKE * more or len(one & other) < _ALIKE * len(one | other):
        return False
    return not any(_TELLING.search(word) for word in one ^ other)
