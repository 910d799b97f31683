"""The structured layout against its document: the fourteen scenarios, numbered, by library, tool and files."""

from __future__ import annotations

import errno
import json
import logging
import os
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.errors import ScopeError
from commonplace.store.files.disk import Disk
from commonplace.testing import FixedClock, ScriptedLLM

SOURCE = "seed structured; seed model 3.3"
DAY = "2026-02-07"


def opened(folder: Path, **given) -> Memory:
    settings = {
        "layout": "structured",
        "clock": FixedClock(f"{DAY}T13:15:00+00:00", step_seconds=1),
        "jobs": "inline",
        "config": {"timezone": "Europe/Stockholm"},
    }
    return Memory.open(folder, **(settings | given))


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path) as memory:
        yield memory


def text_of(memory: Memory, name: str) -> str:
    path = Path(memory.location) / "memory" / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def items(memory: Memory, name: str) -> list[dict]:
    """Return the live items of a file, as any reader sees them: the last line of an id wins."""
    live: dict[str, dict] = {}
    for line in text_of(memory, name).splitlines():
        try:
            data = json.loads(line)
        except ValueError:
            continue
        live.pop(data["id"], None)
        if not data.get("deleted"):
            live[data["id"]] = data
    return list(live.values())


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / "memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def turn(memory: Memory, user: str, assistant: str = "Done.", session: str = "web:abc", *more: Message) -> None:
    memory.append(session, [Message("user", user), *more, Message("assistant", assistant)])
    memory.flush()


def call(memory: Memory, action: str, **arguments) -> dict:
    return memory.tool().call({"action": action, **arguments})


# --- 1, 2: notes and context ---


def test_01_a_turn_leaves_the_line_of_the_document_in_the_file_of_its_local_day(memory):
    """Scenario 1."""
    turn(memory, "How do I\nconfigure   Docker health checks?", "Add a healthcheck section.")
    assert text_of(memory, f"{DAY}.md").strip() == (
        "[14:15] User: How do I configure Docker health checks? | Assistant: Add a healthcheck section."
    )


def test_01_long_words_are_cut_to_200_and_300_characters_with_three_dots(memory):
    """Scenario 1: 250 characters are cut to 197 and `...`."""
    turn(memory, "u" * 250, "a" * 350)
    assert text_of(memory, f"{DAY}.md").strip() == f"[14:15] User: {'u' * 197}... | Assistant: {'a' * 297}..."


def test_01_just_before_midnight_in_the_zone_is_still_that_day(tmp_path):
    """Scenario 1; issue 19: local day."""
    with opened(tmp_path, clock=FixedClock("2026-02-07T22:59:00+00:00")) as memory:
        turn(memory, "It is late.", "It is.")
        assert text_of(memory, "2026-02-07.md").startswith("[23:59]")
    with opened(tmp_path, clock=FixedClock("2026-02-07T23:01:00+00:00")) as memory:
        turn(memory, "It is early.", "It is.", "web:next")
        assert text_of(memory, "2026-02-08.md").startswith("[00:01]")


def test_02_a_context_of_only_a_memory_file_has_only_that_section(memory, tmp_path):
    """Scenario 2."""
    put(tmp_path, "MEMORY.md", "User prefers concise responses.\nDatabase is PostgreSQL on port 5432.\n")
    shown = memory.context("web:abc").text
    assert (
        "# Memory\n## Long-term Memory\nUser prefers concise responses.\nDatabase is PostgreSQL on port 5432." in shown
    )
    assert shown.count("## ") == 1


def test_02_a_context_of_nothing_is_empty(memory):
    """Scenario 2: no `# Memory` header."""
    assert memory.context("web:abc").text == ""
    assert memory.context("web:abc", "What do we use?").text == ""


def test_02_notes_stand_as_documented_where_there_is_no_item(tmp_path):
    """Seed structured, "Memory Context Format": today, then seven days, newest first, blank days left out."""
    put(tmp_path, "MEMORY.md", "User prefers concise responses.\n")
    put(tmp_path, "2026-02-07.md", "[14:15] User: How? | Assistant: So.\n[14:30] User: And? | Assistant: Thus.\n")
    put(tmp_path, "2026-02-06.md", "[10:00] User: Set up CI | Assistant: Created.\n")
    put(tmp_path, "2026-02-05.md", "\n")
    put(tmp_path, "2026-02-04.md", "[16:00] User: Initialize | Assistant: Created project.\n")
    put(tmp_path, "2026-01-30.md", "[09:00] User: Too old | Assistant: Yes.\n")
    with opened(tmp_path) as memory:
        shown = memory.context().text
    assert "## Today's Notes\n[14:15] User: How? | Assistant: So.\n[14:30] User: And? | Assistant: Thus." in shown
    assert (
        "## Recent Context\n### 2026-02-06\n[10:00] User: Set up CI | Assistant: Created.\n\n"
        "### 2026-02-04\n[16:00] User: Initialize | Assistant: Created project." in shown
    )
    assert "Too old" not in shown
    assert shown.count("# Memory\n") == 1


