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
from typing import Any, Final, cast, get_args

import msgspec

from commonplace.records import Message, Role
from commonplace.surfaces.importers import message_lists
from commonplace.surfaces.importers.batches import Found, Head, Report, plain_session
from commonplace.surfaces.importers.blocks import instant_of
from commonplace.surfaces.importers.lines import Line, LineError
from commonplace.text import instants
from commonplace.text.pieces import truncate

NAME: Final = "neoclaw"
METADATA: Final = "metadata"
_ROLES: Final[frozenset[str]] = frozenset(get_args(Role))
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


class Parser:
    """Reads the lines of one file; the first line of metadata names the session."""

    def __init__(self, stem: str, report: Report) -> None:
        self._session = stem
        self._report = report
        self._listed = message_lists.Parser(stem, report)

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of one line.

        Raises:
            LineError: The line is damaged or unknown.
        """
        entry = line.decode(_Entry)
        if entry.kind == METADATA:
            self._session = entry.key or (self._session if entry.created_at is None else named(self._session))
            self._report.skip(line.number, METADATA)
            return
        if entry.role not in _ROLES or (entry.content is None and not entry.tool_calls):
            raise LineError(f"a message needs content and a role it may have, not {truncate(str(entry.role), 40)!r}")
        if entry.role == "tool" or entry.tool_calls or not isinstance(entry.content, str):
            for found in self._listed.feed(line):
                yield Found(self._session, found.message)
            return
        tools = tuple(entry.used or entry.used_too or ())
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


def named(stem: str) -> str:
    """Return the key that the name of a file of nanobot means: what comes before its first `_` is the channel."""
    return stem if ":" in stem else stem.replace("_", ":", 1)


class _Metadata(
    msgspec.Struct,
    rename={
        "kind": "_type", "made": "createdAt", "made_too": "created_at",
        "done": "lastConsolidated", "done_too": "last_consolidated",
    },
):  # fmt: skip
    kind: Any = None
    key: Any = None
    made: Any = None
    made_too: Any = None
    done: Any = None
    done_too: Any = None


def head(data: bytes, stem: str = "", zone: tzinfo = UTC) -> Head | None:
    """Return the header of a session file; None if it has none. The last line of metadata wins.

    `lastConsolidated` counts the file's messages, `done` those of ours that an import makes of them; an invalid count
    (negative, a text, a truth value) is 0. Without a key the file's name is it. Times are in `zone` if they name none.
    """
    found: _Metadata | None = None
    kept: list[int] = []
    parser = Parser("", Report("", lambda _: None))
    for number, raw in enumerate(data.splitlines(), 1):
        try:
            line = msgspec.json.decode(raw, type=_Metadata)
            if line.kind == METADATA:
                found = line
                continue
            kept.append(sum(bool(each.message.content.strip()) for each in parser.feed(Line(number, raw))))
        except (msgspec.DecodeError, LineError, RecursionError, UnicodeDecodeError):
            continue
    if found is None:
        return None
    done = found.done if found.done is not None else found.done_too
    count = done if type(done) is int else 0  # a truth value is no count
    key = plain_session(found.key) if isinstance(found.key, str) else ""
    key = key or (stem if found.made_too is None else named(stem))
    return Head(key, instants.instant_of(found.made or found.made_too, zone), sum(kept[: max(0, count)]))
