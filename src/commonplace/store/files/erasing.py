"""Every file below a root, and writing some of them again, whole, without what is to be erased.

Knows nothing of texts: the caller says what a file is to hold. Files that others append to are held meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from commonplace.store.files.appends import Appender
from commonplace.store.files.disk import Disk
from commonplace.store.files.state import replace_synced
from commonplace.store.protocol import STATE, Clean

_REPOSITORIES: Final = (".git", ".hg", ".svn", ".jj")
_PACKED: Final = (
    b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07",
    b"%PDF-", b"SQLite format 3\0",
)  # fmt: skip
"""How files begin that do not hold their texts byte for byte: packed ones, printed pages, databases."""
_HEAD_BYTES: Final = 16


def everything(root: str) -> Iterator[tuple[str, bytes]]:
    """Yield the regular files below a root with their bytes, hidden ones too.

    Links are not followed, and repositories are left out: what they keep is packed.
    """
    for folder, names, found in os.walk(root):
        names[:] = sorted(name for name in names if name not in _REPOSITORIES)
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


def unsearched(root: str) -> Iterator[str]:
    """Yield what may hold a text that no search of bytes finds: packed files, databases, repositories."""
    for folder, names, found in os.walk(root):
        here = os.path.relpath(folder, root)
        yield from (os.path.normpath(os.path.join(here, name)) for name in _REPOSITORIES if name in {*names, *found})
        names[:] = sorted(name for name in names if name not in {*_REPOSITORIES, STATE})
        for name in sorted(found):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path) and _is_packed(path):
                yield os.path.normpath(os.path.join(here, name))
    above = os.path.dirname(os.path.abspath(root))
    while above != os.path.dirname(above):
        yield from (path for name in _REPOSITORIES if os.path.exists(path := os.path.join(above, name)))
        above = os.path.dirname(above)


def is_others(root: str, path: str) -> bool:
    """True if only its owner writes a file: it lies in a folder under version control or in that of another memory."""
    whole = os.path.abspath(root)
    folder = os.path.dirname(os.path.join(whole, path))
    while not any(os.path.exists(os.path.join(folder, name)) for name in _REPOSITORIES):
        if folder.startswith(f"{whole}{os.sep}") and os.path.isdir(os.path.join(folder, STATE)):
            return True
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def _is_packed(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(_HEAD_BYTES).startswith(_PACKED)
    except FileNotFoundError:
        return False
    except PermissionError:
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
