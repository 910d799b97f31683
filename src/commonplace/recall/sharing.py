"""Bring the hits of several scopes together: a bounded share for shared ones, comparable scores. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from commonplace.records import Hit

SHARED_SHARE: Final = 0.3
"""Of the room for what is always shown and of the hits: the most that the scopes behind the first may have together."""


def fair_share(found: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """Merge the ranked hits of a chain of scopes into the best `k`.

    Scores are divided by the best of their scope, so they compare. The scopes behind the first share at most
    three tenths of the places, one of any that are asked for; what they leave free goes to the first.
    At equal scores the scope nearer to the front of the chain comes first.
    """
    own, *others = [_normalised(hits) for hits in found] or [[]]
    shared = sorted((hit for hits in others for hit in hits), key=lambda hit: -hit.score)
    room = max(int(k * SHARED_SHARE), min(k, 1))
    share = max(1, room // max(1, sum(bool(hits) for hits in others)))
    first = [hit for hits in others for hit in hits[:share]][:room]
    chosen = (first + [hit for hit in shared if hit not in first])[:room]
    return sorted(own[: max(k, 0) - len(chosen)] + chosen, key=lambda hit: -hit.score)


def _normalised(hits: Sequence[Hit]) -> list[Hit]:
    best = max((hit.score for hit in hits), default=1.0)
    return [msgspec.structs.replace(hit, score=hit.score / best) for hit in hits]
