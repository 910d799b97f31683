"""Time what the memdir layout does with its topics: scan them, keep the index, choose some for a question."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import memories
from report import Report

from commonplace import Memory
from commonplace.operations import PutTopic

SIZES = (200, 2_000, 20_000)
CALLS = 9
HEAD = ("topics", "found", "scan, none changed", "scan, one changed", "index, none changed", "index, one changed",
        "write one, index with it", "choose for a question")  # fmt: skip


def measure(report: Report, folder: Path) -> None:
    """Time each step; for ten times the topics none may take more than twelve times as long."""
    taken = [_of(folder / f"topics-{size}", size) for size in SIZES]
    rows = [(f"{size:,}", *(f"{each:.1f}" for each in row)) for size, row in zip(SIZES, taken, strict=True)]
    report.table("Topics of the memdir layout, ms of processor", HEAD, rows)
    for name, before, after in zip(HEAD[1:], *taken[-2:], strict=True):
        report.goal(f"topics, {name}: 20,000 to 2,000", after / before, 12.0)


def _of(place: Path, size: int) -> list[float]:
    _fill(place, size)
    with Memory.open(place, layout="memdir", jobs="worker") as memory:
        found = _median(memory.sync, calls=1)
        memory.apply([_put(0, 0)], reason="bench")  # the first change reads every topic
        surfacing = memories.parts(memory).surfacing
        numbers = iter(range(1, 10_000))
        asked = "Which server serves customer {}?"
        return [
            found,
            _median(surfacing.scan),
            _median(surfacing.scan, lambda: _touch(place, next(numbers))),
            _median(memory.sync),
            _median(memory.sync, lambda: _touch(place, next(numbers))),
            _median(lambda: memory.apply([_put(next(numbers) % size, next(numbers))], reason="bench")),
            _median(lambda: memory.surface(None, asked.format(7 * (next(numbers) % size)))),
        ]


def _median(call: Callable[[], object], before: Callable[[], object] = int, *, calls: int = CALLS) -> float:
    taken = []
    for _ in range(calls):
        before()
        start = time.process_time()  # the work: what an fsync waits for is the disk's
        call()
        taken.append((time.process_time() - start) * 1000)
    return statistics.median(taken)


def _text(number: int, version: int = 0) -> str:
    about = f"server {number} serves customer {number * 7}"
    return (
        f"---\nname: Server {number}\ndescription: {about}\ntype: project\n---\n\n"
        f"It stands in rack {number % 97}, version {version}.\n"
    )


def _fill(place: Path, size: int) -> None:
    place.mkdir(parents=True)
    for number in range(size):
        (place / f"server_{number}.md").write_text(_text(number), encoding="utf-8")


def _touch(place: Path, number: int) -> None:
    (place / "server_0.md").write_text(_text(0, number), encoding="utf-8")


def _put(number: int, version: int) -> PutTopic:
    return PutTopic(path=f"server_{number}.md", body=f"It stands in rack {number % 97}, version {version}.")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        shown = Report()
        measure(shown, Path(made))
