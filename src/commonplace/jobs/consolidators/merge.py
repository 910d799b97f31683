"""Ask a model what a new entry is to one that is there, if the rules of admission are in doubt.

Asked before the change is made, so that no writer waits for a model at the door. Prose is no verdict.

Source: seed facts, "Merge-on-Write".
"""

from __future__ import annotations

import logging
from typing import Final

import msgspec

from commonplace.changes.actors import Actor
from commonplace.changes.door import Door
from commonplace.changes.new_entries import CHOICES
from commonplace.config import Config
from commonplace.errors import ModelError
from commonplace.jobs import showing
from commonplace.jobs.consolidators.summarise import prompt
from commonplace.models.protocol import LLM, Request
from commonplace.models.replies import parse_choice
from commonplace.operations import AddEntry, Proposal
from commonplace.text.likeness import firm_words
from commonplace.text.pieces import fingerprint, one_line

logger = logging.getLogger(__name__)

_TEXT_TOKENS: Final = 800  # of one statement


def propose(operation: AddEntry, actor: Actor, *, door: Door, llm: LLM | None, config: Config) -> Proposal:
    """Propose a new entry with what the model says it is to each entry that the rules doubt.

    Without a model it is proposed as it is.
    """
    if llm is None or not config.merging.ask_model:
        return Proposal(operations=(operation,))
    found: dict[str, str] = {}
    for old, new in door.doubts(operation, actor):
        choice = _ask(old, new, llm, config)
        if choice is not None:
            found[fingerprint(old)] = choice
        if choice == "newer" or (choice == "same" and firm_words(old) == firm_words(new)):
            break  # it settles what becomes of the new entry
    return Proposal(operations=(msgspec.structs.replace(operation, verdicts=found),))


def _shown(text: str) -> str:
    return one_line(showing.shortened(text, _TEXT_TOKENS))


def _ask(old: str, new: str, llm: LLM, config: Config) -> str | None:
    request = Request(
        system=prompt("merge"),
        prompt=f"First: {_shown(old)}\nSecond: {_shown(new)}",
        max_tokens=200,
        timeout_seconds=config.model.timeout_seconds,
        purpose="merge",
        cause="add",
        model=config.consolidation.model or None,
    )
    try:
        return parse_choice(llm.complete(request), CHOICES)
    except ModelError:
        logger.warning("no verdict from the model; both entries stay", exc_info=True)
        return None
