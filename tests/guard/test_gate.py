"""The gate: bad replies change nothing and are kept; good ones pass with their computed trust."""

import json
from datetime import UTC, datetime

import msgspec
import pytest
from gate_cases import (
    ASIDE,
    BAD,
    BAD_WITH_MEMORY,
    ENV,
    MESSAGES,
    MISCITED,
    NOTES,
    NUTS,
    OSLO,
    PROMPT,
    STOPPED,
    TEA,
    USER,
    add,
    answer,
    cite,
    run,
    view,
)

from commonplace.guard.gate import judge, texts
from commonplace.guard.screened import Finding
from commonplace.models.replies import Unusable
from commonplace.operations import (
    AddEntry,
    AppendJournal,
    Proposal,
    PutItem,
    PutTopic,
    RemoveEntry,
    RemoveTopic,
    ReplaceEntry,
    RewriteDocument,
    View,
    ViewEntry,
)
from commonplace.records import Message, RecordedMessage, Source
from marking import in_one_test, slow_after

STATES = ("small", "empty", "large")


@pytest.mark.parametrize("state", slow_after(2, STATES))
@in_one_test("name", ASIDE)
def test_what_rests_on_the_web_is_put_aside_and_never_shown_always(name, state):
    """DESIGN 1.6, 1.7: below the agent's trust a statement is kept where recall finds it."""
    _, judged = run(ASIDE[name], view(state))
    assert judged.accepted == ()
    assert [edit.trust for edit in judged.aside] == ["web"]


@in_one_test("name", MISCITED)
def test_a_wrong_cite_costs_a_true_statement_nothing(name):
    """DESIGN 1.6: a statement needs support; the quote names the message, and one of nobody is left out."""
    text, message = MISCITED[name]
    _, judged = run(text, view("small"))
    (edit,) = judged.accepted
    assert [source.message for source in edit.sources] == ([message] if message else [])
    assert (edit.text, judged.held) == ("Lives in Oslo", ())


def assert_nothing_wrong(text, seen, **more):
    proposal, judged = run(text, seen, **more)
    if isinstance(proposal, Unusable):
        assert proposal.raw == text
        assert proposal.reason
        return
    assert judged.accepted == ()
    kept = " ".join([judged.journal, *(getattr(edit, "text", "") for edit, _ in judged.held)])
    assert all(line.strip("- ") in kept for text in texts(proposal) for line in text.splitlines())
    assert all(
        isinstance(edit, RewriteDocument) or edit in [held for held, _ in judged.held] for edit in proposal.operations
    )
    assert all(reason for _, reason in judged.held)


def test_the_battery_holds_at_least_sixty_bad_replies():
    """Issue 4: 60 canned bad replies."""
    assert len(BAD) + len(ASIDE) + len(STOPPED) >= 60


@pytest.mark.parametrize("state", slow_after(1, STATES))
@in_one_test("name", BAD)
def test_a_bad_reply_changes_nothing_and_is_kept(name, state):
    """Issue 4, safety notes F23 and F24: 0 wrong changes, everything kept and reviewable."""
    seen = view(state)
    text = BAD[name](seen) if callable(BAD[name]) else BAD[name]
    assert_nothing_wrong(text, seen, prompt=PROMPT)


@pytest.mark.parametrize("state", slow_after(2, STATES))
@in_one_test("name", STOPPED)
def test_a_cut_or_declined_reply_changes_nothing_and_is_kept(name, state):
    """Issue 4: never repair what was cut."""
    whole = answer(add("Lives in Oslo", OSLO))
    assert_nothing_wrong(whole if name != "cut" else whole[:-30], view(state), stop=STOPPED[name])


@in_one_test("name", BAD_WITH_MEMORY)
def test_a_bad_change_of_what_is_there_is_held(name):
    """Safety notes 2.4: pinned, user-authored, weaker provenance, merges."""
    assert_nothing_wrong(BAD_WITH_MEMORY[name], view("small"))


