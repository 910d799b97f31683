"""Read and search for a consolidator: what it names is put into its view, under the next free number.

Nothing that was forgotten is found. A job whose result is always shown is given nothing that ranks below the agent;
transcripts are searched, never read whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Final

import msgspec

from commonplace.changes.parts import Parts
from commonplace.errors import CommonplaceError
from commonplace.guard.trust import message_trust
from commonplace.jobs import showing
from commonplace.jobs.consolidators.work import Answer
from commonplace.jobs.views import Views
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.schema import FIELDS, Job
from commonplace.operations import View, ViewEntry
from commonplace.records import JournalEntry, Query, Record, RecordedMessage, Topic, is_below_agent
from commonplace.text.pieces import estimate_tokens, one_line, truncate

_HITS: Final = 8
_LEAST: Final = 20  # tokens; with less left nothing more is given
_MESSAGE_TOKENS: Final = 300  # of one message that was searched for
_NAME_CHARS: Final = 200
NOT_FOUND: Final = "(nothing is called so)"
NOTHING: Final = "(nothing was found)"
CUT: Final = "(no room for more in this round)"


class Finding:
    """What a consolidator of one job may read and find."""

    def __init__(self, job: Job, parts: Parts, views: Views) -> None:
        layout = self._layout = parts.layout
        self._reader = parts.reader
        self._sessions = parts.sessions
        self._views = views
        writes = [layout.layer(name) for name in dict.fromkeys(job.writes or layout.targets.values())]
        indexed = {name for row in layout.generated for name in row.of}
        indexed |= {name for row in layout.prompt if row.renderer == "tree" for name in row.of}
        self._most = parts.config.consolidation.entries
        self._tidies = job.range == "none"
        self._trusted = any(layout.part(layer) or layer.name in indexed for layer in writes)

    def listed(self, view: View) -> View:
        """Return what of a view is shown from the beginning: of each file the last records."""
        left = Counter(dict.fromkeys((each.path for each in view.entries), self._most))
        entries: list[ViewEntry] = []
        for each in reversed(view.entries):
            left[each.path] -= 1
            if left[each.path] >= 0 and not (self._trusted and is_below_agent(each.trust)):
                entries.append(each)
        return msgspec.structs.replace(view, entries=tuple(reversed(entries)))

    def read(self, view: View, name: str, tokens: int) -> tuple[View, Answer, int]:
        """Find a record by its number, its id, its path or the name of its topic."""
        asked = f'read "{_plain(name)}"'
        found = self._named(view, name.strip())
        if not found:
            return view, Answer(asked, (NOT_FOUND,)), tokens
        return self._given(view, asked, found, tokens)

    def search(self, view: View, words: str, tokens: int) -> tuple[View, Answer, int]:
        """Find records and messages by words."""
        asked = f'search "{_plain(words)}"'
        found: list[Record] = []
        for hit in self._views.search(Query(text=words, k=_HITS)):
            found += self._record(hit.record)
        if not found:
            return view, Answer(asked, (NOTHING,)), tokens
        return self._given(view, asked, found, tokens)

    def seen(self, view: View, path: str) -> View:
        """Return a view with the records of a file that exists, not shown to a model."""
        for record in self._records(path):
            view, _ = self._with(view, record, whole=False)
        return view

    def _records(self, path: str) -> list[Record]:
        return list(self._reader.to_write(path))

    def _record(self, record_id: str) -> list[Record]:
        """Return the record of an id; none if it is gone or forgotten."""
        try:
            path, key = split_id(record_id)
            session = self._sessions.id_of(path) if path.startswith(f"{self._sessions.folder}/") else None
            if session:
                found = (m for m in self._sessions.read(session) if str(m.message.id) == key)
                return list(islice(found, 1))
            return list(self._reader.visible([self._reader.find(record_id)]))
        except CommonplaceError:
            return []

    def _named(self, view: View, name: str) -> Sequence[Record]:
        number = name.lstrip("#")
        if number.isascii() and number.isdigit():
            entry = view.entry(int(number[:9]))
            return self._record(entry.id) if entry is not None else []
        if "#" in name:
            return self._record(name)
        memory = f"{self._layout.memory}/" if self._layout.memory else ""
        stem = name.removesuffix(".md")
        for path in (name, f"{memory}{name}", *self._files(stem)):
            if self._layout.layer_of(path) is not None and (found := self._records(path)):
                return found
        hits = self._views.search(Query(text=name, k=_HITS, layers=("topics",))) if name else ()
        near = [each for hit in hits for each in self._record(hit.record)]
        return [each for each in near if isinstance(each, Topic) and each.title.casefold() == name.casefold()][:1]

    def _files(self, stem: str) -> list[str]:
        """Return the files that a topic of this name would have."""
        layers = [layer for layer in self._layout.layers if layer.kind == "topics"]
        return [self._layout.path_of(layer, **dict.fromkeys(FIELDS, stem)) for layer in layers]

    def _given(self, view: View, asked: str, found: Sequence[Record], tokens: int) -> tuple[View, Answer, int]:
        """Add records to the view, as many as there is room for, and list them with their numbers."""
        lines: list[str] = []
        allowed = [each for each in found if not self._trusted or self._is_trusted(each)]
        for record in allowed:
            text = showing.indented(record.text)
            whole = estimate_tokens(text) <= tokens
            if not whole:
                text = showing.shortened(text, tokens)
            if tokens < _LEAST or not text:
                lines.append(CUT)
                break
            view, line = self._with(view, record, whole=whole, text=text)
            if self._tidies and isinstance(record, JournalEntry) and self._is_trusted(record):
                view = msgspec.structs.replace(view, logs=(*view.logs, record.text))
            tokens -= estimate_tokens(line)
            lines.append(line)
        return view, Answer(asked, tuple(lines) or (NOTHING,)), max(0, tokens)

    def _is_trusted(self, record: Record) -> bool:
        trust = message_trust(record) if isinstance(record, RecordedMessage) else self._reader.trust(record)
        return not is_below_agent(trust)

    def _with(self, view: View, record: Record, *, whole: bool, text: str = "") -> tuple[View, str]:
        """Return the view with a record, and the line that shows it."""
        if isinstance(record, RecordedMessage):
            return _with_message(view, record, exposed=not self._trusted)
        known = next((entry for entry in view.entries if entry.id == record.id), None)
        number = known.number if known is not None else len(view.entries) + 1
        entry = self._views.entry(record, record.path, number, shown=record.path in view.shown)
        entry = msgspec.structs.replace(entry, whole=whole or (known is not None and known.whole))
        entries = tuple(entry if each.id == record.id else each for each in view.entries)
        entries = entries if known is not None else (*entries, entry)
        unseen = tuple(path for path in view.unseen if path != record.path)
        line = f"{number}. {_head(entry)}{text}"
        return msgspec.structs.replace(view, entries=entries, unseen=unseen), line


def _with_message(view: View, message: RecordedMessage, *, exposed: bool) -> tuple[View, str]:
    place = next((n for n, each in enumerate(view.messages, 1) if each.id == message.id), 0)
    if not place:
        view = msgspec.structs.replace(view, messages=(*view.messages, message))
        place = len(view.messages)
    line = showing.messages([message], message_tokens=_MESSAGE_TOKENS, exposed=exposed).removeprefix("1. ")
    return view, f"message {place}. {line}"


def _head(entry: ViewEntry) -> str:
    below = f" ({entry.trust})" if is_below_agent(entry.trust) else ""
    return f"[{entry.path}]{below} "


def _plain(name: str) -> str:
    return truncate(one_line(name), _NAME_CHARS, "…").replace('"', "'")
