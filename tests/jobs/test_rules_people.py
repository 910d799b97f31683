"""What one person says of themselves changes nothing of what another one said (issue 17)."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_rules_changes import after

from commonplace import Memory, Message
from commonplace.config import Config, GuardConfig
from commonplace.testing import FixedClock
from marking import in_one_test

ALLERGIC, DENIED = "I'm allergic to nuts.", "I'm not allergic to nuts."


def noted(folder: Path, *said: tuple[str | None, str], layout: str = "native", owner: str = "") -> list[str]:
    """Return what a prompt shows after each sentence, by a person of this name, was said on a day of its own."""
    clock = FixedClock("2026-11-02T09:00:00+00:00")
    config = Config(guard=GuardConfig(owner=owner))
    with Memory.open(folder, layout=layout, clock=clock, jobs="inline", config=config) as memory:
        for name, text in said:
            memory.append("chat:1", [Message("user", text, name=name), Message("assistant", "OK.")])
            memory.end("chat:1")
            clock.advance(days=1)
        return [line[2:].rstrip(".") for line in memory.context("x").text.splitlines() if line.startswith("- ")]


@in_one_test(
    "first, second, said",
    [
        ("Bob 🎉", "Eva (work)", ["Bob is allergic to nuts", "Eva is not allergic to nuts"]),
        ("🎉", "🎈", ["Person-6146 is allergic to nuts", "Person-340a is not allergic to nuts"]),
        ("John Smith", "John Doe", ["John Smith is allergic to nuts", "John Doe is not allergic to nuts"]),
        (None, "Bob", ["User is allergic to nuts", "Bob is not allergic to nuts"]),
        ("Bob 🎉", "Bob", ["Bob is not allergic to nuts"]),
    ],
)
def test_two_people_stay_two(first: str | None, second: str, said: list[str], tmp_path: Path) -> None:
    assert noted(tmp_path / f"{first}-{second}", (first, ALLERGIC), (second, DENIED)) == said


@in_one_test(
    "was, now, said",
    [
        ("I use Vim.", "I switched from Vim to Helix.", ["Ada uses Vim", "Bob switched from Vim to Helix"]),
        ("Ich wohne in Kiel.", "Ich wohne jetzt in Bonn.", ["Ada: Ich wohne in Kiel", "Bob: Ich wohne jetzt in Bonn"]),
        ("We use Vim.", "We switched from Vim to Helix.", ["We use Helix"]),
        ("I use Vim.", "Ada switched from Vim to Helix.", ["Ada uses Helix"]),
        ("I'm vegan.", "I'm no longer the treasurer, Ada is.",
         ["Ada is vegan", "Bob is no longer the treasurer, Ada is"]),
        ("I'm vegan.", "Ada is no longer the treasurer.", ["Ada is vegan"]),
    ],
)  # fmt: skip
def test_what_one_says_of_themselves_is_no_news_of_another(was: str, now: str, said: list[str], tmp_path: Path) -> None:
    assert noted(tmp_path / was / now, ("Ada", was), ("Bob", now)) == said


NUTS = "User is allergic to nuts"


@in_one_test(
    "was, now, left",
    [
        *((ALLERGIC, now, NUTS) for now in (
            "Tom is no longer allergic to nuts.", "By the way, Tom isn't allergic to nuts any more.",
            "My mate Tom is no longer allergic to nuts.", "Dr. Holm is no longer allergic to nuts.",
            "Tom and Ada are no longer allergic to nuts.", "I heard Tom is no longer allergic to nuts.",
            "She is no longer allergic to nuts.", "Forget that Tom is allergic to nuts.")),
        ("Bob is allergic to nuts.", "Tom is no longer allergic to nuts.", "Bob is allergic to nuts"),
        ("I live in Oslo.", "Tom lives in Bergen now, no longer in Oslo.", "User lives in Oslo"),
        ("My boss is Ingrid.", "Tom's boss is Ada now, no longer Ingrid.", "User's boss is Ingrid"),
        ("Ich wohne in Oslo.", "Tom wohnt jetzt in Bergen, nicht mehr in Oslo.", "User: Ich wohne in Oslo"),
        ("Soy vegetariano.", "Tom ya no es vegetariano.", "User: Soy vegetariano"),
        ("Sono vegetariano.", "Tom non è più vegetariano.", "User: Sono vegetariano"),
        ("我住在奥斯陆。", "汤姆不再住在奥斯陆了。", "User: 我住在奥斯陆"),
    ],
)  # fmt: skip
def test_what_is_said_of_another_name_leaves_what_is_the_users_own(was: str, now: str, left: str) -> None:
    """Found in use: `Tom is no longer allergic to nuts.` removed that the user is."""
    assert left in [each.rstrip(".") for each in after(was, now)]


@pytest.mark.parametrize("layout", ["native", "two-layer", "structured"])
def test_a_wish_to_forget_takes_nothing_of_another_person(layout: str, tmp_path: Path) -> None:
    """Issue 17: Cleo's `Forget that I'm allergic` removed what Bob had said."""
    both = ("Bob", ALLERGIC), ("Cleo", ALLERGIC)
    left = noted(tmp_path, *both, ("Cleo", "Forget that I'm allergic to nuts."), layout=layout)
    assert [line.removeprefix("[CONSTRAINT] ") for line in left if "is allergic" in line] == ["Bob is allergic to nuts"]


@in_one_test(
    "owner, wish, left",
    [
        ("", ("Cleo", "Vergiss, dass ich in Oslo wohne."), 1),
        ("", ("Cleo", "Forget that I live in Oslo."), 1),
        ("", ("Bob", "Forget that I live in Oslo."), 0),
        ("", ("Cleo", "Forget that Bob lives in Oslo."), 1),
        ("Bob", (None, "Forget that I live in Oslo."), 0),
    ],
)
def test_who_forgets_is_who_said_it(owner: str, wish: tuple[str, str], left: int, tmp_path: Path) -> None:
    folder = tmp_path / f"{owner}-{wish}"
    assert len(noted(folder, ("Bob", "I live in Oslo."), wish, owner=owner)) == left
    with Memory.open(folder / "one", jobs="inline", config=Config(guard=GuardConfig(owner=owner))) as memory:
        said = [Message("user", "I live in Oslo.", name="Bob"), Message("user", wish[1], name=wish[0])]
        memory.append("chat:1", said)
        memory.end("chat:1")
        assert memory.context("x").stable.count("Oslo") == left


@in_one_test(
    ("said", "noted"),
    [
        ("Dan's birthday is 12 May.", "Dan's birthday is 12 May."),
        ("We've got a greyhound called Biscuit.", "We've got a greyhound called Biscuit."),
        ("I have a cat named Miso.", "User has a cat named Miso."),
        ("I take 50 micrograms of thyroxine a day.", "User takes 50 micrograms of thyroxine a day."),
        ("I work four days a week.", "User works four days a week."),
    ],
)
def test_pets_birthdays_medicine_and_days_of_work_are_noted(said: str, noted: str) -> None:
    """Found in use: none of these was noted."""
    assert after(said) == ([noted] if noted else [])


def test_a_new_diet_takes_the_place_of_the_old_one() -> None:
    """Found in use: `we're vegan now` stood beside `is vegetarian`."""
    assert after("I'm vegetarian.", "Actually we're vegan now, both of us.") == ["We're vegan now, both of us."]
    assert after("I'm vegetarian.", "I went vegan in January.") == ["User went vegan in 2026-01."]


def test_a_corrected_birthday_is_of_each_year() -> None:
    """Found in use: `Sorry, my birthday is 21 May` became a day of next year."""
    assert after("My birthday is 12 May.", "Sorry, my birthday is 21 May.") == ["User's birthday is 21 May."]


def test_things_of_code_and_trades_are_no_pets_and_diets() -> None:
    """A rule that took every name with `called` would note what coders and shops speak of."""
    for said in ("I have a PR called Migrate.", "We've got a cluster called Prod.", "We're vegan friendly at work."):
        assert after(said) == []
    assert after("I work four days a week on the migration ticket.") == []
