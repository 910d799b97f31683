"""Kills writers at random moments and reports what was kept, as JSON; run as its own process.

Single-threaded, so that it may fork: `crash_driver.py append|commit ROOT KILLS SEED`.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import struct
import sys
import time
from pathlib import Path

from scopes import ITEMS, A, line, numbers, open_store, round_of, state_of

PATH = "sessions/one.jsonl"


def spawn(work) -> tuple[int, int]:
    """Fork a child that reports acknowledged numbers over a pipe."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(600)  # one that outlives the driver would keep its pipes open
        os.close(reader)
        try:
            work(lambda number: os.write(writer, struct.pack("<q", number)))
        finally:
            os._exit(1)
    os.close(writer)
    return pid, reader


def acked(reader: int) -> list[int]:
    data = b""
    while part := os.read(reader, 65536):
        data += part
    os.close(reader)
    return [each[0] for each in struct.iter_unpack("<q", data[: len(data) // 8 * 8])]


def kill_soon(pid: int, reader: int, chance: random.Random) -> None:
    if chance.random() < 0.8:
        select.select([reader], [], [], 10)  # most are killed at work, some while they open the store
    until = time.monotonic() + chance.random() * 0.008
    while time.monotonic() < until:
        pass
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def appends(root: str, kills: int, chance: random.Random) -> dict:
    kept: list[int] = []
    number = 0
    for _ in range(kills):
        first, chars = number + 1, chance.choice([30, 400, 30_000, 200_000])

        def work(ack, first=first, chars=chars) -> None:
            store = open_store(root)
            for each in range(first, first + 100_000):
                store.append(PATH, [line(each, chars)], durable=False)
                ack(each)

        pid, reader = spawn(work)
        kill_soon(pid, reader, chance)
        got = acked(reader)
        kept += got
        number = max([number, *got]) + 1  # the one after the last acknowledged may be there too
    with open_store(root) as store:
        data = store.read(PATH).data
    found = numbers(data)
    return {
        "kills": kills,
        "acked": len(kept),
        "lost": len(set(kept) - set(found)),
        "duplicates": len(found) - len(set(found)),
        "damaged": len(data.splitlines()) - len(found),
    }


def watch(root: str):
    """Read all the time and report what is not one whole change, until `stop` is there or the driver is gone."""
    driver = os.getpid()

    def work(ack) -> None:
        store = open_store(root)
        reads = 0
        while os.getppid() == driver and not Path(root, "stop").exists():
            a, b, items = state_of(store)
            reads += 1
            if a != b or items != list(range(1, a + 1)):
                ack(-a - 1)
        ack(reads)

    return spawn(work)


def commits(root: str, kills: int, chance: random.Random) -> dict:
    Path(root).mkdir()
    watcher, reports = watch(root)
    result = {"kills": kills, "acked": 0, "lost": 0, "half": 0, "problems": 0}
    for _ in range(kills):
        chars = chance.choice([10, 400, 30_000])

        def work(ack, chars=chars) -> None:
            store = open_store(root)
            while True:
                first = store.change_number() + 1
                store.commit({"actor": "agent"}, {}, round_of(first, chars), durable=False)
                ack(first)

        pid, reader = spawn(work)
        kill_soon(pid, reader, chance)
        got = acked(reader)
        with open_store(root) as store:
            a, b, items = state_of(store)
        result["acked"] += len(got)
        result["lost"] += sum(number > a for number in got)
        result["half"] += a != b or items != list(range(1, a + 1))
    Path(root, "stop").touch()
    seen = acked(reports)
    os.waitpid(watcher, 0)
    result["half"] += sum(number < 0 for number in seen)
    result["reads"] = seen[-1] if seen else 0
    with open_store(root) as store:
        result["problems"] = len(store.verify_log())
        result["changes"] = store.change_number()
        result["last"] = int(store.read(A).data.split(b"\n")[0])
        result["items"] = len(numbers(store.read(ITEMS).data))
    result["left"] = sum(name.endswith(("tmp", "new")) for _, _, names in os.walk(root) for name in names)
    return result


if __name__ == "__main__":
    kind, root, kills, seed = sys.argv[1:]
    run = appends if kind == "append" else commits
    print(json.dumps(run(root, int(kills), random.Random(int(seed)))))
