"""Cases asked of real memories: ranks, what must not be shown, abstention, figures and thresholds."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from evaluated_memories import opened
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Message
from commonplace.changes.actors import PERSON
from commonplace.errors import InputError
from commonplace.records import Source
from commonplace.surfaces.evaluate import AT_LEAST, AT_MOST, Case, Evaluation, Target, evaluate, made
from commonplace.surfaces.evaluate.measuring import figures
from commonplace.text.pieces import estimate_tokens
from marking import tries

START = datetime(2026, 11, 1, 9, tzinfo=UTC)
SAID = [
    "We picked PostgreSQL for the queue because two consumers cannot read one row.",
    "The harbour of Malmö has seventeen gauges at its station.",
    "Birgitta Holm answers mail only in the morning.",
    "The worker deadlock went away when the ids were sorted before the update.",
    "My bicycle is green and has a basket.",
]


def text(*values: str) -> tuple[Target, ...]:
    return tuple(Target(text=value) for value in values)


@pytest.fixture
def said(memory):
    """Five messages, `cli:main#m0` to `m4`."""
    memory.append(
        "cli:main", [Message("user", words, id=f"m{n}", at=START + timedelta(days=n)) for n, words in enumerate(SAID)]
    )
    return memory


def verdict(memory, **case):
    return evaluate(memory, [Case(**case)]).verdicts[0]


def test_a_text_is_found_whatever_its_case_and_white_space(said):
    """Brief: substrings that must appear in a hit's text."""
    found = verdict(said, question="how many gauges are in Malmö", expected=text("MALMÖ  has\nSeventeen"))
    assert (found.ranks, found.recall, found.passed) == ((1,), 1.0, True)
    assert found.words == 1.0
    assert found.tokens == sum(estimate_tokens(hit.text) for hit in found.hits)
    assert found.milliseconds > 0


def test_a_message_is_found_by_its_session_and_id(said):
    """Brief: message ids."""
    found = verdict(said, question="what about the deadlock", expected=(Target(message="cli:main#m3"),))
    assert found.ranks == (1,)
    missed = verdict(said, question="what about the deadlock", expected=(Target(message="cli:other#m3"),))
    assert (missed.ranks, missed.unknown, missed.passed) == ((None,), ("cli:other#m3",), False)


def test_recall_is_the_share_of_what_was_expected(said):
    """Retrieval notes 1: turn Recall@k = |top-k and E| / |E|."""
    expected = (Target(message="cli:main#m1"), Target(message="cli:main#m4"), *text("zeppelin"))
    found = verdict(said, question="gauges of the harbour", expected=expected, k=1)
    assert found.ranks == (1, None, None)
    assert found.recall == pytest.approx(1 / 3)
    assert found.first == 1
    assert not found.passed


def test_one_of_several_alternatives_is_enough(said):
    """`any` in a file."""
    either = Target(any=(Target(text="zeppelin"), Target(message="cli:main#m1"), Target(file="memory")))
    assert verdict(said, question="gauges of the harbour", expected=(either,)).passed


def test_a_record_is_found_by_its_id_by_what_replaced_it_and_by_its_words(memory):
    """Brief: record ids. DESIGN 5: an old id resolves to its successor."""
    noted = memory.remember("Ada keeps her bicycle in the cellar.", kind="decision", actor=PERSON).records[0]
    moved = memory.update(noted, "Ada keeps her bicycle in the attic.", actor=PERSON).records[0]
    for record in (noted, moved):
        found = verdict(memory, question="where is the bicycle of Ada", expected=(Target(record=record),))
        assert (found.passed, found.unknown, found.words) == (True, (), 1.0)
    memory.append("cli:main", [Message("user", "Ada keeps her bicycle in the attic.", id="m0")])
    said = verdict(
        memory, question="where is the bicycle of Ada", expected=(Target(record=moved),), layers=("sessions",)
    )
    assert said.passed  # of two hits that say the same, recall shows one


