"""Forget messages, whole sessions and whole files in a plan: what it hides, removes, and keeps from coming back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo
from typing import Final

import msgspec

from commonplace.changes import forgotten, tombstones
from commonplace.changes.overruling import TELLING, Overruling, states
from commonplace.changes.parts import Parts
from commonplace.changes.payload import ForgetMove
from commonplace.changes.plan import Plan
from commonplace.errors import RecordNotFoundError
from commonplace.guard.shapes import Span
from commonplace.layouts.codecs.edits import split_id
from commonplace.operations import Edit, RemoveEntry, RemoveItem, RemoveTopic, TakeBack, denied
from commonplace.records import Entry, Item, JournalEntry, Outcome, Record, RecordedMessage, Source, Superseded, Topic
from commonplace.text import content, dates

FORGOTTEN: Final = "this was forgotten or undone"
_REPEATED: Final = "~"  # in an id, before the number of a line that stands more than once
_OF_SESSION: Final = "{session}"
_HASHES: Final = 1000  # in one line of a transcript
_SEVERAL: Final = 2  # people who speak: what one of them says is not another one's
_STATED: Final = 2  # words of a statement; one word only names


def refused(texts: Iterable[str], parts: Parts) -> Outcome:
    """Return the refusal of what was forgotten, with the change to undo if the log knows it."""
    texts = list(texts)
    number = _removal(texts, parts)
    how = f" in change {number}; `undo {number}` lets it in again" if number else "; undo that change, see `log`"
    if texts and all(is_erased(each, parts) for each in texts):
        how = " and erased; a person lets it in again: by a message, or with `commonplace remember`"
    return Outcome(status="refused", reason=FORGOTTEN + how)


def is_erased(text: str, parts: Parts) -> bool:
    """True if neither the log nor a transcript knows what a forgotten text said: no undo brings it back."""
    since = parts.tombstones.since()
    return _removal([text], parts) is None and (since is None or since(text) is None)


def _removal(texts: Iterable[str], parts: Parts) -> int | None:
    """Return the number of the change that removed what says one of some texts; None if the log does not know it."""
    parts.ledger.catch_up()
    meant = {tombstones.fingerprint(text, b"") for text in texts}
    return parts.ledger.removed(lambda text: any(tombstones.fingerprint(each, b"") in meant for each in _endings(text)))


def _endings(text: str) -> tuple[str, ...]:
    """Return a text, and what is behind its first and second line: of a topic they may be its title and description."""
    return (text, *text.split("\n", 1)[1:], *text.split("\n", 2)[2:])


def message(plan: Plan, said: RecordedMessage, *, aged: bool, alone: bool) -> None:
    """Hide one message; what is only `aged` may be said again, and neither that nor one `alone` takes records along."""
    name = str(said.message.id)
    plan.bury("" if aged else said.text)
    plan.forget_messages(ForgetMove(said.session, name, aged=aged or alone, alone=alone))
    plan.kinds["forget"] = None
    plan.removed.append(said.id)


def record(plan: Plan, gone: Record, sources: Iterable[Source], parts: Parts) -> None:
    """Keep what a record said from coming back.

    A topic that is made of one whole session is made again from it: its transcript has the hashes of what it said.
    """
    for text in tombstones.texts(gone):
        plan.bury(text, sources)
    layer = parts.layout.layer_of(gone.path)
    if not isinstance(gone, Topic) or layer is None or _OF_SESSION not in layer.path:
        return
    for name in dict.fromkeys(source.session for source in sources):
        if parts.sessions.exists(name):
            plan.forget_messages(ForgetMove(name, gone.path), forgotten.hashes(gone.id, gone.text, ""))


def session(plan: Plan, path: str, parts: Parts, *, aged: bool) -> None:
    """Hide all messages of a session that are there now; what is only `aged` may be said again.

    Raises:
        RecordNotFoundError: There is no such session.
    """
    name = parts.sessions.id_of(path)
    if name is None:
        raise RecordNotFoundError(f"there is no session in {path!r}", record=path)
    said = list(parts.sessions.kept(name))
    if not said:
        return
    plan.bury("")
    before, after = parts.sessions.forgotten(name), parts.sessions.state(name).messages
    plan.forget_messages(ForgetMove(name, "", before, after, aged=aged))
    plan.kinds["forget"] = None
    plan.removed.extend(each.id for each in said)


def along(plan: Plan, parts: Parts) -> None:
    """Write down what goes with the messages that a plan hides, so that their transcript alone says it.

    What the plan itself takes out or replaces is left out: of what is erased no hash is kept.
    """
    _unsay(plan, parts)
    moves = [
        move
        for move in plan.forgotten
        if move.hidden and not (move.aged or move.spans or parts.layout.layer_of(move.message))
    ]
    if not moves:
        return
    ids = {(move.session, move.message) for move in moves}
    said = [
        message
        for session in dict.fromkeys(move.session for move in moves)
        for message in parts.sessions.kept(session)
        if (session, "") in ids or (session, str(message.message.id)) in ids
    ]
    found = list(dict.fromkeys(parts.reader.along(said, {*plan.removed, *plan.successors})))
    for start in range(0, len(found), _HASHES):
        plan.forget_event(moves[-1], found[start : start + _HASHES])


def _unsay(plan: Plan, parts: Parts) -> None:
    """Write down in the transcripts which of their words say what is gone now, and which records tell of it."""
    held: dict[str, dict[str, list[Superseded]]] = {}
    cited = set[tuple[str, str, str]]()
    for gone, source, was in _gone(plan, parts):
        cited.add((gone, source.session, source.message))
        with suppress(RecordNotFoundError):
            text = parts.sessions.message(source.session, source.message).text
            start = text.find(was[-1])
            span = source.span or ((start, start + len(was[-1])) if start >= 0 else None)
            part = Superseded(span, gone, plan.at, (), was)
            held.setdefault(source.session, {}).setdefault(source.message, []).append(part)
    for source, part in _restated(plan, parts):
        if (part.record, source.session, source.message) not in cited:
            held.setdefault(source.session, {}).setdefault(source.message, []).append(part)
    told: dict[str, list[str]] = {}
    overruling = Overruling(parts.ledger, parts.reader, held)
    texts = (text for found in held.values() for each in found.values() for part in each for text in part.was)
    words = frozenset[str]().union(*map(content.content, texts))
    for _, path in parts.reader.files(lambda layer: bool(held) and layer.kind in TELLING):
        for record in parts.reader.visible(parts.reader.records(path)):
            told_of = record.id not in plan.removed and not words.isdisjoint(content.content(record.text))
            for part, sentence in overruling.over(record.id, record.text) if told_of else ():
                told.setdefault(part.record, []).append(forgotten.hashed(record.id, sentence))
    for session, messages in held.items():
        spans: dict[str, list[tuple[str, int, int]]] = {}
        for name, part in ((name, part) for name, found in messages.items() for part in found):
            spans.setdefault(part.record, []).append((name, *(part.span or (0, 0))))
        for gone, own in spans.items():
            move, marks = ForgetMove(session, gone, spans=tuple(own)), told.pop(gone, [])
            plan.forget_messages(move, marks[:_HASHES])
            for start in range(_HASHES, len(marks), _HASHES):
                plan.forget_event(move, marks[start : start + _HASHES])


def _gone(plan: Plan, parts: Parts) -> Iterator[tuple[str, Source, tuple[str, ...]]]:
    """Yield which messages say what a plan takes out or hides: what that is, the message, how memory and it say it."""
    forgets = "forget" in plan.kinds and "aged" not in plan.kinds
    for operation in plan.operations:
        made = parts.ledger.made(denied(msgspec.to_builtins(operation), forgets=forgets))
        layer = parts.layout.layer_of(split_id(made[1].id)[0]) if made else None
        if made and layer and not (layer.kind == "journals" and len(made[1].sources) > 1):  # that is of a range
            for source, quote in parts.ledger.saying(made[1].id, made[1]):
                yield made[1].id, source, tuple(filter(None, (made[1].text, quote)))
        if isinstance(operation, TakeBack):
            for source, quote in zip(operation.overrules, operation.quotes, strict=False):
                yield operation.request, source, (quote, quote)


def _restated(plan: Plan, parts: Parts) -> Iterator[tuple[Source, Superseded]]:
    """Yield which other messages say again what is gone, or what it said before: the message, and the part of it.

    These are messages of the talks that it rests on, or that went on when it was written. A call of a tool goes whole.
    """
    for gone, said, sessions in _said_before(plan, parts):
        used = frozenset[str]().union(*map(content.keywords, said))
        people = parts.reader.people(sessions)
        for session in sessions:
            roles = {"assistant", "user"} if len(parts.sessions.state(session).names) < _SEVERAL else {"assistant"}
            for message in parts.sessions.kept(session):
                if message.message.role in roles and not used.isdisjoint(content.keywords(message.text)):
                    for span, was in _saying(message, said, parts.zone, people):
                        part = Superseded(None if message.message.tools else span, gone, plan.at, (), was)
                        yield Source(session, str(message.message.id)), part


def _said_before(plan: Plan, parts: Parts) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield what a plan takes out or hides: its id, its statements with those of before, and the sessions it is of."""
    forgets = "forget" in plan.kinds and "aged" not in plan.kinds
    for operation in plan.operations:
        gone = denied(msgspec.to_builtins(operation), forgets=forgets)
        if not (gone or isinstance(operation, TakeBack)):
            continue
        sources, texts, times = dict[str, None](), list[str](), list[datetime]()
        for number, was in (
            v for each in (gone, *parts.ledger.predecessors(gone)) for v in parts.ledger.versions(each)
        ):
            texts.append(was.text if split_id(gone)[1] else was.text.partition("\n")[2])  # the title of a topic names
            sources |= dict.fromkeys(source.session for source in was.sources)
            times += [change.at] if (change := parts.ledger.change(number)) else []
        if isinstance(operation, TakeBack):
            gone, texts = operation.request, [*operation.quotes]
            sources = dict.fromkeys(source.session for source in operation.overrules)
        said = [each for text in texts for each in content.sentences(text) if len(content.keywords(each)) >= _STATED]
        if said:
            yield gone, said, [*dict.fromkeys([*sources, *parts.going_on([*times, plan.at])])]


