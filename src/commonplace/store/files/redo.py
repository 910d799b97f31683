"""Finish what another writer began: bring files from where they are to where the log says they are.

A write applies only to the bytes it was made for. Content the log does not know is an edit
from outside; it is merged, or stays and ours waits. After a loss of power a file that is shorter than what
the log says was written is made again. Pure but for `Redo`, which reads and writes.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import msgspec

from commonplace.errors import PathError
from commonplace.guard.screened import line_bytes
from commonplace.store.files.appends import Appender
from commonplace.store.files.changelog import Entry, Log, Touched, content_hash, render, unrender
from commonplace.store.files.disk import Disk, read_all, typed, write_all
from commonplace.store.files.paths import Tree, is_temporary
from commonplace.store.files.replace import Partly, Place, Replacer, quiet
from commonplace.store.files.state import read_small
from commonplace.store.protocol import MISSING

_FOREIGN: Final = object()

_logger = logging.getLogger(__name__)


class Step(msgspec.Struct, frozen=True):
    """One logged write to one file; `content` is None for a delete and where it was erased."""

    number: int
    index: int
    touched: Touched
    content: list[Any] | None
    removed: list[Any]

    @property
    def is_append(self) -> bool:
        """True if it adds lines rather than replacing the whole."""
        return self.touched.kind == "append"

    @property
    def body(self) -> bytes:
        """The lines of an append."""
        return lines_body(line_bytes(text) for text in self.content or [])


def lines_body(lines: Iterable[bytes]) -> bytes:
    """Join lines, each with its newline."""
    return b"".join(line + b"\n" for line in lines)


def steps_by_path(entries: Iterable[Entry]) -> dict[str, list[Step]]:
    """Sort the writes of some changes by file, each file's in order."""
    found: dict[str, list[Step]] = {}
    for entry in entries:
        writes = entry.writes()
        removed = entry.logged().payload.get("removed")
        for index, touched in enumerate(entry.files()):
            content = writes[index] if index < len(writes) else None
            gone = removed[index] if isinstance(removed, list) and index < len(removed) else None
            step = Step(entry.number, index, touched, content, gone if isinstance(gone, list) else [])
            found.setdefault(touched.path, []).append(step)
    return found


def missing_part(tail: bytes, body: bytes, before: bytes = b"\n") -> bytes:
    """Return what has to be added so that lines are once in a file whose end, from their offset on, is `tail`.

    Empty if they are there already; their rest if they were torn off at the end. `before` is the byte before the
    offset: a torn line stays alone.
    """
    if not tail and before not in {b"", b"\n"}:
        return b"\n" + body
    at = tail.find(body)
    while at > 0 and tail[at - 1 : at] != b"\n":
        at = tail.find(body, at + 1)
    if at >= 0:
        return b""
    for torn in (tail, tail.removeprefix(b"\n")):  # a line break may have closed an older torn line
        if torn and body.startswith(torn):
            return body[len(torn) :]
    return body if not tail or tail.endswith(b"\n") else b"\n" + body


def project(key: bytes, data: bytes | None, steps: Sequence[Step]) -> tuple[bytes | None, list[Step]]:
    """Return what a file reads as once all steps are done, and the steps that meet an edit from outside."""
    foreign: list[Step] = []
    for step in steps[_done(key, data, steps) :]:
        result = _after(key, data, step)
        if result is _FOREIGN:
            foreign.append(step)
        else:
            data = result  # type: ignore[assignment] # the sentinel is ruled out
    return data, foreign


def _after(key: bytes, data: bytes | None, step: Step) -> object:
    if step.is_append:
        old = data or b""
        offset = min(step.touched.offset, len(old))
        return old + missing_part(old[offset:], step.body, old[offset - 1 : offset] if offset else b"")
    if _is(key, data, step.touched.after):
        return data
    if not _is(key, data, step.touched.before):
        return _FOREIGN
    if step.touched.kind == "delete":
        return None
    return _FOREIGN if step.content is None else render(step.content, data or b"")


def _done(key: bytes, data: bytes | None, steps: Sequence[Step]) -> int:
    """Return how many steps are in the file already: each whole state the log knows is recognised by its hash."""
    for place in range(len(steps) - 1, -1, -1):
        step = steps[place]
        if step.is_append:
            continue
        if _is(key, data, step.touched.after):
            return place + 1
        follower = steps[place + 1] if place + 1 < len(steps) else None
        grown = data[: follower.touched.offset] if data and follower and follower.is_append else None
        if grown is not None and _is(key, grown, step.touched.after):
            return place + 1
        if _is(key, data, step.touched.before):
            return place
    return 0


def _whole(key: bytes, steps: Sequence[Step]) -> bytes | None:
    """Make a file from nothing but the log; None where an edit from outside came between."""
    data, foreign = project(key, None, steps)
    return None if foreign else data


def _is(key: bytes, data: bytes | None, digest: str) -> bool:
    return content_hash(key, data) == digest


