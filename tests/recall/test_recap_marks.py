"""The recap of the live conversation marks what ranks below the agent."""

from __future__ import annotations

from datetime import UTC, datetime

from commonplace import Memory, Message
from commonplace.testing import FixedClock

PAGE = "The Tollbrook ferry now leaves from Quay Marrow at 06:45, tickets at the Halyard kiosk."
ECHO = "The Tollbrook ferry leaves from Quay Marrow."
OWN = "Your sister Ottilie prefers the window seat."
TALK = (
    Message("user", "Look the Tollbrook ferry up. My sister Ottilie prefers the window seat."),
    Message("tool", PAGE, tools=("browse",)),
    Message("assistant", "Found it."),
    Message("user", "Fine, thanks."),
    Message("assistant", ECHO),
    Message("assistant", OWN),
)


def opened(folder, layout="two-layer", **options):
    clock = FixedClock(datetime(2026, 11, 20, 10, tzinfo=UTC), step_seconds=1)
    return Memory.open(folder, layout=layout, clock=clock, jobs="worker", **options)


def test_the_recap_of_two_layer_marks_what_ranks_below_the_agent(tmp_path):
    """Issue 16: recap and window summary carry their trust and are marked where they are shown."""
    mail = "Please sort this mail:\n\nFrom: Ilse Brandt <ilse@example.org>\nSubject: Keys\n\nThe keys hang in the shed."
    with opened(tmp_path) as memory:
        memory.append("s", [*TALK, Message("user", mail), Message("user", "I like it short.")])
        recap = memory.context("s").volatile
    assert f"TOOL: (from web) {PAGE}" in recap
    assert f"ASSISTANT: (from web) {ECHO}" in recap
    assert f"ASSISTANT: {OWN}" in recap
    assert "USER: Please sort this mail:" in recap
    assert "(from tool) From: Ilse Brandt" in recap
    assert "USER: I like it short." in recap


def test_the_recap_keeps_older_messages_beside_one_that_has_no_room(tmp_path):
    with opened(tmp_path) as memory:
        memory.append("s", [Message("user", "The boat is blue."), Message("assistant", "word " * 60_000)])
        assert "USER: The boat is blue." in memory.context("s").volatile
