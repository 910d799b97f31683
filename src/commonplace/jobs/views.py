"""Gather what a consolidator sees and what the gate judges by: the range, the records, the limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from itertools import zip_longest

import msgspec

from commonplace import guard
from commonplace.changes.log import resting_on
from commonplace.changes.marks import mark_of
from commonplace.changes.parts import Parts
from commonplace.changes.payload import Added
from commonplace.changes.plan import files_of
from commonplace.changes.reader import Reader
from commonplace.jobs.rules.memos import Known, Place
from commonplace.layouts.codecs import documents
from commonplace.layouts.codecs.documents import cap_of
from commonplace.layouts.item_model import TURN
from commonplace.layouts.schema import FIELDS, Layer
from commonplace.layouts.tree import under
from commonplace.operations import NOTED, View, ViewEntry
from commonplace.records import Entry, Hit, Query, Record, RecordedMessage, Source, Topic, Trust
from commonplace.text import content
from commonplace.text.pieces import estimate_tokens

_NO_ENTRY_KINDS = frozenset({"journal", "topic"})


_UNITS = {"chars": "characters"}
_SPOKEN_CHARS = 1000  # of a message that may correct an entry; a longer one is a report or a paste
_TOPIC_TOKENS = 1500  # of the bodies of topics in a prompt, the nearest first
_FIELD = re.compile(r"\{\w+\}")
_SEARCHES = 24  # for the topics that a range may be about, at most
_GROUPS = 8  # searches for what is said of some statements elsewhere, at most
_NEAR = 12  # results of one of them
_NEWEST = 14  # logs that a job is shown
_SEPARATOR = 3  # between two entries: a bullet and a line break, or a separator line
_TALK = timedelta(days=1)  # in which what is remembered by hand may come from messages that are read later


Related = Callable[[str, Collection[str]], Sequence[Record]]
"""Finds what speaks of the same as a text: in some files, and among the entries that moved out of a full document."""


class Views:
    """Makes views of one scope's memory.

    Args:
        parts: The scope.
        related: Finds records that are in no view otherwise, so that what is said of them now is held against them.
        search: Finds records and messages, for a consolidator that asks.
    """

    def __init__(self, parts: Parts, related: Related, search: Callable[[Query], Sequence[Hit]]) -> None:
        self._related = related
        self.search = search
        self._layout = parts.layout
        self._reader = parts.reader
        self._sessions = parts.sessions
        self._ledger = parts.ledger
        self._config = parts.config
        self._items = parts.items
        self._now = parts.now

    @property
    def reader(self) -> Reader:
        """What the records are read by."""
        return self._reader

    def entries(self, path: str) -> list[ViewEntry]:
        """Return the entries of one document, by number, with who wrote them last."""
        self._ledger.catch_up()
        visible = self._reader.visible(self._reader.records(path))
        return [self.entry(record, path, number) for number, record in enumerate(visible, 1)]

    def records(self, path: str) -> Sequence[Record]:
        """Return the records of a file that may enter a prompt; of many items the newest, without those of turns."""
        if not path.endswith(".jsonl"):
            return tuple(self._reader.to_write(path))
        held = self._items.newest(path, self._config.consolidation.entries)
        return tuple(self._reader.visible(each for each in held if each.data.get("source") != TURN))

    def entry(self, record: Record, path: str, number: int, *, shown: bool = True) -> ViewEntry:
        """Return a record as an entry of a view; of a topic its body."""
        made = self._ledger.made(record.id)
        text = record.body if isinstance(record, Topic) else record.text
        trust = self._reader.ranked(record.id, mark_of(record))
        change = self._ledger.change(made[0]) if made and not made[1].sources else None
        return ViewEntry(
            said=self._said(made),
            by_hand=change.at if change else None,
            sources=made[1].sources if made else (),
            quotes=made[1].quotes if made else (),
            id=record.id,
            number=number,
            path=path,
            text=guard.shown(text),  # a prompt is made of it
            section=guard.shown(_label(record)),
            trust=trust,
            user_authored=self._reader.is_persons_own(record.id),
            shown=shown,
        )

    def _said(self, made: tuple[int, Added] | None) -> datetime | None:
        """Return when what a change made was said; None if the clock went back since.

        Of what was written here by hand, the start of the talk that it may come from.
        """
        change = self._ledger.change(made[0]) if made else None
        if made is None or change is None or change.at > self._now():
            return None
        return made[1].said if made[1].sources or "outside" in change.kinds else change.at - _TALK

    def elsewhere(
        self, statements: Iterable[str], session: str, *, before_reset: bool = False
    ) -> tuple[tuple[str, Trust], ...]:
        """Return what other sessions and memory say of some statements, each with its trust.

        With `before_reset`, what a session said before its last reset counts as said in another one.
        """

        def is_other(source: Source) -> bool:
            return source.session != session or (before_reset and not self._sessions.since_reset(source))

        size, asked = _joined(list(dict.fromkeys(text[:_SPOKEN_CHARS] for text in statements)), _GROUPS)
        hits = (hit for text in asked for hit in self.search(Query(text=text, k=_NEAR * size)))
        others = (hit for hit in hits if all(is_other(source) for source in hit.sources))
        return tuple(dict.fromkeys((hit.text, hit.trust) for hit in others))

    def places(self, at: datetime, writes: Sequence[str] = ()) -> dict[str, Place]:
        """Return the place of each kind of memory at an instant.

        Args:
            at: The instant.
            writes: The only layers that may be written; those that take no kind are there under their own name.
        """
        names = {
            kind: name
            for kind, name in self._layout.targets.items()
            if (name in writes if writes else kind not in _NO_ENTRY_KINDS)
            and self._layout.layer(name).kind != "journals"
        }
        names |= {name: name for name in writes if name not in names.values()}
        return {kind: self._place(self._layout.layer(name), kind, at) for kind, name in names.items()}

    def _place(self, layer: Layer, kind: str, at: datetime) -> Place:
        if layer.kind == "topics":
            path = self._layout.path_of(layer, **{name: f"{{{name}}}" for name in FIELDS})
            return Place(
                path=path, form="topic", layer=layer.name, topic_kind=layer.type_of(kind) if layer.types else ""
            )
        path = files_of(self._layout, layer, at)
        return Place(path=path, form="item" if layer.kind == "items" else "entry", layer=layer.name)

    def documents(self, places: Mapping[str, Place]) -> dict[str, str]:
        """Return the texts of the documents among some places; of a long one its end, from an entry on."""
        found: dict[str, str] = {}
        for path in dict.fromkeys(place.path for place in places.values()):
            layer = self._layout.layer_of(path)
            if layer is not None and layer.kind == "documents":
                data = self._reader.data(path) or b""
                data = self._visible_part(path, data, layer.style)
                found[path] = data[self._end(path, data, layer.style) :].decode("utf-8", "surrogateescape")
        return found

    def _visible_part(self, path: str, data: bytes, style: str) -> bytes:
        """Return a document without the entries that may not enter a prompt; its other bytes are as they were."""
        parsed = documents.parse(path, data, style)
        visible = {record.id: record.text for record in self._reader.visible(placed.entry for placed in parsed)}
        for placed in reversed(parsed):
            if visible.get(placed.entry.id) != placed.entry.text:
                data = data[: placed.start] + data[placed.end :].removeprefix(b"\n")
        return data

    def _end(self, path: str, data: bytes, style: str) -> int:
        """Return where the end of a document begins that is short enough to be rewritten."""
        left = self._config.consolidation.rewrite_tokens
        if len(data) <= left:  # a token is at least one byte
            return 0
        placed = documents.parse(path, data, style)
        for place in reversed(placed):
            left -= estimate_tokens(place.entry.text) + _SEPARATOR
            if left < 0:
                return place.end + (data[place.end : place.end + 1] == b"\n")
        return 0

    def newest_logs(self) -> tuple[str, ...]:
        """Return the newest files of the journals, the newest first by name."""
        files = (path for _, path in self._reader.files(lambda each: each.kind == "journals"))
        return tuple(sorted(files, reverse=True)[:_NEWEST])

    def only_noted(self) -> list[Known]:
        """Return the newest statements that the rules noted in journals, oldest first, each with its message.

        Those are left out of which no message is known: they are in another place too.
        """
        found: list[Known] = []
        for path in self.newest_logs():
            for entry in reversed(self.records(path)):
                made = self._ledger.made(entry.id)
                if made is None or not made[1].quotes or not entry.text.startswith(NOTED):
                    continue
                for text in reversed(content.sentences(entry.text.removeprefix(NOTED))):
                    rests = resting_on(made[1], text)
                    found += (
                        [Known(entry.id, path, text, at=self._said(made), sources=rests.sources, quotes=rests.quotes)]
                        if rests
                        else []
                    )
            if len(found) >= self._config.consolidation.entries:
                break
        return found[::-1]

    def journal_path(self, at: datetime) -> str:
        """Return the journal that takes what happened at an instant; empty if the layout has none."""
        if "journal" not in self._layout.targets:
            return ""
        return files_of(self._layout, self._layout.layer(self._layout.targets["journal"]), at)

    def _spoken_of(self, messages: Sequence[RecordedMessage], paths: Collection[str]) -> list[Record]:
        """Find what a person's words in a range may speak of, in some files and where full documents moved it to."""
        said = [
            each.text
            for each in messages
            if each.message.role == "user" and len(each.text) <= _SPOKEN_CHARS and not each.text.endswith(("?", "？"))
        ]
        return list(self._reader.visible(self._related("\n".join(said), paths))) if said else []

    def _of_days(self, messages: Sequence[RecordedMessage]) -> Iterator[str]:
        """Yield the dated files of the days on which some messages were said."""
        layers = [self._layout.layer(name) for name in dict.fromkeys(self._layout.targets.values())]
        dated = [layer for layer in layers if layer.kind in {"journals", "items"} and "{" in layer.path]
        for day in dict.fromkeys(m.message.at.astimezone(self._config.zone).date() for m in messages if m.message.at):
            at = datetime.combine(day, time(12), tzinfo=self._config.zone)
            yield from (files_of(self._layout, layer, at) for layer in dated)

    def view(
        self,
        messages: Sequence[RecordedMessage],
        places: Mapping[str, Place],
        texts: Mapping[str, str] | None = None,
    ) -> View:
        """Return the view of a range: what is known in every place it may write.

        Of a document that is all, or the entries of its text in `texts` if it is rewritten from that; of many items
        the newest, and those that the messages may speak of. Of many topics those that share the most words with the
        messages are in it; the first of them whole.
        """
        self._ledger.catch_up()
        shown = tuple(
            self._layout.path_of(layer) for layer in self._layout.layers if self._layout.part(layer) == "stable"
        )
        entries: list[ViewEntry] = []
        limit = ""
        files = [place for place in places.values() if place.form != "topic"]
        noted = [
            path for path in self._of_days(messages) if path.endswith(".jsonl")
        ]  # of what was said, as it was said
        for path in dict.fromkeys((*(place.path for place in files), *noted)):
            layer = self._layout.layer_of(path)
            records = self.records(path)
            if layer is not None and layer.compress:
                cap = cap_of(layer, self._config.limits)
                if cap is not None and cap.over(self._reader.text(path)) > 0:
                    limit = limit or f"{cap.limit} {_UNITS.get(cap.unit, cap.unit)}"
            if texts and path in texts and layer is not None:
                count = len(list(documents.records(path, texts[path].encode("utf-8", "surrogateescape"), layer.style)))
                records = records[max(0, len(records) - count) :]
            for record in records:
                entries.append(self.entry(record, path, len(entries) + 1, shown=path in shown))
        items = {place.path for place in files if place.form == "item"}
        found = self._spoken_of(messages, items) if files and not texts else []
        there = {entry.id for entry in entries}
        moved = [each for each in found if each.id not in there]
        entries += [self.entry(each, each.path, len(entries) + n, shown=False) for n, each in enumerate(moved, 1)]
        unseen: list[str] = []
        subjects = [place.layer for place in places.values() if "{topic}" in place.path]
        for name in dict.fromkeys(subjects):
            listed, left = self._topics(name, messages)
            for topic, whole in listed:
                entry = self.entry(topic, topic.path, len(entries) + 1, shown=False)
                entries.append(msgspec.structs.replace(entry, whole=whole))
            unseen += left
        return View(
            messages=tuple(messages),
            entries=tuple(entries),
            shown=shown,
            writable=(
                *(_FIELD.sub("*", place.path) for place in places.values()),
                *(each.path for each in moved),
                *self._of_days(messages),
            ),
            unseen=tuple(unseen),
            compress=bool(limit),
            limit=limit,
        )

    def topics(self, layer: str) -> list[ViewEntry]:
        """Return the topics of a layer that may enter a prompt."""
        paths = (path for _, path in self._reader.files(lambda each: each.name == layer))
        return [self.entry(each, path, 0, shown=False) for path in paths for each in self.records(path)]

    def _topics(self, layer: str, messages: Sequence[RecordedMessage]) -> tuple[list[tuple[Topic, bool]], list[str]]:
        """Return the topics of a layer for a view, each with whether it is shown whole, and the paths of the others.

        Of more than a view has room for only those are read that a search finds for what was said, the best first.
        """
        paths = [path for _, path in self._reader.files(lambda each: each.name == layer)]
        most = self._config.consolidation.entries
        many = len(paths) > most
        read = list(dict.fromkeys((*self._found(messages, frozenset(paths)), *paths)))[:most] if many else paths
        near = [topic for path in read for topic in self.records(path) if isinstance(topic, Topic)]
        if not many:
            said = frozenset[str]().union(*(content.content(message.text) for message in messages))
            near.sort(key=lambda topic: -len(said & content.content(topic.text)))
        left = _TOPIC_TOKENS
        listed: list[tuple[Topic, bool]] = []
        for topic in near:
            left -= estimate_tokens(topic.body)
            listed.append((topic, left >= 0))
        shown = {topic.path for topic in near}
        return listed, [path for path in paths if path not in shown]

    def _found(self, messages: Sequence[RecordedMessage], paths: Collection[str]) -> Iterator[str]:
        """Yield those of some topics that a search finds for the words of people, the best of each search first."""
        said = [each.text[:_SPOKEN_CHARS] for each in messages if each.message.role == "user" and each.text.strip()]
        hits = [self.search(Query(text=text, k=_NEAR, layers=("topics",))) for text in _joined(said, _SEARCHES)[1]]
        yield from (hit.record for row in zip_longest(*hits) for hit in row if hit is not None and hit.record in paths)


def _joined(texts: Sequence[str], most: int) -> tuple[int, list[str]]:
    """Return texts joined to so many at most, and how many make one of them."""
    size = -(-len(texts) // most) or 1
    return size, ["\n".join(texts[start : start + size]) for start in range(0, len(texts), size)]


def _label(record: Record) -> str:
    if isinstance(record, Topic):
        above = f"(under {', '.join(found)})" if (found := under(record)) else ""
        return ": ".join(part for part in (record.title, f"{record.description} {above}".strip()) if part)
    return record.section if isinstance(record, Entry) else ""
