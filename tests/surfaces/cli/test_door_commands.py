"""The commands that change memory and look back."""

from __future__ import annotations

import sys
from functools import partial

import pytest

from commonplace import Memory, Message
from commonplace.changes.actors import PERSON, TOOL
from commonplace.jobs.running import Wanted
from commonplace.store.files.disk import Disk
from inside import commits_of, scope_of
from marking import in_one_test


@pytest.fixture
def noted(run):
    """One message, and one memory that rests on it; gives the record's id."""
    run("record", "I drink green tea now", "--session", "cli:main", "--id", "m0")
    done = run("remember", "Ada drinks green tea.", "--source", "cli:main#m0", "--json")
    assert done.code == 0
    return done.data["outcome"]["records"][0]


def test_what_is_remembered_stands_in_a_file_and_in_the_context(run, noted):
    """Issue 3: memory can be written by hand."""
    assert "Ada drinks green tea." in run("show", noted.partition("#")[0]).out
    assert "Ada drinks green tea." in run("context").out
    assert run("show", noted, "--json").data["record"]["text"] == "Ada drinks green tea."


def test_remembering_it_again_says_so(run, noted):
    """A duplicate is no error and changes nothing."""
    done = run("remember", "Ada drinks green tea.", "--json")
    assert done.code == 0
    assert done.data["outcome"]["status"] == "duplicate"


def test_a_secret_is_refused_and_never_printed(run):
    """DESIGN 1.7: an explicit write with a secret is refused, naming the class."""
    secret = "sk-" + "demo" + "0123456789abcdef" * 2
    done = run("remember", f"the key is {secret}")
    assert done.code == 2
    assert done.err.startswith("error: refused")
    assert secret not in done.out + done.err


def test_a_correction_keeps_its_history_and_can_be_taken_back(run, noted):
    """Issue 3: a correction, its history, a `why` and an `undo`."""
    changed = run("update", noted, "Ada", "drinks", "black", "tea.", "--json").data["outcome"]
    why = run("why", changed["records"][0])
    assert "Ada drinks green tea." in why.out
    assert "I drink green tea now" in why.out
    assert run("diff", str(changed["change"])).out.splitlines()[-2:] == [
        "-Ada drinks green tea.",
        "+Ada drinks black tea.",
    ]
    undone = run("undo", str(changed["change"]))
    assert undone.code == 0
    assert "Ada drinks green tea." in run("show", noted.partition("#")[0]).out
    log = run("log", "--json").data["changes"]
    assert log[0]["undoes"] == changed["change"]
    assert "undo" in run("log").out


def test_a_change_of_another_scope_is_told_with_its_scope(run):
    """Bug: "done, change 2" was the second scope's, and nothing said so; a number is the first one's, as in `log`."""
    team, both = ("--scope", "team"), ("--scope", "u:1", "--scope", "team")
    run("remember", "Team lunch is at noon.", "--kind", "decision", *team)
    for text in ("Ada lives in Oslo.", "Ada sails."):
        assert run("remember", text, "--kind", "decision", *both).out.splitlines()[0][-1] in "12"
    fixed = run("remember", "Team lunch is at one.", "--kind", "decision", "--to", "team", *both)
    assert fixed.out.startswith("done, change 2 of team: beside")
    assert "Ada sails." in run("diff", "2", *both).out
    assert "Team lunch is at one." in run("diff", "2", *team).out
    assert run("undo", "2", *team).code == 0
    refused = run("forget", "Team lunch is at noon.", *both)
    assert (refused.code, "(--scope team) to change it" in refused.err) == (2, True)


def test_a_change_is_refused_where_the_file_is_not_as_it_was_read(run, noted):
    """DESIGN 5: a write against a stale version is a conflict; `show --json` gives the version."""
    version = run("show", noted, "--json").data["version"]
    assert run("show", noted.partition("#")[0], "--json").data["version"] == version
    assert run("update", noted, "Ada drinks black tea.", "--expect", version).code == 0
    stale = run("update", noted, "Ada drinks no tea.", "--expect", version)
    assert stale.code == 4
    assert "read it again" in stale.err
    assert run("remember", "Ada sails.", "--expect", version).code == 4
    assert run("remember", "Ada sails.", "--expect", run("show", noted, "--json").data["version"]).code == 0
    assert "version" not in run("show", noted, "--at", "2999-01-01", "--json").data


