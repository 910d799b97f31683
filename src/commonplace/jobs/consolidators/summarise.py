"""The consolidator with a model: one structured call a range, a journal entry and operations."""

from __future__ import annotations

from typing import Final

from commonplace.jobs import showing
from commonplace.jobs.consolidators import ruled
from commonplace.jobs.consolidators.work import Work
from commonplace.models.protocol import Request
from commonplace.models.reading import Unusable
from commonplace.models.replies import parse_proposal, proposal_schema
from commonplace.operations import Proposal
from commonplace.text import packaged

_KINDS: Final = ("add", "replace", "remove")


def prompt(name: str) -> str:
    """Read one of our prompts."""
    return packaged.text("commonplace.jobs", f"prompts/{name}.md").strip()


def propose(work: Work) -> Proposal | Unusable:
    """Ask a model once about a range; the rules without one.

    Raises:
        ModelError: It gave no answer in time, or none at all.
    """
    if work.llm is None:
        return ruled.propose(work)
    asked = describe(work)
    reply = work.llm.complete(
        Request(
            system=prompt("summarise"),
            prompt=asked,
            schema=proposal_schema(_KINDS),
            max_tokens=work.max_tokens,
            timeout_seconds=work.seconds,
            purpose="summarise",
            cause=work.cause,
            model=work.model,
        )
    )
    return parse_proposal(reply, view=work.view, prompt=asked, default_path=work.default_path)


def describe(work: Work) -> str:
    """Write down what the model is to see: what is remembered, by number, then the messages, by number."""
    paths = "\n".join(f"- {path}: {', '.join(kinds)}" for path, kinds in _kinds_by_path(work).items())
    limit = work.view.limit
    compress = (
        f"\nMemory is over its size: merge and shorten entries, to at most {limit}.\n" if work.view.compress else ""
    )
    return (
        f"## Where entries go\n{paths}\n\n## Entries\n{showing.entries(work.view)}\n{compress}\n"
        f"## Messages\n{showing.messages(work.view.messages, message_tokens=work.message_tokens)}"
    )


def _kinds_by_path(work: Work) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for kind, path in work.places.items():
        found.setdefault(path, []).append(kind)
    return found
