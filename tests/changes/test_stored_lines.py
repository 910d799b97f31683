"""Stored lines: the quick ways to make them give the very bytes of the plain ones, and let nothing more through."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from commonplace import guard
from commonplace.changes.transcripts import StoredMessage, decode
from commonplace.guard.screened import instant, join, json_line, message_line, seal, structural, whole_milliseconds
from commonplace.records import Role, Trust

ZONES = st.integers(-86_399, 86_399).map(lambda seconds: timezone(timedelta(seconds=seconds)))
INSTANTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29), timezones=st.just(UTC) | ZONES)
WORD = st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), max_size=40)


class OwnKind(datetime):
    """What a caller's library may give for an instant."""


@given(INSTANTS)
@example(datetime(2026, 11, 20, tzinfo=UTC))
@example(datetime(2026, 11, 20, 9, 0, 0, 999, tzinfo=UTC))
@example(OwnKind(2026, 11, 20, 9, 0, 0, 999_999, tzinfo=UTC))
def test_an_instant_is_written_in_utc_with_milliseconds(at):
    """DESIGN 5: ISO 8601 with `Z`; the part below a millisecond is dropped, never rounded up."""
    expected = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert instant(at) == expected
    assert datetime.fromisoformat(instant(at)) == whole_milliseconds(at)


@given(st.text(max_size=130) | WORD | st.text("aB3+/=_-", min_size=35, max_size=45))
def test_what_is_structure_is_short_printable_and_without_a_long_run(text):
    """DESIGN 1.3: no path can skip the guard, the quick look at short texts neither."""
    plain = len(text) <= 120 and re.fullmatch(r"[\x20-\x7e\n\t§]*", text) and not re.search(r"[\w+/=-]{41,}", text)
    assert structural(text) == bool(plain)


@given(
    st.integers(0, 2**40),
    WORD.filter(bool),
    st.text()
    | st.sampled_from(["\ud800 half a pair", "my password is hunter2hunter2", "\u202e turned", 'a "b" \\ c\n']),
    st.sampled_from(get_args(Role)),
    INSTANTS,
    st.sampled_from(get_args(Trust)),
    st.booleans(),
)
def test_the_line_of_a_message_is_the_one_that_is_made_of_its_values(number, name, text, role, at, trust, screened):
    """One format, made in two ways; findings go with the line in both."""
    content = guard.screen(text)
    message_id = guard.screen(name) if screened else name
    values = {"type": join(["message"]), "n": number, "id": message_id, "role": join([role]), "at": at,
              "trust": join([trust]), "content": content}  # fmt: skip
    line = message_line(number, message_id, content, role=role, at=at, trust=trust)
    plain = json_line(values, checksum=True)
    assert (line.text, line.findings) == (plain.text, plain.findings)
    if "\ud800" not in text:
        read = decode(line.text.encode())
        assert isinstance(read, StoredMessage)
        assert (read.n, read.content, read.at) == (number, content.text, whole_milliseconds(at))
        assert json.loads(line.text)["role"] == role


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": "plain text"},
        {"message_id": "AKIA" + "Z9x8" * 12},
        {"message_id": "two\x00"},
        {"message_id": 7},
        {"number": "7"},
        {"number": True},
        {"role": "é"},
        {"trust": "k" * 121},
    ],
    ids=repr,
)
def test_a_message_line_takes_nothing_that_the_guard_has_not_seen(wrong):
    """DESIGN 1.3: no path can skip the guard."""
    given_ = {"number": 1, "message_id": "m1", "content": seal("hello"), "role": "user", "trust": "user"} | wrong
    positional = [given_.pop(name) for name in ("number", "message_id", "content")]
    with pytest.raises(TypeError):
        message_line(*positional, at=datetime(2026, 11, 20, tzinfo=UTC), **given_)
