"""A window overflows whoever speaks in it (issue 17.7)."""

from __future__ import annotations

import pytest

from commonplace import Memory, Message
from marking import slow_after


def agents(count):
    for number in range(count):
        yield Message("assistant", f"I look at file {number}.", tools=("read_file",), id=f"c{number}")
        yield Message("tool", f"Words of file {number}.", tools=("read_file",), id=f"r{number}")


KNOBS = {
    "two-layer": {"consolidation.window_messages": 20},
    "native": {"consolidation.window_tokens": 200},
    "structured": {"consolidation.context_tokens": 8080},
}


@pytest.mark.parametrize("layout", slow_after(1, KNOBS))
@pytest.mark.parametrize(
    "first", [[], [Message("user", "Read all files, please.", id="u")]], ids=["nobody", "one turn"]
)
def test_a_window_without_another_user_message_is_shortened_where_the_agent_speaks(tmp_path, first, layout):
    with Memory.open(tmp_path, layout=layout, jobs="inline", config=KNOBS[layout]) as memory:
        memory.append("s", [*first, *agents(60)])
        memory.flush()
        window = memory.sessions.window("s")
        assert 0 < len(window) < 40
        assert window[0].message.role == "assistant"
        assert len(list(memory.sessions.read("s"))) == len(first) + 120


def test_a_turn_that_fits_is_not_parted(tmp_path):
    with Memory.open(
        tmp_path, layout="two-layer", jobs="inline", config={"consolidation.window_messages": 20}
    ) as memory:
        for turn in range(12):
            memory.append(
                "s",
                [
                    Message("user", f"Read file {turn}.", id=f"u{turn}"),
                    *(Message(m.role, m.content, tools=m.tools, id=f"{turn}{m.id}") for m in agents(2)),
                ],
            )
        memory.flush()
        assert memory.sessions.state("s").window_start > 0
        assert memory.sessions.window("s")[0].message.role == "user"


@pytest.mark.slow
def test_structured_parts_no_turn_that_fits_its_estimate(tmp_path):
    """Seed structured, "Automatic compaction": the window begins where a turn does."""
    knobs = {"consolidation.context_tokens": 8200, "consolidation.keep_messages": 5}
    with Memory.open(tmp_path, layout="structured", jobs="inline", config=knobs) as memory:
        for turn in range(12):
            said = [Message("user", f"Read file {turn}.", id=f"u{turn}"), *agents(3)]
            memory.append("s", [Message(m.role, m.content, tools=m.tools, id=f"{turn}{m.id}") for m in said])
            memory.flush()
        assert memory.sessions.state("s").window_start > 0
        assert memory.sessions.window("s")[0].message.role == "user"
