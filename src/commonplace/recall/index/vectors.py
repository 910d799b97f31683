"""Vectors of passages, kept as blobs beside the rows of an index, and exact search among them.

One vector a text: the same words in another place are not embedded twice. All of a scope's vectors
are of one space; where the embedder is another one, they are thrown away and made again, never mixed.
Vectors are derived like the rows: whatever takes a passage out of the index takes it out here.
They are kept in half precision, which moves a cosine by 0.0005 at most, and compared in single.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import math
import operator
import sqlite3
import struct
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile
from typing import Any, Final

import msgspec

from commonplace.recall.index import rows
from commonplace.recall.index.sqlite import BESIDE, SqliteIndex

_TABLES: Final = f"""
CREATE TABLE vector_space(stamp TEXT NOT NULL, name TEXT NOT NULL, dimensions INTEGER NOT NULL, probe BLOB NOT NULL,
    level REAL NOT NULL, hidden TEXT NOT NULL);
CREATE TABLE vectors(number INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, vector BLOB NOT NULL);
CREATE TABLE embedded(row INTEGER PRIMARY KEY, number INTEGER NOT NULL);
CREATE INDEX embedded_number ON embedded(number);
CREATE TABLE embedded_slots(slot INTEGER PRIMARY KEY, messages INTEGER NOT NULL);
CREATE TABLE loose_vectors(number INTEGER PRIMARY KEY);
CREATE TRIGGER embedded_gone AFTER DELETE ON embedded BEGIN
    INSERT OR IGNORE INTO loose_vectors VALUES (old.number); END;
CREATE TRIGGER embedded_note_gone AFTER DELETE ON notes BEGIN DELETE FROM embedded WHERE row = -old.id; END;
CREATE TRIGGER embedded_slot_gone AFTER UPDATE OF flags ON slots WHEN length(new.flags) = 0 BEGIN
    DELETE FROM embedded WHERE row >= old.id << {rows.MESSAGE_BITS + rows.PASSAGE_BITS}
        AND row < (old.id + 1) << {rows.MESSAGE_BITS + rows.PASSAGE_BITS};
    DELETE FROM embedded_slots WHERE slot = old.id; END
"""  # noqa: S608 - our own widths of a row

_FORMAT: Final = "half-"  # begins the stamp of vectors kept so; those kept otherwise are made again
_SAME: Final = 0.002  # squared distance of two unit vectors of one text: 0.999 alike; servers round
_CACHE_BYTES: Final = 512_000_000  # more vectors than this are read from the file at each question
_BLOCK: Final = 20_000  # vectors that are read or multiplied at a time
_ORPHANS: Final = 1.25  # the cache is read anew when it holds this many times what the file does
_MARKS: Final = 500  # values in one statement


class Space(msgspec.Struct, frozen=True):
    """What vectors of one embedder have in common.

    `probe` is the vector of a fixed text: it distinguishes two embedders of one name. `level` is how
    alike texts are that have nothing to do with each other, as a cosine.
    """

    name: str
    probe: tuple[float, ...]
    level: float

    @property
    def dimensions(self) -> int:
        """How long its vectors are."""
        return len(self.probe)


class Embedded(msgspec.Struct, frozen=True):
    """A passage and its text's vector, of length 1; None where the text has one already."""

    row: int
    text: str
    vector: array[float] | None = None


