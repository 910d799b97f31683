"""Documents: shown text made of entries, edited one entry at a time.

An entry is a list item, a paragraph, a fence or a separated block; headings, comments, rules, front
matter and the generated index are structure and stay as they are. Every edit is read back before it
is returned: a text that would not be exactly one entry there is put in list form or refused.
Nothing here opens a file, asks the time or judges a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final, NamedTuple, cast

import msgspec

from commonplace.errors import InputError, RecordNotFoundError
from commonplace.layouts.codecs import blocks, edits, rewrites
from commonplace.layouts.codecs.blocks import Block
from commonplace.layouts.codecs.edits import Duplicate, Effect, Over, Splice, Unit
from commonplace.layouts.codecs.entries import ENTRY_KINDS, SEPARATOR, Document, read
from commonplace.layouts.schema import Layer
from commonplace.operations import AddEntry, Operation, RemoveEntry, ReplaceEntry, RewriteDocument
from commonplace.records import Entry
from commonplace.text.pieces import estimate_tokens, one_line, truncate

_PREVIEW_CHARS: Final = 80
_PREVIEWS: Final = 5
_BULLETS: Final = ("- ", "* ", "-   ", "*   ")  # a star where a dash makes a rule, deep to close no fence above
_APART: Final = "<!-- -->"  # keeps apart what would run together; Markdown shows nothing of it


class Cap(msgspec.Struct, frozen=True):
    """The most a document may hold, its generated index and blank edges not counted."""

    limit: int
    unit: Unit

    def size(self, text: str) -> int:
        """Measure a document in the unit of the cap; chars are code points."""
        counted = _without_index(text).strip()
        match self.unit:
            case "chars":
                return len(counted)
            case "bytes":
                return len(counted.encode("utf-8", "surrogateescape"))
            case "tokens":
                return estimate_tokens(counted)

    def over(self, text: str) -> int:
        """Return by how much a document exceeds the cap; 0 or less if it does not."""
        return self.size(text) - self.limit

    def check(self, before: str, after: str) -> Over | None:
        """Return by how much an edit would exceed the cap; None if it does not, or makes the document smaller."""
        current, needed = self.size(before), self.size(after)
        if needed <= self.limit or needed < current:
            return None
        return Over(current, needed, self.limit, self.unit)


def cap_of(layer: Layer, limits: Mapping[str, int]) -> Cap | None:
    """Return the cap of a layer, with the number that `limits` has for its name; None if it has no cap."""
    if not layer.cap:
        return None
    number, _, unit = layer.cap.partition(" ")
    return Cap(limits.get(layer.name, int(number)), cast("Unit", unit))


class Placed(NamedTuple):
    """One entry and its bytes [start, end) in the document, its bullet included."""

    entry: Entry
    start: int
    end: int


def parse(path: str, data: bytes, style: str = "") -> tuple[Placed, ...]:
    """Read a document to its entries, in order, each with its place in the bytes."""
    document = read(path, data, style)
    marks = [place for part in document.parts for place in (part.block.start, part.block.end)]
    places = edits.byte_places(document.text, marks)
    return tuple(
        Placed(Entry(one.id, path, part.text, part.section), places[2 * i], places[2 * i + 1])
        for i, (one, part) in enumerate(zip(document.ids, document.parts, strict=True))
    )


def records(path: str, data: bytes, style: str = "", zone: tzinfo = UTC) -> Iterator[Entry]:  # noqa: ARG001 - one signature for all codecs
    """Yield the entries of a document; bytes that are no UTF-8 show as `U+FFFD`."""
    return (placed.entry for placed in parse(path, data, style))


def apply(
    path: str,
    data: bytes | None,
    operation: Operation,
    *,
    now: datetime,  # noqa: ARG001 - one signature for all codecs
    style: str = "",
    zone: tzinfo = UTC,  # noqa: ARG001 - see above
) -> Effect | Duplicate:
    """Return the effect of one operation on a document (None as data if there is no file).

    Raises:
        InputError: The operation is none of documents, or its text or target cannot be used.
        RecordNotFoundError: No entry matches the target.
    """
    match operation:
        case AddEntry():
            return add(path, data or b"", operation.text, section=operation.section, style=style)
        case ReplaceEntry():
            return replace(path, data or b"", operation.target, operation.text, style=style)
        case RemoveEntry():
            return remove(path, data or b"", operation.target, style=style)
        case RewriteDocument():
            return rewrites.rewrite(path, data or b"", operation.text, style=style)
        case _:
            raise InputError(f"{type(operation).__name__} cannot be done to the document {path!r}; add an entry")


def find(document: Document, target: str) -> int:
    """Find the one entry a target means: by id, by its whole text, or by words only it holds.

    Raises:
        RecordNotFoundError: No entry has that id or holds those words.
        InputError: Several do; the sentence counts them and shows how each begins.
    """
    for place, one in enumerate(document.ids):
        if one.id == target:
            return place
    if edits.split_id(target)[0] == document.path and target != document.path:
        raise RecordNotFoundError(f"{document.path!r} has no entry {target!r}; read it again for its ids", path=target)
    words = target.replace("\r\n", "\n").strip()
    if not words:
        raise InputError("the target is empty; give an id or some words of the entry")
    exact = [place for place, part in enumerate(document.parts) if part.text == words]
    found = exact or [place for place, part in enumerate(document.parts) if words in part.text]
    if len(found) == 1:
        return found[0]
    preview = repr(truncate(one_line(words), _PREVIEW_CHARS))
    if not found:
        raise RecordNotFoundError(
            f"no entry of {document.path!r} contains {preview}; read it and copy the words of one entry", count=0
        )
    shown = "; ".join(
        f"{document.ids[place].id}: {truncate(one_line(document.parts[place].text), _PREVIEW_CHARS)!r}"
        for place in found[:_PREVIEWS]
    )
    more = f" and {len(found) - _PREVIEWS} more" if len(found) > _PREVIEWS else ""
    raise InputError(
        f"{len(found)} entries of {document.path!r} match {preview}; use a longer text or an id: {shown}{more}",
        count=len(found),
    )


def add(path: str, data: bytes, text: str, *, section: str = "", style: str = "") -> Effect | Duplicate:
    """Add one entry at the end of a section, made when missing, or at the end of the whole.

    Raises:
        InputError: The text is empty or cannot be one entry in this style.
    """
    document = read(path, data, style)
    words = edits.clean(text)
    mark = edits.number(path, [words])[0].fingerprint
    for one in document.ids:
        if one.fingerprint == mark:
            return Duplicate(one.id)
    heading = one_line(section).lstrip("#").strip()
    if style == "separator":
        if heading:
            raise InputError(f"{path!r} has no sections; add without one")
        return _appended(data, document, words)
    return place_entry(data, document, words, _anchor(document, heading), heading)


def replace(path: str, data: bytes, target: str, text: str, *, style: str = "") -> Effect | Duplicate:
    """Replace the text of one entry; its bullet, its place and everything else stay.

    Raises:
        RecordNotFoundError: No entry matches the target.
        InputError: Several entries match, or the text cannot be one entry.
    """
    document = read(path, data, style)
    place = find(document, target)
    words = edits.clean(text)
    old = document.parts[place]
    mark = edits.number(path, [words])[0].fingerprint
    same = [one.id for i, one in enumerate(document.ids) if one.fingerprint == mark and i != place]
    if same or old.text == words:
        return Duplicate(same[0] if same else document.ids[place].id)
    block = old.block
    forms = [Splice(block.body, block.end, _indented(words, block.width, document.newline))]
    if style in {"", "list"}:
        listed = [lead + _indented(words, len(lead), document.newline) for lead in _BULLETS]
        forms += [Splice(block.start, block.end, form) for form in listed]
        forms += [Splice(block.start, block.end, form + document.newline + _APART) for form in listed]
    wanted = [(part.text, part.section) for part in document.parts]
    wanted[place] = (words, old.section)
    return _first_that_reads(data, document, [[form] for form in forms], wanted, [(place, place)])


def remove(path: str, data: bytes, target: str, *, style: str = "") -> Effect:
    """Remove one entry with the blank lines it leaves; the order of the others stays.

    Where its neighbours would then run into one another, an empty comment keeps them apart.

    Raises:
        RecordNotFoundError: No entry matches the target.
        InputError: Several entries match.
    """
    document = read(path, data, style)
    place = find(document, target)
    block = document.parts[place].block
    if style == "separator":
        forms = [[_cut_separated(document, block)]]
    else:
        apart = _APART + document.newline
        start, end = _cut(document, block)
        after = document.text.find("\n", block.end) + 1 or len(document.text)
        forms = [[Splice(start, end, "")], [Splice(block.start, after, apart)]]
        forms.append([Splice(block.start, after, apart + document.newline)])
    wanted = [(part.text, part.section) for i, part in enumerate(document.parts) if i != place]
    return _first_that_reads(data, document, forms, wanted, [])


def replace_index(path: str, data: bytes, lines: Sequence[str]) -> Effect:
    """Replace the lines of the generated index block; without a block, add one at the end.

    No lines leave an empty block; a document without a block and no lines stays as it is.
    """
    document = read(path, data, "")
    newline = document.newline
    block = next((one for one in document.blocks if one.kind == "index"), None)
    body = newline.join([blocks.INDEX_OPEN, *lines, blocks.INDEX_CLOSE])
    if any("\n" in line or line.strip() in {blocks.INDEX_OPEN, blocks.INDEX_CLOSE} for line in lines):
        raise InputError("an index line holds a line break or a marker of the index")
    if block is not None:
        splices = [] if document.text[block.start : block.end] == body else [Splice(block.start, block.end, body)]
    elif not lines:
        splices = []
    else:
        end = len(document.text)
        inside = document.text.removeprefix("\ufeff")
        lead = ("" if not inside or inside.endswith("\n") else newline) + (newline if inside.strip() else "")
        splices = [Splice(end, end, lead + body + newline)]
    parts = edits.pieces(document.text, splices)
    after = Document(path, edits.decode(edits.assemble(data, parts)), "")
    return edits.effect(parts, document.ids, after.ids)


def place_entry(data: bytes, document: Document, words: str, anchor: Block | None, section: str = "") -> Effect:
    """Write a new entry below a block, in the form of its neighbours, if it reads back as one entry.

    Args:
        data: The bytes of the document.
        document: The document as read.
        words: The text, as `edits.clean` gives it.
        anchor: The block above the new entry; None for the top.
        section: A heading to make first when the document has none of that title.

    Raises:
        InputError: No form of it reads back as one entry.
    """
    newline, gap = document.newline, 2 * document.newline
    known = not section or any(block.kind == "heading" and _named(block, section) for block in document.blocks)
    head = "" if known else f"{'#' * _level(document)} {section}{gap}"
    candidates: list[list[Splice]] = []
    spare: list[list[Splice]] = []
    for form, listed in _forms(document, words, None if head else anchor):
        if anchor is None:
            at = _top(document)
            lead = "" if not at or document.text[at - 1] in "\n\ufeff" else newline
            candidates.append([Splice(at, at, lead + head + form + (gap if document.text[at:].strip() else newline))])
            continue
        tight = listed and anchor.kind == "item" and not head and not _loose(document, anchor)
        leads = [newline, gap] if tight else [gap]
        candidates += [[Splice(anchor.end, anchor.end, lead + head + form)] for lead in leads]
        spare.append([Splice(anchor.end, anchor.end, gap + head + form + newline + (_APART if listed else ""))])
    place = sum(part.block.start < candidates[0][0].start for part in document.parts)
    wanted = [(part.text, part.section) for part in document.parts]
    wanted.insert(place, (words, section or _section_at(document, anchor)))
    return _first_that_reads(data, document, candidates + spare, wanted, [], headings=0 if known else 1)


def _forms(document: Document, words: str, anchor: Block | None) -> list[tuple[str, bool]]:
    """Return the ways to write an entry below a block, best first: (text, whether it is a list item)."""
    plain = _indented(words, 0, document.newline)
    if document.style == "paragraph":
        return [(plain, False)]
    sibling = [_next_bullet(document, anchor)] if anchor is not None and anchor.kind == "item" else []
    listed = [(lead + _indented(words, len(lead), document.newline), True) for lead in [*sibling, *_BULLETS]]
    after_text = document.style == "" and anchor is not None and anchor.kind in {"text", "fence"}
    return [(plain, False), *listed] if after_text else listed


def _first_that_reads(
    data: bytes,
    document: Document,
    candidates: Sequence[Sequence[Splice]],
    wanted: Sequence[tuple[str, str]],
    pairs: Sequence[tuple[int, int]],
    *,
    headings: int = 0,
) -> Effect:
    """Return the effect of the first candidate that reads back as the wanted entries and nothing else."""
    structure = [one for one in document.structure() if one != _APART]
    for splices in candidates:
        parts = edits.pieces(document.text, splices)
        after = Document(document.path, edits.decode(edits.assemble(data, parts)), document.style)
        if [_key(part.text, part.section) for part in after.parts] != [_key(*one) for one in wanted]:
            continue
        made = [one for one in after.structure() if one != _APART]
        if len(made) != len(structure) + headings or (not headings and made != structure):
            continue
        return edits.effect(parts, document.ids, after.ids, pairs)
    if len(wanted) < len(document.parts):
        raise InputError(f"without this entry {document.path!r} would read otherwise; mend its comments first")
    raise InputError(
        f"this text would not be one entry of {document.path!r}; "
        + (
            f"leave out lines that are only {SEPARATOR!r}"
            if document.style == "separator"
            else "leave out blank lines, headings and markers, or store it as several entries"
        )
    )


def _key(text: str, section: str) -> tuple[str, str]:
    return text, one_line(section).casefold()


def _indented(words: str, columns: int, newline: str) -> str:
    first, *rest = words.split("\n")
    return newline.join([first, *(" " * columns + line if line else "" for line in rest)])


def _without_index(text: str) -> str:
    if blocks.INDEX_OPEN not in text:
        return text
    index = next((block for block in blocks.scan(text) if block.kind == "index"), None)
    return text if index is None else text[: index.start] + text[index.end :]


def _appended(data: bytes, document: Document, words: str) -> Effect:
    newline = document.newline
    body = _indented(words, 0, newline)
    if document.parts:
        end = document.parts[-1].block.end
        splice = Splice(end, end, newline + SEPARATOR + newline + body)
    else:
        end = len(document.text)
        lead = newline if document.text.strip("\ufeff") and not document.text.endswith("\n") else ""
        splice = Splice(end, end, lead + body)
    wanted = [*((part.text, "") for part in document.parts), (words, "")]
    return _first_that_reads(data, document, [[splice]], wanted, [])


def _cut_separated(document: Document, block: Block) -> Splice:
    """Cut a separated entry and one separator: the one above it, or the one below the first."""
    following = next((part.block for part in document.parts if part.block.start > block.start), None)
    before = [part.block for part in document.parts if part.block.start < block.start]
    if before:
        return Splice(before[-1].end, block.end, "")
    return Splice(block.start, following.start if following else block.end, "")


def _cut(document: Document, block: Block) -> tuple[int, int]:
    """Return the characters that go with an entry: its lines, and the blank lines on one side if it is set apart."""
    text, start = document.text, block.start
    end = text.find("\n", block.end) + 1 or len(text)
    if text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start].strip("\ufeff \t\r\n"):
        return start, end
    while end < len(text):
        line_end = text.find("\n", end) + 1 or len(text)
        if text[end:line_end].strip():
            return start, end
        end = line_end
    above = len(text[:start].rstrip())
    return min(start, text.find("\n", above, start) + 1 or start), end


def _named(block: Block, section: str) -> bool:
    return one_line(block.title).casefold() == one_line(section).casefold()


def _level(document: Document) -> int:
    """Return the level of a new section's heading: that of the last one below the title, else 2."""
    return next((block.level for block in reversed(document.blocks) if block.kind == "heading" and block.level > 1), 2)