def test_02_notes_are_a_fallback_and_can_be_switched_off(tmp_path):
    """Issue 19: the legacy context is a fallback that can be disabled."""
    put(tmp_path, f"{DAY}.md", "[14:15] User: How? | Assistant: So.\n")
    off = {"memory": {"legacyDailyNotesEnabled": False}}
    with opened(tmp_path, config=off) as memory:
        assert memory.context().text == ""
        turn(memory, "Where is it?", "There.")
        assert "Where is it" not in text_of(memory, f"{DAY}.md")
    with opened(tmp_path) as memory:
        shown = memory.context("other:1").text
        assert "## Episodic Memory" in shown
        assert "Today's Notes" not in shown


# --- 3 to 7: items; the scores and budgets themselves are in tests/recall/test_packs.py ---


def test_03_the_best_items_for_a_question_stand_first_in_their_section(memory):
    """Scenario 3: words, age, weight and type decide."""
    memory.remember("The staging database is MariaDB.", kind="fact")
    memory.remember("The user likes green tea.", kind="preference")
    shown = memory.context(None, "Which database is on staging?").text
    section = shown.partition("## Semantic Memory\n")[2].splitlines()
    assert section[0] == "- [PROJECT_FACT] The staging database is MariaDB."
    assert section[1] == "- [PREFERENCE] The user likes green tea."


def test_04_the_same_preference_twice_is_one_live_item_with_the_tags_of_both(memory):
    """Scenario 4."""
    first = call(memory, "add", content="User prefers concise responses.", type="preference", tags=["style"])
    (before,) = items(memory, "items/semantic.jsonl")
    again = call(memory, "add", content="  USER prefers  concise responses. ", type="preference", tags=["chat"])
    assert first["success"]
    assert again["success"]
    (after,) = items(memory, "items/semantic.jsonl")
    assert after["fingerprint"] == "39e4d3b1173ccfcb2f38bf50" == before["fingerprint"]
    assert after["tags"] == ["style", "chat"]
    assert after["updatedAt"] > before["updatedAt"]
    assert after["createdAt"] == before["createdAt"]


def test_05_a_fix_that_is_sure_enough_is_promoted_and_one_that_is_not_stays_episodic(tmp_path):
    """Scenario 5: 0.78 against 0.75, and against 0.80."""
    said = ("The build failed with error: cannot find module foo.", "I fixed the build by adding foo to package.json.")
    with opened(tmp_path / "a") as memory:
        turn(memory, *said)
        found = [each for each in items(memory, "items/procedural.jsonl") if each["type"] == "FIX"]
        assert [(each["confidence"], each["layer"]) for each in found] == [(0.78, "PROCEDURAL")]
    with opened(tmp_path / "b", config={"memory": {"promotionMinConfidence": 0.8}}) as memory:
        turn(memory, *said)
        assert "FIX" not in {each["type"] for each in items(memory, "items/procedural.jsonl")}
        short = items(memory, f"items/episodic/{DAY}.jsonl")
        assert [each["layer"] for each in short if each["type"] == "FIX"] == ["EPISODIC"]


def test_05_without_promotion_all_stays_episodic(tmp_path):
    """Seed structured, `promotionEnabled`."""
    with opened(tmp_path, config={"memory": {"promotionEnabled": False}}) as memory:
        turn(memory, "I prefer tabs over spaces.", "Noted.")
        assert items(memory, "items/semantic.jsonl") == []
        assert {each["type"] for each in items(memory, f"items/episodic/{DAY}.jsonl")} == {"TASK_STATE", "PREFERENCE"}


