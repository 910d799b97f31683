"""A case: a question, and what an answer must and must not show. Pure values, and how one is written down."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

from commonplace.errors import InputError
from commonplace.guard.screened import instant
from commonplace.records import LayerName, Source

K: Final = 8
"""Ranks that are looked at where a case does not say; as many as `recall` gives."""
TOKENS: Final = 1000
"""The budget of a case that names none, for the share of the answer's words that fit into it."""

TargetKind = Literal["text", "record", "message", "file"]
TARGET_KINDS: Final[tuple[TargetKind, ...]] = ("text", "record", "message", "file")


class Target(msgspec.Struct, frozen=True):
    """Something a hit may show.

    `text`: words that stand in the hit, whatever their case and white space. `record`: an id as `recall`
    prints it; what replaced it counts. `message`: `SESSION#MESSAGE`, among the hit's sources. `file`: a
    path below the location, or a folder of it. One of `others` does as well.
    """

    kind: TargetKind
    value: str
    others: tuple[Target, ...] = ()

    @property
    def choices(self) -> tuple[Target, ...]:
        """This target and its others, none of them nested."""
        bare = Target(self.kind, self.value) if self.others else self
        return (bare, *(each for other in self.others for each in other.choices))

    @property
    def source(self) -> Source | None:
        """The message a target of that kind names; None for the other kinds."""
        return message_named(self.value) if self.kind == "message" else None


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One question with what is known of its answer; an empty `name` is that of its place.

    `expected` must each be shown within the first `k` ranks. `superseded` may be shown, but only below
    the first expected one. `forbidden` must not be shown. With `nothing` there must be no hit at all.
    `tokens` bounds how many of the answer's words are counted.
    """

    question: str
    name: str = ""
    expected: tuple[Target, ...] = ()
    superseded: tuple[Target, ...] = ()
    forbidden: tuple[Target, ...] = ()
    nothing: bool = False
    as_of: datetime | None = None
    layers: tuple[LayerName, ...] | None = None
    k: int = K
    tokens: int = TOKENS


class CaseFile(msgspec.Struct, frozen=True):
    """What a file of cases says: the cases, and the figures they must reach or keep below."""

    cases: tuple[Case, ...]
    at_least: dict[str, float] = msgspec.field(default_factory=dict)
    at_most: dict[str, float] = msgspec.field(default_factory=dict)


def message_named(value: str) -> Source | None:
    """Read `SESSION#MESSAGE`; None where it is none."""
    session, mark, message = value.rpartition("#")
    return Source(session, message) if mark and session and message else None


def check(case: Case) -> None:
    """Make sure that a case asks for something and does not contradict itself.

    Raises:
        InputError: It does not; the sentence begins with what is wrong.
    """
    if not case.question.strip():
        raise InputError("the question is empty")
    if case.nothing and (case.expected or case.superseded or case.forbidden):
        raise InputError("`nothing` stands alone: where nothing may be found, no record is expected or forbidden")
    if not (case.nothing or case.expected or case.forbidden):
        raise InputError("the case asks for nothing; give `expected`, `forbidden` or `nothing: true`")
    if case.superseded and not case.expected:
        raise InputError("`superseded` is what stands below the expected; give `expected`, or use `forbidden`")
    if case.k < 1 or case.tokens < 1:
        raise InputError("`k` and `tokens` are at least 1")
    for target in (*case.expected, *case.superseded, *case.forbidden):
        for each in target.choices:
            if not each.value.strip():
                raise InputError(f"a {each.kind} to look for is empty")
            if each.kind == "message" and each.source is None:
                raise InputError(f"{each.value!r} names no message; write SESSION#MESSAGE, as `cli:main#m3`")


def line(case: Case) -> str:
    """Write a case as one line of a JSONL file that `read` takes."""
    said: dict[str, Any] = {"name": case.name} if case.name else {}
    said["question"] = case.question
    for key in ("expected", "superseded", "forbidden"):
        targets: tuple[Target, ...] = getattr(case, key)
        if targets:
            said[key] = [_written(target) for target in targets]
    if case.nothing:
        said["nothing"] = True
    if case.as_of is not None:
        said["as_of"] = instant(case.as_of)
    if case.layers is not None:
        said["layers"] = list(case.layers)
    if case.k != K:
        said["k"] = case.k
    if case.tokens != TOKENS:
        said["tokens"] = case.tokens
    # Line separators of Unicode would break the line for readers that split at them.
    return json.dumps(said, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _written(target: Target) -> dict[str, Any]:
    if not target.others:
        return {target.kind: target.value}
    return {"any": [{each.kind: each.value} for each in target.choices]}
