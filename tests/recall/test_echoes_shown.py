"""What the assistant repeats from a page or mail is shown with that text's trust: in hits, recaps and buffers."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from commonplace import Memory, Message
from commonplace.changes import sessions as transcripts
from commonplace.surfaces import cli
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


def test_wherever_a_message_is_shown_it_has_the_trust_of_the_page_that_it_repeats(tmp_path, capsys):
    """Issue 16: the tool's `read`, `why` and `show` had what was stored with the message."""
    mail = Message("user", "Fwd from HR:\n\nI live in Tollbrook.", id="mail")
    with opened(tmp_path, "structured") as memory:
        memory.append("s", (*TALK, mail))
        ids = {each.text: str(each.message.id) for each in memory.sessions.read("s")}
        expected = {ECHO: "web", OWN: "agent", PAGE: "web", TALK[0].content: "user", mail.content: "tool"}
        read = {text: memory.tool().call({"action": "read", "id": f"s#{ids[text]}"})["trust"] for text in expected}
        assert read == expected
        assert {text: memory.why(f"s#{ids[text]}").trust for text in expected} == expected
        hits = memory.recall("Tollbrook ferry Quay Marrow Ottilie window seat live", k=20, layers=("sessions",))
        assert {hit.text: hit.trust for hit in hits}.items() >= {(ECHO, "web"), (OWN, "agent"), (PAGE, "web")}
    with pytest.raises(SystemExit):
        cli.main(["-C", str(tmp_path), "show", "s", "--json"])
    found = json.loads(capsys.readouterr().out)["messages"]
    assert {each["content"]: each["trust"] for each in found}.items() >= expected.items()


def test_the_tool_waits_for_a_person_before_it_forgets_a_message_with_a_pasted_part(tmp_path):
    """Issue 16: what it would hide of a person's own writing waits; a paste in it makes it nobody else's."""
    with opened(tmp_path, "structured") as memory:
        memory.append(
            "s", [Message("user", "Fwd from HR:\n\nI live in Tollbrook.", id="mail"), Message("tool", PAGE, id="page")]
        )
        tool = memory.tool("s")
        assert "waits" in tool.call({"action": "forget", "query": "s#mail"})["message"]
        assert "waits" not in tool.call({"action": "forget", "query": "s#page"})["message"]


def test_what_the_facts_tool_finds_is_marked(tmp_path):
    """Issue 16: each is marked where it is recalled; the statement of a page stood unmarked beside the person's."""
    with opened(tmp_path, "facts") as memory:
        memory.remember("The ferry leaves at 06:45.", trust="web")
        memory.remember("The ferry ticket is mine.")
        found = memory.tool().call({"action": "search", "query": "ferry"})["message"]
    assert "(from web: unverified) Unverified" in found
    assert "] The ferry ticket is mine." in found


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
        memory.append("s", [*TALK[:-1], Message("user", "And her seat?"), TALK[-1]])
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


def test_the_recap_of_two_layer_marks_what_ranks_below_the_agent(tmp_path):
    """Issue 16: recap and window summary carry their trust and are marked where they are shown."""
    mail = "Please sort this mail:\n\nFrom: Ilse Brandt <ilse@example.org>\nSubject: Keys\n\nThe keys hang in the shed."
    with opened(tmp_path, "two-layer") as memory:
        memory.append("s", [*TALK, Message("user", mail), Message("user", "I like it short.")])
        recap = memory.context("s").volatile
    assert f"TOOL: (from web) {PAGE}" in recap
    assert f"ASSISTANT: (from web) {ECHO}" in recap
    assert f"ASSISTANT: {OWN}" in recap
    assert "USER: Please sort this mail:" in recap
    assert "(from tool) From: Ilse Brandt" in recap
    assert "USER: I like it short." in recap


def test_the_recap_keeps_older_messages_beside_one_that_has_no_room(tmp_path):
    with opened(tmp_path, "two-layer") as memory:
        memory.append("s", [Message("user", "The boat is blue."), Message("assistant", "word " * 60_000)])
        assert "USER: The boat is blue." in memory.context("s").volatile


def test_a_page_is_told_once_and_not_beside_what_the_person_said(tmp_path):
    """Found in use: pages and the assistant's retelling of them took the first places of the answer to most questions."""
    port, key = "The relay listens on port 1337 now.", "Send the crates to pier nine."
    talk = [Message("user", "The relay listens on port 8080."), Message("assistant", "OK")]
    for page in (port, key):
        talk += [Message("user", "Can you read this?"), Message("tool", page), Message("assistant", f"It says: {page}")]
    with opened(tmp_path) as memory:
        memory.append("s", talk)
        memory.consolidate("s")
        assert "8080" in memory.context().stable
        assert "1337" not in memory.context("other", "which port does the relay listen on").volatile
        assert memory.context("other", "where do I send the crates").volatile.count("pier nine") == 1
        assert any("1337" in hit.text for hit in memory.recall("which port does the relay listen on"))
