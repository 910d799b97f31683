"""Vectors of passages, kept beside the rows of an index, and exact search among them.

All of a scope's vectors are of one space; where the embedder is another one, they are thrown away and made again,
never mixed. Vectors are derived like the rows: whatever takes a passage out of the index takes it out here.
They are kept in half precision, which moves a cosine by 0.0005 at most, and compared in single.
"""

from __future__ import annotations

import hashlib
import heapq
import math
import operator
import sqlite3
import struct
import time
from array import array
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import takewhile
from typing import Any, Final

import msgspec

from commonplace.recall.index import rows
from commonplace.recall.index.sqlite import VECTOR_TABLES, SqliteIndex

_SCHEMA: Final = (
    "CREATE TABLE vector_space(name TEXT NOT NULL, probe BLOB NOT NULL, level REAL NOT NULL, hidden TEXT NOT NULL)",
    # `row` is NULL while no passage has the text: a file that is indexed anew takes its vectors over.
    "CREATE TABLE vectors(row INTEGER UNIQUE, hash BLOB NOT NULL, vector BLOB NOT NULL)",
    "CREATE INDEX vectors_hash ON vectors(hash)",
    "CREATE TABLE vector_slots(slot INTEGER PRIMARY KEY, messages INTEGER NOT NULL)",
    """CREATE TRIGGER vector_note_gone AFTER DELETE ON notes BEGIN
        UPDATE vectors SET row = NULL WHERE row = -old.id; END""",
    f"""CREATE TRIGGER vector_slot_gone AFTER UPDATE OF flags ON slots WHEN length(new.flags) = 0 BEGIN
        UPDATE vectors SET row = NULL WHERE row >= old.id << {rows.MESSAGE_BITS + rows.PASSAGE_BITS}
            AND row < (old.id + 1) << {rows.MESSAGE_BITS + rows.PASSAGE_BITS};
        DELETE FROM vector_slots WHERE slot = old.id; END""",  # noqa: S608 - our own widths of a row
)
_SAME: Final = 0.002  # squared distance of two unit vectors of one text: 0.999 alike; servers round
BLOCK: Final = 20_000  # vectors that are read or multiplied at a time


class Space(msgspec.Struct, frozen=True):
    """What vectors of one embedder have in common.

    `probe` is the vector of a fixed text: it distinguishes two embedders of one name. `level` is how
    alike texts are that have nothing to do with each other, as a cosine.
    """

    name: str
    probe: tuple[float, ...]
    level: float


