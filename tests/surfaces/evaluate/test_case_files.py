"""Files of cases: what they say, how they are written back, and every way they can be wrong."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.errors import InputError
from commonplace.records import LAYERS
from commonplace.surfaces import evaluate
from commonplace.surfaces.evaluate import Case, Target
from marking import in_one_test, tries

COMMANDS = Path(__file__).parents[3] / "docs" / "commands.md"

WHOLE = """\ufeff\
{"name": "stand-up", "question": "When?", "expected": [{"text": "10:15"}], "superseded": [{"text": "no"}, \
{"message": "cli:main#m3"}], "as_of": "2026-11-21T10:00:00+01:00", "layers": ["documents"], "k": 3}

{"question": "Why PostgreSQL?", "expected": [{"record": "memory/MEMORY.md#0a0fd50b5f9f"}, {"any": \
[{"message": "cli:queue#s02m05"}, {"text": "two consumers"}]}], "forbidden": [{"text": "Kafka it is"}]}
{"question": "What is my dog called?", "nothing": true}
"""


def test_a_line_says_all_there_is_to_say():
    """docs/commands.md: the keys of a case."""
    standup, why, dog = evaluate.read(WHOLE, "cases.jsonl")
    assert standup == Case(
        name="stand-up",
        question="When?",
        expected=(Target(text="10:15"),),
        superseded=(Target(text="no"), Target(message="cli:main#m3")),
        as_of=datetime(2026, 11, 21, 9, tzinfo=UTC),
        layers=("documents",),
        k=3,
    )
    assert (why.name, dog.name) == ("cases.jsonl:3", "cases.jsonl:4")
    record, either = why.expected
    assert record == Target(record="memory/MEMORY.md#0a0fd50b5f9f")
    assert either.choices == (Target(message="cli:queue#s02m05"), Target(text="two consumers"))
    assert (why.k, why.layers) == (8, None)
    assert dog.nothing


def test_the_page_shows_a_file_of_cases(lantern):
    """docs/commands.md shows a file; it is read, and its questions about the sample find their answers."""
    section = COMMANDS.read_text(encoding="utf-8").split("\n## eval\n")[1].split("\n## ")[0]
    shown = re.search(r"```json\n(.*?)```", section, re.DOTALL)[1]
    found = evaluate.read(shown, "cases.jsonl")
    assert [case.name for case in found] == ["stand-up", "cases.jsonl:2", "cases.jsonl:3", "cases.jsonl:4"]
    standup, postgresql, _, dog = evaluate.evaluate(lantern, found).verdicts
    assert standup.first is not None
    assert postgresql.passed
    assert dog.passed
    for key in Case.__struct_fields__:
        assert f"`{key}`" in section


def with_case(**more) -> str:
    first = {"question": "Where?", "expected": [{"text": "Oslo"}]}
    return "\n".join(json.dumps(each) for each in (first, {"question": "When?", **more}))


BAD = [  # text, line, what is said
    ("", 1, "there is no case"),
    ("\n\n{}\n", 3, "missing required field `question`"),
    ('{"question": "a", "nothing": true}\n{"question": "a"\n', 2, "truncated"),
    ('{"question": "a", "nothing": true}\n[1]\n', 2, "got `array`"),
    ("null\n", 1, "got `null`"),
    ("cases:\n  - question: a\n", 1, "malformed"),
    ('{"question": ' + "[" * 200_000, 1, "`$.question`"),
    ('{"question": "\ud800", "nothing": true}', 1, "surrogates"),
    (with_case(), 2, "asks for nothing"),
    (with_case(qestion="When?", nothing=True), 2, "unknown field `qestion`"),
    (with_case(expected=[]), 2, "asks for nothing"),
    (with_case(expected="now"), 2, "`$.expected`"),
    (with_case(expected=["now"]), 2, "`$.expected["),
    (with_case(expected=[{}]), 2, "exactly one of text, record, message and any"),
    (with_case(expected=[{"text": "a", "record": "b"}]), 2, "exactly one of"),
    (with_case(expected=[{"text": " "}]), 2, "exactly one of"),
    (with_case(expected=[{"any": []}]), 2, "exactly one of"),
    (with_case(expected=[{"words": "a"}]), 2, "unknown field `words`"),
    (with_case(expected=[{"message": "m3"}]), 2, "'m3' names no message"),
    (with_case(question=" ", nothing=True), 2, "the question is empty"),
    (with_case(expected=[{"text": "a"}], nothing=True), 2, "`nothing` is alone"),
    (with_case(nothing="true"), 2, "`$.nothing`"),
    (with_case(forbidden=[{"text": "a"}], superseded=[{"text": "b"}]), 2, "below the expected"),
    (with_case(nothing=True, k=0), 2, "at least 1"),
    (with_case(nothing=True, as_of="yesterday"), 2, "`$.as_of`"),
    (with_case(nothing=True, as_of="2026-11-01T10:00:00"), 2, "timezone"),
    (with_case(nothing=True, layers=["memory"]), 2, "'memory'"),
    (with_case(nothing=True, layers=[]), 2, "`layers` lists nothing"),
]  # fmt: skip


@in_one_test(("text", "line", "said"), BAD)
def test_what_is_wrong_in_a_file_is_named_with_its_line(text, line, said):
    """Unknown keys, values of another kind and contradictions give an error with file and line."""
    with pytest.raises(InputError) as caught:
        evaluate.read(text, "my/cases.jsonl")
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"my/cases.jsonl:{line}: ")
    assert (caught.value.path, caught.value.line) == ("my/cases.jsonl", line)


words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(str.strip)
bare = st.builds(lambda kind, value: Target(**{kind: value}), st.sampled_from(["text", "record"]), words) | (
    st.builds(
        lambda session, message: Target(message=f"{session}#{message}"),
        words,
        words.filter(lambda each: "#" not in each),
    )
)
targets = bare | st.lists(bare, min_size=1, max_size=3).map(lambda each: Target(any=tuple(each)))
several = st.lists(targets, max_size=3).map(tuple)


@st.composite
def cases(draw):
    nothing = draw(st.booleans())
    expected = () if nothing else draw(several)
    forbidden = () if nothing else draw(several) or (() if expected else (draw(targets),))
    return Case(
        name=draw(words),
        question=draw(words),
        nothing=nothing,
        expected=expected,
        superseded=draw(several) if expected else (),
        forbidden=forbidden,
        as_of=draw(st.none() | st.datetimes(datetime(1980, 1, 1), timezones=st.just(UTC))),
        layers=draw(st.none() | st.lists(st.sampled_from(LAYERS), min_size=1, max_size=3).map(tuple)),
        k=draw(st.integers(1, 1000)),
    )


@settings(max_examples=tries(50), deadline=None)
@given(st.lists(cases(), min_size=1, max_size=4))
def test_cases_written_as_lines_are_read_back_as_they_were(made):
    """`--list` gives a file to start from."""
    text = "".join(evaluate.line(case) + "\n" for case in made)
    assert evaluate.read(text, "cases.jsonl") == tuple(made)


pieces = st.sampled_from([
    "\n", "{", "}", "[", "]", ": ", ",", '"', '"question"', '"a"', '"k": 3', '"nothing": true', "\0", "\ud800", "é",
    '{"question": "a", "expected": [{"text": "b"}]}', '{"k": 1}',
])  # fmt: skip


@settings(max_examples=tries(200), deadline=None)
@given(st.lists(pieces | st.text(max_size=5), max_size=12).map("".join))
def test_any_text_is_cases_or_an_error_that_names_its_line(text):
    """A file a person writes may hold anything."""
    wrong = None
    try:
        assert evaluate.read(text, "a.jsonl")
    except InputError as error:
        wrong = error
    if wrong is not None:
        assert wrong.path == "a.jsonl"
        assert 1 <= wrong.line <= text.count("\n") + 1
