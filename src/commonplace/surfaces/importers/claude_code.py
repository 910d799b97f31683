"""Claude Code transcripts: one JSON object a line, or one document with `loglines`.

User and assistant lines become messages, named by their `uuid`; tool results become role tool under the
tool's name; meta lines, compaction summaries, titles and reminders are role system. What a sub-agent did
(`isSidechain`) goes to a session of its own, `<session>/<agent>`: its prompts are the agent's words, not
the user's. Lines without words (snapshots, queue and mode changes) are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from commonplace.memory.said import Words
from commonplace.records import Role
from commonplace.surfaces.importers import blocks
from commonplace.surfaces.importers.batches import Found
from commonplace.surfaces.importers.lines import Line, LineError, decode, reason_of, shaped
from commonplace.text.pieces import truncate

NAME: Final = "claude-code"
SILENT: Final = frozenset([
    "file-history-snapshot", "queue-operation", "progress", "attachment", "last-prompt", "custom-title", "ai-title",
    "agent-name", "agent-color", "agent-setting", "permission-mode", "mode", "tag", "pr-link", "worktree-state",
    "content-replacement", "marble-origami-commit", "speculation-accept", "x-error",
])  # fmt: skip


class _Entry(msgspec.Struct, rename="camel"):
    type: str = ""
    uuid: str | None = None
    timestamp: str | float | None = None
    session_id: str | None = None
    agent_id: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    summary: str | None = None
    content: Any = None
    message: msgspec.Raw = msgspec.Raw()
    loglines: list[msgspec.Raw] | None = None


class _Body(msgspec.Struct):
    content: Any = None
    model: str | None = None


class Parser(blocks.Parser):
    """Reads the lines of one file."""

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of one line."""
        entry = line.decode(_Entry)
        if entry.loglines is None:
            yield from self._entry(entry)
            return
        for number, raw in enumerate(entry.loglines, 1):
            try:
                yield from self._entry(decode(raw, _Entry))
            except (LineError, RecursionError) as error:
                self.report.problem(f"entry {number} of loglines: {reason_of(error)}")

    def _entry(self, entry: _Entry) -> Iterator[Found]:
        self.session = entry.session_id or self.session
        match entry.type:
            case "user" | "assistant":
                yield from self._spoken(entry)
            case "summary" | "system":
                yield from self._system(entry)
            case kind if kind in SILENT:
                self.report.skip(kind)
            case kind:
                raise LineError(f"unknown type {truncate(kind, 40)!r}" if kind else "this is no line of a transcript")

    def _spoken(self, entry: _Entry) -> Iterator[Found]:
        body = decode(entry.message, _Body) if bytes(entry.message) else _Body()
        if body.content is None:
            raise LineError("the message has no content")
        found, at = self.parts(body.content), self.at(entry.timestamp)
        session = f"{self.session}/{entry.agent_id or 'sidechain'}" if entry.is_sidechain else self.session
        for message in self.messages(_role(entry, body), found, id=entry.uuid, at=at):
            yield session, message

    def _system(self, entry: _Entry) -> Iterator[Found]:
        text = entry.summary
        if text is None:
            text = shaped(entry.content, str | None)
        if not text:
            self.report.skip(entry.type)
            return
        # As if the user had said it, so that what the harness put in is set apart.
        spoken: Role = "system" if entry.type == "summary" else "user"
        for message in self.messages(spoken, [Words(text)], id=entry.uuid, at=self.at(entry.timestamp)):
            own = message.role == "user"
            yield self.session, msgspec.structs.replace(message, role="system") if own else message


def _role(entry: _Entry, body: _Body) -> Role:
    """Return whose words a line holds: only an ordinary line of the main conversation is the user's."""
    if entry.type == "assistant":
        synthetic = entry.is_api_error_message or body.model == "<synthetic>"
        return "system" if synthetic else "assistant"
    injected = entry.is_meta or entry.is_compact_summary or entry.is_visible_in_transcript_only or entry.is_sidechain
    return "system" if injected else "user"
