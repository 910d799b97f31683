"""What a person says against a statement is kept behind it if no rule can tell what is so now (issue 17)."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Literal

import pytest
from rules_talks import AT, after

from commonplace import Memory, Message
from commonplace.jobs.rules import later
from commonplace.jobs.rules.proposing import Known, Place, Targets, propose
from commonplace.operations import PutTopic, ReplaceEntry
from commonplace.records import RecordedMessage
from commonplace.testing import FixedClock
from marking import in_one_test


@in_one_test(
    ("before", "said"),
    [
        ("Never push to the release branch.", "It's fine to push to the release branch now."),
        ("Never push to the release branch.", "You may push to the release branch again."),
        ("Never deploy on Saturdays.", "Saturday deploys are fine."),
        ("Always ask before deleting branches.", "Stop asking before deleting branches."),
        ("My girlfriend is called Nora.", "Nora and I broke up."),
        ("My girlfriend is called Nora.", "Nora left me."),
        ("My girlfriend is called Nora.", "I'm single again."),
        ("I work at Brightwater.", "I got fired from Brightwater."),
        ("I work at Brightwater.", "I quit my job."),
        ("Heron uses Redis instead of SQLite.", "Heron is back on SQLite."),
        ("Meine Freundin heißt Nora.", "Nora und ich haben uns getrennt."),
        ("我的女朋友叫小雨。", "我和小雨分手了。"),
        ("I'm vegetarian.", "I've been eating meat again since the summer."),
        ("Ich bin Vegetarierin", "Esse übrigens wieder Fleisch"),
        ("I work at Brightwater.", "I don't work there any more."),
        ("I'm pregnant.", "I gave birth to a girl last week."),
        ("Je suis enceinte", "J'ai accouché hier."),
        ("I have a cat called Mia.", "Mia died yesterday."),
        ("Never call me on my night shifts, those are Tuesdays and Thursdays.",
         "Night shifts changed: Mondays and Wednesdays now instead of Tuesdays and Thursdays."),
        ("I hate bullet points.", "I now want you to answer with bullet points after all."),
    ],
)  # fmt: skip
def test_the_newer_words_are_behind_the_statement(before: str, said: str) -> None:
    (stated,) = after([], before)
    (noted,) = after([], before, said)
    assert noted == f"{stated} (2026-11-02: “{said.rstrip('.。')}”)"
    assert later.without_newer(noted) == stated


@in_one_test(
    ("before", "said"),
    [
        ("Never push to the release branch.", "I pushed to the release branch by mistake yesterday."),
        ("Never push to the release branch.", "Can you push to the release branch now?"),
        ("Never push to the release branch.", "If it is fine, push to the release branch again."),
        ("My girlfriend is called Nora.", "Nora is back from Spain."),
        ("My girlfriend is called Nora.", "Tom and his wife broke up."),
        ("I work at Brightwater.", "Brightwater is quite busy again."),
        ("My brother Tom works at Brightwater.", "I quit my job."),
        ("My sister is pregnant.", "I gave birth."),
        ("Our API listens on port 8080.", "The API is slow again today."),
    ],
)
def test_what_is_said_of_something_else_is_not(before: str, said: str) -> None:
    assert after([], before, said)[0] == after([], before)[0]


@in_one_test(
    ("before", "said", "against"),
    [
        ("Keep your answers short.", "You can write longer answers now.", True),
        ("Keep your answers short.", "Your replies can be longer now, I use you on my laptop.", True),
        ("I prefer short answers.", "Longer answers are fine now.", True),
        ("Keep commit messages short.", "You can write longer commit messages now.", True),
        ("Answer in German from now on.", "English is fine again.", True),
        ("Always be formal with me.", "You can be casual with me now.", True),
        ("Antworte bitte immer auf Deutsch.", "Du kannst wieder auf Englisch antworten.", True),
        ("Réponds toujours en français.", "Tu peux répondre en anglais maintenant.", True),
        ("以后请用中文回答。", "现在可以用英语回答了。", True),
        ("Keep your answers short.", "You can write longer commit messages.", False),
        ("Keep your answers short.", "Long hours are fine again.", False),
        ("Keep your answers short.", "Longer answers are not fine.", False),
        ("Answer in German from now on.", "My English is fine now.", False),
        ("Answer in German from now on.", "You can write the README in English.", False),
        ("I speak German.", "English is fine again.", False),
        ("Write commit messages in English.", "You can answer in German now.", False),
        ("Antworte bitte kurz.", "Du kannst längere Texte für die Webseite schreiben.", False),
    ],
)
def test_another_way_to_answer_that_is_allowed_is_behind_the_order(before: str, said: str, against: bool) -> None:
    """Found in use: after `longer answers are fine now` the order to keep them short was as before."""
    (stated,) = after([], before)
    noted = after([], before, said)[0]
    assert (noted == f"{stated} (2026-11-02: “{said.rstrip('.。')}”)") is against


def test_what_is_so_instead_is_quoted_with_what_is_over() -> None:
    """Issue 17: "Kamillentee is on the table now. Malventee is history" was kept as its second half, or not at all."""
    said = "Am Nachmittag steht nun Kamillentee auf dem Tisch. Malventee aus Riga ist Geschichte."
    (noted,) = after([], "Ich trinke jeden Morgen Malventee aus Riga.", said)
    assert noted == f"User: Ich trinke jeden Morgen Malventee aus Riga (2026-11-02: “{said.rstrip('.')}”)"


@in_one_test(
    ("before", "said", "now"),
    [
        ("New dose of candesartan: 62.5 micrograms, not 100 micrograms.",
         "The doctor changed my candesartan to 75 micrograms a day, it was 62.5 micrograms before.",
         "User: The doctor changed my candesartan to 75 micrograms a day."),
        ("we use npm here", "actually I switched to pnpm", "We use pnpm here."),
        ("booked it! the Lofoten hut, we leave on 5 April, by car", "Thanks.",
         "The Lofoten hut: we leave on 2027-04-05, by car."),
    ],
)  # fmt: skip
def test_what_a_statement_is_of_is_known_when_it_changes(before: str, said: str, now: str) -> None:
    """Issue 17: what denies an older value was never replaced, and `the hut, we leave on …` was kept without the hut."""
    assert after([], before, said) == [now]


@in_one_test(
    ("before", "said"),
    [
        ("I live in Oslo with my wife Eva and two dogs.", "I moved to Bergen."),
        ("I live in Bristol with two flatmates.", "I live in Cardiff now."),
        ("I work as a nurse at Acme and sing in a choir.", "I work at Beta now."),
        ("My dentist is Dr. Ann, on Main Street.", "My dentist is Dr. Bob."),
        (
            "booked it! the Lofoten hut, we leave on 5 April, by car",
            "the Lofoten hut trip got postponed: departure six weeks from today",
        ),
        ("我住在北京，有两只狗。", "我搬到上海了。"),
    ],
)
def test_what_a_statement_says_besides_is_kept_with_the_newer_words(before: str, said: str) -> None:
    """Issue 17: "I moved to Bergen" took the wife and the dogs away with Oslo."""
    assert after([], before, said) == [f"{after([], before)[0]} (2026-11-02: “{said.rstrip('.。')}”)"]


def test_only_the_newest_words_are_behind_it_and_none_once_it_is_said_again() -> None:
    rule = "Never push to the release branch."
    said = [rule, "It's fine to push to the release branch now.", "You are allowed to push to the release branch."]
    assert after([], *said) == [f"{rule} (2026-11-02: “You are allowed to push to the release branch”)"]
    assert after([], *said, rule) == [rule]


def test_words_in_quotation_marks_are_as_the_person_said_them() -> None:
    """Issue 4: the words had a date in the place of `this week`, which nobody said; their day stands before them."""
    said = "I no longer eat vegetarian only, I eat fish again since this week."
    noted = after([], "I'm vegetarian by the way, the kids are not.", said)[0]
    assert noted.endswith(f" (2026-11-02: “{said.rstrip('.')}”)")


@pytest.mark.parametrize("layout", ["native", "two-layer", "memdir"])
def test_the_prompt_has_both_and_says_where_they_are_from(tmp_path: Path, layout: str) -> None:
    clock = FixedClock(AT)
    with Memory.open(tmp_path, layout=layout, clock=clock, jobs="inline") as memory:
        for number, text in enumerate(("Never push to main.", "It's fine to push to main now.")):
            memory.append(f"cli:{number}", [Message("user", text), Message("assistant", "OK.")])
            memory.end(f"cli:{number}")
            memory.flush()
            clock.advance(days=7)
        hit = memory.recall("push to main", layers=None, k=1)[0]
        assert "(2026-11-09: “It's fine to push to main now”)" in hit.text
        assert {each.session for each in hit.sources} >= {"cli:1"} | ({"cli:0"} if layout != "memdir" else set())


@in_one_test(
    ("before", "said"),
    [
        ("My name is Ada.", "The dog's name is Rex now."),
        ("Our CI is Jenkins.", "The customer's CI is GitLab now."),
        ("My email is ada@x.example.", "Bob's email is bob@y.example now."),
        ("The server is on Hetzner.", "The backup server is on OVH now."),
        ("Our office is in Oslo.", "The customer's office is in Bergen from now on."),
    ],
)
def test_a_thing_of_another_leaves_ones_own_as_it_is(before: str, said: str) -> None:
    assert after([], before, said)[0] == after([], before)[0]


@in_one_test(
    ("before", "said", "now"),
    [
        ("I live in Stavanger, out in Storhaug.", "I've moved to Bergen.", "Bergen"),
        ("Our rent is 14,250 kroner a month, without electricity.", "The rent is 11,900 kroner now.", "11,900"),
        ("I'm learning Welsh, because of a song.", "I put Welsh aside and started learning Italian.", "Italian"),
    ],
)
def test_what_only_says_more_of_the_old_value_goes_with_it(before: str, said: str, now: str) -> None:
    """Issue 17: ten old values of three years were shown with the newer words behind them."""
    assert [now in each for each in after([], before, said)] == [True]
    assert "(2026" not in after([], before, said)[0]


@pytest.mark.parametrize("form", ["entry", "topic"])
def test_of_two_newer_words_of_one_range_the_last_is_kept(form: Literal["entry", "topic"]) -> None:
    """DESIGN 1.5: on the second the rules failed, in a topic, and the range was held."""
    told = ("It's fine to push to main now.", "You may push to main now, it is allowed.")
    messages = [Message("user", each, id=f"u{n}", at=AT) for n, each in enumerate(told)]
    talk = [RecordedMessage(f"m{n}", "s", "s", n, each, n) for n, each in enumerate(messages)]
    targets: Targets = {"instruction": Place(path="a.md", form=form), "fact": Place(path="a.md", form=form)}
    known = Known("a.md#1", "a.md", "- Never push to main.\n" if form == "topic" else "Never push to main.")
    (edit,) = propose(talk, session="s", zone=UTC, targets=targets, existing=[known]).operations
    assert isinstance(edit, PutTopic | ReplaceEntry)
    assert [source.message for source in edit.sources] == ["u0", "u1"]
    assert len(edit.quotes) == len(edit.sources)
    written = edit.body if isinstance(edit, PutTopic) else edit.text
    assert written.strip("- \n") == "Never push to main. (2026-11-02: “You may push to main now, it is allowed”)"


def test_what_is_so_again_is_noted_without_what_it_was_before() -> None:
    """The journal said "Never push to main. (before: Never push to main.)"."""
    said = RecordedMessage("m0", "s", "s", 0, Message("user", "Never push to main.", id="u0", at=AT), 0)
    known = Known("k", "a.md", "Never push to main. (2026-11-01: “It's fine to push to main now”)")
    made = propose([said], session="s", zone=UTC, targets={"instruction": Place(path="a.md")}, existing=[known])
    assert made.journal == "Noted: Never push to main."


def test_a_word_that_only_looks_like_a_name_names_nothing() -> None:
    """Issue 17: `mind` was taken for Mina, whose book then had the words about answers behind it."""
    book = "My current book is The Glass Orchard, by Mina Sato."
    assert after([], book, "I've changed my mind about answer length.")[0].endswith("Mina Sato.")


@in_one_test(
    ("order", "said"),
    [
        ("Never use emojis", "You can use emojis again"),
        ("No emojis please", "Emojis are ok now"),
        ("Bitte keine Emojis", "Emojis sind jetzt ok"),
    ],
)
def test_what_an_order_of_one_word_forbids_may_be_allowed_again(order, said):
    """Found in use: `Never use emojis` stayed alone, as the permission shares one word with it."""
    kept = after([], order, said)
    assert len(kept) == 1
    assert f"“{said}”" in kept[0]
    assert after(["Never use emojis in commits."], "Emojis are fine in the newsletter") == [
        "Never use emojis in commits."
    ]


def test_newer_words_stay_if_a_part_is_said_again():
    """Found in use: `I'm in the kitchen now` took the newer words off a statement about an office and a kitchen table."""
    stated = "User is in the office on Fridays, and at the kitchen table else. (2026-10-01: “office on Mondays only”)"
    assert after([stated], "I'm in the kitchen now.")[0] == stated


def test_the_newest_words_take_the_place_of_newer_words():
    """Found in three years of use: a week that changed twice kept the words of the first change."""
    stated = (
        "User is in the office on Fridays, and at their desk the remaining days. (2026-10-01: “office on Mondays only”)"
    )
    said = "From this week I go into the office on Mondays and Tuesdays instead of Mondays only."
    assert after([stated], said)[0].endswith(f"“{said[:-1]}”)")
