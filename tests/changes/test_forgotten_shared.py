"""What is forgotten of a file or an entry that others share: it goes, and what they said stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory, Message


@pytest.mark.parametrize("erase", [False, True])
def test_a_note_of_two_keeps_the_one_that_does_not_hold_the_words(tmp_path: Path, erase: bool) -> None:
    """Issue 22: the item took the note of its turn along, which was to be cut as well, and nothing was forgotten."""
    said = [Message("user", "Book a table for Kowatsch on Friday."), Message("assistant", "Booked.")]
    with Memory.open(tmp_path, layout="structured", jobs="worker") as memory:
        memory.append("s:1", said)
        memory.consolidate("s:1")
        assert memory.forget("Kowatsch", every=True, erase=erase).reason == ""
        assert [hit.text for hit in memory.recall("Kowatsch booked", layers=["journals"])] == ["| Assistant: Booked."]
