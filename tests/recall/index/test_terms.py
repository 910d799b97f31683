"""Which terms stand for a text, and where a long one is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.recall.index import rows
from commonplace.recall.index.passages import SLACK, passages
from commonplace.text import terms
from growth import grows_like_its_input
from marking import in_one_test


def test_chinese_is_taken_in_pairs_of_characters():
    """Retrieval notes, finding 6."""
    assert terms.pairs("数据库") == ["数据", "据库"]
    assert "数据 据库" in terms.indexed("数据库")


def test_a_question_is_cut_at_chinese_function_words():
    """A pair that spans a function word names nothing."""
    assert terms.words("我的生日是什么") == ["生日"]
    assert terms.words("我的生日是什么", whole=True)[:3] == ["我的", "的生", "生日"]


@in_one_test(
    ("written", "asked"),
    [
        ("call getUserName first", {"getusername", "get", "user", "name"}),
        ("set max_retry_count", {"maxretrycount", "max", "retry", "count"}),
        ("see src/app/main.py", {"srcappmainpy", "src", "app", "main", "py"}),
        ("use os.path.join", {"ospathjoin", "os", "path", "join"}),
        ("an HTTPServer", {"httpserver", "http", "server"}),
    ],
)
def test_an_identifier_stands_whole_and_in_parts(written, asked):
    """Issue 7: code identifiers and paths whole and in parts."""
    assert asked <= set(terms.words(written))
    assert asked <= set(terms.indexed(written).lower().replace("_", " ").replace("/", " ").replace(".", " ").split())


def test_letters_of_full_width_are_the_plain_letters():
    assert terms.words("ＡＰＩ　Ｋｅｙ") == ["api", "key"]


@given(st.text())
def test_any_text_gives_terms_without_quotes_or_nul(text):
    for word in terms.words(text) + terms.words(text, whole=True):
        assert word
        assert '"' not in word
        assert "\0" not in word
    terms.indexed(text).encode()


@given(st.text(max_size=3000), st.integers(40, 600))
def test_passages_cover_the_text_in_order(text, size):
    spans = passages(text, size)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(end - start <= size * SLACK for start, end in spans)


def test_passages_end_where_a_sentence_ends():
    text = "One sentence stands here. " * 60
    assert all(text[start:end].rstrip().endswith(".") for start, end in passages(text, 480))


def test_a_message_of_ten_million_characters_folds_into_the_rows_there_are():
    """Issue 7, bad input: a message of 10 MB."""
    count = 25_000
    folded = [rows.fold_passage(number, count) for number in range(count)]
    assert folded == sorted(folded)
    assert max(folded) < rows.PASSAGES


@pytest.mark.parametrize(("text", "asks"), [("who?", True), ("谁？", True), ("nobody.", False)])
def test_a_message_remembers_whether_it_asks(text, asks):
    assert bool(rows.flags_of("user", text) & rows.QUESTION) is asks


LONG_RUNS = {
    "humps": "aB", "capitals": "A", "base58": "4kQzR7", "letters": "x", "wide": "数据库", "dots": "a.", "signs": "_-",
    "humps with signs": "aB_",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("part", LONG_RUNS.values(), ids=LONG_RUNS.keys())
@pytest.mark.parametrize("look", [terms.indexed, terms.words, terms.identifiers])
def test_a_long_run_is_read_in_linear_time(look, part):
    """Issue 7, bad input: a question of 100 KB."""
    assert grows_like_its_input(lambda chars: look("aB" + part * (chars // len(part))), 8_000)
