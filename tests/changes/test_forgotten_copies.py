"""What a model, the agent's tool or a topic's index made of a forgotten message is given out no more (issue 17.3)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from commonplace import Memory, Message, Request
from commonplace.operations import PutTopic
from commonplace.records import Source
from commonplace.testing import ScriptedLLM

SAID = "My locker mascot is xylophone banana."
FACT = "The locker mascot is xylophone banana."
TALK = [
    Message("user", SAID, id="a"),
    Message("assistant", "Good.", id="b"),
    *(
        message
        for number in range(4)
        for message in (
            Message("user", f"We decided on tool number {number} for the parser.", id=f"u{number}"),
            Message("assistant", "Noted.", id=f"v{number}"),
        )
    ),
]


def answer(request: Request) -> str:
    if request.purpose == "rewrite":
        memory = f"# Memory\n\n- {FACT}\n- Tool number 1 is for the parser.\n"
        return json.dumps({"history_entry": f"They spoke of tools. {FACT}", "memory_update": memory})
    if request.purpose == "summarise":
        add = {"op": "add", "text": FACT, "cites": [{"message": 1, "quote": SAID}]}
        return json.dumps({"journal": f"They spoke of tools. {FACT}", "operations": [add]})
    return f"{FACT}\nTool number 1 is for the parser."


def opened(folder: Path, layout: str) -> Memory:
    return Memory.open(folder, layout=layout, jobs="worker", llm=ScriptedLLM(answer))


def forget(memory: Memory) -> None:
    [hit] = [hit for hit in memory.recall("xylophone banana", k=20) if hit.text == SAID]
    memory.forget(hit.record)


def given_out(memory: Memory, *sessions: str) -> str:
    texts = [hit.text for hit in memory.recall("xylophone banana locker code", k=30)]
    for session in (*sessions, "s:1", "s:9", None):
        texts += [memory.context(session).text, memory.context(session, "What is the locker mascot?").text]
    tool = memory.tool("s:8")
    texts += [json.dumps(tool.call({"action": "search", "query": "locker code xylophone"}))]
    texts += [json.dumps(tool.call({"action": "read"}))]
    return "\n".join(texts)


@pytest.mark.slow
@pytest.mark.parametrize("git", [False, True], ids=["whole", "git"])
@pytest.mark.parametrize("layout", ["native", "two-layer", "facts"])
def test_what_a_model_made_of_it_is_given_out_no_more(tmp_path: Path, layout: str, git: bool) -> None:
    """Also in the documented git way, in which only the files of memory are kept."""
    with opened(tmp_path, layout) as memory:
        memory.append("s:1", TALK)
        memory.end("s:1", now=False)
        assert "xylophone" in memory.context("frozen").text + str(memory.recall("xylophone", layers=["topics"]))
        forget(memory)
        assert "xylophone" not in given_out(memory, "frozen")
    if git:
        shutil.rmtree(tmp_path / ".commonplace")
    with opened(tmp_path, layout) as memory:
        assert "xylophone" not in given_out(memory, "frozen")
        assert any("tool number" in hit.text.lower() for hit in memory.recall("Which tool number is for the parser?"))


@pytest.mark.parametrize("git", [False, True], ids=["whole", "git"])
def test_a_frozen_block_of_facts_and_the_tools_read_leave_it_out(tmp_path: Path, git: bool) -> None:
    """The agent's tool does not say what a fact rests on."""
    with Memory.open(tmp_path, layout="facts", jobs="worker") as memory:
        memory.append("s:1", TALK)
        tool = memory.tool("s:1")
        assert tool.call({"action": "add", "target": "user", "content": "Locker mascot: xylophone banana"})["success"]
        assert tool.call({"action": "add", "target": "user", "content": "Likes tea with milk"})["success"]
        assert "xylophone" in memory.context("s:1").text
        forget(memory)
        assert "xylophone" not in memory.context("s:1").text
    if git:
        shutil.rmtree(tmp_path / ".commonplace")
    with Memory.open(tmp_path, layout="facts", jobs="worker") as memory:
        shown = memory.tool("s:2").call({"action": "read"})["message"]
        assert "xylophone" not in shown + memory.context("s:1").text
        assert "Likes tea with milk" in shown


