"""What stands in our own folder and is damaged, or no file at all, costs only itself and is named."""

from __future__ import annotations

import itertools
import os

import pytest

from commonplace import Memory, Message
from commonplace.errors import CommonplaceError, PathError
from marking import slow_after

pytestmark = pytest.mark.battery

SAID = "The harbour rope hangs on hook 7."


def put_folder(path):
    path.mkdir()


def put_link(path):
    path.symlink_to("/etc/hostname")


def put_dangling(path):
    path.symlink_to("nowhere")


def put_pipe(path):
    os.mkfifo(path)


def put_deep(path):
    path.write_bytes(b'{"fingerprint":' + b"[" * 100_000 + b"\n")


def flip_bit(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize("harm", slow_after(3, [put_folder, put_pipe, put_deep, put_link, put_dangling]))
@pytest.mark.parametrize("name", ["tombstones.jsonl", "review.jsonl", "log"])
def test_messages_are_read_and_kept_whatever_stands_in_the_place_of_our_own_files(tmp_path, name, harm):
    """Issue 23.4 and 23.10: recall raised RecursionError, found nothing, or hung at a pipe."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", SAID, id="a"), Message("user", "Forget this heron.", id="b")])
        memory.forget("sessions/s.jsonl#b")
        memory.remember("Likes tea", kind="decision")
        memory.recall("rope")
    own = tmp_path / ".commonplace"
    path = next((own / "log").iterdir()) if name == "log" else own / name
    path.unlink(missing_ok=True)
    harm(path)
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert [hit.text for hit in memory.recall("harbour rope")] == [SAID]
        assert memory.recall("heron") == []  # the transcript itself tells that it was forgotten
        assert [message.text for message in memory.sessions.read("s")] == [SAID]
        assert "tea" in memory.context("s", "rope").text
        memory.append("s", [Message("user", "And the anchor?", id="c")])
        assert memory.sessions.message("s", "c").text == "And the anchor?"
        assert any(path.name in problem.path for problem in memory.doctor().problems)
        try:
            assert memory.remember("Lives in Oslo", kind="decision").ok
        except CommonplaceError:
            assert harm is not put_deep


@pytest.mark.parametrize(
    ("name", "harm"),
    slow_after(
        5,
        [
            *itertools.product(
                ["state/head", "state/checkpoint", "feed"], [put_folder, put_link, put_dangling, put_pipe]
            ),
            *itertools.product(["state/head", "state/checkpoint", "state/leases"], [flip_bit]),
        ],
    ),
)
def test_memory_goes_on_whatever_stands_in_the_place_of_what_it_can_derive(tmp_path, name, harm):
    """Issue 23.4: one flipped bit or a folder in its place made every call raise, and a pipe made it wait for ever."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", SAID, id="a")])
        memory.remember("Likes tea", kind="decision")
        memory.consolidate("s")
    path = tmp_path / ".commonplace" / name
    if harm is not flip_bit:
        path.unlink(missing_ok=True)
    harm(path)
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert SAID in [hit.text for hit in memory.recall("harbour rope")]
        memory.append("s", [Message("user", "And the anchor?", id="c")])
        assert [message.text for message in memory.sessions.read("s")] == [SAID, "And the anchor?"]
        assert "tea" in memory.context("s", "rope").text
        try:
            assert memory.remember("Lives in Oslo", kind="decision").ok
            assert "tea" in memory.context("s", "rope").text
            memory.consolidate("s")
        except PathError:  # a folder is not taken away
            assert harm is put_folder
        assert harm is put_folder or memory.doctor().ok
