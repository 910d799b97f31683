"""Instants and days as people type them."""

from __future__ import annotations

from datetime import date, datetime

from commonplace.errors import InputError


def instant(text: str | None) -> datetime | None:
    """Read an ISO 8601 instant; local time where it names no zone.

    Raises:
        InputError: It is none.
    """
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
        return at if at.tzinfo else at.astimezone()
    except (ValueError, OverflowError, OSError):
        raise InputError(f"{text!r} is no instant; write it as 2026-11-21T10:00 or 2026-11-21T10:00:00Z") from None


def day(text: str | None) -> date | None:
    """Read an ISO 8601 day.

    Raises:
        InputError: It is none.
    """
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text!r} is no day; write it as 2026-11-21") from None
