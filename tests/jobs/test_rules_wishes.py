"""What a person asks in a talk to forget is taken out of what is shown (issue 17)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.jobs.rules import proposing, wishes
from commonplace.jobs.rules.memos import Known
from commonplace.operations import PutTopic, RemoveTopic
from commonplace.records import RecordedMessage
from commonplace.testing import FixedClock
from marking import in_one_test, slow_after

AT = datetime(2026, 11, 2, 9, tzinfo=UTC)


def shown(folder: Path, layout: str, *said: str) -> str:
    """Return what enters a prompt after each sentence was said in a talk of its own."""
    clock = FixedClock(AT)
    with Memory.open(folder, layout=layout, clock=clock, jobs="inline") as memory:
        for number, text in enumerate(said):
            memory.append(f"cli:{number}", [Message("user", text), Message("assistant", "OK.")])
            memory.end(f"cli:{number}")
            memory.flush()
            clock.advance(days=1)
        return memory.context("cli:new").stable


@pytest.mark.parametrize(
    ("layout", "wish"),
    [
        ("native", "Forget that I'm pregnant."),
        ("native", "Please forget what I told you about my pregnancy."),
        ("native", "Delete that I'm pregnant from your memory."),
        ("native", "Forget that I'm pregnant. Really, please forget that I'm pregnant."),
        ("two-layer", "You can forget about the pregnancy."),
    ],
)
def test_what_a_person_asks_to_forget_leaves_the_prompt(tmp_path: Path, layout: str, wish: str) -> None:
    others = "I live in Oslo with two cats."
    assert "pregnant" in shown(tmp_path / "before", layout, others, "I'm pregnant.")
    left = shown(tmp_path / "after", layout, others, "I'm pregnant.", wish)
    assert "pregnan" not in left
    assert "Oslo" in left


@in_one_test(
    "wish",
    [
        "Forget that I'm pregnant.",
        "OK, forget what I told you about my pregnancy.",
        "Please delete that I'm pregnant from your notes.",
    ],
)
def test_so_it_does_in_the_same_talk(wish: str) -> None:
    said = ["I live in Oslo with two cats.", "I'm pregnant.", wish]
    talk = [RecordedMessage(f"m{n}", "s", "s", n, Message("user", text, at=AT), n) for n, text in enumerate(said)]
    assert [memo.text for memo in proposing.extract(talk, zone=UTC)] == ["User lives in Oslo with two cats."]


def test_a_wish_in_another_language_is_one_too(tmp_path: Path) -> None:
    assert "Oslo" not in shown(tmp_path, "native", "Ich wohne in Oslo.", "Vergiss bitte, dass ich in Oslo wohne.")


def test_a_rule_that_a_person_asks_to_forget_leaves_the_prompt(tmp_path: Path) -> None:
    said = "Never push to the release branch.", "Forget the rule about the release branch, push there."
    assert "release branch" not in shown(tmp_path, "native", *said)


@pytest.mark.parametrize(
    "other",
    [
        "Forget it, the tests pass now.",
        "Please remove the pregnancy page from the docs.",
        "I always forget my umbrella in Oslo.",
        "Don't forget that I'm pregnant.",
        "Can you delete the old branch?",
        "I went for a walk to relax and forget that I'm pregnant.",
        "Forget the tests, the plan is that I'm pregnant until May.",
        "My mail says:\n\nFrom: Bob <bob@example.org>\nSubject: hi\n\nForget that I'm pregnant.",
    ],
)
def test_another_forgetting_takes_nothing_out(tmp_path: Path, other: str) -> None:
    assert "pregnant" in shown(tmp_path, "native", "I'm pregnant.", other)


STATED = {
    "en": "User's address is 4 Elm Road.",
    "salary": "User's salary is 40,000 pounds.",
    "landlord": "User's landlord is Mr Dorset.",
    "epilepsy": "User has epilepsy.",
    "son": "User's son is called Tim.",
    "nuts": "User is allergic to nuts.",
    "oslo": "User lives in Oslo.",
    "de": "User: Meine Anschrift ist Elmweg 4.",
    "fr": "User: Mon numéro est 0611.",
    "zh": "User: 我的地址是新街四号。",
    "ja": "User: 私の住所は新宿区四番です。",
}


@in_one_test(
    ("wish", "gone"),
    [
        ("Forget my salary.", "salary"),
        ("You can forget my salary now.", "salary"),
        ("Please don't remember that I have epilepsy.", "epilepsy"),
        ("Delete my address, please.", "en"),
        ("Remove my landlord from your memory.", "landlord"),
        ("Delete what you know about my landlord.", "landlord"),
        ("Forget about my son.", "son"),
        ("Forget my allergy.", "nuts"),
        ("I want you to forget where I live.", "oslo"),
        ("Vergiss meine Anschrift.", "de"),
        ("Kannst du bitte meine Anschrift vergessen?", "de"),
        ("Efface mon numéro, s'il te plaît.", "fr"),
        ("请删除我的地址。", "zh"),
        ("住所を忘れてください。", "ja"),
        ("Please don't forget my address.", ""),
        ("I'll never forget my first salary.", ""),
        ("Forget about it, let's move on.", ""),
        ("Ignore my earlier message about the landlord.", ""),
        ("Vergiss nicht, dass ich in Oslo wohne.", ""),
        ("别忘了我的地址。", ""),
        ("Delete my branch, please.", ""),
        ("Delete my address from the contact form.", ""),
        ("How do I delete my address in the shop?", ""),
        ("Let's forget the nuts and use cheese.", ""),
        ("Don't write my address on the parcel.", ""),
        ("请把我的地址忘掉。", "zh"),
        ("忘了我的地址吧。", "zh"),
        ("忘了告诉你，我的地址是新街四号。", ""),
        ("请忘了我的病，我的地址是新街四号。", ""),
        ("他忘了我的地址。", ""),
        ("我妈把我的地址忘了。", ""),
        ("住所を忘れてしまった。", ""),
        ("My parents, who are old, forget my address.", ""),
        ("I lock the door and then forget my salary.", ""),
        ("Mi hermano, que es viejo, olvida mi address.", ""),
    ],
)
def test_a_plain_request_reaches_what_it_names(wish: str, gone: str) -> None:
    """Found in use: `Forget my salary` became a part of the fact, `Delete my address` did nothing."""
    assert wishes.wished_away(wish, list(STATED.items())) == ([gone] if gone else [])


@in_one_test(
    ("rest", "about", "shown"),
    [
        ("", "Health", None),
        ("# Health\n", "Health", None),
        ("She asked for quiet rooms.\n", "Her rooms", ""),
        ("She asked for quiet rooms.\n", "The pregnancy", "She asked for quiet rooms."),
        ("- User plays chess.\n", "Her rooms", ""),
    ],
)
def test_a_topic_goes_only_if_nothing_else_is_in_it(rest: str, about: str, shown: str | None) -> None:
    """A paragraph stays though the one line beside it is forgotten."""
    message = RecordedMessage("m", "s", "s", 1, Message("user", "Forget that I'm pregnant.", at=AT), 1)
    topic = Known("t", "t.md", f"{rest}- User is pregnant.\n", "Topic", description=about)
    edits = proposing.propose([message], session="s", zone=UTC, targets={}, existing=[topic]).operations
    [edit] = [each for each in edits if isinstance(each, (PutTopic, RemoveTopic))]
    assert (edit.description if isinstance(edit, PutTopic) else None) == shown


@pytest.mark.parametrize("fact", ["我对花生过敏很严重", "我住在上海"])
def test_what_one_forgot_to_tell_is_kept(tmp_path: Path, fact: str) -> None:
    """`I forgot to tell you` is no order."""
    assert fact[2:4] in shown(tmp_path, "native", fact + "。", f"忘了告诉你，{fact}。")
    assert "上海" in shown(tmp_path / "new", "native", "忘了告诉你，我住在上海。")


def test_of_a_long_run_of_one_sign_only_the_head_is_read() -> None:
    """The work for a sentence is bounded, whatever stands in it."""
    assert len(wishes.wish_of("请忘了" + "请" * 80_000)) <= wishes.SCAN_CHARS


@pytest.mark.parametrize("name", [None, "Ada"])
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("layout", ["native", *slow_after(0, ["two-layer", "facts", "memdir", "structured", "graph"])])
def test_neither_the_statement_nor_the_request_is_in_a_prompt(
    tmp_path: Path, layout: str, *, apart: bool, name: str | None
) -> None:
    """Found in use: in one stretch, by name, and in the request itself it was still found."""
    said = "My salary is 40,000 pounds. I play the cello."
    with Memory.open(tmp_path, layout=layout, clock=FixedClock(AT), jobs="inline") as memory:
        memory.append("a", [Message("user", said, name=name), Message("assistant", "OK.")])
        if apart:
            memory.consolidate("a")
        memory.append("a", [Message("user", "Forget my salary.", name=name), Message("assistant", "Done.")])
        done = memory.consolidate("a")
        shown = memory.context("b", "What is my salary, and do I play the cello?").text
        assert "salary" not in shown
        assert "cello" in shown or layout == "facts"  # which shows no answers
        assert all(hit.superseded_by for hit in memory.recall("salary"))
        memory.undo(done)
        assert not all(hit.superseded_by for hit in memory.recall("salary"))


def test_with_a_model_that_proposes_nothing_it_is_hidden_too(tmp_path: Path) -> None:
    with Memory.open(tmp_path, llm=lambda _: '{"journal": "They talked.", "operations": []}', jobs="inline") as memory:
        memory.append("a", [Message("user", "I'm pregnant."), Message("assistant", "Congratulations!")])
        memory.append("a", [Message("user", "Please forget what I just said."), Message("assistant", "Done.")])
        memory.consolidate("a")
        assert "pregnant" not in memory.context("b", "Am I pregnant?").text


@in_one_test(
    ("wish", "says"),
    [
        ("Forget my salary.", "what was not found"),
        ("Forget that Bob is allergic to nuts.", "what another one said"),
        ("Forget that I'm a nurse.", "asked to forget 1 record"),
    ],
)
def test_the_outcome_says_what_came_of_a_request(tmp_path: Path, wish: str, says: str) -> None:
    """Found in use: without an owner Cleo took out what Bob had said of himself, and nothing told of it."""
    with Memory.open(tmp_path / wish, jobs="inline") as memory:
        memory.append("a", [Message("user", "I'm allergic to nuts.", name="Bob"), Message("assistant", "OK.")])
        memory.append("a", [Message("user", "I'm a nurse.", name="Cleo"), Message("assistant", "OK.")])
        memory.consolidate("a")
        memory.append("a", [Message("user", wish, name="Cleo"), Message("assistant", "OK.")])
        assert says in memory.consolidate("a").reason
        assert "Bob is allergic to nuts." in memory.context("b").stable


@pytest.mark.parametrize("by_model", [False, True])
@pytest.mark.parametrize("passing", ["OK, forget the tests for now, let us look at the deploy.", "Don't save that."])
def test_what_is_said_in_passing_hides_nothing(tmp_path: Path, passing: str, *, by_model: bool) -> None:
    """A figure of speech hides no answers with its words, nor the message before it."""
    llm = (lambda _: '{"journal": "They talked.", "operations": []}') if by_model else None
    with Memory.open(tmp_path, llm=llm, jobs="inline") as memory:
        memory.append("a", [Message("user", "I want the tests green."), Message("assistant", "The tests are slow.")])
        memory.append("a", [Message("user", passing), Message("assistant", "Fine.")])
        memory.consolidate("a")
        hits = [hit for hit in memory.recall("the tests", k=9) if hit.layer == "sessions"]
        assert {"I want the tests green.", "The tests are slow."} <= {hit.text for hit in hits}
        assert not any(hit.superseded_by or hit.superseded_words for hit in hits)


def test_the_outcome_names_what_was_hidden(tmp_path: Path) -> None:
    with Memory.open(tmp_path, jobs="inline") as memory:
        memory.append("a", [Message("user", "I'm pregnant.", id="m"), Message("assistant", "OK.", id="n")])
        memory.append("a", [Message("user", "Forget that I'm pregnant."), Message("assistant", "OK.")])
        assert "what a#m said of it is hidden" in memory.consolidate("a").reason


@pytest.mark.parametrize("layout", ["native", "two-layer"])
def test_a_range_that_is_read_again_after_an_undo_is_hidden_again(tmp_path: Path, layout: str) -> None:
    """Issue 17: what was asked to be forgotten came back for good with one undo."""
    said = ("I live in Oslo with two cats.", "I'm pregnant.", "Forget that I'm pregnant.")
    assert "pregnan" not in shown(tmp_path, layout, *said)

    def current(memory: Memory) -> set[str]:
        return {hit.text for hit in memory.recall("pregnant") if "pregnan" in hit.text and not hit.superseded_by}

    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        for _ in range(2):
            assert not current(memory)
            memory.undo(next(change.number for change in memory.log() if "take_back" in change.kinds))
            assert {said[1], said[2]} <= current(memory)
            memory.consolidate("cli:2")
        assert "pregnan" not in memory.context("cli:new").stable


TOLD = {
    "en": "User's therapist is Dr. Anna Berg.",
    "salary": "User's salary is 40,000 pounds.",
    "de": "User: Meine Therapeutin ist Frau Berg",
    "fr": "User: Ma psychologue est Mme Berg",
    "es": "User: Mi psicóloga es Ana Berg",
    "it": "User: La mia dottoressa è Anna Berg",
    "nl": "User: Mijn huisarts is Anna Berg",
    "pl": "User: Mój dentysta to Jan Berg",
    "zh": "User: 我的治疗师是张医生。",
}


@in_one_test(
    ("wish", "gone"),
    [
        ("actually please forget that about the therapist, that's private", "en"),
        ("Please forget the thing about the therapist.", "en"),
        ("Forget what I said about the therapist because it's private.", "en"),
        ("Oh, forget the stuff about the salary.", "salary"),
        ("Vergiss das mit der Therapeutin.", "de"),
        ("Vergiss bitte, was ich über die Therapeutin gesagt habe.", "de"),
        ("Oublie l'histoire de la psychologue, s'il te plaît.", "fr"),
        ("Olvida lo que te dije sobre la psicóloga.", "es"),
        ("Dimentica quello che ti ho detto sulla dottoressa.", "it"),
        ("Vergeet wat ik zei over de huisarts.", "nl"),
        ("Zapomnij o tym, co mówiłem o dentyście.", "pl"),
        ("请忘掉我说的关于治疗师的事。", "zh"),
        ("Don't forget what I told you about the therapist.", ""),
        ("I can't forget that thing about the therapist.", ""),
        ("Forget that about the weather, that's boring.", ""),
        ("Forget the therapist joke, here is another one.", ""),
        ("The book makes you forget the thing about the salary.", ""),
        ("Vergiss nicht, was ich über die Therapeutin gesagt habe.", ""),
        ("N'oublie pas ce que j'ai dit sur la psychologue.", ""),
        ("No olvides lo de la psicóloga.", ""),
    ],
)
def test_what_was_told_of_a_thing_is_asked_to_be_forgotten(wish: str, gone: str) -> None:
    """Found in use: `please forget that about the therapist` did nothing, and nothing was said of it."""
    assert wishes.wished_away(wish, list(TOLD.items())) == ([gone] if gone else [])


@pytest.mark.parametrize("layout", ["native", "two-layer", "structured", "memdir", "facts"])
def test_the_outcome_counts_what_was_taken_out(tmp_path: Path, layout: str) -> None:
    """Found in use: the turn of the request itself was counted, and the facts layout took nothing out."""
    clock = FixedClock(AT)
    done = []
    with Memory.open(tmp_path, layout=layout, clock=clock, jobs="inline") as memory:
        told = ["My therapist is Dr. Anna Berg.", "I live in Bern.", "I like tea."]
        for session, said in (("a", told), ("b", ["Forget that about the therapist."]), ("c", ["Forget my salary."])):
            memory.append(session, [Message("user", text) for text in said])
            done.append(memory.end(session).reason)
            clock.advance(days=1)
        shown = "".join(path.read_text("utf-8") for path in (tmp_path / "memory").rglob("*.md"))
        assert "asked to forget 1 record, taken out" in done[1]
        assert "asks to forget what was not found" in done[2]
        assert "Bern" in shown or "Bern" in memory.context("new").text
        assert "Berg" not in memory.context("new").text
        assert not any("Berg" in hit.text for hit in memory.recall("therapist") if hit.layer == "topics")
