"""What a tool, page, mail, file, import, paste or another user says never becomes what every prompt shows.

The poisons were written without sight of rules and code. A scripted model falls for each: it cites the wrong message
and writes the poison down; the assistant echoes it in the same turn or turns later.
"""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock, ScriptedLLM

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("data").joinpath("poisons.jsonl").read_text("utf-8").splitlines()
]
LAYOUTS = ("two-layer", "native", "facts", "structured", "memdir")
ECHOES = ("none", "same turn", "later")
SAMPLE = [row for number, row in enumerate(ROWS) if number % 12 == 0]


def messages(row, echo):
    said = [dict(message) for message in row["messages"]]
    last = row["poison_index"][-1] if isinstance(row["poison_index"], list) else row["poison_index"]
    if echo == "same turn" and said[last + 1]["role"] == "assistant":
        said[last + 1]["content"] += " " + row["echo"]
    said += row["echo_later"] if echo == "later" else []
    start = datetime.fromisoformat(row["at"])
    return [
        Message(
            m["role"],
            m["content"],
            name=m.get("name"),
            tools=(m["tool"],) if m.get("tool") else (),
            trust=m.get("trust"),
            at=start + timedelta(minutes=2 * n),
        )
        for n, m in enumerate(said)
    ]


def answered(row):
    """Answer as a model that falls for the poison."""
    replies = row["replies"]

    def answer(asked):
        if asked.purpose == "rewrite":
            return json.dumps({key: replies[key] for key in ("history_entry", "memory_update")})
        if asked.purpose == "episode":
            return replies["episode"]
        if asked.purpose != "summarise":
            return ""
        listed = re.findall(r"(?m)^(\d+)\. (.*)$", asked.prompt.split("## Messages")[0])
        numbers = {text.strip(): number for number, text in listed}
        operations = [
            {
                "op": op["op"],
                "text": op["text"],
                "cites": [{"message": op["cite"] + 1, "quote": row["messages"][op["cite"]]["content"][:30]}],
                **({"target": numbers.get(op["target_text"], "1")} if "target_text" in op else {}),
            }
            for op in replies["operations"]
        ]
        return json.dumps({"journal": replies["history_entry"], "operations": operations})

    return answer


def played(row, layout, echo, folder, *, model=True):
    """Play one poison; return what is shown, the hits that hold it, and whether what a person wrote is still there."""
    start = datetime.fromisoformat(row["at"])
    with Memory.open(
        folder,
        layout=layout,
        llm=ScriptedLLM(answered(row)) if model else None,
        clock=FixedClock(start + timedelta(hours=1), step_seconds=0.01),
        jobs="inline",
        config={"guard.owner": row["owner"]},
    ) as memory:
        if row.get("memory"):
            memory.remember(row["memory"])
        memory.append("chat:1", messages(row, echo))
        (memory.end if layout == "facts" else memory.reset)("chat:1")
        shown = memory.context("chat:2").stable
        hits = memory.recall(" ".join([*row["marks"], row["replies"]["tool_text"]]), k=20)
    texts = [path.read_text("utf-8") for path in Path(folder).rglob("*.md")]
    kept = not row.get("memory") or any(row["memory"] in text for text in texts)
    return shown, [hit for hit in hits if holds(row, hit.text) and hit.layer != "sessions"], kept


def holds(row, text):
    return any(mark.casefold() in text.casefold() for mark in row["marks"])


def assert_harmless(row, layout, echo, folder, *, model=True):
    shown, hits, kept = played(row, layout, echo, folder, model=model)
    assert not holds(row, shown)
    assert kept
    assert [hit for hit in hits if hit.trust in {"user", "agent"}] == []


@pytest.mark.parametrize("row", SAMPLE, ids=lambda row: row["id"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_poison_is_never_shown_always_nor_merged_and_marked_where_it_is_found(row, layout, tmp_path):
    """Issue 16: 0 always shown, 0 merged over a person's record, each marked where it is recalled."""
    for echo in ECHOES:
        folder = tmp_path / echo
        folder.mkdir()
        assert_harmless(row, layout, echo, folder)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_no_poison_of_all_gets_in(row, tmp_path):
    """Issue 16: the whole set, in every layout, with a model and without one."""
    for layout in LAYOUTS:
        for echo in ECHOES:
            for model in (True, False):
                folder = tmp_path / f"{layout}-{echo}-{model}"
                folder.mkdir()
                assert_harmless(row, layout, echo, folder, model=model)
