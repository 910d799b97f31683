"""Recall with an embedder: what it adds, what it must not touch, and what happens when it fails."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime

import pytest
from meanings import Meanings, meaning

from commonplace import AsyncMemory, Config, Memory, Message, Query
from commonplace.config import RecallConfig
from commonplace.errors import ConfigError
from commonplace.recall.embedding import PROBES
from commonplace.recall.index import vectors
from marking import slow_after


def rows(memory):
    with closing(sqlite3.connect(f"{memory.location}/.commonplace/index.sqlite")) as db:
        return db.execute("SELECT count(*) FROM vectors").fetchone()[0]


@pytest.fixture(params=["numpy", "plain"])
def with_and_without_numpy(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(vectors, "numpy", lambda: None)


@pytest.mark.usefixtures("with_and_without_numpy")
def test_what_shares_no_word_with_the_question_is_found_and_says_so(memory):
    """Issue 7: an optional embedder; a hit found only by its vector is allowed when it is near."""
    memory.append("s", [Message("user", "Bought an automobile"), Message("user", "Rain again on Tuesday")])
    hits = memory.recall("vehicle bought?", explain=True)
    assert hits[0].text == "Bought an automobile"
    alone = memory.recall("hatchback automobile vehicle car", explain=True)
    assert alone[0].text == "Bought an automobile"
    (found,) = memory.recall("hatchback", explain=True) or (None,)
    assert found is None or found.why["found by"] == "its vector alone"


def test_a_near_text_is_found_alone_and_a_far_one_is_not(memory):
    """Issue 7: the floor below which nothing is returned holds."""
    memory.append("s", [Message("user", "automobile"), Message("user", "Rain again on Tuesday")])
    (hit,) = memory.recall("hatchback", explain=True)
    assert (hit.text, hit.why["found by"]) == ("automobile", "its vector alone")
    assert hit.score > 0
    assert memory.recall("zeppelin") == []
    assert "found by" not in memory.recall("automobile", explain=True)[0].why


def test_words_stay_dominant(memory):
    """Retrieval notes 2: of the best words the vector's part counts `recall.vector_weight` at most."""
    memory.append("s", [Message("user", "The kitten sleeps all day"), Message("user", "My cat is called Pip")])
    hits = memory.recall("what is my cat called", explain=True)
    assert hits[0].text == "My cat is called Pip"
    assert 0 < hits[0].why["meaning"] <= RecallConfig().vector_weight


def of_cars(texts):
    """Embed so that a question that names a car means nothing else."""
    return [meaning("car" if {"automobile", "hatchback"} & set(text.lower().split()) else text) for text in texts]


def test_what_is_near_speaks_for_the_messages_beside_it(tmp_path, patient):
    """Issue 7: messages count with their neighbours, by their vectors as by their words."""
    said = {"a": ("user", "Thunder all night"), "b": ("user", "Bought an automobile")}
    with Memory.open(tmp_path, embedder=of_cars, config=patient, jobs="worker") as memory:
        for session, (role, text) in said.items():
            memory.append(session, [Message("user", f"The harbour {session}"), Message(role, text)])
        hits = memory.recall("which harbour and which street did the hatchback leave", explain=True)
    part = {hit.text: hit.why.get("meaning", 0.0) for hit in hits}
    assert hits[0].text == "The harbour b"
    assert 0.0 < part["The harbour b"] < part["Bought an automobile"]
    assert part["The harbour a"] == 0.0


def test_what_is_near_does_not_speak_for_an_assistant_beside_it(tmp_path, patient):
    """As with words: an assistant's text is long and echoes what a user says."""
    with Memory.open(tmp_path, embedder=of_cars, config=patient, jobs="worker") as memory:
        memory.append("s", [Message("user", "Bought an automobile"), Message("assistant", "The harbour is open")])
        hits = memory.recall("which harbour and which street did the hatchback leave", explain=True)
    part = {hit.text: hit.why.get("meaning", 0.0) for hit in hits}
    assert part["The harbour is open"] == 0.0


def test_of_two_texts_with_the_same_words_the_nearer_one_comes_first(memory):
    """Issue 7: fused by normalised score."""
    memory.append("a", [Message("user", "The contract names the garden fence")])
    memory.append("b", [Message("user", "The contract names the remuneration")])
    assert memory.recall("what salary does the contract name")[0].text == "The contract names the remuneration"


