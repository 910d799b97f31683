"""Is a number put on another thing than it was said of? Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from commonplace.guard.clauses import Clause, shared_words, units_of
from commonplace.text import content
from commonplace.text.patterns import pattern

_PREFERS: Final = pattern(
    r"\b(?:rather|instead|make (?:it|that)|better|lieber|eher|besser|plutôt|mieux|mejor"
    r"|meglio|piuttosto|melhor|antes|лучше|raczej|lepiej|liever|beter)\b"
    r"|还是|改成|にして|のほうが",
    re.IGNORECASE,
)
_NEAR: Final = 2  # clauses of one message, between two things that are counted side by side


class Counted:
    """The numbers of a talk, and what they count.

    Args:
        clauses: The clauses of the talk.
    """

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._clauses = clauses

    def fault(self, clause: Clause, whole: Sequence[Clause]) -> str:
        """Return the fault if a number of a clause was said of another thing only.

        Args:
            clause: One clause of a statement.
            whole: All of them.
        """
        words = frozenset[str]().union(*(each.content - units_of(each) for each in whole))
        counts = frozenset[str]().union(*(each.numbers for each in whole))
        own = content.content(clause.text) - units_of(clause)
        for value in clause.numbers:
            homes = [each for each in self._clauses if value in each.numbers]
            said = [each for each in homes if each.person]
            apart = said and not any(shared_words(words, each.content) for each in homes)
            if (apart and self._has_neighbour(own, counts, said)) or (
                homes and not said and self._is_corrected(own, counts, homes)
            ):
                return f"other-number: what was said has another number than {value}"
        return ""

    def _has_neighbour(self, own: frozenset[str], counts: frozenset[str], homes: Sequence[Clause]) -> bool:
        """True if a statement names what another number counts, beside where its number was said of something."""
        if not all(home.content - home.dated - units_of(home) for home in homes):
            return False
        places = {n for n, each in enumerate(self._clauses) for home in homes if each is home}
        return any(
            other.numbers
            and not other.numbers & counts
            and shared_words(own, other.content - units_of(other))
            and any(0 < abs(n - place) <= _NEAR and other.place == self._clauses[place].place for place in places)
            for n, other in enumerate(self._clauses)
        )

    def _is_corrected(self, own: frozenset[str], counts: frozenset[str], homes: Sequence[Clause]) -> bool:
        """True if the assistant alone said a number, and a person later another one of the same."""
        behind = [other for other in self._clauses if other.person and other.place == homes[-1].place + 1]
        if len(counts) == 1 and any(_PREFERS.search(o.text) and o.numbers and not o.numbers & counts for o in behind):
            return True
        most = max(len(own & home.content) for home in homes)  # `tests pass` is no form of `pass on`
        return any(
            other.person
            and other.place > homes[0].place
            and other.numbers
            and not other.numbers & counts
            and len(own & (other.content - units_of(other))) >= max(1, most, (len(own) + 1) / 2)
            for other in self._clauses
        )
