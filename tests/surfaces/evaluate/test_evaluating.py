"""Cases asked of real memories: ranks, what must not be shown, abstention, figures and thresholds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from evaluated_memories import opened

from commonplace import Message
from commonplace.changes.actors import PERSON
from commonplace.errors import InputError
from commonplace.records import Source
from commonplace.surfaces.evaluate import Case, Target, evaluate, made

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
    assert found.milliseconds > 0


def test_a_message_is_found_by_its_session_and_id(said):
    """Brief: message ids."""
    found = verdict(said, question="what about the deadlock", expected=(Target(message="cli:main#m3"),))
    assert found.ranks == (1,)
    missed = verdict(said, question="what about the deadlock", expected=(Target(message="cli:other#m3"),))
    assert (missed.ranks, missed.passed) == ((None,), False)


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
    either = Target(any=(Target(text="zeppelin"), Target(message="cli:main#m1")))
    assert verdict(said, question="gauges of the harbour", expected=(either,)).passed


def test_a_record_is_found_by_its_id_and_by_what_replaced_it(memory):
    """Brief: record ids. DESIGN 5: an old id resolves to its successor."""
    noted = memory.remember("Ada keeps her bicycle in the cellar.", kind="decision", actor=PERSON).records[0]
    moved = memory.update(noted, "Ada keeps her bicycle in the attic.", actor=PERSON).records[0]
    for record in (noted, moved):
        found = verdict(memory, question="where is the bicycle of Ada", expected=(Target(record=record),))
        assert found.passed
    memory.forget(moved, actor=PERSON)
    assert verdict(memory, question="where is the bicycle", expected=(Target(record=moved),)).ranks == (None,)


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
    assert silent.figures.abstention is None


def test_the_figures_sum_the_verdicts_up(said):
    """Totals for a CI."""
    cases = [
        Case(question="gauges of the harbour", expected=text("seventeen")),
        Case(question="gauges of the harbour", expected=text("nineteen")),
        Case(question="zeppelin", nothing=True),
        Case(question="which queue", forbidden=text("PostgreSQL")),
    ]
    found = evaluate(said, cases)
    assert [each.passed for each in found.verdicts] == [True, False, True, False]
    got = found.figures
    assert (got.cases, got.passed, got.recall, got.mrr) == (4, 0.5, 0.5, 0.5)
    assert (got.superseded, got.forbidden, got.abstention) == (0, 1, 1.0)
    assert 0 < got.p50_ms <= got.p95_ms


def test_layers_k_and_as_of_hold_for_the_question(said):
    """A case may ask less than everything."""
    said.remember("The harbour of Malmö has eighteen gauges.", kind="decision")
    asked = "how many gauges has the harbour of Malmö"
    assert {hit.layer for hit in verdict(said, question=asked, nothing=True).hits} == {"sessions", "documents"}
    assert {hit.layer for hit in verdict(said, question=asked, nothing=True, layers=("sessions",)).hits} == {"sessions"}
    assert len(verdict(said, question=asked, nothing=True, k=1).hits) == 1
    early = verdict(said, question=asked, expected=text("seventeen"), layers=("sessions",), as_of=START)
    assert early.ranks == (None,)


def test_a_layer_that_is_none_is_refused(memory):
    """A case made by hand is held to what recall takes."""
    with pytest.raises(InputError, match="no layer 'cellar'"):
        evaluate(memory, [Case(question="a", nothing=True, layers=("cellar",))])


def test_two_cases_of_one_name_are_refused(memory):
    """A name stands for one case in a report."""
    with pytest.raises(InputError, match="two cases are named 'a'"):
        evaluate(memory, [Case(question="x", nothing=True, name="a")] * 2)


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
