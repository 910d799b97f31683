"""What the rules make of talks, one after the other, from what is known."""

from __future__ import annotations

from datetime import UTC, datetime

from commonplace import Message
from commonplace.jobs.rules import proposing
from commonplace.operations import AddEntry, ReplaceEntry
from commonplace.records import RecordedMessage

AT = datetime(2026, 11, 2, 9, tzinfo=UTC)
TARGETS = dict.fromkeys(
    ("preference", "fact", "decision", "constraint", "instruction", "failure", "fix", "task"),
    proposing.Place(path="MEMORY.md"),
)


def after(known: list[str], *said: str) -> list[str]:
    """Return what is known once each message, in a talk of its own, was read."""
    known = list(known)
    for text in said:
        talk = [Message("user", text, id="u", at=AT), Message("assistant", "OK.", at=AT)]
        recorded = [RecordedMessage(f"m{n}", "s", "s", n, each, n) for n, each in enumerate(talk)]
        before = [proposing.Known(f"k{n}", "MEMORY.md", each) for n, each in enumerate(known)]
        made = proposing.propose(recorded, session="s", zone=UTC, targets=TARGETS, existing=before)
        for edit in made.operations:
            if isinstance(edit, ReplaceEntry):
                known[int(edit.target[1:])] = edit.text
            elif isinstance(edit, AddEntry):
                known.append(edit.text)
    return known
