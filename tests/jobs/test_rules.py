"""What the consolidator without a model takes from a conversation, and what it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest

from commonplace.guard import gate
from commonplace.jobs.rules import proposing
from commonplace.operations import AddEntry, PutItem, PutTopic, ReplaceEntry, View, ViewEntry
from commonplace.records import Message, RecordedMessage, Source, Trust
from marking import in_one_test

AT = datetime(2026, 2, 26, 12, tzinfo=UTC)
KINDS = ("preference", "fact", "decision", "constraint", "instruction", "failure", "fix", "task")
TARGETS: proposing.Targets = dict.fromkeys(KINDS, proposing.Place(path="MEMORY.md"))


def said(*texts: str | Message) -> list[RecordedMessage]:
    messages = [Message("user", text, at=AT) if isinstance(text, str) else text for text in texts]
    return [RecordedMessage(f"s#{n}", "sessions/s.jsonl", "s", n, message, 0) for n, message in enumerate(messages)]


def heard(*texts: str | Message) -> list[tuple[str, str]]:
    return [(memo.kind, memo.text) for memo in proposing.extract(said(*texts), zone=UTC)]


def proposed(messages: Sequence[RecordedMessage], **options: object) -> tuple[object, ...]:
    return proposing.propose(messages, session="s", zone=UTC, **{"targets": TARGETS, **options}).operations  # type: ignore[arg-type]


POSITIVE = [
    ("I prefer tabs over spaces.", "preference", "User prefers tabs over spaces."),
    ("I'd rather work in the mornings.", "preference", "User would rather work in the mornings."),
    ("Honestly, I hate cilantro!", "preference", "User hates cilantro."),
    ("I don't like olives at all.", "preference", "User doesn't like olives at all."),
    ("My favourite editor is Helix.", "preference", "User's favourite editor is Helix."),
    ("I'm a big fan of brutalist architecture.", "preference", "User is a big fan of brutalist architecture."),
    ("Priya strongly prefers email over phone calls.", "preference", "Priya strongly prefers email over phone calls."),
    ("My name is Ada.", "fact", "User's name is Ada."),
    ("I live in Bergen.", "fact", "User lives in Bergen."),
    ("I'm originally from Porto.", "fact", "User is originally from Porto."),
    ("I work as a paediatric nurse.", "fact", "User works as a paediatric nurse."),
    ("I'm a freelance translator.", "fact", "User is a freelance translator."),
    ("I'm left-handed, by the way.", "fact", "User is left-handed."),
    ("I am not a vegetarian.", "fact", "User is not a vegetarian."),
    ("We have two kids.", "fact", "We have two kids."),
    ("My birthday is March 3rd.", "fact", "User's birthday is March 3rd."),
    ("Could my brother Tomas join the call?", "fact", "User's brother is Tomas."),
    ("I moved to Oslo last year.", "fact", "User moved to Oslo in 2025."),
    ("Last week I went to a ceramics workshop - it was so fun!", "fact",
     "In the week of 2026-02-16 User went to a ceramics workshop."),
    ("I've been playing the cello for ten years.", "fact", "User has been playing the cello for ten years."),
    ("Remember that I'm vegan.", "fact", "User is vegan."),
    ("Please remember I'm allergic to nuts.", "constraint", "User is allergic to nuts."),
    ("Remember, I am vegan.", "fact", "User is vegan."),
    ("Remember: the bins go out on Thursday mornings.", "fact", "The bins go out on Thursday mornings."),
    ("Remember that the staging database is reset every Sunday night.", "fact",
     "The staging database is reset every Sunday night."),
    ("Can you keep in mind that I work from Lisbon?", "fact", "User works from Lisbon."),
    ("Merk dir bitte, dass die Heizung im Mai gewartet wird.", "fact",
     "User: Merk dir bitte, dass die Heizung im Mai gewartet wird"),
    ("Recuerda que soy alérgico a los frutos secos.", "fact", "User: Recuerda que soy alérgico a los frutos secos"),
    ("请记住我对坚果过敏。", "fact", "User: 请记住我对坚果过敏"),
    ("Fact: the cellar pump sits under the stairs.", "fact", "The cellar pump sits under the stairs."),
    ("I no longer use Vim.", "fact", "User no longer uses Vim."),
    ("I'm allergic to peanuts.", "constraint", "User is allergic to peanuts."),
    ("The deadline for the grant is March 15.", "constraint", ""),
    ("The grant deadline is March 15.", "constraint", "The grant deadline is 2026-03-15."),
    ("The service must not exceed 200 ms.", "constraint", "The service must not exceed 200 ms."),
    ("We can't use GPL libraries.", "constraint", "We can't use GPL libraries."),
    ("We decided to keep the monolith, but I'm not sure how to split the tests, can you help?", "decision",
     "We decided to keep the monolith."),
    ("I changed my mind: let's go with SQLite.", "decision", "Let's go with SQLite."),
    ("Always answer in metric units.", "instruction", "Always answer in metric units."),
    ("Never push to main without asking me.", "instruction", "Never push to main without asking me."),
    ("Please use British spelling from now on.", "instruction", "Use British spelling from now on."),
    ("Whenever I paste a log, please summarise it first.", "instruction",
     "Whenever I paste a log, please summarise it first."),
    ("Call me Max.", "instruction", "Call me Max."),
    ("Merge freeze next Thursday.", "task", "Merge freeze on 2026-03-05."),
    ("I need to renew my passport by Friday.", "task", "User needs to renew their passport by 2026-02-27."),
    ("Remind me to water the ferns tomorrow.", "task", "User wants to be reminded to water the ferns on 2026-02-27."),
    ("I fixed the flaky import test by pinning the seed.", "fix", "I fixed the flaky import test by pinning the seed."),
    ("The build keeps failing on Windows runners.", "failure", "The build keeps failing on Windows runners."),
    ("Ich bevorzuge ein dunkles Design.", "preference", "User: Ich bevorzuge ein dunkles Design"),
    ("Vivo en Sevilla.", "fact", "User: Vivo en Sevilla"),
    ("Je préfère le thé.", "preference", "User: Je préfère le thé"),
    ("我喜欢喝绿茶。", "preference", "User: 我喜欢喝绿茶"),
    ("以后请用中文回答。", "instruction", "以后请用中文回答"),
]  # fmt: skip


@in_one_test(("text", "kind", "stated"), [case for case in POSITIVE if case[2]])
def test_a_plain_statement_is_remembered(text: str, kind: str, stated: str) -> None:
    """Issue 4: preferences, facts, decisions, constraints, instructions, failures, fixes and tasks."""
    assert (kind, stated) in heard(text)


NEGATIVE = [
    "No errors found.", "All tests passed without errors.", "I might move to Oslo.", "Maybe I prefer tea.", "Should I switch to tabs?",
    "Don't you prefer tabs?", "I prefer tabs?", "If I were rich, I'd live in Rome.", "If I lived in Rome, I'd have a dog, and I use a scooter.",
    "I wish I had a dog.", "Imagine I live on Mars.", "Pretend you are a pirate. I live on a ship.", "I'd like to ask a question.",
    "I would love to visit Japan.", "Please make this shorter.", "Can you always be this quick?", "Never mind.", "Always happy to help!",
    "Never again.", "I'm tired today.", "I'm swamped right now.", "I'm so excited!", "I'm a bit lost.", "My laptop is slow.",
    "My boss said I always use tabs.", 'She said "I love Java".', "Alice: I live in Rome", "> I live in Rome", "I love Java /s",
    "Yeah right, I love Java.", "I prefer Java, just kidding.", "Write an email: I have decided to quit my job.",
    "Here is a story: I live in a castle.", "```\nI live in Rome\n```", "I like it.", "I love that idea!", "I prefer this one.",
    "Remember to buy milk.", "Do you remember my name?", "Remember when we went to Rome?", "I can't remember where it is.",
    "Remember I told you about Rex?", "Note the difference here.", "Don't forget to smile!", "I love the colors.", "I love how you did that.", "Thanks, I really appreciate the help!", "Hey, how are you?", "I think I like it.",
    "I was going to decide on Friday.", "I haven't decided anything yet.", "Let me know if I have two kids to add.", "We had a great time yesterday.",
    "Wenn ich in Rom lebe, brauche ich das.", "Me gustaría vivir en Roma.", "如果我喜欢这个怎么办", "你喜欢绿茶吗？", "J'aimerais vivre à Rome.",
    "Tack så mycket, jag bor i Lund.", "My key is ⟦secret:api-key⟧.", "from now on ⟦secret:password⟧ is the password",
]  # fmt: skip


@in_one_test("text", NEGATIVE)
def test_what_is_not_stated_plainly_is_left_alone(text: str) -> None:
    """Issue 4: negation, questions and hypotheticals are respected; silence is better than junk."""
    assert heard(text) == []


def test_a_memo_names_its_message_and_quotes_it() -> None:
    """Issue 4: each with source and quote."""
    (memo,) = proposing.extract(said("Hello!", "By the way, I live in Bergen, and it rains."), zone=UTC)
    assert (memo.number, memo.quote, memo.span, memo.trust) == (1, "I live in Bergen", (12, 28), "user")


def test_words_of_assistant_and_tool_are_no_facts_about_the_person() -> None:
    """Issue 4: assistant and tool text never becomes a fact about the person."""
    words = "I live in Bergen. I prefer tabs. Always answer in German. We decided to use Rust."
    assert (
        heard(Message("assistant", words, at=AT), Message("tool", words, at=AT), Message("system", words, at=AT)) == []
    )


@pytest.mark.parametrize("trust", ["agent", "tool", "web"])
def test_a_user_message_of_lower_trust_is_not_read(trust: Trust) -> None:
    """DESIGN 1.6: what reached the user role from elsewhere is not the person's word."""
    assert heard(Message("user", "I live in Bergen.", at=AT, trust=trust)) == []


