"""Any text at all: never an error, always a true quote, never more than linear work."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.jobs.rules import proposing, reading
from commonplace.records import Message, RecordedMessage
from growth import grows_like_its_input

AT = datetime(2026, 2, 26, 12, tzinfo=UTC)
FULL = os.environ.get("COMMONPLACE_BATTERY") == "full"
PHRASES = (
    "I prefer ", "I live in ", "my wife ", "always ", "never ", "from now on ", "if ", "because ", ", and I ", ", but ", "?", ". ", "\n", '"', "'", "`", "```", "<a>",
    "</a>", "> ", "Bob", "Oslo", "yesterday", "next Friday", "in two weeks", "March 3", " - ", "—", "(", ")", "⟦secret:key⟧", "我喜欢", "ich mag ", "\x00", "…", "it's 2 not 3",
    "actually, ", "Fact: ", "[image: x]", "I've switched from A to B", "22.04", "the ", "very ", "I ", "we ", "’", "\u202e", "🙄", "/s",
)  # fmt: skip
TEXT = st.one_of(
    st.text(max_size=400), st.lists(st.one_of(st.sampled_from(PHRASES), st.text(max_size=6)), max_size=40).map("".join)
)


def one(text: str, role: str = "user", name: str | None = None) -> RecordedMessage:
    return RecordedMessage("s#0", "s", "s", 0, Message(role, text, name=name, at=AT), 0)  # type: ignore[arg-type]


@settings(max_examples=2000 if FULL else 150, deadline=None)
@given(TEXT, st.sampled_from(["user", "assistant", "tool", "system"]), st.sampled_from([None, "Ana", "☃"]))
def test_any_message_is_read_without_error_and_quoted_truly(text: str, role: str, name: str | None) -> None:
    """Issue 4: a verbatim quote for each; secrets never stand in a memo."""
    for memo in proposing.extract([one(text, role, name)], zone=UTC):
        assert memo.quote == text[slice(*memo.span)] != ""
        assert len(memo.text) <= 200
        assert "⟦" not in memo.text
        assert "\x00" not in memo.text
        assert memo.trust == "user" or role in {"assistant", "tool"}


@pytest.mark.slow
@settings(max_examples=500 if FULL else 100, deadline=None)
@given(st.lists(TEXT, max_size=4), st.lists(TEXT, max_size=3))
def test_any_proposal_names_only_what_is_known(texts: list[str], old: list[str]) -> None:
    """One operation for each record, each with source and quote."""
    messages = [RecordedMessage(f"s#{n}", "s", "s", n, Message("user", text, at=AT), 0) for n, text in enumerate(texts)]
    targets: proposing.Targets = {
        "fact": proposing.Place(path="M.md"),
        "preference": proposing.Place(path="M.md"),
        "task": proposing.Place(path="t.md", form="topic"),
    }
    known = [proposing.Known(f"e{n}", "M.md", text) for n, text in enumerate(old)]
    proposal = proposing.propose(messages, session="s", zone=UTC, targets=targets, existing=known)
    names = [edit.target for edit in proposal.operations if hasattr(edit, "target")]
    assert len(set(names)) == len(names)
    assert set(names) <= {entry.id for entry in known}
    assert all(edit.sources and len(edit.sources) == len(edit.quotes) for edit in proposal.operations)


HOSTILE = [
    "I prefer tea. ", "a ", "I ", '"', "'", "` ", "<a> ", "<a1><b2>", "my wife ", "and I ", ", ", "- ", "( ", "\n", "I live in Rome and ", "x" * 50 + ". ",
    "not a but b ", "it's a not ", "next Friday ", "在", "Yeah, ", "oh, ", "Fact: ", "I really also just still ", "if I ", "*", "* a ", "[image: ", "⟦", "a. b. c. ",
    "Mr. ", "now just going to ", "from now on ",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE, ids=range(len(HOSTILE)))
def test_a_long_message_is_read_in_linear_time(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 4: a range of one 348,853-character message; no pattern may run away."""
    monkeypatch.setattr(reading, "SCAN_CHARS", 10**9)
    proposing.extract([one("I prefer tea.")], zone=UTC)  # compile the patterns before the clock counts

    def extract(chars: int) -> None:
        proposing.extract([one((piece * (chars // len(piece) + 1))[:chars])], zone=UTC)

    assert grows_like_its_input(extract, 40_000 if FULL else 2_000)
