"""The texts of a proposal: what the guard looks at, what the gate judges, and what they may name. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, assert_never

from commonplace import operations
from commonplace.guard import written
from commonplace.text import content
from commonplace.text.patterns import pattern

_SHORT_LABEL: Final = pattern(r"[\w:.+/#-]{0,60}")
_LABELS: Final = frozenset(
    {"id", "kind", "type", "layer", "source", "session", "scope", "fingerprint"}
    | {"at", "createdAt", "updatedAt", "lastAccessedAt"}
)
LABEL: Final = pattern(r"[^\W\d_]{1,30}(?:[ /-][^\W\d_]{1,30}){0,2}")  # of a section or topic: it states nothing
_LINK: Final = pattern(r"\[\[([^\[\]\n]{1,200})\]\]")
MOST_CHARS: Final = 64_000  # of one operation; more is no statement a person could review
STAMP: Final = pattern(r"\A\s*\[[^\]\n]{4,40}\]\s*")


def texts(proposal: operations.Proposal) -> tuple[str, ...]:
    """List every text of a proposal that the guard must look at, each once: wholes, and their statements."""
    found = [proposal.journal, *statements_of(proposal.journal)] if proposal.journal else []
    for edit in proposal.operations:
        for text in texts_of(edit):
            found += [text, *(line.text for line in written.read(text))]
        if isinstance(edit, operations.AppendJournal):
            found += statements_of(edit.text)
    found += [text for text, _ in proposal.unread if text]
    return tuple(dict.fromkeys(found))


def headings(proposal: operations.Proposal) -> list[str]:
    """Return the headings of the documents that a model rewrote, as they were."""
    bases = [edit.base or "" for edit in proposal.operations if isinstance(edit, operations.RewriteDocument)]
    lines = (line for base in bases for line in written.read(base))
    return [line.raw.strip("# \t") for line in lines if not line.claims and line.key]


def links(proposal: operations.Proposal, view: operations.View) -> set[str]:
    """Return the links of a proposal that lead to a file which is there, or which it makes."""
    made = (edit.path for edit in proposal.operations if isinstance(edit, operations.PutTopic))
    paths = (*(entry.path for entry in view.entries), *view.unseen, *made)
    names = {path.rpartition("/")[2].removesuffix(".md") for path in paths}
    return names.intersection(found[1] for text in texts(proposal) for found in _LINK.finditer(text))


def is_too_long(edit: operations.Edit) -> bool:
    """True if an operation would store more than a person could review."""
    return sum(map(len, texts_of(edit))) > MOST_CHARS


def texts_of(edit: operations.Edit) -> tuple[str, ...]:
    """Return the texts an operation would store."""
    match edit:
        case operations.AddEntry():
            return tuple(part for part in (edit.text, edit.section) if part)
        case operations.ReplaceEntry() | operations.RewriteDocument() | operations.AppendJournal():
            return (edit.text,)
        case operations.PutTopic():
            parts = (
                edit.title,
                edit.description,
                edit.body,
                *edit.links,
                *edit.parents,
                edit.category,
                *edit.front.values(),
            )
            return tuple(part for part in parts if part)
        case operations.PutItem():
            return tuple(_leaves(edit.data))
        case operations.RemoveEntry() | operations.RemoveTopic() | operations.RemoveItem():
            return ()
        case _:
            assert_never(edit)


def claims_of(edit: operations.Edit) -> list[str]:
    """Return those of the texts of an operation that state something: no label of a section."""
    label = edit.section if isinstance(edit, operations.AddEntry) else ""
    return [text for text in texts_of(edit) if not (text == label and LABEL.fullmatch(text))]


def _leaves(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if value and not (key in _LABELS and _SHORT_LABEL.fullmatch(value)):
            yield value
    elif isinstance(value, Mapping):
        for inner, part in value.items():
            if not _SHORT_LABEL.fullmatch(str(inner)):
                yield str(inner)
            yield from _leaves(part, str(inner))
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _leaves(part, key)


def statements_of(text: str) -> list[str]:
    """Return the sentences of a journal entry, without its stamp."""
    return content.sentences(STAMP.sub("", text))


def sentences_of(operation: operations.Operation) -> list[str]:
    """Return the sentences that an operation would write."""
    texts = [str(getattr(operation, name, "")) for name in ("text", "body", "description", "title")]
    texts += [value for value in getattr(operation, "data", {}).values() if isinstance(value, str)]
    return [sentence for text in texts if text.strip() for sentence in content.sentences(text)]
