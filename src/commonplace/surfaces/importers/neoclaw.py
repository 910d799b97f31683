"""Session files of the two-layer design: a line of metadata, then one message a line.

    {"_type": "metadata", "key": "telegram:1", "createdAt": "2026-02-27T14:30:00.000Z", "lastConsolidated": 0}
    {"role": "user", "content": "…", "timestamp": "2026-02-27T14:30:05.000Z", "toolsUsed": ["…"]}

The file's name is the key with `_` in place of every unusual character, so that two keys may share a
name: the session is called by the key. nanobot, from which the design comes, writes `created_at`, `last_consolidated`
and `tools_used`, times without a zone, calls and results of tools as OpenAI's messages have them, and at first no key:
then the name up to its first `_` is the channel. Source: seed two-layer, "Session Metadata Preservation".
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, tzinfo
from typing import Any, Final, cast

import msgspec

from commonplace.records import Message, Role
from commonplace.surfaces.importers import blocks, message_lists
from commonplace.surfaces.importers.batches import Found, Head, Report, plain_session
from commonplace.surfaces.importers.blocks import ROLES
from commonplace.surfaces.importers.lines import Line, LineError
from commonplace.text import instants
from commonplace.text.pieces import truncate

NAME: Final = "neoclaw"
METADATA: Final = "metadata"
_WEB: Final = frozenset({"web_fetch", "webfetch", "web_search", "websearch", "fetch", "browser", "browse", "http_get"})


class _Entry(msgspec.Struct, rename={"kind": "_type", "used": "toolsUsed", "used_too": "tools_used"}):
    kind: str = ""
    key: str | None = None
    role: str | None = None
    content: str | list[Any] | None = None
    timestamp: str | float | None = None
    used: list[str] | None = None
    used_too: list[str] | None = None
    tool_calls: list[Any] | None = None
    created_at: Any = None


class Parser(blocks.Parser):
    """Reads the lines of one file; the first line of metadata names the session."""

    def __init__(self, stem: str, report: Report) -> None:
        super().__init__(stem, report)
        self._listed = message_lists.Parser(stem, report)

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of one line."""
        entry = line.decode(_Entry)
        if entry.kind == METADATA:
            self.session = entry.key or (self.session if entry.created_at is None else named(self.session))
            self.report.skip(METADATA)
            return
        if entry.role not in ROLES or (entry.content is None and not entry.tool_calls):
            raise LineError(f"a message needs content and a role it may have, not {truncate(str(entry.role), 40)!r}")
        if entry.role == "tool" or entry.tool_calls or not isinstance(entry.content, str):
            for _, message in self._listed.feed(line):
                yield self.session, message
            return
        tools = tuple(entry.used or entry.used_too or ())
        # A reply names the tools of its whole turn: one that read the web counts as said by the web.
        web = entry.role == "assistant" and any(tool.lower() in _WEB for tool in tools)
        role, at = cast("Role", entry.role), self.at(entry.timestamp)
        yield self.session, Message(role, entry.content, at=at, tools=tools, trust="web" if web else None)


def named(stem: str) -> str:
    """Return the key that the name of a file of nanobot means: what comes before its first `_` is the channel."""
    return stem if ":" in stem else stem.replace("_", ":", 1)


def head(data: bytes, stem: str = "", zone: tzinfo = UTC) -> Head | None:
    """Return the header of a session file; None if it has none. The last line of metadata wins.

    `lastConsolidated` counts the file's messages, `done` those of ours that an import makes of them; an invalid count
    (negative, a text, a truth value) is 0. Without a key the file's name is it. Times are in `zone` if they name none.
    """
    found: dict[str, Any] | None = None
    kept: list[int] = []
    parser = Parser("", Report("", lambda _: None))
    for raw in data.splitlines():
        try:
            line = msgspec.json.decode(raw, type=dict[str, Any])
            if line.get("_type") == METADATA:
                found = line
                continue
            kept.append(sum(bool(message.content.strip()) for _, message in parser.feed(Line(1, raw))))
        except (msgspec.DecodeError, LineError, RecursionError, UnicodeDecodeError):
            continue
    if found is None:
        return None
    done = found.get("lastConsolidated")
    done = done if done is not None else found.get("last_consolidated")
    count = done if type(done) is int else 0  # a truth value is no count
    key = plain_session(found["key"]) if isinstance(found.get("key"), str) else ""
    key = key or (stem if found.get("created_at") is None else named(stem))
    made = instants.instant_of(found.get("createdAt") or found.get("created_at"), zone)
    return Head(key, made, sum(kept[: max(0, count)]))
