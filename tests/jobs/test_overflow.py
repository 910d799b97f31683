"""A full document: what it has no room for moves to the archive, in the same change, and no write is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.changes import overflow
from commonplace.changes.actors import PERSON, TOOL
from commonplace.config import Config
from commonplace.errors import ConfigError
from commonplace.operations import AddEntry, ReplaceEntry
from commonplace.records import Entry

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
CAP = Config(limits={"facts_user": 400})
USER = "memory/facts/user.md"


def opened(folder: Path, config: Config = CAP, **more) -> Memory:
    return Memory.open(folder, jobs="worker", config=config, clock=lambda: START, **more)


def archive(folder: Path) -> str:
    return (folder / "memory/archive/2026-01.md").read_text(encoding="utf-8")


def prefer(memory: Memory, number: int) -> None:
    text = f"I prefer the Alpha{number} framework over the Beta{number} framework for larger projects."
    memory.append(
        f"cli:{number}", [Message("user", text, at=START + timedelta(days=number)), Message("assistant", "ok")]
    )
    memory.consolidate(f"cli:{number}")


def test_over_the_cap_the_oldest_entries_move_to_the_archive_and_nothing_is_lost(tmp_path: Path) -> None:
    """DESIGN 1.9."""
    with opened(tmp_path) as memory:
        for number in range(8):
            prefer(memory, number)
        facts = (tmp_path / USER).read_text(encoding="utf-8")
        older = archive(tmp_path)
        assert len(facts.strip()) <= 400
        assert "Alpha7" in facts
        assert "Alpha0" in older
        assert "## User profile" in older
        assert all((f"Alpha{number} " in facts) != (f"Alpha{number} " in older) for number in range(8))
        assert len(memory.review()) == 0
        assert memory.recall("Alpha0 framework", layers=["documents"])[0].record.startswith("memory/archive/")


def test_what_a_person_likes_moves_before_who_they_are(tmp_path: Path) -> None:
    """Found in use: forty likes pushed home and job out of the prompt, because those had been said first."""
    with opened(tmp_path) as memory:
        memory.append("cli:home", [Message("user", "I live in Turin.", at=START), Message("assistant", "ok")])
        memory.consolidate("cli:home")
        memory.remember("User's flat has number 12", kind="instruction")
        for number in range(8):
            prefer(memory, number)
        facts = (tmp_path / USER).read_text(encoding="utf-8")
        assert ["Turin" in facts, "number 12" in facts, "Alpha7" in facts, "Alpha0" in facts] == [
            True,
            True,
            True,
            False,
        ]


def test_no_short_fact_is_refused_by_remember_the_tool_or_an_approval(tmp_path: Path) -> None:
    """Issue 17: the 24th short fact was refused by a status nobody looks at."""
    with opened(tmp_path, Config()) as memory:
        for number in range(60):
            assert memory.remember(f"Colleague number {number} sits in room {number + 100} of the south wing").ok
        longer = "Colleague number 59 sits in room 159 of the south wing, beside the stairs to the library"
        replaced = ReplaceEntry(path="facts/user.md", target="Colleague number 59", text=longer, trust="web")
        held = memory.apply([replaced], reason="", actor=TOOL)
        assert memory.review().approve(held.review[0]).status == "applied"
        added = memory.tool().call({"action": "add", "text": "Keeps bees on the roof of the office"})
        assert added["success"]
        assert len(added["records"]) == 1
        assert len((tmp_path / USER).read_text(encoding="utf-8")) <= 1500
        for number in range(0, 60, 7):
            assert any(
                f"number {number} sits" in hit.text for hit in memory.recall(f"room of colleague number {number}")
            )


def test_the_move_and_the_new_entry_are_one_change_that_undo_takes_back(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for number in range(4):
            prefer(memory, number)
        before = (tmp_path / USER).read_bytes()
        prefer(memory, 4)
        newest = memory.log(1)[0]
        assert {"remove", "add"} <= set(newest.kinds)
        memory.undo(newest.number)
        assert (tmp_path / USER).read_bytes() == before
        assert list((tmp_path / "memory").glob("archive/*")) == []
        assert "Alpha0" in memory.context().stable


def test_a_moved_entry_is_found_under_its_old_id_with_its_sources_and_trust(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        prefer(memory, 0)
        old = next(iter(memory.log(1)[0].added))
        trail = memory.why(old)
        for number in range(1, 8):
            prefer(memory, number)
        moved = memory.read(old)
        assert moved.path == "memory/archive/2026-01.md"
        assert memory.why(old).quotes == trail.quotes
        assert memory.why(old).trust == "user"


def test_what_a_person_gave_moves_last_and_instructions_and_safety_matters_stay(tmp_path: Path) -> None:
    """DESIGN 1.9."""
    with opened(tmp_path) as memory:
        memory.remember("My own words, which stay where I put them, whatever comes.", kind="preference", actor=PERSON)
        memory.remember("Answer in short sentences", kind="instruction")
        memory.remember("Is allergic to peanuts")
        for number in range(8):
            prefer(memory, number)
        facts = (tmp_path / USER).read_text(encoding="utf-8")
        assert all(each in facts for each in ("My own words", "short sentences", "peanuts"))
        for number in range(10):
            assert memory.remember(f"Always greet guest {number} by the whole name and title").ok
        assert "My own words" in archive(tmp_path)
        facts = (tmp_path / USER).read_text(encoding="utf-8")
        assert all(f"guest {number} " in facts for number in range(10))


def test_what_was_superseded_moves_first(tmp_path: Path) -> None:
    """DESIGN 1.9."""
    with opened(tmp_path, Config(limits={"facts_user": 110})) as memory:
        memory.remember("Plays the cello in a quartet")
        memory.remember("Lives in Oslo")
        memory.remember("Lives in Bergen")
        memory.remember("Rides a green bicycle to the office every single day")
        facts = (tmp_path / USER).read_text(encoding="utf-8")
        assert "Oslo" not in facts
        assert "cello" in facts


def test_what_an_editor_made_too_large_stays_and_new_entries_move_on(tmp_path: Path) -> None:
    """DESIGN 1.1: an edit made outside wins."""
    (tmp_path / USER).parent.mkdir(parents=True)
    theirs = "\n§\n".join(f"A line of my own, number {n:02}" for n in range(30))
    (tmp_path / USER).write_text(theirs, encoding="utf-8")
    with opened(tmp_path) as memory:
        assert memory.remember("Keeps bees").ok
        assert (tmp_path / USER).read_text(encoding="utf-8") == theirs
        assert memory.recall("bees")[0].text == "Keeps bees"


def test_a_correction_of_an_entry_that_moved_replaces_it_and_is_shown(tmp_path: Path) -> None:
    """Issue 17: superseded statements are not shown."""
    with opened(tmp_path) as memory:
        memory.append("s", [Message("user", "I live in Oslo.")])
        memory.consolidate("s")
        for number in range(12):
            memory.tool().call({"action": "add", "text": f"Colleague number {number} sits in room {number + 100}"})
        assert "Oslo" in archive(tmp_path)
        old = next(hit.record for hit in memory.recall("where do I live", layers=["documents"]))
        memory.append("t", [Message("user", "I moved to Bergen. I live in Bergen now.")])
        memory.consolidate("t")
        assert "Bergen" in (tmp_path / USER).read_text(encoding="utf-8")
        assert "Oslo" not in archive(tmp_path)
        assert "Bergen" in memory.read(old).text


def test_two_layer_moves_past_twice_what_it_asks_a_model_to_shorten(tmp_path: Path) -> None:
    """DESIGN 1.9; seed two-layer: past maxMemorySize a consolidation is asked to compress."""
    with opened(tmp_path, {"maxMemorySize": 400}, layout="two-layer") as memory:
        for number in range(40):
            assert memory.remember(f"Colleague number {number} sits in room {number + 100}").ok
        assert 400 < len((tmp_path / "memory/MEMORY.md").read_bytes()) <= 800
        assert "number 0 sits" in archive(tmp_path)


def test_a_limit_for_a_layer_without_a_cap_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no layer 'history' .*facts_env, facts_user, memory"):
        opened(tmp_path, Config(limits={"history": 3}))


def test_twice_as_many_entries_cost_about_twice_the_comparisons(tmp_path: Path, monkeypatch) -> None:
    """Issue 23.2: beside a full MEMORY.md of 430 like entries each remember took a second."""
    compared = []
    decide = overflow.decide
    monkeypatch.setattr(overflow, "decide", lambda *texts: compared.append(texts) or decide(*texts))

    def work(entries: int) -> int:
        records = [Entry(f"m#{n}", "m", f"writer {n // 5} says {n % 5}") for n in range(entries)]
        compared.clear()
        overflow.superseded(records)
        return len(compared)

    small, large = work(200), work(400)
    assert small > 0
    assert large <= 2.2 * small


def test_what_a_later_entry_says_otherwise_moves_before_what_is_older(tmp_path: Path) -> None:
    """DESIGN 1.9: superseded first."""
    with opened(tmp_path) as memory:
        memory.remember("Keeps bees on the roof of the office", kind="preference", to="facts_user")
        memory.apply([AddEntry(path="facts/user.md", text="The office is on floor 3 of the tower")], reason="")
        memory.apply([AddEntry(path="facts/user.md", text="The office is on floor 5 of the tower")], reason="")
        for number in range(12):
            memory.remember(f"Has a cousin called Cousin{number} in Oslo", to="facts_user")
            if (tmp_path / "memory/archive/2026-01.md").exists():
                break
        facts = (tmp_path / USER).read_text(encoding="utf-8")
        assert "floor 3" in archive(tmp_path)
        assert "Keeps bees" in facts
        assert "floor 5" in facts


def test_a_day_that_is_over_moves_before_what_still_holds(tmp_path: Path) -> None:
    """Issue 17: a dinner of last year took the room of what the user likes."""
    now = [START]
    with Memory.open(tmp_path, jobs="worker", config=CAP, clock=lambda: now[0]) as memory:
        for text in (
            "Plays the cello",
            "Was born on 1990-05-03",
            "Dinner with the whole choir at the harbour on 2026-02-03",
        ):
            memory.remember(text)
        now[0] = START + timedelta(days=90)
        for number in range(4):
            memory.remember(
                f"Colleague number {number} sits in room {number + 100} of the south wing of the old town house"
            )
        shown = (tmp_path / USER).read_text(encoding="utf-8")
        moved = (tmp_path / "memory/archive/2026-04.md").read_text(encoding="utf-8")
        assert "Dinner with the whole choir" in moved
        assert "Plays the cello" in shown
        assert "1990-05-03" in shown


def test_an_entry_larger_than_the_cap_moves_on_and_the_others_stay(tmp_path: Path) -> None:
    """Issue 17: one over-long fact emptied the file."""
    with opened(tmp_path) as memory:
        for text in ("Lives in Bergen", "Has a dog called Rex", "Answer in short sentences"):
            memory.remember(text)
        before = (tmp_path / USER).read_text(encoding="utf-8")
        for kind, word in (("fact", "gardens"), ("instruction", "violins")):
            long = f"The evening about {word} had many parts, " + ", ".join(
                f"part {n} with guest {n}" for n in range(40)
            )
            outcome = memory.remember(long, kind=kind)
            assert outcome.status == "applied"
            assert outcome.records[0].startswith("memory/archive/2026-01.md#")
            assert outcome.reason == (
                "memory/facts/user.md has no room for it: memory/archive/2026-01.md keeps it, where recall finds it"
            )
            assert outcome.reason in memory.log(1)[0].reason
            assert (tmp_path / USER).read_text(encoding="utf-8") == before
            assert memory.recall(f"evening about {word}", layers=["documents"])[0].text in long
        assert memory.remember("Plays the cello").reason == ""


def test_an_entry_that_takes_most_of_the_room_moves_before_short_ones(tmp_path: Path) -> None:
    """Issue 17; it stays as long as there is room, and an instruction of that length stays as the last."""
    long = "Collects stamps of " + ", ".join(f"country {n}" for n in range(28))
    with opened(tmp_path) as memory:
        memory.remember("Lives in Bergen")
        assert memory.remember(long).reason == ""
        assert long in (tmp_path / USER).read_text(encoding="utf-8")
        memory.remember("Has a dog called Rex and a cat called Tom")
        facts = (tmp_path / USER).read_text(encoding="utf-8")
        assert long not in facts
        assert "Bergen" in facts
        order = "Always answer with the names of " + ", ".join(f"city {n}" for n in range(36))
        memory.remember(order)
        assert order in (tmp_path / USER).read_text(encoding="utf-8")
