"""When a job is due: pure predicates of what is known of a session, composed by the layout.

Owns no clock and reads nothing; the caller gathers the facts first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

import msgspec

from commonplace.errors import ConfigError
from commonplace.layouts.schema import NUMBER, Trigger
from commonplace.text.installed import Installed


class Facts(msgspec.Struct, kw_only=True):
    """What is known of a session for one job; the counter of a session adds to it in place.

    `messages`, `tokens` and `turns` are those after the job's cursor, or of the window for a job on it,
    `window_tokens` and `window_chars` those of the live window, `window_messages` those that were in it when the
    present turn began. `idle_seconds` is how long the session has rested, `rested_seconds` the longest that it rested
    between two of these messages. `reset` and `left` say that some messages are from before the last reset, or left the
    live window; `ended` that the session is over.
    """

    messages: int = 0
    tokens: int = 0
    turns: int = 0
    window_messages: int = 0
    window_tokens: int = 0
    window_chars: int = 0
    idle_seconds: float = 0.0
    rested_seconds: float = 0.0
    reset: bool = False
    left: bool = False
    ended: bool = False


CHARS_PER_TOKEN: Final = 3.5  # seed structured, "Compaction"
SYSTEM_TOKENS: Final = 8000  # seed structured: the part of a prompt that is not the window


def estimate(chars: int) -> float:
    """Estimate how many tokens a prompt has whose live window holds so many characters."""
    return chars / CHARS_PER_TOKEN + SYSTEM_TOKENS


EVENTS: Final = frozenset({"reset", "compaction", "session_end", "manual"})
"""What happens to a session, or is asked for: no number goes with these."""

PREDICATES: Final[Installed[Callable[[Facts, float], bool]]] = Installed(
    "commonplace.triggers",
    {
        "messages": lambda facts, over: facts.messages > over,
        "tokens": lambda facts, over: facts.tokens >= over,
        "turns": lambda facts, over: facts.turns >= over,
        "window_messages": lambda facts, over: facts.window_messages > over,
        "window_tokens": lambda facts, over: facts.window_tokens > over,
        "window_estimate": lambda facts, over: estimate(facts.window_chars) > over,
        "idle": lambda facts, over: facts.messages > 0 and max(facts.idle_seconds, facts.rested_seconds) >= over,
        "reset": lambda facts, _: facts.messages > 0 and facts.reset,
        "compaction": lambda facts, _: facts.messages > 0 and facts.left,
        "session_end": lambda facts, _: facts.messages > 0 and facts.ended,
        "manual": lambda _, __: False,
    },
)


class ScopeFacts(Protocol):
    """What is known of a scope for one of its jobs, found out when it is asked for."""

    def hours(self) -> float:
        """Return the hours since the job last ran."""

    def scan_seconds(self) -> float:
        """Return the seconds since its sessions were last counted."""

    def sessions(self) -> int:
        """Count the sessions that changed since it last ran."""


SCOPE_PREDICATES: Final[Installed[Callable[[ScopeFacts, float], bool]]] = Installed(
    "commonplace.triggers",
    {
        "hours": lambda facts, over: facts.hours() >= over,
        "scan_seconds": lambda facts, over: facts.scan_seconds() >= over,
        "sessions": lambda facts, over: facts.sessions() >= over,
        **dict.fromkeys(EVENTS, lambda _facts, _over: False),
    },
)
"""Of jobs of a scope; those of one trigger are looked at in its order, so the cheapest comes first."""


class Rule(msgspec.Struct, frozen=True):
    """One trigger with its number filled in: the job is due when every predicate holds."""

    job: str
    when: tuple[tuple[str, float], ...]

    def holds(self, facts: Facts) -> bool:
        """True if the facts make the job due."""
        return all(PREDICATES[name](facts, over) for name, over in self.when)

    def tidies(self, facts: ScopeFacts) -> bool:
        """True if the facts of a scope make the job due."""
        return all(SCOPE_PREDICATES[name](facts, over) for name, over in self.when)


def due(facts: Mapping[str, Facts], rules: Iterable[Rule]) -> tuple[str, ...]:
    """Return the jobs that are due by the facts for each, each once, in the order of the rules."""
    return tuple(dict.fromkeys(rule.job for rule in rules if rule.job in facts and rule.holds(facts[rule.job])))


def rules(declared: Iterable[tuple[str, str, str | int]], knobs: Mapping[str, float]) -> tuple[Rule, ...]:
    """Fill a layout's triggers (job, predicates joined by `+`, limits joined by `+`) with numbers.

    A limit is a number, or the name of a knob of the configuration.

    Raises:
        ConfigError: A predicate or a knob is unknown.
    """
    made: list[Rule] = []
    for job, when, over in declared:
        trigger = Trigger(when=when, over=over)
        limits = list(trigger.limits)
        held: list[tuple[str, float]] = []
        for name in trigger.names:
            if not SCOPE_PREDICATES.is_at_hand(name) and name not in PREDICATES:  # both are of one group
                raise ConfigError(f"there is no trigger {name!r}; use one of {', '.join(sorted(PREDICATES))}")
            limit = limits.pop(0) if limits and name not in EVENTS else "0"
            if not NUMBER.fullmatch(limit) and limit not in knobs:
                raise ConfigError(f"there is no knob {limit!r} for the trigger {name!r}")
            held.append((name, float(limit) if NUMBER.fullmatch(limit) else knobs[limit]))
        made.append(Rule(job, tuple(held)))
    return tuple(made)