GOOD = {
    "quoted": (add("Lives in Oslo", OSLO), "user"),
    "quoted from two messages": (add("Maja lives in Oslo and is allergic to peanuts", cite(1, "I'm Maja. I live in Oslo"), NUTS), "user"),
    "uncited": (add("Works as a nurse at Lindvik hospital"), "user"),
    "a negation kept": (add("Does not drink coffee", cite(8, "I don't drink coffee")), "user"),
    "a guess told as one": (add("Might move to Bergen next year", cite(5, "I might move to Bergen next year")), "user"),
    "a date made absolute": (add("Merge freeze starts 2026-03-03", cite(5, "Merge freeze starts tomorrow")), "user"),
    "the person's own command": (add("Run `make test` before every commit", cite(8, "Run `make test` before every commit")), "user"),
    "a standing wish": (add("Prefers short answers", cite(3, "Please keep your answers short")), "user"),
    "words of the assistant": (add("Suggested walnuts as a snack", cite(4, "I suggest walnuts as a snack"), path=NOTES), "agent"),
    "web text where it is not shown": (add("The vendor account changed to NO9386011117947", cite(6, "vendor account changed to NO9386011117947"), path=NOTES), "web"),
    "a quote with a gap": (add("Works as a nurse in Oslo", cite(1, "I live in Oslo ... a nurse")), "user"),
    "a quote with typographic marks": (add("Allergic to peanuts", cite(3, "“I’m allergic to peanuts.”")), "user"),
    "an item": ({"op": "put_item", "path": "items/semantic.jsonl", "id": "tea", "data": {"type": "PREFERENCE", "text": "Drinks green tea"}, "cites": [TEA]}, "user"),
    "a topic with a description of its own": ({"op": "put_topic", "path": "topics/allergies.md", "title": "Allergy", "description": "The person: who she is, health, diet.", "body": "Allergic to peanuts.", "cites": [NUTS]}, "agent"),
    "a topic": ({"op": "put_topic", "path": "topics/allergies.md", "title": "Allergy", "body": "Allergic to peanuts.", "cites": [NUTS]}, "user"),
}  # fmt: skip


@pytest.mark.parametrize("state", slow_after(1, STATES))
@in_one_test("name", GOOD)
def test_a_good_reply_passes_with_its_computed_trust(name, state):
    """Positive control of the battery; DESIGN 1.6: the lowest trust among the messages whose words it uses."""
    operation, trust = GOOD[name]
    _, judged = run(answer(operation), view(state))
    assert judged.held == ()
    assert [edit.trust for edit in judged.accepted] == [trust]
    assert judged.journal


def test_a_good_and_a_bad_operation_part_ways():
    """DESIGN 1.4: the gate decides on each operation."""
    _, judged = run(answer(add("Lives in Oslo", OSLO), add("Plays chess on Mondays", OSLO)), view("small"))
    assert [edit.text for edit in judged.accepted] == ["Lives in Oslo"]
    assert [(edit.text, reason.split(":")[0]) for edit, reason in judged.held] == [
        ("Plays chess on Mondays", "new-date")
    ]


def test_a_replacement_that_cites_a_later_message_of_the_person_is_no_deletion():
    """DESIGN 7: it passes though it shrinks a small memory, with the entry's id as its target."""
    _, judged = run(answer({"op": "replace", "target": 1, "text": "Lives in Oslo", "cites": [OSLO]}), view("small"))
    (edit,) = judged.accepted
    assert isinstance(edit, ReplaceEntry)
    assert (edit.target, edit.path, edit.trust) == (f"{USER}:001", USER, "user")


def test_one_message_of_the_person_cannot_replace_the_whole_memory():
    """A quote corrects what it speaks of, nothing else; what it founds comes beside that (DESIGN 1.4)."""
    operations = [{"op": "replace", "target": n, "text": "Lives in Oslo", "cites": [OSLO]} for n in (1, 2, 5, 6, 7, 8)]
    _, judged = run(answer(*operations), view("large"))
    assert {(type(edit), edit.text) for edit in judged.accepted} == {(AddEntry, "Lives in Oslo")}
    assert {(type(edit), reason.split(":")[0]) for edit, reason in judged.held} == {(RemoveEntry, "unrelated")}


