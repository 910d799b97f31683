"""A session that corrected an older statement is forgotten: the older one holds again, and nothing supersedes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock
from marking import slow_after

OLD = "User's budget for the trip to Lisbon is 1200 euros."
NEW = "User's budget for the trip to Lisbon is now 900 euros."
SAID = {
    "a": "My budget for the trip to Lisbon is 1200 euros.",
    "b": "My budget for the trip to Lisbon is now 900 euros.",
}


def opened(folder: Path, layout: str = "native") -> Memory:
    memory = Memory.open(
        folder, layout=layout, jobs="worker", clock=FixedClock("2026-11-27T12:00:00+00:00", step_seconds=1)
    )
    for session, text in SAID.items():
        if not memory.sessions.exists(session):
            memory.append(session, [Message("user", text), Message("assistant", "Fine.")])
            memory.consolidate(session)
    return memory


def shown(memory: Memory) -> list[str]:
    return [line[2:] for line in memory.context("new").stable.splitlines() if "budget" in line]


def superseded(memory: Memory) -> list[str]:
    found = memory.recall("budget for the trip to Lisbon")
    return [hit.text for hit in found if hit.superseded_by and hit.layer == "sessions"]


@pytest.mark.parametrize("layout", slow_after(1, ["native", "two-layer"]))
@pytest.mark.parametrize("erase", [False, True])
def test_what_a_forgotten_session_corrected_holds_again(tmp_path, layout, erase):
    """Audit: the older message was marked as superseded by what nobody could see, and nothing was shown always."""
    with opened(tmp_path, layout) as memory:
        assert (shown(memory), superseded(memory)) == ([NEW], [SAID["a"]])
        meant = memory.forget(session="b", erase=erase, dry_run=True)
        assert shown(memory) == [NEW]
        done = memory.forget(session="b", erase=erase)
        assert [text for _, text in done.restored] == [OLD]
        assert done.restored == meant.restored
        assert (shown(memory), superseded(memory)) == ([OLD], [])
        assert not [hit for hit in memory.recall("budget for the trip to Lisbon") if "900" in hit.text]
        [entry] = [hit for hit in memory.recall("budget for the trip to Lisbon") if hit.text == OLD]
        assert [source.session for source in entry.sources] == ["a"]
        assert done.left == ()
        assert memory.doctor().ok
    with opened(tmp_path, layout) as memory:
        assert (shown(memory), superseded(memory)) == ([OLD], [])
        if not erase:
            assert memory.undo(done).status == "applied"
            assert (shown(memory), superseded(memory)) == ([NEW], [SAID["a"]])


def test_what_rests_on_a_forgotten_message_does_not_come_back(tmp_path):
    with opened(tmp_path) as memory:
        memory.forget(session="a")
        assert memory.forget(session="b").restored == ()
        assert shown(memory) == []


@pytest.mark.parametrize("given", [{"every": True}, {}])
def test_what_is_forgotten_by_its_words_comes_back_in_no_older_form(tmp_path, given):
    with opened(tmp_path) as memory:
        record = next(hit.record for hit in memory.recall("Lisbon budget") if hit.text == NEW)
        done = memory.forget("budget for the trip", **given) if given else memory.forget(record)
        assert done.restored == ()
        assert shown(memory) == []


@pytest.mark.parametrize("layout", ["structured", "memdir"])
def test_an_item_or_topic_that_was_forgotten_supersedes_nothing(tmp_path, layout):
    with opened(tmp_path, layout) as memory:
        done = memory.forget(session="b")
        assert (done.restored, superseded(memory)) == ((), [])
        assert SAID["a"] in [hit.text for hit in memory.recall("budget for the trip to Lisbon")]