def _saying(
    message: RecordedMessage, said: Sequence[str], zone: tzinfo, people: frozenset[str]
) -> Iterator[tuple[Span, tuple[str, str]]]:
    """Yield the parts of a message that say one of some statements, each with that and with its own words."""
    end = 0
    for sentence in content.sentences(message.text):
        start = message.text.index(sentence, end)
        end = start + len(sentence)
        at = message.message.at
        forms = (sentence, dates.dated(sentence, at.astimezone(zone), zone, ())) if at else (sentence,)
        if was := next((each for each in said for form in forms if states(form, each, people)), ""):
            yield (start, end), (was, sentence)


def file(plan: Plan, path: str, parts: Parts) -> None:
    """Remove a file with all its records."""
    for record in parts.reader.records(path):
        plan.removed.append(record.id)
        for text in tombstones.texts(record):
            plan.bury(text)
    plan.restore(path, None)
    plan.kinds["forget"] = None


def removal(record: Record) -> Edit:
    """Return the operation that takes a record away."""
    match record:
        case Topic():
            return RemoveTopic(path=record.path)
        case Item():
            return RemoveItem(path=record.path, id=record.id.split("#", 1)[1])
        case _:
            return RemoveEntry(path=record.path, target=record.id)


def repeats(record: Record, parts: Parts) -> list[Edit]:
    """Return the operations that take away the other lines of a file that say the same as a record that goes."""
    first = record.id.partition(_REPEATED)[0]
    if not isinstance(record, (Entry, JournalEntry)):
        return []
    same = [each for each in parts.reader.records(record.path) if each.id.partition(_REPEATED)[0] == first]
    return [RemoveEntry(path=record.path, target=first)] * (len(same) - 1)  # each time the next one is the first
