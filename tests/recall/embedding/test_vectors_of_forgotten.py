"""Vectors follow what is forgotten, undone, changed and allowed, whatever happens at the same time."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest
from meanings import Held, Meanings

from commonplace import Config, Memory, Message
from commonplace.config import RecallConfig, SpendingConfig
from commonplace.recall.embedding import PROBES
from commonplace.recall.index.vectors import hashed


def has_vector(memory, text):
    with closing(sqlite3.connect(f"{memory.location}/.commonplace/index.sqlite")) as db:
        if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'vectors'").fetchone() is None:
            return False
        return db.execute("SELECT 1 FROM vectors WHERE hash = ?", (hashed(text),)).fetchone() is not None


class Paid(Meanings):
    """Counts a hundred tokens a text."""

    tokens = 0

    def __call__(self, texts):
        self.tokens += 100 * len(texts)
        return super().__call__(texts)


def test_a_message_forgotten_while_it_is_being_embedded_gets_no_vector(tmp_path):
    """DESIGN 1: what was forgotten does not come back; the filler was in the embedder with its text."""
    embedder = Held("automobile")
    config = Config(recall=RecallConfig(embed_seconds=0.5))
    with Memory.open(tmp_path, embedder=embedder, config=config, jobs="worker") as memory:
        memory.append("s", [Message("user", "automobile", id="a"), Message("user", "kitten", id="b")])
        filling = threading.Thread(target=memory.sync)
        filling.start()
        assert embedder.inside.wait(60)
        memory.forget("sessions/s.jsonl#a")
        memory.recall("zeppelin")  # tells the index what is hidden while the text is still away
        embedder.release.set()
        filling.join()
        memory.sync()
        assert not has_vector(memory, "automobile")
        assert has_vector(memory, "kitten")


def test_a_message_has_its_vector_again_when_forgetting_is_undone(memory):
    """Undo gives back all of what was taken."""
    memory.append("s", [Message("user", "automobile", id="a"), Message("user", "kitten", id="b")])
    receipt = memory.forget(memory.recall("hatchback")[0].record)
    memory.sync()
    assert not has_vector(memory, "automobile")
    memory.undo(receipt.change)
    assert memory.recall("hatchback")[0].text == "automobile"


def test_a_memory_opened_read_only_embeds_nothing(tmp_path, patient):
    """It keeps no index, so each open would pay for the whole scope anew; the hits say so."""
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.append("s", [Message("user", "A blue automobile")])
    embedder = Meanings()
    with Memory.open(tmp_path, embedder=embedder, config=patient, read_only=True) as memory:
        memory.sync()
        (hit,) = memory.recall("automobile", explain=True)
    assert "read-only" in hit.why["no vectors"]
    assert embedder.texts == []


def test_questions_and_probes_are_held_to_the_ceiling_of_the_day(tmp_path):
    """Nothing that is paid for passes the ceiling, whoever asks for it."""
    embedder = Paid()
    config = Config(recall=RecallConfig(embed_seconds=60.0), spending=SpendingConfig(daily_tokens=1500))
    with Memory.open(tmp_path, embedder=embedder, config=config, jobs="worker") as memory:
        memory.append("s", [Message("user", "automobile")])
        for number in range(40):
            memory.recall(f"automobile {number}")
        assert 1300 <= embedder.tokens <= 1500
        (hit,) = memory.recall("automobile", explain=True)
        assert "BudgetExceededError" in hit.why["no vectors"]
    fresh = Paid()
    with Memory.open(tmp_path, embedder=fresh, config=config, jobs="worker") as memory:
        memory.recall("automobile")
    assert fresh.texts == []
    assert len(PROBES) < 15


@pytest.mark.parametrize("verb", ["sync", "recall"])
def test_without_the_embedder_what_is_forgotten_or_changed_still_loses_its_vector(tmp_path, patient, verb):
    """Derived: no copy of a text's meaning outlives the text."""
    with Memory.open(tmp_path, embedder=Meanings(), config=patient, jobs="worker") as memory:
        memory.append("s", [Message("user", "automobile", id="a"), Message("user", "a flat", id="b")])
        memory.append("t", [Message("user", "salary")])
        kept, gone = memory.remember("kitten"), memory.remember("physician")
        memory.sync()
        assert has_vector(memory, "automobile")
        assert has_vector(memory, "physician")
    with Memory.open(tmp_path, jobs="worker") as memory:
        memory.forget(memory.recall("automobile")[0].record)
        memory.forget(gone.records[0])
        memory.sync() if verb == "sync" else memory.recall("anything")
        assert not has_vector(memory, "automobile")
        assert not has_vector(memory, "physician")
        assert memory.read(kept.records[0]).text == "kitten"
    embedder = Meanings()
    with Memory.open(tmp_path, embedder=embedder, config=patient, jobs="worker") as memory:
        assert memory.recall("apartment")[0].text == "a flat"
        assert memory.recall("feline")[0].text == "kitten"
