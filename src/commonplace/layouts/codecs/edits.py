"""What an edit of one file comes to: kept bytes, new text, and what became of each record's id.

Shared by the codecs and by what commits their edits. Texts here are read with bytes that are
no UTF-8 carried through unharmed, so that what an edit does not touch is byte for byte as it was.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from commonplace.errors import InputError
from commonplace.text.patterns import pattern
from commonplace.text.pieces import fingerprint
from commonplace.text.spans import Keep

Unit = Literal["chars", "bytes", "tokens"]

_LAYER_ID: Final = pattern(r"(.+)#([0-9a-f]{12}(?:~\d+)?)\Z", re.DOTALL)
_ITEM_ID: Final = pattern(r"(.+?\.jsonl)#(.+)\Z", re.DOTALL)


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What one edit of one file does.

    A document or topic is made of `pieces`: spans of its old bytes and new text. An append-only
    file gets `append`: whole lines, without the last line break. `delete` takes the file away.
    `successors` maps an id that is no more to the id of what replaced it; `gone` names the ids that
    are no more and have no successor.
    """

    pieces: tuple[Keep | str, ...] = ()
    append: str = ""
    delete: bool = False
    successors: dict[str, str] = msgspec.field(default_factory=dict)
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class Duplicate(msgspec.Struct, frozen=True):
    """Nothing to do: the record of this id already says it."""

    id: str


class Over(msgspec.Struct, frozen=True):
    """A text that would not fit: its size now, its size after the edit, and the most it may have."""

    current: int
    needed: int
    maximum: int
    unit: Unit


class Splice(NamedTuple):
    """Characters [start, end) of a text, and the text that replaces them."""

    start: int
    end: int
    text: str


class Numbered(NamedTuple):
    """One record for the purpose of ids: its fingerprint and its id."""

    fingerprint: str
    id: str


def decode(data: bytes) -> str:
    """Read bytes as text, carrying those that are no UTF-8 through; `encode` gives the same bytes back."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes of a text that `decode` read.

    Raises:
        InputError: The text holds half of a surrogate pair.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InputError("the text holds half of a surrogate pair; send whole characters") from error


def visible(text: str) -> str:
    """Show a text that `decode` read: each byte that is no UTF-8 becomes `U+FFFD`."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def newline_of(text: str) -> str:
    """Return the line break of a text: that of its first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def clean(text: str) -> str:
    """Bring a text that is to be stored into one form: line feeds, no blank edges, blank lines empty.

    Raises:
        InputError: Nothing is left, or it holds half of a surrogate pair.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").split("\n")
    tidy = "\n".join(line if line.strip() else "" for line in lines).strip().lstrip("\ufeff").strip()
    if not tidy:
        raise InputError("there is no text; say what to store")
    try:
        tidy.encode()
    except UnicodeEncodeError as error:
        raise InputError("the text holds half of a surrogate pair; send whole characters") from error
    return tidy


def number(path: str, texts: Iterable[str]) -> list[Numbered]:
    """Return each record of a file with its id: path, fingerprint, and `~n` for the nth equal text."""
    seen: dict[str, int] = {}
    numbered: list[Numbered] = []
    for words in texts:
        mark = fingerprint(words)
        seen[mark] = count = seen.get(mark, 0) + 1
        numbered.append(Numbered(mark, f"{path}#{mark}" if count == 1 else f"{path}#{mark}~{count}"))
    return numbered


def split_id(record: str) -> tuple[str, str]:
    """Split a record id into its path and the part behind the `#`; a topic's id is its path."""
    found = _ITEM_ID.match(record) or _LAYER_ID.match(record)
    return (found[1], found[2]) if found else (record, "")


def pieces(text: str, splices: Iterable[Splice]) -> tuple[Keep | str, ...]:
    """Turn splices of a decoded text into kept byte spans and new text, in order."""
    made: list[Keep | str] = []
    at_char = at_byte = 0

    def keep(until: int) -> None:
        nonlocal at_char, at_byte
        size = until - at_char if text.isascii() else len(encode(text[at_char:until]))
        if size:
            made.append(Keep(at_byte, at_byte + size))
        at_char, at_byte = until, at_byte + size

    for splice in sorted(splices, key=lambda one: (one.start, one.end)):
        keep(splice.start)
        at_byte += len(encode(text[splice.start : splice.end]))
        at_char = splice.end
        if splice.text:
            made.append(splice.text)
    keep(len(text))
    return tuple(joined(made))


def joined(made: Iterable[Keep | str]) -> Iterator[Keep | str]:
    """Join neighbouring pieces, so that equal edits give equal pieces."""
    last: Keep | str | None = None
    for piece in made:
        if piece == "":
            continue
        if isinstance(piece, str) and isinstance(last, str):
            last += piece
        elif isinstance(piece, Keep) and isinstance(last, Keep) and last.end == piece.start:
            last = Keep(last.start, piece.end)
        else:
            if last is not None:
                yield last
            last = piece
    if last is not None:
        yield last


def byte_places(text: str, places: Sequence[int]) -> list[int]:
    """Turn ascending character places of a decoded text into byte places."""
    if text.isascii():
        return list(places)
    found: list[int] = []
    at_char = at_byte = 0
    for place in places:
        at_byte += len(encode(text[at_char:place]))
        at_char = place
        found.append(at_byte)
    return found


def assemble(data: bytes, parts: Iterable[Keep | str]) -> bytes:
    """Return the bytes that pieces make of the old bytes."""
    return b"".join(data[part.start : part.end] if isinstance(part, Keep) else encode(part) for part in parts)


def effect(
    parts: tuple[Keep | str, ...],
    old: Sequence[Numbered],
    new: Sequence[Numbered],
    pairs: Sequence[tuple[int, int]] = (),
) -> Effect:
    """Return what an edit does to ids; `pairs` are the (old, new) places of records that were replaced.

    Records of equal text are interchangeable, so it is the highest `~n` of them that goes.
    """
    before, after = {one.id for one in old}, {one.id for one in new}
    vanished: defaultdict[str, list[str]] = defaultdict(list)
    for one in old:
        if one.id not in after:
            vanished[one.fingerprint].append(one.id)
    appeared: defaultdict[str, list[str]] = defaultdict(list)
    for one in reversed(new):
        if one.id not in before:
            appeared[one.fingerprint].append(one.id)
    successors: dict[str, str] = {}
    taken: set[str] = set()
    for i, j in pairs:
        if vanished[old[i].fingerprint]:
            fresh = appeared[new[j].fingerprint]
            successors[vanished[old[i].fingerprint].pop()] = to = fresh.pop() if fresh else new[j].id
            taken.add(to)
    return Effect(
        pieces=parts,
        successors=successors,
        added=tuple(one.id for one in new if one.id not in before and one.id not in taken),
        gone=tuple(one.id for one in old if one.id not in after and one.id not in successors),
    )
