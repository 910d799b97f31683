"""The consolidator without a model: finds in a range of messages what is worth remembering.

`extract` turns messages into memos, `propose` turns memos into operations where a layout wants them.
It owns no text of its own: each memo quotes the message it rests on. Silence is better than junk, so
a rule fires only on a plain statement in a person's own voice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import tzinfo
from functools import cache, partial
from itertools import chain
from typing import Any

import msgspec

from commonplace.guard.screened import instant
from commonplace.guard.trust import message_trust
from commonplace.jobs.rules import (
    clauses,
    later,
    matching,
    named,
    overruling,
    patterns,
    reading,
    subjects,
    values,
    wishes,
)  # fmt: skip
from commonplace.jobs.rules.memos import ANNOUNCED, CHANGE, Known, Memo, Place, Targets
from commonplace.jobs.rules.patterns import Kind, guard
from commonplace.layouts.codecs.topics import name_for
from commonplace.operations import (
    NOTED,
    AddEntry,
    AppendJournal,
    Edit,
    Proposal,
    PutItem,
    PutTopic,
    RemoveEntry,
    RemoveItem,
    RemoveTopic,
    ReplaceEntry,
    SayAgain,
)
from commonplace.records import RecordedMessage, Source, Trust, lowest_trust
from commonplace.text.content import sentences
from commonplace.text.pieces import fingerprint, short_name

__all__ = ["Known", "Memo", "Place", "Targets", "extract", "propose"]

Read = Callable[[RecordedMessage], Sequence[Memo]]

_ENDS = (".", "!", "?", "…", "。", "！", "？", ")")


def extract(messages: Sequence[RecordedMessage], *, zone: tzinfo) -> list[Memo]:
    """Find the memos of a range, in the order they were said, without what a later message takes back."""
    memos = _gather(messages, reading.Reader(messages, zone).read)
    said = [memo.text for memo in memos]
    return [memo for memo in memos if not _only_changes(memo, said) and (memo.slot == ANNOUNCED or not memo.becomes)]


def _gather(messages: Sequence[RecordedMessage], read: Read, people: frozenset[str] = frozenset()) -> list[Memo]:
    """Find the memos, and the corrections of what was said before the range."""
    memos: list[Memo] = []
    for message in messages:
        others = overruling.others(message, people)
        if message.message.role == "user" and message_trust(message) == "user":
            memos = [memo for memo in memos if not reading.is_forgotten(memo, message, others)]
        for memo in read(message):
            if not reading.is_forgotten(memo, message, others):
                memos = overruling.admit(memos, msgspec.structs.replace(memo, others=others))
    return memos


def propose(
    messages: Sequence[RecordedMessage],
    *,
    session: str,
    zone: tzinfo,
    targets: Targets,
    existing: Sequence[Known] = (),
    only_noted: Callable[[], Sequence[Known]] = tuple,
    journal: str = "",
    since: int = 0,
    read: Read | None = None,
    people: frozenset[str] = frozenset(),
    earlier: Sequence[RecordedMessage] = (),
) -> Proposal:
    """Propose what a range of messages adds to memory and what it puts in the place of older memory.

    Args:
        messages: The range, in order.
        session: The id its sources name.
        zone: Where days begin.
        targets: Where each kind of memo goes; a kind without a place is only in the journal.
        existing: What is remembered in those places.
        only_noted: Returns the statements that are in the journal alone, oldest first: no place takes their kind.
        journal: The file of the journal; empty if there is none.
        since: The number of the first message that something is taken from; those before it are only read.
        read: Returns the memos of a message, if the whole talk was read before.
        people: What those are called who may have said what is remembered.
        earlier: The messages before the range; of these only what the range takes back is read.

    Returns:
        The operations, each with its source, quote and trust; a replaced entry stays in the change
        log. The journal says what was noted; a statement that is in no other place overrules what it is there in place
        of. Nothing memorable gives no operation.
    """
    read = read or reading.Reader(messages, zone).read
    memos = [memo for memo in _gather(messages, read, people) if memo.number >= since]
    desk = _Desk(session, targets, existing, [memo.text for memo in memos], only_noted)
    for message in messages:
        if message.number >= since and message.message.role == "user" and message_trust(message) == "user":
            desk.take_out(message, overruling.others(message, people), wishes.last_said(message, (*earlier, *messages)))
    for memo in memos:
        desk.put(memo)
    text, operations, again = _journal(desk.noted), desk.operations(), tuple(desk.again)
    if not (journal and desk.rests):
        return Proposal(journal=text, operations=operations, again=again, taken_back=tuple(desk.taken_back), ruled=True)
    at = next((instant(each.message.at) for each in reversed(messages) if each.message.at), "")
    sources, quotes, over = (tuple(chain.from_iterable(each)) for each in zip(*desk.rests, strict=True))
    entry = AppendJournal(path=journal, text=text, at=at, sources=sources, quotes=quotes, overrules=over)
    operations = (*operations, entry)
    return Proposal(operations=operations, again=again, taken_back=tuple(desk.taken_back), ruled=True)


class _Desk:
    """Turns memos into operations against what is known, one after the other."""

    def __init__(
        self,
        session: str,
        targets: Targets,
        existing: Sequence[Known],
        stated: Sequence[str],
        only_noted: Callable[[], Sequence[Known]],
    ) -> None:
        self._session = session
        self._stated = stated
        self._targets = targets
        self._known: list[Known] = []
        self._doubted: set[tuple[str, str]] = set()
        self._bodies: dict[str, _Body] = {}
        self._topics = [each for each in existing if each.title]
        self._by_hand = [each for each in existing if each.at is not None and not each.sources]
        for each in existing:
            lines = [each.text]
            if self._is_topic(each):
                body = self._bodies[each.path] = _Body(Place(path=each.path, form="topic"), each.text)
                lines = body.stated()
            self._known += (msgspec.structs.replace(each, text=later.without_newer(line)) for line in lines)
            self._doubted |= {(each.id, bare) for line in lines if (bare := later.without_newer(line)) != line}
        self._edits: list[Edit] = []
        self._replaced: dict[str, Edit] = {}
        self._only_noted = cache(only_noted)
        self.noted: list[str] = []
        self.taken_back: list[tuple[Source, str]] = []
        self.again: list[SayAgain] = []
        self.rests: list[tuple[tuple[Source, ...], tuple[str, ...], tuple[Source, ...]]] = []
        """The sources of statements that are in the journal alone, their words, and what they overrule."""

    def put(self, memo: Memo) -> None:
        place = self._targets.get(memo.kind)
        if memo.becomes:
            if self._correct(memo) or not (memo.news or memo.slot == ANNOUNCED):
                return
            slot = "" if memo.slot == ANNOUNCED else CHANGE
            memo = msgspec.structs.replace(memo, becomes="", supersedes="", slot=slot)
        if place is None:
            self._tell(memo)
        else:
            self._place(memo, place)

    def take_out(self, message: RecordedMessage, others: frozenset[str], last: RecordedMessage | None) -> None:
        """Remove what a message of the person asks to forget; of what others said of themselves nothing."""
        source = Source(self._session, message.message.id or message.id)
        for said, asked in wishes.asked(message, last):
            rests: dict[str, Any] = {"sources": (source,), "quotes": (said,), "trust": "user"}
            going = partial(overruling.wished_away, asked, others, short_name(message.message.name))
            for each in going((known, known) for known in self._known):
                self._known.remove(each)
                rests["overrules"] = (source,) if source in each.sources else ()  # a record of the request itself
                if self._is_topic(each):
                    self._bodies[each.path].drop(each, **rests)
                    continue
                self._take_back(each)
                if self._item_place(each) is not None:
                    self._edits.append(RemoveItem(path=each.path, id=each.id.rpartition("#")[2], **rests))
                else:
                    self._edits.append(RemoveEntry(path=each.path, target=each.id, **rests))
            self._take_back(*going((known, known) for known in self._only_noted()))
            for topic in self._topics:
                pairs = zip(topic.sources, topic.quotes, strict=False)
                quoted = (Known("", "", text, sources=(each,)) for each, text in pairs)
                self._take_back(*going((each, each) for each in quoted))

    def _take_back(self, *known: Known) -> None:
        """Note the messages that say what a person asked to forget, each with its words."""
        self.taken_back += [
            pair for each in known for pair in zip(each.sources, each.quotes or (each.text,), strict=False)
        ]

    def operations(self) -> tuple[Edit, ...]:
        return (*self._edits, *(body.operation() for body in self._bodies.values() if body.sources))

    def _place(self, memo: Memo, place: Place) -> None:
        near = (known for known in self._known if known.path == place.path or place.form != "entry")
        said = next((each for each in near if matching.same(memo.text, each.text) or _says_already(each, memo)), None)
        doubted = said is not None and (said.id, said.text) in self._doubted
        if said is not None and doubted and matching.same(said.text, memo.text):  # all of it is so again
            self._replace(said, memo, said.text)
        elif said is not None:
            self._say_again(said, memo)
        if said is not None or (place.form == "topic" and any(body.says(memo.text) for body in self._bodies.values())):
            return  # an item may be in the file of another day
        told = next((each for each in self._by_hand if _tells(each, memo, place)), None)
        old = self._old(memo, [each for each in self._known if told is None or each.id != told.id])
        if told is not None and old is None:
            self._say_again(told, memo)
        elif old is not None:
            if not _is_later(old, memo):
                text = overruling.in_its_place(memo, old.text)
                self._replace(old, memo, text, beside=old if text.startswith(old.text) else None)
        elif (doubtful := self._spoken_against(memo)) is not None:
            self._replace(doubtful, memo, later.with_newer(doubtful.text, memo), beside=doubtful)
        elif _only_changes(memo, self._stated):
            return
        else:
            self.noted.append(memo.text)
            rests = self._rests_on(memo)
            if place.form == "topic":
                self._body_of(memo, place).add(memo.text, **rests)
            elif place.form == "item":
                self._edits.append(self._item(memo, place, fingerprint(memo.text), memo.text, kind=memo.kind))
            else:
                entry = AddEntry(path=place.path, text=memo.text, section=place.section, kind=memo.kind, **rests)
                self._edits.append(entry)

    def _say_again(self, known: Known, memo: Memo) -> None:
        """Note the messages that say what is known already, but for those that it rests on."""
        said = [(self._source(each), each.quote) for each in (memo, *memo.again)]
        if fresh := [each for each in said if each[0] not in known.sources]:
            sources, quotes = zip(*fresh, strict=True)
            self.again.append(SayAgain(record=known.id, text=known.text, sources=sources, quotes=quotes))

    def _tell(self, memo: Memo) -> None:
        """Note a statement that no place takes; what it takes the place of in the journal is overruled."""
        old = self._old(memo, self._only_noted())
        if old is None and _only_changes(memo, self._stated):
            return
        if old is not None and (_is_later(old, memo) or matching.says_besides(old.text, memo.text)):
            old = None  # it holds, or what it says besides does
        rests = self._rests_on(memo)
        said = (each for each in self._only_noted() if old is not None and matching.same(each.text, old.text))
        over = tuple(source for each in said for source in each.sources)
        self.noted.append(memo.text)
        self.rests.append((rests["sources"], rests["quotes"], (*rests["overrules"], *over)))

    def _old(self, memo: Memo, known: Sequence[Known]) -> Known | None:
        """Return the statement, of those that are known, that a memo replaces; None if it replaces none."""
        said = {kept.text for kept in memo.instead}  # an earlier range may have written it down
        over = next(
            (each for each in reversed(known) if each.text in said or overruling.is_over(memo, each.text)), None
        )
        return over or overruling.one_meant(memo, ((each, each.text) for each in known))

    def _spoken_against(self, memo: Memo) -> Known | None:
        """Return the statement that a memo says is over, in words that leave open what is so now."""
        known = [
            (each, each.text)
            for each in self._known
            if not _is_later(each, memo)
            and not any(source.message == memo.message and source.session == self._session for source in each.sources)
        ]
        return overruling.spoken_against(memo, known)

    def _correct(self, memo: Memo) -> bool:
        """Replace the old value by the new one; False, with nothing done, if there is not exactly one place for it."""
        holding = [known for known in self._known if overruling.is_said_in(memo, known.text)]
        if len(holding) != 1 or _is_later(holding[0], memo):
            return False
        self._replace(holding[0], memo, matching.put(holding[0].text, memo.supersedes, memo.becomes))
        return True

    def _replace(self, old: Known, memo: Memo, text: str, *, beside: Known | None = None) -> None:
        """Replace what is known by a text, which rests on a memo and on what it is kept beside."""
        rests = self._rests_on(memo)
        self.noted.append(text if text == old.text else f"{text} (before: {old.text})")
        now = msgspec.structs.replace(old, text=later.without_newer(text))
        if self._is_topic(old):
            self._bodies[old.path].put(old.text, text, **rests)
            self._known[self._known.index(old)] = now
            return
        before = self._replaced.pop(old.id, None)
        if before is not None:  # one operation for each record
            self._edits.remove(before)
            rests = {**rests} | {key: getattr(before, key) + rests[key] for key in ("sources", "quotes", "overrules")}
        elif beside is not None:
            rests |= {"sources": beside.sources + rests["sources"], "quotes": beside.quotes + rests["quotes"]}
        self._known[self._known.index(old)] = msgspec.structs.replace(now, sources=rests["sources"])
        if place := self._item_place(old):
            item = self._item(memo, place, old.id.rpartition("#")[2], text, kind=memo.kind if beside is None else None)
            edit: Edit = msgspec.structs.replace(item, **{**rests, "trust": item.trust})
        else:
            edit = ReplaceEntry(path=old.path, target=old.id, text=text, **rests)
        self._edits.append(edit)
        self._replaced[old.id] = edit

    def _item_place(self, known: Known) -> Place | None:
        """Return the place of items that has a statement; None if it is in no such place."""
        places = (place for place in self._targets.values() if place.path == known.path)
        return next((place for place in places if place.form == "item"), None)

    def _is_topic(self, known: Known) -> bool:
        """True if what is known is a topic, or a line of one."""
        places = (place for place in self._targets.values() if place.path == known.path)
        return bool(known.title) or any(place.form == "topic" for place in places)

    def _body_of(self, memo: Memo, place: Place) -> _Body:
        """Return the topic that a memo goes to."""
        if "{topic}" in place.path:
            place = self._subject_of(memo, place)
        return self._bodies.setdefault(place.path, _Body(place, ""))

    def _subject_of(self, memo: Memo, place: Place) -> Place:
        """Return the place of the topic of a memo's subject."""
        known = {topic.title: topic.path for topic in self._topics}
        known |= {body.place.title: path for path, body in self._bodies.items() if body.place.title}
        others = [line for topic in self._topics for line in topic.text.splitlines()]
        others += [each for each in self._stated if each != memo.text]
        title = subjects.subject(memo.text, memo.kind, known, others)
        path = known.get(title) or place.path.replace("{topic}", name_for(title).removesuffix(".md"))
        return msgspec.structs.replace(place, path=path, title=title)

    def _item(self, memo: Memo, place: Place, item_id: str, text: str, *, kind: Kind | None) -> PutItem:
        """Return an item of a memo; without a kind it keeps the one that it has."""
        fields = {
            "text": text,
            "kind": kind,
            "speaker": memo.speaker,
            "at": instant(memo.at) if memo.at else None,
            "due": memo.due.isoformat() if memo.due else None,
            "valid_until": memo.valid_until.isoformat() if memo.valid_until else None,
            "salience": memo.salience,
        }
        data: dict[str, Any] = {place.fields.get(key, key): value for key, value in fields.items() if value is not None}
        return PutItem(path=place.path, id=item_id, data={**place.constants, **data}, **self._rests_on(memo))

    def _rests_on(self, memo: Memo) -> dict[str, Any]:
        stays = (each for each in memo.instead if memo.text.startswith(each.text))
        kept = [memo, *memo.again, *stays]
        over = tuple(self._source(each) for each in memo.instead if each not in kept)
        quotes = tuple(each.quote for each in kept)
        return {"sources": tuple(map(self._source, kept)), "quotes": quotes, "overrules": over, "trust": memo.trust}

    def _source(self, memo: Memo) -> Source:
        return Source(self._session, memo.message, memo.span)


