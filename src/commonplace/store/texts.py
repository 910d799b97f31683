"""Reads a small text file that a person named, such as a layout."""

from __future__ import annotations

import os
from typing import Final

from commonplace.errors import ConfigError

_MOST_BYTES: Final = 1_000_000


def absolute(path: str) -> str:
    """Return a path that means the same file from any folder."""
    return os.path.abspath(path)


def read_if_there(path: str) -> str:
    """Return the text of a file; empty if there is none, or none that can be read."""
    try:
        return read(path) if os.path.isfile(path) else ""
    except ConfigError:
        return ""


def read(path: str) -> str:
    """Return the text of a file.

    Raises:
        ConfigError: It cannot be read, is no UTF-8, or is longer than a file of settings can be.
    """
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(f"{path!r} cannot be read: {why}", path=path) from None
    if len(text) > _MOST_BYTES:
        raise ConfigError(f"{path!r} is longer than {_MOST_BYTES} characters", path=path)
    return text
