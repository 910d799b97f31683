"""The memories that cases are asked of."""

from __future__ import annotations

import pytest
from evaluated_memories import opened, record_sample


@pytest.fixture(scope="session")
def lantern(tmp_path_factory):
    """The memory of the demo's sample, not to be written to."""
    folder = tmp_path_factory.mktemp("sample")
    record_sample(folder)
    with opened(folder) as memory:
        yield memory


@pytest.fixture
def memory(tmp_path):
    """An empty memory."""
    with opened(tmp_path / "memory") as made:
        yield made
