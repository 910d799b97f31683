"""Drawing: widths, wrapping and marking."""

from __future__ import annotations

import click
from hypothesis import given
from hypothesis import strategies as st

from commonplace.surfaces.cli import terminal
from marking import in_one_test


@given(st.text(), st.integers(2, 60))
def test_wrapped_lines_fit_and_lose_no_word(text, size):
    """Every line is at most as wide as asked, wide characters counted twice."""
    lines = terminal.wrap(terminal.line(text), size)
    assert max(map(terminal.width_of, lines)) <= size
    assert "".join("".join(lines).split()) == "".join(terminal.line(text).split())


@given(st.text(), st.integers(1, 60))
def test_a_cut_text_fits(text, size):
    """`cut` never passes its width."""
    assert terminal.width_of(terminal.cut(terminal.line(text), size)) <= size


@given(st.text())
def test_printed_text_cannot_drive_a_terminal(text):
    """All printed foreign text is made visible."""
    assert not [char for char in terminal.line(text) if ord(char) < 32 or 127 <= ord(char) < 160]


@in_one_test(
    ("word", "query", "expected"),
    [
        ("gauges", "gauge", True),
        ("moved", "move", True),
        ("moving", "moved", False),
        ("Coffee", "coffee", True),
        ("cat", "category", False),
        ("東京駅", "東京", True),
        ("the", "the", False),
    ],
)
def test_words_of_a_query_are_marked_in_their_forms(word, query, expected):
    """The words that made a hit are seen at a glance."""
    assert (terminal.marked(word, terminal.wanted(query)) != word) is expected


def test_of_a_long_text_the_lines_with_the_asked_words_are_shown(monkeypatch):
    """The part of a pasted log that made it a hit is seen, not its first lines."""
    monkeypatch.setenv("COLUMNS", "60")
    log = [f"worker {number} served request {number * 7} in time" for number in range(200)]
    log[120] = "the tulip job exceeded its quota"
    asked = terminal.wanted("which job exceeded the quota")
    shown = [click.unstyle(line) for line in terminal.quote("\n".join(log), asked, indent=0)]
    assert len(shown) == 4
    assert "tulip job exceeded its quota" in " ".join(shown)
    assert shown[0].startswith("… ")
    assert shown[-1].endswith("…")
    assert max(map(terminal.width_of, shown)) <= 60
    begins = list(terminal.quote("\n".join(log), terminal.wanted("zeppelin"), indent=0))
    assert begins[0].startswith("worker 0 served")
