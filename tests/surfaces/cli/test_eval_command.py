"""`commonplace eval`: what it prints, and the exit code a CI reads."""

from __future__ import annotations

import json
import re

import pytest

from commonplace.surfaces import evaluate

CASES = """\
{"name": "ferry", "question": "when does the ferry leave", "expected": [{"text": "at noon"}]}
{"name": "dog", "question": "zeppelin", "nothing": true}
"""


@pytest.fixture
def said(run):
    """Three messages, one record that rests on one of them and was corrected."""
    for number, words in enumerate(["The ferry leaves at noon.", "The ferry to Oslo is blue.", "My bicycle is green."]):
        run("record", words, "--session", "cli:main", "--id", f"m{number}")
    noted = run("remember", "The ferry of the harbour leaves at noon.", "--source", "cli:main#m0", "--json")
    record = noted.data["outcome"]["records"][0]
    assert run("update", record, "The ferry of the harbour leaves at seven.").code == 0


@pytest.fixture
def file(here):
    path = here / "cases.jsonl"
    path.write_text(CASES, encoding="utf-8")
    return path


def test_all_cases_pass_and_the_exit_code_is_0(run, said, file):
    """Issue 7: exit code for CI."""
    done = run("eval", "cases.jsonl")
    assert (done.code, done.err) == (0, "")
    lines = [line.split()[:3] for line in done.out.splitlines()]
    assert ["passed", "1.000", "████████████████████"] in lines
    assert ["recall", "1.000", "████████████████████"] in lines
    assert ["abstention", "1.000", "████████████████████"] in lines
    assert "✗" not in done.out
    assert "\x1b" not in done.out


def test_every_case_is_shown_when_asked_for(run, said, file):
    """`--all`."""
    out = run("eval", "cases.jsonl", "--all").out
    assert re.search(r"^✓ when does the ferry leave  ferry\n   rank \d  text at noon$", out, re.MULTILINE)
    assert "✓ zeppelin  dog\n" in out


def test_a_case_that_fails_says_what_was_shown_instead(run, said, file):
    """Brief: per case pass or fail with rank and what was shown instead."""
    file.write_text(
        CASES.replace("at noon", "at midnight")
        + '{"name": "colour", "question": "the blue ferry", "forbidden": [{"text": "is blue"}]}\n'
        + '{"name": "gone", "question": "the blue ferry", "expected": [{"record": "memory/MEMORY.md#0123456789ab"}]}\n'
        + '{"name": "quiet", "question": "my green bicycle", "nothing": true}\n'
        + '{"name": "old", "question": "the blue ferry leaves", "expected": [{"text": "is red"}], '
        + '"superseded": [{"text": "is blue"}]}\n',
        encoding="utf-8",
    )
    done = run("eval", "cases.jsonl")
    assert done.code == 1
    assert "✗ when does the ferry leave  ferry\n   missed  text at midnight\n   rank 1  instead: " in done.out
    assert "  forbidden: " in done.out
    assert "✗ my green bicycle  quiet\n   rank 1  instead: " in done.out
    assert re.search(r"^✗ the blue ferry leaves  old\n   missed  text is red$", done.out, re.MULTILINE)
    assert re.search(r"^   rank \d  superseded: .*\n      The ferry to Oslo is blue\.$", done.out, re.MULTILINE)
    assert "superseded   1 case with an old value above the new" in done.out
    assert "forbidden    1 case with what must not be shown" in done.out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--at-least", ".5"], 0),
        (["--at-least", ".6"], 1),
        (["--at-least", "1.5"], 2),
        (["--at-least", "fast"], 2),
        (["-k", "0"], 2),
    ],
)
def test_thresholds_decide_the_exit_code(run, said, file, options, code):
    """Brief: 0 all over the thresholds, 1 below, 2 bad input."""
    file.write_text(CASES.replace("at noon", "at midnight"), encoding="utf-8")
    done = run("eval", "cases.jsonl", *options)
    assert done.code == code
    assert done.err.startswith("error: ") == (code == 2)


