"""Layers: text to records, and operations to edits, for each of the four kinds; pure.

A codec reads the files of one kind (`records`) and says what an operation does to one of them
(`apply`). What an edit comes to is an `edits.Effect`: kept spans of the old bytes and new text, so
that what was not touched is byte for byte as it was. A layer never imports another layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import Final, Literal, Protocol, cast

from commonplace.layouts.codecs import documents, items, journals, topics
from commonplace.layouts.codecs.edits import Duplicate, Effect
from commonplace.operations import Operation
from commonplace.records import Record

LayerKind = Literal["documents", "journals", "topics", "items"]


class Codec(Protocol):
    """What the module of every kind can do."""

    def records(self, path: str, data: bytes, style: str = "", zone: tzinfo = ...) -> Iterator[Record]:
        """Yield the records of a file; nothing in it makes this fail."""

    def apply(
        self, path: str, data: bytes | None, operation: Operation, *, now: datetime, style: str = "", zone: tzinfo = ...
    ) -> Effect | Duplicate:
        """Return the effect of one operation on a file (None as data if there is none)."""


_CODECS: Final = {"documents": documents, "journals": journals, "topics": topics, "items": items}


def codec(kind: LayerKind) -> Codec:
    """Return the codec of a kind of layer."""
    return cast("Codec", _CODECS[kind])
