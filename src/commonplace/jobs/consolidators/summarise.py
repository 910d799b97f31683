"""The consolidator with a model: one structured call a range, a journal entry and operations."""

from __future__ import annotations

from typing import Final

from commonplace.jobs import showing
from commonplace.jobs.consolidators import ruled
from commonplace.jobs.consolidators.work import Work
from commonplace.models.protocol import LLM, Request
from commonplace.models.reading import Unusable
from commonplace.models.replies import parse_proposal, proposal_schema
from commonplace.operations import Proposal
from commonplace.text import packaged

_KINDS: Final = ("add", "replace", "remove")
_MANY_FILES: Final = (
    "\nA path with {topic} names many files, one for each subject. To add to one that is listed, give its path; "
    "for a new subject give a new path of that form, named after the subject."
)


def prompt(name: str) -> str:
    """Read one of our prompts by its name; instructions of several lines, or none, are returned as they are."""
    return name if "\n" in name or not name else packaged.text("commonplace.jobs", f"prompts/{name}.md").strip()


def propose(work: Work) -> Proposal | Unusable:
    """Return a model's proposal on a range, from one call; the rules without a model.

    Raises:
        ModelError: It gave no answer in time, or none at all.
    """
    if work.llm is None:
        return ruled.propose(work)
    system = "\n\n".join(filter(None, (prompt("summarise"), prompt(work.job.prompt))))
    return ask(work, work.llm, system=system, purpose="summarise", journal=True)


def ask(
    work: Work, llm: LLM, *, system: str, purpose: str, journal: bool = False, markdown: bool = False
) -> Proposal | Unusable:
    """Return a model's proposal on a work, by some instructions.

    With `journal` it must contain a journal entry, with `markdown` each message has a heading.

    Raises:
        ModelError: It gave no answer in time, or none at all.
    """
    asked = describe(work, markdown=markdown)
    typed = any(place.topic_kind for place in work.places.values())
    topics = ("put_topic",) if any(place.form == "topic" for place in work.places.values()) else ()
    reply = llm.complete(
        Request(
            system=system,
            prompt=asked,
            schema=proposal_schema((*_KINDS, *topics), rounds=work.job.rounds > 0, typed=typed),
            max_tokens=work.max_tokens,
            timeout_seconds=work.seconds,
            purpose=purpose,
            cause=work.cause,
            model=work.model,
        )
    )
    return parse_proposal(
        reply, view=work.view, prompt=asked, default_path=work.default_path,
        journal_required=journal,
    )  # fmt: skip


def describe(work: Work, *, markdown: bool = False) -> str:
    """Write down what the model is to see: what is remembered, by number, then the messages, by number."""
    paths = "\n".join(f"- {path}: {', '.join(kinds)}" for path, kinds in _kinds_by_path(work).items())
    topics = _MANY_FILES if "{topic}" in paths else ""
    limit = work.view.limit
    compress = (
        f"\nMemory is over its size: merge and shorten entries, to at most {limit}.\n" if work.view.compress else ""
    )
    said = work.listed.messages
    if markdown:
        shown = showing.markdown(said, message_tokens=work.message_tokens, foreground=work.foreground)
    else:
        shown = showing.messages(said, message_tokens=work.message_tokens)
    messages = f"\n## Messages\n{shown}" if said else ""
    return (
        f"## Where entries go\n{paths}{topics}\n\n## Entries\n{showing.entries(work.listed)}\n{compress}"
        f"{messages}{_rounds(work)}"
    )


def _rounds(work: Work) -> str:
    """Write down what the model asked for and was given, what it proposed, and how often it may still ask."""
    if not work.job.rounds:
        return ""
    first = "".join(f"\n- {path}" for path in work.reads)
    answers = "".join(f"\n{answer.asked}:\n" + "\n".join(answer.lines) for answer in work.answers)
    done = "\n".join(f"- {showing.operation(edit)}" for edit in work.proposed)
    left = f"You may ask {work.rounds} more times." if work.rounds else "You may ask no more: this is the last answer."
    return (
        (f"\n\n## Logs, the newest first{first}" if first else "")
        + (f"\n\n## What you asked for{answers}" if answers else "")
        + (f"\n\n## What you proposed already\n{done}" if done else "")
        + f"\n\n## Rounds\n{left}"
    )


def _kinds_by_path(work: Work) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for kind, place in work.places.items():
        name = place.topic_kind or kind
        if name not in found.setdefault(place.path, []):
            found[place.path].append(name)
    return found
