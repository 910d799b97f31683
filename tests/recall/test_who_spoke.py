"""What is recalled or shown of a chat with several people says who spoke (issue 17)."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock

SAID = (("Bob 🎉", "I'm allergic to walnuts."), ("Cleo", "I carry an epipen."), (None, "I met a heron."))


def chat(folder: Path, layout: str) -> Memory:
    """Return a memory with a chat in which two people have a name and one has none."""
    memory = Memory.open(folder, layout=layout, jobs="inline", clock=FixedClock("2026-11-02T09:00:00+00:00"))
    for name, text in SAID:
        memory.append("chat:1", [Message("user", text, name=name), Message("assistant", "OK.")])
    memory.flush()
    return memory


def test_a_hit_and_the_answer_of_the_tool_name_who_spoke(tmp_path: Path) -> None:
    with chat(tmp_path, "native") as memory:
        found = {hit.text: hit.name for hit in memory.recall("walnuts epipen heron") if hit.layer == "sessions"}
        assert found == {text: name for (_, text), name in zip(SAID, ("Bob", "Cleo", ""), strict=True)}
        shown = memory.context("chat:2", "epipen heron walnuts").volatile
        assert "- [2026-11-02, Bob in session chat:1] I'm allergic to walnuts." in shown
        assert "- [2026-11-02, session chat:1] I met a heron." in shown
        hits = memory.tool("chat:2").call({"action": "search", "query": "epipen"})["hits"]
        assert [hit.get("name") for hit in hits] == ["Cleo"]


@pytest.mark.parametrize(
    ("layout", "lines"),
    [
        ("two-layer", ["USER Bob: I'm allergic to walnuts.", "USER: I met a heron."]),
        ("facts", ['user Bob  "I\'m allergic to walnuts."', 'user   "I met a heron."']),
        ("structured", ['user Bob  "I\'m allergic to walnuts."', 'user   "I met a heron."']),
    ],
)
def test_the_live_conversation_names_who_spoke(layout: str, lines: list[str], tmp_path: Path) -> None:
    with chat(tmp_path, layout) as memory:
        shown = memory.context("chat:1").volatile
        assert all(line in shown for line in lines)


def test_items_and_notes_of_turns_name_who_spoke(tmp_path: Path) -> None:
    """Two people who say the same on one day have two items."""
    with chat(tmp_path, "structured") as memory:
        memory.append("chat:1", [Message("user", SAID[0][1], name="Cleo"), Message("assistant", "OK.")])
        memory.flush()
        shown = memory.context("chat:2", "walnuts epipen heron").text
        assert "Cleo asked: I carry an epipen." in shown
        assert "User asked: I met a heron." in shown
        (notes,) = (path for path in tmp_path.rglob("2026-11-02.md"))
        assert "Bob: I'm allergic to walnuts. | Assistant: OK." in notes.read_text("utf-8")
        (items,) = (path for path in tmp_path.rglob("2026-11-02.jsonl"))
        assert {f"{name} asked: {SAID[0][1]}" in items.read_text("utf-8") for name in ("Bob", "Cleo")} == {True}


@pytest.mark.parametrize("layout", ["native", "structured"])
@pytest.mark.parametrize(("others", "lives"), [((), "User lives in Bergen"), (("Anna",), "Me lives in Bergen")])
def test_who_is_called_me_is_the_user_only_if_alone(
    layout: str, others: tuple[str, ...], lives: str, tmp_path: Path
) -> None:
    """Issue 17: in a group with Anna what the member Me said of themselves was noted of the user."""
    with Memory.open(tmp_path, layout=layout, jobs="worker", clock=FixedClock("2026-11-02T09:00:00+00:00")) as memory:
        said = {name: Message("user", "I have a red boat.", name=name) for name in others}
        memory.append(
            "s", [*said.values(), Message("user", "I live in Bergen.", name="Me"), Message("assistant", "OK.")]
        )
        memory.consolidate("s")
        noted = " ".join(hit.text for hit in memory.recall("lives in Bergen") if hit.layer != "sessions")
        assert [lives in noted, "User lives" in noted] == [True, not others]
