"""What of one scope stands in a prompt unasked: its shown files, the index of its topics, the session's own part."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from commonplace import guard
from commonplace.changes import listing
from commonplace.changes.parts import Parts
from commonplace.changes.plan import files_of
from commonplace.layouts.codecs import documents
from commonplace.layouts.schema import Layer
from commonplace.recall.prompt.filling import Draft, Shown
from commonplace.records import TRUST_RANK, Entry, Record
from commonplace.text.standing import is_standing

if TYPE_CHECKING:
    from commonplace.recall.prompt.capped import CappedBlock  # loaded only by the layouts that have it


class Sections:
    """Writes what a scope shows unasked.

    Args:
        capped: Writes the documents instead, where the layout caps its facts.
        zone: The one that files are dated in.
    """

    def __init__(self, parts: Parts, capped: CappedBlock | None) -> None:
        self._parts = parts
        self._store = parts.store
        self._layout = parts.layout
        self._config = parts.config
        self._reader = parts.reader
        self._ledger = parts.ledger
        self._drift = parts.drift
        self._sessions = parts.sessions
        self._capped = capped
        self._shown = [layer for layer in parts.layout.layers if layer.shown]

    def look(self) -> Sequence[tuple[Layer, str]]:
        """Notice edits made outside, in shown files at once; return these files with their layers."""
        files = self._files()
        self._drift.glance([path for _, path in files])
        return files

    def drafts(self, session: str | None) -> tuple[Draft, ...]:
        """Return the sections in the order of the layout."""
        return tuple(self._make(session))

    def _files(self) -> tuple[tuple[Layer, str], ...]:
        now = self._parts.now()
        return tuple((layer, files_of(self._layout, layer, now)) for layer in self._shown)

    def _make(self, session: str | None) -> Iterator[Draft]:
        files = self.look()
        self._ledger.catch_up()
        if self._capped is not None:
            yield from self._capped.drafts(session)
        else:
            for layer, path in files:
                yield from self._file(layer, path)
        if session is not None and self._sessions.exists(session):
            yield from self._session(session)

    def _file(self, layer: Layer, path: str) -> Iterator[Draft]:
        shown = tuple((self._written if layer.verbatim else self._entries)(layer, path))
        if shown:
            limit = self._config.context.notes_tokens if layer.kind == "journals" else 0
            yield Draft(layer.title, layer.shown or "stable", shown, limit)
        if layer.name == self._layout.index_of:
            _, lines = listing.split(self._reader.data(path) or b"")
            listed = tuple(Shown(path, guard.shown(line)) for line in lines.splitlines() if line.strip())
            if listed:
                yield Draft("Topics", "stable", listed)

    def _session(self, session: str) -> Iterator[Draft]:
        summary = self._sessions.summary(session)
        if summary:
            yield Draft(
                "Earlier in this session", "volatile", (Shown(self._sessions.path(session), summary),), live=True
            )
        if self._layout.recap and self._config.context.recap:
            said = tuple(
                Shown(m.id, f"{m.message.role.upper()}: {m.text}")
                for m in self._sessions.window(session)
                if m.text.strip()
            )
            yield Draft(
                "Recent Conversation Recap", "volatile", said, self._config.consolidation.recap_tokens, live=True
            )

    def _written(self, layer: Layer, path: str) -> Iterator[Shown]:
        """Return a document as it is written, cut where its entries end: one after the other they are its text."""
        data = (self._reader.data(path) or b"").removeprefix(codecs.BOM_UTF8)
        at = 0
        heading = ""
        parsed = documents.parse(path, data)
        told = {record.id: record.text for record in self._reader.told(placed.entry for placed in parsed)}
        for placed in parsed:
            start = data.rfind(b"\n", at, placed.start) + 1 or at
            above, text = (
                part.decode("utf-8", "replace").replace("\r\n", "\n")
                for part in (data[at:start], data[start : placed.end])
            )
            above = above if at else above.lstrip("\n")
            if "#" in above:
                heading, above = guard.shown(above), ""
            at = placed.end + (data[placed.end : placed.end + 1] == b"\r")
            at += data[at : at + 1] == b"\n"
            if placed.entry.id in told:
                if told[placed.entry.id] != placed.entry.text:
                    text = self._reader.left_of(placed.entry.id, text, journal=False)
                yield self._one(layer, placed.entry, guard.shown(above + text), heading=heading)

    def _entries(self, layer: Layer, path: str) -> Iterator[Shown]:
        """Return the entries of a document as they read in a prompt: list items, each section with its heading."""
        for record in self._reader.told(self._reader.records(path)):
            section = record.section if isinstance(record, Entry) else ""
            indented = guard.shown(record.text).replace("\n", "\n  ")
            low = TRUST_RANK[self._reader.rank(record.id)] < TRUST_RANK["agent"]
            label = f"(from {self._reader.rank(record.id)}: unverified) " if low else ""
            yield self._one(layer, record, f"- {label}{indented}", heading=f"### {section}\n" if section else "")

    def _one(self, layer: Layer, record: Record, text: str, *, heading: str) -> Shown:
        made = self._ledger.made(record.id)
        return Shown(
            record.id,
            text,
            self._reader.rank(record.id),
            heading=heading,
            said=record.text,
            sources=tuple((source.session, source.message) for source in made[1].sources) if made else (),
            standing=layer.person_only or is_standing(record.text, made[1].kind if made else ""),
            age=made[0] if made else 0,
        )
