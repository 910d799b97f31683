"""Every file below a root, and writing some of them again, whole, without what is to be erased.

Knows nothing of texts: the caller says what a file is to hold. Files that others append to are held meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from commonplace.store.files.appends import Appender
from commonplace.store.files.disk import Disk
from commonplace.store.files.state import replace_synced
from commonplace.store.protocol import Clean


def everything(root: str) -> Iterator[tuple[str, bytes]]:
    """Yield the regular files below a root with their bytes, hidden ones too; links are not followed."""
    for folder, names, found in os.walk(root):
        names.sort()
        for name in sorted(found):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                try:
                    yield os.path.relpath(path, root), _content(path)
                except (FileNotFoundError, PermissionError):  # taken away meanwhile, or not ours to read
                    continue


def rewrite(root: str, clean: Clean, *, log: str, appender: Appender, disk: Disk) -> None:
    """Write each file below a root as `clean` says, but for those of the log."""
    for path, content in everything(root):
        if path.startswith(f"{log}/") or clean(path, content) is content:
            continue
        with appender.replacing(path):
            _write(root, path, clean, disk)  # as it is now, with what was added meanwhile


def in_project(root: str, path: str) -> bool:
    """True if a file lies in a folder under version control: it is a person's work, which only they change."""
    folder = os.path.dirname(os.path.join(root, path))
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def _write(root: str, path: str, clean: Clean, disk: Disk) -> None:
    whole = os.path.join(root, path)
    content = _content(whole)
    wanted = clean(path, content)
    folder, name = os.path.split(whole)
    if wanted is None:
        disk.unlink(whole)
        disk.sync_folder(folder)
    elif wanted is not content:
        mode = os.stat(whole).st_mode & 0o777
        replace_synced(disk, folder, name, wanted)
        os.chmod(whole, mode)


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
