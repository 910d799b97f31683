"""Functions by name: our own, and those that other packages bring through an entry point.

A layout chooses functions by name. Other packages are searched only for a name that is not our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

Kind = TypeVar("Kind")


class Installed(Mapping[str, Kind]):
    """Our functions of one kind, and those of other packages.

    Args:
        group: The entry points of other packages that bring more of them.
        own: Our own, by name; no other package replaces one.
    """

    def __init__(self, group: str, own: Mapping[str, Kind]) -> None:
        self.group = group
        self._found = dict(own)

    def __getitem__(self, name: str) -> Kind:
        """Return the function of a name; KeyError if no package has it."""
        if name not in self._found:
            for point in self._points():
                if point.name == name:
                    return self._found.setdefault(name, point.load())
        return self._found[name]

    def is_at_hand(self, name: str) -> bool:
        """True if the function of a name is our own or was used before; no other package is searched."""
        return name in self._found

    def __contains__(self, name: object) -> bool:
        """True if a package has a function of this name; nothing is loaded."""
        return name in self._found or any(point.name == name for point in self._points())

    def __iter__(self) -> Iterator[str]:
        """Yield every name."""
        return iter(dict.fromkeys((*self._found, *(point.name for point in self._points()))))

    def __len__(self) -> int:
        """Count the names."""
        return sum(1 for _ in self)

    def _points(self) -> Any:
        from importlib.metadata import entry_points  # noqa: PLC0415 - a tenth of the start, for others' names only

        return entry_points(group=self.group)
