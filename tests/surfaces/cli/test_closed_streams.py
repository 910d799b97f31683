"""A command that has nowhere to print does its work and ends with its usual code."""

from __future__ import annotations

import subprocess
import sys

import pytest

from commonplace import Memory, Message

COMMAND = [sys.executable, "-m", "commonplace", "-C"]


@pytest.fixture
def folder(tmp_path):
    with Memory.open(tmp_path / "m", jobs="worker") as memory:
        memory.append("cli:main", [Message("user", "The ferry leaves at noon.")])
        memory.remember("likes the ferry")
    return tmp_path / "m"


def run(folder, closed, *arguments):
    """Run a command in a shell that closes streams, such as `>&-`."""
    return subprocess.run(
        ["/bin/sh", "-c", f'"$@" {closed}', "sh", *COMMAND, str(folder), *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["record", "hi"], 0),
        (["recall", "ferry"], 0),
        (["recall", "walrus"], 1),
        (["recall", "ferry", "--json"], 0),
        (["context"], 0),
        (["remember", "lives in Oslo"], 0),
        (["sessions"], 0),
        (["status"], 0),
        (["show", "cli:main"], 0),
        (["doctor"], 0),
        (["reindex"], 0),
        (["no-command"], 2),
        (["--help"], 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&- <&-"])
def test_a_closed_output_changes_nothing_but_what_is_seen(folder, arguments, code, closed):
    """Each of these had ended with 70 and asked to report an error, the record or fact kept all the same."""
    done = run(folder, closed, *arguments)
    assert (done.returncode, done.stdout, "report it" in done.stderr) == (code, "", False)


@pytest.mark.slow
def test_what_was_asked_for_is_done_and_goes_into_no_file(folder):
    """The number of a closed stream goes to the next file that is opened, unless something takes it first."""
    assert run(folder, ">&- 2>&- <&-", "record", "the walrus sings").returncode == 0
    with Memory.open(folder, jobs="worker") as memory:
        assert [hit.text for hit in memory.recall("walrus")] == ["the walrus sings"]
        assert memory.doctor().problems == ()
