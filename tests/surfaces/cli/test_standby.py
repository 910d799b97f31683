"""`commonplace standby`: the same answers as without, at once, and nothing that depends on it.

Issue 7: `commonplace recall` as a process at most twice the bare interpreter, shown as work: the asking process
never loads the engine.
"""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace.surfaces.cli import asking, standby

COMMAND = [sys.executable, "-m", "commonplace.surfaces.cli"]
MEMORY = "commonplace-memory"
SOCKET = f"{MEMORY}/.commonplace/standby"
BY_ITSELF = "commonplace.memory.memory"  # is loaded by whoever does the work alone
CALL = f"""
import sys
from commonplace.surfaces.cli import main
try:
    main()
finally:
    with open("loaded", "w", encoding="utf-8") as told:
        told.write(str({BY_ITSELF!r} in sys.modules))
"""


@pytest.fixture(autouse=True)
def _filled(here):
    for words in (["record", "-s", "tea", "the kettle whistles ⟦\x1b⟧ 日本"], ["remember", "The kettle is red."]):
        subprocess.run([*COMMAND, *words], check=True, capture_output=True)


@pytest.fixture
def started(here):
    """Start `standby`s and wait until they stand; all are stopped at the end."""
    running = []

    def start(*arguments, **environment):
        one = subprocess.Popen(
            [*COMMAND, *arguments, "standby"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | environment, encoding="utf-8",
        )  # fmt: skip
        running.append(one)
        one.first = one.stdout.readline()
        return one

    yield start
    for one in running:
        one.kill()
        one.communicate()


def called(*arguments, cwd=None, **environment):
    """Give what a command does, and whether it did the work alone."""
    done = subprocess.run([sys.executable, "-c", CALL, *arguments], capture_output=True, check=False, cwd=cwd,
                          env=os.environ | environment, stdin=subprocess.DEVNULL)  # fmt: skip
    alone = Path(cwd or ".", "loaded").read_text(encoding="utf-8") == "True"
    return (done.returncode, done.stdout, done.stderr), alone


@pytest.mark.parametrize(
    "arguments",
    [
        ["recall", "kettle"],
        ["recall", "--why", "kettle", "-k", "1"],
        ["recall", "kettle", "--json"],
        ["recall", "nothing of the kind"],
        ["context", "-q", "kettle", "-s", "tea"],
        ["context", "--json"],
        ["--scope", "other", "recall", "kettle"],
        ["-C", MEMORY, "recall", "kettle"],
        [f"--location={MEMORY}", "context"],
        ["recall", "-C", MEMORY, "--", "-C", "kettle"],
    ],
    ids=" ".join,
)
def test_who_stands_by_gives_what_the_command_gives(started, arguments):
    """Byte for byte: both streams and the exit code."""
    expected, alone = called(*arguments)
    assert alone
    started()
    for _ in range(2):
        assert called(*arguments) == (expected, False)


def test_who_stands_by_knows_what_others_wrote_since(started):
    """A hook asks for what another process has just recorded."""
    started()
    assert not called("recall", "kettle")[1]
    subprocess.run([*COMMAND, "record", "the teapot is from Lisbon"], check=True, capture_output=True)
    (code, out, _), alone = called("recall", "teapot", "--json")
    assert (code, alone) == (0, False)
    assert b"Lisbon" in out
    assert called("forget", "The kettle is red.")[0][0] == 0
    assert called("recall", "kettle", "--json", "--layer", "documents")[0][0] == 1


def test_the_caller_s_own_folder_counts(started, tmp_path):
    """A relative location is meant from where the caller stands, and the memory of a folder is its own."""
    started()
    inside = Path(MEMORY)
    assert called("recall", "kettle", cwd=inside)[0][0] == 0
    assert not called("recall", "kettle", cwd=inside)[1]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (code, _, err), alone = called("recall", "kettle", cwd=elsewhere)
    assert (code, alone) == (1, True)
    assert b"there is no memory" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["record", "recall"],
        ["remember", "I recall the context"],
        ["show", "tea"],
        ["recall", "--help"],
        ["recall"],
        ["recall", "kettle", "-k", "0"],
        ["recall", "kettle\0"],
    ],
    ids=repr,
)
def test_all_else_is_done_by_the_caller(started, arguments):
    """What writes, what fails and what is no question."""
    if "\0" in "".join(arguments):
        arguments = [each for each in arguments if "\0" not in each] + ["-C", "a" * 5000]
    started()
    assert called(*arguments)[1]


def test_other_surroundings_are_answered_by_the_caller(started):
    """Knobs and languages come from the environment; who was started with another one may not answer."""
    started()
    (code, out, _), alone = called("recall", "kettle", "--json", COMMONPLACE_TIMEZONE="Asia/Tokyo")
    assert (code, alone) == (0, True)
    assert b"kettle" in out
    assert called("recall", "kettle", FORCE_COLOR="1")[1]


def test_a_knob_file_that_changes_is_read_again(started):
    """What a command reads anew each time, the one who stands by does."""
    knobs = Path("knobs.toml")
    knobs.write_text('timezone = "UTC"\n', encoding="utf-8")
    started("--config", str(knobs))
    assert not called("--config", str(knobs), "recall", "kettle")[1]
    knobs.write_text("no_such_knob = 1\n", encoding="utf-8")
    (code, _, err), alone = called("--config", str(knobs), "recall", "kettle")
    assert (code, alone) == (2, True)
    assert b"no_such_knob" in err


