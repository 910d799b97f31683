"""Make the memories that are measured, and count the calls to the file system that a piece of work makes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from commonplace import Memory, Message

SESSIONS = {1_000: 100, 10_000: 1_000}  # how many files the messages stand in; 200 messages a file above


def session(number: int) -> str:
    return f"bench:{number}"


def sessions_of(count: int) -> int:
    return SESSIONS.get(count, count // 200)


def fill(folder: Path, texts: list[str]) -> Memory:
    """Keep texts, user and assistant in turn, spread over sessions; jobs wait, so that nothing else runs."""
    memory = Memory.open(folder, jobs="worker")
    each = len(texts) // sessions_of(len(texts))
    for number in range(sessions_of(len(texts))):
        part = texts[number * each : (number + 1) * each]
        memory.append(session(number), [Message(("user", "assistant")[at % 2], text) for at, text in enumerate(part)])
    memory.sync()
    return memory


def copied(folder: Path, name: str, *, jobs: str) -> Memory:
    """Open a copy of a filled folder."""
    target = folder.with_name(name)
    shutil.copytree(folder, target)
    memory = Memory.open(target, jobs=jobs)
    memory.sync()
    return memory


def parts(memory: Memory):
    """Reach the engine's parts of the one scope."""
    return memory._scopes[0]


@contextmanager
def counted(*names: str) -> Iterator[dict[str, int]]:
    """Count the calls of functions of `os` that are made inside."""
    counts = dict.fromkeys(names, 0)
    kept = {name: getattr(os, name) for name in names}

    def counting(name: str, function: Callable) -> Callable:
        def call(*args, **options):
            counts[name] += 1
            return function(*args, **options)

        return call

    for name, function in kept.items():
        setattr(os, name, counting(name, function))
    try:
        yield counts
    finally:
        for name, function in kept.items():
            setattr(os, name, function)
