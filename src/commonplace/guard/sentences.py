"""A sentence near a noun for a secret: its words and what in it looks made, each read once.

Owns the cutting of a sentence into words; what they mean is `said`, `linked` and `codes`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from commonplace.guard import values
from commonplace.guard.table import compiled, load
from commonplace.text import content

Span = tuple[int, int]

_POLISH: Final = r"(?i)[ąćęłńśźż]|\b(?:klucz|fraza|has[lł]|kod do\b)"


class Sentence:
    """A sentence; what it is asked for is worked out at the first question."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words without digits, in lower case."""
        return frozenset(compiled(r"[^\W\d_]{1,40}").findall(self.text.casefold()))

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
        return compiled(_POLISH).search(self.text) is not None

    def holds(self, name: str) -> bool:
        """True if it has one of a list of words; one in a script without spaces may be anywhere in it."""
        words = load().words[name]
        wide = not self.text.isascii() and any(word in self.text for word in words if content.is_wide(word))
        return wide or not words.isdisjoint(self.words)