class Vectors:
    """The vectors of one index, with a copy in memory to search in."""

    def __init__(self, index: SqliteIndex) -> None:
        self._index = index
        self._stamp = ""
        self._loaded = 0  # the highest number in the cache
        self._cached: list[tuple[Any, Any]] = []  # blocks of numbers and, as rows of one matrix, vectors

    # --- the space ---

    def settle(self, space: Space) -> bool:
        """Keep the vectors if they are of this space, else delete them. True if they were kept."""
        with self._index.connection() as db:
            if _of(db, space):
                return True
        with self._index.writing(), self._index.connection() as db:
            if _of(db, space):  # another process was quicker
                return True
            if _there(db):
                for table in BESIDE:
                    db.execute(f"DROP TABLE {table}")
                for trigger in ("embedded_note_gone", "embedded_slot_gone"):
                    db.execute(f"DROP TRIGGER {trigger}")
            for statement in _statements(_TABLES):
                db.execute(statement)
            values = (_FORMAT, space.name, space.dimensions, halved(space.probe), space.level)
            db.execute("INSERT INTO vector_space VALUES (? || hex(randomblob(8)), ?, ?, ?, ?, '')", values)
            return False

    def count(self) -> int:
        """Count the passages that have a vector."""
        with self._index.connection() as db:
            return int(db.execute("SELECT count(*) FROM embedded").fetchone()[0]) if _there(db) else 0

    # --- filling ---

    def missing_notes(self, limit: int) -> list[tuple[int, str]]:
        """Return passages of records without a vector: (minus the id, text)."""
        with self._index.connection() as db:
            if not _there(db):
                return []
            return db.execute(
                "SELECT -id, text FROM notes WHERE NOT EXISTS (SELECT 1 FROM embedded WHERE row = -notes.id) LIMIT ?",
                (limit,),
            ).fetchall()

    def missing_messages(self) -> tuple[int, int, int] | None:
        """Return messages without vectors, of the newest slot that has some: (slot, first, end)."""
        with self._index.connection() as db:
            if not _there(db):
                return None
            found: tuple[int, int, int] | None = db.execute(
                "SELECT id, coalesce(messages, 0), length(flags) FROM slots LEFT JOIN embedded_slots ON slot = id "
                "WHERE length(flags) > coalesce(messages, 0) ORDER BY id DESC LIMIT 1"
            ).fetchone()
            return found

    def known(self, texts: Iterable[str]) -> set[str]:
        """Return which of some texts have a vector already."""
        hashes = {hashed(text): text for text in texts}
        with self._index.connection() as db:
            if not _there(db):
                return set()
            found = _chosen(db, "SELECT hash FROM vectors WHERE hash IN", list(hashes))
            return {hashes[row[0]] for row in found}

    def put(self, embedded: Sequence[Embedded], *, slot: int = 0, messages: int = 0, hidden: str = "") -> bool:
        """Keep the vectors of some passages; `slot` then has vectors for its first `messages`.

        What has meanwhile left the index is passed over.

        Args:
            embedded: Passages with their vectors.
            slot: The slot that is done so far.
            messages: How many of its messages are.
            hidden: What was hidden (`mark`) before the texts were read.

        Returns:
            False where nothing was kept: something else is hidden by now, or a vector taken for known is gone.
        """
        with self._index.writing(), self._index.connection() as db:
            if not _there(db) or _hidden(db) != hidden or not _stand(db, embedded):
                return False
            if slot:
                if _messages(db, slot) < max(1, messages):
                    return True
                db.execute("REPLACE INTO embedded_slots VALUES (?, ?)", (slot, messages))
            for each in embedded:
                if _says(db, each):
                    _put(db, each)
            return True

    def hidden(self) -> str:
        """Return what was last kept by `hide`."""
        with self._index.connection() as db:
            return _hidden(db) if _there(db) else ""

    def hide(self, hidden: str) -> None:
        """Keep what is hidden, and have the sessions looked through again where that is not what it was.

        So a message that was forgotten loses its vector, and one whose forgetting was undone gets it back.
        """
        with self._index.connection() as db:
            if not _there(db):
                return
        with self._index.writing(), self._index.connection() as db:
            before, after = json.loads(_hidden(db) or "{}"), json.loads(hidden or "{}")
            for session in {session for session, _ in before.items() ^ after.items()}:
                for (slot,) in db.execute("SELECT id FROM slots WHERE session = ?", (session,)).fetchall():
                    first = rows.pack(slot, 0, 0)
                    db.execute("DELETE FROM embedded WHERE row >= ? AND row < ?", (first, rows.pack(slot + 1, 0, 0)))
                    db.execute("DELETE FROM embedded_slots WHERE slot = ?", (slot,))
            db.execute("UPDATE vector_space SET hidden = ?", (hidden,))

    def prune(self) -> None:
        """Delete vectors whose texts are nowhere any more; called when nothing is missing."""
        with self._index.connection() as db:
            if not _there(db) or db.execute("SELECT 1 FROM loose_vectors LIMIT 1").fetchone() is None:
                return
        with self._index.writing(), self._index.connection() as db:
            db.execute(
                "DELETE FROM vectors WHERE number IN (SELECT number FROM loose_vectors) "
                "AND NOT EXISTS (SELECT 1 FROM embedded WHERE embedded.number = vectors.number)"
            )
            db.execute("DELETE FROM loose_vectors")

    def tidy(self, hidden: str) -> None:
        """Delete the vectors of what was forgotten or changed, as far as no embedder is needed.

        Records that still say what they said keep theirs; a transcript's are made again by the next embedder.
        """
        if self.hidden() != hidden:
            self.hide(hidden)
        with self._index.connection() as db:
            if not _there(db) or db.execute("SELECT 1 FROM loose_vectors LIMIT 1").fetchone() is None:
                return
        with self._index.writing(), self._index.connection() as db:
            missing = "SELECT -id, text FROM notes WHERE NOT EXISTS (SELECT 1 FROM embedded WHERE row = -notes.id)"
            for row, text in db.execute(missing).fetchall():
                _put(db, Embedded(row, text))
        self.prune()

    # --- searching ---

    def near(self, asked: array[float], many: int, *, seconds: float = math.inf) -> dict[int, float]:
        """Find the passages nearest to a vector, by comparing it with every one.

        Args:
            asked: The vector of the question, of length 1.
            many: How many texts are given at most.
            seconds: Without numpy, the newest are compared for so long; with it, all always.

        Returns:
            How alike each is, from above 0 (texts that have nothing to do with each other) to 1.
        """
        with self._index.connection() as db:
            if not _there(db):
                return {}
            stamp, level, dimensions = db.execute("SELECT stamp, level, dimensions FROM vector_space").fetchone()
            if dimensions != len(asked) or level >= 1:
                return {}
            np = numpy()
            best = _best_plain(db, asked, many, seconds) if np is None else self._best(np, db, stamp, asked, many)
            alike = {number: (cosine - level) / (1 - level) for cosine, number in best if cosine > level}
            found = _chosen(db, "SELECT row, number FROM embedded WHERE number IN", list(alike))
            return {row: min(1.0, alike[number]) for row, number in found}

    def _best(
        self, np: Any, db: sqlite3.Connection, stamp: str, asked: array[float], many: int
    ) -> list[tuple[float, int]]:
        question = np.frombuffer(asked, dtype=np.float32)
        found: list[tuple[float, int]] = []
        for numbers, matrix in self._blocks(np, db, stamp, len(asked)):
            cosines = matrix @ question
            top = np.argpartition(cosines, -many)[-many:] if len(cosines) > many else range(len(cosines))
            found += [(float(cosines[at]), int(numbers[at])) for at in top]
        return heapq.nlargest(many, found)

    def _blocks(self, np: Any, db: sqlite3.Connection, stamp: str, dimensions: int) -> Iterator[tuple[Any, Any]]:
        """Yield all vectors, from memory as far as they fit there."""
        stored = db.execute("SELECT count(*) FROM vectors").fetchone()[0]
        if stored * dimensions * 4 > _CACHE_BYTES:
            self._cached, self._loaded = [], 0
            yield from _read_blocks(np, db, 0, dimensions)
            return
        held = sum(len(numbers) for numbers, _ in self._cached)
        if stamp != self._stamp or held > stored * _ORPHANS + _BLOCK:
            self._cached, self._loaded, self._stamp = [], 0, stamp
        for block in _read_blocks(np, db, self._loaded, dimensions):
            self._loaded = int(block[0][-1])
            last = self._cached[-1] if self._cached else None
            if last is not None and len(last[0]) + len(block[0]) <= _BLOCK:
                self._cached[-1] = (np.concatenate([last[0], block[0]]), np.concatenate([last[1], block[1]]))
            else:
                self._cached.append(block)
        yield from self._cached


