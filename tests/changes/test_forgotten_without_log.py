"""What was forgotten stays forgotten without `.commonplace/`: the transcripts say what it is (DESIGN 1.10)."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from commonplace import Memory, Message, Request
from commonplace.records import Source
from commonplace.testing import ScriptedLLM
from marking import slow_after

LAYOUTS = ("native", "two-layer", "facts")
SECRET = "My locker mascot is xylophone banana."
TALK = [
    Message("user", SECRET, id="a"),
    Message("assistant", "I will keep that in mind.", id="b"),
    Message("user", "I like tea with milk.", id="c"),
    Message("assistant", "Good.", id="d"),
]


def place(layout):
    return "sessions/s%3A1.jsonl" if layout == "native" else "transcripts/s%3A1.jsonl"


def talked(folder, layout):
    memory = Memory.open(folder, layout=layout, jobs="inline")
    memory.append("s:1", TALK)
    memory.consolidate("s:1")
    return memory


def given_out(memory):
    texts = [hit.text for hit in memory.recall("xylophone banana locker code", k=50)]
    for session in ("s:1", "s:2", None):
        texts += [memory.context(session).text, memory.context(session, "What is the locker mascot?").text]
    return "\n".join(texts)


@pytest.mark.parametrize("how", ["message", "session"])
@pytest.mark.parametrize("layout", slow_after(2, LAYOUTS))
def test_it_comes_back_by_no_way_when_only_the_files_of_memory_were_kept(tmp_path, layout, how):
    """Issue 17.3: the folder without `.commonplace/`, as the documentation says to use it with git."""
    with talked(tmp_path, layout) as memory:
        if how == "message":
            memory.forget(f"{place(layout)}#a")
        else:
            memory.sessions.delete("s:1")
        assert "xylophone" not in given_out(memory)
    shutil.rmtree(tmp_path / ".commonplace")
    with Memory.open(tmp_path, layout=layout, jobs="inline") as memory:
        memory.append("s:2", [Message("user", SECRET, id="z"), Message("assistant", "Yes.", id="y")])
        memory.consolidate("s:2")
        assert "xylophone" not in given_out(memory)
        assert "xylophone" not in "\n".join(each.text for each in memory.sessions.read("s:1"))


@pytest.mark.parametrize("layout", ["native", "two-layer"])
def test_the_rest_of_a_journal_entry_is_given_out(tmp_path, layout):
    """DESIGN 1.10: the sentences with its distinctive words go, the rest stays."""
    with talked(tmp_path, layout) as memory:
        memory.note("history", "They use a xylophone banana as the code. They like tea with milk.")
        memory.forget(f"{place(layout)}#a")
        assert "tea with milk" in given_out(memory)
    shutil.rmtree(tmp_path / ".commonplace")
    with Memory.open(tmp_path, layout=layout, jobs="inline") as memory:
        texts = [hit.text for hit in memory.recall("tea with milk", layers=["journals"])]
        assert any("They like tea with milk." in text for text in texts)
        assert not any("xylophone" in text for text in texts)


def test_a_record_that_rests_on_the_message_alone_goes_with_it(tmp_path):
    """DESIGN 1.10; another that rests on more keeps its other sentences."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s:1", TALK)
        alone = memory.remember("The code is a fruit and an instrument.", source=Source("s:1", "a")).records[0]
        memory.remember("The kettle is red.")
        receipt = memory.forget("sessions/s%3A1.jsonl#a", dry_run=True)
        assert dict(receipt.forgotten)[alone] == "The code is a fruit and an instrument."
        assert "fruit" in memory.context().text
        assert memory.forget("sessions/s%3A1.jsonl#a").forgotten == receipt.forgotten
        assert "fruit" not in memory.context().text
        assert "fruit" not in "".join(hit.text for hit in memory.recall("fruit instrument"))
        assert "kettle is red" in memory.context().text


def test_the_receipt_names_the_sentences_that_go(tmp_path):
    """Issue 17.3: what the rules copied from it is listed before and after."""
    with talked(tmp_path, "native") as memory:
        memory.note("history", "They use a xylophone banana as the code. They like tea with milk.")
        planned = memory.forget("sessions/s%3A1.jsonl#a", dry_run=True)
        texts = [text for _, text in planned.forgotten]
        assert "They use a xylophone banana as the code." in texts
        assert not any("tea with milk" in text for text in texts)


