"""How long a durable append takes, beside a bare append of the same bytes and two peers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import memories
import rounds
from corpus import Corpus
from report import Report
from rounds import ms, spread

from commonplace import Memory, Message
from commonplace.guard import screen

BARE = "bare append + fdatasync"
SCREEN = "guard.screen alone"
BOTH = "guard.screen, then the bare append"
ROUNDS = 3  # times as many as others have: a row takes 30 ms, and two rows differ by a half
WRITES = 150  # of each arm in a round, as the reference measurement of peers has it
TARGETS = 8  # sessions that the appends go to in turn
MANY = 500  # sessions that one process has written to before


def measure(report: Report, corpus: Corpus, folder: Path, filled: dict[int, Path], *, rounds_: int) -> None:
    rounds_ *= ROUNDS
    texts = corpus.messages(WRITES * rounds_)
    lines = _lines(folder / "lines", texts)
    sizes = sorted(filled)
    with contextlib.ExitStack() as stack:
        bare = os.open(folder / "bare.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        stack.callback(os.close, bare)
        arms: dict[str, rounds.Arm] = {
            BARE: lambda turn: (partial(_bare, bare, line) for line in _of(lines, turn)),
            SCREEN: lambda turn: (partial(screen, text) for text in _of(texts, turn)),
            BOTH: lambda turn: (
                partial(_screened, bare, text, line)
                for text, line in zip(_of(texts, turn), _of(lines, turn), strict=True)
            ),
        }
        names = {}
        for size in sizes:
            memory = stack.enter_context(memories.copied(filled[size], f"append-{size}", jobs="inline"))
            names[size] = f"append, {size:,} stored"
            arms[names[size]] = _appends(memory, texts)
        memory = stack.enter_context(memories.copied(filled[sizes[0]], "append-indexed", jobs="inline"))
        arms["append + bringing the index up to it"] = _appends(memory, texts, index=True)
        busy = stack.enter_context(memories.copied(filled[sizes[0]], "append-thread", jobs="thread"))
        arms["append, jobs by the rules in a thread"] = _appends(busy, texts)
        memory = stack.enter_context(memories.copied(filled[sizes[0]], "append-many", jobs="inline"))
        arms[f"append, {MANY} sessions live in the process"] = _appends(memory, texts, live=MANY)
        few = dict(arms)
        arms |= _peers(report, stack, folder, texts, sizes[0])
        in_a_row = rounds.run(arms, rounds=rounds_, turn=WRITES, before=partial(_rest, busy))
        in_turns = rounds.run(few, rounds=rounds_, before=busy.flush)
        found = _found(memory, corpus)
    mean = sum(map(len, lines)) // len(lines)
    head = ("arm", "p50 ms", "p99 ms", "p99 / p50", "to bare", "to screen and bare in one call", "to the two apart")
    title = f"Append: one message of {mean} bytes a call, {rounds_} rounds of {WRITES}"
    report.table(f"{title} in a row, the disk at rest before", head, _rows(in_a_row, list(arms)))
    report.table(f"{title} in turns of {rounds.TURN} calls, caches and disk shared", head, _rows(in_turns, list(few)))
    report.say("", f"Found by the very next search: {found[0]} of {found[1]} appended messages.")
    for size in sizes:
        name = names[size]
        report.goal(f"append to bare append, {size:,} stored", in_a_row.ratio(name, BARE)[0], 3)
        report.goal(f"append p99 / p50, {size:,} stored", in_a_row.p(name, 0.99) / in_a_row.p50(name), 10)
    many = in_turns.ratio(f"append, {MANY} sessions live in the process", names[sizes[0]])[0]
    report.goal(f"append with {MANY} live sessions to {TARGETS}", many, 1.2, added=True)
    grown = in_turns.ratio(names[sizes[-1]], names[sizes[0]])[0]
    report.goal(f"append at {sizes[-1]:,} to {sizes[0]:,} stored", grown, 1.2)


def _rest(busy: Memory) -> None:
    """Let the jobs of one arm end before the next one is timed, and the disk come to rest."""
    busy.flush()
    os.sync()


def _rows(times: rounds.Times, arms: list[str]) -> list[tuple[str, ...]]:
    rows = []
    for arm in arms:
        below = spread(times.ratio(arm, BARE)) if arm not in {BARE, SCREEN} else ""
        ours = arm.startswith("append")
        both = spread(times.ratio(arm, BOTH)) if ours else ""
        apart = spread(times.ratio(arm, BARE, SCREEN)) if ours else ""
        tail = times.p(arm, 0.99)
        rows.append((arm, ms(times.p50(arm)), ms(tail), f"{tail / times.p50(arm):.1f}", below, both, apart))
    return rows


def _of(values: list, turn: int) -> list:
    return values[turn * WRITES : (turn + 1) * WRITES]


def _lines(folder: Path, texts: list[str]) -> list[bytes]:
    """Give the very lines that commonplace writes for these messages."""
    with Memory.open(folder, jobs="worker") as memory:
        memory.append("bench:lines", [Message("user", text) for text in texts])
        path = Path(memory.location) / memory.sessions.path("bench:lines")
    return path.read_bytes().splitlines(keepends=True)[1:]


def _bare(handle: int, line: bytes) -> None:
    os.write(handle, line)
    os.fdatasync(handle)


def _screened(handle: int, text: str, line: bytes) -> None:
    screen(text)
    _bare(handle, line)


def _appends(memory: Memory, texts: list[str], *, index: bool = False, live: int = TARGETS) -> rounds.Arm:
    for number in range(live):  # folds the sessions once, as a running agent has
        memory.append(memories.session(number), [Message("user", "one to begin with")])

    def write(session: str, text: str) -> None:
        memory.append(session, [Message("user", text)])
        if index:
            memories.parts(memory).indexing.catch_up()

    def calls(turn: int) -> Iterator:
        for at, text in enumerate(_of(texts, turn)):
            yield partial(write, memories.session(at % TARGETS), text)

    return calls


def _found(memory: Memory, corpus: Corpus, tries: int = 20) -> tuple[int, int]:
    found = 0
    for at in range(tries):
        word = f"zzyx{at:03d}quill"
        source = memory.append(memories.session(at % TARGETS), [Message("user", f"{word} {corpus.messages(1)[0]}")])
        found += any(source[0] in hit.sources for hit in memory.recall(word))
    return found, tries


def _peers(
    report: Report, stack: contextlib.ExitStack, folder: Path, texts: list[str], size: int
) -> dict[str, rounds.Arm]:
    arms: dict[str, rounds.Arm] = {}
    before = (texts * (size // len(texts) + 1))[:size]
    try:
        from agents import SQLiteSession
    except ImportError:
        report.say("", "OpenAI Agents SDK is not installed: its SQLiteSession is left out.")
    else:
        loop = asyncio.new_event_loop()
        stack.callback(loop.close)
        peer = SQLiteSession("bench", folder / "agents.sqlite")
        stack.callback(peer.close)
        loop.run_until_complete(peer.add_items([{"role": "user", "content": text} for text in before]))

        def add(text: str) -> None:
            loop.run_until_complete(peer.add_items([{"role": "user", "content": text}]))

        name = f"OpenAI Agents SDK SQLiteSession, {size:,} stored (not searchable)"
        arms[name] = lambda turn: (partial(add, text) for text in _of(texts, turn))
    try:
        from langgraph.store.sqlite import SqliteStore
    except ImportError:
        report.say("", "LangGraph is not installed: its SqliteStore is left out.")
    else:
        handle = sqlite3.connect(folder / "langgraph.sqlite", check_same_thread=False, isolation_level=None)
        stack.callback(handle.close)
        store = SqliteStore(handle)
        store.setup()
        for at, text in enumerate(before):
            store.put(("bench",), f"old-{at}", {"text": text})

        def put(key: str, text: str) -> None:
            store.put(("bench",), key, {"text": text})

        arms[f"LangGraph SqliteStore, {size:,} stored (not searchable)"] = lambda turn: (
            partial(put, f"{turn}-{at}", text) for at, text in enumerate(_of(texts, turn))
        )
    return arms