def test_records_of_other_layers_are_found_by_meaning(memory):
    """Issue 7: exact search within a scope, over all layers; the layers asked for hold."""
    memory.remember("physician surgeon")
    assert memory.recall("doctor")[0].text == "physician surgeon"
    assert memory.recall("doctor", layers=("documents",))[0].layer == "documents"
    assert memory.recall("doctor", layers=("sessions",)) == []


def test_a_tag_that_was_asked_for_cannot_be_met_by_a_vector(memory):
    """A tag is looked up by its name."""
    memory.append("s", [Message("user", "automobile")])
    assert memory.recall(Query(text="hatchback", tags=("web",))) == []


def test_an_append_never_embeds(memory, embedder):
    """DESIGN 1.2: capture needs no model."""
    memory.append("s", [Message("user", "automobile")])
    memory.remember("physician")
    assert embedder.calls == []


def test_each_text_is_embedded_once_and_what_a_tool_said_not_at_all(memory, said):
    """Vectors are kept in the index, one a text, wherever it stands."""
    memory.append("s", [Message("user", "automobile"), Message("tool", "404 bytes of log"), Message("user", "kitten")])
    memory.append("t", [Message("assistant", "automobile"), Message("user", "  ")])
    memory.recall("hatchback")
    memory.recall("hatchback")
    assert sorted(said()) == ["automobile", "hatchback", "kitten"]
    memory.append("s", [Message("user", "flat")])
    memory.recall("hatchback")
    assert sorted(said()) == ["automobile", "flat", "hatchback", "kitten"]


def test_vectors_outlive_the_process(tmp_path, patient):
    """Vectors as blobs: a second process embeds the question and the probes only."""
    first, second = Meanings(), Meanings()
    for embedder in (first, second):
        with Memory.open(tmp_path, embedder=embedder, config=patient) as memory:
            if embedder is first:
                memory.append("s", [Message("user", "automobile")])
            assert memory.recall("hatchback")[0].text == "automobile"
    assert second.texts == [*PROBES, "hatchback"]


def test_an_edited_document_is_embedded_where_it_differs(memory, said):
    """A file is indexed anew as a whole; only what is new in it is sent."""
    memory.remember("physician")
    memory.recall("hatchback")
    before = len(said())
    memory.remember("automobile")
    memory.recall("hatchback")
    assert said()[before:] == ["automobile"]


def test_the_speaker_stands_before_what_is_embedded_and_long_texts_go_in_passages(memory, said):
    """A passage is what is found, so a passage is what is embedded."""
    memory.append(
        "s", [Message("user", " ".join(f"Wheel {n} of the automobile is loose." for n in range(60)), name="Ada")]
    )
    memory.recall("hatchback")
    passages = [text for text in said() if text != "hatchback"]
    assert len(passages) > 2
    assert all(text.startswith("Ada: ") and len(text) < 700 for text in passages)


def test_a_forgotten_message_loses_its_vector(memory, said):
    """DESIGN 1: what was forgotten does not come back; its vector vanishes with it."""
    memory.append("s", [Message("user", "automobile", id="a"), Message("user", "kitten", id="b")])
    assert memory.recall("hatchback")[0].text == "automobile"
    assert rows(memory) == 2
    memory.forget(memory.recall("hatchback")[0].record)
    assert memory.recall("hatchback") == []
    assert memory.recall("feline")[0].text == "kitten"
    assert rows(memory) == 1
    assert said().count("kitten") == 1


def test_a_removed_entry_loses_its_vector(memory):
    """Derived: whatever takes a passage out of the index takes it out here."""
    noted = memory.remember("physician")
    assert memory.recall("doctor")[0].text == "physician"
    memory.forget(noted.records[0])
    assert memory.recall("doctor") == []
    assert rows(memory) == 0


def test_a_rewritten_transcript_and_a_new_index_leave_no_old_vector(memory, tmp_path):
    """Derived: rows and vectors go together."""
    memory.append("s", [Message("user", "automobile"), Message("user", "kitten")])
    memory.recall("hatchback")
    (transcript,) = (tmp_path / "memory" / "sessions").glob("*.jsonl")
    lines = transcript.read_bytes().splitlines(keepends=True)
    transcript.write_bytes(b"".join(line for line in lines if b"automobile" not in line))
    memory.sync()
    assert memory.recall("hatchback") == []
    assert memory.recall("feline")[0].text == "kitten"
    assert rows(memory) == 1
    memory.reindex()
    assert memory.recall("feline")[0].text == "kitten"
    assert rows(memory) == 1


