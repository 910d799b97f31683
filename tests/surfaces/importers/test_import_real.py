"""The importers on real transcripts and whole evaluation sets; texts are never looked at, only counted."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from import_samples import Import

DATA = Path(os.environ.get("COMMONPLACE_DATA", Path(__file__).parents[3] / ".." / "shared" / "data"))
pytestmark = [
    pytest.mark.measure,
    pytest.mark.skipif(not DATA.is_dir(), reason="the evaluation data is not beside the checkout"),
]


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("claude-code_representative_messages.jsonl", {"user": 4, "assistant": 5, "tool": 2, "system": 1}),
        ("claude-code_session_b.jsonl", {"user": 2, "assistant": 1}),
        ("claude-code_simonw_sample.json", {"user": 5, "assistant": 15, "tool": 12, "system": 1}),
        ("claude-code_todowrite_examples.jsonl", {"user": 2, "assistant": 6, "tool": 3, "system": 1}),
        ("pi_before-compaction.jsonl.gz", {"user": 55, "assistant": 469, "tool": 451, "system": 2}),
        ("pi_large-session.jsonl.gz", {"user": 88, "assistant": 439, "tool": 373}),
    ],
)
def test_real_transcripts_go_in_whole(name, roles):
    """Issue 2: the main job on real transcripts; no problem, one session, no id twice."""
    result = Import(DATA / "transcripts" / name)
    assert Counter(message.role for message in result.messages) == roles
    assert result.problems == []
    assert len(result.sessions) == 1
    assert len(set(result.ids)) == len(result.messages)
    assert all(message.at for message in result.messages)


def test_a_transcript_full_of_damage_names_six_lines():
    """The made-up edge cases: six lines lost, the rest in, also a text that is no block."""
    result = Import(DATA / "transcripts" / "claude-code_edge_cases.jsonl")
    assert len(result.messages) == 13
    assert [(p.line, p.kept) for p in result.problems] == [(n, False) for n in (10, 11, 13, 14, 15, 16)]


@pytest.mark.parametrize(
    ("name", "messages", "sessions", "questions"),
    [
        ("locomo", 2760, 128, 999),
        ("beam100k", 2432, 40, 200),
        ("madial", 160, 151, 160),
        ("memdaily_zh", 55_854, 6300, 300),
    ],
)
@pytest.mark.slow
def test_evaluation_sets_go_in_as_exchange_files(name, messages, sessions, questions):
    """Issue 2: the documented exchange format."""
    result = Import(DATA / "recall" / f"{name}_dev.jsonl.gz")
    assert (len(result.messages), len(result.sessions), len(result.skipped)) == (messages, sessions, questions)
    assert result.problems == []
    assert len(set(result.ids)) == messages
