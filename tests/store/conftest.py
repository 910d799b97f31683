"""Where the batteries of the store on files run."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def fast_path(tmp_path):
    """A folder in memory where there is one: what dies with a process does not depend on the disk."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="commonplace-test-", dir=shared))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
