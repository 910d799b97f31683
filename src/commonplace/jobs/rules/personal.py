"""Reads what people say of themselves and of those they know: one clause, one statement."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

import msgspec

from commonplace.jobs.rules import clauses, complete, corrections, patterns, talks, values, wording
from commonplace.jobs.rules.clauses import Clause
from commonplace.jobs.rules.complete import TEXT_CHARS
from commonplace.jobs.rules.memos import CHANGED_MIND, HOME, Memo
from commonplace.jobs.rules.patterns import Kind, Rule, guard
from commonplace.jobs.rules.talks import Talk
from commonplace.records import RecordedMessage
from commonplace.text import dates, validity
from commonplace.text.patterns import pattern
from commonplace.text.pieces import short_name

_HELD_AT: Final = (
    "is", "are", "moves", "moved", "has moved", "takes place", "happens", "starts", "begins", "shifts", "changes",
)  # fmt: skip
_UNTIL: Final = pattern(r"\s(?:until|till)\s\d{4}-\d\d-\d\d\.?\Z")


def _explicit(talk: Talk, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
    """Return the memo of a clause that was marked as worth noting (`Fact: …`) though no row knows its shape."""
    mark = guard("noted").match(clause.lead)
    if mark is None or not guard("asserts").search(clause.text) or corrections.ended(clause):
        return None
    if not talk.instructed and guard("bare").search(clause.lead + clause.text):
        return None  # people say `remember, life is short` to each other
    label = (mark["mark"] or "fact").split()[-1]
    kinds: dict[str, Kind] = {"decision": "decision", "preference": "preference"}
    kinds |= dict.fromkeys(("rule", "constraint"), "constraint")
    return kept(talk, item, start, clause, kinds.get(label, "fact"))


def kept(talk: Talk, item: RecordedMessage, start: int, clause: Clause, kind: Kind) -> Memo | None:
    """Return the memo of a clause that a person asked to remember, in whatever words it is."""
    short = len(clause.text.split()) < 3 and len(guard("wide").findall(clause.text)) < 4
    if clause.question or clause.reported or clause.unreal or short:
        return None
    rule = Rule(kind=kind, pattern=guard("anything"))
    found = guard("anything").fullmatch(clause.text)
    return None if found is None else _worded(talk, item, start, clause, rule=rule, found=found)


def personal(talk: Talk, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
    """Return what a clause says of the person who speaks, or what is marked as worth noting."""
    if clause.question or clause.reported or clause.conditional:
        return None
    found = (_by_row(talk, item, start, each) for each in clauses.shorter(clause))
    return next((memo for memo in found if memo), None) or _explicit(talk, item, start, clause)


def _by_row(talk: Talk, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
    plain = clauses.without_aside(clause)
    for rule in patterns.rows("person"):
        if clause.unreal and not rule.unreal:
            continue
        short = plain if rule.kind in {"preference", "fact", "task"} else clause
        found = rule.pattern.match(short.text, short.core)
        if found is not None and rule.name == "introduces" and not _introduced(item, found["o"]):
            continue
        memo = None if found is None else _worded(talk, item, start, short, rule=rule, found=found)
        if memo is not None:
            return msgspec.structs.replace(memo, supersedes=memo.supersedes or corrections.ended(clause))
    return None


def _introduced(item: RecordedMessage, name: str) -> bool:
    """True if `I'm Ada` gives a name: after a greeting or with the surname, and if it is not known yet."""
    greeting = guard("greets").search(item.text) or guard("full_name").fullmatch(name.strip(" .!"))
    return greeting is not None and name.split(maxsplit=1)[0] != short_name(item.message.name)


def _worded(
    talk: Talk, item: RecordedMessage, start: int, clause: Clause, *, rule: Rule, found: re.Match[str]
) -> Memo | None:
    if talk.two and rule.kind == "preference" and guard("we_start").search(clause.text):
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
    kept = 0
    habit = guard("meets").search(clause.text) is not None
    if item.message.at is not None and not guard("yearly").search(clause.text):
        kept = _recurring_part(clause.text, rule)
        once = past or (rule.dated and not habit)
        dated, whens = dates.absolute(
            clause.text[kept:], item.message.at, talk.zone, past=past and not rule.ahead, once=once
        )
        text = clause.text[:kept] + dated
        if not kept and core and whens and whens[0].start < core:
            core = clause.core - (whens[0].end - whens[0].start) + len(whens[0].wording)
    whens = tuple(when for when in whens if _ahead(talk, when, item)) if rule.ahead else whens
    if rule.dated and not whens and not habit:
        return None
    first = whens[0] if whens else None
    stated = None if guard("dangling").search(text) else fitted(talk, text, core, short_name(item.message.name))
    if stated is None:
        return None
    due = first.last if first is not None and rule.kind in {"task", "constraint"} else None
    stop = re.search(r"\b(?:until|till)\b", clause.text[kept:])
    until = next((when.last for when in whens if stop is not None and when.end > stop.end()), None)
    if until is not None and not past:  # it is shown no longer than it holds
        stated = _UNTIL.sub(validity.mark(None, until), stated)
    weight = (
        rule.weight
        - 0.4 * bool(guard("ephemeral").search(clause.text) and not rule.dated)
        + 0.1 * bool(guard("explicit").search(clause.lead))
    )
    weight += 0.03 * bool(whens) + 0.02 * bool(re.search(r"\d|\b[A-Z][a-z]+ ?[A-Z]?", clause.text[clause.core + 2 :]))
    return talks.memo_of(
        item, rule.kind, stated, talks.span_of(start, clause), weight,
        slot=_slot(item, clause, rule, found, first),
        frame=_frame(talk, clause, found, rule, short_name(item.message.name)),
        supersedes=corrections.ended(clause), due=due, valid_until=until,
    )  # fmt: skip


def _recurring_part(text: str, rule: Rule) -> int:
    """Return how much of a text says when something recurs: its weekdays are no dates."""
    if not rule.name.startswith("recurring ") and (rule.past or not guard("often").search(text)):
        return 0
    begins = guard("effective").search(text)
    return len(text) if begins is None else begins.start()


def _ahead(talk: Talk, when: dates.When, item: RecordedMessage) -> bool:
    at = item.message.at
    return at is not None and when.last >= at.astimezone(talk.zone).date()


def _slot(
    item: RecordedMessage,
    clause: Clause,
    rule: Rule,
    found: re.Match[str],
    first: dates.When | None,
) -> str:
    """Return the slot that the statement gives a value to; a recent move says where a person lives."""
    if "changed my mind" in clause.lead and rule.kind == "decision":
        return CHANGED_MIND
    at = item.message.at
    late = first is None or (at is not None and first.last > at.date() - timedelta(days=366))
    old = any(at is not None and int(year) < at.year - 1 for year in re.findall(r"\b(?:19|20)\d\d\b", clause.text))
    moved = guard("moved").match(clause.text, clause.core) is not None and not values.things(clause.text)
    if rule.past and late and not old and moved:
        return HOME
    return rule.slot.format(**{key: (value or "").lower() for key, value in found.groupdict().items()})


def _frame(talk: Talk, clause: Clause, found: re.Match[str], rule: Rule, speaker: str | None) -> str:
    """Word what has one value at a time, up to that value."""
    if not rule.slot or clause.core or "o" not in found.groupdict() or found["o"] is None:
        return ""
    if "{k}" in rule.slot and found["k"] is None:
        return ""
    if rule.name.startswith("recurring"):
        named = wording.statement(clause.text[: found.end("k")], 0, speaker, alone=not talk.two).rstrip(".")
        return "|".join(f"{named} {verb}" for verb in _HELD_AT)
    return wording.statement(clause.text[: found.start("o")], 0, speaker, alone=not talk.two).rstrip(".")


def fitted(talk: Talk, text: str, core: int, speaker: str | None) -> str | None:
    """Word a clause in the room there is, cut only where a reason or an aside begins."""
    for _ in range(4):
        stated = wording.statement(text, core, speaker, alone=not talk.two)
        if len(stated) <= TEXT_CHARS:
            return stated if len(stated.split()) >= 3 or len(guard("wide").findall(stated)) >= 4 else None
        tail = guard("tail").search(text)
        if tail is None or tail.start() < max(30, core):
            return None
        text = text[: tail.start()]
    return None
