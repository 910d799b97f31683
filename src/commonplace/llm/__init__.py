"""Models: the one-method protocol, adapters for two SDKs and plain functions, replies and spending."""

from commonplace.llm.protocol import LLM, Reply, Request, Stop, demand
from commonplace.llm.resolving import resolve

__all__ = ["LLM", "Reply", "Request", "Stop", "demand", "resolve"]
