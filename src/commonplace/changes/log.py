"""The change log as values: what each committed change says, and what all of them together tell.

Reads headers and payloads that a store logged and folds them: which record came from which change,
what replaced it, who vouched for it. Decides nothing and writes nothing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import chain, repeat
from typing import Any, Final

import msgspec

from commonplace.changes import statements
from commonplace.changes.payload import Added, Payload
from commonplace.errors import DamagedError
from commonplace.layouts.codecs.edits import split_id
from commonplace.operations import SayAgain, TakeBack, denied
from commonplace.records import Change, Source, Superseded, Trust
from commonplace.store.files.changelog import plain_path
from commonplace.store.protocol import Logged
from commonplace.text import content

logger = logging.getLogger(__name__)

_NO_MESSAGE: Final = Source("", "")  # of what cites none: it is never forgotten
_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class Entered(msgspec.Struct, frozen=True):
    """One change with its payload read; of an erased one there is only what was kept."""

    change: Change
    payload: Payload
    files: tuple[dict[str, Any], ...]


def read(logged: Logged) -> Entered:
    """Read one logged change; unknown keys are passed over, an erased payload reads as what was kept of it.

    Raises:
        DamagedError: The line is as it was written, and yet it says what no change says.
    """
    try:
        return _read(logged)
    except (ValueError, TypeError, LookupError, msgspec.ValidationError) as error:
        sentence = f"change {logged.number} says in the log what cannot be read: {error}"
        raise DamagedError(sentence, change=logged.number) from error


def _read(logged: Logged) -> Entered:
    header = logged.header
    raw = logged.payload.get("kept", {}) if logged.erased else logged.payload
    payload = msgspec.convert(raw.get("change", {}), Payload)
    files = tuple(f for f in listed(header.get("files")) if isinstance(f, dict))
    paths = dict.fromkeys(str(f["path"]) for f in files if not str(f["path"]).startswith("."))
    outside = [plain_path(str(path)) for path in listed(header.get("outside"))]
    change = Change(
        number=logged.number,
        at=datetime.fromisoformat(str(header["at"])) if header.get("at") else _EPOCH,
        actor=str(header.get("actor", "")),
        kinds=tuple(str(kind) for kind in listed(header.get("kinds"))),
        paths=tuple(dict.fromkeys([*paths, *outside])),
        reason=payload.reason,
        diff=payload.diff,
        sources=tuple(dict.fromkeys(source for added in payload.added for source in added.sources)),
        added=tuple(added.id for added in payload.added),
        removed=(*payload.removed_ids, *payload.successors),
        undoes=_number(header.get("undoes")),
        erased=logged.erased,
    )
    return Entered(change, payload, files)


def listed(value: object) -> list[Any]:
    """Return what a line of the log has as a list; empty if it has none."""
    return list(value) if isinstance(value, (list, tuple)) else []


def _number(value: object) -> int | None:
    if value is None or type(value) is int:
        return value
    raise ValueError(f"{value!r} is no number of a change")


class Ledger:
    """All changes of a scope, folded as far as they were read.

    Args:
        since: Yields the committed changes after a number, oldest first (a store's `since`).
    """

    def __init__(self, since: Callable[[int], Iterable[Logged]]) -> None:
        self._since = since
        self._lock = threading.RLock()
        self.newest = 0  # the number of the newest change that was folded
        self._changes: dict[int, Change] = {}
        self._made: dict[str, list[tuple[int, Added]]] = {}
        self._by_path: dict[str, dict[str, None]] = {}
        self._successors: dict[str, tuple[int, str]] = {}
        self._merged: dict[str, dict[str, None]] = {}  # topic to those that it took in
        self._brought: dict[str, statements.Brought] = {}
        self._gone: dict[str, int] = {}
        self._denied: dict[str, datetime] = {}  # records that were forgotten or that a person's message took back
        self._undone: dict[int, int] = {}
        self._trust: dict[str, Trust] = {}
        self._promotions: dict[str, list[int]] = {}
        self._unlisted: dict[str, Trust] = {}
        self.has_gap = False  # a change is missing or cannot be read
        self._resting: dict[str, dict[str, None]] = {}  # session to the records that rest on its messages
        self._overruled: dict[str, dict[tuple[str, Source], datetime]] = {}  # session to records that say otherwise
        self._asked: dict[str, list[tuple[int, TakeBack]]] = {}  # session to what messages asked to forget
        self._again: dict[str, list[tuple[int, SayAgain]]] = {}  # record to the messages that said it again
        self._requests: dict[str, int] = {}  # the last such message of a change
        self._topics: dict[str, _Lines] = {}
        self._read: dict[int, tuple[str, ...]] = {}  # change to the sessions of which it moved the cursor of a job

    def begin_anew(self) -> None:
        """Forget what was read: texts of it were erased."""
        with self._lock:
            self.__init__(self._since)  # type: ignore[misc]  # nobody inherits from it

    def catch_up(self) -> None:
        """Fold what was committed since the last time."""
        with self._lock:
            for logged in self._since(self.newest):
                if logged.number > self.newest:
                    self.has_gap = self.has_gap or logged.number > self.newest + 1
                    try:
                        self._fold(read(logged))
                    except DamagedError as error:  # costs itself only; doctor names it
                        self.has_gap = True
                        logger.warning("%s; run `doctor`", error)
                    self.newest = logged.number

    def _fold(self, entered: Entered) -> None:
        change, payload = entered.change, entered.payload
        self._changes[change.number] = change
        if sessions := tuple(dict.fromkeys(move.session for move in payload.cursors if move.name)):
            self._read[change.number] = sessions
        if change.undoes is not None:
            self._undone[change.undoes] = change.number
            undone = self._changes.get(change.undoes)
            if undone is not None and undone.undoes is not None:  # an undo was undone: its change holds again
                self._undone.pop(undone.undoes, None)
        for old, new in payload.successors.items():
            self._successors[old] = (change.number, new)
            if not split_id(old)[1]:
                self._merged.setdefault(new, {})[old] = None
            self._successors.pop(new, None)  # a text that came back has no successor
        for record in payload.removed_ids:
            self._gone[record] = change.number
        forgets = "forget" in change.kinds and "aged" not in change.kinds
        for operation in payload.operations:
            if record := denied(operation, forgets=forgets):
                self._denied[record] = change.at
            if operation.get("op") == "say_again":
                again = msgspec.convert(operation, SayAgain)
                self._again.setdefault(again.record, []).append((change.number, again))
                for source in again.sources:
                    self._resting.setdefault(source.session, {})[again.record] = None
            if operation.get("op") == "take_back":
                asked = msgspec.convert(operation, TakeBack)
                for session in {source.session for source in asked.overrules}:
                    self._asked.setdefault(session, []).append((change.number, asked))
                self._requests[asked.request] = change.number
        for added in payload.added:
            self._made.setdefault(added.id, []).append((change.number, added))
            self._by_path.setdefault(split_id(added.id)[0], {})[added.id] = None
            self._gone.pop(added.id, None)
            self._successors.pop(added.id, None)
            self._trust.pop(added.id, None)  # promoted was what it said before
            for source in added.sources:
                self._resting.setdefault(source.session, {})[added.id] = None
            for source in added.overrules:
                self._overruled.setdefault(source.session, {})[added.id, source] = change.at
        self._trust |= payload.promoted
        self._unlisted |= payload.unlisted
        for record in payload.promoted:
            self._promotions.setdefault(record, []).append(change.number)

    def changes(self) -> Iterator[Change]:
        """Yield the changes, newest first, each saying what undid it."""
        for number in reversed(list(self._changes)):
            yield self.change(number)  # type: ignore[misc]  # the number is there

    def change(self, number: int) -> Change | None:
        """Return one change; None where there is none of that number."""
        change = self._changes.get(number)
        undone = self._undone.get(number)
        return msgspec.structs.replace(change, undone_by=undone) if change and undone else change

    def read_for(self, number: int) -> tuple[str, ...]:
        """Return the sessions that a job had read for a change; none if no job made it."""
        return self._read.get(number, ())

    def made(self, record: str) -> tuple[int, Added] | None:
        """Return which change made a record, and as what; None for what was there before the log."""
        return self._made[record][-1] if record in self._made else None

    def written_at(self, record: str) -> datetime | None:
        """Return when a record was first written down; None for what was there before the log."""
        versions = self._made.get(record)
        return self._changes[versions[0][0]].at if versions else None

    def versions(self, record: str) -> list[tuple[int, Added]]:
        """Return all that a record said under this id, with the change that made it say so, newest first."""
        return self._made.get(record, [])[::-1]

    def behind(self, record: str, sentence: str) -> tuple[int, Added] | None:
        """Return the version of which a record has a sentence; None if there was none.

        A topic is written on: it has a sentence of the version that brought it in, of its own or of a topic that was
        merged into it; if that is not known, the sentence rests on what any version rests on.
        """
        if split_id(record)[1]:
            return self.made(record)
        paths = [record]
        for path in paths:
            paths += [old for old in self._merged.get(path, ()) if old not in paths]
        found: list[tuple[int, Added]] = []
        for path in paths:
            versions = self._made.get(path, [])
            with self._lock:
                at = self._brought.setdefault(path, statements.Brought()).place(sentence, [v.text for _, v in versions])
            found += [versions[at]] if at is not None else []
        if found or record not in self._made:
            return min(found, key=lambda version: version[0], default=None)
        number, newest = self._made[record][-1]
        every = [each for path in paths for _, each in self._made.get(path, ())]
        cited = dict.fromkeys(source for each in every for source in each.sources)
        more = [_NO_MESSAGE] if cited and any(each.text and not each.sources for each in every) else []
        return number, msgspec.structs.replace(newest, sources=(*cited, *more))

    def current(self, path: str) -> dict[str, str]:
        """Return the records that changes made in a file and none took away: id to text."""
        return {
            record: self._made[record][-1][1].text
            for record in self._by_path.get(path, ())
            if record not in self._gone and record not in self._successors
        }

    def ever(self, path: str) -> dict[str, list[str]]:
        """Return all records that changes ever made in a file, with all that each said."""
        return {record: [added.text for _, added in self._made[record]] for record in self._by_path.get(path, ())}

    def unlisted(self, path: str) -> Trust | None:
        """Return how far what an edit from outside brought into a file is trusted, where it was too much to list."""
        return self._unlisted.get(path)

    def promoted(self, record: str) -> Trust | None:
        """Return the trust that a person gave a record; None if no person did."""
        return self._trust.get(record)

    def promotions(self, record: str) -> list[int]:
        """Return the numbers of the changes in which a person set the trust of a record."""
        return self._promotions.get(record, [])

    def successor(self, record: str) -> str | None:
        """Return the record that now replaces another one; None if it was not replaced."""
        seen: set[str] = set()
        current = record
        while current in self._successors and current not in seen:
            seen.add(current)
            current = self._successors[current][1]
        return current if current != record else None

    def replaced_by_prefix(self, begin: str) -> list[str]:
        """Return the ids of replaced records whose fingerprint begins so."""
        return [record for record in self._successors if record.rpartition("#")[2].startswith(begin)]

    def replaced_in(self, record: str) -> int | None:
        """Return the number of the change that put another record in the place of this one."""
        found = self._successors.get(record)
        return found[0] if found else None

    def predecessors(self, record: str) -> list[str]:
        """Return the records that this one replaced, nearest first."""
        backwards: dict[str, list[str]] = {}
        for old, (_, new) in self._successors.items():
            backwards.setdefault(new, []).append(old)
        found: list[str] = []
        queue = [record]
        while queue:
            for old in backwards.get(queue.pop(0), []):
                if old not in found and old != record:
                    found.append(old)
                    queue.append(old)
        return found

    def gone(self, record: str) -> int | None:
        """Return the number of the change that removed a record, or did what a message asked to forget; else None."""
        return self._gone.get(record) or self._requests.get(record)

    def aged(self) -> dict[str, tuple[str, ...]]:
        """Return what the records said that were removed for their age and not erased since: by id, newest first."""
        going = [record for record, number in self._gone.items() if "aged" in self._changes[number].kinds]
        said = {
            record: tuple(
                added.text
                for each in (record, *self.predecessors(record))
                for _, added in self.versions(each)
                if added.text
            )
            for record in going
        }
        return {record: texts for record, texts in said.items() if texts}

    def removed(self, holds: Callable[[str], bool]) -> int | None:
        """Return the number of the newest change that removed a record with such a text; None if there is none."""
        found = (
            number for record, number in self._gone.items() if any(holds(a.text) for _, a in self.versions(record))
        )
        return max(found, default=None)

    def superseded(self, session: str) -> dict[str, tuple[Superseded, ...]]:
        """Return the messages of a session that hold a value which a record says otherwise now, with the parts.

        A record that only says more than the one it replaced, or rests on the same message, overrules nothing. For what
        was forgotten or taken back it is the record that is gone, and it says nothing now.
        """
        found: dict[str, tuple[Superseded, ...]] = {}

        def take(now: Added, source: Source, since: datetime, was: tuple[str, ...], says: str) -> None:
            if source.session == session:
                part = Superseded(source.span, now.id, since, now.sources, tuple(filter(None, was)), says)
                found[source.message] = (*found.get(source.message, ()), part)

        with self._lock:
            for old in self._resting.get(session, ()):
                for each in self._overruling(old):
                    still = {(of.session, of.message) for of in each.now.sources}
                    for source, quote in self.saying(old, each.was):
                        if (source.session, source.message) in still:
                            continue
                        take(each.now, source, each.since, (each.was.text, quote), each.says)
                if old in self._gone and old in self._denied and old in self._made:
                    was = self._made[old][-1][1]
                    for source, quote in self.saying(old, was):
                        take(Added(old, "", was.trust), source, self._denied[old], (was.text, quote), "")
            every = self._asked.get(session, ())  # of several jobs: with one of them, all before that undo are undone
            undone = {of: self._undone[at] for at, asked in every if at in self._undone for of in asked.sources}
            for number, asked in (each for each in every if all(undone.get(of, 0) < each[0] for of in each[1].sources)):
                for source, quote in zip(asked.overrules, asked.quotes, strict=False):
                    take(Added(asked.request, "", "user"), source, self._changes[number].at, (quote, quote), "")
            for (record, source), since in self._overruled.get(session, {}).items():
                if (current := self._now(record)) is not None and source not in current.sources:  # a part may hold
                    take(current, source, since, self._quotes(session, source), current.text)
        return found

    def saying(self, record: str, was: Added) -> Iterator[tuple[Source, str]]:
        """Yield the parts of messages that say what a record said, also of those that said it again, with the words."""
        yield from zip(was.sources, chain(was.quotes, repeat("")), strict=False)
        for number, again in self._again.get(record, ()):
            if again.text in was.text and number not in self._undone:
                yield from zip(again.sources, chain(again.quotes, repeat("")), strict=False)

    def _quotes(self, session: str, source: Source) -> tuple[str, ...]:
        """Return the words of a part of a message, as a record has them that rests on it."""
        made = (added for record in self._resting.get(session, ()) for _, added in self._made.get(record, ()))
        pairs = (pair for added in made for pair in zip(added.sources, added.quotes, strict=False))
        quote = next((quote for each, quote in pairs if each == source), "")
        return (quote, quote)

    def _now(self, record: str) -> Added | None:
        """Return what a record, or the one that replaced it, says now; None if it is gone."""
        current = self.successor(record) or record
        made = self.made(current)
        return made[1] if made is not None and current not in self._gone else None

    def _overruling(self, old: str) -> Iterator[_Overruling]:
        """Yield what a record said that it, or the one that replaced it, says otherwise now.

        What only says more, or less, overrules nothing. An item is corrected under its own id, a topic line by line.
        """
        now = self._now(old)
        if now is None:
            return
        made = self._made.get(old, [])
        if not split_id(old)[1]:
            yield from self._lines(old, now)
        ends = [number for number, _ in made[1:]]
        if old in self._successors:
            ends.append(self._successors[old][0])
        versions = list(zip(made, ends, strict=False))
        for (_, was), end in versions if split_id(old)[1] else versions[len(made) - 1 :]:
            if statements.differ(was.text, now.text):
                yield _Overruling(was, now, self._changes[end].at, now.text)

    def _lines(self, topic: str, now: Added) -> Iterator[_Overruling]:
        """Yield the lines of a topic in whose place another one came, each as what it rested on."""
        made = self._made.get(topic, [])
        known = self._topics.setdefault(topic, _Lines())
        for number, version in made[known.count :]:
            said_so = bool(version.sources) and self._changes[number].undoes is None
            known.take(version, self._changes[number].at if said_so else None)
        says = known.newest
        yield from (_Overruling(was, now, since, new) for was, new, since in known.replaced if was.text not in says)


class _Lines:
    """The lines of a topic that were replaced so far, each as a record that rests on what it was made of."""

    def __init__(self) -> None:
        self.count = 0
        self.newest: list[str] = []
        self.replaced: list[tuple[Added, str, datetime]] = []
        self._first: dict[str, Added] = {}

    def take(self, version: Added, said: datetime | None) -> None:
        """Read the next version; `said` is when a message said what is new in it, None if none did."""
        after = statements.lines(version.text)
        pairs = dict.fromkeys(statements.replaced(self.newest, after)) if said is not None and self.count else ()
        for was, now in pairs:
            if said is not None and (rests := resting_on(self._first[was], was)) is not None:
                self.replaced.append((rests, now, said))
        for line in after:
            self._first.setdefault(line, version)
        self.newest = after
        self.count += 1


class _Overruling(msgspec.Struct, frozen=True):
    """What memory said, with the messages it rested on; the record that says otherwise now, its words, since when."""

    was: Added
    now: Added
    since: datetime
    says: str


def resting_on(made: Added, statement: str) -> Added | None:
    """Return a statement of a record as a record with the messages that it was made of; None if they are not known."""
    at = statements.quoted(statement, made.quotes)
    if at is None or at >= len(made.sources):
        return None
    said = content.keywords(made.quotes[at])
    rests = [each for each in zip(made.sources, made.quotes, strict=False) if content.keywords(each[1]) == said]
    sources, quotes = zip(*rests, strict=True)
    return msgspec.structs.replace(made, text=statement, sources=sources, quotes=quotes)
