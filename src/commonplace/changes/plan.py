"""What a set of operations would do: every file's new text, and what the log will say of it.

A plan reads files as they are, applies operations in order in memory, and ends as store writes with
a payload. It writes nothing itself; the door commits it or throws it away.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from commonplace import guard
from commonplace.changes import diffs, edits, inverse, tombstones
from commonplace.changes.parts import Parts
from commonplace.changes.payload import Added, CursorMove, ForgetMove, HoldMove, Payload
from commonplace.changes.sealing import sealed
from commonplace.changes.transcripts import Event, event_line
from commonplace.errors import DamagedError, InputError
from commonplace.guard.screened import Screened
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.codecs.merges import merge3
from commonplace.layouts.schema import Layer, Layout
from commonplace.operations import (
    AddEntry,
    Edit,
    EndSession,
    HoldRange,
    MoveCursor,
    MoveWindow,
    Operation,
    PutItem,
    PutTopic,
    RemoveItem,
    RewriteDocument,
    SayAgain,
    TakeBack,
)
from commonplace.records import Record, Source, Topic, Trust
from commonplace.store.protocol import MISSING, STATE, Append, Delete, Put, Write
from commonplace.text.spans import Keep

REVIEW: Final = f"{STATE}/review.jsonl"
"""What waits for a person, one line a state; the last line of an id wins."""


class Plan:
    """The changes that some operations make, gathered.

    Args:
        store: Read only; what it holds is what the plan starts from.
        layout: Says which layer a path belongs to.
        sessions: Gives cursors and makes event lines.
        at: The instant of the change.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.items = parts.items
        self.scope = parts.scope
        self.at = parts.clock()
        self.ropes: dict[str, edits.Rope] = {}  # the texts of the files that were looked at, by path
        self._deleted: set[str] = set()
        self._lines: dict[str, list[Screened]] = {}
        self._items_now: dict[str, dict[str, Any] | None] = {}  # items of this plan by their id; None is removed
        self._records: dict[
            str, tuple[bytes, tuple[Record, ...]]
        ] = {}  # by path: what was read last, and of which bytes
        self.versions: dict[str, str] = {}
        self.added: list[Added] = []
        self.successors: dict[str, str] = {}
        self.removed: list[str] = []
        self.cursors: list[CursorMove] = []
        self.holds: list[HoldMove] = []
        self.forgotten: list[ForgetMove] = []
        self.ended: dict[str, bool] = {}
        self.promoted: dict[str, Trust] = {}
        self.promoted_before: dict[str, Trust] = {}
        self.kinds: dict[str, None] = {}
        self.operations: list[Operation] = []
        self.screen = functools.cache(guard.screen)  # each text of a change is screened once

    # --- reading ---

    def rope(self, path: str) -> edits.Rope:
        """Return the text of a file as the plan has it so far."""
        if path not in self.ropes:
            blob = self._parts.store.read(path)
            self.ropes[path] = edits.Rope(blob.data if blob else b"")
            self.versions[path] = blob.version if blob else MISSING
        return self.ropes[path]

    def exists(self, path: str) -> bool:
        """True if a file is there, as the plan has it so far."""
        self.rope(path)
        return path not in self._deleted and (self.versions[path] != MISSING or bool(self.ropes[path].data))

    def spelled(self, layer: Layer, path: str) -> str:
        """Return the path of a topic with the spelling of a file or folder that is there and differs by case alone.

        Where a disk folds case they are one; so that they are one on every disk.
        """
        if layer.kind != "topics" or self.exists(path):
            return path
        stored = (each for _, each in self._parts.reader.files(lambda each: each.kind == "topics"))
        known: dict[str, str] = {}
        for each in (*stored, *filter(self.exists, list(self.ropes))):
            for prefix in _prefixes(each):
                known.setdefault(_folded(prefix), prefix)
        begun = next((prefix for prefix in _prefixes(path) if _folded(prefix) in known), "")
        return known[_folded(begun)] + path[len(begun) :] if begun else path

    @property
    def empty(self) -> bool:
        """True if nothing would change."""
        changed = self._lines or self.promoted or self._deleted or self.added
        return not (changed or any(rope.changed for rope in self.ropes.values()))

    def planned(self, path: str) -> bytes | None:
        """Return what a file will read as; None where it will not be there."""
        return self.rope(path).data if self.exists(path) else None

    def records(self, layer: Layer, path: str, data: bytes) -> list[Record]:
        """Read the records of some bytes of a file."""
        known, found = self._records.get(path, (b"", ()))
        if known != data:
            found = tuple(edits.records(layer, path, data, self._parts.zone)) if data else ()
            self._records[path] = data, found
        return list(found)

    def topics(self, layer: Layer) -> list[Topic]:
        """Return the topics of a layer as planned."""
        paths = dict.fromkeys(path for _, path in self._parts.reader.files(lambda each: each == layer))
        paths |= dict.fromkeys(path for path in self.ropes if self._parts.layout.layer_of(path) == layer)
        found = (each for path in paths for each in self.records(layer, path, self.planned(path) or b""))
        return [each for each in found if isinstance(each, Topic)]

    # --- taking operations ---

    def work_out(self, operation: Edit, layer: Layer, path: str) -> edits.Applied:
        """Return what one edit would do to the plan's text of its file.

        Raises:
            InputError: The edit cannot be made; it says what to do instead.
            RecordNotFoundError: It names an entry that is not there.
        """
        if isinstance(operation, PutItem | RemoveItem) and layer.kind == "items" and path not in self.ropes:
            old = self.item(path, operation.id)
            return edits.of_item(operation, layer, path, old, at=self.at, zone=self._parts.zone)
        data = self.rope(path).data if self.exists(path) else None
        operation = _on_top(operation, layer, path, data or b"")
        return edits.apply(operation, layer, path, data, at=self.at, zone=self._parts.zone)

    def item(self, path: str, name: str) -> dict[str, Any] | None:
        """Return the object of an item as the plan has it so far; None if there is none."""
        record = f"{path}#{name}"
        if record in self._items_now:
            return self._items_now[record]
        found = self.items.item(path, name)
        return found.data if found is not None else None

    def edit(self, operation: Edit, effect: edits.Applied, path: str, *, trust: Trust, person: bool) -> None:
        """Add the effect of an edit."""
        self._note(operation)
        if effect.line:
            self.line(path, self.screen(_text(effect.line)))
            made = msgspec.json.decode(effect.line)
            self._items_now[f"{path}#{made['id']}"] = None if effect.removed else made
        elif effect.deletes:
            self._deleted.add(path)
            self.rope(path).edit(())
        else:
            self._deleted.discard(path)
            self.rope(path).edit(effect.pieces)
        kind = operation.kind if isinstance(operation, (AddEntry, PutTopic)) else ""
        rests = operation.rests if isinstance(operation, RewriteDocument) else {}
        for record, text in effect.added:
            sources, quotes = operation.sources, operation.quotes
            if text in rests:
                sources, quotes = (tuple(source for source, _ in rests[text]), tuple(quote for _, quote in rests[text]))
            said = self._parts.sessions.said_at(sources)
            self.added.append(Added(record, text, trust, sources, quotes, kind, person, operation.overrules, said))
        self.successors |= effect.successors
        self.removed.extend(effect.removed)

    def again(self, operation: Edit, record: Record, *, trust: Trust, person: bool) -> None:
        """Make a record that is there and says the same rest on what an edit rests on; its file stays as it is."""
        self._note(operation)
        kind = operation.kind if isinstance(operation, (AddEntry, PutTopic)) else ""
        said = self._parts.sessions.said_at(operation.sources)
        self.added.append(
            Added(record.id, record.text, trust, operation.sources, operation.quotes, kind, person, said=said)
        )

    def session_event(self, operation: MoveCursor | MoveWindow | EndSession | HoldRange | TakeBack | SayAgain) -> bool:
        """Append the event of a session; False where it already holds. What the log alone keeps is in no file."""
        if isinstance(operation, SayAgain):  # with what else is done, and no change by itself
            self.operations.append(operation)
            return True
        if isinstance(operation, TakeBack):
            self._note(operation)
            return True
        state = self._parts.sessions.state(operation.session)
        match operation:
            case MoveCursor(session=session, name=name, to=to):
                before = state.cursors.get(name, 0)
                if before == to:
                    return False
                self.cursors.append(CursorMove(session, name, before, to))
                event = Event("cursor", self.at, name=name, to=to, n=state.messages)
            case MoveWindow(session=session, to=to, why=why, summary=summary):
                if state.window_start == to and self._parts.sessions.kept_summary(session) == summary:
                    return False
                self.cursors.append(
                    CursorMove(session, "", state.window_start, to, self._parts.sessions.kept_summary(session), summary)
                )
                event = Event("window", self.at, name=why, to=to, summary=summary)
            case HoldRange(session=session, name=name, start=start, end=end, held=held):
                self.holds.append(HoldMove(session, name, start, end, held))
                event = Event("hold", self.at, name=name, start=start, to=end, n=state.messages, held=held)
            case EndSession(session=session):
                if state.ended:
                    return False
                self.ended[session] = True
                event = Event("end", self.at)
        self.line(self._parts.sessions.path(operation.session), event_line(event))
        self._note(operation)
        return True

    def grown(self) -> list[str]:
        """Return the files of items that the plan adds lines to."""
        return [path for path in self._lines if self._parts.layout.layer_of(path) is not None]

    def dead_lines(self, path: str) -> tuple[int, int]:
        """Return how many lines of a file of items would no longer say anything, and how many it would have."""
        file = self.items.file(path)
        lines = file.lines + len(self._lines[path])
        before = {
            record for record in self._items_now if split_id(record)[1] in file.places and split_id(record)[0] == path
        }
        after = {record for record, made in self._items_now.items() if made is not None and split_id(record)[0] == path}
        live = len(file.places) - len(before) + len(after)
        return lines - file.malformed - live, lines

    def joined(self, path: str) -> bytes:
        """Join the lines for a file into its text, and return that."""
        rope = self.rope(path)
        self._deleted.discard(path)
        torn = "" if not rope.data or rope.data.endswith(b"\n") else "\n"
        added = torn + "".join(f"{line.text}\n" for line in self._lines.pop(path))
        rope.edit((*((Keep(0, len(rope.data)),) if rope.data else ()), added))
        return rope.data

    def line(self, path: str, line: Screened) -> None:
        """Add a line to an append-only file."""
        self._lines.setdefault(path, []).append(line)

    def bury(self, text: str, sources: Iterable[Source] = ()) -> None:
        """Add the tombstone of a text."""
        rests_on = tuple(sources)
        encoded = self.screen(msgspec.json.encode(rests_on).decode()) if rests_on else None
        line = tombstones.line(text, self._parts.store.key(), at=self.at, sources=encoded)
        self.line(tombstones.PATH, line)

    def lift(self, text: str) -> None:
        """Remove the tombstone of a text, once."""
        line = tombstones.line(text, self._parts.store.key(), at=self.at, sources=None, lifted=True)
        if line not in self._lines.get(tombstones.PATH, ()):
            self.line(tombstones.PATH, line)

    def forget_messages(self, move: ForgetMove, along: Sequence[str] = ()) -> None:
        """Hide messages of a session, or show them again; the event goes into its transcript."""
        self.forgotten.append(move)
        self.forget_event(move, along)

    def forget_event(self, move: ForgetMove, along: Sequence[str] = ()) -> None:
        """Write the event of messages that are hidden or shown again, with hashes of what goes with them."""
        to = move.after if not move.message else 0
        event = Event("forget", self.at, name=move.message, to=to, held=move.hidden, aged=move.aged, alone=move.alone,
                      along=tuple(along), spans=move.spans)  # fmt: skip
        self.line(self._parts.sessions.path(move.session), event_line(event))

    def reopen(self, session: str) -> None:
        """Undo the end of a session."""
        self.ended[session] = False
        self.line(self._parts.sessions.path(session), event_line(Event("end", self.at, held=False)))

    def promote(self, record: str, trust: Trust, before: Trust) -> None:
        """Note that a person set the trust of a record."""
        self.promoted[record] = trust
        self.promoted_before[record] = before
        self.kinds["promote"] = None

    def rewrite(self, path: str, pieces: Sequence[Keep | str]) -> None:
        """Replace a file's text by a generated one, which makes no record."""
        self._deleted.discard(path)
        self.rope(path).edit(pieces)

    def restore(self, path: str, data: bytes | None) -> None:
        """Make a file read as given, or not be there."""
        rope = self.rope(path)
        if data is None:
            self._deleted.add(path)
            rope.edit(())
        else:
            pieces = edits.between(rope.data, data)
            if any(isinstance(piece, str) and self.screen(_text(piece)).text != piece for piece in pieces):
                raise DamagedError(f"the old text of {path!r} cannot be restored as it was", path=path)
            self._deleted.discard(path)
            rope.edit(pieces)

    def _note(self, operation: Operation) -> None:
        self.kinds[str(type(operation).__struct_config__.tag)] = None
        self.operations.append(operation)

    # --- ending ---

    def writes(self) -> list[Write]:
        """Return the store writes, every new text screened."""
        writes: list[Write] = []
        self._join_lines()
        for path, rope in self.ropes.items():
            if path in self._deleted:
                if self.versions[path] != MISSING:
                    writes.append(Delete(path))
            elif rope.changed or (self.versions[path] == MISSING and rope.data):
                writes.append(self._append_of(path, rope) or self._put(path, rope))
        writes.extend(Append(path, tuple(lines)) for path, lines in self._lines.items())
        return writes

    def _join_lines(self) -> None:
        """Join the lines for a file that is rewritten anyway into its text: a change writes each file once."""
        for path in [path for path in self._lines if path in self.ropes and self.ropes[path].changed]:
            self.joined(path)

    def _append_of(self, path: str, rope: edits.Rope) -> Append | None:
        """Return an edit of a journal or of items as an append, where it only adds lines at the end."""
        layer = self._parts.layout.layer_of(path)
        if layer is None or layer.kind not in {"journals", "items"} or not rope.pieces:
            return None
        *kept, last = rope.pieces
        whole = [Keep(0, len(rope.original))] if rope.original else []
        if kept != whole or not isinstance(last, str) or not last.endswith("\n"):
            return None
        torn = bool(rope.original) and not rope.original.endswith(b"\n")
        text = last.removeprefix("\n") if torn else last  # the store itself ends a torn line
        return Append(path, tuple(self.screen(_text(line)) for line in text.removesuffix("\n").split("\n")))

    def _put(self, path: str, rope: edits.Rope) -> Put:
        return Put(path, tuple(p if isinstance(p, Keep) else self.screen(_text(p)) for p in rope.pieces))

    def expected(self) -> dict[str, str]:
        """Return the versions that the files this plan rewrites were read at."""
        touched = {
            path
            for path, rope in self.ropes.items()
            if path in self._deleted or (rope.changed and self._append_of(path, rope) is None)
        }
        return {path: self.versions[path] for path in touched}

    def diff(self) -> str:
        """Show what the files' texts would lose and gain, by line."""
        shown = [
            diffs.of_pieces(path, rope.original, () if path in self._deleted else rope.pieces)
            for path, rope in sorted(self.ropes.items())
            if rope.changed and not path.startswith(".")
        ]
        shown += [
            diffs.added(path, [line.text for line in lines])
            for path, lines in sorted(self._lines.items())
            if self._parts.layout.layer_of(path) is not None
        ]
        return self.screen("\n".join(shown)).text

    def lost(self, writes: Iterable[Write]) -> list[list[list[Any]]]:
        """Return, for each write, the spans of old text that go: [offset, text], for undo."""
        found: list[list[list[Any]]] = []
        for write in writes:
            rope = self.ropes.get(write.path)
            if rope is None or isinstance(write, Append):
                found.append([])
                continue
            pieces = () if isinstance(write, Delete) else rope.pieces
            found.append(
                [[start, self.screen(inverse.shown(part))] for start, part in diffs.gaps(rope.original, pieces)]
            )
        return found

    def payload(self, reason: str, writes: Iterable[Write]) -> dict[str, Any]:
        """Return what the log keeps of the texts: all of it screened."""
        payload = Payload(
            reason=reason,
            diff=self.diff(),
            added=tuple(self.added),
            successors=self.successors,
            removed_ids=tuple(self.removed),
            cursors=tuple(self.cursors),
            holds=tuple(self.holds),
            forgotten=tuple(self.forgotten),
            ended=self.ended,
            promoted_before=self.promoted_before,
            promoted=self.promoted,
            operations=tuple(msgspec.to_builtins(operation) for operation in self.operations),
        )
        return {"change": sealed(msgspec.to_builtins(payload), screen=self.screen), "removed": self.lost(writes)}


