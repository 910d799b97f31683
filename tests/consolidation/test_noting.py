"""What an append leaves for the schedule: little work, and the same jobs due as if each message were counted at once."""

from __future__ import annotations

import os
import random

import pytest

from commonplace import Memory, Message, triggers
from commonplace.config import Config, ConsolidationConfig
from commonplace.testing import FixedClock
from commonplace.text import estimate_tokens

KNOBS = ConsolidationConfig(range_tokens=150, window_tokens=400, window_messages=9)
PLACE = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def facts_of(said):
    """Count everything that was said in a session of which nothing was consolidated yet."""
    users = [at for at, message in enumerate(said) if message.role == "user"]
    tokens = sum(estimate_tokens(message.content) for message in said)
    return triggers.Facts(
        messages=len(said), tokens=tokens, turns=len(users), window_messages=users[-1] if users else 0,
        window_tokens=tokens,
    )  # fmt: skip


def any_messages(chance):
    text = chance.choice(["", "a heron", "鷺が立っていた。", "and so it went on " * chance.randrange(12), "😀" * 30])
    return [Message(chance.choice(("user", "assistant")), text) for _ in range(chance.choice((1, 1, 1, 2, 5)))]


@pytest.mark.parametrize("layout", ["native", "two-layer"])
@pytest.mark.parametrize("seed", range(8))
def test_what_is_put_off_is_due_no_later_than_what_is_counted_at_once(tmp_path_factory, layout, seed):
    """DESIGN 7: a job is due with the message that makes it so, in a thread or inline."""
    chance = random.Random(seed)
    clock = FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1)
    folder = tmp_path_factory.mktemp("memory")
    with Memory.open(folder, layout=layout, config=Config(consolidation=KNOBS), clock=clock, jobs="inline") as memory:
        said = {"a": [], "b": []}
        for _ in range(30):
            session = chance.choice("aab")
            messages = any_messages(chance)
            memory.append(session, messages)
            said[session] += messages
            schedule = memory._scopes[0].changing.schedule
            rules = schedule._rules
            for each, all_of_it in said.items():
                expected = triggers.due(facts_of(all_of_it), rules)
                assert schedule._due.get(each, ((), 0))[0] == expected, (each, facts_of(all_of_it))
        for each in [*schedule._due]:
            assert schedule._taken(each)[1] == facts_of(said[each]).window_messages
        schedule._pending.clear()


def test_many_messages_are_not_put_off_for_ever(tmp_path):
    """What is put off is bounded, also where nothing can become due of it."""
    clock = FixedClock("2026-11-20T10:00:00+00:00", step_seconds=0.001)
    knobs = ConsolidationConfig(range_tokens=10**9, window_tokens=10**9)
    with Memory.open(tmp_path, config=Config(consolidation=knobs), clock=clock, jobs="inline") as memory:
        most = 0
        for _ in range(30):
            memory.append("s", [Message("user", "") for _ in range(50)])
            memory.append("s", [Message("user", "word " * 20) for _ in range(50)])
            most = max(most, len(memory._scopes[0].changing.schedule._pending["s"].later))
        assert most <= 1000
