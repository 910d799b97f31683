"""Functions that a layout chooses by name: our own, and those of other packages.

Another package offers one through an entry point of the group `commonplace.<table>`, such as
`commonplace.renderers`. A name of ours is never replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from commonplace.errors import ConfigError

_T = TypeVar("_T")


def names(table: str, ours: Mapping[str, object]) -> frozenset[str]:
    """Return the names that a layout can choose in a table."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - a tenth of the start, for extensions of others only

    return frozenset(ours) | entry_points(group=f"commonplace.{table}").names


def function(table: str, name: str, ours: Mapping[str, _T]) -> _T:
    """Return the function of a name.

    Raises:
        ConfigError: There is none.
    """
    if name in ours:
        return ours[name]
    from importlib.metadata import entry_points  # noqa: PLC0415 - as above

    for point in entry_points(group=f"commonplace.{table}", name=name):
        found: _T = point.load()
        return found
    known = ", ".join(sorted(names(table, ours)))
    raise ConfigError(f"there is no {name!r} among the {table}; use one of {known}")
