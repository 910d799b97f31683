"""Merge an outside edit that raced a commit, entry by entry, and find what of the commit it kept out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from commonplace.changes.log import read
from commonplace.changes.reader import Reader
from commonplace.errors import CommonplaceError, InputError
from commonplace.layouts.codecs.edits import clean
from commonplace.layouts.codecs.merges import merge3
from commonplace.layouts.schema import Layout
from commonplace.operations import (
    AddEntry,
    AppendJournal,
    Edit,
    Forget,
    Operation,
    Promote,
    PutItem,
    PutTopic,
    RemoveEntry,
    RemoveItem,
    RemoveTopic,
    ReplaceEntry,
    RewriteDocument,
)
from commonplace.records import Record, Topic
from commonplace.store.files.replace import Partly
from commonplace.store.protocol import Logged, Rebase

_OPERATION: Final[Any] = Operation


def merging(layout: Layout) -> Rebase:
    """Return a store's `Rebase` for one layout: the outside edit wins where both changed an entry.

    The store then lists the file as one with a conflict, and the door adds it to the review.
    """

    def merge(path: str, before: bytes, theirs: bytes, ours: bytes) -> bytes | None:
        layer = layout.layer_of(path)
        if layer is None or layer.kind != "documents":
            return None
        merged = merge3(path, before, theirs, ours, style=layer.style)
        if merged is None:
            return None
        return Partly(merged.data) if merged.conflicts else merged.data

    return merge


def kept_out(logged: Logged, path: str, reader: Reader) -> list[Edit]:
    """Return the edits of a logged change to one file that are not in it; none if its texts were erased."""
    records = reader.records(path)
    found: list[Edit] = []
    for built in read(logged).payload.operations:
        try:
            operation = msgspec.convert(built, _OPERATION)
        except msgspec.ValidationError:
            continue  # of a later version of ours
        if getattr(operation, "path", "") == path and not _is_done(operation, records, reader.text(path)):
            found.append(operation)
    return found


def _is_done(operation: Edit, records: Sequence[Record], text: str) -> bool:
    match operation:
        case RemoveEntry(target=target):
            return all(record.id != target for record in records)
        case RemoveTopic():
            return not records
        case AddEntry(text=words) | ReplaceEntry(text=words) | AppendJournal(text=words):
            return _cleaned(words) in {_cleaned(record.text) for record in records}
        case PutTopic(body=body):
            return any(isinstance(record, Topic) and record.body.strip() == body.strip() for record in records)
        case RewriteDocument(text=words):
            return text == words
        case _:
            return True  # lines of items are appended, whatever else became of the file


def _cleaned(text: str) -> str:
    try:
        return clean(text)
    except InputError:
        return ""


def theirs(operation: Operation, reader: Reader) -> str:
    """Return the text that an operation would replace or remove as memory is now; empty if there is none."""
    match operation:
        case RewriteDocument(path=path):
            return (reader.data(path) or b"").decode("utf-8", "replace")
        case ReplaceEntry(target=name) | RemoveEntry(target=name) | Forget(record=name) | Promote(record=name):
            pass
        case PutTopic(body=""):
            return ""  # a title or description alone takes nothing away
        case PutTopic(path=name) | RemoveTopic(path=name):
            pass
        case PutItem(path=path, id=item) | RemoveItem(path=path, id=item):
            name = f"{path}#{item}"
        case _:
            return ""
    with suppress(CommonplaceError):
        record = reader.find(name)
        text = record.body if isinstance(record, Topic) else record.text
        line = operation.line if isinstance(operation, PutTopic) else None
        return text if line is None or line in text.splitlines() else ""
    return ""
