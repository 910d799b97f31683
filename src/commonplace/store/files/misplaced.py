"""Find paths in a folder of memory that should be files, and are none: nothing reads them, and `list` skips them.

Only reads; a person decides what becomes of it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import Final

from commonplace.store.files.paths import is_plain

_FILES: Final = (".md", ".json", ".jsonl")
"""How the files of memory are called; what else lies there is somebody's own."""


def misplaced(root: str, folder: str) -> Iterator[tuple[str, str]]:
    """Yield what cannot be read as a file or entered as a folder below a folder: (path, what it is).

    Args:
        root: The scope's folder, links resolved.
        folder: Below it; empty for the root itself. Names that begin with a dot are left out.
    """
    if os.path.islink(start := os.path.join(root, folder)) and (what := _link(root, start, folder)):
        yield folder, what
        return
    folders = [folder]
    while folders:
        below = folders.pop()
        try:
            with os.scandir(os.path.join(root, below)) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        for entry in found:
            if entry.name.startswith("."):
                continue
            path = f"{below}/{entry.name}" if below else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_plain(entry.name):
                if is_folder or entry.name.endswith(_FILES):
                    yield path.encode("ascii", "backslashreplace").decode(), "a name that memory cannot write"
                continue
            if is_folder:
                folders.append(path)
            if entry.is_symlink():
                what = _link(root, entry.path, entry.name)
            elif is_folder or not entry.is_file(follow_symlinks=False):
                what = _other(entry)
            else:
                continue
            if what:
                yield path, what


def _link(root: str, whole: str, name: str) -> str:
    """Return what a link is that memory cannot follow; empty where it can, or where no file of memory is so called."""
    end = os.path.realpath(whole)
    try:
        is_folder = stat.S_ISDIR(os.stat(end).st_mode)
    except OSError:
        return "a link that leads nowhere" if name.endswith(_FILES) else ""
    if (end + "/").startswith(root.rstrip("/") + "/") or not (is_folder or name.endswith(_FILES)):
        return ""
    return "a link that leads out of the memory"


def _other(entry: os.DirEntry[str]) -> str:
    if not entry.name.endswith(_FILES):
        return ""
    return "a folder" if entry.is_dir(follow_symlinks=False) else "no plain file"
