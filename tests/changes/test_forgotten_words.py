"""Which sentences go with a forgotten message: one rare word is enough, a word of everyday or of others is not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from commonplace import Memory, Message, Request
from commonplace.errors import RecordNotFoundError
from commonplace.operations import AddEntry, PutTopic
from commonplace.records import Source
from commonplace.testing import FixedClock
from marking import slow_after

TOLD = [
    Message("user", "I have epilepsy since childhood and take pills daily.", id="a"),
    Message("assistant", "I am sorry to hear of your epilepsy.", id="b"),
    Message("user", "I live in Bergen near the fish market.", id="c"),
    Message("assistant", "Good.", id="d"),
]
FACT = "The user has epilepsy. The user lives in Bergen."


def shown(memory: Memory) -> str:
    found = memory.recall("epilepsy Bergen coffee", k=20, layers=["documents", "journals"])
    return "\n".join([memory.context().stable, *(hit.text for hit in found)])


@pytest.mark.parametrize("cited", [True, False])
@pytest.mark.parametrize("git", [True, False])
def test_one_rare_word_takes_its_sentence_along(tmp_path: Path, git: bool, cited: bool) -> None:
    """Issue 17: a lower-case word in a record of two messages stayed; so did all that a model had not cited."""

    def model(_: Request) -> str:
        cites = [{"message": 1, "quote": "I have epilepsy"}, {"message": 3, "quote": "I live in Bergen"}]
        add = {"op": "add", "text": FACT} | ({"cites": cites} if cited else {})
        return json.dumps({"journal": "They spoke of the user.", "operations": [add]})

    with Memory.open(tmp_path, jobs="worker", llm=model) as memory:
        memory.append("s:1", TOLD)
        memory.end("s:1")
        assert "epilepsy" in shown(memory)
        assert "The user has epilepsy." in dict(memory.forget("s:1#a", dry_run=True).forgotten).values()
        memory.forget("s:1#a")
        assert "epilepsy" not in shown(memory)
        assert "The user lives in Bergen." in shown(memory)
    if git:
        shutil.rmtree(tmp_path / ".commonplace")
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert "epilepsy" not in shown(memory)
        assert "The user lives in Bergen." in shown(memory)


def test_a_record_takes_its_sentence_in_a_models_journal_along(tmp_path: Path) -> None:
    """Docs, commands: of a journal its line goes along; a model's was left, and recall found it."""
    fact = "Sandra's son is lactose intolerant."

    def model(_: Request) -> str:
        add = {"op": "add", "text": fact, "cites": [{"message": 1, "quote": "My son is lactose intolerant"}]}
        told = f"They spoke of school. The user said: {fact} His class goes to Turin, and he likes lactose tablets."
        return json.dumps({"journal": told, "operations": [add]})

    with Memory.open(tmp_path, jobs="inline", llm=model) as memory:
        said = "My son is lactose intolerant and likes lactose tablets. His class at school goes to Turin."
        memory.append("s:1", [Message("user", said, name="Sandra"), Message("assistant", "Noted.")])
        memory.end("s:1")
        (hit,) = memory.recall("lactose", layers=["documents"])
        change = memory.forget(hit.record).change
        (told,) = memory.recall("lactose", layers=["journals"])
        assert told.text == "They spoke of school. His class goes to Turin, and he likes lactose tablets."
        memory.undo(change)
        assert fact in memory.recall("lactose", layers=["journals"])[0].text


def kept(folder: Path, said: list[str], fact: str, cites: tuple[int, ...]) -> str:
    """Forget the first of some messages, and return what is left of a record that rests on some of them."""
    with Memory.open(folder, jobs="worker") as memory:
        memory.append("s:1", [Message("user", text, id=str(number)) for number, text in enumerate(said)])
        sources = tuple(Source("s:1", str(number)) for number in cites)
        memory.apply([AddEntry(path="facts/user.md", text=fact, sources=sources)], reason="")
        memory.forget("s:1#0")
        return shown(memory)


REX = "I live in Leeds. My dog Rex is a spaniel."


