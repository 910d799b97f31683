"""The index on SQLite FTS5: one file a scope, or memory where nothing may be written.

Two full-text tables. `said` holds the messages without a copy of their text (contentless, term to
row only): what was said is read back from the transcripts. `noted` holds the records of the other
layers, which change, with their text. All of it is derived: `reset` throws it away, and who
feeds the index (indexing) can make it again. Several processes may write; each write re-reads its
state inside its transaction.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from commonplace.errors import DamagedError, StoreReadOnlyError
from commonplace.recall.index import passages, postings, rows
from commonplace.recall.index.filling import Filling
from commonplace.recall.index.rows import Candidates, IndexRow, MessageRow, Note, PathState, Places, Shelf, Slot
from commonplace.store.sqlite_file import IndexFile
from commonplace.text import terms

SCHEMA: Final = 10  # raised whenever the same files would give other rows
_SORTED_BYTES: Final = 16_000_000
_TOKENIZE: Final = "porter unicode61 remove_diacritics 2"
_TABLES: Final = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE paths(path TEXT PRIMARY KEY, bytes INTEGER, token TEXT, crc INTEGER, tail_start INTEGER, tail INTEGER,
    session TEXT, forgets INTEGER) WITHOUT ROWID;
CREATE TABLE slots(id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, session TEXT NOT NULL,
    names TEXT NOT NULL, flags BLOB NOT NULL, speakers BLOB NOT NULL, times BLOB NOT NULL,
    offsets BLOB NOT NULL, changed INTEGER NOT NULL);
CREATE INDEX slots_path ON slots(path, id);
CREATE INDEX slots_changed ON slots(changed);
CREATE TABLE notes(id INTEGER PRIMARY KEY, path TEXT NOT NULL, record TEXT NOT NULL, layer TEXT NOT NULL,
    at_ms INTEGER, text TEXT NOT NULL);
CREATE INDEX notes_path ON notes(path, record);
CREATE VIRTUAL TABLE said USING fts5(text, content='', detail=none, columnsize=0, tokenize='{_TOKENIZE}');
CREATE VIRTUAL TABLE noted USING fts5(text, detail=none, columnsize=0, tokenize='{_TOKENIZE}');
CREATE VIRTUAL TABLE said_terms USING fts5vocab('said', 'row');
CREATE VIRTUAL TABLE noted_terms USING fts5vocab('noted', 'row');
"""
VECTOR_TABLES: Final = ("vector_space", "vectors", "vector_slots")


