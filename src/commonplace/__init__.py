"""Memory for AI agents that people can read, check and take back.

    from commonplace import Memory, Message

    with Memory.open("my-memory") as memory:
        memory.append("telegram:42", [Message("user", "I moved to Oslo.")])
        memory.recall("where do I live?")

The values that methods take and give are in `commonplace.records`, the errors in `commonplace.errors`,
what can be committed in `commonplace.operations`.
"""

from commonplace.aio import AsyncMemory
from commonplace.config import Config
from commonplace.memory import Memory
from commonplace.records import Message, Query

__all__ = ["AsyncMemory", "Config", "Memory", "Message", "Query"]
