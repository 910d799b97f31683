"""What an evaluation comes to: a verdict on each case, figures over all, and what falls short. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from commonplace.records import Hit
from commonplace.surfaces.evaluate.cases import Case

AT_LEAST: Final[tuple[str, ...]] = ("passed", "recall", "mrr", "words", "abstention")
"""Figures that a threshold holds up; shares from 0 to 1."""
AT_MOST: Final[tuple[str, ...]] = ("superseded", "forbidden", "abstained_wrongly", "tokens", "p50_ms", "p95_ms")
"""Figures that a threshold holds down; the first three are counts of cases."""
EVERY_CASE: Final[dict[str, float]] = {"passed": 1.0}
"""What must hold where nobody set a threshold."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one case.

    `ranks` go with the case's `expected`: the rank of each, None where it is not among the first `k`;
    `places` with the hits: a hit of two messages takes two ranks. `superseded` and
    `forbidden` are the ranks of hits that should not be there. `words` is the share of the
    answer's words within the token budget, None where the case expects nothing; `tokens` counts the hits
    shown. `unknown` names expected records that memory does not hold.
    """

    case: Case
    hits: tuple[Hit, ...]
    places: tuple[int, ...] = ()
    ranks: tuple[int | None, ...] = ()
    superseded: tuple[int, ...] = ()
    forbidden: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()
    words: float | None = None
    tokens: int = 0
    milliseconds: float = 0.0

    @property
    def recall(self) -> float | None:
        """The share of the expected that was found; None where nothing was expected."""
        return sum(rank is not None for rank in self.ranks) / len(self.ranks) if self.ranks else None

    @property
    def first(self) -> int | None:
        """The rank of the first expected one that was found."""
        return min((rank for rank in self.ranks if rank is not None), default=None)

    @property
    def passed(self) -> bool:
        """True if the case is as it should be."""
        if self.case.nothing:
            return not self.hits
        return None not in self.ranks and not self.superseded and not self.forbidden


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """All verdicts in a few numbers; None where no case measures it.

    `recall`, `words` and `mrr` (one over the rank of the first that was found) are means over the cases
    that expect something, `passed` is a share of all, `abstention` of those in which nothing is the
    right answer. `superseded`, `forbidden` and `abstained_wrongly` count cases. `tokens` is the mean of
    what is shown; `p50_ms` and `p95_ms` time one call of `recall`.
    """

    cases: int
    passed: float | None = None
    recall: float | None = None
    mrr: float | None = None
    words: float | None = None
    superseded: int = 0
    forbidden: int = 0
    abstention: float | None = None
    abstained_wrongly: int = 0
    tokens: float | None = None
    p50_ms: float | None = None
    p95_ms: float | None = None


class Shortfall(msgspec.Struct, frozen=True):
    """A figure on the wrong side of its threshold; no `value` where no case measures it."""

    figure: str
    value: float | None
    limit: float

    @property
    def sentence(self) -> str:
        """What is not as asked for."""
        if self.value is None:
            return f"no case measures {self.figure}, which has a threshold"
        if self.figure in AT_LEAST:
            return f"{self.figure} is {_shown(self.value)}, at least {self.limit:g} was asked for"
        return f"{self.figure} is {_shown(self.value)}, at most {self.limit:g} was asked for"


class Evaluation(msgspec.Struct, frozen=True):
    """The verdicts, in the order of the cases, and the figures over them."""

    verdicts: tuple[Verdict, ...]
    figures: Figures

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """The verdicts on the cases that did not pass."""
        return tuple(verdict for verdict in self.verdicts if not verdict.passed)

    def below(
        self, at_least: Mapping[str, float] | None = None, at_most: Mapping[str, float] | None = None
    ) -> tuple[Shortfall, ...]:
        """Return the figures that miss their thresholds; without any, every case has to pass.

        Args:
            at_least: By the names of `AT_LEAST`.
            at_most: By the names of `AT_MOST`.
        """
        at_least, at_most = at_least or {}, at_most or {}
        if not at_least and not at_most:
            at_least = EVERY_CASE
        found: list[Shortfall] = []
        for name, limit in [*at_least.items(), *at_most.items()]:
            value: float | None = getattr(self.figures, name)
            if value is None or (value < limit if name in at_least else value > limit):
                found.append(Shortfall(name, value, limit))
        return tuple(found)


def figures(verdicts: Sequence[Verdict]) -> Figures:
    """Sum verdicts up."""
    times = sorted(verdict.milliseconds for verdict in verdicts)
    expecting = [verdict for verdict in verdicts if verdict.case.expected]
    return Figures(
        cases=len(verdicts),
        passed=_mean(verdict.passed for verdict in verdicts),
        recall=_mean(verdict.recall or 0.0 for verdict in expecting),
        mrr=_mean(1 / verdict.first if verdict.first else 0.0 for verdict in expecting),
        words=_mean(verdict.words or 0.0 for verdict in expecting),
        superseded=sum(bool(verdict.superseded) for verdict in verdicts),
        forbidden=sum(bool(verdict.forbidden) for verdict in verdicts),
        abstention=_mean(not verdict.hits for verdict in verdicts if verdict.case.nothing),
        abstained_wrongly=sum(not verdict.hits for verdict in expecting),
        tokens=_mean(verdict.tokens for verdict in verdicts),
        p50_ms=_at(times, 0.50),
        p95_ms=_at(times, 0.95),
    )


def _mean(values: Iterable[float]) -> float | None:
    listed = [float(value) for value in values]
    return statistics.fmean(listed) if listed else None


def _at(ordered: Sequence[float], share: float) -> float | None:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def _shown(value: float) -> str:
    """Write a figure so that it never reads as the limit it missed."""
    return f"{value:.4g}"
