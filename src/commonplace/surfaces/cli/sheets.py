"""What waits for a person as one text for an editor, and what the person decided in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, cast

from commonplace.changes.review import WORDS
from commonplace.errors import InputError
from commonplace.records import Waiting
from commonplace.text.pieces import one_line

Verb = Literal["approve", "reject", "wait"]

_HEAD: Final = """\
# Put `approve` or `reject` in place of `wait`, and save. The words of what you approve may be changed;
# they are the lines that begin with two spaces. Lines that begin with # are not read.
"""
_LINE: Final = re.compile(r"(approve|reject|wait) (\S+)\s*")


class Decision(NamedTuple):
    """What a person decided on what waits under an id; `text` are other words for it, None for its own."""

    verb: Verb
    id: str
    text: str | None = None


def written(waiting: Sequence[Waiting]) -> str:
    """Return what waits as a text in which nothing is decided yet."""
    blocks = [_HEAD]
    for each in waiting:
        where = each.operation.get("path") or each.operation.get("record") or ""
        reason = " ".join(f"{each.operation.get('op', '')} {where}: {each.reason}".split())
        text = "".join(f"  {line}\n" for line in words(each).splitlines())
        now = [f"# is there now: {line}\n" for line in each.theirs.splitlines() if line not in words(each).splitlines()]
        said = [f"# {quote.role} said: {one_line(quote.text)}\n" for quote in each.quotes]
        blocks += [f"\nwait {each.id}\n# {reason}\n", *now, *said, text]
    return "".join(blocks)


def words(waiting: Waiting) -> str:
    """Return the words that memory would get by what waits."""
    operation = waiting.operation
    data = operation.get("data") or {}
    said = next(filter(None, (operation.get(key) for key in WORDS)), "")
    return str(said or data.get("content") or data or "")


def edited(waiting: Waiting) -> Iterator[tuple[str, str]]:
    """Yield the lines that would go, each with `-`, then those that would come, each with `+`."""
    old, new = ([line for line in text.splitlines() if line.strip()] for text in (waiting.theirs, words(waiting)))
    yield from (("-", line) for line in old if line not in new)
    yield from (("+", line) for line in new if line not in old)


def decided(text: str, waiting: Sequence[Waiting]) -> list[Decision]:
    """Return what a person decided in such a text; what is not named goes on waiting.

    Raises:
        InputError: A line is none of such a text, or names nothing that waits; the error says which.
    """
    known = {each.id: each for each in waiting}
    found: list[tuple[Verb, str, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        if head := _LINE.fullmatch(line):
            found.append((cast("Verb", head.group(1)), head.group(2), []))
        elif found and (line.startswith("  ") or not line.strip()):
            found[-1][2].append(line[2:].rstrip())
        elif line.strip():
            raise InputError(
                f"line {number} of what was edited begins with none of approve, reject, wait: {line[:60]!r}"
            )
    decisions = []
    for verb, name, lines in found:
        if name not in known:
            raise InputError(f"nothing waits under {name!r}; nothing was done", id=name)
        chosen = "\n".join(lines).strip()
        if verb != "wait":
            decisions.append(Decision(verb, name, None if chosen == words(known[name]).strip() else chosen))
    return decisions
