"""Models: the one-method protocol, adapters for two SDKs and plain functions, replies and spending."""

from commonplace.models.protocol import LLM, Reply, Request, Stop, demand
from commonplace.models.resolving import resolve

__all__ = ["LLM", "Reply", "Request", "Stop", "demand", "resolve"]
