"""Any OpenAI-compatible `/v1/embeddings`, through the real SDK against a loopback server."""

from __future__ import annotations

import sys

import pytest
from loopback import Loopback
from meanings import meaning

from commonplace import Config, Memory, Message
from commonplace.config import ModelConfig, RecallConfig, SpendingConfig
from commonplace.errors import ModelError, ModelSetupError, ModelTimeoutError
from commonplace.models.calls import Deadline
from commonplace.models.openai import OpenAIEmbedder
from commonplace.recall.embedding import PROBES
from inside import close_client, embedder_of, forget_client, is_open

QUICK = {"retry-after-ms": "1"}


def body(vectors, **more):
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return {"object": "list", "data": data, "model": "served", "usage": {"prompt_tokens": 9, "total_tokens": 9}, **more}


@pytest.fixture
def opened(server):
    made = []

    def open_(**config):
        settings = ModelConfig(**{"retries": 2, **config})
        embedder = OpenAIEmbedder("embed-test", settings, base_url=server.url + "/v1", api_key="test-key")
        made.append(embedder)
        return embedder

    yield open_
    server.release.set()
    for embedder in made:
        close_client(embedder)


def test_vectors_come_back_in_the_order_of_the_texts(opened, server):
    """Issue 7: any OpenAI-compatible endpoint; `index` says which vector is whose."""
    answer = body([[1.0, 0.0], [0.0, 1.0]])
    answer["data"].reverse()
    server.script = [(200, answer)]
    embedder = opened()
    assert embedder(["one", "two"]) == [[1.0, 0.0], [0.0, 1.0]]
    sent = server.seen[0]
    assert sent["path"] == "/v1/embeddings"
    assert sent["body"] == {"model": "embed-test", "input": ["one", "two"], "encoding_format": "float"}
    assert embedder.tokens == 9


def test_failures_that_may_pass_are_tried_again_and_others_are_not(opened, server):
    """Retries as for models; the provider's message is not passed on."""
    server.script = [(529, {}, QUICK), (429, {}, QUICK), (200, body([[1.0]]))]
    assert opened()(["one"]) == [[1.0]]
    assert len(server.seen) == 3
    server.seen.clear()
    server.script = [(400, {"error": {"message": "your text: hunter2", "type": "invalid_request_error"}})]
    with pytest.raises(ModelError, match="status 400") as caught:
        opened()(["one"])
    assert "hunter2" not in str(caught.value)
    assert len(server.seen) == 1
    server.seen.clear()
    server.script = [(401, {"error": {"message": "no"}})]
    with pytest.raises(ModelSetupError, match="key"):
        opened()(["one"])


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [1.5, 0])
def test_a_server_that_does_not_answer_costs_the_deadline_only(opened, server, seconds):
    """Our own limit is sent with each request; when it is over before a connection is made, that is said."""
    server.script = [(200, Loopback.HOLD)]
    embedder = opened()
    forget_client(embedder)
    with pytest.raises(ModelTimeoutError):
        embedder.within(["one"], Deadline(seconds))


@pytest.mark.parametrize(
    "answer",
    [body([]), body([[1.0], [2.0]]), {"object": "list", "data": None}, {}, body([["a"]]), body([None]), b"<html>"],
    ids=["none", "too-many", "null", "empty", "words", "no-vector", "html"],
)
def test_an_answer_that_is_no_vectors_is_a_typed_error(opened, server, answer):
    """Servers send anything."""
    server.script = [(200, answer)]
    with pytest.raises(ModelError):
        opened(retries=0)(["one"])


class Serving(Loopback):
    """Answers every request by what its texts mean."""

    def __init__(self):
        super().__init__()
        loopback = self

        class Script(list):
            def __len__(self):
                return 1_000_000

            def __getitem__(self, number):
                texts = loopback.seen[number]["body"]["input"]
                return (200, body([meaning(text) for text in texts]))

        self.script = Script()


@pytest.fixture
def serving():
    loopback = Serving()
    yield loopback
    loopback.close()