def test_a_record_that_was_taken_away_is_missed_and_named(memory):
    """An expected record that memory does not hold fails its case, and says why."""
    noted = memory.remember("Ada keeps her bicycle in the cellar.", kind="decision").records[0]
    memory.forget(noted)
    found = verdict(memory, question="where is the bicycle", expected=(Target(record=noted),))
    assert (found.ranks, found.unknown) == ((None,), (noted,))


def test_a_file_or_folder_is_found_by_any_record_of_it(memory):
    """Brief: file paths."""
    path = memory.remember("Ada keeps her bicycle in the cellar.", kind="decision").records[0].partition("#")[0]
    for place in (path, "memory", "memory/"):
        assert verdict(memory, question="where is the bicycle", expected=(Target(file=place),)).passed
    assert not verdict(memory, question="where is the bicycle", expected=(Target(file="mem"),)).passed


def test_what_is_superseded_may_only_stand_below_the_expected(said):
    """Issue 7: a superseded value ranks below its successor."""
    above = {"expected": (Target(message="cli:main#m1"),), "superseded": (Target(message="cli:main#m0"),)}
    fine = verdict(said, question="how many gauges has the harbour, and which queue", **above)
    turned = verdict(
        said, question="how many gauges has the harbour, and which queue",
        expected=above["superseded"], superseded=above["expected"],
    )  # fmt: skip
    assert {fine.first, turned.first} == {1, 2}
    assert fine.passed != turned.passed
    worse = next(each for each in (fine, turned) if not each.passed)
    assert worse.superseded == (1,)


def test_a_record_that_rests_on_an_old_message_does_not_show_it(memory):
    """A message stands where it must not only where it is shown itself; what rests on it may say better."""
    memory.append("cli:main", [Message("user", "Stand-up of Lantern: nine.", id="m0")])
    memory.remember("Lantern meets at eleven.", kind="decision", source=Source("cli:main", "m0"))
    old = (Target(message="cli:main#m0"),)
    found = verdict(memory, question="Lantern meets", forbidden=old, layers=("documents",))
    assert [hit.sources for hit in found.hits] == [(Source("cli:main", "m0"),)]
    assert found.passed
    assert verdict(memory, question="Lantern meets", expected=old, layers=("documents",)).passed
    assert not verdict(memory, question="Lantern stand-up", forbidden=old).passed


def test_what_is_superseded_may_not_be_shown_where_the_expected_is_missing(said):
    """The old value alone is worse than nothing."""
    found = verdict(said, question="gauges of the harbour", expected=text("nineteen"), superseded=text("seventeen"))
    assert found.superseded == (1,)


def test_what_is_forbidden_must_not_be_shown_at_all(said):
    """Issue 7: expected and forbidden records."""
    shown = verdict(
        said, question="which queue and which gauges", forbidden=(Target(message="cli:main#m4"), *text("PostgreSQL"))
    )
    assert len(shown.forbidden) == 1
    assert not shown.passed
    assert verdict(said, question="which queue", expected=text("PostgreSQL"), forbidden=text("Kafka")).passed


def test_a_question_without_an_answer_must_find_nothing(said):
    """Issue 7: abstention."""
    assert verdict(said, question="zeppelin", nothing=True).passed
    answered = evaluate(
        said, [Case(question="gauges of the harbour", nothing=True), Case(question="zeppelin", nothing=True)]
    )
    assert answered.figures.abstention == 0.5
    silent = evaluate(said, [Case(question="zeppelin", expected=text("balloon"))])
    assert silent.figures.abstained_wrongly == 1
    assert silent.figures.abstention is None


