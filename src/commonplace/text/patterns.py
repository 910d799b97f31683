"""Regular expressions that are compiled when they are first used, so that importing a module costs nothing."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Lazy:
    """A pattern that is compiled at its first use; each attribute is then kept as its own."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = self.__dict__.get("_compiled")
        if compiled is None:
            compiled = self.__dict__["_compiled"] = re.compile(self._source, self._flags)
        found = self.__dict__[name] = getattr(compiled, name)
        return found


def pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled at its first use; a mistake in it shows only then, so test each one."""
    return cast("re.Pattern[AnyStr]", _Lazy(source, flags))
