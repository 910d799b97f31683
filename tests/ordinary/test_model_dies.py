"""A day in which the model dies in one kind of call: whatever the job, it costs nothing but that call (issue 17.1)."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace import Memory, Message, Request
from commonplace.errors import ConfigError, ModelSetupError, ModelUnavailableError
from commonplace.testing import FixedClock, ScriptedLLM

DOWN = ModelUnavailableError("xyzzy: no connection")
WRONG_KEY = ModelSetupError("xyzzy: the key is not accepted")
FAULTS: dict[str, object] = {"down": DOWN, "wrong key": WRONG_KEY, "junk": "xyzzy, I would rather not.", "empty": ""}
CALLS = [
    ("native", "summarise"), ("native", "compact"), ("native", "rerank"), ("two-layer", "rewrite"),
    ("two-layer", "rerank"), ("facts", "episode"), ("facts", "compact"), ("facts", "merge"), ("facts", "condense"),
]  # fmt: skip
PROSE = {"compact", "episode"}  # any text is a reply to these
FACT = "User lives in Bergen and keeps nine hives."
SAID = "I live in Bergen and keep nine hives."


def good(request: Request) -> str:
    match request.purpose:
        case "rewrite":
            entry = "[2026-03-01 10:00] They spoke of Bergen and nine hives."
            return json.dumps({"history_entry": entry, "memory_update": f"# Memory\n\n- {FACT}\n"})
        case "summarise":
            add = {"op": "add", "text": FACT, "cites": [{"message": 1, "quote": SAID}]}
            return json.dumps({"journal": "They spoke of Bergen and nine hives.", "operations": [add]})
        case "merge":
            return "distinct"
        case "condense":
            return json.dumps({"merges": []})
        case "rerank":
            return "1"
        case _:
            return FACT


def dying(purpose: str, fault: object) -> Callable[[Request], str]:
    def answer(request: Request) -> str:
        if request.purpose != purpose:
            return good(request)
        if isinstance(fault, Exception):
            raise fault
        return str(fault)

    return answer


def live(memory: Memory, clock: FixedClock) -> None:
    """Have a day: talk, write down, shorten the window, search, end."""
    talk = [SAID, "Which jacket for rain?", "And which boots?", "A recipe with honey?", "Thanks, that is all."]
    for number, text in enumerate(talk):
        at = clock() + timedelta(seconds=number)
        memory.append("s", [Message("user", text, at=at), Message("assistant", f"Noted, part {number}.", at=at)])
    steps: list[Callable[[], object]] = [
        lambda: memory.tool("s").call(_add("User likes coffee")),
        lambda: memory.tool("s").call(_add("User likes coffee shops")),
        lambda: memory.tool("s").call({"action": "consolidate", "target": "env"}),
        lambda: memory.compact("s", keep=2),
        lambda: memory.recall("Where are the hives?", rerank=True),
        lambda: memory.end("s"),
    ]
    for step in steps:
        with contextlib.suppress(ConfigError):
            step()


def _add(text: str) -> dict[str, str]:
    return {"action": "add", "target": "env", "content": text, "text": text}


def kept(folder: Path) -> str:
    """Return all that is kept of memory and transcripts."""
    files = [path for path in folder.rglob("*") if path.is_file() and ".commonplace" not in path.parts]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@pytest.mark.parametrize(
    ("layout", "purpose", "fault"),
    [
        pytest.param(*call, fault, marks=() if place == at % (2 if call[1] in PROSE else 4) else pytest.mark.slow)
        for at, call in enumerate(CALLS)
        for place, fault in enumerate(FAULTS)
        if fault != "junk" or call[1] not in PROSE
    ],
)
def test_a_call_that_fails_costs_nothing_else(tmp_path: Path, layout: str, purpose: str, fault: str) -> None:
    clock = FixedClock("2026-03-01T10:00:00+00:00")
    llm = ScriptedLLM(dying(purpose, FAULTS[fault]))
    with Memory.open(tmp_path, layout=layout, clock=clock, jobs="worker", llm=llm) as memory:
        live(memory, clock)
        assert purpose in {request.purpose for request in llm.requests}
        said = [each.text for each in memory.sessions.read("s")]
        assert said[0] == SAID
        assert len(said) == 10
        assert memory.recall("Bergen hives")
        shown = memory.context("s", "Bergen hives?").text + memory.context("t", "xyzzy connection key").text
        assert "xyzzy" not in shown + kept(tmp_path)
        memory.append("s", [Message("user", "And one more thing: the kettle is red.", id="k")])
        assert memory.recall("kettle red")[0].text.endswith("the kettle is red.")
    clock.advance(days=1)
    llm = ScriptedLLM(good)
    with Memory.open(tmp_path, layout=layout, clock=clock, jobs="worker", llm=llm) as memory:
        memory.end("s")
        memory.flush()
        assert [each for each in memory.failures() if each.job != "summary"] == []
        assert any("Bergen" in hit.text for hit in memory.recall("Bergen hives"))
        assert memory.doctor().ok


@pytest.mark.parametrize(
    ("layout", "purpose", "fault"),
    [
        (*call, fault)
        for call in CALLS
        for fault in FAULTS
        if call[1] == "summarise" or (call[1], fault) == ("episode", "down")
    ],
)
def test_a_range_job_that_fails_moves_nothing_and_says_so(
    tmp_path: Path, layout: str, purpose: str, fault: str
) -> None:
    """DESIGN 1.5: the range stays due, and `failures` tells what is tried again."""
    clock = FixedClock("2026-03-01T10:00:00+00:00")
    with Memory.open(
        tmp_path, layout=layout, clock=clock, jobs="worker", llm=ScriptedLLM(dying(purpose, FAULTS[fault]))
    ) as memory:
        live(memory, clock)
        (failure,) = [each for each in memory.failures() if each.job != "summary"]
        assert failure.session == "s"
        assert (failure.attempts == 0) == (fault == "wrong key")
        assert "Bergen" not in "".join(
            path.read_text(encoding="utf-8") for path in (tmp_path / "memory").rglob("*") if path.is_file()
        )
