"""Read instants as other systems write them. Pure."""

from __future__ import annotations

import math
from datetime import UTC, datetime, tzinfo
from typing import Any, Final

_MILLISECONDS_FROM: Final = 1e11  # a larger number counts milliseconds: as seconds it is the year 5138


def instant_of(value: Any, zone: tzinfo = UTC) -> datetime | None:
    """Read ISO 8601 (in `zone` if it names none), or seconds or milliseconds since 1970; None if it is none."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value)
            return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
            return datetime.fromtimestamp(value / 1000 if abs(value) > _MILLISECONDS_FROM else value, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
