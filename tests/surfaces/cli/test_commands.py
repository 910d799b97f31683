"""Every command: what it prints, what it leaves on disk, and its exit code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import msgspec
import pytest

from commonplace import Memory
from commonplace.errors import ModelSetupError, ModelUnavailableError
from commonplace.jobs.consolidators.choice import CONSOLIDATORS
from commonplace.jobs.consolidators.work import Consolidator
from commonplace.memory import opening
from commonplace.memory.designs import LAYOUTS
from commonplace.surfaces import importers
from commonplace.surfaces.cli import commands
from commonplace.testing import ScriptedLLM
from inside import by_name
from marking import in_one_test, slow_after

ESC = "\x1b"


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        # The index and what it has seen are derived: they may catch up whenever they are opened.
        if path.is_file() and not path.name.endswith(("-wal", "-shm", ".lock", ".sqlite"))
    }


def transcript(folder: Path, name: str = "talk.jsonl", lines: int = 3) -> Path:
    path = folder / name
    path.write_text(
        "".join(
            json.dumps({
                "type": "message", "session": "telegram:1", "id": f"m{n}", "role": "user",
                "text": f"The ferry number {n} leaves at noon.", "time": f"2026-11-0{n % 9 + 1}T09:00:00Z",
            }) + "\n"
            for n in range(lines)
        ),
        encoding="utf-8",
    )  # fmt: skip
    return path


def test_a_message_is_recorded_and_found_again(run):
    """Issue 2: when append returns, a search finds it."""
    assert run("record", "I", "moved", "to", "Oslo", "--name", "Ada", "--id", "m0").code == 0
    found = run("recall", "where did Ada move", "--json")
    assert found.code == 0
    assert [hit["text"] for hit in found.data["hits"]] == ["I moved to Oslo"]
    assert found.data["hits"][0]["sources"] == [{"session": "cli:main", "message": "m0"}]
    shown = run("recall", "where did Ada move")
    assert "I moved to Oslo" in shown.out
    assert "user Ada" in shown.out


def test_of_a_hit_only_the_words_that_are_over_are_called_so(run):
    """Issue 17: what no longer holds is marked, and what stands beside it is not."""
    run("record", "-s", "a", "I live in Porto and I'm allergic to peanuts.")
    run("consolidate")
    run("record", "-s", "b", "I moved to Lisbon.")
    run("consolidate")
    assert 'superseded: "I live in Porto"' in run("recall", "where do I live").out


def test_standard_input_is_recorded_whole(run):
    """Issue 2: a large message goes in, invalid UTF-8 is contained; one of 10 MB is in test_sessions."""
    long = b"word " * 20_000
    assert run("record", "--session", "s", stdin=long).code == 0
    assert len(run("show", "s", "--json").data["messages"][0]["content"]) == len(long)
    broken = run("record", "--session", "t", stdin=b"caf\xe9 at noon\x00")
    assert broken.code == 0
    assert "not UTF-8" in broken.err
    assert run("show", "t", "--json").data["messages"][0]["content"] == "caf\ufffd at noon⟦U+0000⟧"


def test_recording_an_id_again_changes_nothing(run, here):
    """DESIGN 6: append is idempotent on message id."""
    assert run("record", "tea", "--id", "x1", "--json").data["new"] is True
    before = files_of(here)
    again = run("record", "tea", "--id", "x1", "--json")
    assert again.data["new"] is False
    assert files_of(here) == before


def test_a_message_keeps_the_instant_it_is_given(run):
    """Issue 2: instants are stored in UTC."""
    assert run("record", "tea", "--at", "2026-03-01T10:00:00+02:00").code == 0
    assert run("show", "cli:main", "--json").data["messages"][0]["at"] == "2026-03-01T08:00:00Z"
    assert run("record", "tea", "--at", "noon").code == 2


@pytest.mark.parametrize(
    "command", slow_after(2, ["status", "dream", "reindex", "context", "log", "consolidate", "sessions"])
)
@pytest.mark.parametrize("kept", [None, "notes.txt"])
def test_a_folder_without_a_memory_is_named(run, here, command, kept):
    """Found in use: a mistyped folder was shown as a memory in which everything is 0."""
    if kept:
        (here / "elsewhere").mkdir()
        (here / "elsewhere" / kept).write_text("no memory", encoding="utf-8")
    done = run(command, "-C", "elsewhere")
    assert (done.code, done.out) == (1, "")
    assert "there is no memory at elsewhere yet" in done.err
    assert "-C names another folder" in done.err


@pytest.mark.parametrize("command", ["status", "dream", "reindex", "context"])
def test_a_memory_that_was_begun_may_be_empty(run, here, command):
    run("init", "-C", "begun")
    assert run(command, "-C", "begun").code == 0


def test_a_last_day_that_is_over_is_refused(run, here):
    done = run("remember", "Never push on Fridays", "--until", "2020-01-01")
    assert done.code == 2
    assert "its last day, 2020-01-01, is over" in done.err
    done = run("remember", "Never push on Fridays", "--from", "2999-12-30", "--until", "2999-12-25")
    assert done.code == 2
    assert "its last day, 2999-12-25, is before its first, 2999-12-30" in done.err


@pytest.mark.parametrize("stdin", [b"", b"  \n"])
def test_nothing_is_not_recorded(run, here, stdin):
    """Issue 2, bad input: empty."""
    done = run("record", stdin=stdin)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert list(here.iterdir()) == []


def test_importing_twice_changes_nothing(run, here):
    """Issue 2: importing twice changes nothing and says so."""
    path = transcript(here)
    first = run("import", str(path))
    assert "3 messages in 1 session, 3 new" in first.out
    before = files_of(here / "commonplace-memory")
    again = run("import", str(path))
    assert again.code == 0
    assert "3 messages in 1 session, 0 new" in again.out
    assert files_of(here / "commonplace-memory") == before


def test_of_an_imported_message_with_a_known_id_and_another_text_the_first_stays_and_is_named(run, here):
    """Found in use: one message of two under an id was dropped without a word; all others go in."""
    said = [("1", "The ferry leaves at noon."), ("1", "The train leaves at six."), ("2", "The bus leaves at one.")]
    lines = [json.dumps({"session": "chat:1", "role": "user", "id": own, "text": text}) for own, text in said]
    (here / "plain.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("import", "plain.jsonl")
    assert done.code == 0
    assert "3 messages in 1 session, 2 new; 1 problem" in done.out
    assert "plain.jsonl: message '1' of 'chat:1' is there with another text, which stays" in done.err


def test_an_import_can_be_trusted_less(run, here):
    """Issue 16: what others wrote is marked as theirs when it goes in."""
    path = transcript(here)
    assert run("import", str(path), "--trust", "tool").code == 0
    with Memory.open(here / "commonplace-memory", read_only=True) as memory:
        said = [m.message.trust for s in memory.sessions.list() for m in memory.sessions.read(s.id)]
    assert said
    assert set(said) <= {"tool", "web"}


def test_damaged_lines_are_named_and_the_rest_goes_in(run, here):
    """Issue 2: unknown or damaged lines are counted and named (file, line, reason)."""
    path = transcript(here)
    with path.open("a", encoding="utf-8") as stream:
        stream.write('{"type": "message", "text\n' * 25)
        stream.write('{"type": "marvel", "session": "x"}\n')
    done = run("import", str(path))
    assert done.code == 0
    assert "3 new" in done.out
    assert f"{path}:4: " in done.err
    assert "and 6 more, 26 in all" in done.err
    assert run("import", str(path), "--json").data["total"]["problems"] == 26


def test_lines_of_role_and_text_are_messages_and_a_file_without_any_is_said_to_hold_none(run, here):
    """The plainest transcript that a person writes goes in; what is none is not passed over in silence."""
    plain = {"session": "chat:1", "role": "user", "text": "The ferry leaves at noon.", "at": "2026-11-01T09:00:00Z"}
    (here / "plain.jsonl").write_text(json.dumps(plain) + "\n", encoding="utf-8")
    assert "1 message in 1 session, 1 new" in run("import", "plain.jsonl").out
    assert run("recall", "ferry", "--json").data["hits"][0]["at"] == "2026-11-01T09:00:00Z"
    (here / "none.jsonl").write_text('{"role": "user"}\n', encoding="utf-8")
    assert "no line of it is a message" in run("import", "none.jsonl").err
    assert run("demo", "none.jsonl").code == 2


def test_a_folder_of_transcripts_is_imported(run, here):
    """A person's transcripts lie in folders."""
    folder = here / "all of them"
    folder.mkdir()
    transcript(folder, "a.jsonl")
    (folder / "notes.txt").write_text("not a transcript", encoding="utf-8")
    done = run("import", str(folder), "--json")
    assert [Path(file["path"]).name for file in done.data["files"]] == ["a.jsonl"]
    assert done.data["total"]["new"] == 3


