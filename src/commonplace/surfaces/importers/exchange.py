"""The exchange format: plain JSONL that any program can write, one message a line.

    {"type": "message", "conversation": "…", "session": "…", "id": "…", "role": "user", "speaker": null,
     "text": "…", "time": "2026-11-02T09:00:00Z", "tools": ["…"], "trust": "web"}

`role`, `text` and one of `conversation` and `session` are needed. The session is called
`conversation/session`, or by the one that is present; it is never `session` alone if both differ, so
files with one conversation each do not run into each other. `tools` and `trust` are ours: `trust` can
only lower what the role gives. Lines of type `question` are skipped.
`encode` writes what `Parser` reads back as the same batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, cast, get_args

import msgspec

from commonplace.guard.screened import instant
from commonplace.records import ROLE_TRUST, TRUST_RANK, Message, Role, Trust
from commonplace.surfaces.importers.batches import Batch, Found, Report
from commonplace.surfaces.importers.blocks import instant_of
from commonplace.surfaces.importers.lines import Line, LineError
from commonplace.text.pieces import truncate

NAME: Final = "exchange"
_ROLES: Final[frozenset[str]] = frozenset(get_args(Role))


class _Entry(msgspec.Struct, omit_defaults=True):
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


class Parser:
    """Reads the lines of one file; every line says all of itself."""

    def __init__(self, stem: str, report: Report) -> None:
        self._stem = stem
        self._report = report

    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the message of one line.

        Raises:
            LineError: The line is damaged or unknown.
        """
        entry = line.decode(_Entry)
        if entry.type == "question":
            self._report.skip(line.number, "question")
            return
        if entry.type != "message":
            raise LineError(f"unknown type {truncate(entry.type, 40)!r}")
        if entry.role not in _ROLES or entry.text is None:
            raise LineError("a message needs a text and the role user, assistant, system or tool")
        role = cast("Role", entry.role)
        yield Found(
            _session(entry) or self._stem,
            Message(
                role,
                entry.text,
                name=entry.speaker or None,
                id=None if entry.id is None else str(entry.id),
                at=instant_of(entry.time, line.number, self._report),
                tools=tuple(entry.tools),
                trust=self._trust(role, entry.trust, line.number),
            ),
        )

    def _trust(self, role: Role, claimed: str | None, number: int) -> Trust | None:
        if claimed is None:
            return None
        most = "agent" if role == "tool" else ROLE_TRUST[role]  # of a tool the memory knows whether it is its own
        if TRUST_RANK.get(claimed, 4) > TRUST_RANK[most]:
            self._report.problem(number, f"a {role} message cannot claim that trust", kept=True)
            return None
        return cast("Trust", claimed)


def encode(batches: Iterable[Batch]) -> Iterator[bytes]:
    """Write batches as lines of the exchange format, each with its newline; reading them gives them back."""
    for batch in batches:
        conversation, slash, session = batch.session_id.partition("/")
        if not (slash and conversation and session and conversation != session):
            conversation = session = batch.session_id
        for message in batch.messages:
            entry = _Entry(
                "message",
                conversation,
                session,
                message.id,
                message.role,
                message.name,
                message.content,
                None if message.at is None else instant(message.at),
                list(message.tools),
                message.trust,
            )
            yield msgspec.json.encode(entry) + b"\n"


def _session(entry: _Entry) -> str:
    if not entry.conversation or entry.conversation == entry.session:
        return entry.session or ""
    return f"{entry.conversation}/{entry.session}" if entry.session else entry.conversation
