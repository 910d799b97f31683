"""What people say of a life that changes: the new statement takes the place of the old one, in whatever words it comes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonplace import Message
from commonplace.jobs.rules import proposing
from commonplace.operations import AddEntry, ReplaceEntry
from commonplace.records import RecordedMessage

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
KINDS = ("preference", "fact", "decision", "constraint", "instruction", "failure", "fix", "task")
TARGETS: proposing.Targets = dict.fromkeys(KINDS, proposing.Place(path="MEMORY.md"))


def after(*talks: str) -> list[str]:
    """Return what is remembered after some talks of one message each."""
    known: dict[str, str] = {}
    for said in talks:
        messages = [RecordedMessage("m0", "s", "s", 0, Message("user", said, at=AT), 0)]
        existing = [proposing.Known(key, "MEMORY.md", text) for key, text in known.items()]
        for operation in proposing.propose(
            messages, session="s", zone=UTC, targets=TARGETS, existing=existing
        ).operations:
            match operation:
                case AddEntry():
                    known[str(len(known))] = operation.text
                case ReplaceEntry():
                    known[operation.target] = operation.text
    return list(known.values())


@pytest.mark.parametrize(
    ("before", "said", "now"),
    [
        ("The staging server is at 10.0.3.7.", "Actually the staging server is at 10.0.3.9 now.",
         "The staging server is at 10.0.3.9 now."),
        ("I live in Ghent.", "We finally did it: we left Ghent and live in Bruges now.",
         "We left Ghent and live in Bruges now."),
        ("I keep my notes in Joplin.", "my notes are in Obsidian now, the other one got slow",
         "User's notes are in Obsidian now."),
        ("Our internet is Nordlink.", "We cancelled Nordlink and have Kveld internet now.",
         "We cancelled Nordlink and have Kveld internet now."),
        ("My manager is called Oddvar Rise.", "from now on I report to Terje Brattbakk and not to Oddvar Rise",
         "User: from now on I report to Terje Brattbakk and not to Oddvar Rise."),
        ("My phone is a Fairphone 5.", "I have a Nothing Phone 2a now, the Fairphone 5 is gone.",
         "User has a Nothing Phone 2a now, the Fairphone 5 is gone."),
        ("Safari is my browser.", "My main browser is Vivaldi now, Safari ate all the memory.",
         "User's main browser is Vivaldi now, Safari ate all the memory."),
        ("I'm learning Welsh.", "I study Japanese now instead of Welsh, on the tram.",
         "User studies Japanese now instead of Welsh, on the tram."),
        ("Bjarne, my uncle, is a piano tuner.", "my uncle is a glaciologist now and no longer a piano tuner",
         "User's uncle is a glaciologist now and no longer a piano tuner."),
        ("From now on please answer in short bullet points.",
         "rather than short bullet points, answer me with one short paragraph",
         "User: rather than short bullet points, answer me with one short paragraph."),
        ("Our rent is 14,250 kroner.", "The rent is 11,900 kroner now, all inclusive, depending on how you count.",
         "The rent is 11,900 kroner now."),
        ("The Lofoten hut, we leave on 5 April, by the night train.", "the Lofoten hut trip got postponed: departure on 9 May",
         "The Lofoten hut trip got postponed: departure on 2026-05-09."),
    ],
)  # fmt: skip
def test_what_is_new_takes_the_place_of_what_is_over(before: str, said: str, now: str) -> None:
    """Issue 17.2: superseded ones are not shown."""
    assert len(after(before)) == 1
    assert after(before, said) == [now]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("I like tea.", "We cancelled Nordlink and have Kveld internet now."),
        ("I have to explain tides to a class tomorrow.", "I have a Nothing Phone 2a now, the Fairphone 5 is gone."),
        ("My sister Ada plays chess on Thursdays.", "Choir is on Fridays now, not on Thursdays."),
        ("Our dog Rex has a red lead.", "I gave up on Rust and started a book, The Lead Years."),
        ("I live in Ghent.", "Great, trying Paris now."),
        ("My manager is Ada Roe.", "totals are off now and then, only in the Ada Roe report"),
    ],
)
def test_what_is_of_another_thing_replaces_nothing(before: str, said: str) -> None:
    """Issue 17.2: a value that is over is looked for in statements of the same thing."""
    assert after(before)[0] in after(before, said)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("My manager is called Oddvar Rise, she or he will show up in my drafts a lot.",
         "User's manager is called Oddvar Rise."),
        ("Our rent is 14,250 kroner a month, without electricity.",
         "Our rent is 14,250 kroner a month, without electricity."),
        ("Safari is my browser.", "User: Safari is my browser."),
        ("Bjarne, my uncle, is a piano tuner.", "User: Bjarne, my uncle, is a piano tuner."),
        ("For feeds I use Miniflux in the browser, tagged.", "For feeds User uses Miniflux in the browser, tagged."),
        ("Not sure I ever said this: I'm saving up for a proper cello.", "User is saving up for a proper cello."),
        ("I'm on candesartan, 100 micrograms once a day.", "User is on candesartan, 100 micrograms once a day."),
        ("Caleb from our team sits in Halifax.", "Caleb from our team sits in Halifax."),
        ("Paul is allergic to sesame, badly.", "Paul is allergic to sesame, badly."),
        ("I lent the pressure washer to Camilla.", "User lent the pressure washer to Camilla."),
    ],
)  # fmt: skip
def test_what_is_known_by_a_name_or_a_number_is_noted(said: str, text: str) -> None:
    """Issue 17.5: whatever the noun is, `my … is NAME` is a fact."""
    assert after(said) == [text]


@pytest.mark.parametrize(
    "said",
    ["my flight is late", "our example is from 2019", "my code is 20 lines long", "The build is green now.",
     "This is my fault.", "That is our problem, Ada.", "my app is crashing on Android 14", "it's fine but, not great"],
)  # fmt: skip
def test_what_is_of_the_hour_is_not_noted(said: str) -> None:
    """Issue 17.5: at the same precision."""
    assert after(said) == []
