"""What models cost, and when they are left alone: ledger lines and a daily ceiling.

Everything is computed from the ledger's lines, so a restart or a second process changes nothing. This
module reads and writes no file: it is given one callable that appends a line and one that yields them.
Capture never passes here; only model jobs stop at a ceiling.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final, Literal

import msgspec

from commonplace.config import Clock, Price, SpendingConfig
from commonplace.errors import (
    UNREADABLE,
    BudgetExceededError,
    ModelError,
    ModelRefusedError,
    ModelSetupError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from commonplace.guard.screened import Screened, json_line
from commonplace.models.protocol import LLM, Reply, Request
from commonplace.text.pieces import estimate_tokens

Outcome = Literal["ok", "timeout", "unavailable", "refused", "truncated", "failed"]

_MILLION: Final = 1_000_000
_OUTCOMES: Final[tuple[tuple[type[ModelError], Outcome], ...]] = (
    (ModelTimeoutError, "timeout"),
    (ModelUnavailableError, "unavailable"),
    (ModelRefusedError, "refused"),
    (ModelTruncatedError, "truncated"),
)


class Spend(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename={"tokens_in": "in", "tokens_out": "out", "tokens_cached": "cached"},
):
    """One model call: what for, what set it off, how it ended and what it took; a line of the ledger.

    `money` is in the owner's currency, None where no price is known. `at` is when it ended.
    """

    at: datetime
    purpose: str = ""
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    money: float | None = None
    cause: str = ""
    outcome: Outcome = "ok"


class Totals(msgspec.Struct, frozen=True):
    """Sums over some calls; `unpriced` counts those whose money is not known."""

    calls: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    money: float = 0.0
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.tokens_in + self.tokens_out

    def plus(self, spend: Spend) -> Totals:
        """Add one call."""
        return Totals(
            self.calls + 1,
            self.failed + (spend.outcome != "ok"),
            self.tokens_in + spend.tokens_in,
            self.tokens_out + spend.tokens_out,
            self.tokens_cached + spend.tokens_cached,
            self.money + (spend.money or 0.0),
            self.unpriced + (spend.money is None),
        )


def money(model: str, tokens_in: int, tokens_out: int, tokens_cached: int, prices: Mapping[str, Price]) -> float | None:
    """Return what a call costs; None if there is no price for its model.

    The longest key of `prices` that the model's name starts with counts, with or without its provider.
    """
    bare = model.partition(":")[2] or model
    keys = [key for key in prices if model.startswith(key) or bare.startswith(key)]
    if not keys:
        return None
    price = prices[max(keys, key=len)]
    cached = price.input if price.cached is None else price.cached
    fresh = max(0, tokens_in - tokens_cached)
    return (fresh * price.input + tokens_cached * cached + tokens_out * price.output) / _MILLION


def line(spend: Spend) -> Screened:
    """Write a ledger line. Names are kept to what cannot be a text or a secret."""
    names = {name: _label(getattr(spend, name)) for name in ("purpose", "model", "cause")}
    return json_line(msgspec.to_builtins(spend, builtin_types=(datetime,)) | names)


def _label(name: str) -> str:
    short = re.sub(r"[^A-Za-z0-9 _.:/@+-]", "?", name)[:80]
    # Forty characters in a run could be a key; a name that long is cut into pieces.
    return re.sub(r"([A-Za-z0-9+/_=-]{40})(?=[A-Za-z0-9+/_=-])", r"\1 ", short)


def read(lines: Sequence[bytes]) -> Iterator[Spend]:
    """Read ledger lines back, newest first; a damaged line costs only itself."""
    for raw in reversed(lines):
        try:
            spend = msgspec.json.decode(raw, type=Spend)
        except UNREADABLE:
            continue
        if spend.at.tzinfo is not None:
            yield spend


def totals(spends: Iterable[Spend], by: Literal["day", "purpose", "model"], zone: tzinfo = UTC) -> dict[str, Totals]:
    """Sum calls by day (ISO date in the zone), purpose or model, in order of the name."""
    sums: dict[str, Totals] = {}
    for spend in spends:
        key = spend.at.astimezone(zone).date().isoformat() if by == "day" else getattr(spend, by)
        sums[key] = sums.get(key, Totals()).plus(spend)
    return dict(sorted(sums.items()))


class Ledger:
    """The calls of one scope, a line each, and the daily ceiling on them; the day is that of the configured zone."""

    def __init__(
        self,
        config: SpendingConfig,
        append: Callable[[Screened], None],
        lines: Callable[[], Sequence[bytes]],
        *,
        clock: Clock,
        zone: tzinfo = UTC,
    ) -> None:
        self._config = config
        self._append = append
        self._lines = lines
        self._clock = clock
        self._zone = zone

    def spends(self) -> Iterator[Spend]:
        """Read all calls, newest first."""
        return read(self._lines())

    def today(self) -> Totals:
        """Sum what was spent today."""
        day = self._clock().astimezone(self._zone).date()
        spent = Totals()
        for spend in self.spends():
            said = spend.at.astimezone(self._zone).date()
            if said < day:
                break
            spent = spent.plus(spend) if said == day else spent
        return spent

    def price(self, model: str, tokens_in: int, tokens_out: int = 0, tokens_cached: int = 0) -> float | None:
        """Return what a call costs; None if there is no price for its model."""
        return money(model, tokens_in, tokens_out, tokens_cached, self._config.prices)

    def check(self, tokens: int, cost: float | None) -> None:
        """Check that a call of that size is allowed now.

        Raises:
            BudgetExceededError: The day's ceiling would be passed; it names the knob.
        """
        spent = self.today()
        if self._config.daily_tokens and spent.tokens + tokens > self._config.daily_tokens:
            raise BudgetExceededError(
                f"{spent.tokens} of {self._config.daily_tokens} tokens of today are used and this call may take "
                f"{tokens}; model jobs go on tomorrow, or raise spending.daily_tokens",
                ceiling="tokens",
                spent=spent.tokens,
            )
        if self._config.daily_money and spent.money + (cost or 0.0) > self._config.daily_money:
            raise BudgetExceededError(
                f"{spent.money:.2f} of today's {self._config.daily_money:.2f} is spent and this call may cost "
                f"{cost or 0.0:.2f}; model jobs go on tomorrow, or raise spending.daily_money",
                ceiling="money",
                spent=spent.money,
            )

    def note(self, reply: Reply, *, purpose: str, cause: str, outcome: Outcome = "ok") -> None:
        """Note what a call took, or several together."""
        paid = self.price(reply.model, reply.tokens_in, reply.tokens_out, reply.tokens_cached)
        spend = Spend(
            at=self._clock(),
            purpose=purpose,
            model=reply.model,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            tokens_cached=reply.tokens_cached,
            money=None if paid is None else round(paid, 8),
            cause=cause,
            outcome=outcome,
        )
        self._append(line(spend))


class MeteredLLM:
    """A model whose every call passes the ceiling and leaves a line in the ledger.

    Calls under way hold back what they may take, so that several threads do not pass the ceiling together.
    """

    def __init__(self, llm: LLM, ledger: Ledger) -> None:
        self.inner = llm
        self.model = str(getattr(llm, "model", ""))
        self._ledger = ledger
        self._lock = threading.Lock()
        self._held_tokens = 0
        self._held_money = 0.0

    def ready(self) -> None:
        """Make sure that the model can be asked at all, if it can tell without a call.

        Raises:
            ModelSetupError: A package or key is missing.
        """
        check = getattr(self.inner, "ready", None)
        if check is not None:
            check()

    def complete(self, request: Request) -> Reply:
        """Ask the model, if the ceilings allow it.

        Raises:
            BudgetExceededError: A ceiling stopped the call; nothing was sent or noted.
            ModelError: As the model raised it, after it was noted.
        """
        model = request.model or self.model
        tokens_in = estimate_tokens(request.system) + estimate_tokens(request.prompt)
        cost = self._ledger.price(model, tokens_in, request.max_tokens) or 0.0
        held = tokens_in + request.max_tokens
        with self._lock:
            self._ledger.check(held + self._held_tokens, cost + self._held_money)
            self._held_tokens += held
            self._held_money += cost
        try:
            return self._ask(request, model, tokens_in)
        finally:
            with self._lock:
                self._held_tokens -= held
                self._held_money -= cost

    def _ask(self, request: Request, model: str, tokens_in: int) -> Reply:
        try:
            reply = self.inner.complete(request)
        except ModelSetupError:
            raise  # nothing was taken
        except ModelError as error:
            outcome: Outcome = next((name for kind, name in _OUTCOMES if isinstance(error, kind)), "failed")
            given = error.data.get("reply")
            # A call that was given up may still be billed for what it read.
            lost = Reply("", tokens_in=tokens_in if outcome == "timeout" else 0)
            self._note(request, given if isinstance(given, Reply) else lost, model, outcome)
            raise
        stops: dict[str, Outcome] = {"length": "truncated", "refusal": "refused"}
        self._note(request, reply, model, stops.get(reply.stop, "ok"))
        return reply

    def _note(self, request: Request, reply: Reply, model: str, outcome: Outcome) -> None:
        named = msgspec.structs.replace(reply, model=reply.model or model)
        self._ledger.note(named, purpose=request.purpose, cause=request.cause, outcome=outcome)
