"""Run the cases of a memory, judge the hits, and sum the verdicts up. Writes nothing and asks no model."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import msgspec

from commonplace.errors import CommonplaceError, InputError
from commonplace.memory.memory import Memory
from commonplace.records import Hit, Query, RecordedMessage
from commonplace.surfaces.evaluate.cases import Case, Target
from commonplace.text import terms


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one case.

    `ranks` go with the case's `expected`: the rank of each, None where it is not among the first `k`.
    `superseded` and `forbidden` are the ranks of hits that should not be there.
    """

    case: Case
    hits: tuple[Hit, ...]
    ranks: tuple[int | None, ...] = ()
    superseded: tuple[int, ...] = ()
    forbidden: tuple[int, ...] = ()
    milliseconds: float = 0.0

    @property
    def first(self) -> int | None:
        """The rank of the first expected one that was found."""
        return min((rank for rank in self.ranks if rank is not None), default=None)

    @property
    def recall(self) -> float | None:
        """The share of the expected that was found; None where nothing was expected."""
        return _mean(rank is not None for rank in self.ranks)

    @property
    def passed(self) -> bool:
        """True if the case is as it should be."""
        if self.case.nothing:
            return not self.hits
        return None not in self.ranks and not self.superseded and not self.forbidden


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """All verdicts in a few numbers; None where no case measures it.

    `recall` and `mrr` (one over the rank of the first that was found) are means over the cases that expect
    something, `passed` is a share of all, `abstention` of those in which nothing is the right answer. `superseded`
    and `forbidden` count cases. `p50_ms` and `p95_ms` time one call of `recall`.
    """

    cases: int
    passed: float | None = None
    recall: float | None = None
    mrr: float | None = None
    superseded: int = 0
    forbidden: int = 0
    abstention: float | None = None
    p50_ms: float | None = None
    p95_ms: float | None = None


class Evaluation(msgspec.Struct, frozen=True):
    """The verdicts, in the order of the cases, and the figures over them."""

    verdicts: tuple[Verdict, ...]
    figures: Figures

    @property
    def failed(self) -> tuple[Verdict, ...]:
        """The verdicts on the cases that did not pass."""
        return tuple(verdict for verdict in self.verdicts if not verdict.passed)


def evaluate(memory: Memory, cases: Iterable[Case]) -> Evaluation:
    """Run each case on a memory and return the results.

    The very first question is asked once before, so that bringing the index up to the files is no part of a time.

    Raises:
        InputError: Two cases have one name.
    """
    asked = tuple(cases)
    names = [case.name for case in asked if case.name]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two cases are named {twice!r}; give each its own", case=twice)
    for case in asked[:1]:
        memory.recall(_query(case))
    verdicts = tuple(_verdict(memory, case) for case in asked)
    return Evaluation(verdicts, _figures(verdicts))


def _query(case: Case) -> Query:
    return Query(text=case.question, k=case.k, layers=case.layers, as_of=case.as_of)


def _verdict(memory: Memory, case: Case) -> Verdict:
    wanted = [[_current(memory, choice) for choice in target.choices] for target in case.expected]
    started = time.perf_counter()
    hits = tuple(memory.recall(_query(case)))
    milliseconds = 1000 * (time.perf_counter() - started)
    ranks = tuple(
        next((rank for rank, hit in enumerate(hits, 1) if any(_shows(hit, each) for each in choices)), None)
        for choices in wanted
    )
    first = min((rank for rank in ranks if rank is not None), default=len(hits) + 1)
    return Verdict(
        case=case,
        hits=hits,
        ranks=ranks,
        superseded=tuple(rank for rank in _shown(hits, case.superseded) if rank < first),
        forbidden=tuple(_shown(hits, case.forbidden)),
        milliseconds=milliseconds,
    )


def _current(memory: Memory, target: Target) -> Target:
    """Return a target as it is now: a record that was replaced by its successor, or by the message that it is."""
    if not target.record:
        return target
    try:
        record = memory.read(target.record)
    except CommonplaceError:
        return target  # memory does not hold it, so no hit shows it
    if isinstance(record, RecordedMessage):
        return Target(message=f"{record.session}#{record.message.id}")
    return Target(record=record.id)


def _shown(hits: Sequence[Hit], targets: Iterable[Target]) -> list[int]:
    """List the ranks of hits that show what should not be there; a record that rests on a message does not show it."""
    wanted = [choice for target in targets for choice in target.choices]
    return [
        rank
        for rank, hit in enumerate(hits, 1)
        if any(_shows(hit, each) and (hit.layer == "sessions" or not each.message) for each in wanted)
    ]


def _shows(hit: Hit, target: Target) -> bool:
    if target.source is not None:
        return any(
            (each.session, each.message) == (target.source.session, target.source.message) for each in hit.sources
        )
    if target.record:
        return hit.record == target.record
    return _plain(target.text) in _plain(hit.text)


def _plain(text: str) -> str:
    return " ".join(terms.fold(text).lower().split())


def _figures(verdicts: Sequence[Verdict]) -> Figures:
    times = sorted(verdict.milliseconds for verdict in verdicts)
    expecting = [verdict for verdict in verdicts if verdict.case.expected]
    return Figures(
        cases=len(verdicts),
        passed=_mean(verdict.passed for verdict in verdicts),
        recall=_mean(verdict.recall or 0.0 for verdict in expecting),
        mrr=_mean(1 / verdict.first if verdict.first else 0.0 for verdict in expecting),
        superseded=sum(bool(verdict.superseded) for verdict in verdicts),
        forbidden=sum(bool(verdict.forbidden) for verdict in verdicts),
        abstention=_mean(not verdict.hits for verdict in verdicts if verdict.case.nothing),
        p50_ms=times[len(times) // 2] if times else None,
        p95_ms=times[int(0.95 * len(times))] if times else None,
    )


def _mean(values: Iterable[float]) -> float | None:
    listed = [float(value) for value in values]
    return sum(listed) / len(listed) if listed else None
