"""A model that orders the hits: only when asked, at most twenty, and never at the cost of a hit."""

from __future__ import annotations

import asyncio
import threading

import pytest

from commonplace import AsyncMemory, Config, Memory, Message
from commonplace.config import RecallConfig, SpendingConfig
from commonplace.testing import ScriptedLLM


def talk(memory, count=30):
    memory.append("s", [Message("user", f"The harbour note number {n:02d} is about boats.") for n in range(count)])


def texts(hits):
    return [hit.text for hit in hits]


def test_no_model_is_asked_unless_a_call_says_so(tmp_path):
    """DESIGN 1.2: no model call runs inside recall or context."""
    llm = ScriptedLLM([])
    with Memory.open(tmp_path, llm=llm, jobs="worker") as memory:
        talk(memory)
        memory.recall("harbour boats")
        memory.context("s", "harbour boats")
        assert memory.cost() == {}
    assert llm.requests == []


def test_the_model_orders_twenty_at_most_and_what_it_leaves_out_follows(tmp_path):
    """Issue 7: a model as re-ranker over at most 20 candidates."""
    llm = ScriptedLLM(["3, 1, 99, 3"])
    with Memory.open(tmp_path, llm=llm, jobs="worker") as memory:
        talk(memory)
        ours = memory.recall("harbour boats", k=25)
        theirs = memory.recall("harbour boats", k=25, rerank=True, explain=True)
        assert texts(theirs)[:4] == [ours[at].text for at in (3, 1, 0, 2)]
        assert sorted(texts(theirs)) == sorted(texts(ours))
        assert texts(theirs)[20:] == texts(ours)[20:]
        assert theirs[0].why["ordered by"] == "the model"
        scores = [hit.score for hit in theirs]
        assert scores == sorted(scores, reverse=True)
        (request,) = llm.requests
        assert request.prompt.count("The harbour note") == 20
        assert (request.purpose, request.cause) == ("rerank", "recall")
        assert list(memory.cost("purpose")) == ["rerank"]


def test_a_secret_in_a_question_does_not_reach_the_model(tmp_path):
    """DESIGN 1.11: prompts hold the screened text only."""
    llm = ScriptedLLM(["0"])
    with Memory.open(tmp_path, llm=llm, jobs="worker") as memory:
        talk(memory)
        memory.recall("harbour boats, my password is marmalade9X", rerank=True)
    (request,) = llm.requests
    assert "harbour boats" in request.prompt
    assert "marmalade9X" not in request.prompt


def test_a_small_k_still_has_twenty_looked_at(tmp_path):
    """What stands below the places wanted is what a second look is for."""
    llm = ScriptedLLM(["15"])
    with Memory.open(tmp_path, llm=llm, jobs="worker") as memory:
        talk(memory)
        ours = memory.recall("harbour boats", k=20)
        (hit,) = memory.recall("harbour boats", k=1, rerank=True)
        assert hit.text == ours[15].text
        assert hit.why == {}


@pytest.mark.parametrize("reply", ["none", "", "the second one, I think", "999", '{"order": "?"}'])
def test_an_answer_of_no_use_leaves_our_order(tmp_path, reply):
    """Issue 7: wrong or garbage replies fall back."""
    with Memory.open(tmp_path, llm=ScriptedLLM([reply] * 3), jobs="worker") as memory:
        talk(memory, 6)
        ours = memory.recall("harbour boats")
        theirs = memory.recall("harbour boats", rerank=True, explain=True)
        assert texts(theirs) == texts(ours)
        assert theirs[0].why["ordered by"] == "us: the model chose none"


def test_without_a_model_a_late_one_and_over_the_ceiling_the_order_is_ours(tmp_path):
    """DESIGN 1.9: memory never blocks the reply."""
    release = threading.Event()

    def hang(prompt):
        release.wait(60)
        return "1"

    hurried = Config(recall=RecallConfig(rerank_seconds=0.05))
    poor = Config(spending=SpendingConfig(daily_tokens=1))
    for number, (llm, config) in enumerate([(None, None), (hang, hurried), (ScriptedLLM(["1"]), poor)]):
        with Memory.open(tmp_path / str(number), llm=llm, config=config, jobs="worker") as memory:
            talk(memory, 4)
            theirs = memory.recall("harbour boats", rerank=True, explain=True)
            assert texts(theirs) == texts(memory.recall("harbour boats"))
            assert str(theirs[0].why["ordered by"]).startswith("us:")
    release.set()


def test_one_hit_or_none_asks_nobody(tmp_path):
    """There is nothing to order."""
    llm = ScriptedLLM([])
    with Memory.open(tmp_path, llm=llm, jobs="worker") as memory:
        talk(memory, 1)
        assert len(memory.recall("harbour", rerank=True)) == 1
        assert memory.recall("zeppelin", rerank=True) == []
    assert llm.requests == []


def test_the_async_memory_and_a_chain_of_scopes_rerank_too(tmp_path):
    """The same arguments; one call for the hits of all scopes."""
    llm = ScriptedLLM(["1, 0"])

    async def main():
        async with await AsyncMemory.open(tmp_path, scope=["mine", "ours"], llm=llm, jobs="worker") as memory:
            await memory.append("s", [Message("user", "The harbour note is about boats.")])
            await memory.remember("Boats in the harbour need lights.", to="ours")
            return await memory.recall("harbour boats"), await memory.recall("harbour boats", rerank=True)

    ours, theirs = asyncio.run(main())
    assert texts(theirs) == texts(ours)[::-1]
    assert len(llm.requests) == 1
