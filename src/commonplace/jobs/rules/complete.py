"""Does a clause say enough to be remembered alone?"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from commonplace.jobs.rules import matching, wording
from commonplace.jobs.rules.clauses import Clause
from commonplace.jobs.rules.memos import Memo
from commonplace.jobs.rules.patterns import Rule, guard
from commonplace.records import RecordedMessage
from commonplace.text.pieces import one_line

TEXT_CHARS: Final = 200  # of one statement


def says_something(text: str, said: str, rule: Rule) -> bool:
    """True if a statement is complete: it has an object, and refers to nothing outside."""
    if not said or not re.search(r"[^\W\d_]{3}|\d|\b[A-Z][a-z]\b", said):
        return False
    if guard("kin_named").match(text):  # `her` is of who is named
        said = guard("he_or_she").sub("", said)
    if guard("pointing").search(text) or guard("substitute").match(said) or guard("substitute").search(said, 0, 24):
        return False
    if not _enough(said, rule):
        return False
    if rule.unreal and guard("wishful").search(text):
        return False
    if rule.loose and (guard("empty_object").match(said) or guard("had_vaguely").match(said)):
        return False
    other = guard("he_or_she").search(text)
    if other is not None and not guard("somebody").search(text[: other.start()]):
        return False
    return rule.the or not guard("the").match(said)


def _enough(said: str, rule: Rule) -> bool:
    """True if enough words carry a meaning besides dates and times: one for what is liked, two for what was done."""
    long = (word for word in matching.content(said) if len(word) > 1 or guard("wide").match(word))
    carrying = [word for word in long if not guard("of_time").fullmatch(word)]
    if rule.slot or rule.kind == "constraint":
        return True
    if rule.kind == "preference" or (rule.kind == "fact" and not rule.loose):
        return bool(carrying)
    return (
        len(carrying)
        + (
            rule.kind == "decision"
            and any(word[0].isupper() and not guard("of_time").fullmatch(word) for word in said.split())
        )
        >= 2
    )


def limited(memo: Memo, clause: Clause, item: RecordedMessage, start: int) -> Memo | None:
    """Return a memo with the exception, reason or likeness of another that is said at once (`my wife too`)."""
    between = item.text[memo.span[1] : start + clause.start]
    if guard("likewise").fullmatch(clause.text):
        fits, between = between in {". ", ", ", " and "}, "; "
    elif memo.kind == "decision":
        fits = between == ". " and guard("reason").match(clause.text) is not None
    else:
        fits = guard("limits").fullmatch(between) is not None
    if (
        not fits
        or clause.question
        or clause.reported
        or clause.unreal
        or guard("of_the_hour").search(clause.text)
        or guard("pointing").search(clause.text)
    ):
        return None
    text = one_line(f"{memo.text.rstrip('.')}{between}{wording.of_others(clause.text)}.")
    span = (memo.span[0], start + clause.end)
    if memo.kind not in {"fact", "constraint", "decision", "preference"} or len(text) > TEXT_CHARS:
        return None
    return msgspec.structs.replace(memo, text=text, span=span, quote=item.text[slice(*span)])
