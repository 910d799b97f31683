"""The one place where tests reach into a memory."""

from __future__ import annotations

from commonplace import Memory
from commonplace.memory.scope import Scope


def scopes_of(memory: Memory) -> tuple[Scope, ...]:
    """Return the parts of the scopes of a memory."""
    return memory._scopes


def scope_of(memory: Memory) -> Scope:
    """Return the parts of the scope that takes writes."""
    return scopes_of(memory)[0]
