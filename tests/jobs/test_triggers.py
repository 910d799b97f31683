"""Triggers: pure predicates of a session's facts, composed by layouts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.config import ConsolidationConfig
from commonplace.errors import ConfigError
from commonplace.jobs import triggers
from commonplace.jobs.triggers import Facts

KNOBS = {"window_messages": 50.0, "range_tokens": 4000.0, "idle_seconds": 3600.0}


def named(*declared: tuple[str, str, str | int]) -> tuple[triggers.Rule, ...]:
    return triggers.rules(declared, KNOBS)


def due(facts: Facts, rules: tuple[triggers.Rule, ...]) -> tuple[str, ...]:
    return triggers.due({rule.job: facts for rule in rules}, rules)


def test_a_limit_is_a_knob_or_a_number() -> None:
    """Issue 18: a layout of five turns needs no knob of its own."""
    for five in ("5", 5):
        rules = named(("consolidate", "turns", five))
        assert due(Facts(turns=4), rules) == ()
        assert due(Facts(turns=5), rules) == ("consolidate",)


def test_each_job_is_due_by_what_is_known_for_it() -> None:
    """Issue 18: a cursor for each job."""
    rules = named(("notes", "turns", "1"), ("consolidate", "turns", "5"))
    assert triggers.due({"notes": Facts(turns=0), "consolidate": Facts(turns=6)}, rules) == ("consolidate",)


def test_a_window_of_exactly_its_size_is_not_cut() -> None:
    """Source: seed systems 1.1, the strict comparison."""
    rules = named(("compact", "window_messages", "window_messages"))
    assert due(Facts(window_messages=50), rules) == ()
    assert due(Facts(window_messages=51), rules) == ("compact",)


def test_each_due_job_is_named_once_in_the_order_of_the_layout() -> None:
    rules = named(
        ("consolidate", "tokens", "range_tokens"),
        ("consolidate", "idle", "idle_seconds"),
        ("compact", "window_messages", "window_messages"),
    )
    facts = Facts(messages=9, tokens=5000, idle_seconds=4000, window_messages=60)
    assert due(facts, rules) == ("consolidate", "compact")


def test_predicates_joined_by_plus_must_all_hold() -> None:
    rules = named(("dream", "idle+window_messages", "idle_seconds+window_messages"))
    assert due(Facts(messages=1, idle_seconds=3600, window_messages=50), rules) == ()
    assert due(Facts(messages=1, idle_seconds=3600, window_messages=51), rules) == ("dream",)


@pytest.mark.parametrize("event", ["reset", "session_end", "manual"])
def test_no_fact_makes_a_job_due_that_somebody_asks_for(event: str) -> None:
    rules = named(("consolidate", event, ""))
    assert due(Facts(messages=100, tokens=100_000), rules) == ()


def test_a_session_without_new_messages_is_never_idle() -> None:
    rules = named(("consolidate", "idle", "idle_seconds"))
    assert due(Facts(messages=0, idle_seconds=10**9), rules) == ()


def test_an_unknown_trigger_or_knob_says_which() -> None:
    with pytest.raises(ConfigError, match="'moon'"):
        named(("consolidate", "moon", ""))
    with pytest.raises(ConfigError, match="'nothing'"):
        named(("consolidate", "tokens", "nothing"))


@given(st.integers(0, 200), st.integers(0, 10**6))
def test_more_of_the_same_never_makes_a_job_less_due(messages: int, tokens: int) -> None:
    rules = named(("consolidate", "tokens", "range_tokens"), ("compact", "window_messages", "window_messages"))
    less = due(Facts(messages=messages, tokens=tokens, window_messages=messages), rules)
    more = due(Facts(messages=messages + 1, tokens=tokens + 1, window_messages=messages + 1), rules)
    assert set(less) <= set(more)


def test_every_layout_names_triggers_and_knobs_that_exist() -> None:
    from commonplace.memory.designs import LAYOUTS

    given = {name: getattr(ConsolidationConfig(), name) for name in ConsolidationConfig.__struct_fields__}
    knobs = {name: float(value) for name, value in given.items() if isinstance(value, (int, float))}
    for layout in LAYOUTS.values():
        assert triggers.rules(((job.name, t.when, t.over) for job in layout.jobs for t in job.triggers), knobs)
