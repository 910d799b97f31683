"""Feed the index from the store: transcripts by their new tail, other files whole.

The index is derived. Whatever happens to it (deleted, damaged, of another version, nowhere to write)
this module makes it again from the files, and a search answers all the same. It reads files through
the store alone and never writes one.
"""

from __future__ import annotations

import logging
import math
import threading
import time
import zlib
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

import msgspec

from commonplace.changes import transcripts
from commonplace.errors import CommonplaceError, DamagedError, StoreBusyError, StoreFullError, StoreReadOnlyError
from commonplace.layouts.codecs import items
from commonplace.recall.index.rows import IndexRow, MessageRow, PathState, Places
from commonplace.recall.index.sqlite import SqliteIndex
from commonplace.records import RecordedMessage
from commonplace.store.protocol import Store

logger = logging.getLogger(__name__)

Records = Callable[[str, bytes], Iterable[IndexRow] | None]
"""Turns a file that is no transcript into rows; None for a file that is not to be searched."""

SWEEP_SECONDS: Final = 2.0  # all files are compared at most so often
_SWEEP_SHARE: Final = 20  # and for no more than 1/20 of the time, however many files there are
_BATCH: Final = 256  # files that share one transaction
CHANGES_READ: Final = 64  # after more of them, looking at all files is the shorter way
_DEAD_SHARE: Final = 3  # the index is made again when more than 1/3 of its rows lead nowhere

_T = TypeVar("_T")