@cache
def numpy() -> Any | None:
    """Return numpy, or None if it is not installed: without it every comparison takes longer."""
    try:
        import numpy as np  # noqa: PLC0415 - an extra, and 0.1 s that only users of vectors pay
    except ImportError:
        return None
    return np


def units(vectors: Iterable[Iterable[float]]) -> list[array[float]]:
    """Return vectors scaled to the length 1, as float32; one of only zeros stays as it is.

    Raises:
        TypeError, ValueError: They are no vectors of one length, or a value is no finite number.
    """
    np = numpy()
    if np is None:
        return _units_plain([[float(value) for value in vector] for vector in vectors])
    matrix = np.asarray(vectors if hasattr(vectors, "__array__") else [list(each) for each in vectors], np.float64)
    if not len(matrix):
        return []
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ValueError("vectors are finite numbers, as many in each")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix = (matrix / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return [array("f", row.tobytes()) for row in matrix]


def _units_plain(vectors: Sequence[Sequence[float]]) -> list[array[float]]:
    if len({len(vector) for vector in vectors}) > 1:
        raise ValueError("vectors are of one length")
    made: list[array[float]] = []
    for vector in vectors:
        length = math.sqrt(sum(value * value for value in vector))
        if not math.isfinite(length):
            raise ValueError("vectors are finite numbers")
        made.append(array("f", [value / (length or 1.0) for value in vector]))
    return made


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how alike two vectors of length 1 are."""
    return float(sum(map(operator.mul, one, other)))


def halved(vector: Sequence[float]) -> bytes:
    """Write a vector of length 1 as it is stored: two bytes a number, the low one first.

    In four bytes each a vector of 512 numbers leaves half of its page of the file empty.
    """
    return struct.pack(f"<{len(vector)}e", *vector)


def floats(blob: bytes) -> tuple[float, ...]:
    """Read a stored vector."""
    return struct.unpack(f"<{len(blob) // 2}e", blob)


def hashed(text: str) -> bytes:
    """Return the hash of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def mark(hidden: Iterable[tuple[str, str]]) -> str:
    """Return one text for what is hidden, session by session; equal texts mean the same messages (session, id)."""
    sums: dict[str, Any] = {}
    for session, message in sorted(hidden):
        sums.setdefault(session, hashlib.blake2b(digest_size=8)).update(repr(message).encode() + b"\n")
    return json.dumps({session: each.hexdigest() for session, each in sums.items()}) if sums else ""


def _there(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'vector_space'").fetchone() is not None


def _hidden(db: sqlite3.Connection) -> str:
    return str(db.execute("SELECT hidden FROM vector_space").fetchone()[0])


def _of(db: sqlite3.Connection, space: Space) -> bool:
    if not _there(db):
        return False
    stamp, name, dimensions, blob = db.execute("SELECT stamp, name, dimensions, probe FROM vector_space").fetchone()
    known = stamp.startswith(_FORMAT) and (name, dimensions) == (space.name, space.dimensions)
    return known and _alike(floats(blob), space.probe)


def _statements(script: str) -> Iterator[str]:
    pending = ""
    for part in script.strip().split(";"):
        pending += part + ";"
        if sqlite3.complete_statement(pending) or part.rstrip().endswith("END"):
            yield pending
            pending = ""


def _alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) < _SAME


def _messages(db: sqlite3.Connection, slot: int) -> int:
    """Count the messages of a slot; 0 where it has left the index."""
    found = db.execute("SELECT length(flags) FROM slots WHERE id = ?", (slot,)).fetchone()
    return int(found[0]) if found is not None else 0


def _stand(db: sqlite3.Connection, embedded: Sequence[Embedded]) -> bool:
    """True if those that were known still are: another process may have thrown them away meanwhile."""
    known = {hashed(each.text) for each in embedded if each.vector is None}
    return sum(1 for _ in _chosen(db, "SELECT 1 FROM vectors WHERE hash IN", list(known))) == len(known)


def _says(db: sqlite3.Connection, each: Embedded) -> bool:
    """True if the row still has the text; numbers of notes that are gone are used again."""
    if each.row > 0:
        slot, number = divmod(each.row >> rows.PASSAGE_BITS, rows.SLOT_MESSAGES)
        return _messages(db, slot) > number
    found = db.execute("SELECT text FROM notes WHERE id = ?", (-each.row,)).fetchone()
    return found is not None and found[0] == each.text


def _put(db: sqlite3.Connection, each: Embedded) -> None:
    key = hashed(each.text)
    if each.vector is not None:
        db.execute("INSERT OR IGNORE INTO vectors(hash, vector) VALUES (?, ?)", (key, halved(each.vector)))
    db.execute("REPLACE INTO embedded SELECT ?, number FROM vectors WHERE hash = ?", (each.row, key))


def _chosen(db: sqlite3.Connection, select: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    for at in range(0, len(values), _MARKS):
        part = values[at : at + _MARKS]
        yield from db.execute(f"{select} ({','.join('?' * len(part))})", part)


def _best_plain(db: sqlite3.Connection, asked: Sequence[float], many: int, seconds: float) -> list[tuple[float, int]]:
    """Compare without numpy, newest first: right, and some hundred times slower."""
    end = time.monotonic() + seconds
    found = db.execute("SELECT number, vector FROM vectors ORDER BY number DESC")
    in_time = takewhile(lambda _: time.monotonic() < end, found)
    return heapq.nlargest(many, ((cosine(floats(blob), asked), number) for number, blob in in_time))


def _read_blocks(np: Any, db: sqlite3.Connection, after: int, dimensions: int) -> Iterator[tuple[Any, Any]]:
    found = db.execute("SELECT number, vector FROM vectors WHERE number > ? ORDER BY number", (after,))
    while part := found.fetchmany(_BLOCK):
        numbers = np.array([number for number, _ in part], dtype=np.int64)
        vectors = np.frombuffer(b"".join(blob for _, blob in part), dtype="<f2").astype(np.float32)
        yield numbers, vectors.reshape(len(part), dimensions)
