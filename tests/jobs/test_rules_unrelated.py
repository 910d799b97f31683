"""What shares only a day, a kind of thing or a verb with a statement changes nothing of it (issue 17)."""

from __future__ import annotations

from pathlib import Path

from rules_talks import AT, after

from commonplace import Memory, Message
from commonplace.testing import FixedClock
from marking import in_one_test


@in_one_test(
    ("before", "said"),
    [
        ("My therapy is on Fridays at 18.", "I don't jog on Fridays anymore, I switched to Sundays."),
        ("My therapy is on Fridays at 18.", "I don't jog on Fridays anymore. I switched to Sundays."),
        ("My piano lesson is on Wednesdays at four.", "I don't swim on Fridays anymore, I switched to Tuesdays."),
        ("The database is PostgreSQL on port 5432.", "We don't use MySQL anymore, we switched to SQLite."),
        ("The backend runs on Python 3.11.", "We don't use Python 3.9 anymore, we switched to 3.12."),
        ("Ma thérapie est le vendredi à 18 h.", "Je ne cours plus le vendredi, je suis passé au dimanche."),
        ("Mi terapia es los viernes a las 18.", "Ya no corro los viernes, me he cambiado a los domingos."),
    ],
)
def test_a_habit_that_is_switched_leaves_another_statement_as_it_was(before: str, said: str) -> None:
    """Another activity's day, or another database, was written into it."""
    assert after([], before)[0] in after([], before, said)


@in_one_test(
    ("before", "said", "now"),
    [
        (
            "My choir rehearsal is on Thursdays at 19.",
            "I don't have choir rehearsal on Thursdays anymore, I switched to Saturdays.",
            "User's choir rehearsal is on Saturdays at 19.",
        ),
        (
            "Mi clase de piano es los lunes.",
            "Mi clase de piano ya no es los lunes, ahora es los jueves.",
            "User: Mi clase de piano es los jueves",
        ),
    ],
)
def test_a_switch_that_says_what_is_over_is_put_into_the_statement_that_says_it(
    before: str, said: str, now: str
) -> None:
    assert now in after([], before, said)


@in_one_test(
    ("before", "said"),
    [
        ("Run the tests before every commit.", "I don't run on Saturdays anymore, my knee hurts."),
        ("Always run the linter before pushing.", "I don't run anymore since my knee surgery."),
        ("Always write tests first.", "I don't write poems anymore."),
        ("Always answer in English.", "I don't answer unknown callers anymore."),
        ("My wife is called Ines.", "I don't call my wife at work anymore."),
        ("Our cat is called Tiger.", "We don't feed our cat fish anymore."),
        ("Schreib immer zuerst Tests", "Ich schreibe keine Gedichte mehr."),
        ("Responde siempre en inglés", "Ya no respondo a números desconocidos."),
    ],
)
def test_one_shared_verb_speaks_against_nothing(before: str, said: str) -> None:
    """It was put behind an order as if it took it back, or in its place."""
    assert after([], before)[0] in after([], before, said)


def test_an_order_that_is_spoken_against_keeps_its_type(tmp_path: Path) -> None:
    """It was a PROJECT_FACT from then on."""
    clock = FixedClock(AT)
    with Memory.open(tmp_path, layout="structured", clock=clock, jobs="inline") as memory:
        for number, text in enumerate(("Never push to main.", "It's fine to push to main now.")):
            memory.append(f"cli:{number}", [Message("user", text), Message("assistant", "OK.")])
            memory.end(f"cli:{number}")
            clock.advance(days=7)
        assert "- [CONSTRAINT] Never push to main. (" in memory.context("new").text


