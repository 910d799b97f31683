"""Merging on write: who decides, what is kept, what waits, and what a model may not do."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Memory
from commonplace.errors import ModelTimeoutError, VersionConflictError
from commonplace.layouts import native
from commonplace.operations import AddEntry
from commonplace.testing import FixedClock, ScriptedLLM
from commonplace.text.likeness import cosine, decide, firm_words, nominate, vector
from marking import in_one_test, tries


def opened(folder, *answers, **given) -> Memory:
    llm = ScriptedLLM(answers) if answers else None
    clock = FixedClock("2026-05-19T09:00:00+00:00", step_seconds=1)
    return Memory.open(folder, layout="facts", clock=clock, jobs="inline", llm=llm, **given)


def texts(memory: Memory) -> list[str]:
    return [part for part in memory.document("user").split("\n§\n") if part]


DOUBTFUL = ("User likes coffee", "User likes coffee shops")


def both(memory: Memory):
    memory.remember(DOUBTFUL[0])
    return memory.remember(DOUBTFUL[1])


@pytest.mark.parametrize(
    ("answer", "kept", "waiting"),
    [
        ("newer", [DOUBTFUL[1]], 0),
        ("distinct", list(DOUBTFUL), 0),
        ("conflict", list(DOUBTFUL), 1),
        ("same", [DOUBTFUL[1]], 0),
        ("I think you should not merge these.", list(DOUBTFUL), 1),
        ("", list(DOUBTFUL), 1),
        (ModelTimeoutError("too late"), list(DOUBTFUL), 1),
    ],
)
def test_the_model_decides_what_the_rules_doubt_and_prose_decides_nothing(tmp_path, answer, kept, waiting):
    """Issue: four outcomes; a word inside prose is none (seed facts: contains "merge" meant merge)."""
    with opened(tmp_path, answer) as memory:
        assert both(memory).status == "applied"
        assert texts(memory) == kept
        assert len(memory.review()) == waiting


def test_the_model_is_not_asked_where_the_rules_are_sure(tmp_path):
    """Issue: deterministic first."""
    llm = ScriptedLLM()
    with Memory.open(tmp_path, layout="facts", llm=llm, jobs="inline") as memory:
        for text in ("OS: Ubuntu 22.04", "OS: Ubuntu 24.04", "OS: Ubuntu 24.04", "Plays the cello", "Lives in Oslo"):
            memory.remember(text)
    assert llm.requests == []


def test_a_model_that_calls_different_numbers_the_same_is_not_believed(tmp_path):
    """Seed model, conclusion 1: the different word is what must not disappear."""
    with opened(tmp_path, "same") as memory:
        memory.remember("Bus line 7 stops at the office")
        memory.remember("Bus line 9 stops at the office")
        assert texts(memory) == ["Bus line 7 stops at the office", "Bus line 9 stops at the office"]
        assert "possible_conflict" in next(iter(memory.review())).reason


def test_approving_a_possible_conflict_takes_the_older_away_and_rejecting_keeps_both(tmp_path):
    """A person settles it; nothing is gone before."""
    with opened(tmp_path / "a") as memory:
        outcome = both(memory)
        assert "possible_conflict" in outcome.reason
        memory.review().approve(outcome.review[0])
        assert texts(memory) == [DOUBTFUL[1]]
    with opened(tmp_path / "b") as memory:
        memory.review().reject(both(memory).review[0])
        assert texts(memory) == list(DOUBTFUL)


BUSES = ["Bus line 7 stops at the office", "Bus line 9 stops at the office"]
JOINED = "Bus line 7 and bus line 9 stop at the office"


@pytest.mark.parametrize("end", ["merged", "older removed", "newer removed", "reworded"])
def test_a_possible_conflict_waits_only_as_long_as_both_entries_are_there(tmp_path, end):
    """Issue 16: what was merged away takes the note on it along."""
    merge = json.dumps({"merges": [{"entries": [1, 2], "text": JOINED}]})
    with opened(tmp_path, "same", merge) as memory:
        for text in BUSES:
            memory.remember(text)
        assert len(memory.review()) == 1
        tool = memory.tool()
        target = next(each for each in ("user", "env") if BUSES[0] in memory.document(each))
        if end == "merged":
            done = tool.call({"action": "consolidate", "target": target})
        elif end == "reworded":
            done = tool.call({"action": "replace", "target": target, "old_text": BUSES[1], "content": "Buses are free"})
        else:
            gone = BUSES[end == "newer removed"]
            done = tool.call({"action": "remove", "target": target, "old_text": gone})
        assert done["success"] is True, done
        assert list(memory.review()) == []
        memory.undo(memory.log()[0].number)
        assert texts(memory) == BUSES
        assert len(memory.review()) == 1


def test_what_the_guard_refuses_is_not_shown_to_the_model(tmp_path):
    """DESIGN 1.7: no secret leaves through the judge."""
    llm = ScriptedLLM("newer", repeat=True)
    with Memory.open(tmp_path, layout="facts", llm=llm, jobs="inline") as memory:
        memory.remember("User likes coffee")
        refused = memory.remember("User likes coffee with the key " + "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z" * 2)
        assert refused.status == "refused"
    assert llm.requests == []


def test_text_below_the_agents_trust_takes_the_place_of_nothing(tmp_path):
    """DESIGN 1.6: below `agent` nothing enters a merge; it is kept where recall finds it."""
    with opened(tmp_path) as memory:
        memory.remember("OS: Ubuntu 22.04", kind="environment")
        outcome = memory.remember("OS: Ubuntu 24.04", kind="environment", trust="web")
        assert "marked as from web" in outcome.reason
        assert [hit.trust for hit in memory.recall("Ubuntu 24.04", layers=["topics"])] == ["web"]
        assert memory.document("env") == "OS: Ubuntu 22.04"


def test_a_version_that_no_longer_stands_is_still_a_conflict_for_who_asked_for_it(tmp_path):
    """The caller's own `expect` is not swallowed by the retry."""
    with opened(tmp_path) as memory:
        memory.remember("Plays the cello")
        with pytest.raises(VersionConflictError):
            memory.remember("Lives in Oslo", expect="nonsense")
        assert texts(memory) == ["Plays the cello"]


