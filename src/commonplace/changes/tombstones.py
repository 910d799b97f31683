"""What was forgotten and must not come back: keyed fingerprints and source spans, never texts."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from datetime import datetime
from typing import Final

import msgspec

from commonplace.guard import fold
from commonplace.records import Screened, Source, json_line
from commonplace.storage import STATE, Store

PATH: Final = f"{STATE}/tombstones.jsonl"


class Tombstone(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that must not return.

    `fingerprint` is keyed per scope, so it tells nothing about the text to who lacks the key.
    `hides` says that the sources themselves are hidden from recall, not only kept from extraction.
    """

    fingerprint: str
    at: datetime
    sources: tuple[Source, ...] = ()
    hides: bool = False


def of(text: str, key: bytes, *, at: datetime, sources: Iterable[Source] = (), hides: bool = False) -> Tombstone:
    """Make the tombstone of a text: Unicode-normalised and case-folded, nothing stripped."""
    digest = hmac.new(key, fold(text).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]
    return Tombstone(digest, at, tuple(sources), hides)


def line(tombstone: Tombstone, sealed: Screened | None = None) -> Screened:
    """Encode a tombstone for its file; `sealed` is its sources as a screened JSON text."""
    values: dict[str, object] = {"fingerprint": tombstone.fingerprint, "at": tombstone.at}
    if tombstone.hides:
        values["hides"] = True
    if sealed is not None:
        values["sources"] = sealed
    return json_line(values)


class _Line(msgspec.Struct):
    fingerprint: str
    at: datetime
    sources: str = "[]"
    hides: bool = False


class Tombstones:
    """The tombstones of a scope, read again whenever their file changed."""

    def __init__(self, store: Store, key: bytes) -> None:
        self._store = store
        self._key = key
        self._version = ""
        self._fingerprints: set[str] = set()
        self._spans: dict[tuple[str, str], list[tuple[int, int] | None]] = {}
        self._hidden: set[tuple[str, str]] = set()

    def catch_up(self) -> None:
        """Read the file if it is not as it was."""
        blob = self._store.read(PATH)
        version = blob.version if blob else ""
        if version == self._version:
            return
        self._version = version
        self._fingerprints, self._spans, self._hidden = set(), {}, set()
        for raw in blob.data.splitlines() if blob else ():
            try:
                found = msgspec.json.decode(raw, type=_Line)
                sources = msgspec.json.decode(found.sources, type=tuple[Source, ...])
            except msgspec.DecodeError:
                continue  # doctor names damaged lines
            self._fingerprints.add(found.fingerprint)
            for source in sources:
                self._spans.setdefault((source.session, source.message), []).append(source.span)
                if found.hides:
                    self._hidden.add((source.session, source.message))

    def forbids(self, text: str, sources: Iterable[Source] = ()) -> bool:
        """Say whether a text, or one that rests on these spans, was forgotten."""
        self.catch_up()
        if of(text, self._key, at=datetime.min).fingerprint in self._fingerprints:  # noqa: DTZ901 - not kept
            return True
        return any(
            _overlap(source.span, span)
            for source in sources
            for span in self._spans.get((source.session, source.message), ())
        )

    def hides(self, source: Source) -> bool:
        """Say whether a message was forgotten."""
        return (source.session, source.message) in self._hidden

    def hidden(self) -> frozenset[tuple[str, str]]:
        """Give the messages that were forgotten: (session, message)."""
        self.catch_up()
        return frozenset(self._hidden)


def _overlap(one: tuple[int, int] | None, other: tuple[int, int] | None) -> bool:
    # A source without a span is a whole message: forgetting one fact of it must not forbid the others.
    return one is not None and other is not None and one[0] < other[1] and other[0] < one[1]