def test_a_memory_asks_the_server_that_its_configuration_names(tmp_path, serving, monkeypatch):
    """`embedder="openai:MODEL@http..."`; a local server needs no key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    named = f"openai:embed-test@{serving.url}/v1"
    config = Config(recall=RecallConfig(embedder=named, embed_seconds=60.0))
    with Memory.open(tmp_path, config=config) as memory:
        memory.append("s", [Message("user", "automobile"), Message("user", "the token is sk-ant-api03-" + "A1b2" * 23)])
        assert memory.recall("hatchback")[0].text == "automobile"
        assert embedder_of(memory).name == named
        close_client(embedder_of(memory))
    sent = [text for seen in serving.seen for text in seen["body"]["input"]]
    assert sent[: len(PROBES)] == list(PROBES)
    assert "automobile" in sent
    assert not [text for text in sent if "A1b2A1b2" in text]  # what leaves is what the guard let in


def test_a_server_that_is_not_there_leaves_recall_to_the_words(tmp_path, monkeypatch):
    """DESIGN 1.9: memory never blocks the reply."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    config = Config(model=ModelConfig(retries=0))
    with Memory.open(tmp_path, embedder="openai:embed-test@http://127.0.0.1:9/v1", config=config) as memory:
        memory.append("s", [Message("user", "A blue automobile")])
        (hit,) = memory.recall("automobile", explain=True)
        assert "no connection" in hit.why["no vectors"] or "did not answer" in hit.why["no vectors"]
        close_client(embedder_of(memory))


def test_without_a_key_or_the_sdk_the_sentence_says_what_to_do(monkeypatch):
    """Extras have their own install hint."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelSetupError, match="OPENAI_API_KEY"):
        OpenAIEmbedder("embed-test", ModelConfig())(["one"])
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ModelSetupError, match=r"pip install 'commonplace-memory\[openai\]'"):
        OpenAIEmbedder("embed-test", ModelConfig())(["one"])


@pytest.mark.parametrize("name", ["sentence-transformers", "model2vec"])
def test_a_package_that_is_missing_stops_no_recall_and_is_named(tmp_path, monkeypatch, patient, name):
    """An embedder in this process is an extra: recall goes on by words, and says what to install."""
    monkeypatch.setitem(sys.modules, name.replace("-", "_"), None)
    with Memory.open(tmp_path, embedder=f"{name}:{tmp_path}", config=patient) as memory:
        memory.append("s", [Message("user", "automobile")])
        (hit,) = memory.recall("automobile", explain=True)
    assert f"run: pip install 'commonplace-memory[{name}]'" in hit.why["no vectors"]


def test_what_a_server_takes_stands_in_the_ledger_and_under_the_ceiling(tmp_path, serving, monkeypatch):
    """`commonplace cost` tells what left the machine; a day's ceiling stops filling, not recall."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    recall = RecallConfig(embedder=f"openai:embed-test@{serving.url}/v1", embed_seconds=60.0)
    with Memory.open(tmp_path, config=Config(recall=recall)) as memory:
        memory.append("s", [Message("user", "automobile")])
        memory.recall("hatchback")
        (total,) = memory.cost("purpose").values()
        assert total.tokens_in == 27  # the loopback counts nine for each of probes, question and passages
        close_client(embedder_of(memory))
    poor = Config(recall=recall, spending=SpendingConfig(daily_tokens=28))
    with Memory.open(tmp_path, config=poor) as memory:
        memory.append("s", [Message("user", "A blue kitten sleeps in the automobile")])
        hits = memory.recall("kitten", explain=True)
        assert hits[0].text == "A blue kitten sleeps in the automobile"
        assert "BudgetExceededError" in hits[0].why["no vectors"]
        assert not is_open(embedder_of(memory))  # the ceiling holds for the probes too
    sent = [text for seen in serving.seen for text in seen["body"]["input"]]
    assert "A blue kitten sleeps in the automobile" not in sent
