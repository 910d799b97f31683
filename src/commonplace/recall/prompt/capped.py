"""The block of capped facts in a prompt: frozen when a session begins, with the session's own buffer.

What was shown at the beginning of a session stays byte for byte until its window moves, it ends, or a
shown fact is forgotten; what changed meanwhile is told in the volatile part where the configuration wants
it live. Remembers for each session which change it began at; the text itself is read back from the log.

Source: seed facts, "Frozen snapshot".
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from commonplace import guard
from commonplace.changes import edits, inverse
from commonplace.changes.parts import Parts
from commonplace.errors import DamagedError
from commonplace.guard.screened import json_line
from commonplace.layouts.codecs.documents import cap_of
from commonplace.layouts.schema import Layer
from commonplace.recall.prompt.filling import Draft, Shown
from commonplace.records import TRUST_RANK
from commonplace.store.protocol import STATE
from commonplace.text.likeness import decide

FROZEN: Final = f"{STATE}/frozen.jsonl"
"""At which change each session's facts were frozen; the last line of a session wins, a number below 0 thaws."""

SEPARATOR: Final = "\n§\n"
_OVERRULED: Final = frozenset({"same", "contained", "supersedes"})


class _Mark(msgspec.Struct, frozen=True):
    """The change that a session's facts are frozen at, and where its window began then."""

    session: str
    number: int
    window: int = 0


class Fact(msgspec.Struct, frozen=True):
    """One fact as it stands in a prompt."""

    record: str
    text: str


