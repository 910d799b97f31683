"""Ranges: whole turns of about so many tokens."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from commonplace.jobs import ranges
from commonplace.jobs.showing import tokens_of
from commonplace.records import Message, RecordedMessage

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def said(number: int, role: str, text: str, tools: tuple[str, ...] = ()) -> RecordedMessage:
    message = Message(role, text, id=f"m{number}", at=AT, tools=tools)
    return RecordedMessage(f"s#m{number}", "s", "s", number, message, 0)


def talk(*roles_and_sizes: tuple[str, int]) -> list[RecordedMessage]:
    return [said(number, role, "x" * size) for number, (role, size) in enumerate(roles_and_sizes)]


def test_a_range_ends_where_the_next_turn_would_pass_it() -> None:
    messages = talk(("user", 350), ("assistant", 350), ("user", 350), ("assistant", 350), ("user", 10))
    cut = ranges.cut(messages, tokens=260, message_tokens=1000)
    assert [[m.number for m in piece] for piece in cut] == [[0, 1], [2, 3, 4]]


def test_a_turn_longer_than_a_range_stays_whole() -> None:
    messages = talk(("user", 350_000), ("assistant", 50), ("user", 5))
    cut = ranges.cut(messages, tokens=100, message_tokens=1500)
    assert [[m.number for m in piece] for piece in cut] == [[0, 1], [2]]


def test_a_turn_longer_than_two_ranges_is_parted_where_the_agent_speaks() -> None:
    """DESIGN 8: prompts have a bound whatever the session holds."""
    messages = talk(("user", 350), *[("assistant", 350), ("tool", 350)] * 40)
    cut = ranges.cut(messages, tokens=200, message_tokens=1500)
    assert max(sum(tokens_of(message, 1500) for message in piece) for piece in cut) <= 400
    assert [m for piece in cut for m in piece] == messages
    assert all(piece[0].message.role == "assistant" for piece in cut[1:])


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.integers(0, 900)), max_size=40))
def test_ranges_follow_each_other_without_a_gap_and_begin_at_turns(spec: list[tuple[str, int]]) -> None:
    messages = talk(*spec)
    cut = ranges.cut(messages, tokens=200, message_tokens=150)
    assert [m for piece in cut for m in piece] == messages
    for piece, before in zip(cut[1:], cut, strict=False):
        spent = sum(tokens_of(message, 150) for message in before)
        assert piece[0].message.role == "user" or (piece[0].message.role == "assistant" and spent > 200)


def test_a_cut_inside_a_tool_call_moves_before_the_message_that_made_it() -> None:
    """Source: seed model 3.3, scenario 11."""
    messages = [
        said(0, "user", "look"),
        said(1, "assistant", "", ("read",)),
        said(2, "tool", "text", ("read",)),
        said(3, "assistant", "done"),
        said(4, "user", "thanks"),
    ]
    assert ranges.turn_start(messages, 2) == 1
    assert ranges.turn_start(messages, 4) == 4
