"""What the two-layer document says beyond its scenarios, and input nobody would write on purpose.

Source: seed two-layer; issue 5, statements and bad input.
"""

from __future__ import annotations

import os
import subprocess
import threading
from datetime import UTC, datetime

import pytest
from two_layer_cases import (
    SESSION,
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

from commonplace import Config, Message
from commonplace.config import ConsolidationConfig
from commonplace.errors import CommonplaceError, ConfigError, InputError
from commonplace.layouts.codecs import journals
from commonplace.models import Reply
from inside import config_of
from marking import slow_after

# --- the files ---


def test_the_memory_stands_in_every_context_as_it_is_written(tmp_path):
    """Seed: MEMORY.md is loaded into the system prompt on every message."""
    text = "# Who\n\nAda lives in Bergen.\n\n## Likes\n- tea\n  - green\n\n| a | b |\n|---|---|\n\n```\ncode\n```\n"
    write_memory(tmp_path, text)
    with opened(tmp_path) as memory:
        for asked in ((None, None), (SESSION, None), (SESSION, "what about tea?")):
            assert text.strip() in memory.context(*asked).stable
        write_memory(tmp_path, text.replace("Bergen", "Oslo"))
        assert "Ada lives in Oslo." in memory.context(SESSION).stable


def test_a_memory_of_40_kilobytes_and_the_recap_fit_whole_by_default(tmp_path):
    """Seed systems 1.1: the shipped configuration lets MEMORY.md grow to 40,960 bytes."""
    text = "".join(f"- Fact number {n:04} is about the colour of a house.\n" for n in range(800))
    assert 39_000 < len(text) < 41_000
    write_memory(tmp_path, text)
    with opened(tmp_path) as memory:
        memory.append(SESSION, exchanges(20))
        context = memory.context(SESSION)
    assert text.strip() in context.stable
    assert context.dropped == ()


def test_history_is_never_in_a_context_unasked_and_recall_finds_it(tmp_path):
    """Seed: never loaded into context automatically, searched on demand."""
    with opened(tmp_path) as memory:
        memory.note("history", "The walrus came ashore at noon.")
        memory.append(SESSION, [Message("user", "hello")])
        assert "walrus" not in memory.context(SESSION, "what about the walrus?").text
        assert [hit.layer for hit in memory.recall("walrus")] == ["journals"]


def test_a_failure_is_in_the_history_and_its_fix_in_the_memory(tmp_path):
    """Issue 19: ten errors of builds that were mended long ago stood in each prompt."""
    said = ["The build failed with error: cannot find module ramen.", "I fixed the build by adding ramen to the path."]
    with opened(tmp_path) as memory:
        memory.append(SESSION, [Message("user", each) for each in said])
        memory.end(SESSION)
        memory.remember("The deploy failed with error 3.", kind="failure")
        stable = memory.context("web:new").stable
        assert "adding ramen to the path" in stable
        assert "failed" not in stable
        found = [hit.text for hit in memory.recall("what failed?", layers=["journals"])]
    assert "The deploy failed with error 3." in found
    assert any("cannot find module ramen" in each for each in found)


def test_the_agent_greps_the_history_files(tmp_path):
    """Seed: `grep -i "keyword" memory/HISTORY*.md`."""
    with opened(tmp_path) as memory:
        memory.note("history", "The Walrus came ashore.", at=datetime(2026, 1, 5, tzinfo=UTC))
        memory.note("history", "A walrus again.", at=datetime(2026, 2, 5, tzinfo=UTC))
    found = subprocess.run(
        ["grep", "-il", "walrus", "HISTORY-2026-01.md", "HISTORY-2026-02.md", "HISTORY.md"],
        cwd=tmp_path / "memory", capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert found.stdout.split() == ["HISTORY-2026-01.md", "HISTORY-2026-02.md", "HISTORY.md"]


def test_history_is_only_ever_added_to(tmp_path):
    """Seed: append-only, never truncated."""
    with opened(tmp_path, model()) as memory:
        last = ""
        for n in range(4):
            memory.append(SESSION, exchanges(2, start=n))
            memory.consolidate(SESSION)
            now = history(tmp_path)
            assert now.startswith(last)
            assert len(now) > len(last)
            last = now
    assert history(tmp_path, "2026-02") == last


@pytest.mark.parametrize("month", ["", "2026-02"])
def test_a_forgotten_or_corrected_event_is_so_in_both_files(tmp_path, month):
    """DESIGN 1.3: what is forgotten does not come back, also not from the copy."""
    path = f"memory/HISTORY{month and '-' + month}.md"
    with opened(tmp_path) as memory:
        memory.note("history", "The walrus came ashore.")
        memory.note("history", "The seal came ashore.")
        first, second = (f"{path}#{key}" for key in _keys(tmp_path))
        memory.update(first, "The walrus swam away.")
        assert [hit.text for hit in memory.recall("walrus")] == ["The walrus swam away."]
        receipt = memory.forget(second)
        assert memory.recall("seal") == []
        assert "seal" not in history(tmp_path) + history(tmp_path, "2026-02")
        assert history(tmp_path) == history(tmp_path, "2026-02")
        memory.undo(receipt.change)
        assert [hit.text for hit in memory.recall("seal")] == ["The seal came ashore."]
        assert history(tmp_path) == history(tmp_path, "2026-02")


def _keys(root) -> list[str]:
    data = (root / "memory" / "HISTORY.md").read_bytes()
    return [entry.id.split("#")[1] for entry in journals.records("x", data, "history")]


# --- library calls under the document's verbs ---


def test_the_documents_methods_are_library_calls(tmp_path):
    """Seed: readMemory, writeMemory, appendHistory, appendHistoryRotated."""
    at = datetime(2026, 2, 27, 14, 30, tzinfo=UTC)
    with opened(tmp_path) as memory:
        assert memory.document("memory") == ""
        written = memory.rewrite("memory", "- Likes tea.\n", reason="asked for")
        assert memory.document("memory") == memory.document("MEMORY.md") == "- Likes tea.\n"
        memory.note("history_all", "Only in the main file.", at=at)
        memory.note("history", "In both files.", at=at)
        memory.undo(written.change)
        assert memory.document("memory") == ""
        with pytest.raises(InputError, match="of journals there are history, history_all"):
            memory.note("memory", "no journal")
        with pytest.raises(InputError, match="belongs to no layer"):
            memory.document("nothing.txt")
    assert "Only in the main file." in history(tmp_path)
    assert "Only in the main file." not in history(tmp_path, "2026-02")
    assert "In both files." in history(tmp_path)
    assert "In both files." in history(tmp_path, "2026-02")


def test_what_the_library_writes_is_screened(tmp_path):
    """DESIGN 1.7: an explicit write with a secret is refused, naming the class."""
    with opened(tmp_path) as memory:
        outcome = memory.rewrite("memory", "- The key is AKIA" + "IOSFODNN7EXAMPLA.\n")
    assert outcome.status == "refused"
    assert "AKIA" not in outcome.reason
    assert memory_text(tmp_path) == ""


# --- the consolidation service ---


def test_a_plain_function_gets_the_prompt_and_the_model_of_the_call(tmp_path):
    """Seed: `PromptFn = (message, {model}) -> {content}`, injectable, the model named for each call."""
    asked = []

    def prompt(message, options):
        asked.append((message, options["model"]))
        return {"content": reply()}

    with opened(tmp_path, prompt, config={"model": "small-one"}) as memory:
        for model_name in (None, "large-one"):
            memory.append(SESSION, exchanges(1))
            memory.append(SESSION, [Message("assistant", "Looked it up.", tools=("search", "read"))])
            memory.consolidate(SESSION, model=model_name)
    assert [name for _, name in asked] == ["small-one", "large-one"]
    message = asked[0][0]
    assert '"history_entry"' in message
    assert '"memory_update"' in message
    assert "## Current Long-term Memory\n(empty)" in message
    assert "## Conversation to Process\n[2026-02-27T14:30] USER: I want to tell you" in message
    assert "ASSISTANT [tools: search, read]: Looked it up." in message


@pytest.mark.parametrize("letter", ["ø", *(pytest.param(each, marks=pytest.mark.slow) for each in "a家")])
def test_compression_is_asked_for_past_the_limit_in_bytes(tmp_path, letter):
    """Seed: maxMemorySize, 8192 bytes; seed model 6: bytes are UTF-8, not UTF-16 units."""
    line = 30
    each = len(letter.encode()) * line + 3
    for count, wanted in ((8192 // each, False), (8192 // each + 2, True)):
        root = tmp_path / str(count)
        write_memory(root, "".join(f"- {letter * line}\n" for _ in range(count)))
        llm = model()
        with opened(root, llm) as memory:
            memory.append(SESSION, exchanges(1))
            memory.consolidate(SESSION)
        assert ("over its size" in llm.prompts[0]) == wanted


def test_a_rewrite_is_done_as_a_diff_and_can_be_undone(tmp_path):
    """Seed model, conclusion 4: what stays keeps its bytes and ids; the change can be taken back."""
    before = "# About\r\n\r\n* Likes tea.\r\n* Has a dog.\r\n"
    write_memory(tmp_path, before)
    after = "# About\n\n* Likes tea.\n* Has a dog.\n* Lives in Bergen.\n"
    with opened(tmp_path, model(reply(memory=after))) as memory:
        tea = memory.recall("tea")[0].record
        memory.append(SESSION, [Message("user", "I am someone who lives in Bergen")])
        outcome = memory.consolidate(SESSION)
        assert [line for line in outcome.diff.splitlines() if "tea" in line or "dog" in line] == []
        assert (tmp_path / "memory" / "MEMORY.md").read_bytes() == (before + "* Lives in Bergen.\r\n").encode()
        assert memory.read(tea).text == "Likes tea."
        memory.undo(outcome.change)
        assert (tmp_path / "memory" / "MEMORY.md").read_bytes() == before.encode()
        assert memory.sessions.state(SESSION).cursors["consolidate"] == 0


def test_a_memory_of_many_short_facts_can_be_rewritten(tmp_path):
    """Seed: the whole of MEMORY.md is written anew, however many lines it has below its limit."""
    before = "".join(f"- House {n} is red.\n" for n in range(150))
    assert len(before) < 8192
    write_memory(tmp_path, before)
    with opened(tmp_path, model(reply(memory=before + "- Lives in Bergen.\n"))) as memory:
        memory.append(SESSION, [Message("user", "I am someone who lives in Bergen")])
        assert memory.consolidate(SESSION).status == "applied"
        assert list(memory.review()) == []
    assert memory_text(tmp_path) == before + "- Lives in Bergen.\n"


def test_an_answer_may_be_as_long_as_the_memory_it_writes_anew(tmp_path):
    """Seed: the reply holds all of MEMORY.md, so the token limit of one answer follows its size."""
    write_memory(tmp_path, "".join(f"- House {n} is red and its door is green.\n" for n in range(100)))
    llm = model()
    with opened(tmp_path, llm) as memory:
        memory.append(SESSION, exchanges(1))
        memory.consolidate(SESSION)
    assert llm.requests[0].max_tokens > len(memory_text(tmp_path)) / 3.5


# --- triggers ---


def test_a_reset_is_awaited_then_the_window_is_empty_and_the_transcript_kept(tmp_path):
    """Seed, `/new`: memory is persisted before the session is cleared."""
    with opened(tmp_path, model(reply(memory="- Lives in Bergen.\n"))) as memory:
        memory.append(SESSION, [Message("user", "I am someone who lives in Bergen"), Message("assistant", "Noted.")])
        outcome = memory.reset(SESSION)
        assert outcome.status == "applied"
        assert memory_text(tmp_path) == "- Lives in Bergen.\n"
        assert memory.sessions.window(SESSION) == ()
        assert "Recap" not in memory.context(SESSION).text
        assert [m.text for m in memory.sessions.read(SESSION)] == ["I am someone who lives in Bergen", "Noted."]
        kinds = [change.kinds for change in reversed(memory.log())]
        assert kinds.index(("window",)) > next(n for n, each in enumerate(kinds) if "journal" in each)


def test_a_reset_that_waits_for_another_session_clears_when_its_time_is_over(tmp_path):
    """Seed: a timeout keeps the user from being blocked; the range is safe in a raw entry first."""
    slow = Hanging(reply())
    with opened(tmp_path, slow, config={"model.timeout_seconds": 60, "consolidation.awaited_seconds": 1}) as memory:
        memory.append("telegram:other", exchanges(1))
        memory.append(SESSION, exchanges(1))
        other = in_thread(lambda: memory.consolidate("telegram:other"))
        assert slow.asked.wait(WAIT)
        outcome = memory.reset(SESSION)
        assert outcome.status == "applied"
        assert memory.sessions.window(SESSION) == ()
        slow.go.set()
        other.join(WAIT)
    assert history(tmp_path).count("[raw-fallback]") == 1
    assert history(tmp_path).count("The user spoke of the garden.") == 1


def test_a_window_is_not_cleared_while_its_range_is_not_safe(tmp_path):
    """Seed systems 1.3: /new must not clear when the archive failed."""
    with opened(tmp_path, model()) as memory:
        memory.append(SESSION, exchanges(2))
        (tmp_path / "memory").write_text("a file where the folder should be", encoding="utf-8")
        with pytest.raises(CommonplaceError, match="memory"):
            memory.reset(SESSION)
        assert len(memory.sessions.window(SESSION)) == 4
        (tmp_path / "memory").unlink()
        assert memory.reset(SESSION).status == "applied"
        assert memory.sessions.window(SESSION) == ()


def test_what_remains_after_an_overflow_is_recapped_in_the_next_prompt(tmp_path):
    """Seed: remaining messages are put into the system prompt of the next session."""
    with opened(tmp_path, model()) as memory:
        memory.append(SESSION, exchanges(26))
        memory.append(SESSION, [Message("user", "the next one")])
        memory.flush()
        volatile = memory.context(SESSION).volatile
    assert "USER: I want to tell you about day 14 in the garden\nASSISTANT: Thank you for day 14." in volatile
    assert "USER: the next one" in volatile
    assert "day 13" not in volatile


def test_an_overflow_in_the_background_blocks_no_append(tmp_path):
    """DESIGN 1.2: no model call runs inside append or context."""
    slow = Hanging(reply())
    with opened(tmp_path, slow, jobs="thread") as memory:
        memory.append(SESSION, exchanges(26))
        memory.append(SESSION, [Message("user", "the next one")])
        assert slow.asked.wait(WAIT)
        memory.append(SESSION, [Message("assistant", "while it hangs")])
        assert "while it hangs" in memory.context(SESSION).volatile
        assert not slow.done.is_set()
        slow.go.set()
        assert memory.flush(WAIT)
        assert memory.sessions.window(SESSION)[0].number == 26


# --- configuration ---

NAMES = {
    "maxMemorySize": (123, lambda c: c.limits.get("memory"), 123),
    "max_memory_bytes": (123, lambda c: c.limits.get("memory"), 123),
    "consolidationTimeout": (5000, lambda c: (c.consolidation.awaited_seconds, c.model.timeout_seconds), (5.0, 5.0)),
    "memoryWindow": (6, lambda c: c.consolidation.window_messages, 6),
    "memory_window": (6, lambda c: c.consolidation.window_messages, 6),
    "model": ("m", lambda c: c.consolidation.model, "m"),
    "consolidation.recap_tokens": (7, lambda c: c.consolidation.recap_tokens, 7),
    "timezone": ("Europe/Oslo", lambda c: c.timezone, "Europe/Oslo"),
}


@pytest.mark.parametrize("name", NAMES)
def test_each_name_sets_its_knob_and_leaves_all_others(tmp_path, name):
    """Seed, Configuration; part of a configuration switches nothing off."""
    value, read, wanted = NAMES[name]
    with opened(tmp_path) as memory:
        default = config_of(memory)
    with opened(tmp_path, config={name: value}) as memory:
        config = config_of(memory)
    assert read(config) == wanted
    assert read(default) != wanted
    before, after = _flat(default), _flat(config)
    changed = [knob for knob in after if after[knob] != before[knob]]
    assert len(changed) == (2 if name == "consolidationTimeout" else 1)


def _flat(config: Config) -> dict:
    return {
        (section, knob): value
        for section in config.__struct_fields__
        for knob, value in (
            ((each, getattr(getattr(config, section), each)) for each in getattr(config, section).__struct_fields__)
            if hasattr(getattr(config, section), "__struct_fields__")
            else [("", getattr(config, section))]
        )
    }


def test_the_defaults_are_those_of_the_document(tmp_path):
    """Seed, Configuration: 8192 bytes, 30,000 ms, 50 messages."""
    for config in (None, Config(), Config(timezone="Europe/Oslo"), {}, {"maxMemorySize": None}):
        with opened(tmp_path, config=config) as memory:
            knobs = config_of(memory)
        assert knobs.limits["memory"] == 8192
        assert knobs.consolidation.awaited_seconds == knobs.model.timeout_seconds == 30.0
        assert knobs.consolidation.window_messages == 50
        assert knobs.consolidation.keep_share == 0.5


def test_a_config_that_is_given_stands(tmp_path):
    """A knob that is set is not the layout's to change."""
    given = Config(limits={"memory": 1}, consolidation=ConsolidationConfig(window_messages=4))
    with opened(tmp_path, config=given) as memory:
        assert config_of(memory).limits["memory"] == 1
        assert config_of(memory).consolidation.window_messages == 4


@pytest.mark.parametrize("name", ["maxMemory", "limits", "limits.nothing", "nothing.memory", "", "memorywindow"])
def test_an_unknown_name_is_refused_and_the_known_ones_named(tmp_path, name):
    """Issue 5: configuration under the document's names."""
    with pytest.raises(ConfigError, match=r"maxMemorySize, .*consolidationTimeout, .*memoryWindow"):
        opened(tmp_path, config={name: 1})


@pytest.mark.parametrize("value", [True, "50", -1, 0, float("nan"), float("inf"), [50], {"a": 1}, 10**30])
def test_a_value_that_is_no_size_is_refused(tmp_path, value):
    """Seed systems 1.3: truth values, negative numbers and texts are no counts."""
    with pytest.raises(ConfigError, match="memoryWindow"):
        opened(tmp_path, config={"memoryWindow": value})


# --- bad input ---


LINES = 150_000 if os.environ.get("COMMONPLACE_BATTERY") == "full" else 400
"""Of 69 bytes: 10 MB in the battery, more than a prompt may hold else."""


@pytest.mark.slow
@pytest.mark.battery
def test_a_memory_of_10_megabytes_is_shown_in_part_and_consolidated_at_its_end(tmp_path):
    """Issue 5, bad input: nothing of it is lost, and no prompt grows with it."""
    line = "- House number {n:07} on the long road is red and has a green door.\n"
    text = "".join(line.format(n=n) for n in range(LINES))
    write_memory(tmp_path, text)
    tail = "".join(line.format(n=n) for n in range(LINES - 1, LINES))

    def answer(request):
        memory = request.prompt.split("\n", 1)[1].split("\n\n## Conversation")[0]
        assert tail.strip() in memory
        return reply(memory=memory + "\n- Lives in Bergen.\n")

    llm = model(answer)
    with opened(tmp_path, llm) as memory:
        context = memory.context(SESSION, tokens=6000)
        assert context.tokens <= context.budget
        assert tail.strip() in context.stable
        assert context.dropped
        memory.append(SESSION, [Message("user", "I am someone who lives in Bergen")])
        outcome = memory.consolidate(SESSION)
    assert len(llm.prompts[0]) < 200_000
    assert memory_text(tmp_path) in {text, text + "- Lives in Bergen.\n"}
    assert "The user spoke of the garden." in history(tmp_path) or outcome.reason


def test_a_memory_that_is_not_utf8_keeps_its_bytes(tmp_path):
    """Issue 5, bad input: bytes nobody touched stay; what can be read is shown."""
    write_memory(tmp_path, b"- Caf\xe9 is open.\n- Likes tea.\n\xff\xfe\n")
    with opened(tmp_path, model(reply(memory="- Caf\ufffd is open.\n- Likes tea.\n- Lives in Bergen.\n"))) as memory:
        assert "Likes tea." in memory.context().stable
        assert memory.document("memory").splitlines()[1] == "- Likes tea."
        memory.append(SESSION, [Message("user", "I am someone who lives in Bergen")])
        memory.consolidate(SESSION)
        memory.remember("Drinks coffee too.")
        kept = (tmp_path / "memory" / "MEMORY.md").read_bytes()
        assert b"- Caf\xe9 is open.\n" in kept
        assert b"Drinks coffee too." in kept


BROKEN = {
    "no-header": "Words before any header.\n",
    "no-instant": "## Someday\nWords about walruses.\n",
    "half-instant": "## 2026-13-45T99:99\nWords about walruses.\n",
    "empty": "",
    "only-header": "## 2026-02-27T14:30:00.000Z",
    "nul": "## 2026-02-27T14:30:00.000Z\n\0\0walruses\n",
    "no-newline": "## 2026-02-27T14:30:00.000Z\nWords about walruses",
    "twice": "## 2026-02-27T14:30:00.000Z\n## 2026-02-27T14:30:00.000Z\nwalruses\n",
}


@pytest.mark.parametrize("text", slow_after(3, BROKEN.values()), ids=BROKEN)
def test_history_with_broken_headers_is_read_and_added_to(tmp_path, text):
    """Issue 5, bad input: nothing of it is lost, and the next entry has its own header."""
    (tmp_path / "memory").mkdir()
    for name in ("HISTORY.md", "HISTORY-2026-02.md"):
        (tmp_path / "memory" / name).write_text(text, encoding="utf-8")
    with opened(tmp_path) as memory:
        assert len(memory.recall("walruses")) == (1 if "walruses" in text else 0)
        memory.note("history", "Sailed to Svalbard.")
        assert [hit.text for hit in memory.recall("Svalbard")] == ["Sailed to Svalbard."]
        assert len(memory.recall("walruses")) == (1 if "walruses" in text else 0)
    for month in ("", "2026-02"):
        assert history(tmp_path, month).startswith(text)
        assert history(tmp_path, month).endswith("\n## 2026-02-27T14:30:00.006Z\nSailed to Svalbard.\n"[-21:])


def _raises(message, options):
    raise RuntimeError("the server said: key sk-should-not-be-shown")


FAILING = {
    "raises": _raises,
    "returns-nothing": lambda message, options: None,
    "returns-a-list": lambda message, options: ["no"],
    "returns-no-content": lambda message, options: {"text": "x"},
    "returns-10-megabytes": lambda message, options: {"content": "x" * 10_000_000},
    "returns-10-megabytes-of-json": lambda message, options: {"content": reply("y" * 10_000_000, "z" * 10_000_000)},
    "returns-bytes": lambda message, options: {"content": b"bytes"},
    "cut": lambda message, options: Reply(reply()[:40], stop="length"),
    "exits": lambda message, options: (_ for _ in ()).throw(SystemExit(1)),
}


@pytest.mark.parametrize("prompt", slow_after(4, FAILING.values()), ids=FAILING)
def test_a_prompt_function_that_fails_leaves_a_raw_entry(tmp_path, prompt):
    """Issue 5, bad input: the range is named and kept, memory is as before, and the session goes on."""
    write_memory(tmp_path, "- Likes tea.\n")
    with opened(tmp_path, prompt) as memory:
        memory.append(SESSION, exchanges(3))
        assert memory.reset(SESSION).status in {"applied", "pending"}
        assert memory.sessions.window(SESSION) == ()
        assert len(list(memory.sessions.read(SESSION))) == 6
    entry = history(tmp_path)
    assert entry.count("[raw-fallback]") == 1
    assert "messages 0 to 5" in entry
    assert "sk-should" not in entry
    assert len(entry) < 3000
    assert memory_text(tmp_path) == "- Likes tea.\n"


def test_opening_and_reading_changes_nothing_of_theirs(tmp_path):
    """Issue 5: its directory opens unchanged; nothing is rewritten before the first change."""
    write_memory(tmp_path, b"\xef\xbb\xbf# M\r\n\r\n- Likes tea.")
    (tmp_path / "memory" / "HISTORY.md").write_text("\n## 2026-01-01T00:00:00.000Z\nold event\n", encoding="utf-8")
    (tmp_path / "AGENTS.md").write_text("be kind", encoding="utf-8")
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "telegram_1.jsonl").write_text('{"_type":"metadata"}\n', encoding="utf-8")
    before = theirs(tmp_path)
    with opened(tmp_path, model()) as memory:
        memory.context(SESSION, "what about tea?")
        memory.recall("event")
        memory.append(SESSION, [Message("user", "hello")])
        memory.sync()
        memory.doctor()
    assert theirs(tmp_path) == before


def test_concurrent_callers_are_served_one_after_the_other(tmp_path):
    """Seed: the queue processes one consolidation at a time, and concurrent callers wait."""
    running, most, lock = 0, 0, threading.Lock()

    def prompt(message, options):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        other_waits.wait(0.05)
        with lock:
            running -= 1
        return {"content": reply()}

    other_waits = threading.Event()
    with opened(tmp_path, prompt) as memory:
        for n in range(4):
            memory.append(f"telegram:{n}", exchanges(1))
        threads = [in_thread(lambda n=n: memory.consolidate(f"telegram:{n}")) for n in range(4)]
        for thread in threads:
            thread.join(4 * WAIT)
        assert [memory.sessions.state(f"telegram:{n}").cursors for n in range(4)] == [{"consolidate": 2}] * 4
    assert most == 1
    assert history(tmp_path).count("## ") == 4


@pytest.mark.parametrize("turns", [45, pytest.param(200, marks=pytest.mark.slow)])
def test_a_long_conversation_end_to_end(tmp_path, turns):
    """Issue 5: 200 exchanges through windows, resets and another month; every message stays, once each event."""
    count = 0

    def answer(request):
        nonlocal count
        count += 1
        return reply(f"[2026-02-27 14:30] Part number {count} was about the garden.")

    llm = model(answer)
    with opened(tmp_path, llm) as memory:
        for n in range(turns):
            memory.append(SESSION, exchanges(1, start=n))
            memory.flush()
            assert len(memory.sessions.window(SESSION)) <= 52
        memory.reset(SESSION)
        assert len(list(memory.sessions.read(SESSION))) == 2 * turns
        assert memory.sessions.state(SESSION).cursors == {"consolidate": 2 * turns}
        assert len(memory.recall("Part number 3 about the garden", layers=["journals"], k=50)) == count
    ranges = [line for line in history(tmp_path).splitlines() if line.startswith("[2026-02-27 14:30] Part")]
    assert len(ranges) == count == len(llm.requests)
    said = "\n".join(llm.prompts)
    assert all(said.count(f"about day {n} in the garden") == 1 for n in range(turns))


def test_a_dry_run_says_what_a_consolidation_would_write(tmp_path):
    """Seed: `consolidate(messages, currentMemory)` gives a result and writes nothing itself."""
    write_memory(tmp_path, "- Likes tea.\n")
    before = theirs(tmp_path)
    with opened(tmp_path, model(reply(memory="- Likes tea.\n- Lives in Bergen.\n"))) as memory:
        memory.append(SESSION, [Message("user", "I am someone who lives in Bergen")])
        outcome = memory.consolidate(SESSION, dry_run=True)
        assert outcome.status == "planned"
        assert "+- Lives in Bergen." in outcome.diff
        assert "+[2026-02-27 14:30] The user spoke of the garden." in outcome.diff
        assert memory.sessions.state(SESSION).cursors == {}
    assert theirs(tmp_path) == before


def test_an_unchanged_memory_is_not_written(tmp_path):
    """Seed: `memoryUpdate` is applied if it changed."""
    write_memory(tmp_path, "- Likes tea.\n")
    was = theirs(tmp_path)["memory/MEMORY.md"]
    with opened(tmp_path, model(reply(memory="- Likes tea."))) as memory:
        memory.append(SESSION, exchanges(1))
        memory.consolidate(SESSION)
    assert theirs(tmp_path)["memory/MEMORY.md"] == was
    assert "The user spoke of the garden." in history(tmp_path)


def test_a_message_carries_the_fields_of_a_conversation_entry(tmp_path):
    """Seed, types: role, content, timestamp, toolsUsed."""
    at = datetime(2026, 2, 1, 10, tzinfo=UTC)
    with opened(tmp_path) as memory:
        memory.append(SESSION, [Message("assistant", "Read it.", at=at, tools=("read",))])
        (kept,) = memory.sessions.read(SESSION)
    assert (kept.message.role, kept.message.content, kept.message.at) == ("assistant", "Read it.", at)
    assert kept.message.tools == ("read",)


def test_the_first_line_of_a_transcript_is_never_written_again(tmp_path):
    """Seed, Session Metadata Preservation: trimming, consolidating and clearing keep the creation time."""
    with opened(tmp_path, model()) as memory:
        memory.append(SESSION, exchanges(26))
        path = tmp_path / memory.sessions.path(SESSION)
        first = path.read_bytes().splitlines()[0]
        memory.append(SESSION, [Message("user", "the next one")])
        memory.flush()
        memory.consolidate(SESSION)
        memory.reset(SESSION)
        memory.append(SESSION, exchanges(1))
    assert path.read_bytes().splitlines()[0] == first


def test_a_line_that_nobody_said_waits_alone_and_the_rest_applies(tmp_path):
    """DESIGN 1.4: the gate decides line by line; an old fact stays where its replacement has no ground."""
    before = "# About\n\n- Likes tea.\n- Works at the harbour office.\n\n## Pets\n\n- Has a dog called Rex.\n"
    write_memory(tmp_path, before)
    after = (
        "# About\n\n- Likes tea.\n- Works at the harbour office in Lisbon.\n- Lives in Bergen.\n- Is a millionaire.\n\n"
        "## Pets\n\n- Has a dog called Rex.\n- Has a cat called Misse.\n"
    )
    with opened(tmp_path, model(reply(memory=after))) as memory:
        memory.append(SESSION, [Message("user", "I am someone who lives in Bergen and has a cat called Misse")])
        outcome = memory.consolidate(SESSION)
        assert outcome.status == "applied"
        waiting = {w.operation["text"]: w.operation["op"] for w in memory.review()}
        assert waiting == {"Works at the harbour office in Lisbon.": "replace", "Is a millionaire.": "add"}
        assert memory_text(tmp_path) == (
            "# About\n\n- Likes tea.\n- Works at the harbour office.\n- Lives in Bergen.\n\n"
            "## Pets\n\n- Has a dog called Rex.\n- Has a cat called Misse.\n"
        )
        name = next(w.id for w in memory.review() if w.operation["op"] == "replace")
        memory.review().approve(name)
        assert "- Works at the harbour office in Lisbon.\n- Lives" in memory_text(tmp_path)
    assert "[raw-fallback]" not in history(tmp_path)


def test_a_secret_that_a_person_keeps_in_memory_reaches_no_prompt_and_stays_in_the_file(tmp_path):
    """DESIGN 1.7: of an outside edit the file stays the person's; prompts hold the screened text."""
    secret = "AKIA" + "IOSFODNN7EXAMPLA"
    write_memory(tmp_path, f"- Likes tea.\n- The key is {secret}\n")

    def answer(request):
        memory = request.prompt.split("\n", 1)[1].split("\n\n## Conversation")[0]
        return reply(memory=memory + "\n- Lives in Bergen.\n")

    llm = model(answer)
    with opened(tmp_path, llm) as memory:
        memory.append(SESSION, [Message("user", "I am someone who lives in Bergen")])
        assert memory.consolidate(SESSION).status == "applied"
        assert secret not in memory.context(SESSION).text + "".join(llm.prompts)
    lines = memory_text(tmp_path).splitlines()
    assert sorted(lines) == ["- Likes tea.", "- Lives in Bergen.", f"- The key is {secret}"]
