"""Undo logged changes on the bytes of a file: compute the bytes before a change from those after it.

The log keeps, for each write, the pieces it was made of and the old text they left out; both together
give the old bytes back exactly, unless something of them was redacted or erased.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from commonplace.changes import diffs, edits
from commonplace.changes.log import listed
from commonplace.errors import DamagedError
from commonplace.guard.screened import line_bytes
from commonplace.store.files.changelog import content_hash, plain_path, render, text_bytes, unrender
from commonplace.store.protocol import MISSING, Logged
from commonplace.text.spans import Keep

Version = Callable[[bytes | None], str]


class Write:
    """One write of a logged change, with all that is needed to take it back.

    `content` are [start, end] spans or texts of a put, lines of an append; `removed` is old text by offset. Both are
    None where they were erased.
    """

    def __init__(self, file: dict[str, Any], content: Sequence[Any] | None, removed: Sequence[Any]) -> None:
        self.path = plain_path(str(file["path"]))
        self.kind = str(file["kind"])
        self.before = str(file.get("before", ""))
        self.after = str(file.get("after", ""))
        self.offset = int(file.get("offset", -1))
        self.content = content
        self.removed = removed

    @property
    def makes(self) -> bool:
        """True if the write made the file: there was none before it."""
        return self.kind == "put" and self.before == MISSING


def writes_of(logged: Logged) -> list[Write]:
    """Return the writes of a change, edits from outside as puts; of an erased one, what its header says."""
    payload = logged.payload
    files = listed(logged.header.get("files"))
    if logged.erased:
        return [Write(file, None, []) for file in files]
    contents, removed = listed(payload.get("writes")), listed(payload.get("removed"))
    found = [
        Write(file, content, removed[i] if i < len(removed) else [])
        for i, (file, content) in enumerate(zip(files, contents, strict=True))
    ]
    for path, edit in zip(listed(logged.header.get("outside")), listed(payload.get("outside")), strict=True):
        found.append(Write({**edit, "path": path}, listed(edit.get("pieces")), listed(edit.get("removed"))))
    return found


def outside(before: bytes | None, after: bytes | None) -> dict[str, Any]:
    """Describe an edit made outside as the write it comes to, without the hashes; its texts are not screened yet."""
    pieces = edits.between(before or b"", after or b"")
    return {
        "kind": "delete" if after is None else "put",
        "pieces": [[p.start, p.end] if isinstance(p, Keep) else shown(text_bytes(p)) for p in pieces],
        "removed": [[start, shown(part)] for start, part in diffs.gaps(before or b"", pieces)],
    }


def shown(data: bytes) -> str:
    """Return bytes as the text that the log keeps of them."""
    return data.decode("utf-8", "replace")


def explains(writes: Sequence[Write], data: bytes | None, version_before: str, version_of: Version, key: bytes) -> bool:
    """True if logged writes alone lead from the version before them to these bytes."""
    appended = False
    for write in reversed(writes):
        if write.kind != "append":
            return write.after in {content_hash(key, each) for each in (_ways(data) if appended else (data,))}
        try:
            data, appended = before(write, data, key), True
        except DamagedError:
            return False
    return version_before in {version_of(each) for each in (_ways(data) if appended else (data,))}


def _ways(data: bytes | None) -> tuple[bytes | None, ...]:
    """Return what a file may have been before an append: what was added to nothing tells no empty file from none."""
    return (data,) if data else (None, b"")


def after(write: Write, data: bytes | None, key: bytes) -> bytes | None:
    """Return a file's bytes after a write from those before it.

    Raises:
        DamagedError: They cannot be made: the file was not as the write found it, or text of it was redacted.
    """
    if write.kind == "append":
        old = data or b""
        torn = b"" if not old or old.endswith(b"\n") else b"\n"
        return old + torn + body(write)
    made = None if write.kind == "delete" else render(_content(write), data or b"")
    if content_hash(key, made) != write.after:
        raise DamagedError(f"what the change made of {write.path!r} is not in the log", path=write.path)
    return made


def before(write: Write, after: bytes | None, key: bytes) -> bytes | None:
    """Return a file's bytes before a write from those after it; None where there was no file.

    Raises:
        DamagedError: They cannot be made: the file is not as the write left it, or text of it was redacted.
    """
    data = after or b""
    if write.kind == "append":
        return _cut(write, data, body(write))
    left = MISSING if write.kind == "delete" else write.after
    if left not in {content_hash(key, each) for each in _ways(after)}:
        raise DamagedError(f"{write.path!r} is not as the change left it", path=write.path)
    if write.before == MISSING:
        return None
    made = unrender(_content(write) if write.kind != "delete" else (), data, write.removed)
    if content_hash(key, made) != write.before:
        raise DamagedError(f"text of {write.path!r} was redacted or erased, so it cannot be restored", path=write.path)
    return made


def states(changes: Iterable[Logged], path: str, data: bytes | None, key: bytes) -> Iterator[bytes | None]:
    """Yield what a file said before each write of it in some changes, the newest first; `data` is what it says now.

    Raises:
        DamagedError: The text of a change was redacted or erased.
    """
    for logged in reversed(tuple(changes)):
        for write in reversed(writes_of(logged)):
            if write.path == path:
                data = before(write, data, key)
                yield data


def body(write: Write) -> bytes:
    """Return the lines of an append as they are in the file.

    Raises:
        DamagedError: They were erased.
    """
    return b"".join(line_bytes(str(line)) + b"\n" for line in _content(write))


def _content(write: Write) -> Sequence[Any]:
    if write.content is None:
        raise DamagedError(f"what a change wrote to {write.path!r} was erased", path=write.path)
    return write.content


def _cut(write: Write, data: bytes, body: bytes) -> bytes | None:
    start = data.find(body, max(0, write.offset)) if body else -1
    if start < 0:
        start = data.find(body)
    if start < 0:
        raise DamagedError(f"what the change added to {write.path!r} is not there any more", path=write.path)
    end = start + len(body)
    if start == write.offset + 1 and data[write.offset : start] == b"\n":
        start = write.offset  # the store ended a torn line before it
    left = data[:start] + data[end:]
    return left if left or write.offset > 0 else None
