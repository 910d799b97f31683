"""Episodes: what a finished session leaves behind, one to three durable facts in a file of its own.

Written by a model under the gate, or by the rules; a session of few turns leaves none. Written again for
the same session it takes the place of the old text. Each line is judged alone: one that nobody said waits, one
that rests on a tool's or page's text is kept in a file of its own, marked with its trust.

Source: seed facts, "Tier 3"; seed model, conclusion 8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from commonplace.changes.admission import Waits
from commonplace.changes.reader import Reader
from commonplace.config import Config
from commonplace.errors import ModelTimeoutError, UnusableReplyError
from commonplace.guard import fold, screen
from commonplace.guard.grounding import Evidence
from commonplace.guard.screened import instant
from commonplace.guard.trust import Voices
from commonplace.jobs import ranges, showing
from commonplace.jobs.consolidators.summarise import prompt
from commonplace.jobs.consolidators.work import Work
from commonplace.jobs.rules.proposing import beginning
from commonplace.layouts.schema import Layout
from commonplace.models.protocol import LLM, Request
from commonplace.models.reading import Unusable, body, says_none
from commonplace.operations import AddEntry, Operation, Proposal, PutItem, PutTopic
from commonplace.records import TRUST_RANK, RecordedMessage, Source, Topic, Trust, lowest_trust
from commonplace.text.patterns import pattern
from commonplace.text.pieces import encode_name, one_line, truncate

FACTS: Final = 3  # seed facts: 1 to 3 durable facts
FACT_CHARS: Final = 320  # three of them stay within the 1,024 bytes of the original in most languages
_CITED: Final = 20  # messages an episode names as its sources, at most
_BULLET: Final = pattern(r"\A\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_BELOW: Final = "+unverified"  # behind the name of a session: what of it ranks below the agent
_TITLE_CHARS: Final = 80


class Episodes:
    """Writes the episodes of one scope.

    Args:
        by_rules: Proposes without a model.
    """

    def __init__(self, layout: Layout, config: Config, reader: Reader, by_rules: Callable[[Work], Proposal]) -> None:
        self._layer = next(layer for layer in layout.layers if layer.kind == "topics" and "{session}" in layer.path)
        self._layout = layout
        self._config = config
        self._reader = reader
        self._by_rules = by_rules

    def propose(self, work: Work) -> tuple[list[Operation], list[Waits], str]:
        """Give what an ended session comes to: its episode, what waits for a person, and why there is none.

        `work.view.messages` is the whole session, however far it was read before.

        Raises:
            ModelError: The model did not write it.
        """
        said = [m for m in work.view.messages if m.text.strip()]
        count = sum(m.message.role == "user" for m in said)
        knobs = self._config.consolidation
        if not (self._config.enabled and knobs.episodes):
            return [], [], "episodes are switched off"
        if count < knobs.episode_turns:
            return [], [], f"{count} turns: no episode"
        facts, waits = self._facts(work)
        if not facts:
            return [], waits, "nothing that lasts"
        voices = Voices(work.view.messages)
        levels = {fact: voices.trust(fact) for fact in facts}
        above = [fact for fact in facts if TRUST_RANK[levels[fact]] >= TRUST_RANK["agent"]]
        below = [fact for fact in facts if fact not in above]
        made: list[Operation] = []
        if above:
            made.append(self._episode(work.session, said, above, turns=count, trust="agent"))
        if below:
            lowest = lowest_trust(levels[fact] for fact in below)
            made.append(self._episode(work.session, said, below, turns=count, trust=lowest, suffix=_BELOW))
        return made, waits, ""

    def path(self, session: str, suffix: str = "") -> str:
        """Name the file of a session's episode; no id leads out of its folder."""
        return self._layout.path_of(self._layer, session=f"{encode_name(session)}{suffix}")

    def _episode(
        self,
        session: str,
        said: Sequence[RecordedMessage],
        facts: Sequence[str],
        *,
        turns: int,
        trust: Trust,
        suffix: str = "",
    ) -> PutTopic:
        path = self.path(session, suffix)
        at = said[-1].message.at
        front = {"session_id": session, "turns": str(turns), "created_at": instant(at) if at else ""}
        old = next((r for r in self._reader.records(path) if isinstance(r, Topic)), None)
        if old is not None and old.extra.get("created_at"):
            front["created_at"] = str(old.extra["created_at"])
        users = [m for m in said if m.message.role == "user"][-_CITED:]
        return PutTopic(
            path=path,
            title=f"Session {truncate(session, _TITLE_CHARS, '…')}",
            body="\n".join(f"- {fact}" for fact in facts),
            kind="episode",
            front=front,
            sources=tuple(Source(m.session, str(m.message.id)) for m in users),
            trust=trust,
        )

    def _facts(self, work: Work) -> tuple[list[str], list[Waits]]:
        if work.llm is None or not self._config.consolidation.episodes_by_model:
            return self._ruled(work), []
        if work.seconds <= 0:
            raise ModelTimeoutError("no time was left to ask the model")
        facts = self._asked(work, work.llm)
        if not facts:
            return [], []
        evidence = Evidence(work.view.messages)
        judged = [(fact, _refused(fact, evidence)) for fact in facts]
        kept = [fact for fact, reason in judged if not reason]
        path = self.path(work.session)
        waits = [
            Waits(PutTopic(path=path, body=f"- {fact}", title="Held from an episode"), reason)
            for fact, reason in judged
            if reason
        ]
        return kept or self._ruled(work), waits

    def _asked(self, work: Work, llm: LLM) -> list[str]:
        """Ask the model for the facts of a session; of a long one part by part, each with the facts so far."""
        facts: list[str] = []
        tokens = ranges.PARTS * self._config.consolidation.range_tokens
        for part in ranges.cut(work.view.messages, tokens=tokens, message_tokens=work.message_tokens):
            so_far = "".join(f"- {fact}\n" for fact in facts)
            said = showing.messages(part, message_tokens=work.message_tokens, exposed=True)
            request = Request(
                system=prompt("episode"),
                prompt=f"## Facts so far\n{so_far}\n## Session\n{said}" if so_far else f"## Session\n{said}",
                max_tokens=work.max_tokens,
                timeout_seconds=work.seconds,
                purpose="episode",
                cause=work.cause,
                model=work.model,
            )
            text = body(llm.complete(request))
            if isinstance(text, Unusable):
                raise UnusableReplyError(text.reason)
            facts = _lines(text) or facts
        return facts

    def _ruled(self, work: Work) -> list[str]:
        """Take the facts that the rules find, the first ones; where they find none, what the session was about."""
        proposal = self._by_rules(work)
        found = [
            edit.text if isinstance(edit, AddEntry) else str(edit.data.get("content", ""))
            for edit in proposal.operations
            if isinstance(edit, (AddEntry, PutItem))
        ]
        facts = [truncate(one_line(text), FACT_CHARS, "…") for text in found if text.strip()]
        return list(dict.fromkeys(facts))[:FACTS] or _lines(beginning(work.view.messages))


def _lines(text: str) -> list[str]:
    """Read the facts of an answer: its bullets if it has some, else its lines; none if it says that there are none."""
    if says_none(text):
        return []
    said = [line for line in text.splitlines() if line.strip() and not line.startswith(("#", "```", "|", "---"))]
    bullets = [line for line in said if _BULLET.match(line)]
    chosen = bullets or [line for line in said if not line.rstrip().endswith((":", "："))]
    facts = [one_line(_BULLET.sub("", line)) for line in chosen]
    return list(dict.fromkeys(truncate(fact, FACT_CHARS, "…") for fact in facts if fact and not says_none(fact)))[
        :FACTS
    ]


def _refused(fact: str, evidence: Evidence) -> str:
    """Say why a fact may not stand; empty if it may."""
    findings = screen(fact).findings
    said = [finding for finding in findings if not evidence.person_said(fold(fact[slice(*finding.span)]))]
    return f"{said[0].kind}: the guard found {said[0].rule}" if said else evidence.summary_fault(fact)
