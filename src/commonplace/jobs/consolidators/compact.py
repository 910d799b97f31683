"""Summaries of a window's earlier part: by a model, or without one from its one-line summaries."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from commonplace.errors import ModelError
from commonplace.jobs import ranges
from commonplace.jobs.consolidators.summarise import prompt
from commonplace.models.protocol import LLM, Request, demand
from commonplace.records import RecordedMessage
from commonplace.text.pieces import estimate_tokens, summary_line

logger = logging.getLogger(__name__)


def summarise(
    messages: Sequence[RecordedMessage],
    earlier: str,
    *,
    llm: LLM | None,
    tokens: int,
    message_tokens: int,
    seconds: float,
    cause: str,
) -> str:
    """Summarise messages and the summary of what was before them, in about `tokens`.

    Where there is no model, or it fails, the last one-line summaries that fit stand instead.
    """
    if llm is not None:
        said = ranges.show(messages, message_tokens=message_tokens)
        asked = f"## Before\n{earlier}\n\n## Conversation\n{said}" if earlier else f"## Conversation\n{said}"
        try:
            reply = demand(
                llm.complete(
                    Request(
                        system=prompt("compact"),
                        prompt=asked,
                        max_tokens=tokens,
                        timeout_seconds=seconds,
                        purpose="compact",
                        cause=cause,
                    )
                )
            )
            if reply.text.strip():
                return reply.text.strip()
        except ModelError:
            logger.warning("no summary from the model; the window keeps one-line summaries", exc_info=True)
    return recap(messages, earlier, tokens=tokens)


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
