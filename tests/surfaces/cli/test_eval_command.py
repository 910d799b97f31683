"""`commonplace eval`: what it prints, and the exit code a CI reads."""

from __future__ import annotations

import json

import pytest

CASES = """\
{"name": "ferry", "question": "when does the ferry leave", "expected": [{"text": "at noon"}]}
{"name": "dog", "question": "zeppelin", "nothing": true}
"""


@pytest.fixture
def file(run, here):
    """A file of two cases that pass, beside a memory of two messages."""
    for number, words in enumerate(["The ferry leaves at noon.", "The ferry to Oslo is blue."]):
        run("record", words, "--session", "cli:main", "--id", f"m{number}")
    path = here / "cases.jsonl"
    path.write_text(CASES, encoding="utf-8")
    return path


def test_a_case_that_fails_says_what_was_shown_instead(run, file):
    """Each case that passes is counted; the exit code is that of the worst."""
    done = run("eval", "cases.jsonl")
    assert (done.code, done.err) == (0, "")
    assert "passed  2 of 2 cases\nrecall  1.000 of what was expected\n" in done.out
    file.write_text(
        CASES.replace("at noon", "at midnight")
        + '{"name": "colour", "question": "the blue ferry", "forbidden": [{"text": "is blue"}]}\n',
        encoding="utf-8",
    )
    done = run("eval", "cases.jsonl")
    assert done.code == 1
    assert "✗ when does the ferry leave  ferry\n   missed  text at midnight\n   1  " in done.out
    assert "✗ the blue ferry  colour\n   forbidden  rank 1\n" in done.out
    assert "passed  1 of 3 cases" in done.out
    assert run("eval", "cases.jsonl", "--at-least", ".3").code == 0
    assert run("eval", "cases.jsonl", "--at-least", "1.5").code == 2


def test_json_has_all_that_was_measured(run, file):
    """docs/commands.md names the keys."""
    done = run("eval", "cases.jsonl", "--json")
    assert list(done.data) == ["location", "file", "figures", "cases"]
    assert (done.data["figures"]["passed"], done.data["figures"]["recall"]) == (1.0, 1.0)
    ferry, dog = done.data["cases"]
    assert ferry["hits"][ferry["ranks"][0] - 1]["text"] == "The ferry leaves at noon."
    assert (dog["hits"], dog["passed"]) == ([], True)


def test_a_file_that_cannot_be_used_is_named(run, here):
    """Exit code 2 and one line, with file and line."""
    (here / "bad.jsonl").write_text('\n{"question": "a", "expect": "b"}\n', encoding="utf-8")
    (here / "latin.jsonl").write_bytes(b'{"question": "a", "nothing": true}\n{"question": "\xe9"}\n')
    for name, said_of_it in [
        ("bad.jsonl", "bad.jsonl:2: Object contains unknown field `expect`"),
        ("latin.jsonl", "latin.jsonl:2: this is not UTF-8"),
        ("missing.jsonl", "'missing.jsonl' cannot be read: No such file"),
    ]:
        done = run("eval", name)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert said_of_it in done.err


def test_foreign_text_cannot_drive_the_terminal(run, file):
    """docs/commands.md: hidden characters are made visible."""
    case = {"name": "n\x1b[2J", "question": "which \x1b[31mferry", "expected": [{"text": "\x1b]0;x\x07"}]}
    file.write_text(json.dumps(case) + "\n", encoding="utf-8")
    done = run("eval", "cases.jsonl")
    assert done.code == 1
    assert "\x1b" not in done.out
