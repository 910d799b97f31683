"""Decide by rules what a new statement is to an old one: the same, part of it, its update, or another.

The words of both are laid side by side. What differs decides: nothing, an addition behind the end, a
negation, a number, a date or version, a pair of opposites, the value of something that has one value at a
time. Where the difference is of no known sort and the rest is alike, the answer is `doubt`: a model is
asked, or both stay and the review lists them. A wrong `distinct` costs a line; a wrong `same` costs a fact.

Source: seed model, "Similarity rule".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final, Literal

import msgspec

from commonplace.text.likeness import wording
from commonplace.text.likeness.wording import Token
from commonplace.text.patterns import pattern

Kind = Literal["same", "contained", "supersedes", "distinct", "doubt"]

_VERSION: Final = pattern(r"v?\d+(?:\.\d+)+|v\d+")
_MOMENT: Final = pattern(r"\d{1,4}(?:[:/-]\d{1,4})+|\d{1,2}\.\d{1,2}\.\d{2,4}")
_NUMBER: Final = pattern(r"-?\d+(?:[.,]\d+)?")
_YEAR: Final = pattern(r"(?:19|20)\d\d")
_NUMBERED: Final = pattern(r"\D+\d+\D*")
_IN_FRAME: Final = "another word in the same frame"
_NUMBERED_THING: Final = "a number that may be a name"
_SAYS: Final = frozenset({"is", "are", "has", "have", "ist", "hat", "es", "tiene", "est", "è", "ha"})  # after the thing
_WHOSE: Final = frozenset({"for", "of", "für", "von", "para", "pour", "per", "voor", "dla"})  # behind the thing
_ALIKE_SHARE: Final = 0.6  # of the words of the shorter text; below it two texts speak of different things
_VALUE_WORDS: Final = 4
_HEAD_WORDS: Final = 5  # a label or a noun that has one value is among the first words


class Likeness(msgspec.Struct, frozen=True):
    """What a new statement is to an old one, and why; `longer` says which of the two is kept of `contained`."""

    kind: Kind
    why: str = ""
    longer: Literal["old", "new"] = "old"

    @property
    def in_frame(self) -> bool:
        """True if one place of the two differs, and nothing is known of how many values it may have."""
        return self.why in {_IN_FRAME, _NUMBERED_THING}


class Slot(msgspec.Struct, frozen=True):
    """One place where two texts differ, with the words that both have before it."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


def decide(old: str, new: str) -> Likeness:
    """Return what a new statement is to an old one."""
    mine, theirs = wording.tokens(old), wording.tokens(new)
    a, b = [token.word for token in mine], [token.word for token in theirs]
    if not a or not b:
        return Likeness("same", "equal") if old.strip() == new.strip() else Likeness("distinct", "no words")
    if a == b:
        return Likeness("same", "equal")
    if sorted(a) == sorted(b):
        return _reordered(mine, theirs)
    if (wording.RELATIVES & set(a)) != (wording.RELATIVES & set(b)):
        return Likeness("distinct", "of somebody else")
    negated = _negated(a, b)
    if negated is not None:
        return negated
    contained = _contained(mine, theirs)
    if contained is not None:
        return contained
    found = Likeness("supersedes", "another value") if _is_relabelled(old, new) else _compared(a, b)
    more = sum(token.after_break for token in mine) > sum(token.after_break for token in theirs)
    return Likeness("doubt", "the old one says more") if more and found.kind == "supersedes" else found


def _is_relabelled(old: str, new: str) -> bool:
    """True if both give a value to one label (`Team: Alpha`, `Team: Beta`), and it is a label that has one value.

    A value is a short name or noun: what begins with a verb, or joins or lists things, says something about the label.
    """
    label, was = wording.labelled(old)
    other, value = wording.labelled(new)
    if not label or label != other or not wording.has_one_value(label):
        return False
    return all(_is_value(each) for each in (was, value))


def _is_value(text: str) -> bool:
    tokens = wording.tokens(text)
    words = [token.word for token in tokens]
    if any(token.after_break for token in tokens) or not 0 < len(words) <= _VALUE_WORDS:
        return False
    if len(words) == 1:
        return True  # `EST`
    said = wording.JOINING | wording.AND | wording.NEGATIONS | wording.LIMITS
    return not said & set(words) and words[0] not in wording.MANY | wording.HOLDING


