"""Is what a statement says of a person said of that person in the talk? Pure.

A part of a talk is bound to the people it names, as by name or as `my sister`, to the one who speaks of themselves in
it, and, where it has a pronoun, to whom was named last. Words that only parts of others have are not said of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import Final, NamedTuple

from commonplace.guard.about import FIRST_PERSON, SAYS_I, SELF, WE, YOU, relatives
from commonplace.guard.clauses import FIRM, PRONOUN, Clause, actor, labelled, values_of
from commonplace.text import content, packaged
from commonplace.text.content import Vocabulary
from commonplace.text.everyday import COMMON
from commonplace.text.numerals import numerals
from commonplace.text.patterns import pattern

_BY: Final = pattern(
    r"(?:ed|en|t|é|ée|ado|ido|ato|uto|ito) (?:by|von|par|por|da|door|przez)\s(?:(?:M[rs]s?|Dr|Frau|Herrn?)\.?\s)?"
    r"([^\W\d_]{2,})",
    re.IGNORECASE,
)
_TITLED: Final = pattern(  # `由运维的李娜负责`, `能勢さん`
    r"由(?:\w{1,6}的)?([\u4e00-\u9fff]{2,3}?)(?=[负保处管来做担审跟写修])|([\u4e00-\u9fff\u30a1-\u30fa]{1,4})(?=さん|様|氏)"
)
_KANA: Final = pattern(r"[\u3041-\u309f]")
_TITLES: Final = frozenset(
    ["mr", "mrs", "ms", "dr", "frau", "herr", "herrn", "madame", "monsieur", "mme", "señor", "senhor"]
)
_TITLE: Final = pattern(r"\b(?:Frau|Herrn?|Mr|Mrs|Ms)\.?\s(?=[A-ZÀ-Þ])")
_REFERS: Final = pattern(  # to what was said before: `Ann collects them`
    r"\b(?:them|it|those|sie|ihn|es|les|l['’]|los|las|lo|li|os|as|ze|het|их|его|её|je|go)\s\w+\W*\Z|\b(?:them|it|those)\W*\Z",
    re.IGNORECASE,
)
_OBJECT: Final = pattern(  # what is behind it does nothing: `riding with Dad`
    r"\b(?:with|for|of|from|to|mit|für|von|zu|bei|avec|pour|de|chez|con|para|por|per|da|com|с|для|от|z|dla|od|met|voor|van)\s",
    re.IGNORECASE,
)
_HEAD: Final = 3  # words of a clause in which its subject stands


class _Part(NamedTuple):
    """What a part of a text says, and of whom; one that denies (`not Ann but Bob`) speaks for those it names only."""

    words: frozenset[str]
    owners: frozenset[str]
    said: Vocabulary
    denies: bool


class Bound:
    """The parts of a talk, and of memory, with whom they are bound to.

    Args:
        clauses: The clauses of the talk, in order.
        memory: Those of memory.
        names: The names that are known.
    """

    def __init__(self, clauses: Sequence[Clause], memory: Sequence[Clause], names: frozenset[str]) -> None:
        self._clauses = clauses
        self._memory = memory
        self._names = names

    @cached_property
    def _parts(self) -> list[_Part]:
        found: list[_Part] = []
        nobody = frozenset[str]()
        last, other, before, place, denied = nobody, nobody, nobody, -1, False
        for clause in (*self._memory, *self._clauses):
            if clause.place != place:
                last, other, before, place, denied = nobody, nobody, nobody, clause.place, False
            owners, words = self._owners(clause, person=clause.person), _words(clause)
            if not owners and PRONOUN.search(clause.text):
                owners = other
            elif not owners and before and before <= words:  # it goes on of the same one
                owners = last
            words |= before if denied else nobody  # `not Ann but Bob`
            last, other, before, denied = owners, owners - {SELF} or other, words, clause.denies
            found.append(_Part(words, owners, Vocabulary(words), clause.denies))
        return found

    def _owners(self, clause: Clause, *, person: bool) -> frozenset[str]:
        text = clause.text
        named = content.names(f"x {text}") & self._people | _titled(text) | _relatives(text)
        named |= frozenset().union(*(self._also.get(each, ()) for each in named))
        if person and clause.speaker and YOU.search(text):  # it may be of any of a group
            return frozenset()
        of_self = (FIRST_PERSON.search(text) or WE.search(text) or SAYS_I.search(text)) if person else YOU.search(text)
        return named | {clause.speaker or SELF} if of_self else named

    @cached_property
    def _also(self) -> dict[str, set[str]]:
        """Which names people have beside `my sister`, and which sister has a name."""
        found: dict[str, set[str]] = {}
        for clause in (*self._memory, *self._clauses):
            names = relatives(clause.text)
            whose = _relatives(clause.text)
            for one, other in product(names, whose):
                found.setdefault(one, set()).add(other)
                found.setdefault(other, set()).add(one)
        return found

    @cached_property
    def _people(self) -> frozenset[str]:
        """The names that are known, and what a clause begins with that is nowhere a common word."""
        told = (*self._memory, *self._clauses)
        common = {content.bare(word) for each in told for word in each.text.split() if word[:1].islower()}
        says = (each for each in told if len(content.content(each.text)) > 1)
        found = {name for each in says if (name := actor(each.text)) and not numerals(name)}
        titled = frozenset[str]().union(*(labelled(each.text) for each in told))
        return self._names | titled | {name for name in found if name not in common}

    @cached_property
    def _spoken_of(self) -> frozenset[str]:
        """Those of whom a person speaks as of others, and the one who speaks."""
        found = (self._owners(each, person=True) for each in (*self._memory, *self._clauses) if each.person)
        return frozenset[str]().union(*found, {SELF})

    def _is_spoken_of(self, name: str) -> bool:
        """True if the talk has a person by a name."""
        wide = content.is_wide(name) and any(name in each.text for each in self._clauses)
        return wide or name in self._spoken_of

    def _heads(self, text: str) -> frozenset[str]:
        """Return who does or is what a clause says: what it begins with, or who it is done by."""
        by = _BY.search(text)
        head = _OBJECT.split(" ".join(text.split()[:_HEAD]))[0]
        me = {SELF} if SAYS_I.search(head) else set[str]()
        return frozenset({actor(text), *me, *([content.bare(by[1])] if by else ()), *_titled(text), *_relatives(head)})

    def fault(self, clause: Clause, text: str) -> str:
        """Return the fault if most of what a clause says of a person is said of others only."""
        owners = self._owners(clause, person=True)
        heads = owners & self._heads(clause.text)
        if not heads or clause.denies or not all(map(self._is_spoken_of, owners)):
            return ""
        if any(heads <= self._owners(each, person=each.person) and _REFERS.search(each.text) for each in self._clauses):
            return ""
        sure = SELF in heads or SAYS_I.search(text)
        mine = frozenset[str]() if sure else frozenset({SELF})  # it may be the user's name
        named_here = sure or any(heads & self._owners(each, person=each.person) for each in self._clauses)
        by_self = frozenset[str]() if named_here else mine  # and is that, if only memory has it
        crossed, known, others = 0, 0, set[str]()
        beside = frozenset(sign for name in owners for sign in name if content.is_wide(name))
        own = content.content(clause.text)
        for word in _words(clause) - owners - self._people:
            if (
                not (word in own or word[0] in FIRM)
                or _KANA.search(word)
                or (content.is_wide(word) and not beside.isdisjoint(word))
            ):
                continue
            homes = [part for part in self._parts if part.said.holds(word)]
            known += bool(homes)
            homes = [part for part in homes if (part.owners & heads if part.denies else part.owners)]
            of_others = (part.owners - owners - mine and heads - part.owners for part in homes)
            if homes and all(of_others) and not any(part.owners & by_self for part in homes):
                crossed += 1
                others |= homes[-1].owners - owners - mine
        named = min(others, default="").replace("⟨", "the ").rstrip("⟩")
        return f"other-subject: it was said of {named}" if 2 * crossed > known else ""


def _titled(text: str) -> frozenset[str]:
    """Return the names in a text without spaces that a title or the doer's sign shows."""
    return frozenset(match[1] or match[2] for match in _TITLED.finditer(text))


@lru_cache(maxsize=1)
def _kinds() -> dict[str, str]:
    """Return each word for a relative with the sign of its kind."""
    lines = packaged.text(__package__, "rules/relatives.txt").splitlines()
    return {word: f"⟨{line.split()[0]}⟩" for line in lines for word in line.split()}


def _relatives(text: str) -> frozenset[str]:
    """Return the kinds of the relatives that a text speaks of."""
    plain = _TITLE.sub(" ", text)
    found = {_kinds()[word] for word in content.words(plain) if word in _kinds()}
    if content.is_wide(plain):
        found |= {kind for word, kind in _kinds().items() if len(word) > 1 and content.is_wide(word) and word in plain}
    return frozenset(found)


def _words(clause: Clause) -> frozenset[str]:
    return values_of(clause) - COMMON - _TITLES - _kinds().keys()