class SqliteIndex(IndexFile):
    """One open index.

    Args:
        path: Its file; None keeps it in memory.
        mend: Mend a file as described below; without it, every fault is raised.

    A file that is no index, or of another version, is replaced by an empty one; where nothing may be written the
    index is in memory.
    """

    def __init__(self, path: Path | str | None, *, mend: bool = True) -> None:
        self._forget()
        super().__init__(path, mend=mend)

    def _forget(self) -> None:
        self._writing = False  # a transaction is under way
        self._number = 0  # of it, by which readers know what they have not seen; 0 if no slot was written yet
        self._shelf = Shelf({}, names=set())
        self._shelf_seen = -1

    def _ensure_schema(self) -> None:
        if self._db.execute("PRAGMA user_version").fetchone()[0] == SCHEMA:
            return
        self._db.execute("BEGIN IMMEDIATE")
        try:
            if self._db.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
                self._make_tables()
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def _make_tables(self) -> None:
        made = self._db.execute("SELECT name, type FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE %'")
        names = [name for name, _ in made.fetchall()]
        counted = self._db.execute("SELECT value FROM meta WHERE key = 'changed'") if "meta" in names else None
        changed = (counted.fetchone() or (0,))[0] if counted else 0
        for name in ("said_terms", "noted_terms", "said", "noted", "meta", "paths", "slots", "notes", *VECTOR_TABLES):
            if name in names:
                self._db.execute(f"DROP TABLE {name}")
        for statement in _TABLES.split(";"):
            if statement.strip():
                self._db.execute(statement)
        # A transaction's words are sorted in memory up to this size: one large run instead of many to be merged.
        self._db.execute("INSERT INTO said(said, rank) VALUES ('hashsize', ?)", (_SORTED_BYTES,))
        # Counted on from the older tables: a process that holds their slots in memory sees that they are gone.
        for key, value in (("rows", 0), ("dead", 0), ("form", 0), ("changed", changed + 1), ("emptied", changed + 1)):
            self._db.execute("INSERT INTO meta VALUES (?, ?)", (key, value))
        self._db.execute(f"PRAGMA user_version={SCHEMA}")

    def clear(self) -> None:
        """Empty the index in one transaction; readers of other processes see the old rows until then."""
        with self.writing():
            self._make_tables()
            self._number = 0

    # --- writing ---

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Begin a transaction, or join the one of this thread; it is kept whole or not at all.

        Raises:
            StoreBusyError: Another process held it for ten seconds.
        """
        with self._using():
            if self._writing:  # nested: the outer one commits
                yield
                return
            self._db.execute("BEGIN IMMEDIATE")
            self._writing, self._number = True, 0
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                self._forget()
                raise
            finally:
                self._writing = False

    def _changed(self) -> int:
        """Return the number of this transaction."""
        if not self._number:
            self._db.execute("UPDATE meta SET value = value + 1 WHERE key = 'changed'")
            self._number = self._meta("changed")
        return self._number

    @contextlib.contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Open the file, for the vectors beside the rows."""
        with self._using():
            yield self._db

    def state(self, path: str) -> PathState | None:
        """Return how far a path is indexed; None when it is not."""
        with self._using():
            row = self._db.execute("SELECT * FROM paths WHERE path = ?", (path,)).fetchone()
        return PathState(*row) if row else None

    def states(self) -> dict[str, PathState]:
        """Return how far every path is indexed."""
        with self._using():
            return {row[0]: PathState(*row) for row in self._db.execute("SELECT * FROM paths")}

    def tokens(self) -> dict[str, str]:
        """Return the token of every path by which it was last looked at."""
        with self._using():
            return dict(self._db.execute("SELECT path, token FROM paths").fetchall())

    def forgetting(self) -> dict[str, int]:
        """Return the transcripts with events of forgetting, and how many each has."""
        with self._using():
            return dict(self._db.execute("SELECT path, forgets FROM paths WHERE forgets > 0").fetchall())

    def set_state(self, state: PathState) -> None:
        """Note how far a path is indexed."""
        values = msgspec.structs.astuple(state)
        with self.writing():
            self._db.execute(f"REPLACE INTO paths VALUES ({','.join('?' * len(values))})", values)  # noqa: S608 - marks only

    def add_messages(self, path: str, session: str, added: Iterable[MessageRow]) -> None:
        """Index messages that follow those already indexed of a transcript, in order."""
        rest = list(added)
        with self.writing():
            slot = self._last_slot(path)
            while rest:
                if slot is None or len(slot.flags) == rows.SLOT_MESSAGES:
                    slot = Filling(self._next_slot())
                room = rows.SLOT_MESSAGES - len(slot.flags)
                self._say(slot.id, slot.take(rest[:room]), rest[:room])
                self._put_slot(slot, path, session)
                rest = rest[room:]

    def _next_slot(self) -> int:
        """Return the number of a new slot; none is ever given twice."""
        row = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'slots'").fetchone()
        return int(row[0]) + 1 if row else 1

    def _say(self, slot: int, first: int, added: Sequence[MessageRow]) -> None:
        """Add the words of some messages of a slot, of which the first has a number."""
        texts = {row: text for n, each in enumerate(added, first) for row, text in _passages(slot, n, each.content)}
        self._db.executemany("INSERT INTO said(rowid, text) VALUES (?, ?)", texts.items())
        self._db.execute("UPDATE meta SET value = value + ? WHERE key = 'rows'", (len(texts),))

    def _put_slot(self, slot: Filling, path: str, session: str) -> None:
        values = (
            slot.id, path, session, json.dumps(slot.names), bytes(slot.flags), bytes(slot.speakers),
            slot.times.tobytes(), slot.offsets.tobytes(), self._changed(),
        )  # fmt: skip
        self._db.execute(f"REPLACE INTO slots VALUES ({','.join('?' * len(values))})", values)  # noqa: S608 - marks only

    def _last_slot(self, path: str) -> Filling | None:
        with self._using():
            last = self._db.execute(
                "SELECT id, names, flags, speakers, times, offsets FROM slots WHERE path = ? ORDER BY id DESC LIMIT 1",
                (path,),
            ).fetchone()
        return Filling(*last) if last else None

    def replace_path(self, path: str, replacing: Iterable[IndexRow], only: Iterable[str] | None = None) -> None:
        """Replace the rows of a file, or, of a part of it, those of the records that are named."""
        with self.writing():
            for record in [None] if only is None else dict.fromkeys(only):
                self._drop_notes(path, record)
            count = 0
            for row in replacing:
                for text in _note_passages(row):
                    self._add_note(path, row, text)
                    count += 1
            self._db.execute("UPDATE meta SET value = value + ? WHERE key = 'rows'", (count,))

    def _add_note(self, path: str, row: IndexRow, text: str) -> None:
        cursor = self._db.execute(
            "INSERT INTO notes(path, record, layer, at_ms, text) VALUES (?, ?, ?, ?, ?)",
            (path, row.record, row.layer, row.at_ms, text),
        )
        marks = [terms.marker("l", row.layer), *(terms.marker("g", tag) for tag in row.tags)]
        content = f"{terms.indexed(row.title)} {terms.indexed(text)} {' '.join(marks)}"
        self._db.execute("INSERT INTO noted(rowid, text) VALUES (?, ?)", (cursor.lastrowid, content))

    def _drop_notes(self, path: str, record: str | None = None) -> None:
        """Remove the rows of a file, or of one of its records."""
        these, values = ("path = ?", (path,)) if record is None else ("path = ? AND record = ?", (path, record))
        ids = self._db.execute(f"SELECT id FROM notes WHERE {these}", values).fetchall()  # noqa: S608 - our own words
        if ids:
            self._db.executemany("DELETE FROM noted WHERE rowid = ?", ids)
            self._db.execute(f"DELETE FROM notes WHERE {these}", values)  # noqa: S608 - as above
            self._db.execute("UPDATE meta SET value = value - ? WHERE key = 'rows'", (len(ids),))

    def drop_path(self, path: str) -> None:
        """Forget all that is indexed of a path."""
        with self.writing():
            self._drop_notes(path)
            dead = self._db.execute("SELECT sum(length(flags)) FROM slots WHERE path = ?", (path,)).fetchone()[0]
            self._db.execute("UPDATE meta SET value = value + ? WHERE key = 'dead'", (dead or 0,))
            # Rows of messages cannot be taken out of a contentless table; without their slot they are never found.
            self._db.execute(
                "UPDATE slots SET path = '', flags = x'', speakers = x'', times = x'', offsets = x'', changed = ? "
                "WHERE path = ?",
                (self._changed(), path),
            )
            self._db.execute("DELETE FROM paths WHERE path = ?", (path,))

    # --- reading ---

    def rows(self) -> int:
        """Count the passages indexed, those that lead nowhere included."""
        return self._meta("rows")

    def dead_rows(self) -> int:
        """Count the messages whose rows lead nowhere since their transcript was rewritten."""
        return self._meta("dead")

    def form(self) -> int:
        """Return the number of the form that the rows were made in; 0 if none was set."""
        return self._meta("form")

    def set_form(self, form: int) -> None:
        """Store the form in which the rows are made from now on."""
        with self.writing():
            self._db.execute("UPDATE meta SET value = ? WHERE key = 'form'", (form,))

    def _meta(self, key: str) -> int:
        with self._using():
            return int(self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()[0])

    def search(
        self,
        words: Sequence[Sequence[str]],
        *,
        messages: bool = True,
        layers: Collection[str] = (),
        tags: Collection[str] = (),
    ) -> Candidates:
        """Find the messages, and records of some layers with all of the tags, that hold the words.

        Any of a group of words counts as the group's one bit.
        """
        with self._using():
            total = self._meta("rows")
            said = postings.gather(self._db, "said", words) if messages else None
            marks = [[terms.marker("l", layer) for layer in layers], *([terms.marker("g", tag)] for tag in tags)]
            noted = postings.gather(self._db, "noted", words, marks) if layers else None
        parts = [part for part in (said, noted) if part is not None]
        found = [sum(part.found[at] for part in parts) for at in range(len(words))]
        return Candidates(said.masks if said else {}, noted.masks if noted else {}, found, total)

    def shelf(self) -> Shelf:
        """Return all slots, kept in memory and brought up to date."""
        with self._using():
            now = self._meta("changed")
            if now != self._shelf_seen:
                if self._meta("emptied") > self._shelf_seen:
                    self._shelf = Shelf({}, names=set())
                found = self._db.execute(
                    "SELECT id, path, session, names, flags, speakers FROM slots WHERE changed > ?",
                    (self._shelf_seen,),
                )
                for number, path, session, names, flags, speakers in found:
                    if flags:
                        self._shelf.put(Slot(number, path, session, tuple(json.loads(names)), flags, speakers))
                    else:
                        self._shelf.drop(number)
                self._shelf_seen = now
            return self._shelf

    def places(self, slot: int) -> Places | None:
        """Return when and where the messages of one slot were said."""
        with self._using():
            row = self._db.execute("SELECT path, times, offsets FROM slots WHERE id = ?", (slot,)).fetchone()
            if not row or not row[1]:
                return None
            after = self._db.execute(
                "SELECT offsets FROM slots WHERE path = ? AND id > ? ORDER BY id LIMIT 1", (row[0], slot)
            ).fetchone()
            ends = self._db.execute("SELECT bytes FROM paths WHERE path = ?", (row[0],)).fetchone()
        times, offsets = array("q", row[1]), array("q", row[2])
        end = array("q", after[0][:8])[0] if after and after[0] else ends[0] if ends else offsets[-1]
        return Places(times, offsets, end)

    def notes(self, ids: Iterable[int]) -> dict[int, Note]:
        """Return indexed passages of records by number."""
        wanted = list(ids)
        found: dict[int, Note] = {}
        with self._using():
            for at in range(0, len(wanted), 500):
                part = wanted[at : at + 500]
                marks = ",".join("?" * len(part))
                for row in self._db.execute(f"SELECT * FROM notes WHERE id IN ({marks})", part):  # noqa: S608 - marks only
                    found[row[0]] = Note(*row)
        return found

    def note_of(self, path: str, record: str) -> Note | None:
        """Return the first passage of a record; None if it is not indexed."""
        with self._using():
            row = self._db.execute("SELECT * FROM notes WHERE path = ? AND record = ?", (path, record)).fetchone()
        return Note(*row) if row else None

    def noted_in(self, times: Iterable[tuple[int, int]], limit: int) -> list[Note]:
        """Return the passages of records that are dated in ranges of milliseconds, of each range the latest."""
        with self._using():
            query = "SELECT * FROM notes WHERE at_ms >= ? AND at_ms < ? ORDER BY at_ms DESC LIMIT ?"
            return [Note(*row) for span in times for row in self._db.execute(query, (*span, limit))]

    def similar(self, word: str) -> list[str]:
        """List indexed terms at most a typo away from a word, the likeliest first."""
        with self._using():
            return postings.similar(self._db, ("said", "noted"), word)

    def check(self) -> list[str]:
        """Return what is wrong with the index itself; empty if it is sound."""
        problems: list[str] = []
        try:
            with self._using():
                problems += [row[0] for row in self._db.execute("PRAGMA quick_check") if row[0] != "ok"]
                for table in ("said", "noted"):
                    self._db.execute(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")  # noqa: S608 - our own table names
        except (DamagedError, StoreReadOnlyError) as error:
            problems.append(str(error))
        return problems


def _passages(slot: int, number: int, text: str) -> Iterator[tuple[int, str]]:
    """Yield the rows of a message with their words."""
    spans = passages.passages(text)
    together: dict[int, list[str]] = {}
    for at, (start, end) in enumerate(spans):
        together.setdefault(rows.fold_passage(at, len(spans)), []).append(text[start:end])
    for at, parts in together.items():
        yield rows.pack(slot, number, at), terms.indexed("".join(parts))


def _note_passages(row: IndexRow) -> Iterator[str]:
    for start, end in passages.passages(row.text):
        yield row.text[start:end].strip()