def test_each_speaker_of_a_talk_is_named() -> None:
    """Issue 4: in a talk between two people both are role user."""
    talk = [
        Message("user", "I adopted a puppy last month, Bea!", name="Ana", at=AT),
        Message("user", "Always believe in yourself. I'm lactose intolerant and I miss cheese.", name="Bea", at=AT),
    ]
    assert heard(*talk) == [
        ("fact", "Ana adopted a puppy in 2026-01, Bea."),
        ("fact", "Bea is lactose intolerant."),
    ]


def test_a_correction_in_the_range_takes_the_old_value_out() -> None:
    """Issue 4: a correction supersedes."""
    assert heard("I use Ubuntu 22.04 for my server.", "Actually, it's 24.04 not 22.04.") == [
        ("fact", "User uses Ubuntu 24.04 for their server.")
    ]
    assert heard("I live in Bergen.", "I live in Oslo now.") == [("fact", "User lives in Oslo now.")]
    assert heard("I like coffee.", "I don't like coffee anymore.") == [
        ("preference", "User doesn't like coffee anymore.")
    ]
    assert heard("Let's go with Postgres.", "I changed my mind: let's go with SQLite.") == [
        ("decision", "Let's go with SQLite.")
    ]


CORRECTIONS = [
    (
        "User uses Ubuntu 22.04 for their server.",
        "Actually, it's 24.04 not 22.04.",
        "User uses Ubuntu 24.04 for their server.",
    ),
    ("The launch is on Tuesday.", "I meant Wednesday, not Tuesday.", "The launch is on Wednesday."),
    ("The launch is on Tuesday.", "Sorry, not Tuesday, but Wednesday.", "The launch is on Wednesday."),
    ("User lives in Bergen.", "I moved to Oslo last week.", "User moved to Oslo in the week of 2026-02-16."),
    ("User lives in Bergen.", "I've moved to Ålesund.", "User has moved to Ålesund."),
    ("User's favorite color is blue.", "My favorite color is green now.", "User's favorite color is green now."),
    ("User uses Vim for Rust.", "I've switched from Vim to Helix.", "User has switched from Vim to Helix."),
    ("User uses Vim.", "I no longer use Vim.", "User no longer uses Vim."),
    ("User likes coffee.", "I don't like coffee anymore.", "User doesn't like coffee anymore."),
    ("User prefers tabs over spaces.", "I prefer spaces over tabs.", "User prefers spaces over tabs."),
    ("The grant deadline is 2026-03-15.", "The grant deadline is March 20.", "The grant deadline is 2026-03-20."),
]