def test_a_terminal_is_answered_by_the_caller(started):
    """Colours and width are a terminal's own."""
    started()
    ours, theirs = pty.openpty()
    try:
        subprocess.run(
            [sys.executable, "-c", CALL, "recall", "kettle"], stdout=theirs, stderr=subprocess.PIPE, check=True
        )
        assert Path("loaded").read_text(encoding="utf-8") == "True"
        assert b"\x1b[" in os.read(ours, 65536)
    finally:
        os.close(ours)
        os.close(theirs)


def test_one_that_is_busy_or_dead_keeps_nobody_waiting(started):
    """Nothing depends on it: the caller does the work alone."""
    one = started()
    one.send_signal(signal.SIGSTOP)
    try:
        (code, out, _), alone = called("recall", "kettle")
        assert (code, alone) == (0, True)
        assert b"kettle" in out
    finally:
        one.send_signal(signal.SIGCONT)
    assert not called("recall", "kettle")[1]
    one.kill()
    one.wait()
    assert Path(SOCKET).exists()
    assert called("recall", "kettle")[1]
    started()
    assert not called("recall", "kettle")[1]


def test_the_newest_takes_the_name_and_the_one_before_ends(started):
    """Two at once over one folder."""
    first = started()
    second = started()
    assert first.wait(timeout=60) == 0
    assert second.poll() is None
    assert not called("recall", "kettle")[1]


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_told_and_leaves_nothing(started, told):
    """SIGTERM, as an agent's host sends it, and Ctrl-C."""
    one = started()
    assert one.first.startswith("stands by for ")
    assert Path(SOCKET).stat().st_mode & 0o777 == 0o600
    one.send_signal(told)
    assert one.wait(timeout=60) == 0
    assert one.communicate() == ("", "")
    assert not Path(SOCKET).exists()


def test_it_ends_when_the_folder_goes(started):
    """Whoever removes a memory need not know of it."""
    one = started()
    subprocess.run(["rm", "-rf", MEMORY], check=True)  # while one that ends takes files away: `rmtree` fails at that
    assert one.wait(timeout=60) == 0
    assert not Path(MEMORY).exists()


def test_it_ends_when_nobody_asks(run, monkeypatch):
    """`--idle` says how long; zero is at once."""
    done = run("standby", "--idle", "0", "--json")
    assert done.code == 0
    assert done.data == {"location": str(Path(MEMORY).absolute()), "pid": os.getpid(), "idle_minutes": 0}
    assert "; ends 0 minutes after the last question" in run("standby", "--idle", "0").out
    monkeypatch.setattr(standby, "_stand_by", lambda *_: None)
    assert "; ends 1 minute after the last question" in run("standby", "--idle", "1").out
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_elsewhere_than_on_linux_every_command_does_its_work_itself():
    """The one that stands by needs what only Linux has; the commands do not."""
    program = (
        "import sys, _socket\nsys.platform = 'darwin'\ndel _socket.SO_PEERCRED\n"
        "from commonplace.surfaces.cli import main\nmain(sys.argv[1:])"
    )
    asked = subprocess.run([sys.executable, "-c", program, "recall", "kettle"], capture_output=True, check=True)
    assert b"kettle whistles" in asked.stdout
    told = subprocess.run([sys.executable, "-c", program, "standby"], capture_output=True, check=False)
    assert (told.returncode, told.stderr.split(b":")[0]) == (2, b"error")
    assert b"Linux" in told.stderr


def test_there_must_be_a_memory(run):
    """It makes no folder: like all that only reads."""
    done = run("-C", "nowhere", "standby")
    assert done.code == 2
    assert "there is no memory at nowhere yet" in done.err
    assert not Path("nowhere").exists()


def test_a_folder_that_takes_no_socket_is_said(run):
    """A directory in its place."""
    Path(SOCKET).mkdir()
    done = run("standby", "--idle", "0")
    assert done.code == 3
    assert done.err.startswith("error: nobody can stand by in ")
    assert [each.name for each in Path(SOCKET).parent.glob("standby*")] == ["standby"]


def test_nobody_asks_another_user(started, monkeypatch):
    """A folder may be shared; what one is asked, and what enters a prompt, is not."""
    started()
    monkeypatch.setattr(os, "isatty", lambda _: False)
    code, out, _ = asking.asked(["recall", "kettle"])
    assert (code, "kettle" in out) == (0, True)
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    assert asking.asked(["recall", "kettle"]) is None


@pytest.mark.parametrize("sent", [b"", b"\0", b"no request", b"\xff\xfe\0\0\0", b"x\0" * 5, b"x" * 100_000])
def test_what_is_no_request_gets_no_answer(started, sent):
    """Bad input: it goes on to answer others."""
    started()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(os.path.relpath(SOCKET))
        line.settimeout(60)
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        assert line.recv(10) == b""
    assert not called("recall", "kettle")[1]


def test_a_path_longer_than_a_socket_s_is_no_matter(started):
    """The name of a socket has at most 107 bytes; a folder's may have more."""
    deep = Path("d" * 120) / ("ümläut" * 10) / "memory"
    subprocess.run([*COMMAND, "-C", str(deep), "record", "tea"], check=True, capture_output=True)
    started("-C", str(deep))
    assert not called("-C", str(deep), "recall", "tea")[1]


def test_a_reader_that_leaves_early_is_no_error(started):
    """A closed pipe: whoever read our output has enough."""
    started()
    asking = subprocess.Popen([*COMMAND, "context"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    asking.stdout.close()
    assert asking.stderr.read().count(b"Traceback") == 0
    asking.stderr.close()
    assert asking.wait(timeout=60) == 0
