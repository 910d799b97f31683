"""Measure commonplace against what it stands on, and print the tables of docs/benchmarks.md.

    python bench/run.py             everything, at 1,000, 10,000 and 100,000 messages
    python bench/run.py --write     the same, and put the figures into docs/benchmarks.md and .svg
    python bench/run.py --large     also 1,000,000 messages in one scope, and in 10,000 scopes
    python bench/run.py --quick     three rounds and no 100,000: to see that the bench itself works

Ratios hold; milliseconds are of this machine at this hour. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import compileall
import os
import platform
import re
import sqlite3
import subprocess
import tempfile
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import appending
import consolidating
import files
import memories
import recalling
import rounds
import scopes
import screening
import starting
import topics
import turns as turns_
from corpus import Corpus
from report import Report, picture

import commonplace

DOCS = Path(__file__).resolve().parent.parent / "docs"
FIGURES = re.compile(r"(<!-- figures -->\n).*?(<!-- end -->)", re.DOTALL)
SPOKEN = 100_000  # messages that go through `append`; more are written to files, and the index catches up
PEERS = ("openai-agents", "langgraph", "langgraph-checkpoint-sqlite", "tantivy")


def main() -> None:
    options = _options()
    began = time.monotonic()
    report = Report()
    # Processes are measured as they are installed: with their bytecode beside them.
    compileall.compile_dir(Path(commonplace.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-", dir=options.folder) as made:
        folder = Path(made)
        corpus = Corpus()
        _machine(report, corpus, folder)
        sizes = [1_000, 10_000] + ([] if options.quick else [100_000]) + ([1_000_000] if options.large else [])
        texts, filled = _filled(report, corpus, folder, sizes)
        turns = 3 if options.quick else rounds.ROUNDS
        ends = {
            size: filled[size] for size in (1_000, 10_000 if options.quick else 100_000, 1_000_000) if size in filled
        }
        asked = {size: filled[size] for size in sizes[1:]}
        starting.measure(report, filled[1_000], corpus.questions(texts[1_000], 1)[0], rounds_=turns)
        screening.measure(report, texts[1_000], rounds_=turns)
        appending.measure(report, corpus, folder, ends, rounds_=turns)
        recalling.measure(report, corpus, folder, asked, texts, rounds_=turns)
        files.context(report, corpus, folder, rounds_=turns)
        files.sync(report, filled[10_000], rounds_=turns)
        for size in [each for each in sizes[1:] if each <= SPOKEN]:
            files.rebuild(report, filled[size], texts[size], folder, rounds_=turns if size < SPOKEN else 3)
        files.sizes(report, asked)
        consolidating.measure(report, corpus, folder)
        turns_.measure(report, folder, [size for size in sizes if size <= SPOKEN])
        topics.measure(report, folder)
        if options.large:
            scopes.measure(report, corpus, folder, scopes=500 if options.quick else 10_000, rounds_=turns)
    report.verdicts()
    one, five, _ = os.getloadavg()
    report.say("", f"Took {time.monotonic() - began:.0f} s; load at the end {one:.1f} (1 min), {five:.1f} (5 min).")
    if options.write:
        _write(report)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the figures into docs/benchmarks.md and .svg")
    parser.add_argument(
        "--large", action="store_true", help="also 1,000,000 messages, in one scope and in 10,000: ten minutes"
    )
    parser.add_argument("--quick", action="store_true", help="three rounds, no 100,000 messages")
    parser.add_argument("--folder", help="where to keep the files while it runs; the disk that is measured")
    return parser.parse_args()


def _filled(
    report: Report, corpus: Corpus, folder: Path, sizes: list[int]
) -> tuple[dict[int, list[str]], dict[int, Path]]:
    texts, filled = {}, {}
    for size in sizes:
        texts[size] = corpus.messages(size)
        filled[size] = folder / f"filled-{size}"
        began = time.monotonic()
        if size > SPOKEN:
            memories.write(filled[size], texts[size], each=memories.LONG)
            files.first_build(report, filled[size], texts[size], folder)
            continue
        memories.fill(filled[size], texts[size]).close()
        print(f"(kept and indexed {size:,} messages in {time.monotonic() - began:.1f} s)", flush=True)
    return texts, filled


def _machine(report: Report, corpus: Corpus, folder: Path) -> None:
    one, five, _ = os.getloadavg()
    found = []
    for name in PEERS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    report.say(
        f"- {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commonplace at {_commit()}",
        f"- {os.cpu_count()} cores ({_processor()}), {platform.system()} {platform.release()}, "
        f"{_file_system(folder)}, load at the start {one:.1f} (1 min), {five:.1f} (5 min)",
        f"- {platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
        f"- {', '.join(found)}",
        f"- messages: {corpus.name}",
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.+)", info.read_text(encoding="utf-8")) if info.is_file() else None
    return found.group(1).strip() if found else platform.machine()


def _file_system(folder: Path) -> str:
    try:
        told = subprocess.run(
            ["findmnt", "-n", "-o", "FSTYPE", "-T", folder], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return "file system unknown"
    return told.stdout.strip() or "file system unknown"


def _commit() -> str:
    root = DOCS.parent
    told = subprocess.run(
        ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return told.stdout.strip() or os.environ.get("COMMONPLACE_COMMIT", "an unnamed commit")


def _write(report: Report) -> None:
    page = DOCS / "benchmarks.md"
    figures = "\n".join(report.lines).strip() + "\n"
    text = FIGURES.sub(lambda found: found.group(1) + figures + found.group(2), page.read_text(encoding="utf-8"))
    page.write_text(text, encoding="utf-8")
    (DOCS / "benchmarks.svg").write_text(picture(report.goals), encoding="utf-8")
    print(f"\nwrote {page} and its picture")


if __name__ == "__main__":
    main()
