"""What a person says no longer holds goes, in whatever words, and what they say beside it stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from rules_talks import after

from commonplace import Memory, Message
from commonplace.testing import FixedClock
from marking import in_one_test, slow_after


def kept(folder: Path, *talk: str, layout: str = "native", names: tuple[str, ...] = ()) -> list[str]:
    """Return what is shown after some messages, each in a session of its own; with names, in one without a reply."""
    clock = FixedClock("2026-03-04T10:00:00+00:00")
    with Memory.open(folder, layout=layout, jobs="worker", clock=clock) as memory:
        if names:
            memory.append("group", [Message("user", said, name=who) for who, said in zip(names, talk, strict=True)])
            memory.consolidate("group")
        else:
            for number, said in enumerate(talk):
                memory.append(f"s:{number}", [Message("user", said), Message("assistant", "OK.")])
                memory.consolidate(f"s:{number}")
        shown = memory.context("new").stable.splitlines()
    return sorted(line.removeprefix("- ") for line in shown if line.startswith("- "))


@pytest.mark.parametrize("layout", ["native", "two-layer"])
@pytest.mark.parametrize(
    ("before", "after", "left"),
    slow_after(
        2,
        [
            (
                "I'm vegetarian.",
                "Actually I'm not vegetarian any more, I eat fish now.",
                ["User eats fish now.", "User is not vegetarian any more."],
            ),
            ("I live in Oslo.", "Actually I don't live in Oslo any more.", ["User doesn't live in Oslo any more."]),
            (
                "My dentist appointment is on March 13 at 14:15.",
                "The dentist appointment moved to March 20 at 9:00.",
                ["User's dentist appointment is on 2026-03-20 at 9:00."],
            ),
            (
                "My dentist appointment is on March 13 at 14:15.",
                "The dentist moved my appointment to March 20 at 9:00.",
                ["User's dentist appointment is on 2026-03-20 at 9:00."],
            ),
            (
                "The retro is every Thursday at 15:00.",
                "We moved the retro to Tuesdays at 10:00.",
                ["The retro is every Tuesday at 10:00."],
            ),
            (
                "I work at Siemens as an engineer.",
                "I quit my job at Siemens, I'm at Bosch now.",
                ["User works at Bosch."],
            ),
            ("I work at Siemens as an engineer.", "I changed jobs: I'm at Bosch now.", ["User works at Bosch."]),
            ("The API listens on port 8080.", "We changed the API port to 9090.", ["The API listens on port 9090."]),
            ("The API listens on port 8080.", "The API port is now 9090.", ["The API listens on port 9090."]),
            (
                "The API listens on port 8080 and the metrics on 8081.",
                "We changed the API port to 9090.",
                ["The API listens on port 9090 and the metrics on 8081."],
            ),
        ],
    ),
)
def test_what_no_longer_holds_goes(tmp_path: Path, layout: str, before: str, after: str, left: list[str]) -> None:
    assert kept(tmp_path, before, after, layout=layout) == left


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("My interview is on June 3.", "My dentist appointment moved to June 10."),
        ("My sister's dentist appointment is on March 13.", "My dentist appointment moved to March 20."),
        ("My brother Tom works at Siemens.", "I quit my job at Siemens."),
        ("I work at Siemens as an engineer.", "I'm at Heathrow now."),
    ],
)
def test_what_is_of_another_thing_stays(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "alone").mkdir()
    alone = kept(tmp_path / "alone", before)
    assert alone
    assert set(alone) <= set(kept(tmp_path / "both", before, after))


@pytest.mark.parametrize(
    ("talk", "left"),
    slow_after(
        1,
        [
            (
                (
                    "We use npm for packages, Node 18, and tests run with `npm test`.",
                    "Actually we use pnpm now, not npm.",
                ),
                "We use pnpm for packages, Node 18, and tests run with `npm test`.",
            ),
            (
                ("We use npm, Node 18 and Jest here.", "We switched from npm to pnpm."),
                "We use pnpm, Node 18 and Jest here.",
            ),
            (
                ("I use Vim for Python and Emacs for mail.", "I use Helix now, not Vim."),
                "User uses Helix for Python and Emacs for mail.",
            ),
        ],
    ),
)
@pytest.mark.parametrize("layout", ["native", "two-layer"])
def test_only_the_value_that_is_over_goes(tmp_path: Path, layout: str, talk: tuple[str, ...], left: str) -> None:
    assert kept(tmp_path, *talk, layout=layout) == [left]


def test_in_one_talk_only_the_value_that_is_over_goes(tmp_path: Path) -> None:
    talk = ("We use npm, Node 18 and Jest here.", "Actually we use pnpm now, not npm.")
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", said) for said in talk])
        memory.consolidate("s")
        assert "- We use pnpm, Node 18 and Jest here." in memory.context("new").stable


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            "I live in Kreuzberg with my partner Tom and our cat Pixel.",
            ["User lives in Kreuzberg with their partner Tom and our cat Pixel."],
        ),
        (
            "I work as a nurse and my sister Julia works as a vet.",
            ["User works as a nurse.", "User's sister Julia works as a vet."],
        ),
        (
            "I prefer aisle seats and I never want to fly with Ryanair.",
            ["User never wants to fly with Ryanair.", "User prefers aisle seats."],
        ),
        ("I never want to see this movie again.", []),
    ],
)
def test_each_clause_is_taken(tmp_path: Path, said: str, found: list[str]) -> None:
    assert kept(tmp_path, said) == found


@pytest.mark.parametrize(
    ("said", "found"),
    slow_after(
        5,
        [
            ("Remember the spare key is under the flowerpot.", "The spare key is under the flowerpot."),
            ("Remember, the bins go out on Tuesdays.", "The bins go out on Tuesdays."),
            ("Please remember the vet is called Dr. Brandt.", "The vet is called Dr. Brandt."),
            ("Don't forget the spare key is at Ada's.", "The spare key is at Ada's."),
            ("The spare key is under the flowerpot. Please remember that.", "The spare key is under the flowerpot."),
            (
                "Merk dir, dass der Schlüssel unter dem Topf liegt.",
                "User: Merk dir, dass der Schlüssel unter dem Topf liegt",
            ),
            ("Der Schlüssel liegt unter dem Topf. Merk dir das bitte.", "Der Schlüssel liegt unter dem Topf."),
            ("Retiens que la clé est sous le pot.", "User: Retiens que la clé est sous le pot"),
            ("Recuerda que la llave está debajo de la maceta.", "User: Recuerda que la llave está debajo de la maceta"),
            ("Ricorda che la chiave è sotto il vaso.", "User: Ricorda che la chiave è sotto il vaso"),
            ("Lembra-te que a chave está no vaso.", "User: Lembra-te que a chave está no vaso"),
            ("Onthoud dat de sleutel onder de pot ligt.", "User: Onthoud dat de sleutel onder de pot ligt"),
            ("Zapamiętaj, że klucz jest pod doniczką.", "User: Zapamiętaj, że klucz jest pod doniczką"),
            ("Запомни, ключ лежит под горшком.", "User: Запомни, ключ лежит под горшком"),
            ("请记住备用钥匙在花盆下面。", "User: 请记住备用钥匙在花盆下面"),
            ("鍵は植木鉢の下にあると覚えておいて。", "User: 鍵は植木鉢の下にあると覚えておいて"),
        ],
    ),
)
def test_what_the_assistant_is_asked_to_remember_is_taken(tmp_path: Path, said: str, found: str) -> None:
    assert kept(tmp_path, said) == [found]


@pytest.mark.parametrize(
    "said",
    [
        "Remember the movie we saw last week.",
        "Remember when I told you about Tom.",
        "Remember the time we went to Rome?",
        "Do you remember the key is under the pot?",
        "What is in the box? Remember that.",
    ],
)
def test_who_only_remembers_asks_nothing(tmp_path: Path, said: str) -> None:
    assert kept(tmp_path, said) == []


@pytest.mark.parametrize(
    ("before", "after", "now"),
    slow_after(
        3,
        [
            ("Ich wohne in Hamburg.", "Ich bin nach Köln gezogen.", "Ich wohne in Köln"),
            ("Ich wohne in Hamburg.", "Wir sind letzte Woche nach Köln umgezogen.", "Ich wohne in Köln"),
            ("Vivo en Madrid.", "Me he mudado a Valencia.", "Vivo en Valencia"),
            ("J'habite à Lyon.", "J'ai déménagé à Paris.", "J'habite à Paris"),
            ("Abito a Roma.", "Mi sono trasferita a Milano.", "Abito a Milano"),
            ("Moro em Lisboa.", "Mudei-me para o Porto.", "Moro em Porto"),
            ("Ik woon in Utrecht.", "Ik ben naar Gent verhuisd.", "Ik woon in Gent"),
            ("Mieszkam w Krakowie.", "Przeprowadziłam się do Gdańska.", "Przeprowadziłam się do Gdańska"),
            ("Я живу в Москве.", "Я переехал в Казань.", "Я переехал в Казань"),
            ("我住在北京。", "我搬到上海了。", "我住在上海"),
            ("大阪に住んでいます。", "京都に引っ越しました。", "京都に住んでいます"),
        ],
    ),
)
def test_a_move_replaces_the_home_in_other_languages(tmp_path: Path, before: str, after: str, now: str) -> None:
    assert kept(tmp_path, before, after) == [f"User: {now}"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Ich wohne in Hamburg.", "Ich bin 2010 nach Köln gezogen."),
        ("Meine Schwester wohnt in Hamburg.", "Ich bin nach Köln gezogen."),
        ("Ich arbeite in Hamburg.", "Ich bin nach Köln gezogen."),
        ("我住在北京。", "我妹妹搬到上海了。"),
        ("Vivo en Madrid.", "Nos mudamos a Valencia el mes que viene."),
    ],
)
def test_another_move_replaces_nothing(tmp_path: Path, before: str, after: str) -> None:
    assert f"User: {before.rstrip('.。')}" in kept(tmp_path, before, after)


def test_the_second_of_a_group_gives_an_order_to_the_assistant(tmp_path: Path) -> None:
    talk = ("I'm vegan.", "Always write summaries in English.")
    assert kept(tmp_path, *talk, names=("Ben", "Cem")) == ["Always write summaries in English.", "Ben is vegan."]


def test_people_give_each_other_orders_too(tmp_path: Path) -> None:
    talk = ("Always answer the phone!", "Remember, life is a long journey.")
    assert kept(tmp_path, *talk, names=("Ben", "Cem")) == []


def test_a_request_to_remember_is_no_part_of_what_is_remembered(tmp_path: Path) -> None:
    talk = ("I'm allergic to nuts, please remember.", "Good to know.")
    assert kept(tmp_path, *talk, names=("Ada", "Ben")) == ["Ada is allergic to nuts."]


@in_one_test(
    ("before", "said", "left"),
    [
        ("My favourite tea is Earl Grey, two sugars.", "I've given up sugar, so tea without sugar from now on.",
         ["User's favourite tea is Earl Grey, two sugars.", "User has given up sugar."]),
        ("My daughter Lea goes to Nordtvet school.", "Lea goes to Bjerke school now.",
         ["User's daughter Lea goes to Bjerke school now."]),
        ("Meine Tochter Lea arbeitet bei Siemens.", "Lea arbeitet jetzt bei Bosch.",
         ["User: Meine Tochter Lea arbeitet jetzt bei Bosch."]),
        ("I have a dog called Rex.", "I have a new dog: Bo.", ["User has a dog called Rex.", "User has a new dog: Bo."]),
        ("My daughter Lea loves horses.", "Lea goes to Bjerke school now.",
         ["User's daughter Lea loves horses.", "Lea goes to Bjerke school now."]),
        ("My boss is called Ingrid Berg.", "Ingrid left. The new boss is Tor Hauge.",
         ["User's new boss is Tor Hauge."]),
        ("My phone number is 555-0100.", "I have a new phone number: 555-0199.",
         ["User has a new phone number: 555-0199."]),
        ("I use Vim.", "Karin can't come to Lisbon, my friend Mette comes along instead.",
         ["User uses Vim.", "User: Karin can't come to Lisbon, my friend Mette comes along instead.",
          "User's friend is Mette."]),
        ("I travel to Lisbon with my sister Karin in March.",
         "Karin can't come to Lisbon, my friend Mette comes along instead.",
         [("User travels to Lisbon with their sister Karin in 2027-03. (2026-11-02: "
          "“Karin can't come to Lisbon, my friend Mette comes along instead”)"), "User's friend is Mette."]),
        ("I live in Oslo.", "Let's go to Rome instead of Oslo.", ["User lives in Oslo."]),
        ("I work as a nurse at Haukeland hospital.", "I start at Ullevål hospital on 2027-02-01, still as a nurse.",
         ["User works as a nurse at Haukeland hospital.",
          "User starts at Ullevål hospital on 2027-02-01, still as a nurse."]),
    ],
)  # fmt: skip
def test_what_replaces_keeps_what_holds_and_whose_it_is(before: str, said: str, left: list[str]) -> None:
    """Found in use: a replacement dropped the tea, or that Lea is the daughter; a new boss or number was in no record."""
    assert after([], before, said) == left
