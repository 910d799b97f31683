"""The diff of an edit costs what it changes."""

from __future__ import annotations

import cProfile

from commonplace.changes import diffs
from commonplace.text.spans import Keep


def work(lines: int) -> int:
    """Return how many functions are called to show an edit of every other line of so many, among equal ones."""
    texts = [b"Same line.\n" if n % 2 else b"Line %d.\n" % n for n in range(lines)]
    data, pieces, at = b"".join(texts), [], 0
    for n, text in enumerate(texts):
        pieces.append(Keep(at, at + len(text)) if n % 2 else f"Another line {n}.\n")
        at += len(text)
    profile = cProfile.Profile()
    shown = profile.runcall(diffs.of_pieces, "notes.md", data, pieces)
    assert "-Line 0.\n+Another line 0.\n" in shown
    return sum(entry.callcount for entry in profile.getstats())


def test_a_diff_of_twice_as_many_changes_costs_twice_as_much() -> None:
    assert work(400) <= 2.2 * work(200)
    assert work(150) <= 100 * 150  # to compare the lines with each other takes a thousand calls a line
