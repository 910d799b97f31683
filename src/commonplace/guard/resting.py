"""Find the messages that a statement without a cite rests on: those that say most of its words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from commonplace.operations import RewriteDocument
from commonplace.records import RecordedMessage, Source
from commonplace.text import content

_MOST: Final = 8  # messages of one statement
_QUOTE_CHARS: Final = 300


def cited(edit: RewriteDocument, messages: Sequence[RecordedMessage]) -> RewriteDocument:
    """Return a rewriting that says of each new line which messages it rests on, each with its sentence."""
    said = _said(messages)
    known = {_plain(line) for line in (edit.base or "").splitlines()}
    new = [line for line in map(_plain, edit.text.splitlines()) if line and line not in known]
    rests = {line: found for line in new if (found := _found(line, said))}
    return msgspec.structs.replace(edit, rests=rests)


def rests(text: str, messages: Sequence[RecordedMessage]) -> tuple[Source, ...]:
    """Return the messages that a text without a cite rests on."""
    return tuple(source for source, _ in _found(text, _said(messages)))


def _said(messages: Sequence[RecordedMessage]) -> list[tuple[frozenset[str], RecordedMessage, str]]:
    return [
        (content.keywords(sentence), each, sentence)
        for each in messages
        if each.message.role != "tool"
        for sentence in content.sentences(each.text)
    ]


def _plain(line: str) -> str:
    return line.strip().lstrip("-*• ").strip()


def _found(line: str, said: Sequence[tuple[frozenset[str], RecordedMessage, str]]) -> tuple[tuple[Source, str], ...]:
    left, found = content.keywords(line), dict[Source, str]()
    while said and len(found) < _MOST:
        words, each, sentence = max(said, key=lambda part: (len(left & part[0]), part[1].message.role == "user"))
        if not left & words:
            break
        found.setdefault(Source(each.session, each.message.id or each.id), sentence[:_QUOTE_CHARS])
        left -= words
    return tuple(found.items())
