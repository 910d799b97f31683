"""Cases made from a memory itself: its corrections and its `why` trails."""

from __future__ import annotations

import random

from evaluated_memories import opened, record_sample
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Message
from commonplace.changes.actors import PERSON
from commonplace.records import Source
from commonplace.surfaces import evaluate
from commonplace.surfaces.evaluate import Case, Target
from marking import tries

BATTERY = ["tea", "coffee", "ferry", "harbour", "bicycle", "green", "morning", "evening", "Oslo", "Malmö"]


def noted(memory, text, message, *, kind="decision"):
    """Append a message and remember a text that rests on it; gives the record's id."""
    memory.append("cli:main", [Message("user", message[1], id=message[0])])
    outcome = memory.remember(text, kind=kind, source=Source("cli:main", message[0]), actor=PERSON)
    assert outcome.status == "applied"
    return outcome.records[0]


def test_a_correction_asks_for_the_new_value_and_not_the_old(memory):
    """Issue 7: cases from their corrections; the question holds what old and new have in common."""
    first = noted(memory, "The stand-up of Lantern begins at nine.", ("m0", "Stand-up is at nine."))
    second = memory.update(first, "The stand-up of Lantern begins at eleven.", actor=PERSON).records[0]
    correction = next(case for case in evaluate.made(memory) if case.name.startswith("correction"))
    assert correction == Case(
        name=f"correction of {second}",
        question="stand-up Lantern begins",
        expected=(Target(any=(Target(record=second), Target(text="The stand-up of Lantern begins at eleven."))),),
        superseded=(Target(text="The stand-up of Lantern begins at nine."),),
    )


def test_a_record_that_only_says_more_now_was_not_corrected(memory):
    """What still holds is no old value."""
    first = noted(memory, "Ada lives in Oslo near Majorstuen.", ("m0", "I live in Oslo near Majorstuen."))
    memory.update(first, "Ada lives in Oslo near Majorstuen since May.", actor=PERSON)
    assert not [case for case in evaluate.made(memory) if case.name.startswith("correction")]


def test_a_correction_that_shares_no_subject_makes_no_question(memory):
    """A question made of nothing that old and new share would ask for either."""
    first = noted(memory, "Ada drinks coffee.", ("m0", "Coffee for me."))
    memory.update(first, "Only green tea from now on.", actor=PERSON)
    assert not [case for case in evaluate.made(memory) if case.name.startswith("correction")]


def test_a_correction_taken_back_asks_the_other_way_round(memory):
    """An undo is a change too: what stands is expected."""
    first = noted(memory, "The stand-up of Lantern begins at nine.", ("m0", "Stand-up is at nine."))
    done = memory.update(first, "The stand-up of Lantern begins at eleven.", actor=PERSON)
    memory.undo(done.change)
    correction = next(case for case in evaluate.made(memory) if case.name.startswith("correction"))
    assert correction.expected[0].value == first
    assert correction.superseded[0] == Target(text="The stand-up of Lantern begins at eleven.")


def test_a_trail_is_asked_both_ways(memory):
    """Issue 7: and `why` trails: record to message, message to record."""
    record = noted(memory, "Ada wants metric units everywhere.", ("m0", "Please always give me metric units, thanks."))
    assert evaluate.made(memory) == (
        Case(
            name=f"message behind {record}",
            question="Ada wants metric units",
            expected=(Target(any=(Target(message="cli:main#m0"),)),),
            layers=("sessions",),
        ),
        Case(
            name=f"record of {record}",
            question="always metric units",
            expected=(Target(any=(Target(record=record), Target(text="Ada wants metric units everywhere."))),),
        ),
    )


def test_words_of_chinese_are_asked_by_pairs(memory):
    """Issue 7: Chinese, Japanese and Korean by bigrams."""
    first = noted(memory, "小林每天早上喝绿茶", ("m0", "我每天早上喝绿茶"))
    memory.update(first, "小林每天早上喝红茶", actor=PERSON)
    found = {case.name.partition(" ")[0]: case.question for case in evaluate.made(memory)}
    assert found["correction"] == "小林 林每 每天 天早"
    assert evaluate.evaluate(memory, evaluate.made(memory)).figures.recall == 1.0


