"""Transcripts written for these tests, in the real formats, with nobody's words."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from commonplace.records import Message
from commonplace.surfaces import importers
from commonplace.surfaces.importers import Batch, Problem


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def spoken(kind: str, content: object, uuid: str | None = None, second: int = 0, **more: object) -> dict[str, object]:
    entry: dict[str, object] = {
        "type": kind,
        "timestamp": f"2026-10-01T08:00:{second:02d}.000Z",
        "sessionId": "s-1",
        "message": {"role": kind, "content": content},
        **more,
    }
    return entry | ({"uuid": uuid} if uuid else {})


CLAUDE = (
    spoken("user", "please look at the failing build", "u1", 1),
    spoken(
        "assistant",
        [
            {"type": "thinking", "thinking": "hidden reasoning"},
            {"type": "text", "text": "I will run it."},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make all", "timeout": 5}},
        ],
        "a1",
        2,
    ),
    spoken(
        "user",
        [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "ld: missing -lz"}]}],
        "u2",
        3,
    ),
    spoken("assistant", [{"type": "text", "text": "The linker misses zlib."}], "a2", 4),
)

PI = (
    {"type": "session", "id": "pi-1", "timestamp": "2026-10-02T08:00:00.000Z", "cwd": "/home/user"},
    {
        "type": "message",
        "timestamp": "2026-10-02T08:00:01.000Z",
        "message": {"role": "user", "content": [{"type": "text", "text": "list the folder"}]},
    },
    {
        "type": "message",
        "timestamp": "2026-10-02T08:00:02.000Z",
        "message": {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hidden"},
                {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}},
            ],
        },
    },
    {
        "type": "message",
        "timestamp": "2026-10-02T08:00:03.000Z",
        "message": {
            "role": "toolResult",
            "toolCallId": "c1",
            "toolName": "bash",
            "content": [{"type": "text", "text": "a.txt"}],
        },
    },
    {"type": "thinking_level_change", "timestamp": "2026-10-02T08:00:04.000Z", "thinkingLevel": "low"},
    {"type": "compaction", "timestamp": "2026-10-02T08:00:05.000Z", "summary": "they listed a folder"},
    {
        "type": "message",
        "timestamp": "2026-10-02T08:00:06.000Z",
        "message": {"role": "bashExecution", "command": "pwd", "output": "/home/user", "exitCode": 0},
    },
)

OPENAI = (
    {"role": "system", "content": "You are brief."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "weather in Turin?"}, {"type": "image_url", "image_url": {}}],
    },
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "k1", "type": "function", "function": {"name": "web_search", "arguments": '{"q": "Turin weather"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "k1", "content": "12 degrees, rain"},
    {"role": "assistant", "content": "Rain at 12 degrees."},
)

RESPONSES = (
    {"role": "user", "content": [{"type": "input_text", "text": "open the ticket"}]},
    {"type": "function_call", "call_id": "f1", "name": "ticket", "arguments": '{"title": "leak"}'},
    {"type": "function_call_output", "call_id": "f1", "output": "ticket 12"},
    {"type": "reasoning", "summary": []},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Opened as 12."}]},
)

ANTHROPIC = {
    "system": "Answer in Italian.",
    "messages": [
        {"role": "user", "content": "ciao"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "guardo"},
                {"type": "tool_use", "id": "x1", "name": "read_file", "input": {"path": "a.md"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "x1", "content": "# Title"},
                {"type": "text", "text": "grazie"},
            ],
        },
    ],
}

EXCHANGE = (
    {"type": "message", "conversation": "c", "session": "one", "id": "m1", "role": "user", "speaker": "Ines",
     "text": "I take the early train", "time": "2026-10-03T06:00:00+00:00"},
    {"type": "message", "conversation": "c", "session": "one", "id": "m2", "role": "assistant", "speaker": None,
     "text": "Noted.", "time": "2026-10-03T06:01:00+00:00"},
    {"type": "question", "conversation": "c", "id": "q1", "text": "Which train?", "evidence": ["m1"], "answer": None},
)  # fmt: skip


class Import:
    """What one read gave."""

    def __init__(self, path: Path, **options: object) -> None:
        self.problems: list[Problem] = []
        self.skipped: list[Problem] = []
        self.batches: list[Batch] = list(
            importers.read(
                path,
                on_problem=self.problems.append,
                on_skipped=self.skipped.append,
                **options,
            )
        )

    @property
    def messages(self) -> list[Message]:
        return [message for batch in self.batches for message in batch.messages]

    @property
    def spoken(self) -> list[tuple[str, str]]:
        return [(message.role, message.content) for message in self.messages]

    @property
    def sessions(self) -> list[str]:
        return list(dict.fromkeys(batch.session_id for batch in self.batches))

    @property
    def ids(self) -> list[tuple[str, str | None]]:
        return [(batch.session_id, message.id) for batch in self.batches for message in batch.messages]


def written(folder: Path, data: bytes, name: str = "chat.jsonl") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path
