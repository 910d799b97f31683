"""Which layout a folder is kept in, by what it says itself or by its files alone."""

import shutil

import pytest

from commonplace import Memory, Message
from commonplace.errors import ConfigError
from commonplace.memory import recognising
from commonplace.memory.designs import LAYOUTS
from marking import slow_after

SAID = [Message("user", "I live in Skien and I am allergic to hazelnuts."), Message("assistant", "Noted.")]


@pytest.mark.parametrize("layout", slow_after(3, sorted(LAYOUTS)))
def test_a_memory_is_recognised_without_our_own_files(tmp_path, layout):
    """DESIGN 1.1: a folder of the graph or memdir layout opened as native after `.commonplace/` was deleted."""
    with Memory.open(tmp_path, layout=layout, jobs="inline") as memory:
        memory.append("tg:1", SAID)
        memory.end("tg:1")
        memory.remember("The user rows on Sundays.")
    shutil.rmtree(tmp_path / ".commonplace")
    assert recognising.kept_in(tmp_path) == layout


def test_a_folder_that_several_layouts_could_have_made_is_asked_about(tmp_path):
    """Guessing would hide what the right layout shows."""
    with Memory.open(tmp_path, layout="memdir", jobs="worker") as memory:
        memory.append("tg:1", SAID)
    shutil.rmtree(tmp_path / ".commonplace")
    with pytest.raises(ConfigError, match="name it with --layout"):
        recognising.kept_in(tmp_path)


def test_a_folder_without_a_memory_is_none(tmp_path):
    (tmp_path / "notes.md").write_text("Shopping: bread\n", encoding="utf-8")
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "a.jsonl").write_text("{}\n", encoding="utf-8")
    assert recognising.kept_in(tmp_path) == ""
    assert recognising.kept_in(tmp_path / "missing") == ""


@pytest.mark.parametrize("lost", [False, True], ids=["as begun", "without our own files"])
def test_an_open_without_a_layout_takes_what_the_folder_is_kept_in(tmp_path, lost):
    """A later open that did not name the layout read the folder as native, and saw nothing of it."""
    with Memory.open(tmp_path, layout="memdir", jobs="worker") as memory:
        memory.append("tg:1", SAID)
        memory.remember("The user rows on Sundays.")
    if lost:
        shutil.rmtree(tmp_path / ".commonplace")
    with Memory.open(tmp_path, jobs="worker") as again:
        assert [hit.text for hit in again.recall("rows on Sundays")] == ["The user rows on Sundays."]
        assert again.remember("The user sails on Mondays.").status == "applied"
    assert [file.name for file in tmp_path.glob("*sails*.md")]
    assert not (tmp_path / "memory").exists()
