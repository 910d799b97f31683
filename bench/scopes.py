"""Very many scopes in one location: what a question costs in one of them, and what a process keeps open.

Beside it tantivy over all messages of all scopes, which answers from everybody's memory at once; the
library has no such index, each scope has its own.
"""

from __future__ import annotations

import itertools
import os
import statistics
import time
from collections import deque
from functools import partial
from pathlib import Path

import memories
import rounds
from corpus import Corpus
from recalling import content_of, tantivy_over
from report import Report
from rounds import ms, spread

from commonplace import Memory
from commonplace.layouts import native
from commonplace.text.pieces import encode_name

EACH = 100  # messages of a scope, in one session
QUESTIONS = 20  # of each arm in a round, each in a scope of its own
ALIVE = 100  # memories kept open at once, of the scopes there are; each has six files open


def measure(report: Report, corpus: Corpus, folder: Path, *, scopes: int, rounds_: int) -> None:
    root = folder / "scopes"
    texts = corpus.messages(scopes * EACH)
    began = time.monotonic()
    for number in range(scopes):
        inside = native.LAYOUT.scopes.format(scope=encode_name(name(number)))
        memories.write(root / inside, _of(texts, number), each=EACH)
    print(f"(wrote {len(texts):,} messages of {scopes:,} scopes in {time.monotonic() - began:.1f} s)", flush=True)
    _questions(report, corpus, root, texts, scopes=scopes, rounds_=rounds_)
    _served(report, corpus, root, texts, scopes)


def name(number: int) -> str:
    return f"user:{number}"


def _of(texts: list[str], number: int) -> list[str]:
    return texts[number * EACH : (number + 1) * EACH]


def _questions(report: Report, corpus: Corpus, root: Path, texts: list[str], *, scopes: int, rounds_: int) -> None:
    count = QUESTIONS * rounds_
    spread_over = [at * scopes // (2 * count) for at in range(2 * count)]
    cold, new = spread_over[::2], spread_over[1::2]
    warm = cold[:QUESTIONS] * rounds_  # the same scopes in each round, as many as a process keeps open, other questions
    asked = {number: corpus.questions(_of(texts, number), 1)[0] for number in spread_over}
    talk = [corpus.questions(_of(texts, number), 1)[0] for number in warm]
    none = 0
    for number in cold:
        none += not _ask_once(root, number, asked[number])
    alive = {number: Memory.open(root, scope=name(number), jobs="worker") for number in warm}
    for number, question in zip(warm, talk, strict=True):
        none += not alive[number].recall(question)
    again = list(zip(warm, talk, strict=True))
    whole = tantivy_over(report, texts)
    arms: dict[str, rounds.Arm] = {
        "in an open scope": lambda turn: (partial(alive[number].recall, asked[number]) for number in _turn(warm, turn)),
        "scope opened, asked, closed": lambda turn: (
            partial(_ask_once, root, number, asked[number]) for number in _turn(cold, turn)
        ),
        "the same, its index not yet made": lambda turn: (
            partial(_ask_once, root, number, asked[number]) for number in _turn(new, turn)
        ),
    }
    base = f"tantivy OR over all {len(texts):,}, top 10"
    bare = "the same without stop words"
    if whole is not None:
        arms[base] = lambda turn: (partial(whole, question) for _, question in _turn(again, turn))
        arms[bare] = lambda turn: (partial(whole, content_of(question)) for _, question in _turn(again, turn))
    times = rounds.run(arms, rounds=rounds_)
    for memory in alive.values():
        memory.close()
    rows = []
    for arm in arms:
        below = [spread(times.ratio(arm, each)) if whole and arm != each else "" for each in (base, bare)]
        rows.append((arm, ms(times.p50(arm)), ms(times.p(arm, 0.95)), *below))
    title = f"A question in one of {scopes:,} scopes of {EACH} messages, {rounds_} rounds of {QUESTIONS}"
    report.table(
        title, ("arm", "p50 ms", "p95 ms", "to tantivy over all (min-max)", "to that without stop words"), rows
    )
    report.say("", f"Of {len(cold) + len(warm)} questions {none} found nothing.")
    if whole is not None:
        ours, of_scopes = next(iter(arms)), f"recall in one of {scopes:,} scopes"
        report.goal(f"{of_scopes} to tantivy over all", times.ratio(ours, base)[0], 3)
        report.goal(f"{of_scopes} to tantivy without stop words", times.ratio(ours, bare)[0], 3)


def _turn(asked: list, turn: int) -> list:
    return asked[turn * QUESTIONS : (turn + 1) * QUESTIONS]


def _ask_once(root: Path, number: int, question: str) -> object:
    with Memory.open(root, scope=name(number), jobs="worker") as memory:
        return memory.recall(question)


def _served(report: Report, corpus: Corpus, root: Path, texts: list[str], scopes: int) -> None:
    """Ask every scope once, closing each; then keep some open; count what the process holds meanwhile."""
    corpus_asked = (corpus.questions(_of(texts, number), 1)[0] for number in itertools.count())
    rows = [("before", "0", *_held(), "")]
    took: list[float] = []
    closed: dict[int, tuple[int, float]] = {}
    for number, question in zip(range(scopes), corpus_asked, strict=False):
        began = time.perf_counter()
        _ask_once(root, number, question)
        took.append((time.perf_counter() - began) * 1000)
        if number + 1 in (scopes // 10, scopes // 2, scopes):
            closed[number + 1] = _numbers()
            each = f"{statistics.median(took):.1f}"
            rows.append(("opened, asked, closed, one after another", f"{number + 1:,}", *_held(), each))
    with_open = deque[Memory]()
    for number in range(min(ALIVE, scopes)):
        memory = Memory.open(root, scope=name(number), jobs="worker")
        memory.recall(corpus.questions(_of(texts, number), 1)[0])
        with_open.append(memory)
        if number + 1 in (min(ALIVE, scopes) // 4, min(ALIVE, scopes)):
            rows.append(("opened, asked, kept open", f"{number + 1:,}", *_held(), ""))
    while with_open:
        with_open.popleft().close()
    rows.append(("all of them closed", "", *_held(), ""))
    head = ("what the process does", "scopes", "open files", "resident MB", "p50 ms each")
    report.table("Scopes served by one process", head, rows)
    few, many = min(closed), max(closed)
    report.goal(f"open files after {many:,} scopes to {few:,}", closed[many][0] / closed[few][0], 1.0)
    grown = max(0.1, closed[many][1] - closed[few][1])
    report.goal(f"memory grown from {few:,} to {many:,} scopes", grown, 20, unit=" MB")


def _held() -> tuple[str, str]:
    files, megabytes = _numbers()
    return f"{files}", f"{megabytes:.0f}"


def _numbers() -> tuple[int, float]:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return len(list(Path("/proc/self/fd").iterdir())), pages * os.sysconf("SC_PAGE_SIZE") / 1e6
