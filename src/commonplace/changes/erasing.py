"""Erase what is forgotten: take its words out of every file below the root, for good.

What is to go is written down in the same change that forgets it. Whoever opens the scope next finishes what a dead
writer left. Files of memory change through the door; transcripts, the log and our own files are written again here,
a line of JSON at its old length, so that no place in a file moves. Databases are taken away: each is made again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from commonplace.changes.door import Door
from commonplace.changes.earlier import strings
from commonplace.changes.log import read
from commonplace.changes.parts import Parts
from commonplace.changes.payload import Added, CursorMove, Payload
from commonplace.changes.sealing import sealed
from commonplace.errors import UNREADABLE, DamagedError
from commonplace.guard import count_words, has_words
from commonplace.guard.markers import ERASED
from commonplace.guard.screened import Screened, json_line
from commonplace.records import Source
from commonplace.store.files.erasing import everything, is_others, unsearched
from commonplace.store.protocol import STATE, Logged
from commonplace.text.wordings import Wordings, decoded

PATH: Final = f"{STATE}/erasing.jsonl"
"""What is to go, as long as it is not gone."""

_DATABASES: Final = (".sqlite", ".sqlite-wal", ".sqlite-shm")
_TEXTS_CHARS: Final = 500_000  # in one line of it
_ENDED: Final = b'%b,"h":"%08x"}'


class Gone(msgspec.Struct, frozen=True):
    """What is to go: texts in any place, records by their id, messages (session, id), and whole sessions.

    `words` are folded: with them goes every message, old text and change that holds them.
    """

    texts: tuple[str, ...] = ()
    words: str = ""
    records: frozenset[str] = frozenset()
    messages: frozenset[tuple[str, str]] = frozenset()
    sessions: frozenset[str] = frozenset()


class Erasing:
    """Erases in the files of one scope.

    Args:
        seen_anew: Opens the store of what was last seen again after it was deleted; the index does so by itself.
    """

    def __init__(self, parts: Parts, door: Door, seen_anew: Callable[[], None]) -> None:
        self._parts = parts
        self._door = door
        self._seen_anew = seen_anew

    def lines(self, gone: Gone) -> dict[str, list[Screened]]:
        """Return the lines that say what is to go, for the change that forgets it."""
        parts: list[list[str]] = [[]]
        for text in gone.texts:
            if sum(map(len, parts[-1])) > _TEXTS_CHARS:
                parts.append([])
            parts[-1].append(text)
        said = [Gone(words=gone.words, records=gone.records, messages=gone.messages, sessions=gone.sessions)]
        said += [Gone(texts=tuple(part)) for part in parts if part]
        return {PATH: [json_line(sealed(each)) for each in said]}

    def finish(self) -> None:
        """Erase what is written down, if anything is."""
        if self._parts.store.read_only or (noted := self._noted()) is None:
            return
        with self._door.alone():
            sweep = _Sweep(self._parts, noted)
            self._parts.ledger.catch_up()
            self._parts.store.erase(sweep.kept(), sweep.clean)
            self._parts.ledger.begin_anew()
            self._parts.sessions.begin_anew()
            self._seen_anew()
            self._parts.drift.take_all()
            self._parts.store.erase({}, lambda path, data: None if path == PATH else data)

    def places(self, gone: Gone) -> tuple[list[tuple[str, int]], int]:
        """Return the files that hold what is to go, with how often, and how many files were searched."""
        sweep, scanned = _Sweep(self._parts, gone), 0
        found: list[tuple[str, int]] = []
        for path, data in everything(self._parts.store.root):
            scanned += 1
            if path != PATH and (count := sweep.count(path, data)):
                found.append((path, count))
        return found, scanned

    def unsearched(self) -> tuple[str, ...]:
        """Return the files and repositories that may hold what is to go where no search finds it."""
        return tuple(unsearched(self._parts.store.root))

    def _noted(self) -> Gone | None:
        blob = self._parts.store.read(PATH)
        found: list[Gone] = []
        for line in blob.data.splitlines() if blob else ():
            try:
                found.append(msgspec.json.decode(line, type=Gone))
            except UNREADABLE:
                continue  # torn: its change is not there either
        return Gone(
            tuple(text for each in found for text in each.texts),
            next((each.words for each in found if each.words), ""),
            frozenset[str]().union(*(each.records for each in found)),
            frozenset[tuple[str, str]]().union(*(each.messages for each in found)),
            frozenset[str]().union(*(each.sessions for each in found)),
        ) if blob else None  # fmt: skip


class _Sweep:
    """One pass over all files."""

    def __init__(self, parts: Parts, gone: Gone) -> None:
        self._parts = parts
        self._gone = gone
        self._wordings = Wordings(gone.texts)
        self._blank: dict[str, set[str] | None] = {}  # by path: ids of messages that lose their text, None is all
        for session in {session for session, _ in gone.messages}:
            self._blank[parts.sessions.path(session)] = {name for own, name in gone.messages if own == session}
        self._blank |= dict.fromkeys(map(parts.sessions.path, gone.sessions))
        self._touched = gone.sessions | {session for session, _ in gone.messages}

    # --- files ---

    def clean(self, path: str, data: bytes) -> bytes | None:
        """Return what a file is to hold; None if it is to go."""
        ours = path.startswith(f"{STATE}/")
        if path == PATH or self._parts.layout.layer_of(path) is not None:
            return data  # memory itself changed through the door
        if ours and path.endswith(_DATABASES):
            return None
        if path.endswith(".jsonl") and (ours or path.startswith(f"{self._parts.layout.sessions}/")):
            lines = data.split(b"\n")
            clean = [self._clean_line(line, path) for line in lines]
            return data if clean == lines else b"\n".join(clean)
        if not ours and (b"\0" in data or is_others(self._parts.store.root, path)):
            return data  # not ours: it is named, not written
        text = data.decode("utf-8", "surrogateescape")
        left = self._wordings.without(text, ERASED, cut=not ours)
        return data if left is text else left.encode("utf-8", "surrogateescape")

    def count(self, path: str, data: bytes) -> int:
        """Return how often a file holds what is to go."""
        wide = b"\0" in data and not path.startswith(f"{STATE}/")
        texts = [data.decode(each, "replace") for each in ("utf-8", *(("utf-16-le", "utf-16-be") if wide else ()))]
        own = self._parts.layout.layer_of(path) or path.startswith((f"{STATE}/", f"{self._parts.layout.sessions}/"))
        found = sum(self._wordings.count(each, cut=not own) for each in texts)
        if self._gone.words:
            told = (max(count_words(each, self._gone.words) for each in (text, decoded(text))) for text in texts)
            found = max(found, sum(told))
        if path in self._blank:
            return sum(self._clean_line(line, path) != line for line in data.split(b"\n"))
        return max(found, sum(record.partition("#")[0] == path for record in self._gone.records))

    def _clean_line(self, line: bytes, path: str) -> bytes:
        """Return a line of JSON without what is to go, as long as it was."""
        try:
            values = json.loads(line)
        except ValueError:
            values = None
        if not isinstance(values, dict):
            text = line.decode("utf-8", "surrogateescape")
            return self._wordings.without(text, "").encode("utf-8", "surrogateescape").ljust(len(line))
        made = line
        for mark in (ERASED, ""):
            clean = self._blanked(self._clean_value(values, mark), path, mark)
            if clean.get("raw") and clean.get("content") != values.get("content"):
                clean["raw"] = mark  # it may hold in other words what goes: a secret is in it alone
            made = line if clean == values else _written(clean, len(line))
            if len(made) <= len(line):
                break
        return made

    def _says_it(self, text: str) -> bool:
        return bool(self._wordings.count(text)) or has_words(text, self._gone.words)

    def _blanked(self, values: dict[str, Any], path: str, mark: str) -> dict[str, Any]:
        """Return the values of a transcript's line without the text of a message that is to go, or its summary."""
        ids: set[str] | None = self._blank.get(path, set())
        content, summary = values.get("content"), values.get("summary")
        if values.get("type") == "message":
            told = content and (ids is None or values.get("id") in ids or self._says_it(str(content)))
            named = {"name": ""} if self._says_it(str(values.get("name", ""))) else {}
            return values | named | ({"content": mark} if told else {})
        if values.get("spans") and (ids is None or values.get("name") in self._gone.records):
            return values | {"name": "", "along": []}  # they stay: an event without any is of the whole session
        if values.get("along") and (ids is None or values.get("name") in ids):
            return values | {"along": []}
        return values | {"summary": ""} if summary and (path in self._blank or self._says_it(str(summary))) else values

    def _clean_value(self, value: Any, mark: str) -> Any:
        if isinstance(value, str):
            return self._wordings.without(value, mark)
        if isinstance(value, dict):
            return {key: self._clean_value(item, mark) for key, item in value.items()}
        if isinstance(value, list):
            return [self._clean_value(item, mark) for item in value]
        return value

    # --- the log ---

    def kept(self) -> dict[int, Mapping[str, object]]:
        """Return, for each change that holds what is to go, what of its payload stays."""
        found: dict[int, Mapping[str, object]] = {}
        for logged in self._parts.store.since(0):
            try:
                payload = read(logged).payload
            except DamagedError:
                payload = Payload()
            if self._tells(logged, payload):
                found[logged.number] = {"change": msgspec.to_builtins(self._left_of(payload))}
        return found

    def _tells(self, logged: Logged, payload: Payload) -> bool:
        named = {*payload.removed_ids, *payload.successors, *payload.successors.values()}
        return (
            not self._gone.records.isdisjoint(named)
            or any(self._is_gone(each) or any(map(self._is_cited, each.sources)) for each in payload.added)
            or any(self._touched and move.session in self._touched for move in payload.cursors if _says(move))
            or any(map(self._says_it, strings(logged.payload)))
        )

    def _is_gone(self, added: Added) -> bool:
        rests = not self._gone.words and any(map(self._is_cited, added.sources))  # else it may say another sentence
        return rests or added.id in self._gone.records

    def _is_cited(self, source: Source) -> bool:
        return source.session in self._gone.sessions or (source.session, source.message) in self._gone.messages

    def _left_of(self, payload: Payload) -> Payload:
        """Return what of a payload still has to be known: whose records, which cursors, and no text that is to go."""
        bare = msgspec.structs.replace(payload, reason="", diff="", operations=())
        return msgspec.structs.replace(
            bare,
            added=tuple(
                msgspec.structs.replace(each, text="", quotes=())
                if self._is_gone(each) or self._says_it(each.text)
                else msgspec.structs.replace(each, quotes=())
                if any(map(self._is_cited, each.sources)) or any(map(self._says_it, each.quotes))
                else each
                for each in payload.added
            ),
            cursors=tuple(
                msgspec.structs.replace(move, summary_before="", summary_after="")
                if move.session in self._touched or any(map(self._says_it, _summaries(move)))
                else move
                for move in payload.cursors
            ),
        )


def _summaries(move: CursorMove) -> tuple[str, str]:
    return move.summary_before, move.summary_after


def _says(move: CursorMove) -> bool:
    return any(_summaries(move))


def _written(values: dict[str, Any], size: int) -> bytes:
    """Write a line of JSON, with a checksum if it had one, filled up with spaces to a size."""
    checked = "h" in values
    bare = {key: value for key, value in values.items() if key != "h"} if checked else values
    body = json.dumps(bare, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")[:-1]
    body = body.ljust(size - (len(_ENDED % (b"", 0)) if checked else 1))
    return _ENDED % (body, zlib.crc32(body)) if checked else body + b"}"
