"""Words that are too common to tell whose they are."""

from __future__ import annotations

from typing import Final

from commonplace.text import packaged

COMMON: Final = frozenset(packaged.text(__package__, "everyday.txt").split())
