"""The native layout: its files hold what docs/layouts/native.md says."""

from __future__ import annotations

import pytest

from commonplace import Memory, Message
from commonplace.testing import FixedClock
from marking import slow_after

KINDS = {
    "preference": "memory/facts/user.md",
    "environment": "memory/facts/env.md",
    "decision": "memory/MEMORY.md",
    "journal": "memory/HISTORY-2026-02.md",
}
FILES = {
    "memory/MEMORY.md": "- the walrus\n",
    "memory/facts/user.md": "the walrus\n",
    "memory/facts/env.md": "the walrus\n",
    "memory/HISTORY-2026-02.md": "\n## 2026-02-27T14:30:00.000Z\nthe walrus\n",
    "memory/HISTORY.md": "\n## 2026-02-27T14:30:00.000Z\nthe walrus\n",
    "memory/2026-02-27.md": "[14:30] the walrus\n",
    "memory/episodes/cli%3Amain.md": "---\ntitle: An evening\n---\nthe walrus\n",
    "memory/items/episodic/2026-02-27.jsonl": '{"id":"1","type":"TASK_STATE","content":"the walrus"}\n',
    "memory/items/semantic.jsonl": '{"id":"1","type":"PREFERENCE","content":"the walrus"}\n',
    "memory/items/procedural.jsonl": '{"id":"1","type":"FIX","content":"the walrus"}\n',
    "memory/animals/walrus.md": "---\ntitle: Animals\n---\nthe walrus\n",
}


def opened(root) -> Memory:
    return Memory.open(root, clock=FixedClock("2026-02-27T14:30:00+00:00"), jobs="worker")


def test_each_kind_of_memory_goes_to_its_file(tmp_path):
    """DESIGN 5: the native tree."""
    with opened(tmp_path) as memory:
        for kind, path in KINDS.items():
            memory.remember(f"A {kind} about tea.", kind=kind)
            assert f"A {kind} about tea." in (tmp_path / path).read_text(encoding="utf-8")
        memory.append("cli:main", [Message("user", "hello")])
    assert (tmp_path / "sessions" / "cli%3Amain.jsonl").exists()


@pytest.mark.parametrize("path", slow_after(3, FILES))
def test_every_file_of_the_layout_is_read(tmp_path, path):
    """DESIGN 5: files are the truth; what stands in one is found."""
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(FILES[path], encoding="utf-8")
    with opened(tmp_path) as memory:
        assert [hit.record.split("#")[0] for hit in memory.recall("walrus")] == [path]


@pytest.mark.parametrize("name", ["SOUL.md", "AGENTS.md", "TOOLS.md", "USER.md"])
def test_what_a_person_wrote_for_the_agent_is_shown_and_kept(tmp_path, name):
    """DESIGN 5: shown if present."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / name).write_text("Be kind.\n", encoding="utf-8")
    with opened(tmp_path) as memory:
        assert "Be kind." in memory.context().stable
        assert memory.remember("Be rude.", to=f"memory/{name}").status == "pending"
    assert (tmp_path / "memory" / name).read_text(encoding="utf-8") == "Be kind.\n"
