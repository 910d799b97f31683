"""What the assistant repeats from a page or mail is shown with that text's trust: in hits, recaps and buffers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonplace import Memory, Message
from commonplace.changes import sessions as transcripts
from commonplace.testing import FixedClock

LAYOUTS = ["facts", "graph", "native", "memdir", "two-layer", "structured"]
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


def opened(folder, layout="native", **options):
    clock = FixedClock(datetime(2026, 11, 20, 10, tzinfo=UTC), step_seconds=1)
    return Memory.open(folder, layout=layout, clock=clock, jobs="worker", **options)


def ranks(memory, asked):
    return {hit.text: hit.trust for hit in memory.recall(asked, layers=("sessions",))}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_echo_is_recalled_with_the_trust_of_its_page(tmp_path, layout):
    """Issue 16: each is marked where it is recalled, echoed turns later too; what the person said is not."""
    with opened(tmp_path, layout) as memory:
        memory.append("s", TALK)
        assert ranks(memory, "Tollbrook ferry Quay Marrow")[ECHO] == "web"
        assert ranks(memory, "sister Ottilie window seat")[OWN] == "agent"
        if layout in {"native", "two-layer", "structured"}:
            shown = memory.context("other", "Where does the Tollbrook ferry leave from, which Quay?").volatile
            assert f"from web: unverified] {ECHO}" in shown


def test_words_from_before_a_reset_are_no_echo_and_older_echoes_stay_marked(tmp_path):
    """Issue 16: an echo reaches back to the last reset; a message before that is held against what was before it."""
    with opened(tmp_path) as memory:
        memory.append("s", TALK)
        memory.reset("s")
        later = "So the Tollbrook ferry goes from Quay Marrow, as I know."
        memory.append("s", [Message("assistant", later)])
        found = ranks(memory, "Tollbrook ferry Quay Marrow")
        assert (found[ECHO], found[later]) == ("web", "agent")


@pytest.mark.parametrize("layout", ["facts", "structured"])
def test_a_line_of_the_buffer_marks_an_echo(tmp_path, layout):
    """Issue 16: the line of the agent as that of the person."""
    with opened(tmp_path, layout) as memory:
        memory.append("s", TALK)
        shown = memory.context("s").volatile
        assert f"agent  (from web) {ECHO}" in shown
        assert f"agent  {OWN}" in shown


def test_a_recall_reads_back_for_its_hits_alone_and_not_twice(tmp_path, monkeypatch):
    """The work is bounded by the hits and by how far is read back, whatever the session holds."""
    counted = []
    real = transcripts.Sessions.read

    def read(self, session, start=0, end=None):
        found = list(real(self, session, start, end))
        counted.append(len(found))
        yield from found

    monkeypatch.setattr(transcripts.Sessions, "read", read)
    with opened(tmp_path) as memory:
        said = [
            each
            for turn in range(300)
            for each in (Message("tool", PAGE, tools=("browse",)), Message("assistant", f"Fernweh note {turn}: {ECHO}"))
        ]
        memory.append("s", said)
        counted.clear()
        hits = memory.recall("Fernweh note 7, 150 and 280", k=4)
        assert {hit.trust for hit in hits} == {"web"}
        assert 0 < sum(counted) <= len(hits) * transcripts.LATELY_MESSAGES
        counted.clear()
        assert memory.recall("Fernweh note 7, 150 and 280", k=4) == hits
        assert counted == []
