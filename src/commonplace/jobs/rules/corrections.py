"""Recognises a person who takes a value back: `actually, it's 24.04 not 22.04`.

Pure: text in, old and new value out. What the value belongs to is for the caller to find among what
is remembered; it is never guessed here.
"""

from __future__ import annotations

import msgspec

from commonplace.jobs.rules.clauses import Clause
from commonplace.jobs.rules.patterns import corrections, guard


class Correction(msgspec.Struct, frozen=True):
    """A value that is over, the one that replaces it, and the place of the words in the clause."""

    old: str
    new: str


def corrected(sentence: str) -> Correction | None:
    """Read `it's X, not Y` and its kin; None where no value is taken back."""
    text = " ".join(sentence.split()).strip(" .!")
    if len(text) > 160:
        return None
    for pattern in corrections("values"):
        found = pattern.search(text)
        if found is not None:
            return _sound(found["old"], found["new"])
    return None


def renamed(sentence: str) -> Correction | None:
    """Read that a thing has another name now: `they renamed main to stable`."""
    found = next((found for row in corrections("renamed") if (found := row.search(sentence)) is not None), None)
    return None if found is None or found["old"] == found["new"] else Correction(found["old"], found["new"])


def amended(clause: str, *, announced: bool) -> Correction | None:
    """Read a whole statement with its old value: `the tank holds 17 litres, not 14`.

    Of words, not numbers, it is a correction only where the lead-in `announces` it.
    """
    found = guard("amended").fullmatch(" ".join(clause.split()).strip(" .!"))
    if found is None:
        return None
    old = found["old"].strip(" ,.'’")
    said = found["claim"].rstrip(" ,").split()
    if any(char.isdigit() for char in old):
        numbers = [word for word in said if any(char.isdigit() for char in word)]
        return _sound(old, numbers[-1]) if numbers and len(old.split()) == 1 else None
    if not announced:
        return None
    return _sound(old, " ".join(said[-len(old.split()) :]))


def _sound(old: str, new: str) -> Correction | None:
    old, new = old.strip(" ,.'’"), new.strip(" ,.'’")
    if (
        not old
        or not new
        or new.endswith(" but")
        or old.casefold() == new.casefold()
        or len(old.split()) > 5
        or len(new.split()) > 6
    ):
        return None
    if guard("vague").match(old) or guard("vague").match(new) or not _alike(old, new):
        return None
    return Correction(old, new)


def ended(clause: Clause) -> str:
    """Return the value that a clause says is over (`switched from A to B`, `B instead of A`), or nothing."""
    for text in dict.fromkeys((clause.lead + clause.text, clause.text)):
        for pattern in corrections("over"):
            found = pattern.search(text)
            old = "" if found is None else found["old"].strip(" ,.'’")
            if old and not guard("vague").match(old) and len(old.split()) <= 5:
                return old
    return ""


def taken_back(text: str) -> tuple[str, ...]:
    """Return the values that a whole statement says are over (`no longer in Brixton`, `not at 9:30`)."""
    said = " ".join(text.split()).strip(" .!。！")
    found = (each["old"].strip(" ,.'’") for row in corrections("taken_back") for each in row.finditer(said))
    return tuple(dict.fromkeys(old for old in found if old and not guard("vague").match(old)))


def _alike(old: str, new: str) -> bool:
    """Two values of one kind: both with digits, both names, or words as short as each other."""
    if any(char.isdigit() for char in old + new):
        return any(char.isdigit() for char in old) == any(char.isdigit() for char in new)
    if old[:1].isupper() or new[:1].isupper():
        return old[:1].isupper() == new[:1].isupper()
    return len(old.split()) <= 2 and len(new.split()) <= 2 and not old.endswith("ing") and not new.endswith("ing")
