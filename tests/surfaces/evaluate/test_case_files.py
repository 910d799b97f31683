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
from commonplace.surfaces.evaluate import AT_LEAST, AT_MOST, Case, CaseFile, Target
from commonplace.text import frontmatter

COMMANDS = Path(__file__).parents[3] / "docs" / "commands.md"

WHOLE = """\
at_least:
  passed: 0.9
  recall: .8
at_most: {p95_ms: 200, superseded: 0}
k: 5
layers: documents
cases:
  - name: stand-up
    question: When is our stand-up?
    expected: 10:15
    superseded:
      - text: no
      - message: cli:main#m3
    as_of: 2026-11-01T00:00:00+01:00
    k: 3
    tokens: 200
    layers: [sessions, topics]
  - question: Why PostgreSQL?
    expected:
      - {record: "memory/MEMORY.md#0a0fd50b5f9f"}
      - any: [{message: "cli:queue#s02m05"}, {file: memory/topics}, it is simpler]
    forbidden: [Kafka it is]
  - {question: What is my dog called?, nothing: true}
"""


def test_a_yaml_file_says_all_there_is_to_say():
    """Issue 7: a YAML file of questions with expected and forbidden records."""
    found = evaluate.read(WHOLE, "cases.yaml")
    assert found.at_least == {"passed": 0.9, "recall": 0.8}
    assert found.at_most == {"p95_ms": 200.0, "superseded": 0.0}
    first, second, third = found.cases
    assert first == Case(
        name="stand-up",
        question="When is our stand-up?",
        expected=(Target("text", "10:15"),),
        superseded=(Target("text", "no"), Target("message", "cli:main#m3")),
        as_of=datetime.fromisoformat("2026-11-01T00:00:00+01:00"),
        layers=("sessions", "topics"),
        k=3,
        tokens=200,
    )
    assert second.name == "cases.yaml:18"
    assert second.k == 5
    assert second.layers == ("documents",)
    record, any_of = second.expected
    assert record == Target("record", "memory/MEMORY.md#0a0fd50b5f9f")
    assert any_of.choices == (
        Target("message", "cli:queue#s02m05"), Target("file", "memory/topics"), Target("text", "it is simpler"),
    )  # fmt: skip
    assert second.forbidden == (Target("text", "Kafka it is"),)
    assert third.nothing


def test_jsonl_says_the_same_as_yaml():
    """Issue 7: or a JSONL file; both are read by the same rules."""
    lines = [
        {"at_least": {"passed": 0.9, "recall": 0.8}, "at_most": {"p95_ms": 200, "superseded": 0}},
        {"k": 5, "layers": "documents"},
        {
            "name": "stand-up", "question": "When is our stand-up?", "expected": "10:15",
            "superseded": [{"text": "no"}, {"message": "cli:main#m3"}], "as_of": "2026-11-01T00:00:00+01:00",
            "k": 3, "tokens": 200, "layers": ["sessions", "topics"],
        },
        {
            "name": "cases.yaml:18", "question": "Why PostgreSQL?", "forbidden": ["Kafka it is"],
            "expected": [
                {"record": "memory/MEMORY.md#0a0fd50b5f9f"},
                {"any": [{"message": "cli:queue#s02m05"}, {"file": "memory/topics"}, "it is simpler"]},
            ],
        },
        {"name": "cases.yaml:23", "question": "What is my dog called?", "nothing": True},
    ]  # fmt: skip
    text = "\ufeff" + "\r\n".join(json.dumps(line) for line in lines) + "\r\n\r\n"
    assert evaluate.read(text, "cases.jsonl") == evaluate.read(WHOLE, "cases.yaml")


def test_a_yaml_list_of_cases_is_a_file_too():
    """A file without settings needs no `cases`."""
    found = evaluate.read("- question: Where?\n  expected: Oslo\n", "cases.yml")
    assert found == CaseFile((Case(name="cases.yml:1", question="Where?", expected=(Target("text", "Oslo"),)),))


