"""The demo: what a person sees first."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from commonplace.surfaces.cli import demo, sample, terminal

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The folder that the demo ran in, in a process of its own, and what it printed."""
    folder = tmp_path_factory.mktemp("a folder with spaces and ümläute")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COMMONPLACE_")}
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", "demo"],
        cwd=folder,
        capture_output=True,
        check=True,
        env=environment | {"COLUMNS": "100"},
    )
    assert done.stderr == b""
    return folder, done.stdout.decode("utf-8")


def test_the_demo_shows_every_part_within_100_columns(shown):
    """Issue 2: a sample of several weeks is recorded, asked, shown with its budget and its folder."""
    folder, out = shown
    assert [title for title in demo.PARTS if title not in out] == []
    assert [question for question, _ in sample.QUESTIONS if question not in out] == []
    assert "⟦secret:" in out
    assert sample.PASTED_KEY not in out
    assert "from web, unverified" in out
    lines = [line for line in out.splitlines() if str(folder) not in line]  # a path is said whole
    assert max(map(terminal.width_of, lines)) <= 100
    assert "demo-memory" in out
    assert "\x1b" not in out


def test_the_demo_answers_its_questions(shown):
    """Issue 2: five questions are answered with the messages they come from."""
    assert "shown 5 times of 5" in shown[1]


def test_the_demo_corrects_a_memory_explains_it_and_takes_it_back(shown, run):
    """Issue 3: the demo shows a correction, its history, a `why` and an `undo`."""
    folder, out = shown
    part = out[out.index("It is written down, corrected, explained and taken back") :]
    places = [part.index(word) for word in ("remember\n", "update\n", "why\n", "undo  and undo of the undo")]
    assert places == sorted(places)
    _, changed, explained, undone = (part[at:end] for at, end in zip(places, [*places[1:], None], strict=True))
    assert "-The station in Malmö has 14 gauges." in changed
    assert "+The station in Malmö has 17 gauges." in changed
    assert "Marta corrected it" in explained
    assert "the Malmö station has 17 gauges" in explained  # the message it rests on, quoted
    assert "+The station in Malmö has 14 gauges." in undone
    log = run("-C", f"{folder}/demo-memory", "log", "--json").data["changes"]
    assert sum(each["undoes"] is not None for each in log) == 2
    assert any(each["reason"] == "Marta corrected it" for each in log)


def test_the_demo_starts_fresh_each_time(run, here):
    """A rerun shows the same; what was recorded by hand meanwhile is gone with the folder."""
    (here / "own.jsonl").write_text('{"type": "message", "session": "s", "role": "user", "text": "tea"}\n', "utf-8")
    run("demo", "own.jsonl")
    run("-C", "demo-memory", "record", "zeppelin")
    run("demo", "own.jsonl")
    assert run("-C", "demo-memory", "recall", "zeppelin").code == 1
    assert run("-C", "demo-memory", "recall", "tea").code == 0


def test_the_demo_never_empties_a_folder_that_is_not_its_own(run, here):
    """A folder without the demo's mark is left alone."""
    (here / "mine").mkdir()
    (here / "mine" / "letter.txt").write_text("dear", encoding="utf-8")
    done = run("demo", "-C", "mine")
    assert done.code == 2
    assert (here / "mine" / "letter.txt").read_text(encoding="utf-8") == "dear"


def test_the_demo_ignores_the_location_of_the_environment(run, here, monkeypatch):
    """It empties its folder, so it never takes the one that memory is kept in."""
    monkeypatch.setenv("COMMONPLACE_LOCATION", str(here / "mine"))
    (here / "own.jsonl").write_text('{"type": "message", "session": "s", "role": "user", "text": "coal"}\n', "utf-8")
    run("record", "tea")
    assert run("demo", "own.jsonl").code == 0
    assert run("recall", "tea").code == 0


def test_a_persons_own_transcript_is_shown(run, here):
    """Issue 2: `make demo TRANSCRIPT=path`."""
    words = ["granite harbour lighthouse keepers", "walnut kitchen cupboards painted", "cobalt bicycle frames welded"]
    lines = [
        {
            "type": "message",
            "session": f"s{at}",
            "role": "user",
            "text": f"We talked about {text} for a long while today.",
        }
        for at, text in enumerate(words)
    ]
    (here / "own.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "{broken\n", encoding="utf-8")
    done = run("demo", "own.jsonl")
    assert done.code == 0
    assert "3 messages in 3 sessions, 3 new" in done.out
    assert "own.jsonl:4: " in done.err
    asked = re.search(r"recall '(.+)'", done.out)
    assert asked is not None
    assert run("-C", "demo-memory", "recall", asked[1]).code == 0  # what it says to try finds something


def test_a_transcript_that_is_none_is_an_error(run, here):
    """Bad input: an empty file, and a picture."""
    (here / "empty.jsonl").write_bytes(b"")
    assert run("demo", "empty.jsonl").code == 2
    (here / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    assert run("demo", "picture.png").code == 2


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_colours_change_no_text(run, monkeypatch, columns):
    """Colours on a terminal, the same text in a pipe."""
    monkeypatch.setenv("COLUMNS", columns)
    steady = re.compile(r"\d+\.\d s|nonce=.*|[\d,]+ bytes|\d{4}-\d\d-\d\d \d\d:\d\d")
    plain = steady.sub("", run("demo").out)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert steady.sub("", ANSI.sub("", run("demo").out)) == plain


def test_what_it_says_to_try_can_be_typed_where_the_command_is_not_on_the_path(run, here, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.argv", [str(here / "bin" / "commonplace")])
    assert "bin/commonplace -C demo-memory recall " in run("demo").out
