"""Summaries of a window's earlier part: by a model, or without one from its one-line summaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from commonplace.errors import UnusableReplyError
from commonplace.jobs import ranges, showing
from commonplace.jobs.consolidators.summarise import prompt
from commonplace.models.protocol import LLM, Request, demand
from commonplace.models.reading import Unusable, body
from commonplace.records import RecordedMessage
from commonplace.text.pieces import estimate_tokens, summary_line

_WORDS: Final = 40  # of a hundred tokens, in any language


def summarise(
    messages: Sequence[RecordedMessage],
    earlier: str,
    *,
    llm: LLM,
    tokens: int,
    message_tokens: int,
    range_tokens: int,
    seconds: float,
    cause: str,
) -> str:
    """Return a model's summary, in about `tokens`, of messages and of the summary of what was before them.

    What is longer than a prompt may be is summarised part by part, each with the summary of those before it.

    Raises:
        ModelError: It gave no summary.
    """
    parts = ranges.cut(messages, tokens=ranges.PARTS * range_tokens, message_tokens=message_tokens)
    for part in parts:
        earlier = _summary(
            part, earlier, llm=llm, tokens=tokens, message_tokens=message_tokens, seconds=seconds, cause=cause
        )
    return earlier


def _summary(
    messages: Sequence[RecordedMessage],
    earlier: str,
    *,
    llm: LLM,
    tokens: int,
    message_tokens: int,
    seconds: float,
    cause: str,
) -> str:
    said = showing.messages(messages, message_tokens=message_tokens, exposed=True)
    before = f"## Before\n{showing.indented(earlier)}\n\n" if earlier else ""
    asked = f"{before}## Length\nat most {tokens * _WORDS // 100} words\n\n## Conversation\n{said}"
    request = Request(
        system=prompt("compact"),
        prompt=asked,
        max_tokens=tokens,
        timeout_seconds=seconds,
        purpose="compact",
        cause=cause,
    )
    text = body(demand(llm.complete(request)))
    if isinstance(text, Unusable):
        raise UnusableReplyError(f"no summary: {text.reason}")
    return text


def recap(messages: Sequence[RecordedMessage], earlier: str, *, tokens: int) -> str:
    """Write the last one-line summaries that fit, oldest first, after what was before."""
    lines = [*earlier.splitlines(), *(summary_line(m.message) for m in messages if m.message.role != "tool")]
    kept: list[str] = []
    for line in reversed(lines):
        cost = estimate_tokens(line) + 1
        if cost > tokens:
            break
        tokens -= cost
        kept.append(line)
    return "\n".join(reversed(kept))