@pytest.mark.parametrize("erase", [True, False])
def test_words_take_of_a_message_what_tells_of_their_sentence(tmp_path: Path, erase: bool) -> None:
    """Found in use: `forget --every Rex --erase` took "User lives in Leeds." along, which rests on the same message."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        (source,) = memory.append("s:1", [Message("user", REX)])
        facts = ("The user lives in Leeds.", "The user has a spaniel as a dog.", "The dog is called Rex.")
        added = [AddEntry(path="facts/user.md", text=text, sources=(source,)) for text in facts]
        memory.apply(added, reason="")
        memory.note("history", "We met in Leeds. Rex barked at noon.")
        dry = memory.forget("rex", every=True, erase=erase, dry_run=True).forgotten
        assert {text for _, text in dry} == {*facts[1:], REX, "Rex barked at noon."}
        assert set(memory.forget("rex", every=True, erase=erase).forgotten) == set(dry)
        (entry,) = [hit for hit in memory.recall("Leeds Rex dog", k=20) if hit.layer == "documents"]
        assert (entry.text, memory.why(entry.record).steps[0].text) == (facts[0], facts[0])
        assert {hit.text for hit in memory.recall("Leeds Rex dog", k=20)} == {facts[0], "We met in Leeds."}
    left = [path for path in tmp_path.rglob("*") if path.is_file() and b"Rex" in path.read_bytes()]
    assert bool(left) != erase


def test_words_take_the_lines_of_a_topic_that_hold_them(tmp_path: Path) -> None:
    with Memory.open(tmp_path, layout="memdir", jobs="worker") as memory:
        body = "- The user lives in Leeds.\n- The dog is called Rex.\n- The cat is called Tom."
        memory.apply([PutTopic(path="family.md", title="Family", description="Rex and Tom", body=body)], reason="")
        memory.forget("rex", every=True)
        assert memory.read("family.md").body == "- The user lives in Leeds.\n- The cat is called Tom."


def test_a_sentence_that_another_message_says_stays(tmp_path: Path) -> None:
    """What was said of coffee besides is not forgotten with one message about it."""
    later = "Coffee with oat milk keeps me awake at night."
    left = kept(tmp_path, ["I like coffee.", later], "Likes coffee. Coffee with oat milk keeps the user awake.", (0, 1))
    assert "Coffee with oat milk keeps the user awake." in left
    assert "Likes coffee." not in left


def test_a_record_of_other_messages_alone_stays_whole(tmp_path: Path) -> None:
    assert "Drinks coffee." in kept(tmp_path, ["I like coffee.", "I drink coffee."], "Drinks coffee.", (1,))


def test_a_word_of_everyday_takes_no_sentence_along(tmp_path: Path) -> None:
    said = ["We could change the company card next week, Ann says.", "The office is in Bergen."]
    fact = "The office in Bergen is close to the company canteen."
    assert fact in kept(tmp_path, said, fact, (0, 1))


def test_who_asks_to_forget_it_does_not_keep_it(tmp_path: Path) -> None:
    """The words of the wish are in a message too; it says no more of it than the record."""
    said = ["I have epilepsy since childhood.", "Please forget what I said about my epilepsy.", "I live in Bergen."]
    left = kept(tmp_path, said, "Has epilepsy. Lives in Bergen.", (0, 2))
    assert "epilepsy" not in left
    assert "Lives in Bergen." in left


@pytest.mark.parametrize("layout", ["native", "two-layer", "structured", "graph"])
def test_an_explicit_write_of_what_is_hidden_is_taken(tmp_path: Path, layout: str) -> None:
    """Issue 17: it was answered with `duplicate`, and nothing was shown."""
    with Memory.open(tmp_path, layout=layout, jobs="worker") as memory:
        (source, _) = memory.append(
            "s:1", [Message("user", "My locker mascot is xylophone banana."), Message("assistant", "Good.")]
        )
        for text in ("The code is a fruit and an instrument.", "Keeps bees."):
            memory.remember(text, source=source if "code" in text else None)
        change = memory.forget(f"{source.session}#{source.message}").change
        assert "fruit" not in str(memory.recall("fruit instrument code"))
        assert memory.remember("Keeps bees.").status == "duplicate"
        outcome = memory.remember("The code is a fruit and an instrument.")
        assert outcome.status == "applied"
        assert memory.recall("fruit instrument code")[0].text.startswith("The code is a fruit")
        assert memory.remember("The code is a fruit and an instrument.").status == "duplicate"
        assert memory.why(outcome.records[0]).quotes == ()
        memory.undo(outcome.change)
        memory.undo(change)
        assert "xylophone" in str(memory.recall("locker code"))
        assert memory.doctor().ok


def test_a_copy_of_memory_alone_holds_what_was_erased_no_more(tmp_path: Path) -> None:
    """docs/files.md: without transcripts nothing says what was forgotten; `erase` takes it out of the files too."""
    with Memory.open(tmp_path / "one", jobs="worker") as memory:
        memory.append(
            "s:1", [Message("user", "Remember that I have epilepsy. Remember that I live in Bergen.", id="a")]
        )
        memory.end("s:1", now=False)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    for name, erase in (("one", False), ("two", True)):
        with Memory.open(tmp_path / name, jobs="worker") as memory:
            memory.forget("s:1#a", erase=erase)
            assert "epilepsy" not in shown(memory)
        for path in ("sessions", ".commonplace"):
            shutil.rmtree(tmp_path / name / path)
        with Memory.open(tmp_path / name, jobs="worker") as memory:
            assert ("epilepsy" in shown(memory)) is not erase


REPLIES = [
    *TOLD,
    Message("assistant", "Bergen it is. People with epilepsy should sleep enough. The market opens at eight.", id="e"),
    Message("user", "Which market?", id="f"),
]


@pytest.mark.parametrize("layout", slow_after(2, ["native", "two-layer", "facts", "structured", "graph", "memdir"]))
@pytest.mark.parametrize("git", [True, False])
def test_what_the_assistant_repeats_of_a_forgotten_message_goes_with_it(tmp_path: Path, layout: str, git: bool) -> None:
    """Issue 17: a forgotten message came back through the answer to it; what is left of an answer stays."""
    with Memory.open(tmp_path, jobs="worker", layout=layout) as memory:
        memory.append("s:1", REPLIES)
        listed = dict(memory.forget("s:1#a", dry_run=True).forgotten).values()
        assert "I am sorry to hear of your epilepsy." in listed
        assert "People with epilepsy should sleep enough." in listed
        undone = memory.forget("s:1#a")
    if git:
        shutil.rmtree(tmp_path / ".commonplace")
    with Memory.open(tmp_path, jobs="worker", layout=layout) as memory:
        said = [
            *(hit.text for hit in memory.recall("epilepsy, the market in Bergen", k=20)),
            *(each.text for each in memory.sessions.read("s:1")),
            *(each.text for each in memory.sessions.window("s:1")),
            *memory.sessions.buffer("s:1"),
            str(memory.context("s:1", "epilepsy").to_openai()),
            memory.read("s:1#e").text,
        ]
        assert not any("epilepsy" in text for text in said)
        assert memory.read("s:1#e").text == "Bergen it is. The market opens at eight."
        with pytest.raises(RecordNotFoundError):
            memory.sessions.message("s:1", "b")
        if not git:
            memory.undo(undone)
            assert "epilepsy" in memory.read("s:1#e").text


def test_an_erased_message_takes_its_answer_along(tmp_path: Path) -> None:
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s:1", REPLIES)
        memory.forget("s:1#a", erase=True)
        assert [each.message.id for each in memory.sessions.read("s:1")] == ["c", "d", "f"]
    assert not any(b"epilepsy" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_what_a_person_says_again_is_not_taken_from_them_nor_from_the_answer(tmp_path: Path) -> None:
    again = Message("user", "My epilepsy is better now.", id="g")
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s:1", [*REPLIES, again, Message("assistant", "So sleep helps your epilepsy, good.", id="h")])
        memory.forget("s:1#a")
        assert "epilepsy" in memory.read("s:1#g").text
        assert memory.read("s:1#h").text == "So sleep helps your epilepsy, good."
        assert "epilepsy" not in memory.read("s:1#e").text


def test_what_the_assistant_repeats_in_another_session_goes_with_it(tmp_path: Path) -> None:
    """Issue 17: a later talk told it, for memory had given it to the assistant."""
    said, told = "The ferret is named Wobbulus.", "Your ferret is named Wobbulus."
    with Memory.open(tmp_path, clock=FixedClock("2026-11-02T12:00:00+00:00", step_seconds=1), jobs="inline") as memory:
        first = memory.append("s", [Message("user", said)])
        memory.append("t", [Message("user", "What do you know of me?"), Message("assistant", told)])
        memory.forget(f"s#{first[0].message}")
        last = [Message("user", "Wobbulus is well."), Message("assistant", "So Wobbulus the ferret is well.")]
        own = {f"u#{source.message}" for source in memory.append("u", last)}
        hits = memory.recall("Wobbulus", layers=["sessions"])
        assert {hit.record for hit in hits if "Wobbulus" in hit.text} == own
