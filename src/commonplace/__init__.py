"""Memory for AI agents that people can read, check and take back."""

from commonplace.records import Message, Query

__all__ = ["Message", "Query"]
