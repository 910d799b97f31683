"""Forget records, messages, whole sessions and files, and erase them if asked: what goes, and what goes with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from commonplace.changes import earlier, forgotten
from commonplace.changes.actors import Actor
from commonplace.changes.door import Door
from commonplace.changes.erasing import Erasing, Gone
from commonplace.changes.parts import Parts
from commonplace.changes.plan import REVIEW
from commonplace.changes.review import Queue, rejected
from commonplace.changes.tombstones import TELLING_TOKENS
from commonplace.guard import has_words
from commonplace.guard.screened import Screened
from commonplace.operations import Forget, Operation, PutTopic, ReplaceEntry
from commonplace.records import (
    Entry,
    Item,
    JournalEntry,
    Outcome,
    Receipt,
    Record,
    RecordedMessage,
    Topic,
    Trail,
)
from commonplace.text.content import fold, keywords, sentences
from commonplace.text.pieces import estimate_tokens, one_line, truncate
from commonplace.text.wordings import Wordings

_DESCRIPTION_CHARS: Final = 120
_FRAME: Final = keywords("the user said says told tells mentioned noted reported stated that they")
"""Words with which a journal tells what somebody said."""


class Meant(msgspec.Struct, frozen=True):
    """What is meant to be forgotten: single records and messages, whole sessions by their ids, whole files.

    What is only `aged` takes nothing along. `words` are folded, and erasing reaches what said them before too.
    Of what an age has hidden before, erasing also reaches the messages `hidden` and what the records `gone` said.
    """

    records: tuple[Record, ...] = ()
    sessions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    aged: bool = False
    words: str = ""
    hidden: tuple[RecordedMessage, ...] = ()
    gone: Mapping[str, tuple[str, ...]] = {}


class Forgetting:
    """Forgets in one scope.

    Args:
        why: Returns what a record said before and which messages it rests on.
    """

    def __init__(self, parts: Parts, door: Door, erasing: Erasing, why: Callable[[str], Trail]) -> None:
        self._parts = parts
        self._door = door
        self._erasing = erasing
        self._why = why

    def forget(self, meant: Meant, *, erase: bool, dry_run: bool, actor: Actor) -> Receipt:
        """Forget what is meant, and what rests on it alone; with `erase` all their words are gone for good."""
        if meant.sessions:
            self._parts.look_at_instructions()  # while they go on
        self._parts.ledger.catch_up()  # what a record rests on is known from the log
        said = [message for session in meant.sessions for message in self._parts.sessions.kept(session)]
        messages = [*(each for each in meant.records if isinstance(each, RecordedMessage)), *said, *meant.hidden]
        aged = meant.aged and not erase
        with_it = [] if aged else list(self._with(messages, meant, erase=erase))
        parted = {} if actor.defers else dict(_parted(meant, {each.id: left for each, left in with_it}))
        meant = msgspec.structs.replace(meant, records=tuple(each for each in meant.records if each.id not in parted))
        held = [record for path in meant.files for record in self._parts.reader.records(path)]
        going = {each.id: each.text for each in (*meant.records, *said, *held, *meant.hidden)}
        going |= {record: texts[0] for record, texts in meant.gone.items()}
        with_it = [each for each in with_it if each[0].id not in going.keys() | parted.keys()]
        with_them = going.keys() | {each.id for each, _ in with_it}
        listing = () if actor.defers or aged else self._listing(meant.records)  # what waits for a person stays whole
        listed = [*parted.values(), *(each for each in listing if each[0].id not in with_them | parted.keys())]
        lost = {each.id: self._parts.reader.lost(each, left) for each, left in (*with_it, *listed)}
        cut = [*listed, *(with_it if erase or meant.words else ())]
        operations: list[Operation] = [self._cut(each, left) for each, left in cut]  # before what takes all of it
        operations += [Forget(record=each.id, aged=aged, alone=bool(meant.words)) for each in meant.records]
        operations += [Forget(record=self._parts.sessions.path(session), aged=aged) for session in meant.sessions]
        operations += [Forget(record=path) for path in meant.files]
        gone, scanned = Gone(), 0
        places: Sequence[tuple[str, int]] = ()
        before: tuple[tuple[str, str], ...] = ()
        if erase:
            gone = self._gone(meant, said, lost)
            going = self._quoted(gone) | going
            before = tuple(earlier.texts(self._parts, meant.words, gone.texts)) if meant.words else ()
            gone = msgspec.structs.replace(gone, texts=(*gone.texts, *(text for _, text in before)), words=meant.words)
            places, scanned = self._erasing.places(gone)
        named = going | lost if len(going) == 1 else lost | going  # of much, what nobody named comes first
        receipt = Receipt(forgotten=(*named.items(), *before), dry_run=dry_run, places=tuple(places), scanned=scanned)
        if erase:
            receipt = msgspec.structs.replace(receipt, unsearched=self._erasing.unsearched())
        if dry_run or not receipt.forgotten:
            return receipt
        outcome = self._commit(operations, self._lines(gone) if erase else {}, actor)
        if not outcome.ok:
            return Receipt(forgotten=(), reason=outcome.reason, review=outcome.review, change=outcome.change)
        left: Sequence[tuple[str, int]] = ()
        if erase:
            self._erasing.finish()
            left, _ = self._erasing.places(Gone(texts=gone.texts, words=gone.words))
        return msgspec.structs.replace(
            receipt, change=outcome.change, reason=outcome.reason, review=outcome.review, left=tuple(left)
        )

    def _with(
        self, messages: Sequence[RecordedMessage], meant: Meant, *, erase: bool
    ) -> Iterator[tuple[Record, Record | None]]:
        """Yield what goes with some messages, each with what is left of it; a message is erased whole."""
        for each, left in self._parts.reader.goes_with(messages, meant.words):
            is_message = isinstance(each, RecordedMessage)
            if erase or not (meant.words and left and is_message):
                yield each, None if erase and is_message else left

    def _lines(self, gone: Gone) -> dict[str, list[Screened]]:
        """Return the lines that say what is to go; what waits for a person and holds it is rejected."""
        wordings = Wordings(gone.texts)
        waiting = [
            rejected(each.id)
            for each in Queue(self._parts, self._door)
            if any(wordings.count(text) or has_words(text, gone.words) for text in earlier.strings(each.operation))
        ]
        return self._erasing.lines(gone) | ({REVIEW: waiting} if waiting else {})

    def _commit(
        self, operations: Sequence[Operation], lines: Mapping[str, Sequence[Screened]], actor: Actor
    ) -> Outcome:
        reason = "forgotten on request"
        if operations:
            return self._door.commit(operations, actor=actor, reason=reason, lines=lines, kinds=["forget"])
        with self._door.alone():  # no record holds it any more, but what was before does
            plan = self._door.plan()
            plan.kinds["forget"] = None
            for path, added in lines.items():
                for line in added:
                    plan.line(path, line)
            return Outcome(status="applied", change=self._door.write(plan, actor=actor, reason=reason))

    def _gone(self, meant: Meant, said: Sequence[RecordedMessage], lost: Mapping[str, str]) -> Gone:
        """Return all that has to go with what is meant; a short message of a session only goes from its place."""
        texts = list(lost.values())
        ids = {*lost, *(message.id for message in (*said, *meant.hidden))}
        messages: set[tuple[str, str]] = set()
        for record in meant.records:
            ids |= {record.id, *self._parts.ledger.predecessors(record.id)}
            if isinstance(record, RecordedMessage):
                messages.add((record.session, str(record.message.id)))
                texts.append(record.text)
                continue
            trail = self._why(record.id)
            quotes = () if self._is_of_range(record) else trail.quotes
            led = [*((step.text, None) for step in trail.steps), *((quote.text, quote.source) for quote in quotes)]
            led = [each for each in led if not meant.words or has_words(each[0], meant.words)]
            texts += [*_words(record), *(text for text, _ in led)]
            messages |= {(source.session, source.message) for _, source in led if source and source.span is None}
        for record_id, said_before in meant.gone.items():
            ids |= {record_id, *self._parts.ledger.predecessors(record_id)}
            texts += said_before
        messages |= {(each.session, str(each.message.id)) for each in meant.hidden}
        for path in meant.files:
            known = self._parts.ledger.ever(path)
            ids |= known.keys()
            texts += [text for said in known.values() for text in said]
            texts += [text for record in self._parts.reader.records(path) for text in _words(record)]
        hidden = [each.text for session in meant.sessions for each in self._parts.sessions.taken_back(session)]
        spoken = [*(message.text for message in (*said, *meant.hidden)), *hidden]
        texts += [text for text in spoken if estimate_tokens(text) >= TELLING_TOKENS]
        return Gone(
            texts=tuple(dict.fromkeys(texts)),
            records=frozenset(ids),
            messages=frozenset(messages),
            sessions=frozenset(meant.sessions),
        )

    def _is_of_range(self, record: Record) -> bool:
        """True if what a record cites are the first and the last message of a range, and it rests on neither."""
        ids = [record.id, *self._parts.ledger.predecessors(record.id)] if isinstance(record, JournalEntry) else ()
        return any(len(added.sources) > 1 for each in ids for _, added in self._parts.ledger.versions(each))

    def _quoted(self, gone: Gone) -> dict[str, str]:
        """Return the messages that lose their words because a record rests on them: id to text."""
        kept = (
            each
            for session in sorted({name for name, _ in gone.messages})
            for each in self._parts.sessions.kept(session)
        )
        return {each.id: each.text for each in kept if (each.session, str(each.message.id)) in gone.messages}

    def _listing(self, records: Sequence[Record]) -> Iterator[tuple[Record, Record | None]]:
        """Yield the journal entries that tell what some records say, each with what is left of it."""
        texts = [each.text for each in records if isinstance(each, (Entry, Item))]
        said = [fold(part).rstrip(" .!") for text in texts for part in sentences(text)]
        for _, path in self._parts.reader.files(lambda layer: bool(said) and layer.kind == "journals"):
            for entry in self._parts.reader.visible(self._parts.reader.records(path)):
                left = forgotten.cut(entry.text, lambda part: _tells(fold(part), said))
                if isinstance(entry, JournalEntry) and left != entry.text:
                    yield entry, msgspec.structs.replace(entry, text=left) if left else None

    def _cut(self, record: Record, left: Record | None) -> Operation:
        """Return the operation that leaves of a record what does not tell of what is forgotten."""
        trust = self._parts.reader.rank(record.id)
        match left:
            case Entry() | JournalEntry():
                return ReplaceEntry(path=record.path, target=record.id, text=left.text, trust=trust)
            case Topic():
                description = left.description or truncate(one_line(left.body), _DESCRIPTION_CHARS)
                return PutTopic(path=record.path, body=left.body, description=description, trust=trust)
        return Forget(record=record.id)


def _parted(meant: Meant, goes_with: Mapping[str, Record | None]) -> Iterator[tuple[str, tuple[Record, Record]]]:
    """Yield the topics and journal entries that say more than what holds the words, by id, each with what is left.

    What of them `goes_with` messages that hold the words goes too: it has what that leaves of a record, by id.
    """

    def holds(part: str) -> bool:
        return has_words(part, meant.words)

    for each in meant.records if meant.words else ():
        left = goes_with.get(each.id, each)
        if isinstance(left, JournalEntry) and (text := forgotten.cut(left.text, holds)):
            yield each.id, (each, msgspec.structs.replace(left, text=text))
        elif isinstance(left, Topic) and not has_words(left.title, meant.words):
            body, description = (forgotten.cut(text, holds) for text in (left.body, left.description))
            if body:
                yield each.id, (each, msgspec.structs.replace(left, body=body, description=description))


def _tells(sentence: str, said: Sequence[str]) -> bool:
    """True if a sentence says one of some statements, and besides no more than that it was said."""
    rests = (sentence.replace(each, " ", 1) for each in said if each and each in sentence)
    return any(keywords(rest) <= _FRAME for rest in rests)


def _words(record: Record) -> tuple[str, ...]:
    """Return the texts of a record as they may be elsewhere."""
    if not isinstance(record, Topic):
        return (record.text,)
    begun = (
        (record.title.removesuffix("…"),) if record.title.endswith("…") else ()
    )  # other titles name, and say nothing
    return (record.text, record.body, record.description, *begun)
