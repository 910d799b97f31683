"""What happens when something is added: functions that a layout's table of add rules chooses from.

`merge` is not among them, because it needs verdicts: `new_entries` does it, and `label` for entries of documents. An
entry that repeats another is never added, in any layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Final

import msgspec

from commonplace.changes import new_entries
from commonplace.changes.parts import Parts
from commonplace.changes.plan import Plan, files_of
from commonplace.changes.reader import Reader
from commonplace.layouts.codecs import journals
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.codecs.items import item_fingerprint
from commonplace.layouts.item_model import TURN, completed, merged
from commonplace.layouts.schema import AddRule, Layer, Layout
from commonplace.operations import AppendJournal, Edit, PutItem, PutTopic, RemoveEntry, RemoveTopic, ReplaceEntry
from commonplace.records import Item, JournalEntry, Record, Topic, Trust, is_below_agent
from commonplace.text.installed import Installed
from commonplace.text.pieces import fingerprint, plain_line

_NEWEST: Final = 200  # items of a file that a new one is held against


class Adding(msgspec.Struct, frozen=True):
    """One edit of a layer that a rule is for: the row of the table, the instant, and the change as it is planned.

    `trust` is how far the edit is trusted, `person` whether a person asks for it.
    """

    layout: Layout
    reader: Reader
    layer: Layer
    row: AddRule
    at: datetime
    plan: Plan
    trust: Trust = "agent"
    person: bool = False


class Rule(msgspec.Struct, frozen=True):
    """An add rule.

    `refuses` says why an edit cannot be done, given the reason for it; empty if it can. `before` returns the edit that
    is done in place of one, `after` what is done with it; `same` gives the records that say already what it adds.
    """

    refuses: Callable[[Adding, Edit, str], str] | None = None
    before: Callable[[Adding, Edit], Edit] | None = None
    after: Callable[[Adding, Edit], Sequence[Edit]] | None = None
    same: Callable[[Adding, Edit], Iterable[str]] | None = None


def mirrored(adding: Adding, edit: Edit) -> list[Edit]:
    """Return what an edit of a journal comes to in the journals that hold the same entries.

    One in the style of another program gets new entries only if that program has begun it.
    """
    layout, row = adding.layout, adding.row
    if isinstance(edit, AppendJournal):
        others = row.of[1:] if adding.layer.name == row.of[0] else ()
        layers = [layout.layer(name) for name in others]
        paths = [(files_of(layout, layer, adding.at), layer.style == journals.LINES) for layer in layers]
        return [msgspec.structs.replace(edit, path=p) for p, theirs in paths if not theirs or adding.plan.exists(p)]
    if not isinstance(edit, (ReplaceEntry, RemoveEntry)):
        return []
    return [msgspec.structs.replace(edit, path=copy.path, target=copy.id) for copy in _copies(adding, edit)]


def _copies(adding: Adding, edit: ReplaceEntry | RemoveEntry) -> Iterator[JournalEntry]:
    """Yield the entries that say what the entry of an edit says, in the journals on the other side of a rule."""
    others = [layer for layer in adding.layout.layers if layer.name in adding.row.of and layer != adding.layer]
    for record in adding.reader.records(edit.path):
        if record.id != edit.target or not isinstance(record, JournalEntry) or record.at is None:
            continue
        for other in others:
            same = (
                copy
                for copy in adding.reader.records(files_of(adding.layout, other, record.at))
                if isinstance(copy, JournalEntry) and (copy.text, copy.at) == (record.text, record.at)
            )
            yield from islice(same, 1)


def typed(adding: Adding, edit: Edit) -> Edit:
    """Return what becomes of an item: the one that is there with this change, or a new one.

    An item with the fingerprint of one that is there is the same item: the newer text holds, tags and references of
    both stay. What is left out of a new item is filled in. Source: seed structured, "Memory V2"; seed systems 3.1, 3.2.
    """
    if not isinstance(edit, PutItem):
        return edit
    plan, layer = adding.plan, adding.layer
    values, path = dict(edit.data), edit.path
    said, kind = values.get("content"), str(values.get("type") or "")
    given = isinstance(said, str) and edit.id == item_fingerprint(kind, said)
    if kind:
        values["type"] = layer.type_of(kind.lower())
    mark = values.get("fingerprint")
    if not isinstance(mark, str) and isinstance(said, str):
        mark = item_fingerprint(str(values.get("type") or layer.type_of("fact")), said)
    name = mark if given and isinstance(mark, str) else edit.id
    old = plan.item(path, name)
    named = old is not None and not given
    if old is None and isinstance(mark, str) and (twin := plan.items.named(path, mark)) is not None:
        name, old = twin, plan.item(path, twin)
    elif old is not None and name == mark != old.get("fingerprint"):  # the item of this id says something else by now
        name, old = f"{name}-{plan.at:%Y%m%d%H%M%S}", None
    data = completed(values, layer=layer, scope=plan.scope) if old is None else merged(old, values, named=named)
    return msgspec.structs.replace(edit, id=name, data=data)


def relabelled(adding: Adding, edit: Edit) -> Edit:
    """Return what becomes of a new item `City: Berlin`: the item `City: New York` with the new text."""
    said = edit.data.get("content") if isinstance(edit, PutItem) else None
    if not isinstance(edit, PutItem) or not isinstance(said, str) or not new_entries.label(said):
        return edit
    if adding.plan.item(edit.path, edit.id) is not None:
        return edit
    items = adding.reader.visible(adding.plan.items.newest(edit.path, _NEWEST))
    old = _relabelled(adding, said, [(item.id, item.text) for item in items])
    return msgspec.structs.replace(edit, id=split_id(old)[1]) if old else edit


def outdated(adding: Adding, edit: Edit) -> list[Edit]:
    """Return what goes with the topic `City: Berlin`: the topic `City: New York`, if its title says no more."""
    said = edit.title if isinstance(edit, PutTopic) else ""
    if not isinstance(edit, PutTopic) or not new_entries.label(said) or plain_line(edit.body) != said or "(" in said:
        return []  # `Phone: … (work)` is another one
    topics = (each for each in adding.reader.visible(adding.plan.topics(adding.layer)) if isinstance(each, Topic))
    lines = [each for each in topics if each.path != edit.path and "\n" not in each.body.strip()]
    others = [each for each in lines if plain_line(each.body) == each.title]
    old = _relabelled(adding, said, [(each.id, each.title) for each in others])
    return [RemoveTopic(path=old, into=edit.path)] if old else []


def _relabelled(adding: Adding, said: str, known: Sequence[tuple[str, str]]) -> str:
    """Return the last record, of ids and texts, that says what a new one gives another value; empty if none does.

    What a person wrote is changed by a person only, and what ranks below the agent changes nothing.
    """
    if is_below_agent(adding.trust):
        return ""
    found = (name for name, text in reversed(known) if new_entries.relabels(said, text))
    old = next((name for name in found if not is_below_agent(adding.reader.rank(name))), "")
    return "" if old and adding.reader.is_persons_own(old) and not adding.person else old


def reasoned(adding: Adding, edit: Edit, reason: str) -> str:
    """Return why a topic that is there may not change; it may with a reason, or if it already says the same."""
    if not isinstance(edit, PutTopic) or reason.strip() or not adding.plan.exists(edit.path):
        return ""
    repeats = adding.plan.work_out(edit, adding.layer, edit.path).duplicate
    return "" if repeats else f"{edit.path} is there already; say why it changes"


def repeated(adding: Adding, edit: Edit) -> Iterator[str]:
    """Yield the topics with the title and the words of a new one, whatever their files are called."""
    if not isinstance(edit, PutTopic) or not (edit.title and edit.body) or adding.plan.exists(edit.path):
        return
    mark = fingerprint(f"{edit.title}\n{edit.body}")
    for topic in adding.reader.visible(adding.plan.topics(adding.layer)):
        if isinstance(topic, Topic) and fingerprint(f"{topic.title}\n{topic.body}") == mark:
            yield topic.id


def twins(record: Record, parts: Parts) -> Iterator[Item | JournalEntry]:
    """Yield what says the same as an item: it in other files, and the note of the same turn."""
    if not isinstance(record, Item):
        return
    mark = record.data.get("fingerprint")
    for _, path in parts.reader.files(lambda each: each.kind == "items"):
        name = parts.items.named(path, mark) if isinstance(mark, str) and path != record.path else None
        if name is not None and (found := parts.items.item(path, name)) is not None:
            yield found
    made = parts.ledger.made(record.id)
    if record.data.get("source") != TURN or record.at is None or made is None:
        return
    for layer in parts.layout.layers:
        path = files_of(parts.layout, layer, record.at.astimezone(parts.zone)) if layer.kind == "journals" else ""
        for entry in parts.reader.records(path) if path else ():
            note = parts.ledger.made(entry.id)
            if isinstance(entry, JournalEntry) and note and set(note[1].sources) == set(made[1].sources):
                yield entry


ADD_RULES: Final[Installed[Rule]] = Installed(
    "commonplace.add_rules",
    {
        "merge": Rule(),  # of new entries, with a model
        "mirror": Rule(after=mirrored),
        "label": Rule(before=relabelled, after=outdated),
        "typed": Rule(before=typed),
        "reasoned": Rule(refuses=reasoned),
        "once": Rule(same=repeated),
    },
)
"""The add rules by name; an entry point of another package brings a `Rule`."""


def of(
    layout: Layout, reader: Reader, layer: Layer, plan: Plan, *, trust: Trust = "agent", person: bool = False
) -> list[tuple[Rule, Adding]]:
    """Return the rules for an edit of a layer, in the order of the table."""
    return [
        (ADD_RULES[row.rule], Adding(layout, reader, layer, row, plan.at, plan, trust, person))
        for row in layout.add
        if row.rule in ADD_RULES and layer.name in row.of
    ]
