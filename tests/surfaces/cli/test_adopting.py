"""The command `adopt`."""

from __future__ import annotations

import json


def test_adopt_takes_over_a_directory_and_every_command_knows_its_layout(run, here):
    """Issue 5: recognises a directory of one of the five systems, opens it in place."""
    memory = here / "ws" / "memory"
    memory.mkdir(parents=True)
    (memory / "HISTORY.md").write_text("\n## 2026-01-02T03:04:05.000Z\nSailed to Svalbard.\n", encoding="utf-8")
    (here / "ws" / "sessions").mkdir()
    lines = [{"_type": "metadata", "key": "telegram:1"}, {"role": "user", "content": "I keep bees"}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (here / "ws" / "sessions" / "telegram_1.jsonl").write_text(text, encoding="utf-8")
    done = run("adopt", "ws")
    assert (done.code, done.err) == (0, "")
    assert "as two-layer" in done.out
    assert "1 new message in 1 session; nothing of it was changed" in done.out
    assert run("adopt", "ws", "--json").data["messages"] == 0
    assert "Sailed to Svalbard." in run("recall", "Svalbard", "-C", "ws").out
    assert "bees" in run("recall", "bees", "-C", "ws").out
    run("remember", "Keeps bees.", "-C", "ws")
    assert (memory / "MEMORY.md").read_text(encoding="utf-8") == "- Keeps bees.\n"


def test_adopt_says_what_it_recognises_and_what_is_nothing_to_it(run, here):
    """Issue 5: every layout that is recognised is opened."""
    (here / "ws" / "memory" / "items").mkdir(parents=True)
    (here / "ws" / "memory" / "items" / "semantic.jsonl").write_text("{}\n", encoding="utf-8")
    assert run("adopt", "nothing-here").code == 2
    assert run("adopt", "ws", "--layout", "nothing").code == 2
    assert run("adopt", "ws", "--json").data["layout"] == "structured"
    assert run("adopt", "ws", "--layout", "", "--json").data["layout"] == "structured"  # of a script, as if not given