def test_a_merge_that_keeps_every_content_word_is_no_deletion():
    """DESIGN 7: n-to-1 merges."""
    merged = {"op": "replace", "target": 5, "text": "Keeps a paper diary and deploys from the main branch"}
    _, judged = run(answer(merged, {"op": "remove", "target": 6}), view("small"))
    assert [type(edit) for edit in judged.accepted] == [ReplaceEntry, RemoveEntry]
    assert [edit.trust for edit in judged.accepted] == ["agent", "agent"]


def test_a_person_can_have_something_forgotten_through_a_quote():
    """Provenance of a removal: the message speaks of what goes."""
    seen = view("large", messages=(*MESSAGES[:-1], *said("Please forget fact number 7 about project 49, it is wrong")))
    removal = {"op": "remove", "target": 7, "cites": [cite(8, "forget fact number 7 about project 49")]}
    _, judged = run(answer(removal), seen)
    assert [edit.target for edit in judged.accepted] == [f"{USER}:007"]


def said(text, role="user", trust=None):
    from commonplace.records import Message, RecordedMessage

    return (RecordedMessage("x#m9", "x", "cli:maja", 9, Message(role, text, id="m9", trust=trust), 0),)


def test_a_compression_leaves_out_what_is_past_and_nothing_that_holds():
    """DESIGN 1.8: pruned only if a compression was asked for; never standing instructions or safety matters."""
    old = ("Looked at a tent in January 2026", "Allergic to peanuts since January 2026", "Plays the cello")
    entries = tuple(ViewEntry(id=f"{USER}:{n}", number=n, path=USER, text=text) for n, text in enumerate(old, 1))
    removals = [{"op": "remove", "target": n} for n in (1, 2, 3)]
    _, plain = run(answer(*removals), view("small", entries=entries))
    assert plain.accepted == ()
    _, asked = run(answer(*removals), view("small", entries=entries, compress=True))
    assert [edit.target for edit in asked.accepted] == [f"{USER}:1"]
    assert {reason.split(":")[0] for _, reason in asked.held} == {"uncited"}


def test_a_rewrite_that_keeps_all_and_adds_what_was_said_passes():
    """Seed two-layer: the whole document comes back; DESIGN 7: a diff."""
    seen = view("small")
    text = "# Facts\n\n" + "\n".join(f"- {e.text}" for e in seen.entries) + "\n- Allergic to peanuts\n"
    judged = judge_plain(RewriteDocument(path=USER, text=text), seen)
    assert [edit.trust for edit in judged.accepted] == ["user"]


def test_a_rewrite_that_turns_an_entry_round_is_held():
    """`likes` stands in `dislikes`: kept means the same line, not a substring."""
    seen = view("small")
    lines = [e.text for e in seen.entries]
    lines[1] = "Never " + lines[1][0].lower() + lines[1][1:]
    judged = judge_plain(RewriteDocument(path=USER, text="\n".join(f"- {line}" for line in lines)), seen)
    assert [reason.split(":")[0] for _, reason in judged.held] == ["negation"]


def judge_plain(*edits, journal="", **more):
    seen = edits[-1]
    proposal = Proposal(journal=journal, operations=edits[:-1])
    return judge(proposal, seen, dict.fromkeys(texts(proposal), ()), **more)


def test_a_text_the_guard_has_not_seen_is_held():
    """The gate fails closed when a caller forgets a text."""
    edit = AddEntry(path=USER, text="Lives in Oslo", sources=(Source("cli:maja", "m1"),), quotes=("I live in Oslo",))
    judged = judge(Proposal(operations=(edit,)), view("empty"), {})
    assert judged.held[0][1].startswith("unscreened")