def test_vectors_of_another_embedder_are_made_again_and_never_mixed(tmp_path, patient):
    """Issue 7: embedding-space fingerprint: the name, the length, and what a fixed text becomes."""

    class Longer(Meanings):
        def __call__(self, texts):
            return [[*vector, 1.0] for vector in super().__call__(texts)]

    class Turned(Meanings):
        def __call__(self, texts):
            return [vector[::-1] for vector in super().__call__(texts)]

    seen = []
    for embedder in (Meanings(), Meanings(), Meanings("other name"), Longer("other name"), Turned("other name")):
        with Memory.open(tmp_path, embedder=embedder, config=patient) as memory:
            memory.append("s", [Message("user", "automobile", id="m")])
            memory.recall("hatchback")
            seen.append("automobile" in embedder.texts)
            assert rows(memory) == 1
    assert seen == [True, False, True, True, True]


@pytest.mark.usefixtures("with_and_without_numpy")
@pytest.mark.parametrize(
    "answer",
    slow_after(
        4, [[[1.0, 2.0]], [[1.0], [1.0, 2.0]], "no vectors", None, [["a"] * 3] * 6, [[float("nan")] * 3] * 6, [[]] * 6]
    ),
    ids=["too-few", "two-lengths", "a-text", "none", "words", "nan", "empty"],
)
def test_an_embedder_that_returns_no_vectors_leaves_recall_to_the_words(tmp_path, patient, answer):
    """DESIGN 1.9: memory never blocks the reply; the hits say why there are no vectors."""
    with Memory.open(tmp_path, embedder=lambda texts: answer, config=patient) as memory:
        memory.append("s", [Message("user", "A blue automobile")])
        (hit,) = memory.recall("automobile", explain=True)
        assert hit.text == "A blue automobile"
        assert "ModelError" in hit.why["no vectors"]
        assert memory.recall("automobile")[0].why == {}


def test_an_embedder_that_tells_nothing_apart_is_not_used(tmp_path, patient):
    """A model that knows none of the words finds all texts the same."""
    with Memory.open(tmp_path, embedder=lambda texts: [[1.0, 2.0] for _ in texts], config=patient) as memory:
        memory.append("s", [Message("user", "A blue automobile")])
        assert memory.recall("hatchback") == []
        assert "nothing in common" in memory.recall("automobile", explain=True)[0].why["no vectors"]


def test_an_embedder_that_raises_is_left_alone_for_a_while(memory, embedder):
    """A server that is down must not cost each recall its deadline."""
    memory.append("s", [Message("user", "A blue automobile")])
    embedder.failing = RuntimeError("the key is hunter2")
    (hit,) = memory.recall("automobile", explain=True)
    assert "RuntimeError" in hit.why["no vectors"]
    assert "hunter2" not in str(hit.why)
    embedder.failing = None
    assert "no vectors" in memory.recall("automobile", explain=True)[0].why
    assert embedder.calls == []
    memory.sync()  # asked for by name, it tries again
    assert rows(memory) == 1


def test_an_embedder_that_hangs_is_abandoned_at_the_deadline(tmp_path):
    """Issue 7: no wait beyond `recall.embed_seconds`."""
    release = threading.Event()

    def hang(texts):
        release.wait(60)
        return [meaning(text) for text in texts]

    config = Config(recall=RecallConfig(embed_seconds=0.05))
    with Memory.open(tmp_path, embedder=hang, config=config) as memory:
        memory.append("s", [Message("user", "A blue automobile")])
        (hit,) = memory.recall("automobile", explain=True)
        assert "ModelTimeoutError" in hit.why["no vectors"]
        release.set()


def test_what_is_not_embedded_in_time_is_found_by_its_words_and_filled_in_later(tmp_path, patient):
    """Issue 7: the rest goes on in the background."""
    slow, release = Meanings(), threading.Event()

    def embedder(texts):
        if "automobile" in texts:
            release.wait(60)
        return slow(texts)

    config = Config(recall=RecallConfig(embed_seconds=0.1))
    with Memory.open(tmp_path, embedder=embedder, config=config) as memory:
        memory.append("s", [Message("user", "automobile")])
        assert memory.recall("hatchback") == []
        assert memory.recall("my automobile")[0].text == "automobile"
        release.set()
        memory.sync()
    made = len(slow.texts)
    with Memory.open(tmp_path, embedder=embedder, config=patient) as memory:
        assert memory.recall("hatchback")[0].text == "automobile"
    assert "automobile" not in slow.texts[made:]


