"""Find words in what is no record any more: in what was changed, forgotten or rejected, and in what waits for review.

Only files of our own are searched. Decides nothing and writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from commonplace.changes import transcripts
from commonplace.changes.log import read
from commonplace.changes.parts import Parts
from commonplace.changes.plan import REVIEW
from commonplace.errors import DamagedError
from commonplace.guard import fold, has_words
from commonplace.store.protocol import Logged
from commonplace.text.wordings import Wordings


def texts(parts: Parts, words: str, known: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield where folded words are besides some known texts, each with the line that holds them, once.

    A place is the id of a message, "change" with its number, or the file of what waits for review.
    """
    told, alone = Wordings(known), {fold(text) for text in known}  # a text of one word is none for `Wordings`
    for place, text in _everything(parts):
        for line in _holding(text, words):
            if fold(line) not in alone and has_words(told.without(line, " "), words):
                told.add(line)
                alone.add(fold(line))
                yield place, line


def strings(value: Any) -> Iterator[str]:
    """Yield the texts of a value read from JSON, names of fields too, and those of a text that is JSON itself."""
    if isinstance(value, str):
        inner = _read(value) if value[:1] in {"{", "["} else None
        if isinstance(inner, (dict, list)):
            yield from strings(inner)
        else:
            yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from strings(item)
    elif isinstance(value, Iterable):
        for item in value:
            yield from strings(item)


def _everything(parts: Parts) -> Iterator[tuple[str, str]]:
    for stat in parts.store.list(parts.sessions.folder):
        if stat.path.endswith(".jsonl"):
            session = transcripts.session_of(stat.path)
            for data in transcripts.whole_lines(parts.store, stat.path):
                for each in transcripts.messages_of(stat.path, session, data):
                    yield each.id, each.text
    for logged in parts.store.since(0):  # what a record said, before lines of a file that held it
        for text in _added(logged):
            yield f"change {logged.number}", text
    for logged in parts.store.since(0):
        for text in () if logged.erased else strings(logged.payload):
            yield f"change {logged.number}", text
    blob = parts.store.read(REVIEW)
    for line in blob.data.splitlines() if blob else ():
        for text in strings(_read(line)):
            yield REVIEW, text


def _added(logged: Logged) -> Iterator[str]:
    try:
        yield from (added.text for added in read(logged).payload.added)
    except DamagedError:
        return  # its texts are among all that its line holds


def _holding(text: str, words: str) -> Iterator[str]:
    """Yield the lines of a text that hold words; all of it if they are on two lines."""
    if has_words(text, words):
        lines = [line.strip() for line in text.splitlines() if has_words(line, words)]
        yield from lines or [text.strip()]


def _read(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
