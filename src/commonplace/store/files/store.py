"""The store on files: one scope is one folder; our own files lie in a hidden folder below it.

Speaks the protocol of `commonplace.store.protocol`. Owns the order in which things are checked and the two
ways in: `append` for lines, `commit` for everything else. What a reader gets is whole: a change that a
dead writer left half applied is finished first. Never deletes or cuts what it did not write.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn, Self

from commonplace.config import Clock, StoreConfig
from commonplace.errors import CommonplaceError, PathError, StoreFailedError, StoreReadOnlyError
from commonplace.guard.screened import Screened
from commonplace.store.files import erasing, machine
from commonplace.store.files.appends import LINES_SUFFIX, Appender, Handle, body_of
from commonplace.store.files.changelog import Entry
from commonplace.store.files.commits import FOLDERS, Commits
from commonplace.store.files.disk import Disk, read_all, read_span, typed, typed_errors
from commonplace.store.files.feed import Feed
from commonplace.store.files.leases import FileLease, Leases
from commonplace.store.files.paths import Tree, split
from commonplace.store.files.redo import project, steps_by_path
from commonplace.store.files.state import Head
from commonplace.store.files.versions import lines_version, version_at, version_of
from commonplace.store.protocol import (
    STATE,
    Append,
    Blob,
    Clean,
    Conflict,
    Held,
    Lease,
    Logged,
    LogProblem,
    Rebase,
    Stat,
    Write,
)

_logger = logging.getLogger(__name__)


class FilesStore:
    """One scope's files below `root`.

    Args:
        root: The scope's folder; made at the first write.
        clock: Returns instants for the log and for leases.
        config: Waits and checkpoints.
        read_only: Write nothing at all, not even a lock.
        rebase: Merges an edit from outside that raced a commit; without it ours waits in the log.
        layout: The folder of the memory that the scope is of, and the layout that it is begun with.
        disk: The system calls; tests make single ones fail.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        clock: Clock,
        config: StoreConfig,
        read_only: bool = False,
        rebase: Rebase | None = None,
        layout: tuple[str, str] = ("", ""),
        disk: Disk | None = None,
    ) -> None:
        if os.path.isfile(root):
            raise PathError(f"{os.fspath(root)!r} is a file; name the folder of a memory", path=os.fspath(root))
        disk = disk or Disk()
        self._config = config
        self._tree = Tree(os.fspath(root), disk)
        self._otherwise = machine.kept_otherwise(*layout)
        self._read_only = read_only or bool(self._otherwise) or _forbidden(self._tree.root)
        folder = os.path.join(self._tree.root, STATE)
        machine.require_no_links(folder, FOLDERS)
        self._feed = Feed(os.path.join(folder, "feed"), disk)
        self._appender = Appender(self._tree, disk, self._feed, wait_seconds=config.lock_wait_seconds)
        self._commits = Commits(self._tree, disk, self._appender, clock=clock, config=config, rebase=rebase)
        self._leases = Leases(os.path.join(folder, "state"), disk, clock, self._commits.locked)
        self._folders_made = False
        self._layout = layout
        self._disk = disk
        self._folder = folder
        if not self._read_only and os.path.isdir(folder):
            machine.accept(folder, disk)
        self._most_bytes = config.max_line_bytes  # of a line

    def accept(self) -> None:
        """Note that this machine accepts what is here; made if there is nothing."""
        self._make_ready("")

    @property
    def root(self) -> str:
        """The folder of the scope, links resolved."""
        return self._tree.root

    @property
    def read_only(self) -> bool:
        """True if nothing can be written here."""
        return self._read_only or self._commits.failed

    def key(self) -> bytes:
        """Return the scope's secret key, made at first use; empty if a scope that is only read has none."""
        if known := self._commits.known_key:
            return known
        with typed_errors():
            return self._commits.key(create=not self._read_only and os.path.isdir(self._tree.root))

    def read(self, path: str, start: int = 0, end: int | None = None) -> Blob | None:
        """Read a file or a part of it; None where there is none.

        An append-only file is given up to its last whole line, unless that is torn for good.
        """
        with typed_errors(path, reading=True):
            split(path)
            return self._read_as(path, self._pending(), start, end)

    def version(self, path: str) -> str:
        """Return the version of a file: content hash, `length:hash of last line` for append-only, or MISSING."""
        with typed_errors(path, reading=True):
            split(path)
            pending = self._pending()
            return version_at(self._tree, path) if pending is None else version_of(path, self._overlaid(path, pending))

    def list(self, prefix: str = "") -> list[Stat]:
        """List the files below a folder, sorted by path; hidden names and links are left out."""
        with typed_errors(prefix, reading=True):
            self._settle()
            return self._tree.list(prefix)

    def append(self, path: str, lines: Sequence[Screened], *, durable: bool = True) -> None:
        """Add lines to an append-only file; durable means synced to disk.

        Raises:
            InputError: A line holds a line break or is longer than the config allows.
            StoreError: They could not be kept; the file is as before.
        """
        with self.locked(path) as held:
            held.append(lines, durable=durable)

    @contextmanager
    def locked(self, path: str) -> Iterator[Held]:
        """Lock one append-only file against other appenders, so that read-then-append is one step.

        What a dead writer left half done is finished first.
        """
        with self._writing(path):
            self._settle()
            with self._appender.hold(path, create=True) as handle:
                yield _Held(self._appender, handle, self._most_bytes)

    def appended(self, mark: object) -> tuple[object, tuple[str, ...] | None]:
        """Return a mark of now, and the paths that were appended to after an earlier mark; None for any path."""
        return self._feed.since(mark, begin=not self.read_only)

    @contextmanager
    def exclusive(self, wait_seconds: float | None = None) -> Iterator[None]:
        """Lock out other writers of changes, so that read, plan and commit are one step; re-entrant in a thread."""
        self._require_no_hold()
        with self._writing(), self._commits.locked(wait_seconds):
            yield

    def commit(
        self,
        header: Mapping[str, object],
        payload: Mapping[str, object],
        writes: Sequence[Write],
        *,
        expect: Mapping[str, str] | None = None,
        fence: Lease | None = None,
        durable: bool = True,
    ) -> Logged:
        """Log one change and apply all its writes, or nothing.

        Args:
            header: Kept for ever and chained; names, numbers and ids, no texts.
            payload: Texts; `removed`, a list parallel to `writes` of (offset, text) pairs, lets a
                write be merged even where its writer died before it was applied.
            writes: At most one for each file.
            expect: Versions that files must still have, also of files that are not written.
            fence: A lease that must still be held.
            durable: Whether the change survives a loss of power when this returns.

        Raises:
            VersionConflictError: A file is not in the version that `expect` names.
            LeaseLostError: Another holds the lease now.
            StoreError: It could not be done; what is on disk is as before.
        """
        for write in writes:
            split(write.path)
            if isinstance(write, Append):
                body_of(write.path, write.lines, self._most_bytes)
        for path in expect or {}:
            split(path)
        self._require_no_hold()
        with self._writing():
            return self._commits.commit(
                header,
                payload,
                writes,
                expect=expect or {},
                check=fence.check if fence else _unfenced,
                durable=durable,
            )

    def since(self, number: int) -> Iterator[Logged]:
        """Yield the committed changes after a number, oldest first."""
        with typed_errors():
            newest = self.change_number()
            if newest <= number:
                return
            for _, entry in self._commits.log.after(number):
                if entry.number > newest:
                    return
                yield entry.logged()

    def change_number(self) -> int:
        """Return the number of the last change whose writes are all applied."""
        with typed_errors():
            pending, head = self._pending(), self._head()
            if pending or head is None:
                return max((entry.number for entry in pending or self._commits.everything()), default=0)
            return head.number

    def lease(self, name: str, ttl_seconds: float) -> FileLease | None:
        """Return a lease, or None while another live holder has it."""
        with self._writing():
            return self._leases.take(name, ttl_seconds)

    def conflicts(self) -> tuple[Conflict, ...]:
        """List the files that an edit from outside kept from taking a change."""
        with typed_errors():
            self._settle()
            return self._commits.conflicts.list()

    def settle_conflict(self, conflict: Conflict) -> None:
        """Remove a conflict from the list."""
        with self._writing():
            self._commits.conflicts.settle(conflict)

    def verify_log(self) -> tuple[LogProblem, ...]:
        """Find every line of the change log that was altered, moved or taken away."""
        with typed_errors():
            self._settle()
            return tuple(self._commits.verify())

    def erase(self, kept: Mapping[int, Mapping[str, object]], clean: Clean) -> None:
        """Erase texts from the log for good, then from one file after the other."""
        with self._writing(), self._commits.locked():
            self._commits.erase_payloads(kept)
            log = f"{STATE}/log"
            erasing.rewrite(self._tree.root, clean, log=log, appender=self._appender, disk=self._disk)

    def close(self) -> None:
        """Release handles; what was acknowledged stays."""
        self._commits.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _require_no_hold(self) -> None:
        if self._appender.holds_any:
            raise RuntimeError("a change takes the scope's lock before any file's; leave `locked` first")

    @contextmanager
    def _writing(self, path: str = "") -> Iterator[None]:
        self._make_ready(path)
        try:
            yield
        except OSError as error:
            self._raise_typed(error, path)

    def _make_ready(self, path: str) -> None:
        if self._otherwise:
            raise StoreReadOnlyError(
                f"this memory is kept in the layout {self._otherwise!r}, so nothing is written in {self._layout[1]!r}; "
                f"open it without naming a layout, or `adopt` its folder with that one",
                path=path,
            )
        if self._read_only:
            why = "may not be written by this user" if _forbidden(self._tree.root) else "is open for reading only"
            raise StoreReadOnlyError(f"{self._tree.root!r} {why}", path=path)
        if self._commits.failed:
            raise StoreFailedError("the disk failed before; reopen the store to write again", path=path)
        if not (self._folders_made and os.path.isdir(self._folder)):  # it may have been taken away
            with typed_errors(self._tree.root):
                self._commits.make_folders()
                machine.accept(self._folder, self._disk)
                self._commits.key()
                machine.keep_layout(*self._layout, self._disk)
            self._folders_made = True

    def _raise_typed(self, error: OSError, path: str) -> NoReturn:
        found = typed(error, path)
        if isinstance(found, StoreFailedError):
            self._commits.failed = True
        if isinstance(error, CommonplaceError):
            raise error
        raise found from error

    def _head(self) -> Head | None:
        return self._commits.state.head()

    def _settled(self, head: Head | None) -> bool:
        """True if all changes up to a head are applied, or this process may apply them."""
        if self._commits.lock.mine:
            return not self._commits.unapplied
        return head.settled if head is not None else not self._commits.log.months()

    def _settle(self) -> bool:
        """Finish a change that is not all applied, if that can be done; False if readers must add it in memory."""
        mine = self._commits.lock.mine and not self._commits.unapplied  # then the head need not be read
        if mine or self._settled(self._head()):
            return True
        if self.read_only:
            return False
        try:
            return self._commits.try_settle()
        except OSError as error:  # no room, no right, no descriptors: what is there can be read all the same
            _logger.warning("a logged change cannot be applied now: %s", typed(error))
        return False

    def _pending(self) -> Sequence[Entry] | None:
        """Return the logged changes that a reader must add to the files now; None if it reads them as they are."""
        return None if self._settle() else self._commits.tail()

    def _read_as(
        self, path: str, pending: Sequence[Entry] | None, start: int = 0, end: int | None = None
    ) -> Blob | None:
        if pending is None:
            return self._read(path, start, end)
        data = self._overlaid(path, pending)
        return None if data is None else Blob(data[start:end], version_of(path, data))

    def _overlaid(self, path: str, pending: Sequence[Entry]) -> bytes | None:
        """Read a file as it is once all that is logged is applied."""
        data = self._tree.read(path)
        steps = steps_by_path(pending).get(path)
        try:
            return project(self._commits.key(create=False), data, steps)[0] if steps else data
        except PermissionError:
            return data

    def _read(self, path: str, start: int, end: int | None) -> Blob | None:
        if not path.endswith(LINES_SUFFIX):
            data = self._tree.read(path)
            return None if data is None else Blob(data[start:end], version_of(path, data))
        blob = self._read_lines(path, start, end)
        if blob is None or end is not None or not blob.data or blob.data.endswith(b"\n"):
            return blob
        if self.read_only or self._appender.holds_any:
            return blob
        with self._appender.hold(path, create=False):  # an append is on its way, or died: look between appends
            return self._read_lines(path, start, end)

    def _read_lines(self, path: str, start: int, end: int | None) -> Blob | None:
        try:
            fd = self._tree.open(path)
        except FileNotFoundError:
            return None
        try:
            size = os.fstat(fd).st_size
            stop = size if end is None else min(end, size)
            return Blob(read_span(fd, start, stop), lines_version(fd, size))
        finally:
            os.close(fd)


def _unfenced() -> None:
    return


class _Held:
    """An append-only file that is held."""

    def __init__(self, appender: Appender, handle: Handle, most_bytes: int) -> None:
        self._appender = appender
        self._handle = handle
        self._most_bytes = most_bytes  # of a line

    def read(self, start: int = 0) -> bytes:
        return read_all(self._handle.fd, start)

    def append(self, lines: Sequence[Screened], *, durable: bool = True) -> None:
        body = body_of(self._handle.path, lines, self._most_bytes)
        self._appender.append(self._handle, body, durable=durable)


def _forbidden(root: str) -> bool:
    return os.path.isdir(root) and not os.access(root, os.W_OK)