class Redo:
    """Applies the unapplied tail; the scope lock is held."""

    def __init__(
        self, tree: Tree, disk: Disk, appender: Appender, replacer: Replacer, conflict: Callable[[str, int], None]
    ) -> None:
        self._tree = tree
        self._disk = disk
        self._appender = appender
        self._replacer = replacer
        self._conflict = conflict

    def finish(self, key: bytes, entries: Sequence[Entry], *, log: Callable[[], Iterable[Entry]] | None) -> None:
        """Bring every file the changes name to where they leave it.

        Args:
            key: Of the scope.
            entries: The changes that may not be applied.
            log: Gives all changes, if the machine went down since: a file that lost its end is made again from them.
        """
        for path, steps in steps_by_path(entries).items():
            if all(step.is_append for step in steps):
                for step in steps:
                    self.append(step)
                continue
            try:
                self._document(key, path, steps, log=log)
            except PathError:  # a folder or a link took the name
                self._conflict(path, steps[-1].number)

    def look_again(self, key: bytes, log: Log) -> None:
        """Check the files that were swapped out once more, then delete them.

        What a program wrote into one of them after the swap is an edit from outside, unless its file was
        edited again since.
        """
        aside = self._replacer.aside
        for name in _listed(aside):
            path = os.path.join(aside, name)
            number, _, index = name.partition("-")
            for _, entry in log.after(int(number) - 1):
                if entry.number == int(number):
                    self._late(key, entry, int(index), path)
                break
            self._disk.unlink(path)

    def _late(self, key: bytes, entry: Entry, index: int, aside: str) -> None:
        touched = entry.files()[index]
        late = read_small(aside)
        if not late or _is(key, late, touched.before):  # an empty file is no edit
            return
        late = quiet(partial(read_small, aside))
        with (
            suppress(FileNotFoundError, PathError),
            self._appender.replacing(touched.path),
            self._tree.folder(touched.path) as (folder, name),
        ):
            place = Place(folder, name, touched.path, entry.number, index)
            self._bring_in(key, place, steps_by_path([entry])[touched.path][-1], late)

    def append(self, step: Step) -> None:
        """Add the lines of one step where they are not there yet."""
        with self._appender.hold(step.touched.path, create=True) as handle:
            size = os.fstat(handle.fd).st_size
            offset = min(step.touched.offset, size)
            before = os.pread(handle.fd, 1, offset - 1) if offset else b""
            missing = missing_part(read_all(handle.fd, offset), step.body, before)
            if not missing:
                return
            if size == 0:
                self._tree.sync_folders(handle.path)  # a file with bytes always has its name on the disk
            try:
                write_all(self._disk, handle.fd, missing)
            except BaseException:
                self._disk.truncate(handle.fd, size)
                raise

    def _document(self, key: bytes, path: str, steps: list[Step], *, log: Callable[[], Iterable[Entry]] | None) -> None:
        last = [step for step in steps if not step.is_append][-1]
        with (
            self._appender.replacing(path),
            self._tree.folder(path, create=True) as (folder, name),
        ):
            place = Place(folder, name, path, last.number, last.index)
            data = self._replacer.read(place, name)
            result, foreign = project(key, data, steps)
            if foreign and data is not None and log is not None:
                whole = _whole(key, steps_by_path(log())[path])
                if whole is not None and whole.startswith(data.rstrip(b"\0")):  # it lost its end with the power
                    result, foreign = whole, []
            if foreign:
                self._meet(key, place, foreign)
            elif result is None and data is not None:
                self._replacer.drop(place)
                if not self._replacer.delete(place, data):
                    self._conflict(path, last.number)
            elif result is not None and result != data:
                self._write(place, data, result)
            elif log is None:  # its writer died with what came out still beside it
                self._bring_in(key, place, last, self._replacer.read(place, place.temporary()))
            self._replacer.drop(place)

    def _meet(self, key: bytes, place: Place, foreign: list[Step]) -> None:
        """Merge our write with an edit made after it was logged and before it was applied."""
        step = foreign[-1]
        built = self._replacer.read(place, place.temporary())
        ours = built if _is(key, built, step.touched.after) else None
        theirs = quiet(partial(self._replacer.read, place, place.name))
        before = self._before(key, step, ours)
        merged = None
        if ours is not None and before is not None and len(foreign) == 1:
            merged = self._replacer.merge(place, before, theirs or b"", ours)
        if merged is None or isinstance(merged, Partly):
            self._conflict(place.path, step.number)
        if merged is not None and merged != (theirs or b""):
            self._write(place, theirs, merged)

    def _bring_in(self, key: bytes, place: Place, step: Step, edit: bytes | None) -> None:
        """Merge what was written into a file that had been swapped out, or let it replace ours."""
        data = self._replacer.read(place, place.name)
        if not edit or content_hash(key, edit) == step.touched.before or not _is(key, data, step.touched.after):
            return  # a file that was edited again since is the later save
        before = self._before(key, step, data)
        merged = None
        if before is not None and data is not None:
            merged = self._replacer.merge(place, before, edit, data)
        if merged is None or isinstance(merged, Partly):
            self._conflict(place.path, step.number)
        self._write(place, data, edit if merged is None else merged)

    def _before(self, key: bytes, step: Step, after: bytes | None) -> bytes | None:
        """Make the old bytes again from the new ones; None where what the log holds does not suffice."""
        if step.touched.before == MISSING:
            return b""
        if step.content is None or after is None or not _is(key, after, step.touched.after):
            return None
        old = unrender(step.content, after, step.removed)
        return old if _is(key, old, step.touched.before) else None

    def _write(self, place: Place, data: bytes | None, content: bytes) -> None:
        if content == data:
            return
        self._replacer.build(place, content, 1)  # beside what the change itself left there
        if not self._replacer.put(place, data, content, 1):
            self._conflict(place.path, place.number)

    def sweep(self) -> None:
        """Delete all temporary files; none is in use while the scope lock is held and nothing is pending."""
        for folder, _, names in os.walk(self._tree.root):
            for name in names:
                if is_temporary(name):
                    try:
                        self._disk.unlink(os.path.join(folder, name))
                    except FileNotFoundError:
                        continue
                    except OSError as error:
                        _logger.warning("a temporary file could not be deleted: %s", typed(error, name))


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