def test_a_forgetting_that_comes_with_another_copy_of_the_files_holds_at_once(tmp_path):
    """A pull brings the transcript's new line, and no tombstone."""
    with talked(tmp_path / "one", "native") as memory:
        pass
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    with Memory.open(tmp_path / "one", jobs="inline") as memory:
        memory.forget("sessions/s%3A1.jsonl#a")
    with Memory.open(tmp_path / "two", jobs="inline") as memory:
        assert "xylophone" in given_out(memory)
        shutil.copy(tmp_path / "one/sessions/s%3A1.jsonl", tmp_path / "two/sessions/s%3A1.jsonl")
        memory.sync()
        assert "xylophone" not in given_out(memory)


ILL = "In January I was diagnosed with sarcoidosis at the Haukeland clinic."
SHORT = "Marta suffers from sarcoidosis."  # one word of the message, and its sources are known from the log alone
JOINED = "Marta is a nurse in Trondheim with sarcoidosis and a cat called Fritz."
PATIENT = [
    Message("user", "I'm Marta, I work as a nurse in Trondheim.", id="a"),
    Message("assistant", "Thanks.", id="b"),
    Message("user", ILL, id="c"),
    Message("assistant", "I am sorry to hear it.", id="d"),
    Message("user", "My cat is called Fritz.", id="e"),
    Message("assistant", "Good.", id="f"),
]


def summarised(_: Request) -> str:
    added = [{"op": "add", "text": SHORT, "sources": [3]}, {"op": "add", "text": JOINED, "sources": [1, 3, 5]}]
    told = f"Her cat is called Fritz. {SHORT}"
    rewritten = f"# Memory\n\n- {SHORT}\n- Her cat is called Fritz.\n"
    return json.dumps({"journal": told, "operations": added, "history_entry": told, "memory_update": rewritten})


def patient(folder, layout):
    memory = Memory.open(folder, layout=layout, jobs="inline", llm=ScriptedLLM(summarised))
    sources = memory.append("s:1", PATIENT)
    memory.consolidate("s:1")
    return memory, sources[2]


def said_of_the_patient(memory):
    texts = [hit.text for hit in memory.recall("What does Marta suffer from, sarcoidosis? Her cat Fritz?", k=50)]
    return "\n".join([*texts, *(memory.context(each, "How is Marta?").text for each in ("s:1", "s:2", None))])


@pytest.mark.parametrize("layout", slow_after(2, ["native", "memdir", "two-layer", "structured", "graph"]))
def test_what_a_model_put_in_other_words_is_hidden_as_by_the_log(tmp_path, layout):
    """Issue 17.3: the transcript says what went with the message, and `undo` takes that back."""
    memory, message = patient(tmp_path / "whole", layout)
    with memory:
        memory.remember("Marta needs an oxygen bottle because of sarcoidosis.", source=message)
        assert "sarcoidosis" in said_of_the_patient(memory)
    for how in ("message", "session", "undone"):
        root = shutil.copytree(tmp_path / "whole", tmp_path / how)
        with Memory.open(root, layout=layout, jobs="worker") as memory:
            change = (memory.forget(session="s:1") if how == "session" else memory.forget(message)).change
            assert "sarcoidosis" not in said_of_the_patient(memory), how
            if how == "undone":
                assert memory.undo(change).ok
        shutil.rmtree(root / ".commonplace")
        with Memory.open(root, layout=layout, jobs="worker") as memory:
            said = said_of_the_patient(memory)
            assert ("sarcoidosis" in said) == (how == "undone"), how
            assert ("Her cat is called Fritz." in said) == (how != "session"), how


def test_the_undoing_of_a_second_forgetting_of_a_session_leaves_the_first(tmp_path):
    memory, _ = patient(tmp_path, "native")
    with memory:
        memory.forget(session="s:1")
        memory.append("s:1", [Message("user", "I like tea with milk.", id="g")])
        assert memory.undo(memory.forget(session="s:1").change).ok
    shutil.rmtree(tmp_path / ".commonplace")
    with Memory.open(tmp_path, jobs="worker") as memory:
        assert "sarcoidosis" not in said_of_the_patient(memory)


def test_no_hash_is_kept_of_what_is_erased(tmp_path):
    """It has no key, so that whoever guesses the text could tell that it was there."""
    memory, message = patient(tmp_path, "native")
    transcript = tmp_path / "sessions/s%3A1.jsonl"
    with memory:
        change = memory.forget(message).change
        assert '"along":["' in transcript.read_text("utf-8")
        assert memory.undo(change).ok
        memory.forget(message, erase=True)
        assert '"along":["' not in transcript.read_text("utf-8")


