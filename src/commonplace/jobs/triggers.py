"""When a job is due: pure predicates of what is known of a session, composed by the layout.

Owns no clock and reads nothing; whoever asks gathers the facts first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from commonplace.errors import ConfigError


class Facts(msgspec.Struct, kw_only=True):
    """What is known of a session when jobs are looked for; who counts it may go on counting in it.

    `messages`, `tokens` and `turns` are those after the job's cursor, `window_tokens` those of the live
    window, `window_messages` those that stood in it when the present turn began.
    """

    messages: int = 0
    tokens: int = 0
    turns: int = 0
    window_messages: int = 0
    window_tokens: int = 0
    idle_seconds: float = 0.0


PREDICATES: Final[dict[str, Callable[[Facts, float], bool]]] = {
    "messages": lambda facts, over: facts.messages > over,
    "tokens": lambda facts, over: facts.tokens >= over,
    "turns": lambda facts, over: facts.turns >= over,
    "window_messages": lambda facts, over: facts.window_messages > over,
    "window_tokens": lambda facts, over: facts.window_tokens > over,
    "idle": lambda facts, over: facts.messages > 0 and facts.idle_seconds >= over,
}

EVENTS: Final = frozenset({"reset", "session_end", "manual"})
"""What somebody asks for: no fact makes these due."""


class Rule(msgspec.Struct, frozen=True):
    """One trigger with its number filled in: the job is due when every predicate holds."""

    job: str
    when: tuple[tuple[str, float], ...]


def due(facts: Facts, rules: Iterable[Rule]) -> tuple[str, ...]:
    """Name the jobs that are due, each once, in the order of the rules."""
    jobs: dict[str, None] = {}
    for rule in rules:
        for name, over in rule.when:
            if name in EVENTS or not PREDICATES[name](facts, over):
                break
        else:
            jobs[rule.job] = None
    return tuple(jobs)


def rules(declared: Iterable[tuple[str, str, str]], knobs: Mapping[str, float]) -> tuple[Rule, ...]:
    """Fill a layout's triggers (job, predicates joined by `+`, knobs joined by `+`) with the config's numbers.

    Raises:
        ConfigError: A predicate or a knob is unknown.
    """
    made: list[Rule] = []
    for job, when, over in declared:
        names = when.split("+")
        limits = over.split("+") if over else []
        held: list[tuple[str, float]] = []
        for name in names:
            if name not in {*PREDICATES, *EVENTS}:
                known = ", ".join([*PREDICATES, *sorted(EVENTS)])
                raise ConfigError(f"there is no trigger {name!r}; use one of {known}")
            knob = limits.pop(0) if limits and name not in EVENTS else ""
            if knob and knob not in knobs:
                raise ConfigError(f"there is no knob {knob!r} for the trigger {name!r}")
            held.append((name, knobs[knob] if knob else 0.0))
        made.append(Rule(job, tuple(held)))
    return tuple(made)