class CappedBlock:
    """Writes the facts of one scope into prompts."""

    def __init__(self, parts: Parts) -> None:
        self._store = parts.store
        self._layout = parts.layout
        self._config = parts.config
        self._reader = parts.reader
        self._ledger = parts.ledger
        self._sessions = parts.sessions
        self._tombstones = parts.tombstones
        self._zone = parts.zone
        self._layers = [layer for layer in parts.layout.layers if layer.shown and layer.kind == "documents"]
        self._marks: dict[str, _Mark] | None = None
        self._past: dict[tuple[str, int], dict[str, bytes]] = {}
        self._lock = threading.RLock()

    def drafts(self, session: str | None) -> Iterator[Draft]:
        """Give the sections of a prompt: the facts, what changed of them, and the session's buffer."""
        if not self._config.facts.enabled:
            return
        now = self._now()
        frozen = now if session is None else self._frozen(session, now)
        yield from self.sections(frozen)
        if session is None:
            return
        if self._config.facts.live:
            yield from self._changes(frozen, now)
        if self._config.facts.buffer_enabled and self._sessions.exists(session):
            lines = self._sessions.buffer(session, self._config.facts.buffer_lines)
            shown = tuple(Shown(self._sessions.path(session), line) for line in lines)
            yield Draft("Current Session", "volatile", shown, heading="── Current Session ── times in UTC", live=True)

    def sections(self, texts: Mapping[str, bytes] | None = None) -> Iterator[Draft]:
        """Give the sections of the facts alone, under one head that says how full they are."""
        texts = self._now() if texts is None else texts
        head = self._head(texts) + "\n"
        for title in dict.fromkeys(layer.title for layer in self._layers):
            shown = tuple(
                Shown(fact.record, fact.text, self._reader.rank(fact.record)) for fact in self._facts(texts, title)
            )
            if shown:
                yield Draft(title, "stable", shown, heading=f"{head}── {title} ──", joiner=SEPARATOR)
                head = ""

    def thaw(self, session: str) -> None:
        """Let the next prompt of a session begin with the facts as they are then."""
        with self._lock:
            if session in self._read_marks():
                self._put(_Mark(session, -1))

    # --- reading ---

    def _now(self) -> dict[str, bytes]:
        paths = [self._layout.path_of(layer) for layer in self._layers]
        return {path: self._reader.data(path) or b"" for path in paths}

    def _facts(self, texts: Mapping[str, bytes], title: str) -> list[Fact]:
        """Read the facts of one heading; what a project says goes before what is said of all."""
        by_layer = {
            layer.name: self._read(layer, texts[self._layout.path_of(layer)])
            for layer in self._layers
            if layer.title == title
        }
        found: list[Fact] = []
        for layer in self._layers:
            if layer.title != title:
                continue
            over = [fact for other in self._layers if other.overrides == layer.name for fact in by_layer[other.name]]
            found += [
                fact
                for fact in by_layer[layer.name]
                if not any(decide(fact.text, each.text).kind in _OVERRULED for each in over)
            ]
        return found

    def _read(self, layer: Layer, data: bytes) -> list[Fact]:
        path = self._layout.path_of(layer)
        told = self._reader.told(edits.records(layer, path, data, self._zone))
        facts = [Fact(record.id, guard.shown(record.text)) for record in told]
        return [fact for fact in facts if not self._tombstones.forbids([fact.text], ())]

    def _head(self, texts: Mapping[str, bytes]) -> str:
        used = most = 0
        for layer in self._layers:
            text = texts[self._layout.path_of(layer)].decode("utf-8", "replace")
            if layer.overrides and not text.strip():
                continue
            cap = cap_of(layer, self._config.limits)
            if cap is not None:
                used += cap.size(text)
                most += cap.limit
        return f"═══ MEMORY [{round(100 * used / most)}% — {used}/{most} chars] ═══"

    def _changes(self, frozen: Mapping[str, bytes], now: Mapping[str, bytes]) -> Iterator[Draft]:
        lines: list[Shown] = []
        for title in dict.fromkeys(layer.title for layer in self._layers):
            old = {fact.text: fact for fact in self._facts(frozen, title)}
            new = {fact.text: fact for fact in self._facts(now, title)}
            lines += [Shown(old[text].record, f"- no longer so: {text}") for text in old if text not in new]
            lines += [Shown(new[text].record, f"- now: {text}") for text in new if text not in old]
        yield Draft("Memory Changes", "volatile", tuple(lines), heading="── Memory Changes In This Session ──")

    # --- freezing ---

    def _frozen(self, session: str, now: dict[str, bytes]) -> dict[str, bytes]:
        with self._lock:
            window = self._sessions.state(session).window_start if self._sessions.exists(session) else 0
            if session not in self._read_marks():
                self._marks = None  # another process may have seen the session first
            mark = self._read_marks().get(session)
            if mark is None or mark.number < 0 or mark.window != window:
                return self._freeze(session, window, now)
            key = (session, mark.number)
            if key not in self._past:
                try:
                    self._past[key] = {path: self._as_of(path, data, mark.number) for path, data in now.items()}
                except DamagedError:  # its text was erased since: what is there now is the beginning from here on
                    return self._freeze(session, window, now)
            return {path: self._past[key].get(path, b"") for path in now}

    def _freeze(self, session: str, window: int, now: dict[str, bytes]) -> dict[str, bytes]:
        number = self._store.change_number()
        self._put(_Mark(session, number, window))
        self._past[session, number] = now
        return now

    def _as_of(self, path: str, data: bytes, number: int) -> bytes:
        found: bytes | None = data
        for logged in reversed(tuple(self._store.since(number))):
            for write in reversed(inverse.writes_of(logged)):
                if write.path == path:
                    found = inverse.before(write, found, self._store.key())
        return found or b""

    def _read_marks(self) -> dict[str, _Mark]:
        if self._marks is None:
            blob = self._store.read(FROZEN)
            self._marks = {}
            for line in blob.data.splitlines() if blob else ():
                try:
                    mark = msgspec.json.decode(line, type=_Mark)
                except msgspec.DecodeError:
                    continue  # a torn line: its session begins anew
                self._marks[mark.session] = mark
        return self._marks

    def _put(self, mark: _Mark) -> None:
        self._read_marks()[mark.session] = mark
        if not self._store.read_only:
            line = json_line({"session": guard.screen(mark.session), "number": mark.number, "window": mark.window})
            self._store.append(FROZEN, [line], durable=False)


def text_of(drafts: Sequence[Draft]) -> str:
    """Write drafts of facts as plain text, without the head that says how full they are."""
    parts: list[str] = []
    for draft in drafts:
        heading = draft.heading.rpartition("\n")[2]
        texts = [each.text for each in draft.entries if TRUST_RANK[each.trust] >= TRUST_RANK["agent"]]
        parts += [f"{heading}\n{draft.joiner.join(texts)}"] if texts else []
    return "\n".join(parts)
