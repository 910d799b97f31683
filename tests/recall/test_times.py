"""Which time a question speaks of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.recall.times import ranges

NOW = datetime(2024, 5, 15, 12, tzinfo=UTC)  # a Wednesday


def days(text):
    return [(start.date().isoformat(), end.date().isoformat()) for start, end in ranges(text, NOW)]


@pytest.mark.parametrize(
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


def test_a_month_without_a_year_is_that_month_of_each_of_the_last_years():
    assert ("2024-03-01", "2024-04-01") in days("in March")
    assert ("2020-03-01", "2020-04-01") in days("in March")


@pytest.mark.parametrize(
    "text", ["", "February 31", "this may help", "version 2.0", "march on", "0000-13-45", "chapter 7"]
)
def test_what_names_no_time_gives_no_range(text):
    assert days(text) == []


@given(st.text(), st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2100, 1, 1)))
def test_any_text_at_any_time_gives_ordered_ranges(text, now):
    for start, end in ranges(text, now.replace(tzinfo=UTC)):
        assert start < end