def test_json_has_all_that_was_measured(run, said, file):
    """docs/commands.md names the keys."""
    done = run("eval", "cases.jsonl", "--json", "-k", "3")
    assert done.code == 0
    assert list(done.data) == ["location", "file", "figures", "cases"]
    assert done.data["file"] == "cases.jsonl"
    assert done.data["figures"]["recall"] == 1.0
    ferry, dog = done.data["cases"]
    assert len(ferry["hits"]) <= 3
    assert ferry["hits"][ferry["ranks"][0] - 1]["text"] == "The ferry leaves at noon."
    assert (dog["hits"], dog["recall"], dog["passed"]) == ([], None, True)


def test_without_a_file_the_memory_makes_its_own_cases(run, said):
    """Issue 7: cases from their corrections and `why` trails."""
    done = run("eval", "--json", "--at-least", "0")
    assert done.code == 0
    assert [case["name"].partition(" ")[0] for case in done.data["cases"]] == ["correction"]
    assert run("eval", "--at-least", "0").out.count("passed") == 1


def test_listed_cases_are_a_file_to_start_from(run, said, here):
    """`--list` prints JSON lines that `eval` takes."""
    listed = run("eval", "--list")
    assert listed.code == 0
    assert evaluate.read(listed.out, "own.jsonl")
    (here / "own.jsonl").write_text(listed.out, encoding="utf-8")
    from_file = run("eval", "own.jsonl", "--json", "--at-least", "0").data
    made = run("eval", "--json", "--at-least", "0").data
    assert [each["ranks"] for each in from_file["cases"]] == [each["ranks"] for each in made["cases"]]
    assert from_file["cases"][0]["name"] == made["cases"][0]["name"]


def test_a_memory_that_makes_no_case_says_so(run, here):
    """Nothing was found: exit code 1; no folder is made."""
    done = run("eval")
    assert done.code == 1
    assert "no case can be made" in done.err
    assert list(here.iterdir()) == []
    empty = run("eval", "--json")
    assert (empty.code, empty.data["cases"], empty.data["figures"]["cases"]) == (1, [], 0)


def test_a_file_that_cannot_be_used_is_named(run, said, here):
    """Brief: 2 for bad input, in one line with file and line."""
    (here / "bad.jsonl").write_text('\n{"question": "a", "expect": "b"}\n', encoding="utf-8")
    (here / "latin.jsonl").write_bytes(b'{"question": "a", "nothing": true}\n{"question": "\xe9"}\n')
    (here / "folder.jsonl").mkdir()
    for name, said_of_it in [
        ("bad.jsonl", "bad.jsonl:2: Object contains unknown field `expect`"),
        ("latin.jsonl", "latin.jsonl:2: this is not UTF-8"),
        ("folder.jsonl", "'folder.jsonl' cannot be read: Is a directory"),
        ("missing.jsonl", "'missing.jsonl' cannot be read: No such file"),
    ]:
        done = run("eval", name)
        assert done.code == 2
        assert done.err.startswith("error: ")
        assert said_of_it in done.err
        assert done.err.count("\n") == 1


def test_foreign_text_cannot_drive_the_terminal(run, here):
    """docs/commands.md: hidden characters are made visible."""
    case = {"name": "n\x1b[2J", "question": "which \x1b[31mferry", "expected": [{"text": "\x1b]0;x\x07"}]}
    (here / "cases.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    run("record", "The ferry \x1b[2J is blue.")
    done = run("eval", "cases.jsonl")
    assert done.code == 1
    assert "\x1b" not in done.out
    assert "\x1b" not in run("eval", "cases.jsonl", "--list").out


def test_a_table_is_drawn_on_a_terminal_in_colours(run, said, file, monkeypatch):
    """Colours on a terminal, plain text in a pipe."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[32m" in run("eval", "cases.jsonl", "--all").out
