"""What a document said before a message that is forgotten corrected it: put back if all that it rests on stays."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from commonplace.changes.log import Added
from commonplace.changes.parts import Parts
from commonplace.guard.markers import ERASED
from commonplace.operations import ReplaceEntry
from commonplace.records import Entry, Record, RecordedMessage, is_below_agent


def restored(
    parts: Parts, going: Iterable[tuple[Record, Record | None]], messages: Iterable[RecordedMessage]
) -> dict[str, ReplaceEntry]:
    """Return the operations that put back what entries had replaced, by the ids of these entries.

    Of an item or a topic the log has the texts, but not the other fields that came from the same messages.

    Args:
        parts: The scope.
        going: What goes with some messages, each with what is left of it.
        messages: The messages that are about to be forgotten.
    """
    out = parts.tombstones.hidden().union((each.session, str(each.message.id)) for each in messages)
    found: dict[str, ReplaceEntry] = {}
    for record, left in going:
        if left is not None or not isinstance(record, Entry):
            continue
        here = {each.id for each in parts.reader.records(record.path)}
        made = (parts.ledger.made(old) for old in parts.ledger.predecessors(record.id) if old not in here)
        was = next((each[1] for each in made if each is not None and _stays(parts, each[1], out)), None)
        if was is not None:
            found[record.id] = ReplaceEntry(
                path=record.path, target=record.id, text=was.text,
                sources=was.sources, quotes=was.quotes, trust=was.trust,
            )  # fmt: skip
    return found


def _stays(parts: Parts, was: Added, out: Collection[tuple[str, str]]) -> bool:
    """True if a text is known and may be said again: neither it nor anything that it rests on was forgotten."""
    return (
        bool(was.text.strip())
        and ERASED not in was.text
        and not is_below_agent(was.trust)
        and all((source.session, source.message) not in out for source in was.sources)
        and not parts.tombstones.forbids([was.text])
    )
