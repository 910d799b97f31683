"""Every knob once: its meaning, its unit in its name, and the design it comes from.

Order: these defaults, then a file, then the environment, then arguments. Nothing else in the package
repeats a default. `system_clock` is the one reader of the wall clock.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Read the time now, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the one place that reads the clock


class StoreConfig(msgspec.Struct, frozen=True):
    """How files are kept."""

    lock_wait_seconds: float = 30.0  # safety notes 2.3: polled, then StoreBusyError
    checkpoint_changes: int = 100  # DESIGN 5: files are synced and the checkpoint moves
    checkpoint_seconds: float = 5.0  # DESIGN 5
    max_line_bytes: int = 64_000_000  # one stored line; a 10 MB message must fit


class GuardConfig(msgspec.Struct, frozen=True):
    """What the guard lets in, and how."""

    raw_transcripts: bool = False  # DESIGN 1.7: keep messages unredacted in this scope
    web_tools: tuple[str, ...] = (
        "web_fetch", "webfetch", "web_search", "websearch", "fetch", "browser", "browse", "http_get", "curl", "read_url",
    )  # fmt: skip  # DESIGN 1.6: text of these tools is trusted as `web`; compared in lower case


class RecallConfig(msgspec.Struct, frozen=True):
    """How recall ranks; weights come from the recall measurements."""

    passage_chars: int = 480  # retrieval notes 5: about this long


class ContextConfig(msgspec.Struct, frozen=True):
    """What enters a prompt."""

    tokens: int = 2000  # the whole budget when none is given
    recall_k: int = 8  # hits asked for


class Config(msgspec.Struct, frozen=True):
    """All knobs of one memory."""

    timezone: str = "UTC"  # IANA name; files are dated in it
    store: StoreConfig = msgspec.field(default_factory=StoreConfig)
    guard: GuardConfig = msgspec.field(default_factory=GuardConfig)
    recall: RecallConfig = msgspec.field(default_factory=RecallConfig)
    context: ContextConfig = msgspec.field(default_factory=ContextConfig)
