"""Memory for AI agents that people can read, check and take back.

    from commonplace import Memory, Message

    with Memory.open("my-memory") as memory:
        memory.append("telegram:42", [Message("user", "I moved to Oslo.")])
        memory.recall("where do I live?")

The values that methods take and give are in `commonplace.records`, the errors in `commonplace.errors`,
what can be committed in `commonplace.operations`.
"""

from commonplace.config import Config
from commonplace.layouts.schema import Layout
from commonplace.memory.aio import AsyncMemory
from commonplace.memory.memory import Memory
from commonplace.memory.worker import Worker
from commonplace.models import Reply, Request
from commonplace.records import Message, Query
from commonplace.surfaces import adopt, importers, snapshots

__all__ = [
    "AsyncMemory",
    "Config",
    "Layout",
    "Memory",
    "Message",
    "Query",
    "Reply",
    "Request",
    "Worker",
    "adopt",
    "importers",
    "snapshots",
]