class _Body:
    """The lines of one topic while memos are put into it."""

    def __init__(self, place: Place, text: str) -> None:
        self.place = place
        self._new = not text
        self._lines = text.split("\n") if text else []
        self.sources: tuple[Source, ...] = ()
        self.quotes: tuple[str, ...] = ()
        self.overrules: tuple[Source, ...] = ()
        self.trusts: list[Trust] = []
        self.description = place.description if self._new else ""

    def stated(self) -> list[str]:
        """Return the statements among the lines."""
        return [line.removeprefix("- ") for line in self._lines if _is_statement(line)]

    def says(self, text: str) -> bool:
        """True if a line says what a text does."""
        return any(matching.same(text, line.removeprefix("- ")) for line in self._lines)

    def put(self, old: str, text: str, **rests: Any) -> None:
        """Replace a statement."""
        place = self._place_of(old)
        self._lines[place] = f"- {text}" if self._lines[place].startswith("- ") else text
        self._rest(**rests)

    def add(self, text: str, **rests: Any) -> None:
        """Add a statement as a list item."""
        while self._lines and not self._lines[-1].strip():
            self._lines.pop()
        self._lines.append(f"- {text}")
        self._rest(**rests)

    def drop(self, gone: Known, **rests: Any) -> None:
        """Remove a statement, and a description that says it."""
        before = [*self._lines]
        del self._lines[self._place_of(gone.text)]
        if not wishes.is_bare(self._lines):
            about = self.description or gone.description
            self.description = wishes.described(about, before, self._lines) or self.description
        self._rest(**rests)

    def _place_of(self, text: str) -> int:
        lines = ((n, line.removeprefix("- ")) for n, line in enumerate(self._lines) if _is_statement(line))
        return next(n for n, line in lines if later.without_newer(line) == text)

    def _rest(
        self, *, sources: tuple[Source, ...], quotes: tuple[str, ...], trust: Trust, overrules: tuple[Source, ...] = ()
    ) -> None:
        self.sources, self.quotes = self.sources + sources, self.quotes + quotes
        self.overrules += overrules
        self.trusts.append(trust)

    def operation(self) -> PutTopic | RemoveTopic:
        if wishes.is_bare(self._lines):
            return RemoveTopic(
                path=self.place.path, sources=self.sources, quotes=self.quotes, trust=lowest_trust(self.trusts)
            )
        return PutTopic(
            path=self.place.path,
            body="\n".join(self._lines).rstrip("\n") + "\n",
            title=self.place.title if self._new else "",
            description=self.description,
            kind=self.place.topic_kind if self._new else "",
            sources=self.sources,
            quotes=self.quotes,
            overrules=self.overrules,
            trust=lowest_trust(self.trusts),
        )


