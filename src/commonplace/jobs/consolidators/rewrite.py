"""The consolidator of the two-layer design: a history entry, and the long-term text as a whole.

The rewrite is carried out as a diff against the text the model saw, under the gate, so that it takes
nothing back that came in meanwhile. Source: seed two-layer, "ConsolidationService".
"""

from __future__ import annotations

from typing import Final

from commonplace.guard import screen
from commonplace.jobs import showing
from commonplace.jobs.consolidators import ruled
from commonplace.jobs.consolidators.summarise import prompt
from commonplace.jobs.consolidators.work import Work
from commonplace.models.protocol import Request
from commonplace.models.reading import Unusable
from commonplace.models.replies import parse_two_layer
from commonplace.operations import Proposal, RewriteDocument
from commonplace.text.patterns import pattern
from commonplace.text.pieces import estimate_tokens

_ENTRY_TOKENS: Final = 1000  # of an answer, for the history entry and what is new in memory
_TEXT: Final = {"type": "string"}
SCHEMA: Final = {
    "type": "object",
    "properties": {"history_entry": _TEXT, "memory_update": _TEXT},
    "required": ["history_entry", "memory_update"],
    "additionalProperties": False,
}
_COMPRESS: Final = (
    "\n\n## Length\nThe long-term memory is over its size. Compress it to at most {limit}: merge entries that say the "
    "same, drop what is past; keep preferences, decisions, orders and open work."
)
_HEADING: Final = (
    r"(?=\\*#{1,6}[ \t]{0,9}(?:Current Long-term Memory|Conversation to Process|Length)[ \t]*$)"  # of the prompt
)
_OURS: Final = pattern(rf"(?m)^{_HEADING}")
_ESCAPED: Final = pattern(rf"(?m)^\\{_HEADING}")


def propose(work: Work) -> Proposal | Unusable:
    """Return a model's history entry and rewritten memory, from one call; the rules without a model.

    Raises:
        ModelError: It gave no answer in time, or none at all.
    """
    if work.llm is None:
        return ruled.propose(work)
    # What a person's own file holds that no prompt may is merged back: there, nothing of it was changed.
    memory = screen(work.documents.get(work.default_path, "")).text
    shown = _OURS.sub(lambda _: "\\", memory.strip())
    asked = (
        f"## Current Long-term Memory\n{shown or '(empty)'}\n\n"
        f"## Conversation to Process\n{showing.dated_lines(work.view.messages, message_tokens=work.message_tokens)}"
        f"{_COMPRESS.format(limit=work.view.limit) if work.view.compress else ''}"
    )
    reply = work.llm.complete(
        Request(
            system=prompt("rewrite"),
            prompt=asked,
            schema=SCHEMA,
            max_tokens=max(work.max_tokens, estimate_tokens(memory) + _ENTRY_TOKENS),
            timeout_seconds=work.seconds,
            purpose="rewrite",
            cause=work.cause,
            model=work.model,
        )
    )
    parsed = parse_two_layer(reply, prompt=asked)
    if isinstance(parsed, Unusable):
        return parsed
    journal, update = parsed
    update = None if update is None else _ESCAPED.sub("", update)
    if update is None or update.strip() == memory.strip():
        return Proposal(journal=journal)
    anew = RewriteDocument(path=work.default_path, text=update, base=memory)
    return Proposal(journal=journal, operations=(anew,))
