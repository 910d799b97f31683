"""Measure recall on one's own memory: questions with known answers, asked of the memory as it is.

A case is a question with what its answer must and must not show; a file of cases is JSONL, one case a line. No model is
asked, and no memory is changed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Final

import msgspec

from commonplace.errors import CommonplaceError, InputError
from commonplace.memory.memory import Memory
from commonplace.records import Hit, LayerName, Query, RecordedMessage
from commonplace.text import terms

__all__ = ["Case", "Evaluation", "Target", "Verdict", "evaluate", "read"]

K: Final = 8
"""Ranks that are looked at if a case does not say; as many as `recall` gives."""


class Target(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a hit may show; of several fields one is enough.

    `text`: words that the hit holds, whatever their case and white space. `record`: an id as `recall`
    prints it; what replaced it counts. `message`: `SESSION#MESSAGE`, among the hit's sources.

    Raises:
        InputError: No field is set, or `message` names no message.
    """

    text: str = ""
    record: str = ""
    message: str = ""

    def __post_init__(self) -> None:
        if not any(each.strip() for each in (self.text, self.record, self.message)):
            raise InputError("a target has a text, a record or a message")
        if self.message and not all(self.message.rpartition("#")):
            raise InputError(f"{self.message!r} names no message; write SESSION#MESSAGE, as `cli:main#m3`")

    def __str__(self) -> str:
        return " or ".join(f"{field} {value}" for field in self.__struct_fields__ if (value := getattr(self, field)))


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question with what is known of its answer; an empty `name` is that of its place.

    `expected` must each be shown within the first `k` ranks, `forbidden` must not be shown. With `nothing` there must
    be no hit at all.

    Raises:
        InputError: It asks for nothing, or contradicts itself.
    """

    question: str
    name: str = ""
    expected: tuple[Target, ...] = ()
    forbidden: tuple[Target, ...] = ()
    nothing: bool = False
    as_of: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    layers: Annotated[tuple[LayerName, ...], msgspec.Meta(min_length=1)] | None = None
    k: Annotated[int, msgspec.Meta(ge=1)] = K

    def __post_init__(self) -> None:
        if not self.question.strip():
            raise InputError("the question is empty")
        if self.nothing == bool(self.expected or self.forbidden):
            raise InputError("a case has `expected` or `forbidden`, or `nothing: true` alone")


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one case.

    `ranks` go with the case's `expected`: the rank of each, None if it is not among the first `k`.
    `forbidden` are the ranks of hits that should not be there.
    """

    case: Case
    hits: tuple[Hit, ...]
    ranks: tuple[int | None, ...] = ()
    forbidden: tuple[int, ...] = ()
    milliseconds: float = 0.0

    @property
    def passed(self) -> bool:
        """True if the case is as it should be."""
        return not self.hits if self.case.nothing else None not in self.ranks and not self.forbidden


class Evaluation(msgspec.Struct, frozen=True):
    """The verdicts, in the order of the cases."""

    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> float:
        """The share of the cases that are as they should be."""
        return statistics.fmean(verdict.passed for verdict in self.verdicts)

    @property
    def recall(self) -> float | None:
        """The share of what was expected that was found; None if nothing was expected."""
        ranks = [rank for verdict in self.verdicts for rank in verdict.ranks]
        return statistics.fmean(rank is not None for rank in ranks) if ranks else None

    @property
    def milliseconds(self) -> float:
        """What one call of `recall` takes, at the median."""
        return statistics.median(verdict.milliseconds for verdict in self.verdicts)


def read(text: str, name: str) -> tuple[Case, ...]:
    """Read cases from the text of a JSONL file; a case without a name is called by its file and line.

    Args:
        text: What the file says.
        name: What the file is called.

    Raises:
        InputError: A line is no case, or there is none; the sentence begins with `name:line`.
    """
    cases: list[Case] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            case = msgspec.json.decode(line, type=Case)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise InputError(f"{name}:{number}: {error}", path=name, line=number) from None
        cases.append(case if case.name else msgspec.structs.replace(case, name=f"{name}:{number}"))
    if not cases:
        said = "there is no case in it; give at least one `question` with what is `expected`"
        raise InputError(f"{name}:1: {said}", path=name, line=1)
    return tuple(cases)


def evaluate(memory: Memory, cases: Sequence[Case]) -> Evaluation:
    """Run each case on a memory and return the results.

    The very first question is asked once before, so that bringing the index up to the files is no part of a time.
    """
    for case in cases[:1]:
        memory.recall(_query(case))
    return Evaluation(tuple(_verdict(memory, case) for case in cases))


def _query(case: Case) -> Query:
    return Query(text=case.question, k=case.k, layers=case.layers, as_of=case.as_of)


def _verdict(memory: Memory, case: Case) -> Verdict:
    started = time.perf_counter()
    hits = tuple(memory.recall(_query(case)))
    milliseconds = 1000 * (time.perf_counter() - started)
    return Verdict(
        case=case,
        hits=hits,
        ranks=tuple(next(iter(_ranks(memory, hits, [target])), None) for target in case.expected),
        forbidden=tuple(_ranks(memory, hits, case.forbidden)),
        milliseconds=milliseconds,
    )


def _ranks(memory: Memory, hits: Sequence[Hit], targets: Iterable[Target]) -> list[int]:
    """Return the ranks of the hits that show one of some targets."""
    wanted = [_current(memory, target) for target in targets]
    return [rank for rank, hit in enumerate(hits, 1) if any(_shows(hit, target) for target in wanted)]


def _current(memory: Memory, target: Target) -> Target:
    """Return a target as it is now: of a record that was replaced its successor, or the message that it is."""
    if not target.record:
        return target
    try:
        record = memory.read(target.record)
    except CommonplaceError:
        return target  # memory does not hold it, so no hit shows it
    if isinstance(record, RecordedMessage):
        return msgspec.structs.replace(target, record="", message=f"{record.session}#{record.message.id}")
    return msgspec.structs.replace(target, record=record.id)


def _shows(hit: Hit, target: Target) -> bool:
    by_text = bool(target.text) and _plain(target.text) in _plain(hit.text)
    sources = {f"{each.session}#{each.message}" for each in hit.sources}
    return by_text or hit.record == target.record or target.message in sources


def _plain(text: str) -> str:
    return " ".join(terms.fold(text).lower().split())
