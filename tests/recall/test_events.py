"""A question may be dated by an event; when that was is told by the messages that speak of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from commonplace.recall.events import MOST, Event, around, named
from commonplace.records import Message
from marking import in_one_test


@in_one_test(
    ("text", "when", "words"),
    [
        ("what did we decide before the release?", "before", "release"),
        ("How did Melanie feel after the road trip with the kids", "after", "road trip"),
        ("who called since my birthday party", "since", "birthday party"),
        ("what broke during Ada's demo?", "during", "demo"),
    ],
)
def test_an_event_is_read_from_a_question(text, when, words):
    """Issue 7: "before the release" becomes a range."""
    assert named(text) == Event(when, words)


@in_one_test("text", ["", "before we met", "after all", "what comes after the", "before the end of May"])
def test_what_names_no_event_gives_none(text):
    assert named(text) is None


def talk(scope):
    def say(session, day, text):
        scope.say(session, Message("user", text, at=datetime(2026, 1, 10, tzinfo=UTC) + timedelta(days=day)))

    say("jan", 0, "about logging we decided on plain files")
    say("feb", 30, "the release went out today, all is green")
    say("mar", 60, "about logging we decided on plain tables")
    for day in range(0, 90, 3):
        say(f"talk {day}", day, "nothing much is going on around here")


def test_a_question_dated_by_an_event_prefers_its_side(scope):
    """Issue 7: a range raises what was said in it, and filters nothing out."""
    talk(scope)
    for side, other, place in (("before", "after", 0), ("after", "before", 1)):
        found = scope.texts(f"what did we decide about logging {side} the release?")
        texts = ["about logging we decided on plain files", "about logging we decided on plain tables"]
        assert found.index(texts[place]) < found.index(texts[1 - place]), (side, other)


def test_an_event_after_as_of_dates_nothing(scope):
    talk(scope)
    limit = datetime(2026, 1, 20, tzinfo=UTC)
    hits = scope.recall("what did we decide about logging before the release?", as_of=limit, explain=True)
    assert hits[0].why["factor"] == 1.0


@given(
    st.sampled_from(["before", "after", "since", "until", "during"]),
    st.lists(st.integers(-62_135_596_800_000, 253_402_300_799_000), max_size=MOST + 5),
)
def test_any_times_give_an_ordered_range_or_none(when, times):
    found = around(Event(when, "x"), times)
    assert found is None or found[0] < found[1]
