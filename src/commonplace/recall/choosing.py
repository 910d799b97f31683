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
    kept = _Kept(query, config, _flooding(ranking), ranking[0][1] if ranking else 0.0)
    for each in shown:
        kept.offer(each)
        if kept.full():
            break
    return kept.hits()


def _flooding(ranking: Sequence[tuple[str, float]]) -> frozenset[str]:
    if len(ranking) < _FLOOD:
        return frozenset()
    floor = ranking[0][1] * _FLOOD_SCORE
    counts = Counter(source for source, score in ranking[:_LOOKED_AT] if score >= floor)
    return frozenset(source for source, count in counts.items() if count >= _FLOOD)


class _Kept:
    """The hits taken so far, in order, and those a flood left for later."""

    def __init__(self, query: Query, config: RecallConfig, flooding: frozenset[str], top: float) -> None:
        self._k = query.k
        self._flooding = flooding
        self._flood_places = max(1, int(config.flood_share * query.k))
        self._others = top * _OTHERS
        self._offered: list[Hit] = []
        self._words: list[frozenset[str]] = []
        self._same: dict[str, int] = {}
        self._taken: list[int] = []
        self._left_out: list[int] = []
        self._by_source: Counter[str] = Counter()

    def full(self) -> bool:
        """True if no further hit is wanted."""
        return len(self._taken) >= self._k

    def offer(self, shown: Shown) -> None:
        """Add the next of the ranking, unless it says what another says or a limit is reached."""
        hit = shown.hit
        if self._merged(hit):
            return
        number = len(self._offered) - 1
        if shown.source in self._flooding and self._by_source[shown.source] >= self._flood_places:
            self._left_out.append(number)
            return
        while self._left_out and hit.score < self._others and not self.full():
            self._taken.append(self._left_out.pop(0))
        if not self.full():
            self._by_source[shown.source] += 1
            self._taken.append(number)

    def hits(self) -> list[Hit]:
        """Return the chosen hits, filled up with those of a flood that were held back, best first."""
        while self._left_out and not self.full():
            self._taken.append(self._left_out.pop(0))
        return sorted((self._offered[at] for at in self._taken), key=lambda hit: -hit.score)

    def _merged(self, hit: Hit) -> bool:
        """Return a passage that says the same as one before over to that one, with its sources."""
        plain = _plain(hit.text)
        same = self._same.get(plain)
        if same is None:
            words = frozenset(plain.split() if plain.isascii() else terms.words(plain, whole=True))
            recent = range(max(0, len(self._words) - _COMPARED), len(self._words))
            same = next((at for at in recent if _alike(words, self._words[at])), None)
            if same is None:
                self._same[plain] = len(self._offered)
                self._offered.append(hit)
                self._words.append(words)
                return False
        older = self._offered[same]
        sources = tuple(dict.fromkeys([*older.sources, *hit.sources]))
        self._offered[same] = msgspec.structs.replace(older, sources=sources)
        return True


def _plain(text: str) -> str:
    """Return what a text says without how it is set: case, spaces, quotes, the dash of a list, the full stop."""
    words = (word.strip(_EDGES) for word in text.lower().split())
    return " ".join(word for word in words if word not in _DASHES)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    fewer, more = sorted((len(one), len(other)))
    if fewer < _ALIKE_WORDS or fewer < _ALIKE * more or len(one & other) < _ALIKE * len(one | other):
        return False
    return not any(_TELLING.search(word) for word in one ^ other)
