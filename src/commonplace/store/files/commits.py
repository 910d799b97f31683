"""Commits on files: one redo line in the change log, synced once, then applied, then acknowledged.

What can run out of space or permission happens before the line is written: new documents are built and
synced under temporary names, room for appends is set aside. What remains is renaming. Once the line is
synced the change is done: what cannot be applied now is applied when the scope lock is next taken, as
what a dead writer left.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

import msgspec

from commonplace.config import Clock, StoreConfig
from commonplace.errors import (
    CommonplaceError,
    DamagedError,
    InputError,
    StoreBusyError,
    StoreFailedError,
    VersionConflictError,
)
from commonplace.guard.screened import instant, line_bytes
from commonplace.store.files.appends import Appender, Handle
from commonplace.store.files.changelog import FIRST, Entry, Log, Touched, content_hash, decode, encode, text_bytes
from commonplace.store.files.conflicts import Conflicts
from commonplace.store.files.disk import (
    CREATE,
    FILE_MODE,
    Disk,
    SyncFailedError,
    closed,
    last_line_end,
    make_folders,
    typed,
    write_all,
)
from commonplace.store.files.locks import FileLock, boot_id
from commonplace.store.files.paths import Tree
from commonplace.store.files.redo import Redo, Step, lines_body
from commonplace.store.files.replace import Place, Replacer
from commonplace.store.files.state import Checkpoint, Head, State, read_small, replace_synced
from commonplace.store.files.versions import version_at, version_of
from commonplace.store.protocol import STATE, Append, Delete, Logged, LogProblem, Put, Rebase, Write
from commonplace.text.spans import Keep

_KEY_BYTES: Final = 32
FOLDERS: Final = ("", "log", "state", "quarantine", "swapped")
"""The folders of our own files, below the state folder."""

_logger = logging.getLogger(__name__)


class _Planned(msgspec.Struct, frozen=True):
    """One write, ready: the present bytes, and the new ones."""

    write: Write
    touched: Touched
    place: Place | None = None
    before: bytes | None = None
    after: bytes | None = None
    handle: Handle | None = None
    body: bytes = b""


class Commits:
    """The changes of one scope."""

    def __init__(
        self, tree: Tree, disk: Disk, appender: Appender, *, clock: Clock, config: StoreConfig, rebase: Rebase | None
    ) -> None:
        folder = os.path.join(tree.root, STATE)
        self._folder = folder
        self._tree = tree
        self._disk = disk
        self._appender = appender
        self._clock = clock
        self._config = config
        self._replacer = Replacer(tree, disk, rebase, os.path.join(folder, "swapped"))
        self.conflicts = Conflicts(os.path.join(folder, "state", "conflicts"), disk, clock)
        self._redo = Redo(tree, disk, appender, self._replacer, self.conflicts.note)
        self.known_key: bytes | None = None
        self._last_checkpoint = time.monotonic()
        self._checkpoint_number: int | None = None
        self._dirty = False  # whether anything was committed
        self.lock = FileLock(os.path.join(folder, "lock"), disk)
        self.log = Log(os.path.join(folder, "log"), disk)
        self.state = State(os.path.join(folder, "state"), disk)
        self.failed = False
        self.unapplied = False  # True if the files lack a change that this process has logged

    def make_folders(self) -> None:
        """Make the folders of our own files that are missing, the root included: it may have been taken away."""
        folders = [os.path.join(self._folder, name) if name else self._folder for name in FOLDERS]
        missing = [folder for folder in folders if not os.path.isdir(folder)]
        if missing and not os.path.isdir(self._tree.root):
            make_folders(self._tree.root)
        for folder in missing:
            with suppress(FileExistsError):  # another process made it first
                self._disk.mkdir(folder)

    def key(self, *, create: bool = True) -> bytes:
        """Return the scope's secret key, made once; empty if there is none and none may be made.

        Raises:
            DamagedError: The file holds no key.
        """
        if self.known_key is None:
            path = os.path.join(self._folder, "key")
            content = read_small(path)
            if not content:
                if not create:
                    return b""
                with self._acquired():
                    content = read_small(path)
                    if not content:
                        content = os.urandom(_KEY_BYTES).hex().encode() + b"\n"
                        replace_synced(self._disk, self._folder, ".gitignore", b"*\n")  # the key is never committed
                        replace_synced(self._disk, self._folder, "key", content)
            self.known_key = _key_of(content, path)
        return self.known_key

    @contextmanager
    def locked(self, wait_seconds: float | None = None) -> Iterator[Head]:
        """Acquire the scope lock, and apply every logged change; the wait begins again when it changes hands.

        Raises:
            StoreBusyError: It was not free in time.
        """
        nested = self.lock.mine
        if not nested:
            self.make_folders()
        with self._acquired(wait_seconds):
            head = self.state.head() if nested else None  # no other writer changed it since this thread settled it
            yield head if head is not None and head.settled else self._settle()

    def try_settle(self) -> bool:
        """Finish a dead writer's tail if the lock is free; False while a live one holds it."""
        self.make_folders()
        if not self.lock.acquire(0):
            return False
        try:
            self._settle()
        finally:
            self.lock.release()
        return True

    def tail(self) -> list[Entry]:
        """Read the changes that may not be applied yet."""
        head = self.state.head()
        same_boot = head is not None and head.boot == boot_id()
        start = head.number if head is not None and same_boot else self.state.checkpoint().number
        entries = [entry for _, entry in self.log.after(start)]
        # With both marks taken away it is unknown how far it came; all but the last were applied by their writers.
        return entries[-1:] if start == 0 and not self.state.has_head() else entries

    def commit(
        self,
        header: Mapping[str, object],
        payload: Mapping[str, object],
        writes: Sequence[Write],
        *,
        expect: Mapping[str, str],
        check: Callable[[], None],
        durable: bool,
    ) -> Logged:
        """Log and apply one change; `check` runs under the scope lock and may refuse it.

        Raises:
            VersionConflictError: A file is not in the version that `expect` names.
        """
        if len({write.path for write in writes}) != len(writes):
            raise InputError("a change writes each file once; join the writes")
        logged: Logged | None = None
        try:
            with self.locked() as head, self._tree.folders() as folders, ExitStack() as stack:
                check()
                number, now = head.number + 1, self._clock()
                held: dict[str, Handle] = {}
                for write in sorted(writes, key=lambda write: write.path):
                    if isinstance(write, Append):
                        held[write.path] = stack.enter_context(self._appender.hold(write.path, create=False))
                    else:
                        stack.enter_context(self._appender.replacing(write.path))
                for path in expect.keys() - {write.path for write in writes if not isinstance(write, Append)}:
                    self._sync_data(path)
                    _require(path, expect, version_at(self._tree, path))
                planned = [self._plan(folders, held, write, (number, i), expect) for i, write in enumerate(writes)]
                line, digest = encode(
                    number=number,
                    at=instant(now),
                    prev=head.hash,
                    key=self.key(),
                    header=header,
                    payload=payload,
                    writes=[(each.write, each.touched) for each in planned],
                )
                month = max(instant(now)[:7], head.month if head.number else "")
                self.state.write_head(msgspec.structs.replace(head, busy=True))
                end = self._write_ahead(planned, head, month, line, durable=durable)
                logged = Entry(number, *decode(line[:-1]), end).logged()
                self._dirty = True
                self.unapplied = not self._applied(planned, number)
                if not self.unapplied:
                    self._finished(Head(number, False, month, end, digest, boot_id()))
                    self._checkpoint_if_due(number)
        except OSError as error:  # closing and unlocking can fail too, and then the change is done
            if logged is None:
                raise
            _logger.warning("change %d is done, but the store could not be tidied: %s", logged.number, typed(error))
        return logged

    def _finished(self, head: Head) -> None:
        """Mark all as applied; a head left busy only makes the next writer check again and tidy up."""
        try:
            if not self._replacer.untidy:
                self.state.write_head(head)
        except OSError as error:
            _logger.warning("the head could not be written: %s", typed(error))

    def _plan(
        self,
        folders: Callable[[str], tuple[int, str]],
        held: Mapping[str, Handle],
        write: Write,
        place_in_log: tuple[int, int],
        expect: Mapping[str, str],
    ) -> _Planned:
        if isinstance(write, Append):
            handle = held[write.path]
            size = os.fstat(handle.fd).st_size if handle.fd >= 0 else 0
            body = lines_body(line_bytes(line.text) for line in write.lines)
            return _Planned(write, Touched(write.path, "append", offset=size), handle=handle, body=body)
        folder, name = folders(write.path)
        place = Place(folder, name, write.path, *place_in_log)
        before = self._replacer.read(place, name, sync=True)  # what is logged rests on it
        if write.path in expect:  # of the very bytes that the kept spans are cut from
            _require(write.path, expect, version_of(write.path, before))
        after = None if isinstance(write, Delete) else _rendered(write, before or b"")
        kind = "delete" if after is None else "put"
        touched = Touched(write.path, kind, content_hash(self.key(), before), content_hash(self.key(), after))
        return _Planned(write, touched, place, before, after)

    def _write_ahead(self, planned: list[_Planned], head: Head, month: str, line: bytes, *, durable: bool) -> int:
        """Do all that can fail for want of room, then log; on failure everything is as before."""
        try:
            for each in planned:
                if each.place is not None and each.after is not None and each.after != each.before:
                    self._replacer.build(each.place, each.after)
                elif each.handle is not None and each.handle.fd >= 0:
                    self._disk.reserve(each.handle.fd, each.touched.offset, len(each.body) + 1)
            if month != head.month:
                # A log with lines always has its name on the disk, and so has the head that says how far it came.
                self._tree.sync_up(os.path.join(self._folder, "state"))
            return self.log.append(month, line, durable=durable)
        except StoreFailedError:  # what is in the log is unknown: the head stays busy, for the next writer to see
            raise
        except BaseException:
            self._take_back(planned, head)
            raise

    def _applied(self, planned: list[_Planned], number: int) -> bool:
        """Apply a logged change; False if the disk refuses: the change is done, and the next process applies it."""
        try:
            for each in planned:
                if not self._apply(each):
                    self.conflicts.note(each.write.path, number)
        except (CommonplaceError, OSError) as error:
            _logger.warning("change %d is in the log; the next writer brings it to its files: %s", number, error)
            return False
        return True

    def _apply(self, each: _Planned) -> bool:
        """Apply one write; False if an edit from outside kept some of it out."""
        if each.place is None:
            step = Step(0, 0, each.touched, [line.text for line in each.write.lines], [])  # type: ignore[union-attr] # only appends have no place
            self._redo.append(step)
            return True
        if each.after is None:
            return self._replacer.delete(each.place, each.before)
        return each.after == each.before or self._replacer.put(each.place, each.before, each.after)

    def _take_back(self, planned: list[_Planned], head: Head) -> None:
        """Remove what was built for a change that is not done; a head left busy makes the next writer tidy up."""
        for each in planned:
            if each.place is not None:
                self._replacer.drop(each.place, 0)
        self._finished(head)

    @contextmanager
    def _acquired(self, wait_seconds: float | None = None) -> Iterator[None]:
        seconds = self._config.lock_wait_seconds if wait_seconds is None else wait_seconds
        if not self.lock.acquire(seconds, in_line=wait_seconds is None):
            raise StoreBusyError(f"the scope was locked by another writer for over {seconds:g} s; try again")
        try:
            yield
        finally:
            self.lock.release()

    def _settle(self) -> Head:
        """Apply the unapplied tail and return the end of the log; the lock is held."""
        self._replacer.untidy = False
        head = self.state.head()
        months = self.log.months()
        if (
            head is not None
            and head.settled
            and months[-1:] == ([head.month] if head.number else [])
            and (not months or self.log.size(head.month) == head.end)
        ):
            self._redo.look_again(self.key(), self.log)
            return head
        if head is None and not months:
            return Head(0, False, "-", 0, FIRST, boot_id())
        same_boot = head is not None and head.boot == boot_id()
        if months:
            self._cut_torn_line(months[-1])
        entries = self.tail()
        self._redo.finish(self.key(), entries, log=None if same_boot else self.everything)
        self.unapplied = False
        self._redo.look_again(self.key(), self.log)
        self._redo.sweep()
        known = self.state.checkpoint()
        number, digest = (head.number, head.hash) if head is not None and same_boot else (known.number, known.hash)
        if entries and entries[-1].number > number:
            number, digest = entries[-1].number, entries[-1].hash
        month = months[-1] if months else "-"
        settled = Head(number, False, month, self.log.size(month), digest if number else FIRST, boot_id())
        self.state.write_head(settled)
        return settled

    def everything(self) -> Iterator[Entry]:
        """Yield all changes, oldest first."""
        return (entry for _, entry in self.log.after(0))

    def _cut_torn_line(self, month: str) -> None:
        """Move what a dead writer left of a line to quarantine; it was never acknowledged."""
        with open(self.log.path(month), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            offset = last_line_end(file.fileno(), size)
            if offset == size:
                return
            file.seek(offset)
            torn = file.read()
        kept = os.path.join(self._folder, "quarantine", f"log-{month}-{offset}-{int(time.monotonic() * 1000)}.torn")
        fd = self._disk.open(kept, CREATE, FILE_MODE)
        try:
            write_all(self._disk, fd, torn)
        finally:
            os.close(fd)
        self.log.cut(month, offset)

    def _checkpoint_if_due(self, number: int) -> None:
        if self._checkpoint_number is None:
            self._checkpoint_number = self.state.checkpoint().number
        waited = time.monotonic() - self._last_checkpoint
        due = number - self._checkpoint_number >= self._config.checkpoint_changes
        if not due and waited < self._config.checkpoint_seconds:
            return
        try:
            self._checkpoint()
        except SyncFailedError:
            # The change is in the synced log and is done; nothing more is promised until a reopen.
            self.failed = True
            _logger.exception("a checkpoint could not be synced")
        except OSError as error:
            _logger.warning("no checkpoint was written: %s", typed(error))

    def _checkpoint(self) -> None:
        """Bring every change so far to the disk with its files."""
        head = self.state.head()
        known = self.state.checkpoint()
        self._last_checkpoint = time.monotonic()
        if head is None or head.number <= known.number:
            self._checkpoint_number = known.number
            return
        paths: dict[str, None] = {}
        months: dict[str, None] = {}
        for month, entry in self.log.after(known.number):
            months[month] = None
            paths.update(dict.fromkeys(touched.path for touched in entry.files()))
        for path in paths:
            self._sync_file(path)
        for month in months:
            self.log.sync(month)
        self.state.write_checkpoint(Checkpoint(head.number, head.hash, instant(self._clock())))
        self._checkpoint_number = head.number

    def _sync_file(self, path: str) -> None:
        self._sync_data(path)
        with suppress(FileNotFoundError):  # its folder is gone with it
            self._tree.sync_folders(path)

    def _sync_data(self, path: str) -> None:
        try:
            fd = self._tree.open(path)
        except FileNotFoundError:
            return  # deleted, by us or from outside
        try:
            self._disk.sync_all(fd)
        finally:
            closed(fd)

    def erase_payloads(self, kept: Mapping[int, Mapping[str, object]]) -> None:
        """Erase the texts of some changes from the log, but for what is kept; headers and chain stay."""
        with self.locked() as found:
            head = found
            self._checkpoint()  # an erased change can not be redone
            for month in self.log.months():
                content = self.log.erase(month, kept, self.key())
                if content is None:
                    continue
                self.state.write_head(msgspec.structs.replace(head, busy=True))
                replace_synced(self._disk, self.log.folder, f"{month}.jsonl", content)
                if month == head.month:
                    head = msgspec.structs.replace(head, end=len(content))
                self.state.write_head(head)

    def verify(self) -> list[LogProblem]:
        """Find every line of the log that is not as it was written, and an end that is gone."""
        problems, number, digest = self.log.verify(self.key(create=False))
        marks: list[Checkpoint | Head] = [self.state.checkpoint()]
        head = self.state.head()
        if head is not None and head.settled:
            marks.append(head)
        for mark in marks:
            if mark.number > number:
                reason = f"the log ends at change {number}; it held {mark.number}"
                if not self.log.months():
                    reason = f"the log is gone, with all up to change {mark.number}; memory is as they left it"
                problems.append(LogProblem("", 0, reason))
                break
            if mark.number == number and number and mark.hash != digest:
                problems.append(LogProblem("", 0, f"change {number} is not the one that was committed"))
                break
        return problems

    def close(self) -> None:
        """Check what was swapped out and move the checkpoint, if this store committed anything and the lock is free."""
        if not self._dirty or self.failed:
            return
        try:
            if self.lock.acquire(0):
                try:
                    self._settle()
                    self._checkpoint()
                finally:
                    self.lock.release()
        except OSError as error:
            _logger.warning("no checkpoint was written at closing: %s", typed(error))


def _key_of(content: bytes, path: str) -> bytes:
    try:
        key = bytes.fromhex(content.decode("ascii").strip())
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:  # under any other, all that was forgotten would be unknown
        raise DamagedError(
            f"{path!r} holds no key; put the file back from a backup. Without it, delete it: a new one is made, "
            "but what was forgotten may come back, and older changes cannot be undone",
            path=path,
        )
    return key


def _rendered(write: Put, before: bytes) -> bytes:
    parts: list[bytes] = []
    for piece in write.pieces:
        if isinstance(piece, Keep):
            if not 0 <= piece.start <= piece.end <= len(before):
                raise InputError(
                    f"{write.path!r} has {len(before)} bytes, none at {piece.start}..{piece.end}; read it again",
                    path=write.path,
                )
            parts.append(before[piece.start : piece.end])
        else:
            parts.append(text_bytes(piece.text))
    return b"".join(parts)


def _require(path: str, expect: Mapping[str, str], found: str) -> None:
    if found != expect[path]:
        raise VersionConflictError(
            f"{path!r} changed since it was read; read it again", path=path, expected=expect[path], found=found
        )
