"""Choose among memories with a model: it gets one line of each and answers with numbers, or with names of files.

Owns the question and the reading of its answer. Never asked unless a caller asks for it: a tool's
search in a layout that says so, `recall(rerank=True)`, or `surface`.

Source: seed facts, ranking of episodes; seed memdir, the selector.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from commonplace import guard
from commonplace.errors import ModelError
from commonplace.models.protocol import LLM, Request
from commonplace.models.replies import SELECTED, parse_names, parse_ranking
from commonplace.records import Hit
from commonplace.text import packaged
from commonplace.text.pieces import estimate_tokens, one_line, truncate

logger = logging.getLogger(__name__)

CANDIDATES: Final = 20  # so many hits are put before a model that orders them, at most
_LINE_CHARS: Final = 300
_HIT_CHARS: Final = 600  # a passage and its slack: what is cut off cannot be judged
_MAX_TOKENS: Final = 400
_FILES_TOKENS: Final = 256  # seed memdir
_INPUT_TOKENS: Final = 2000  # of a call that chooses files
_QUESTION_TOKENS, _TOOLS_TOKENS = 400, 100
_QUESTION_CHARS: Final = 2000
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {SELECTED: {"type": "array", "items": {"type": "string"}}},
    "required": [SELECTED],
    "additionalProperties": False,
}


def select(
    question: str,
    lines: Sequence[str],
    *,
    llm: LLM,
    seconds: float,
    model: str | None = None,
    chars: int = _LINE_CHARS,
    purpose: str = "select",
    cause: str = "search",
) -> tuple[int, ...] | None:
    """Return which of some memories help with a question, by a model.

    Args:
        question: In plain words.
        lines: What each memory says; the model sees them numbered from 0.
        llm: The model.
        seconds: What the call may take.
        model: The model to ask, in place of the one that was opened.
        chars: How much of each memory is shown.
        purpose: What the call is for, in the ledger.
        cause: What set it off.

    Returns:
        Their places, best first; () if the model says that none helps, None if its answer is of no use.
    """
    if not lines:
        return ()
    listed = "\n".join(f"{place}. {truncate(one_line(line), chars, '…')}" for place, line in enumerate(lines))
    request = Request(
        system=packaged.text(__package__, "prompts/select.md").strip(),
        prompt=f"## Question\n{guard.shown(one_line(question))}\n\n## Memories\n{listed}",
        max_tokens=_MAX_TOKENS,
        timeout_seconds=seconds,
        purpose=purpose,
        cause=cause,
        model=model,
    )
    try:
        return parse_ranking(llm.complete(request), len(lines))
    except ModelError:
        logger.warning("no choice from the model; the order is ours", exc_info=True)
        return None


def rerank(question: str, hits: Sequence[Hit], *, llm: LLM | None, seconds: float, explain: bool = False) -> list[Hit]:
    """Return the best hits in a model's order; those it leaves out follow in our order, so none is lost.

    If there is no model, or its answer is late or of no use, or it finds that none helps, the order is ours.

    Args:
        question: In plain words.
        hits: In our order; the first `CANDIDATES` are sent to the model.
        llm: The model, metered.
        seconds: What the call may take.
        explain: Add to each hit who ordered it.

    Returns:
        The same hits with new scores in descending order, so that the best still has the highest.
    """
    head = list(hits[:CANDIDATES])
    chosen = None
    if llm is None:
        logger.warning("there is no model to order the hits; the order is ours")
    elif len(head) > 1:
        lines = [": ".join(filter(None, (hit.name, hit.text))) for hit in head]
        chosen = select(question, lines, llm=llm, seconds=seconds, chars=_HIT_CHARS, purpose="rerank", cause="recall")
    order = dict.fromkeys([*(chosen or ()), *range(len(head))])
    scores = sorted((hit.score for hit in head), reverse=True)
    by = "the model" if chosen else "us: no model" if llm is None else "us: the model chose none"
    return [
        msgspec.structs.replace(head[at], score=score, why={**head[at].why, "ordered by": by} if explain else {})
        for at, score in zip(order, scores, strict=True)
    ] + list(hits[CANDIDATES:])


def files(
    question: str, lines: Mapping[str, str], tools: Sequence[str], *, llm: LLM, seconds: float, model: str | None
) -> list[str]:
    """Return which files an agent should see, by a model.

    Args:
        question: In plain words.
        lines: What is said of each file, by its name.
        tools: Those that the agent used lately.
        llm: The model.
        seconds: What the call may take.
        model: The model to ask, in place of the one that was opened.

    Returns:
        The names it chose that are among those given; none if it gave no answer of use in time.
    """
    system = packaged.text(__package__, "prompts/surface.md").strip()
    used = f"\n\n## Recently used tools\n{_cut(', '.join(map(one_line, tools)), _TOOLS_TOKENS)}" if tools else ""
    asked = f"## Question\n{_cut(guard.shown(one_line(question)), _QUESTION_TOKENS)}\n\n## Memories\n"
    each = (_INPUT_TOKENS - estimate_tokens(f"{system}{asked}{used}")) // max(1, len(lines)) - 1
    listed = "\n".join(_cut(f"- {line}", each) for line in lines.values())
    request = Request(
        system=system,
        prompt=f"{asked}{listed}{used}",
        schema=SCHEMA,
        max_tokens=_FILES_TOKENS,
        timeout_seconds=seconds,
        purpose="surface",
        cause="surface",
        model=model,
    )
    try:
        return parse_names(llm.complete(request), lines, prompt=request.prompt)
    except ModelError:
        logger.warning("the model chose no files", exc_info=True)
        return []


def _cut(text: str, tokens: int) -> str:
    """Return as much of a text as has so many tokens."""
    while (count := estimate_tokens(text)) > tokens:
        text = truncate(text, len(text) * tokens // count, "…")
    return text
