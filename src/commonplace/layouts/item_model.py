"""What one typed item says: what it is about, how sure and how important it is, since when.

Pure: reads and makes the object of one JSON line. Unknown fields stay as they are.

Source: seed structured, "Memory V2"; seed systems 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, Final

import msgspec

from commonplace.layouts.schema import Layer
from commonplace.records import Item
from commonplace.text.instants import instant_of
from commonplace.text.patterns import pattern
from commonplace.text.pieces import one_line, truncate
from commonplace.text.standing import is_standing

TURN: Final = "turn"
"""The source of an item that is a whole turn."""

NOTE_MARK: Final = " | Assistant:"
"""What is before the answer in the note of a turn."""

_ORDERS: Final = frozenset({"CONSTRAINT", "INSTRUCTION"})
_TITLE_CHARS: Final = 96
_SUMMARY_LEAD: Final = pattern(r"\A(?:\d{4}-\d\d-\d\d )?[\d-]{2}:[\d-]{2}  \S.*?  +(?:\([^()]*unverified\) )?")
_ASKER: Final = pattern(r"\A([^:\n]{1,60}): ?")  # of a turn
_UNIONS: Final = ("tags", "references")
_HIGHEST: Final = ("confidence", "salience")
_OF_THE_TEXT: Final = ("content", "title", "type", "source")


class MemoryItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item as its fields say; None or empty if a field is missing or makes no sense."""

    id: str
    layer: str = ""
    type: str = ""
    title: str = ""
    content: str = ""
    scope: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""
    confidence: float | None = None
    salience: float | None = None
    ttl_days: float | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    fingerprint: str = ""

    @property
    def at(self) -> datetime | None:
        """When it was last written."""
        return self.updated_at or self.created_at


def read(record: Item, layer: str = "") -> MemoryItem:
    """Read the fields of an item.

    Args:
        record: The stored object.
        layer: Where it is stored; what it says itself goes before.
    """
    data = record.data
    return MemoryItem(
        id=record.id,
        layer=(_text(data, "layer") or layer).lower(),
        type=record.kind.upper(),
        title=record.title,
        content=record.text,
        scope=_text(data, "scope"),
        tags=record.tags,
        source=_text(data, "source"),
        confidence=_number(data, "confidence"),
        salience=_number(data, "salience"),
        ttl_days=_number(data, "ttlDays"),
        created_at=instant_of(data.get("createdAt")),
        updated_at=instant_of(data.get("updatedAt")),
        fingerprint=_text(data, "fingerprint"),
    )


def completed(values: Mapping[str, Any], *, layer: Layer, scope: str = "") -> dict[str, Any]:
    """Return the fields of a new item, with what was left out filled in."""
    content = _text(values, "content")
    usual: dict[str, Any] = {
        "layer": layer.name.upper(),
        "type": layer.type_of("fact"),
        "title": _title(values),
        "content": content,
        "tags": [],
        "source": "explicit",
        "confidence": 0.85,  # seed systems 3.1: of an item that a person or agent adds
        "salience": 0.72,
        "references": [],
    } | ({"scope": scope} if scope else {})
    return usual | {key: value for key, value in values.items() if value is not None}


def merged(old: Mapping[str, Any], new: Mapping[str, Any], *, named: bool = False) -> dict[str, Any]:
    """Return what is written now (`new`) over the item that is there: the newer text, the tags and references of both.

    If the item was `named` to be changed, what is given takes the place of what it has. Whether a text may take the
    place of one that is trusted more is decided elsewhere.
    """
    before, now = instant_of(old.get("updatedAt")), instant_of(new.get("updatedAt"))
    older = before is not None and now is not None and now < before
    made = {key: value for key, value in new.items() if key != "createdAt" or "createdAt" not in old}
    kept = {key: value for key, value in old.items() if key not in new} if named else old
    for key in _UNIONS:
        made[key] = list(dict.fromkeys([*_texts(kept.get(key)), *_texts(new.get(key))]))
    for key in _HIGHEST:
        made[key] = max((found for each in (kept, new) if (found := _number(each, key)) is not None), default=None)
    if "content" in made and old.get("title") == _title(old) and made.get("title", old["title"]) == old["title"]:
        made["title"] = _title(made)  # the old one was made of the old text
    if older:
        made |= {key: old[key] for key in (*_OF_THE_TEXT, "fingerprint", "updatedAt") if key in old}
    return {key: value for key, value in made.items() if value is not None}


def stays(data: Mapping[str, Any]) -> bool:
    """True if an item is a standing instruction or a matter of safety, by its type or its words; a turn is neither."""
    ordered = _text(data, "type").upper() in _ORDERS
    return _text(data, "source") != TURN and (ordered or is_standing(_text(data, "content")))


def exchange(content: str) -> tuple[str, str]:
    """Return what the user asked in the content of a turn or the note of one, and what the assistant answered."""
    asked, _, answered = content.partition("\nAssistant:" if "\nAssistant:" in content else NOTE_MARK)
    return one_line(_ASKER.sub("", asked)), one_line(answered)


def is_summarised(content: str, lines: Sequence[str]) -> bool:
    """True if lines of a summary are what was asked in a turn and, next to it, what was answered, each of them whole.

    A turn without an answer is not summarised: a line that is the same may be of any other talk.
    """
    asked, answered = exchange(content)
    said = [_SUMMARY_LEAD.sub("", line.strip()) for line in lines]
    return bool(asked and answered) and any(
        one_line(line) in {asked, f'"{asked}"'} and one_line(after) == answered for line, after in pairwise(said)
    )


def asker(content: str) -> str:
    """Return who asked in the content of a turn: `User`, or what they are called."""
    found = _ASKER.match(content)
    return found[1] if found else "User"


def _title(data: Mapping[str, Any]) -> str:
    content = _text(data, "content")
    if _text(data, "source") == TURN:
        return f"{asker(content)} asked: {truncate(exchange(content)[0], _TITLE_CHARS)}"
    return truncate(one_line(content), _TITLE_CHARS)


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list | tuple) else ()


def _number(data: Mapping[str, Any], key: str) -> float | None:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
