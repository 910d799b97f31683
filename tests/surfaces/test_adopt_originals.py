"""Adopting the folders that the original programs write, whatever their documents say (issue 17.4).

Each folder is written as the program's own code writes it: nanobot 0.1.4 (the two-layer design's parent) and kode.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace import Memory, Message, adopt
from commonplace.errors import InputError

MEMORY = "# Long-term Memory\n\n- Keeps bees.\n"
HISTORY = [
    "[2026-02-27 14:30] They planned a trip to Bergen.",
    "[2026-02-28 09:00] [RAW] 2 messages\n[2026-02-28 08:59] USER: and the hives?\n[2026-02-28 09:00] ASSISTANT: nine",
]
NAIVE = "2026-02-27T14:30:05.123000"


def lines(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def nanobot(root: Path, metadata: dict[str, object]) -> Path:
    """Write a workspace as nanobot does."""
    (root / "memory").mkdir(parents=True)
    (root / "sessions").mkdir()
    (root / "memory/MEMORY.md").write_text(MEMORY, encoding="utf-8")
    (root / "memory/HISTORY.md").write_text("".join(entry.rstrip() + "\n\n" for entry in HISTORY), encoding="utf-8")
    call = {"id": "c1", "type": "function", "function": {"name": "web_fetch", "arguments": '{"url": "x.example"}'}}
    said = [
        {"role": "user", "content": "I sail a dinghy.", "timestamp": NAIVE},
        {"role": "assistant", "content": "A page says so.", "timestamp": NAIVE, "tools_used": ["web_search"]},
        {"role": "assistant", "content": "", "tool_calls": [call], "timestamp": NAIVE},
        {"role": "tool", "tool_call_id": "c1", "name": "web_fetch", "content": "Dinghies sink.", "timestamp": NAIVE},
        {"role": "user", "content": [{"type": "text", "text": "It is red."}], "timestamp": NAIVE},
    ]
    head = {"_type": "metadata", "created_at": NAIVE, "updated_at": NAIVE, "metadata": {}, "last_consolidated": 2}
    (root / "sessions/telegram_77.jsonl").write_text(lines(head | metadata, *said), encoding="utf-8")
    return root


def chunks(history: str) -> list[str]:
    """Return the entries of HISTORY.md as nanobot parts them: at blank lines."""
    return [part.strip() for part in history.split("\n\n") if part.strip()]


def kode(root: Path) -> Path:
    """Write `~/.kode` as kode does: all files of memory in one folder, a session in one JSON document."""
    (root / "memory").mkdir(parents=True)
    (root / "sessions").mkdir()
    (root / "memory/user.md").write_text("Likes tea\n§\nLives in Bergen", encoding="utf-8")
    (root / "memory/env.md").write_text("OS: Linux", encoding="utf-8")
    (root / "memory/20260518-abc123.md").write_text("Moved the parser to Go.", encoding="utf-8")
    row = {"session_id": "20260518-abc123", "turns": 3, "created_at": "2026-05-18T10:00:00Z", "summary": "Moved the…"}
    (root / "memory/index.json").write_text(json.dumps([row], indent=2), encoding="utf-8")
    session = {
        "id": "20260518-abc123",
        "created_at": "2026-05-18T10:00:00Z",
        "updated_at": "2026-05-18T11:00:00Z",
        "model": "m",
        "turns": 1,
        "task": "move the parser",
        "sandbox": False,
        "messages": [
            {"role": "system", "content": "You are kode."},
            {"role": "user", "content": "move the parser to Go, the heron branch"},
            {"role": "assistant", "content": "Done.", "tool_calls": []},
        ],
    }
    (root / "sessions/20260518-abc123.json").write_text(json.dumps(session, indent=2), encoding="utf-8")
    return root


def test_each_entry_of_the_history_of_nanobot_is_a_record_with_its_time(tmp_path: Path) -> None:
    """One record before, without a date; its times are in the configured zone."""
    nanobot(tmp_path, {})
    adopt.adopt(tmp_path, config={"timezone": "Europe/Oslo"})
    with Memory.open(tmp_path, layout="two-layer", jobs="worker", config={"timezone": "Europe/Oslo"}) as memory:
        hits = {hit.text: hit.at for hit in memory.recall("trip Bergen hives", layers=["journals"])}
    assert hits == {
        "They planned a trip to Bergen.": datetime(2026, 2, 27, 13, 30, tzinfo=UTC),
        "[RAW] 2 messages\n[2026-02-28 08:59] USER: and the hives?\n[2026-02-28 09:00] ASSISTANT: nine": datetime(
            2026, 2, 28, 8, 0, tzinfo=UTC
        ),
    }


@pytest.mark.parametrize(("metadata", "key"), [({}, "telegram:77"), ({"key": "telegram:7_7"}, "telegram:7_7")])
def test_sessions_of_nanobot_keep_key_times_cursor_and_what_the_web_said(
    tmp_path: Path, metadata: dict[str, object], key: str
) -> None:
    nanobot(tmp_path, metadata)
    done = adopt.adopt(tmp_path, config={"timezone": "Europe/Oslo"})
    assert (done.sessions, done.messages, done.problems) == (1, 5, ())
    with Memory.open(tmp_path, layout="two-layer", jobs="worker") as memory:
        state = memory.sessions.state(key)
        said = list(memory.sessions.read(key))
    assert state.created_at == datetime(2026, 2, 27, 13, 30, 5, 123000, tzinfo=UTC)
    assert {each.message.at for each in said} == {state.created_at}
    assert set(state.cursors.values()) == {2}
    assert [(each.message.role, each.message.trust) for each in said] == [
        ("user", "user"), ("assistant", "web"), ("assistant", "agent"), ("tool", "web"), ("user", "user"),
    ]  # fmt: skip
    assert said[3].message.tools == ("web_fetch",)
    assert said[4].text == "It is red."


def test_nanobot_reads_its_folder_as_before_and_what_was_added(tmp_path: Path) -> None:
    nanobot(tmp_path, {})
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    adopt.adopt(tmp_path)
    assert {path: path.read_bytes() for path in before} == before
    with Memory.open(tmp_path, layout="two-layer", jobs="worker") as memory:
        memory.remember("Keeps goats.")
        memory.append("telegram:77", [Message("user", "We decided on Postgres for the log of the boat.")])
        memory.consolidate("telegram:77")
    assert (tmp_path / "memory/MEMORY.md").read_text(encoding="utf-8").startswith(MEMORY.rstrip())
    assert "Keeps goats." in (tmp_path / "memory/MEMORY.md").read_text(encoding="utf-8")
    history = (tmp_path / "memory/HISTORY.md").read_text(encoding="utf-8")
    assert chunks(history)[:2] == HISTORY
    assert "Postgres" in "".join(chunks(history)[2:])


LINES = [
    {"cursor": 1, "timestamp": "2026-04-02 10:00", "content": "They planned a trip to Bergen.\nBy train."},
    {"cursor": 2, "timestamp": "2026-04-03 09:30", "content": "The hives are nine."},
    {"cursor": 3, "timestamp": "2026-04-04 08:00", "content": "Goats were mentioned."},
]


def nanobot_of_lines(root: Path) -> Path:
    """Write a workspace as nanobot 0.1.5 does: its history in JSON lines, numbered, and how far its dream has read."""
    nanobot(root, {"key": "telegram:77"})
    (root / "memory/HISTORY.md").unlink()
    (root / "memory/history.jsonl").write_text(lines(*LINES), encoding="utf-8")
    (root / "memory/.cursor").write_text("3", encoding="utf-8")
    (root / "memory/.dream_cursor").write_text("2", encoding="utf-8")
    return root


def test_the_history_of_nanobot_in_json_lines_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    nanobot_of_lines(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = adopt.adopt(tmp_path, config={"timezone": "Europe/Oslo"})
    assert (done.layout, done.files, done.problems) == ("two-layer", 2, ())
    assert {path: path.read_bytes() for path in before} == before
    with Memory.open(tmp_path, layout="two-layer", jobs="worker", config={"timezone": "Europe/Oslo"}) as memory:
        hits = {hit.text: hit.at for hit in memory.recall("trip Bergen hives goats", layers=["journals"])}
    assert hits == {
        "They planned a trip to Bergen.\nBy train.": datetime(2026, 4, 2, 8, tzinfo=UTC),
        "The hives are nine.": datetime(2026, 4, 3, 7, 30, tzinfo=UTC),
        "Goats were mentioned.": datetime(2026, 4, 4, 6, tzinfo=UTC),
    }


def test_nanobot_sees_what_was_added_to_its_lines_and_misses_none_of_its_own(tmp_path: Path) -> None:
    """It numbers on from `.cursor`, and its dream skips what is not numbered past `.dream_cursor`."""
    nanobot_of_lines(tmp_path)
    adopt.adopt(tmp_path)
    with Memory.open(tmp_path, layout="two-layer", jobs="worker") as memory:
        memory.append("telegram:78", [Message("user", "We decided on Postgres for the log of the boat.")])
        memory.consolidate("telegram:78")
        hives = memory.recall("hives", layers=["journals"])[0]
        assert memory.update(hives.record, "The hives are ten.").status == "applied"
        assert memory.recall("Postgres boat log", layers=["journals"])[0].text.endswith("log of the boat.")
    read = [json.loads(line) for line in (tmp_path / "memory/history.jsonl").read_text(encoding="utf-8").splitlines()]
    assert read[0] == LINES[0]
    assert read[1] == LINES[1] | {"content": "The hives are ten."}
    assert "Postgres" in read[3]["content"]
    assert [entry["cursor"] for entry in read] == [1, 2, 3, 3]  # nanobot's next is 4
    assert (tmp_path / "memory/.cursor").read_text(encoding="utf-8") == "3"


def test_a_workspace_without_json_lines_gets_none(tmp_path: Path) -> None:
    nanobot(tmp_path, {})
    adopt.adopt(tmp_path)
    with Memory.open(tmp_path, layout="two-layer", jobs="worker") as memory:
        memory.note("history", "The boat was sold.")
    assert not (tmp_path / "memory/history.jsonl").exists()
    assert "The boat was sold." in (tmp_path / "memory/HISTORY.md").read_text(encoding="utf-8")


def test_the_flat_folder_of_kode_opens_with_its_facts_episodes_and_sessions(tmp_path: Path) -> None:
    kode(tmp_path)
    assert adopt.recognise(tmp_path)[0][0] == "facts-flat"
    done = adopt.adopt(tmp_path)
    assert (done.layout, done.sessions, done.messages, done.problems) == ("facts-flat", 1, 3, ())
    assert adopt.adopt(tmp_path).messages == 0
    with Memory.open(tmp_path, layout="facts-flat", jobs="worker") as memory:
        shown = memory.context("new").text
        assert "Lives in Bergen" in shown
        assert "OS: Linux" in shown
        assert {hit.trust for hit in memory.recall("tea Bergen", layers=["documents"])} == {"agent"}
        assert memory.recall("parser Go", layers=["topics"])[0].text.endswith("Moved the parser to Go.")
        heron = memory.recall("heron branch", layers=["sessions"])[0]
        assert heron.sources[0].session == "20260518-abc123"
        assert heron.at == datetime(2026, 5, 18, 10, tzinfo=UTC)


def test_kode_reads_its_folder_as_before_and_what_was_added(tmp_path: Path) -> None:
    kode(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    adopt.adopt(tmp_path)
    assert {path: path.read_bytes() for path in before} == before
    with Memory.open(tmp_path, layout="facts-flat", jobs="inline") as memory:
        assert memory.tool().call({"action": "add", "target": "user", "content": "Keeps goats"})["success"]
        for turn in range(4):
            memory.append(
                "20260519-def456",
                [Message("user", f"We decided to move server {turn} to Hetzner."), Message("assistant", "ok")],
            )
        memory.end("20260519-def456")
    facts = (tmp_path / "memory/user.md").read_text(encoding="utf-8").strip().split("\n§\n")
    assert facts == ["Likes tea", "Lives in Bergen", "Keeps goats"]
    rows = json.loads((tmp_path / "memory/index.json").read_text(encoding="utf-8"))
    assert [row["session_id"] for row in rows][:1] == ["20260518-abc123"]
    assert all((tmp_path / f"memory/{row['session_id']}.md").is_file() for row in rows)
    assert len(rows) == 2


def test_the_folder_that_kodes_document_describes_opens_too(tmp_path: Path) -> None:
    (tmp_path / "memory/facts").mkdir(parents=True)
    (tmp_path / "memory/facts/user.md").write_text("Likes tea", encoding="utf-8")
    assert adopt.adopt(tmp_path).layout == "facts"


def test_adopted_facts_are_the_agents_and_what_a_person_adds_by_hand_is_theirs(tmp_path: Path) -> None:
    """Issue 17.4: the facts that were there were written by the tool of the other system's agent."""
    facts = tmp_path / "memory/facts/user.md"
    facts.parent.mkdir(parents=True)
    facts.write_text("Likes tea", encoding="utf-8")
    adopt.adopt(tmp_path)
    facts.write_text("Likes tea\n§\nKeeps goats", encoding="utf-8")
    adopt.adopt(tmp_path)
    with Memory.open(tmp_path, layout="facts", jobs="worker") as memory:
        trust = {hit.text: hit.trust for hit in memory.recall("tea goats", layers=["documents"])}
    assert trust == {"Likes tea": "agent", "Keeps goats": "user"}


