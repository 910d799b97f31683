"""The consolidator of a window: a summary of its earlier part, by a model, or without one of one-line summaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from commonplace.jobs import ranges, showing
from commonplace.jobs.consolidators.summarise import prompt
from commonplace.jobs.consolidators.work import Work
from commonplace.models.prose import prose
from commonplace.models.protocol import LLM, Request, demand
from commonplace.models.reading import Unusable
from commonplace.operations import Proposal
from commonplace.records import RecordedMessage
from commonplace.text.pieces import estimate_tokens, summary_lines

_WORDS: Final = 40  # of a hundred tokens, in any language


def propose(work: Work) -> Proposal | Unusable:
    """Propose a summary of the messages that leave a window, and of the summary of what was before them.

    What is longer than a prompt may be is summarised part by part, each with the summary of those before it.

    Raises:
        ModelError: The model gave no summary.
    """
    knobs = work.config.consolidation
    if work.llm is None:
        return Proposal(summary=_recap(work.view.messages, work.summary, tokens=knobs.summary_tokens))
    said = [m for m in work.view.messages if knobs.summary_tools or m.message.role != "tool"]
    tokens = ranges.PARTS * knobs.range_tokens
    summary = work.summary
    for part in ranges.cut(said, tokens=tokens, message_tokens=knobs.summary_message_tokens, exposed=True):
        answer = _summary(part, summary, work, work.llm)
        if isinstance(answer, Unusable):
            return Unusable(f"no summary: {answer.reason}")
        summary = answer
    return Proposal(summary=summary)


def _summary(messages: Sequence[RecordedMessage], earlier: str, work: Work, llm: LLM) -> str | Unusable:
    knobs = work.config.consolidation
    said = showing.messages(messages, message_tokens=knobs.summary_message_tokens, exposed=True)
    before = f"## Before\n{showing.indented(earlier)}\n\n" if earlier else ""
    length = f"## Length\nat most {knobs.summary_tokens * _WORDS // 100} words\n\n"
    request = Request(
        system=prompt("compact"),
        prompt=f"{before}{length}## Conversation\n{said}",
        max_tokens=knobs.summary_tokens,
        timeout_seconds=knobs.summary_seconds,
        purpose="compact",
        cause=work.cause,
    )
    return prose(demand(llm.complete(request)), [earlier, *(m.text for m in messages)])


def _recap(messages: Sequence[RecordedMessage], earlier: str, *, tokens: int) -> str:
    """Write the last one-line summaries that fit, oldest first, after what was before."""
    said = [(m.message, "") for m in messages if m.message.role != "tool"]
    lines = [*earlier.splitlines(), *summary_lines(said, dated=True)]
    kept: list[str] = []
    for line in reversed(lines):
        cost = estimate_tokens(line) + 1
        if cost > tokens:
            break
        tokens -= cost
        kept.append(line)
    return "\n".join(reversed(kept))
