"""A message whose value was replaced stands below what says so now, and says so itself."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace import Memory, Message, Query
from commonplace.records import Source
from commonplace.testing import FixedClock
from inside import scope_of

QUESTION = "what time is our stand-up these days?"
OLD = "our stand-up is at 9:30, these days and every day"
NEW = "we moved it to 10:15"


def opened(folder):
    return Memory.open(folder, clock=FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1), jobs="worker")


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path) as memory:
        said = datetime(2026, 11, 2, tzinfo=UTC)
        memory.append("a", [Message("user", OLD, id="old", at=said), Message("assistant", "Noted.", id="ok")])
        memory.append("b", [Message("user", NEW, id="new", at=said.replace(day=9))])
        memory.append("c", [Message("user", f"talk of the day {n}", id=f"c{n}") for n in range(20)])
        memory.remember("The stand-up is at 9:30.", kind="decision", source=Source("a", "old"))
        yield memory


def order(memory, **query):
    hits = memory.recall(Query(text=QUESTION, **query))
    return [hit.sources[0].message for hit in hits if hit.layer == "sessions"], hits


def test_a_replaced_value_stands_below_its_successor_and_says_so(memory):
    """Issue 7: a superseded value ranks below its successor and says so."""
    assert order(memory)[0][0] == "old"
    outcome = memory.update(memory.recall("9:30", layers=("documents",))[0].record, "The stand-up is at 10:15.")
    assert outcome.ok
    hits = memory.recall(QUESTION, explain=True)
    places = {hit.sources[0].message if hit.layer == "sessions" else hit.layer: at for at, hit in enumerate(hits)}
    old = hits[places["old"]]
    assert places["documents"] < places["old"]
    assert old.superseded_by == hits[places["documents"]].record == old.why["superseded"]
    assert not any(hit.superseded_by for hit in hits if hit is not old)
    assert ", superseded]" in memory.context(query=QUESTION).volatile


def test_an_undo_takes_the_word_back(memory):
    outcome = memory.update(memory.recall("9:30", layers=("documents",))[0].record, "The stand-up is at 10:15.")
    memory.undo(outcome.change)
    assert order(memory)[0][0] == "old"
    assert not any(hit.superseded_by for hit in order(memory)[1])


def test_saying_more_overrules_nothing(memory):
    """A record that keeps every word of the old one is an addition to it."""
    record = memory.recall("9:30", layers=("documents",))[0].record
    memory.update(record, "The stand-up is at 9:30, in the small room.")
    assert not any(hit.superseded_by for hit in order(memory)[1])


def test_what_was_known_then_was_not_superseded_then(memory):
    before = datetime(2026, 11, 19, tzinfo=UTC)
    memory.update(memory.recall("9:30", layers=("documents",))[0].record, "The stand-up is at 10:15.")
    found, hits = order(memory, as_of=before)
    assert found[0] == "old"
    assert not any(hit.superseded_by for hit in hits)


def test_a_hand_edit_overrules_a_message_too(memory):
    path = next(iter(memory.log(1))).paths[0]
    file = Path(memory.location, path)
    file.write_text(file.read_text(encoding="utf-8").replace("9:30", "11:00"), encoding="utf-8")
    memory.sync()
    old = next(hit for hit in order(memory)[1] if hit.sources and hit.sources[0].message == "old")
    assert old.superseded_by.startswith(path)


def test_a_question_of_another_session_reads_no_more_for_it(memory, monkeypatch):
    """A correction costs those questions only that it may answer."""
    memory.append("d", [Message("user", f"the ferry number {n} is late", id=f"d{n}") for n in range(40)])

    def reads():
        indexing = scope_of(memory).indexing
        counted = []
        real = indexing.message
        with monkeypatch.context() as patch:
            patch.setattr(indexing, "message", lambda *place: counted.append(place) or real(*place))
            assert memory.recall("which ferry is late?", k=3)
        return len(counted)

    before = reads()
    memory.update(memory.recall("9:30", layers=("documents",))[0].record, "The stand-up is at 10:15.")
    assert reads() == before


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("layout", ["native", "two-layer"])
@pytest.mark.parametrize(
    ("before", "said", "question"),
    [
        ("We use MySQL here.", "actually we switched from MySQL to Postgres", "which database do we use"),
        ("I use VS Code as my editor.", "Actually I switched from VS Code to Neovim.", "which editor do I use"),
        ("I live in Graz.", "Actually I moved to Vienna.", "where do I live"),
    ],
)
def test_a_correction_in_the_same_range_or_later_ranks_above_what_it_replaces(
    tmp_path, before, said, question, layout, apart
):
    """Issue 17.5: the record comes though the question shares no word with it, and the old message says what it is."""
    clock = FixedClock("2026-03-01T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout=layout, clock=clock, jobs="inline") as memory:
        memory.append("s:1", [Message("user", before, id="old"), Message("assistant", "ok")])
        if apart:
            memory.consolidate()
            clock.advance(days=3)
        memory.append("s:2" if apart else "s:1", [Message("user", said), Message("assistant", "ok")])
        memory.consolidate()
        hits = memory.recall(question)
        shown = memory.context("s:3", question).volatile

    places = [(hit.layer, hit.text) for hit in hits]
    old = next(hit for hit in hits if hit.layer == "sessions" and hit.text == before)
    record = next(hit for hit in hits if hit.layer == "documents")
    assert old.superseded_by == record.record
    assert places.index(("documents", record.text)) < places.index(("sessions", before))
    assert not any(f"] {before}" in line and ", superseded]" not in line for line in shown.splitlines())


def test_an_undo_of_a_correction_in_one_range_takes_the_word_back(tmp_path):
    with Memory.open(tmp_path, clock=FixedClock(step_seconds=1), jobs="inline") as memory:
        memory.append("s:1", [Message("user", "I use Vim for everything."), Message("assistant", "ok")])
        memory.append("s:1", [Message("user", "Actually I switched to Helix."), Message("assistant", "ok")])
        memory.consolidate()
        assert any(hit.superseded_by for hit in memory.recall("Vim Helix"))
        memory.undo(memory.log(1)[0].number)
        assert not any(hit.superseded_by for hit in memory.recall("Vim Helix"))


def test_an_item_that_is_corrected_supersedes_what_it_was_made_of(tmp_path):
    """Issue 17.5: an item keeps its id when it is corrected."""
    clock = FixedClock("2026-03-01T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout="structured", clock=clock, jobs="inline") as memory:
        memory.append("s:1", [Message("user", "I live in Graz.", id="old"), Message("assistant", "ok")])
        clock.advance(days=3)
        memory.append("s:2", [Message("user", "Actually I moved to Vienna."), Message("assistant", "ok")])
        memory.consolidate()
        old = next(hit for hit in memory.recall("where do I live") if hit.text == "I live in Graz.")
    assert "#" in old.superseded_by
