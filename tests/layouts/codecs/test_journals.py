from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layer_texts import documents as files
from layer_texts import entries, runs

from commonplace.errors import InputError, RecordNotFoundError
from commonplace.layouts.codecs import edits, journals
from commonplace.operations import AddEntry, AppendJournal, RemoveEntry, ReplaceEntry

AT = datetime(2026, 2, 27, 14, 30, tzinfo=UTC)
DAY = "memory/2026-02-27.md"
STYLES = st.sampled_from(["history", "daily", "observations", "lines"])


def grown(data: bytes, text: str, at: datetime = AT, style: str = "history", path: str = DAY) -> bytes:
    """What a store makes of an append: whole lines, a torn last one repaired."""
    effect = journals.append(path, data, text, at, style=style)
    return data + (b"\n" if data and not data.endswith(b"\n") else b"") + effect.append.encode() + b"\n"


def texts(data: bytes, style: str = "history") -> list[str]:
    return [entry.text for entry in journals.records(DAY, data, style)]


def test_history_blocks_are_those_of_the_two_layer_design():
    """Seed two-layer: a blank line, `## <ISO instant with milliseconds>`, the entry."""
    data = grown(grown(b"", "Set up CI."), "Added tests.", AT + timedelta(milliseconds=5))
    assert data == b"\n## 2026-02-27T14:30:00.000Z\nSet up CI.\n\n## 2026-02-27T14:30:00.005Z\nAdded tests.\n"
    assert [(entry.text, entry.at) for entry in journals.records(DAY, data, "history")] == [
        ("Set up CI.", AT),
        ("Added tests.", AT + timedelta(milliseconds=5)),
    ]


def test_daily_lines_are_those_of_the_structured_design():
    """Seed structured 3.3.1: `[HH:mm] User: … | Assistant: …`, in the configured zone, one line each."""
    zone = ZoneInfo("Europe/Kyiv")
    path = "2026-02-27.md"
    effect = journals.append(path, b"", "User: hi\nthere | Assistant: ho", AT, style="daily", zone=zone)
    assert effect.append == "[16:30] User: hi there | Assistant: ho"
    (entry,) = journals.records(path, effect.append.encode() + b"\n", "daily", zone)
    assert (entry.text, entry.at) == ("User: hi there | Assistant: ho", AT)
    assert effect.added == (entry.id,)


@settings(max_examples=runs(200), deadline=None)
@given(files(), entries, STYLES)
def test_one_append_reads_back_as_one_entry(data, text, style):
    """Lines of a text that look like a header are escaped, and read back as they were."""
    before = texts(data, style)
    after = grown(data, text, style=style)
    wanted = edits.clean(text)
    if style == "daily":
        wanted = " ".join(wanted.split())
    assert texts(after, style) == [*before, wanted]
    new = journals.append(DAY, data, text, AT, style=style).added[0]
    assert list(journals.records(DAY, after, style))[-1].id == new


@settings(max_examples=runs(150), deadline=None)
@given(files(), STYLES)
def test_nothing_of_a_journal_is_outside_of_its_entries(data, style):
    """A broken or missing header loses nothing."""
    source = edits.decode(data)
    at = 1 if source.startswith("\ufeff") else 0
    for _entry, block in journals.parse(DAY, data, style):
        skipped = source[at : block.start].split("\n")
        assert style != "history" or all(not line.strip() or line.startswith("## 2026") for line in skipped)
        at = block.end
    words = "".join(entry.text for entry in journals.records(DAY, data, style)).split()
    seen = {char for char in edits.visible(source[1:]) if not char.isspace()}
    assert set("".join(words)) >= seen - set("\ufeff-#*[]\\0123456789:.TZ")


def test_text_before_the_first_header_is_an_entry_without_a_date():
    data = b"loose words\n## not a date\nmore\n## 2026-13-45T99:99:99Z\nstill\n## 2026-02-27T14:30:00Z\ndated\n"
    assert [(entry.text, entry.at) for entry in journals.records(DAY, data, "history")] == [
        ("loose words\n## not a date\nmore\n## 2026-13-45T99:99:99Z\nstill", None),
        ("dated", AT),
    ]


def test_two_equal_entries_at_one_instant_have_ids_of_their_own():
    data = grown(b"", "same")
    effect = journals.append(DAY, data, "same", AT, style="history")
    assert effect.added[0].endswith("~2")
    assert [entry.id for entry in journals.records(DAY, grown(data, "same"), "history")][1] == effect.added[0]


@settings(max_examples=runs(100), deadline=None)
@given(files(), STYLES, entries, st.data())
def test_an_entry_is_replaced_or_taken_out_alone(data, style, text, draw):
    """For forgetting and erasure; the bytes of the others stay."""
    data = grown(grown(data, "one", style=style), "two", AT + timedelta(minutes=1), style=style)
    found = journals.parse(DAY, data, style)
    place = draw.draw(st.integers(0, len(found) - 1))
    before = texts(data, style)
    effect = journals.apply(DAY, data, RemoveEntry(path=DAY, target=found[place][0].id), now=AT, style=style)
    after = edits.assemble(data, effect.pieces)
    assert texts(after, style) == before[:place] + before[place + 1 :]
    if found[place][0].at is None:
        return
    target = found[place][0].id
    effect = journals.apply(DAY, data, ReplaceEntry(path=DAY, target=target, text=text), now=AT, style=style)
    after = edits.assemble(data, effect.pieces)
    assert len(texts(after, style)) == len(before)
    assert texts(after, style)[:place] == before[:place]
    assert texts(after, style)[place + 1 :] == before[place + 1 :]


def test_an_operation_says_its_instant_or_takes_the_one_given():
    said = journals.apply(
        DAY, None, AppendJournal(path=DAY, text="x", at="2026-01-01T00:00:00+02:00"), now=AT, style="history"
    )
    assert said.append == "\n## 2025-12-31T22:00:00.000Z\nx"
    assert journals.apply(DAY, b"", AppendJournal(path=DAY, text="x"), now=AT).append == "[2026-02-27T14:30:00.000Z] x"
    with pytest.raises(InputError, match="ISO 8601"):
        journals.apply(DAY, b"", AppendJournal(path=DAY, text="x", at="tomorrow"), now=AT)


def test_what_a_journal_cannot_do_is_refused():
    with pytest.raises(InputError, match="append"):
        journals.apply(DAY, b"", AddEntry(path=DAY, text="x"), now=AT)
    with pytest.raises(InputError, match="time zone"):
        journals.append(DAY, b"", "x", datetime(2026, 1, 1))
    with pytest.raises(InputError, match="no text"):
        journals.append(DAY, b"", " \n ", AT)
    with pytest.raises(InputError, match="style"):
        journals.append(DAY, b"", "x", AT, style="weekly")
    with pytest.raises(RecordNotFoundError):
        journals.remove(DAY, b"", f"{DAY}#000000000000", style="history")
