"""The consolidator in rounds: it reads and searches before it proposes, by instructions that its job names.

The host puts what it asks for before it and calls it again, as often as the job allows. Its prompt is
`prompts/<Job.prompt>.md`, `rounds` if the job names none, or the text that a layout gives in its place; the purpose of
its calls is the name of the job. Without a model the rules do what they can.
"""

from __future__ import annotations

from typing import Final

from commonplace.jobs.consolidators import ruled
from commonplace.jobs.consolidators.summarise import ask, prompt
from commonplace.jobs.consolidators.work import Work
from commonplace.models.reading import Unusable
from commonplace.operations import Proposal

PROMPTS: Final = frozenset({"dream", "memos", "nodes", "rounds"})
"""The instructions that a job can name: files in `prompts`. A text of several lines is instructions itself."""


def propose(work: Work) -> Proposal | Unusable:
    """Return the next round of a model; the rules without one.

    Raises:
        ModelError: It gave no answer in time, or none at all.
    """
    if work.llm is None:
        return ruled.propose(work)
    return ask(work, work.llm, system=prompt(work.job.prompt or "rounds"), purpose=work.job.name, markdown=True)
