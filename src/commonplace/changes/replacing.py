"""What an edit writes in the place of something, and whether a conversation says so. Pure but for what it is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from commonplace.changes.plan import Plan
from commonplace.guard import gate
from commonplace.guard.trust import corrects
from commonplace.layouts.schema import Layer
from commonplace.operations import Edit, Proposal, PutItem, PutTopic, ReplaceEntry, View, ViewEntry
from commonplace.records import Entry, RecordedMessage, Topic

_OLD: Final = "old"


def lines(plan: Plan, operation: Edit, layer: Layer, path: str) -> tuple[list[str], list[str]]:
    """Return the lines that an edit of a record takes away, and those that it puts there."""
    known = plan.records(layer, path, plan.rope(path).data)
    old, new = "", ""
    match operation:
        case PutItem(id=name):
            old = str((plan.item(path, name) or {}).get("content", ""))
            new = str(operation.data.get("content", old))
        case PutTopic() if operation.body and plan.exists(path):
            old, new = "\n".join(each.body for each in known if isinstance(each, Topic)), operation.body
        case ReplaceEntry(target=target):
            old = next((each.text for each in known if isinstance(each, Entry) and each.id == target), "")
            new = operation.text
    before, after = ([line for line in text.splitlines() if line.strip()] for text in (old, new))
    return [line for line in before if line not in after], [line for line in after if line not in before]


def is_said(old: list[str], new: list[str], heard: Iterable[RecordedMessage], *, theirs: bool) -> bool:
    """True if a person says in a conversation what some lines say in the place of others.

    Args:
        old: The lines that go; if there are none, nothing is replaced.
        new: Those that come.
        heard: The messages.
        theirs: Whether the new lines have only words of the person.
    """
    messages = tuple(heard)
    return corrects(old, new, messages) or (theirs and not (old and _is_held(old, new, messages)))


def _is_held(old: list[str], new: list[str], messages: tuple[RecordedMessage, ...]) -> bool:
    """True if the gate would not take the same replacement from a model that has read the messages."""
    edit = ReplaceEntry(path="", target=_OLD, text="\n".join(new))
    view = View(messages=messages, entries=(ViewEntry(id=_OLD, number=1, path="", text="\n".join(old)),))
    proposal = Proposal(operations=(edit,))
    screened = dict.fromkeys(gate.texts(proposal), ())  # at the door
    return bool(gate.judge(proposal, view, screened).held)