def test_what_the_tool_writes_down_after_the_forgetting_is_shown(tmp_path: Path) -> None:
    """Only what was there before was made of the forgotten message."""
    with Memory.open(tmp_path, layout="facts", jobs="worker") as memory:
        memory.append("s:1", TALK)
        forget(memory)
        tool = memory.tool("s:2")
        assert tool.call({"action": "add", "target": "user", "content": "New locker code: xylophone and drum"})[
            "success"
        ]
        assert "drum" in tool.call({"action": "read"})["message"]


@pytest.mark.parametrize("git", [False, True], ids=["whole", "git"])
def test_the_index_of_topics_and_the_tools_read_leave_it_out(tmp_path: Path, git: bool) -> None:
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s:1", TALK)
        source = (Source("s:1", "a"),)
        memory.apply(
            [
                PutTopic(
                    path="locker.md",
                    title="Locker",
                    description="mascot xylophone banana",
                    body=FACT,
                    sources=source,
                ),
                PutTopic(path="parser.md", title="Parser", description="tools in use", body="Tool 1.", sources=()),
            ],
            reason="",
        )
        assert "xylophone" in memory.context().text
        forget(memory)
        assert "xylophone" not in given_out(memory)
    if git:
        shutil.rmtree(tmp_path / ".commonplace")
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert "xylophone" not in given_out(memory)
        assert "tools in use" in memory.context().text
        read = json.dumps(memory.tool("s:9").call({"action": "read", "id": "memory/locker.md"}))
        assert "xylophone" not in read
        assert memory.tool("s:9").call({"action": "read", "id": "memory/parser.md"})["success"]


def test_a_record_is_read_without_the_sentence_that_was_forgotten(tmp_path):
    """Issue 17.3: `read` gives out of a journal entry what recall does; undo gives the sentence back."""
    with opened(tmp_path, "two-layer") as memory:
        memory.append("s:1", TALK)
        memory.consolidate("s:1")
        [entry] = {hit.record for hit in memory.recall("spoke of tools", layers=("journals",))}
        assert FACT in memory.read(entry).text
        change = memory.forget("transcripts/s%3A1.jsonl#a").change
        assert memory.read(entry).text == "They spoke of tools."
        memory.undo(change)
        assert FACT in memory.read(entry).text


def test_a_journal_does_not_list_what_was_forgotten_when_it_is_said_again(tmp_path):
    """The rules noted it again: memory refused it, and the list of what was noted held it all the same."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        for text in ("The locker is green.", "The locker has a lamp."):
            memory.remember(text)
            memory.forget(text)
        memory.append(
            "s:1", [Message("user", "Remember that the locker is green. Remember that the locker has a lamp.")]
        )
        memory.consolidate("s:1")
        memory.append("s:2", [Message("user", "Remember that the locker is green."), Message("assistant", "Good.")])
        memory.append("s:2", [Message("user", "Remember that the attic is blue."), Message("assistant", "Good.")])
        memory.consolidate("s:2")
        texts = [hit.text for hit in memory.recall("locker attic", layers=("documents", "journals"))]
        assert not any("locker" in text for text in texts)
        assert any("attic" in text for text in texts)


def test_what_is_said_later_is_found_though_it_is_much_like_a_forgotten_message(tmp_path):
    """Recall gives the like once: the later one had gone with the forgotten one that it was joined to."""
    later = "Lunch with Ann is on Friday at noon, in the harbour cafe by the old pier."
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s:1", [Message("user", later.replace("old ", ""), id="a")])
        memory.forget(memory.recall("lunch with Ann", layers=("sessions",))[0].record)
        memory.append("s:2", [Message("user", later)])
        assert [hit.text for hit in memory.recall("lunch with Ann", layers=("sessions",))] == [later]
