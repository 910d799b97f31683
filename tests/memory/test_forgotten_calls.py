"""What was forgotten is hidden where the assistant repeats it: in the calls of its tool, its replies, the journal."""

from __future__ import annotations

import pytest
from test_tool_answers import called

from commonplace import Memory, Message
from commonplace.testing import FixedClock
from marking import slow_after

SAID = "The user's therapist is Dr. Anna Berg."
CALLS = {"graph": "memory_node_write"}
CHANGED = SAID.replace("Anna Berg", "Ida Holm")


def opened(folder, layout):
    clock = FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)
    return Memory.open(folder, layout=layout, clock=clock, jobs="inline")


def told(memory, layout, said=SAID):
    """Have the agent write down what the user says, as a host does that appends calls and results."""
    memory.append("a", [Message("user", said.replace("The user's", "My"))])
    write = {"title": "Therapist", "description": "who it is", "content": said, "reason": "told"}
    match layout:
        case "memdir":
            write |= {"action": "save", "type": "user"}
        case "graph":
            pass
        case _:
            write = {"action": "add", "content": said}
    called(memory, "a", write, CALLS.get(layout, "memory"))
    memory.append("a", [Message("assistant", f"I noted that {said.replace('The user', 'you')}")])
    memory.end("a")


def shown(memory):
    return memory.context("c", "Who is my therapist, Anna Berg?").text


@pytest.mark.parametrize(
    ("layout", "how"),
    slow_after(
        4,
        [
            ("two-layer", "talk"),
            ("structured", "talk"),
            ("graph", "tool"),
            ("memdir", "api"),
            ("native", "talk"),
            ("native", "tool"),
            ("native", "api"),
            ("two-layer", "tool"),
            ("memdir", "tool"),
            ("graph", "api"),
            ("graph", "talk"),
            ("memdir", "talk"),
        ],
    ),
)
def test_no_prompt_shows_what_the_assistant_repeats_of_the_forgotten(tmp_path, layout, how):
    """Bug: the call of the agent's own tool, its reply and the journal said it in every later prompt."""
    with opened(tmp_path, layout) as memory:
        told(memory, layout)
        memory.append("b", [Message("user", "Please forget my therapist.")])
        if how == "talk":
            memory.append("b", [Message("assistant", "Done.")])
        record = next(
            hit.record for hit in memory.recall(SAID, k=9) if hit.text.endswith(SAID) and "#m" not in hit.record
        )
        if how == "tool":
            tool = {
                "graph": ({"nodeId": "therapist"}, "memory_forget"),
                "memdir": ({"action": "forget", "id": record},),
            }
            assert memory.tool("b").call(*tool.get(layout, ({"action": "remove", "old_text": SAID},)))["success"]
        elif how == "api":
            assert memory.forget(record).forgotten
        memory.end("b")
        assert "Anna" not in shown(memory)
        assert all(hit.superseded_by for hit in memory.recall("Anna Berg", k=9) if "Anna" in hit.text)
        for change in [each.number for each in memory.log() if "forget" in each.kinds or "take_back" in each.kinds]:
            memory.undo(change)
        assert not all(hit.superseded_by for hit in memory.recall("Anna Berg", layers=["sessions"]))


def test_what_the_forgotten_said_before_is_hidden_too(tmp_path):
    """Bug: the journal and the first call told what a topic said that was changed since, and then forgotten."""
    with opened(tmp_path, "graph") as memory:
        told(memory, "graph")
        memory.append("b", [Message("user", "My therapist is Dr. Ida Holm now.")])
        change = {"nodeId": "therapist", "content": CHANGED, "reason": "moved"}
        assert memory.tool("b").call(change, "memory_node_write")["success"]
        memory.append("b", [Message("assistant", "Changed."), Message("user", "Please forget my therapist.")])
        assert memory.tool("b").call({"nodeId": "therapist"}, "memory_forget")["success"]
        assert "Anna" not in shown(memory)


def test_a_message_of_which_another_part_was_corrected_hides_the_forgotten(tmp_path):
    """Bug: the message was shown whole, marked as superseded by what corrects the other part."""
    with opened(tmp_path, "native") as memory:
        memory.append(
            "a", [Message("user", "I prefer tabs. My therapist is Dr. Anna Berg."), Message("assistant", "OK")]
        )
        memory.end("a")
        memory.append("b", [Message("user", "I prefer spaces now instead of tabs."), Message("assistant", "OK")])
        memory.append("b", [Message("user", "Please forget my therapist."), Message("assistant", "Done.")])
        memory.end("b")
        assert "Anna" not in memory.context("c", "Tabs or spaces, and who is my therapist?").text


def test_another_person_keeps_what_they_said(tmp_path):
    """What one forgets of themselves is not hidden where another one says the same."""
    with opened(tmp_path, "native") as memory:
        memory.append("a", [Message("user", "I live in Ghent.", name="Ada"), Message("assistant", "Nice.")])
        memory.append("a", [Message("user", "I live in Ghent.", name="Ben"), Message("assistant", "Nice too.")])
        memory.end("a")
        record = next(hit.record for hit in memory.recall("Ada lives in Ghent", layers=["documents"]))
        memory.forget(record)
        kept = [hit.name for hit in memory.recall("live in Ghent", layers=["sessions"]) if not hit.superseded_by]
        assert kept == ["Ben"]


@pytest.mark.parametrize("layout", ["structured", "graph"])
def test_what_is_said_of_another_person_stays(tmp_path, layout):
    """DESIGN 1.10: forgetting what is so of the user hides nothing of the user's daughter, and no question."""
    with Memory.open(tmp_path, layout=layout) as memory:
        [record] = memory.remember("User is allergic to peanuts.").records
        memory.append(
            "b", [Message("user", "My daughter Ottilie is allergic to peanuts."), Message("assistant", "OK.")]
        )
        memory.end("b")
        shown = memory.context("c", "What is Ottilie allergic to?").text
        memory.forget(record)
        assert memory.context("d", "What is Ottilie allergic to?").text.count("Ottilie") == shown.count("Ottilie") > 0
