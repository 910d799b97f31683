"""An embedder whose idea of meaning is a small table: words of one line mean the same."""

from __future__ import annotations

import hashlib
import re
import threading

SAME = (
    ("car", "automobile", "vehicle", "hatchback"),
    ("doctor", "physician", "surgeon"),
    ("cat", "kitten", "feline"),
    ("pay", "salary", "wage", "remuneration"),
    ("home", "flat", "apartment"),
)
_OF = {word: line[0] for line in SAME for word in line}
_STOP = frozenset({"a", "an", "and", "did", "do", "in", "is", "it", "of", "on", "the", "to", "was", "what", "which"})
DIMENSIONS = 64


def meaning(text: str) -> list[float]:
    """Add up one direction a word, the same for words of one line; words of no meaning add nothing."""
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"[a-z]+", text.lower()):
        if word not in _STOP:
            digest = hashlib.sha256(_OF.get(word, word).encode()).digest()
            for at in range(4):  # four places a word: two words rarely share more than one
                vector[digest[at] % DIMENSIONS] += 1.0 if digest[at + 4] & 1 else -1.0
    return vector


class Meanings:
    """Embeds by `meaning` and keeps what it was given."""

    def __init__(self, name: str = "meanings") -> None:
        self.name = name
        self.calls: list[list[str]] = []
        self.failing: BaseException | None = None

    @property
    def texts(self) -> list[str]:
        """All texts that were embedded, in order."""
        return [text for call in self.calls for text in call]

    def __call__(self, texts):
        """Embed, or fail as told."""
        if self.failing is not None:
            raise self.failing
        self.calls.append(list(texts))
        return [meaning(text) for text in texts]


class Held(Meanings):
    """Waits inside the call for a text that holds a word, until it is released."""

    def __init__(self, word):
        super().__init__()
        self.word = word
        self.inside, self.release = threading.Event(), threading.Event()

    def __call__(self, texts):
        """Wait if told, then embed."""
        if any(self.word in text for text in texts):
            self.inside.set()
            self.release.wait(60)
        return super().__call__(texts)