def _top(document: Document) -> int:
    """Return where the first entry of a document without one goes: below its front matter."""
    if document.blocks and document.blocks[0].kind == "front":
        return document.text.find("\n", document.blocks[0].end) + 1 or len(document.text)
    return 1 if document.text.startswith("\ufeff") else 0


def _anchor(document: Document, section: str) -> Block | None:
    """Find the block a new entry goes below; None for the top of the document."""
    found = document.blocks
    if section:
        head = next((i for i, block in enumerate(found) if block.kind == "heading" and _named(block, section)), None)
        if head is not None:
            stop = next((i for i in range(head + 1, len(found)) if found[i].kind == "heading"), len(found))
            inside = found[head:stop]
            entries = [block for block in inside if block.kind in ENTRY_KINDS]
            return (entries or [block for block in inside if block.kind != "index"])[-1]
    elif document.parts:
        return document.parts[-1].block
    body = [block for block in found if block.kind != "front"]
    if body and body[-1].kind == "index":
        body = body[:-1]
        # A heading right above the index is the index's own, unless it is the only one: then it is the title.
        if len([block for block in body if block.kind == "heading"]) > 1 and body[-1].kind == "heading":
            body = body[:-1]
    return body[-1] if body else None


def _section_at(document: Document, anchor: Block | None) -> str:
    """Return the section that a new entry below a block is in."""
    if anchor is None:
        return ""
    titles = [block.title for block in document.blocks if block.kind == "heading" and block.start <= anchor.start]
    return edits.visible(titles[-1]) if titles else ""


def _loose(document: Document, anchor: Block) -> bool:
    """True if the list that ends at a block has blank lines between its items."""
    place = document.blocks.index(anchor)
    above = document.blocks[place - 1] if place else None
    return above is not None and above.kind == "item" and document.text.count("\n", above.end, anchor.start) > 1


def _next_bullet(document: Document, anchor: Block) -> str:
    """Return the bullet below an item: the same, or its number plus one."""
    bullet = document.text[anchor.start : anchor.body].replace("\t", " ")
    numbered = re.match(r"( *)(\d+)([.)] +)\Z", bullet)
    return f"{numbered[1]}{int(numbered[2]) + 1}{numbered[3]}" if numbered else bullet
