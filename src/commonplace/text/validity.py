"""The days on which a statement holds, as its text says at its end: `(from 2026-11-01 until 2026-11-25)`. Pure."""

from __future__ import annotations

from datetime import date
from typing import Final

from commonplace.text.patterns import pattern

_UNTIL: Final = pattern(r"\((?:from \d{4}-\d\d-\d\d )?until (\d{4}-\d\d-\d\d)\)[*_]*\s*\Z")


def mark(first: date | None, last: date | None) -> str:
    """Return what to write behind a statement that holds from a day on, or up to a day; empty without either."""
    said = [f"from {first:%Y-%m-%d}"] if first else []
    said += [f"until {last:%Y-%m-%d}"] if last else []
    return f" ({' '.join(said)})" if said else ""


def is_over(text: str, today: date) -> bool:
    """True if the last day on which a statement holds is before today."""
    found = _UNTIL.search(text)
    return found is not None and found[1] < f"{today:%Y-%m-%d}"
