"""How much of the full-text tables a question reads: bounded however common its words are."""

from __future__ import annotations

import pytest
from indexed_scope import Scope, lines_as_rows

from commonplace.recall.index import postings
from inside import database_of

TOPICS = ("harbour", "lantern", "meadow", "copper")


@pytest.fixture
def common(tmp_path, monkeypatch):
    """A scope in which a word on more than ten rows is common, one on more than forty counted in samples."""
    monkeypatch.setattr(postings, "COMMON", 10)
    monkeypatch.setattr(postings, "NEWEST", 20)
    monkeypatch.setattr(postings, "COUNTED", 40)
    made = Scope(tmp_path / "memory")
    for session in range(64):
        made.say(f"s{session:02}", *(f"{TOPICS[at % 4]} and everyday number {session * 8 + at}" for at in range(8)))
    yield made
    made.close()


def search(scope, *words, **more):
    scope.indexing.catch_up()
    return scope.index.search([[word] for word in words], **more)


def test_a_rare_word_is_found_beside_common_ones(common):
    found = search(common, "everyday", "harbour", "317")
    assert [mask for mask in found.messages.values() if mask & 4] == [0b101]
    assert len(found.messages) == 1
    assert found.found[2] == 1


def test_a_very_common_word_is_counted_in_samples(common):
    """Issue 7: a scope of a million messages; a word on every row is not walked to its end to be weighed."""
    steps = []
    common.indexing.catch_up()
    database_of(common.index).set_trace_callback(steps.append)
    found = search(common, "everyday", "lantern")
    database_of(common.index).set_trace_callback(None)
    assert not [step for step in steps if "count(*)" in step and "rowid <" not in step]
    assert found.found[0] == pytest.approx(512, rel=0.25)
    assert found.found[1] == pytest.approx(128, rel=0.25)


def test_where_every_word_is_common_the_newest_of_the_rarest_are_looked_at(common):
    found = search(common, "everyday", "lantern")
    assert len(found.messages) == postings.NEWEST
    assert set(found.messages.values()) == {0b11}
    newest = [hit.text for hit in common.recall("lantern everyday", k=5)]
    assert all(text.startswith("lantern") for text in newest)


def test_records_are_bounded_as_messages_are(tmp_path, monkeypatch):
    """The other layers have a table of their own, whose rows are numbered otherwise."""
    monkeypatch.setattr(postings, "COMMON", 10)
    monkeypatch.setattr(postings, "COUNTED", 40)
    made = Scope(tmp_path / "m", records=lines_as_rows)
    folder = made.folder / "memory"
    folder.mkdir(parents=True)
    for file in range(16):
        text = "".join(f"- {TOPICS[at % 4]} everyday line {file * 16 + at}\n" for at in range(16))
        (folder / f"{file}.md").write_text(text, encoding="utf-8")
    found = search(made, "everyday", "203")
    assert list(found.notes.values()) == [0b11]
    assert found.found[0] == pytest.approx(256, rel=0.3)
    made.close()
