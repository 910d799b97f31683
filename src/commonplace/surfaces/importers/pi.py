"""pi transcripts: one JSON object a line, the first names the session.

Messages of older versions carry no id and get one from their content; newer ones carry their own.
Compaction and branch summaries are role system; the output of a command is role tool. Changes of model
or thinking level are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import msgspec

from commonplace.records import Message
from commonplace.surfaces.importers.batches import Found, Report
from commonplace.surfaces.importers.blocks import Calls, Envelope, Part, instant_of, messages, parts, result_text
from commonplace.surfaces.importers.lines import Line, LineError, decode
from commonplace.text.pieces import truncate

NAME: Final = "pi"
SILENT: Final = frozenset(["model_change", "thinking_level_change", "label", "session_info", "custom", "mode_change"])
SUMMARIES: Final = frozenset(["compaction", "branch_summary"])


class _Entry(msgspec.Struct):
    type: str
    id: str | None = None
    timestamp: str | float | None = None
    summary: str | None = None
    message: msgspec.Raw = msgspec.Raw()
    content: msgspec.Raw = msgspec.Raw()


class _Body(msgspec.Struct, rename="camel"):
    role: str
    content: msgspec.Raw = msgspec.Raw()
    timestamp: str | float | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    command: str | None = None
    output: str | None = None
    summary: str | None = None


class Parser:
    """Reads the lines of one file; knows the session it is in and the calls still open."""

    def __init__(self, stem: str, report: Report) -> None:
        self._stem = stem
        self._session = stem
        self._report = report
        self._calls = Calls()

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of one line.

        Raises:
            LineError: The line is damaged or unknown; nothing of it was yielded.
        """
        entry = line.decode(_Entry)
        match entry.type:
            case "session":
                self._session = entry.id or self._stem
                self._report.skip(line.number, "session")
            case "message":
                yield from self._message(entry, line.number)
            case "custom_message":
                envelope = Envelope(entry.id, instant_of(entry.timestamp, line.number, self._report))
                for message in messages("system", self._parts(entry.content, line.number), envelope, self._calls):
                    yield Found(self._session, message)
            case kind if kind in SUMMARIES:
                at = instant_of(entry.timestamp, line.number, self._report)
                yield Found(self._session, Message("system", entry.summary or "", id=entry.id, at=at))
            case kind if kind in SILENT:
                self._report.skip(line.number, kind)
            case kind:
                raise LineError(f"unknown type {truncate(kind, 40)!r}")

    def _message(self, entry: _Entry, number: int) -> Iterator[Found]:
        if not bytes(entry.message):
            raise LineError("the message is missing")
        body = decode(entry.message, _Body)
        for message in self._spoken(entry, body, number):
            yield Found(self._session, message)

    def _spoken(self, entry: _Entry, body: _Body, number: int) -> Iterator[Message]:
        match body.role:
            case "user" | "assistant" as role:
                found = self._parts(body.content, number)
                yield from messages(role, found, Envelope(entry.id, self._at(entry, body, number)), self._calls)
            case "toolResult":
                tools = self._calls.tool(body.tool_call_id or "", body.tool_name or "")
                text = result_text(body.content)
                at = self._at(entry, body, number)
                yield Message("tool", text, id=entry.id, at=at, tools=tools)
            case "bashExecution":
                text = f"$ {body.command or ''}\n{body.output or ''}"
                yield Message("tool", text, id=entry.id, at=self._at(entry, body, number), tools=("bash",))
            case "custom" | "hookMessage" | "branchSummary" | "compactionSummary":
                found = self._parts(body.content, number)
                at = self._at(entry, body, number)
                if body.summary:
                    yield Message("system", body.summary, id=entry.id, at=at)
                else:
                    yield from messages("system", found, Envelope(entry.id, at), self._calls)
            case role:
                raise LineError(f"unknown role {truncate(role, 40)!r}")

    def _parts(self, content: msgspec.Raw, number: int) -> list[Part]:
        return parts(content, lambda reason: self._report.problem(number, reason, kept=True))

    def _at(self, entry: _Entry, body: _Body, number: int) -> datetime | None:
        stamp = entry.timestamp if entry.timestamp is not None else body.timestamp
        return instant_of(stamp, number, self._report)
