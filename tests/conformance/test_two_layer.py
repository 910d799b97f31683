"""The acceptance scenarios of the two-layer layout, each under its number.

Source: seed two-layer; scenarios 1.4. Through the public API and the files, with a scripted model.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import pytest
from two_layer_cases import (
    SESSION,
    START,
    WAIT,
    Hanging,
    exchanges,
    history,
    in_thread,
    memory_text,
    model,
    opened,
    reply,
    theirs,
    write_memory,
)

from commonplace import Message
from commonplace.surfaces import adopt
from commonplace.testing import FixedClock
from forking import started


def test_01_an_empty_workspace_gives_an_empty_memory_and_makes_no_file(tmp_path):
    """Scenario 1: empty string, no file created, no `# Memory` section in the prompt."""
    with opened(tmp_path) as memory:
        assert memory.document("memory") == ""
        assert memory.context(SESSION).text == ""
        assert "# Memory" not in memory.context().text
    assert theirs(tmp_path) == {}
    assert not (tmp_path / "memory").exists()
    with opened(tmp_path / "nowhere", read_only=True) as memory:
        assert (memory.document("memory"), memory.context().text) == ("", "")
    assert not (tmp_path / "nowhere").exists()


def test_02_a_history_append_goes_to_both_files_and_a_search_finds_it_once(tmp_path):
    """Scenario 2: the header is exactly the instant with milliseconds and Z, and the copy is no second hit."""
    with opened(tmp_path) as memory:
        memory.note("history", "Sailed to Svalbard.", at=datetime.fromisoformat("2026-02-27T14:30:00.000Z"))
        hits = memory.recall("Svalbard")
    block = "\n## 2026-02-27T14:30:00.000Z\nSailed to Svalbard.\n"
    assert history(tmp_path).endswith(block)
    assert history(tmp_path, "2026-02").endswith(block)
    assert [hit.text for hit in hits] == ["Sailed to Svalbard."]


def test_03_an_entry_goes_to_the_file_of_its_month_in_utc(tmp_path):
    """Scenario 3: half past eleven at night at -08:00 on the last of February is March in UTC."""
    with opened(tmp_path, config={"timezone": "America/Los_Angeles"}) as memory:
        memory.note("history", "Said good night.", at=datetime.fromisoformat("2026-02-28T23:30:00-08:00"))
    assert "## 2026-03-01T07:30:00.000Z\nSaid good night." in history(tmp_path, "2026-03")
    assert history(tmp_path, "2026-02") == ""
    assert "Said good night." in history(tmp_path)


def test_04_overflow_consolidates_whole_turns_and_keeps_26(tmp_path):
    """Scenario 4: 50 stored, nothing; 52 stored, 1 to 26 are consolidated as the next message arrives."""
    llm = model()
    with opened(tmp_path, llm) as memory:
        memory.append(SESSION, exchanges(25))
        memory.flush()
        memory.append(SESSION, [Message("user", "the 51st")])
        memory.flush()
        assert llm.requests == []
        memory.append(SESSION, [Message("assistant", "the 52nd")])
        memory.flush()
        assert llm.requests == []
        path = tmp_path / memory.sessions.path(SESSION)
        metadata = path.read_bytes().splitlines()[0]
        memory.append(SESSION, [Message("user", "the next one")])
        memory.flush()
        window = memory.sessions.window(SESSION)
        state = memory.sessions.state(SESSION)
    assert [m.number for m in window] == list(range(26, 53))  # 26 kept, and the one that just came
    assert window[0].message.role == "user"
    assert state.cursors == {"consolidate": 26}
    said = "\n".join(llm.prompts)
    assert "day 13 in the garden" in said
    assert "Thank you for day 13." in said
    assert "day 14" not in said
    assert path.read_bytes().splitlines()[0] == metadata
    assert b'"created_at":"2026-02-27T14:30:00' in metadata


WRAPPINGS = {
    "clean": "ANSWER",
    "fenced": "Here is what I made of it:\n```json\nANSWER\n```\nTell me if you want more.",
    "thinking": "<think>What is new?</think>ANSWER",
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("newline", ["\\n", "\n"], ids=["escaped", "literal"])
def test_05_a_reply_in_fences_and_prose_or_with_raw_newlines_is_read(tmp_path, wrapping, newline):
    """Scenario 5: the same result as clean JSON; a literal newline inside the memory text loses nothing."""
    entry = "[2026-02-27 14:30] The user said where they live."
    answer = reply(entry, "- Lives in Bergen.\n- Likes tea.").replace("\\n", newline)
    with opened(tmp_path, model(WRAPPINGS[wrapping].replace("ANSWER", answer))) as memory:
        memory.append(SESSION, [Message("user", "I am someone who lives in Bergen and likes tea")])
        assert memory.consolidate(SESSION).status == "applied"
    assert memory_text(tmp_path) == "- Lives in Bergen.\n- Likes tea.\n"
    assert history(tmp_path).endswith(f"\n{entry}\n")


@pytest.mark.parametrize(
    "answer", ["{}", "", '{"history_entry": null}', '{"history_entry": null, "memory_update": "x"}']
)
def test_06_a_reply_that_says_nothing_is_a_failure_and_trims_after_its_raw_entry(tmp_path, answer):
    """Scenario 6: MEMORY.md is unchanged, the raw entry is there, and the window moved in a later change."""
    write_memory(tmp_path, "- Likes tea.\n")
    with opened(tmp_path, model(answer)) as memory:
        memory.append(SESSION, exchanges(26))
        memory.append(SESSION, [Message("user", "the next one")])
        memory.flush()
        changes = {kind: change.number for change in memory.log() for kind in change.kinds}
        assert memory.sessions.state(SESSION).window_start == 26
    assert memory_text(tmp_path) == "- Likes tea.\n"
    assert "[raw-fallback] Consolidation failed." in history(tmp_path)
    assert changes["journal"] < changes["window"]


def test_07_a_model_past_its_time_leaves_a_raw_entry_and_its_late_answer_changes_nothing(tmp_path):
    """Scenario 7: the caller goes on; the last 10 messages at 200 characters; all of it is in the transcript."""
    slow = Hanging(reply("[2026-02-27 14:30] Too late.", "- Too late.\n"))
    write_memory(tmp_path, "- Likes tea.\n")
    said = [Message("user" if n % 2 == 0 else "assistant", f"number {n} " + "x" * 300) for n in range(12)]
    with opened(tmp_path, slow, config={"consolidationTimeout": 1000}) as memory:
        memory.append(SESSION, said)
        outcome = memory.reset(SESSION)  # comes back though the function still hangs
        assert slow.asked.is_set()
        assert not slow.done.is_set()
        assert outcome.status == "applied"
        slow.go.set()
        assert slow.done.wait(WAIT)
        memory.flush(WAIT)
        kept = [m.text for m in memory.sessions.read(SESSION)]
        assert memory.sessions.window(SESSION) == ()
    entry = history(tmp_path)
    shown = [line for line in entry.splitlines() if "number" in line]
    assert [line.split()[2] for line in shown] == [str(n) for n in range(2, 12)]
    assert all(len(line.split(": ", 1)[1]) <= 200 for line in shown)
    assert "messages 0 to 11" in entry
    assert "transcripts/telegram%3A1.jsonl" in entry
    assert kept == [message.content for message in said]
    assert memory_text(tmp_path) == "- Likes tea.\n"
    assert "Too late" not in entry


def _adds_its_fact(message: str, options: dict) -> dict:
    """Answer as the document asks: the memory that was shown, and the one new fact of the conversation."""
    present, _, said = message.partition("## Conversation to Process")
    memory = present.split("## Current Long-term Memory\n", 1)[1].strip().replace("(empty)", "")
    fact = said.split("USER: ", 1)[1].splitlines()[0]
    return {"content": reply(f"[2026-02-27 14:30] {fact}", f"{memory}\n- {fact}\n".lstrip())}


def test_08_two_sessions_that_consolidate_at_once_keep_both_facts(tmp_path):
    """Scenario 8: the second waits for the first, in threads of one memory and in another process."""
    both_started = threading.Event()
    inside = threading.Semaphore(1)
    overlapping = []

    def one_at_a_time(message: str, options: dict) -> dict:
        alone = inside.acquire(blocking=False)
        if not alone:
            overlapping.append(message)
        both_started.wait(WAIT)
        answer = _adds_its_fact(message, options)
        if alone:
            inside.release()
        return answer

    with opened(tmp_path, one_at_a_time) as memory:
        memory.append("telegram:1", [Message("user", "I live in Bergen")])
        memory.append("telegram:2", [Message("user", "My dog is called Rex")])
        threads = [in_thread(lambda name=name: memory.consolidate(name)) for name in ("telegram:1", "telegram:2")]
        both_started.set()
        for thread in threads:
            thread.join(2 * WAIT)
    assert sorted(memory_text(tmp_path).split("\n")) == ["", "- I live in Bergen", "- My dog is called Rex"]
    assert overlapping == []


CONSOLIDATE = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}, {tests!r} + "/.."]
from test_two_layer import _adds_its_fact
from two_layer_cases import opened
from commonplace import Message
root, name, fact = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
with opened(root, _adds_its_fact) as memory:
    memory.append(name, [Message("user", fact)])
    print("ready", flush=True)
    sys.stdin.readline()
    print(memory.consolidate(name).status)
"""


