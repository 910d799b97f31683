"""Cases of recall: what a file of them may say, and what comes of asking them of real memories."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.changes.actors import PERSON
from commonplace.errors import InputError
from commonplace.surfaces import evaluate
from commonplace.surfaces.evaluate import Case, Target
from commonplace.testing import FixedClock
from marking import in_one_test

COMMANDS = Path(__file__).parents[2] / "docs" / "commands.md"
START = datetime(2026, 11, 1, 9, tzinfo=UTC)
SAID = [
    "We picked PostgreSQL for the queue because two consumers cannot read one row.",
    "The harbour of Malmö has seventeen gauges at its station.",
    "Birgitta Holm answers mail only in the morning.",
]


@pytest.fixture
def memory(tmp_path):
    """Three messages, `cli:main#m0` to `m2`."""
    clock = FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, clock=clock, jobs="worker") as memory:
        days = [START + timedelta(days=number) for number in range(len(SAID))]
        memory.append("cli:main", [Message("user", SAID[n], id=f"m{n}", at=at) for n, at in enumerate(days)])
        yield memory


def verdict(memory, **case):
    return evaluate.evaluate(memory, [Case(**case)]).verdicts[0]


def text(*values: str) -> tuple[Target, ...]:
    return tuple(Target(text=value) for value in values)


def test_a_file_says_what_is_expected_forbidden_or_nothing():
    """docs/commands.md shows a file and names each key of a case."""
    section = COMMANDS.read_text(encoding="utf-8").split("\n## eval\n")[1].split("\n## ")[0]
    shown = re.search(r"```json\n(.*?)```", section, re.DOTALL)[1]
    standup, why, home, dog = evaluate.read(shown, "cases.jsonl")
    assert (standup.name, why.name, home.name) == ("stand-up", "cases.jsonl:2", "cases.jsonl:3")
    assert why.expected == (Target(message="cli:queue#s02m05", text="two consumers"),)
    assert (why.k, home.k, dog.nothing) == (3, 8, True)
    assert [key for key in Case.__struct_fields__ if f"`{key}`" not in section] == []


def with_case(**more) -> str:
    first = {"question": "Where?", "expected": [{"text": "Oslo"}]}
    return "\n".join(json.dumps(each) for each in (first, {"question": "When?", **more}))


BAD = [  # text, line, what is said
    ("", 1, "there is no case"),
    ("\n\n{}\n", 3, "missing required field `question`"),
    ('{"question": "a", "nothing": true}\n[1]\n', 2, "got `array`"),
    ("cases:\n  - question: a\n", 1, "malformed"),
    ('{"question": ' + "[" * 200_000, 1, "`$.question`"),
    ('{"question": "\ud800", "nothing": true}', 1, "surrogates"),
    (with_case(), 2, "has `expected` or `forbidden`"),
    (with_case(qestion="When?", nothing=True), 2, "unknown field `qestion`"),
    (with_case(expected=["now"]), 2, "`$.expected["),
    (with_case(expected=[{}]), 2, "a text, a record or a message"),
    (with_case(expected=[{"message": "m3"}]), 2, "'m3' names no message"),
    (with_case(question=" ", nothing=True), 2, "the question is empty"),
    (with_case(expected=[{"text": "a"}], nothing=True), 2, "`nothing: true` alone"),
    (with_case(nothing=True, k=0), 2, "`$.k`"),
    (with_case(nothing=True, as_of="2026-11-01T10:00:00"), 2, "timezone"),
    (with_case(nothing=True, layers=["memory"]), 2, "'memory'"),
    (with_case(nothing=True, layers=[]), 2, "`$.layers`"),
]


@in_one_test(("text", "line", "said"), BAD)
def test_what_is_wrong_in_a_file_is_named_with_its_line(text, line, said):
    """Unknown keys, values of another kind and contradictions give an error with file and line."""
    with pytest.raises(InputError) as caught:
        evaluate.read(text, "my/cases.jsonl")
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"my/cases.jsonl:{line}: ")


def test_a_target_is_found_by_its_text_its_message_or_its_record(memory):
    """Case and white space of a text do not count; an old id leads to what replaced the record."""
    asked = {"question": "how many gauges are in Malmö"}
    assert verdict(memory, expected=text("MALMÖ  has\nSeventeen"), **asked).ranks == (1,)
    assert verdict(memory, expected=(Target(message="cli:main#m1"),), **asked).passed
    assert verdict(memory, expected=(Target(text="zeppelin", message="cli:main#m1"),), **asked).passed
    assert verdict(memory, expected=(Target(message="cli:other#m1"),), **asked).ranks == (None,)
    noted = memory.remember("Ada keeps her bicycle in the cellar.", kind="decision", actor=PERSON).records[0]
    moved = memory.update(noted, "Ada keeps her bicycle in the attic.", actor=PERSON).records[0]
    for record in (noted, moved):
        assert verdict(memory, question="where is the bicycle of Ada", expected=(Target(record=record),)).passed


def test_what_is_forbidden_must_not_be_shown_and_an_empty_answer_may_be_right(memory):
    """Each kind of case passes and fails."""
    shown = verdict(memory, question="which queue and which gauges", forbidden=text("PostgreSQL", "zeppelin"))
    assert (len(shown.forbidden), shown.passed) == (1, False)
    assert verdict(memory, question="which queue", expected=text("PostgreSQL"), forbidden=text("Kafka")).passed
    assert verdict(memory, question="zeppelin", nothing=True).passed
    assert not verdict(memory, question="gauges of the harbour", nothing=True).passed


def test_layers_k_and_as_of_hold_for_the_question(memory):
    """A case may ask less than everything."""
    memory.remember("The harbour of Malmö has eighteen gauges.", kind="decision")
    asked = {"question": "how many gauges has the harbour of Malmö", "nothing": True}
    assert {hit.layer for hit in verdict(memory, **asked).hits} == {"sessions", "documents"}
    assert {hit.layer for hit in verdict(memory, layers=("sessions",), **asked).hits} == {"sessions"}
    assert len(verdict(memory, k=1, **asked).hits) == 1
    assert verdict(memory, layers=("sessions",), as_of=START - timedelta(days=1), **asked).passed


def test_the_figures_sum_the_verdicts_up(memory):
    """Totals for a CI."""
    cases = [
        Case(question="gauges of the harbour", expected=text("seventeen", "nineteen")),
        Case(question="zeppelin", nothing=True),
    ]
    found = evaluate.evaluate(memory, cases)
    assert [each.passed for each in found.verdicts] == [False, True]
    assert (found.passed, found.recall) == (0.5, 0.5)
    assert found.milliseconds > 0
    assert evaluate.evaluate(memory, cases[1:]).recall is None
