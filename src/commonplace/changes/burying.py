"""Forget messages, whole sessions and whole files in a plan: what it hides, removes, and keeps from coming back."""

from __future__ import annotations

from commonplace.changes import tombstones
from commonplace.changes.log import ForgetMove
from commonplace.changes.parts import Parts
from commonplace.changes.plan import Plan
from commonplace.errors import RecordNotFoundError
from commonplace.operations import Edit, RemoveEntry, RemoveItem, RemoveTopic
from commonplace.records import Item, Record, RecordedMessage, Source, Topic


def message(plan: Plan, said: RecordedMessage, parts: Parts, *, aged: bool) -> None:
    """Hide one message; what is only `aged` may be said again."""
    name = str(said.message.id)
    plan.bury("" if aged else said.text, parts.store.key(), [Source(said.session, name)], hides=True)
    plan.forget_messages(ForgetMove(said.session, name, aged=aged))
    plan.kinds["forget"] = None
    plan.removed.append(said.id)


def session(plan: Plan, path: str, parts: Parts, *, aged: bool) -> None:
    """Hide all messages of a session that are there now; what is only `aged` may be said again.

    Raises:
        RecordNotFoundError: There is no such session.
    """
    name = parts.sessions.id_of(path)
    if name is None:
        raise RecordNotFoundError(f"there is no session in {path!r}", record=path)
    said = list(parts.sessions.kept(name))
    if not said:
        return
    sources = [Source(name, str(each.message.id)) for each in said]
    plan.bury("", parts.store.key(), sources, hides=True, said=() if aged else (each.text for each in said))
    before, after = parts.sessions.forgotten(name), parts.sessions.state(name).messages
    plan.forget_messages(ForgetMove(name, "", before, after, aged=aged))
    plan.kinds["forget"] = None
    plan.removed.extend(each.id for each in said)


def file(plan: Plan, path: str, parts: Parts) -> None:
    """Remove a file with all its records."""
    for record in parts.reader.records(path):
        plan.removed.append(record.id)
        for text in tombstones.texts(record):
            plan.bury(text, parts.store.key())
    plan.restore(path, None)
    plan.kinds["forget"] = None


def removal(record: Record) -> Edit:
    """Return the operation that takes a record away."""
    match record:
        case Topic():
            return RemoveTopic(path=record.path)
        case Item():
            return RemoveItem(path=record.path, id=record.id.split("#", 1)[1])
        case _:
            return RemoveEntry(path=record.path, target=record.id)
