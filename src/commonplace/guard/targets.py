"""Which records and messages does an operation point at? Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeGuard, assert_never

import msgspec

from commonplace import operations
from commonplace.guard import written
from commonplace.guard.trust import message_trust
from commonplace.records import TRUST_RANK, RecordedMessage, Source, Trust
from commonplace.text import content, denials
from commonplace.text.content import Vocabulary
from commonplace.text.patterns import pattern

_GAP: Final = pattern(r"\.{3,}|…|\[\.+\]")
_QUOTE_EDGES: Final = " '\".,;:!?-"


def entries(edit: operations.Edit, view: operations.View) -> tuple[operations.ViewEntry, ...] | None:
    """Return the entries that an operation would change; None if it names one that is not there, or several."""
    here = tuple(entry for entry in view.entries if entry.path == edit.path)
    match edit:
        case operations.ReplaceEntry() | operations.RemoveEntry():
            return _target(edit.target, here if edit.path else view.entries)
        case operations.AddEntry() | operations.AppendJournal():
            return ()
        case operations.RewriteDocument() | operations.PutTopic():
            return here
        case operations.RemoveTopic():
            return here or None
        case operations.PutItem() | operations.RemoveItem():
            found = tuple(e for e in here if e.id in {edit.id, f"{edit.path}#{edit.id}"})
            return found if found or isinstance(edit, operations.PutItem) else None
        case _:
            assert_never(edit)


def said_since(
    entry: operations.ViewEntry, edit: operations.Edit, messages: Sequence[RecordedMessage]
) -> list[RecordedMessage]:
    """Return the messages of a person after they wrote an entry by hand; of an operation on it only those it cites."""
    wrote, cited = entry.by_hand or entry.said, {(source.session, source.message) for source in edit.sources}
    return [
        each
        for each in messages
        if wrote is not None and each.message.at is not None and each.message.at > wrote
        and message_trust(each) == "user"
        and (is_whole(edit) or (each.session, each.message.id or each.id) in cited)
    ]  # fmt: skip


def base(edit: operations.Edit, touched: Sequence[operations.ViewEntry]) -> str:
    """Return what a rewriting was made from, as the entries say it."""
    bullet = "- " if isinstance(edit, operations.RewriteDocument) else ""
    return "".join(f"{bullet}{entry.text}\n" for entry in touched)


def line_of(edit: operations.Edit, touched: Sequence[operations.ViewEntry], line: str) -> operations.ViewEntry:
    """Return a line of a topic, or of a document, as an entry of its own; in a topic it is as old as that."""
    said = touched[0].said if isinstance(edit, operations.PutTopic) and touched else None
    return operations.ViewEntry(id="", number=0, path=edit.path, text=line, said=said)


def _target(target: str, entries: Sequence[operations.ViewEntry]) -> tuple[operations.ViewEntry, ...] | None:
    exact = [e for e in entries if target in {e.id, str(e.number), e.text}]
    if len(exact) == 1:
        return (exact[0],)
    wanted = content.fold(target)
    near = [e for e in entries if wanted in content.fold(e.text)] if len(wanted) > 3 and not wanted.isdigit() else []
    return (near[0],) if not exact and len(near) == 1 else None


def quotes(
    edit: operations.Edit, messages: Mapping[tuple[str, str], RecordedMessage]
) -> Iterator[tuple[RecordedMessage, str]]:
    """Yield each message that an operation cites with words of it, and the words."""
    given = (*edit.quotes, *("",) * (len(edit.sources) - len(edit.quotes)))
    for source, quote in zip(edit.sources, given, strict=False):
        message = messages.get((source.session, source.message))
        if message is not None and quote.strip():
            yield message, quote


def quoted_sentences(edit: operations.Edit, messages: Mapping[tuple[str, str], RecordedMessage]) -> list[str]:
    """Return the sentences of the messages that hold the words which an operation quotes."""
    return [
        next((each for each in content.sentences(message.text) if is_quoted_in(quote, each)), quote)
        for message, quote in quotes(edit, messages)
    ]


def cited_trust(edit: operations.Edit, messages: Mapping[tuple[str, str], RecordedMessage]) -> Trust:
    """Return the trust of the best message that an operation cites; one that cites none may rest on any."""
    found = (messages.get((source.session, source.message)) for source in edit.sources)
    cited = (message_trust(message) for message in found if message is not None)
    return max(cited, key=TRUST_RANK.__getitem__, default="user")


def turns(edit: operations.Edit, words: frozenset[str], messages: Mapping[tuple[str, str], RecordedMessage]) -> bool:
    """True if a quoted sentence says that something is over or new, with one of some words."""
    sentences = filter(denials.turns, quoted_sentences(edit, messages))
    return any(Vocabulary(words).shared(content.content(each)) for each in sentences)


def cited_right(edit: operations.Edit, messages: Mapping[tuple[str, str], RecordedMessage]) -> operations.Edit:
    """Return an operation with only those cites that are right: a quote is of the message that says it.

    A quote that its message does not have names the message that has it. One that none has is left out with its
    message, and so is a message that is not in the range.
    """
    quoted = (*edit.quotes, *("",) * (len(edit.sources) - len(edit.quotes)))
    sources: list[Source] = []
    quotes: list[str] = []
    for source, quote in zip(edit.sources, quoted, strict=False):
        message = messages.get((source.session, source.message))
        if quote.strip() and not (message is not None and is_quoted_in(quote, message.text)):
            message = next((each for each in messages.values() if is_quoted_in(quote, each.text)), None)
        if message is not None:
            sources.append(Source(message.session, message.message.id or message.id))
            quotes.append(quote)
    return msgspec.structs.replace(edit, sources=tuple(sources), quotes=tuple(quotes))


def is_whole(edit: operations.Edit) -> TypeGuard[operations.RewriteDocument | operations.PutTopic]:
    """True if an operation writes a whole document or topic, which is judged line by line."""
    return isinstance(edit, operations.RewriteDocument) or (isinstance(edit, operations.PutTopic) and edit.line is None)


def as_replacement(edit: operations.Edit, touched: Sequence[operations.ViewEntry]) -> operations.Edit:
    """Return a topic's only line put in place of another only line as what it is: the replacement of that line."""
    if not isinstance(edit, operations.PutTopic) or not edit.sources or edit.title or edit.description or edit.kind:
        return edit
    old = [line for entry in touched for line in entry.text.splitlines() if line.strip()]
    new = [line for line in edit.body.splitlines() if line.strip()]
    if len(old) != 1 or len(new) != 1 or not all(entry.whole for entry in touched):
        return edit
    return msgspec.structs.replace(edit, body=written.read(new[0])[0].text, line=written.read(old[0])[0].text)


