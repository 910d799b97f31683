"""The `index.json` beside episodes: one row for each file, kept in step in the change that moved one.

Rows of files that this change does not touch stay as they are, whoever wrote them. Paths come from the
files alone, never from a row. The whole list can be made again from the files.

Source: seed facts, `episodes/index.json`.
"""

from __future__ import annotations

import json
import posixpath
from typing import Any, Final

from commonplace.changes import edits
from commonplace.changes.plan import Plan
from commonplace.changes.reader import Reader
from commonplace.guard import screen
from commonplace.layouts.codecs import topics
from commonplace.layouts.schema import Layer, Layout
from commonplace.text.pieces import decode_name, one_line, truncate

SUMMARY_CHARS: Final = 120  # seed facts
NAME: Final = "index.json"


class EpisodeRows:
    """Keeps one layout's rows of episodes in step with the files."""

    def __init__(self, layout: Layout, reader: Reader) -> None:
        self._reader = reader
        self._layer: Layer | None = layout.layer(layout.rows_of) if layout.rows_of else None
        if self._layer is not None:
            self._path = posixpath.join(posixpath.dirname(layout.path_of(self._layer, session="x")), NAME)

    def refresh(self, plan: Plan) -> None:
        """Bring the rows up to the episodes as planned, where the plan touches any."""
        if self._layer is None:
            return
        layer = self._layer
        touched = [path for path, rope in plan.ropes.items() if rope.changed and self._reader.layer(path) == layer]
        if not touched:
            return
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


def _read(data: bytes | None) -> list[dict[str, Any]] | None:
    try:
        rows = json.loads(data or b"")
    except (ValueError, RecursionError):
        return None
    return rows if isinstance(rows, list) and all(isinstance(row, dict) for row in rows) else None


def _put(rows: list[dict[str, Any]], path: str, data: bytes | None, layer: Layer) -> list[dict[str, Any]]:
    """Give the rows with that of one file as the file is now; one row a session, at its old place."""
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