@pytest.mark.slow
def test_08_two_processes_that_consolidate_at_once_keep_both_facts(tmp_path):
    """Scenario 8, with a process for each session: no lost update between them."""
    program = CONSOLIDATE.format(tests=str(Path(__file__).parent))
    facts = [f"My {thing} is green" for thing in ("door", "boat")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    commands = [[sys.executable, "-c", program, tmp_path, f"telegram:{n}", fact] for n, fact in enumerate(facts)]
    with ExitStack() as stack:
        children = [stack.enter_context(started(command, **pipes)) for command in commands]
        for child in children:
            assert child.stdout.readline() == "ready\n"
        for child in children:
            child.stdin.write("go\n")
            child.stdin.flush()
        assert [child.communicate(timeout=240)[0].strip() for child in children] == ["applied"] * 2
    assert sorted(memory_text(tmp_path).splitlines()) == sorted(f"- {fact}" for fact in facts)


def test_each_line_that_a_rewrite_brings_names_its_message(tmp_path):
    """The mission: every memory says which message it came from; what was replaced is marked where it was said."""
    llm = model(
        reply(memory="- The user's dentist is Dr. Berg.\n- The user rows on Sundays.\n"),
        reply(memory="- The user's dentist is Dr. Holm.\n- The user rows on Sundays.\n"),
    )
    with opened(tmp_path, llm) as memory:
        memory.append(SESSION, [Message("user", "On Sundays I row."), Message("user", "My dentist is Dr. Berg.")])
        memory.consolidate(SESSION)
        memory.append("later", [Message("user", "My dentist is Dr. Holm now, not Dr. Berg.")])
        memory.consolidate("later")
        hits = {hit.text: hit for hit in memory.recall("dentist Sundays")}
        said = memory.sessions.message
        named = {
            text: [said(source.session, source.message).text for source in hit.sources] for text, hit in hits.items()
        }
        assert named["The user's dentist is Dr. Holm."] == ["My dentist is Dr. Holm now, not Dr. Berg."]
        assert named["The user rows on Sundays."] == ["On Sundays I row."]
        assert [text for text, hit in hits.items() if hit.superseded_by] == ["My dentist is Dr. Berg."]


@pytest.mark.parametrize("facts", [20, 190], ids=["under-the-limit", "over-the-limit"])
def test_09_a_memory_that_would_shrink_by_most_is_held_and_stays(tmp_path, facts):
    """Scenario 9: less than 40 % of the old text, asked to compress or not, waits for a person."""
    before = "".join(f"- Fact number {n} is about the colour of house {n}.\n" for n in range(facts))
    assert (len(before) > 8192) == (facts == 190)
    write_memory(tmp_path, before)
    short = "".join(before.splitlines(keepends=True)[: facts // 4])
    llm = model(reply(memory=short))
    with opened(tmp_path, llm) as memory:
        memory.append(SESSION, [Message("user", "I was in the garden")])
        outcome = memory.consolidate(SESSION)
        assert "rewrite" in [memory.review().get(name).operation["op"] for name in outcome.review]
        assert memory_text(tmp_path) == before
        assert ("over its size" in llm.prompts[0]) == (facts == 190)
        name = next(w.id for w in memory.review() if w.operation["op"] == "rewrite")
        approved = memory.review().approve(name)
        assert memory_text(tmp_path) == short
        memory.undo(approved.change)
    assert memory_text(tmp_path) == before


def test_10_a_line_that_a_person_writes_during_a_consolidation_survives(tmp_path):
    """Scenario 10: the rewrite was made from the text before; both edits stand."""
    write_memory(tmp_path, "# About\n\n- Likes tea.\n")

    def meanwhile(message: str, options: dict) -> dict:
        write_memory(tmp_path, "# About\n\n- Likes tea.\n- Written by hand.\n")
        return {"content": reply(memory="# About\n\n- Lives in Bergen.\n- Likes tea.\n")}

    with opened(tmp_path, meanwhile) as memory:
        memory.append(SESSION, [Message("user", "I am someone who lives in Bergen")])
        assert memory.consolidate(SESSION).status == "applied"
    assert sorted(memory_text(tmp_path).splitlines()[2:]) == [
        "- Likes tea.",
        "- Lives in Bergen.",
        "- Written by hand.",
    ]


def test_11_keys_that_look_alike_have_two_files_and_their_file_is_found_by_key(tmp_path):
    """Scenario 11: `telegram:a_b` and `telegram:a:b` share a name in their system, not in ours."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    lines = [
        {"_type": "metadata", "key": "telegram:a:b", "createdAt": "2026-01-02T03:04:05.678Z", "lastConsolidated": 0},
        {"role": "user", "content": "I keep bees", "timestamp": "2026-01-02T03:04:06.000Z"},
    ]
    file = folder / "telegram_a_b.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    before = file.read_bytes()
    adopt.adopt(tmp_path)
    with opened(tmp_path) as memory:
        assert [m.text for m in memory.sessions.read("telegram:a:b")] == ["I keep bees"]
        assert memory.sessions.state("telegram:a:b").created_at.isoformat() == "2026-01-02T03:04:05.678000+00:00"
        assert not memory.sessions.exists("telegram:a_b")
        memory.append("telegram:a_b", [Message("user", "I keep goats")])
        assert memory.sessions.path("telegram:a_b") != memory.sessions.path("telegram:a:b")
        assert [m.text for m in memory.sessions.read("telegram:a:b")] == ["I keep bees"]
    assert len(list((tmp_path / "transcripts").iterdir())) == 2
    assert file.read_bytes() == before


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}, {tests!r} + "/.."]
from two_layer_cases import opened
root = Path(sys.argv[1])
with opened(root) as memory:
    print("ready", flush=True)
    for n in range(10_000):
        memory.rewrite("memory", "- " + "ab"[n % 2] * 60 + "\\n")
"""


@pytest.mark.slow
def test_12_a_writer_that_is_killed_leaves_the_old_memory_or_the_new_one(tmp_path):
    """Scenario 12: kill -9 at three moments; MEMORY.md is whole each time, and opens again."""
    program = WRITER.format(tests=str(Path(__file__).parent))
    whole = {f"- {letter * 60}\n" for letter in "ab"}
    for pause in range(3):
        command = [sys.executable, "-c", program, tmp_path]
        with started(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as child:
            assert child.stdout.readline() == "ready\n"
            seen = 0
            last = memory_text(tmp_path)
            while seen < 1 + 2 * pause:  # let it write for a while, read all the time
                now = memory_text(tmp_path)
                assert now in whole | {""}
                seen += now != last
                last = now
        assert memory_text(tmp_path) in whole
        with opened(tmp_path) as memory:
            assert memory.document("memory") in whole


def test_13_a_cold_start_recaps_what_is_on_disk_within_a_cap(tmp_path):
    """Scenario 13: 8 messages, a new process: `ROLE: content`, oldest first, cut to the configured budget."""
    said = exchanges(4)
    with opened(tmp_path) as memory:
        memory.append(SESSION, said)
    with opened(tmp_path) as memory:
        volatile = memory.context(SESSION).volatile
    lines = [f"{message.role.upper()}: {message.content}" for message in said]
    assert "\n".join(["## Recent Conversation Recap", *lines]) in volatile
    with opened(tmp_path, config={"consolidation.recap_tokens": 40}) as memory:
        context = memory.context(SESSION)
    recap = next(section for section in context.sections if section.title == "Recent Conversation Recap")
    assert recap.tokens <= 40
    assert lines[-1] in recap.text
    assert lines[0] not in recap.text
    assert any(dropped.reason == "over the token budget" for dropped in context.dropped)


def test_the_clock_of_these_tests_stands_at_the_seeds_example():
    """Seed two-layer: `## 2026-02-27T14:30:00.000Z`."""
    assert FixedClock(START)().isoformat() == "2026-02-27T14:30:00+00:00"
