"""What an embedder is, and what it found near a question: what others need to know of vectors. Loads nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec


class Embedder(Protocol):
    """Anything that gives one vector for each text, all of one length.

    It may have `question`, of the same shape, where questions are embedded otherwise than passages,
    and a `name` that tells its vectors from those of another.
    """

    def __call__(self, texts: Sequence[str], /) -> Sequence[Sequence[float]]:
        """Embed some texts."""
        ...


class Near(msgspec.Struct, frozen=True):
    """What lies near a question by its vector.

    `rows` maps packed passages of messages, and notes as minus their id, to how alike they are: 0 as
    two texts that have nothing to do with each other, 1 as the same text. `failure` says why there is
    nothing where an embedder failed.
    """

    rows: Mapping[int, float] = {}
    failure: str = ""
