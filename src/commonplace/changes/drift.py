"""Outside edits: found, left as they are, logged as `outside`.

A person may edit any file with any tool at any time. What they wrote wins; the log says what it
replaced, and ids of entries they changed lead to the new entries. What the door itself wrote is recognised
by the log alone: a writer that died before it could report, or another process, is no person.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from commonplace.changes import diffs, edits, inverse
from commonplace.changes.log import Ledger
from commonplace.changes.marks import mark_of
from commonplace.changes.payload import Added, Payload
from commonplace.changes.sealing import sealed
from commonplace.errors import DamagedError, PathError, StoreError, VersionConflictError
from commonplace.guard import screen
from commonplace.layouts.codecs import rewrites
from commonplace.layouts.schema import Layer, Layout
from commonplace.records import Record, Trust, lowest_trust
from commonplace.store.files.changelog import content_hash, log_path
from commonplace.store.files.replace import quiet
from commonplace.store.files.versions import TAIL_BYTES, grown_version, version_of
from commonplace.store.protocol import MISSING, Store
from commonplace.store.seen import Look, Seen

logger = logging.getLogger(__name__)

READER_SECONDS: Final = 0.2  # a reader waits so long for a writer, to log what it found
SWEEP_SECONDS: Final = 2.0  # an edit made outside is noticed after at most this
LISTED_RECORDS: Final = 2000  # of one edit; a file adopted whole may hold any number
FOUND_FILES, FOUND_BYTES = 200, 1_000_000  # that are logged as found in one change; one file may be longer
_TRIES: Final = 20  # an editor that saves without end is looked at again by the next look


class _Edit(NamedTuple):
    """An edit of one file; `exact` says that `before` is what it said, to the byte."""

    layer: Layer
    path: str
    before: bytes | None
    exact: bool
    after: bytes | None
    version: str


class _Writes:
    """What changes wrote to some files since these were last looked at; each change of the log is read once.

    Args:
        looks: For each file that was seen before, the number of the last change that was known then.
        paths: The files.
    """

    def __init__(self, store: Store, looks: Mapping[str, int], paths: Iterable[str]) -> None:
        self._store = store
        self._of: dict[str, list[tuple[int, inverse.Write]]] = {path: [] for path in paths}
        self._begin = self._read = min((looks.get(path, 0) for path in self._of), default=0)

    def of(self, path: str, after: int, upto: int) -> list[inverse.Write]:
        """Return what the changes after a number, up to another, wrote to one of the files."""
        if after < self._begin:  # what was known of it was lost meanwhile
            self._of = {each: [] for each in self._of}
            self._begin = self._read = after
        for logged in self._store.since(self._read) if self._read < upto else ():
            if logged.number > upto:
                break
            self._read = logged.number
            for write in inverse.writes_of(logged):
                if write.path in self._of:
                    self._of[write.path].append((logged.number, write))
        return [write for number, write in self._of[path] if after < number <= upto]


class Drift(msgspec.Struct):
    """Notices outside edits of one scope.

    Args:
        trust: Returns the trust of an outside edit, by its layer and when it was made, 0 if unknown.
        noticed: Called with the paths that changed, so that the index reads them.
    """

    store: Store
    layout: Layout
    seen: Seen
    ledger: Ledger
    zone: tzinfo
    trust: Callable[[Layer, int], Trust]
    noticed: Callable[[Iterable[str]], None]
    tokens: dict[str, str] = {}
    swept: float | None = None

    def sweep(self, *, wait_seconds: float | None = None) -> list[str]:
        """Check every file of memory and return those that were edited outside.

        Without `wait_seconds` that includes the files which the last change has replaced.
        """
        if wait_seconds is None and not self.store.read_only and self.store.change_number():
            with self.store.exclusive():
                pass  # the next holder of the lock reads them
        stats = {s.path: s.token for s in self.store.list(self.layout.memory) if self.layout.layer_of(s.path)}
        moved = [path for path, token in stats.items() if self.tokens.get(path) != token]
        gone = [path for path in self.seen.versions() if path not in stats and self.layout.layer_of(path)]
        found = self.look([*moved, *gone], wait_seconds=wait_seconds)
        self.tokens = stats
        return found

    def take_all(self) -> None:
        """Remember every file of memory as it is: the log no longer holds how each came about."""
        number = self.store.change_number()
        for stat in self.store.list(self.layout.memory):
            if self.layout.layer_of(stat.path) is not None and (blob := self.store.read(stat.path)) is not None:
                self._remember(stat.path, blob.data, number)

    def left_out(self) -> list[str]:
        """Return the files that were memory under another layout and that no layer of this one has."""
        known = (path for path in self.seen.versions() if self.layout.layer_of(path) is None)
        return sorted(path for path in known if self._version(path) != MISSING)

    def glance(self, paths: Iterable[str]) -> None:
        """Check some files as a reader does, and all files if that was not done a moment ago.

        What cannot be logged now, because of a writer or of the disk, is logged by a later check.
        """
        now = time.monotonic()
        try:
            self.look(paths, wait_seconds=READER_SECONDS)
            if self.swept is None or now - self.swept >= SWEEP_SECONDS:
                self.swept = now
                self.sweep(wait_seconds=READER_SECONDS)
        except StoreError as error:
            logger.warning("edits made outside could not be looked at: %s", error)

    def look(self, paths: Iterable[str], *, wait_seconds: float | None = None) -> list[str]:
        """Compare some files with what they said when last looked at; log what differs, and give it."""
        if self.store.read_only:
            return []
        moved = self.moved(paths)
        if not moved:
            return []
        writes = _Writes(self.store, {path: known[1] for path in moved if (known := self.seen.version(path))}, moved)
        edited = [path for path in moved if self._is_edited(path, writes)]
        self.noticed(self.moved(moved))  # lines that changes added to items are known from the log
        self._wait_for_writers(edited)
        with self.store.exclusive(wait_seconds):
            found = self._find([path for path in moved if self.seen.version(path) is None], writes)
            return [path for path in moved if path in found or self._take(path, writes)]

    def unseen(self, versions: Mapping[str, str]) -> list[str]:
        """Return those of some files that were read in another version than when last looked at."""
        return [
            path for path, version in versions.items() if self.layout.layer_of(path) and version != self._last(path)
        ]

    def moved(self, paths: Iterable[str]) -> list[str]:
        """Return those of some files that are not as they were when last looked at."""
        if self.store.read_only:
            return []
        return [path for path in dict.fromkeys(paths) if self._version(path) != self._last(path)]

    def _version(self, path: str) -> str:
        try:
            return self.store.version(path)
        except PathError:
            return self._last(path)  # a link or a folder in its place is no edit of it

    def note(self, path: str, data: bytes | None, number: int) -> bool:
        """Remember the bytes that the door wrote to a file; False if the file already has others."""
        if self.layout.layer_of(path) is None:
            return True
        blob = self.store.read(path)
        same = (blob.data if blob else None) == data
        self._remember(path, data, number)
        return same

    def _last(self, path: str) -> str:
        known = self.seen.version(path)
        return known[0] if known and known[1] <= self.store.change_number() else MISSING

    def _remember(self, path: str, data: bytes | None, number: int) -> None:
        look = self.seen.look(path) if data is not None else None
        said = look.text.encode() if look else b""
        if data is None:
            self.seen.drop(path)
        elif look and data.startswith(said) and version_of(path, said) == look.version:
            self.seen.grow(path, version_of(path, data), screen(inverse.shown(data[len(said) :])), number)
        else:
            self.seen.note(path, version_of(path, data), screen(inverse.shown(data)), number)

    def _find(self, paths: Sequence[str], known: _Writes) -> set[str]:
        """Log files that are seen for the first time, many in a change, and return them.

        No undo takes such a file away, so they need no change each. What is left out, `_take` looks at by itself.
        """
        found: set[str] = set()
        part: list[_Edit] = []
        size = 0
        began = number = self.store.change_number()
        for path in paths:
            layer = self.layout.layer_of(path)
            if layer is None or known.of(path, 0, began):
                continue
            blob = self.store.read(path)
            if blob is not None and self.store.change_number() == number:  # else a commit may have written it just now
                part.append(_Edit(layer, path, None, exact=True, after=blob.data, version=blob.version))
                size += len(blob.data)
            if len(part) == FOUND_FILES or size >= FOUND_BYTES:
                found |= self._found(part)
                part, size = [], 0
                number = self.store.change_number()
        return found | self._found(part)

    def _found(self, part: Sequence[_Edit]) -> set[str]:
        try:
            number = self._log(part) if part else 0
        except VersionConflictError:
            return set()
        for each in part:
            self._remember(each.path, each.after, number)
        return {each.path for each in part}

    def _take(self, path: str, known: _Writes) -> bool:
        """Compare one file with what was last seen of it; True where an edit from outside was logged."""
        layer = self.layout.layer_of(path)
        if layer is None:
            return False
        for _ in range(_TRIES):
            number = self.store.change_number()
            if self._has_grown(layer, path, number, known):
                return False
            blob = self.store.read(path)
            if self.store.change_number() != number:  # a commit may have written it just now
                continue
            look = self.seen.look(path)
            version = blob.version if blob else MISSING
            data = blob.data if blob else None
            if version == (look.version if look else MISSING):
                return False  # another process was first
            writes = known.of(path, look.number if look else 0, number)
            edited = not self._explained(path, look, writes, data)
            if edited:
                try:
                    number = self._log([_Edit(layer, path, *self._before(path, look, writes), data, version)])
                except VersionConflictError:
                    continue
            self._remember(path, data, number)
            return edited
        return False

    def _has_grown(self, layer: Layer, path: str, number: int, changes: _Writes) -> bool:
        """Remember a file of items that changes alone added lines to; False if it has to be read whole to know.

        True also if nothing was added.
        """
        known = self.seen.version(path) if layer.kind == "items" else None
        if known is not None and self.store.version(path) == known[0]:
            return True
        writes = changes.of(path, known[1], number) if known else ()
        size = known[0].partition(":")[0] if known else ""
        if known is None or not writes or not size.isdigit() or any(write.kind != "append" for write in writes):
            return False
        start = max(0, int(size) - TAIL_BYTES)
        blob = self.store.read(path, start)
        if blob is None or grown_version(blob.data[: int(size) - start], start) != known[0]:
            return False
        added = blob.data[int(size) - start :]
        if added != b"".join(inverse.body(write) for write in writes):
            return False
        self.seen.grow(path, blob.version, screen(inverse.shown(added)), number)
        return True

    def _is_edited(self, path: str, changes: _Writes) -> bool:
        """True if a file that was looked at before holds what no change made."""
        number = self.store.change_number()
        layer = self.layout.layer_of(path)
        if layer is not None and self._has_grown(layer, path, number, changes):
            return False
        look = self.seen.look(path)
        blob = self.store.read(path)
        writes = changes.of(path, look.number, number) if look else ()
        return look is not None and not self._explained(path, look, writes, blob.data if blob else None)

    def _explained(self, path: str, look: Look | None, writes: Sequence[inverse.Write], data: bytes | None) -> bool:
        before = look.version if look else MISSING
        return inverse.explains(writes, data, before, partial(version_of, path), self.store.key())

    def _wait_for_writers(self, paths: Sequence[str]) -> None:
        """Wait until an editor that saves in place is done: a half or emptied file is not an edit."""
        empty = {version_of(path, b"") for path in paths}
        if paths:
            quiet(lambda: [self.store.version(path) for path in paths], lambda found: not empty.isdisjoint(found))

    def _before(self, path: str, look: Look | None, writes: Sequence[inverse.Write]) -> tuple[bytes | None, bool]:
        """Return what the file said before the edit, as far as it is known, and whether that is exact."""
        data = look.text.encode() if look else None
        exact = look is None or version_of(path, data) == look.version
        for write in writes:
            try:
                data = inverse.after(write, data, self.store.key())
            except DamagedError:
                exact = False
            else:
                exact = exact or write.kind != "append"  # a file written whole is held against its hash
        return data, exact

    def _log(self, edited: Sequence[_Edit]) -> int:
        key = self.store.key()
        logged: list[dict[str, Any]] = []
        shown: list[str] = []
        for each in edited:
            # A secret in it stays the person's, in their file; the log shows the screened text.
            after = screen(inverse.shown(each.after)).text.encode() if each.after is not None else None
            logged.append(
                inverse.outside(each.before, after)
                | {
                    "before": content_hash(key, each.before) if each.exact else "",
                    "after": content_hash(key, each.after),
                }
            )
            old = each.before or b""
            shown.append(diffs.of_pieces(each.path, old, edits.between(old, after or b"")))
        payload = msgspec.structs.replace(self._payload(edited), diff="\n".join(shown))
        return self.store.commit(
            {"actor": "outside", "kinds": ["outside"], "outside": [log_path(each.path) for each in edited]},
            {"change": sealed(payload), "outside": sealed(logged)},
            (),
            expect={each.path: each.version for each in edited},
        ).number

    def _written_ns(self, layer: Layer, path: str) -> int:
        """Return when a file that only a person writes was written last; 0 if that is unknown, and for others."""
        stats = self.store.list(self.layout.memory) if layer.person_only else ()
        return next((stat.written_ns for stat in stats if stat.path == path), 0)

    def _payload(self, edited: Sequence[_Edit]) -> Payload:
        self.ledger.catch_up()
        added: list[Added] = []
        unlisted: dict[str, Trust] = {}
        successors: dict[str, str] = {}
        removed: list[str] = []
        for layer, path, before, _, after, _ in edited:
            old = {record.id: record.text for record in self._read(layer, path, before)}
            now, trust = self._read(layer, path, after), self.trust(layer, self._written_ns(layer, path))
            led: dict[str, str] = {}
            if layer.kind == "documents" and before and after:
                led = rewrites.compare(path, before, after, style=layer.style).successors
            current = self.ledger.current(path)
            fresh = [each for each in now if old.get(each.id, current.get(each.id)) != each.text]
            if len(fresh) > LISTED_RECORDS:
                unlisted[path] = trust  # their text is in the log with the edit itself
            else:
                added += [
                    Added(each.id, each.text, lowest_trust([trust, mark_of(each) or trust]), person=trust == "user")
                    for each in fresh
                ]
            successors |= led
            left = {each.id for each in now} | led.keys()
            removed += [record for record in {**old, **current} if record not in left]
        return Payload(
            reason="edited outside",
            added=tuple(added),
            unlisted=unlisted,
            successors=successors,
            removed_ids=tuple(removed),
        )

    def _read(self, layer: Layer, path: str, data: bytes | None) -> list[Record]:
        return list(edits.records(layer, path, data, self.zone)) if data else []