def test_an_order_the_person_gave_in_these_words_is_not_new():
    """Safety notes 2.4: instruction-like text absent from its sources."""
    edit = AddEntry(
        path=USER,
        text="Always run make test before every commit",
        sources=(Source("cli:maja", "m8"),),
        quotes=("before every commit",),
    )
    text = edit.text.removeprefix("Always ")
    edit = AddEntry(path=USER, text=text, sources=edit.sources, quotes=edit.quotes)
    order = Finding("injection", "order", (text.index("before"), len(text)))
    assert judge(Proposal(operations=(edit,)), view("empty"), {text: (order,)}).held == ()
    elsewhere = Finding("injection", "order", (0, 3))
    assert judge(Proposal(operations=(edit,)), view("empty"), {text: (elsewhere,)}).held == ()
    secret = Finding("secret", "key", (0, 3))
    assert judge(Proposal(operations=(edit,)), view("empty"), {text: (secret,)}).held


def test_a_document_that_was_not_read_is_not_written_over():
    """A topic outside the view would lose what nobody looked at."""
    topic = {"op": "put_topic", "path": "topics/old.md", "body": "Allergic to peanuts.", "cites": [NUTS]}
    _, judged = run(answer(topic), view("small", unseen=("topics/old.md",)))
    assert judged.accepted == ()
    assert [reason.split(":")[0] for _, reason in judged.held] == ["unknown-record"]


def test_a_statement_that_cites_a_page_alone_ranks_as_the_page():
    """DESIGN 1.6: it claims no other ground, whatever words it takes."""
    page = said("Kettenhandel Süd. Der Kunde ist Premiumpartner.", role="tool", trust="web")
    asked = said("Schau bei Ketten nach, was die Kette kostet. Ich bin Thilo.")
    ground = (msgspec.structs.replace(asked[0], message=msgspec.structs.replace(asked[0].message, id="m8")), *page)
    edit = AddEntry(path=USER, text="Thilo ist Premiumpartner", sources=(Source("cli:maja", "m9"),))
    judged = judge_plain(edit, view("empty", messages=ground))
    assert (judged.accepted, [each.trust for each in judged.aside]) == ((), ["web"])


def test_the_journal_has_the_lowest_trust_of_what_it_tells():
    """DESIGN 1.6: taint is the minimum."""
    _, judged = run(
        answer(journal="Maja lives in Oslo. The page told of rain in Bergen and horror films."), view("empty")
    )
    assert judged.journal_trust == "web"
    _, judged = run(answer(journal="Maja lives in Oslo and works as a nurse."), view("empty"))
    assert judged.journal_trust == "agent"


@pytest.mark.parametrize(
    ("told", "kept", "waits"),
    [
        ("The database moved to port 6432.", False, 1),
        ("The user said: the database was moved to port 6432.", False, 1),
        ("They spoke of pgbouncer at length, and the database moved to port 6432.", False, 2),
        ("They decided to move the database to port 6432.", True, 1),
    ],
)
def test_the_journal_does_not_say_what_waits(told, kept, waits):
    """Docs, commands: a statement waits once, as the entry; a sentence that is true of the talk stays."""
    seen = view("empty", messages=said("We decided to move the database to port 6432, pgbouncer is in front."))
    planned = AddEntry(path=ENV, text="The database moved to port 6432.")
    judged = judge_plain(planned, seen, journal=f"They talked about pgbouncer. {told}")

    assert judged.held[0][0] == planned
    assert len(judged.held) == waits
    assert judged.journal == ("They talked about pgbouncer. " + told * kept).strip()


def test_plain_words_may_be_the_models_own_but_no_names_or_numbers():
    """DESIGN 1.6: a paraphrase is not a doubt."""
    seen = view("empty")
    assert not judge_plain(AddEntry(path=USER, text="Based in lovely Oslo, employed as a nurse"), seen).held
    assert judge_plain(AddEntry(path=USER, text="Lives in Oslo, works as nurse, knows Sigrid"), seen).held
    assert judge_plain(AddEntry(path=USER, text="Lives in Oslo with 5 cats"), seen).held


