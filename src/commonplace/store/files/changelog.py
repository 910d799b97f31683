"""The change log: one line a change, one file a month, each header chained to the one before.

    {"header":{"number":7,"at":"2026-11-21T09:00:00.000Z","prev":"<hash of header 6>",
     "payload_hash":"<keyed>","files":[{"path":"memory/MEMORY.md","kind":"put","before":"<keyed>",
     "after":"<keyed>"}],"actor":"agent",...},"payload":{"writes":[...],...},"h":"<hash of the line>"}

`prev` is a plain hash and holds without any key. Hashes of content are keyed, so that what is kept of
an erased text cannot be guessed at. Erasing replaces payloads only, by what is kept of them: the chain still holds.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from commonplace.errors import DamagedError, InputError, StoreFailedError
from commonplace.guard.screened import Screened, join, json_line, line_bytes
from commonplace.store.files.disk import READ, Disk, closed, write_all
from commonplace.store.protocol import MISSING, Append, Logged, LogProblem, Put, Write
from commonplace.text.patterns import pattern
from commonplace.text.spans import Keep

FIRST: Final = "0" * 32
"""The `prev` of the first header of a log."""

HASH_BYTES: Final = 16
_HEAD: Final = b'{"header":'
_MIDDLE: Final = b',"payload":'
_TAIL_BYTES: Final = len(b',"h":""}') + 16
_ERASED: Final = b'{"erased":"'  # how what is left of an erased payload begins, before its own hash
_CHUNK_CHARS: Final = 40
_NEAR_BYTES: Final = 65_536
_OWN_HEADER: Final = frozenset(["number", "at", "prev", "payload_hash", "files"])
_MONTH: Final = pattern(r"([0-9]{4}-[0-9]{2})\.jsonl\Z")
_START: Final = pattern(rb'\{"header":\{"number":([0-9]+),')
_ESCAPE: Final = pattern(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")


class Touched(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a change does to one file: hashes of the whole before and after, or where an append begins."""

    path: str
    kind: str
    before: str = ""
    after: str = ""
    offset: int = -1


class Entry(msgspec.Struct, frozen=True):
    """One good line of the log, its parts still as the bytes that were hashed."""

    number: int
    header: bytes
    payload: bytes
    end: int

    @property
    def hash(self) -> str:
        """The hash that the next header names."""
        return header_hash(self.header)

    @property
    def erased(self) -> bool:
        """True if the texts are gone."""
        return self.payload.startswith(_ERASED)

    def files(self) -> list[Touched]:
        """Read what the change does to which files."""
        listed = json.loads(self.header)["files"]
        return [msgspec.convert(each | {"path": plain_path(each["path"])}, Touched) for each in listed]

    def writes(self) -> list[Any]:
        """Read the contents, parallel to `files`; empty where erased."""
        return [] if self.erased else list(json.loads(self.payload)["writes"])

    def logged(self) -> Logged:
        """Read the change as callers see it."""
        header = json.loads(self.header)
        for each in header["files"]:
            each["path"] = plain_path(each["path"])
        return Logged(self.number, header, json.loads(self.payload), erased=self.erased)


def content_hash(key: bytes, data: bytes | None) -> str:
    """Hash content under the scope's key; MISSING for a file that is not there."""
    if data is None:
        return MISSING
    return hashlib.blake2b(data, digest_size=HASH_BYTES, key=key).hexdigest()


def header_hash(header: bytes) -> str:
    """Hash a header for the chain."""
    return hashlib.blake2b(header, digest_size=HASH_BYTES).hexdigest()


def log_path(path: str) -> Screened:
    """Spell a path in printable ASCII; paths hold no backslash, so it can be read back."""
    spelled = path.encode("ascii", "backslashreplace").decode("ascii")
    return join([spelled[i : i + _CHUNK_CHARS] for i in range(0, len(spelled), _CHUNK_CHARS)])


def plain_path(spelled: str) -> str:
    """Read back what `log_path` spelled."""
    return _ESCAPE.sub(lambda found: chr(int(found[1] or found[2] or found[3], 16)), spelled)


