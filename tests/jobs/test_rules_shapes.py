"""What people say of their work in passing: posts, habits, times that recur, rules, plans, and their changes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from commonplace import Memory
from commonplace.jobs.rules import proposing
from commonplace.operations import AddEntry, ReplaceEntry
from commonplace.records import Message, RecordedMessage
from commonplace.surfaces.cli import sample
from marking import in_one_test

AT = datetime(2026, 10, 5, 8, tzinfo=UTC)  # a Monday
KINDS = ("preference", "fact", "decision", "constraint", "instruction", "failure", "fix", "task")
TARGETS: proposing.Targets = dict.fromkeys(KINDS, proposing.Place(path="MEMORY.md"))


def said(*texts: str | Message) -> list[RecordedMessage]:
    messages = [Message("user", text, name="Ada", at=AT) if isinstance(text, str) else text for text in texts]
    return [RecordedMessage(f"s#{n}", "sessions/s.jsonl", "s", n, message, 0) for n, message in enumerate(messages)]


def heard(*texts: str | Message) -> list[tuple[str, str]]:
    return [(memo.kind, memo.text) for memo in proposing.extract(said(*texts), zone=UTC)]


STATED = [
    ("I'm Jonas Feldkamp.", "fact", "Ada is Jonas Feldkamp."),
    ("Don't call me Nas any more, call me Feldi.", "instruction", "Call me Feldi."),
    ("you can call me Nas, full names sound like trouble", "instruction",
     "Call me Nas, full names sound like trouble."),
    ("Hi, I'm the CTO of a small startup in Lyon.", "fact", "Ada is the CTO of a small startup in Lyon."),
    ("I'm Ada, I develop the firmware for a team in Turin.", "fact", "Ada develops the firmware for a team in Turin."),
    ("I look after the servers at Nordlicht.", "fact", "Ada looks after the servers at Nordlicht."),
    ("I've never worked with Kubernetes.", "fact", "Ada has never worked with Kubernetes."),
    ("I take my tea with milk.", "preference", "Ada takes their tea with milk."),
    ("For the code itself, I indent with two spaces.", "preference", "Ada indents with two spaces."),
    ("We format our code with Black.", "preference", "We format our code with Black."),
    ("I write all my notes in Markdown.", "preference", "Ada writes all their notes in Markdown."),
    ("I only eat fish on Fridays these days.", "preference", "Ada only eats fish on Fridays these days."),
    ("Our retro is every second Friday at 14:00.", "fact", "Our retro is every second Friday at 14:00."),
    ("The backup runs every night at 2:30, so please wait.", "fact", "The backup runs every night at 2:30."),
    ("My yoga class is on Tuesdays at 6 pm.", "fact", "Ada's yoga class is on Tuesdays at 6 pm."),
    ("Because of the kids: the daily moves from 9:00 to 9:30, starting tomorrow.", "fact",
     "The daily moves from 9:00 to 9:30, starting 2026-10-06."),
    ("So the policy is: no deploys after lunch.", "constraint", "The policy is: no deploys after lunch."),
    ("The rule in our team is that every change needs two reviewers.", "constraint",
     "The rule in our team is that every change needs two reviewers."),
    ("One rule for the repo: tests must pass before a merge.", "constraint",
     "One rule for the repo: tests must pass before a merge."),
    ("News from the boss: we demo the prototype to the board next Friday.", "task",
     "We demo the prototype to the board on 2026-10-16."),
    ("The lease ends on 31 January.", "task", "The lease ends on 2027-01-31."),
    ("The kick-off date is 12 October.", "task", "The kick-off date is 2026-10-12."),
    ("I'm on parental leave from 1 November.", "task", "Ada is on parental leave from 2026-11-01."),
    ("Nadia takes over the billing service.", "fact", "Nadia takes over the billing service."),
    ("Add that Mira Sand joined as tester.", "fact", "Mira Sand joined as tester."),
    ("Our new product owner is Felix Braun.", "fact", "Our new product owner is Felix Braun."),
    ("Three things for all our work: never use jargon.", "instruction", "Never use jargon."),
    ("I give in: from now on the build runs on Linux.", "instruction", "From now on the build runs on Linux."),
    ("Correction: the tank holds 300 litres, not 250.", "fact", "The tank holds 300 litres, not 250."),
    ("I was wrong: the reviewer is Ines Roth, not Paula Roth.", "fact", "The reviewer is Ines Roth, not Paula Roth."),
    ("I'm allergic to pollen too.", "constraint", "Ada is allergic to pollen."),
    ("I can't eat celery either.", "constraint", "Ada can't eat celery either."),
    ("I don't eat pork. My son doesn't either.", "constraint", "Ada doesn't eat pork; their son doesn't either."),
    ("Ms Lund retired, I see Dr Ek now.", "fact", "Ada sees Dr Ek now."),
    ("My landlord sold, Siv is my new landlord.", "fact", "Ada: Siv is my new landlord."),
    ("Mona left, Idris took over.", "fact", "Mona left, Idris took over."),
    ("We have two donkeys and a goose called Pim.", "fact", "We have two donkeys and a goose called Pim."),
    ("Decision: we keep the monolith. The reason is that we are three people.", "decision",
     "We keep the monolith. The reason is that we are three people."),
    ("We decided to use SQLite because the data is small and we have one writer.", "decision",
     "We decided to use SQLite because the data is small and we have one writer."),
]  # fmt: skip


@in_one_test(("text", "kind", "stated"), STATED)
def test_what_is_said_in_passing_is_remembered(text: str, kind: str, stated: str) -> None:
    """Issue 4: facts, preferences, constraints, decisions with their reason and dated plans, in the words used."""
    assert [(kind, stated)] == heard(text)


@in_one_test(
    "text",
    [
        "I'm Done.", "The rule is simple.", "Is the rule that we store UTC?", "If the stand-up moves to 10:15, tell me.",
        "Maybe the stand-up moves from 9:30 to 10:15.", "The movie starts on Friday.", "My doctor said the surgery starts on Monday.",
        "Does the contract start on 1 December?", "I might take my coffee black.", "Would the new contact be Lars Ek?",
        "Nothing takes over my life.", "Stress takes over when I work late.", "It takes over everything.", "Tea is a drink, not a meal.",
        "I want an answer, not an essay.", "Time runs out.", "I run the script for the team and it fails.", "We meet again tomorrow.",
        "The loop starts at 1, not 0.", "The array has 5 elements, not 4.", "Two things I hate: cold soup and rain.",
        "Give me a character: I am 30, I live in Kyoto.", "Improve my essay: My name is Ola. I have a sister called Eva.",
        "Sample sentence: My cat is called Tom.", "Beispielsatz: Meine Katze heißt Tom.", "Poème : j'habite à Brest.",
        "The customer is always right.", "The story starts on Monday in a small town.", "I'm away from my desk.", "I take it black.",
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    """Issue 4: negation, questions and hypotheticals are respected; silence is better than junk."""
    assert heard(text) == []


CHANGES = [
    ("Our stand-up is at 9:30 every day.", "The stand-up moves to 10:15 every day.", "Our stand-up is at 10:15 every day."),
    ("The stand-up moves from 9:30 to 10:15.", "The stand-up is now at 11:00 every day.", "The stand-up is now at 11:00 every day."),
    ("Ada indents with tabs, also in Python.", "From now on Python is indented with four spaces, no tabs.",
     "From now on Python is indented with four spaces, no tabs."),
    ("Ada takes their coffee black.", "I drink green tea now, no coffee any more.", "Ada drinks green tea now, no coffee any more."),
    ("The harbour station has 14 gauges and a mast.", "The harbour station has 17 gauges, not 14.",
     "The harbour station has 17 gauges and a mast."),
    ("The contact at the insurer is Rosa Klein.", "The new contact at the insurer is Ali Kaya.", "The new contact at the insurer is Ali Kaya."),
]  # fmt: skip


@in_one_test(("old", "words", "new"), CHANGES)
def test_a_change_takes_the_place_of_what_stood_for_the_same_thing(old: str, words: str, new: str) -> None:
    """Issue 4: a correction supersedes and the old value stays in history."""
    known = [
        proposing.Known("e1", "MEMORY.md", "The coffee machine is on floor 14 beside the tabs."),
        proposing.Known("e2", "MEMORY.md", old),
    ]
    (edit,) = proposing.propose(said(words), session="s", zone=UTC, targets=TARGETS, existing=known).operations
    assert isinstance(edit, ReplaceEntry)
    assert ("e2", new) == (edit.target, edit.text)
    assert edit.quotes[0] in words


def test_a_change_of_another_thing_is_added() -> None:
    """Silence is better than a wrong replacement: the words in common are only numbers."""
    known = [proposing.Known("e1", "MEMORY.md", "The office is on floor 14.")]
    words = "Correction: the tank holds 17 litres, not 14."
    (edit,) = proposing.propose(said(words), session="s", zone=UTC, targets=TARGETS, existing=known).operations
    assert isinstance(edit, AddEntry)


def test_between_two_people_the_speaker_is_named() -> None:
    """In a talk of two it matters who says `we` and of whose team."""
    talk = [
        Message("user", "Our retro is every Friday.", name="Ana", at=AT),
        Message("user", "Nice.", name="Bea", at=AT),
    ]
    assert heard(*talk) == [("fact", "Ana: Our retro is every Friday.")]


def test_the_sample_conversation_leaves_a_readable_memory(tmp_path: Path) -> None:
    """The demo: what was said is remembered once, the old values are gone, and nothing waits for review."""
    with Memory.open(tmp_path / "m", jobs="worker") as memory:
        for batch in sample.batches():
            memory.append(batch.session_id, batch.messages)
        memory.consolidate()
        assert tuple(memory.review()) == ()
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (tmp_path / "m" / "memory").rglob("*")
        if path.is_file() and not path.name.startswith("HISTORY")
    )
    for held in (
        "17 gauges",
        "four spaces, no tabs",
        "10:15",
        "green tea",
        "on 2026-10-15",
        "Lars Ek",
        "UTC",
        "The reason is the price",
    ):
        assert held in text
    for gone in ("14 gauges", "with tabs", "at 9:30", "coffee black", "Oslo", "sk-demo"):
        assert gone not in text


@in_one_test(
    ("text", "kind"),
    [
        ("Bitte antworte mir immer auf Deutsch.", "instruction"),
        ("Antworte mir bitte stets kurz.", "instruction"),
        ("Ich bin allergisch gegen Penicillin.", "fact"),
        ("Kannst du mir bitte immer helfen?", ""),
        ("Mein Geburtstag ist am 3. März.", "fact"),
        ("Ich wohne in der 2. Etage in Köln.", "fact"),
        ("私は大阪に住んでいます。", "fact"),
        ("犬の名前はハチです。", "fact"),
        ("卵アレルギーがあります。", "fact"),
        ("返事は短くしてください。", "instruction"),
        ("コーヒーより紅茶の方が好きです。", "preference"),
        ("どこに住んでいますか？", ""),
        ("彼の名前は何ですか", ""),
        ("Ich vertrage auch keine Eier.", "fact"),
        ("Je ne mange pas de miel non plus.", "fact"),
        ("Tampoco como mejillones.", "fact"),
        ("Nemmeno io bevo latte.", "fact"),
        ("我也不吃海鲜。", "fact"),
        ("Utilise pnpm.", "constraint"),
        ("用pnpm。", "constraint"),
        ("Frag mich, bevor du Tabellen umbenennst.", "instruction"),
        ("Demande-moi avant de renommer des colonnes.", "instruction"),
        ("Pregúntame antes de renombrar columnas.", "instruction"),
        ("改配置之前先问我。", "instruction"),
        ("Toutes les heures du code sont en UTC.", "constraint"),
        ("Meine Frau Ida und ich haben zwei Kinder, Ole und Tom.", "fact"),
        ("Prendo 10 mg di ramipril ogni mattina.", "fact"),
        ("Frag mich, bevor du anfängst.", ""),
        ("用这个。", ""),
        ("このファイルを必ず確認してください", ""),
        ("明日は雨です。", ""),
    ],
)
def test_plain_statements_of_other_languages_are_taken(text: str, kind: str) -> None:
    """Issue 17: found by using it in German and Japanese; a question or an order of the hour is not taken."""
    assert [kind for kind, _ in heard(text)] == ([kind] if kind else [])


def test_a_month_is_no_doubt_and_the_point_of_a_german_date_ends_nothing() -> None:
    """Issue 17: "in May" was read as a wish, and a birthday was kept as "am 3"."""
    assert heard("I moved to Oslo in May, and I only drink green tea now.") == [
        ("fact", "Ada moved to Oslo in 2026-05."),
        ("preference", "Ada only drinks green tea now."),
    ]
    assert heard("Mein Geburtstag ist am 3. März.") == [("fact", "Ada: Mein Geburtstag ist am 3. März")]
    assert heard("I may move to Oslo.") == []