def test_06_each_layer_gives_so_many_items_as_its_top_k_says(tmp_path):
    """Scenario 6."""
    with opened(tmp_path) as memory:
        for number in range(10):
            memory.remember(f"Server {number} runs in rack {number}.")
        assert memory.context().text.count("[PROJECT_FACT]") == 6
    with opened(tmp_path, config={"memory": {"semanticTopK": 3}}) as memory:
        assert memory.context().text.count("[PROJECT_FACT]") == 3


def test_06_an_item_that_stands_in_two_files_of_the_original_is_shown_once(tmp_path):
    """Scenario 6: the original writes what it promotes into both files."""
    line = (
        '{"id":"5f0c","layer":"%s","type":"FIX","title":"Fix context","content":"Resolved by pinning lodash 4.17.",'
        '"tags":[],"source":"derived","confidence":0.78,"salience":0.83,"ttlDays":null,'
        '"createdAt":"2026-02-07T10:00:00.123456789Z","updatedAt":"2026-02-07T10:00:00.123456789Z",'
        '"lastAccessedAt":null,"references":[],"fingerprint":"aaaabbbbccccddddeeeeffff"}\n'
    )
    put(tmp_path, f"items/episodic/{DAY}.jsonl", line % "EPISODIC")
    put(tmp_path, "items/procedural.jsonl", line % "PROCEDURAL")
    with opened(tmp_path) as memory:
        assert memory.context().text.count("pinning lodash") == 1


def test_07_what_the_soft_budget_has_no_room_for_is_left_out_and_named(tmp_path):
    """Scenario 7; its numbers are in tests/recall/test_packs.py."""
    with opened(tmp_path, config={"memory": {"softPromptBudgetTokens": 60, "maxPromptBudgetTokens": 61}}) as memory:
        for number in range(4):
            memory.remember(f"Server {number} runs in rack {number}, in the hall beside the river and the bridge.")
        context = memory.context()
    assert context.text.count("[PROJECT_FACT]") == 1
    assert [each.reason for each in context.dropped] == ["over the pack's budget"] * 3


# --- 8 to 10: changing, forgetting, bad lines ---


def test_08_an_update_may_be_shorter_and_the_old_text_stays_in_the_history(memory):
    """Scenario 8."""
    added = call(memory, "add", content="Deploys happen every Friday afternoon after the review.")["records"][0]
    assert call(memory, "update", id=added, content="Deploys: Monday.")["success"]
    (found,) = items(memory, "items/semantic.jsonl")
    assert found["content"] == "Deploys: Monday."
    assert memory.read(added).text == "Deploys: Monday."
    assert "Friday" in memory.diff(memory.log()[0]) or "Friday" in str(memory.why(added).steps)


def test_08_a_title_made_of_the_text_follows_the_new_words_and_one_that_was_given_stays(memory):
    """Issue 19: a corrected item was still headed by what it said before."""
    office = call(memory, "add", content="The office is on the second floor.")["records"][0]
    port = call(memory, "add", content="The port is 5432.", title="Port of the database")["records"][0]
    call(memory, "update", id=office, content="The office is on the fourth floor.")
    call(memory, "update", id=port, content="The port is 5433.")
    titles = [each["title"] for each in items(memory, "items/semantic.jsonl")]
    assert sorted(titles) == ["Port of the database", "The office is on the fourth floor."]
    memory.update(office, "The office is on the fifth floor.")
    memory.update(port, "The port is 5434.")
    titles = [each["title"] for each in items(memory, "items/semantic.jsonl")]
    assert sorted(titles) == ["Port of the database", "The office is on the fifth floor."]


def test_08_what_an_update_gives_takes_the_place_of_what_the_item_has(memory):
    """Seed systems 3.2: an explicit update replaces; the original only ever adds tags and raises a confidence."""
    made = {"confidence": 0.9, "salience": 0.9, "tags": ["cache", "redis"], "references": ["cache.py"]}
    (name,) = call(memory, "add", content="The cache keeps rows for a minute.", **made)["records"]
    call(memory, "update", id=name, confidence=0.2, tags=["ttl"])
    (found,) = items(memory, "items/semantic.jsonl")
    assert (found["confidence"], found["salience"], found["tags"]) == (0.2, 0.9, ["ttl"])
    assert (found["references"], found["content"]) == (["cache.py"], "The cache keeps rows for a minute.")


