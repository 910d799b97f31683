"""What a verb of the agent's tool works on, what it is given, and how a model learns what came of a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from commonplace.changes.actors import Actor
from commonplace.changes.new_entries import CONFLICT
from commonplace.guard.trust import asks_to_forget
from commonplace.layouts.schema import Layer
from commonplace.memory.scope import Scope
from commonplace.records import Outcome

if TYPE_CHECKING:
    from commonplace.memory.memory import Memory

WAITS: Final = "waits for a person: {reason}; it is not in memory until they approve it"
"""What is said of a write that went to review."""


class Use(msgspec.Struct, frozen=True):
    """What a verb works on: the memory, its scopes (writes go to the first), and who speaks through the tool.

    `targets` says which layer or kind of statement each word for a target means.
    """

    memory: Memory
    scopes: tuple[Scope, ...]
    actor: Actor
    targets: Mapping[str, str]

    @property
    def scope(self) -> Scope:
        """The scope that takes writes."""
        return self.scopes[0]

    def layer(self, asked: Mapping[str, str]) -> Layer | None:
        """Return the layer that a target means; None if it means a kind of statement, or nothing was said."""
        word = asked.get("target", "")
        name = self.targets.get(word, word)
        return next((each for each in self.scope.layout.layers if each.name == name), None)


Asked = Mapping[str, str]
Answer = dict[str, Any]


class Verb(msgspec.Struct, frozen=True):
    """One thing the tool can do: what it needs and may take, whether it writes, and the function."""

    run: Callable[[Use, Asked], Answer]
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    writes: bool = False


def changed(use: Use, operations: Sequence[Any], done: str, reason: str = "asked for by the agent") -> Answer:
    """Do some operations and answer what came of it."""
    return answer(use.memory.apply(operations, reason=reason, actor=use.actor), done)


def wished(use: Use, *texts: str) -> Use:
    """Return who takes texts away: without what waits for a person if that person just asked for it in the session."""
    session, sessions = use.actor.session, use.scope.parts.sessions
    heard = list(sessions.heard(session)) if session and sessions.exists(session) else []
    asked = bool(texts) and all(asks_to_forget(text, heard) for text in texts)
    return msgspec.structs.replace(use, actor=msgspec.structs.replace(use.actor, defers=False)) if asked else use


def answer(outcome: Outcome, done: str) -> Answer:
    """Return the outcome of a change as an answer to a model."""
    match outcome.status:
        case "applied" | "planned":
            hint = "; remove the one that no longer holds" if CONFLICT in outcome.reason else ""
            answer = f"{done}: {outcome.reason}{hint}" if outcome.reason else done
            return {"success": True, "message": answer, "records": list(outcome.records)}
        case "duplicate" | "unchanged":
            return {"success": True, "message": "memory already says so", "records": list(outcome.records)}
        case "pending":
            return {"success": True, "message": WAITS.format(reason=outcome.reason)}
        case _:
            return {"success": False, "error": outcome.reason or outcome.status}
