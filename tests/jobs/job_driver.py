"""Kills a consolidation job at every system call in turn and runs it again; run as its own process.

`job_driver.py ROOT KILLS STRIDE`, which takes every STRIDE-th call: prints as JSON how many kills there were and what was wrong after each rerun.
Single-threaded, so that it may fork.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import traceback
from pathlib import Path

from commonplace import Memory, Message
from commonplace.store.files.disk import Disk
from commonplace.testing import FixedClock, ScriptedLLM

DIED = 9
STEPS = ("open", "write", "pwrite", "sync", "sync_all", "truncate", "rename", "rename_new", "exchange", "unlink")
REPLY = json.dumps(
    {
        "journal": "The user said that they live in Bergen and drink green tea.",
        "operations": [
            {
                "op": "add",
                "path": "memory/facts/user.md",
                "section": "",
                "target": "",
                "text": "The user lives in Bergen.",
                "cites": [{"message": 1, "quote": "I live in Bergen"}],
            }
        ],
    }
)


def opened(root: Path) -> Memory:
    clock = FixedClock("2026-03-01T10:00:00+00:00", step_seconds=0.001)
    return Memory.open(root, llm=ScriptedLLM([REPLY], repeat=True), clock=clock, jobs="worker")


def prepare(root: Path) -> None:
    with opened(root) as memory:
        memory.append("cli:a", [Message("user", "I live in Bergen"), Message("assistant", "Noted.")])
        memory.append("cli:a", [Message("user", "And I drink green tea"), Message("assistant", "Good.")])


def killed(root: Path, at: int) -> bool:
    """Run the job in a child that dies at its `at`-th system call; False when it came to its end."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)  # one that hangs would keep the driver's pipes open
        left = at

        def dying(name):
            real = getattr(Disk(), name)

            def call(_, *args, **kwargs):
                nonlocal left
                left -= 1
                if left <= 0:
                    os._exit(DIED)
                return real(*args, **kwargs)

            return call

        for name in STEPS:
            setattr(Disk, name, dying(name))
        try:
            memory = opened(root)
            memory.consolidate("cli:a")
            os._exit(0)
        except BaseException:
            traceback.print_exc()  # nobody above would: the child ends here
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code not in {0, DIED}:
        raise SystemExit(f"the job ended with {code} before call {at}, at which it should have died")
    return code == DIED


def wrong(root: Path) -> list[str]:
    """Run the job again and name what is not there exactly once."""
    found: list[str] = []
    with opened(root) as memory:
        memory.consolidate("cli:a")
        if memory.sessions.state("cli:a").cursors != {"consolidate": 4}:
            found.append(f"cursor {memory.sessions.state('cli:a').cursors}")
        facts = (root / "memory/facts/user.md").read_text(encoding="utf-8")
        if facts.count("The user lives in Bergen.") != 1:
            found.append(f"facts {facts!r}")
        journal = (root / "memory/HISTORY-2026-03.md").read_text(encoding="utf-8")
        if journal.count("## ") != 1 or journal.count("green tea") != 1:
            found.append(f"journal {journal!r}")
        problems = memory.doctor().problems
        found += [f"{problem.kind}: {problem.reason}" for problem in problems if problem.kind != "drift"]
    return found


def main(root: str, kills: int, stride: int) -> None:
    base = Path(root)
    first = base / "first"
    prepare(first)
    done, steps, at, errors = 0, 0, 0, []
    while done < kills:
        at += stride
        here = base / "here"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(first, here)
        if not killed(here, at):
            steps, at = at - stride, done % stride  # the next round takes others
            continue
        done += 1
        errors += [f"kill at step {at}: {each}" for each in wrong(here)]
    print(json.dumps({"kills": done, "steps": steps, "errors": errors[:20]}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
