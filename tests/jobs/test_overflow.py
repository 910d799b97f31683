"""A full document without a model: its lowest-ranked entries move to a topic, in one change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from commonplace import Memory, Message
from commonplace.changes.actors import PERSON
from commonplace.config import Config, LimitsConfig

START = datetime(2026, 1, 1, 9, tzinfo=UTC)


def prefer(memory: Memory, number: int) -> None:
    text = f"I prefer the Alpha{number} framework over the Beta{number} framework for larger projects."
    memory.append(
        f"cli:{number}", [Message("user", text, at=START + timedelta(days=number)), Message("assistant", "ok")]
    )
    memory.consolidate(f"cli:{number}")


def test_over_the_cap_the_oldest_entries_move_to_a_topic_and_nothing_is_lost(tmp_path: Path) -> None:
    """Source: DESIGN section 7; issue on consolidation."""
    with Memory.open(tmp_path, jobs="worker", config=Config(limits=LimitsConfig(facts_user_chars=400))) as memory:
        for number in range(8):
            prefer(memory, number)
        facts = (tmp_path / "memory/facts/user.md").read_text(encoding="utf-8")
        older = (tmp_path / "memory/older-facts-user.md").read_text(encoding="utf-8")
        assert len(facts.strip()) <= 400
        assert "Alpha7" in facts
        assert "Alpha0" in older
        assert all((f"Alpha{number} " in facts) != (f"Alpha{number} " in older) for number in range(8))
        assert len(memory.review()) == 0
        assert any(hit.layer == "topics" for hit in memory.recall("Alpha0 framework", layers=["topics"]))


def test_the_move_and_the_new_entry_are_one_change_that_undo_takes_back(tmp_path: Path) -> None:
    with Memory.open(tmp_path, jobs="worker", config=Config(limits=LimitsConfig(facts_user_chars=400))) as memory:
        for number in range(4):
            prefer(memory, number)
        before = (tmp_path / "memory/facts/user.md").read_bytes()
        prefer(memory, 4)
        newest = memory.log(1)[0]
        assert {"remove", "put_topic", "add"} <= set(newest.kinds)
        memory.undo(newest.number)
        assert (tmp_path / "memory/facts/user.md").read_bytes() == before


def test_what_a_person_wrote_does_not_move(tmp_path: Path) -> None:
    with Memory.open(tmp_path, jobs="worker", config=Config(limits=LimitsConfig(facts_user_chars=400))) as memory:
        memory.remember("My own words, which stay where I put them, whatever comes.", kind="preference", actor=PERSON)
        for number in range(8):
            prefer(memory, number)
        assert "My own words" in (tmp_path / "memory/facts/user.md").read_text(encoding="utf-8")
