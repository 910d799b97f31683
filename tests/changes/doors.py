"""What the tests of the door share: a memory with a clock of its own, and ways to look at its files."""

from __future__ import annotations

import os
from pathlib import Path

from commonplace import Memory
from commonplace.testing import FixedClock

FULL = os.environ.get("COMMONPLACE_BATTERY") == "full"
HERE = Path(__file__).parent
DOC = "memory/MEMORY.md"


def opened(folder, *, clock=None, **options):
    """Open a memory whose clock moves one second at each reading and whose jobs nobody runs."""
    options.setdefault("jobs", "worker")
    return Memory.open(folder, clock=clock or FixedClock("2026-11-20T10:00:00+00:00", step_seconds=1), **options)


def write(folder, path, text):
    """Edit a file as a person does, past the door."""
    file = Path(folder) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(text, bytes):
        file.write_bytes(text)
    else:
        file.write_text(text, encoding="utf-8", newline="")


def files(folder):
    """Give every file of memory with its bytes."""
    root = Path(folder) / "memory"
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def texts(memory, path):
    """Give the texts of the records of a file."""
    from inside import scope_of  # programs that know this folder alone import this module

    return [record.text for record in scope_of(memory).reader.records(path)]
