"""Journals of JSON lines: one entry a line, `{"cursor": 7, "timestamp": "2026-04-02 10:00", "content": "…"}`.

nanobot writes its history so from 0.1.5 on. `cursor` is its own number and says how far its dream has read; every field
but `content` stays as it is. A line that cannot be read is an entry without an instant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from commonplace.guard.screened import instant
from commonplace.layouts.codecs import edits
from commonplace.text.instants import instant_of


class Block(NamedTuple):
    """One entry as read: characters [start, end) with its header and the line breaks it owns."""

    text: str
    header: str
    at: datetime | None
    start: int
    end: int


def blocks(source: str, zone: tzinfo) -> Iterator[Block]:
    """Yield the entries of a journal; the header of one is its time as it is written."""
    start = 0
    for line in source.split("\n"):
        end = min(start + len(line) + 1, len(source))
        values = _values(line)
        content = values.get("content")
        text = edits.visible(content if isinstance(content, str) else line.lstrip("\ufeff")).strip()
        if text:
            time = values.get("timestamp")
            yield Block(text, str(time or ""), instant_of(time, zone), start, end)
        start = end


def written(text: str, at: datetime, before: str) -> str:
    """Return the line of a new entry.

    It has the cursor of the entry before it: nanobot counts on from a number of its own, and one of its entries whose
    number were taken would never be read by its dream.
    """
    numbers = (_values(line).get("cursor") for line in reversed(before.split("\n")) if line)
    cursor = next((number for number in numbers if type(number) is int), 0)
    return _line({"cursor": cursor, "timestamp": instant(at), "content": text})


def replaced(line: str, text: str) -> str:
    """Return a line with another text, its other fields as they are."""
    return _line({**_values(line), "content": text})


def _values(line: str) -> dict[str, Any]:
    try:
        values = json.loads(line.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _line(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False)
