"""pi transcripts: one JSON object a line, the first names the session.

Messages of older versions carry no id and get one from their content; newer ones carry their own.
Compaction and branch summaries are role system; the output of a command is role tool. Changes of model
or thinking level are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from commonplace.memory import said
from commonplace.records import Message
from commonplace.surfaces.importers import blocks
from commonplace.surfaces.importers.batches import Found
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
    content: Any = None


class _Body(msgspec.Struct, rename="camel"):
    role: str
    content: Any = None
    timestamp: str | float | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    command: str | None = None
    output: str | None = None
    summary: str | None = None


class Parser(blocks.Parser):
    """Reads the lines of one file."""

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of one line."""
        entry = line.decode(_Entry)
        match entry.type:
            case "session":
                self.session = entry.id or self.stem
                self.report.skip("session")
            case "message":
                if not bytes(entry.message):
                    raise LineError("the message is missing")
                for message in self._spoken(entry, decode(entry.message, _Body)):
                    yield self.session, message
            case "custom_message":
                at = self.at(entry.timestamp)
                for message in self.messages("system", self.parts(entry.content), id=entry.id, at=at):
                    yield self.session, message
            case kind if kind in SUMMARIES:
                at = self.at(entry.timestamp)
                yield self.session, Message("system", entry.summary or "", id=entry.id, at=at)
            case kind if kind in SILENT:
                self.report.skip(kind)
            case kind:
                raise LineError(f"unknown type {truncate(kind, 40)!r}")

    def _spoken(self, entry: _Entry, body: _Body) -> Iterator[Message]:
        at = self.at(entry.timestamp if entry.timestamp is not None else body.timestamp)
        match body.role:
            case "user" | "assistant" as role:
                yield from self.messages(role, self.parts(body.content), id=entry.id, at=at)
            case "toolResult":
                tools = self.tool(body.tool_call_id or "", body.tool_name or "")
                yield Message("tool", said.text_of(body.content), id=entry.id, at=at, tools=tools)
            case "bashExecution":
                text = f"$ {body.command or ''}\n{body.output or ''}"
                yield Message("tool", text, id=entry.id, at=at, tools=("bash",))
            case "custom" | "hookMessage" | "branchSummary" | "compactionSummary":
                if body.summary:
                    yield Message("system", body.summary, id=entry.id, at=at)
                else:
                    yield from self.messages("system", self.parts(body.content), id=entry.id, at=at)
            case role:
                raise LineError(f"unknown role {truncate(role, 40)!r}")