def test_the_example_of_the_documentation_is_a_file_of_cases(lantern):
    """docs/commands.md shows a file; it is read, and its questions about the sample find their answers."""
    section = COMMANDS.read_text(encoding="utf-8").split("\n## eval\n")[1].split("\n## ")[0]
    shown = re.search(r"```yaml\n(.*?)```", section, re.DOTALL)[1]
    found = evaluate.read(shown, "cases.yaml")
    assert [case.name for case in found.cases] == ["stand-up", "cases.yaml:8", "cases.yaml:13", "cases.yaml:15"]
    standup, postgresql, _, dog = evaluate.evaluate(lantern, found.cases).verdicts
    assert standup.first is not None
    assert postgresql.passed
    assert dog.passed
    for key in (*Case.__struct_fields__, *AT_LEAST, *AT_MOST):
        assert f"`{key}`" in section


CASE = "question: Where?\nexpected: Oslo\n"


def listed(*lines: str) -> str:
    return "cases:\n  - question: Where?\n    expected: Oslo\n  - " + "\n    ".join(lines) + "\n"


BAD_YAML = [  # text, line, what is said
    ("", 1, "there is no case"),
    ("# nothing but a comment\n", 1, "there is no case"),
    ("just words\n", 1, "keys with values"),
    ("cases: []\n", 1, "there is no case"),
    ("cases: Oslo\n", 1, "`cases` is a list"),
    ("k: 3\n", 1, "there are no `cases`"),
    ("cases:\n  - question: [\n", 3, "not YAML"),
    ("cases:\n\t- question: x\n", 2, "not YAML"),
    ("cases: [\x07]\n", 1, "not YAML"),
    (listed("qestion: When?", "expected: now"), 4, "'qestion' is no key of a case; known are question, name"),
    (listed("expected: now"), 4, "no `question`"),
    (listed("question: When?"), 4, "asks for nothing"),
    (listed("question: When?", "expected: []"), 4, "asks for nothing"),
    (listed("question: When?", "expected:"), 5, "not nothing"),
    (listed("question: ' '", "expected: now"), 4, "`question` is a text, not nothing"),
    (listed("question: [When?]", "expected: now"), 4, "`question` is a text, not a list"),
    (listed("question: When?", "expected: now", "nothing: true"), 4, "`nothing` stands alone"),
    (listed("question: When?", "nothing: perhaps"), 5, "true or false, not 'perhaps'"),
    (listed("question: When?", "forbidden: now", "superseded: then"), 4, "`superseded` is what stands below"),
    (listed("question: When?", "expected: {words: now}"), 5, "'words' is no key of what is expected"),
    (listed("question: When?", "expected: {}"), 5, "one of `expected` is one thing"),
    (listed("question: When?", "expected: {text: now, file: a.md}"), 5, "one of `expected` is one thing"),
    (listed("question: When?", "expected: {any: now}"), 5, "`any` is a list"),
    (listed("question: When?", "expected: {any: []}"), 5, "`any` lists nothing"),
    (listed("question: When?", "expected: [[now]]"), 5, "`expected` is a text, not a list"),
    (listed("question: When?", "expected:", "  - now", "  - text:"), 7, "not nothing"),
    (listed("question: When?", "expected: {message: m3}"), 4, "'m3' names no message"),
    (listed("question: When?", "expected: now", "k: 0"), 6, "from 1 to 1000000, not '0'"),
    (listed("question: When?", "expected: now", "k: -1"), 6, "not '-1'"),
    (listed("question: When?", "expected: now", "k: ten"), 6, "not 'ten'"),
    (listed("question: When?", "expected: now", "tokens: 1e3"), 6, "not '1e3'"),
    (listed("question: When?", "expected: now", "tokens: 99999999999999999999"), 6, "`tokens` is a number"),
    (listed("question: When?", "expected: now", "as_of: yesterday"), 6, "ISO 8601"),
    (listed("question: When?", "expected: now", "as_of: 2026-11-01"), 6, "carries its zone"),
    (listed("question: When?", "expected: now", "layers: memory"), 6, "'memory' is no layer"),
    (listed("question: When?", "expected: now", "layers: []"), 6, "lists nothing"),
    (listed("question: When?", "expected: now", "layers: [sessions, {a: b}]"), 6, "keys with values is no layer"),
    (listed("name: a", "question: b", "expected: c") + "  - {name: a, question: b, expected: c}\n", 7, "on line 4"),
    ("k: 3\nk: 4\ncases: [{question: a, expected: b}]\n", 2, "the key 'k' stands there twice"),
    ("cases:\n  - question: a\n    question: b\n", 3, "the key 'question' stands there twice"),
    ("colour: red\ncases: []\n", 1, "'colour' is no key of a file of cases"),
    ("at_least: .8\ncases: [{question: a, expected: b}]\n", 1, "a set of thresholds is keys with values"),
    ("at_least: {speed: 1}\ncases: [{question: a, expected: b}]\n", 1, "'speed' is no key of a set of thresholds"),
    ("at_least:\n  recall: 1.1\ncases: [{question: a, expected: b}]\n", 2, "recall is a share from 0 to 1"),
    ("at_least:\n  recall: nan\ncases: [{question: a, expected: b}]\n", 2, "recall is a share from 0 to 1"),
    ("at_most: {tokens: -1}\ncases: [{question: a, expected: b}]\n", 1, "tokens is a number not below 0"),
    ("at_most: {p95_ms: inf}\ncases: [{question: a, expected: b}]\n", 1, "p95_ms is a number not below 0"),
    ("cases: &all [{question: a, expected: b}]\n", 1, "anchors"),
    ("a: &a [x]\nb: *a\n", 1, "anchors"),
    ("cases: !!python/object:os.system [x]\n", 1, "tags"),
    ("cases:\n  - <<: {question: a}\n", 2, "merge key"),
    ("cases:\n  - [a]: b\n", 2, "a key is a word"),
    ("? {a: b}\n: c\n", 1, "a key is a word"),
    ("- question: a\n---\n- question: b\n", 2, "second document"),
    ("cases: " + "[" * 20 + "]" * 20, 1, "deeper than 8"),
    ("cases: " + "[" * 200_000, 1, "deeper than 8"),
]  # fmt: skip

