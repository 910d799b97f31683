"""Consolidators write topics and items where the table lets them: one file a subject, added to, never written over."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.jobs.rules import subjects
from commonplace.layouts.native import LAYOUT
from commonplace.layouts.schema import Layout
from commonplace.testing import FixedClock, ScriptedLLM
from inside import scope_of

CARDS = str(Path(__file__).parent.parent / "layouts" / "designs" / "cards.toml")
BLOCKS = str(Path(__file__).parent.parent / "layouts" / "designs" / "blocks.toml")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)


def opened(folder: Path, clock: FixedClock, *answers: object, layout: str | Layout = CARDS) -> Memory:
    llm = ScriptedLLM([json.dumps(each) if isinstance(each, dict) else each for each in answers]) if answers else None
    return Memory.open(folder, layout=layout, clock=clock, jobs="inline", llm=llm)


def said(memory: Memory, *texts: str, session: str = "s") -> None:
    for text in texts:
        memory.append(session, [Message("user", text), Message("assistant", "I see.")])


def card(memory: Memory, name: str) -> str:
    return Path(memory.location, "cards", f"{name}.md").read_text(encoding="utf-8")


def cards(memory: Memory) -> list[str]:
    folder = Path(memory.location, "cards")
    return sorted(path.stem for path in folder.glob("*.md") if path.stem != "INDEX")


def proposal(*operations: dict[str, object], journal: str = "The user spoke of their life.") -> dict[str, object]:
    return {"journal": journal, "operations": list(operations)}


def add(path: str, text: str, message: int, **more: object) -> dict[str, object]:
    return {"op": "add", "path": path, "text": text, "cites": [{"message": message, "quote": ""}], **more}


def test_a_model_makes_cards_and_adds_to_them(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 18: a Zettelkasten whose cards consolidation makes."""
    first = proposal(add("cards/aquarium.md", "The user keeps a blue fish in the aquarium.", 1))
    second = proposal(
        add("cards/aquarium.md", "The aquarium stands in the kitchen.", 1),
        add("cards/aquarium.md", "The aquarium holds 60 litres.", 3),
    )
    with opened(tmp_path, clock, first, second) as memory:
        said(memory, "I keep a blue fish in my aquarium.")
        assert memory.consolidate("s").status == "applied"
        assert "title: Aquarium" in card(memory, "aquarium")
        said(memory, "The aquarium stands in the kitchen.", "It holds 60 litres.")
        assert memory.consolidate("s").status == "applied"
        text = card(memory, "aquarium")
        assert text.count("title:") == 1
        for line in ("a blue fish", "in the kitchen", "60 litres"):
            assert text.count(line) == 1
        assert cards(memory) == ["aquarium"]
        assert "Aquarium" in memory.context().stable
        quotes = memory.why("cards/aquarium.md").quotes
        assert {quote.source.message.partition("-")[0] for quote in quotes} >= {"m2", "m4"}


def test_a_card_of_the_same_title_is_added_to_whatever_path_is_given(tmp_path: Path, clock: FixedClock) -> None:
    """One card a subject."""
    first = proposal({"op": "put_topic", "path": "cards/my-fish.md", "title": "Aquarium", "description": "",
                      "body": "- The user keeps a blue fish.", "cites": [{"message": 1, "quote": ""}]})  # fmt: skip
    second = proposal(add("", "The fish lives in the kitchen.", 1, section="Aquarium"))
    with opened(tmp_path, clock, first, second) as memory:
        said(memory, "I keep a blue fish.")
        memory.consolidate("s")
        said(memory, "The fish lives in the kitchen.")
        memory.consolidate("s")
        assert cards(memory) == ["my-fish"]
        assert "kitchen" in card(memory, "my-fish")