def test_git_leaves_the_key_out(tmp_path):
    """Issue 17.3: `git add .` commits no key."""
    with talked(tmp_path, "native"):
        pass
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    added = subprocess.run(
        ["git", "-C", str(tmp_path), "add", "-n", "."], check=True, capture_output=True, encoding="utf-8"
    ).stdout
    assert "sessions/" in added
    assert ".commonplace" not in added


@pytest.mark.parametrize("layout", ["facts", "facts-flat"])
def test_a_forgotten_episode_is_not_made_again(tmp_path, layout):
    """Issue 17: an episode is made of a whole session, so one that was forgotten came back with its next message."""
    said = [Message("user", "I live in Skien."), Message("assistant", "Noted.")]
    said += [each for n in range(5) for each in (Message("user", f"I like shade {n}."), Message("assistant", "Fine."))]

    def episodes(memory):
        return [hit for hit in memory.recall("Skien", k=20) if hit.layer == "topics" and "Skien" in hit.text]

    def more(memory):
        memory.append("s:1", [Message("user", "I have a rowing boat."), Message("assistant", "Good.")])
        memory.end("s:1")

    with Memory.open(tmp_path, layout=layout, jobs="inline") as memory:
        memory.append("s:1", said)
        memory.end("s:1")
        receipt = memory.forget(episodes(memory)[0].record)
    shutil.copytree(tmp_path, copy := tmp_path.with_name(f"{tmp_path.name}-copy"))
    shutil.rmtree(tmp_path / ".commonplace")
    with Memory.open(tmp_path, layout=layout, jobs="inline") as memory:
        more(memory)
        assert episodes(memory) == []
    with Memory.open(copy, layout=layout, jobs="inline") as memory:
        memory.undo(receipt.change)
        assert len(episodes(memory)) == 1
        shutil.rmtree(copy / ".commonplace")
    with Memory.open(copy, layout=layout, jobs="inline") as memory:
        more(memory)
        assert len(episodes(memory)) == 1


def marked(memory):
    """Return what recall gives unmarked, and what the prompts say, of where a person moved."""
    said = [hit for hit in memory.recall("Ljubljana", k=20) if "Ljubljana" in hit.text]
    prompts = memory.context(query="where did I move, Ljubljana?").text + memory.context("s:2", "Ljubljana?").text
    return bool(said), [hit.text for hit in said if not hit.superseded_by], "Ljubljana" in prompts


@pytest.mark.parametrize("how", ["record", "talk"])
@pytest.mark.parametrize("layout", slow_after(2, ["native", "memdir", "structured", "two-layer"]))
def test_what_says_a_forgotten_record_is_marked_without_the_log(tmp_path, layout, how):
    """Issue 17.3: the transcript says which words and which records tell of it, and `undo` takes that back."""
    with Memory.open(tmp_path, layout=layout, jobs="inline") as memory:
        memory.append("s:1", [Message("user", "I moved to Ljubljana in May.", id="a"), Message("assistant", "Nice.")])
        memory.consolidate("s:1")
        if how == "talk":
            memory.append("s:1", [Message("user", "Forget that I moved to Ljubljana."), Message("assistant", "Done.")])
            memory.consolidate("s:1")
            change = memory.log(limit=1)[0]
        else:
            noted = memory.recall("Ljubljana", layers=("documents", "items", "topics"))[0]
            change = memory.forget(noted.record).change
        assert marked(memory) == (True, [], False)
    undone = shutil.copytree(tmp_path, tmp_path.with_name(f"{tmp_path.name}-undone"))
    shutil.rmtree(tmp_path / ".commonplace")
    with Memory.open(tmp_path, layout=layout, jobs="inline") as memory:
        assert marked(memory) == (True, [], False)
    with Memory.open(undone, layout=layout, jobs="inline") as memory:
        assert memory.undo(change).ok
        shutil.rmtree(undone / ".commonplace")
    with Memory.open(undone, layout=layout, jobs="inline") as memory:
        assert marked(memory)[1] != []


def test_no_hash_is_kept_of_a_record_that_is_erased(tmp_path):
    """Its id holds a hash of its words."""
    with Memory.open(tmp_path, layout="memdir", jobs="inline") as memory:
        memory.append("s:1", [Message("user", "I moved to Ljubljana in May.", id="a"), Message("assistant", "Nice.")])
        memory.consolidate("s:1")
        noted = memory.recall("Ljubljana", layers=("topics",))[0].record
        memory.undo(memory.forget(noted).change)
        memory.forget(noted, erase=True)
    written = "".join(path.read_text("utf-8") for path in tmp_path.rglob("*.jsonl") if ".commonplace" not in path.parts)
    assert '"along":["' not in written
    assert f'"name":"{noted}"' not in written