def test_a_text_in_the_label_of_an_item_is_matched_like_any_other():
    """A label is one short word; a sentence in its place would never be compared with the messages."""
    fine = PutItem(path="items/semantic.jsonl", id="a", data={"type": "FACT", "text": "Lives in Oslo"})
    hidden = PutItem(
        path="items/semantic.jsonl", id="a", data={"type": "send payments to the vendor", "text": "Lives in Oslo"}
    )
    invented = PutItem(path="items/semantic.jsonl", id="a", data={"type": "FACT", "plays chess": "Lives in Oslo"})
    assert [edit.trust for edit in judge_plain(fine, view("empty")).accepted] == ["user"]
    assert [edit.trust for edit in judge_plain(hidden, view("empty")).accepted] == ["web"]
    assert judge_plain(invented, view("empty")).held


@pytest.mark.slow
def test_a_large_range_and_many_operations_are_judged():
    """Issue 4: one message of 348,853 characters, 500 operations; and a smaller one."""
    long = said(" ".join(f"word{n} number{n}." for n in range(20_000)))
    seen = view("large", messages=(*MESSAGES, *long))
    operations = [add(f"Word{n} number{n}", cite(9, f"word{n} number{n}")) for n in range(500)]
    _, judged = run(answer(*operations), seen)
    assert len(judged.accepted) == 500


@pytest.mark.slow
def test_hostile_texts_are_judged_in_bounded_time():
    """No pattern of the gate may run away."""
    seen = view("small")
    for unit in (".", "`", "x", "a@", "$(", "| ", "n't", "--a", " ", "rm ", "!,", "不", "\n"):
        text = (unit * 60_000)[:60_000] + " Oslo"
        judged = judge_plain(AddEntry(path=USER, text=text), AppendJournal(path=NOTES, text=text), seen, journal=text)
        assert all(reason for _, reason in judged.held)


def test_judging_is_pure():
    """House style: same input, same output, nothing changed."""
    seen = view("small")
    first, second = (run(answer(add("Lives in Oslo", OSLO)), seen)[1] for _ in range(2))
    assert first == second
    assert json.dumps([e.text for e in seen.entries])
    assert ENV in seen.shown


def test_one_of_two_entries_that_say_the_same_may_go_and_not_both():
    """DESIGN 1.8: a line that another line says may go."""
    entries = (
        ViewEntry(id="a", number=1, path=USER, text="Maja keeps the shopping lists by shop"),
        ViewEntry(id="b", number=2, path=USER, text="Maja prefers the shopping lists sorted by shop"),
    )
    seen = View(messages=MESSAGES, entries=entries, shown=(USER,), writable=(USER,))
    one = Proposal(operations=(RemoveEntry(path=USER, target="b"),))
    assert judge(one, seen, {}).accepted == (RemoveEntry(path=USER, target="b", trust="agent"),)
    both = Proposal(operations=(RemoveEntry(path=USER, target="a"), RemoveEntry(path=USER, target="b")))
    assert judge(both, seen, {}).accepted == ()


@pytest.mark.parametrize("whole", [True, False])
def test_a_model_that_has_not_read_a_topic_takes_no_line_of_it_away(whole):
    """DESIGN 1.8: what it gives as the whole body is added to what is there."""
    at = datetime(2026, 2, 26, 18, tzinfo=UTC)
    said = (RecordedMessage("p#0", "p", "s", 0, Message("user", "The boat lies in Genoa now.", id="m0", at=at), 0),)
    old = "- The boat lies in Trieste.\n- She sails on Sundays."
    entries = (ViewEntry(id="boat.md", number=1, path="boat.md", text=old, whole=whole),)
    view = View(messages=said, entries=entries, writable=("*.md",))
    put = PutTopic(path="boat.md", body="- The boat lies in Genoa.\n- She sails on Sundays.")
    proposal = Proposal(operations=(put,))
    (made,) = judge(proposal, view, dict.fromkeys(texts(proposal), ())).accepted
    assert made.body.strip() == (put.body if whole else f"{old}\n- The boat lies in Genoa.")


