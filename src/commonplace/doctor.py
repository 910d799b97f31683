"""Look a scope over: every damaged record, every drift between files and index. Mends only when asked.

A damaged line is never removed: mending copies it to quarantine, so that it is seen and kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from commonplace.guard import screen
from commonplace.indexing import Indexing
from commonplace.records import Problem, Report, json_line
from commonplace.storage import STATE, Store
from commonplace.transcripts import Damaged, StoredMessage, decode, split_lines

QUARANTINE: Final = f"{STATE}/quarantine.jsonl"
"""Screened copies of lines that could not be read, each with its file and line number."""


def examine(store: Store, indexing: Indexing, *, transcripts: str, fix: bool = False) -> Report:
    """Check the transcripts of a scope line by line, its change log, and its index against the files.

    Args:
        store: Holds the files.
        indexing: Knows the index.
        transcripts: The folder of the session files.
        fix: Quarantine copies of damaged lines and make a drifted index again.
    """
    checked: Counter[str] = Counter()
    problems: list[Problem] = []
    for stat in store.list(transcripts):
        if stat.path.endswith(".jsonl"):
            checked["transcripts"] += 1
            problems.extend(_transcript(store, stat.path, checked, fix=fix))
    checked["changes"] = store.change_number()
    problems.extend(
        Problem(kind="log", path=problem.file, line=problem.line, reason=problem.reason)
        for problem in store.verify_log()
    )
    indexing.catch_up()  # as every search does: what was just written is no drift
    drift = indexing.check()
    checked["indexed files"] = len(indexing.index.states())
    if drift and fix:
        indexing.rebuild()
    mended = bool(drift and fix and not indexing.check())
    problems.extend(Problem(kind="drift", path="index", reason=reason, fixed=mended) for reason in drift)
    return Report(tuple(problems), dict(checked))


def _transcript(store: Store, path: str, checked: Counter[str], *, fix: bool) -> list[Problem]:
    blob = store.read(path)
    found: list[Problem] = []
    ids: set[str] = set()
    for number, (_, raw) in enumerate(split_lines(blob.data if blob else b""), 1):
        checked["lines"] += 1
        line = decode(raw)
        reason = line.reason if isinstance(line, Damaged) else ""
        if isinstance(line, StoredMessage) and line.id in ids:
            reason = f"message id {line.id!r} stands twice"
        elif isinstance(line, StoredMessage):
            ids.add(line.id)
        if reason:
            if fix:
                kept = {"path": screen(path), "line": number, "text": screen(raw.decode("utf-8", "replace"))}
                store.append(QUARANTINE, [json_line(kept)])
            found.append(Problem(kind="damaged", path=path, line=number, reason=reason))
    return found


def merge(reports: Sequence[Report]) -> Report:
    """Put the reports of several scopes together."""
    checked: Counter[str] = Counter()
    for report in reports:
        checked.update(report.checked)
    return Report(tuple(problem for report in reports for problem in report.problems), dict(checked))
