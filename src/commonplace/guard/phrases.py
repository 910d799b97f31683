"""Phrases by name: those that announce a text as foreign or as one's own, and those that say how far words are so.

Data in `rules/announced.toml` and `rules/origins.toml`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from commonplace.text import packaged


@cache
def _rules() -> dict[str, dict[str, list[str]]]:
    announced, origins = (
        tomllib.loads(packaged.text(__package__, f"rules/{n}.toml")) for n in ("announced", "origins")
    )
    return {**announced, "patterns": announced["patterns"] | origins["patterns"]}


@cache
def phrase(name: str) -> re.Pattern[str]:
    """Return the pattern of the phrases of one name."""
    whole = "|".join(f"(?:{part})" for part in _rules()["patterns"][name])
    for key, parts in _rules()["fragments"].items():
        whole = whole.replace("{{" + key + "}}", "(?:" + "|".join(parts) + ")")
    return re.compile(whole, re.IGNORECASE)


def followed(heads: str, by: str, text: str) -> bool:
    """True if one of some words is in a text, followed by what must come after it."""
    return any(phrase(by).match(text, found.end()) for found in phrase(heads).finditer(text))
