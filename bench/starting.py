"""How long a process takes that imports commonplace, or asks it one question, beside the bare interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import rounds
from report import Report
from rounds import ms, spread

STARTS = 2  # of each arm in a round
COMMAND = ["-c", "import sys; from commonplace.surfaces.cli import main; sys.argv[0] = 'commonplace'; main()"]


def measure(report: Report, location: Path, question: str, *, rounds_: int) -> None:
    recall = [*COMMAND, "-C", str(location), "recall", question]
    commands = {
        "bare interpreter": ["-c", "pass"],
        "import commonplace": ["-c", "import commonplace"],
        "from commonplace import Memory": ["-c", "from commonplace import Memory"],
        "commonplace --help": [*COMMAND, "--help"],
        "commonplace recall, 1,000 stored": recall,
    }
    arms: dict[str, rounds.Arm] = {
        name: lambda _, arguments=arguments: (partial(_start, arguments) for _ in range(STARTS))
        for name, arguments in commands.items()
    }
    shown = _start(recall)
    times = rounds.run(arms, rounds=rounds_)
    bare, imported, memory, _, _ = arms
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


def _start(arguments: list[str]) -> tuple[int, bytes]:
    done = subprocess.run([sys.executable, *arguments], env=os.environ, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)  # fmt: skip
    return done.returncode, done.stdout