class Indexing:
    """Keeps one index up to date with one store.

    Args:
        store: Holds the files.
        index: Takes the rows.
        folder: Where the transcripts are.
        records: Reads the other files; without it only transcripts are indexed.
        form: A number for what `records` makes of a file; an index made with another is made again.
    """

    def __init__(
        self,
        store: Store,
        index: SqliteIndex,
        *,
        folder: str = "sessions",
        records: Records | None = None,
        form: int = 0,
    ) -> None:
        self._store = store
        self.index = index
        self._folder = folder
        self._records = records
        self._form = form
        self._mark: object = None  # of what was appended
        self._change = 0
        self._next_sweep = -math.inf
        self._noticed: list[str] = []
        self._lock = threading.RLock()

    def catch_up(self, *, sweep: bool = False) -> int:
        """Bring the index up to the store and return how many files were looked into.

        Appended files are known from what the store notes, changed ones from its change log, whichever process
        wrote them; all files are compared by their token when asked, at the first call, and from time to
        time, for who edits them by hand. A busy index is left for the next call.
        """
        with self._lock:
            try:
                return self._mending(lambda: self._catch_up(sweep=sweep))
            except StoreBusyError:
                logger.info("the index is being written elsewhere; this search may miss what was just said")
                return 0

    def notice(self, paths: Iterable[str]) -> None:
        """Read these files at the next catch-up, whatever their tokens say."""
        self._noticed.extend(paths)  # without the lock: the caller may hold off a writer that a catch-up waits for

    def rebuild(self) -> int:
        """Make the index again from the files; searches elsewhere see the old one until it is done."""
        with self._lock:
            return self._mending(self._rebuild)

    def answer(self, question: Callable[[SqliteIndex], _T]) -> _T:
        """Ask the index; if it is damaged, make it again and ask once more."""
        with self._lock:
            return self._mending(lambda: question(self.index))

    def check(self) -> list[str]:
        """Return what is wrong with the index; nothing is changed.

        What the next search takes in by itself is left out: files and lines that are new, files that are gone, and
        documents that were edited since the last read; so are damaged lines, which no index has.
        """
        with self._lock:
            if problems := self.index.check():
                return problems
            states = self.index.states()
            there = (states[stat.path] for stat in self._store.list() if stat.path in states)
            said = (state for state in there if self._is_transcript(state.path))
            return [f"{each.path}: differs from what was indexed" for each in said if self._checksum(each) != each.crc]

    def forgetting(self) -> dict[str, int]:
        """Return the transcripts in which messages were forgotten, each with the number of its events of forgetting."""
        self.catch_up()
        return self.answer(lambda index: index.forgetting())

    def message(self, places: Places, path: str, session: str, number: int) -> RecordedMessage | None:
        """Read back the message at a place of a slot; None when the file no longer holds it there or cannot be read."""
        start = places.offsets[number]
        end = places.offsets[number + 1] if number + 1 < len(places.offsets) else places.end
        try:
            blob = self._store.read(path, start, end)
        except StoreFullError:
            raise
        except CommonplaceError as error:
            logger.warning("%s is left out of this search: %s", path, error)
            return None
        if blob is None:
            return None
        return next(transcripts.messages_of(path, session, blob.data, start), None)

    # --- catching up ---

    def _mending(self, work: Callable[[], _T]) -> _T:
        try:
            return work()
        except DamagedError as error:
            logger.warning("the index is damaged and is made again: %s", error)
            self.index.reset()
        except StoreReadOnlyError as error:
            logger.info("the index cannot be written and is kept in memory: %s", error)
            self.index.reset(memory=True)
        self._sweep()
        return work()

    def _catch_up(self, *, sweep: bool) -> int:
        if self.index.replaced():
            self.index.reopen()
            self._next_sweep = -math.inf
        noticed = len(self._noticed)
        mark, appended = self._store.appended(self._mark)
        change, changed = self._changed_since(self._change)
        now = time.monotonic()
        if sweep or now >= self._next_sweep or appended is None or changed is None:
            looked = self._sweep()
            ended = time.monotonic()
            self._next_sweep = ended + max(SWEEP_SECONDS, (ended - now) * _SWEEP_SHARE)
        else:
            paths = [path for path in dict.fromkeys([*appended, *changed, *self._noticed]) if path]
            looked = len(paths)
            if paths:
                with self.index.writing():
                    for path in paths:
                        self._take(path, "")
        del self._noticed[:noticed]
        self._mark, self._change = mark, change
        return looked

    def _changed_since(self, number: int) -> tuple[int, list[str] | None]:
        """Return the newest change's number, and the files written after `number`; None means look at all."""
        newest = self._store.change_number()
        if not 0 <= newest - number <= CHANGES_READ:
            return newest, None
        changes = self._store.since(number) if newest > number else ()
        return newest, [path for change in changes for path in change.paths if not path.startswith(".")]

    def _sweep(self) -> int:
        if self.index.form() != self._form:
            with self.index.writing():
                if self.index.tokens():
                    self.index.clear()
                self.index.set_form(self._form)
        known = self.index.tokens()
        stats = self._store.list()  # after the index: what it holds and the list does not is gone
        changed = [stat for stat in stats if known.pop(stat.path, None) != stat.token or stat.path in self._noticed]
        for at in range(0, len(changed), _BATCH):
            with self.index.writing():
                for stat in changed[at : at + _BATCH]:
                    self._take(stat.path, stat.token)
        if known:
            with self.index.writing():
                for path in known:
                    self.index.drop_path(path)
        if self.index.dead_rows() * _DEAD_SHARE > self.index.rows():
            self._rebuild()
        return len(changed)

    def _rebuild(self) -> int:
        with self.index.writing():
            self.index.clear()
            return self._sweep()

    def _is_transcript(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return folder == self._folder and name.endswith(".jsonl")

    def _take(self, path: str, token: str) -> None:
        try:
            if self._is_transcript(path):
                self._take_transcript(path, token)
            elif self._records is not None:
                self._take_records(self._records, path, token)
        except (StoreBusyError, StoreFullError, DamagedError, StoreReadOnlyError):  # it is not this file's fault
            raise
        except CommonplaceError as error:
            logger.warning("%s is not indexed: %s", path, error)

    def _take_records(self, records: Records, path: str, token: str) -> None:
        if not token and path not in self._noticed and self._take_lines(records, path):
            return
        blob = self._store.read(path)
        if blob is None:
            self.index.drop_path(path)
            return
        checksum = zlib.crc32(blob.data)
        state = self.index.state(path) or PathState(path)
        if (state.crc, state.bytes) != (checksum, len(blob.data)) and not self._take_entries(records, state, blob.data):
            found = records(path, blob.data)
            if found is None:
                self.index.drop_path(path)
                self.index.set_state(PathState(path, token=token))
                return
            self.index.replace_path(path, found)
        self.index.set_state(_state_of(path, blob.data, token=token, crc=checksum))

    def _take_entries(self, records: Records, state: PathState, data: bytes) -> bool:
        """Index dated entries that were added to a journal; False if it has to be read whole."""
        if not state.bytes or zlib.crc32(data[: state.bytes]) != state.crc:
            return False
        added = list(records(state.path, data[state.bytes :]) or ())
        if not added or any(row.layer != "journals" or row.at_ms is None for row in added):
            return False
        self.index.replace_path(state.path, added, [row.record for row in added])
        return True

    def _take_lines(self, records: Records, path: str) -> bool:
        """Index what changes added to a file of items; False if it has to be read whole."""
        state = self.index.state(path) if path.endswith(".jsonl") else None
        blob = self._store.read(path, state.tail_start) if state is not None and state.tail else None
        if state is None or blob is None:
            return False
        head, added = blob.data[: state.bytes - state.tail_start], blob.data[state.bytes - state.tail_start :]
        if zlib.crc32(head) != state.tail or not head.endswith(b"\n") or not added.endswith(b"\n"):
            return False
        found = records(path, added)
        if found is None:
            return False
        self.index.replace_path(path, found, [f"{path}#{line.id}" for line in items.read(added).lines if line.data])
        after = _state_of(path, added, token="", crc=zlib.crc32(added, state.crc))
        self.index.set_state(
            msgspec.structs.replace(after, bytes=state.bytes + len(added), tail_start=state.bytes + after.tail_start)
        )
        return True

    def _take_transcript(self, path: str, token: str) -> None:
        state = self.index.state(path) or PathState(path)
        if state.bytes and not self._continues(state, token):
            self.index.drop_path(path)
            state = PathState(path)
        for data in transcripts.whole_lines(self._store, path, state.bytes):
            state = self._take_part(state, data)  # each with its rows: a read that fails later repeats nothing
        self.index.set_state(msgspec.structs.replace(state, token=token))

    def _take_part(self, state: PathState, data: bytes) -> PathState:
        """Index whole lines that follow what is indexed of a transcript, and note that they are."""
        after, added = self._read_part(state, data)
        if added:
            self.index.add_messages(state.path, after.session, added)
        self.index.set_state(after)
        return after

    def _read_part(self, state: PathState, data: bytes) -> tuple[PathState, list[MessageRow]]:
        """Read whole lines that follow what is indexed of a transcript: its state after them, and their messages."""
        session, forgets, offset = state.session, state.forgets, state.bytes
        added: list[MessageRow] = []
        for raw in data.split(b"\n"):
            line = transcripts.decode(raw) if raw else None
            if isinstance(line, transcripts.StoredMessage):
                session = session or transcripts.session_of(state.path)  # its head line is damaged
                at_ms = int(line.at.timestamp() * 1000)
                added.append(MessageRow(line.role, line.content, at_ms, offset, line.name))
            elif isinstance(line, transcripts.Head):
                session = session or line.id
            elif isinstance(line, transcripts.Event):
                forgets += line.event == "forget"
            offset += len(raw) + 1
        tail = data.rfind(b"\n", 0, len(data) - 1) + 1
        after = PathState(
            state.path,
            bytes=state.bytes + len(data),
            token=state.token,
            crc=zlib.crc32(data, state.crc),
            tail_start=state.bytes + tail,
            tail=zlib.crc32(data[tail:]),
            session=session,
            forgets=forgets,
        )
        return after, added

    def _continues(self, state: PathState, token: str) -> bool:
        """True if a transcript still begins with what was indexed of it."""
        blob = self._store.read(state.path, state.tail_start, state.bytes)
        if blob is None or len(blob.data) != state.bytes - state.tail_start or zlib.crc32(blob.data) != state.tail:
            return False
        if not token or not state.token:
            return True
        # Trigger: a sweep saw another token. Reason: longer is an append; of the same length it may be an edit.
        longer = self._store.read(state.path, state.bytes, state.bytes + 1)
        return bool(longer and longer.data) or self._checksum(state) == state.crc

    def _checksum(self, state: PathState) -> int:
        checksum = 0
        for start in range(0, state.bytes, transcripts.PART_BYTES):
            blob = self._store.read(state.path, start, min(state.bytes, start + transcripts.PART_BYTES))
            checksum = zlib.crc32(blob.data if blob else b"", checksum)
        return checksum


def _state_of(path: str, data: bytes, *, token: str, crc: int) -> PathState:
    """Return how far a file is indexed of which these are all bytes, or the last ones."""
    tail = data.rfind(b"\n", 0, max(0, len(data) - 1)) + 1
    return PathState(path, bytes=len(data), token=token, crc=crc, tail_start=tail, tail=zlib.crc32(data[tail:]))
