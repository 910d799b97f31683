"""What consolidation with a model takes, on real conversations (the model is scripted, the prompts are real)."""

from __future__ import annotations

import gzip
import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.testing import ScriptedLLM
from marking import slow_after

DATA = Path(os.environ.get("COMMONPLACE_DATA", Path(__file__).parents[3] / "shared/data"))
LOCOMO = DATA / "recall/locomo_dev.jsonl.gz"

pytestmark = [
    pytest.mark.measure,
    pytest.mark.skipif(not LOCOMO.exists(), reason="the evaluation data is not beside the checkout"),
]


def conversation(name: str) -> dict[str, list[Message]]:
    sessions: dict[str, list[Message]] = {}
    with gzip.open(LOCOMO, "rt", encoding="utf-8") as lines:
        for raw in lines:
            row = json.loads(raw)
            if row["type"] == "message" and row["conversation"] == name:
                message = Message(
                    row["role"], row["text"], name=row["speaker"], id=row["id"], at=datetime.fromisoformat(row["time"])
                )
                sessions.setdefault(row["session"], []).append(message)
    return sessions


@pytest.mark.parametrize("name", slow_after(0, ["conv-26", "conv-30"]))
def test_locomo_takes_at_most_4_calls_and_16k_tokens_in_for_100_messages(tmp_path: Path, name: str) -> None:
    """Source: DESIGN section 8."""
    answer = json.dumps({"journal": "They talked about their week and their plans.", "operations": []})
    llm = ScriptedLLM([answer], repeat=True)
    count = 0
    with Memory.open(tmp_path, llm=llm, jobs="worker") as memory:
        for session, messages in conversation(name).items():
            memory.append(session, messages)
            count += len(messages)
        memory.remember("The user keeps a list of about this length for each of their plans.", kind="preference")
        memory.consolidate()
    calls, tokens = len(llm.requests) * 100 / count, llm.tokens_in * 100 / count
    print(f"{name}: {count} messages, {calls:.1f} calls and {tokens:.0f} tokens in for 100 messages")
    assert calls <= 4
    assert tokens <= 16_000