def test_an_import_of_a_folder_leaves_out_what_is_ours(run, here):
    """Our own logs and transcripts had each been named as damaged or unknown, with exit code 2."""
    (here / "a.jsonl").write_text('{"role":"user","content":"the ferry is late"}\n', encoding="utf-8")
    run("record", "hello")
    run("remember", "decided on tea", "--kind", "decision")
    other = here / "other"
    run("-C", str(other), "record", "hello")
    done = run("import", ".")
    assert (done.code, done.out) == (0, "a.jsonl: 1 message in 1 session, 1 new\n")
    assert done.err.startswith("left out: ")
    assert len(done.err.splitlines()) == 1
    again = run("import", ".", "--json").data
    assert [file["path"] for file in again["files"]] == ["a.jsonl"]
    assert again["left_out"] >= 4


def test_a_transcript_of_another_memory_is_copied_not_imported(run, here):
    """Issue 14: imported, it lost its name and brought back what was forgotten."""
    run("-C", "one", "record", "-s", "tg:1", "--id", "a", "I'm allergic to nuts.")
    run("-C", "one", "record", "-s", "tg:1", "--id", "b", "I live in Oslo.")
    run("-C", "one", "forget", "tg:1#b", "--yes")
    file = Path("one/sessions/tg%3A1.jsonl")
    done = run("-C", "two", "import", str(file))
    assert done.code == 2
    assert "is of commonplace itself: copy a transcript into" in done.err
    run("-C", "two", "record", "-s", "tg:2", "My desk is in room Alpha.")
    shutil.copy(file, "two/sessions")
    run("-C", "two", "consolidate", "tg:1")
    shown = run("-C", "two", "context").out
    assert "nuts" in shown
    assert "Oslo" not in shown + run("-C", "two", "show", "tg:1").out