BAD_JSONL = [
    ("", 1, "there is no case"),
    ("\n\n{}\n", 3, "no `question`"),
    ('{"question": "a", "expected": "b"}\n{"question": "a"\n', 2, "no JSON"),
    ('{"question": "a", "expected": "b"}\n[1]\n', 2, "keys with values, not a list"),
    ("7\n", 1, "keys with values, not 7"),
    ("null\n", 1, "keys with values, not nothing"),
    ('{"question": 7, "expected": "b"}\n', 1, "`question` is a text, not 7"),
    ('{"question": "a", "question": "b"}\n', 1, "the key 'question' stands there twice"),
    ('{"question": "a", "expected": "b", "k": "10"}\n', 1, "`k` is a number"),
    ('{"question": "a", "expected": "b", "k": true}\n', 1, "`k` is a number"),
    ('{"question": "a", "expected": "b", "k": 2.5}\n', 1, "`k` is a number"),
    ('{"question": "a", "nothing": "true"}\n', 1, "true or false, not 'true'"),
    ('{"question": "a", "nothing": 1}\n', 1, "true or false, not 1"),
    ('{"question": "a", "expected": [null]}\n', 1, "not nothing"),
    ('{"at_least": {"passed": NaN}}\n', 1, "NaN is no number"),
    ('{"at_least": {"passed": true}}\n{"question": "a", "nothing": true}\n', 1, "passed is a share"),
    ('{"k": 3}\n{"question": "a", "nothing": true}\n{"k": 4}\n', 3, "`k` was set before, on line 1"),
    ('{"k": 1' + "0" * 5000 + "}\n", 1, "no JSON"),
    ('{"question": ' + "[" * 200_000, 1, "no JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "said"), BAD_YAML)
def test_what_is_wrong_in_yaml_is_named_with_its_line(text, line, said):
    """Brief of issue 7: unknown keys, bad types, duplicate names give a typed error with file and line."""
    with pytest.raises(InputError) as caught:
        evaluate.read(text, "my/cases.yaml")
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"my/cases.yaml:{line}: ")
    assert (caught.value.path, caught.value.line) == ("my/cases.yaml", line)


@pytest.mark.parametrize(("text", "line", "said"), BAD_JSONL)
def test_what_is_wrong_in_jsonl_is_named_with_its_line(text, line, said):
    """As for YAML; in JSON a number is a number."""
    with pytest.raises(InputError) as caught:
        evaluate.read(text, "cases.jsonl")
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"cases.jsonl:{line}: ")
    assert caught.value.line == line


