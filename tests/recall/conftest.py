import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent / "index"))  # the scope on real files stands there

from indexed_scope import Scope


@pytest.fixture
def scope(tmp_path):
    made = Scope(tmp_path / "memory")
    yield made
    made.close()
