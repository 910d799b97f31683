"""What was counted of one session for the jobs that read it: what the triggers are asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from commonplace.changes.sessions import Sessions
from commonplace.jobs import triggers
from commonplace.text.pieces import estimate_tokens


class Counted(msgspec.Struct, kw_only=True):
    """What was counted of a session up to message `total`, with the cursors, window and deletions of that moment.

    `cursors` are those of the jobs, for the one on the window the window's beginning; `facts` what is known for each
    job. `longest` is how much of one turn a window may hold, `keep` how many messages stay when it is shortened.
    `ran` has what each job last ran for: where it changed nothing then, it would change nothing now. Where it changed
    something all is counted again.
    """

    cursors: Mapping[str, int]
    window_start: int
    forgotten: int
    reset_at: int
    ended: bool
    total: int
    last: datetime
    longest: Mapping[str, float]
    keep: int
    on_window: str
    facts: dict[str, triggers.Facts]
    window: int = 0
    window_messages: int = 0
    window_tokens: int = 0
    window_chars: int = 0
    turn_tokens: int = 0
    turn_chars: int = 0
    turn_end: int = 0
    said_at: datetime | None = None  # the last message
    ran: dict[str, int] = msgspec.field(default_factory=dict)

    def agrees_with(self, other: Counted) -> bool:
        """True if what was counted can be counted on: cursors, window, deletions and end are the same."""
        same = ("cursors", "window_start", "forgotten", "reset_at", "ended")
        return all(getattr(self, name) == getattr(other, name) for name in same)

    def count(self, sessions: Sessions, session: str, end: int) -> None:
        """Count on, up to message `end`."""
        for message in sessions.read(session, self.total, end):
            number, tokens, asked = message.number, estimate_tokens(message.text), message.message.role == "user"
            at, before = message.message.at, self.said_at
            self.said_at = at
            for job, facts in self.facts.items():
                if number >= self.cursors[job]:
                    if at and before and facts.messages:
                        facts.rested_seconds = max(facts.rested_seconds, (at - before).total_seconds())
                    facts.messages += 1
                    facts.tokens += tokens
                    facts.turns += asked
            if number >= self.window_start:
                long = message.message.role == "assistant" and (
                    self.window - self.window_messages > self.longest["window_messages"]
                    or self.turn_tokens > self.longest["window_tokens"]
                    or triggers.estimate(self.turn_chars) > self.longest["window_estimate"]
                )
                if asked or long:  # a turn begins, or one is long: the window that counts is the one before it
                    self.window_messages, self.turn_end = self.window, number
                    self.turn_tokens = self.turn_chars = 0
                self.turn_tokens += tokens
                self.turn_chars += len(message.text)
                self.window += 1
                self.window_tokens += tokens
                self.window_chars += len(message.text)
        self.total = end

    def due(self, rules: Sequence[triggers.Rule], now: datetime) -> tuple[str, ...]:
        """Return the jobs that are due and have something new to run for."""
        for job, facts in self.facts.items():
            facts.idle_seconds = (now - self.last).total_seconds()
            facts.window_messages, facts.window_tokens = self.window_messages, self.window_tokens
            facts.reset, facts.left = self.cursors[job] < self.reset_at, self.cursors[job] < self.window_start
            facts.ended = self.ended
            facts.window_chars = self.window_chars
        return tuple(
            job
            for job in triggers.due(self.facts, rules)
            if self.ran.get(job) != self.reached(job) and (job != self.on_window or self.window_messages > self.keep)
        )

    def reached(self, job: str) -> int:
        """Return how far a job can read: to the last message, or for a job on the window to the last turn."""
        return self.turn_end if job == self.on_window else self.total