@pytest.mark.parametrize("name", ["cases", "cases.txt", "cases.json", "cases.yaml.gz", ""])
def test_the_ending_of_the_name_says_what_a_file_is(name):
    """Nothing is guessed from the content."""
    with pytest.raises(InputError, match=r"it ends in \.yaml or \.yml or \.jsonl"):
        evaluate.read(CASE, name)


words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(str.strip)
bare = st.builds(Target, st.sampled_from(["text", "record", "file"]), words) | st.builds(
    lambda session, message: Target("message", f"{session}#{message}"),
    words,
    words.filter(lambda each: "#" not in each),
)
targets = st.builds(
    lambda first, rest: Target(first.kind, first.value, rest), bare, st.lists(bare, max_size=2).map(tuple)
)
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
        as_of=draw(st.none() | st.datetimes(datetime(1980, 1, 1), timezones=st.just(UTC)).map(lambda at: at.replace(microsecond=0))),
        layers=draw(st.none() | st.lists(st.sampled_from(LAYERS), min_size=1, max_size=3).map(tuple)),
        k=draw(st.integers(1, 1000)),
        tokens=draw(st.integers(1, 5000)),
    )  # fmt: skip


@settings(max_examples=50, deadline=None)
@given(st.lists(cases(), min_size=1, max_size=4, unique_by=lambda case: case.name))
def test_cases_written_as_lines_are_read_back_as_they_were(made):
    """`--list` gives a file to start from."""
    text = "".join(evaluate.line(case) + "\n" for case in made)
    assert evaluate.read(text, "cases.jsonl") == CaseFile(tuple(made))
    as_yaml = "".join(f"- {frontmatter.write(json.loads(evaluate.line(case)))}\n" for case in made)
    assert evaluate.read(as_yaml, "cases.yaml").cases == tuple(made)


pieces = st.sampled_from([
    "cases:", "\n", "- ", "question: a", "expected: b", "{", "}", "[", "]", ": ", "k: 3", '"', "'", "  ", "&a", "*a", "nothing: true",
    '{"question": "a", "expected": "b"}', '{"k": 1}', "---\n", "? ", "!!x ", "|\n", "\t", "#", "\0", "\ud800", "é", "<<: ",
])  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(pieces | st.text(max_size=5), max_size=12).map("".join), st.sampled_from(["a.yaml", "a.jsonl"]))
def test_any_text_is_cases_or_an_error_that_names_its_line(text, name):
    """A file a person writes may hold anything."""
    wrong = None
    try:
        found = evaluate.read(text, name)
    except InputError as error:
        wrong = error
    if wrong is None:
        assert found.cases
    else:
        lines = sum(text.count(each) for each in "\n\r\u2028\u2029\x85") + 1
        assert wrong.path == name
        assert 1 <= wrong.line <= lines + 1  # what is missing is missed at the end
