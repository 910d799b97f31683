"""Time several arms against each other: all of them in every round, in turns, ratios inside the round."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

ROUNDS = 9
TURN = 4  # calls of an arm before the next one has its turn
Arm = Callable[[int], Iterable[Callable[[], object]]]
"""Given the number of the round, yields the calls that are timed one by one."""


class Times:
    """Milliseconds of every call, by arm and round."""

    def __init__(self, by_round: Mapping[str, list[list[float]]]) -> None:
        self.by_round = by_round

    def all(self, arm: str) -> list[float]:
        return sorted(each for one in self.by_round[arm] for each in one)

    def p(self, arm: str, share: float) -> float:
        values = self.all(arm)
        return values[min(len(values) - 1, int(len(values) * share))]

    def p50(self, arm: str) -> float:
        return statistics.median(self.all(arm))

    def ratio(self, arm: str, *base: str) -> tuple[float, float, float]:
        """Median over the rounds of (p50 of the arm / sum of the p50s of the base arms), least, most."""
        found = []
        for at, mine in enumerate(self.by_round[arm]):
            below = sum(statistics.median(self.by_round[each][at]) for each in base)
            found.append(statistics.median(mine) / below)
        return statistics.median(found), min(found), max(found)


def run(
    arms: Mapping[str, Arm], *, rounds: int = ROUNDS, turn: int = TURN, before: Callable[[], object] = int
) -> Times:
    """Let the arms take turns of a few calls, so that what else the machine does falls on all of them.

    `before` is called, untimed, before each turn of an arm.
    """
    names = list(arms)
    found: dict[str, list[list[float]]] = {name: [] for name in names}
    clock = time.perf_counter
    for number in range(rounds):
        gc.collect()
        waiting = {name: iter(arms[name](number)) for name in names}
        for name in names:
            found[name].append([])
        first = number
        while waiting:
            for name in names[first % len(names) :] + names[: first % len(names)]:
                calls = list(islice(waiting.get(name, ()), turn))
                before()
                for call in calls:
                    start = clock()
                    call()
                    found[name][-1].append((clock() - start) * 1000)
                if not calls:
                    waiting.pop(name, None)
            first += 1
    return Times(found)


def spread(ratio: tuple[float, float, float], unit: str = "x") -> str:
    return f"{_short(ratio[0])}{unit} ({_short(ratio[1])}-{_short(ratio[2])})"


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def ms(value: float) -> str:
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}" if value < 100 else f"{value:,.0f}"