def test_08_the_fingerprint_follows_the_new_words(memory):
    """Seed systems 3.2: the original kept the old one."""
    added = call(memory, "add", content="The port is 5432.")["records"][0]
    before = items(memory, "items/semantic.jsonl")[0]["fingerprint"]
    call(memory, "update", id=added, content="The port is 5433.")
    assert items(memory, "items/semantic.jsonl")[0]["fingerprint"] != before
    call(memory, "add", content="The port is 5432.")
    assert sorted(each["content"] for each in items(memory, "items/semantic.jsonl")) == [
        "The port is 5432.",
        "The port is 5433.",
    ]


def test_09_a_forgotten_turn_does_not_come_back_by_search_pack_or_extraction_and_undo_brings_it(memory):
    """Scenario 9."""
    turn(memory, "What is the colour of the Falcon logo?", "The Falcon logo is turquoise.")
    (found,) = items(memory, f"items/episodic/{DAY}.jsonl")
    receipt = memory.forget(f"memory/items/episodic/{DAY}.jsonl#{found['id']}")
    assert receipt.forgotten
    turn(memory, "What is the colour of the Falcon logo?", "The Falcon logo is turquoise.", "web:again")
    assert items(memory, f"items/episodic/{DAY}.jsonl") == []
    assert "turquoise" not in text_of(memory, f"{DAY}.md")
    question = "What is the colour of the Falcon logo?"
    assert [hit for hit in memory.recall(question) if hit.layer == "items"] == []
    assert "[TASK_STATE]" not in memory.context("x:y", question).text
    memory.undo(receipt)
    assert [each["id"] for each in items(memory, f"items/episodic/{DAY}.jsonl")] == [found["id"]]


def test_10_a_malformed_line_in_the_middle_survives_an_upsert_byte_for_byte(tmp_path):
    """Scenario 10."""
    good = '{"id":"a","type":"PROJECT_FACT","content":"The cache is Redis."}\n'
    bad = '{"id":"b","content":"torn\n'
    put(tmp_path, "items/semantic.jsonl", good + bad + good.replace('"a"', '"c"').replace("Redis", "warm"))
    with opened(tmp_path) as memory:
        for words in ("The queue is NATS.", "The queue is nats.", "The QUEUE is NATS."):
            assert memory.remember(words).status == "applied"
        lines = text_of(memory, "items/semantic.jsonl").splitlines(keepends=True)
        assert bad in lines
        assert [each["content"] for each in items(memory, "items/semantic.jsonl")][-1] == "The QUEUE is NATS."


# --- 11, 12: compaction ---


def test_11_a_cut_inside_a_call_of_a_tool_moves_before_the_message_that_made_it(memory):
    """Scenario 11."""
    memory.append("web:abc", [Message("user", "First."), Message("assistant", "Yes.")])
    made = [
        Message("user", "Run the tests."),
        Message("assistant", "Running.", tools=("shell",)),
        Message("tool", "3 passed", tools=("shell",)),
        Message("assistant", "They pass."),
    ]
    memory.append("web:abc", made)
    memory.compact("web:abc", 2)
    window = memory.sessions.window("web:abc")
    assert [each.message.role for each in window] == ["user", "assistant", "tool", "assistant"]
    assert memory.sessions.state("web:abc").messages == 6


def long_talk(memory: Memory, turns: int = 30) -> None:
    for number in range(turns):
        said = [Message("user", f"Question {number} about the harbour."), Message("assistant", f"Answer {number}.")]
        memory.append("web:abc", said)


def test_12_without_a_model_that_answers_the_last_messages_stay_and_the_rest_is_found(tmp_path, caplog):
    """Scenario 12."""
    with opened(tmp_path, llm=ScriptedLLM(TimeoutError("down"), repeat=True)) as memory:
        long_talk(memory)
        with caplog.at_level(logging.WARNING):
            outcome = memory.compact("web:abc")
        assert outcome.status == "applied"
        assert len(memory.sessions.window("web:abc")) == 20
        assert memory.context("web:abc").text
        assert any("Question 3 " in hit.text for hit in memory.recall("Question 3 about the harbour"))
    assert any("no summary" in record.message for record in caplog.records)


def test_12_the_model_writes_the_summary_within_the_limits_of_the_document(tmp_path):
    """Seed structured, "CompactionService details": 500 tokens, 15 s, no tool results, 300 characters a message."""
    llm = ScriptedLLM("User asked about the harbour.", repeat=True)
    with opened(tmp_path, llm=llm) as memory:
        memory.append("web:abc", [Message("user", "x" * 2000), Message("tool", "RESULT", tools=("shell",))])
        long_talk(memory)
        memory.compact("web:abc", 10)
        shown = memory.context("web:abc").text
    (request,) = [each for each in llm.requests if each.purpose == "compact"]
    assert (request.max_tokens, request.timeout_seconds) == (500, 15.0)
    assert "RESULT" not in request.prompt
    assert max(map(len, request.prompt.splitlines())) < 420
    assert "[Conversation summary]\nUser asked about the harbour." in shown


