"""Finds what a person lists under a heading of their own: rules, wishes, facts to keep, the fields of a profile.

A question and what is masked, because it is not the person's, is no item.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from commonplace.jobs.rules import clauses, wording
from commonplace.jobs.rules.complete import TEXT_CHARS
from commonplace.jobs.rules.patterns import Kind, guard

ListKind = Literal["rules", "wants", "facts", "profile"]
KINDS: Final[dict[ListKind, Kind]] = {
    "rules": "instruction",
    "wants": "preference",
    "facts": "fact",
    "profile": "fact",
}
_FEWEST_CHARS: Final = 3  # of an item; wide ones say more


class Heading(NamedTuple):
    """What a list is of, and the heading as it was said, without its colon."""

    kind: ListKind
    said: str

    def worded(self, item: str, speaker: str | None) -> str:
        """Return an item as a statement, with its heading if it says nothing without it."""
        if self.kind == "wants":
            frame = "Wants" if self.said.casefold() == "i want" else self.said
            return f"{speaker or wording.UNNAMED}: {frame}: {item}."
        if self.kind == "profile":
            return f"{speaker or wording.UNNAMED}: {item}."
        return item if "=" in item else f"{item[:1].upper()}{item[1:]}."


def items(masked: str) -> Iterator[tuple[int, int, Heading]]:
    """Yield the place of each item in a masked text, with the heading of its list."""
    for name in ("own_list", "own_heading"):
        for found in guard(name).finditer(masked):
            heading = _heading(found.groupdict())
            if found["list"] is not None:
                yield from _lines(masked, *found.span("list"), heading)
                continue
            begin = found.start("inline")
            for start, end, mark in clauses.sentences(found["inline"]):
                if not mark.strip().startswith(("?", "？")):
                    yield from _item(masked, begin + start, begin + end, heading)


def _heading(named: dict[str, str | None]) -> Heading:
    """Return of what a list is by the groups of the pattern that found it."""
    for kind in ("wants", "facts"):
        if said := named.get(kind):
            return Heading(kind, said.rstrip(" :："))
    return Heading("rules" if any(named.get(f"rules{which}") for which in ("", "_here", "_wide")) else "profile", "")


def _lines(masked: str, begin: int, end: int, heading: Heading) -> Iterator[tuple[int, int, Heading]]:
    for line in guard("listed").finditer(masked, begin, end):
        bullet = guard("bullet").match(masked, *line.span())
        yield from _item(masked, line.start() if bullet is None else bullet.end(), line.end(), heading)


def _item(masked: str, start: int, end: int, heading: Heading) -> Iterator[tuple[int, int, Heading]]:
    while start < end and masked[start].isspace():
        start += 1
    said = masked[start:end].rstrip()
    asks = "?" in said or "？" in said or guard("question_start").match(said) is not None
    fits = (
        _FEWEST_CHARS <= len(said) <= TEXT_CHARS and clauses.MASK not in said and guard("no_item").match(said) is None
    )
    if fits and not asks and guard("of_the_hour").search(said) is None:
        yield start, start + len(said), heading