def text_bytes(text: str) -> bytes:
    """Encode document text; bytes that were no UTF-8 when they were read come out as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def encode(
    *,
    number: int,
    at: str,
    prev: str,
    key: bytes,
    header: Mapping[str, object],
    payload: Mapping[str, object],
    writes: Sequence[tuple[Write, Touched]],
) -> tuple[bytes, str]:
    """Make the line of a change, newline included, and the hash of its header.

    Raises:
        TypeError: A text in it was not screened.
        InputError: The caller's header or payload names a key that the log writes itself.
    """
    taken = _OWN_HEADER & header.keys() | {"writes", "erased"} & payload.keys()
    if taken:
        raise InputError(f"the log writes {sorted(taken)} itself; name yours differently", keys=sorted(taken))
    contents = [_content(write) for write, _ in writes]
    payload_bytes = line_bytes(json_line({"writes": contents, **payload}).text)
    head = json_line(
        {
            "number": number,
            "at": at,
            "prev": prev,
            "payload_hash": content_hash(key, payload_bytes),
            "files": [_touched(touched) for _, touched in writes],
            **header,
        }
    )
    header_bytes = line_bytes(head.text)
    if _MIDDLE in header_bytes:
        raise InputError("a header has no key named 'payload'; that is where it ends", keys=["payload"])
    return _line(header_bytes, payload_bytes) + b"\n", header_hash(header_bytes)


def decode(line: bytes) -> tuple[bytes, bytes]:
    """Split a line into header and payload.

    Raises:
        DamagedError: It is not byte for byte a line as it was written.
    """
    header, _, rest = line.removeprefix(_HEAD).partition(_MIDDLE)
    payload = rest[:-_TAIL_BYTES]
    try:
        if _line(header, payload) == line and _START.match(line) and isinstance(json.loads(header), dict):
            return header, payload
    except ValueError:
        pass
    raise DamagedError("a line of the change log is not as it was written")


def render(content: Sequence[Any], before: bytes) -> bytes:
    """Make a document of logged pieces: [start, end] spans of the old bytes, and texts."""
    return b"".join(text_bytes(piece) if isinstance(piece, str) else before[piece[0] : piece[1]] for piece in content)


def unrender(content: Sequence[Any], after: bytes, removed: Sequence[Any]) -> bytes:
    """Make the old bytes again of what was kept and what was removed: (offset, text) pairs, as far as known."""
    spans: list[tuple[int, bytes]] = [(int(offset), text_bytes(text)) for offset, text in removed]
    at = 0
    for piece in content:
        size = len(text_bytes(piece)) if isinstance(piece, str) else piece[1] - piece[0]
        if not isinstance(piece, str):
            spans.append((piece[0], after[at : at + size]))
        at += size
    return b"".join(part for _, part in sorted(spans))


class Log:
    """The log files of one scope."""

    def __init__(self, folder: str, disk: Disk) -> None:
        self.folder = folder
        self._disk = disk

    def months(self) -> list[str]:
        """List the months that have a file, in order."""
        try:
            with os.scandir(self.folder) as entries:
                names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
        except FileNotFoundError:
            return []
        return sorted([found[1] for name in names if (found := _MONTH.match(name))])

    def path(self, month: str) -> str:
        """Return the path of a month's file."""
        return os.path.join(self.folder, f"{month}.jsonl")

    def size(self, month: str) -> int:
        """Return the length of a month's file; 0 if there is none."""
        try:
            return os.stat(self.path(month)).st_size
        except FileNotFoundError:
            return 0

    def append(self, month: str, line: bytes, *, durable: bool) -> int:
        """Add one line and return the new end; on failure the file is as before.

        Raises:
            StoreFailedError: Not even that can be said.
        """
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = self._disk.open(self.path(month), flags)  # what is no file fails at once
        try:
            size = os.fstat(fd).st_size
            if size == 0:
                self._disk.sync_folder(self.folder)
            try:
                write_all(self._disk, fd, line)
                if durable:
                    self._disk.sync(fd)
            except OSError as error:
                self._cut_back(fd, size, error)
                raise
            return size + len(line)
        finally:
            closed(fd)

    def _cut_back(self, fd: int, size: int, cause: OSError) -> None:
        try:
            if os.fstat(fd).st_size != size:
                self._disk.truncate(fd, size)
        except OSError:
            reason = f"the disk failed while a change was logged ({cause.strerror}); reopen the store"
            raise StoreFailedError(f"{reason}, and look whether the change is there before making it again") from cause

    def cut(self, month: str, size: int) -> None:
        """Cut a month's file back to a size, synced."""
        fd = self._disk.open(self.path(month), os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            self._disk.truncate(fd, size)
            self._disk.sync_all(fd)
        finally:
            os.close(fd)

    def sync(self, month: str) -> None:
        """Bring a month's file to the disk."""
        fd = os.open(self.path(month), READ)
        try:
            self._disk.sync_all(fd)
        finally:
            os.close(fd)

    def after(self, number: int) -> Iterator[tuple[str, Entry]]:
        """Yield the good lines numbered above `number` with their month, oldest first."""
        months = self.months()
        first = 0
        for place in range(len(months) - 1, 0, -1):
            begins = self._first_number(months[place])
            if begins is not None and begins <= number + 1:
                first = place
                break
        for month in months[first:]:
            for entry in self._entries(month, number):
                yield month, entry

    def _first_number(self, month: str) -> int | None:
        with open(self.path(month), "rb") as file:
            found = _START.match(file.read(64))
        return int(found[1]) if found else None

    def _entries(self, month: str, number: int) -> Iterator[Entry]:
        with open(self.path(month), "rb") as file:
            offset = _seek(file, number)
            file.seek(offset)
            for line in file:
                offset += len(line)
                if not line.endswith(b"\n"):
                    return
                try:
                    header, payload = decode(line[:-1])
                except DamagedError:
                    continue  # costs itself only; `verify` names it
                found = _START.match(line)
                assert found is not None  # noqa: S101 - decode has matched it
                if int(found[1]) > number:
                    yield Entry(int(found[1]), header, payload, offset)

    def verify(self, key: bytes) -> tuple[list[LogProblem], int, str]:
        """Find every line that is not as it was written; also give the last number and header hash."""
        problems: list[LogProblem] = []
        expected, prev = 1, FIRST
        for month in self.months():
            name = f"{month}.jsonl"
            with open(self.path(month), "rb") as file:
                for place, line in enumerate(file, 1):
                    reason, header = _check(line, expected, prev, key)
                    if reason:
                        problems.append(LogProblem(name, place, reason))
                    if header is not None:
                        found = _START.match(line)
                        expected, prev = (int(found[1]) if found else expected) + 1, header_hash(header)
        return problems, expected - 1, prev

    def erase(self, month: str, kept: Mapping[int, Mapping[str, object]], key: bytes) -> bytes | None:
        """Make a month's file with the payloads of some changes gone but for what is kept; None if nothing changes."""
        lines: list[bytes] = []
        changed = False
        with open(self.path(month), "rb") as file:
            for line in file:
                found = _START.match(line)
                if found and int(found[1]) in kept:
                    header, _ = decode(line.rstrip(b"\n"))
                    left = _line(header, _left(kept[int(found[1])], key)) + b"\n"
                    changed = changed or left != line
                    lines.append(left)
                else:
                    lines.append(line)
        return b"".join(lines) if changed else None


def _left(kept: Mapping[str, object], key: bytes) -> bytes:
    """Write what is left of an erased payload, with a hash of its own in place of that in the header."""
    rest = json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return b'%b%b","kept":%b}' % (_ERASED, content_hash(key, rest).encode(), rest)


def _is_left(payload: bytes, key: bytes) -> bool:
    """True if what is left of an erased payload is as it was written."""
    named, _, rest = payload.removeprefix(_ERASED).partition(b'","kept":')
    return named == content_hash(key, rest[:-1]).encode()


def _content(write: Write) -> object:
    if isinstance(write, Put):
        return [[piece.start, piece.end] if isinstance(piece, Keep) else piece for piece in write.pieces]
    if isinstance(write, Append):
        return list(write.lines)
    return None


def _touched(touched: Touched) -> dict[str, object]:
    fields: dict[str, object] = {"path": log_path(touched.path), "kind": touched.kind}
    if touched.before:
        fields["before"] = touched.before
    if touched.after:
        fields["after"] = touched.after
    if touched.offset >= 0:
        fields["offset"] = touched.offset
    return fields


def _line(header: bytes, payload: bytes) -> bytes:
    body = _HEAD + header + _MIDDLE + payload
    return body + b',"h":"' + hashlib.blake2b(body, digest_size=8).hexdigest().encode() + b'"}'


def _check(line: bytes, expected: int, prev: str, key: bytes) -> tuple[str, bytes | None]:
    if not line.endswith(b"\n"):
        return "the line is cut off", None
    try:
        header, payload = decode(line[:-1])
    except DamagedError:
        return "the line is not as it was written", None
    fields = json.loads(header)
    if fields.get("number") != expected:
        return f"change {expected} should be here, found {fields.get('number')!r}", header
    if fields.get("prev") != prev:
        return f"change {expected} does not follow the header before it", header
    erased = payload.startswith(_ERASED)
    if not (_is_left(payload, key) if erased else fields.get("payload_hash") == content_hash(key, payload)):
        return f"the texts of change {expected} are not those that were logged", header
    return "", header


def _seek(file: Any, number: int) -> int:
    """Return the offset of a line boundary at or before the line that follows change `number`.

    Halves the file, after reading its end, as mostly the newest change is asked for: lines are in the order of
    their numbers. A line that is none does not matter, the next good one decides.
    """
    low, high = 0, file.seek(0, os.SEEK_END)  # the line looked for begins at or after low
    middle = high - _NEAR_BYTES
    while high - low > _NEAR_BYTES:
        file.seek(middle)
        file.readline()
        start, found = file.tell(), None
        while start < high and not found:
            line = file.readline()
            if not line:  # another process has cut off a torn line meanwhile
                break
            found = _START.match(line)
            start += 0 if found else len(line)
        if found and int(found[1]) <= number:
            low = start
        else:
            high = middle
        middle = (low + high) // 2
    return int(low)
