"""The rules work out the day that something was moved to, and the date before goes (issue 17)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from rules_talks import after

from commonplace import Memory, Message
from commonplace.testing import ScriptedLLM
from commonplace.text import dates
from marking import in_one_test, slow_after

WEDNESDAY = datetime(2026, 3, 11, 10, tzinfo=UTC)


def stated(folder: Path, *said: str) -> list[str]:
    """Return the facts that the rules keep of some messages."""
    with Memory.open(folder, jobs="worker", clock=lambda: WEDNESDAY) as memory:
        for number, text in enumerate(said):
            memory.append(f"s:{number}", [Message("user", text), Message("assistant", "Good.")])
            memory.consolidate(f"s:{number}")
        return sorted({hit.text for hit in memory.recall(" ".join(said), k=20, layers=["documents"])})


@pytest.mark.parametrize(
    ("said", "kept"),
    slow_after(
        3,
        [
            ("The demo got moved to next Tuesday.", "The demo got moved to 2026-03-17."),
            ("The demo was moved to Friday.", "The demo was moved to 2026-03-13."),
            ("The launch has been postponed to next month.", "The launch has been postponed to 2026-04."),
            ("The retro got pushed from this Friday to Monday.", "The retro got pushed from 2026-03-13 to 2026-03-16."),
            (
                "FYI the client demo got moved to next Tuesday at 15:00.",
                "The client demo got moved to 2026-03-17 at 15:00.",
            ),
            ("We decided that the demo moves to next Tuesday.", "We decided that the demo moves to 2026-03-17."),
        ],
    ),
)
def test_the_day_that_something_was_moved_to_is_a_date(tmp_path: Path, said: str, kept: str) -> None:
    assert stated(tmp_path, said) == [kept]


def test_the_date_before_goes(tmp_path: Path) -> None:
    assert stated(tmp_path, "The demo is on Friday.", "The demo got moved to next Tuesday.") == [
        "The demo is on 2026-03-17."
    ]


@in_one_test(
    ("said", "now"),
    [
        ("Since May I live in Lyon.", ["Since 2026-05 User lives in Lyon."]),
        ("We've moved to York.", ["We've moved to York."]),
        ("We moved to Slack.", ["User lives in Leeds.", "We moved to Slack."]),
        ("I plan to live in York.", ["User lives in Leeds."]),
    ],
)
def test_a_person_has_one_home_and_a_team_that_moves_to_a_tool_none(said: str, now: list[str]) -> None:
    """Issue 17: "Since May …" kept the old place beside the new one, and a tool took the place of a home."""
    assert after([], "I live in Leeds.", said) == now


def test_another_occasion_keeps_its_date(tmp_path: Path) -> None:
    assert stated(tmp_path, "The workshop is on Friday.", "The demo got moved to next Tuesday.") == [
        "The demo got moved to 2026-03-17.",
        "The workshop is on 2026-03-13.",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "The shop is open Monday to Friday.",
        "Office hours run Tuesday through Thursday.",
        "The stand-up moved to Tuesday at 9:30.",
        "The stand-up is every Tuesday.",
        "We always deploy on Tuesday.",
        "My gym day is Monday.",
        "The team meeting is on Monday.",
        "I changed my yoga class from Monday to Friday.",
        "We moved the stand-up from Monday to Wednesday.",
    ],
)
def test_a_span_of_days_and_what_recurs_is_no_date(tmp_path: Path, said: str) -> None:
    assert "2026" not in "".join(stated(tmp_path, said))


def test_a_past_trip_did_not_lie_ahead() -> None:
    """Only what was moved has its new date ahead of it."""
    text = dates.absolute("We hiked on Friday and drove to Bergen on Saturday.", WEDNESDAY, UTC, past=True)[0]
    assert text == "We hiked on 2026-03-06 and drove to Bergen on 2026-03-07."
    assert dates.absolute("It was moved to Friday", WEDNESDAY, UTC, past=True)[0] == "It was moved to 2026-03-13"


def test_a_day_without_its_month_is_of_the_month_that_is_named_beside_it() -> None:
    text = dates.absolute("We fly from Bristol on 20 May, not on the 21st.", WEDNESDAY, UTC)[0]
    assert text == "We fly from Bristol on 2026-05-20, not on 2026-05-21."
    text = dates.absolute("It is on 20 May, not on the 3rd.", WEDNESDAY, UTC)[0]
    assert text == "It is on 2026-05-20, not on the 3rd."


@pytest.mark.parametrize("layout", ["two-layer", "native", "structured"])
def test_what_was_written_long_ago_is_still_corrected(tmp_path: Path, layout: str) -> None:
    """Issue 17: superseded ones are not shown, however many records were written since."""
    config = {"consolidation.entries": 3}
    with Memory.open(tmp_path, layout=layout, jobs="worker", clock=lambda: WEDNESDAY, config=config) as memory:
        memory.append("s:1", [Message("user", "I live in Bergen."), Message("assistant", "Good.")])
        memory.consolidate("s:1")
        for number in range(8):
            memory.remember(f"Boat {number} is kept at quay {number}.")
        memory.append("s:2", [Message("user", "I live in Voss now."), Message("assistant", "Good.")])
        memory.consolidate("s:2")
        known = {hit.text for hit in memory.recall("lives in", k=20, layers=["documents", "items"])}
    assert "User lives in Voss now." in known
    assert "User lives in Bergen." not in known


def test_a_model_is_shown_the_last_records_of_a_long_document(tmp_path: Path) -> None:
    """Issue 17: prompts are bounded, whatever a document holds."""
    llm = ScriptedLLM(["[]"])
    config = {"consolidation.entries": 3}
    with Memory.open(tmp_path, jobs="worker", clock=lambda: WEDNESDAY, config=config, llm=llm) as memory:
        for number in range(8):
            memory.remember(f"Boat {number} is kept at quay {number}.")
        memory.append("s:1", [Message("user", "The boats are new."), Message("assistant", "Good.")])
        memory.consolidate("s:1")
    assert [number for number in range(8) if f"Boat {number} " in llm.prompts[0]] == [5, 6, 7]
