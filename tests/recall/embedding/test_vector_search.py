"""Exact search among stored vectors: with and without numpy, cached and from the file, the same answer."""

from __future__ import annotations

import random
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.recall.index import vectors
from commonplace.recall.index.rows import IndexRow
from commonplace.recall.index.sqlite import SqliteIndex
from commonplace.recall.index.vectors import Space, Vectors, cosine, floats, halved, units
from marking import in_one_test, tries

SIZE = 8
FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)


@pytest.fixture
def index(tmp_path):
    made = SqliteIndex(tmp_path / "index.sqlite")
    yield made
    made.close()


def filled(index, count, *, seed=1, level=0.0):
    """Index notes and give each a random vector; returns them by row, as they are kept."""
    rng = random.Random(seed)
    index.replace_path("a.md", [IndexRow(record=f"a#{n}", text=f"text {n}", layer="documents") for n in range(count)])
    kept = Vectors(index)
    kept.settle(Space("random", tuple(units([[1.0] * SIZE])[0]), level))
    made = {}
    while missing := kept.missing_notes(64):
        found = units([[rng.gauss(0, 1) for _ in range(SIZE)] for _ in missing])
        kept.put([(*each, halved(vector)) for each, vector in zip(missing, found, strict=True)], hidden="")
        made |= {row: floats(halved(vector)) for (row, _), vector in zip(missing, found, strict=True)}
    return kept, made


def best(made, asked, many):
    """Say by the plain formula which rows are nearest."""
    alike = sorted(((cosine(vector, asked), row) for row, vector in made.items()), reverse=True)[:many]
    return {row: value for value, row in alike if value > 0}


@pytest.mark.parametrize("how", ["numpy", "plain"])
def test_the_nearest_are_those_of_the_formula(index, how, monkeypatch):
    """Issue 7: exact search within a scope."""
    if how == "plain":
        monkeypatch.setattr(vectors, "numpy", lambda: None)
    monkeypatch.setattr(vectors, "BLOCK", 50)
    kept, made = filled(index, 170)
    for seed in range(5):
        (asked,) = units([[random.Random(seed).gauss(0, 1) for _ in range(SIZE)]])
        assert kept.near(asked, 20) == pytest.approx(best(made, asked, 20), abs=1e-5)


def test_what_comes_and_goes_is_found_and_no_more_found(index):
    """However often texts come and go; what has no vectors any more raises nothing."""
    kept, _ = filled(index, 30)
    (asked,) = units([[1.0] * SIZE])
    for turn in range(3):
        filled(index, 30 + turn, seed=turn)
        index.replace_path("b.md", [IndexRow(record=f"b#{turn}", text=f"passing {turn}", layer="documents")])
        ((row, text),) = kept.missing_notes(5)
        kept.put([(row, text, halved(asked))], hidden="")
        kept.prune()
        found = kept.near(asked, 5)
        assert found[row] == pytest.approx(1.0, abs=0.001)
        assert len(found) <= 5
    index.clear()
    assert kept.near(asked, 5) == {}
    assert kept.missing_notes(5) == []
    assert kept.missing_messages() is None
    kept.prune()
    assert not kept.put([(-1, "gone", halved(asked))], hidden="")
    kept.hide(vectors.mark([("s", "m")]))
    assert kept.known(["text 1"]) == {}


def test_what_is_as_alike_as_unrelated_texts_is_not_near(index):
    """The scale begins where this embedder finds texts that have nothing in common."""
    kept, made = filled(index, 60, level=0.5)
    (asked,) = units([[random.Random(9).gauss(0, 1) for _ in range(SIZE)]])
    expected = {row: (value - 0.5) / 0.5 for row, value in best(made, asked, 60).items() if value > 0.5}
    assert kept.near(asked, 60) == pytest.approx(expected, abs=1e-5)
    assert kept.near(array("f", [1.0]), 60) == {}  # of another length: nothing, not an error


@given(st.integers(1, 40).flatmap(lambda size: st.tuples(*[st.lists(FINITE, min_size=size, max_size=size)] * 2)))
def test_what_is_kept_of_a_vector_tells_a_cosine_to_three_places(pair):
    """Half precision: eleven bits a number, so at most 0.0005 of a cosine and what single precision rounds."""
    one, other = units(pair)
    assert len(halved(one)) == 2 * len(one)
    assert cosine(floats(halved(one)), other) == pytest.approx(cosine(one, other), abs=0.0006)


def test_a_note_that_says_something_else_by_now_gets_no_vector(index):
    """Numbers of notes that are gone are given out again."""
    kept, _ = filled(index, 3)
    index.replace_path("a.md", [IndexRow(record="a#new", text="another text", layer="documents")])
    ((row, text),) = kept.missing_notes(5)
    kept.put([(row, "text 0", halved([1.0] * SIZE))], hidden="")
    assert kept.missing_notes(5) == [(row, text)]


@in_one_test("wrong", [[[1.0], [1.0, 2.0]], [["x"]], [[float("inf")]], [None], 3, None, [[None]], [1.0, 2.0]])
def test_what_is_no_vectors_is_refused(wrong):
    """An embedder returns anything."""
    with pytest.raises((TypeError, ValueError)):
        units(wrong)


@settings(max_examples=tries(60), deadline=None)
@given(st.integers(1, 6).flatmap(lambda size: st.lists(st.lists(FINITE, min_size=size, max_size=size), max_size=5)))
def test_a_vector_has_the_length_one_or_only_zeros(rows):
    """To what float32 can tell."""
    found = units(rows)
    assert len(found) == len(rows)
    for row, one in zip(rows, found, strict=True):
        square = sum(value * value for value in one)
        assert square == pytest.approx(1.0, abs=1e-5) or sum(value * value for value in row) < 1e-200
