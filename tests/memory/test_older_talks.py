"""What was said before does not overrule what was said after, in whatever order it comes in."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock, ScriptedLLM

LATER = ["I moved from Oslo to Bergen.", "My dentist is Dr. Holm now."]
EARLIER = ["I live in Oslo.", "My dentist is Dr. Berg."]


def said(texts: list[str], month: int) -> list[Message]:
    return [Message("user", text, at=datetime(2026, month, 1, 9, n, tzinfo=UTC)) for n, text in enumerate(texts)]


@pytest.mark.parametrize("layout", ["native", "two-layer", "memdir", "structured"])
def test_an_older_talk_that_is_read_later_replaces_nothing(tmp_path, layout):
    """DESIGN 1.8: who imported an archive after a month of use got the old home and dentist back."""
    with Memory.open(tmp_path, layout=layout, jobs="worker", clock=FixedClock("2026-10-01T10:00:00Z")) as memory:
        for session, messages in (("new", said(LATER, 9)), ("old", said(EARLIER, 5))):
            memory.append(session, messages)
            memory.consolidate(session)
        shown = memory.context().text
        if layout == "memdir":
            shown = (tmp_path / "facts.md").read_text(encoding="utf-8")
    assert ["Bergen" in shown, "Holm" in shown] == [True, True]
    assert ["lives in Oslo" in shown, "Berg." in shown] == [False, False]


@pytest.mark.parametrize("by_hand", [False, True])
def test_what_a_model_would_replace_by_an_older_talk_waits(tmp_path, by_hand):
    """DESIGN 1.8; what was remembered by hand was replaced."""
    clock = FixedClock("2026-10-01T10:00:00Z")
    with Memory.open(tmp_path, jobs="worker", clock=clock) as memory:
        if by_hand:
            memory.remember("The user's dentist is Dr. Holm.")
        else:
            memory.append("new", said(LATER[1:], 9))
            memory.consolidate("new")
    cite = {"message": 1, "quote": EARLIER[1]}
    replace = {"op": "replace", "target": 1, "text": "The user's dentist is Dr. Berg.", "cites": [cite]}
    llm = ScriptedLLM([json.dumps({"journal": "", "operations": [replace]})])
    with Memory.open(tmp_path, llm=llm, jobs="worker", clock=clock) as memory:
        memory.append("old", said(EARLIER[1:], 5))
        memory.consolidate("old")
        assert [wait.reason.partition(" on what was said ")[0] for wait in memory.review()] == ["memory rests"]
        assert "Dr. Holm" in memory.context().stable
