"""Memory for AI agents that people can read, check and take back.

    from commonplace import Memory, Message

    with Memory.open("my-memory") as memory:
        memory.append("telegram:42", [Message("user", "I moved to Oslo.")])
        memory.recall("where do I live?")

The values that methods take and give are in `commonplace.records`, the errors in `commonplace.errors`,
what can be committed in `commonplace.operations`. A public name is loaded when it is first asked for, so
that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # what `typing` calls so; loading that takes longer than all the rest here
if TYPE_CHECKING:
    from commonplace.config import Config
    from commonplace.memory.aio import AsyncMemory
    from commonplace.memory.memory import Memory
    from commonplace.records import Message, Query

__all__ = ["AsyncMemory", "Config", "Memory", "Message", "Query"]

_HOMES = {
    "AsyncMemory": "memory.aio",
    "Config": "config",
    "Memory": "memory.memory",
    "Message": "records",
    "Query": "records",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'commonplace' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"commonplace.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return __all__
