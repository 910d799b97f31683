"""Texts made to cost much: what a rule may try and what a text may cost is bounded, whatever the text is."""

import sys
import tracemalloc
from collections import Counter

import pytest

from commonplace import guard
from commonplace.guard import printed, said, table, tables, views
from marking import in_one_test, slow_after

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
    "short secrets between other lines": "pin 4711\nx\n",
    "numbers behind a noun": "pin " + "1234 5678, " * 15,
    "signs escaped twice": "%253D",
    "names with escapes": "api%2Dkey%3D",
    "letters as escapes": "\\u4e2d",
    "ligatures": "\ufb01",
    "vendors": "".join(rule.keywords[0] for rule in table.load().rules),
}


@pytest.mark.parametrize("piece", slow_after(6, FLOODS.values()), ids=FLOODS)
def test_each_stretch_of_a_text_has_a_bounded_number_of_tries(piece):
    """Issue 22: a constant number of tries per 4 KB and sign, whatever the text is."""
    for size in (10_000, 30_000):
        text = guard.show(piece * (size // len(piece)))
        for view in views.of(text):
            places = {place for place, _ in view.tries}
            assert len(places) <= table.MOST_PLACES * (len(view.text) // table.STRETCH + 1)
            assert max(Counter(place for place, _ in view.tries).values(), default=0) <= 16


@pytest.mark.slow
@pytest.mark.parametrize("piece", FLOODS.values())
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


@pytest.mark.parametrize("line", ["line of code = {};\n", "if (code > {}) return;\n"])
def test_a_line_in_which_a_name_is_no_cell_is_not_read_as_the_head_of_a_table(line, monkeypatch):
    """Each line of code or prose with a noun for a secret was cut into cells first."""
    read = []
    real = tables.cells
    monkeypatch.setattr(tables, "cells", lambda *args: read.append(args) or real(*args))
    guard.screen("".join(line.format(number % 90) for number in range(400)))
    assert not read


@pytest.mark.parametrize("row", ["password,a,b\n", "password;abc\n"])
def test_each_row_of_a_table_is_read_once(row, monkeypatch):
    """Issue 22: 100 KB of headers took 8 seconds, for each began a table of 200 rows."""
    read = []
    real = tables.cells
    monkeypatch.setattr(tables, "cells", lambda *args: read.append(args) or real(*args))
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


@pytest.mark.parametrize(
    "line",
    slow_after(
        3,
        [
            "- Slot {0} is free.",
            "Locker {0}: blue",
            "slot={0} key=k{0} owner=ann",
            "Pin {0}: ground",
            "acquired lock {0} in 79 ms",
            "code: {0}, name: shoe",
            "Spind {0}: frei",
            "柜子{0}:空",
            "ロッカー{0}は空いています。",
        ],
    ),
)
def test_numbers_of_things_in_a_list_are_kept(line):
    """The ordinary day: a list counts lockers, slots and pins; what is taken out never comes back."""
    text = "\n".join(line.format(number) for number in range(1000, 1400))
    assert guard.screen(text).text == text


@in_one_test(
    "text",
    [
        "Slot 1000 is free.",
        "The worker waits for lock 1234.",
        "if (lock[3] == 1234) unlock(lock[3]);",
        '{"code": 4041, "name": "shoe"}',
        "Question 3: who wrote it? Answer: Shakespeare7",
        "Passport office: phone 030 1826 9323",
    ],
)
def test_the_number_of_a_thing_is_no_code(text):
    assert guard.screen(text).text == text


def test_codes_in_a_list_with_a_noun_for_a_secret_go():
    """Many people's PINs are no list of things: their numbers are in no order."""
    pins = [str(1000 + number * 7919 % 9000) for number in range(40)]
    text = guard.screen("".join(f"user{n} has the PIN {pin}\n" for n, pin in enumerate(pins))).text
    assert not any(pin in text for pin in pins)


def test_behind_many_secrets_the_line_of_each_goes_and_the_text_between_stays():
    """Issue 22: past the constant the line is redacted."""
    lines = "".join(f"password{n} = hunter{n}x9!\nThe sun shines on line {n}.\n" for n in range(60))
    text = guard.screen(lines).text
    assert "hunter" not in text
    assert text.count("The sun shines") == 60
    assert "⟦secret:flood:0000⟧\nThe sun" in text


def test_a_sentence_that_a_text_repeats_is_read_once(monkeypatch):
    read = []
    real = said.values_in
    monkeypatch.setattr(said, "values_in", lambda *args: read.append(args) or real(*args))
    guard.screen("We looked for the password in vain.\n" * 400)
    assert len(read) <= 2


def test_a_name_that_a_text_repeats_is_looked_at_once(monkeypatch):
    """Issue 22: of 100 KB of `api-key=`, most places are like the ones before, and cost no second look."""
    looked = []
    real = printed.paired
    monkeypatch.setattr(printed, "paired", lambda *args: looked.append(args) or real(*args))
    guard.screen("api-key=" * 480)
    assert len(looked) <= 200


class _Watched:
    """A pattern that notes how many characters each search may look at."""

    def __init__(self, pattern, looked):
        self._pattern, self._looked = pattern, looked

    def search(self, text, start=0, end=sys.maxsize):
        self._looked.append(min(end, len(text)) - start)
        return self._pattern.search(text, start, end)

    def __getattr__(self, name):
        return getattr(self._pattern, name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "piece", "most"),
    [
        (printed, "my token: the password=secret {} pin: key ", 900),
        (said, "          key{}:\n" * 8 + "          password:\n", 400),
    ],
)
def test_what_is_before_a_name_is_searched_a_bounded_way_back(module, piece, most, monkeypatch):
    """Issue 22: one line of nouns was searched from its beginning at each of them, and deep lines again at each end."""
    looked = []
    real = module.compiled
    monkeypatch.setattr(module, "compiled", lambda pattern: _Watched(real(pattern), looked))
    counts = []
    for times in (100, 200):
        looked.clear()
        guard.screen("".join(piece.replace("{}", str(n)) for n in range(times)))
        counts.append(sum(looked) / times)
    assert counts[1] <= 1.2 * counts[0] + 50
    assert counts[1] <= most
    assert max(looked) <= 700


@pytest.mark.parametrize("text", ['The password is "   ".', 'password","   ","x'])
def test_nothing_but_space_in_quotes_is_no_value(text):
    """The guard raised an IndexError, and with it `append`."""
    assert guard.screen(text).text == text


def test_a_stretch_with_a_secret_in_every_sentence_is_read_to_a_constant(monkeypatch):
    """Issue 22: past so many secrets the rest of a line, or each line with a noun, goes without a further look."""
    asked = []
    real = said.compiled
    monkeypatch.setattr(said, "compiled", lambda pattern: asked.append(pattern) or real(pattern))
    for end in (". ", "\n"):
        asked.clear()
        text = "".join(f"My pw is heron{n}x{end}" for n in range(1000, 1800))
        assert "heron" not in guard.screen(text).text
        assert len(asked) <= 800 * (len(text) // table.STRETCH + 1)
