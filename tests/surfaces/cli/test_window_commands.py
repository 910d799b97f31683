"""The commands on windows and trust."""

from __future__ import annotations

import json
from pathlib import Path

from commonplace import Memory, Message
from commonplace.surfaces.cli import main


def run(*arguments: str) -> tuple[int, str]:
    import contextlib
    import io

    out = io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out):
        try:
            main(list(arguments))
        except SystemExit as stop:
            code = int(stop.code or 0)
    return code, out.getvalue()


def talk(root: Path) -> None:
    with Memory.open(root, jobs="worker") as memory:
        for number in range(4):
            memory.append("cli:a", [Message("user", f"line {number}"), Message("assistant", "ok")])


def test_compact_reset_and_end_move_the_window_and_keep_the_transcript(tmp_path: Path) -> None:
    talk(tmp_path)
    place = ("-C", str(tmp_path))
    assert run(*place, "compact", "cli:a", "--keep", "2", "--json")[0] == 0
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert [m.number for m in memory.sessions.window("cli:a")] == [6, 7]
    assert run(*place, "reset", "cli:a")[0] == 0
    assert run(*place, "end", "cli:a")[0] == 0
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert memory.sessions.window("cli:a") == ()
        assert memory.sessions.state("cli:a").ended
        assert len(list(memory.sessions.read("cli:a"))) == 8


def test_a_session_that_nobody_has_is_bad_input(tmp_path: Path) -> None:
    talk(tmp_path)
    for command in ("compact", "reset", "end"):
        assert run("-C", str(tmp_path), command, "nobody")[0] == 1


def test_promote_lets_text_of_a_tool_count_as_the_users(tmp_path: Path) -> None:
    with Memory.open(tmp_path, jobs="worker") as memory:
        made = memory.remember("The build takes nine minutes on this machine", kind="fix", trust="tool")
        (record,) = made.records
        assert memory.why(record).trust == "tool"
    code, said = run("-C", str(tmp_path), "promote", record, "--json")
    assert code == 0
    assert json.loads(said)["outcome"]["status"] == "applied"
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert memory.why(record).trust == "user"


def test_what_has_ended_or_is_empty_already_is_said_to_be_so(run, here):
    """Issue 17.7, a stranger's day: it said "memory already says so"."""
    run("record", "I like figs.")
    for command, said in (("reset", "the window of cli:main is empty already"), ("end", "cli:main has ended already")):
        assert run(command, "cli:main").code == 0
        again = run(command, "cli:main")
        assert again.code == 0
        assert said in again.out + again.err