def test_several_adds_in_one_change_are_merged_each(tmp_path):
    """`apply` is no way round."""
    with opened(tmp_path) as memory:
        memory.remember("OS: Ubuntu 22.04", kind="environment")
        path = "facts/env.md"
        adds = [AddEntry(path=path, text=text) for text in ("OS: Ubuntu 24.04", "Shell is zsh")]
        assert memory.apply(adds, reason="set up").status == "applied"
        assert memory.document("env") == "OS: Ubuntu 24.04\n§\nShell is zsh"


@pytest.mark.parametrize("layout", ["native", "facts"])
def test_the_same_words_in_other_case_or_with_a_full_stop_are_there_already(tmp_path, layout):
    """Design section 5: a duplicate by fingerprint is held once."""
    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        memory.remember("Never deploy on Fridays")
        assert memory.remember("never deploy on fridays.").status == "duplicate"
        assert memory.remember("Never deploy on Mondays.").status == "applied"


def test_a_layout_that_does_not_ask_for_it_merges_nothing(tmp_path):
    """Merge on write is the layout's choice."""
    plain = msgspec.structs.replace(native.LAYOUT, name="plain", add=())
    with Memory.open(tmp_path, layout=plain, jobs="inline") as memory:
        memory.remember("OS: Ubuntu 22.04", kind="environment")
        memory.remember("OS: Ubuntu 24.04", kind="environment")
        assert memory.document("facts_env") == "OS: Ubuntu 22.04\n§\nOS: Ubuntu 24.04"


# --- likeness ---


@in_one_test(
    ("old", "new", "kind"),
    [
        ("User prefers dark mode", "User never prefers dark mode", "supersedes"),
        ("Prefers tabs over spaces", "Prefers spaces over tabs", "supersedes"),
        ("Likes tea and coffee", "Likes coffee and tea", "same"),
        ("Alice reports to Bob and Carol", "Bob reports to Alice and Carol", "doubt"),
        ("User's sister is allergic to nuts", "User is allergic to nuts", "distinct"),
        ("User owns a dog", "User owns a dog grooming salon", "doubt"),
        ("Deploys on Friday", "Deploys on Friday are forbidden", "doubt"),
        ("Knows C++", "Knows C", "distinct"),
        ("The port is -1", "The port is 1", "supersedes"),
        ("Latency must be > 5 ms", "Latency must be < 5 ms", "doubt"),
        ("The budget is 5 €", "The budget is 5 $", "doubt"),
        ("", "", "same"),
        ("???", "Lives in Oslo", "distinct"),
        ("The colour of box 1 is shade 7", "The colour of box 2 is shade 14", "doubt"),
        ("The price of ticket 5 is 20 euros", "The price of ticket 6 is 25 euros", "doubt"),
        ("Stand-up is at 9:30 for 20 minutes", "Stand-up is at 10:15 for 15 minutes", "supersedes"),
        ("User lives in Oslo, two dogs", "User lives in Bergen", "doubt"),
        ("SSH port of the box: 22, user ci", "SSH port of the box: 2222", "doubt"),
    ],
)
def test_the_rules_decide_by_what_differs(old, new, kind):
    """Seed model, "Similarity rule"."""
    assert decide(old, new).kind == kind


def test_a_word_that_no_fact_held_before_counts(tmp_path):
    """Seed model, conclusion 1: the original ignores it and scores 1.00."""
    assert cosine(vector("User prefers dark mode"), vector("User never prefers dark mode")) < 0.95
    assert cosine(vector("Plays the cello"), vector("Lives in Oslo")) < 0.3
    assert cosine(vector("Lives in Oslo"), vector("Lives in Oslo")) == pytest.approx(1.0)
    assert cosine(vector(""), vector("Lives in Oslo")) == 0.0
    assert [place for _, place in nominate("Lives in Oslo", ["Plays cello", "Lives in Oslo now"], over=0.3)] == [1]


@settings(max_examples=tries(200), deadline=None)
@given(st.text(max_size=120), st.text(max_size=120))
def test_any_two_texts_get_a_verdict_that_never_drops_a_number_or_a_denial(old, new):
    """Whatever comes in: `same` and `contained` keep every number and negation of the one that goes."""
    likeness = decide(old, new)
    if likeness.kind == "same":
        assert firm_words(old) == firm_words(new)
    if likeness.kind == "contained":
        kept, gone = (new, old) if likeness.longer == "new" else (old, new)
        assert firm_words(gone) <= firm_words(kept)
