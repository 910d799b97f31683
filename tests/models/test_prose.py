"""What a model answers in prose is a text about the conversation, or it is not used (issue 17.1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory, Message
from commonplace.models import Reply
from commonplace.models.prose import prose
from commonplace.models.reading import Unusable
from commonplace.testing import ScriptedLLM
from marking import in_one_test, slow_after

SAID = [
    "I live in Bergen and my dog is called Rex. The deploy failed with a 502 from the gateway.",
    "Then the gateway of the server is what I look at first.",
    "Yes, and the cellar is full of water again.",
]
JUNK = [
    "{}",
    "[]",
    "...",
    "null",
    "I'm sorry, I can't",
    "<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1>the gateway of the server failed</body></html>",
    "Error: 502 Bad Gateway",
    "503 Service Unavailable",
    "Internal Server Error",
    '{"error": {"message": "the gateway of the server failed"}}',
    "```\n```",
    "[object Object]",
    "Okay.",
    "Please provide the conversation that you would like me to summarise.",
    "The weather is nice and the sea is blue.",
]
GOOD = [
    "The user lives in Bergen with a dog.",
    "Rex is a canine.",
    "A flooded basement, and a failing proxy: error 502.",
    "Error 502 came from the gateway when the user made a deploy in Bergen.",
    "用户住在卑尔根，有一只狗。",
    "用户有一只狗。",
    "Die Person wohnt in Norwegen und hat einen Hund.",
    '"The user lives in Bergen."',
]


@in_one_test("text", JUNK)
def test_junk_is_no_answer(text: str) -> None:
    assert isinstance(prose(Reply(text), SAID), Unusable)


@in_one_test("text", GOOD)
def test_a_paraphrase_or_another_language_is_an_answer(text: str) -> None:
    assert prose(Reply(text), SAID) == text


def test_that_there_is_nothing_to_say_is_an_answer_where_it_may_be() -> None:
    assert prose(Reply("None."), SAID, none=True) == "None."
    assert isinstance(prose(Reply("None."), SAID), Unusable)


@pytest.mark.parametrize(
    "said", ["私はベルゲンに住んでいます。犬を飼っています。", "Я живу в Бергене, и у меня есть собака."]
)
def test_an_answer_in_another_script_cannot_be_compared(said: str) -> None:
    assert prose(Reply("The user has a dog."), [said]) == "The user has a dog."


@pytest.mark.parametrize("junk", ["{}", "Error: 502 Bad Gateway", "```\n```"])
def test_junk_becomes_no_episode(tmp_path: Path, junk: str) -> None:
    """DESIGN 1.5: the range stays due."""
    llm = ScriptedLLM([junk, "The user lives in Bergen with a dog called Rex."])
    with Memory.open(tmp_path, layout="facts", jobs="worker", llm=llm) as memory:
        memory.append("s:1", [m for text in SAID for m in (Message("user", text), Message("assistant", "Noted."))])
        assert memory.end("s:1").status == "failed"
        assert list(tmp_path.glob("memory/episodes/*.md")) == []
        memory.consolidate("s:1")
        assert "Rex" in next(tmp_path.glob("memory/episodes/*.md")).read_text(encoding="utf-8")


@pytest.mark.parametrize("layout", slow_after(2, ["native", "two-layer", "facts", "structured"]))
@pytest.mark.parametrize("junk", ["{}", "Error: 502 Bad Gateway", "<html>502 Bad Gateway</html>"])
def test_junk_becomes_no_summary_of_a_window(tmp_path: Path, layout: str, junk: str) -> None:
    """The window shortens with one-line summaries, and what failed is listed."""
    with Memory.open(tmp_path, layout=layout, jobs="worker", llm=lambda _: junk) as memory:
        memory.append("s:1", [m for text in SAID for m in (Message("user", text), Message("assistant", "Noted."))])
        memory.compact("s:1", keep=2)
        assert junk not in memory.sessions.summary("s:1")
        assert junk not in memory.context("s:1").text
