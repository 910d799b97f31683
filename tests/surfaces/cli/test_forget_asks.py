"""On a terminal `forget` shows what goes and asks (issue 17.3)."""

from __future__ import annotations

import pytest

from commonplace import Memory, Message
from marking import slow_after
from terminals import on_terminal


@pytest.mark.parametrize(("answer", "left"), slow_after(1, [(b"y\n", False), (b"n\n", True)]))
def test_it_shows_what_goes_and_does_what_is_answered(tmp_path, answer, left):
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append(
            "s:1", [Message("user", "My mascot is xylophone banana.", id="a"), Message("user", "I like tea.")]
        )
        memory.note("history", "They use a xylophone banana as the code. They like tea.")
    shown, code = on_terminal(["forget", "sessions/s%3A1.jsonl#a", "--location", str(tmp_path)], answer)
    assert "They use a xylophone banana as the code." in shown
    assert (code == 0) is not left
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert any("xylophone" in hit.text for hit in memory.recall("xylophone banana")) is left
