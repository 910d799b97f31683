"""The exchange format: plain JSONL that any program can write, one message a line.

    {"type": "message", "conversation": "…", "session": "…", "id": "…", "role": "user", "speaker": null,
     "text": "…", "time": "2026-11-02T09:00:00Z", "tools": ["…"], "trust": "web"}

`role`, `text` and one of `conversation` and `session` are needed. The session is called
`conversation/session`, or by the one that is present; it is never `session` alone if both differ, so
files with one conversation each do not run into each other. `tools` and `trust` are ours: `trust` can
only lower what the role gives. Lines of type `question` are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

import msgspec

from commonplace.records import ROLE_TRUST, TRUST_RANK, Message, Role, Trust
from commonplace.surfaces.importers import blocks
from commonplace.surfaces.importers.batches import Found
from commonplace.surfaces.importers.blocks import ROLES
from commonplace.surfaces.importers.lines import Line, LineError
from commonplace.text.pieces import truncate

NAME: Final = "exchange"


class _Entry(msgspec.Struct):
    type: str
    conversation: str | None = None
    session: str | None = None
    id: str | int | None = None
    role: str | None = None
    speaker: str | None = None
    text: str | None = None
    time: str | float | None = None
    tools: list[str] = []
    trust: str | None = None


class Parser(blocks.Parser):
    """Reads the lines of one file; every line says all of itself."""

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the message of one line."""
        entry = line.decode(_Entry)
        if entry.type == "question":
            self.report.skip("question")
            return
        if entry.type != "message":
            raise LineError(f"unknown type {truncate(entry.type, 40)!r}")
        if entry.role not in ROLES or entry.text is None:
            raise LineError("a message needs a text and the role user, assistant, system or tool")
        role = cast("Role", entry.role)
        message = Message(
            role,
            entry.text,
            name=entry.speaker or None,
            id=None if entry.id is None else str(entry.id),
            at=self.at(entry.time),
            tools=tuple(entry.tools),
            trust=self._trust(role, entry.trust),
        )
        yield _session(entry) or self.stem, message

    def _trust(self, role: Role, claimed: str | None) -> Trust | None:
        if claimed is None:
            return None
        most = "agent" if role == "tool" else ROLE_TRUST[role]  # of a tool the memory knows whether it is its own
        if TRUST_RANK.get(claimed, 4) > TRUST_RANK[most]:
            self.report.problem(f"a {role} message cannot claim that trust", kept=True)
            return None
        return cast("Trust", claimed)


def _session(entry: _Entry) -> str:
    if not entry.conversation or entry.conversation == entry.session:
        return entry.session or ""
    return f"{entry.conversation}/{entry.session}" if entry.session else entry.conversation
