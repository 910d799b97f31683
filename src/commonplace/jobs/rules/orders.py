"""Reads orders to the assistant, conventions and remarks of a talk about code, and statements in other languages."""

from __future__ import annotations

from typing import Final

from commonplace.jobs.rules import corrections, patterns, talks, values, wording
from commonplace.jobs.rules.clauses import Clause
from commonplace.jobs.rules.complete import TEXT_CHARS
from commonplace.jobs.rules.memos import Memo
from commonplace.jobs.rules.patterns import guard
from commonplace.jobs.rules.talks import Talk
from commonplace.records import RecordedMessage, Trust
from commonplace.text.pieces import one_line, short_name

VALUED_CHARS: Final = 90  # of a statement that gives a thing a value


def standing(talk: Talk, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
    """Return a standing order to the assistant that a clause gives."""
    if clause.question or clause.reported or len(clause.text.split()) < 2:
        return None
    if not talk.instructed and guard("assistants_work").search(clause.text) is None:
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
        return talks.memo_of(item, "instruction", text.rstrip(" .,;") + ".", talks.span_of(start, clause), rule.weight,
                          slot=rule.slot, frame=frame, supersedes=corrections.ended(clause))  # fmt: skip
    return None


def remark(item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
    """Return what failed, or what fixed it, as a clause of a talk about code says it."""
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
        return talks.memo_of(
            item, rule.kind, text[:1].upper() + text[1:] + ".", talks.span_of(start, clause), rule.weight,
            trust=trust, slot=rule.slot,
        )  # fmt: skip
    return None


def convention(talk: Talk, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
    """Read what is said to coding agents: `no console logs`, `it must stop at a newline`, `we use pnpm here`."""
    if clause.question or clause.reported or clause.conditional or not talk.instructed:
        return None
    about_code = _is_of_code(talk, clause)
    said = guard("courtesy").sub("", guard("oath").sub("", guard("outcry").sub("", one_line(clause.text))))
    behind = guard("behind_an_order").search(said)
    order = guard("courtesy").sub("", said if behind is None else said[: behind.start()])
    for rule in patterns.rows("coding"):
        if rule.code and not about_code:
            continue
        found = rule.pattern.fullmatch(said) or rule.pattern.fullmatch(order)
        if found is None or len(clause.text.split()) < 2 or len(clause.text) > TEXT_CHARS:
            continue
        if (clause.unreal and not rule.unreal) or guard("of_the_hour").search(clause.text):
            continue
        frame = said[: said.find(found["o"])].strip() if rule.slot else ""
        stated = said[:1].upper() + said[1:].rstrip(" .,;") + "."
        return talks.memo_of(item, rule.kind, stated, talks.span_of(start, clause), rule.weight, slot=rule.slot,
                          frame=frame, supersedes=corrections.ended(clause))  # fmt: skip
    return None


def _is_of_code(talk: Talk, clause: Clause) -> bool:
    return talk.coding or guard("coder").search(clause.text) is not None


def foreign(talk: Talk, item: RecordedMessage, start: int, clause: Clause) -> Memo | None:
    """Return what a clause says in another language than English."""
    if clause.question or clause.reported or len(clause.text) > TEXT_CHARS - 40:
        return None
    if guard("unsure").search(clause.text):
        return None
    about_code = _is_of_code(talk, clause)
    ways = (
        clause.text,
        guard("newly").sub("", clause.text).strip(),
        guard("also").sub("", guard("nor").sub(lambda nor: "non" if nor[0][0] in "nN" else "no", clause.text)),
    )
    found = next(
        (
            rule
            for rule in patterns.rows("foreign")
            if (about_code or not rule.code)
            and (rule.pattern.fullmatch(_marked(ways[1])) if rule.marked else any(map(rule.pattern.match, ways)))
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
        text = f"{short_name(item.message.name) or wording.UNNAMED}: {text}"
    return talks.memo_of(item, found.kind, text, talks.span_of(start, clause), found.weight)


def _marked(text: str) -> str:
    """Return a text with signs for its values; empty if no short statement of a value begins so."""
    short = len(text) <= VALUED_CHARS and guard("of_a_value").search(text) is not None
    return values.marked(text) if short else ""
