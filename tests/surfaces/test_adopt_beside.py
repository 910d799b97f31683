"""Adopting finds sessions that lie beside the workspace (issue 17.4)."""

from __future__ import annotations

import json

import pytest

from commonplace import Memory
from commonplace.errors import InputError
from commonplace.surfaces import adopt


@pytest.fixture
def home(tmp_path):
    """Return a folder as the two-layer program leaves it: `workspace/memory` and `sessions` beside it."""
    memory, sessions = tmp_path / "workspace" / "memory", tmp_path / "sessions"
    memory.mkdir(parents=True)
    sessions.mkdir()
    (memory / "MEMORY.md").write_text("# Memory\n\n- Likes tea.\n", encoding="utf-8")
    (memory / "HISTORY.md").write_text("## 2026-02-27T14:30:00.000Z\n\nThey spoke of tea.\n", encoding="utf-8")
    lines = [
        {"_type": "metadata", "key": "telegram:1", "createdAt": "2026-02-27T14:30:00.000Z", "lastConsolidated": 0},
        {"role": "user", "content": "The heron stood in the pond.", "timestamp": "2026-02-27T14:30:05.000Z"},
    ]
    (sessions / "telegram_1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("given", ["workspace", "sessions", "."])
def test_either_folder_leads_to_the_workspace_and_to_all_sessions(home, given):
    before = (home / "sessions" / "telegram_1.jsonl").read_bytes()
    done = adopt.adopt(home / given)
    assert (done.layout, done.sessions, done.messages) == ("two-layer", 1, 1)
    with Memory.open(home / "workspace", layout="two-layer", jobs="worker") as memory:
        assert [hit.text for hit in memory.recall("heron pond")] == ["The heron stood in the pond."]
    assert (home / "sessions" / "telegram_1.jsonl").read_bytes() == before
    assert adopt.adopt(home / given).messages == 0


@pytest.mark.parametrize("given", ["workspace", "sessions", ".", "sessions/" + "a1" * 16])
def test_sessions_in_a_folder_of_the_workspaces_own_are_found(home, given):
    """As nanobot 0.3 writes them: `sessions/<id of the workspace>`, a file called by the key in base64."""
    own, other = home / "sessions" / ("a1" * 16), home / "sessions" / ("b2" * 16)
    other.mkdir()
    (other / "b3RoZXI6MQ.jsonl").write_text(
        '{"_type": "metadata", "key": "other:1"}\n{"role": "user", "content": "Of another workspace."}\n',
        encoding="utf-8",
    )
    own.mkdir()
    (home / "sessions" / "telegram_1.jsonl").rename(own / "dGVsZWdyYW06MQ.jsonl")
    (home / "workspace" / ".nanobot").mkdir()
    (home / "workspace" / ".nanobot" / "workspace-id").write_text("a1" * 16 + "\n", encoding="utf-8")
    done = adopt.adopt(home / given)
    assert (done.sessions, done.messages, done.problems) == (1, 1, ())
    with Memory.open(home / "workspace", layout="two-layer", jobs="worker") as memory:
        assert [each.id for each in memory.sessions.list()] == ["telegram:1"]
    assert adopt.adopt(home / given).messages == 0


def test_a_memory_begun_above_the_workspace_is_said_to_stay_apart(home):
    """Bad input of issue 17: what was recorded before is not in the memory that is opened."""
    with Memory.open(home, jobs="worker") as memory:
        memory.remember("Owns a walrus.")
    (problem,) = adopt.adopt(home).problems
    assert (problem.path, "begun here before" in problem.reason) == (str(home), True)
    assert adopt.adopt(home / "workspace").problems == ()


def test_sessions_of_something_else_beside_a_workspace_are_left_alone(home):
    (home / "sessions" / "telegram_1.jsonl").write_text(
        '{"role": "user", "content": "Not theirs."}\n', encoding="utf-8"
    )
    assert adopt.adopt(home / "workspace").sessions == 0


def test_a_path_that_is_not_there_is_said_to_be_so(tmp_path):
    with pytest.raises(InputError, match="is not there"):
        adopt.adopt(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="is a file"):
        adopt.adopt(tmp_path / "file")