def test_standard_input_is_imported(run, here):
    """`-` is standard input, as everywhere."""
    done = run("import", "-", stdin=transcript(here).read_bytes())
    assert "3 new" in done.out


def test_a_file_that_cannot_be_read_does_not_stop_the_others(run, here):
    """Issue 2: the rest goes in."""
    done = run("import", "missing.jsonl", str(transcript(here)))
    assert done.code == 2
    assert "error: 'missing.jsonl' cannot be read" in done.err
    assert "3 new" in done.out


def test_recall_of_nothing_says_so_and_makes_no_folder(run, here):
    """Exit code 1: nothing was found."""
    done = run("recall", "ferry")
    assert done.code == 1
    assert "there is no memory at" in done.err
    assert list(here.iterdir()) == []
    run("record", "tea")
    done = run("recall", "zeppelin")
    assert (done.code, done.out, done.err) == (1, "", "nothing fits\n")
    assert run("recall", "zeppelin", "--json").data["hits"] == []


@pytest.mark.parametrize(
    "query", slow_after(3, ['"', "AND OR NOT", "*", "a" * 100_000, "the of and", "(((", "x NEAR/3 y", "--", "\x00"])
)
def test_no_query_breaks_recall(run, query):
    """Issue 2: queries with operators, quotes, only stop words, 100 KB and NUL never break it."""
    run("record", "tea at noon")
    done = run("recall", "--", query)
    assert done.code in {0, 1}
    assert "Traceback" not in done.err


def test_a_message_is_named_by_its_session_in_every_command(run):
    """DESIGN 6: a message is `session#message`, in every command and answer."""
    run("record", "Please always answer in metric units.", "--session", "telegram:42", "--id", "m0")
    assert "telegram:42#m0" in run("recall", "metric units").out
    assert "telegram:42#m0" in run("forget", "telegram:42#m0", "--dry-run").out
    assert "telegram:42#m0: over the token budget" in run("context", "-q", "metric units", "--tokens", "20").err
    why = run("why", "telegram:42#m0").out
    assert "telegram:42#m0" in why
    assert why.count("metric units") == 1  # a message rests on nothing else
    assert "from telegram:42#m0" in run("consolidate").out
    noted = run("recall", "metric units", "--layer", "documents", "--json").data["hits"][0]["record"]
    assert "user · telegram:42#m0" in run("why", noted).out


def test_a_record_without_a_message_is_named_once(run):
    """A reader need not read an id twice."""
    run("remember", "Ada sails.")
    (head, _, name) = run("recall", "who sails").out.splitlines()
    assert head.endswith(" memory/facts/user.md")
    assert name.strip().startswith("memory/facts/user.md#")


def test_context_prints_the_text_and_draws_the_budget_beside_it(run):
    """The text alone goes down a pipe; what it costs is told on stderr."""
    run("record", "The ferry leaves at noon.", "--session", "old")
    done = run("context", "--query", "when does the ferry leave", "--tokens", "300")
    assert done.code == 0
    assert "The ferry leaves at noon." in done.out
    assert "of 300 tokens" in done.err
    data = run("context", "-q", "ferry", "--json").data
    assert {"location", "stable", "volatile", "budget", "tokens", "sections", "dropped", "warnings"} == set(data)
    assert data["tokens"] <= data["budget"]