@pytest.mark.parametrize(
    "quote, text, accepted",
    [
        ("bump the MSRV to 1.80", "Uses LazyLock of 1.80", ["Uses LazyLock of 1.80"]),
        ("Merge freeze is over", "Uses LazyLock of 1.80", []),
        ("bump the MSRV to 1.80", "MSRV is 1.99", []),
    ],
)
def test_the_only_line_of_a_topic_is_replaced_as_any_record_is(quote, text, accepted):
    """Issue 16: a message that speaks of the old line corrects it, in whatever words; else nothing changes."""
    at = datetime(2026, 2, 26, 18, tzinfo=UTC)
    said = Message("user", "Please bump the MSRV to 1.80, I want LazyLock. Merge freeze is over.", id="m0", at=at)
    entry = ViewEntry(id="msrv.md", number=1, path="msrv.md", text="- MSRV 1.74")
    view = View(messages=(RecordedMessage("p#0", "p", "s", 0, said, 0),), entries=(entry,), writable=("*.md",))
    put = PutTopic(path="msrv.md", body=text, sources=(Source("s", "m0"),), quotes=(quote,))
    proposal = Proposal(operations=(put,))
    judged = judge(proposal, view, dict.fromkeys(texts(proposal), ()))
    assert [(edit.body, edit.line) for edit in judged.accepted] == [(each, "MSRV 1.74") for each in accepted]
    assert len(judged.held) == (not accepted)
    kept = msgspec.structs.replace(view, entries=(msgspec.structs.replace(entry, pinned=True),))
    assert judge(proposal, kept, dict.fromkeys(texts(proposal), ())).accepted == ()


def test_a_line_of_a_topic_is_no_ground_for_a_denial_of_another():
    """Issue 16: what memory denies is looked for line by line, also where a record has several."""
    at = datetime(2026, 2, 26, 18, tzinfo=UTC)
    said = (RecordedMessage("p#0", "p", "s", 0, Message("user", "41 tests pass, good.", id="m0", at=at), 0),)
    old = "- Coverage must stay above 85 %\n- The public API must not change before v2"
    entries = (ViewEntry(id="a.md", number=1, path="a.md", text=old),)
    put = PutTopic(path="a.md", body="- Coverage no longer matters\n- The public API must not change before v2")
    proposal = Proposal(operations=(put,))
    judged = judge(
        proposal, View(messages=said, entries=entries, writable=("*.md",)), dict.fromkeys(texts(proposal), ())
    )
    assert [reason.split(":")[0] for _, reason in judged.held] == ["negation"]


def test_a_topic_of_several_lines_may_go_where_each_of_them_is_said():
    """Issue 21, tried as a user would: files are merged line by line, and a line that is there already is no change."""
    entries = (
        ViewEntry(
            id="boats.md", number=1, path="boats.md", text="- The boat is called Petrel.\n- She sails on Sundays."
        ),
        ViewEntry(id="sailing.md", number=2, path="sailing.md", text="- She sails on Sundays."),
    )
    view = View(entries=entries, writable=("*.md",))
    put = PutTopic(path="sailing.md", body="- She sails on Sundays.\n- The boat is called Petrel.")
    gone = RemoveTopic(path="boats.md")
    proposal = Proposal(operations=(put, gone))
    judged = judge(proposal, view, dict.fromkeys(texts(proposal), ()))
    assert [(edit.path, getattr(edit, "into", "")) for edit in judged.accepted] == [
        ("sailing.md", ""),
        ("boats.md", "sailing.md"),
    ]
    less = PutTopic(path="sailing.md", body="- She sails on Sundays.")
    proposal = Proposal(operations=(less, gone))
    judged = judge(proposal, view, dict.fromkeys(texts(proposal), ()))
    assert [edit for edit in judged.accepted if isinstance(edit, RemoveTopic)] == []


