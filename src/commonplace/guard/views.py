"""A text as the rules see it: markers masked, hidden characters left out, look-alikes folded.

Owns the mapping back: a place in a view is a place in the text. Views are for matching only and are
never stored.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final, NamedTuple

from commonplace.guard import markers
from commonplace.guard.table import STRETCH, Candidate, compiled, load, lower

# Letters and signs in other dress: raised, circled, mathematical, ligatures, full width.
_STYLED: Final = (
    "[\u00aa\u00b2\u00b3\u00b9\u00ba\u1d2c-\u1d6a\u2070-\u209c\u2100-\u214f\u2460-\u24ff\ufb00-\ufb06"
    "\uff1a-\uff1e\uff20-\uff5e\U0001d400-\U0001d7ff\U0001f110-\U0001f189]"
)


class View(NamedTuple):
    """A text to match on, and the rules to try in it; those of a long text are looked for at each use.

    From the places `at` on, a place is moved by `moves` to be one in the text, or in the view `under` this.
    """

    text: str
    lowered: str
    short: list[tuple[int, Candidate]] | None = None
    at: tuple[int, ...] = ()
    moves: tuple[int, ...] = ()
    under: View | None = None

    @property
    def candidates(self) -> Iterable[tuple[int, Candidate]]:
        """The rules to try in the order of their places."""
        return load().candidates(self.lowered) if self.short is None else self.short

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the places in the text of a non-empty span in this view."""
        if self.at:
            start, end = self._place(start), self._place(end - 1) + 1
        return self.under.span(start, end) if self.under else (start, end)

    def _place(self, place: int) -> int:
        step = bisect_right(self.at, place) - 1
        return place + self.moves[step] if step >= 0 else place


def of(text: str) -> list[View]:
    """List the views of a text: as it is, and without its hidden characters where it has some."""
    if "⟦" not in text:
        return [_view(text)]
    masked = compiled(markers.SECRET).sub(lambda match: "⟦" * len(match.group()), text)
    at: list[int] = []
    moves: list[int] = []
    removed = 0
    for match in compiled(markers.INVISIBLE).finditer(masked):
        at.append(match.start() - removed)
        removed += match.end() - match.start()
        moves.append(removed)
    if not at:
        return [_view(masked)]
    return [_view(masked), _view(compiled(markers.INVISIBLE).sub("", masked), tuple(at), tuple(moves))]


def folded(view: View) -> View:
    """Fold letters in other dress (full width, ligatures, styled), so that they match plain ones."""
    if view.text.isascii() or not compiled(_STYLED).search(view.text):
        return view
    pieces: list[str] = []
    at: list[int] = []
    moves: list[int] = []
    done = length = 0
    for match in compiled(_STYLED).finditer(view.text):
        place = match.start()
        plain = unicodedata.normalize("NFKC", match.group())
        pieces += (view.text[done:place], plain)
        length += place - done
        # One character may become several: each of them stands for the whole of it.
        for _ in plain:
            at.append(length)
            moves.append(place - length)
            length += 1
        done = match.end()
        at.append(length)
        moves.append(done - length)
    pieces.append(view.text[done:])
    return _view("".join(pieces), tuple(at), tuple(moves), view)


def _view(text: str, at: tuple[int, ...] = (), moves: tuple[int, ...] = (), under: View | None = None) -> View:
    lowered = lower(text)
    short = list(load().candidates(lowered)) if len(text) <= STRETCH else None
    return View(text, lowered, short, at, moves, under)
