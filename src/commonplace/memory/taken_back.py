"""Finds the memory that a statement takes back in its own words (`lives in Berlin now, no longer in Brixton`).

The statement then takes its place, in one change that `undo` reverses. Where nothing is taken back, or a person's own
writing would change by another hand, both stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from commonplace.changes.actors import Actor
from commonplace.jobs.rules import corrections, matching
from commonplace.layouts.codecs.topics import made_title
from commonplace.memory import verbs
from commonplace.memory.scope import Scope
from commonplace.operations import AddEntry, Edit, PutItem, PutTopic, RemoveTopic, ReplaceEntry
from commonplace.records import Entry, Item, Outcome, Record, Topic, is_below_agent, lowest_trust
from commonplace.text.pieces import one_line, truncate

_STATES: Final = (Entry, Item, Topic)
_QUOTED_CHARS: Final = 120
_LONGEST: Final = 400  # characters of a text that is one statement


def in_place(scope: Scope, operation: Edit, actor: Actor) -> list[Edit]:
    """Return what writes a statement down: over the one memory that it takes back, else beside what is there."""
    over = _taken_back(scope, operation, actor)
    return _over(operation, _said(operation), over[0]) if len(over) == 1 else [operation]


def beside(others: Iterable[Scope], done: Outcome, operation: Edit, actor: Actor) -> Outcome:
    """Return what came of writing a statement down, with a memory of other scopes that it takes back named in it."""
    if done.reason or done.status != "applied":
        return done
    found = ((scope, each) for scope in others for each in _taken_back(scope, operation, actor))
    for scope, record in found:
        quoted = repr(truncate(one_line(_of(record)), _QUOTED_CHARS, "…"))
        reason = f"beside {quoted} of the scope {scope.name!r}: `forget` or `update` that if it no longer holds"
        return msgspec.structs.replace(done, reason=reason)
    return done


def _taken_back(scope: Scope, operation: Edit, actor: Actor) -> list[Record]:
    """Return the memories of a scope that a statement takes back; none for one that is below the agent."""
    text = _said(operation)
    values = corrections.taken_back(text) if len(text) <= _LONGEST else ()
    if not values or is_below_agent(lowest_trust([actor.trust, operation.trust or actor.trust])):
        return []
    return [each for each in _known(scope, operation, actor) if matching.takes_back(text, values, _of(each))]


def _said(operation: Edit) -> str:
    match operation:
        case AddEntry(text=text):
            return text
        case PutTopic(title=title, body=body):
            return body if title else ""  # a topic that a caller named keeps what it says
        case PutItem(data=data):
            return str(data["content"])
    return ""


def _of(record: Record) -> str:
    return record.body.strip() if isinstance(record, Topic) else record.text


def _known(scope: Scope, operation: Edit, actor: Actor) -> Iterator[Record]:
    """Yield the memories of the same kind of layer that the actor may replace."""
    reader, own_layer = scope.reader, scope.layout.layer_of(operation.path)
    for layer, path in reader.files(lambda each: own_layer is not None and each.kind == own_layer.kind):
        if layer.person_only and not actor.person:
            continue
        for record in reader.visible(reader.records(path)):
            if not isinstance(record, _STATES) or is_below_agent(reader.trust(record)):
                continue
            own = reader.rank(record.id) == "user" if actor.defers else reader.is_persons_own(record.id)
            if actor.person or not own:
                yield record


def _over(operation: Edit, text: str, record: Record) -> list[Edit]:
    """Return the edits by which a statement takes the place of a record; both stay if the record says more than it."""
    known = _of(record)
    said = matching.in_its_place(text, known)
    if said == text and matching.says_more(known, corrections.taken_back(text)):
        return [operation]
    match record, operation:
        case Topic(path=path), PutTopic(path=new):
            title = operation.title if said == text else made_title(said)
            return [msgspec.structs.replace(operation, title=title, body=said), RemoveTopic(path=path, into=new)]
        case Item(data=data), PutItem():
            given = {key: value for key, value in operation.data.items() if key != "type"}
            changed: Edit = verbs.update(msgspec.structs.replace(record, data=data | given), said)
        case _:
            changed = ReplaceEntry(path=record.path, target=record.id, text=said)
    return [msgspec.structs.replace(changed, sources=operation.sources, trust=operation.trust)]
