"""Memory for AI agents that people can read, check and take back."""

from commonplace.memory import Memory
from commonplace.records import Message, Query

__all__ = ["Memory", "Message", "Query"]
