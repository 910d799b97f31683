"""What `Memory.open` is given is checked before anything is made of it."""

from __future__ import annotations

from typing import Any

import pytest

from commonplace import Memory
from commonplace.errors import ConfigError


@pytest.mark.parametrize("jobs", ["inlin", "", None, ["thread"]])
def test_an_unknown_way_to_run_jobs_is_refused_with_those_there_are(tmp_path, jobs: Any):
    """Audit: with a mistyped `jobs` no job ever ran, and nothing said so."""
    with pytest.raises(ConfigError, match="use one of thread, inline, worker"):
        Memory.open(tmp_path, jobs=jobs)
    assert list(tmp_path.iterdir()) == []
