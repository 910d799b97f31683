"""The mark of what ranks below the agent, in the record's own file: nothing needs the log to stay low.

A topic says it in its front matter, an item in its key `trust`, a journal entry in its first words. A mark lowers,
it never raises.
"""

from __future__ import annotations

from typing import Final

import msgspec

from commonplace.changes.item_files import ItemFiles
from commonplace.layouts.codecs.journals import mark
from commonplace.operations import AppendJournal, Edit, PutItem, PutTopic, ReplaceEntry
from commonplace.records import TRUST_RANK, Item, JournalEntry, Record, Topic, Trust, is_below_agent

KEY: Final = "trust"


def mark_of(record: Record) -> Trust | None:
    """Return how far a record itself says that it is trusted; None if it says nothing."""
    match record:
        case JournalEntry(trust=said):
            pass
        case Topic():
            said = record.extra.get(KEY)
        case Item():
            said = record.data.get(KEY)
        case _:
            return None
    return said if said in TRUST_RANK else None


def may_mark(data: bytes, kind: str) -> bool:
    """False if no record of a file can have a mark: a journal that never ends is not read for one of its entries."""
    return (b"(from " if kind == "journals" else KEY.encode()) in data


_WORDS: Final = ("content", "title", "type")  # of an item: what it says, and as what


def marked(operation: Edit, trust: Trust, before: Trust | None, *, journal: bool) -> Edit:
    """Return an edit that writes down how far its text is trusted.

    Args:
        operation: The edit.
        trust: As computed; what the operation itself claims is left out.
        before: The mark of the record that it changes.
        journal: Whether it edits an entry of a journal.
    """
    low = is_below_agent(trust)
    said: dict[str, str] = {KEY: trust} if low or before is not None else {}
    match operation:
        case PutTopic():
            front = {key: value for key, value in operation.front.items() if key != KEY}
            return msgspec.structs.replace(operation, front={**front, **said})
        case PutItem():
            data = {key: value for key, value in operation.data.items() if key != KEY}
            return msgspec.structs.replace(operation, data={**data, **said})
        case AppendJournal() | ReplaceEntry() if low and journal:
            return msgspec.structs.replace(operation, text=mark(operation.text, trust))
    return operation


def labels(operation: Edit, path: str, items: ItemFiles) -> bool:
    """True if an edit changes no word of an item, only how it is labelled."""
    item = items.item(path, operation.id) if isinstance(operation, PutItem) else None
    if item is None or not isinstance(operation, PutItem):
        return False
    return all(operation.data.get(name, item.data.get(name)) == item.data.get(name) for name in _WORDS)
