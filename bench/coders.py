"""What the rules take of what people say to coding agents, to be judged by eye.

    python bench/coders.py FOLDER pi_large-session    FOLDER holds recall/*.jsonl.gz and transcripts/*
    python bench/coders.py FOLDER beam100k_dev

Each statement is printed in a line, with the words it was taken from below it; the last line has how many there are.
Of a set of conversations those are read in which a person shows code in a fifth of their messages or more.

Source: issue 17.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC
from pathlib import Path
from typing import Final

from price import Session, coding, talks

from commonplace import Message
from commonplace.jobs.rules import proposing
from commonplace.operations import AddEntry, ReplaceEntry
from commonplace.records import RecordedMessage

RANGE: Final = 20  # messages
CODING: Final = 0.2
KINDS: Final = ("preference", "fact", "decision", "constraint", "instruction", "environment", "command", "task")


def main() -> None:
    folder, name = Path(sys.argv[1]), sys.argv[2]
    said = taken = 0
    for session, messages in _wanted(folder, name):
        said += sum(message.role == "user" for message in messages)
        for statement, quote in _taken(session, messages):
            taken += 1
            print(f"{taken:4} {statement}\n       {quote}")
    print(f"{taken} statements from {said} messages of people")


def _wanted(folder: Path, name: str) -> Iterator[Session]:
    """Yield the sessions of a file; of conversations those of which code is the subject."""
    yield from (each for each in coding(folder) if each[0].startswith(name))
    groups: dict[str, list[Session]] = {}
    for session, messages in talks(folder):
        if session.startswith(name):
            groups.setdefault(session.rpartition(":")[0], []).append((session, messages))
    for sessions in groups.values():
        spoken = [each.content for _, messages in sessions for each in messages if each.role == "user"]
        if sum("```" in each for each in spoken) >= CODING * len(spoken):
            yield from sessions


def _taken(session: str, messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """Yield what the rules note of a session, and the words each statement was taken from."""
    places = dict.fromkeys(KINDS, proposing.Place(path="M"))
    known: list[proposing.Known] = []
    recorded = [RecordedMessage(f"m{n}", session, session, n, each, n) for n, each in enumerate(messages)]
    for start in range(0, len(recorded), RANGE):
        part = recorded[start : start + RANGE]
        made = proposing.propose(part, session=session, zone=UTC, targets=places, existing=known)
        for operation in made.operations:
            if isinstance(operation, AddEntry | ReplaceEntry):
                known.append(proposing.Known(f"k{len(known)}", "M", operation.text))
                yield operation.text, " / ".join(operation.quotes)


if __name__ == "__main__":
    main()
