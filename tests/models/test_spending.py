"""The ledger and the daily ceiling: both computed from the ledger's lines."""

import threading
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import Memory
from commonplace.config import Price, SpendingConfig
from commonplace.errors import (
    BudgetExceededError,
    ConfigError,
    ModelError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from commonplace.models import Reply, Request
from commonplace.models.spending import Ledger, MeteredLLM, Spend, line, money, read, totals
from commonplace.testing import FixedClock, ScriptedLLM
from inside import held_tokens
from marking import in_one_test

PRICES = {"gpt": Price(1.0, 2.0), "gpt-big": Price(10.0, 20.0, 1.0), "anthropic:claude": Price(3.0, 15.0, 0.3)}


class Desk:
    """One scope's ledger in a list of lines, as a store would keep it, and the wrapper over a scripted model."""

    def __init__(self, replies=(), *, repeat=True, clock=None, lines=None, zone=UTC, **config):
        self.lines = [] if lines is None else lines
        self.clock = clock or FixedClock("2026-11-21T10:00:00+00:00")
        self.ledger = Ledger(
            SpendingConfig(**{"prices": PRICES, **config}),
            lambda screened: self.lines.append(screened.text.encode()),
            lambda: list(self.lines),
            clock=self.clock,
            zone=zone,
        )
        self.model = ScriptedLLM(replies, repeat=repeat)
        self.llm = MeteredLLM(self.model, self.ledger)

    def ask(self, **more):
        return self.llm.complete(
            Request(**{"prompt": "p" * 35, "max_tokens": 100, "purpose": "summarise", "cause": "messages", **more})
        )

    def fail(self, times, kind=ModelError):
        for _ in range(times):
            with pytest.raises(kind):
                self.ask()


def reply(tokens_in=1000, tokens_out=200, cached=0, model="openai:gpt-x", **more):
    return Reply("fine", tokens_in, tokens_out, cached, model, **more)


def test_every_call_leaves_one_line():
    """Issue 4: operation, model, tokens in, out, cached, money, cause."""
    desk = Desk([reply(cached=500)])
    desk.ask()
    (spend,) = desk.ledger.spends()
    assert spend == Spend(
        at=datetime(2026, 11, 21, 10, tzinfo=UTC), purpose="summarise", model="openai:gpt-x", tokens_in=1000,
        tokens_out=200, tokens_cached=500, money=pytest.approx(0.0014), cause="messages", outcome="ok",
    )  # fmt: skip


@in_one_test(
    "error, outcome, counted",
    [(ModelTimeoutError("t"), "timeout", True), (ModelUnavailableError("u"), "unavailable", False), (ModelError("e"), "failed", False),
     (ModelRefusedError("r", reply=reply(7, 3)), "refused", True), (ModelTruncatedError("c", reply=reply(7, 3)), "truncated", True)],
)  # fmt: skip
def test_a_call_that_fails_is_noted_and_raised(error, outcome, counted):
    """Issue 4: every call in the ledger; a call that was given up may still be billed."""
    desk = Desk([error])
    with pytest.raises(type(error)):
        desk.ask()
    (spend,) = desk.ledger.spends()
    assert (spend.outcome, spend.tokens_in > 0) == (outcome, counted)


def test_a_cut_or_declined_reply_counts_as_a_failure_but_comes_back():
    """The parser decides on it."""
    desk = Desk([reply(stop="length"), reply(stop="refusal")])
    assert [desk.ask().stop, desk.ask().stop] == ["length", "refusal"]
    assert [spend.outcome for spend in desk.ledger.spends()] == ["refused", "truncated"]


def test_the_token_ceiling_stops_before_the_call_and_names_the_knob():
    """Issue 4: a daily ceiling, on by default."""
    desk = Desk([reply(1000, 200)], daily_tokens=2500)
    desk.ask()
    desk.ask()
    with pytest.raises(BudgetExceededError, match="daily_tokens") as caught:
        desk.ask()
    assert (caught.value.ceiling, caught.value.spent) == ("tokens", 2400)
    assert len(desk.model.requests) == len(desk.lines) == 2


def test_the_ceiling_is_on_by_default_and_lifted_by_zero():
    """Issue 4: on by default."""
    assert SpendingConfig().daily_tokens > 0
    assert SpendingConfig().daily_money > 0
    desk = Desk([reply(2_000_000, 0)], daily_tokens=0, daily_money=0)
    desk.ask()
    desk.ask()
    stopped = Desk([reply(2_000_000, 0)])
    stopped.ask()
    with pytest.raises(BudgetExceededError):
        stopped.ask()


def test_zero_may_be_given_by_name_and_less_may_not(tmp_path):
    """Issue 17: 0 lifts a ceiling, and was refused if given by its name."""
    Memory.open(tmp_path, config={"spending.daily_tokens": 0, "spending": {"daily_money": 0}}).close()
    with pytest.raises(ConfigError, match="0 or more"):
        Memory.open(tmp_path, config={"spending.daily_tokens": -1})


def test_the_money_ceiling_counts_what_the_call_may_cost():
    """Brief: a daily ceiling in money."""
    desk = Desk([reply(1_000_000, 100_000, model="gpt-big")], daily_tokens=0, daily_money=20.0)
    desk.ask(model="gpt-big")
    assert desk.ledger.today().money == pytest.approx(12.0)
    with pytest.raises(BudgetExceededError, match="daily_money"):
        desk.ask(model="gpt-big", max_tokens=450_000)
    desk.ask(model="gpt-big", max_tokens=100_000)


def test_a_new_day_of_the_configured_zone_starts_anew():
    """DESIGN 5: files, and days, are those of the configured zone."""
    desk = Desk(
        [reply(1000, 0)],
        daily_tokens=1100,
        clock=FixedClock("2026-11-21T10:30:00+00:00"),
        zone=ZoneInfo("Pacific/Auckland"),
    )
    desk.ask()
    with pytest.raises(BudgetExceededError):
        desk.ask()
    desk.clock.advance(1800)  # 00:00 in Auckland, 11:00 in UTC
    desk.ask()
    assert list(totals(desk.ledger.spends(), "day", ZoneInfo("Pacific/Auckland"))) == ["2026-11-21", "2026-11-22"]


def test_the_ceiling_survives_a_restart():
    """Brief: state is computed from the ledger lines."""
    first = Desk([reply(1000, 200)], daily_tokens=1300)
    first.ask()
    with pytest.raises(BudgetExceededError):
        Desk([reply()], daily_tokens=1300, lines=first.lines, clock=first.clock).ask()


def test_calls_under_way_hold_back_what_they_may_take():
    """Several threads must not pass the ceiling together."""
    desk = Desk(daily_tokens=1000)
    inside, go = threading.Barrier(3), threading.Event()

    class Slow:
        model = "m"

        def complete(self, request):
            inside.wait(60)
            go.wait(60)
            return reply(300, 100)

    llm = MeteredLLM(Slow(), desk.ledger)
    threads = [
        threading.Thread(target=llm.complete, args=(Request(prompt="x" * 35, max_tokens=400),)) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    inside.wait(60)
    with pytest.raises(BudgetExceededError):
        llm.complete(Request(prompt="x" * 35, max_tokens=400))
    go.set()
    for thread in threads:
        thread.join()
    assert desk.ledger.today().tokens == 800
    assert held_tokens(llm) == 0


def test_prices_are_found_by_the_longest_start_of_the_name():
    """Brief: money if a price is known from a config table."""
    assert money("openai:gpt-big-2", 1_000_000, 0, 0, PRICES) == pytest.approx(10.0)
    assert money("openai:gpt-small", 0, 1_000_000, 0, PRICES) == pytest.approx(2.0)
    assert money("anthropic:claude-x", 1_000_000, 0, 1_000_000, PRICES) == pytest.approx(0.3)
    assert money("openai:gpt-x", 1_000_000, 0, 1_000_000, PRICES) == pytest.approx(1.0)
    assert money("llama", 5, 5, 0, PRICES) is None


def test_totals_by_purpose_and_model():
    """Issue 4: `commonplace cost`."""
    desk = Desk([reply(model="a"), reply(model="b"), ModelUnavailableError("x")])
    desk.ask()
    desk.ask(purpose="dream")
    desk.fail(1)
    by_purpose, by_model = totals(desk.ledger.spends(), "purpose"), totals(desk.ledger.spends(), "model")
    assert {key: (t.calls, t.failed, t.tokens, t.unpriced) for key, t in by_purpose.items()} == {
        "dream": (1, 0, 1200, 1),
        "summarise": (2, 1, 1200, 2),
    }
    assert list(by_model) == ["a", "b", "scripted"]


def test_a_damaged_line_costs_only_itself():
    """Safety notes P4."""
    desk = Desk([reply()])
    desk.ask()
    desk.lines[:0] = [
        b"",
        b"{",
        b'{"at": 7}',
        b'{"at":"2026-01-01T00:00:00"}',
        b"\xff\xfe",
        b'{"at":"2026-01-01T00:00:00Z","outcome":"odd"}',
    ]
    assert len(list(desk.ledger.spends())) == 1


def test_a_line_takes_no_secret_and_no_text_in_a_name():
    """DESIGN 1.7: a key pasted as a model name does not reach the ledger whole."""
    key = "sk-" + "a1B2c3D4" * 8
    written = line(Spend(at=datetime(2026, 1, 1, tzinfo=UTC), model=key, purpose="a\nb\x1b[31m", cause="ø" * 300)).text
    assert key not in written
    assert "\x1b" not in written
    assert "\n" not in written


@given(st.builds(
    Spend, at=st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1)).map(lambda d: d.replace(microsecond=0, tzinfo=UTC)),
    purpose=st.from_regex(r"[a-z ]{0,20}", fullmatch=True), model=st.from_regex(r"[a-z0-9.:-]{0,30}", fullmatch=True), tokens_in=st.integers(0, 10**9), tokens_out=st.integers(0, 10**9),
    tokens_cached=st.integers(0, 10**9), money=st.none() | st.integers(0, 10**6).map(lambda n: n / 1000), cause=st.from_regex(r"[a-z]{0,10}", fullmatch=True),
    outcome=st.sampled_from(["ok", "timeout", "unavailable", "refused", "truncated", "failed"]),
))  # fmt: skip
def test_a_line_reads_back_as_it_was_written(spend):
    """House style: round trips by Hypothesis."""
    assert list(read([line(spend).text.encode()])) == [spend]


@given(st.text(max_size=300))
def test_any_name_makes_a_line(name):
    """A server may answer with any model name."""
    (spend,) = read(
        [line(Spend(at=datetime(2026, 1, 1, tzinfo=UTC), model=name, purpose=name, cause=name)).text.encode()]
    )
    assert len(spend.model) <= 90


def test_the_ceiling_reads_the_calls_of_today_alone():
    """Issue 17: every call read the whole ledger, so what a consolidation cost grew from year to year."""
    desk = Desk([reply()])
    for _ in range(20):
        desk.ask()
    desk.clock.advance(hours=24)
    desk.ask()
    seen = []
    spends = desk.ledger.spends
    desk.ledger.spends = lambda: (seen.append(spend) or spend for spend in spends())
    assert desk.ledger.today().calls == 1
    assert len(seen) == 2
