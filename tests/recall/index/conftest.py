import pytest
from indexed_scope import Scope


@pytest.fixture
def scope(tmp_path):
    made = Scope(tmp_path / "memory")
    yield made
    made.close()
