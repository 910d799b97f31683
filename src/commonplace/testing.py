"""Doubles for the two things a test may not have for real, a model and a clock, and a suite that any layout passes.

Shipped, so that code built on commonplace can test itself the same way. Nothing here reads the wall
clock, sleeps or opens a connection.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

from commonplace.layouts.schema import Layout
from commonplace.memory.memory import Memory
from commonplace.memory.verbs import require_aware
from commonplace.models import Reply, Request
from commonplace.records import Message
from commonplace.text.pieces import estimate_tokens

Scripted = str | Reply | Exception | Callable[[Request], "str | Reply"]
"""One scripted answer: a text, a whole reply, an error to raise, or a function of the request."""


class ScriptedLLM:
    """A model that answers from a list and remembers what it was asked.

    Replies are used in order; a single callable, or `repeat=True`, answers for ever. Tokens are
    estimated from the texts, so that measurements with it use real prompts. Safe across threads.
    """

    def __init__(
        self,
        replies: Iterable[Scripted] | Scripted = (),
        *,
        model: str = "scripted",
        repeat: bool = False,
    ) -> None:
        single = isinstance(replies, (str, Reply, Exception)) or callable(replies)
        self._replies: list[Scripted] = [replies] if single else list(replies)  # type: ignore[list-item, arg-type] # checked above
        self._repeat = repeat or callable(replies)
        self._lock = threading.Lock()
        self.model = model
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Reply:
        """Answer with the next scripted reply.

        Raises:
            AssertionError: The script is used up: the code under test asked more often than expected.
        """
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            if not self._replies or (number >= len(self._replies) and not self._repeat):
                raise AssertionError(
                    f"the script holds {len(self._replies)} replies; {request.purpose!r} asked once more"
                )
            answer = self._replies[number % len(self._replies)]
        if isinstance(answer, Exception):
            raise answer
        given = answer(request) if callable(answer) else answer
        if isinstance(given, Reply):
            return given
        return Reply(
            text=given,
            tokens_in=estimate_tokens(request.system) + estimate_tokens(request.prompt),
            tokens_out=estimate_tokens(given),
            model=request.model or self.model,
        )

    @property
    def prompts(self) -> list[str]:
        """The prompts asked so far, oldest first."""
        return [request.prompt for request in self.requests]

    @property
    def tokens_in(self) -> int:
        """The estimated input tokens of all requests so far, system prompts included."""
        return sum(estimate_tokens(r.system) + estimate_tokens(r.prompt) for r in self.requests)


class FixedClock:
    """A clock that moves only when set: by `step_seconds` at each reading, or by `advance`."""

    def __init__(self, start: datetime | str = "2026-01-01T00:00:00+00:00", step_seconds: float = 0.0) -> None:
        at = datetime.fromisoformat(start) if isinstance(start, str) else start
        self._now = at if at.tzinfo else at.replace(tzinfo=UTC)
        self._step = timedelta(seconds=step_seconds)
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        """Read the time, in UTC, then move on by one step."""
        with self._lock:
            now = self._now
            self._now += self._step
            return now.astimezone(UTC)

    def advance(self, seconds: float = 0.0, *, hours: float = 0.0, days: float = 0.0) -> datetime:
        """Move the clock (back, when negative) and tell the new time."""
        with self._lock:
            self._now += timedelta(seconds=seconds, hours=hours, days=days)
            return self._now.astimezone(UTC)

    def set(self, at: datetime) -> None:
        """Set the clock to an aware instant."""
        require_aware(at)
        with self._lock:
            self._now = at


def check_layout(layout: Layout | str, folder: str) -> None:
    """Run a layout through append, remember, consolidate, context, recall, tool, undo and forget, on real files.

    Args:
        layout: A value, a name, or the path of a TOML file.
        folder: An empty folder; the memory stays in it to be read.

    Raises:
        ConfigError: The layout has mistakes.
        AssertionError: Something that every layout does is not done; the sentence says what.
    """
    clock = FixedClock("2026-03-01T10:00:00+00:00", step_seconds=1)
    with Memory.open(folder, layout=layout, clock=clock, jobs="inline") as memory:
        said = [Message("user", "I live in Bergen, and I prefer green tea."), Message("assistant", "Noted.")]
        memory.append("check:1", said)
        _demand(memory.recall("Where does the user live, in Bergen?"), "recall finds what was appended")
        noted = memory.remember("The user has a cat called Fritz.")
        _demand(noted.status == "applied", f"remember writes a fact: {noted.reason}")
        _demand(_finds(memory, "Fritz"), "recall finds what was remembered")
        consolidated = memory.consolidate("check:1")
        _demand(consolidated.status in {"applied", "skipped"}, f"consolidate does a range: {consolidated.reason}")
        _demand(memory.consolidate("check:1").status == "skipped", "a range is consolidated once")
        context = memory.context("check:1", "Where does the user live, and what is the cat called?")
        _demand("Fritz" in context.stable + context.volatile, "a context holds what was remembered or asked for")
        _demand(memory.context("check:1").stable == context.stable, "the stable part does not depend on the question")
        _check_tool(memory)
        _check_undo_and_forget(memory, noted.records[0])
    with Memory.open(folder, layout=layout, clock=clock, jobs="inline") as memory:
        _demand(not _finds(memory, "Fritz"), "what was forgotten stays forgotten")
        _demand(memory.recall("green tea"), "a memory that is opened again finds what was said")
        problems = [str(problem) for problem in memory.doctor().problems]
        _demand(not problems, f"doctor finds nothing: {problems}")


def _check_tool(memory: Memory) -> None:
    tool = memory.tool()
    _demand(all(each["name"] for each in tool.schemas()), "the agent's tool has a schema")
    answer = tool.call({"action": "no such action"}, "no such action")
    _demand(answer.get("success") is False, "the tool answers a wrong action with an error")


def _check_undo_and_forget(memory: Memory, record: str) -> None:
    second = memory.remember("The user has a dog called Rex.")
    _demand(second.status == "applied", f"remember writes a second fact: {second.reason}")
    _demand(memory.undo(second).status == "applied", "undo takes back a change")
    _demand(not _finds(memory, "Rex"), "what was undone is not found")
    _demand(memory.why(record).record, "why tells what made a record")
    memory.forget(record)
    _demand(not _finds(memory, "Fritz"), "what was forgotten is not found")


def _finds(memory: Memory, word: str) -> bool:
    return any(word in hit.text for hit in memory.recall(f"What is {word}?", k=20))


def _demand(holds: object, sentence: str) -> None:
    if not holds:
        raise AssertionError(f"this does not hold: {sentence}")
