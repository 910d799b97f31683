"""A case: a question with what its answer must and must not show. A file of cases is JSONL, one case a line."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

import msgspec

from commonplace.errors import InputError
from commonplace.records import LayerName, Source

K: Final = 8
"""Ranks that are looked at where a case does not say; as many as `recall` gives."""
KINDS: Final = ("text", "record", "message")


class Target(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Something a hit may show: exactly one of its fields is set.

    `text`: words that the hit holds, whatever their case and white space. `record`: an id as `recall`
    prints it; what replaced it counts. `message`: `SESSION#MESSAGE`, among the hit's sources. `any`: targets of
    which one is enough.

    Raises:
        InputError: Not exactly one field is set, or `message` names no message.
    """

    text: str = ""
    record: str = ""
    message: str = ""
    any: tuple[Target, ...] = ()

    def __post_init__(self) -> None:
        values = (self.text, self.record, self.message)
        if sum(bool(each.strip()) for each in values) + bool(self.any) != 1:
            raise InputError(f"a target has exactly one of {', '.join(KINDS)} and any")
        if self.message and self.source is None:
            raise InputError(f"{self.message!r} names no message; write SESSION#MESSAGE, as `cli:main#m3`")

    @property
    def choices(self) -> tuple[Target, ...]:
        """This target, or the targets of its `any`, none of them nested."""
        return tuple(each for one in self.any for each in one.choices) or (self,)

    @property
    def kind(self) -> str:
        """Which field is set; of the first choice if it is `any`."""
        return next(kind for kind in KINDS if getattr(self.choices[0], kind))

    @property
    def value(self) -> str:
        """What that field says."""
        found: str = getattr(self.choices[0], self.kind)
        return found

    @property
    def source(self) -> Source | None:
        """The message that `message` names; None for the other kinds."""
        session, mark, message = self.message.rpartition("#")
        return Source(session, message) if mark and session and message else None


class Case(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One question with what is known of its answer; an empty `name` is that of its place.

    `expected` must each be shown within the first `k` ranks. `superseded` may be shown, but only below
    the first expected one. `forbidden` must not be shown. With `nothing` there must be no hit at all.

    Raises:
        InputError: It asks for nothing, or contradicts itself.
    """

    question: str
    name: str = ""
    expected: tuple[Target, ...] = ()
    superseded: tuple[Target, ...] = ()
    forbidden: tuple[Target, ...] = ()
    nothing: bool = False
    as_of: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    layers: tuple[LayerName, ...] | None = None
    k: int = K

    def __post_init__(self) -> None:
        if not self.question.strip():
            raise InputError("the question is empty")
        if self.nothing and (self.expected or self.superseded or self.forbidden):
            raise InputError("`nothing` is alone: where nothing may be found, no record is expected or forbidden")
        if not (self.nothing or self.expected or self.forbidden):
            raise InputError("the case asks for nothing; give `expected`, `forbidden` or `nothing: true`")
        if self.superseded and not self.expected:
            raise InputError(
                "`superseded` is what may be shown below the expected; give `expected`, or use `forbidden`"
            )
        if self.k < 1:
            raise InputError("`k` is at least 1")
        if self.layers == ():
            raise InputError("`layers` lists nothing; leave it out to look everywhere")


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


def line(case: Case) -> str:
    """Write a case as one line of a file that `read` takes."""
    return msgspec.json.encode(case).decode("utf-8")