def test_a_model_that_writes_a_card_anew_loses_none_of_its_lines(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 1.8: a rewrite is carried out as a diff."""
    first = proposal(
        add("cards/aquarium.md", "The user keeps a blue fish.", 1),
        add("cards/aquarium.md", "The aquarium stands in the kitchen.", 3),
    )
    second = proposal({"op": "put_topic", "path": "cards/aquarium.md", "title": "Aquarium", "description": "",
                       "body": "- The aquarium holds 60 litres.", "cites": []})  # fmt: skip
    with opened(tmp_path, clock, first, second) as memory:
        said(memory, "I keep a blue fish.", "The aquarium stands in the kitchen.")
        memory.consolidate("s")
        said(memory, "The aquarium holds 60 litres.")
        memory.consolidate("s")
        text = card(memory, "aquarium")
        assert "blue fish" in text
        assert "kitchen" in text
        assert "60 litres" in text


def test_an_invented_line_waits_and_the_others_of_its_card_are_written(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 1.4: the gate decides statement by statement, in topics too."""
    answer = proposal(
        add("cards/aquarium.md", "The user keeps a blue fish.", 1),
        add("cards/aquarium.md", "The fish cost 4000 dollars.", 1),
    )
    with opened(tmp_path, clock, answer) as memory:
        said(memory, "I keep a blue fish.")
        outcome = memory.consolidate("s")
        assert outcome.status == "applied"
        assert len(outcome.review) == 1
        assert "blue fish" in card(memory, "aquarium")
        assert "4000" not in card(memory, "aquarium")


def test_what_a_page_said_joins_no_card_of_the_users(tmp_path: Path, clock: FixedClock) -> None:
    """DESIGN 1.7: what ranks below `agent` is kept where recall finds it, marked, and joins nothing trusted more."""
    answer = proposal(
        add("cards/aquarium.md", "The user keeps a blue fish.", 1),
        add("cards/aquarium.md", "The zandoria pump sterilises krill.", 2),
    )
    with opened(tmp_path, clock, answer) as memory:
        memory.append("s", Message("user", "I keep a blue fish."))
        memory.append("s", Message("tool", "The zandoria pump sterilises krill.", tools=("fetch",)))
        memory.consolidate("s")
        assert "zandoria" not in card(memory, "aquarium")
        assert memory.read("cards/aquarium.md").path
        hits = [hit for hit in memory.recall("zandoria pump krill") if hit.layer == "journals"]
        assert [hit.trust for hit in hits] == ["web"]


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "cards/../INDEX.md", "INDEX.md", ".commonplace/x.md", "/etc/x.md"]
)
def test_no_path_of_a_model_leads_out_of_the_cards(tmp_path: Path, clock: FixedClock, path: str) -> None:
    """Bad input: a path that is not one of the layer's names a new card at most."""
    answer = proposal(add(path, "The user keeps a blue fish.", 1))
    with opened(tmp_path, clock, answer) as memory:
        said(memory, "I keep a blue fish.")
        memory.consolidate("s")
        files = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.md")}
        assert all(file.startswith("cards/") for file in files)
        assert not (tmp_path / "etc").exists()


