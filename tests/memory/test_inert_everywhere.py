"""Nothing recalled is live where a model reads it: in what is sent to each provider, and in the tool's answers."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock
from marking import FULL, slow_after
from payloads import PAYLOADS, PIECES, live

LAYOUTS = ["facts", "graph", "native", "memdir", "two-layer", "structured"]
ASKED = {"memdir": 1, "facts": 0}  # in how many of three answers what was asked for comes; 2 elsewhere
SEARCH = {"graph": "search_memory"}
FENCE = re.compile(r'</?recalled-memory nonce="[0-9a-f]{16}">')


def texts(value: Any) -> list[str]:
    """Return all texts of what is sent or answered."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [text for each in inner for text in texts(each)]


def seen(folder: Path, layout: str, said: list[str]) -> tuple[list[str], int]:
    """Return what of some texts is live anywhere, and in how many answers a text was seen at all.

    Each text is said by the person, answered, read by a tool, and remembered.
    """
    found: list[str] = []
    count = 0
    clock = FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)
    with Memory.open(folder, layout=layout, clock=clock, jobs="inline") as memory:
        for number, text in enumerate(said):
            note = f"The harbour note quay{number} says {text}\n{text}"
            memory.remember(f"The harbour has quay{number}: {text}")
            memory.append("s", [Message("user", note), Message("assistant", note), Message("tool", note, tools=("x",))])
        memory.end("s")
        for number in range(len(said)):
            asked = f"harbour note quay{number}"
            context = memory.context("t", asked, tokens=4000)
            answer = memory.tool("t").call(
                {"action": "search", "query": asked}, *([SEARCH[layout]] if layout in SEARCH else [])
            )
            for sent in (context.to_openai(), context.to_anthropic(), answer):
                every = texts(sent)
                count += any(f"quay{number}" in each for each in every)
                found += [mark for each in every for mark in live(FENCE.sub("", each))]
                assert len(FENCE.findall(json.dumps(sent).replace('\\"', '"'))) % 2 == 0
    return found, count


@pytest.mark.parametrize("layout", slow_after(1, LAYOUTS))
def test_no_payload_is_live_where_a_model_reads_it(tmp_path: Path, layout: str) -> None:
    """Issue 16: 30 payloads in `to_openai`, `to_anthropic` and the tool's answers, 0 live."""
    found, count = seen(tmp_path, layout, list(PAYLOADS))
    assert found == []
    assert count >= max(1, ASKED.get(layout, 2) * len(PAYLOADS))


def mixtures(part: int, count: int) -> list[str]:
    rng = random.Random(part)
    made = ["".join(rng.choices(PIECES, k=rng.randrange(2, 24))) for _ in range(count)]
    return [" ; ".join(made[n : n + 25]) for n in range(0, count, 25)]


@pytest.mark.slow
@pytest.mark.parametrize(("part", "count"), [(0, 100), *((part, 1000) for part in range(1, 11 if FULL else 4))])
def test_no_mixture_is_live_where_a_model_reads_it(tmp_path: Path, part: int, count: int) -> None:
    """Issue 16: 10,000 fuzzed texts at full size, 0 live."""
    found, seen_in = seen(tmp_path, "native", mixtures(part, count))
    assert found == []
    assert seen_in >= 2 * count / 25