def test_12_a_window_is_compacted_by_itself_when_its_estimate_is_over_the_limit(tmp_path):
    """Seed structured, "Automatic compaction": characters / 3.5 + 8000 against the limit."""
    config = {"compaction": {"maxContextTokens": 9000, "keepLastMessages": 4}}
    for chars, left in ((3300, 24), (3700, 4)):
        with opened(tmp_path / str(chars), config=config) as memory:
            for _ in range(12):
                said = [Message("user", "u" * (chars // 24)), Message("assistant", "a" * (chars // 24))]
                memory.append("web:abc", said)
            memory.append("web:abc", [Message("user", "Go on.")])
            memory.flush()
            assert len(memory.sessions.window("web:abc")) in {left, left + 1}


def test_12_compaction_can_be_switched_off(tmp_path):
    """Seed structured, `compaction.enabled`."""
    with opened(tmp_path, config={"compaction": {"maxContextTokens": 8001, "enabled": False}}) as memory:
        long_talk(memory)
        memory.flush()
        assert len(memory.sessions.window("web:abc")) == 60


# --- 13, 14: scopes, and a disk that refuses ---


def test_13_what_a_session_scope_holds_is_not_seen_from_another(tmp_path):
    """Scenario 13."""
    with opened(tmp_path, scope=("session:web:abc", "global")) as memory:
        memory.remember("The password hint is a river.")
        (line,) = Path(tmp_path).rglob("semantic.jsonl")
        assert json.loads(line.read_text(encoding="utf-8"))["scope"] == "session:web:abc"
    with opened(tmp_path, scope=("session:web:xyz", "global")) as memory:
        assert memory.recall("river hint") == []
        assert memory.context().text == ""
    with opened(tmp_path, scope="global") as memory:
        assert memory.recall("river hint") == []
        memory.remember("The office is in Lund.")
        assert items(memory, "items/semantic.jsonl")[0]["scope"] == "global"
    assert (tmp_path / "memory" / "items" / "semantic.jsonl").exists()
    for scope in ("task:7", "goal:launch"):
        with opened(tmp_path, scope=(scope, "global")) as memory:
            memory.remember("The launch is on Friday.")
            shown = memory.context().text
            assert "Lund" in shown.partition("\n# Memory (global)\n## Semantic Memory\n")[2]
            assert shown.count("## More") == 1


@pytest.mark.parametrize("scope", ["session:", "session:web", "session::x", "goal:", "team:red", "task", "../up"])
def test_13_a_malformed_scope_is_an_error_and_stores_nothing(tmp_path, scope):
    """Scenario 13; seed systems 3.1: the original falls back to global in silence."""
    with pytest.raises(ScopeError):
        opened(tmp_path, scope=scope)
    assert list(tmp_path.iterdir()) == []


def refusing(code: int):
    def call(*_args: object, **_options: object) -> int:
        raise OSError(code, os.strerror(code))

    return call


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_14_a_disk_that_refuses_costs_one_warning_and_is_written_when_it_can_be(tmp_path, caplog, code):
    """Scenario 14."""
    with opened(tmp_path) as memory:
        turn(memory, "Hello there.", "Hello.")
        memory.append("web:abc", [Message("user", "I prefer tea."), Message("assistant", "Noted.")])
        with pytest.MonkeyPatch.context() as full, caplog.at_level(logging.WARNING, logger="commonplace"):
            full.setattr(Disk, "write", refusing(code))
            memory.flush()
            assert "I prefer tea." not in text_of(memory, f"{DAY}.md")
            assert "Hello there." in memory.context("web:other", "Who said hello?").text
        said = [each for each in caplog.records if "did not run" in each.message]
        assert [each.levelname for each in said] == ["WARNING"]
        memory.append("web:abc", [Message("user", "And cake."), Message("assistant", "Noted.")])
        memory.flush()
        assert text_of(memory, f"{DAY}.md").count("I prefer tea.") == 1
        assert [each["content"] for each in items(memory, "items/semantic.jsonl")] == ["User prefers tea."]
        assert memory.doctor().problems == ()
