"""What a person asks not to remember, or to forget, is not taken."""

from __future__ import annotations

from datetime import UTC, datetime

from commonplace import Message
from commonplace.jobs.rules import proposing
from commonplace.records import RecordedMessage
from marking import in_one_test

AT = datetime(2026, 11, 2, 9, tzinfo=UTC)


def taken(*said: str) -> list[str]:
    """Return what is taken from some messages of one talk, each with an answer."""
    talk = [Message(role, text, at=AT) for each in said for role, text in (("user", each), ("assistant", "OK."))]
    recorded = [RecordedMessage(f"m{n}", "s", "s", n, each, n) for n, each in enumerate(talk)]
    return [memo.text for memo in proposing.extract(recorded, zone=UTC)]


@in_one_test(
    "said",
    [
        "My number is 07700 900123, please don't remember it.",
        "Don't store this: my salary is 50000 pounds.",
        "This is off the record: I live in Rome.",
        "Between us, I'm pregnant. Don't write this down.",
        "I live in Oslo. I'd rather you didn't save that.",
        "Please don't note my birthday, it's on 3 May.",
        "Meine Nummer ist 0171 2345678, bitte nicht merken.",
        "Ich wohne in Kiel, merk dir das bitte nicht.",
        "J'habite à Lyon, ne note pas ça.",
        "Vivo en Murcia, no lo guardes.",
        "Abito a Bari, non salvarlo.",
        "Moro em Braga, não guardes isso.",
        "Ik woon in Gent, niet onthouden.",
        "Mieszkam w Gdyni, nie zapisuj tego.",
        "我住在成都，别记。",
        "名古屋に住んでいます。覚えないでください。",
        "Not for the record: I can't stand my landlord.",
        "For this chat only: I'm vegan.",
        "Nur für diesen Chat: ich bin Veganerin.",
        "Solo para esta conversación: vivo en Murcia.",
    ],
)
def test_what_is_not_to_be_remembered_is_not_taken(said: str) -> None:
    assert taken(said) == []


@in_one_test(
    ("said", "left"),
    [
        (("I live in Oslo and I'm vegetarian.", "Forget that I live in Oslo."), ["User is vegetarian."]),
        (("Ich wohne in Oslo.", "Vergiss, dass ich in Oslo wohne."), []),
        (("I'm vegetarian.", "I live in Oslo.", "Please don't write that down."), ["User is vegetarian."]),
        (("I live in Oslo.", "I earn 50000 pounds, don't save that."), ["User lives in Oslo."]),
    ],
)
def test_a_later_wish_takes_back_what_it_is_of(said: tuple[str, ...], left: list[str]) -> None:
    assert taken(*said) == left


@in_one_test(
    "said",
    [
        "Don't forget that I live in Rome.",
        "Never store secrets in plain text. I live in Rome.",
        "I don't remember it well, but I live in Rome.",
        "I live in Rome. The code word? Das kann ich mir nicht merken.",
    ],
)
def test_another_wish_hides_nothing(said: str) -> None:
    assert any("Rome" in each for each in taken(said))


@in_one_test(
    ("said", "left"),
    [
        ("Note: Mi contraseña es ⟦secret:password:0000⟧", []),
        ("Mein Passwort ist ⟦secret:password:0000⟧.", []),
        ("My Netflix login is ada@x.example and the password ⟦secret:password:0000⟧.", []),
        ("I live in Rome and my door code is ⟦secret:pin:0000⟧.", ["User lives in Rome."]),
    ],
)
def test_of_a_clause_that_told_a_secret_nothing_is_taken(said: str, left: list[str]) -> None:
    """Found in use: "Mi contraseña es." was kept as a fact and always shown."""
    assert taken(said) == left
