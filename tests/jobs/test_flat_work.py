"""Issue 17, 2: the work of a turn does not grow with its session; counted in calls, not in seconds."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory, Message
from commonplace.changes.log import Ledger
from commonplace.guard import pasted, trust
from commonplace.jobs.rules.reading import Reader
from commonplace.layouts.codecs import journals
from commonplace.records import RecordedMessage

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the parts of the work ran that a session can multiply."""
    found: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        called = getattr(owner, name)

        def counted(*given: Any, **named: Any) -> Any:
            found[name] += 1
            return called(*given, **named)

        monkeypatch.setattr(owner, name, counted)

    for owner, name in ((journals, "_block"), (Reader, "read"), (Ledger, "superseded"), (pasted, "_spans")):
        count(owner, name)
    return found


def talk(turns: int) -> list[Message]:
    """Return a talk, all of it in one minute."""
    pairs = (
        (Message("user", f"Please look at file {n} now.", at=AT), Message("assistant", f"File {n} is fine.", at=AT))
        for n in range(turns)
    )
    return [message for pair in pairs for message in pair]


@pytest.mark.parametrize("turns", [12, 24])
def test_a_turn_is_read_and_noted_once(tmp_path: Path, calls: Counter[str], turns: int) -> None:
    """Each job reads a message once, and a note of the day does not have the notes before it read again."""
    with Memory.open(tmp_path, layout="structured", jobs="worker", clock=lambda: AT) as memory:
        memory.append("cli:1", talk(turns))
        assert memory.consolidate("cli:1").ok
        assert calls["read"] == 2 * 2 * turns
        assert calls["_block"] <= 4 * turns


def test_a_context_asks_the_log_once_for_all_notes(tmp_path: Path, calls: Counter[str]) -> None:
    """What is said otherwise now is looked up for a section, not for each note of the day in it."""
    with Memory.open(tmp_path, layout="structured", jobs="worker", clock=lambda: AT) as memory:
        asked = []
        for turns in (8, 16):
            memory.append("cli:1", talk(turns)[len(memory.sessions.window("cli:1")) :])
            memory.consolidate("cli:1")
            calls.clear()
            memory.context(query="files")
            asked.append(calls["superseded"])
        assert asked[0] == asked[1]


def test_each_range_knows_what_was_pasted_before(calls: Counter[str]) -> None:
    """A session of more messages than one prompt is not searched for pasted words again by each of its ranges."""
    said = [
        RecordedMessage(f"m{n}", "s", "s", n, Message("user", f"Look at {n}: the user said so.", at=AT), 0)
        for n in range(300)
    ]
    for _ in range(3):
        trust.Voices(said)
    assert calls["_spans"] <= len(said)
