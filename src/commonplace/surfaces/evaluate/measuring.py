"""Run the cases of a memory, judge the hits, and sum the verdicts up. Writes nothing and asks no model."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from commonplace.errors import CommonplaceError, InputError
from commonplace.layouts.codecs.edits import split_id
from commonplace.memory.memory import Memory
from commonplace.records import Hit, Query, RecordedMessage, Source
from commonplace.surfaces.evaluate.cases import Case, Target
from commonplace.text import terms
from commonplace.text.pieces import estimate_tokens

_HIT_TOKENS: Final = 5  # hardly a hit is shorter: so many hits fill a budget
_TELLING_WORDS: Final = 3  # so many words, all in one hit, show a record whose id is not there

_Key = tuple[str, str]


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
            return f"{self.figure} is {_written(self.value)}, at least {self.limit:g} was asked for"
        return f"{self.figure} is {_written(self.value)}, at most {self.limit:g} was asked for"


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


def _written(value: float) -> str:
    """Write a figure so that it never reads as the limit it missed."""
    return f"{value:.4g}"


def evaluate(memory: Memory, cases: Iterable[Case], *, timer: Callable[[], float] = time.perf_counter) -> Evaluation:
    """Run each case on a memory and return the results.

    Each question is asked with its `k`, which is timed, and once more with enough hits to fill its token
    budget, which is not. The very first question is asked once before, so that bringing the index up to the
    files is no part of a time.

    Ranks: a hit of a message takes one rank for each message it is of, any other hit one.

    Args:
        memory: The memory; it may be read-only.
        cases: What to ask.
        timer: Seconds, ever growing.

    Raises:
        InputError: Two cases have one name.
    """
    asked = tuple(cases)
    taken: set[str] = set()
    for case in asked:
        if case.name and case.name in taken:
            raise InputError(f"two cases are named {case.name!r}; give each its own", case=case.name)
        taken.add(case.name)
    for case in asked[:1]:
        memory.recall(_query(case, case.k))
    verdicts = tuple(_Trial(memory, case).verdict(timer) for case in asked)
    return Evaluation(verdicts, figures(verdicts))


def _query(case: Case, k: int) -> Query:
    return Query(text=case.question, k=k, layers=case.layers, as_of=case.as_of)


class _Answer:
    """Hits with their ranks."""

    def __init__(self, hits: Sequence[Hit]) -> None:
        self.hits = tuple(hits)
        self._ranks: dict[_Key, int] = {}
        self.places = tuple(self._rank(hit) for hit in self.hits)

    def _rank(self, hit: Hit) -> int:
        return min(self._ranks.setdefault(key, len(self._ranks) + 1) for key in _keys(hit))

    def ranked(self) -> Iterable[tuple[Hit, int]]:
        """Yield each hit with its rank."""
        return zip(self.hits, self.places, strict=True)

    def rank(self, target: _Wanted) -> int | None:
        """Return the rank of the first hit that shows a target."""
        found = [self._rank_in(hit, rank, target) for hit, rank in self.ranked() if target.shown_by(hit)]
        return min(found, default=None)

    def _rank_in(self, hit: Hit, rank: int, target: _Wanted) -> int:
        if hit.layer == "sessions" and target.source is not None:
            return self._ranks[target.source.session, target.source.message]
        return rank

    def within(self, tokens: int) -> tuple[Hit, ...]:
        """Return whole hits in order until the next would exceed a budget."""
        spent = 0
        for at, hit in enumerate(self.hits):
            spent += estimate_tokens(hit.text)
            if spent > tokens:
                return self.hits[:at]
        return self.hits


def _keys(hit: Hit) -> list[_Key]:
    if hit.layer == "sessions" and hit.sources:
        return [(source.session, source.message) for source in hit.sources]
    return [("", hit.record)]


class _Wanted(msgspec.Struct, frozen=True):
    """A target as it can be looked for: the record's id of today, the words it holds, the message it is.

    With `itself` a message has to be shown; a record that rests on it will not do.
    """

    target: Target
    record: str = ""
    source: Source | None = None
    text: str = ""
    itself: bool = False

    def shown_by(self, hit: Hit) -> bool:
        """True if a hit shows it; a record also if all its words are in the hit of another."""
        kind, value = self.target.kind, self.target.value
        if self.source is not None:
            named = [(each.session, each.message) for each in hit.sources]
            return (hit.layer == "sessions" or not self.itself) and _pair(self.source) in named
        if kind == "text":
            return _plain(value) in _plain(hit.text)
        if kind == "file":
            path = split_id(hit.record)[0]
            return path == value or path.startswith(f"{value.rstrip('/')}/")
        if hit.record == self.record:
            return True
        # Of two hits that say the same, recall shows one.
        return len(self.text.split()) >= _TELLING_WORDS and _plain(self.text) in _plain(hit.text)

    def share(self, hits: Iterable[Hit]) -> float:
        """Return the share of its words that hits show; of what has no words of its own, 1 where it is shown."""
        showing = [hit for hit in hits if self.shown_by(hit)]
        own = _content(self.text)
        if not showing or not own:
            return float(bool(showing))
        return len(own & set().union(*(_content(hit.text) for hit in showing))) / len(own)


class _Trial:
    """One case being asked."""

    def __init__(self, memory: Memory, case: Case) -> None:
        self._memory = memory
        self._case = case
        self._unknown: list[str] = []

    def verdict(self, timer: Callable[[], float]) -> Verdict:
        case = self._case
        expected = [[self._current(each) for each in target.choices] for target in case.expected]
        started = timer()
        hits = self._memory.recall(_query(case, case.k))
        milliseconds = 1000 * (timer() - started)
        near = _Answer(hits)
        ranks = tuple(self._within(_best(near.rank(each) for each in choices)) for choices in expected)
        first = _best(ranks)
        stale = [rank for rank in self._shown(near, case.superseded) if first is None or rank < first]
        return Verdict(
            case=case,
            hits=near.hits,
            places=near.places,
            ranks=ranks,
            superseded=tuple(stale),
            forbidden=tuple(self._shown(near, case.forbidden)),
            unknown=tuple(self._unknown),
            words=self._words(near, expected),
            tokens=sum(estimate_tokens(hit.text) for hit in near.hits),
            milliseconds=milliseconds,
        )

    def _within(self, rank: int | None) -> int | None:
        return rank if rank is not None and rank <= self._case.k else None

    def _shown(self, answer: _Answer, targets: Iterable[Target]) -> list[int]:
        """List the ranks at which any of these is shown, as they were named: their successors are another matter."""
        choices = (each for target in targets for each in target.choices)
        wanted = [_Wanted(each, each.value, each.source, itself=True) for each in choices]
        return sorted({rank for hit, rank in answer.ranked() if any(each.shown_by(hit) for each in wanted)})

    def _words(self, near: _Answer, expected: Sequence[Sequence[_Wanted]]) -> float | None:
        """Return the share of the answer's words that the token budget shows."""
        if not expected:
            return None
        depth = self._case.tokens // _HIT_TOKENS
        wide = near if depth <= self._case.k else _Answer(self._memory.recall(_query(self._case, depth)))
        hits = wide.within(self._case.tokens)
        return sum(max(each.share(hits) for each in choices) for choices in expected) / len(expected)

    def _current(self, target: Target) -> _Wanted:
        """Return a target as it is now: the id and text of a record, the text of a message."""
        try:
            if target.source is not None:
                source = target.source
                return _Wanted(target, source=source, text=self._memory.sessions.message(*_pair(source)).text)
            if target.kind == "record":
                record = self._memory.read(target.value)
                if isinstance(record, RecordedMessage):
                    return _Wanted(target, source=Source(record.session, record.message.id or ""), text=record.text)
                return _Wanted(target, record.id, text=record.text)
        except CommonplaceError:
            self._unknown.append(target.value)
        return _Wanted(target, target.value, target.source)


def _pair(source: Source) -> _Key:
    return source.session, source.message


def _best(ranks: Iterable[int | None]) -> int | None:
    return min((rank for rank in ranks if rank is not None), default=None)


def _plain(text: str) -> str:
    return " ".join(terms.fold(text).lower().split())


def _content(text: str) -> set[str]:
    """Return the words of a text that say something; all of them where none does."""
    found = set(terms.words(text, whole=True))
    return found - terms.STOP_WORDS or found
