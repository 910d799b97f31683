"""Marks for cases of one test."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import pytest

FULL = os.environ.get("COMMONPLACE_BATTERY") == "full"
only_in_battery = pytest.mark.skipif(not FULL, reason="it takes minutes; `make battery` runs it")
"""What bears this is marked `slow` and `battery` too."""


def slow_after(kept: int, cases: Iterable[Any]) -> list[Any]:
    """Return the cases, all but the first `kept` of them marked `slow`."""
    listed = list(cases)
    rest = (case if isinstance(case, tuple) else (case,) for case in listed[kept:])
    return [*listed[:kept], *(pytest.param(*case, marks=pytest.mark.slow) for case in rest)]


def tries(examples: int) -> int:
    """Return on how many examples a property is tried: all in the full battery, a quarter in the short suite."""
    return examples if FULL else max(15, examples // 4)