def _on_top(operation: Edit, layer: Layer, path: str, data: bytes) -> Edit:
    """Return a rewrite based on the current bytes of its document.

    Raises:
        InputError: The document changed in a way that only a person can merge.
    """
    if not isinstance(operation, RewriteDocument) or operation.base is None:
        return operation
    base = operation.base.encode("utf-8", "surrogateescape")
    if base == data:
        return operation
    if base and data.endswith(base):  # what is before it was not seen, or came in meanwhile
        head = data[: len(data) - len(base)].decode("utf-8", "surrogateescape")
        unix = "\r" in operation.text or "\r\n" not in head
        text = operation.text if unix else operation.text.replace("\n", "\r\n")
        return msgspec.structs.replace(operation, text=head + text, base=None)
    merged = merge3(path, base, data, operation.text.encode("utf-8", "surrogateescape"), style=layer.style)
    if merged is None:
        raise InputError(f"{path!r} was edited meanwhile and cannot be merged by entry; read it again", path=path)
    return msgspec.structs.replace(operation, text=merged.data.decode("utf-8", "surrogateescape"), base=None)


def resolve(layout: Layout, path: str) -> tuple[Layer, str]:
    """Find the layer of a path given from the store's root or from the memory folder.

    Raises:
        InputError: The layout has no layer there.
    """
    inside = f"{layout.memory}/{path}" if layout.memory else path
    for candidate in (path, inside):
        layer = layout.layer_of(candidate)
        if layer is not None:
            return layer, candidate
    names = ", ".join(layer.path for layer in layout.layers)
    raise InputError(f"{path!r} belongs to no layer of the layout {layout.name!r}; it has {names}", path=path)


def _prefixes(path: str) -> list[str]:
    """List a path and the folders above it, the longest first."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def files_of(layout: Layout, layer: Layer, at: datetime) -> str:
    """Return the file of a layer that a new record of this instant goes to.

    The headers of a history are instants in UTC, so its months are those of UTC; other files are dated as
    the instant is written.
    """
    at = at.astimezone(UTC) if layer.style == "history" else at
    return layout.path_of(
        layer, year=f"{at.year:04}", month=f"{at.month:02}", date=at.date().isoformat(), session="", topic=""
    )


def _text(piece: str) -> str:
    return piece.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