def test_forgetting_hides_a_record_and_keeps_it_out(run, noted):
    """Issue 3: what was forgotten is refused on every path and says so."""
    assert "would be forgotten" in run("forget", "green", "tea", "--dry-run").out
    assert run("forget", "green", "tea").code == 0
    assert "Ada drinks green tea." not in run("context").out
    again = run("remember", "Ada drinks green tea.")
    assert again.code == 2
    assert "forgotten" in again.err


def test_a_message_that_takes_records_along_is_not_forgotten_unasked(run, here):
    """Issue 17.7: without a terminal it wants `--yes`, as whatever forgets more than one."""
    run("record", "-s", "chat:1", "--id", "m0", "In January I was diagnosed with sarcoidosis at Haukeland.")
    run("record", "-s", "chat:1", "--id", "m1", "--role", "assistant", "Sorry to hear about the sarcoidosis.")
    run("consolidate")
    asked = run("forget", "chat:1#m0")
    assert asked.code == 2
    assert "--yes" in asked.err
    assert run("recall", "sarcoidosis").code == 0
    assert run("forget", "chat:1#m0", "--yes").code == 0
    assert run("recall", "sarcoidosis").code == 1


def test_memory_is_shown_as_it_was(run, noted):
    """Issue 3: `show --at`."""
    path = noted.partition("#")[0]
    assert run("show", path, "--at", "2001-01-01").code == 1
    assert "green tea" in run("show", path, "--at", "2999-01-01T00:00:00Z").out
    assert run("show", path, "--at", "yesterday").code == 2


def test_an_empty_queue_and_an_empty_log_say_so(run):
    """Nothing waits, nothing was changed."""
    assert "nothing waits" in run("review").out
    assert run("review", "--json").data["waiting"] == []
    assert run("log").code == 1


@pytest.fixture
def waiting(here):
    """Three changes of what a person wrote that the agent asked for; gives their ids."""
    with Memory.open(here / ".commonplace-memory", jobs="worker") as memory:
        mine = [memory.remember(f"{word} is shut", kind="decision", actor=PERSON).records[0] for word in "ABC"]
        return [
            memory.update(record, f"{word} is open", actor=TOOL).review[0]
            for record, word in zip(mine, "ABC", strict=True)
        ]


def test_what_waits_is_listed_approved_edited_and_rejected(run, waiting):
    """Issue 3: the review queue in the command."""
    run_in = partial(run, "-C", ".commonplace-memory")
    shown = run_in("review").out
    assert all(text in shown for text in (*waiting, "pending", "A is open", "a person wrote what this would change"))
    assert "   - A is shut\n   + A is open\n" in shown
    first, second, third = waiting
    assert run_in("review", "approve", first).code == 0
    assert run_in("review", "edit", second, "B", "is", "closed").code == 0
    assert run_in("review", "reject", third).code == 0
    assert run_in("review", "--json").data["waiting"] == []
    text = run_in("show", "memory/MEMORY.md").out
    assert [line for line in text.splitlines() if line] == ["- A is open", "- B is closed", "- C is shut"]
    assert "person" in run_in("log").out
    assert run_in("review", "approve", first).code == 1


def test_all_that_waits_is_decided_in_one_text_in_the_editor(run, here, waiting, monkeypatch):
    """Issue 22: approve, edit, reject in batches through an editor file; what stays `wait` goes on waiting."""
    first, second, third = waiting
    editor = here / "editor.py"
    editor.write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "text = path.read_text('utf-8')\n"
        f"text = text.replace('wait {first}', 'approve {first}').replace('wait {second}', 'reject {second}')\n"
        "path.write_text(text.replace('  A is open', '  A is ajar'), 'utf-8')\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("VISUAL", f'"{sys.executable}" "{editor}"')
    run_in = partial(run, "-C", ".commonplace-memory")
    assert run_in("review", "edit").code == 0
    assert [each["id"] for each in run_in("review", "--json").data["waiting"]] == [third]
    text = run_in("show", "memory/MEMORY.md").out
    assert [line for line in text.splitlines() if line] == ["- A is ajar", "- B is shut", "- C is shut"]
    editor.write_text("import sys; open(sys.argv[1], 'w').write('approve what\\n')", encoding="utf-8")
    assert run_in("review", "edit").err.startswith("error: nothing waits under 'what'")
    editor.write_text("import sys; open(sys.argv[1], 'w').write('perhaps\\n')", encoding="utf-8")
    assert "line 1" in run_in("review", "edit").err
    assert [each["id"] for each in run_in("review", "--json").data["waiting"]] == [third]


