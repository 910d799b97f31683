"""Time one turn end to end in the structured layout: append, note and items, with so many items stored."""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path

from report import Report

from commonplace import Memory, Message

TURNS = 24  # of each memory, in turns with the others, so that what else the machine does falls on all of them
GOAL = 1.3  # times the smallest, of the largest: what is stored costs a turn nothing


def measure(report: Report, folder: Path, sizes: list[int]) -> None:
    taken: dict[int, list[float]] = {size: [] for size in sizes}
    memories = {size: _filled(folder / f"items-{size}", size) for size in sizes}
    for number in range(-1, TURNS):  # the first one warms up
        said = [
            Message("user", f"We decided to use port {5000 + number} for service {number}."),
            Message("assistant", f"I fixed the build of service {number} by pinning lodash {number}."),
        ]
        for size, memory in memories.items():
            start = time.perf_counter()
            memory.append("bench:items", said)
            memory.flush()
            if number >= 0:
                taken[size].append((time.perf_counter() - start) * 1000)
    for memory in memories.values():
        memory.close()
    rows = [
        (f"{size:,}", f"{statistics.median(times):.1f}", f"{sorted(times)[int(len(times) * 0.95)]:.1f}")
        for size, times in taken.items()
    ]
    report.table("A turn in the structured layout, ms", ("items stored", "median", "95 of 100"), rows)
    ratio = statistics.median(taken[sizes[-1]]) / statistics.median(taken[sizes[0]])
    report.goal(f"a turn with {sizes[-1]:,} : {sizes[0]:,} items stored", ratio, GOAL)


def _filled(folder: Path, size: int) -> Memory:
    """Open a memory with so many items in one file."""
    path = folder / "memory" / "items" / "semantic.jsonl"
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8") as file:
        for number in range(size):
            item = {
                "id": f"item-{number}",
                "layer": "SEMANTIC",
                "type": "PROJECT_FACT",
                "title": f"Server {number}",
                "content": f"Server {number} stands in rack {number % 97} and serves customer {number * 7}.",
                "tags": ["servers"],
                "confidence": 0.8,
                "salience": 0.7,
                "createdAt": "2026-01-01T00:00:00Z",
                "updatedAt": "2026-01-01T00:00:00Z",
                "fingerprint": f"{number:024x}",
            }
            file.write(json.dumps(item) + "\n")
    memory = Memory.open(folder, layout="structured", jobs="inline")
    memory.sync()
    return memory