def _reordered(mine: Sequence[Token], theirs: Sequence[Token]) -> Likeness:
    """Judge the same words in another order: a list in another order, or a comparison turned round."""
    a, b = [token.word for token in mine], [token.word for token in theirs]
    places = [place for place, (one, two) in enumerate(zip(a, b, strict=True)) if one != two]
    window = range(places[0], places[-1] + 1)
    words = [a[place] for place in window]
    if wording.COMPARING & set(words):
        return Likeness("supersedes", "turned round")
    ands = sum(word in wording.AND for word in words)
    breaks = sum(mine[place].after_break for place in window if place > places[0])
    items = len(words) - ands
    listed = ands and items <= ands + breaks + 1
    return Likeness("same", "a list in another order") if listed else Likeness("doubt", "another order")


def _negated(a: Sequence[str], b: Sequence[str]) -> Likeness | None:
    """Judge texts of which one alone denies; None where both or neither do."""
    bare_a, bare_b = [_bare(words) for words in (a, b)]
    if (len(bare_a) != len(a)) == (len(bare_b) != len(b)) and not _inflected(a, b):
        return None
    steady = [[word for word in words if word not in wording.ALWAYS] for words in (bare_a, bare_b)]
    if steady[0] == steady[1] or _inflected(a, b):
        return Likeness("supersedes", "negation")
    return Likeness("doubt", "negation") if _share(bare_a, bare_b) >= _ALIKE_SHARE else Likeness("distinct")


def _bare(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in wording.NEGATIONS]


def _inflected(a: Sequence[str], b: Sequence[str]) -> bool:
    """True if one alone ends in a negative form, as Japanese verbs do, after the same words."""
    one, two = "".join(a), "".join(b)
    denies = [text.endswith(wording.NEGATIVE_ENDINGS) for text in (one, two)]
    if denies[0] == denies[1]:
        return False
    common = next((i for i, (x, y) in enumerate(zip(one, two, strict=False)) if x != y), min(len(one), len(two)))
    return common >= max(len(one), len(two)) - 4


def _contained(mine: Sequence[Token], theirs: Sequence[Token]) -> Likeness | None:
    """Judge texts of which one is the other with something added behind; None where neither is."""
    short, long = sorted((mine, theirs), key=len)
    words = [token.word for token in short]
    if [token.word for token in long[: len(short)]] != words or len(short) == len(long):
        return None
    added = long[len(short) :]
    said = {token.word for token in added}
    longer: Literal["old", "new"] = "new" if long is theirs else "old"
    if said & (wording.LIMITS | wording.NEGATIONS) or "'s" in said:
        return Likeness("doubt", "an addition that limits")
    head = added[0]
    refined = len(added) == 1 and _VERSION.fullmatch(head.word) is not None
    if head.after_break or head.word in wording.JOINING or refined:
        return Likeness("contained", "an addition", longer)
    return Likeness("doubt", "an addition that may change the sense")


def _compared(a: Sequence[str], b: Sequence[str]) -> Likeness:
    slots = _slots(a, b)
    if len(slots) == 1 and _paired(slots):
        return Likeness("supersedes", "opposite")
    if _share(a, b) < _ALIKE_SHARE and not (len(slots) == 1 and _one_value(slots[0])):
        held = len(slots) == 1 and bool(slots[0].before) and slots[0].before[-1] in wording.HOLDING
        in_frame = held and not _is_whose(slots[0])
        why = _IN_FRAME if in_frame else "few words in common"
        return Likeness("distinct", why) if not _paired(slots) else Likeness("doubt", "opposite")
    if all(slot.old and slot.new for slot in slots):
        judged = [_slot(slot) for slot in slots]
        kinds = {each.kind for each in judged}
        if kinds == {"supersedes"}:
            several = len(slots) > 1 and _measured(slots[0]) and slots[0].after[0] in _SAYS
            return Likeness("doubt", _NUMBERED_THING) if several else judged[0]  # `box 1 is 7 cm`, `box 2 is 9 cm`
        if len(judged) > 1 and "doubt" not in kinds:
            return Likeness("distinct", "differs in several places")
        if len(judged) == 1:
            return judged[0]
        several = any(not _measured(slot) for slot in slots)
        return Likeness("distinct", "differs in several places") if several else Likeness("doubt", "several numbers")
    return Likeness("doubt", "alike, with words added or left out")