def test_the_prompt_lists_cards_by_number_title_and_description(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 18: view and prompt list topics."""
    first = proposal({"op": "put_topic", "path": "cards/aquarium.md", "title": "Aquarium", "description": "Blue fish",
                      "body": "- The user keeps a blue fish.", "cites": [{"message": 1, "quote": ""}]})  # fmt: skip
    llm = ScriptedLLM([json.dumps(first), json.dumps(proposal())])
    with Memory.open(tmp_path, layout=CARDS, clock=clock, jobs="inline", llm=llm) as memory:
        said(memory, "I keep a blue fish.")
        memory.consolidate("s")
        said(memory, "The fish is ill.")
        memory.consolidate("s")
    assert "cards/{topic}.md: fact, preference" in llm.prompts[0]
    assert "cards/aquarium.md (Aquarium: Blue fish): - The user keeps a blue fish." in llm.prompts[1]


def test_of_many_topics_a_job_reads_those_that_a_search_finds(tmp_path: Path, clock: FixedClock, monkeypatch) -> None:
    """Issue 18: not all that it may write; the one that is spoken of is shown first, whatever its name."""
    folder = tmp_path / "cards"
    folder.mkdir()
    for number in range(60):
        text = f"---\ntitle: Boat {number}\n---\n\n- It has {number} oars and lies at quay {number}.\n"
        (folder / f"boat-{number:02}.md").write_text(text, encoding="utf-8")
    (folder / "zoo.md").write_text("---\ntitle: Walrus\n---\n\n- The walrus eats clams.\n", encoding="utf-8")
    config = {"consolidation.entries": 10}
    with Memory.open(tmp_path, layout=CARDS, clock=clock, jobs="worker", config=config) as memory:
        memory.sync()
        said(memory, "The walrus in the zoo likes mussels better.")
        views, read = scope_of(memory).views, []
        records = views.records
        monkeypatch.setattr(views, "records", lambda path: [read.append(path), records(path)][1])
        view = views.view(tuple(memory.sessions.read("s")), views.places(clock(), ("cards",)))
    assert view.entries[0].path == "cards/zoo.md"
    assert (len(view.entries), len(read), len(view.unseen)) == (10, 10, 51)


def test_the_rules_make_one_card_a_subject_and_add_to_it(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 18: by the rules too, and not one card a sentence."""
    with opened(tmp_path, clock) as memory:
        said(memory, "I prefer green tea.", "I prefer dark bread.", "I live in Bergen.", "I have a cat.")
        assert memory.consolidate("s").status == "applied"
        assert cards(memory) == ["facts", "preferences"]
        assert card(memory, "preferences").count("\n- ") == 2
        said(memory, "I prefer window seats.")
        memory.consolidate("s")
        assert card(memory, "preferences").count("\n- ") == 3
        assert "dark bread" in card(memory, "preferences")
        assert cards(memory) == ["facts", "preferences"]


def test_the_rules_give_a_name_that_is_said_twice_a_card(tmp_path: Path, clock: FixedClock) -> None:
    """A name that is said once makes no card; what is said of it later goes to its card."""
    with opened(tmp_path, clock) as memory:
        said(memory, "I live with Kajsa.")
        memory.consolidate("s")
        assert "kajsa" not in cards(memory)
        said(memory, "I work with Kajsa.")
        memory.consolidate("s")
        assert "kajsa" in cards(memory)


def test_the_rules_name_no_card_after_an_article(tmp_path: Path, clock: FixedClock) -> None:
    """Found in use: a statement that begins with `The` behind its speaker made a file of that name."""
    with opened(tmp_path, clock) as memory:
        said(memory, "The dentist moved my appointment to March 20 at 9:00.", "The staging server is at port 8443.")
        memory.consolidate("s")
        assert cards(memory) == ["facts"]
        assert subjects.names("User: The dentist met Ada Park in The Hague on Monday.") == ["Ada Park", "The Hague"]


def test_the_rules_correct_a_line_of_a_card(tmp_path: Path, clock: FixedClock) -> None:
    """What has one value only is replaced where it stands."""
    with opened(tmp_path, clock) as memory:
        said(memory, "I live in Bergen.")
        memory.consolidate("s")
        said(memory, "I live in Oslo now.")
        memory.consolidate("s")
        assert "Bergen" not in card(memory, "facts")
        assert "Oslo" in card(memory, "facts")


def test_a_model_adds_replaces_and_removes_items(tmp_path: Path, clock: FixedClock) -> None:
    """Issue 18: items, by the same three operations."""
    first = proposal(add("memory/archival.jsonl", "The user decided to use PostgreSQL.", 1))
    second = proposal(
        {
            "op": "replace",
            "target": 1,
            "text": "The user decided to use SQLite.",
            "cites": [{"message": 1, "quote": "SQLite"}],
        }
    )
    with opened(tmp_path, clock, first, second, layout=BLOCKS) as memory:
        said(memory, "We decided to use PostgreSQL.")
        assert memory.consolidate("s").status == "applied"
        said(memory, "No, we decided to use SQLite instead of PostgreSQL.")
        assert memory.consolidate("s").status == "applied"
        live = [hit.text for hit in memory.recall("what database was decided", layers=("items",))]
        assert live == ["The user decided to use SQLite."]


def test_native_shows_no_topics_to_a_model_that_may_not_write_them(tmp_path: Path, clock: FixedClock) -> None:
    """A layer that takes no statement is written only if the job names it."""
    llm = ScriptedLLM([json.dumps(proposal())])
    with Memory.open(tmp_path, layout=LAYOUT, clock=clock, jobs="inline", llm=llm) as memory:
        memory.remember("Notes about boats.", to="topics")
        said(memory, "I keep a blue fish.")
        memory.consolidate("s")
    assert "{topic}" not in llm.prompts[0]
    assert "Notes about boats" not in llm.prompts[0]
