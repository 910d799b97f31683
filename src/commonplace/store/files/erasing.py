"""Erase texts from every file under a root: transcripts, records, the log's payloads, our own state, exports.

Owns the search of bytes and the rewriting. What is to go is first written to a file of its own; the next opening of the
store finishes what a dead writer left, and removes that file last. Databases are deleted: each is made again.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from commonplace.store.files.commits import Commits
from commonplace.store.files.disk import Disk
from commonplace.store.files.state import read_small, replace_synced

ERASED: Final = "⟦erased⟧"
"""What is put in the place of an erased text."""

_INTENT: Final = "erasing.json"
_DATABASES: Final = (".sqlite", ".sqlite-wal", ".sqlite-shm")
_SHORTEST: Final = 4  # characters; less stands in too many texts that mean something else


def forms(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts and, of those with several lines, the lines; the longest first."""
    found: dict[str, None] = {}
    for text in texts:
        for part in (text, *text.splitlines()):
            if len(part.strip()) >= _SHORTEST:
                found[part.strip()] = None
    return tuple(sorted(found, key=len, reverse=True))


def needles(parts: Iterable[str]) -> tuple[bytes, ...]:
    """Return the bytes of texts as a file may hold them: plain, and as JSON writes them, once and twice."""
    found: dict[bytes, None] = {}
    for part in parts:
        plain = json.dumps(part, ensure_ascii=False)[1:-1]
        for form in (part, plain, json.dumps(part)[1:-1], json.dumps(plain, ensure_ascii=False)[1:-1]):
            found[form.encode("utf-8", "surrogatepass")] = None
    return tuple(sorted(found, key=len, reverse=True))


def holding(root: str, texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return the files below a root that hold any of some texts, hidden ones too, with how often."""
    return tuple(places(root, forms(texts)))


def places(root: str, parts: Sequence[str], *, skip: Iterable[str] = ()) -> Iterator[tuple[str, int]]:
    """Yield each file below a root that holds one of the texts, with how often."""
    sought, left_out = needles(parts), frozenset(skip)
    for path in files(root):
        if path not in left_out:
            count = _count(_content(f"{root}/{path}"), sought)
            if count:
                yield path, count


def files(root: str) -> Iterator[str]:
    """Yield the regular files below a root, hidden ones too; links are not followed."""
    for folder, names, found in os.walk(root):
        names.sort()
        for name in sorted(found):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield os.path.relpath(path, root)


class Eraser:
    """Erases below the root of one store; `state` is the folder of our own files."""

    def __init__(self, root: str, state: str, commits: Commits, disk: Disk) -> None:
        self._root = root
        self._state = state
        self._commits = commits
        self._disk = disk

    def begin(self, parts: Sequence[str]) -> None:
        """Note what is to go; from here on it goes, whoever finishes it."""
        content = json.dumps({"texts": list(parts)}).encode()
        replace_synced(self._disk, f"{self._root}/{self._state}", _INTENT, content)

    def finish(self) -> None:
        """Erase the texts that were noted, if any were."""
        noted = read_small(f"{self._root}/{self._state}/{_INTENT}")
        if noted is None:
            return
        parts = tuple(json.loads(noted)["texts"])
        sought = needles(parts)
        with self._commits.locked():
            holding = [entry.number for entry in self._commits.everything() if _count(entry.payload, sought)]
            self._commits.erase_payloads(holding)
            for path, _ in list(places(self._root, parts, skip=[f"{self._state}/{_INTENT}"])):
                self._rewrite(path, parts, sought)
            for path in files(f"{self._root}/{self._state}"):
                if path.endswith(_DATABASES):
                    self._disk.unlink(f"{self._root}/{self._state}/{path}")
            self._disk.sync_folder(f"{self._root}/{self._state}")
            self._disk.unlink(f"{self._root}/{self._state}/{_INTENT}")
            self._disk.sync_folder(f"{self._root}/{self._state}")

    def _rewrite(self, path: str, parts: Sequence[str], sought: Sequence[bytes]) -> None:
        whole = f"{self._root}/{path}"
        if path.endswith(_DATABASES):
            return
        content = _content(whole)
        if path.endswith(".jsonl"):
            lines = content.split(b"\n")
            content = b"\n".join(_line(line, parts) if _count(line, sought) else line for line in lines)
        for needle in sought:
            content = content.replace(needle, ERASED.encode())
        mode = os.stat(whole).st_mode & 0o777
        folder, name = os.path.split(whole)
        replace_synced(self._disk, folder, name, content)
        os.chmod(whole, mode)


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _count(content: bytes, sought: Iterable[bytes]) -> int:
    return max((content.count(needle) for needle in sought), default=0)


def _line(line: bytes, parts: Sequence[str]) -> bytes:
    """Write a line of JSON again without the texts, with a checksum of its own; other lines as they are."""
    try:
        values = json.loads(line)
    except ValueError:
        return line
    clean = _without(values, parts)
    checked = isinstance(clean, dict) and clean.pop("h", None) is not None
    written = json.dumps(clean, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return b'%b,"h":"%08x"}' % (written[:-1], zlib.crc32(written[:-1])) if checked else written


def _without(value: Any, parts: Sequence[str]) -> Any:
    if isinstance(value, str):
        for part in parts:
            value = value.replace(part, ERASED)
            escaped = json.dumps(part, ensure_ascii=False)[1:-1]
            value = value.replace(escaped, ERASED)
        return value
    if isinstance(value, dict):
        return {key: _without(item, parts) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, parts) for item in value]
    return value
