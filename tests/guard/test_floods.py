"""Texts made to cost much: what a rule may try and what a text may cost is bounded, whatever the text is."""

import sys
import tracemalloc
from collections import Counter

import pytest

from commonplace import guard
from commonplace.guard import printed, table, views
from marking import slow_after

FLOODS = {
    "hidden characters": "\u200b",
    "nouns with a sign": "api-key=",
    "hidden characters between letters": "a\u200b",
    "hidden characters of many classes": "\u200b\u2060\u00ad\u202e",
    "selectors": "\ufe00",
    "tildes": "~",
    "rulers": "-",
    "short nouns": "pin: ",
    "said nouns": "password is ",
    "beginnings of keys": "-----BEGIN PRIV" + "ATE KEY-----",
    "headers of tables": "| password | a |\n|---|---|\n| x | y |\n",
    "found secrets": "password: hunter" + "2x\n",
    "vendors": "".join(rule.keywords[0] for rule in table.load().rules),
}


@pytest.mark.parametrize("piece", FLOODS.values(), ids=FLOODS)
def test_each_stretch_of_a_text_has_a_bounded_number_of_tries(piece):
    """Issue 22: a constant number of tries per 4 KB and sign, whatever the text is."""
    for size in (50_000, 100_000):
        text = guard.show(piece * (size // len(piece)))
        for view in views.of(text):
            places = {place for place, seen in view.tries if seen.rule.kind != "order"}
            assert len(places) <= table.MOST_PLACES * (len(view.text) // table.STRETCH + 1)
            assert max(Counter(place for place, _ in view.tries).values(), default=0) <= 16


@pytest.mark.parametrize("piece", slow_after(1, FLOODS.values()))
def test_a_flood_costs_at_most_ten_times_its_own_size_in_memory(piece):
    """Issue 22: memory at most 10 times the text."""
    guard.screen("my password is hunter" + "2x")
    text = piece * (600_000 // len(piece.encode()))
    tracemalloc.start()
    try:
        screened = guard.screen(text)
        assert tracemalloc.get_traced_memory()[1] <= 10 * max(len(text.encode()), sys.getsizeof(text))
    finally:
        tracemalloc.stop()
    assert guard.screen(screened.text).text == screened.text


def test_what_is_behind_too_many_nouns_is_redacted_and_the_next_stretch_is_kept():
    """Issue 22: past the constant, the line is redacted; text elsewhere stays."""
    words = "We walked by the river. " * 400
    text = guard.screen("api-key=" * 400 + "\n" + words).text
    assert "⟦secret:flood:0000⟧" in text
    assert text.endswith("We walked by the river. " * 200)
    assert len(text) < 4096 + len(words)


@pytest.mark.parametrize("row", ["password,a,b\n", "password;abc\n"])
def test_each_row_of_a_table_is_read_once(row, monkeypatch):
    """Issue 22: 100 KB of headers took 8 seconds, for each began a table of 200 rows."""
    read = []
    real = printed.cells
    monkeypatch.setattr(printed, "cells", lambda *args: read.append(args) or real(*args))
    names = printed.Printed(row * 1000)
    rule = next(rule for rule in table.load().rules if rule.kind == "printed")
    for place in range(0, 1000 * len(row), len(row)):
        list(names.values(place, "password", rule))
    assert 1000 <= len(read) <= 1100


def test_a_secret_behind_a_flood_in_its_stretch_does_not_get_through():
    """Issue 22: a rule that tries no more lets nothing pass."""
    secret = "hunter" + "2x9"
    assert secret not in guard.screen("pin " * 500 + f"\nmy password is {secret}").text


@pytest.mark.parametrize(
    "line",
    [
        "- House {} is red and its door is green.\n",
        '{{"token": {}, "code": 2}}\n',
        "INFO login user={}\n",
        "token {}\n",
    ],
)
def test_a_list_with_a_noun_for_a_secret_in_each_line_is_kept(line):
    """The ordinary day: tables, logs and JSON repeat their words; what is taken out of a text never comes back."""
    text = "".join(line.format(number % 90 + 10) for number in range(600))
    assert guard.screen(text).text == text


def test_coloured_output_of_a_tool_keeps_its_words():
    """The ordinary day: a log with colours has many control characters and is no flood."""
    line = "\x1b[32mPASSED\x1b[0m tests/test_one.py::test_name \x1b[1m[ 10%]\x1b[0m\n"
    text = guard.screen(line * 200).text
    assert text.count("tests/test_one.py::test_name") == 200
    assert "…⟧" not in text


def test_a_flood_of_one_keyword_ends_where_the_next_stretch_begins_inside_a_word():
    """A search that jumped over a flooded stretch came back to the same place for ever."""
    text = "new " * 1023 + "a new" + "x" * 20 + " anew anew " * 20
    shifted = [text.replace("a new", "a" * n + "new") for n in range(1, 8)]
    assert all(guard.screen(each).text == each for each in shifted)
