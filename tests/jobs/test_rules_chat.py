"""What people type of themselves in a chat, as it is typed: in lower case, without apostrophes, half sentences.

`chat.toml` has a statement a line, in the languages that the rules read; it was written before the rules were widened for it.
"""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace.jobs.rules import proposing
from commonplace.records import Message, RecordedMessage
from marking import in_one_test, slow_after

AT = datetime(2026, 2, 26, 9, tzinfo=UTC)
_LINES = tomllib.loads((Path(__file__).parent / "chat.toml").read_text(encoding="utf-8"))
SAID, PASSING = _LINES["said"], _LINES["passing"]


def noted(text: str) -> list[str]:
    talk = [Message("user", text, at=AT), Message("assistant", "ok", at=AT)]
    recorded = [RecordedMessage(f"m{n}", "s", "s", n, message, 0) for n, message in enumerate(talk)]
    return [memo.text for memo in proposing.extract(recorded, zone=UTC)]


@pytest.mark.parametrize("language", slow_after(3, SAID))
def test_what_people_type_of_themselves_is_noted(language):
    """Issue 17, the ordinary day without a model: allergies, family, home, work, pets, dates, wishes."""
    assert [said for said in SAID[language].strip().splitlines() if not noted(said)] == []


@pytest.mark.parametrize("language", slow_after(3, PASSING))
def test_what_people_type_in_passing_is_not_noted(language):
    """Issue 17: at the same precision; moods, errands, what is asked or supposed."""
    assert [said for said in PASSING[language].strip().splitlines() if noted(said)] == []


@in_one_test(
    ("said", "text"),
    [
        ("im allergic to shellfish", "User is allergic to shellfish."),
        ("I've got a dentist appointment on the 12th", "User has got a dentist appointment on 2026-03-12."),
        ("my driving test is on June 8", "User's driving test is on 2026-06-08."),
        ("I'm 34 and single", "User is 34 and single."),
        ("call me Mi btw, everyone does", "Call me Mi, everyone does."),
        ("you can call me Nas please", "Call me Nas."),
        ("i've got an exam in maths on the 26th, remind me if i ask", "User has got an exam in maths on 2026-02-26."),
        ("on Wednesdays i have choir until 10 so don't suggest cooking then", "On Wednesdays User has choir until 10."),
        ("We meet for book club every third Sunday", "We meet for book club every third Sunday."),
    ],
)
def test_it_is_worded_as_a_statement_with_its_date(said, text):
    """Issue 17: a day of the month is dated; a missing apostrophe is no other word."""
    assert noted(said) == [text]


@in_one_test(
    ("before", "now"),
    [
        ("Meine Katze heißt Mini.", "nein, meine Katze heißt Mimi, nicht Mini"),
        ("Mon fils s'appelle Ewan.", "en fait mon fils s'appelle Elouan, pas Ewan"),
        ("Mi cumpleaños es el 21 de julio.", "perdona, mi cumpleaños es el 12 de julio, no el 21"),
        ("Mio padre ha 47 anni.", "no, mio padre ha 74 anni, non 47!"),
        ("i start at the clinic on 2 March, full time", "actually sorry it's 9 March, not 2 March"),
        ("You can call me Nas.", "Don't call me Nas any more, call me Feldi."),
        ("my partner is a marine biologist", "my partner quit as a marine biologist and works as a teacher"),
        ("I'm learning Welsh, because of a song.", "I put Welsh aside and started learning Italian."),
    ],
)
def test_what_is_corrected_is_left_out(before, now):
    """Issue 17.2: what was superseded is not shown, in whichever language."""
    talk = [Message("user", before, at=AT), Message("user", now, at=AT)]
    recorded = [RecordedMessage(f"m{n}", "s", "s", n, message, 0) for n, message in enumerate(talk)]
    assert len(proposing.extract(recorded, zone=UTC)) == 1


def test_a_move_between_tools_is_no_move_of_home():
    """Issue 17: it took the place of where the person lives."""
    said = [
        "I live in Bern.",
        "I've moved from Sublime Text to Helix.",
        "stop giving me tips :) I moved to Zed as my editor",
    ]
    recorded = [RecordedMessage(f"m{n}", "s", "s", n, Message("user", text, at=AT), 0) for n, text in enumerate(said)]
    texts = [memo.text for memo in proposing.extract(recorded, zone=UTC)]
    assert "User lives in Bern." in texts
    assert "User moved to Zed as their editor." in texts


@in_one_test(
    "said",
    ["Our weekly sync is on Monday.", "The meeting is every Monday at 9:30.", "We have a standup every Monday."],
)
def test_the_weekday_of_what_recurs_is_no_date(said):
    """Issue 17: from the next week on memory told an untruth."""
    assert noted(said) == [said]
