"""What consolidation asks of a model: calls and prompt tokens for 100 messages, from the spending ledger.

The model is scripted, so calls and prompts are real and answers are not: nothing is said about quality.
"""

from __future__ import annotations

import json
from pathlib import Path

from corpus import Corpus
from report import Report

from commonplace import Memory, Message
from commonplace.surfaces.cli import sample
from commonplace.testing import ScriptedLLM

REPLY = json.dumps({"journal": "They talked and settled what to do next.", "operations": []})
LONG = 400  # messages of one session


def measure(report: Report, corpus: Corpus, folder: Path) -> None:
    rows = []
    sampled = [(batch.session_id, list(batch.messages)) for batch in sample.batches()]
    texts = corpus.messages(LONG)
    long = [("bench:long", [Message(("user", "assistant")[at % 2], text) for at, text in enumerate(texts)])]
    for name, batches in (("the sample of the demo", sampled), (f"one session of {LONG} messages", long)):
        llm = ScriptedLLM(REPLY, repeat=True)
        with Memory.open(folder / f"spent-{len(rows)}", llm=llm, jobs="worker") as memory:
            for session, messages in batches:
                memory.append(session, messages)
            memory.consolidate()
            spent = memory.cost("purpose")
        count = sum(len(messages) for _, messages in batches)
        for purpose, total in spent.items():
            calls, tokens = total.calls * 100 / count, total.tokens_in * 100 / count
            row = (name, str(len(batches)), f"{count:,}", purpose, str(total.calls), f"{calls:.1f}", f"{tokens:,.0f}")
            rows.append(row)
        calls = sum(total.calls for total in spent.values()) * 100 / count
        tokens = sum(total.tokens_in for total in spent.values()) * 100 / count
        if batches is sampled:
            report.goal("model calls per 100 messages (sample)", calls, 4, unit="")
            report.goal("prompt tokens per 100 messages (sample)", tokens, 16_000, unit="")
    head = ("conversation", "sessions", "messages", "purpose", "calls", "calls / 100", "prompt tokens / 100")
    report.table("Consolidation with a scripted model, from the ledger", head, rows)
