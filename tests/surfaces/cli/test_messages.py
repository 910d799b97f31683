"""What a command says when the system refuses something, and when somebody stops it at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace import Memory, Message

COMMAND = [sys.executable, "-m", "commonplace"]
UNWRITTEN = "error: the output cannot be written (No space left on device); what the command did stays\n"
INTERRUPTED = """
import os, signal, sys

class AtOnce:
    def find_spec(self, name, path=None, target=None):
        if name == "commonplace.surfaces.cli.commands":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs tests in the background has it ignored
sys.meta_path.insert(0, AtOnce())
from commonplace.surfaces.cli import main
main(["recall", "ferry"])
"""


@pytest.fixture
def folder(tmp_path):
    with Memory.open(tmp_path / "m", jobs="worker") as memory:
        memory.append("cli:main", [Message("user", "The ferry leaves at noon.")])
    return tmp_path / "m"


@pytest.fixture(params=["buffered", "unbuffered"])
def environment(request):
    others = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return others | ({"PYTHONUNBUFFERED": "1"} if request.param == "unbuffered" else {})


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize(
    "arguments",
    [["recall", "ferry"], ["recall", "ferry", "--json"], ["record", "hi"], ["doctor"], ["sessions"], ["--help"]],
)
def test_an_output_that_is_full_is_named(folder, environment, arguments):
    """It had said `[Errno 28]`, and the interpreter had added lines of its own and another exit code."""
    for err, said in ((subprocess.PIPE, UNWRITTEN), (None, None)):
        with Path("/dev/full").open("w", encoding="utf-8") as full:
            done = subprocess.run(
                [*COMMAND, "-C", str(folder), *arguments],
                stdout=full,
                stderr=err or full,
                env=environment,
                check=False,
                encoding="utf-8",
            )
        assert (done.returncode, done.stderr) == (3, said)


def test_a_folder_that_is_gone_is_said_to_be_the_one_of_the_call(tmp_path):
    done = subprocess.run(
        ["/bin/sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh", *COMMAND, "recall", "ferry"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={name: value for name, value in os.environ.items() if name != "COMMONPLACE_LOCATION"},
    )
    assert done.returncode == 3
    assert done.stderr == (
        "error: the folder that the command was called in is not there any more; call it in another one\n"
    )


@pytest.mark.slow
def test_who_stops_a_command_while_it_loads_is_told_so(tmp_path):
    """Ctrl-C in the first moments had printed a traceback."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], cwd=tmp_path, capture_output=True, check=False, encoding="utf-8"
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped; what was acknowledged stays\n")
