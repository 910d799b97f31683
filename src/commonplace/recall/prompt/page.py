"""What a renderer writes a section of the prompt from: the records of one scope, as they are or as they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from typing import Final, TypeVar

import msgspec

from commonplace.changes import edits
from commonplace.changes.marks import mark_of
from commonplace.changes.overruling import Overruling
from commonplace.changes.parts import Parts
from commonplace.changes.plan import files_of
from commonplace.layouts.schema import Layer, PromptSection
from commonplace.recall.prompt.filling import Shown
from commonplace.records import JournalEntry, Record, Trust, is_below_agent
from commonplace.text import validity
from commonplace.text.likeness import decide
from commonplace.text.pieces import one_line, truncate
from commonplace.text.standing import is_standing

_R = TypeVar("_R", bound=Record)
_OVER_CHARS: Final = 120  # of words that are over
_OVERRULED: Final = frozenset({"same", "contained", "supersedes"})


class Page(msgspec.Struct, frozen=True, dict=True):
    """One scope, for one prompt.

    Attributes:
        parts: What reads the scope.
        session: The session that the prompt is for, if it has a transcript.
        question: What is asked; empty if nothing is. The stable part does not depend on it.
        past: Files as they were when the session began, by path; all else is read as it is now.
        surfaced: The topics that are put before the agent by themselves.
    """

    parts: Parts
    session: str | None = None
    question: str = ""
    past: Mapping[str, bytes] = {}
    surfaced: tuple[Shown, ...] = ()

    def now(self) -> Page:
        """Return the same page with every file as it is now."""
        return msgspec.structs.replace(self, past={})

    @cached_property
    def overruling(self) -> Overruling:
        """What is said otherwise now."""
        return Overruling(self.parts.ledger, self.parts.reader)

    def layers(self, row: PromptSection) -> list[Layer]:
        """Return the layers that a section is made of."""
        return [self.parts.layout.layer(name) for name in row.of]

    def path(self, layer: Layer) -> str:
        """Return the file of a layer that is shown today."""
        return files_of(self.parts.layout, layer, self.parts.now())

    def paths(self, layer: Layer, days: int) -> list[str]:
        """Return the files of a layer: of a dated one those of today and of so many days before."""
        now = self.parts.now()
        found = (files_of(self.parts.layout, layer, now - timedelta(days=back)) for back in range(days + 1))
        return list(dict.fromkeys(found))

    def of_day(self, layer: Layer, back: int) -> list[Record]:
        """Return the records of a layer's file of so many days before today that may be shown."""
        path, reader = self.paths(layer, back)[-1], self.parts.reader
        return list(self.kept(reader.visible(reader.records(path))))

    def sources(self, record: str) -> tuple[tuple[str, str], ...]:
        """Return the messages that a record rests on."""
        made = self.parts.ledger.made(record)
        return tuple((source.session, source.message) for source in made[1].sources) if made else ()

    def data(self, path: str) -> bytes:
        """Return what a file says; nothing if it is not there, or no text."""
        data = self.past[path] if path in self.past else self.parts.reader.data(path) or b""
        return data if edits.is_text(data) else b""

    def records(self, layer: Layer) -> list[Record]:
        """Return the records of a layer's file of today that may be shown."""
        path, reader = self.path(layer), self.parts.reader
        if path not in self.past:
            return list(self.to_show(reader.records(path)))
        visible = self.to_show(edits.records(layer, path, self.past[path], self.parts.zone))
        forbids = self.parts.tombstones.forbidding()
        return [record for record in visible if not forbids(record.text)]

    def to_show(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield what of some records may be shown unasked: nothing of an event that is over."""
        ledger, today = self.parts.ledger, self.parts.now().date()
        for record in self.parts.reader.visible(records):
            made = ledger.made(record.id)
            at = (made[1].said if made else None) or ledger.written_at(record.id)
            said = None if is_standing(record.text, made[1].kind if made else "") else at
            if said is None or not validity.is_past_event(record.text, said.astimezone(self.parts.zone).date(), today):
                yield record

    def kept(self, records: Iterable[_R]) -> Iterator[_R]:
        """Yield those of some records that tell of nothing that was forgotten or taken back for nothing."""
        for record in records:
            found = self.overruling.of_record(record.id, record.text)
            if found is None or found[0].now:
                yield record

    def joined(self, row: PromptSection) -> list[tuple[Layer, Record]]:
        """Return the records of a section's layers; what a later layer says goes before what an earlier one says."""
        found = [(layer, self.records(layer)) for layer in self.layers(row)]
        kept: list[tuple[Layer, Record]] = []
        for place, (layer, records) in enumerate(found):
            over = [record for _, later in found[place + 1 :] for record in later]
            kept += [
                (layer, record)
                for record in records
                if not any(decide(record.text, other.text).kind in _OVERRULED for other in over)
            ]
        return kept

    def rank(self, record: Record) -> Trust:
        """Return the trust of a record by what was known when the page was begun."""
        return self.parts.reader.ranked(record.id, mark_of(record))

    def label(self, record: Record) -> str:
        """Return the marks of a record that is trusted less than the agent, or not so any more; empty if neither."""
        words = self.over(record.id, record.text) if isinstance(record, JournalEntry) else None
        return unverified(self.rank(record)) + (f"({over(words)}) " if words is not None else "")

    def over(self, record: str, text: str) -> str | None:
        """Return the words of a record that do not hold any more, empty if it says nothing else; None if all hold."""
        found = self.overruling.of_record(record, text)
        return found[1] if found is not None else None

    def one(self, layer: Layer, record: Record, text: str, *, heading: str = "") -> Shown:
        """Return a record as an entry of a section: its text there, and what speaks for and against it."""
        made = self.parts.ledger.made(record.id)
        return Shown(
            record.id,
            text,
            self.parts.reader.rank(record.id),
            heading=heading,
            said=record.text,
            sources=self.sources(record.id),
            standing=layer.person_only or is_standing(record.text, made[1].kind if made else ""),
            age=made[0] if made else 0,
        )


def unverified(rank: Trust) -> str:
    """Return the mark of a text of this trust; empty if it is not below the agent."""
    return f"(from {rank}: unverified) " if is_below_agent(rank) else ""


def over(words: str) -> str:
    """Return the mark of a text of which these words do not hold any more: of all of it, if there are none."""
    return f'superseded: "{truncate(one_line(words), _OVER_CHARS, "…")}"' if words else "superseded"


def paths_of(page: Page, rows: Sequence[PromptSection]) -> list[str]:
    """Return the files that some sections are made of."""
    return list(dict.fromkeys(page.path(layer) for row in rows for layer in page.layers(row)))
