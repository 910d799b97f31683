"""The lines that are stored: JSON as anybody reads it, whose every text was screened."""

from __future__ import annotations

import json
import math
import zlib
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.guard.screened import json_line, seal, structural
from commonplace.records import Topic
from marking import in_one_test

NUMBERS = st.integers() | st.floats() | st.booleans() | st.none()
PLAIN = st.from_regex(r"[ -~]{0,40}", fullmatch=True)
TEXTS = st.text(st.characters())  # lone surrogates included
LEAVES = NUMBERS | PLAIN | TEXTS.map(seal)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PLAIN, inner, max_size=3))


def _bare(value):
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_bare(item) for item in value]
    return getattr(value, "text", value)


@pytest.mark.slow
@given(st.dictionaries(PLAIN, VALUES, max_size=4))
def test_a_line_reads_as_the_standard_encoder_writes_it(values):
    """House style, round trips: the same values give the same bytes, whichever encoder is the faster one."""
    assert json_line(values).text == json.dumps(_bare(values), ensure_ascii=False, separators=(",", ":"))


@given(st.dictionaries(PLAIN, LEAVES, min_size=1, max_size=4))
def test_the_checksum_is_that_of_the_line_before_it(values):
    """Safety battery F08: a damaged line is told by its checksum."""
    line = json_line(values, checksum=True).text
    body, _, rest = line.rpartition(',"h":"')
    assert rest == f'{zlib.crc32(body.encode("utf-8", "surrogatepass")):08x}"}}'
    assert body + "}" == json_line(values).text


@in_one_test("text", ["é", "\x7f", "x" * 121, "a" * 41, "tab\rreturn"])
def test_a_text_that_was_not_screened_is_no_part_of_a_line(text):
    """DESIGN 1.3: no path can skip the guard."""
    assert not structural(text)
    for values in ({"content": text}, {text: 1}, {"deep": [{"er": text}]}):
        with pytest.raises(TypeError):
            json_line(values)


def test_instants_are_written_in_utc_with_milliseconds():
    """DESIGN 5: instants are stored in UTC."""
    at = datetime(2026, 11, 21, 9, 30, 0, 999_999, tzinfo=timezone(timedelta(hours=2)))
    assert json_line({"at": at, "x": math.inf}).text == '{"at":"2026-11-21T07:30:00.999Z","x":Infinity}'


@pytest.mark.parametrize(
    ("title", "description", "body", "text"),
    [
        ("Deploys are on Tuesdays", "Deploys are on Tuesdays", "Deploys are on Tuesdays", "Deploys are on Tuesdays"),
        ("Deploys are done by…", "", "Deploys are done by hand.\n", "Deploys are done by hand."),
        ("Deploys", "How we deploy", "By hand.", "Deploys\nHow we deploy\nBy hand."),
    ],
)
def test_a_topic_says_nothing_twice(title, description, body, text):
    """`remember` gives a short statement the same title, description and body; a hit showed it three times."""
    assert Topic("t.md", "t.md", title, body, description).text == text
