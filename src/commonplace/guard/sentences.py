"""A sentence near a noun for a secret: its words and what in it looks made, each read once.

Owns the cutting of a sentence into words; what they mean is `said`, `linked` and `codes`.
"""

from __future__ import annotations

import functools
import re
from functools import cached_property
from typing import Final

from commonplace.guard import values
from commonplace.guard.table import compiled, load
from commonplace.text import content

Span = tuple[int, int]

_NUMBER: Final = (
    rf"(?:(?<![\w.,:/€$£¥#+-])|(?<=[{values.CJK}：→(])|(?<=[{values.CJK}]:))"
    rf"(?:\d(?:[*#]\d){{2,5}}|#\d{{2,6}}[#*]\d{{0,6}}#?|#\d{{3,8}}"
    rf"|\*?\d{{1,8}}(?:(?:\s?[-·・–#→]\s?|[ ])\d{{1,8}}){{0,6}}#?"
    rf"|\d{{2,3}}(?:\.\d{{2,3}}){{2}}-\d{{2,3}}(?:\.\d\d)?|\d{{3}}(?:\.\d{{4}}){{2}}\.\d\d"  # of persons
    rf"|(?=[A-Z\d]{{0,16}}\d\d)[A-Z\d]{{9,18}}"
    rf"|\d{{4,6}}[a-f]|\d{{2,6}}[A-ZА-Я]\d{{0,4}}|\d[A-ZА-Я]\d{{2,4}}|[A-ZА-Я]\d{{3,6}}[A-Z]?"
    rf"|(?=[A-Z\d]{{0,7}}\d(?:[A-Z]|-\d|-[A-Z]\d))(?:[A-Z\d]{{4,8}}|(?=\d{{0,4}}[A-Z])[A-Z\d]{{2,4}}-[A-Z\d]{{3,4}}))(?![%€$£¥°-]|[.,:/]\d|(?![{values.CJK}])\w)"
)
_CODES: Final = r"(?i)\w(?:code|kod|código)\b|\bkod|コード|\b(?:pin|combo)\b|combina|kombina|码|코드|번호|番号"
_POLISH: Final = r"(?i)\b(?:klucz|fraza|has[lł]|kod do\b)"
_POLISH_LETTERS: Final = frozenset("ąćęłńśźżĄĆĘŁŃŚŹŻ")


class Sentence:
    """A sentence; what it is asked for is worked out at the first question."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> str:
        """Its text in lower case."""
        return self.text.casefold()

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words without digits, in lower case."""
        return frozenset(compiled(r"[^\W\d_]{1,40}").findall(self.folded))

    @cached_property
    def tokens(self) -> list[Span]:
        """What may be values: without signs at the edges, or a name and `=` before."""
        found: list[Span] = []
        for match in compiled(values.TOKEN).finditer(self.text):
            start, stop = values.stripped(self.text, *match.span())
            signed = "=" in match.group() or ":" in match.group()
            if signed and (sign := compiled(r".[^=:]{0,40}[=:]").match(self.text, start, stop)):
                start, stop = values.stripped(self.text, sign.end(), stop)
            found.append((start, stop))
        return found

    @cached_property
    def made(self) -> list[Span]:
        """Those of its tokens that look made."""
        return [
            span
            for span in self.tokens
            if span[1] - span[0] >= values.LONG and values.is_value(self.text[slice(*span)])
        ]

    @cached_property
    def numbers(self) -> list[re.Match[str]]:
        """What in it may be numbers that open something."""
        return list(compiled(_NUMBER).finditer(self.text)) if compiled(r"\d").search(self.text) else []

    @cached_property
    def is_wide(self) -> bool:
        """True if a part of it is in a script without spaces."""
        return not self.text.isascii() and content.is_wide(self.text)

    @cached_property
    def has_code(self) -> bool:
        """True if it names a code, or something of the kind."""
        return self.holds("code") or compiled(_CODES).search(self.text) is not None

    @cached_property
    def counts(self) -> bool:
        """True if a word of it is a digit or a turn of a dial."""
        return not (load().words["digits"] | load().words["turns"]).isdisjoint(self.words)

    @cached_property
    def is_changed(self) -> bool:
        """True if it says that something is changed."""
        return not load().words["changes"].isdisjoint(self.words)

    @cached_property
    def is_polish(self) -> bool:
        """True if it looks Polish."""
        return not _POLISH_LETTERS.isdisjoint(self.text) or compiled(_POLISH).search(self.text) is not None

    def holds(self, name: str) -> bool:
        """True if it has one of a list of words; several, or one in a script without spaces, may be anywhere in it."""
        if not load().words[name].isdisjoint(self.words):
            return True
        return any(word in self.folded for word in anywhere(name))


@functools.cache
def anywhere(name: str) -> tuple[str, ...]:
    """Return what of a list is several words, or in a script without spaces."""
    return tuple(word.replace("_", " ") for word in load().words[name] if "_" in word or content.is_wide(word))
