"""What the gate finds wrong with a statement, given what was said and what memory has."""

from datetime import UTC, datetime, timedelta

from commonplace.guard.grounding import Evidence
from commonplace.records import Message, RecordedMessage

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday


def fault(said, statement, known=()):
    """Return the kind of fault, empty if there is none; `said` is one message of the user, or (role, text) pairs."""
    talk = [("user", said)] if isinstance(said, str) else said
    messages = [
        RecordedMessage(f"p#{n}", "p", "s", n, Message(role, text, id=f"m{n}", at=AT + timedelta(minutes=n)), 0)
        for n, (role, text) in enumerate(talk)
    ]
    return Evidence(messages, known).fault(statement).partition(":")[0]