def test_layers_k_and_as_of_hold_for_the_question(said):
    """A case may ask less than everything."""
    said.remember("The harbour of Malmö has eighteen gauges.", kind="decision")
    asked = "how many gauges has the harbour of Malmö"
    assert {hit.layer for hit in verdict(said, question=asked, nothing=True).hits} == {"sessions", "documents"}
    assert {hit.layer for hit in verdict(said, question=asked, nothing=True, layers=("sessions",)).hits} == {"sessions"}
    assert len(verdict(said, question=asked, nothing=True, k=1).hits) == 1
    early = verdict(said, question=asked, expected=text("seventeen"), layers=("sessions",), as_of=START)
    assert early.ranks == (None,)


def test_a_hit_that_stands_for_two_messages_takes_two_ranks(memory):
    """recall_eval's rule: a hit with several sources takes one rank for each of them."""
    memory.append(
        "cli:main",
        [
            Message("user", "The ferry leaves at noon.", id="m0"),
            Message("user", "The ferry leaves at noon.", id="m1"),
            Message("user", "The ferry is blue and old and slow.", id="m2"),
        ],
    )
    named = {n: (Target(message=f"cli:main#m{n}"),) for n in range(3)}
    ranks = [verdict(memory, question="when does the ferry leave", expected=named[n]).first for n in range(3)]
    assert sorted(ranks) == [1, 2, 3]
    assert ranks[2] == 3
    assert verdict(memory, question="when does the ferry leave", expected=named[2]).places == (1, 3)


def test_words_are_counted_within_the_token_budget(said):
    """Issue 7: W@1000, the evidence words shown within a budget."""
    expected = (Target(message="cli:main#m1"),)
    whole = verdict(said, question="gauges of the harbour", expected=expected, k=1)
    none = verdict(said, question="gauges of the harbour", expected=expected, k=1, tokens=2)
    assert (whole.words, none.words) == (1.0, 0.0)
    assert (whole.ranks, none.ranks) == ((1,), (1,))


def test_figures_and_thresholds_say_what_falls_short(said):
    """Brief: totals and exit code for CI."""
    cases = [
        Case(question="gauges of the harbour", expected=text("seventeen")),
        Case(question="gauges of the harbour", expected=text("nineteen")),
        Case(question="zeppelin", nothing=True),
        Case(question="which queue", forbidden=text("PostgreSQL")),
    ]
    found = evaluate(said, cases)
    assert [each.passed for each in found.verdicts] == [True, False, True, False]
    got = found.figures
    assert (got.cases, got.passed, got.recall, got.mrr, got.words) == (4, 0.5, 0.5, 0.5, 0.5)
    assert (got.superseded, got.forbidden, got.abstention, got.abstained_wrongly) == (0, 1, 1.0, 0)
    assert 0 < got.p50_ms <= got.p95_ms
    assert [each.figure for each in found.below()] == ["passed"]
    assert found.below({"passed": 0.5, "recall": 0.5}, {"forbidden": 1}) == ()
    short = found.below({"recall": 0.8}, {"forbidden": 0, "p95_ms": 0})
    assert [each.figure for each in short] == ["recall", "forbidden", "p95_ms"]
    assert short[0].sentence == "recall is 0.5, at least 0.8 was asked for"
    assert short[1].sentence == "forbidden is 1, at most 0 was asked for"


def test_a_threshold_that_no_case_measures_is_not_met(said):
    """A case file that lost its `nothing` cases must not pass for good."""
    found = evaluate(said, [Case(question="gauges of the harbour", expected=text("seventeen"))])
    assert [each.sentence for each in found.below({"abstention": 0.9})] == [
        "no case measures abstention, which has a threshold"
    ]


def test_an_evaluation_of_no_cases_has_no_figures():
    """Nothing was measured, so nothing is 0."""
    empty = Evaluation((), figures(()))
    assert empty.figures.passed is None
    assert [each.value for each in empty.below()] == [None]