def halves(
    edit: operations.ReplaceEntry, old: operations.ViewEntry
) -> tuple[operations.RemoveEntry, operations.AddEntry]:
    """Return a replacement as the removal of the old entry and the addition of the new one to its section."""
    sources, quotes = edit.sources, edit.quotes
    new = operations.AddEntry(path=old.path, text=edit.text, section=old.section, sources=sources, quotes=quotes)
    return operations.RemoveEntry(path=old.path, target=old.id, sources=sources, quotes=quotes), new


def alone(
    edit: operations.RewriteDocument | operations.PutTopic,
    line: str,
    before: str,
    entry: operations.ViewEntry | None,
    *,
    is_new: bool,
) -> operations.Edit:
    """Return one line of a rewriting as an operation of its own, in the place of an old line or entry if it has one."""
    if isinstance(edit, operations.PutTopic):
        return operations.PutTopic(
            path=edit.path, body=line, title=edit.title if is_new else "", line=before,
            sources=edit.sources, quotes=edit.quotes, trust=edit.trust,
        )  # fmt: skip
    if entry is None:
        return operations.AddEntry(path=edit.path, text=line)
    return operations.ReplaceEntry(path=edit.path, target=entry.id, text=line)


def is_quoted_in(quote: str, text: str) -> bool:
    """True if a message holds the words of a quote, parts around `...` in this order."""
    folded, at, some = content.fold(text), 0, False
    for part in _GAP.split(quote):
        words = content.fold(part).strip(_QUOTE_EDGES)
        found = folded.find(words, at)
        if found < 0:
            return False
        at, some = found + len(words), some or bool(words)
    return some
