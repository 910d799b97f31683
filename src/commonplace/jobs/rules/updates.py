"""Reads what a person says anew of the one thing that is known of them: `we've moved, I'm in York now`.

Pure functions over texts. A person who corrects says less than one who tells: they name the thing or what kind of
change it is, and a value of the same sort. What is said of another person, asked, supposed, planned, long past or part
of a story updates nothing, nor does what could be of two known statements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeVar

from commonplace.jobs.rules import matching, values
from commonplace.jobs.rules.patterns import guard, kinds
from commonplace.text import content, denials
from commonplace.text.everyday import COMMON
from commonplace.text.patterns import pattern

Key = TypeVar("Key")
OWN: Final = ""
"""The person's own words say it all, and take the place of the statement."""
_WORD: Final = pattern(r"[^\W_]+(?:-[^\W_]+)*")
_LEAST_CHARS: Final = 4  # of a word that two texts share; fewer if it is of wide signs
_OWNER_WORDS: Final = 3  # with which a statement begins that is of another person
_HERE: Final = pattern(r"\b(?:here|in this (?:repo(?:sitory)?|project))\b", re.IGNORECASE)
_TIMES: Final = frozenset({"date", "clock"})
_SIGN_WORDS: Final = 3  # of what says that a value is corrected
_LONGEST: Final = 200  # characters of a sentence that corrects


def is_news(said: str) -> bool:
    """True if a sentence has a sign that something changed, and is of the person who speaks, and of now."""
    return len(said) <= _LONGEST and guard("update_sign").search(said) is not None and is_of_now(said)


def is_of_now(said: str) -> bool:
    """True if a sentence is of the person who speaks, and nothing in it is supposed, planned, long past or reported."""
    unsure = any(guard(name).search(said) for name in ("unreal", "condition", "report", "update_not_mine"))
    return not unsure and not denials.doubts(guard("update_put").sub(" ", said))


def is_bare(said: str) -> bool:
    """True if a sentence says a value and nothing of what it is (`sorry, the 12th`, `we've switched to Helix`)."""
    return bool(_bare(said))


@lru_cache(maxsize=64)
def _bare(said: str) -> str:
    """Return the part of a bare sentence that says its value: all of it, what is alone behind `sorry`, what is new."""
    parts = guard("update_part").split(said)
    for sign, value in pairwise(parts):
        alone = values.values(value) and not _words(_unsigned(values.without(value)), content.Vocabulary())
        if alone and len(sign.split()) <= _SIGN_WORDS and guard("update_mistaken").search(sign):
            return value
    news = [part for part in parts if guard("update_sign").search(part)]  # `back to Yarn, pnpm broke the build`
    return next(filter(_says_only_a_value, (said, *news)), "")


def _says_only_a_value(said: str) -> bool:
    left, things = values.without(said), values.things(said)
    for kind in things:
        left = re.sub(rf"\b(?:{kinds()[kind].called.pattern})\b", " ", left, flags=re.IGNORECASE)
    more = {content.bare(each) for each in _words(_unsigned(left), content.Vocabulary())}
    return bool(values.values(said)) and more <= (COMMON if things else frozenset())


def _unsigned(text: str) -> str:
    """Return a text without the words that say that something changed."""
    return guard("update_sign").sub(" ", guard("update_bare").sub(" ", text))


def worded(said: str) -> str:
    """Return a sentence without what it begins with before it says something."""
    return guard("update_lead").sub("", said).strip()


def without_changer(said: str) -> str:
    """Return a sentence without who changed what is the person's own (`my landlord raised` my rent to 950)."""
    return guard("update_changer").sub("", said)


def updated(said: str, stated: Iterable[tuple[Key, str]]) -> Key | None:
    """Return the key of the one statement that a sentence updates; None if it updates none, or could several."""
    found = [key for key, other in stated if rewritten(said, other) is not None]
    return found[0] if len(found) == 1 else None


def rewritten(said: str, other: str) -> str | None:
    """Return what a statement is after an update; `OWN` if the update says it all itself, None if it is none."""
    said = without_changer(guard("update_reason").sub("", said))
    mine, theirs = _persons(said), _persons(other)
    ways: list[Callable[[str, str], str | None]] = []
    owner = " ".join(other.split()[:_OWNER_WORDS])
    if mine <= theirs and (_persons(owner) <= mine or is_bare(said) or _names_one(said, owner)):
        ways.append(_revalued)
    if not mine:
        ways.append(_moved)
    for way in (*ways, _over):
        text = way(said, other)
        if text is not None and text != other:
            return text
    return None


