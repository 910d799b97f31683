"""Find the clauses of messages that are worth remembering.

Only a message of role user speaks of a person; from an assistant only a failure and its fix are taken. A joke, a
role that is played and a text to be written for another person are not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Final

import msgspec

from commonplace.guard.pasted import own_words, pasted
from commonplace.guard.phrases import phrase
from commonplace.jobs.rules import (
    clauses,
    complete,
    corrections,
    later,
    listed,
    orders,
    overruling,
    patterns,
    personal,
    talks,
    updates,
    wishes,
    wording,
)
from commonplace.jobs.rules.clauses import Clause
from commonplace.jobs.rules.complete import TEXT_CHARS
from commonplace.jobs.rules.memos import ANNOUNCED, CHANGE, NAMED, RENAMED, Known, Memo
from commonplace.jobs.rules.patterns import guard
from commonplace.records import RecordedMessage
from commonplace.text import content, dates, denials
from commonplace.text.pieces import one_line, short_name

PLAY_REST: Final = timedelta(hours=1)
SCAN_CHARS: Final = wishes.SCAN_CHARS
MOST_MEMOS: Final = 50  # of a message; one with more is no talk of a person
SENTENCE_GAP: Final = 3  # characters between two sentences of one thing
NAME_CHARS: Final = 25  # of what is over, where a statement begins with it


class Reader:
    """Reads one range of a conversation, message by message; remembers only whether a role is being played."""

    def __init__(self, messages: Sequence[RecordedMessage], zone: tzinfo) -> None:
        self._talk = talks.talk_of(messages, zone)
        self._playing = False
        self._played: datetime | None = None  # when the person spoke last
        self._asked = False  # in the message before, what was no statement

    def read(self, item: RecordedMessage) -> list[Memo]:
        """Return the memos of one message in the order they were said."""
        text = item.text
        if item.message.role == "user" and (item.message.trust or "user") == "user":
            if self._not_meant(item) or phrase("unkept").search(text):
                return []
            memos = [memo for start, part in self._parts(text) for memo in self._of_user(item, start, part)]
            asked = [(found.start(), _sentence_end(text, found.end())) for found in guard("to_forget").finditer(text)]
            asked += wishes.spans(text)
            memos = [memo for memo in memos if not any(a < memo.span[1] and memo.span[0] < b for a, b in asked)]
            self._asked = all(memo.slot == CHANGE for memo in memos)
        elif item.message.role == "assistant" and self._talk.coding:
            memos = [memo for start, part in self._parts(text) for memo in self._of_agent(item, start, part)]
        else:
            return []
        return sorted(memos, key=lambda memo: memo.span)[:MOST_MEMOS]

    def _not_meant(self, item: RecordedMessage) -> bool:
        """True if a message is a joke, of a world that is only thought of, or said in a role; a rest ends a play."""
        head, at = item.text[:SCAN_CHARS], item.message.at
        rested = at is not None and self._played is not None and at - self._played > PLAY_REST
        self._played = at
        if guard("played").search(head):
            playing, self._playing = self._playing, False
            return playing
        self._playing = guard("play").search(head) is not None or (self._playing and not rested)
        return self._playing or any(guard(name).search(head) for name in ("joke", "thought_of"))

    def _parts(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the text, or of a very long one its head and its tail, because the middle of such a text is pasted."""
        limit = SCAN_CHARS
        if len(text) <= limit:
            yield 0, text
            return
        head = limit * 3 // 4
        yield 0, text[:head]
        yield len(text) - (limit - head), text[len(text) - (limit - head) :]

    def _of_user(self, item: RecordedMessage, start: int, text: str) -> Iterator[Memo]:
        end = start + len(text)
        foreign = ((max(a, start) - start, min(b, end) - start) for a, b in pasted(item.text) if a < end and b > start)
        masked = clauses.mask(text, tuple(foreign))
        drafted = guard("draft").search(text)
        if drafted is not None:
            masked = masked[: drafted.start()] + clauses.MASK * (len(text) - drafted.start())
        spoken = list(self._spoken(item, start, text, masked))
        spoken = self._with_news(item, start, masked, spoken)
        yield from spoken
        yield from self._items(item, start, masked, [memo.span for memo in spoken if memo.slot != CHANGE])

    def _spoken(self, item: RecordedMessage, start: int, text: str, masked: str) -> Iterator[Memo]:
        """Yield what the clauses of a text state, each by itself."""
        kin = guard("kin_named").finditer(masked)
        named = (found for found in kin if guard("not_called").search(masked[: found.start()]) is None)
        yield from (memo for found in named if (memo := self._kin(item, start, found)) is not None)
        before: Clause | None = None
        held: Memo | None = None  # what the next clause may limit
        for clause in clauses.clauses(text, masked):
            memo = self._stated(item, start, clause, before)
            if memo is not None and before is not None:
                memo = _of_topic(memo, before, text[before.end : clause.start])
            before = clause
            if memo is None and held is not None:
                held = complete.limited(held, clause, item, start) or held
            elif memo is not None:
                yield from filter(None, (held,))
                held = memo
        yield from filter(None, (held,))

    def _with_news(self, item: RecordedMessage, start: int, masked: str, spoken: list[Memo]) -> list[Memo]:
        """Return the memos of a text with the sentences that may update what is known, as memos if they are none."""
        found = list(spoken)
        before = (0, "")  # where the news before ends, and its words
        for begin, end, mark in clauses.sentences(masked):
            said = one_line(masked[begin:end])
            asks = mark.strip().startswith(("?", "？")) or guard("question_start").match(updates.worded(said))
            is_news = updates.is_news(said)
            if clauses.MASK in said or asks or not (is_news or later.is_said_of(said)):
                continue
            if self._asked and is_news and updates.is_bare(said):
                continue
            words, behind = said, before[1] if begin - before[0] <= SENTENCE_GAP else ""
            if not is_news:  # it ends what was, and that says what is
                words = ". ".join(filter(None, (behind, said)))
            before = (end, said if is_news else "")
            if is_news and denials.denies(behind) and updates.is_bare(said):  # that says of what it is
                said = f"{behind}, {said}"
            said = self._with_dates(said, item)
            span = (start + begin, start + end)
            inside = [memo for memo in found if memo.span[0] < span[1] and span[0] < memo.span[1]]
            if inside and is_news:
                last = max(inside, key=lambda memo: (memo.slot != CHANGE, memo.span))
                whole = self._whole(last, item, said, span)
                found[found.index(last)] = msgspec.structs.replace(whole, news=said, words=words)
            elif not inside:
                name = short_name(item.message.name)
                text = personal.fitted(self._talk, updates.worded(said), 0, name)
                memo = talks.memo_of(item, "fact", text or said, span, 0.3, slot=CHANGE)
                found.append(msgspec.structs.replace(memo, news=said if is_news else "", words=words))
        return found

    def _whole(self, memo: Memo, item: RecordedMessage, said: str, span: tuple[int, int]) -> Memo:
        """Return a memo of what comes instead (`Ada comes along instead`) with the sentence that says of what."""
        if guard("what_instead").search(memo.text) is None:
            return memo
        text = personal.fitted(self._talk, said, 0, short_name(item.message.name))
        return msgspec.structs.replace(memo, text=text or memo.text, span=span, quote=item.text[slice(*span)])

    def _stated(self, item: RecordedMessage, start: int, clause: Clause, before: Clause | None) -> Memo | None:
        """Return what one clause states, as the first kind of statement that it fits."""
        if before is not None and self._talk.instructed and guard("asked_alone").fullmatch(clause.text):
            return personal.kept(self._talk, item, start, before, "fact")
        memo = (
            orders.standing(self._talk, item, start, clause)
            or self._correction(item, start, clause)
            or personal.personal(self._talk, item, start, clause)
            or orders.convention(self._talk, item, start, clause)
        )
        kin = guard("kin_named").match(clause.text, clause.core)
        if memo is None and kin and not (clause.conditional or guard("report").search(clause.text)):
            more = len(clause.text[kin.end() :].split()) > 1  # it says more of them than the name
            memo = personal.kept(self._talk, item, start, clause, "fact") if more else None
        if memo is None and (self._talk.coding or guard("code").search(clause.text)):
            memo = orders.remark(item, start, clause)
        if memo is None:
            found = (orders.foreign(self._talk, item, start, each) for each in clauses.shorter(clause))
            memo = next((memo for memo in found if memo), None) or self._change(item, start, clause, before)
        return memo

    def _items(
        self, item: RecordedMessage, start: int, masked: str, taken: Sequence[tuple[int, int]]
    ) -> Iterator[Memo]:
        """Yield what a person lists under a heading of their own, in whatever words, where no clause was taken."""
        for begin, end, heading in listed.items(masked):
            span = (start + begin, start + end)
            if any(a < span[1] and span[0] < b for a, b in taken):
                continue
            name = short_name(item.message.name)
            said = one_line(masked[begin:end]).rstrip(" .,;。")
            text = personal.fitted(self._talk, said, 0, name) if heading.kind == "facts" else heading.worded(said, name)
            if text is not None and len(text) <= TEXT_CHARS:
                memo = talks.memo_of(item, listed.KINDS[heading.kind], text, span, 0.8)
                yield msgspec.structs.replace(memo, listed=True)

    def _of_agent(self, item: RecordedMessage, start: int, text: str) -> Iterator[Memo]:
        for clause in clauses.clauses(text, clauses.mask(text, pasted(text))):
            memo = orders.remark(item, start, clause)
            if memo is not None and memo.kind == "fix":
                yield memo

    def _kin(self, item: RecordedMessage, start: int, found: re.Match[str]) -> Memo | None:
        name = found["o"].split()
        if name[0] in patterns.words("no_names"):
            return None
        called = " ".join(name[:1] if len(name) > 1 and name[1] in patterns.words("no_names") else name)
        frame = f"{short_name(item.message.name) or wording.UNNAMED}'s {found['k'].lower()} is"
        span = (start + found.start(), start + found.start("o") + len(called))
        only = found["k"].split()[-1].lower() in patterns.words("one_only")
        return talks.memo_of(
            item, "fact", f"{frame} {called}.", span, 0.6, slot=found["k"].lower(), frame=frame if only else ""
        )

    def _correction(self, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
        if clause.question or clause.reported or clause.conditional or clause.unreal:
            return None
        announced = guard("corrects").search(clause.lead) is not None
        amended = corrections.amended(clause.text, announced=announced)
        stated = amended and personal.fitted(self._talk, clause.text, 0, short_name(item.message.name))
        if amended is not None and stated:
            return talks.memo_of(item, "fact", stated, talks.span_of(start, clause), 0.9,
                              slot=ANNOUNCED if announced else NAMED,
                              supersedes=amended.old, becomes=amended.new)  # fmt: skip
        renamed = corrections.renamed(clause.text)
        if renamed is not None:
            return talks.memo_of(item, "fact", clause.text, talks.span_of(start, clause), 0.9, slot=RENAMED,
                              supersedes=renamed.old, becomes=renamed.new)  # fmt: skip
        found = corrections.corrected(clause.lead + clause.text) or corrections.corrected(clause.text)
        if found is None:
            return None
        text = f"{found.new}, not {found.old}."
        old, new = self._dated(found.old, item), self._dated(found.new, item)
        return talks.memo_of(item, "fact", text, talks.span_of(start, clause), 0.9, supersedes=old, becomes=new)

    def _dated(self, value: str, item: RecordedMessage) -> str:
        """Return a value that is a date of the calendar as statements have it."""
        if item.message.at is None or not re.search(r"\d", value):
            return value
        return dates.absolute(value, item.message.at, self._talk.zone)[0]

    def _with_dates(self, text: str, item: RecordedMessage) -> str:
        """Return a text with its days as dates; one of each year stays as it is said."""
        if item.message.at is None or guard("yearly").search(text):
            return text
        return dates.absolute(text, item.message.at, self._talk.zone, once=False)[0]

    def _change(self, item: RecordedMessage, start: int, clause: Clause, before: Clause | None) -> Memo | None:
        """Read what is new or over (`we left Oslo and live in Bergen now`), in whatever words it is said."""
        if clause.question or clause.reported or clause.conditional or clause.unreal:
            return None
        old = corrections.ended(clause)
        if not old and (guard("changed").search(clause.text) is None or guard("pointing").search(clause.text)):
            return None
        undated = guard("put_off").search(clause.text) and not re.search(r"\d", clause.text)
        undated = undated and not content.is_wide(clause.text)
        if undated or (old and clause.text.find(old) < NAME_CHARS):  # what is new stands before, or behind it
            near = before is not None and clause.start - before.end <= SENTENCE_GAP and len(before.text.split()) > 3
            first = before if before is not None and near and not undated else clause
            stop = guard("stop").search(item.text, start + clause.end)
            end = len(item.text) if stop is None else stop.start()
            clause = msgspec.structs.replace(
                clause, text=item.text[start + first.start : end], start=first.start, end=end - start, core=0
            )
        text = self._with_dates(guard("announced").sub("", clause.text), item)
        stated = personal.fitted(self._talk, text, clause.core, short_name(item.message.name))
        if stated is None:
            return None
        return talks.memo_of(item, "fact", stated, talks.span_of(start, clause), 0.3, slot=CHANGE, supersedes=old)


def _of_topic(memo: Memo, before: Clause, between: str) -> Memo:
    """Return a memo with what it is about, if that is named before it (`the hut, we leave on Friday`)."""
    named = guard("topic").fullmatch(before.text) if between.strip() in {",", ":"} and not memo.slot else None
    if named is None or len(memo.text) + len(before.text) > TEXT_CHARS:
        return memo
    said = memo.text if memo.text.startswith((wording.UNNAMED, "I ")) else memo.text[0].lower() + memo.text[1:]
    return msgspec.structs.replace(memo, text=f"{before.text[0].upper()}{before.text[1:]}: {said}")


def _sentence_end(text: str, start: int) -> int:
    stop = guard("stop").search(text, start)
    return len(text) if stop is None else stop.start()


def is_forgotten(memo: Memo, item: RecordedMessage, others: frozenset[str]) -> bool:
    """True if a message asks to forget what a memo says, or right behind it only that it is not to be remembered."""
    mine = (memo.speaker or wording.UNNAMED) not in others
    if mine and memo.number < item.number <= memo.number + wishes.REPLY_GAP and wishes.is_of_last(item.text):
        return True
    known = Known("", "", memo.text, quotes=(memo.quote,))
    said = content.sentences(own_words(item.text))
    return any(overruling.wished_away(each, others, memo.speaker if mine else None, [(0, known)]) for each in said)