class Vectors:
    """The vectors of one index."""

    def __init__(self, index: SqliteIndex) -> None:
        self._index = index

    def settle(self, space: Space) -> bool:
        """Keep the vectors if they are of this space, else delete them. True if they were kept."""
        with self._index.connection() as db:
            if _of(db, space):
                return True
        with self._index.writing(), self._index.connection() as db:
            if not _of(db, space):  # else another process was quicker
                _drop(db)
                for statement in _SCHEMA:
                    db.execute(statement)
                values = (space.name, halved(space.probe), space.level)
                db.execute("INSERT INTO vector_space VALUES (?, ?, ?, '')", values)
            return False

    # --- filling ---

    def missing_notes(self, limit: int) -> list[tuple[int, str]]:
        """Return passages of records without a vector: (minus the id, text)."""
        with self._index.connection() as db:
            if not _there(db):
                return []
            return db.execute(
                "SELECT -id, text FROM notes WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE row = -notes.id) LIMIT ?",
                (limit,),
            ).fetchall()

    def missing_messages(self) -> tuple[int, int, int] | None:
        """Return messages without vectors, of the newest slot that has some: (slot, first, end)."""
        with self._index.connection() as db:
            if not _there(db):
                return None
            found: tuple[int, int, int] | None = db.execute(
                "SELECT id, coalesce(messages, 0), length(flags) FROM slots LEFT JOIN vector_slots ON slot = id "
                "WHERE length(flags) > coalesce(messages, 0) ORDER BY id DESC LIMIT 1"
            ).fetchone()
            return found

    def known(self, texts: Iterable[str]) -> dict[str, bytes]:
        """Return the vectors, as they are stored, of those texts that have one."""
        with self._index.connection() as db:
            if not _there(db):
                return {}
            select = "SELECT vector FROM vectors WHERE hash = ? LIMIT 1"
            found = {text: db.execute(select, (hashed(text),)).fetchone() for text in texts}
        return {text: row[0] for text, row in found.items() if row is not None}

    def put(self, made: Sequence[tuple[int, str, bytes]], *, hidden: str, slot: int = 0, messages: int = 0) -> bool:
        """Keep the vectors of some passages (row, text, vector); `slot` then has vectors for its first `messages`.

        What has meanwhile left the index is passed over. False if something else than `hidden` (a `mark`) is hidden by
        now: then nothing is kept.
        """
        with self._index.writing(), self._index.connection() as db:
            if not _there(db) or _hidden(db) != hidden:
                return False
            for row, text, vector in made:
                if _says(db, row, text):
                    db.execute("REPLACE INTO vectors VALUES (?, ?, ?)", (row, hashed(text), vector))
            if slot and _messages(db, slot) >= messages:
                db.execute("REPLACE INTO vector_slots VALUES (?, ?)", (slot, messages))
            return True

    def hide(self, hidden: str) -> None:
        """Keep what is hidden (a `mark`); if it is not what it was, all messages are read again.

        So a message that was forgotten loses its vector, and one whose forgetting was undone gets it back; the others
        take theirs over.
        """
        with self._index.connection() as db:
            if not _there(db) or _hidden(db) == hidden:
                return
        with self._index.writing(), self._index.connection() as db:
            db.execute("UPDATE vectors SET row = NULL WHERE row > 0")
            db.execute("DELETE FROM vector_slots")
            db.execute("UPDATE vector_space SET hidden = ?", (hidden,))

    def prune(self) -> None:
        """Delete the vectors that no passage took over; called when nothing is missing."""
        with self._index.connection() as db:
            if not _there(db) or db.execute("SELECT 1 FROM vectors WHERE row IS NULL LIMIT 1").fetchone() is None:
                return
        with self._index.writing(), self._index.connection() as db:
            db.execute("DELETE FROM vectors WHERE row IS NULL")

    def tidy(self, hidden: str) -> None:
        """Without an embedder: delete the vectors of what changed, and all of them when something was forgotten."""
        with self._index.connection() as db:
            if not _there(db):
                return
            kept = _hidden(db) == hidden
        if kept:
            self.prune()
            return
        with self._index.writing(), self._index.connection() as db:
            _drop(db)

    # --- searching ---

    def near(self, asked: array[float], many: int, *, seconds: float = math.inf) -> dict[int, float]:
        """Find the passages nearest to a vector, by comparing it with every one.

        Args:
            asked: The vector of the question, of length 1.
            many: How many are given at most.
            seconds: Without numpy, the newest are compared for so long; with it, all always.

        Returns:
            How alike each is, from above 0 (texts that have nothing to do with each other) to 1.
        """
        with self._index.connection() as db:
            if not _there(db):
                return {}
            level, size = db.execute("SELECT level, length(probe) FROM vector_space").fetchone()
            if size != 2 * len(asked) or level >= 1:
                return {}
            np = numpy()
            best = _best_plain(db, asked, many, seconds) if np is None else _best(np, db, asked, many)
        return {row: min(1.0, (cosine - level) / (1 - level)) for cosine, row in best if cosine > level}


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
    listed = [[float(value) for value in vector] for vector in vectors]
    if len({len(vector) for vector in listed}) > 1:
        raise ValueError("vectors are of one length")
    lengths = [math.hypot(*vector) for vector in listed]
    if not all(map(math.isfinite, lengths)):
        raise ValueError("vectors are finite numbers")
    return [
        array("f", [value / (length or 1.0) for value in vector])
        for vector, length in zip(listed, lengths, strict=True)
    ]


