"""Which project a command runs in: an id that was given, else its git common directory, else its path.

Reads two small files of git and runs nothing. Worktrees of one repository are one project.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import msgspec

from commonplace.config import Config

_READ_BYTES = 4096
_SETTINGS: Final = (".claude/settings.json", ".claude/settings.local.json")
_REDIRECTS: Final = "autoMemoryDirectory"  # seed memdir: a key that only a person's own settings may have


def named(config: Config, folder: Path) -> Config:
    """Return the knobs with the project of a folder, if they name none."""
    if config.project:
        return config
    return msgspec.structs.replace(config, project=identity(folder))


def identity(folder: Path) -> str:
    """Return the project of a folder: the git common directory above it, else the folder itself."""
    here = folder.resolve()
    for above in (here, *here.parents):
        mark = above / ".git"
        if mark.is_dir():
            return str(mark)
        if mark.is_file():
            return str(_common(mark))
    return str(here)


def redirecting(folder: Path) -> str:
    """Return the file of a project that says where memory is kept; empty if none does.

    It is never followed: a folder that another person made could lead writes anywhere.
    """
    for name in _SETTINGS:
        try:
            settings = json.loads((folder / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(settings, dict) and _REDIRECTS in settings:
            return name
    return ""


def _common(mark: Path) -> Path:
    """Follow a worktree's `.git` file to the directory that all worktrees of it share."""
    named = _first_line(mark).removeprefix("gitdir:").strip()
    own = (mark.parent / named).resolve() if named else mark
    common = _first_line(own / "commondir")
    return (own / common).resolve() if common else own


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.read(_READ_BYTES).decode("utf-8", "surrogateescape").partition("\n")[0].strip()
    except OSError:
        return ""
