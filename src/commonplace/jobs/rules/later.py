"""Finds the statement that a person's newer words speak against, if no rule can say what is so now.

`Never commit to main.` and a week later `It's fine to commit to main now.`: the statement stays, with the newer words
and their day behind it, and its reader can judge. Pure functions over texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from commonplace.jobs.rules import matching, updates, values
from commonplace.jobs.rules.memos import CHANGE, Memo
from commonplace.jobs.rules.patterns import ends, guard, opposites
from commonplace.jobs.rules.wishes import LIGHT
from commonplace.text import content, denials
from commonplace.text.patterns import pattern
from commonplace.text.pieces import NEWER, one_line

Key = TypeVar("Key")
_LEFT: Final = pattern(r"\b(?:from|not|instead of) (?:[A-Z][\w-]+ ?)+")  # what a statement says is over
_CLAUSE_END: Final = pattern(r"[,;:，；：](?!\s?(?:dass|że|что)\b)|\s[–—-]\s")
_CALLED: Final = pattern(
    r"\b(?:called|named|hei(?:ß|ss)t|llama|appelle|chiama|heet|chama) ([^\W\d_]+)\b"
)  # `Mia`, Italian for `my`
_LONGEST: Final = 160  # characters of newer words
_MOST, _HALF = 0.6, 0.5  # of the words of a statement, which newer words repeat


def without_newer(stated: str) -> str:
    """Return a statement without newer words behind it."""
    return NEWER.sub("", stated)


def with_newer(stated: str, memo: Memo) -> str:
    """Return a statement with the words of a memo as they were said, and their day if it is known, behind it."""
    said = (memo.words or one_line(memo.quote)).translate({0x201C: '"', 0x201D: '"'})
    day = f"{memo.at:%Y-%m-%d}" if memo.at else "later"
    return f"{stated} ({day}: “{said}”)"


def is_said_of(said: str) -> bool:
    """True if a sentence of a person says that something is over, is so again or may be done now."""
    may = guard("allowed")
    if len(said) > _LONGEST or not (_is_end(said) or may.search(said) or guard("swapped").search(said)):
        return False
    return updates.is_of_now(guard("ended").sub(" ", may.sub(" ", said)))  # `you may`, `is history`


def spoken_against(memo: Memo, stated: Iterable[tuple[Key, str]]) -> Key | None:
    """Return the key of the statement that a memo speaks against most; None if there is none, or more than one."""
    said = _words_of(memo)
    found: dict[Key, float] = {}
    for key, other in stated if is_said_of(said) else ():
        known = content.content(other) - LIGHT
        shared = content.Vocabulary(content.content(_over(said, other))).shared(known)
        if _is_against(memo, said, other, shared, len(shared) / max(1, len(known))):
            found[key] = len(shared) / len(known)
    most = max(found.values(), default=0.0)
    keys = [key for key, share in found.items() if share == most]
    return keys[0] if len(keys) == 1 else None


def _over(said: str, other: str) -> str:
    """Return the clauses of a sentence that say that something ended, without whom they are of; else all of it."""
    ends = [clause for clause in _CLAUSE_END.split(said) if _is_end(clause)]
    return " ".join(matching.unnamed(clause, other) if denials.denies(clause) else clause for clause in ends) or said


def _is_against(memo: Memo, said: str, other: str, shared: frozenset[str], share: float) -> bool:
    """True if a sentence is of what a statement says, of whose words it repeats a share, and speaks against it.

    Words that say that something ended need to name what it is about, and a denial little else; others repeat most of a
    statement and deny it, or say that something is so again, or something else instead, or allow another way than an
    order asks for.
    """
    if _is_end(other) or matching.of_another_person(said, other):
        return False
    named = bool(content.content(said) & content.names(_LEFT.sub("", other)))
    if _is_end(said):
        called = _CALLED.search(other)
        if called is not None and f" {called[1]} " in f" {said} ":
            return True
        unnamed = any(end.over.search(said) and end.held.search(other) for end in ends())
        lasting = frozenset(word for word in shared - _times(said) if not matching.is_of_time(word))
        return unnamed or ((named or share >= _HALF) and bool(lasting) and _denies_little_else(said, other, lasting))
    if memo.slot == CHANGE and any(_allows_another(each, other) for each in _CLAUSE_END.split(said)):
        return True
    if len(shared) < 2 or all(map(matching.is_of_time, shared)):
        return False
    if guard("swapped").search(said):
        return share >= _HALF
    denies = share >= _MOST and denials.denies(said) != (
        denials.denies(other) or guard("hates").search(other) is not None
    )
    again = memo.slot == CHANGE and named and _HALF <= share < 1
    return guard("allowed").search(said) is not None and (denies or again)


def _denies_little_else(said: str, other: str, shared: frozenset[str]) -> bool:
    """True unless a sentence denies more than it shares with a statement, or of an order no more than its verb.

    `I don't write poems anymore` says nothing of `Always write tests first`.
    """
    over = _over(said, other)
    if not denials.denies(over):
        return True
    if not updates.has_numbers(other, over):
        return False
    denied = content.content(denials.without(guard("ended").sub(" ", values.without(over))))
    more = [word for word in denied - LIGHT if guard("update_light").fullmatch(word) is None]
    known = content.Vocabulary(content.content(other))
    verb = content.Vocabulary(matching.order_verb(other))
    return not all(map(verb.holds, shared)) and sum(not known.holds(word) for word in more) < len(shared)


def _times(text: str) -> frozenset[str]:
    """Return the words of the days and hours of a text."""
    times = (each.said for each in values.values(text) if each.sorts & {"day", "date", "clock"})
    return content.content(" ".join(times))


def _allows_another(clause: str, other: str) -> bool:
    """True if a clause allows all that an order forbids, or another way to do what it is about (`longer is fine`)."""
    order = _CLAUSE_END.split(other)[0]
    may = guard("allowed").search(clause) and not denials.denies(clause) and not guard("of_my_own").search(clause)
    if not may or guard("no_order").match(order):
        return False
    said, forbidden = content.Vocabulary(content.content(clause)), content.content(order) - LIGHT
    forbidden -= matching.order_verb(order)
    if forbidden and denials.denies(order) and all(map(said.holds, forbidden)):
        return True
    for ways in opposites():
        new, old = ({way for way in ways if way.search(each)} for each in (clause, order))
        if old and (new & old if denials.denies(order) else new - old):
            mine, theirs = _thing(clause), _thing(order)
            return all(map(content.Vocabulary(theirs).holds, mine)) and all(map(content.Vocabulary(mine).holds, theirs))
    return False


def _thing(text: str) -> frozenset[str]:
    """Return the words by which a text names what is done in some way; none if that is to answer."""
    for sign in (guard("allowed"), *(way for ways in opposites() for way in ways), guard("how_to_answer")):
        text = sign.sub(" ", text)
    return content.content(text) - LIGHT


def _is_end(text: str) -> bool:
    """True if a text says that something ended."""
    return any(sign.search(text) for sign in (guard("ended"), *(end.over for end in ends())))


def _words_of(memo: Memo) -> str:
    """Return the sentence that a memo was said in, as far as it is known."""
    return memo.news or one_line(memo.quote)