def test_context_names_what_was_left_out_and_why(run):
    """DESIGN: a hard budget with the reason for each record dropped."""
    run("record", "The ferry leaves at noon. " * 40, "--session", "old")
    done = run("context", "--query", "ferry", "--tokens", "100")
    assert "left out: 1 record" in done.err
    assert "over the token budget" in done.err
    done = run("context", "--query", "ferry", "--session", "old")
    assert "1 live message of the session" in done.err


def test_sessions_are_listed_latest_first(run, here):
    """`sessions` prints what `sessions.list` gives."""
    assert run("sessions").code == 1
    run("record", "a", "--session", "one", "--at", "2026-01-01T00:00:00Z")
    run("record", "b", "--session", "two", "--at", "2026-01-02T00:00:00Z")
    assert [session["id"] for session in run("sessions", "--json").data["sessions"]] == ["two", "one"]
    assert run("sessions").out.splitlines()[1].split()[:2] == ["two", "1"]


def test_a_session_is_listed_with_what_it_began_with(run):
    """A name such as that of a coding agent's transcript says nothing to a person."""
    run("record", "You are a helpful assistant.", "--role", "system", "--session", "d703a1a9-1b7b-4fb1")
    run("record", "Why is the build red?", "--session", "d703a1a9-1b7b-4fb1")
    assert run("sessions").out.splitlines()[1].endswith("Why is the build red?")


def test_show_gives_sessions_records_and_files(run, here):
    """`show ID`: a session, a record or a file."""
    run("record", "tea", "--session", "Kanal:Ä/1", "--id", "m0")
    record = run("recall", "tea", "--json").data["hits"][0]["record"]
    assert run("show", record, "--json").data["record"]["content"] == "tea"
    assert "tea" in run("show", "Kanal:Ä/1").out
    (path,) = Path("commonplace-memory/sessions").iterdir()
    assert run("show", f"sessions/{path.name}#m0", "--json").data["record"]["content"] == "tea"
    assert '"content":"tea"' in run("show", f"sessions/{path.name}").out


@pytest.mark.parametrize(
    ("wanted", "code"),
    slow_after(
        3,
        [
            ("../secret.txt", 2),
            ("/etc/hostname", 2),
            ("link.txt", 2),
            ("nothing", 1),
            ("", 2),
            ("sessions/x#m1", 1),
            ("a\0b", 2),
        ],
    ),
)
def test_show_never_leaves_the_memory(run, here, wanted, code):
    """Issue 2: ids and paths that try to leave the root, symlinks out of it."""
    run("record", "tea")
    (here / "secret.txt").write_text("do not show this", encoding="utf-8")
    (here / "commonplace-memory" / "link.txt").symlink_to(here / "secret.txt")
    done = run("show", wanted)
    assert done.code == code
    assert "do not show" not in done.out
    assert done.err.startswith("error: ")


def test_doctor_writes_only_with_fix(run, here):
    """Issue 2: doctor finds every damaged record, and writes only with --fix."""
    run("record", "tea", "--session", "s")
    run("recall", "tea")
    assert run("doctor").code == 0
    path = next((here / "commonplace-memory" / "sessions").iterdir())
    path.write_bytes(path.read_bytes() + b'{"type":"message","n":1,"id"\n')
    before = files_of(here)
    done = run("doctor")
    assert done.code == 1
    assert "s.jsonl:3" in done.out
    assert files_of(here) == before
    data = run("doctor", "--json").data
    assert data["ok"] is False
    assert any(problem["path"].endswith("s.jsonl") and problem["line"] == 3 for problem in data["problems"])


def test_reindex_makes_the_index_again(run, here):
    """Issue 2: damaged or deleted, the index is rebuilt."""
    run("record", "tea")
    index = here / "commonplace-memory" / ".commonplace" / "index.sqlite"
    run("recall", "tea")
    index.write_bytes(b"not a database")
    assert run("recall", "tea").code == 0
    done = run("reindex", "--json")
    assert done.data["files"] == 1
    assert run("doctor").code == 0


def test_scopes_are_apart_and_chains_are_read_in_order(run):
    """DESIGN 5: reads follow the chain, writes go to the first."""
    run("record", "the ada tea", "--scope", "user:ada")
    run("record", "the common tea")
    assert [hit["text"] for hit in run("recall", "tea", "--json").data["hits"]] == ["the common tea"]
    both = run("recall", "tea", "--scope", "user:ada", "--scope", "default", "--json").data["hits"]
    assert {hit["text"] for hit in both} == {"the ada tea", "the common tea"}
    assert run("recall", "tea", "--scope", "../x").code == 2


