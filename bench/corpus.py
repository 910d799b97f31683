"""The messages and questions that are measured with: generated from a seed, or LoCoMo where its file is at hand.

Generated words follow Zipf's law over a made-up vocabulary among the commonest words of English, so that
posting lists have the lengths of real talk. Questions hold words of one stored message and common ones.
"""

from __future__ import annotations

import gzip
import json
import os
import random
from itertools import accumulate
from pathlib import Path

SEED = 20_261_121
_COMMON = """
the a to and of is in it you i that for on was with my we have be at so this are but not they do as just me what if or
can about up out time when how there all like get your know will from one now no would them then some had did our more
her his been went really think good were who make see which day their want week also new could
"""
COMMON = _COMMON.split()
_STARTS, _MIDDLES = "b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w z", "a e i o u ai ea ou"
ASKED = ("what did we say about", "when was", "who told me of", "why did they want", "how is it with", "where was the")
VOCABULARY = 30_000
WORDS = (8, 40)  # of a message; about 24, 125 characters, the mean of LoCoMo


class Corpus:
    """An endless supply of messages, the same for the same seed."""

    def __init__(self) -> None:
        self._random = random.Random(SEED)
        self.name, talk = _talk()
        self._talk = talk
        rare = _vocabulary(self._random)
        self._words = [*COMMON, *rare]
        self._weights = list(accumulate(1.0 / (rank + 2.7) for rank in range(len(self._words))))

    def messages(self, count: int) -> list[str]:
        """Make texts; from the second pass over LoCoMo on, 15 % of the words are others."""
        if not self._talk:
            return [self._message() for _ in range(count)]
        texts = self._talk[:count]
        while len(texts) < count:
            words = self._random.choice(self._talk).split(" ")
            for _ in range(max(1, len(words) * 15 // 100)):
                words[self._random.randrange(len(words))] = self._draw(1)[0]
            texts.append(" ".join(words))
        return texts

    def questions(self, texts: list[str], count: int) -> list[str]:
        """Ask for words of stored messages."""
        asked = []
        while len(asked) < count:
            found = [w.strip(".,!?\"'()").lower() for w in self._random.choice(texts).split()]
            content = [w for w in found if w not in COMMON and len(w) > 3 and w.isalnum()]
            if len(content) >= 3:
                picked = self._random.sample(content, min(len(content), self._random.randint(3, 5)))
                asked.append(f"{self._random.choice(ASKED)} {' '.join(picked)}?")
        return asked

    def _message(self) -> str:
        words = self._draw(self._random.randint(*WORDS))
        return " ".join(words).capitalize() + "."

    def _draw(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._weights, k=count)


def _vocabulary(chance: random.Random) -> list[str]:
    starts, middles, ends = _STARTS.split(), _MIDDLES.split(), ["", "n", "r", "l", "s", "t", "nd", "rk"]
    made: dict[str, None] = {}
    while len(made) < VOCABULARY:
        parts = chance.randint(2, 3)
        made["".join(chance.choice(starts) + chance.choice(middles) for _ in range(parts)) + chance.choice(ends)] = None
    return list(made)


def _talk() -> tuple[str, list[str]]:
    folder = os.environ.get("COMMONPLACE_DATA", "")
    file = Path(folder) / "recall" / "locomo_dev.jsonl.gz"
    if not folder or not file.is_file():
        return f"generated (seed {SEED})", []
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    return "LoCoMo, replicated with 15 % of its words changed", [r["text"] for r in read if r.get("type") == "message"]
