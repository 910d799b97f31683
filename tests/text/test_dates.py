"""Relative dates become calendar dates, from the instant and zone of the words themselves."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from commonplace.text import dates, days
from marking import in_one_test

THURSDAY = datetime(2026, 2, 26, 12, tzinfo=UTC)


@in_one_test(
    ("text", "dated"),
    [
        ("Merge freeze next Thursday", "Merge freeze on 2026-03-05"),
        ("the report is due by Friday", "the report is due by 2026-02-27"),
        ("call her on Monday morning", "call her on 2026-03-02"),
        ("demo this Friday", "demo on 2026-02-27"),
        ("ship it by Thursday end of day", "ship it by 2026-03-05"),
        ("I leave tomorrow", "I leave on 2026-02-27"),
        ("the day after tomorrow", "on 2026-02-28"),
        ("back in two weeks", "back on 2026-03-12"),
        ("10 days from now", "on 2026-03-08"),
        ("departure six weeks from today", "departure on 2026-04-09"),
        ("done by end of month", "done by 2026-02-28"),
        ("by the end of next quarter", "by 2026-06-30"),
        ("before month-end", "before 2026-02-28"),
        ("by EOD", "by 2026-02-26"),
        ("wedding on March 3rd", "wedding on 2026-03-03"),
        ("the March 15 deadline", "the 2026-03-15 deadline"),
        ("deadline is March 15", "deadline is 2026-03-15"),
        ("on 3 March 2024", "on 2024-03-03"),
        ("starting April 6", "starting 2026-04-06"),
        ("tomorrow's meeting", "2026-02-27's meeting"),
        ("moving next month", "moving in 2026-03"),
        ("trip this summer", "trip in summer 2026"),
        ("starts in June", "starts in 2026-06"),
        ("next year", "in 2027"),
        ("the festival on February 20", "the festival on 2026-02-20"),
    ],
)
def test_a_date_ahead_is_written_as_a_calendar_date(text: str, dated: str) -> None:
    """Seed model, scenario 12: `Merge freeze next Thursday` said on 2026-02-26 is 2026-03-05."""
    assert dates.absolute(text, THURSDAY, UTC)[0] == dated


@in_one_test(
    ("text", "dated"),
    [
        ("I ran a race last Saturday", "I ran a race on 2026-02-21"),
        ("we met on Friday", "we met on 2026-02-20"),
        ("Last week I went home", "In the week of 2026-02-16 I went home"),
        ("moved here three years ago", "moved here in 2023"),
        ("about 5 years ago", "around 2021"),
        ("two months ago", "in 2025-12"),
        ("a few weeks ago", "a few weeks before 2026-02-26"),
        ("I moved here in June", "I moved here in 2025-06"),
        ("the shelter I volunteer at yesterday", "the shelter I volunteer at on 2026-02-25"),
        ("met on June 3", "met on 2025-06-03"),
        ("I read it in two weeks", "I read it in two weeks"),
        ("since last October", "since 2025-10"),
    ],
)
def test_a_date_gone_by_is_written_as_a_calendar_date(text: str, dated: str) -> None:
    """Issue 4: dates are made absolute."""
    assert dates.absolute(text, THURSDAY, UTC, past=True)[0] == dated


@in_one_test(
    ("text", "dated"),
    [
        ("It is on Friday 20 March at 8am", "It is on 2026-03-20 at 8am"),
        ("Exam on Tuesday, March 10th", "Exam on 2026-03-10"),
        ("Flight on Sunday the 15th of March", "Flight on 2026-03-15"),
        ("demo this Saturday (7 March)", "demo this Saturday (2026-03-07)"),
        ("It is 9 April, a Thursday", "It is 2026-04-09, a Thursday"),
        ("due by Tuesday the 31st", "due by 2026-03-31"),
        ("It leaves Friday the 20th at 7", "It leaves on 2026-03-20 at 7"),
        ("Rome from 3 to 7 April", "Rome from 2026-04-03 to 2026-04-07"),
        ("Rome Friday 3-Tuesday 7 April", "Rome from 2026-04-03 to 2026-04-07"),
        ("Rome between the 3rd and the 7th of April", "Rome between 2026-04-03 and 2026-04-07"),
        ("Rome from April 3 to 7", "Rome from 2026-04-03 to 2026-04-07"),
        ("from Monday 9 March until Friday 13 March", "from 2026-03-09 until 2026-03-13"),
        ("Rome, 30 March - 3 April", "Rome, on 2026-03-30 - 2026-04-03"),
        ("Sunday, 15th March: race", "On 2026-03-15: race"),
        ("Tuesday 10 and Wednesday 11 March are full", "On 2026-03-10 and 2026-03-11 are full"),
        ("It is on Saturday 20 February", "It is on 2027-02-20"),
        ("It is on Friday 21 March", "It is on Friday 2026-03-21"),
        ("on Thursday the 20th", "on Thursday the 20th"),
        ("the Friday the 13th movies", "the Friday the 13th movies"),
        ("every Friday the 13th", "every Friday the 13th"),
        ("on 10 March, Friday I'm free", "on 2026-03-10, on 2026-03-06 I'm free"),
        ("Call me Friday, 20 people come", "Call me on 2026-03-06, 20 people come"),
        ("at number 3 and 7 April is fine", "at number 3 and 2026-04-07 is fine"),
    ],
)
def test_a_weekday_beside_a_date_is_one_date(text: str, dated: str) -> None:
    """Found in use: `on Friday 20 March` was stored as two dates; if they disagree, the weekday's word stays."""
    assert dates.absolute(text, datetime(2026, 3, 2, 8, tzinfo=UTC), UTC)[0] == dated


