"""Bring the hits of several scopes together: a fair share for each, comparable scores. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commonplace.records import Hit


def fair_share(found: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """Merge the ranked hits of a chain of scopes into the best `k`.

    Scores are divided by the best of their scope, so they compare; each scope first gets an equal
    share of the places for its best hits, and what one leaves free goes to the best of the rest.
    At equal scores the scope nearer to the front of the chain stands first.
    """
    asked = [hits for hits in found if hits]
    if not asked:
        return []
    ranked = [_normalised(hits) for hits in asked]
    share = max(1, k // len(ranked))
    first = [hit for hits in ranked for hit in hits[:share]]
    rest = sorted((hit for hits in ranked for hit in hits[share:]), key=lambda hit: -hit.score)
    return sorted((first + rest)[: max(k, 0)] if len(first) <= k else first[:k], key=lambda hit: -hit.score)


def _normalised(hits: Sequence[Hit]) -> list[Hit]:
    best = max(hit.score for hit in hits)
    return [msgspec.structs.replace(hit, score=hit.score / best) for hit in hits]
