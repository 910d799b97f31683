"""The walk that turns the content blocks of one line into messages, as every format here has them.

What a block says is read as `append` reads it.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final, get_args

from commonplace.memory import said
from commonplace.memory.said import Call, Part, Result, Words
from commonplace.records import Message, Role
from commonplace.surfaces.importers.batches import Found, Report
from commonplace.surfaces.importers.harness import Voiced, voices
from commonplace.surfaces.importers.lines import Line, shaped
from commonplace.text import instants
from commonplace.text.pieces import truncate

ROLES: Final[frozenset[str]] = frozenset(get_args(Role))
CALLS_REMEMBERED: Final = 1024  # calls whose results may still come; a result follows its call closely


def harness_message(voiced: Voiced, message_id: str | None, at: datetime | None) -> Message:
    """Make the message of a harness text; it may show a file or an output, so it is trusted as a tool's."""
    if voiced.voice == "tool":
        return Message("tool", voiced.text, id=message_id, at=at, tools=("command",))
    return Message("system", voiced.text, id=message_id, at=at, trust="tool")


class Parser(ABC):
    """Turns the lines of one file into messages; knows the session it is in and the calls still open."""

    def __init__(self, stem: str, report: Report) -> None:
        self.stem = self.session = stem
        self.report = report
        self._calls: dict[str, str] = {}  # the tool of each call whose result may still come, the oldest first

    @abstractmethod
    def feed(self, line: Line) -> Iterator[Found]:
        """Yield the messages of one line, each with its session.

        Raises:
            LineError: The line is damaged or unknown; nothing of it was yielded.
        """

    def at(self, value: str | float | None) -> datetime | None:
        """Read an instant, in the zone of the report if it names none; a problem is reported if it cannot be read."""
        at = instants.instant_of(value, self.report.zone)
        if at is None and value is not None and value != "":
            self.report.problem("the time could not be read; the message before it lends its own", kept=True)
        return at

    def tool(self, call_id: str, name: str = "") -> tuple[str, ...]:
        """Return the name of the tool a result came from; empty if nothing says it."""
        known = name or self._calls.get(call_id, "")
        return (known,) if known else ()

    def parts(self, content: object) -> list[Part]:
        """Read the content of a message: a text, a list of blocks, or nothing.

        Raises:
            LineError: The content is of another type.
        """
        value: str | list[Any] | None = shaped(content, str | list[Any] | None)
        found: list[Part] = []
        for block in [value] if isinstance(value, str) else value or ():
            part = said.part(block)
            if isinstance(part, Words) and part.unknown:
                what = truncate(part.unknown, 40)
                self.report.problem(f"a content block that cannot be read, {what!r}, was left out", kept=True)
            elif part is not None:
                found.append(part)
        return found

    def messages(
        self,
        role: Role,
        found: Iterable[Part],
        *,
        id: str | None = None,  # noqa: A002 - as a message has it
        at: datetime | None = None,
        name: str | None = None,
    ) -> Iterator[Message]:
        """Turn the parts of one line into messages, in their order: the first has its id, then `id#1`, `id#2`.

        Words and calls of one stretch are one message; a result is a message of role tool between them.
        Under role user, what the harness put in becomes a message of its own before the person's words.
        """
        ids = (id and (f"{id}#{number}" if number else id) for number in itertools.count())
        words: list[str] = []
        named: dict[str, None] = {}

        def flush() -> Iterator[Message]:
            text = "\n\n".join(word.strip("\n") for word in words if word.strip())
            if text:
                yield Message(role, text, name=name, id=next(ids), at=at, tools=tuple(named))
            words.clear()
            named.clear()

        for part in found:
            match part:
                case Words(text, attached):
                    if attached:
                        yield Message(role, attached, id=next(ids), at=at, trust="tool")
                    for voiced in voices(text) if role == "user" else [Voiced("user", text)]:
                        if voiced.voice == "user":
                            words.append(voiced.text)
                        else:
                            yield harness_message(voiced, next(ids), at)
                case Call(call_id, tool, shown):
                    self._note(call_id, tool)
                    words.append(shown)
                    named[tool] = None
                case Result(call_id, text, tool):
                    yield from flush()
                    if text.strip():
                        yield Message("tool", text, id=next(ids), at=at, tools=self.tool(call_id, tool))
        yield from flush()

    def _note(self, call_id: str, tool: str) -> None:
        if call_id and tool:
            self._calls[call_id] = tool
            if len(self._calls) > CALLS_REMEMBERED:
                del self._calls[next(iter(self._calls))]
