"""What holds for all tests: no clock decides, and each run tries the same examples."""

from __future__ import annotations

import gc

import pytest
from hypothesis import HealthCheck, settings

from commonplace.changes import drift
from commonplace.recall import indexing
from marking import FULL, tries

settings.register_profile(
    "steady",
    max_examples=tries(100),
    deadline=None,
    derandomize=not FULL,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")


def pytest_collection_finish() -> None:
    """Look for garbage among what the tests make, not each time among the thousands of tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture
def unswept(monkeypatch: pytest.MonkeyPatch) -> None:
    """All files are looked at once: where work is counted, a slow machine would count the next look too."""
    for module in (drift, indexing):
        monkeypatch.setattr(module, "SWEEP_SECONDS", 1e9)
