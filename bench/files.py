"""What unchanged files cost, how fast an index is made again, and how large it is."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import memories
import rounds
from corpus import Corpus
from report import Report
from rounds import ms, spread

from commonplace import Memory

CALLS = 40  # of each cheap arm in a round
LOOKS = ("stat", "lstat", "fstat", "access", "open", "scandir")
SHOWN = ("SOUL.md", "AGENTS.md", "TOOLS.md", "USER.md", "MEMORY.md", "facts/user.md", "facts/env.md")
ENTRIES = 12  # in each shown file
OURS_OPTIONS = "content='', detail=none, columnsize=0, tokenize='porter unicode61 remove_diacritics 2'"


def context(report: Report, corpus: Corpus, folder: Path, *, rounds_: int) -> None:
    root = folder / "context"
    files = _shown(root, corpus)
    with Memory.open(root, jobs="worker") as memory:
        memory.context(tokens=4000)
        built = memory.context(tokens=4000)
        with memories.counted(*LOOKS) as counts:
            memory.context(tokens=4000)
        times = rounds.run(
            {
                "context, files unchanged": _repeat(lambda: memory.context(tokens=4000)),
                "the stat calls it needs": _repeat(lambda: _stat(files)),
                "reading the files again": _repeat(lambda: [file.read_bytes() for file in files]),
            },
            rounds=rounds_,
        )
    ours, bare, reading = times.by_round
    rows = [
        (ours, ms(times.p50(ours)), _calls(counts), spread(times.ratio(ours, bare))),
        (bare, ms(times.p50(bare)), f"{len(files)} stat", ""),
        (reading, ms(times.p50(reading)), "", spread(times.ratio(reading, bare))),
    ]
    size = sum(file.stat().st_size for file in files)
    title = f"Context of {len(files)} shown files, {size:,} bytes, {built.tokens:,} tokens, no question"
    report.table(title, ("arm", "p50 ms", "calls", "to the stats (min-max)"), rows)


def sync(report: Report, location: Path, *, rounds_: int) -> None:
    with Memory.open(location, jobs="worker") as memory:
        memory.sync()
        files = [str(location / stat.path) for stat in memories.parts(memory).store.list()]
        with memories.counted(*LOOKS) as counts:
            memory.sync()
        times = rounds.run(
            {
                "sync, nothing changed": _repeat(memory.sync, 3),
                "one stat for each file": _repeat(lambda: _stat(files), 3),
            },
            rounds=rounds_,
        )
    ours, bare = times.by_round
    rows = [
        (ours, ms(times.p50(ours)), _calls(counts), spread(times.ratio(ours, bare))),
        (bare, ms(times.p50(bare)), f"{len(files):,} stat", ""),
    ]
    report.table(f"No-change sync of {len(files):,} files", ("arm", "p50 ms", "calls", "to the stats (min-max)"), rows)
    report.goal("no-change sync to its stat calls", times.ratio(ours, bare)[0], 2.5)


def rebuild(report: Report, location: Path, texts: list[str], folder: Path, *, rounds_: int) -> None:
    with Memory.open(location, jobs="worker") as memory:
        arms = {
            "rebuild from the transcripts": _repeat(memory.reindex, 1),
            "raw FTS5 build, the index's own options": _repeat(lambda: _raw(folder, texts, OURS_OPTIONS), 1),
            "raw FTS5 build, SQLite's defaults": _repeat(lambda: _raw(folder, texts, ""), 1),
        }
        times = rounds.run(arms, rounds=rounds_)
    ours, same, plain = arms
    rows = []
    for arm in arms:
        ratios = [_inverse(times.ratio(ours, base)) if arm == ours else "" for base in (same, plain)]
        rows.append((arm, ms(times.p50(arm)), f"{len(texts) / times.p50(arm):,.0f} k/s", *ratios))
    head = ("arm", "p50 ms", "messages", "rate to own options (min-max)", "rate to defaults (min-max)")
    each = len(texts) // memories.sessions_of(len(texts))
    report.table(f"Rebuild of the index of {len(texts):,} messages, {each} a file", head, rows)
    name = f"rebuild to raw FTS5 rate, {each} messages a file"
    report.goal(name, 1 / times.ratio(ours, same)[0], 0.5, least=True, added=each < memories.LONG)


def first_build(report: Report, location: Path, texts: list[str], folder: Path) -> None:
    seconds, megabytes = memories.caught_up(location)
    began = time.perf_counter()
    _raw(folder, texts, OURS_OPTIONS)
    raw = time.perf_counter() - began
    report.say(
        f"- the index of {len(texts):,} messages in files made by a process of its own in {seconds:.1f} s, "
        f"{len(texts) / seconds / 1000:,.0f} k/s, at most {megabytes:.0f} MB resident; a raw FTS5 build with the "
        f"index's own options takes {raw:.1f} s"
    )
    report.goal(f"index from files to raw FTS5 rate, {len(texts):,} messages", raw / seconds, 0.5, least=True)


def sizes(report: Report, filled: dict[int, Path]) -> None:
    rows = []
    for size, location in sorted(filled.items()):
        with Memory.open(location, jobs="worker") as memory:
            index = Path(memories.parts(memory).indexing.index.path)
            said = sum((location / s.path).stat().st_size for s in memories.parts(memory).store.list("sessions"))
        with sqlite3.connect(index) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        share = index.stat().st_size / said
        rows.append((f"{size:,}", f"{said:,}", f"{index.stat().st_size:,}", f"{share:.2f}"))
        report.goal(f"index to transcript bytes, {size:,}", share, 1.0)
    report.table("Bytes", ("messages", "transcripts", "index", "index / transcripts"), rows)


def _repeat(call: Callable[[], object], times: int = CALLS) -> rounds.Arm:
    return lambda _: (call for _ in range(times))


def _stat(files: list[str] | list[Path]) -> None:
    for file in files:
        os.stat(file)  # noqa: PTH116 - the bare call is what is measured


def _inverse(ratio: tuple[float, float, float]) -> str:
    return spread((1 / ratio[0], 1 / ratio[2], 1 / ratio[1]))


def _calls(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)


def _shown(root: Path, corpus: Corpus) -> list[Path]:
    (root / "memory" / "facts").mkdir(parents=True)
    files = []
    for name in SHOWN:
        lines = corpus.messages(ENTRIES)
        joined = "\n§\n".join(lines) if name.startswith("facts/") else "\n".join(f"- {line}" for line in lines)
        (root / "memory" / name).write_text(joined + "\n", encoding="utf-8")
        files.append(root / "memory" / name)
    return files


def _raw(folder: Path, texts: list[str], options: str) -> None:
    path = folder / "raw.sqlite"
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous=OFF")
    extra = f", {options}" if options else ""
    db.execute(f"CREATE VIRTUAL TABLE said USING fts5(text{extra})")
    db.execute("BEGIN")
    db.executemany("INSERT INTO said(rowid, text) VALUES (?, ?)", enumerate(texts, 1))
    db.execute("COMMIT")
    db.close()