@in_one_test(("old", "words", "new"), CORRECTIONS)
def test_a_correction_replaces_the_old_entry(old: str, words: str, new: str) -> None:
    """Issue 4: the old value stays in history because the change log keeps a replaced entry."""
    known = [proposing.Known("e1", "MEMORY.md", "User plays chess."), proposing.Known("e2", "MEMORY.md", old)]
    (edit,) = proposed(said(words), existing=known)
    assert isinstance(edit, ReplaceEntry)
    assert (edit.target, edit.text, edit.trust) == ("e2", new, "user")
    assert edit.sources[0].message == "s#0"
    assert edit.quotes[0] in words


def test_a_move_of_long_ago_leaves_the_home_as_it_is() -> None:
    """A fact with a date of the past takes nothing back."""
    known = [proposing.Known("e1", "MEMORY.md", "User lives in Bergen.")]
    (edit,) = proposed(said("I moved to Oslo in 2010."), existing=known)
    assert isinstance(edit, AddEntry)


def test_a_correction_of_two_possible_entries_changes_none() -> None:
    """Silence is better than a wrong replacement."""
    known = [
        proposing.Known("e1", "MEMORY.md", "The laptop runs 22.04."),
        proposing.Known("e2", "MEMORY.md", "The server runs 22.04."),
    ]
    assert proposed(said("Actually, it's 24.04 not 22.04."), existing=known) == ()


