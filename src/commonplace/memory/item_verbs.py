"""The verbs of the agent's tool for typed items: add, change, move to a layer that lasts, show a section whole.

None raises trust: an item that is moved keeps what its words are trusted.

Source: seed structured, "MemoryTool"; seed systems 3.1.
"""

from __future__ import annotations

import math
from typing import Any, Final

from commonplace.errors import InputError, RecordNotFoundError
from commonplace.layouts import item_model
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.codecs.items import item_fingerprint
from commonplace.memory.scope import Scope
from commonplace.memory.using import Answer, Asked, Use, changed
from commonplace.operations import PutItem, RemoveItem
from commonplace.recall.prompt import packing
from commonplace.recall.prompt.page import Page
from commonplace.records import Item

FIELDS: Final = ("title", "tags", "references", "confidence", "salience", "ttl_days")
"""What a model may say of an item beside its words."""

_LISTS: Final = frozenset({"tags", "references"})
_MOST: Final = {"confidence": 1.0, "salience": 1.0, "ttl_days": 100_000.0}  # of those that are numbers
_SHOWN: Final = 20  # items of a section, if the model does not say how many


def add_item(use: Use, asked: Asked) -> Answer:
    """Write an item down."""
    kind = use.targets.get(asked.get("target", ""), "fact")
    layer = use.scope.layout.layer(asked.get("layer") or use.scope.layout.targets[kind])
    content = asked["content"].strip()
    word = layer.type_of(kind)
    operation = PutItem(
        path=use.scope.file(layer),
        id=item_fingerprint(word, content),
        data={"type": word, "content": content} | _fields(asked),
    )
    return changed(use, [operation], "added")


def update_item(use: Use, asked: Asked) -> Answer:
    """Change an item: what is given takes the place of what it has, also if it is shorter."""
    scope, record = _meant(use, asked)
    layer = scope.layout.layer_of(record.path)
    values = _fields(asked)
    if "content" in asked:
        values["content"] = asked["content"].strip()
    if "target" in asked and layer is not None:
        values["type"] = layer.type_of(use.targets[asked["target"]])
    if not values:
        raise InputError("say what to change: content, a type, a title, tags, or another field")
    path, name = split_id(record.id)
    return changed(use, [PutItem(path=path, id=name, data=values)], "updated")


def promote_item(use: Use, asked: Asked) -> Answer:
    """Move an item to a layer that lasts; how far it is trusted stays as it is."""
    scope, record = _meant(use, asked)
    layer = scope.layout.layer(asked.get("layer") or _lasting(scope, record))
    path, name = split_id(record.id)
    if "{" in layer.path:
        raise InputError(f"what is in {layer.name} does not last; name another layer, or none")
    if scope.layout.layer_of(path) == layer:
        return {"success": True, "message": f"it is in {layer.name} already", "records": [record.id]}
    _, rests = scope.ledger.made(record.id) or (0, None)
    sure = max(scope.config.items.promotion_confidence, item_model.read(record).confidence or 0.0)
    moved = PutItem(
        path=scope.file(layer),
        id=name,
        data=record.data | {"layer": layer.name.upper(), "confidence": sure},
        sources=rests.sources if rests is not None else (),
        quotes=rests.quotes if rests is not None else (),
        trust=scope.reader.rank(record.id),
    )
    return changed(use, [moved, RemoveItem(path=path, id=name)], f"promoted to {layer.name}")


def expand(use: Use, asked: Asked) -> Answer:
    """Show a section of the items whole, with the id of each, the best for a question first."""
    layer = use.scope.layout.layer(asked["section"])
    count = int(asked.get("limit") or _SHOWN)
    lines = [
        line
        for scope in use.scopes
        for line in packing.section(Page(scope.parts, None, asked.get("query", "")), layer, count)
    ]
    return {"success": True, "message": "\n".join(lines[:count]) or f"nothing in {layer.name}"}


def _lasting(scope: Scope, record: Item) -> str:
    """Return the layer that takes what an item says for good."""
    layout = scope.layout
    name = layout.targets[layout.kinds().get(record.kind.lower(), "fact")]
    return name if "{" not in layout.layer(name).path else layout.targets["fact"]


def _meant(use: Use, asked: Asked) -> tuple[Scope, Item]:
    """Find the item that a model means by its id, with its path or without, or by its fingerprint."""
    wanted = asked["id"].strip()
    for scope in use.scopes:
        path, name = split_id(wanted)
        paths = [path] if name else [each for _, each in scope.reader.files(lambda layer: layer.kind == "items")]
        for each in paths:
            key = name or scope.parts.items.named(each, wanted) or wanted
            found = scope.parts.items.item(each, key)
            if found is not None and any(True for _ in scope.reader.visible([found])):
                return scope, found
    raise RecordNotFoundError(f"there is no item {wanted[:80]!r}; search or expand gives ids")


def _fields(asked: Asked) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in asked.keys() & FIELDS:
        given = asked[name].strip()
        found[name] = [word for part in given.split(",") if (word := part.strip())] if name in _LISTS else given
        if most := _MOST.get(name):
            try:
                found[name] = float(given)
            except ValueError:
                found[name] = math.nan
            if not 0 <= found[name] <= most:
                raise InputError(f"{name} is a number from 0 to {most:g}, not {given[:40]!r}")
    if "ttl_days" in found:
        found["ttlDays"] = found.pop("ttl_days")
    return found