def test_what_met_an_edit_is_shown_with_both_texts(run, here):
    """DESIGN 5: other content is an outside edit; ours waits, theirs stands."""
    with Memory.open(here / ".commonplace-memory", jobs="worker") as memory:
        record = memory.remember("opens at nine", kind="decision").records[0]
        scope = scope_of(memory)
        with commits_of(scope.store).locked():
            commits_of(scope.store).conflicts.note("memory/MEMORY.md", memory.update(record, "opens at ten").change)
    (here / ".commonplace-memory/memory/MEMORY.md").write_text("- opens at noon\n", encoding="utf-8")
    shown = run("-C", ".commonplace-memory", "review").out
    assert shown.index("conflicted") < shown.index("opens at ten") < shown.index("is there now")
    assert shown.index("is there now") < shown.index("opens at noon")
    waits = run("-C", ".commonplace-memory", "review", "--json").data["waiting"][0]
    assert (waits["operation"]["text"], waits["theirs"]) == ("opens at ten", "opens at noon")
    assert run("-C", ".commonplace-memory", "review", "approve", waits["id"]).code == 0
    assert "opens at ten" in run("-C", ".commonplace-memory", "show", "memory/MEMORY.md").out


@in_one_test(
    ("arguments", "code"),
    [
        (["remember", "x", "--kind", "nonsense"], 2),
        (["remember", "x", "--to", "../../etc/passwd"], 2),
        (["remember", "x", "--source", "nothing"], 2),
        (["remember", "x", "--until", "never"], 2),
        (["remember", " "], 2),
        (["update", "no#thing", "x"], 1),
        (["update", "nothing holds this", "x"], 1),
        (["forget", "nothing holds this"], 1),
        (["why", "no#thing"], 1),
        (["diff", "7"], 1),
        (["undo", "7"], 1),
        (["undo", "x"], 2),
        (["review", "approve", "r1"], 1),
        (["review", "reject", "r1"], 1),
        (["review", "banish", "r1"], 2),
        (["consolidate", "nobody"], 1),
        (["consolidate", "--model", "oracle:delphi"], 2),
        (["cost", "--by", "weather"], 2),
    ],
)
def test_what_cannot_be_done_is_one_line(run, noted, arguments, code):
    """Bad input: a typed error, never a traceback."""
    done = run(*arguments)
    assert done.code == code
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1


def test_consolidation_by_rules_is_shown_with_its_sources(run):
    """Issue 4: what was remembered, where, and from which message."""
    run("record", "Please always answer in metric units.", "--session", "cli:main", "--id", "m0")
    planned = run("consolidate", "--dry-run")
    assert planned.code == 0
    assert "metric" in planned.out
    assert run("status", "--json").data["not_consolidated"] == 1
    done = run("consolidate")
    assert done.code == 0
    assert "from cli:main#m0" in done.out
    assert run("status", "--json").data["not_consolidated"] == 0
    assert "nothing was said since" in run("consolidate").out


def test_a_message_that_one_of_the_jobs_has_not_read_is_not_consolidated(tmp_path, run):
    """Issue 17: of two jobs, the furthest was taken for both."""
    with Memory.open(tmp_path / "m", layout="structured", jobs="worker") as memory:
        memory.append("cli:main", [Message("user", "I live in Bergen."), Message("assistant", "Noted.")])
        scope_of(memory).jobs.consolidate(["cli:main"], Wanted(), job="turns")
        assert memory.sessions.state("cli:main").cursors == {"turns": 2}
    assert (
        run("status", "--json", "--location", str(tmp_path / "m"), "--layout", "structured").data["not_consolidated"]
        == 2
    )


def test_status_counts_the_records_of_each_layer(tmp_path, run):
    """Seed structured, "Useful Commands"; issue 19: `status`."""
    with Memory.open(tmp_path / "m", layout="structured", jobs="inline") as memory:
        memory.append("cli:main", [Message("user", "I prefer tea."), Message("assistant", "Noted.")])
        memory.flush()
    asked = ["--location", str(tmp_path / "m"), "--layout", "structured"]
    held = {"memory": 0, "daily": 1, "episodic": 1, "semantic": 1, "procedural": 0}
    assert run("status", "--json", *asked).data["records"] == held
    assert "records             daily 1, episodic 1, semantic 1\n" in run("status", *asked).out  # no empty layer


