"""Have a model choose among memories: it gets one line of each and answers with numbers.

Owns the question and the reading of its answer. What to do without an answer is the caller's.

Source: seed facts, ranking of episodes.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from commonplace import packaged
from commonplace.errors import ModelError
from commonplace.llm.protocol import LLM, Request
from commonplace.llm.replies import parse_ranking
from commonplace.text import one_line, truncate

logger = logging.getLogger(__name__)

_LINE_CHARS: Final = 300
_MAX_TOKENS: Final = 400


def select(
    question: str, lines: Sequence[str], *, llm: LLM, seconds: float, model: str | None = None
) -> tuple[int, ...] | None:
    """Ask which of some memories help with a question.

    Args:
        question: In plain words.
        lines: What each memory says; the model sees them numbered from 0.
        llm: The model.
        seconds: What the call may take.
        model: The model to ask, in place of the one that was opened.

    Returns:
        Their places, best first; () where the model says that none helps, None where it gave no answer of use.
    """
    if not lines:
        return ()
    listed = "\n".join(f"{place}. {truncate(one_line(line), _LINE_CHARS, '…')}" for place, line in enumerate(lines))
    request = Request(
        system=packaged.text(__package__, "prompts/select.md").strip(),
        prompt=f"## Question\n{one_line(question)}\n\n## Memories\n{listed}",
        max_tokens=_MAX_TOKENS,
        timeout_seconds=seconds,
        purpose="select",
        cause="search",
        model=model,
    )
    try:
        return parse_ranking(llm.complete(request), len(lines))
    except ModelError:
        logger.warning("no choice from the model; the order is ours", exc_info=True)
        return None
