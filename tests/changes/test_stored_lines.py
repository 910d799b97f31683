"""Stored lines: the quick ways to make them give the very bytes of the plain ones, and let nothing more through."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st

from commonplace.guard.screened import instant, structural

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
    assert datetime.fromisoformat(instant(at)) == at.replace(microsecond=at.microsecond // 1000 * 1000)


@given(st.text(max_size=130) | WORD | st.text("aB3+/=_-", min_size=35, max_size=45))
def test_what_is_structure_is_short_printable_and_without_a_long_run(text):
    """DESIGN 1.3: no path can skip the guard, the quick look at short texts neither."""
    plain = len(text) <= 120 and re.fullmatch(r"[\x20-\x7e\n\t§]*", text) and not re.search(r"[\w+/=-]{41,}", text)
    assert structural(text) == bool(plain)
