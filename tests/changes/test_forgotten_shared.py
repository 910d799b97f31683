"""What is forgotten of a file or an entry that others share: it goes, and what they said stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.guard.markers import ERASED
from commonplace.operations import AppendJournal, PutTopic, RemoveTopic
from commonplace.records import Source


@pytest.mark.parametrize("erase", [False, True])
def test_a_note_of_two_keeps_the_one_that_does_not_hold_the_words(tmp_path: Path, erase: bool) -> None:
    """Issue 22: the item took the note of its turn along, which was to be cut as well, and nothing was forgotten."""
    said = [Message("user", "Book a table for Kowatsch on Friday."), Message("assistant", "The terrace is open.")]
    with Memory.open(tmp_path, layout="structured", jobs="worker") as memory:
        memory.append("s:1", said)
        memory.append("s:1", [Message("user", "thanks"), Message("assistant", "ok")])
        memory.consolidate("s:1")
        receipt = memory.forget("Kowatsch", every=True, erase=erase)
        assert (receipt.reason, receipt.left) == ("", ())
        assert [hit.text for hit in memory.recall("Kowatsch terrace", layers=["journals"])] == [
            "| Assistant: The terrace is open."
        ]
    (notes,) = (tmp_path / "memory").glob("*.md")
    assert "User: thanks | Assistant: ok" in notes.read_text(encoding="utf-8")  # it tells of nothing that goes


def test_a_topic_that_another_session_wrote_on_loses_what_a_forgotten_one_said(tmp_path: Path) -> None:
    """Issue 22: a topic rested on the last session that wrote on it, so what the others said stayed and was shown."""
    with Memory.open(tmp_path, layout="memdir", jobs="worker") as memory:
        for session, said in ("a:1", "I live in Graz and work as a surveyor."), ("b:1", "The server is on port 8080."):
            memory.append(session, [Message("user", said), Message("assistant", "ok")])
            memory.consolidate(session)
        change = memory.forget(session="a:1").change
        assert "Graz" not in memory.context().stable
        memory.undo(change)
        assert "Graz" in memory.context().stable
        memory.forget(session="a:1", erase=True)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and b"Graz" in path.read_bytes()] == []
    assert "8080" in (tmp_path / "facts.md").read_text(encoding="utf-8")


def test_sessions_that_wrote_on_a_topic_are_erased_one_after_the_other(tmp_path: Path) -> None:
    """The versions that held the first erased sentence have no text any more, and so told nothing of the second."""
    said = ["I live in Graz and work as a surveyor.", "The server is on port 8080.", "My bicycle is a green Puch."]
    with Memory.open(tmp_path, layout="memdir", jobs="worker") as memory:
        for session, text in zip(("a:1", "b:1", "c:1"), said, strict=True):
            memory.append(session, [Message("user", text), Message("assistant", "ok")])
            memory.consolidate(session)
        assert "Puch" in memory.context().stable
        memory.forget(session="a:1", erase=True)
        memory.forget(session="c:1", erase=True)
        assert "8080" in memory.context().stable
    texts = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(word in text for word in (b"Graz", b"Puch") for text in texts)


def test_a_topic_written_anew_after_an_erasing_is_shown(tmp_path: Path) -> None:
    """What was erased of its file says nothing of what a person writes there later, citing no message."""
    with Memory.open(tmp_path, layout="memdir", jobs="worker") as memory:
        memory.append("a:1", [Message("user", "I live in Graz and work as a surveyor."), Message("assistant", "ok")])
        memory.consolidate("a:1")
        memory.forget(session="a:1", erase=True)
        memory.apply([PutTopic(path="facts.md", title="Facts", body="- The server is on port 8080.")], reason="new")
        assert "8080" in memory.context().stable


def test_a_topic_keeps_what_another_session_corrected(tmp_path: Path) -> None:
    """A sentence rests on what brought it in, not on what an older one said in nearly the same words."""
    with Memory.open(tmp_path, layout="memdir", jobs="worker") as memory:
        for session, sum_ in ("a:1", "1200"), ("b:1", "now 900"):
            said = f"My budget for the trip to Lisbon is {sum_} euros."
            memory.append(session, [Message("user", said), Message("assistant", "ok")])
            memory.consolidate(session)
        memory.forget(session="a:1")
        assert "900 euros" in memory.context().stable
        memory.forget(session="b:1")
        assert "Lisbon" not in memory.context().stable


@pytest.mark.parametrize("layout", ["memdir", "graph", "native"])
def test_a_topic_rests_on_what_the_topic_merged_into_it_rested_on(tmp_path: Path, layout: str) -> None:
    """Issue 22: what was merged from a topic of a forgotten session stayed in the other topic."""
    graz, port = "- The user lives in Graz.", "- The server is on port 8080."
    one, two = (f"{'' if layout == 'memdir' else 'memory/'}{name}.md" for name in ("one", "two"))
    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        for session, path, body in ("a:1", one, graz), ("b:1", two, port):
            memory.append(session, [Message("user", body, id="m")])
            made = PutTopic(path=path, title=path, body=body, sources=(Source(session, "m"),))
            assert memory.apply([made], reason="told").ok
        merged = [PutTopic(path=two, body=f"{port}\n{graz}"), RemoveTopic(path=one, into=two)]
        assert memory.apply(merged, reason="one of two").ok
        memory.forget(session="a:1")
        (hit,) = memory.recall("Graz port", layers=["topics"])
        assert "8080" in hit.text
        assert "Graz" not in hit.text


@pytest.mark.parametrize("layout", ["native", "memdir"])
@pytest.mark.parametrize("said", [True, False])
def test_a_forgetting_that_was_undone_can_be_done_again(tmp_path: Path, layout: str, said: bool) -> None:
    """Issue 22: what the first one left of a record was kept from coming in again, so the second was refused."""
    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        if said:
            memory.append(
                "s:1", [Message("user", "My dentist is Dr. Kowatsch. I live in Graz."), Message("assistant", "ok")]
            )
            memory.consolidate("s:1")
        day = {"native": "memory/2026-03-02.md", "memdir": "logs/2026/03/2026-03-02.md"}[layout]
        memory.apply([AppendJournal(path=day, text="We met Kowatsch. Then it rained.")], reason="told")
        memory.undo(memory.forget("Kowatsch", every=True))
        again = memory.forget("Kowatsch", every=True, erase=True)
        assert again.reason == ""
        assert [hit.text for hit in memory.recall("rained", layers=["journals"])] == ["Then it rained."]
    assert [path for path in tmp_path.rglob("*") if path.is_file() and b"Kowatsch" in path.read_bytes()] == []


@pytest.mark.parametrize("layout", ["native", "graph", "memdir"])
def test_of_an_entry_cut_by_words_goes_what_rests_on_their_message_too(tmp_path: Path, layout: str) -> None:
    """Issue 22: a fact without the words went with its message, and the journal or topic that says it kept it."""
    told = "My sister-in-law Marguerite Delacroix-Obermayr is a surgeon in Linz."
    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        memory.append("s:1", [Message("user", "I live in Graz."), Message("user", told), Message("assistant", "ok")])
        memory.consolidate("s:1")
        assert memory.forget("Delacroix-Obermayr", every=True, erase=True).left == ()
    texts = [path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file() and path.suffix != ".jsonl"]
    assert not any(b"sister-in-law" in text for text in texts)
    assert any(b"Graz" in text for text in texts)


@pytest.mark.parametrize("mark", ["…", "..."])
def test_an_export_loses_the_cut_off_beginning_of_what_is_erased(tmp_path: Path, mark: str) -> None:
    """Issue 22: a title or summary in an export was cut off, so it stayed, and the receipt did not name it."""
    told = "My neighbour Marguerite was treated for endometriosis at the clinic in April."
    export = tmp_path / "exports" / "log.json"
    export.parent.mkdir()
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s:1", [Message("user", told)])
        lines = [f"+ {told[:50]}{mark}", f"My neighbour{mark}", "My neighbour Marguerite was treated for years."]
        export.write_text(json.dumps(lines), encoding="utf-8")
        assert "exports/log.json" in dict(memory.forget(session="s:1", erase=True, dry_run=True).places)
        assert memory.forget(session="s:1", erase=True).left == ()
    assert json.loads(export.read_text(encoding="utf-8")) == [f"+ {ERASED}{mark}", *lines[1:]]
