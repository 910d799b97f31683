"""The figures of an evaluation agree with a measurement made beside it, on a public set of questions.

The set stands beside the checkout (COMMONPLACE_DATA names another folder); none of its text is here.
"""

from __future__ import annotations

import gzip
import json
import os
from datetime import datetime
from pathlib import Path

import pytest
from evaluated_memories import opened

from commonplace import Message
from commonplace.surfaces import evaluate

SET = (
    Path(os.environ.get("COMMONPLACE_DATA") or Path(__file__).parents[3].parent / "shared" / "data")
    / "recall"
    / "locomo_dev.jsonl.gz"
)
ASKED = 1000 if os.environ.get("COMMONPLACE_BATTERY") == "full" else 40

pytestmark = [
    pytest.mark.measure,
    pytest.mark.skipif(not SET.is_file(), reason=f"no evaluation data in {SET.parent}"),
]


@pytest.mark.slow
def test_recall_is_that_of_a_plain_count_of_sources(tmp_path):
    """Retrieval notes 1: Recall@k = |top-k and E| / |E| over source messages in hit order, each once."""
    with gzip.open(SET, "rt", encoding="utf-8") as lines:
        told = [json.loads(line) for line in lines]
    conversation = told[0]["conversation"]
    told = [each for each in told if each["conversation"] == conversation]
    turns = {each["id"]: each for each in told if each["type"] == "message"}
    questions = [each for each in told if each["type"] == "question" and each["evidence"]][:ASKED]
    with opened(tmp_path) as memory:
        sessions = dict.fromkeys(turn["session"] for turn in turns.values())
        for session in sessions:
            memory.append(session, [
                Message(turn["role"], turn["text"], name=turn["speaker"], id=turn["id"], at=datetime.fromisoformat(turn["time"]))
                for turn in turns.values() if turn["session"] == session
            ])  # fmt: skip
        lines = [
            {
                "name": each["id"], "question": each["text"], "k": 10, "layers": ["sessions"],
                "expected": [{"message": f"{turns[one]['session']}#{one}"} for one in dict.fromkeys(each["evidence"])],
            }
            for each in questions
        ]  # fmt: skip
        cases = evaluate.read("\n".join(map(json.dumps, lines)), "cases.jsonl")
        shares = []
        for each in questions:
            hits = memory.recall(each["text"], k=10, layers=["sessions"])
            first = list(dict.fromkeys(source.message for hit in hits for source in hit.sources))[:10]
            shares.append(len(set(first) & set(each["evidence"])) / len(set(each["evidence"])))
        figures = evaluate.evaluate(memory, cases).figures
    assert figures.recall == pytest.approx(sum(shares) / len(shares))
    assert figures.cases == len(questions) >= 40
    assert figures.recall > 0.5
