"""Adopting the memory of another system: recognised by its files, opened in place, nothing of it rewritten.

Source: issue 5; seed model 7, "A directory can be adopted in place".
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from two_layer_cases import history, memory_text, model, opened, theirs

from commonplace import Memory, Message
from commonplace.errors import ConfigError, InputError
from commonplace.memory.designs import LAYOUTS
from commonplace.store.files.machine import LAYOUT
from commonplace.surfaces import adopt, importers
from commonplace.testing import FixedClock

METADATA = {"_type": "metadata", "key": "telegram:a_b", "createdAt": "2026-01-02T03:04:05.678Z", "lastConsolidated": 2}
SAID = [
    {"role": "user", "content": "I keep bees", "timestamp": "2026-01-02T03:04:06.000Z"},
    {"role": "assistant", "content": "", "timestamp": "2026-01-02T03:04:07.000Z", "toolsUsed": ["read"]},
    {"role": "assistant", "content": "How many?", "timestamp": "2026-01-02T03:04:08.000Z", "toolsUsed": ["read"]},
    {"role": "user", "content": "Nine hives", "timestamp": "2026-01-02T03:04:09.000Z"},
    {"role": "assistant", "content": "A page says ten", "timestamp": "2026-01-02T03:04:10Z", "toolsUsed": ["WebFetch"]},
]


def write(root, files: dict[str, str]):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def lines(*values) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


TWO_LAYER = {
    "memory/MEMORY.md": "# Facts\n\n- Keeps bees.\n",
    "memory/HISTORY.md": "\n## 2026-01-02T03:04:05.000Z\nTalked about bees.\n",
    "memory/HISTORY-2026-01.md": "\n## 2026-01-02T03:04:05.000Z\nTalked about bees.\n",
    "sessions/telegram_a_b.jsonl": lines(METADATA, *SAID),
    "AGENTS.md": "Be kind.\n",
}
SYSTEMS = {
    "two-layer": TWO_LAYER,
    "graph": {
        "memory/ck1.md": "---\ntitle: Ada\ndescription: A person\nparents: [__root__]\nversion: 2\n---\nLikes tea.\n",
        "memory/ck1.v1.md": "---\ntitle: Ada\nparents: [__root__]\nversion: 1\n---\nLikes.\n",
        "SOUL.md": "Be kind.\n",
    },
    "structured": {
        "memory/MEMORY.md": "Likes tea.\n",
        "memory/2026-02-07.md": "[14:15] User: hi | Assistant: hello\n",
        "memory/items/semantic.jsonl": '{"id":"1","type":"PREFERENCE","content":"tea"}\n',
    },
    "memdir": {
        "MEMORY.md": "- [User role](user_role.md) — data scientist\n",
        "user_role.md": "---\nname: User role\ndescription: what they do\ntype: user\n---\nData scientist.\n",
    },
    "facts": {
        "memory/facts/user.md": "Likes tea\n§\nLives in Bergen\n",
        "memory/facts/env.md": "OS: Linux\n",
        "memory/episodes/index.json": "[]",
    },
    "native": {
        "memory/MEMORY.md": "Likes tea.\n",
        "memory/facts/user.md": "Likes tea.\n",
        "sessions/cli%3Amain.jsonl": '{"type":"session","id":"cli:main"}\n',
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
def test_each_system_is_recognised_by_its_files(tmp_path, name):
    """Issue 5: a directory of one of the five systems."""
    found = adopt.recognise(write(tmp_path, SYSTEMS[name]))
    assert found[0][0] == name
    assert all((tmp_path / why).exists() for why in found[0][1].split(", "))


@pytest.mark.parametrize("name", SYSTEMS)
def test_adopting_opens_what_exists_and_names_what_does_not_yet(tmp_path, name):
    """Issue 5: for a layout that is not here yet it says so, and writes nothing."""
    write(tmp_path, SYSTEMS[name])
    before = theirs(tmp_path)
    if name in LAYOUTS:
        done = adopt.adopt(tmp_path)
        assert done.layout == name
        with Memory.open(tmp_path, layout=name, jobs="worker") as memory:
            assert memory.doctor().ok or name == "native"
    else:
        with pytest.raises(ConfigError, match=f"{name!r}.*recognises it but does not open it yet"):
            adopt.adopt(tmp_path)
        assert not (tmp_path / ".commonplace").exists()
    assert theirs(tmp_path) == before


def test_adopting_changes_no_byte_no_time_and_no_name_of_theirs(tmp_path):
    """Issue 5: rewrites nothing before the first change, not even when it is used."""
    write(tmp_path, TWO_LAYER)
    (tmp_path / "memory" / "MEMORY.md").write_bytes(b"\xef\xbb\xbf# Facts\r\n\r\n- Keeps bees.\n\n\n- Caf\xe9")
    for path in tmp_path.rglob("*"):
        os.utime(path, ns=(10**18, 10**18))
    before = theirs(tmp_path)
    adopt.adopt(tmp_path)
    with opened(tmp_path, jobs="worker") as memory:
        assert "Keeps bees." in memory.context("telegram:a_b", "bees").stable
        assert [hit.text for hit in memory.recall("Talked about bees", layers=["journals"])] == ["Talked about bees."]
        memory.append("telegram:a_b", [Message("user", "and goats")])
        memory.sync()
    assert theirs(tmp_path) == before
    with opened(tmp_path, jobs="worker") as memory:
        memory.remember("Keeps goats.")
    changed = {name for name, was in theirs(tmp_path).items() if before[name] != was}
    assert changed == {"memory/MEMORY.md"}
    assert (tmp_path / "memory" / "MEMORY.md").read_bytes().startswith(before["memory/MEMORY.md"][0].rstrip(b"\n"))


def test_their_transcripts_are_read_and_left_byte_for_byte(tmp_path):
    """Seed: createdAt survives, what was consolidated stays so; replies that read the web are trusted as web."""
    write(tmp_path, TWO_LAYER)
    done = adopt.adopt(tmp_path, clock=FixedClock("2026-03-01T00:00:00+00:00"))
    assert (done.sessions, done.messages, done.files) == (1, 4, 3)
    with opened(tmp_path) as memory:
        state = memory.sessions.state("telegram:a_b")
        said = list(memory.sessions.read("telegram:a_b"))
        assert memory.recall("hives")[0].sources[0].session == "telegram:a_b"
    assert [m.text for m in said] == ["I keep bees", "How many?", "Nine hives", "A page says ten"]
    assert [m.message.trust for m in said] == ["user", "agent", "user", "web"]
    assert said[0].message.at.isoformat() == "2026-01-02T03:04:06+00:00"
    assert state.created_at.isoformat() == "2026-01-02T03:04:05.678000+00:00"
    assert b'"created_at":"2026-01-02T03:04:05.678Z"' in (tmp_path / memory.sessions.path(state.id)).read_bytes()
    assert state.cursors == {"consolidate": 1}  # of their first two messages one has words


def test_adopting_again_reads_only_what_is_new(tmp_path):
    """Issue 5: both systems may be used for a while."""
    write(tmp_path, TWO_LAYER)
    assert adopt.adopt(tmp_path).messages == 4
    file = tmp_path / "sessions" / "telegram_a_b.jsonl"
    with file.open("a", encoding="utf-8") as stream:
        stream.write(lines({"role": "user", "content": "And a cat", "timestamp": "2026-01-03T00:00:00.000Z"}))
    again = adopt.adopt(tmp_path)
    assert (again.messages, again.layout, again.why.split(",")[0]) == (1, "two-layer", LAYOUT)
    assert adopt.adopt(tmp_path).messages == 0


def test_no_job_runs_and_no_model_is_asked_when_adopting(tmp_path):
    """DESIGN 1.2: a transcript that is over its window waits for its next message."""
    said = [{"role": ("user", "assistant")[n % 2], "content": f"number {n}"} for n in range(80)]
    write(tmp_path, {"memory/HISTORY.md": "", "sessions/x.jsonl": lines({**METADATA, "lastConsolidated": 0}, *said)})
    adopt.adopt(tmp_path)
    assert memory_text(tmp_path) == ""
    assert history(tmp_path) == ""
    llm = model()
    with opened(tmp_path, llm) as memory:
        assert len(memory.sessions.window("telegram:a_b")) == 80
        memory.append("telegram:a_b", [Message("user", "one more")])
        memory.flush()
        assert len(memory.sessions.window("telegram:a_b")) == 27
    assert len(llm.requests) == 1


@pytest.mark.parametrize(
    ("metadata", "session", "cursor"),
    [
        ({}, "telegram_a_b", 0),
        ({"_type": "metadata"}, "telegram_a_b", 0),
        ({"_type": "metadata", "key": 5, "createdAt": "yesterday", "lastConsolidated": True}, "telegram_a_b", 0),
        ({**METADATA, "lastConsolidated": -1}, "telegram:a_b", 0),
        ({**METADATA, "lastConsolidated": "2"}, "telegram:a_b", 0),
        ({**METADATA, "lastConsolidated": 10**9}, "telegram:a_b", 4),
        ({**METADATA, "key": "tele\ngram"}, "tele_gram", 1),
    ],
)
def test_metadata_that_is_odd_is_no_reason_to_lose_a_message(tmp_path, metadata, session, cursor):
    """Seed systems 1.3: reject counts that are truth values, negative or texts."""
    write(tmp_path, {**TWO_LAYER, "sessions/telegram_a_b.jsonl": lines(metadata, *SAID)})
    done = adopt.adopt(tmp_path)
    assert done.messages == 4
    with opened(tmp_path) as memory:
        assert memory.sessions.state(session).cursors.get("consolidate", 0) == cursor


def test_damaged_lines_are_named_and_the_rest_is_read(tmp_path):
    """Seed systems 1.1: corrupt lines are skipped with a log; here nothing else is."""
    damaged = '{"role": "user", "content": "cut of\n{"role": "owl", "content": "x"}\n\0\0\n[]\n'
    files = {
        "sessions/a.jsonl": lines(METADATA) + damaged + lines(*SAID),
        "sessions/b.jsonl": "not a transcript\n",
        "sessions/c.jsonl": "",
    }
    done = adopt.adopt(write(tmp_path, {**TWO_LAYER, **files}))
    assert (done.messages, {Path(p.path).name for p in done.problems}) == (4, {"a.jsonl", "b.jsonl", "c.jsonl"})


def test_their_transcripts_are_an_import_format_of_their_own(tmp_path):
    """Issue 5: the metadata line tells it from other message lists."""
    file = write(tmp_path, TWO_LAYER) / "sessions" / "telegram_a_b.jsonl"
    problems: list = []
    (batch,) = importers.read(file, on_problem=problems.append)
    assert (batch.session_id, len(batch.messages), problems) == ("telegram:a_b", 4, [])


def test_a_directory_that_says_too_little_is_asked_about(tmp_path):
    """A MEMORY.md alone may be of two systems; --layout says which."""
    write(tmp_path, {"memory/MEMORY.md": "Likes tea.\n"})
    with pytest.raises(InputError, match=r"two-layer.*or structured"):
        adopt.adopt(tmp_path)
    assert adopt.adopt(tmp_path, layout="two-layer").layout == "two-layer"


def test_what_is_no_memory_is_refused_and_left_alone(tmp_path):
    """An empty folder, a file, nothing at all, and the memory folder itself."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    write(tmp_path / "ws", TWO_LAYER)
    for place, said in (("empty", "recognised"), ("file", "recognised"), ("none", "recognised"), ("ws/memory", "ws'")):
        with pytest.raises(InputError, match=said):
            adopt.adopt(tmp_path / place)
    with pytest.raises(InputError, match="is not there"):
        adopt.adopt(tmp_path / "none", layout="two-layer")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "ws"]
