"""A memory that takes another back in its own words comes in its place, and an undo brings that one back."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.changes.actors import LIBRARY, PERSON, TOOL, Actor
from commonplace.operations import RemoveEntry
from commonplace.records import Source
from marking import slow_after

LAYOUTS = ("native", "two-layer", "graph", "structured", "memdir", "facts")
LIVED, MOVED = "The user lives in Brixton.", "The user lives in Berlin now, no longer in Brixton."


def said(memory: Memory, about: str) -> list[str]:
    return sorted(hit.text for hit in memory.recall(about, k=10) if hit.layer not in {"sessions", "journals"})


@pytest.mark.parametrize("layout", slow_after(3, LAYOUTS))
@pytest.mark.parametrize("actor", [LIBRARY, PERSON])
def test_what_takes_a_memory_back_comes_in_its_place(tmp_path: Path, layout: str, actor: Actor) -> None:
    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        memory.remember(LIVED, actor=actor)
        outcome = memory.remember(MOVED, actor=actor)
        assert outcome.status == "applied"
        assert said(memory, MOVED) == [MOVED]
        memory.undo(outcome.change)
        assert said(memory, MOVED) == [LIVED]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The stand-up is at 9:30.", "The stand-up is at 10:15 now, not at 9:30."),
        ("The user is vegetarian.", "The user is not vegetarian any more."),
        ("We use tabs.", "We use spaces instead of tabs."),
        ("The API listens on port 8080.", "The API listens on port 9090, not 8080."),
        ("Der Nutzer wohnt in Hamburg.", "Der Nutzer wohnt jetzt in Köln, nicht mehr in Hamburg."),
        ("El usuario vive en Madrid.", "El usuario vive en Valencia, ya no en Madrid."),
        ("用户住在北京。", "用户住在上海，不再住在北京。"),
    ],
)
def test_a_value_is_taken_back_in_many_words(tmp_path: Path, before: str, now: str) -> None:
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.remember(before)
        memory.remember(now)
        assert said(memory, now) == [now]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (LIVED, "The user lives in Berlin."),
        ("The user works in Brixton.", MOVED),
        ("The user's brother lives in Brixton.", MOVED),
        ("Ada lives in Brixton.", MOVED),
        ("The dentist is at 9:30.", "The stand-up is at 10:15 now, not at 9:30."),
        ("The user drinks coffee.", "The user prefers tea, not coffee, in the evening."),
        ("Deploy with make deploy.", "Deploy on Fridays only with approval, not alone."),
    ],
)
def test_two_memories_stay_where_none_takes_back_the_other(tmp_path: Path, before: str, now: str) -> None:
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.remember(before)
        memory.remember(now)
        assert said(memory, f"{before} {now}") == sorted([before, now])


@pytest.mark.parametrize("layout", ["native", "structured", "memdir"])
def test_what_a_memory_says_besides_stays(tmp_path: Path, layout: str) -> None:
    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        memory.remember("The team uses npm, Node 18 and Jest.")
        memory.remember("The team uses pnpm now, not npm.")
        assert said(memory, "What does the team use?") == ["The team uses pnpm, Node 18 and Jest."]


def test_an_agent_leaves_what_a_person_wrote(tmp_path: Path) -> None:
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.remember(LIVED, actor=PERSON)
        memory.remember(MOVED, actor=TOOL)
        assert said(memory, MOVED) == sorted([LIVED, MOVED])


def test_recall_marks_the_message_of_what_was_taken_back(tmp_path: Path) -> None:
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", "I live in Brixton.", id="m")])
        memory.remember(LIVED, source=Source("s", "m"))
        memory.remember(MOVED)
        old = next(hit for hit in memory.recall("Where do I live? Brixton?") if hit.layer == "sessions")
        assert memory.read(old.superseded_by).text == MOVED


def test_an_answer_names_the_older_memory_that_stays_beside(tmp_path: Path) -> None:
    """Found in use: 8080 and 9090 were both kept, and nothing in the answer said so."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert memory.remember("The relay listens on port 8080.").reason == ""
        assert "'The relay listens on port 8080.'" in memory.remember("The relay listens on port 9090.").reason
        assert memory.remember("The harbour opens in May.").reason == ""


@pytest.mark.parametrize("how", ["rules", "model", "tool", "forget"])
def test_what_a_person_takes_back_leaves_the_prompt_and_recall_marks_it(tmp_path: Path, how: str) -> None:
    """Found in use: the journal and the message came back unmarked into the next prompt."""
    wish = "Please forget that I'm vegetarian." if how in {"rules", "tool"} else "Thanks."
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("a", [Message("user", "I'm vegetarian. I live in Turin.", id="m"), Message("assistant", "OK.")])
        memory.consolidate("a")
        [record] = [hit.record for hit in memory.recall("vegetarian", layers=("documents",))]
        memory.append("b", [Message("user", wish, id="w")])
        match how:
            case "rules":
                memory.consolidate("b")
            case "tool":
                assert memory.tool("b").call({"action": "remove", "old_text": record})["success"]
            case "forget":
                memory.forget(record)
            case "model":
                gone = RemoveEntry(
                    path="memory/facts/user.md", target=record, sources=(Source("b", "w"),), trust="user"
                )
                assert memory.apply([gone], reason="said", actor=PERSON).ok
        [hit] = [hit for hit in memory.recall("am I vegetarian") if hit.record.endswith("#m")]
        assert (hit.superseded_by, hit.superseded_words) == (record, "I'm vegetarian")
        shown = memory.context("new", "am I vegetarian, and where do I live").text.replace(wish, "")
        assert "vegetarian" not in shown
        assert "Turin" in shown
        memory.undo(memory.log(1)[0].number)
        assert not any(hit.superseded_by for hit in memory.recall("am I vegetarian"))


def test_a_memory_of_another_scope_that_is_taken_back_is_named(tmp_path: Path) -> None:
    """Issue 20: both were shown, and the outcome said nothing."""
    with Memory.open(tmp_path, scope="team", jobs="worker") as memory:
        memory.remember("The team deploys on Tuesdays.")
    with Memory.open(tmp_path, scope=["user:a", "team"], jobs="worker") as memory:
        done = memory.remember("The team deploys on Mondays now, no longer on Tuesdays.")
        assert done.ok
        assert "'The team deploys on Tuesdays.' of the scope 'team'" in done.reason
        assert memory.remember("The door is green.").reason == ""