def test_a_chain_of_scopes_asks_the_embedder_once_for_its_question(tmp_path, embedder, patient):
    """One question, one vector; each scope keeps its own."""
    with Memory.open(tmp_path, scope=["mine", "ours"], embedder=embedder, config=patient) as memory:
        memory.append("s", [Message("user", "automobile")])
        memory.remember("vehicle", to="ours")
        assert {hit.text for hit in memory.recall("hatchback")} == {"automobile", "vehicle"}
        assert embedder.texts.count("hatchback") == 1
        assert embedder.texts.count(PROBES[0]) == 1


def test_the_past_and_a_closed_memory_embed_nothing(memory, embedder):
    """A scope as it was has words alone."""
    memory.append("s", [Message("user", "automobile")])
    memory.recall("hatchback")
    calls = len(embedder.calls)
    with memory.at(datetime(2100, 1, 1, tzinfo=UTC)) as past:
        assert past.recall("automobile")[0].text == "automobile"
    assert len(embedder.calls) == calls


def test_a_context_recalls_by_meaning_too(memory):
    """The volatile part holds what recall finds."""
    memory.append("s", [Message("user", "automobile")])
    assert "automobile" in memory.context(query="hatchback").volatile


def test_an_async_function_and_the_async_memory_work(tmp_path, patient):
    """An embedder may return an awaitable, as a model may."""
    import asyncio

    async def embed(texts):
        return [meaning(text) for text in texts]

    async def main():
        async with await AsyncMemory.open(tmp_path, embedder=embed, config=patient) as memory:
            await memory.append("s", [Message("user", "automobile")])
            return await memory.recall("hatchback")

    assert asyncio.run(main())[0].text == "automobile"


def test_questions_may_be_embedded_otherwise_than_passages(tmp_path, patient):
    """Models trained with prefixes: an embedder may have `question`."""

    class Prefixed(Meanings):
        def question(self, texts):
            return self([f"query: {text}" for text in texts])

    embedder = Prefixed()
    with Memory.open(tmp_path, embedder=embedder, config=patient) as memory:
        memory.append("s", [Message("user", "automobile")])
        memory.recall("hatchback")
    assert "query: hatchback" in embedder.texts
    assert "automobile" in embedder.texts


@pytest.mark.parametrize(
    "given",
    [
        "word2vec",
        "openai:",
        "model2vec:",
        "model2vec:nowhere",
        "sentence-transformers:nowhere",
        "anthropic:x",
        3,
        Meanings,
    ],
)
def test_what_is_no_embedder_is_refused_at_open(tmp_path, given, monkeypatch):
    """A slip in configuration is told at once, not at the first question."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError):
        Memory.open(tmp_path / "m", embedder=given)
    if isinstance(given, str):
        with pytest.raises(ConfigError):
            Memory.open(tmp_path / "m", config=Config(recall=RecallConfig(embedder=given)))


def test_without_an_embedder_the_index_holds_no_vector_tables(tmp_path):
    """Optional: nothing of it is there where it is not used."""
    with Memory.open(tmp_path) as memory:
        memory.append("s", [Message("user", "automobile")])
        memory.recall("automobile")
        with closing(sqlite3.connect(f"{memory.location}/.commonplace/index.sqlite")) as db:
            names = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    assert not names & {"vectors", "vector_slots", "vector_space"}


def test_two_memories_fill_the_same_scope_without_a_double(tmp_path, patient):
    """Two processes catching up at once."""
    one, other = Meanings(), Meanings()
    with Memory.open(tmp_path, embedder=one, config=patient) as first:
        first.append("s", [Message("user", f"automobile number {n}") for n in range(300)])
        with Memory.open(tmp_path, embedder=other, config=patient) as second:
            threads = [threading.Thread(target=each.sync) for each in (first, second)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert rows(second) == 300


def test_no_package_of_others_is_loaded_without_an_embedder():
    """Issue 15: extras of others are imported when they are first used."""
    program = (
        "import sys, tempfile\nfrom commonplace import Memory\n"
        "with Memory.open(tempfile.mkdtemp()) as memory:\n    memory.recall('anything')\n"
        "print(*[name for name in sys.modules if name in {'numpy', 'sentence_transformers', 'model2vec'}])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.split() == []
