"""Examine a scope: every damaged record, every drift between files and index. Mends only when asked.

A damaged line is never removed and stays a problem. What an index lacks is made again; a change log cannot be.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from commonplace.changes import log, tombstones
from commonplace.changes.message_trust import is_owner
from commonplace.changes.parts import Parts
from commonplace.changes.plan import REVIEW
from commonplace.changes.transcripts import State, checksum, whole_lines
from commonplace.errors import DamagedError
from commonplace.guard.screened import line_bytes
from commonplace.layouts.codecs import items as items_layer
from commonplace.recall.indexing import Indexing
from commonplace.records import Problem, Report
from commonplace.store.files.misplaced import misplaced
from commonplace.store.protocol import STATE, Logged, Store

OWN_LINES: Final = (REVIEW, tombstones.PATH)
LOG: Final = f"{STATE}/log"


def examine(
    of: Parts, indexing: Indexing | None, *, full: Iterable[Problem] = (), waiting: int = 0, fix: bool = False
) -> Report:
    """Check every stored line of a scope, its change log, and its index against the files.

    Args:
        of: The parts of the scope.
        indexing: Knows the index; None where there is none to hold against the files.
        full: What was found of documents that hold too much.
        waiting: How many operations wait for review.
        fix: Make a drifted index again.
    """
    store, transcripts, owner = of.store, of.layout.sessions, of.config.guard.owner
    names: set[str] = set()
    checked: Counter[str] = Counter()
    problems: list[Problem] = []
    logged: list[Problem] = []
    written = _Written((*OWN_LINES, f"{transcripts}/"))
    for change in store.since(0):
        written.take(change)
        try:
            log.read(change)
        except DamagedError as error:
            logged.append(Problem(kind="log", path=f"change {change.number}", reason=str(error)))
    for stat in store.list(transcripts):
        if stat.path.endswith(".jsonl"):
            checked["transcripts"] += 1
            problems.extend(_transcript(store, stat.path, checked, written, names))
    if names and not any(is_owner(name, owner) for name in names):
        reason = f"nobody wrote under the name in guard.owner, {owner!r}: what others say is never noted"
        problems.append(Problem(kind="owner", path=transcripts, reason=reason))
    odd = tuple(_misplaced(store, of.layout.memory, transcripts, STATE))
    for path in {*OWN_LINES} - {each.path for each in odd}:
        problems.extend(_own(store, path, checked, written))
    for _, path in of.reader.files(lambda layer: layer.kind == "items"):
        problems.extend(_items(store, path, checked))
    problems.extend(odd)
    problems.extend(full)
    checked["changes"] = store.change_number()
    problems.extend(
        Problem(kind="log", path="/".join(filter(None, (LOG, each.file))), line=each.line or None, reason=each.reason)
        for each in store.verify_log()
    )
    problems.extend(logged)
    if indexing is not None:
        problems.extend(_index(indexing, checked, fix=fix))
    return Report(tuple(problems), dict(checked), waiting)


def _misplaced(store: Store, *folders: str) -> Iterator[Problem]:
    """Yield each path that should be a file of memory and is none, so that its content is missing everywhere."""
    found = {path: what for folder in folders for path, what in misplaced(store.root, folder)}
    for path, what in found.items():
        reason = f"this is {what}; nothing reads it or writes to it until the file itself is in its place"
        yield Problem(kind="misplaced", path=path, reason=reason)


def _index(indexing: Indexing, checked: Counter[str], *, fix: bool) -> list[Problem]:
    drift = indexing.check()
    checked["indexed files"] = len(indexing.index.states())
    if drift and fix:
        indexing.rebuild()
    mended = bool(drift and fix and not indexing.check())
    return [Problem(kind="drift", path="index", reason=reason, fixed=mended) for reason in drift]


class _Written:
    """The lines that the change log says were added to our own files, each with its change."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self._paths = paths
        self._lines: dict[str, dict[bytes, int]] = {}

    def take(self, change: Logged) -> None:
        """Note what one change wrote; what it erased or took away is not looked for."""
        for file, content in zip(change.header["files"], change.payload.get("writes") or (), strict=False):
            if not file["path"].startswith(self._paths):
                continue
            if file["kind"] == "append":
                lines = self._lines.setdefault(file["path"], {})
                lines |= dict.fromkeys((line_bytes(text) for text in content), change.number)
            else:
                self._lines.pop(file["path"], None)

    def found(self, path: str, lines: Iterable[bytes]) -> None:
        """Note that some lines are in their file."""
        if expected := self._lines.get(path):
            for line in lines:
                expected.pop(line, None)

    def gone(self, path: str, damaged: int) -> Iterator[Problem]:
        """Yield what is not in its file, if that is more than its damaged lines may have been."""
        missing = self._lines.get(path, {})
        if len(missing) > damaged:
            changes = ", ".join(map(str, sorted(set(missing.values()))))
            yield Problem(kind="damaged", path=path, reason=f"lines are gone that were written by change {changes}")


def _transcript(
    store: Store, path: str, checked: Counter[str], written: _Written, names: set[str]
) -> Iterator[Problem]:
    """Read a transcript as sessions do, a part at a time; add the names that its users wrote under."""
    state, line, seen = State(), 1, 0
    for part in _parts(store, path):
        base, at = state.bytes_read, 0
        state.take(part, base)
        written.found(path, part.split(b"\n"))
        for offset, reason in state.damaged[seen:]:
            line, at = line + part.count(b"\n", at, offset - base), offset - base
            yield Problem(kind="damaged", path=path, line=line, reason=reason)
        line, seen = line + part.count(b"\n", at), len(state.damaged)
    names |= state.names
    checked["lines"] += line - 1
    if state.head is None and line > 1:
        yield Problem(kind="damaged", path=path, line=1, reason="the line that names the session is gone")
    yield from written.gone(path, seen)


def _parts(store: Store, path: str) -> Iterator[bytes]:
    """Yield a file in parts of whole lines, and the line that has no end as if it had."""
    start = 0
    for part in whole_lines(store, path):
        yield part
        start += len(part)
    blob = store.read(path, start)
    if blob is not None and blob.data:
        yield blob.data + b"\n"


def _own(store: Store, path: str, checked: Counter[str], written: _Written) -> Iterator[Problem]:
    damaged = 0
    for number, raw in _lines(store, path, checked):
        written.found(path, [raw])
        if checksum(raw) is not True:
            damaged += 1
            yield Problem(kind="damaged", path=path, line=number, reason="checksum does not match")
    yield from written.gone(path, damaged)


def _items(store: Store, path: str, checked: Counter[str]) -> Iterator[Problem]:
    blob = store.read(path)
    contents = items_layer.read(blob.data if blob else b"")
    checked["lines"] += len(contents.lines)
    for number, _ in contents.malformed:
        yield Problem(kind="damaged", path=path, line=number, reason="not one JSON object with an id")


def _lines(store: Store, path: str, checked: Counter[str]) -> Iterator[tuple[int, bytes]]:
    blob = store.read(path)
    for number, raw in enumerate(io.BytesIO(blob.data if blob else b""), 1):
        if raw.strip():
            checked["lines"] += 1
            yield number, raw.rstrip(b"\r\n")


def merge(reports: Sequence[Report]) -> Report:
    """Merge the reports of several scopes."""
    checked: Counter[str] = Counter()
    for report in reports:
        checked.update(report.checked)
    problems = tuple(problem for report in reports for problem in report.problems)
    return Report(problems, dict(checked), sum(report.waiting for report in reports))
