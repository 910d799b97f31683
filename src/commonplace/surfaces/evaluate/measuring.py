"""Run the cases of a memory and judge the hits. Writes nothing and asks no model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from commonplace.errors import CommonplaceError, InputError
from commonplace.layouts.codecs.edits import split_id
from commonplace.memory.memory import Memory
from commonplace.records import Hit, Query, RecordedMessage, Source
from commonplace.surfaces.evaluate.cases import Case, Target
from commonplace.surfaces.evaluate.figures import Evaluation, Verdict, figures
from commonplace.text import terms
from commonplace.text.pieces import estimate_tokens

_HIT_TOKENS: Final = 5  # hardly a hit is shorter: so many hits fill a budget
_TELLING_WORDS: Final = 3  # so many words, all in one hit, show a record whose id is not there

_Key = tuple[str, str]


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
            raise InputError(f"two cases are named {case.name!r}; a name stands for one", case=case.name)
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
