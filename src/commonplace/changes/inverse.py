"""Take logged changes back on the bytes of a file: what a file was before a change, from what it is after.

The log keeps, for each write, the pieces it was made of and the old text they left out; both together
give the old bytes back exactly, unless something of them was redacted or erased.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from commonplace.errors import DamagedError
from commonplace.storage import MISSING, Logged
from commonplace.storage.changelog import content_hash, plain_path


class Write:
    """One write of a logged change, with all that is needed to take it back.

    `pieces` are [start, end] spans or texts of a put, lines of an append; `removed` is old text by offset.
    """

    def __init__(self, file: dict[str, Any], content: Sequence[Any], removed: Sequence[Any]) -> None:
        self.path = plain_path(str(file["path"]))
        self.kind = str(file["kind"])
        self.before = str(file.get("before", ""))
        self.after = str(file.get("after", ""))
        self.offset = int(file.get("offset", -1))
        self.content = content
        self.removed = removed


def writes_of(logged: Logged) -> list[Write]:
    """Give the writes of a change, an outside edit as the put that it was; none where it was erased.

    Raises:
        DamagedError: Its texts were erased.
    """
    payload = logged.payload
    if payload is None:
        raise DamagedError(f"the texts of change {logged.number} were erased", change=logged.number)
    files = _list(logged.header.get("files"))
    contents, removed = _list(payload.get("writes")), _list(payload.get("removed"))
    found = [
        Write(file, content, removed[i] if i < len(removed) else [])
        for i, (file, content) in enumerate(zip(files, contents, strict=True))
    ]
    outside = payload.get("outside")
    if isinstance(outside, dict):
        for path in _list(logged.header.get("outside")):
            file = {"path": path, "kind": outside.get("kind", "put"), "before": "", "after": ""}
            found.append(Write(file, _list(outside.get("pieces")), _list(outside.get("removed"))))
    return found


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def before(write: Write, after: bytes | None, key: bytes) -> bytes | None:
    """Give a file's bytes before a write from those after it; None where there was no file.

    Raises:
        DamagedError: They cannot be made: the file is not as the write left it, or text of it was redacted.
    """
    data = after or b""
    if write.kind == "append":
        body = "".join(f"{line}\n" for line in write.content).encode("utf-8", "backslashreplace")
        return _cut(write, data, body)
    if write.kind != "delete" and write.after and content_hash(key, after) != write.after:
        raise DamagedError(f"{write.path!r} is not as the change left it", path=write.path)
    if write.before == MISSING:
        return None
    parts = [(int(start), str(text).encode("utf-8", "surrogateescape")) for start, text in write.removed]
    at = 0
    for piece in write.content if write.kind != "delete" else ():
        if isinstance(piece, str):
            at += len(piece.encode("utf-8", "surrogateescape"))
        elif isinstance(piece, int):
            at += piece
        else:
            parts.append((piece[0], data[at : at + piece[1] - piece[0]]))
            at += piece[1] - piece[0]
    made = b"".join(part for _, part in sorted(parts))
    if write.before and content_hash(key, made) != write.before:
        raise DamagedError(f"text of {write.path!r} was redacted or erased, so it cannot be put back", path=write.path)
    return made


def _cut(write: Write, data: bytes, body: bytes) -> bytes:
    start = data.find(body, max(0, write.offset)) if body else -1
    if start < 0:
        start = data.find(body)
    if start < 0:
        raise DamagedError(f"what the change added to {write.path!r} is not there any more", path=write.path)
    return data[:start] + data[start + len(body) :]
