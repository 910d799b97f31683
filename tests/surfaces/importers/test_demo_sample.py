"""The demo's conversation holds what the demo shows (issue 2, `make demo`)."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime

from commonplace.guard import screen
from commonplace.surfaces.cli import sample
from marking import in_one_test

ROWS = [(batch.session_id, message) for batch in sample.batches() for message in batch.messages]
TEXTS = {message.id: message.content for _, message in ROWS}


def test_the_sample_is_several_weeks_in_several_sessions():
    """Issue 2: a realistic sample, ids unique, in order of time."""
    assert len({session for session, _ in ROWS}) == 10
    assert len(TEXTS) == len(ROWS) == 128
    instants = [message.at for _, message in ROWS]
    assert instants == sorted(instants)
    assert datetime(2026, 9, 28, tzinfo=UTC) <= instants[0]
    assert instants[-1] < datetime(2026, 11, 14, tzinfo=UTC)


def test_the_pasted_key_is_redacted_by_the_guard_and_stands_in_no_file():
    """Issue 2: a pasted secret; DESIGN 1.7."""
    holders = [message for _, message in ROWS if sample.PASTED_KEY in message.content]
    assert [message.id for message in holders] == ["s06m09"]
    assert sample.PASTED_KEY not in screen(holders[0].content).text
    assert [m.id for _, m in ROWS if screen(m.content).secrets] == ["s06m09"]


def test_a_page_that_gives_orders_came_through_a_web_tool():
    """Issue 2: a web page that gives orders; it must be trusted as `web`."""
    pages = [message for _, message in ROWS if "ignore previous instructions" in message.content]
    assert [(page.role, page.tools) for page in pages] == [("tool", ("web_fetch",))]


@in_one_test(
    "pattern",
    [
        r"indent with tabs", r"four spaces, no tabs", r"third coffee", r"green tea", r"at 9:30", r"9:30 to 10:15",
        r"correction, .* 17 gauges", r"next Thursday", r"Decision: .* because", r"might move to Oslo",
        r"never push .* Friday", r"metric", r"Traceback", r"UniqueViolation", r"Bruder Jonas", r"never used Windows",
    ],
)  # fmt: skip
def test_the_sample_holds_what_a_memory_must_tell_apart(pattern):
    """Issue 2: changing preferences, a correction, a deadline in relative words, failures and fixes, small talk."""
    assert any(re.search(pattern, text, re.DOTALL) for text in TEXTS.values())


@in_one_test(("question", "answers"), sample.QUESTIONS)
def test_each_question_is_found_by_its_words_but_not_by_copying_them(question, answers):
    """Plain FTS5 finds an answer among the first five; no four words in a row are the answer's own."""
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE t USING fts5(id UNINDEXED, body, tokenize='porter unicode61')")
    index.executemany("INSERT INTO t VALUES (?, ?)", TEXTS.items())
    words = re.findall(r"\w+", question)
    query = " OR ".join(f'"{word}"' for word in words)
    found = [row[0] for row in index.execute("SELECT id FROM t WHERE t MATCH ? ORDER BY rank LIMIT 5", (query,))]
    index.close()
    assert set(answers) & set(found), found
    runs = {" ".join(words[n : n + 4]).lower() for n in range(len(words) - 3)}
    assert not any(run in " ".join(re.findall(r"\w+", TEXTS[answer])).lower() for run in runs for answer in answers)
