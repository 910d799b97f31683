"""Many sessions, several worker processes, and kill -9 in the middle: each range is done once, and none is left."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tracemalloc

import pytest

from commonplace import Memory, Message, Worker
from commonplace.testing import FixedClock
from inside import counted, open_scopes

FULL = os.environ.get("COMMONPLACE_BATTERY") == "full"
SESSIONS = 1000 if FULL else 8
KILLS = 12 if FULL else 1
WORKERS = 4 if FULL else 2
TICKS = 10_000 if FULL else 30

CHILD = """
import json, re, sys, time
from commonplace import Worker

def model(asked):
    name = re.search(r"keeps bird (\\d+)", asked.partition("## Messages")[2])[1]
    body = f"The user keeps bird {name}."
    put = {"op": "put_topic", "path": f"memory/bird{name}.md", "title": f"Bird {name}", "description": "", "body": body,
           "parents": [], "cites": [{"message": 1, "quote": f"bird {name}"}]}
    return json.dumps({"journal": body, "operations": [put], "done": True})

with Worker(sys.argv[1], layout="graph", llm=model, config={"spending.daily_tokens": 10**9}) as worker:
    print("ready", flush=True)
    while True:
        print(worker.tick(), flush=True)
        time.sleep(0.05)
"""


def started(folder):
    command = [sys.executable, "-c", CHILD, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.battery
@pytest.mark.timeout(3000 if FULL else 240)
def test_workers_that_are_killed_do_every_range_once(tmp_path):
    """Issue 20: 1,000 sessions due, four processes on one directory, kill -9 of random ones."""
    chance = random.Random(20)
    with Memory.open(tmp_path, layout="graph", jobs="worker") as memory:
        for number in range(SESSIONS):
            said = [Message("user", f"The user keeps bird {number}."), Message("assistant", "ok")]
            memory.append(f"chat:{number}", said, agent=f"agent{number % 8}")
            memory.reset(f"chat:{number}", now=True)
        workers = [started(tmp_path) for _ in range(WORKERS)]
        try:
            for each in workers:
                assert each.stdout.readline() == "ready\n"
            for _ in range(KILLS):
                place = chance.randrange(WORKERS)
                workers[place].stdout.readline()  # it has done some
                workers[place].kill()
                workers[place].communicate()
                workers[place] = started(tmp_path)
            while any(state.cursors.get("memory-agent", 0) < 2 for state in memory.sessions.list()):
                workers[0].stdout.readline()
        finally:
            for each in workers:
                each.kill()
                each.communicate()
        written = [memory.read(f"memory/bird{number}.md") for number in range(SESSIONS)]
        assert [record.body for record in written] == [f"The user keeps bird {n}." for n in range(SESSIONS)]
        assert {record.extra["version"] for record in written} == {"1"}
        history = "".join(file.read_text("utf-8") for file in tmp_path.glob("memory/history/*.md"))
        told = re.findall(r"keeps bird (\d+)\.", history)
        assert sorted(map(int, told)) == list(range(SESSIONS))
        assert memory.doctor().ok
    with Worker(tmp_path, layout="graph") as worker:
        assert worker.status().due == ()


@pytest.mark.battery
@pytest.mark.timeout(1200 if FULL else 120)
def test_ticks_without_end_need_no_more_memory(tmp_path):
    """Issue 20: 10,000 ticks on an advanced clock with flat memory."""
    clock = FixedClock("2026-11-20T10:00:00+00:00")
    with Memory.open(tmp_path, layout="graph", clock=clock, jobs="worker") as memory:
        for number in range(3):
            memory.append(f"chat:{number}", [Message("user", "The user keeps a bird.", at=clock())])
    clock.advance(hours=2)
    tracemalloc.start()
    try:
        with Worker(tmp_path, layout="graph", clock=clock) as worker:
            used = []
            for part in (TICKS // 3, TICKS // 3, TICKS // 3):
                for _ in range(part):
                    worker.tick()
                    clock.advance(30)
                used.append(tracemalloc.get_traced_memory()[0])
                assert counted(open_scopes(worker)["default"].schedule) == {}
    finally:
        tracemalloc.stop()
    assert used[2] - used[1] < 200_000  # bytes; in the first part the jobs ran