def test_what_came_from_the_web_is_not_asked_for(memory):
    """DESIGN 1.6: below `agent` a record may be kept out of recall on purpose."""
    memory.append("cli:main", [Message("tool", "The wind is of force seven.", id="m0", tools=("web_fetch",))])
    memory.remember("The wind is of force seven.", kind="decision", source=Source("cli:main", "m0"), trust="web")
    assert evaluate.made(memory) == ()


def test_a_forgotten_record_makes_no_case(memory):
    """Its words are to stay away, also from a report."""
    record = noted(memory, "Ada wants metric units everywhere.", ("m0", "Metric units please."))
    memory.forget(record)
    assert evaluate.made(memory) == ()


def test_an_empty_memory_makes_no_case(memory):
    """Nothing was corrected, nothing rests on a message."""
    assert evaluate.made(memory) == ()
    memory.append("cli:main", [Message("user", "Hello!")])
    assert evaluate.made(memory) == ()


def test_the_sample_is_corrected_and_sourced(lantern):
    """Dogfood: the demo's memory by the rules alone finds what it rests on, and old values stand below new ones."""
    cases = evaluate.made(lantern)
    kinds = [case.name.partition(" ")[0] for case in cases]
    assert len(cases) <= 50
    assert kinds.count("correction") >= 4
    assert kinds.count("message") >= 10
    assert kinds.count("record") >= 10
    got = evaluate.evaluate(lantern, cases).figures
    assert got.recall >= 0.9


def test_measuring_writes_nothing(tmp_path):
    """Brief: never writes to memory. Index and locks are derived."""
    record_sample(tmp_path)
    with opened(tmp_path) as memory:
        memory.recall("lantern")  # whoever looks first ends what it has read of the feed

    def files():
        return {
            path: path.read_bytes()
            for path in sorted(tmp_path.rglob("*"))
            if path.is_file() and not path.name.endswith((".sqlite", "-wal", "-shm", ".lock"))
        }

    before = files()
    with opened(tmp_path) as memory:
        newest = memory.log(1)[0].number
        evaluate.evaluate(memory, evaluate.made(memory))
        assert memory.log(1)[0].number == newest
        assert memory.cost() == {}
    assert files() == before


@settings(max_examples=tries(15), deadline=None)
@given(seed=st.integers(0, 2**32), steps=st.integers(1, 12))
def test_whatever_happened_the_cases_made_can_be_asked_and_written_down(tmp_path_factory, seed, steps):
    """Property: any history of notes, corrections, undos and forgettings makes cases that are well formed."""
    chance = random.Random(seed)
    with opened(tmp_path_factory.mktemp("history")) as memory:
        for n in range(steps):
            words = " ".join(chance.choices(BATTERY, k=chance.randint(1, 7)))
            known = [record for change in memory.log(None) for record in change.added]
            try:
                match chance.choice(["note", "note", "update", "update", "undo", "forget"]) if known else "note":
                    case "note":
                        memory.append("cli:main", [Message("user", words, id=f"m{n}")])
                        memory.remember(words, kind="decision", source=Source("cli:main", f"m{n}"))
                    case "update":
                        memory.update(chance.choice(known), words, actor=PERSON)
                    case "undo":
                        memory.undo(chance.choice(memory.log(None)).number)
                    case "forget":
                        memory.forget(chance.choice(known))
            except LookupError:
                continue  # it is gone already
            except Exception as error:
                if type(error).__name__ != "UndoConflictError":
                    raise
        cases = evaluate.made(memory, limit=20)
        assert len({case.name for case in cases}) == len(cases) <= 20
        found = evaluate.evaluate(memory, cases)
        assert found.figures.cases == len(cases)
        if cases:
            text = "".join(evaluate.line(case) + "\n" for case in cases)
            assert evaluate.read(text, "cases.jsonl") == cases
