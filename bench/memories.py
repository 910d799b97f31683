"""Make the memories that are measured, and count the calls to the file system that a piece of work makes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from commonplace import Memory, Message
from commonplace.text.pieces import encode_name

SAID = "2026-11-01T12:00:00.000Z"  # when everything written straight to files was said
SESSIONS = {1_000: 100, 10_000: 1_000}  # how many files the messages stand in; LONG messages a file above
LONG = 200
CATCH_UP = """
import resource, sys, time
from commonplace import Memory
began = time.perf_counter()
with Memory.open(sys.argv[1], jobs="worker") as memory:
    memory.sync()
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
"""


def session(number: int) -> str:
    return f"bench:{number}"


def sessions_of(count: int) -> int:
    return SESSIONS.get(count, count // LONG)


def fill(folder: Path, texts: list[str]) -> Memory:
    """Keep texts, user and assistant in turn, spread over sessions; jobs wait, so that nothing else runs."""
    memory = Memory.open(folder, jobs="worker")
    each = len(texts) // sessions_of(len(texts))
    for number in range(sessions_of(len(texts))):
        part = texts[number * each : (number + 1) * each]
        memory.append(session(number), [Message(("user", "assistant")[at % 2], text) for at, text in enumerate(part)])
    memory.sync()
    return memory


def write(folder: Path, texts: Sequence[str], *, each: int) -> None:
    """Put texts down as transcripts in the format of the files, `each` messages a file; no memory is opened.

    What `fill` would take an hour for: the same lines without screen, locks and syncs, and no index yet.
    """
    (folder / "sessions").mkdir(parents=True)
    head = {"type": "session", "created_at": SAID, "agent": "main", "kind": "foreground", "zone": "UTC"}
    for number in range(0, len(texts), each):
        name = session(number // each)
        lines = [_line({**head, "id": name})]
        for at, text in enumerate(texts[number : number + each]):
            role = ("user", "assistant")[at % 2]
            trust = ("user", "agent")[at % 2]
            lines.append(
                _line({"type": "message", "n": at, "id": f"m{at}", "role": role, "at": SAID, "trust": trust,
                       "content": text})
            )  # fmt: skip
        (folder / "sessions" / f"{encode_name(name)}.jsonl").write_text("".join(lines), encoding="utf-8")


def _line(values: dict[str, object]) -> str:
    body = json.dumps(values, ensure_ascii=False, separators=(",", ":"))[:-1]
    return f'{body},"h":"{zlib.crc32(body.encode()):08x}"}}\n'


def caught_up(folder: Path) -> tuple[float, float]:
    """Let a process of its own make the index of files that it never saw; gives seconds and megabytes at most."""
    told = subprocess.run([sys.executable, "-c", CATCH_UP, folder], capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, told.stdout.split())
    return seconds, megabytes


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
