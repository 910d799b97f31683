"""Find the clauses of messages that are worth remembering.

Only a message of role user speaks of a person; from an assistant or a tool only a failure and its fix are
taken. A joke, a role that is played and a text to be written for another person are not
read at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta, tzinfo
from typing import Final

import msgspec

from commonplace.guard.pasted import pasted
from commonplace.jobs.rules import clauses, complete, corrections, listed, patterns, wording
from commonplace.jobs.rules.clauses import Clause
from commonplace.jobs.rules.complete import REASON_GAP, TEXT_CHARS
from commonplace.jobs.rules.memos import CHANGE, CHANGED_MIND, HOME, NAMED, SWITCHED, Memo
from commonplace.jobs.rules.patterns import Kind, Rule, guard
from commonplace.records import RecordedMessage, Trust
from commonplace.text import dates
from commonplace.text.pieces import one_line, plain_name

_HELD_AT: Final = (
    "is", "are", "moves", "moved", "has moved", "takes place", "happens", "starts", "begins", "shifts", "changes",
)  # fmt: skip
MEMOS_PER_MESSAGE: Final = 4  # the least salient go first
NAME_CHARS: Final = 25  # of what is over, where a statement begins with it
SCAN_CHARS: Final = 20_000  # of a longer message only head and tail are read: the middle is pasted


class Reader:
    """Reads one range of a conversation, message by message; remembers only whether a role is being played."""

    def __init__(self, messages: Sequence[RecordedMessage], zone: tzinfo) -> None:
        self._zone = zone
        self._playing = False
        names = {item.message.name for item in messages if item.message.role == "user" and item.message.name}
        assisted = any(item.message.role == "assistant" for item in messages)
        self._two = len(names) > 1  # then `we` may mean the listener
        self._alone = len(names) < 2
        self._instructed = assisted or len(names) < 2
        self._coding = any(item.message.role == "tool" or item.message.tools for item in messages) or any(
            guard("code").search(item.text, 0, 4000) for item in messages if item.message.role == "assistant"
        )

    def read(self, item: RecordedMessage) -> list[Memo]:
        """Return the memos of one message in the order they were said; of many the most salient."""
        text = item.text
        if item.message.role == "user" and (item.message.trust or "user") == "user":
            if self._not_meant(text):
                return []
            memos = [memo for start, part in self._parts(text) for memo in self._of_user(item, start, part)]
        elif item.message.role == "assistant" and self._coding:
            memos = [memo for start, part in self._parts(text) for memo in self._of_agent(item, start, part)]
        else:
            return []
        memos.sort(key=lambda memo: -memo.salience)
        kept = [memo for memo in memos if memo.listed] + [memo for memo in memos if not memo.listed][:MEMOS_PER_MESSAGE]
        return sorted(kept, key=lambda memo: memo.span)

    def errors(self, item: RecordedMessage) -> Iterator[Memo]:
        """Yield the error lines of a tool's answer; they are worth keeping only beside their fix."""
        if item.message.role != "tool":
            return
        for found in guard("error_line").finditer(item.text, 0, SCAN_CHARS):
            if "⟦" not in found["o"]:
                yield self._memo(
                    item, "failure", f"Failure: {one_line(found['o'])}", found.span("o"), 0.55, trust="tool"
                )

    def _not_meant(self, text: str) -> bool:
        head = text[:SCAN_CHARS]
        if guard("played").search(head):
            self._playing = False
            return True
        if guard("play").search(head):
            self._playing = True
        return self._playing or bool(guard("joke").search(head))

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
        yield from spoken
        yield from self._items(item, start, masked, [memo.span for memo in spoken if memo.slot != CHANGE])

    def _spoken(self, item: RecordedMessage, start: int, text: str, masked: str) -> Iterator[Memo]:
        """Yield what the clauses of a text state, each by itself."""
        kin = guard("kin_named").finditer(masked)
        yield from (memo for found in kin if (memo := self._kin(item, start, found)) is not None)
        before: Clause | None = None
        held: Memo | None = None  # what the next sentence may go on with
        for spoken in clauses.clauses(text, masked):
            clause = clauses.with_topic(before, clauses.with_work(before, clauses.with_what_it_is(before, spoken)))
            former, before = before, spoken
            longer = None if held is None else complete.continued(held, clause, item, start)
            memo = None if longer is not None else self._stated(item, start, clause, former)
            if held is not None:
                yield longer or (complete.limited(held, clause, item, start) if memo is None else None) or held
            held = None
            if (
                memo is None
                or memo.becomes
                or memo.slot == CHANGE
                or memo.kind not in {"fact", "decision", "constraint"}
            ):
                yield from filter(None, (memo,))
            else:
                held = memo
        if held is not None:
            yield held

    def _stated(self, item: RecordedMessage, start: int, clause: Clause, before: Clause | None) -> Memo | None:
        """Return what one clause states, as the first kind of statement that it fits."""
        if before is not None and self._instructed and guard("asked_alone").fullmatch(clause.text):
            return self._kept(item, start, before, "fact")
        memo = (
            self._standing(item, start, clause)
            or self._correction(item, start, clause)
            or self._personal(item, start, clause)
            or self._convention(item, start, clause)
        )
        if memo is None and (self._coding or guard("code").search(clause.text)):
            memo = self._remark(item, start, clause)
        if memo is None:
            found = (self._foreign(item, start, each) for each in clauses.shorter(clause))
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
            name = plain_name(item.message.name)
            said = one_line(masked[begin:end]).rstrip(" .,;。")
            text = self._fitted(said, 0, name) if heading.kind == "facts" else heading.worded(said, name)
            if text is not None and len(text) <= TEXT_CHARS:
                memo = self._memo(item, listed.KINDS[heading.kind], text, span, 0.8)
                yield msgspec.structs.replace(memo, listed=True)

    def _of_agent(self, item: RecordedMessage, start: int, text: str) -> Iterator[Memo]:
        for clause in clauses.clauses(text, clauses.mask(text, pasted(text))):
            memo = self._remark(item, start, clause)
            if memo is not None and memo.kind == "fix":
                yield memo

    def _kin(self, item: RecordedMessage, start: int, found: re.Match[str]) -> Memo | None:
        name = found["o"].split()
        if name[0] in patterns.words("no_names"):
            return None
        called = " ".join(name[:1] if len(name) > 1 and name[1] in patterns.words("no_names") else name)
        frame = f"{plain_name(item.message.name) or wording.UNNAMED}'s {found['k'].lower()} is"
        span = (start + found.start(), start + found.start("o") + len(called))
        only = found["k"].split()[-1].lower() in patterns.words("one_only")
        return self._memo(
            item, "fact", f"{frame} {called}.", span, 0.6, slot=found["k"].lower(), frame=frame if only else ""
        )

    def _standing(self, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
        if clause.question or clause.reported or len(clause.text.split()) < 3:
            return None
        if not self._instructed and guard("assistants_work").search(clause.text) is None:
            return None
        for rule in patterns.rows("standing"):
            found = rule.pattern.match(clause.text, clause.core)
            if found is None or guard("wishful").search(clause.text[:12]):
                continue
            said = f"Call me {clause.text[found.start('o') :]}" if rule.slot else clause.text
            text = guard("courtesy").sub("", one_line(said))
            text = text[:1].upper() + text[1:]
            if len(text) > TEXT_CHARS:
                return None
            frame = "Call me" if rule.slot else ""
            return self._memo(item, "instruction", text.rstrip(" .,;") + ".", self._span(start, clause), rule.weight,
                              slot=rule.slot, frame=frame, supersedes=corrections.ended(clause))  # fmt: skip
        return None

    def _correction(self, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
        if clause.question or clause.reported or clause.conditional:
            return None
        if clause.unreal:
            return None
        announced = guard("corrects").search(clause.lead) is not None
        amended = corrections.amended(clause.text, announced=announced)
        if amended is not None and (stated := self._fitted(clause.text, 0, plain_name(item.message.name))) is not None:
            return self._memo(item, "fact", stated, self._span(start, clause), 0.9,
                              slot=NAMED, supersedes=amended.old, becomes=amended.new,
                              alone=announced)  # fmt: skip
        found = corrections.corrected(clause.lead + clause.text) or corrections.corrected(clause.text)
        if found is None:
            return None
        text = f"{found.new}, not {found.old}."
        old, new = self._dated(found.old, item), self._dated(found.new, item)
        return self._memo(item, "fact", text, self._span(start, clause), 0.9, supersedes=old, becomes=new)

    def _dated(self, value: str, item: RecordedMessage) -> str:
        """Return a value that is a date of the calendar as statements have it."""
        if item.message.at is None or not re.search(r"\d", value):
            return value
        return dates.absolute(value, item.message.at, self._zone)[0]

    def _explicit(self, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
        """Return the memo of a clause that was marked as worth noting (`Fact: …`) though no row knows its shape."""
        mark = guard("noted").match(clause.lead)
        if mark is None or not guard("asserts").search(clause.text):
            return None
        if not self._instructed and guard("bare").search(clause.lead + clause.text):
            return None  # people say `remember, life is short` to each other
        label = (mark["mark"] or "fact").split()[-1]
        kinds: dict[str, Kind] = {"decision": "decision", "preference": "preference"}
        kinds |= dict.fromkeys(("rule", "constraint"), "constraint")
        return self._kept(item, start, clause, kinds.get(label, "fact"))

    def _kept(self, item: RecordedMessage, start: int, clause: Clause, kind: Kind) -> Memo | None:
        """Return the memo of a clause that a person asked to remember, in whatever words it is."""
        short = len(clause.text.split()) < 3 and len(guard("wide").findall(clause.text)) < 4
        if clause.question or clause.reported or clause.unreal or short:
            return None
        rule = Rule(kind=kind, weight=0.7, pattern=guard("anything"))
        found = guard("anything").fullmatch(clause.text)
        return None if found is None else self._worded(item, start, clause, rule, found)

    def _personal(self, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
        if clause.question or clause.reported or clause.conditional:
            return None
        found = (self._by_row(item, start, each) for each in clauses.shorter(clause))
        return next((memo for memo in found if memo), None) or self._explicit(item, start, clause)

    def _by_row(self, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
        plain = clauses.without_aside(clause)
        for rule in patterns.rows("person"):
            if clause.unreal and not rule.unreal:
                continue
            short = plain if rule.kind in {"preference", "fact", "task"} else clause
            found = rule.pattern.match(short.text, short.core)
            if found is not None and rule.name == "introduces" and not self._introduced(item, found["o"]):
                continue
            memo = None if found is None else self._worded(item, start, short, rule, found)
            if memo is not None:
                return msgspec.structs.replace(memo, supersedes=memo.supersedes or corrections.ended(clause))
        return None

    @staticmethod
    def _introduced(item: RecordedMessage, name: str) -> bool:
        """True if `I'm Ada` gives a name: after a greeting or with the surname, and if it is not known yet."""
        greeting = guard("greets").search(item.text) or guard("full_name").fullmatch(name.strip(" .!"))
        return greeting is not None and name.split(maxsplit=1)[0] != plain_name(item.message.name)

    def _worded(
        self, item: RecordedMessage, start: int, clause: Clause, rule: Rule, found: re.Match[str]
    ) -> Memo | None:
        if self._two and rule.kind == "preference" and guard("we_start").search(clause.text):
            return None
        said = (found.groupdict().get("o") or found.groupdict().get("p") or "").strip()
        if not complete.says_something(clause.text, said, rule) or (
            not (rule.dated or rule.past) and guard("of_the_hour").search(clause.text)
        ):
            return None
        past = rule.past or guard("past").match(clause.text, clause.core) is not None
        past = past and rule.kind != "decision" and guard("arranged").search(clause.text) is None
        text, core = clause.text, clause.core
        whens: tuple[dates.When, ...] = ()
        if item.message.at is not None and not guard("yearly").search(clause.text):
            kept = self._recurring_part(clause.text, rule)
            dated, whens = dates.absolute(clause.text[kept:], item.message.at, self._zone, past=past and not rule.ahead)
            text = clause.text[:kept] + dated
            if not kept and core and whens and whens[0].start < core:
                core = clause.core - (whens[0].end - whens[0].start) + len(whens[0].wording)
        whens = tuple(when for when in whens if self._ahead(when, item)) if rule.ahead else whens
        if rule.dated and not whens:
            return None
        first = whens[0] if whens else None
        stated = None if guard("dangling").search(text) else self._fitted(text, core, plain_name(item.message.name))
        if stated is None:
            return None
        due = first.last if first is not None and rule.kind in {"task", "constraint"} else None
        until = first.last if first is not None and re.search(r"\b(?:until|till)\b", clause.text) else None
        weight = (
            rule.weight
            - 0.4 * bool(guard("ephemeral").search(clause.text) and not rule.dated)
            + 0.1 * bool(guard("explicit").search(clause.lead))
        )
        weight += 0.03 * bool(whens) + 0.02 * bool(
            re.search(r"\d|\b[A-Z][a-z]+ ?[A-Z]?", clause.text[clause.core + 2 :])
        )
        return self._memo(
            item, rule.kind, stated, self._span(start, clause), weight,
            slot=self._slot(item, clause, rule, found, first),
            frame=self._frame(clause, found, rule, plain_name(item.message.name)),
            supersedes=corrections.ended(clause), due=due, valid_until=until,
        )  # fmt: skip

    @staticmethod
    def _recurring_part(text: str, rule: Rule) -> int:
        """Return how much of a text says when something recurs: its weekdays are no dates."""
        if not rule.name.startswith("recurring") or (rule.name == "recurring" and not guard("often").search(text)):
            return 0
        begins = guard("effective").search(text)
        return len(text) if begins is None else begins.start()

    def _ahead(self, when: dates.When, item: RecordedMessage) -> bool:
        at = item.message.at
        return at is not None and when.last >= at.astimezone(self._zone).date()

    def _slot(
        self,
        item: RecordedMessage,
        clause: Clause,
        rule: Rule,
        found: re.Match[str],
        first: dates.When | None,
    ) -> str:
        """Return the slot that the statement gives a value to; a recent move says where a person lives."""
        if "changed my mind" in clause.lead and rule.kind == "decision":
            return CHANGED_MIND
        if "actually" in clause.lead and guard("switched").match(clause.text, clause.core):
            return SWITCHED
        at = item.message.at
        late = first is None or (at is not None and first.last > at.date() - timedelta(days=366))
        old = any(at is not None and int(year) < at.year - 1 for year in re.findall(r"\b(?:19|20)\d\d\b", clause.text))
        if rule.past and late and not old and guard("moved").match(clause.text, clause.core):
            return HOME
        return rule.slot.format(**{key: (value or "").lower() for key, value in found.groupdict().items()})

    def _frame(self, clause: Clause, found: re.Match[str], rule: Rule, speaker: str | None) -> str:
        """Word what has one value at a time, up to that value."""
        if not rule.slot or clause.core or "o" not in found.groupdict() or found["o"] is None:
            return ""
        if "{k}" in rule.slot and found["k"] is None:
            return ""
        if rule.name.startswith("recurring"):
            named = wording.statement(clause.text[: found.end("k")], 0, speaker, alone=self._alone).rstrip(".")
            return "|".join(f"{named} {verb}" for verb in _HELD_AT)
        return wording.statement(clause.text[: found.start("o")], 0, speaker, alone=self._alone).rstrip(".")

    def _fitted(self, text: str, core: int, speaker: str | None) -> str | None:
        """Word a clause in the room there is, cut only where a reason or an aside begins."""
        for _ in range(4):
            stated = wording.statement(text, core, speaker, alone=self._alone)
            if len(stated) <= TEXT_CHARS:
                return stated if len(stated.split()) >= 3 or len(guard("wide").findall(stated)) >= 4 else None
            tail = guard("tail").search(text)
            if tail is None or tail.start() < max(30, core):
                return None
            text = text[: tail.start()]
        return None

    def _remark(self, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
        if clause.question or clause.reported or clause.conditional or clause.unreal:
            return None
        for rule in patterns.rows("remarks"):
            found = rule.pattern.match(clause.text, clause.core)
            if found is None or guard("pointing").search(clause.text) or guard("substitute").match(found["o"]):
                continue
            text = one_line(clause.text)
            if len(text) > TEXT_CHARS - 1 or len(text.split()) < 5:
                return None
            trust: Trust = "user" if item.message.role == "user" else item.message.trust or "agent"
            return self._memo(
                item, rule.kind, text[:1].upper() + text[1:] + ".", self._span(start, clause), rule.weight,
                trust=trust, slot=rule.slot,
            )  # fmt: skip
        return None

    def _convention(self, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
        """Read what is said to coding agents: `no console logs`, `it must stop at a newline`, `we use pnpm here`."""
        if clause.question or clause.reported or clause.conditional or not self._instructed:
            return None
        about_code = self._coding or guard("coder").search(clause.text) is not None
        said = guard("courtesy").sub("", guard("oath").sub("", guard("outcry").sub("", one_line(clause.text))))
        behind = guard("behind_an_order").search(said)
        order = guard("courtesy").sub("", said if behind is None else said[: behind.start()])
        for rule in patterns.rows("coding"):
            if rule.code and not about_code:
                continue
            found = rule.pattern.fullmatch(said) or rule.pattern.fullmatch(order)
            if found is None or len(clause.text.split()) < 3 or len(clause.text) > TEXT_CHARS:
                continue
            if (clause.unreal and not rule.unreal) or guard("of_the_hour").search(clause.text):
                continue
            frame = said[: said.find(found["o"])].strip() if rule.slot else ""
            stated = said[:1].upper() + said[1:].rstrip(" .,;") + "."
            return self._memo(item, rule.kind, stated, self._span(start, clause), rule.weight, slot=rule.slot,
                              frame=frame, supersedes=corrections.ended(clause))  # fmt: skip
        return None

    def _foreign(self, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
        if clause.question or clause.reported or len(clause.text) > TEXT_CHARS - 40:
            return None
        if guard("unsure").search(clause.text):
            return None
        ways = (clause.text, guard("newly").sub("", clause.text).strip())
        found = next(
            (
                rule
                for rule in patterns.rows("foreign")
                if (self._coding or not rule.code) and any(map(rule.pattern.match, ways))
            ),
            None,
        )
        asked = guard("asks").match(clause.text)
        said = clause.text[asked.end() :] if asked else clause.text
        lasting = guard("in_this_project").sub("", said)
        if found is None or (found.kind != "instruction" and guard("passing").search(lasting)):
            return None
        text = one_line(clause.text)
        if found.kind != "instruction":
            text = f"{plain_name(item.message.name) or wording.UNNAMED}: {text}"
        return self._memo(item, found.kind, text, self._span(start, clause), found.weight)

    def _change(self, item: RecordedMessage, start: int, clause: Clause, before: Clause | None) -> Memo | None:
        """Read what is new or over (`we left Oslo and live in Bergen now`), in whatever words it is said."""
        sets = guard("sets").match(clause.text) is not None
        if clause.question or clause.reported or clause.conditional or (clause.unreal and not sets):
            return None
        old = corrections.ended(clause)
        if not (old or sets) and (
            guard("changed").search(clause.text) is None or guard("pointing").search(clause.text)
        ):
            return None
        if old and clause.text.find(old) < NAME_CHARS:  # what is new is said before what is over, or behind it
            first = before if before is not None and clause.start - before.end <= REASON_GAP else clause
            stop = guard("stop").search(item.text, start + clause.end)
            end = len(item.text) if stop is None else stop.start()
            clause = msgspec.structs.replace(
                clause, text=item.text[start + first.start : end], start=first.start, end=end - start, core=0
            )
        text = guard("announced").sub("", clause.text)
        text = dates.absolute(text, item.message.at, self._zone)[0] if item.message.at else text
        stated = self._fitted(text, clause.core, plain_name(item.message.name))
        if stated is None:
            return None
        return self._memo(item, "fact", stated, self._span(start, clause), 0.3, slot=CHANGE, supersedes=old)

    @staticmethod
    def _span(start: int, clause: Clause) -> tuple[int, int]:
        return start + clause.start, start + clause.end

    def _memo(
        self,
        item: RecordedMessage,
        kind: Kind,
        text: str,
        span: tuple[int, int],
        salience: float,
        *,
        trust: Trust = "user",
        slot: str = "",
        frame: str = "",
        supersedes: str = "",
        becomes: str = "",
        alone: bool = False,
        due: date | None = None,
        valid_until: date | None = None,
    ) -> Memo:
        return Memo(
            kind=kind,
            text=text,
            number=item.number,
            message=item.message.id or item.id,
            quote=item.text[slice(*span)],
            span=span,
            trust=trust,
            salience=round(salience, 3),
            slot=slot,
            frame=frame,
            supersedes=supersedes,
            becomes=becomes,
            alone=alone,
            speaker=plain_name(item.message.name),
            at=item.message.at,
            due=due,
            valid_until=valid_until,
        )
