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


def measure(report: Report, location: Path, question: str, *, rounds_: int) -> None:
    command = "import sys; from commonplace.cli import main; sys.argv[0] = 'commonplace'; main()"
    recall = ["-c", command, "-C", str(location), "recall", question]
    commands = {
        "bare interpreter": ["-c", "pass"],
        "import commonplace": ["-c", "import commonplace"],
        "from commonplace import Memory": ["-c", "from commonplace import Memory"],
        "commonplace --help": ["-c", command, "--help"],
        "commonplace recall, 1,000 stored": recall,
    }
    arms: dict[str, rounds.Arm] = {
        name: lambda _, arguments=arguments: (partial(_start, arguments) for _ in range(STARTS))
        for name, arguments in commands.items()
    }
    shown = subprocess.run([sys.executable, *recall], capture_output=True, text=True, check=False)
    times = rounds.run(arms, rounds=rounds_)
    bare, imported, memory, _, asked = arms
    rows = []
    for arm in arms:
        over = times.p50(arm) - times.p50(bare)
        rows.append((arm, ms(times.p50(arm)), f"+{over:.0f}", spread(times.ratio(arm, bare)) if arm != bare else ""))
    head = ("arm", "p50 ms", "over bare, ms", "to bare (min-max)")
    report.table("Processes, compiled bytecode, warm cache", head, rows)
    report.say("", f"The recall printed {len(shown.stdout.splitlines())} lines and left with {shown.returncode}.")
    report.goal("import commonplace over bare", times.p50(imported) - times.p50(bare), 60, unit=" ms")
    report.goal("from commonplace import Memory over bare", times.p50(memory) - times.p50(bare), 60, unit=" ms")
    report.goal("commonplace recall to bare interpreter", times.ratio(asked, bare)[0], 2)


def _start(arguments: list[str]) -> None:
    subprocess.run([sys.executable, *arguments], env=os.environ, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)  # fmt: skip
