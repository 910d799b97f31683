"""The `index.json` beside topics: one row for each file, kept in step in the change that moved one.

Rows of files that this change does not touch stay as they are, whoever wrote them. Paths come from the
files alone, never from a row. The whole list can be made again from the files.

Source: seed facts, `episodes/index.json`.
"""

from __future__ import annotations

import json
import posixpath
from typing import Any, Final

from commonplace.changes import edits
from commonplace.changes.parts import Parts
from commonplace.changes.plan import Plan
from commonplace.guard import screen
from commonplace.layouts.codecs import topics
from commonplace.layouts.schema import Generated, Layer
from commonplace.text.pieces import decode_name, one_line, truncate

SUMMARY_CHARS: Final = 120  # seed facts
NAME: Final = "index.json"


class TopicRows:
    """Keeps the rows of one layer of topics in step with its files."""

    document = ""  # rows are not made again for an edit from outside

    def __init__(self, parts: Parts, made: Generated) -> None:
        self._reader = parts.reader
        self._layer = parts.layout.layer(made.of[0])
        folder = posixpath.dirname(parts.layout.path_of(self._layer, session="x", topic="x"))
        self._path = posixpath.join(folder, NAME)

    def lists(self, path: str) -> bool:
        """True if a file has a row."""
        return self._reader.layer(path) == self._layer

    def renew(self, plan: Plan) -> None:
        """Do nothing: rows of files that a change does not move stay as they are."""

    def refresh(self, plan: Plan) -> str:
        """Bring the rows up to the topics as planned, if the plan moves any."""
        layer = self._layer
        touched = [path for path, rope in plan.ropes.items() if rope.changed and self._reader.layer(path) == layer]
        if not touched:
            return ""
        old = plan.planned(self._path)
        rows = _read(old)
        if rows is None:  # there is none, or it is damaged: made again from every file
            rows = []
            touched = sorted({*touched, *(path for _, path in self._reader.files(lambda each: each == layer))})
        for path in touched:
            rows = _put(rows, path, plan.planned(path), layer)
        text = json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
        if screen(text).text == text:
            plan.rewrite(self._path, edits.between(old or b"", text.encode("utf-8", "replace")))
        return ""


def _read(data: bytes | None) -> list[dict[str, Any]] | None:
    try:
        rows = json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    return rows if isinstance(rows, list) and all(isinstance(row, dict) for row in rows) else None


def _put(rows: list[dict[str, Any]], path: str, data: bytes | None, layer: Layer) -> list[dict[str, Any]]:
    """Return the rows with that of one file as the file is now; one row a session, at its old place."""
    name = posixpath.basename(path).removesuffix(".md")
    session = decode_name(name) or name
    if data is None:
        return [row for row in rows if row.get("session_id") not in {session, name}]
    topic = topics.parse(path, data, layer.style).topic
    session = str(topic.extra.get("session_id") or session)
    turns = str(topic.extra.get("turns", ""))
    row = {
        "session_id": session,
        "turns": int(turns) if turns.isascii() and turns.isdigit() and len(turns) < 10 else 0,
        "created_at": str(topic.extra.get("created_at") or topic.extra.get("createdAt") or ""),
        "summary": truncate(one_line(topic.body.removeprefix("- ").replace("\n- ", " ")), SUMMARY_CHARS, "…"),
    }
    places = [place for place, each in enumerate(rows) if each.get("session_id") in {session, name}]
    if not places:
        return [*rows, row]
    kept = [each for place, each in enumerate(rows) if place not in places[1:]]
    kept[places[0]] = rows[places[0]] | row
    return kept
