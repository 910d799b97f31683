"""A context shows what the shown files and the session say now."""

from __future__ import annotations

import os

import pytest

from commonplace import Memory, Message
from commonplace.changes import drift
from commonplace.changes.plan import files_of
from commonplace.recall.prompt.page import Page
from commonplace.testing import FixedClock
from inside import scope_of

SHOWN = ("SOUL.md", "AGENTS.md", "TOOLS.md", "USER.md", "MEMORY.md", "facts/user.md", "facts/env.md")


@pytest.fixture
def _unswept(monkeypatch):
    """Leave the walk over all files to `sync`."""
    monkeypatch.setattr(drift, "SWEEP_SECONDS", 3600.0)


def filled(folder, *, files=SHOWN, entries=3):
    for name in files:
        file = folder / "memory" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"- {name} says {n}\n" for n in range(entries)), encoding="utf-8")


def opened(folder, **options):
    return Memory.open(folder, clock=FixedClock("2026-11-20T10:00:00+00:00"), jobs="worker", **options)


@pytest.mark.usefixtures("_unswept")
@pytest.mark.parametrize("keep_times", [False, True])
def test_an_edit_is_shown_by_the_next_context(tmp_path, keep_times):
    """DESIGN 1.1: shown documents are looked at at every read, an editor that keeps size and times included."""
    filled(tmp_path)
    file = tmp_path / "memory" / "MEMORY.md"
    with opened(tmp_path) as memory:
        memory.context()
        memory.context()
        before = file.stat()
        file.write_text(file.read_text(encoding="utf-8").replace("says 1", "told 9"), encoding="utf-8")
        if keep_times:
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert "told 9" in memory.context().stable
        file.unlink()
        assert "told 9" not in memory.context().stable
        file.write_text("- back again\n", encoding="utf-8")
        assert "back again" in memory.context().stable


@pytest.mark.usefixtures("_unswept")
def test_a_change_of_another_process_is_shown_by_the_next_context(tmp_path):
    """A commit moves the change number, whoever made it; an undo does too."""
    with opened(tmp_path) as memory, opened(tmp_path) as other:
        memory.remember("first", kind="decision")
        memory.context()
        memory.context()
        outcome = other.remember("they moved to Oslo", kind="decision")
        assert "they moved to Oslo" in memory.context().stable
        other.undo(outcome.change)
        assert "they moved to Oslo" not in memory.context().stable


@pytest.mark.usefixtures("_unswept")
@pytest.mark.parametrize("layout", ["two-layer", "facts"])
def test_a_message_of_another_process_is_in_the_next_context(tmp_path, layout):
    """The session's own part follows its transcript."""
    with opened(tmp_path, layout=layout) as memory, opened(tmp_path, layout=layout) as other:
        memory.append("chat:1", [Message("user", "hello there")])
        memory.context("chat:1")
        memory.context("chat:1")
        other.append("chat:1", [Message("user", "and good morning")])
        assert "and good morning" in memory.context("chat:1").volatile


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/St_Johns"])
@pytest.mark.parametrize("step_hours", [0.3, -0.7])
def test_the_files_shown_are_those_of_now(tmp_path, zone, step_hours):
    """Some files are dated in the zone, some in UTC; a day begins in either, and a clock may be set back."""
    clock = FixedClock("2026-11-29T09:50:00+00:00")
    with Memory.open(tmp_path, jobs="worker", clock=clock, config={"timezone": zone}) as memory:
        scope = scope_of(memory)
        shown = [layer for layer in scope.layout.layers if scope.layout.part(layer)]
        assert any("{date}" in layer.path for layer in shown)
        page = Page(scope.parts)
        for _ in range(200):
            assert [page.path(layer) for layer in shown] == [
                files_of(scope.layout, each, scope.now()) for each in shown
            ]
            clock.advance(hours=step_hours)


def test_a_link_to_itself_stands_in_nobodys_way(tmp_path):
    """DESIGN 1.9: memory never blocks the reply, whatever lies where a shown file should."""
    with opened(tmp_path) as memory:
        memory.remember("The harbour opens in May.", kind="decision")
        (tmp_path / "memory" / "USER.md").symlink_to("USER.md")
        assert "harbour" in memory.context().stable
        assert memory.recall("harbour")
