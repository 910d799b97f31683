"""What waits for a person as one text for an editor, and what the person decided in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, cast

from commonplace.errors import InputError
from commonplace.records import Waiting

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
        words = "".join(f"  {line}\n" for line in _words(each).splitlines())
        blocks.append(f"\nwait {each.id}\n# {reason}\n{words}")
    return "".join(blocks)


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
        words = "\n".join(lines).strip()
        if verb != "wait":
            decisions.append(Decision(verb, name, None if words == _words(known[name]).strip() else words))
    return decisions


def _words(waiting: Waiting) -> str:
    return str(waiting.operation.get("text") or waiting.operation.get("body") or "")
