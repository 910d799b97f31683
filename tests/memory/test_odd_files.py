"""One odd file costs only itself, and is named."""

from __future__ import annotations

import errno
import os

import pytest

from commonplace import Memory, Message
from commonplace.store.files.disk import Disk

pytestmark = pytest.mark.battery


def filled(folder):
    with Memory.open(folder, jobs="inline") as memory:
        memory.append("a", [Message("user", "The kettle is red.")])
        memory.append("b", [Message("user", "The heron is grey.")])
        memory.remember("The harbour opens in May.", kind="decision")


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO])
@pytest.mark.parametrize("indexed", [False, True])
def test_a_transcript_that_cannot_be_read_costs_only_itself(tmp_path, monkeypatch, caplog, code, indexed):
    """Issue 23: every recall was empty."""
    filled(tmp_path)
    with Memory.open(tmp_path, jobs="inline") as memory:
        if indexed:
            assert len(memory.recall("heron")) == 1
        real = Disk.open

        def refused(disk, path, flags, *args, **options):
            if path == "b.jsonl":
                raise OSError(code, os.strerror(code), path)
            return real(disk, path, flags, *args, **options)

        monkeypatch.setattr(Disk, "open", refused)
        memory.sync()
        assert [hit.text for hit in memory.recall("kettle")] == ["The kettle is red."]
        assert memory.recall("heron") == []
        assert "sessions/b.jsonl" in caplog.text
        assert [session.id for session in memory.sessions.list()] == ["a"]
        assert "harbour" in memory.context("b", "kettle").stable
        assert "kettle" in memory.context("b", "kettle").volatile
        memory.append("a", [Message("user", "The kettle whistles.")])
        assert memory.remember("The harbour is deep.", kind="decision").status == "applied"
        monkeypatch.setattr(Disk, "open", real)
        memory.sync()
        assert len(memory.recall("heron")) == 1


@pytest.mark.parametrize("folder", ["memory", "sessions", "memory/deep"])
def test_a_name_that_is_no_utf_8_costs_only_itself(tmp_path, folder):
    """Issue 23: recall raised UnicodeEncodeError."""
    filled(tmp_path)
    (tmp_path / folder).mkdir(exist_ok=True)
    suffix = b".jsonl" if folder == "sessions" else b".md"
    (tmp_path / folder / os.fsdecode(b"\xff\xfe" + suffix)).write_text("- The kettle is blue.\n", encoding="utf-8")
    with Memory.open(tmp_path, jobs="inline") as memory:
        assert [hit.text for hit in memory.recall("kettle")] == ["The kettle is red."]
        assert sorted(session.id for session in memory.sessions.list()) == ["a", "b"]
        assert "harbour" in memory.context("a").stable
        memory.sync()
        assert memory.remember("The harbour is deep.", kind="decision").status == "applied"
        [problem] = memory.doctor().problems
        assert problem.path == f"{folder}/\\udcff\\udcfe{suffix.decode()}"
        assert "a name that memory cannot write" in problem.reason


def test_a_document_that_is_no_text_is_not_shown_and_named(tmp_path):
    """Found in use: bytes of another program were put into each prompt, and `doctor` found no problem."""
    filled(tmp_path)
    (tmp_path / "memory" / "MEMORY.md").write_bytes(b"\xff\xfe\0garbage")
    with Memory.open(tmp_path, jobs="inline") as memory:
        assert "garbage" not in memory.context(None, "garbage").text
        wanted = "memory/MEMORY.md", "no text, so not read; undo its change, see `log`"
        assert wanted in [(each.path, each.reason) for each in memory.limits()]
        assert wanted in [(each.path, each.reason) for each in memory.doctor().problems]
        memory.undo(memory.log(1)[0])
        assert "harbour" in memory.context().text


def test_the_marks_of_a_merge_that_was_not_ended_are_named(tmp_path):
    """Issue 10: both sides were in the prompt, and `doctor` found no problem."""
    filled(tmp_path)
    both = "The kettle is red.\n§\n<<<<<<< HEAD\nThe cup is blue.\n=======\nThe cup is grey.\n>>>>>>> theirs\n"
    (tmp_path / "memory/MEMORY.md").write_text(both, encoding="utf-8")
    with Memory.open(tmp_path, jobs="inline") as memory:
        [problem] = memory.doctor().problems
        assert (problem.path, problem.line) == ("memory/MEMORY.md", 3)
        assert "keep one, without the marks" in problem.reason
