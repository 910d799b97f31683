"""Live through a made-up life with a memory, and count what comes of it: refusals, sizes, finds, files, work."""

from __future__ import annotations

import cProfile
import json
import re
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import life

from commonplace import Memory, Message, Request
from commonplace.testing import FixedClock, ScriptedLLM

T = TypeVar("T")
_ENTRY = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^(\d+)\. \[", re.MULTILINE)


@dataclass
class Figures:
    """What was counted on the way; work is in calls of functions, by the session's place."""

    refused: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)
    over: list[str] = field(default_factory=list)
    contexts: dict[int, int] = field(default_factory=dict)
    consolidations: dict[int, int] = field(default_factory=dict)


def calls(work: Callable[[], T], *, counted: bool) -> tuple[T, int]:
    """Return what some work gives, and how many functions it called; 0 if that is not counted."""
    if not counted:
        return work(), 0
    profile = cProfile.Profile(builtins=False)
    found = profile.runcall(work)
    return found, sum(entry.callcount for entry in profile.getstats())


def model(told: life.Life) -> ScriptedLLM:
    """Return a model that answers as `life.faithful_reply` does, from the transcript alone."""

    def answer(request: Request) -> str:
        said = [(role, text) for one in told.sessions for role, text in one.messages if text in request.prompt]
        match request.purpose:
            case "rewrite":
                memory = request.prompt.split("## Current Long-term Memory\n", 1)[1]
                memory = memory.split("\n\n## Conversation to Process", 1)[0]
                return json.dumps(life.rewrite(said, "" if memory == "(empty)" else memory + "\n", told))
            case "summarise":
                return json.dumps(_numbered(request.prompt, said, told))
            case _:
                return life.episode(said, "", told)

    return ScriptedLLM(answer)


def _numbered(prompt: str, said: list[tuple[str, str]], told: life.Life) -> dict[str, Any]:
    """Return the reply with the numbers that the prompt has for entries and messages."""
    entries, messages = prompt.split("## Messages\n", 1)
    known = {text: int(number) for number, text in _ENTRY.findall(entries)}
    reply = life.operations(said, "\n".join(f"- {text}" for text in known), told)
    for operation in reply["operations"]:
        target = operation.pop("target_text", None)
        if target:
            operation["target"] = known[target]
        operation["cites"] = [
            {"message": _number_of(messages, cite["words"]), "quote": cite["words"]} for cite in operation["cites"]
        ]
    return reply


def _number_of(messages: str, words: str) -> int:
    before = messages[: messages.index(words)]
    return int(_NUMBERED.findall(before)[-1])


def live(
    memory: Memory,
    clock: FixedClock,
    told: life.Life,
    sessions: list[life.Session],
    *,
    back: Callable[[datetime], datetime] = lambda at: at,
    counted: Container[int] = (),
) -> Figures:
    """Have the sessions, one after the other: a context, the messages, the end.

    Args:
        memory: Where they are had.
        clock: The memory's.
        told: The life that they are of.
        sessions: Those to have.
        back: Gives the time that the clock shows for the real one.
        counted: The places of the sessions whose work is counted.
    """
    figures = Figures()
    for number, session in enumerate(sessions):
        clock.set(back(session.at))
        asked = session.messages[0][1]
        counts = number in counted
        context, work = calls(lambda: memory.context(session.id, asked), counted=counts)  # noqa: B023 - called at once
        figures.shown.append(context.tokens)
        if context.tokens > context.budget:
            figures.over.append(session.id)
        figures.contexts |= {number: work} if counts else {}
        memory.append(
            session.id,
            [
                Message(role, text, at=back(session.at) + timedelta(minutes=place))
                for place, (role, text) in enumerate(session.messages)
            ],
        )
        clock.advance(hours=1)
        outcome, work = calls(lambda: memory.end(session.id, now=False), counted=counts)  # noqa: B023 - called at once
        figures.consolidations |= {number: work} if counts else {}
        if outcome.status not in {"applied", "unchanged", "skipped"}:
            figures.refused.append(f"{session.id}: {outcome.status} {outcome.reason}")
    figures.waiting = [f"{each.reason}: {each.operation.get('text', '')}" for each in memory.review()]
    return figures


def found(memory: Memory, told: life.Life, until: datetime) -> tuple[list[life.Fact], list[life.Fact]]:
    """Return the facts that their questions find, and those they do not."""
    hit: list[life.Fact] = []
    missed: list[life.Fact] = []
    for fact, question in told.questions(until):
        texts = [each.text for each in memory.recall(question)]
        (hit if any(mark in text for text in texts for mark in fact.answer_marks) else missed).append(fact)
    return hit, missed


def outdated(shown: str, told: life.Life, until: datetime) -> list[str]:
    """Return the shown lines that hold the value of a replaced fact and not the one that replaced it."""
    later = {fact.supersedes: fact for fact in told.facts if fact.supersedes and fact.at <= until}
    return [
        line
        for old in told.superseded(until)
        for line in shown.splitlines()
        if any(mark in line for mark in old.answer_marks)
        and not any(mark in line for mark in later[old.key].answer_marks)
        and len(life.stems(line) & life.stems(f"{old.said} {old.remembered}")) >= 3
    ]


def sizes(folder: Path) -> dict[str, int]:
    """Return how many files each folder holds."""
    return {
        str(each.relative_to(folder)): sum(file.is_file() for file in each.iterdir())
        for each in [folder, *folder.rglob("*")]
        if each.is_dir()
    }