def test_options_of_place_stand_before_or_after_the_command(run, here):
    """Where they stand makes no difference; the later wins."""
    run("-C", "one", "record", "tea")
    assert (here / "one" / "sessions").is_dir()
    assert run("recall", "tea", "-C", "one").code == 0
    assert run("-C", "two", "recall", "tea", "-C", "one").code == 0


def test_the_location_is_found_as_documented(run, here, monkeypatch):
    """docs/commands.md: -C, the environment, a memory here, ./commonplace-memory."""
    run("record", "tea")
    assert (here / "commonplace-memory").is_dir()
    monkeypatch.setenv("COMMONPLACE_LOCATION", str(here / "from the environment"))
    run("record", "tea")
    assert (here / "from the environment" / "sessions").is_dir()
    monkeypatch.delenv("COMMONPLACE_LOCATION")
    monkeypatch.chdir(here / "commonplace-memory")
    assert run("recall", "tea").code == 0


def test_knobs_come_from_a_file_and_the_environment(run, here, monkeypatch):
    """Config: defaults, then a file, then the environment."""
    run("init")
    (here / "knobs.toml").write_text("[context]\ntokens = 700\n", encoding="utf-8")
    assert run("context", "--json").data["budget"] == 2000
    assert run("context", "--json", "--config", "knobs.toml").data["budget"] == 700
    monkeypatch.setenv("COMMONPLACE_CONTEXT_TOKENS", "800")
    assert run("context", "--json", "--config", "knobs.toml").data["budget"] == 800
    assert run("context", "--json", "--tokens", "900").data["budget"] == 900
    monkeypatch.setenv("COMMONPLACE_CONTEXT_TOKEN", "5")
    monkeypatch.setenv("COMMONPLACE_PLUGIN", "not ours")
    wrong = run("context")
    assert (wrong.code, "nearest is COMMONPLACE_CONTEXT_TOKENS" in wrong.err) == (2, True)


@pytest.mark.parametrize(
    "text",
    [
        "[context]\ntokens = 'many'\n",
        "[contexts]\n",
        "[context]\ntoken = 3\n",
        "not toml",
        "timezone = 'Mars/Olympus'\n",
    ],
)
def test_a_file_of_knobs_that_cannot_be_used_is_an_error(run, here, text):
    """A knob that does not exist is named, never passed over."""
    (here / "knobs.toml").write_text(text, encoding="utf-8")
    done = run("context", "--config", "knobs.toml")
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "Traceback" not in done.err


BAD = [
    ["nonsense"],
    ["recall"],
    ["recall", "x", "-k", "0"],
    ["recall", "x", "--layer", "cellar"],
    ["record", "x", "--role", "king"],
    ["record", "x", "--session", " "],
    ["record", "x", "--session", "a\x1b[2J"],
    ["record", "x", "--session", "s" * 2000],
    ["record", "x", "--id", ""],
    ["context", "--tokens", "0"],
    ["import"],
    ["import", "."],
    ["import", "--format", "runes", "x.jsonl"],
    ["show"],
    ["--layout", "cathedral", "recall", "x"],
    ["--config", "missing.toml", "recall", "x"],
    ["--scope", "a", "--scope", "a", "recall", "x"],
    ["-C", "a\0b", "recall", "x"],
    ["demo", "missing.jsonl"],
]


@in_one_test("arguments", BAD, ids=[" ".join(each)[:40].encode("unicode_escape").decode() for each in BAD])
def test_bad_input_is_one_line_and_exit_code_2(run, arguments):
    """Issue 2: a typed error or a contained result, never a traceback in the CLI."""
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert ESC not in done.err


def test_control_bytes_in_stored_text_never_reach_the_terminal(run, here):
    """All printed foreign text is made visible first, also text that came past the guard."""
    run("record", "tea", "--session", "s")
    run("context")
    (here / "commonplace-memory" / "evil.md").write_text("a\x1b]0;owned\x07b\u202ec", encoding="utf-8")
    shown = run("show", "evil.md")
    assert ESC not in shown.out
    assert "⟦U+001B⟧" in shown.out
    as_json = run("show", "evil.md", "--json")
    assert ESC not in as_json.out
    assert "\u202e" not in as_json.out
    assert as_json.data["text"] == "a\x1b]0;owned\x07b\u202ec"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_exit_code_3(run, here):
    """Issue 2: EACCES is a typed error."""
    (here / "locked").mkdir(mode=0o500)
    assert run("-C", "locked/memory", "record", "tea").code == 3


