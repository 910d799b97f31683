"""A record with a last day is given out no more when that day is over."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from commonplace import Memory, Message, Query
from commonplace.errors import InputError
from commonplace.operations import PutTopic
from commonplace.testing import FixedClock
from commonplace.text import validity
from marking import in_one_test

pytestmark = pytest.mark.battery

LAST = date(2026, 11, 25)


def given_out(memory: Memory) -> str:
    hits = [hit.text for hit in memory.recall("parking deck")]
    return "\n".join([*hits, memory.context("s", "parking deck").text, memory.context("s").text])


@pytest.mark.parametrize(
    ("layout", "kind"),
    [("native", "decision"), ("native", "fact"), ("native", "fix"), ("two-layer", "fact"), ("facts", "fact")],
)
def test_what_is_over_is_given_out_no_more(tmp_path, layout, kind):
    """Issue 23.9: a record with `expires` was still shown 20 days after."""
    clock = FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout=layout, jobs="worker", clock=clock) as memory:
        done = memory.remember("The parking deck is row 4711", kind=kind, expires=LAST)
        assert done.ok
        assert "4711" in given_out(memory)
        clock.advance(5 * 86_400)
        assert "4711" in given_out(memory)  # the last day counts
        clock.advance(86_400)
        assert "4711" not in given_out(memory)
        assert "4711" in given_out(memory.at(datetime(2026, 11, 25, 12, tzinfo=UTC)))
        assert "4711" in memory.read(done.records[0]).text  # it is still in its file


@pytest.mark.parametrize("layout", ["native", "two-layer", "structured"])
def test_what_the_rules_note_until_a_day_is_over_after_it(tmp_path, layout):
    """Issue 17: a car in the garage until Friday was in every prompt weeks later."""
    clock = FixedClock("2026-11-24T10:00:00+00:00")
    with Memory.open(tmp_path, layout=layout, jobs="inline", clock=clock) as memory:
        memory.append("s", [Message("user", "Our car is in the garage until Friday."), Message("assistant", "OK.")])
        memory.consolidate("s")
        shown = [memory.context().text]
        clock.advance(days=5)
        shown.append(memory.context().text)
    assert ["garage (until 2026-11-27)" in text for text in shown] == [True, False]


def test_a_stretch_ends_with_its_last_day(tmp_path):
    """Found in use: `from tomorrow until Tuesday` was over after tomorrow."""
    with Memory.open(tmp_path, jobs="inline", clock=FixedClock("2026-03-06T10:00:00+00:00")) as memory:
        memory.append(
            "s", [Message("user", "My aunt is visiting from tomorrow until Tuesday."), Message("assistant", "OK.")]
        )
        memory.consolidate("s")
        assert "from 2026-03-07 (until 2026-03-10)" in memory.context().text


def test_what_is_over_already_or_before_it_begins_is_refused(tmp_path):
    """Found in use: it was said to be done and was never given out."""
    clock = FixedClock("2026-11-25T10:00:00+00:00")
    with Memory.open(tmp_path, jobs="worker", clock=clock) as memory:
        with pytest.raises(InputError, match="its last day, 2026-11-24, is over and today is 2026-11-25"):
            memory.remember("The parking deck is row 4711", expires=date(2026, 11, 24))
        with pytest.raises(InputError, match="its last day, 2026-11-25, is before its first, 2026-11-26"):
            memory.remember("The parking deck is row 4711", valid_from=date(2026, 11, 26), expires=LAST)
        assert memory.remember("The parking deck is row 4711", valid_from=LAST, expires=LAST).ok


def test_others_take_the_places_of_what_is_over(tmp_path):
    """Issue 23.9: what is left out leaves no hole in an answer."""
    clock = FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, jobs="worker", clock=clock) as memory:
        for number in range(12):
            memory.remember(f"Parking deck of week {number} is row {4000 + number}", kind="decision", expires=LAST)
        memory.remember("The parking deck has its own gate", kind="decision")
        clock.advance(20 * 86_400)
        [hit] = memory.recall("parking code of week", k=3)
        assert hit.text == "The parking deck has its own gate"
        assert memory.recall(Query(text="parking code of week", as_of=datetime(2026, 11, 21, tzinfo=UTC)))


@in_one_test(
    ("text", "expected"),
    [
        ("Code 1 (until 2026-11-25)", False),
        ("Code 1 (until 2026-11-24)", True),
        ("Code 1 (from 2026-11-01 until 2026-11-24)", True),
        ("**Code 1 (until 2026-11-24)**", True),
        ("Code 1 (from 2026-11-01)", False),
        ("Code 1 (until 2026-11-24) was the old one", False),
    ],
)
def test_the_end_of_a_text_says_how_long_it_holds(text, expected):
    assert validity.is_over(text, LAST) == expected


@pytest.mark.parametrize("layout", ["native", "two-layer"])
def test_an_event_that_is_over_is_found_and_not_shown(tmp_path, layout):
    """Found in use: a flight in December was in every prompt of February; a birthday stays."""
    clock = FixedClock("2026-11-24T10:00:00+00:00")
    said = "My flight to Rome is on 1 December. My birthday is on 3 December. I start my new job on 2 December."
    with Memory.open(tmp_path, layout=layout, jobs="inline", clock=clock) as memory:
        memory.append("s", [Message("user", said), Message("assistant", "OK.")])
        memory.end("s")
        shown = [memory.context().text]
        clock.advance(days=20)
        shown.append(memory.context().text)
        assert [("flight" in text, "birthday" in text, "job" in text) for text in shown] == [
            (True, True, True),
            (False, True, True),
        ]
        assert any("2026-12-01" in hit.text for hit in memory.recall("when is the flight to Rome"))


@in_one_test(
    ("text", "expected"),
    [
        ("We fly to Lisbon on 2026-11-20.", True),
        ("The exam is 2026-11-20.", True),
        ("On 2026-11-20 User has a hearing.", True),
        ("The fair is scheduled for 20 November 2026.", True),
        ("User has a check-up on 2026-11-20 at 9.", True),
        ("Die Prüfung ist am 20.11.2026.", True),
        ("User: Ich habe am 20. November um 9 einen Termin", True),
        ("Le concert est le 20 novembre 2026.", True),
        ("J'ai un entretien le 20 novembre", True),
        ("La reunión es el 20 de noviembre de 2026.", True),
        ("Volamos a Roma el 20 de noviembre", True),
        ("用户在2026年11月20日有面试。", True),
        ("面试是2026年11月20日", True),
        ("User: The dentist moved my appointment: it's on 2026-11-20 at 9:15 now.", True),
        ("User is staying at Hotel Adria from 2026-11-18 to 2026-11-20.", True),
        ("User: Wir fliegen vom 2026-11-18 bis zum 2026-11-20 nach Rom", True),
        ("User: Mein Termin ist am Freitag, den 20. November um 9 Uhr", True),
        ("Le concert est le vendredi 20 novembre 2026.", True),
        ("The exam is on Friday, 20 November 2026 at 9.", True),
        ("User is on holiday from 2026-11-18 to 2026-11-25.", False),
        ("User works at Initech from 2026-11-18 to 2026-11-20.", False),
        ("The exam is 2026-11-25.", False),
        ("The exam was on 2026-10-20.", False),
        ("User joined on 2026-10-20.", False),
        ("Mia's birthday is on 2026-11-20.", False),
        ("The national day is on 20 November.", False),
        ("User has a rehearsal on 20 November each year.", False),
        ("User starts at Initech on 2026-11-20.", False),
        ("User has had a dog since 2026-11-20.", False),
        ("User has an exam on 2026-11-20 and studies law.", False),
        ("The exam is 2026-11-20. User studies law.", False),
        ("The passport expires on 2026-11-20.", False),
        ("User adopts a dog on 2026-11-20.", False),
        ("The version is 20.11.", False),
    ],
)
def test_what_is_past_of_an_event(text, expected):
    assert validity.is_past_event(text, date(2026, 11, 10), LAST) == expected


def test_a_topic_whose_last_line_is_over_takes_new_lines(tmp_path):
    """Issue 17.2: only the line that is over leaves prompts; the others stay, and so does the file's text."""
    clock = FixedClock("2026-03-06T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout="memdir", clock=clock, jobs="inline") as memory:
        for days, said in ((0, "We're moving to Lund in December."), (1, "My parents are visiting until next Friday.")):
            clock.advance(days=days)
            memory.append(f"s:{days}", [Message("user", said)])
            memory.end(f"s:{days}")
        asked = "When do we move to Lund, and when are my parents visiting?"
        assert "parents" in memory.context("new", asked).text
        clock.advance(days=20)
        shown = memory.context("newer", asked).text
        assert "Lund" in shown
        assert "parents" not in shown
        memory.append("s:2", [Message("user", "My passport appointment is on 20 April at 10.")])
        outcome = memory.end("s:2")
        assert (outcome.status, outcome.review) == ("applied", ())
    lines = (tmp_path / "tasks.md").read_text("utf-8").splitlines()
    stated = [line for line in lines if line.startswith("- ")]
    assert len(stated) == 3
    assert [word for word, line in zip(("Lund", "parents", "passport"), stated, strict=True) if word not in line] == []


@pytest.mark.parametrize("action", [{"action": "rename", "title": "Karin Berg"}, {"action": "merge", "into": "bees"}])
def test_renaming_and_merging_keep_what_is_over(tmp_path, action):
    """DESIGN 1.9: a line that is over stays in its file, whatever the agent's tool does with the topic."""
    clock = FixedClock("2026-06-01T10:00:00+00:00", step_seconds=1)
    with Memory.open(tmp_path, layout="memdir", clock=clock, jobs="worker") as memory:
        lines = "- Karin is the neighbour.\n- Karin is in Rome (until 2026-05-01)\n- Karin keeps bees."
        memory.apply([PutTopic(path="karin.md", title="Karin", body=lines)], reason="")
        memory.apply([PutTopic(path="bees.md", title="Bees", body="- Bees like heather.")], reason="")
        answer = memory.tool().call({"id": "karin.md", "file": "karin.md", **action})
        assert answer["success"], answer
    texts = "".join(file.read_text("utf-8") for file in tmp_path.glob("*.md"))
    assert "Karin is in Rome (until 2026-05-01)" in texts
