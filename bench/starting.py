"""How long a process takes that imports commonplace, or asks it one question, beside the bare interpreter."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import rounds
from report import Report
from rounds import ms, spread

STARTS = 2  # of each arm in a round
COMMAND = ["-c", "import sys; from commonplace.surfaces.cli import main; sys.argv[0] = 'commonplace'; main()"]


def measure(report: Report, location: Path, question: str, *, rounds_: int) -> None:
    twin = location.with_name("standby")
    shutil.copytree(location, twin)
    recall, answered = ([*COMMAND, "-C", str(each), "recall", question] for each in (location, twin))
    commands = {
        "bare interpreter": ["-c", "pass"],
        "import commonplace": ["-c", "import commonplace"],
        "from commonplace import Memory": ["-c", "from commonplace import Memory"],
        "commonplace --help": [*COMMAND, "--help"],
        "commonplace recall, 1,000 stored": recall,
        "the same, answered by `commonplace standby`": answered,
    }
    arms: dict[str, rounds.Arm] = {
        name: lambda _, arguments=arguments: (partial(_start, arguments) for _ in range(STARTS))
        for name, arguments in commands.items()
    }
    shown = _start(recall)
    with _standing_by(twin):
        if _start(answered) != shown:
            raise RuntimeError("who stands by answers something else")
        times = rounds.run(arms, rounds=rounds_)
    bare, imported, memory, _, alone, asked = arms
    rows = []
    for arm in arms:
        over = times.p50(arm) - times.p50(bare)
        rows.append((arm, ms(times.p50(arm)), f"+{over:.0f}", spread(times.ratio(arm, bare)) if arm != bare else ""))
    head = ("arm", "p50 ms", "over bare, ms", "to bare (min-max)")
    report.table("Processes, compiled bytecode, warm cache", head, rows)
    report.say("", f"The recall printed {len(shown[1].splitlines())} lines and left with {shown[0]}.")
    report.goal("import commonplace over bare", times.p50(imported) - times.p50(bare), 60, unit=" ms")
    over = times.p50(memory) - times.p50(bare)
    report.goal("from commonplace import Memory over bare", over, 60, unit=" ms", added=True)
    report.goal("commonplace recall to bare interpreter, one stands by", times.ratio(asked, bare)[0], 2)
    report.goal("commonplace recall to bare interpreter, alone", times.ratio(alone, bare)[0], 2)


def _start(arguments: list[str]) -> tuple[int, bytes]:
    done = subprocess.run([sys.executable, *arguments], env=os.environ, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)  # fmt: skip
    return done.returncode, done.stdout


@contextlib.contextmanager
def _standing_by(location: Path) -> Iterator[None]:
    arguments = [sys.executable, *COMMAND, "-C", str(location), "standby"]
    one = subprocess.Popen(arguments, stdout=subprocess.PIPE)
    try:
        one.stdout.readline()
        yield
    finally:
        one.terminate()
        one.communicate()