def cosine(one: Iterable[float], other: Iterable[float]) -> float:
    """Return how alike two vectors of length 1 are."""
    return float(sum(map(operator.mul, one, other)))


def halved(vector: Sequence[float]) -> bytes:
    """Write a vector of length 1 as it is stored: two bytes a number, the low one first."""
    return struct.pack(f"<{len(vector)}e", *vector)


def floats(blob: bytes) -> tuple[float, ...]:
    """Read a stored vector."""
    return struct.unpack(f"<{len(blob) // 2}e", blob)


def hashed(text: str) -> bytes:
    """Return the hash of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def mark(hidden: Collection[tuple[str, str]]) -> str:
    """Return one text for what is hidden; equal texts mean the same messages (session, id)."""
    return hashed(repr(sorted(hidden))).hex() if hidden else ""


def _there(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'vector_space'").fetchone() is not None


def _drop(db: sqlite3.Connection) -> None:
    for table in VECTOR_TABLES:
        db.execute(f"DROP TABLE IF EXISTS {table}")
    for trigger in ("vector_note_gone", "vector_slot_gone"):
        db.execute(f"DROP TRIGGER IF EXISTS {trigger}")


def _hidden(db: sqlite3.Connection) -> str:
    return str(db.execute("SELECT hidden FROM vector_space").fetchone()[0])


def _of(db: sqlite3.Connection, space: Space) -> bool:
    if not _there(db):
        return False
    name, blob = db.execute("SELECT name, probe FROM vector_space").fetchone()
    probe = floats(blob)
    same = len(probe) == len(space.probe) and math.dist(probe, space.probe) ** 2 < _SAME
    return same and name == space.name


def _messages(db: sqlite3.Connection, slot: int) -> int:
    """Count the messages of a slot; 0 where it has left the index."""
    found = db.execute("SELECT length(flags) FROM slots WHERE id = ?", (slot,)).fetchone()
    return int(found[0]) if found is not None else 0


def _says(db: sqlite3.Connection, row: int, text: str) -> bool:
    """True if the row still has the text; numbers of notes that are gone are used again."""
    if row > 0:
        slot, number = divmod(row >> rows.PASSAGE_BITS, rows.SLOT_MESSAGES)
        return _messages(db, slot) > number
    found = db.execute("SELECT text FROM notes WHERE id = ?", (-row,)).fetchone()
    return found is not None and found[0] == text


def _best(np: Any, db: sqlite3.Connection, asked: array[float], many: int) -> list[tuple[float, int]]:
    question = np.frombuffer(asked, dtype=np.float32)
    found: list[tuple[float, int]] = []
    rows = db.execute("SELECT row, vector FROM vectors WHERE row IS NOT NULL")
    while part := rows.fetchmany(BLOCK):
        blob = b"".join(vector for _, vector in part)
        matrix = np.frombuffer(blob, dtype="<f2").astype(np.float32).reshape(len(part), len(asked))
        cosines = matrix @ question
        found += [(float(cosines[at]), part[at][0]) for at in np.argsort(cosines)[-many:]]
    return heapq.nlargest(many, found)


def _best_plain(db: sqlite3.Connection, asked: Sequence[float], many: int, seconds: float) -> list[tuple[float, int]]:
    """Compare without numpy, newest first: right, and some hundred times slower."""
    end = time.monotonic() + seconds
    found = db.execute("SELECT row, vector FROM vectors WHERE row IS NOT NULL ORDER BY rowid DESC")
    in_time = takewhile(lambda _: time.monotonic() < end, found)
    return heapq.nlargest(many, ((cosine(floats(blob), asked), row) for row, blob in in_time))
