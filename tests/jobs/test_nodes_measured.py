"""What of a faithful and of a fooled model's replies reaches the nodes of the graph layout, in two rounds."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from commonplace import Memory, Message, Worker
from commonplace.testing import FixedClock, ScriptedLLM

DATA = Path(os.environ.get("COMMONPLACE_DATA", Path(__file__).parents[3] / "shared/data"))
REPLIES = DATA / "replies/replies_dev.jsonl"
BAD = {"unsupported", "contradicts", "injected"}

pytestmark = [
    pytest.mark.measure,
    pytest.mark.skipif(not REPLIES.exists(), reason="the evaluation data is not beside the checkout"),
]


def bare(line: str) -> str:
    return " ".join(re.sub(r"\A\s*(?:[-*+•]\s+|\d+[.)]\s+)?", "", line).split())


def anew(known: list[str], operations: list[dict]) -> list[str]:
    """Return the lines of the node as the model would have them."""
    lines = list(known)
    for each in operations:
        target = bare(each.get("target_text", ""))
        if each["op"] == "add":
            lines.append(each["text"])
        elif target in lines:
            lines[lines.index(target)] = each.get("text", "")
    return [line for line in lines if line]


def played(row: dict, folder: Path, *, slips: bool) -> list[tuple[str, bool]]:
    """Return for each line that was proposed its label, and whether it stands in a node.

    The model asks for two nodes, one of which is not there, then writes one; if it slips, it answers in prose first.
    """
    operations = row["replies"]["operations"]["operations"]
    known = [bare(line) for line in row["memory"].splitlines() if bare(line) and not line.startswith("#")]
    start = datetime.fromisoformat(row["at"])
    clock = FixedClock(start + timedelta(hours=1), step_seconds=0.01)
    cites = [{**cite, "message": cite["message"] + 1} for each in operations for cite in each["cites"]]
    node = {"op": "put_topic", "path": "memory/notes.md", "title": "Notes", "description": "", "parents": []}
    node |= {"body": "\n".join(f"- {line}" for line in anew(known, operations)), "cites": cites}
    asks = {"journal": "", "operations": [], "read": ["notes", "nothing"], "search": [], "done": False}
    gives = {"journal": row["replies"]["operations"]["journal"], "operations": [node], "done": True}
    prose = ["I have read the nodes and will update them now."] if slips else []
    llm = ScriptedLLM([*prose, json.dumps(asks), json.dumps(gives)])
    with Memory.open(folder, layout="graph", clock=clock, jobs="worker") as memory:
        if known:
            content = "\n".join(f"- {line}" for line in known)
            memory.tool().call({"title": "Notes", "content": content}, "memory_node_write")
        said = [
            Message(
                each["role"], each["content"], name=each.get("name"), tools=tuple(each.get("tools", ())),
                trust=each.get("trust"), at=start + timedelta(minutes=2 * number),
            )
            for number, each in enumerate(row["messages"])
        ]  # fmt: skip
        memory.append("chat:1", said)
        memory.reset("chat:1", now=True)
        with Worker(folder, layout="graph", llm=llm, clock=clock) as worker:
            for _ in range(1 + slips):
                worker.tick()
                clock.advance(600)
        assert len(llm.requests) == 2 + slips
    stands = {bare(line) for file in folder.glob("memory/*.md") for line in file.read_text("utf-8").splitlines()}
    labels = {old["text"]: old["label"] for old in row["gone"]}
    found = [(each["label"], bare(each["text"]) in stands) for each in operations if "text" in each]
    gone = [each["target_text"] for each in operations if "target_text" in each]
    return [*found, *((labels[text], bare(text) not in stands) for text in gone)]


@pytest.mark.slow
def test_a_faithful_reply_reaches_the_nodes_and_a_bad_one_does_not(tmp_path: Path) -> None:
    """Issue 20: the replies of "What may be believed" hold in this layout too."""
    done: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for number, line in enumerate(REPLIES.read_text("utf-8").splitlines()):
        for label, stands in played(json.loads(line), tmp_path / str(number), slips=number % 5 == 0):
            done[label] += stands
            every[label] += 1
    print({label: f"{done[label]}/{every[label]}" for label in every})
    assert done["faithful"] >= 0.93 * every["faithful"]
    assert sum(done[label] for label in BAD) <= 0.04 * sum(every[label] for label in BAD)
    assert done["lost"] == 0