def test_recording_fails_if_the_disk_refuses_the_message(tmp_path, run, monkeypatch):
    """DESIGN 1.13: in the structured layout it would wait in memory, but a command ends at once."""
    asked = ["--location", str(tmp_path / "m"), "--layout", "structured"]
    assert run("record", "I prefer tea.", *asked).code == 0

    def refused(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Disk, "write", refused)
    done = run("record", "I prefer cake.", *asked)
    assert done.code != 0
    assert "could not be stored" in done.err


def test_the_command_costs_nothing_that_was_not_asked_for(run):
    """Recording with the command starts no job; without a model nothing is spent."""
    for number in range(40):
        run("record", f"Always use metric units, rule {number}.", "--session", "s")
    assert run("log").code == 1
    assert run("cost").code == 1
    assert run("cost", "--json").data["totals"] == {}
    facts = run("status", "--json").data
    assert (facts["messages"], facts["model_calls"], facts["changes"]) == (40, 0, 0)


def test_the_log_says_what_was_written_and_leaves_out_what_held_nothing(run):
    """A log of what changed is read by people: the words, not only the file."""
    run("record", "What is the capital of Peru?")
    run("consolidate")
    run("remember", "Ada sails.")
    listed = run("log")
    assert listed.out.startswith("2 ")
    assert "+Ada sails." in listed.out
    assert "cursor" not in listed.out
    assert "left out: 1 change" in listed.err
    assert [each["number"] for each in run("log", "--all", "--json").data["changes"]] == [2, 1]
    assert "left out" not in run("log", "--all").err


@pytest.mark.parametrize("options", [(), ("--every", "--yes"), ("--erase",)])
def test_what_was_forgotten_names_the_change_that_brings_it_back(run, options):
    """Who wants to erase what is forgotten already need not search the log."""
    run("remember", "Ada sails.")
    run("forget", "Ada sails")
    again = run("forget", "Ada sails", *options)
    assert again.code == 1
    assert "`undo 2` brings it back" in again.err
    assert "undo" not in run("forget", "Bob rows", *options).err


def test_words_that_are_forgotten_already_are_erased(run):
    """Issue 22: what only the change log holds goes without an undo."""
    run("remember", "Ada sails.")
    run("forget", "Ada sails")
    shown = run("forget", "Ada sails", "--every", "--erase", "--dry-run")
    assert "would be forgotten: Ada sails." in shown.out
    assert "is in .commonplace/log/" in shown.out
    done = run("forget", "Ada sails", "--every", "--erase", "--yes")
    assert (done.code, "erased from .commonplace/log/" in done.out) == (0, True)
    assert run("forget", "Ada sails", "--every", "--erase", "--yes").code == 1


def test_words_that_only_messages_hold_are_said_to_be_there(run, tmp_path):
    """Issue 22: "no record holds it", and recall found it."""
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "My therapist is Dr Wimbleleaf."}\n', encoding="utf-8")
    run("import", str(chat))
    refused = run("forget", "Wimbleleaf", "--yes")
    assert refused.code == 1
    assert "1 message does" in refused.err
    assert "message" not in run("forget", "Halvorsen", "--yes").err.partition("recall or search")[0]


def test_show_and_why_take_what_an_id_begins_with_also_of_a_replaced_record(run, here):
    """Issue 17.7, a stranger's day: `update` prints an id, and `show` took only the whole of it."""
    old = run("remember", "The team is called Alpha.", "--json").data["outcome"]["records"][0].rpartition("#")[2]
    new = run("update", old[:6], "The team is called Beta.", "--json").data["outcome"]["records"][0].rpartition("#")[2]
    for begin in (new[:4], new, old[:6]):
        assert run("show", begin).out.splitlines()[0] == "The team is called Beta."
        assert run("why", begin).out.splitlines()[0] == "The team is called Beta."
    assert run("show", "ffff").code == 1
    (here / "commonplace-memory" / "cafe").write_text("a file", encoding="utf-8")
    assert run("show", "cafe").out == "a file\n"


def test_a_change_that_changed_no_text_says_so_and_no_sessions_have_no_heading(run, here):
    """Issue 17.7, a stranger's day: both printed next to nothing."""
    empty = run("sessions")
    assert (empty.code, empty.out) == (1, "")
    run("record", "The ferry leaves at noon.")
    run("end", "cli:main")
    last = run("log", "--all", "--json").data["changes"][0]["number"]
    shown = run("diff", str(last))
    assert (shown.code, shown.out) == (0, "")
    assert f"change {last} changed no text" in shown.err