def test_a_weekday_with_its_date_is_dated_where_it_may_recur() -> None:
    """Found in use: `on Thursday on 2026-03-12`."""
    assert dates.absolute("on Thursday 12 March", THURSDAY, UTC, once=False)[0] == "on 2026-03-12"


def test_since_names_a_time_gone_by_whatever_the_tense() -> None:
    """Issue 4."""
    assert dates.absolute("is vegan since January", THURSDAY, UTC)[0] == "is vegan since 2026-01"
    assert dates.absolute("is ill since June", THURSDAY, UTC)[0] == "is ill since 2025-06"


@in_one_test(
    "text",
    [
        "every Friday", "on Fridays", "Monday mornings", "Monday through Friday", "I may go", "Feb 31", "March of progress", "July 16-18",
        "two weeks of work", "Sun and Sat by the sea", "10:30", "v3.11", "Black Friday", "our Friday lunch is at noon",
        "the weekly Monday call", "a biweekly Tuesday meeting with Tom",
    ],
)  # fmt: skip
def test_what_is_no_single_date_stays_as_written(text: str) -> None:
    """Silence is better than a wrong date."""
    assert dates.absolute(text, THURSDAY, UTC) == (text, ())


def test_the_day_is_that_of_the_zone() -> None:
    """Issue 4: dates are relative to the message's own instant and the zone."""
    late = datetime(2026, 2, 26, 23, 30, tzinfo=UTC)
    assert dates.absolute("tomorrow", late, UTC)[0] == "on 2026-02-27"
    assert dates.absolute("tomorrow", late, ZoneInfo("Asia/Tokyo"))[0] == "on 2026-02-28"


def test_a_year_outside_the_calendar_is_left_alone() -> None:
    """Bad input: `in 999 years` near the end of time."""
    last = datetime(9999, 12, 30, tzinfo=UTC)
    assert dates.absolute("in 999 years, tomorrow, next month, in 3 days", last, UTC)[0].startswith("in 999 years")


@given(st.text(max_size=300), st.datetimes(timezones=st.just(UTC)), st.booleans())
def test_any_text_at_any_instant_is_dated_without_error(text: str, at: datetime, past: bool) -> None:
    """What was found stands in the text, in order and apart."""
    found = dates.find(text, at, UTC, past=past)
    assert all(0 <= when.start < when.end <= len(text) and when.first <= when.last for when in found)
    assert all(one.end <= two.start for one, two in pairwise(found))


@in_one_test(
    ("text", "dated"),
    [
        ("The freeze starts next Thursday.", "The freeze starts on 2026-03-05."),
        ("It broke yesterday.", "It broke on 2026-02-25."),
        ("The demo is on Friday.", "The demo is on Friday."),
        ("Mocks burned us last quarter.", "Mocks burned us last quarter."),
        ("Goes by Jun, away on 14-15 March 2026.", "Goes by Jun, away on 14-15 March 2026."),
        ("The sync is on the last Monday of the month.", "The sync is on the last Monday of the month."),
        ("Due tomorrow, they said.\nDue tomorrow.", "Due 2026-02-27, they said.\nDue tomorrow."),
    ],
)
def test_only_what_means_one_day_is_dated_in_new_lines(text, dated):
    """Issue 21: relative dates made absolute, names and days that recur left alone."""
    assert dates.dated(text, THURSDAY, UTC, ["Due tomorrow."]) == dated


def test_a_word_that_begins_as_a_turkish_day_names_none():
    at = date(2026, 11, 27)
    assert date(2026, 11, 30) not in days.meant("in 3 günstigen Lagen", at).days
    assert date(2026, 11, 30) in days.meant("3 gün sonra", at).days