def _revalued(said: str, other: str) -> str | None:
    """Return a statement with its new value; the thing is named, or nothing but the value is said."""
    parts = _said_so(_bare(said) or said)
    said_sorts = values.sorts(", ".join(parts))
    sorts = values.sorts(other) if said_sorts else said_sorts
    held = ", ".join(_said_so(other))  # `62.5 micrograms`, of "62.5 micrograms, not 100"
    text = values.replaced(", ".join(parts), held) if said_sorts & sorts else None
    if text is None or values.things(said) - sorts:  # another thing is named
        return None
    over = _over_parts(said)
    if over and not _says_what_is_over(said, over, other):
        return None
    things = said_sorts & sorts & kinds().keys()
    if things and (not _one_uses(said, other) or _persons(other) != _persons(said)):
        return None
    if is_bare(said):
        return text if things or over or _is_meant_bare(said, other) else None
    valued = max(place for place, each in enumerate(parts) if values.sorts(each) & sorts)
    told = _unsigned(values.without(", ".join(parts[: valued + 1])))
    if _words(told, content.Vocabulary(content.content(other))):
        return None  # it tells of another thing, or of more than this one
    known = content.Vocabulary(content.content(values.without(other)))
    if not any(_carries(each) and _holds(known, each) for each in _WORD.findall(told)):
        return None
    says_it_all = values.is_whole(said) and said_sorts & sorts & _TIMES and not sorts & _TIMES <= said_sorts
    return OWN if says_it_all else text


@lru_cache(maxsize=64)
def _over_parts(said: str) -> tuple[str, ...]:
    """Return the parts of a sentence that say of something that it is over (`I don't jog on Fridays anymore`)."""
    denying = (each for each in guard("update_part").split(said) if denials.denies(each))
    return tuple(each for each in denying if values.values(each) or _left(each))


def _left(part: str) -> set[str]:
    """Return what a part denies besides its values; of a thing of a known kind what is done with it tells little."""
    left = content.content(denials.without(_unsigned(values.without(part))))
    return {each for each in left if not (values.things(part) and guard("update_light").fullmatch(each))}


def _says_what_is_over(said: str, over: Sequence[str], other: str) -> bool:
    """True if a statement has the values, and says all, that parts deny; a day alone, not of a thing, is of many."""
    known = content.Vocabulary(content.content(values.without(other)))
    denied = [value for each in over for value in values.values(each)]
    left = {word for each in over for word in _left(each)}
    news = [each for each in guard("update_part").split(said) if each not in over]
    of_it = {word for each in news for word in content.content(values.without(_unsigned(each))) if known.holds(word)}
    named = left or of_it or any(map(values.things, over)) or guard("update_mistaken").search(said)
    return bool(named) and _has(other, denied) and all(map(known.holds, left))


def has_numbers(text: str, said: str) -> bool:
    """True if a text has the numbers of what is said (that Python 3.9 is over says nothing of Python 3.11)."""
    return _has(text, (each for each in values.values(said) if "number" in each.sorts))


def _has(text: str, some: Iterable[values.Value]) -> bool:
    """True if a text has some values, each at least with its words."""
    held = [_written(each) for each in values.values(text)]
    return all(any(_written(value) <= each for each in held) for value in some)


def _written(value: values.Value) -> frozenset[str]:
    """Return the words of a value; `the 3rd` has a part of those of `3 February`."""
    return frozenset(each.lstrip("0").rstrip("s") for each in re.findall(r"\d+|[^\W\d_]{3,}", value.said.casefold()))


@lru_cache(maxsize=64)
def _said_so(said: str) -> tuple[str, ...]:
    """Return the parts of a sentence that deny nothing."""
    return tuple(each for each in guard("update_part").split(said) if not denials.denies(each))


def _is_meant_bare(said: str, other: str) -> bool:
    """True if a bare value takes back what a person said, or what can be moved was moved."""
    if guard("update_mistaken").search(said):
        return True
    return guard("update_put").search(said) is not None and guard("update_lasting").search(other) is None


def _words(text: str, known: content.Vocabulary) -> list[str]:
    """Return the words of a text that carry something and are not known."""
    found = (each[0] for each in _WORD.finditer(text) if content.content(each[0]))
    return [each for each in found if guard("update_light").fullmatch(each) is None and not _holds(known, each)]


def _carries(word: str) -> bool:
    wide = content.is_wide(word)
    told = wide or len(word) >= _LEAST_CHARS or (len(word) > 1 and (word.isupper() or word.istitle()))
    return told and guard("update_light").fullmatch(word) is None


def _holds(known: content.Vocabulary, word: str) -> bool:
    return any(known.holds(each) for each in content.content(word))


def _moved(said: str, other: str) -> str | None:
    """Return where a person lives or works after they said that they moved, or changed jobs."""
    if guard("update_passing").search(said) or guard("not_of_late").search(said):
        return None
    for name in ("home", "work"):
        held = guard(f"update_{name}_held").match(other)
        if held is None or guard(f"update_{name}_sign").search(said) is None:
            continue
        found = {(each["at"] or "", _first(each, "place")) for each in guard("update_place").finditer(said)}
        found = {
            (at, place)
            for at, place in found
            if not (guard("update_no_place").match(place) or values.sorts(place) or f" {place}" in other)
        }
        if len(found) == 1:
            at, place = found.pop()
            return _at(held, at, place)
    return None