def test_latency_is_the_time_of_one_recall(said):
    """The clock is passed in: three calls of a timer that ticks by one second are three times one second."""
    ticks = itertools.count()
    cases = [Case(question=words, nothing=True) for words in ("zeppelin", "gauges", "queue")]
    found = evaluate(said, cases, timer=lambda: float(next(ticks)))
    assert [each.milliseconds for each in found.verdicts] == [1000.0] * 3
    assert found.figures.p95_ms == 1000.0


def test_a_layer_that_is_none_is_refused(memory):
    """A case made by hand is held to what recall takes."""
    with pytest.raises(InputError, match="no layer 'cellar'"):
        evaluate(memory, [Case(question="a", nothing=True, layers=("cellar",))])


def test_two_cases_of_one_name_are_refused(memory):
    """A name stands for one case in a report."""
    with pytest.raises(InputError, match="two cases are named 'a'"):
        evaluate(memory, [Case(question="x", nothing=True, name="a")] * 2)


@pytest.mark.parametrize(
    "question", ["x" * 100_000, "AND OR NOT", '"', "!?.", "the of and", "\0", "日本語 mixed العربية", "e\u0301" * 50]
)
def test_any_question_can_be_asked(said, question):
    """Issue 7, bad input: queries of 100 KB, only stop words, operators and quotes, mixed scripts, NUL."""
    assert verdict(said, question=question, expected=text("zeppelin")).recall == 0.0


def test_a_memory_opened_read_only_is_measured_too(said, tmp_path):
    """Nothing has to be written for it."""
    case = Case(question="gauges of the harbour", expected=text("seventeen"))
    said.remember("The harbour has seventeen gauges.", kind="decision", source=Source("cli:main", "m1"))
    with opened(tmp_path / "memory", read_only=True) as memory:
        assert evaluate(memory, [case]).figures.passed == 1.0
        assert evaluate(memory, made(memory)).figures.cases == 2


def test_a_chain_of_scopes_is_asked_as_one(tmp_path):
    """Reads follow the chain."""
    with opened(tmp_path, scope="team") as team:
        team.append("cli:main", [Message("user", SAID[1], id="m1")])
    with opened(tmp_path, scope=["user:1", "team"]) as memory:
        memory.append("cli:main", [Message("user", SAID[0], id="m0")])
        cases = [
            Case(question="gauges of the harbour", expected=(Target(message="cli:main#m1"),)),
            Case(question="which queue", expected=(Target(message="cli:main#m0"),)),
        ]
        assert evaluate(memory, cases).figures.recall == 1.0


WORDS = ["harbour", "gauges", "queue", "deadlock", "bicycle", "mail", "Malmö", "zeppelin"]
some = st.lists(st.sampled_from(WORDS), max_size=2, unique=True)


@settings(max_examples=tries(40), deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), some, some, some, st.integers(1, 4))
def test_verdicts_agree_with_what_was_shown(lantern, asked, expected, superseded, forbidden, k):
    """Property: every verdict can be read off the hits it carries."""
    if not expected and not forbidden:
        return
    case = Case(
        question=" ".join(asked), k=k, expected=text(*expected), forbidden=text(*forbidden),
        superseded=text(*superseded) if expected else (),
    )  # fmt: skip
    found = evaluate(lantern, [case])
    got = found.verdicts[0]

    def first(word):
        return min(
            (rank for hit, rank in zip(got.hits, got.places, strict=True) if word.lower() in hit.text.lower()),
            default=99,
        )

    assert got.ranks == tuple(first(word) if first(word) <= k else None for word in expected)
    assert bool(got.forbidden) == any(first(word) < 99 for word in forbidden)
    best = min(map(first, expected), default=99)
    assert bool(got.superseded) == (
        bool(expected) and any(first(word) < (best if best <= k else 99) for word in superseded)
    )
    assert list(got.places) == sorted(got.places)
    for name in AT_LEAST:
        value = getattr(found.figures, name)
        assert value is None or 0 <= value <= 1
    assert all((getattr(found.figures, name) or 0) >= 0 for name in AT_MOST)
    assert found.figures.passed == float(got.passed)