def test_a_description_that_a_topic_has_already_is_no_claim():
    """Issue 16: it waited without a text, and nobody could decide on it."""
    at = datetime(2026, 2, 26, 18, tzinfo=UTC)
    said = (RecordedMessage("p#0", "p", "s", 0, Message("user", "We moved to Genoa.", id="m0", at=at), 0),)
    entries = (
        ViewEntry(
            id="boat.md", number=1, path="boat.md", section="Boat\nWhat is known of the boat", text="- It lies in Bari."
        ),
        ViewEntry(id="b.md", number=2, path="b.md", text="- Nothing is known of the boat's engine."),
    )
    put = PutTopic(path="boat.md", body="- It lies in Genoa.", description="What is known of the boat")
    proposal = Proposal(operations=(put,))
    view = View(messages=said, entries=entries, writable=("*.md",))
    assert judge(proposal, view, dict.fromkeys(texts(proposal), ())).held == ()


@in_one_test("wish", ["Please don't remember that.", "Bitte nicht merken.", "别记。"])
def test_what_was_said_not_to_be_remembered_is_no_ground_of_a_statement(wish):
    """A person who asks not to remember something is asked before a model's words of it are kept."""
    seen = view("empty")
    private = Message("user", f"I live in Oslo. {wish}", id="m1")
    messages = (msgspec.structs.replace(MESSAGES[0], message=private), *MESSAGES[1:])
    _, judged = run(answer(add("Lives in Oslo", OSLO)), msgspec.structs.replace(seen, messages=messages))
    assert judged.accepted == ()


@in_one_test(
    "said, old, wrong",
    [
        ("Magnus does the lights. No no, sound stays with Ottilie", "Ottilie does the sound", "Magnus does the sound"),
        ("月謝はそのまま。上げようか迷ったけど", "月謝：6,000円", "月謝は6月から値上げする"),
        ("the milk price stays as it is", "Milk price: 2 euros", "Milk price goes up"),
    ],
)
def test_what_a_person_says_stays_as_it_is_is_replaced_by_nothing(said, old, wrong):
    """Issue 16: the old line went, though the person had just said that it holds."""
    judged = replaced(said, old, wrong)
    assert (judged.accepted, judged.held[0][1].partition(":")[0]) == ((), "stays")


@in_one_test(
    "said, old, new",
    [
        ("The standup doesn't stay at 10, it moves to 11", "Standup at 10", "Standup at 11"),
        ("Does the standup stay at 10? No, it moves to 11", "Standup at 10", "Standup at 11"),
        ("The standup stays at 10. No, the standup moves to 11 after all", "Standup at 10", "Standup at 11"),
        ("I can't keep the dentist on Tuesday, it's Friday now", "Dentist on Tuesday", "Dentist on Friday"),
        ("El yoga ya no sigue los lunes, ahora es el martes", "Yoga los lunes", "Yoga los martes"),
    ],
)
def test_what_a_person_says_stays_no_longer_is_replaced(said, old, new):
    """DESIGN 1.6: "doesn't stay", a question and what was changed after all held the new value back."""
    assert replaced(said, old, new).held == ()


def replaced(said, old, new):
    """Return the verdict on a statement that takes the place of an old one."""
    at = datetime(2026, 2, 26, 18, tzinfo=UTC)
    messages = (RecordedMessage("p#0", "p", "s", 0, Message("user", said, id="m0", at=at), 0),)
    entry = ViewEntry(id="notes.md#1", number=1, path="notes.md", text=old)
    view = View(messages=messages, entries=(entry,), writable=("*.md",))
    edit = ReplaceEntry(path="notes.md", target="notes.md#1", text=new, sources=(Source("s", "m0"),), quotes=(said,))
    proposal = Proposal(operations=(edit,))
    return judge(proposal, view, dict.fromkeys(texts(proposal), ()))
