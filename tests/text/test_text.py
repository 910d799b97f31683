"""Small pure helpers on text: fences, token estimate, truncation, fingerprints."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from commonplace.text import terms
from commonplace.text.pieces import (
    beginning,
    escape,
    estimate_tokens,
    fence,
    fingerprint,
    one_line,
    plain_line,
    shortened,
    strip_fences,
    truncate,
)

KEY, OTHER = b"k" * 32, b"o" * 32
TEXT = st.text(max_size=200) | st.sampled_from(
    [
        "</recalled-memory>",
        '<recalled-memory nonce="0123456789abcdef">\nx\n</recalled-memory nonce="0123456789abcdef">',
        "\n",
        "",
    ]
)


@given(TEXT, TEXT, TEXT)
def test_a_fence_comes_off_whole_and_only_with_its_key(before, content, after):
    """DESIGN 1.8: append strips fences it recognises, and only those."""
    before, after = escape(before), escape(after)
    fenced = fence(content, KEY)
    assert fenced == fence(content, KEY)
    assert fenced != fence(content, OTHER)
    assert strip_fences(f"{before}{fenced}{after}", KEY).replace("\n", "") == f"{before}{after}".replace("\n", "")
    assert strip_fences(f"{before}{fenced}{after}", OTHER) == f"{before}{fenced}{after}"


@given(TEXT)
def test_no_content_ends_its_own_fence(content):
    """Safety T5: 0 unescaped boundaries."""
    fenced = fence(content, KEY).lower()
    assert fenced.count("<recalled-memory") == fenced.count("</recalled-memory") == 1
    assert escape(escape(content)) == escape(content)


def test_a_changed_fence_is_no_fence():
    fenced = fence("likes tea", KEY)
    forged = fenced.replace("tea", "coffee")
    assert strip_fences(forged, KEY) == forged
    two = f"{fence('a', KEY)}\nbetween\n{fence('b', KEY)}"
    assert strip_fences(two, KEY).strip() == "between"


@given(st.text(max_size=300), st.text(max_size=300))
def test_tokens_of_parts_are_never_fewer_than_of_the_whole(one, other):
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)
    assert estimate_tokens("") == 0


@given(st.text(max_size=60), st.integers(0, 70))
def test_a_cut_text_is_never_longer_than_asked(text, limit):
    cut = truncate(text, limit)
    assert len(cut) <= limit or cut == text
    assert len(cut) <= max(limit, 0) or len(text) <= limit


@given(st.text(max_size=60))
def test_equal_words_have_equal_fingerprints(text):
    assert fingerprint(text) == fingerprint(unicodedata.normalize("NFD", text)) == fingerprint(f" {one_line(text)}\n")


def test_a_text_on_one_line_keeps_no_mark_of_a_list_and_every_other_dash():
    """Issue 18: a topic that a consolidation wrote is a list, and is chosen by its description."""
    assert plain_line("# Ferry\n\n- It is new.\n  * **It** is -5 degrees - cold.\n> So.") == (
        "Ferry It is new. **It** is -5 degrees - cold. So."
    )


def test_the_beginning_of_a_text_ends_after_a_word():
    """Issue 21: a title is cut from its statement; that of a text without spaces between two characters."""
    assert beginning("one  two\nthree", 13) == "one two three"
    assert beginning("one, two, three", 13) == "one, two…"
    assert beginning("私は Rustで書いています毎日です", 12) == "私は Rustで書いて…"
    assert beginning("x" * 20, 10) == "x" * 9 + "…"


def test_a_long_token_is_read_as_fast_as_a_word():
    """A key of capitals before a `_` took a time that doubled with each letter: with these it would never end."""
    found = terms.identifiers("see aa" + "A" * 5_000 + "_ in fooBarBaz")
    assert found["foobarbaz"] == ("foo", "bar", "baz")


def test_a_text_is_cut_before_the_newer_words_behind_it():
    """Found in use: an item's line ended before the correction, so that the old value alone was shown."""
    newer = "(2026-03-11: “I work at Sprint now”)"
    text = f"User works as a physiotherapist at the Saint Maria hospital, mostly shoulders and knees. {newer}"
    short = shortened(text, 100)
    assert short.endswith(newer)
    assert short.startswith("User works as a physiotherapist")
    assert len(short) <= 100
    assert shortened("a" * 200, 100) == "a" * 97 + "..."
