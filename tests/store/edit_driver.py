"""Races a person's edits against commits and reports what became of them, as JSON; run as its own process.

Single-threaded, so that it may fork: `edit_driver.py ROOT RACES SEED [steps]`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sys
import time
from pathlib import Path

from scopes import A, merge_lines, open_store

from commonplace.errors import VersionConflictError
from commonplace.guard.screened import seal
from commonplace.store.files import replace
from commonplace.store.protocol import MISSING, Put
from commonplace.text.spans import Keep
from inside import never_exchange

replace.QUIET_SECONDS = 0.03  # the editor below pauses for at most 6 ms


def spin(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def save(path: Path, buffer: bytes, how: str, pause: float, race: int) -> bytes:
    """Save an edit the way some program does; gives what it wanted to be there."""
    wanted = buffer + f"edit {race}\n".encode()
    if how == "rename":
        fresh = path.with_name("edit~")
        fresh.write_bytes(wanted)
        fresh.rename(path)
    elif how == "rewrite":
        with path.open("wb", buffering=0) as file:  # truncates first, as `>` does
            spin(pause)
            file.write(wanted[: len(wanted) // 2])
            spin(pause)
            file.write(wanted[len(wanted) // 2 :])
    elif how == "append":
        with path.open("ab", buffering=0) as file:
            spin(pause)
            file.write(f"edit {race}\n".encode())
    else:  # an editor that moves the old file to a backup first
        path.rename(path.with_name("backup~"))
        spin(pause / 4)
        path.write_bytes(wanted)
    return wanted


HOW = ("rename", "rewrite", "append", "backup")


def editor(root: str, channel: socket.socket, seed: int) -> None:
    """Edit whenever told to, at a random moment, from a buffer read just before."""
    chance = random.Random(seed)
    path = Path(root, A)
    race = 0
    while channel.recv(1):
        race += 1
        how = chance.choice(HOW)
        buffer = path.read_bytes()
        spin(chance.random() * 0.0012)
        began = time.monotonic()
        wanted = save(path, buffer, how, chance.random() * 0.003, race)
        if how == "rewrite" and time.monotonic() - began > replace.QUIET_SECONDS:
            how = "stopped"  # the machine had no time for it: what is half written so long is taken for a save
        head = f"{how}\n".encode() + wanted
        channel.sendall(len(head).to_bytes(4, "big") + head)


def commit_line(store, race: int) -> None:
    while True:
        blob = store.read(A)
        kept = (Keep(0, len(blob.data)),) if blob else ()
        expect = {A: blob.version if blob else MISSING}
        try:
            glue = "\n" if blob and blob.data and not blob.data.endswith(b"\n") else ""
            store.commit({}, {}, [Put(A, (*kept, seal(f"{glue}change {race}\n")))], expect=expect, durable=False)
        except VersionConflictError:
            continue
        return


def receive(channel: socket.socket) -> tuple[str, bytes]:
    file = channel.makefile("rb")
    how, _, wanted = file.read(int.from_bytes(file.read(4), "big")).partition(b"\n")
    return how.decode(), wanted


def main(root: str, races: int, seed: int, *, in_steps: bool) -> dict:
    chance = random.Random(seed)
    here, there = socket.socketpair()
    store = open_store(root, rebase=merge_lines)
    if in_steps:
        never_exchange(store)
    commit_line(store, 0)
    pid = os.fork()
    if pid == 0:
        signal.alarm(600)  # one that outlives the driver would keep its pipes open
        here.close()
        editor(root, there, seed)
        os._exit(0)
    there.close()
    counts = {
        "races": races,
        "edits_lost": 0,
        "stopped": 0,
        "nothing_on_disk": 0,
        "changes_lost": 0,
        "edit_came_last": 0,
        "merged": 0,
    }
    for race in range(1, races + 1):
        here.sendall(b"x")
        spin(chance.random() * 0.0012)
        commit_line(store, race)
        how, wanted = receive(here)
        store.commit({}, {}, [], durable=False)  # the next change: it looks at what this one swapped out
        data = Path(root, A).read_bytes()
        lines = data.split(b"\n")
        change_there = f"change {race}".encode() in lines
        counts["stopped"] += how == "stopped"
        counts["edits_lost"] += how != "stopped" and f"edit {race}".encode() not in lines
        counts["nothing_on_disk"] += not data
        counts["merged"] += change_there and how != "append"
        if not change_there:
            # A buffer read before the change and saved after it: a later edit, which wins; the log has ours.
            counts["edit_came_last"] += data == wanted
            counts["changes_lost"] += data != wanted and how != "stopped"
        if race % 50 == 0:
            Path(root, A).write_bytes(b"anew\n")
    here.close()
    os.waitpid(pid, 0)
    counts["conflicts"] = len(store.conflicts())
    counts["problems"] = len(store.verify_log())
    counts["changes"] = store.change_number()
    store.close()
    counts["left"] = sorted(str(path.name) for path in Path(root).rglob("*.cp*"))
    return counts


if __name__ == "__main__":
    root, races, seed, *rest = sys.argv[1:]
    print(json.dumps(main(root, int(races), int(seed), in_steps=bool(rest))))
