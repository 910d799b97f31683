import threading
from datetime import datetime
from typing import Any

import pytest

from commonplace.errors import InputError, ModelRefusedError, ModelTruncatedError, ModelUnavailableError
from commonplace.models import LLM, Reply, Request, demand
from commonplace.testing import FixedClock, ScriptedLLM


def test_a_scripted_model_answers_in_order_and_remembers_the_requests():
    """DESIGN 4: the only doubles are the model and the clock."""
    llm = ScriptedLLM(["one", Reply("two", stop="length"), lambda request: request.prompt.upper()])
    assert isinstance(llm, LLM)
    assert [llm.complete(Request(prompt=p)).text for p in ("a", "b", "c")] == ["one", "two", "C"]
    assert llm.prompts == ["a", "b", "c"]


def test_a_script_that_is_used_up_fails_the_test_that_asked_once_more():
    """House style: the double must not hide an extra call."""
    llm = ScriptedLLM("only")
    llm.complete(Request(prompt="a"))
    with pytest.raises(AssertionError, match="once more"):
        llm.complete(Request(prompt="b", purpose="summarise"))


def test_a_scripted_error_is_raised():
    """Issue 4: every model failure can be scripted."""
    with pytest.raises(ModelUnavailableError):
        ScriptedLLM(ModelUnavailableError("down")).complete(Request(prompt="a"))


def test_a_scripted_function_answers_for_ever_and_a_list_repeats_when_told():
    """Issue 4: kill batteries rerun the same job many times."""
    echo = ScriptedLLM(lambda request: request.prompt)
    assert [echo.complete(Request(prompt=str(n))).text for n in range(3)] == ["0", "1", "2"]
    twice = ScriptedLLM(["x", "y"], repeat=True)
    assert [twice.complete(Request(prompt="")).text for _ in range(4)] == ["x", "y", "x", "y"]


def test_tokens_of_scripted_calls_are_estimated_from_the_real_prompts():
    """Issue 4: input tokens per 100 messages are measured with the scripted model."""
    llm = ScriptedLLM("ok")
    llm.complete(Request(system="a" * 35, prompt="b" * 35))
    assert llm.tokens_in == 20


def test_a_fixed_clock_moves_only_when_told():
    """House style: the clock is passed in."""
    clock = FixedClock("2026-11-21T10:00:00+01:00", 1)
    assert clock().isoformat() == "2026-11-21T09:00:00+00:00"
    assert clock().isoformat() == "2026-11-21T09:00:01+00:00"
    assert clock.advance(days=-1).isoformat() == "2026-11-20T09:00:02+00:00"
    clock.set(clock())
    threads = [threading.Thread(target=clock) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clock().isoformat() == "2026-11-20T09:00:10+00:00"


@pytest.mark.parametrize("at", ["2026-01-01T00:00:00+00:00", datetime(2026, 1, 1)])
def test_a_fixed_clock_is_set_to_an_aware_instant_alone(at: Any):
    """Found in use: a text was taken, and a later call failed."""
    with pytest.raises(InputError, match="a datetime with its zone"):
        FixedClock().set(at)


def test_demand_turns_a_cut_or_refused_reply_into_its_error():
    """DESIGN 1.9: layers raise typed errors."""
    assert demand(Reply("fine")).text == "fine"
    with pytest.raises(ModelTruncatedError):
        demand(Reply("fi", stop="length"))
    with pytest.raises(ModelRefusedError):
        demand(Reply("no", stop="refusal"))