def test_what_is_known_is_not_added_again() -> None:
    """Issue 4: duplicates are not added twice."""
    known = [proposing.Known("e1", "MEMORY.md", "User prefers tabs over spaces.")]
    assert proposed(said("I prefer tabs over spaces!", "As I said, I prefer tabs over spaces."), existing=known) == ()


def test_one_record_is_replaced_by_one_operation() -> None:
    """The gate refuses a proposal that changes a record twice."""
    known = [proposing.Known("e1", "MEMORY.md", "User lives in Bergen in a flat with 3 rooms.")]
    edits = proposed(
        said("I moved to Oslo last week.", "My sister Eva visited.", "I live in Lund now."), existing=known
    )
    assert [edit.target for edit in edits if isinstance(edit, ReplaceEntry)] == ["e1"]


def test_memos_go_where_the_layout_wants_them() -> None:
    """DESIGN 4: layouts are data; a kind without a place is not kept."""
    targets: proposing.Targets = {
        "preference": proposing.Place(path="facts/user.md", section="Likes"),
        "fact": proposing.Place(
            path="items/semantic.jsonl",
            form="item",
            fields={"text": "content", "kind": "type"},
            constants={"layer": "semantic"},
        ),
        "task": proposing.Place(path="project.md", form="topic", title="Project", topic_kind="project"),
    }
    words = "I prefer tea. I live in Bergen. Always be brief. Merge freeze next Thursday."
    entry, item, topic = proposed(said(words), targets=targets)
    assert isinstance(entry, AddEntry)
    assert (entry.path, entry.section, entry.text) == ("facts/user.md", "Likes", "User prefers tea.")
    assert isinstance(item, PutItem)
    assert item.data == {
        "layer": "semantic",
        "content": "User lives in Bergen.",
        "type": "fact",
        "salience": 0.77,
        "at": "2026-02-26T12:00:00.000Z",
    }
    assert isinstance(topic, PutTopic)
    assert (topic.body, topic.title, topic.kind) == ("- Merge freeze on 2026-03-05.\n", "Project", "project")
    assert topic.sources == (Source("s", "s#0", (49, 75)),)


def test_a_topic_keeps_its_lines_and_loses_only_the_superseded_one() -> None:
    """A topic is written whole; its prose stays."""
    targets: proposing.Targets = {"fact": proposing.Place(path="user.md", form="topic", title="User")}
    known = [proposing.Known("t", "user.md", "About them.\n\n- User lives in Bergen.\n- User plays chess.\n")]
    (edit,) = proposed(said("I live in Oslo."), targets=targets, existing=known)
    assert isinstance(edit, PutTopic)
    assert (edit.body, edit.title) == ("About them.\n\n- User lives in Oslo.\n- User plays chess.\n", "")


def test_who_tells_much_at_once_is_kept_whole() -> None:
    """Issue 17: of a message four statements were kept and of a stretch twelve, in silence."""
    told = [f"My friend {name} lives in {name}stad." for name in (f"{first}ira" for first in "ABCDEFGHIKLMNO")]
    for talk in (told, [" ".join(told)]):
        assert len(proposing.extract(said(*talk), zone=UTC)) == len(told)


def test_a_task_knows_when_it_is_due() -> None:
    """Issue 4: open tasks with dates made absolute."""
    (memo,) = proposing.extract(said("I have to file my taxes by end of month."), zone=UTC)
    assert memo.due == date(2026, 2, 28)


def test_a_fix_that_the_assistant_tells_of_has_its_trust() -> None:
    """Issue 4: failures and their fixes; trust is that of who said it."""
    error = Message("tool", "collecting\nsqlite3.OperationalError: database is locked\n", at=AT)
    fix = Message("assistant", "Fixed the database lock by enabling WAL mode in the store.", at=AT)
    memos = proposing.extract(said(error, fix), zone=UTC)
    assert [(memo.kind, memo.trust) for memo in memos] == [("fix", "agent")]


