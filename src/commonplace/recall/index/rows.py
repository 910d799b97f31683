"""What goes into the index and what comes out, and how one integer names a passage.

A passage of a message is one row: its number packs (slot, message in the slot, passage). A slot is a
run of at most 512 messages of one transcript, with one byte of facts a message, so that ranking
reads neighbours, roles and sessions from arrays and never joins. Pure: no SQL and no file here.
"""

from __future__ import annotations

import bisect
from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import msgspec

from commonplace.records import LayerName
from commonplace.text.patterns import pattern
from commonplace.text.terms import CJK

PASSAGE_BITS: Final = 10  # later passages of a longer message share the last rows, see `fold_passage`
MESSAGE_BITS: Final = 9
SLOT_MESSAGES: Final = 1 << MESSAGE_BITS
PASSAGES: Final = 1 << PASSAGE_BITS

ROLE_CODES: Final[dict[str, int]] = {"user": 0, "assistant": 1, "tool": 2, "system": 3}
ROLE_MASK: Final = 3
QUESTION: Final = 4  # the message asks something
DATED: Final = 8  # the message holds a number or a word of time
LENGTH_SHIFT: Final = 4
LENGTH_EDGES: Final = (
    16, 24, 32, 42, 54, 68, 84, 104, 128, 158, 195, 240, 295, 360, 430,
)  # fmt: skip # where a class of length ends
LENGTHS: Final = (10, *((a + b) // 2 for a, b in pairwise(LENGTH_EDGES)), 480)  # about what a text of each class has
_WIDE_CHARS: Final = 3  # a character of Chinese says about as much as three letters

_TOOLS_AT_WORK: Final = 0.1  # of the messages; an agent that talks seldom has so many of tools
_OF_TOOLS: Final = bytes(flags for flags in range(256) if flags & ROLE_MASK == ROLE_CODES["tool"])
_LENGTH_OF: Final = [LENGTHS[flags >> LENGTH_SHIFT] for flags in range(256)]
_CJK: Final = pattern(f"[{CJK}]")
_DIGITS: Final = b"0123456789"
_WIDE_DATE: Final = pattern(r"[0-9年月日周天]")
_OF_TIME: Final = pattern(
    "today|yesterday|tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|week|month|year|last "
    "|next | ago|since |until |january|february|march|april| june| july|august|september|october|november|december"
)  # `may` says too little


class MessageRow(msgspec.Struct, frozen=True, gc=False):
    """One message to index; `at_ms` is UTC, `offset` where its line begins in the transcript."""

    role: str
    content: str
    at_ms: int
    offset: int
    name: str | None = None


class IndexRow(msgspec.Struct, frozen=True, kw_only=True):
    """One record of a layer to index: an entry, journal entry, topic or item."""

    record: str
    text: str
    layer: LayerName
    title: str = ""
    at_ms: int | None = None
    tags: tuple[str, ...] = ()


class Note(msgspec.Struct, frozen=True):
    """One passage of an indexed record, with its text."""

    id: int
    path: str
    record: str
    layer: LayerName
    at_ms: int | None
    text: str


class PathState(msgspec.Struct, frozen=True):
    """How far a path is indexed.

    `token` is the store's for the bytes last looked at, `tail` the checksum of the last line taken
    and `tail_start` where it begins, `crc` the checksum of all bytes taken.
    """

    path: str
    bytes: int = 0
    token: str = ""
    crc: int = 0
    tail_start: int = 0
    tail: int = 0
    session: str = ""
    forgets: int = 0  # events by which messages were forgotten or taken back


class Slot(msgspec.Struct):
    """A run of messages of one transcript: `flags` and `speakers` hold one byte a message."""

    id: int
    path: str
    session: str
    names: tuple[str, ...]
    flags: bytes
    speakers: bytes

    @property
    def chars(self) -> int:
        """About how long its messages are together, each counted as a passage at most."""
        return sum(map(_LENGTH_OF.__getitem__, self.flags))

    @property
    def works(self) -> bool:
        """True if an agent works in it more than it talks: a good part of its messages is of tools."""
        return len(self.flags) - len(self.flags.translate(None, _OF_TOOLS)) > _TOOLS_AT_WORK * len(self.flags)


class Shelf(msgspec.Struct):
    """All slots of an index with what ranking asks of the whole: how many messages, how long, who speaks.

    `working` are the slots in which an agent works.
    """

    slots: dict[int, Slot] = {}
    messages: int = 0
    chars: int = 0
    names: set[str] = set()
    working: set[int] = set()

    def put(self, slot: Slot) -> None:
        """Add a slot, or replace its older state."""
        self.drop(slot.id)
        self.slots[slot.id] = slot
        self.messages += len(slot.flags)
        self.chars += slot.chars
        self.names.update(slot.names)
        if slot.works:
            self.working.add(slot.id)

    def drop(self, number: int) -> None:
        """Remove a slot, if it is there."""
        old = self.slots.pop(number, None)
        if old is not None:
            self.messages -= len(old.flags)
            self.chars -= old.chars
            self.working.discard(number)

    @property
    def mean_chars(self) -> float:
        """The mean length of a message."""
        return self.chars / self.messages if self.messages else 1.0

    @property
    def mean_messages(self) -> float:
        """The mean number of messages of a slot."""
        return self.messages / len(self.slots) if self.slots else 1.0


class Places(msgspec.Struct):
    """When and where the messages of a slot were said, as arrays; `end` closes the last line."""

    times: array[int]
    offsets: array[int]
    end: int


class Candidates(msgspec.Struct):
    """What a search found: for each row the words it holds, as bits; how many rows hold each word.

    `messages` maps packed passages, `notes` ids of note passages. `total` is the number of indexed rows.
    """

    messages: dict[int, int]
    notes: dict[int, int]
    found: Sequence[int]
    total: int


def pack(slot: int, message: int, passage: int) -> int:
    """Return one integer for a passage."""
    return (slot << MESSAGE_BITS | message) << PASSAGE_BITS | passage


def fold_passage(number: int, count: int) -> int:
    """Return the row of passage `number` of `count`; very long messages share rows evenly."""
    return number if count <= PASSAGES else number * PASSAGES // count


def length_class(content: str) -> int:
    """Return in which of sixteen classes the length of a text falls."""
    length = len(content)
    if length < LENGTH_EDGES[-1] and not content.isascii():
        length += (_WIDE_CHARS - 1) * len(_CJK.findall(content))
    return bisect.bisect_right(LENGTH_EDGES, length)


def flags_of(role: str, content: str) -> int:
    """Return in one byte what ranking asks of a message."""
    flags = ROLE_CODES.get(role, 3) | length_class(content) << LENGTH_SHIFT
    if "?" in content or "？" in content:
        flags |= QUESTION
    if _holds_date(content) or _OF_TIME.search(content.lower()):
        flags |= DATED
    return flags


def _holds_date(content: str) -> bool:
    if content.isascii():
        return len(content.encode().translate(None, _DIGITS)) != len(content)
    return _WIDE_DATE.search(content) is not None