@in_one_test(
    ("before", "said", "now"),
    [
        ("Our cat is called Tiger.", "We don't call our cat Tiger anymore, she's Luna now.", "Our cat is called Luna."),
        (
            "Our cat is called Tiger.",
            "Our cat isn't called Tiger anymore, her name is Luna.",
            "Our cat is called Luna.",
        ),
        (
            "Unsere Katze heißt Tiger",
            "Wir nennen unsere Katze nicht mehr Tiger, sie heißt jetzt Luna.",
            "User: Unsere Katze heißt Luna",
        ),
        (
            "Notre chat s'appelle Tigre",
            "Notre chat ne s'appelle plus Tigre, il s'appelle Luna maintenant.",
            "User: Notre chat s'appelle Luna",
        ),
    ],
)
def test_who_is_called_otherwise_has_the_new_name(before: str, said: str, now: str) -> None:
    assert after([], before, said) == [now]


def test_no_name_comes_out_of_a_denial() -> None:
    """`User's son is Timmy` was kept of it."""
    assert after([], "I no longer call my son Timmy.") == ["User no longer calls their son Timmy."]


TRIP = "We're flying to Rome from 3 to 7 April."


@in_one_test(
    ("before", "said"),
    [
        (TRIP, "Our Rome trip is cancelled."),
        (TRIP, "The Rome trip is off, my father is ill."),
        ("The wedding is on 3 April.", "The wedding is off."),
        ("The concert in Ghent is on 20 March.", "The concert in Ghent has been called off."),
        ("Wir fliegen am 3. April nach Lissabon.", "Unsere Reise nach Lissabon ist abgesagt."),
        ("Nous partons à Lisbonne le 3 avril.", "Notre voyage à Lisbonne est annulé."),
    ],
)
def test_what_is_called_off_takes_the_plan_of_its_name_along(before: str, said: str) -> None:
    """A trip that was cancelled stayed beside the words that say so."""
    (now,) = after([], before, said)
    assert said.rstrip(".") in now


@in_one_test(
    ("before", "said"),
    [
        (TRIP, "The Madrid trip is cancelled."),
        (TRIP, "The Rome trip is not cancelled."),
        (TRIP, "My brother's Rome trip is off."),
        (TRIP, "The hotel in Rome is cancelled."),
        ("My sister lives in Rome.", "The Rome trip is cancelled."),
        ("I work for Acme in Ghent.", "The Acme workshop is cancelled."),
        ("The concert in Ghent is on 20 March.", "The concert in Antwerp is cancelled."),
        ("My dentist appointment is on 16 March.", "My physio appointment is cancelled."),
    ],
)
def test_what_is_called_off_takes_nothing_else_along(before: str, said: str) -> None:
    """The concert in another town, and another appointment, went with it."""
    assert after([], before)[0] in after([], before, said)


@in_one_test(
    ("before", "said", "now"),
    [
        (
            "My deadline for the grant application is 30 September.",
            "Opal pushed the deadline for the grant application to 15 October.",
            "User's deadline for the grant application is 2026-10-15.",
        ),
        ("The launch date is 1 June.", "Marketing moved the launch date to 15 June.", "2027-06-15."),
        (
            "Die Frist für den Antrag ist der 30. September.",
            "Opal hat die Frist für den Antrag auf den 15. Oktober verschoben.",
            "User: Die Frist für den Antrag ist der 15. Oktober",
        ),
        (
            "La date limite du dossier est le 30 septembre.",
            "Opal a repoussé la date limite du dossier au 15 octobre.",
            "User: La date limite du dossier est le 15 octobre",
        ),
    ],
)
def test_who_moves_a_date_corrects_it(before: str, said: str, now: str) -> None:
    """The old deadline stayed, and was found first, because another one moved it."""
    (noted,) = after([], before, said)
    assert noted.endswith(now)


@in_one_test(
    "said",
    [
        "Opal pushed the deadline for the tax report to 15 October.",
        "Opal pushed the deadline for her thesis to 15 October.",
        "Opal might have moved the deadline for the grant application to 15 October.",
        "Karla moved to Ghent on 15 October.",
    ],
)
def test_the_date_of_another_thing_corrects_nothing(said: str) -> None:
    before = "My deadline for the grant application is 30 September."
    assert after([], before)[0] in after([], before, said)
