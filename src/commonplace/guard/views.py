"""A text as the rules see it: markers masked, hidden characters left out, look-alikes folded.

Owns the mapping back: a place in a view is a place in the text. Views are for matching only and are
never stored.
"""

from __future__ import annotations

import html
import itertools
import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Final

from commonplace.guard import markers
from commonplace.guard.table import Tries, compiled, load, lower

Steps = tuple["array[int]", "array[int]"]

# Letters and signs in other dress: raised, circled, mathematical, ligatures, full width; `～` parts numbers. Marks of
# direction may be within a number.
_DRESSED: Final = (
    "[\u061c\u200e\u200f\u00aa\u00b2\u00b3\u00b9\u00ba\u1d2c-\u1d6a\u2070-\u209c\u2100-\u214f\u2460-\u24ff\ufb00-\ufb06"
    "\uff10-\uff1e\uff20-\uff5d\U0001d400-\U0001d7ff\U0001f110-\U0001f189]"
)

_DIRECTED: Final = "\u061c\u200e\u200f"
_NESTED: Final = 2
_ESCAPE: Final = (  # a pattern that begins with a set of signs is searched for several times as fast
    r"[\\%&](?:(?<=\\)(?:[\"\\/'nrtbf]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|(?<=%)[2-7][0-9A-Fa-f]"
    r"|(?<=&)(?:quot|amp|lt|gt|apos|#\d{2,5}|#x[0-9a-fA-F]{2,4});)"
)
_SIGNS: Final = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " "}
# A long word of a key's letters that goes on in the next line; and what is quickly found of it.
_WRAP: Final = r"(?<=[A-Za-z0-9_+/.-]{16})[=\\]?\r?\n[ \t>]{0,8}(?=[A-Za-z0-9_+/.=-]{8,512}(?:\s|[\"'\\]|\Z))"
_WRAPPED: Final = (
    r"\n(?:(?<=[A-Za-z0-9_+/.=\\-]{16}\n)|(?<=[A-Za-z0-9_+/.=\\-]{16}\r\n))[ \t>]{0,8}[A-Za-z0-9_+/.=-]{8}"
)
_IN_URL: Final = r"(?i):[^\s@/:]{0,128}%(?:40|2f|3a)"
_COLOUR: Final = r"(?:⟦U\+001B⟧|\x1b)\[[0-9;]{0,16}[mK]"  # of a terminal; it parts no words
_PARTS: Final = 4096  # held apart while a text is put together: each takes many times its characters
_AROUND: Final = 256  # characters beside a place that is read in a second way


class View:
    """A text to match on; `span` turns places in it into places in the text that it was made of."""

    def __init__(self, text: str, under: View | None = None, steps: Callable[[], Steps] | None = None) -> None:
        """From the places in `steps` on, a place is moved to be one in `under`; they are made if they are asked for."""
        self.text = text
        self._under = under
        self._make = steps
        self._escapes: dict[int, int] = {}

    @property
    def lowered(self) -> str:
        """The text in lower case, of the same length."""
        return lower(self.text)

    @property
    def tries(self) -> Tries:
        """The rules for secrets to try, with the places of their keywords, in order."""
        return self._candidates[0]

    @property
    def orders(self) -> Tries:
        """The rules for orders to a model to try, as `tries`."""
        return self._candidates[1]

    @cached_property
    def _candidates(self) -> tuple[Tries, Tries]:
        return load().keywords.candidates(self.lowered)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the places in the text of a non-empty span in this view."""
        if not self._under:
            return start, end
        return self._under.span(self._place(start), max(self._place(end - 1) + 1, self._place(end)))

    @property
    def decoded(self) -> bool:
        """True if there is a text below that this one was made of."""
        return self._under is not None

    def escapes(self, place: int) -> int:
        """Return how often the character at a place is escaped in the text."""
        if not self._under:
            return 0
        if place not in self._escapes:
            below = self._place(place)
            escaped = compiled(_ESCAPE).match(self._under.text, below) is not None
            self._escapes[place] = escaped + self._under.escapes(below)
        return self._escapes[place]

    def _place(self, place: int) -> int:
        at, moves = self._steps
        step = bisect_right(at, place) - 1
        return place + moves[step] if step >= 0 else place

    @cached_property
    def _steps(self) -> Steps:
        return self._make() if self._make else _no_steps()


def of(text: str) -> list[View]:
    """List the views of a text: decoded, without hidden characters, folded; and what only a second reading shows."""
    masked = text
    if "⟦" in text:
        masked = compiled(markers.SECRET).sub(lambda match: "⟦" * len(match.group()), text)
    plain = view = View(masked)
    for _ in range(_NESTED if "\\" in text or "%" in text or "&" in text else 0):  # JSON in JSON
        view = _changed(view, _ESCAPE, _decoded)
    if "⟦" in text:
        view = _changed(view, markers.INVISIBLE, lambda _: "")
    if "\x1b" in view.text or "001B" in view.text:
        view = _changed(view, _COLOUR, lambda _: "")
    if not view.text.isascii():
        view = _changed(view, _DRESSED, lambda match: unicodedata.normalize("NFKC", match.group().strip(_DIRECTED)))
    seen = [view]
    if "%" in text:  # an escaped `@` or `/` in the password of a URL is none of the URL's own
        seen += _parts(plain, _IN_URL)
    if "\n" in view.text:
        seen += (_changed(part, _WRAP, lambda _: "") for part in _parts(view, _WRAPPED))
    return seen


def _parts(view: View, pattern: str) -> Iterator[View]:
    """Yield a view of what is around each match of a pattern; of close ones one view."""
    begin = end = 0
    places = (match.span() for match in compiled(pattern).finditer(view.text))
    for first, last in itertools.chain(places, [(len(view.text) + 3 * _AROUND,) * 2]):
        if first - _AROUND > end:
            if end:
                yield View(view.text[begin : end + _AROUND], view, partial(_moved, begin))
            begin = max(0, first - _AROUND)
        end = last


def _moved(begin: int) -> Steps:
    return array("i", (0,)), array("i", (begin,))


def _no_steps() -> Steps:
    return array("i"), array("i")


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


def _replaced(text: str, pattern: str, change: Callable[[re.Match[str]], str]) -> str:
    """Return a text with other text for what a pattern matches; the same object if it matches nothing."""
    whole: list[str] = []
    parts: list[str] = []
    done = 0
    for match in compiled(pattern).finditer(text):
        parts += (text[done : match.start()], change(match))
        done = match.end()
        if len(parts) >= _PARTS:
            whole.append("".join(parts))
            parts.clear()
    return "".join([*whole, *parts, text[done:]]) if done else text


def _changed(view: View, pattern: str, change: Callable[[re.Match[str]], str]) -> View:
    """Return a view with other text for what a pattern matches; the same view if it matches nothing."""
    text = _replaced(view.text, pattern, change)
    if text is view.text:
        return view

    def steps() -> Steps:
        at, moves = _no_steps()
        done = length = 0
        for match in compiled(pattern).finditer(view.text):
            length += match.start() - done
            done = match.end()
            # One character may become several: each has the place of the whole one, the first by what was before.
            for place in range(length + 1, length := length + len(change(match))):
                at.append(place)
                moves.append(match.start() - place)
            at.append(length)
            moves.append(done - length)
        return at, moves

    return View(text, view, steps)
