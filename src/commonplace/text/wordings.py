"""Find texts again wherever they are, word for word: in Markdown, in JSON, wrapped or quoted. Pure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator
from typing import Final

from commonplace.text.patterns import pattern

_SINGLE: Final = r"぀-ヿ㐀-䶿一-鿿가-힯豈-﫿"  # scripts in which a character counts as a word
_WORD: Final = pattern(rf"\\(?:[nrtbf]|u[0-9a-fA-F]{{4}})|([{_SINGLE}]|(?:(?![{_SINGLE}])[^\W_])+)")
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
        words = tuple(word for _, _, word in _words(text))
        if len(words) >= _KEY[-1] and words not in self._known:
            self._known.add(words)
            insort(self._by_start.setdefault(words[: _KEY[0]], []), words, key=lambda each: -len(each))

    def __bool__(self) -> bool:
        """True if anything is looked for."""
        return bool(self._by_start)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where one of the texts begins and ends, in order and apart."""
        if not self._by_start:
            return
        placed = list(_words(text))
        words = tuple(word for _, _, word in placed)
        at = 0
        while at < len(words):
            size = self._length(words, at)
            if size:
                yield placed[at][0], placed[at + size - 1][1]
            at += size or 1

    def _length(self, words: tuple[str, ...], at: int) -> int:
        """Return how many words the longest text has that begins at a place; 0 if none does."""
        for size in _KEY:
            for each in self._by_start.get(words[at : at + size], ()):
                if words[at : at + len(each)] == each:
                    return len(each)
        return 0

    def count(self, text: str) -> int:
        """Return how often any of the texts is in another."""
        return sum(1 for _ in self.spans(text))

    def without(self, text: str, mark: str) -> str:
        """Return a text with a mark in place of each of the texts; the same object if it holds none."""
        parts: list[str] = []
        done = 0
        for start, end in self.spans(text):
            parts += (text[done:start], mark)
            done = end
        return "".join([*parts, text[done:]]) if parts else text


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    return ((m.start(), m.end(), m[1].casefold()) for m in _WORD.finditer(text) if m[1])
