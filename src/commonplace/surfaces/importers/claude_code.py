"""Claude Code transcripts: one JSON object a line, or one document with `loglines`.

User and assistant lines become messages, named by their `uuid`; tool results become role tool under the
tool's name; meta lines, compaction summaries, titles and reminders are role system. What a sub-agent did
(`isSidechain`) goes to a session of its own, `<session>/<agent>`: its prompts are the agent's words, not
the user's. Lines without words (snapshots, queue and mode changes) are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import msgspec

from commonplace.records import Message, Role
from commonplace.surfaces.importers.batches import Found, Report
from commonplace.surfaces.importers.blocks import Calls, Envelope, harness_message, instant_of, messages, parts
from commonplace.surfaces.importers.harness import voices
from commonplace.surfaces.importers.lines import Line, LineError, decode, reason_of
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
    content: msgspec.Raw = msgspec.Raw()
    message: msgspec.Raw = msgspec.Raw()
    loglines: list[msgspec.Raw] | None = None


class _Body(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw()
    model: str | None = None


class Parser:
    """Reads the lines of one file; knows the session it is in and the calls still open."""

    def __init__(self, stem: str, report: Report) -> None:
        self._session = stem
        self._report = report
        self._calls = Calls()

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of one line.

        Raises:
            LineError: The line is damaged or unknown; nothing of it was yielded.
        """
        entry = line.decode(_Entry)
        if entry.loglines is None:
            yield from self._entry(entry, line.number)
            return
        for number, raw in enumerate(entry.loglines, 1):
            try:
                yield from self._entry(decode(raw, _Entry), line.number)
            except (LineError, RecursionError) as error:
                self._report.problem(line.number, f"entry {number} of loglines: {reason_of(error)}")

    def _entry(self, entry: _Entry, number: int) -> Iterator[Found]:
        if entry.session_id:
            self._session = entry.session_id
        match entry.type:
            case "user" | "assistant":
                yield from self._spoken(entry, number)
            case "summary" | "system":
                yield from self._system(entry, number)
            case kind if kind in SILENT:
                self._report.skip(number, kind)
            case kind:
                raise LineError(f"unknown type {truncate(kind, 40)!r}" if kind else "this is no line of a transcript")

    def _spoken(self, entry: _Entry, number: int) -> Iterator[Found]:
        body = decode(entry.message, _Body) if bytes(entry.message) else _Body()
        if not bytes(body.content):
            raise LineError("the message has no content")
        found = parts(body.content, lambda reason: self._report.problem(number, reason, kept=True))
        envelope = Envelope(entry.uuid, self._at(entry, number))
        session = f"{self._session}/{entry.agent_id or 'sidechain'}" if entry.is_sidechain else self._session
        for message in messages(_role(entry, body), found, envelope, self._calls):
            yield Found(session, message)

    def _system(self, entry: _Entry, number: int) -> Iterator[Found]:
        text = entry.summary
        if text is None and bytes(entry.content):
            text = decode(entry.content, str | None)
        if not text:
            self._report.skip(number, entry.type)
            return
        at = self._at(entry, number)
        if entry.type == "summary":
            yield Found(self._session, Message("system", text, id=entry.uuid, at=at))
            return
        for index, voiced in enumerate(voices(text)):
            name = f"{entry.uuid}#{index}" if entry.uuid and index else entry.uuid
            if voiced.voice == "user":
                yield Found(self._session, Message("system", voiced.text, id=name, at=at))
            else:
                yield Found(self._session, harness_message(voiced, name, at))

    def _at(self, entry: _Entry, number: int) -> datetime | None:
        return instant_of(entry.timestamp, number, self._report)


def _role(entry: _Entry, body: _Body) -> Role:
    """Return whose words a line holds: only an ordinary line of the main conversation is the user's."""
    if entry.type == "assistant":
        synthetic = entry.is_api_error_message or body.model == "<synthetic>"
        return "system" if synthetic else "assistant"
    injected = entry.is_meta or entry.is_compact_summary or entry.is_visible_in_transcript_only or entry.is_sidechain
    return "system" if injected else "user"
