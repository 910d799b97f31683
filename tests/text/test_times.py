"""Which time a question speaks of."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.text import validity
from commonplace.text.times import ranges, read
from marking import in_one_test

NOW = datetime(2024, 5, 15, 12, tzinfo=UTC)  # a Wednesday
FIRST, LAST = "0001-01-02", "9999-12-30"  # of the calendar


def days(text):
    return [(start.date().isoformat(), end.date().isoformat()) for start, end in ranges(text, NOW)]


@in_one_test(
    ("text", "start", "end"),
    [
        ("what did I say yesterday", "2024-05-14", "2024-05-15"),
        ("today", "2024-05-15", "2024-05-16"),
        ("last week", "2024-05-06", "2024-05-13"),
        ("this week", "2024-05-13", "2024-05-20"),
        ("last month", "2024-04-01", "2024-05-01"),
        ("last year", "2023-01-01", "2024-01-01"),
        ("last Friday", "2024-05-10", "2024-05-11"),
        ("last weekend", "2024-05-11", "2024-05-13"),
        ("two weeks ago", "2024-04-28", "2024-05-05"),
        ("3 days ago", "2024-05-12", "2024-05-13"),
        ("on May 7, 2023", "2023-05-07", "2023-05-08"),
        ("on 7th of May 2023", "2023-05-07", "2023-05-08"),
        ("in March 2023", "2023-03-01", "2023-04-01"),
        ("in 2022", "2022-01-01", "2023-01-01"),
        ("2024-03-15", "2024-03-15", "2024-03-16"),
        ("2024-12", "2024-12-01", "2025-01-01"),
        ("昨天说了什么", "2024-05-14", "2024-05-15"),
        ("上周", "2024-05-06", "2024-05-13"),
        ("三天前", "2024-05-12", "2024-05-13"),
        ("2023年5月3日", "2023-05-03", "2023-05-04"),
    ],
)
def test_a_named_time_becomes_a_range(text, start, end):
    """Issue 7, time."""
    assert (start, end) in days(text)


@in_one_test(
    ("text", "start", "end"),
    [
        ("before May 7", FIRST, "2024-05-07"),
        ("before Tuesday, May 7", FIRST, "2024-05-07"),
        ("before December", FIRST, "2023-12-01"),  # the last one that has begun
        ("until 2023-05-07", FIRST, "2023-05-08"),
        ("by March 2024", FIRST, "2024-04-01"),
        ("prior to last week", FIRST, "2024-05-06"),
        ("after May 7, 2023", "2023-05-08", LAST),
        ("since October", "2023-10-01", LAST),
        ("since Monday", "2024-05-13", LAST),
        ("from the 3rd of April on", "2024-04-03", LAST),
        ("since 2022", "2022-01-01", LAST),
        ("the week before June 9, 2023", "2023-06-02", "2023-06-10"),
        ("two weeks after 2023-05-07", "2023-05-07", "2023-05-22"),
        ("between May 1 and May 10", "2024-05-01", "2024-05-11"),
        ("from November to February", "2023-11-01", "2024-03-01"),
        ("in the last 5 days", "2024-05-10", "2024-05-16"),
        ("over the past couple of weeks", "2024-05-01", "2024-05-16"),
        ("on Thursday", "2024-05-09", "2024-05-10"),
        ("on Wednesday", "2024-05-08", "2024-05-09"),  # not today
        ("the day before yesterday", "2024-05-13", "2024-05-14"),
        ("this morning", "2024-05-15", "2024-05-16"),
        ("2023年5月3日之前", FIRST, "2023-05-03"),
        ("3月以来", "2024-03-01", LAST),
    ],
)
def test_the_words_before_a_time_say_which_side_of_it_is_meant(text, start, end):
    """Issue 7, time: one range, and not the day that is its edge."""
    assert days(text) == [(start, end)]


@pytest.mark.parametrize(
    ("zone", "start"), [("Asia/Tokyo", "2026-11-21T15:00"), ("America/New_York", "2026-11-21T05:00")]
)
def test_today_is_the_day_of_the_zone_that_is_asked_in(zone, start):
    """Tokyo has the next day already where New York has the one before."""
    asked = datetime(2026, 11, 22, 3, tzinfo=UTC).astimezone(ZoneInfo(zone))
    ((begins, ends),) = ranges("what happened today", asked)
    assert begins.astimezone(UTC).isoformat(timespec="minutes") == f"{start}+00:00"
    assert ends - begins == timedelta(days=1)


@in_one_test(
    ("text", "rest"),
    [
        ("What did we say on May 7, 2023?", "what did we say on ?"),
        ("since last week", "since"),
        ("between May 1 and 2024-05-03", "between and"),
        ("no time", "no time"),
    ],
)
def test_what_is_left_of_a_question_without_its_times(text, rest):
    assert " ".join(read(text, NOW).rest.split()).replace(" ?", "?") == rest.replace(" ?", "?")


def test_a_day_that_only_some_years_have_is_found_in_those():
    for text in ("on February 29", "2月29日"):
        assert days(text) == [("2020-02-29", "2020-03-01"), ("2024-02-29", "2024-03-01")]


def test_a_month_without_a_year_is_that_month_of_each_of_the_last_years():
    assert ("2024-03-01", "2024-04-01") in days("in March")
    assert ("2020-03-01", "2020-04-01") in days("in March")


@in_one_test("text", ["", "February 31", "this may help", "version 2.0", "march on", "0000-13-45", "chapter 7"])
def test_what_names_no_time_gives_no_range(text):
    assert days(text) == []


@given(st.text(), st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2100, 1, 1)))
def test_any_text_at_any_time_gives_ordered_ranges(text, now):
    for start, end in ranges(text, now.replace(tzinfo=UTC)):
        assert start < end


def test_what_is_over_is_cut_by_sentences():
    """Found in use: `Rents from Dr. Kim (until …)` left `Rents from Dr.`, and a long line took seconds."""
    today = date(2026, 6, 1)
    assert validity.current("Rents from Dr. Kim (until 2026-03-01)", today) == ""
    assert validity.current("Pays 12.50 a week (until 2026-03-01). Likes tea.", today) == "Likes tea."
    assert validity.current("- A\n- Uses Python 3.11 (until 2026-03-01)\n- C", today) == "- A\n- C"
    assert validity.current("We move. Parents visit (until 2026-07-01)", today).endswith("(until 2026-07-01)")
