"""How much of the full-text tables a question reads: bounded however common its words are."""

from __future__ import annotations

import pytest
from indexed_scope import Scope

from commonplace.recall.index import postings

TOPICS = ("harbour", "lantern", "meadow", "copper")


@pytest.fixture
def common(tmp_path, monkeypatch):
    """A scope in which a word on ten rows is common."""
    monkeypatch.setattr(postings, "COMMON", 10)
    made = Scope(tmp_path / "memory")
    for session in range(64):
        made.say(f"s{session:02}", *(f"{TOPICS[at % 4]} and everyday number {session * 8 + at}" for at in range(8)))
    yield made
    made.close()


def search(scope, *words, **more):
    scope.indexing.catch_up()
    return scope.index.search([[word] for word in words], **more)


@pytest.mark.slow
def test_a_rare_word_is_found_beside_common_ones(common):
    found = search(common, "everyday", "harbour", "317")
    assert [mask for mask in found.messages.values() if mask & 4] == [0b101]
    assert len(found.messages) == 1
    assert found.found[2] == 1


@pytest.mark.slow
def test_where_every_word_is_common_the_newest_are_looked_at(common):
    found = search(common, "everyday", "lantern")
    assert found.found == [512, 128]
    assert len(found.messages) <= 2 * postings.COMMON
    newest = [hit.text for hit in common.recall("lantern everyday", k=2)]
    assert all(text.startswith("lantern") for text in newest)
