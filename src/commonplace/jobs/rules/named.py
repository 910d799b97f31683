"""Finds the value that a statement has in a person's newer words, where they say that it is over.

`Dr. Hovland retired`, `not 100 micrograms`: what is known is looked for in what is said, which may be worded in any
way. Pure functions over texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from commonplace.guard.about import FIRST_PERSON, WE
from commonplace.guard.clauses import counts_of
from commonplace.jobs.rules import matching, values
from commonplace.jobs.rules.memos import Memo
from commonplace.jobs.rules.patterns import guard
from commonplace.text import content, denials
from commonplace.text.everyday import COMMON
from commonplace.text.patterns import pattern

_PART: Final = pattern(
    r"[,;:.!?，。；：](?:\s|\Z)|\s[–—-]\s|\b(?:and|but|und|aber|et|mais|y|pero|e|ma|mas|en|maar)\b|(?=\b(?:since|because|as)\b)"
)
_I: Final = pattern(r"\bI\b(?:['’]\w+)?")
_BEFORE: Final = pattern(
    r"\b(?:was|were|war|waren|était|era|eran|erano|eram)\b.*\b(?:before|previously|vorher|früher|avant|antes|prima|eerst)\b"
)

_MIND: Final = pattern(  # what a person thinks, wants or tries
    r"\b(?:I|we)(?:['’](?:ll|d)| (?:will|think|guess|hope|want|need|get|see)|['’]m (?:trying|looking|thinking|going))\b"
    r"|\b(?:ich|wir) (?:will|wollen|denke|glaube|hoffe|möchte\w*|versuche\w*|brauche\w*)\b|\bje (?:veux|pense|crois)\b"
    r"|\b(?:quiero|creo|pienso|espero|voglio|penso|credo|quero|acho|wil|denk|hoop)\b",
    re.IGNORECASE,
)


def is_named_as_over(said: str, other: str) -> bool:
    """True if a part of what is said names the value of a statement and says only that it is over, and another is new.

    Or another part, of the same thing, has a new value and says that it is so now.
    """
    other = ", ".join(part for part in _PART.split(other) if not denials.denies(part))
    if not other or matching.of_another_person(said, other):
        return False
    words = content.content(other)
    firm = content.Vocabulary(_firm(other))
    numbers = _numbers(other)
    phrases = [content.Vocabulary(content.content(part)) for part in _PART.split(other)]
    parts = _PART.split(said)
    rest = content.Vocabulary(word for word in words if not firm.holds(word))
    of_it = bool(rest.shared(content.content(said)))
    over = [part for part in parts if _numbers(part) <= numbers and _only_ends(part, phrases, firm, of_it=of_it)]
    if over and any(content.content(part) - words - COMMON for part in parts if part not in over):
        return True
    named = [part for part in parts if firm.shared(_firm(part))]
    return bool(named) and any(
        guard("changed").search(part) and rest.shared(content.content(part)) and _firm(part)
        for part in parts
        if part not in named
    )


def _only_ends(part: str, phrases: Sequence[content.Vocabulary], firm: content.Vocabulary, *, of_it: bool) -> bool:
    """True if a part says of a value of a statement, or of two words of a phrase of it, that it is over, no more."""
    if not ((of_it and denials.denies(part)) or guard("ended").search(part) or _BEFORE.search(part)):
        return False
    left = content.content(denials.without(guard("ended").sub(" ", _BEFORE.sub(" ", part)))) - COMMON
    if firm.shared(_firm(part)):
        return all(any(phrase.holds(word) for phrase in phrases) for word in left)
    return len(left) > 1 and any(all(map(phrase.holds, left)) for phrase in phrases)


@lru_cache(maxsize=4096)
def _firm(text: str) -> frozenset[str]:
    named = content.names(f"x {_I.sub(' ', text)}")
    return frozenset(each for each in named if not guard("of_time").fullmatch(each.rstrip("s"))) | _numbers(text)


def _numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text that are no part of a day: that one is over says little of another thing."""
    return frozenset(f"#{value}" for value in counts_of(text))


def tells(memo: Memo, others: Iterable[str]) -> bool:
    """True if news says something by itself: what is so of the person who speaks, with a name, a number or a day in it.

    No other statement of its range says it, or a part of it.
    """
    said = memo.news or memo.quote
    own = FIRST_PERSON.search(said) or WE.search(said)
    firm = values.values(said) or content.names(_I.sub(" ", said[1:]))
    unsure = _MIND.search(said) or guard("of_the_hour").search(said)
    is_news = bool(own and firm and guard("changed").search(said)) and unsure is None
    return is_news and not any(matching.same(other, memo.text) for other in others if other != memo.text)
