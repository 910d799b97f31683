"""Session files of the two-layer design: a line of metadata, then one message a line.

    {"_type": "metadata", "key": "telegram:1", "createdAt": "2026-02-27T14:30:00.000Z", "lastConsolidated": 0}
    {"role": "user", "content": "…", "timestamp": "2026-02-27T14:30:05.000Z", "toolsUsed": ["…"]}

The file's name is the key with `_` in place of every unusual character, so that two keys may share a
name: the session is called by the key. Source: seed two-layer, "Session Metadata Preservation".
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final, cast, get_args

import msgspec

from commonplace.records import Message, Role
from commonplace.surfaces.importers.batches import Found, Report, plain_session
from commonplace.surfaces.importers.blocks import instant_of
from commonplace.surfaces.importers.lines import Line, LineError
from commonplace.text.pieces import truncate

NAME: Final = "neoclaw"
METADATA: Final = "metadata"
_ROLES: Final[frozenset[str]] = frozenset(get_args(Role))
_WEB: Final = frozenset({"web_fetch", "webfetch", "web_search", "websearch", "fetch", "browser", "browse", "http_get"})


class _Entry(msgspec.Struct, rename={"kind": "_type", "tools_used": "toolsUsed"}):
    kind: str = ""
    key: str | None = None
    role: str | None = None
    content: str | None = None
    timestamp: str | float | None = None
    tools_used: list[str] | None = None


class Parser:
    """Reads the lines of one file; the first line of metadata names the session."""

    def __init__(self, stem: str, report: Report) -> None:
        self._session = stem
        self._report = report

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the message of one line.

        Raises:
            LineError: The line is damaged or unknown.
        """
        entry = line.decode(_Entry)
        if entry.kind == METADATA:
            self._session = entry.key or self._session
            self._report.skip(line.number, METADATA)
            return
        if entry.role not in _ROLES or entry.content is None:
            raise LineError(f"a message needs content and a role it may have, not {truncate(str(entry.role), 40)!r}")
        tools = tuple(entry.tools_used or ())
        # A reply names the tools of its whole turn: one that read the web counts as said by the web.
        web = entry.role == "assistant" and any(tool.lower() in _WEB for tool in tools)
        yield Found(
            self._session,
            Message(
                cast("Role", entry.role),
                entry.content,
                at=instant_of(entry.timestamp, line.number, self._report),
                tools=tools,
                trust="web" if web else None,
            ),
        )


class Head(msgspec.Struct, frozen=True):
    """What a file says of its session: its key, when it began, how many messages of ours are consolidated."""

    key: str = ""
    created_at: datetime | None = None
    done: int = 0


class _Metadata(msgspec.Struct, rename={"kind": "_type", "created_at": "createdAt", "done": "lastConsolidated"}):
    kind: Any = None
    key: Any = None
    created_at: Any = None
    done: Any = None


def head(data: bytes) -> Head | None:
    """Read what a session file says of itself; None where nothing in it does. The last line of metadata wins.

    `lastConsolidated` counts their messages, `done` those of them that an import takes; a count that is none
    (negative, a text, a truth value) is 0.
    """
    found: _Metadata | None = None
    kept: list[bool] = []
    for raw in data.splitlines():
        try:
            line = msgspec.json.decode(raw, type=_Metadata)
            if line.kind == METADATA:
                found = line
                continue
            entry = msgspec.json.decode(raw, type=_Entry)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            continue
        if entry.role in _ROLES and entry.content is not None:
            kept.append(bool(entry.content.strip()))
    if found is None:
        return None
    done = found.done if type(found.done) is int else 0  # a truth value is no count
    key = plain_session(found.key) if isinstance(found.key, str) else ""
    return Head(key, _instant(found.created_at), sum(kept[: max(0, done)]))


def _instant(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError):
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
