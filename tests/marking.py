"""Marks for cases of one test."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
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


def in_one_test(
    names: str | Sequence[str], cases: Iterable[Any], *, ids: Iterable[str] | Callable[[Any], str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make one test of all cases, as `parametrize` makes one of each; it fails with every case that fails.

    For cases that take less time than pytest needs for a test of its own, and leave their fixtures as they were.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    listed = [(case,) if len(wanted) == 1 else tuple(case) for case in cases]
    called = None if ids is None or callable(ids) else list(ids)

    def name_of(place: int) -> str:
        if callable(ids):
            return ids(listed[place][0])
        return called[place] if called is not None else repr(listed[place])

    def made(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)  # by it pytest says where the test is
        def run(**fixtures: Any) -> None:
            failed: list[str] = []
            for place, case in enumerate(listed):
                try:
                    test(**fixtures, **dict(zip(wanted, case, strict=True)))
                except (AssertionError, pytest.fail.Exception) as error:
                    failed.append(f"{name_of(place)}: {error}")
                except Exception as error:
                    error.add_note(f"in the case {name_of(place)}")
                    raise
            if failed:
                pytest.fail("\n\n".join([f"{len(failed)} of {len(listed)} cases", *failed]), pytrace=False)

        taken = [each for each in inspect.signature(test).parameters.values() if each.name not in wanted]
        run.__signature__ = inspect.Signature(taken)  # what pytest gives: the fixtures
        return run

    return made


def tries(examples: int) -> int:
    """Return on how many examples a property is tried: all in the full battery, a sixth in the short suite."""
    return examples if FULL else max(12, examples // 6)
