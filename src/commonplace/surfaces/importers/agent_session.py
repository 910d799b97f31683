"""Session files of the structured design: one JSON object with the messages, as its program writes it.

    {"id": "telegram:1", "channelType": "telegram", "chatId": "1", "messages": [{"role": "user", "content": "…",
     "toolCalls": null, "toolName": null, "timestamp": "2026-02-07T14:15:00.123456789Z", …}],
     "metadata": {}, "state": "ACTIVE", "createdAt": "…", "updatedAt": "…"}

`encode` writes what `Parser` reads. Source: seed structured, "AgentSession Model".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import msgspec

from commonplace.guard.screened import instant
from commonplace.memory.said import made_call
from commonplace.recall.prompt.packing import SUMMARY_HEAD
from commonplace.records import Message, RecordedMessage, Role, Session
from commonplace.surfaces.importers import blocks
from commonplace.surfaces.importers.batches import Found, Head, Report, plain_session
from commonplace.surfaces.importers.blocks import ROLES
from commonplace.surfaces.importers.lines import Line, LineError
from commonplace.text.pieces import truncate

NAME: Final = "agent-session"


class _Call(msgspec.Struct):
    name: str = ""
    arguments: Any = {}


class _Message(msgspec.Struct, rename="camel"):
    role: str | None = None
    content: str | None = None
    id: str | None = None
    tool_calls: list[_Call] | None = None
    tool_name: str | None = None
    timestamp: str | float | None = None


class _Session(msgspec.Struct, rename="camel"):
    id: str | None = None
    channel_type: str | None = None
    chat_id: str | None = None
    messages: list[msgspec.Raw] | None = None
    metadata: Any = None
    state: Any = None
    created_at: str | float | None = None
    updated_at: str | float | None = None


class Parser(blocks.Parser):
    """Reads one file, which is one session."""

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of a session; of one that is damaged the others."""
        session = line.decode(_Session)
        if session.messages is None:
            raise LineError("a session needs messages")
        key = _key(session) or self.stem
        self.report.head(self.head(session, key))
        for index, raw in enumerate(session.messages, 1):
            try:
                said = msgspec.json.decode(raw, type=_Message)
            except (msgspec.DecodeError, RecursionError):
                self.report.problem(f"message {index} is damaged")
                continue
            calls = [made_call(None, each.name, each.arguments) for each in said.tool_calls or ()]
            content = said.content or "\n\n".join(call.text for call in calls)
            if said.role not in ROLES or not content.strip():
                role = truncate(str(said.role), 40)
                self.report.problem(f"message {index} needs content and a role it may have, not {role!r}")
                continue
            named = [said.tool_name or ""] if said.role == "tool" else [each.tool for each in calls]
            at, tools = self.at(said.timestamp), tuple(filter(None, named))
            yield key, Message(cast("Role", said.role), content, id=said.id, at=at, tools=tools)

    def head(self, session: _Session, key: str) -> Head:
        """Return what the file says of its session."""
        return Head(
            plain_session(key),
            self.at(session.created_at),
            ended=session.state == "TERMINATED",
            paused=session.state == "PAUSED",
            metadata=session.metadata if isinstance(session.metadata, dict) else {},
        )


def head(data: bytes) -> Head | None:
    """Read what a file says of its session; None if it is none. Its program has noted all of its messages."""
    try:
        found = msgspec.json.decode(data, type=_Session)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    if found.messages is None or not (found.chat_id and found.channel_type):
        return None
    parser = Parser("", Report("", lambda _: None))
    said = sum(1 for _ in parser.feed(Line(1, data)))
    return msgspec.structs.replace(parser.head(found, _key(found)), done=said)


def _key(session: _Session) -> str:
    both = f"{session.channel_type}:{session.chat_id}" if session.channel_type and session.chat_id else ""
    return session.id or both


def encode(state: Session, messages: Sequence[RecordedMessage], *, summary: str = "") -> bytes:
    """Write a session as one JSON object.

    Args:
        state: What is known of the session.
        messages: Its live window, or all of it.
        summary: Of what left the window; a system message at the beginning.
    """
    channel, _, chat = state.id.partition(":")
    said = [_Message("system", f"{SUMMARY_HEAD}\n{summary}", timestamp=instant(state.created_at))] if summary else []
    return msgspec.json.encode(
        _Session(
            id=state.id,
            channel_type=channel,
            chat_id=chat,
            messages=[msgspec.Raw(msgspec.json.encode(each)) for each in (*said, *map(_written, messages))],
            metadata=state.metadata,
            state="TERMINATED" if state.ended else "PAUSED" if state.paused else "ACTIVE",
            created_at=instant(state.created_at),
            updated_at=instant(state.last_at or state.created_at),
        )
    )


def _written(recorded: RecordedMessage) -> _Message:
    said = recorded.message
    calls = [_Call(tool) for tool in said.tools] if said.role == "assistant" else []
    name = said.tools[0] if said.role == "tool" and said.tools else None
    at = instant(said.at) if said.at else None
    return _Message(said.role, recorded.text, str(said.id), calls or None, name, at)
