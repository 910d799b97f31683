"""New items held against those that are there: a rule of admission, in layouts that ask for it.

An item with the fingerprint of one that is there is the same item: the newer text holds, tags and references of both
stay. What is left out of a new item is filled in.

Source: seed structured, "Memory V2"; seed systems 3.1, 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from commonplace.changes.parts import Parts
from commonplace.changes.plan import Plan, files_of
from commonplace.layouts.codecs.items import item_fingerprint
from commonplace.layouts.item_model import TURN, completed, merged
from commonplace.layouts.schema import Layer
from commonplace.operations import PutItem
from commonplace.records import Item, JournalEntry, Record


def settled(plan: Plan, operation: PutItem, layer: Layer) -> PutItem:
    """Return what becomes of an item: the one that is there with this change, or a new one."""
    values, path = dict(operation.data), operation.path
    said, kind = values.get("content"), str(values.get("type") or "")
    given = isinstance(said, str) and operation.id == item_fingerprint(kind, said)
    if kind:
        values["type"] = layer.type_of(kind.lower())
    mark = values.get("fingerprint")
    if not isinstance(mark, str) and isinstance(said, str):
        mark = item_fingerprint(str(values.get("type") or layer.type_of("fact")), said)
    name = mark if given and isinstance(mark, str) else operation.id
    old = plan.item(path, name)
    named = old is not None and not given
    if old is None and isinstance(mark, str) and (twin := plan.items.named(path, mark)) is not None:
        name, old = twin, plan.item(path, twin)
    elif old is not None and name == mark != old.get("fingerprint"):  # the item of this id says something else by now
        name, old = f"{name}-{plan.at:%Y%m%d%H%M%S}", None
    data = completed(values, layer=layer, scope=plan.scope) if old is None else merged(old, values, named=named)
    return msgspec.structs.replace(operation, id=name, data=data)


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
