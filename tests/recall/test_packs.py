"""Typed items: what they are worth for a question, and which of them enter a prompt."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from commonplace.layouts.codecs.items import item_fingerprint
from commonplace.layouts.item_model import MemoryItem, completed, merged
from commonplace.layouts.structured import LAYOUT
from commonplace.recall.packs import ItemQuery, Scored, choose, score, tokens_of, within
from marking import in_one_test

SOURCE = "seed structured; seed systems 3.1; seed model 3.3"
SEMANTIC = LAYOUT.layer("semantic")
NOW = datetime(2026, 2, 27, 12, tzinfo=UTC)


def item(name: str = "a", **fields) -> MemoryItem:
    days = fields.pop("days", 0)
    usual = {"layer": "semantic", "type": "PROJECT_FACT", "content": name, "updated_at": NOW - timedelta(days=days)}
    return MemoryItem(id=name, fingerprint=f"print-{name}", **(usual | fields))


@in_one_test(
    ("fields", "question", "expected"),
    [
        ({"salience": 0.83, "confidence": 0.78, "type": "FIX", "content": "the fox"}, "fox", 1.042),
        ({"salience": 0.55, "confidence": 0.65, "type": "TASK_STATE"}, "fox", 0.490),
        ({"salience": 0.70, "confidence": 0.75, "type": "PREFERENCE", "days": 15, "tags": ("go",)}, "", 0.650),
        ({"salience": 0.72, "confidence": 0.85, "days": 29}, "fox", 0.40066666666666667),
    ],
)
def test_03_items_score_as_the_vectors_say(fields, question, expected):
    """Scenario 3: the four vectors of seed systems 3.1."""
    asked = frozenset({question}) if question else frozenset()
    assert score(item(**fields), NOW, asked=asked, skill="go") == pytest.approx(expected, abs=1e-9)


def test_an_item_that_is_past_its_time_counts_half_and_stays():
    """Issue 19: decay ranks down and never silently deletes."""
    old, short = item("old", days=31), item("short", created_at=NOW - timedelta(days=3), ttl_days=2)
    for each in (old, short):
        assert score(each, NOW) == pytest.approx(score(each, NOW, decay_days=0) / 2)
    pack = choose([item("new"), old, short], ItemQuery(top_k={"semantic": 6}), NOW)
    assert [each.item.id for each in pack.items] == ["new", "short", "old"]


def test_06_each_layer_gives_its_best_and_what_repeats_another_comes_once():
    """Scenario 6."""
    many = [item(str(number), salience=number / 10) for number in range(10)]
    query = ItemQuery(top_k={"semantic": 6})
    assert len(choose(many, query, NOW).items) == 6
    twin = msgspec.structs.replace(many[9], id="twin", updated_at=NOW - timedelta(days=1))
    assert [each.item.id for each in choose([*many[8:], twin], query, NOW).items] == ["9", "8"]


def test_items_that_stay_come_first_beyond_the_top_k_and_the_soft_budget_but_not_the_hard_one():
    """Issue 19: decay, top-k and soft budget are for what may be left out; an order or an allergy may not."""
    usual = [item(str(number), content="x" * 48) for number in range(3)]  # 20 tokens each
    kept = [item(name, days=90, content="y" * 48) for name in "abc"]
    query = ItemQuery(top_k={"semantic": 2}, soft_tokens=40, max_tokens=85, stays=frozenset("abc"))
    pack = choose([*usual, *kept], query, NOW)
    assert [each.item.id for each in pack.items] == ["a", "b", "c", "0"]
    assert [each.item.id for each in pack.dropped] == ["1"]
    assert [each.item.id for each in choose(kept, msgspec.structs.replace(query, max_tokens=45), NOW).items] == [
        "a",
        "b",
    ]


def costing(name: str, tokens: int) -> MemoryItem:
    made = item(name, content="x" * (4 * (tokens - 8)))
    assert tokens_of(made) == tokens
    return made


@pytest.mark.parametrize(("second", "kept"), [(0.86, ["a", "b"]), (0.84, ["a", "c"])])
def test_07_only_an_item_that_fits_well_goes_over_the_soft_budget(second, kept):
    """Scenario 7."""
    scored = [Scored(costing("a", 60), 0.90), Scored(costing("b", 60), second), Scored(costing("c", 30), 0.60)]
    pack = within(scored, ItemQuery(top_k={"semantic": 6}, soft_tokens=100, max_tokens=130))
    assert [each.item.id for each in pack.items] == kept
    assert pack.diagnostics["droppedByBudget"] == 1
    assert pack.diagnostics["selectedCount"] == 2


def test_a_short_item_counts_at_least_twenty_tokens():
    """Seed systems 3.1."""
    assert tokens_of(item("a")) == 20


def test_04_the_fingerprint_is_that_of_the_original_whatever_the_case_and_spacing():
    """Scenario 4; the vector of seed systems 3.1."""
    for text in ("User prefers concise responses.", "  USER prefers\n concise   responses. "):
        assert item_fingerprint("PREFERENCE", text) == "39e4d3b1173ccfcb2f38bf50"


def test_the_newer_text_of_two_items_that_are_the_same_holds_even_if_it_is_shorter():
    """Issue 19: merge by recency and authority instead of "longer wins"."""
    old = completed({"content": "Deploys happen on Friday, always", "tags": ["ops"], "confidence": 0.9}, layer=SEMANTIC)
    new = completed({"content": "Deploys: Monday", "tags": ["team"], "confidence": 0.8}, layer=SEMANTIC)
    both = merged(old, new)
    assert (both["content"], both["tags"], both["confidence"]) == ("Deploys: Monday", ["ops", "team"], 0.9)


def test_an_item_that_was_written_earlier_does_not_overwrite_a_later_one():
    """Issue 19: by recency, whichever comes first to the file."""
    later = {"content": "Postgres 17", "updatedAt": "2026-02-20T10:00:00Z"}
    earlier = {"content": "Postgres 14", "updatedAt": "2025-01-01T10:00:00Z", "tags": ["db"]}
    both = merged(later, earlier)
    assert (both["content"], both["updatedAt"], both["tags"]) == ("Postgres 17", "2026-02-20T10:00:00Z", ["db"])


def test_fields_that_nobody_knows_stay():
    """Issue 19: unknown fields are kept."""
    assert merged({"x": 1, "content": "a"}, {"y": 2, "content": "b"})["y"] == 2
    assert completed({"content": "a", "mood": "blue"}, layer=SEMANTIC)["mood"] == "blue"
