"""What a statement is about, for layers with one file a subject: found without a model, so coarse and steady.

A statement goes to the subject whose title it names; else to a name that another statement has too; else to the
subject of its kind. A name that is said once makes no file of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from commonplace.jobs.rules import matching
from commonplace.text.content import bare
from commonplace.text.everyday import COMMON, is_no_name
from commonplace.text.patterns import pattern

_NAME: Final = pattern(r"(?<=[\w,;:] )[^\W\d_a-z][\w’'-]+(?: [^\W\d_a-z][\w’'-]+)*", re.UNICODE)
_LEAST_CHARS: Final = 3
_NO_NAMES: Final = frozenset({"english", "user"})
_PLURALS: Final = {"fix": "Fixes"}


def of_kind(kind: str) -> str:
    """Return the title of the subject that takes what has no other."""
    return _PLURALS.get(kind, f"{kind.capitalize()}s")


def names(text: str) -> list[str]:
    """List the proper names inside a statement; a word that only begins a sentence is none, nor is an everyday one."""
    found = [name for name in _NAME.findall(text) if len(name) >= _LEAST_CHARS and not _is_everyday(name)]
    return [name for name in found if not name.isupper() or len(name) > _LEAST_CHARS]


def _is_everyday(name: str) -> bool:
    words = name.split()
    return all(is_no_name(word) or bare(word) in COMMON or word.lower() in _NO_NAMES for word in words)


def subject(text: str, kind: str, titles: Iterable[str], others: Sequence[str]) -> str:
    """Return the title of the file that a statement goes to.

    Args:
        text: The statement.
        kind: Of which kind it is.
        titles: Of the subjects that are there.
        others: What else is stated.
    """
    named = [title for title in titles if len(title) >= _LEAST_CHARS and matching.holds(text, title)]
    if named:
        return max(named, key=len)
    shared = (name for name in names(text) if any(matching.holds(other, name) for other in others))
    return next(shared, of_kind(kind))