def _at(held: re.Match[str], at: str, place: str) -> str | None:
    """Return a statement of a home or work with another place."""
    if held["tail"]:  # the place is said before the verb
        return f"{held['head_before']}{place}{held['tail']}" if content.is_wide(place) else None
    if held["head_zh"]:
        return f"{held['head_zh']}{place}" if content.is_wide(place) else None
    if content.is_wide(place):
        return None
    if held["at"].casefold() in _WITH_CASES:
        return OWN
    of_a_kind = held["at"] and any({at.casefold(), held["at"].casefold()} <= set(kind.split()) for kind in _ALIKE)
    more = guard("update_beside").fullmatch(held.string, held.end())
    end = more["more"] if more else "." if held.string.endswith(".") else ""
    return f"{held['head']}{at if of_a_kind else held['at']}{held['gap']}{place}{end}"


_WITH_CASES: Final = frozenset({"w", "we", "в", "на"})
"""After these a name has another ending than where it is said to move to."""
_ALIKE: Final = ("in at near", "à au aux en", "a ad in alla al alle allo nel nella presso", "em no na")


def _first(found: re.Match[str], name: str) -> str:
    return next(value for key, value in found.groupdict().items() if key.startswith(name) and value)


def _one_uses(said: str, other: str) -> bool:
    """True if a switch is not of a person where a team uses a thing, or the other way, and neither is of one use."""
    if guard("update_lasting").search(other) or any(
        guard("update_some").match(other, each.end) for each in values.values(other)
    ):
        return False
    if any(guard("update_limit").match(said, each.end) for each in values.values(said)):
        return False
    named, held = ({each.said.split()[0].casefold() for each in values.values(text)} for text in (said, other))
    if named & held:  # another version of it
        return True
    we, one = guard("we_start").search(said), re.search(r"\bI\b", said)
    theirs = other.startswith(("We ", "Our ")) and _HERE.search(other) is None
    return not (we and other.startswith(("User ", "User'"))) and not (one and theirs)


def _over(said: str, other: str) -> str | None:
    """Return `OWN` if a clause says that what a statement is about is off, given up or not done after all."""
    if denials.denies(other) or guard("update_lasting").search(other):
        return None
    light = guard("update_light")
    known = content.Vocabulary(each for each in content.content(other) if light.fullmatch(each) is None)
    none = content.Vocabulary()
    verb = content.Vocabulary(matching.order_verb(other))  # `I don't write anymore` is against no order to write
    is_journey = guard("goes_there").search(other) is not None
    signs = ["update_over", *(["update_off"] if is_journey or values.sorts(other) & {*_TIMES, "day"} else [])]
    parts = guard("update_part").split(said)
    for place, clause in enumerate(parts):
        if _persons(", ".join(parts[: place + 1])) != _persons(other):  # whom it names behind it is why
            continue
        sign = next((found for name in signs if (found := guard(name).search(clause))), None)
        if sign is None or guard("update_not").search(clause[: sign.start()]) or not _is_own(clause, known):
            continue
        if not has_numbers(other, clause):
            continue
        rest = sign.re.sub(" ", matching.unnamed(clause, other))
        if is_journey:
            rest = guard("a_journey").sub(lambda found: found[0] if _holds(known, found[0]) else " ", rest)
        rest = " ".join(values.without(rest).split())
        things = [each for each in _WORD.findall(rest) if _carries(each) and _holds(known, each)]
        things = [each for each in things if not _holds(verb, each)]
        if not things or _words(rest, known):
            continue
        if _ends_a_phrase(rest, things[-1], known) and _ends_a_phrase(other, things[-1], none):
            return OWN
    return None


def _is_own(clause: str, known: content.Vocabulary) -> bool:
    """True if a clause does not begin with another person (`Jonas gave up on it`)."""
    found = re.match(r"\W*([^\W\d_]+)", guard("update_lead").sub("", clause))
    if found is None or content.is_wide(found[1]):
        return True
    first = found[1]
    return (
        guard("update_over").match(clause.strip()) is not None
        or guard("update_light").fullmatch(first) is not None
        or not content.content(first)
        or content.bare(first) in COMMON
        or _holds(known, first)
    )


def _ends_a_phrase(text: str, word: str, known: content.Vocabulary) -> bool:
    """True if no other noun follows a word, or a form of it, in a text (`the dentist`, not `the dentist app`)."""
    forms = content.Vocabulary(content.content(word))
    for each in _WORD.finditer(text):
        if not _holds(forms, each[0]):
            continue
        behind = re.match(r"[ '’-]([^\W\d_]+)", text[each.end() :])
        if (
            content.is_wide(word)
            or behind is None
            or not content.content(behind[1])
            or guard("update_light").fullmatch(behind[1])
            or _holds(known, behind[1])
        ):
            return True
    return False


def _names_one(said: str, owner: str) -> bool:
    """True if a sentence names the person that a statement begins with (`Jonas` of `User's son Jonas is 7`)."""
    return not content.names(said).isdisjoint(content.names(owner[1:]))


@lru_cache(maxsize=4096)
def _persons(text: str) -> frozenset[str]:
    """Return the words of a text that name other people or what is theirs."""
    return frozenset(each[0].casefold() for each in guard("update_persons").finditer(text))
