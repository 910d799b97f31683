"""A text as the rules see it: markers masked, hidden characters left out, look-alikes folded.

Owns the mapping back: a place in a view is a place in the text. Views are for matching only and are
never stored.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from typing import Final, NamedTuple

from commonplace.guard import markers
from commonplace.guard.table import compiled, lower

# Letters and signs in other dress: raised, circled, mathematical, ligatures, full width.
_STYLED: Final = (
    "[\u00aa\u00b2\u00b3\u00b9\u00ba\u1d2c-\u1d6a\u2070-\u209c\u2100-\u214f\u2460-\u24ff\ufb00-\ufb06"
    "\uff1a-\uff1e\uff20-\uff5e\U0001d400-\U0001d7ff\U0001f110-\U0001f189]"
)

_NESTED: Final = 2
_ESCAPE: Final = (
    r"\\(?:[\"\\/'nrtbf]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|%[2-7][0-9A-Fa-f]"
    r"|&(?:quot|amp|lt|gt|apos|#\d{2,5}|#x[0-9a-fA-F]{2,4});"
)
_SIGNS: Final = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " "}
# A long word of a key's letters that goes on in the next line.
_WRAP: Final = r"(?<=[A-Za-z0-9_+/.-]{16})=?\r?\n[ \t>]{0,8}(?=[A-Za-z0-9_+/.=-]{8,512}(?:\s|[\"']|\Z))"


class View(NamedTuple):
    """A text to match on.

    From the places `at` on, a place is moved by `moves` to be one in the text, or in the view `under` this.
    """

    text: str
    lowered: str
    at: tuple[int, ...] = ()
    moves: tuple[int, ...] = ()
    under: View | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the places in the text of a non-empty span in this view."""
        if self.at:
            start, end = self._place(start), max(self._place(end - 1) + 1, self._place(end))
        return self.under.span(start, end) if self.under else (start, end)

    def _place(self, place: int) -> int:
        step = bisect_right(self.at, place) - 1
        return place + self.moves[step] if step >= 0 else place


def of(text: str) -> list[View]:
    """List the views of a text: decoded, then without hidden characters and unwrapped, where that differs."""
    masked = text
    if "⟦" in text:
        masked = compiled(markers.SECRET).sub(lambda match: "⟦" * len(match.group()), text)
    view = _view(masked)
    for _ in range(_NESTED if "\\" in text or "%" in text or "&" in text else 0):  # JSON in JSON
        view = _changed(view, _ESCAPE, _decoded)
    # An escaped `@` in the password of a URL is none of the URL's own.
    seen = [view, _view(masked)] if "%40" in text else [view]
    if "⟦" in text and compiled(markers.INVISIBLE).search(view.text):
        seen.insert(0, view := _changed(view, markers.INVISIBLE, lambda _: ""))
    if compiled(_WRAP).search(view.text):
        seen.append(_changed(view, _WRAP, lambda _: ""))
    return seen


def _decoded(match: re.Match[str]) -> str:
    """Return what an escape of JSON, a URL or XML means."""
    written = match.group()
    if written[0] == "%":
        return chr(int(written[1:], 16))
    if written[0] == "&":
        return html.unescape(written)
    if written[1] in "ux":
        return chr(int("0x" + written[2:], 0))
    return _SIGNS.get(written[1], written[1])


def folded(view: View) -> View:
    """Fold letters in other dress (full width, ligatures, styled), so that they match plain ones."""
    if view.text.isascii() or not compiled(_STYLED).search(view.text):
        return view
    return _changed(view, _STYLED, lambda match: unicodedata.normalize("NFKC", match.group()))


def _changed(view: View, pattern: str, change: Callable[[re.Match[str]], str]) -> View:
    """Return a view with other text for what a pattern matches; the same view if it matches nothing."""
    pieces: list[str] = []
    at: list[int] = []
    moves: list[int] = []
    done = length = 0
    for match in compiled(pattern).finditer(view.text):
        place = match.start()
        changed = change(match)
        pieces += (view.text[done:place], changed)
        length += place - done
        # One character may become several: each of them has the place of the whole one.
        for _ in changed:
            at.append(length)
            moves.append(place - length)
            length += 1
        done = match.end()
        at.append(length)
        moves.append(done - length)
    if not at:
        return view
    pieces.append(view.text[done:])
    return _view("".join(pieces), tuple(at), tuple(moves), view)


def _view(text: str, at: tuple[int, ...] = (), moves: tuple[int, ...] = (), under: View | None = None) -> View:
    return View(text, lower(text), at, moves, under)
