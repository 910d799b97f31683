"""What a model is here: one method that turns a request into a reply.

Owns the three types that every adapter, wrapper and test double speaks. It knows no provider.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from commonplace.errors import ModelRefusedError, ModelTruncatedError

Stop = Literal["end", "length", "refusal"]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One question to a model.

    `schema` is a JSON schema the answer should follow; servers may ignore it, so every reply is
    parsed as untrusted text. `timeout_seconds` bounds the whole call, retries included. For the ledger,
    `purpose` says what the call is for and `cause` what set it off (a trigger, a job). `model`
    overrides the model that was opened.
    """

    system: str = ""
    prompt: str
    schema: dict[str, Any] | None = None
    max_tokens: int = 2000
    timeout_seconds: float = 60.0
    purpose: str = ""
    cause: str = ""
    model: str | None = None


class Reply(msgspec.Struct, frozen=True):
    """What a model answered and what it took.

    `tokens_in` counts all input, `tokens_cached` the part of it that came from the provider's cache.
    `stop` is `length` where the text was cut at `max_tokens`: such a text is never repaired.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    model: str = ""
    stop: Stop = "end"


@runtime_checkable
class LLM(Protocol):
    """Anything that answers a request within the request's time."""

    def complete(self, request: Request) -> Reply:
        """Answer, or raise a `ModelError`; a cut answer comes back with `stop="length"`."""
        ...


def demand(reply: Reply) -> Reply:
    """Return the reply if it ended on its own.

    Raises:
        ModelRefusedError: The model declined.
        ModelTruncatedError: The answer was cut at its token limit.
    """
    if reply.stop == "refusal":
        raise ModelRefusedError("the model declined to answer; the range is kept as it is", reply=reply)
    if reply.stop == "length":
        raise ModelTruncatedError("the answer was cut at its token limit; raise max_tokens", reply=reply)
    return reply