def test_adopting_ones_own_memory_leaves_it_the_persons(tmp_path: Path) -> None:
    (tmp_path / "memory/facts").mkdir(parents=True)
    (tmp_path / "memory/MEMORY.md").write_text("- Likes tea.\n", encoding="utf-8")
    adopt.adopt(tmp_path, layout="native")
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert [hit.trust for hit in memory.recall("tea", layers=["documents"])] == ["user"]


def test_a_folder_that_is_half_ours_already_is_asked_about_or_taken_as_named(tmp_path: Path) -> None:
    """Bad input: memory was opened in the workspace before it was adopted."""
    nanobot(tmp_path, {})
    with Memory.open(tmp_path, layout="native", jobs="worker") as memory:
        memory.append("cli:main", [Message("user", "I own a walrus.")])
        memory.remember("Owns a walrus.")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and "/memory/" in str(path)}
    with pytest.raises(InputError, match="say which layout it is"):
        adopt.adopt(tmp_path)
    done = adopt.adopt(tmp_path, layout="two-layer")
    assert {path: path.read_bytes() for path in before} == before
    with Memory.open(tmp_path, layout="two-layer", jobs="worker") as memory:
        assert memory.recall("dinghy")[0].sources[0].session == "telegram:77"
        assert done.problems == ()
        assert [each.id for each in memory.sessions.list()].count("cli:main") == 1
        assert memory.recall("walrus", layers=["sessions"])
