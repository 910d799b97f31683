"""Which folders this machine made or accepted, and in which layout: a file in each names machine, user and folder.

A copy, a clone or an archive from elsewhere has another inode or another machine, so that it names no process here.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from commonplace.errors import PathError
from commonplace.store.files.disk import APPEND, FILE_MODE, Disk, make_folders
from commonplace.store.files.state import read_small
from commonplace.store.protocol import STATE

LAYOUT: Final = f"{STATE}/layout"
"""Holds the name or the file of the layout that a memory was begun or adopted with."""

_FILE: Final = "machine"
_MACHINE_IDS: Final = ("/etc/machine-id", "/var/lib/dbus/machine-id")


def is_accepted(folder: str) -> bool | None:
    """True if this machine made or accepted the memory with this folder of our own files; None if it has no such."""
    return _mark(folder) in _known(folder) if os.path.isdir(folder) else None


def accept(folder: str, disk: Disk) -> None:
    """Note that this machine made or accepted a memory; one that cannot be written stays as it is."""
    if is_accepted(folder):
        return
    with suppress(OSError):
        fd = disk.open(os.path.join(folder, _FILE), APPEND | os.O_CREAT, FILE_MODE)
        try:
            disk.write(fd, _mark(folder) + b"\n")
        finally:
            os.close(fd)


def layout_of(location: str) -> str:
    """Return the layout that a memory was begun or adopted with; empty if it says none."""
    try:
        return (read_small(os.path.join(location, LAYOUT)) or b"").decode().strip()
    except (OSError, ValueError):
        return ""


def kept_otherwise(location: str, layout: str) -> str:
    """Return the layout that a memory is kept in if it is opened in another; empty for a file, which may have moved."""
    kept = layout_of(location) if layout else ""
    return "" if kept == layout or kept.endswith(".toml") else kept


def keep_layout(location: str, layout: str, disk: Disk) -> None:
    """Note the layout that a memory is begun with, so that a command opens it without naming one."""
    path = os.path.join(location, LAYOUT)
    if not layout or os.path.lexists(path):
        return
    folder = os.path.dirname(path)
    make_folders(folder)  # a memory may hold other scopes only
    accept(folder, disk)
    with suppress(FileExistsError):  # another process was first
        fd = disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        try:
            disk.write(fd, f"{layout}\n".encode())
        finally:
            os.close(fd)


def require_no_links(folder: str, names: Iterable[str]) -> None:
    """Make sure that our own files are kept where they seem to be.

    Raises:
        PathError: A folder of our own files is a link.
    """
    for path in (os.path.join(folder, name).rstrip("/") for name in names):
        if os.path.islink(path):
            raise PathError(f"{path!r} is a link; our own files are kept in the memory's own folder", path=path)


def _known(folder: str) -> list[bytes]:
    try:
        return (read_small(os.path.join(folder, _FILE)) or b"").split()
    except OSError:
        return []


def _mark(folder: str) -> bytes:
    ids = [found for path in _MACHINE_IDS if (found := read_small(path))]
    name = ids[0] if ids else os.uname().nodename.encode()
    identity = b"%b:%d:%d" % (name.strip(), os.getuid(), os.stat(folder).st_ino)
    return hashlib.blake2b(identity, digest_size=16).hexdigest().encode()