def test_a_location_that_is_a_file_is_exit_code_2_or_3(run, here):
    """Bad input: a location that is no folder."""
    (here / "file").write_text("x", encoding="utf-8")
    done = run("-C", "file", "record", "tea")
    assert done.code in {2, 3}
    assert done.err.startswith("error: ")


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error(here):
    """A closed pipe: whoever read our output has enough."""
    process = [sys.executable, "-m", "commonplace"]
    text = "a line of text\n" * 7_000
    subprocess.run([*process, "record", "--session", "s"], input=text.encode(), check=True, capture_output=True)
    shown = subprocess.Popen([*process, "show", "s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    shown.stdout.readline()
    shown.stdout.close()
    errors = shown.stderr.read()
    shown.stderr.close()
    assert shown.wait(timeout=60) == 0
    assert errors == b""


@pytest.mark.slow
def test_output_needs_no_utf8_terminal(here):
    """A terminal that cannot write a character gets an escape, not a traceback."""
    process = [sys.executable, "-m", "commonplace"]
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    subprocess.run([*process, "record", "naïve 日本 🙂"], check=True, capture_output=True, env=environment)
    shown = subprocess.run([*process, "show", "cli:main"], check=True, capture_output=True, env=environment)
    assert b"\\u65e5" in shown.stdout
    assert shown.stderr == b""


def test_colours_are_for_terminals(run, monkeypatch):
    """Colours on a terminal, plain text in a pipe; NO_COLOR wins."""
    run("record", "tea")
    assert ESC not in run("recall", "tea").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert ESC in run("recall", "tea").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert ESC not in run("recall", "tea").out


@in_one_test("name", sorted(commands.COMMANDS))
def test_every_command_explains_itself(run, name):
    """Each command has help, and those on a memory name where it is looked for."""
    done = run(name, "--help")
    assert done.code == 0
    assert "--location" in done.out or name == "layout"


def test_help_fits_the_page(run):
    """The list of commands names each, within 100 columns."""
    done = run()
    assert done.code == 0
    assert all(f"  {name} " in done.out for name in commands.COMMANDS)
    assert max(map(len, done.out.splitlines())) <= 100


def test_json_is_valid_unicode_whatever_the_bytes_of_an_argument(run, here):
    """An argument that is no UTF-8 had come out as half a character, which no strict reader of JSON takes."""
    run("record", "The ferry is late.")
    done = run("recall", "\udcff ferry", "--json")
    assert done.code == 0
    assert "ud" + "cff" not in done.out
    assert done.data["query"] == "⟦U+DCFF⟧ ferry"
    (here / "\udcff.md").write_text("x", encoding="utf-8")
    assert run("import", "\udcff.md", "--json").data["files"][0]["path"] == "⟦U+DCFF⟧.md"


def test_a_session_in_two_files_is_counted_once(run, here):
    """Issue 17: an import counts sessions as `sessions` shows them."""
    folder = here / "said"
    folder.mkdir()
    for number in range(2):
        line = {
            "session_id": "cli:main",
            "messages": [{"role": "user", "content": f"Part {number}", "id": f"p{number}"}],
        }
        (folder / f"{number}.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert run("import", str(folder), "--json").data["total"]["sessions"] == 1
    assert [each["id"] for each in run("sessions", "--json").data["sessions"]].count("cli:main") == 1


def test_a_memory_is_opened_again_in_the_layout_that_it_was_begun_with(run, here):
    """Issue 17, a new user: after an import with --layout, `sessions` said that there were none."""
    folder = str(here / "two")
    assert run("-C", folder, "remember", "Keeps bees.", "--layout", "two-layer").code == 0
    assert (here / "two/memory/MEMORY.md").read_text(encoding="utf-8") == "- Keeps bees.\n"
    assert "Keeps bees." in run("-C", folder, "context").out
    assert run("-C", folder, "remember", "Keeps goats.").code == 0
    assert "Keeps goats." in (here / "two/memory/MEMORY.md").read_text(encoding="utf-8")
    assert run("-C", folder, "context", "--layout", "native").code in {0, 1}
    assert "Keeps goats." in run("-C", folder, "context").out


@pytest.mark.parametrize("scope", ["default", "user:42"])
def test_a_memory_begun_in_python_is_opened_by_the_command_in_its_layout(run, here, caplog, scope):
    """Issue 17: the first write notes the layout, in the folder that was named; another layout is said each time."""
    with Memory.open(here / "two", scope=scope, layout="two-layer") as memory:
        memory.remember("Keeps bees.")
    assert "Keeps bees." in run("-C", str(here / "two"), "--scope", scope, "context").out
    assert run("-C", str(here / "two"), "--scope", scope, "remember", "Keeps goats.").code == 0
    caplog.clear()
    for _ in range(2):
        with Memory.open(here / "two", scope=scope, layout="native") as memory:
            assert "kept in the layout 'two-layer'" in caplog.text
        caplog.clear()
    with Memory.open(here / "two", scope=scope, layout="two-layer") as memory:
        assert "Keeps bees.\n- Keeps goats." in memory.document("memory")
    assert caplog.text == ""


def test_a_layout_from_a_file_is_noted_by_its_path_and_a_value_by_its_name(run, here):
    """Issue 17: a command finds the file from any folder, and says which layout it does not know."""
    file = Path(__file__).parents[2] / "layouts/designs/blocks.toml"
    with Memory.open(here / "one", layout=str(file)) as memory:
        memory.remember("Keeps bees.")
    assert (here / "one/.commonplace/layout").read_text(encoding="utf-8") == f"{file}\n"
    assert "Keeps bees." in run("-C", str(here / "one"), "context").out
    with Memory.open(here / "two", layout=msgspec.structs.replace(LAYOUTS["two-layer"], name="own")) as memory:
        memory.remember("Keeps bees.")
    failed = run("-C", str(here / "two"), "context")
    assert failed.code == 2
    assert "there is no layout 'own'" in failed.err


def test_an_error_names_the_knob_the_field_and_the_folder_and_says_what_may_be_there(run, here):
    """It had said `$.retention[...]`, `Invalid enum value` alone, and a path below the file that is no folder."""
    (here / "knobs.toml").write_text("[context]\ntokens = 'many'\n", encoding="utf-8")
    assert "the knob context.tokens has a value it cannot have" in run("--config", "knobs.toml", "status").err
    layer = "[[layers]]\nname = 'n'\nkind = 'document'\npath = 'N.md'\n"
    (here / "my.toml").write_text(f"name = 'my'\n{layer}[targets]\nfact = 'n'\n", encoding="utf-8")
    assert "documents, journals, topics, items" in run("layout", "check", "my.toml").err
    done = run("-C", "my.toml", "remember", "Keeps bees.")
    assert done.code == 2
    assert "is a file; name the folder of a memory" in done.err


def test_layouts_are_listed_with_what_they_write_and_checked_for_what_they_keep(run, here):
    """Issue 18: what the rules keep nowhere is no mistake, and is said."""
    listed = run("layout", "list").out.splitlines()
    assert "graph       linked nodes in a tree, written by a background worker" in listed
    assert all(len(line.split()) > 3 for line in listed)
    job = "[[jobs]]\nname = 'note'\nconsolidator = 'rules'\n"
    layer = "[[layers]]\nname = 'n'\nkind = 'documents'\npath = 'N.md'\n"
    (here / "my.toml").write_text(f"name = 'my'\n{layer}{job}[targets]\nfact = 'n'\ntask = 'n'\n", encoding="utf-8")
    said = run("layout", "check", "my.toml").out
    assert "kept nowhere: preference, instruction, constraint, decision, environment, failure, fix; see targets" in said


def test_a_dead_server_costs_nothing_and_is_named_with_the_next_try(run, here, monkeypatch):
    """Issue 17.1: `consolidate` and `status` say what failed and when it is tried again; the exit code is 5."""
    down = ModelUnavailableError("no connection; is the server running?")
    monkeypatch.setattr(opening, "model_of", lambda llm, config: ScriptedLLM([down] * 2) if llm else None)
    run("record", "Please always answer in metric units.", "--session", "chat:1")
    before = files_of(here / "commonplace-memory/sessions")
    done = run("consolidate", "--model", "openai:gpt")
    assert done.code == 5
    assert "tried again" in done.out + done.err
    asked = run("status")
    assert asked.code == 5
    assert "tried again" in asked.out
    assert files_of(here / "commonplace-memory/sessions") == before
    assert not list(here.rglob("facts/user.md"))
    assert run("reset", "chat:1", "--model", "openai:gpt").code == 5
    with Memory.open(here / "commonplace-memory", jobs="worker") as memory:
        assert [each.text for each in memory.sessions.window("chat:1")] == ["Please always answer in metric units."]
        assert memory.recall("metric units")


@pytest.mark.parametrize("consolidated", [False, True])
def test_a_compaction_without_the_model_says_what_failed(run, monkeypatch, consolidated):
    """Issue 17: exit code 0, and not a word of the summary if that alone failed."""
    down = ModelUnavailableError("no connection; is the server running?")
    monkeypatch.setattr(opening, "model_of", lambda llm, config: ScriptedLLM([down] * 2) if llm else None)
    for text in ("I live in Oslo.", "The hull is oak."):
        run("record", text, "--session", "chat:1")
    if consolidated:
        run("consolidate")
    done = run("compact", "chat:1", "--keep", "1", "--model", "openai:gpt")
    assert done.code == 5
    assert "no summary from the model: no connection; is the server running? (tried again at" in done.err
    assert ("attempt 1 of 5" in done.err) is not consolidated


def test_all_sessions_that_failed_together_are_counted(run, monkeypatch):
    """Issue 17.1: only the first of them was named."""
    down = ModelUnavailableError("no connection; is the server running?")
    monkeypatch.setattr(opening, "model_of", lambda llm, config: ScriptedLLM([down] * 2) if llm else None)
    run("record", "I live in Oslo.", "--session", "chat:1")
    run("record", "My flight to Lisbon is on 7 April.", "--session", "chat:2")
    assert "chat:1 and 1 more: no connection" in run("consolidate", "--model", "openai:gpt").err


@pytest.mark.parametrize("command", [("consolidate",), ("reset", "chat:1"), ("end", "chat:1")])
def test_a_key_that_is_not_accepted_says_what_stays_due(run, monkeypatch, command):
    """Issue 17.1: what was said is tried again with the next job."""
    shut = ModelSetupError("the server does not accept the key; check it")
    monkeypatch.setattr(opening, "model_of", lambda llm, config: ScriptedLLM([shut] * 2) if llm else None)
    run("record", "I live in Oslo.", "--session", "chat:1")
    done = run(*command, "--model", "openai:gpt")
    assert done.code == 5
    assert "check it; what was said stays due and is tried again with the next job" in done.err


def test_a_raw_entry_in_place_of_a_model_is_named_as_a_failure(run, here, monkeypatch):
    """Issue 17.1: exit code 0, and `failed 0`."""
    down = ModelUnavailableError("no connection; is the server running?")
    monkeypatch.setattr(opening, "model_of", lambda llm, config: ScriptedLLM([down] * 2) if llm else None)
    run("init", "--layout", "two-layer")
    run("record", "Please always answer in metric units.", "--session", "chat:1")
    done = run("consolidate", "--model", "openai:gpt")
    assert done.code == 5
    assert "the model did not do it: no connection" in done.out + done.err
    asked = run("status")
    assert asked.code == 5
    assert "no connection; is the server running?; kept as it is in a raw entry, and not tried again" in asked.out
    run("record", "The kitchen is painted blue.", "--session", "chat:1")
    assert run("consolidate").code == 0
    assert run("status").code == 0


def test_a_range_that_can_be_done_by_nobody_is_named_until_it_is_done(run, here, monkeypatch):
    """Issue 17.1: dead letters."""

    def fails(_work):
        raise RecursionError

    run("record", "Please always answer in metric units.", "--session", "chat:1")
    with monkeypatch.context() as patched:
        patched.setitem(by_name(CONSOLIDATORS), "summarise", Consolidator(fails))
        done = run("consolidate")
        assert (done.code, "by no model and by no rule" in done.out) == (2, True)
    named = "chat:1, consolidate, from message 0; `commonplace consolidate chat:1` reads it again"
    assert named in run("status").out
    assert named in run("worker", "--status").out
    assert run("consolidate").out.startswith("applied:")
    assert named not in run("status").out


def test_the_list_of_commands_says_each_whole(run, monkeypatch):
    """A sentence that is cut off helps nobody."""
    monkeypatch.setenv("COLUMNS", "80")
    assert "..." not in run("--help").out.partition("Commands:")[2]


def test_a_scope_that_is_empty_names_the_others(run):
    """What was kept under another name is not simply gone."""
    run("--scope", "team", "remember", "The team deploys on Tuesdays.")
    run("record", "hello")
    assert "--scope names another, as team" in run("recall", "deploys").err
    assert run("status", "--json").data["other_scopes"] == ["team"]


def test_a_command_that_finds_nothing_to_change_makes_no_folder(run, here):
    """DESIGN 6: nothing but an explicit write makes a memory."""
    assert run("undo", "1").code == 1
    assert run("doctor").out.endswith("there is nothing here to check\n")
    assert list(here.iterdir()) == []


def test_a_record_rests_on_no_message_that_is_not_there(run):
    """A source that nobody can look up is a slip of the fingers."""
    run("record", "I like tulips.", "--id", "m0")
    assert run("remember", "Likes tulips.", "--source", "cli:main#m9").code == 1
    assert run("remember", "Likes tulips.", "--source", "cli:main#m0").code == 0


def test_the_version_is_that_of_the_installed_distribution(run):
    """DESIGN 7: the distribution is called commonplace-memory, the command commonplace."""
    assert run("--version").out == f"commonplace {version('commonplace-memory')}\n"


def test_help_and_errors_of_import_name_the_same_formats(run, here):
    """Found in use: the error listed openai and anthropic, --help did not."""
    (here / "talk.json").write_text("[]", encoding="utf-8")
    said = [run("import", "--help").out, run("import", "--format", "chatgpt", "talk.json").err]
    assert all(importers.KNOWN in " ".join(each.split()) for each in said)
