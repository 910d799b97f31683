"""Recalled text cannot speak for a role, a tool or the library, and shows no image of its own."""

from __future__ import annotations

import random

import pytest

from commonplace.text.inert import inert
from marking import in_one_test
from payloads import PAYLOADS, PIECES, live


@in_one_test("payload", PAYLOADS)
def test_no_payload_is_live(payload: str) -> None:
    """Issue 16: chat-template tokens, role tags, tool results, fences, images and links."""
    assert live(payload)
    assert live(inert(payload)) == []
    assert inert(inert(payload)) == inert(payload)


@in_one_test(
    "text",
    ["a < b and b > c", "List<int> and Map<str, V>", "array[i](x)", "see [the topic](notes/topic.md)", "x || y", "I <3 it",
     "the <userId> field", "https://docs.example/page", "港は閉鎖（注）", "【重要】　明日まで", "＜用户＞登录", "《系统》［１］", "＜Ａ＞と＜Ｂ＞",
     "［システム］の設定：Ｗｉ－Ｆｉ", "３＜５", "the system: a boiler", "prompts[system]", "### Input\nx", "[system] on: yes", "the [user]: x", "Vec<u8>", "<special>"],
)  # fmt: skip
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    """Issue 16: only known marks are touched."""
    assert inert(text) == text


def fuzz(count: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        text = "".join(rng.choices(PIECES, k=rng.randrange(2, 24)))
        made = inert(text)
        assert live(made) == [], text
        assert inert(made) == made, text


def test_no_mixture_is_live() -> None:
    """Issue 16: 0 live of texts made of marks and their parts."""
    fuzz(1000, 16)


@pytest.mark.slow
def test_no_mixture_of_many_is_live() -> None:
    """Issue 16: 0 live of 10,000 fuzzed texts."""
    fuzz(10_000, 17)