def _is_statement(line: str) -> bool:
    """True if a line of a topic is an item of a list, or a sentence alone."""
    return line.startswith("- ") or (line[:1].isalnum() and len(sentences(line)) == 1)


def _only_changes(memo: Memo, stated: Sequence[str]) -> bool:
    """True if a memo counts only in place of another one, and says nothing by itself."""
    return memo.slot == CHANGE and not named.tells(memo, stated)


def _is_later(known: Known, memo: Memo) -> bool:
    """True if what is known was said after a memo, which comes from an older conversation."""
    return known.at is not None and memo.at is not None and memo.at < known.at


def _says_already(known: Known, memo: Memo) -> bool:
    """True if what is known has the values of an update already, from the same message."""
    said = [each.said for each in values.values(memo.news)] if known.at is not None and known.at == memo.at else []
    return bool(said) and all(each in known.text for each in said)


def _tells(known: Known, memo: Memo, place: Place) -> bool:
    """True if the agent or a person wrote down what a memo says, after it was said, where it is shown as a memo is."""
    if memo.at is None or known.at is None or known.at < memo.at or (known.title and place.form == "entry"):
        return False
    return any(matching.retells(each, memo.text) for each in sentences(known.text))


def _journal(noted: Sequence[str]) -> str:
    """Return what was noted of a range, a sentence each; empty if nothing was."""
    return " ".join([NOTED, *(text if text.endswith(_ENDS) else f"{text}." for text in noted)]) if noted else ""


def left_out(text: str, quotes: Sequence[str], kinds: Collection[str]) -> bool:
    """True if a statement is of the hour, or it or all that it rests on is a remark of one of these kinds."""
    said, *rests_on = [_remarked(each) in kinds for each in (text, *quotes)]
    return guard("of_the_hour").search(text) is not None or said or (bool(rests_on) and all(rests_on))


def _remarked(text: str) -> str:
    """Return the kind of the first remark in a text; empty if there is none."""
    found = clauses.clauses(text, clauses.mask(text))
    rules = (rule for each in found for rule in patterns.rows("remarks") if rule.pattern.match(each.text, each.core))
    return next((rule.kind for rule in rules), "")