def _slots(a: Sequence[str], b: Sequence[str]) -> list[Slot]:
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return [
        Slot(tuple(a[i:j]), tuple(b[k:m]), tuple(a[:i]), tuple(a[j:]))
        for tag, i, j, k, m in matcher.get_opcodes()
        if tag != "equal"
    ]


def _share(a: Sequence[str], b: Sequence[str]) -> float:
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    return same / max(1, min(len(a), len(b)))


def _paired(slots: Sequence[Slot]) -> bool:
    return any(wording.opposite(_joined(slot.old), _joined(slot.new)) for slot in slots)


def _slot(slot: Slot) -> Likeness:
    """Judge one place where a word or a few were replaced."""
    if wording.opposite(_joined(slot.old), _joined(slot.new)):
        return Likeness("supersedes", "opposite")
    if _measured(slot):
        return _measure(slot)
    if _one_value(slot):
        return Likeness("supersedes", "another value")
    if not slot.before or _is_whose(slot) or (len(slot.after) < 2 and wording.MANY & set(slot.before[-2:])):
        return Likeness("distinct", "another thing")
    return Likeness("doubt", _IN_FRAME)


def _measured(slot: Slot) -> bool:
    sorts = {_sort(word) for word in (*slot.old, *slot.new)}
    return len(slot.old) == len(slot.new) == 1 and "" not in sorts


def _sort(word: str) -> str:
    for name, shape in (("moment", _MOMENT), ("version", _VERSION), ("number", _NUMBER)):
        if shape.fullmatch(word):
            return name
    if word in wording.DAYS:
        return "day"
    return "number" if word in wording.NUMBER_WORDS else ""


def _measure(slot: Slot) -> Likeness:
    """Judge a number, version or date in place of another: a new value, or the name of another thing."""
    old, new = slot.old[0], slot.new[0]
    sorts = {_sort(old), _sort(new)}
    if sorts & {"version", "moment"}:
        return Likeness("supersedes", "version" if "version" in sorts else "date")
    if _YEAR.fullmatch(old) and _YEAR.fullmatch(new) and not {"is", "deadline"} & set(slot.before):
        return Likeness("doubt", "another year")
    counted = bool(slot.after) and slot.after[0] in wording.UNITS
    if slot.before and (counted or wording.HOLDING & set(slot.before) or not slot.after):
        return Likeness("supersedes", "day" if sorts == {"day"} else "number")
    return Likeness("doubt", _NUMBERED_THING)


def _one_value(slot: Slot) -> bool:
    """True if the words before a slot allow one value at a time, and nothing follows it but the same end."""
    if not slot.before or not slot.old or not slot.new or len(slot.after) > 1:
        return False
    if wording.JOINING & set(slot.old):
        return False  # the old one says more than the value, and that would go with it
    before = " ".join(slot.before)
    if before.endswith(wording.ONE_VERB) or "".join(slot.before).endswith(wording.ONE_VERB_WIDE):
        return True
    if len(slot.before) <= _HEAD_WORDS and wording.ONE_NOUN & set(slot.before):
        return not _is_whose(slot)
    same_stem = len(slot.old) == len(slot.new) == 1 and _NUMBERED.fullmatch(slot.old[0]) is not None
    return same_stem and re.sub(r"\d", "", slot.old[0]) == re.sub(r"\d", "", slot.new[0])


def _is_whose(slot: Slot) -> bool:
    """True if what differs is whose a thing is (`the deadline for Ada`), not which it is."""
    return len(slot.before) > 1 and slot.before[-1] in _WHOSE and slot.before[-2] in wording.ONE_NOUN


def _joined(words: Sequence[str]) -> str:
    return "".join(words) if all(len(word) == 1 for word in words) else " ".join(words)
