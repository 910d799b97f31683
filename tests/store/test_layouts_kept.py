"""A memory that is kept in one layout is only read in another."""

from __future__ import annotations

import pytest

from commonplace import Memory, Message
from commonplace.errors import StoreReadOnlyError
from commonplace.surfaces import adopt


def test_nothing_is_written_in_another_layout(tmp_path):
    """Found in use: `--layout graph remember` said "done" and wrote a file that the native layout never reads."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.remember("The user has a cat called Tom.")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with Memory.open(tmp_path, layout="graph", jobs="worker") as memory:
        for write in (
            lambda: memory.remember("The user has a dog called Rex."),
            lambda: memory.append("cli:a", [Message("user", "I have a dog called Rex.")]),
        ):
            with pytest.raises(StoreReadOnlyError, match=r"kept in the layout 'native'.*without naming a layout"):
                write()
        memory.recall("cat")
        assert memory.context().text == ""
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert memory.remember("The user has a dog called Rex.").status == "applied"


def test_adopting_a_memory_in_another_layout_lets_it_be_written(tmp_path):
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("cli:a", [Message("user", "I have a cat.")])
    adopt.adopt(tmp_path, layout="facts")
    with Memory.open(tmp_path, layout="facts", jobs="worker") as memory:
        assert memory.remember("The user has a dog called Rex.").status == "applied"