def test_a_played_role_lasts_until_it_is_ended() -> None:
    """Issue 4: roleplay is respected."""
    told = [
        "Let's roleplay: you are the innkeeper.",
        "I live in a castle.",
        "Okay, stop the roleplay.",
        "I live in Bergen.",
    ]
    assert heard(*told) == [("fact", "User lives in Bergen.")]


@in_one_test(
    "begun",
    ["Let's play chess!", "Imagine I live in Tokyo. What would I eat?", "Let's roleplay: you are the innkeeper."],
)
def test_a_play_or_a_thought_does_not_last_for_days(begun: str) -> None:
    """Issue 17: after "Let's play chess!" nothing that was said in that chat was noted any more."""
    later = [Message("user", "I live in Bergen.", at=AT + timedelta(hours=3))]
    memos = proposing.extract(said(begun, *later), zone=UTC)
    assert [memo.text for memo in memos] == ["User lives in Bergen."]


def test_what_is_said_beside_what_is_to_be_forgotten_is_kept() -> None:
    """Issue 17: "Forget that I like tea" lost the whole message."""
    assert heard("I live in Bergen. Forget that I like tea. My sister is called Ida.") == [
        ("fact", "User lives in Bergen."),
        ("fact", "User's sister is called Ida."),
    ]


@pytest.mark.slow
def test_of_a_very_long_message_head_and_tail_are_read() -> None:
    """BEAM has a message of 348,853 characters; the middle of such is pasted."""
    filler = "The quick brown fox jumps over the lazy dog. " * 900
    text = f"I live in Bergen. {filler} I prefer tea. {filler} I'm left-handed."
    memos = proposing.extract(said(text), zone=UTC)
    assert [memo.text for memo in memos] == ["User lives in Bergen.", "User is left-handed."]
    assert all(text[slice(*memo.span)] == memo.quote for memo in memos)


def test_the_gate_accepts_what_the_rules_propose() -> None:
    """DESIGN 7: without a model the rules make the same kind of proposal."""
    messages = tuple(
        said(
            "I live in Oslo now.",
            "I prefer tea over coffee.",
            "I need to renew my passport by Friday.",
            "Never push without asking me.",
        )
    )
    known = [proposing.Known("e1", "MEMORY.md", "User lives in Bergen.")]
    proposal = proposing.propose(messages, session="s", zone=UTC, targets=TARGETS, existing=known)
    view = View(
        messages=messages, entries=(ViewEntry(id="e1", number=1, path="MEMORY.md", text=known[0].text, trust="user"),)
    )
    judged = gate.judge(proposal, view, dict.fromkeys(gate.texts(proposal), ()), by_model=False)
    assert (judged.held, len(judged.accepted)) == ((), 4)
    assert {edit.trust for edit in judged.accepted} == {"user"}


def test_nothing_memorable_gives_no_operation_and_no_words_no_journal() -> None:
    """Silence is better than junk."""
    assert proposed(said("Hello there!")) == ()
    assert proposing.propose([], session="s", zone=UTC, targets=TARGETS).journal == ""


def test_the_same_range_gives_the_same_proposal() -> None:
    """DESIGN 1.10: deterministic by default."""
    messages = said(*(case[0] for case in POSITIVE))
    assert proposed(messages) == proposed(messages)


@in_one_test(
    ("said", "stated"),
    [
        ("I live in Bergen and work at the aquarium.", "User lives in Bergen and works at the aquarium."),
        ("I wear hearing aids and prefer text over calls.", "User wears hearing aids and prefers text over calls."),
        ("I'm a nurse and work nights.", "User is a nurse and works nights."),
        ("I have a dog and a cat.", "User has a dog and a cat."),
        ("I enjoy walks and cake.", "User enjoys walks and cake."),
        ("I like to cook and bake.", "User likes to cook and bake."),
    ],
)
def test_each_verb_of_a_person_has_its_form(said: str, stated: str) -> None:
    """Issue 17: read back from a day."""
    assert [text for _, text in heard(said)] == [stated]


@in_one_test(
    ("said", "stated"),
    [
        ("I'm vegetarian but I eat fish.", "User is vegetarian but they eat fish."),
        ("I work at Bosch but I'm tired today.", "User works at Bosch."),
        ("I moved my standup to 9:15, remember that.", "User moved their standup to 9:15."),
        ("The fix was to pin protobuf", "The fix was to pin protobuf."),
        ("Don't call me before 10.", "Don't call me before 10."),
    ],
)
def test_an_exception_stays_with_what_it_is_of_and_a_request_to_remember_does_not(said: str, stated: str) -> None:
    """Issue 17: read back from a day."""
    assert [text for _, text in heard(said)] == [stated]
