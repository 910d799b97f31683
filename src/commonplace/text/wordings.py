"""Find texts again wherever they are, word for word: in Markdown, wrapped or quoted, in JSON, a URL or HTML. Pure."""

from __future__ import annotations

import html
from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from typing import Final

from commonplace.text.patterns import pattern

_SINGLE: Final = r"぀-ヿ㐀-䶿一-鿿가-힯豈-﫿"  # scripts in which a character counts as a word
_WORD: Final = pattern(rf"[{_SINGLE}]|(?:(?![{_SINGLE}])[^\W_])+")
_ESCAPE: Final = pattern(
    r"\\(?:[\"\\/nrtbf]|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})"
    r"|%(?:[0-7][0-9a-fA-F]|(?:[cdCD][0-9a-fA-F]|[eE][0-9a-fA-F]%[89abAB][0-9a-fA-F]"
    r"|[fF][0-7](?:%[89abAB][0-9a-fA-F]){2})%[89abAB][0-9a-fA-F])"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
)
_SIGNS: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_NESTED: Final = 8  # JSON in JSON in a URL; what is written so on both sides is read alike
_CUT: Final = pattern(r"[ ,;:)\"']{0,3}(?:…|\.\.\.)")  # what is behind the last word if more was cut off
_CUT_CHARS: Final = 30  # a shorter beginning may be that of another text
_KEY: Final = (3, 2)  # words by which a text is looked up


class Wordings:
    """Texts that are looked for. The marks between their words do not count, nor case; one word is no text."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_start: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        self._known: set[tuple[str, ...]] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Add a text to what is looked for."""
        words = tuple(word for _, _, word in _words(decoded(text)))
        if len(words) >= _KEY[-1] and words not in self._known:
            self._known.add(words)
            insort(self._by_start.setdefault(words[: _KEY[0]], []), words, key=lambda each: -len(each))

    def __bool__(self) -> bool:
        """True if anything is looked for."""
        return bool(self._by_start)

    def spans(self, text: str, *, cut: bool = False) -> Iterator[tuple[int, int]]:
        """Yield where one of the texts begins and ends, in order and apart; with `cut` also its cut-off beginning."""
        if not self._by_start:
            return
        plain = _Decoded(text)
        placed = list(_words(plain.text))
        words = tuple(word for _, _, word in placed)
        ends = [place for place, (_, end, _) in enumerate(placed) if cut and _CUT.match(plain.text, end)]
        at = 0
        while at < len(words):
            size = self._length(words, at)
            if not size and (nearest := bisect_left(ends, at)) < len(ends):
                end = ends[nearest]
                size = self._begun(words, at, end) if placed[end][1] - placed[at][0] >= _CUT_CHARS else 0
            if size:
                yield plain.place(placed[at][0]), plain.place(placed[at + size - 1][1])
            at += size or 1

    def _length(self, words: tuple[str, ...], at: int) -> int:
        """Return how many words the longest text has that begins at a place; 0 if none does."""
        for size in _KEY:
            for each in self._by_start.get(words[at : at + size], ()):
                if words[at : at + len(each)] == each:
                    return len(each)
        return 0

    def _begun(self, words: tuple[str, ...], at: int, end: int) -> int:
        """Return how many words a text begins with that are from one place to another, the last in part; else 0."""
        size = end - at + 1
        for each in self._by_start.get(words[at : at + _KEY[0]], ()):
            if size <= len(each) and words[at:end] == each[: size - 1] and each[size - 1].startswith(words[end]):
                return size
        return 0

    def count(self, text: str, *, cut: bool = False) -> int:
        """Return how often any of the texts is in another."""
        return sum(1 for _ in self.spans(text, cut=cut))

    def without(self, text: str, mark: str, *, cut: bool = False) -> str:
        """Return a text with a mark in place of each of the texts; the same object if it holds none."""
        parts: list[str] = []
        done = 0
        for start, end in self.spans(text, cut=cut):
            parts += (text[done:start], mark)
            done = end
        return "".join([*parts, text[done:]]) if parts else text


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    return ((m.start(), m.end(), m[0].casefold()) for m in _WORD.finditer(text))


def decoded(text: str) -> str:
    """Return a text with the signs that JSON, a URL or HTML wrote otherwise."""
    return _Decoded(text).text


class _Decoded:
    """A text with each escaped sign as itself; `place` turns a place in it into one in the text as written."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._passes: list[tuple[array[int], array[int]]] = []  # from which places on how much more was written
        while len(self._passes) < _NESTED and any(sign in self.text for sign in "\\%&") and self._decode():
            pass

    def place(self, place: int) -> int:
        """Return where in the text as written a place is."""
        for starts, more in reversed(self._passes):
            step = bisect_right(starts, place) - 1
            place += more[step] if step >= 0 else 0
        return place

    def _decode(self) -> bool:
        starts, more = array("q"), array("q")
        parts: list[str] = []
        done = 0
        for match in _ESCAPE.finditer(self.text):
            sign = _sign(match[0])
            if len(sign) == 1:
                parts += (self.text[done : match.start()], sign)
                done = match.end()
                more.append((more[-1] if more else 0) + len(match[0]) - 1)
                starts.append(done - more[-1])
        if not parts:
            return False
        self.text = "".join([*parts, self.text[done:]])
        self._passes.append((starts, more))
        return True


def _sign(written: str) -> str:
    """Return what an escape of JSON, a URL or HTML means."""
    if written[0] == "%":
        return bytes.fromhex(written.replace("%", "")).decode("utf-8", "replace")
    if written[0] == "&":
        return html.unescape(written)
    if written[1] == "u":
        return bytes.fromhex(written.replace("\\u", "")).decode("utf-16-be", "replace")
    return _SIGNS.get(written[1], written[1])
