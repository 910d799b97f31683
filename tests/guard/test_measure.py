"""False positives on text that is not ours: measured where it lies, never copied."""

import gzip
import json
import os
from pathlib import Path

import pytest

from commonplace import guard
from marking import slow_after

DATA = Path(os.environ.get("COMMONPLACE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
pytestmark = pytest.mark.measure


def _texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _read(path):
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the checkout")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        if path.suffix == ".json":
            yield from _texts(json.load(lines))
        else:
            for line in lines:
                if line.strip():
                    yield from _texts(json.loads(line))


@pytest.mark.parametrize("name", slow_after(1, ["madial_dev", "locomo_dev", "memdaily_zh_dev"]))
def test_ordinary_conversation_holds_no_secret_and_no_order(name):
    """Safety notes 3.1: 0 false positives on LoCoMo; hidden text 0, orders to a model 0."""
    texts = set(_read(DATA / "recall" / f"{name}.jsonl.gz"))
    findings = [finding for text in texts for finding in guard.screen(text).findings]
    assert findings == []


@pytest.mark.slow
def test_a_chat_of_real_people_holds_no_secret():
    """Issue 22: 0 false alarms on REALTALK turns; two of them hold hidden characters, which is true."""
    secrets = [s for text in set(_read(DATA / "recall" / "realtalk_dev.jsonl.gz")) for s in guard.screen(text).secrets]
    assert secrets == []


@pytest.mark.parametrize(
    "name",
    slow_after(
        1,
        [
            "claude-code_simonw_sample.json",
            "pi_before-compaction.jsonl.gz",
            "pi_large-session.jsonl.gz",
            "claude-code_edge_cases.jsonl",
            "claude-code_representative_messages.jsonl",
            "claude-code_session_b.jsonl",
            "claude-code_todowrite_examples.jsonl",
        ],
    ),
)
def test_sessions_of_programming_hold_no_secret(name):
    """The transcripts were searched for keys before they were shared: what is found would be false."""
    secrets = [s for text in _read(DATA / "transcripts" / name) for s in guard.screen(text).secrets]
    assert secrets == []
