"""What every job shares, whichever consolidator it has: work made, rounds of reading, a proposal judged.

A consolidator gets a `Work` and returns a `Proposal`. While it asks to read or to search, and its rounds last, it
gets what was found, under new numbers, and is called again. Then the gate decides, statement by statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import chain, repeat
from typing import Any, Final

import msgspec

from commonplace.changes.admission import Waits
from commonplace.changes.parts import Parts
from commonplace.errors import ModelTimeoutError, UnusableReplyError
from commonplace.guard import gate, resting, screen
from commonplace.guard.screened import instant
from commonplace.guard.trust import borrowable
from commonplace.jobs.consolidators.choice import CONSOLIDATORS
from commonplace.jobs.consolidators.work import Answer, Work
from commonplace.jobs.finding import CUT, Finding
from commonplace.jobs.rules import wishes
from commonplace.jobs.rules.proposing import left_out
from commonplace.jobs.settling import settled
from commonplace.jobs.views import Views
from commonplace.layouts.schema import Job
from commonplace.models.reading import Unusable
from commonplace.models.spending import MeteredLLM
from commonplace.operations import (
    AppendJournal,
    Edit,
    Operation,
    Proposal,
    PutTopic,
    RemoveEntry,
    RemoveTopic,
    RewriteDocument,
    View,
)
from commonplace.records import RecordedMessage, Source, Trust, is_below_agent
from commonplace.text import content, dates
from commonplace.text.pieces import one_line, truncate

ROUND_TOKENS: Final = 3000  # of what a consolidator is given in one round
_ASKED: Final = 12  # things it may ask for in one round
_NOTED: Final = 3  # lines that a note quotes
_NOTED_CHARS: Final = 60  # of each
_REMOVALS: Final = 10  # seed memdir: topics that tidying may take away in one run


class Judged(msgspec.Struct, frozen=True):
    """What a proposal comes to: what is committed, what waits for a person, and the messages it was made from.

    `notes` say what of it came to another place than the model meant; `taken_back` are messages that say what a person
    asked to forget, with their words.
    """

    operations: list[Operation]
    waits: list[Waits]
    read: Sequence[RecordedMessage]
    notes: tuple[str, ...] = ()
    taken_back: tuple[tuple[Source, str], ...] | None = None


class Host:
    """Has the consolidator of one job propose, and the gate decide."""

    def __init__(self, job: Job, parts: Parts, views: Views, llm: MeteredLLM | None) -> None:
        self._job = job
        self._parts = parts
        self._views = views
        self._consolidator = CONSOLIDATORS[job.consolidator or "rules"]
        self.rewrites = self._consolidator.rewrites
        self.llm = llm if self._consolidator.asks else None
        self.by = "rules" if self._consolidator.asks and llm is None else job.consolidator
        self._finding = Finding(job, parts, views)

    def work(
        self,
        said: Sequence[RecordedMessage],
        *,
        session: str,
        cause: str,
        model: str | None,
        by_rules: bool = False,
        earlier: Sequence[RecordedMessage] = (),
        summary: str = "",
    ) -> Work:
        """Make the work on some messages; `by_rules` leaves the model out."""
        window = self._job.range == "window"  # its summary is in no layer
        places = {} if window else self._views.places(self._parts.clock(), self._job.writes)
        places = {kind: place for kind, place in places.items() if kind not in self._job.omits}
        llm = None if by_rules else self.llm
        texts = self._views.documents(places) if self.rewrites and llm is not None else {}
        said, earlier = self._named(said), self._named(earlier)
        view = self._views.view(said, places, texts)
        return Work(
            session=session,
            foreground=not said or self._parts.sessions.state(said[0].session).kind != "background",
            view=msgspec.structs.replace(view, earlier=tuple(earlier)),
            listed=self._finding.listed(view),
            places=places,
            default_path=next((place.path for place in places.values()), ""),
            zone=self._parts.zone,
            seconds=0.0,
            message_tokens=self._parts.config.consolidation.message_tokens,
            max_tokens=self._parts.config.model.max_tokens,
            cause=cause,
            documents=texts,
            llm=llm,
            model=model,
            job=self._job,
            layout=self._parts.layout,
            at=self._parts.clock(),
            config=self._parts.config,
            records=self._views.records,
            only_noted=self._views.only_noted,
            topics=self._views.topics,
            rounds=self._job.rounds,
            summary=summary,
            reads=self._views.newest_logs() if self._job.range == "none" else (),
            people=self._people(view, session),
        )

    def _named(self, said: Sequence[RecordedMessage]) -> Sequence[RecordedMessage]:
        """Return messages of a session, without names if its users have none."""
        if not said or self._parts.sessions.state(said[0].session).names:
            return said
        return [msgspec.structs.replace(m, message=msgspec.structs.replace(m.message, name=None))
                if m.message.role == "user" else m for m in said]  # fmt: skip

    def _people(self, view: View, session: str) -> frozenset[str]:
        """Return what those are called who spoke in a session and in those that some entries rest on."""
        if self._parts.config.guard.owner:
            return frozenset()  # all that is noted is of one person
        found = {session, *(source.session for entry in view.entries for source in entry.sources)}
        return self._parts.reader.people(filter(None, found))

    def judged(self, work: Work, seconds: Callable[[], float]) -> Judged:
        """Return the consolidator's proposal on a work, judged by the gate.

        Args:
            work: As `work` made it.
            seconds: What is left of the deadline, for the next model call.

        Raises:
            ModelError: The model did not do it.
        """
        said = work.view.messages
        proposal, view = self._rounds(work, seconds)
        if self._job.range == "none":  # the change log says what it did, not the model
            proposal = msgspec.structs.replace(proposal, journal="")
        proposal, view = self._settled(proposal, view, work)
        verdicts = {text: screen(text).findings for text in gate.texts(proposal)}
        by_model = self._consolidator.asks and not proposal.ruled
        if work.session:
            known = [each.text for each in view.entries if not is_below_agent(each.trust)]
            new = [text for text in verdicts if "\n" not in text and not any(text in each for each in known)]
            asked = borrowable(new, (*view.earlier, *view.messages))
            view = msgspec.structs.replace(view, elsewhere=self._views.elsewhere(asked, work.session))
        verdicts |= {entry.section: () for entry in view.entries if entry.section not in verdicts}  # memory has them
        passing = partial(left_out, kinds=self._job.omits) if self._job.omits else None
        judged = gate.judge(proposal, view, verdicts, self._parts.config.gate, by_model=by_model, passing=passing)
        edits = (resting.cited(each, said) if isinstance(each, RewriteDocument) else each for each in judged.accepted)
        taken = self._taken(msgspec.structs.replace(judged, accepted=tuple(edits)), said, view)
        taken.operations.extend(proposal.again)
        if by_model and (let_go := list(wishes.let_go(judged.accepted, view))):
            return msgspec.structs.replace(taken, taken_back=tuple(self._let_go(taken.operations, let_go)))
        return msgspec.structs.replace(taken, taken_back=proposal.taken_back)

    def _let_go(self, operations: list[Operation], gone: Iterable[wishes.LetGo]) -> Iterator[tuple[Source, str]]:
        """Make removals on a person's word of what a model left out as asked, and yield the messages that say it."""
        for edit, entry, lost, message in gone:
            asked = Source(message.session, str(message.message.id))
            rests: dict[str, Any] = {"sources": (asked,), "quotes": (message.text,), "trust": "user"}
            if isinstance(edit, RewriteDocument):
                operations.insert(0, RemoveEntry(path=edit.path, target=entry.id, **rests))
            elif not isinstance(edit, PutTopic):
                operations[operations.index(edit)] = msgspec.structs.replace(edit, **rests)
            for sentence in content.sentences(lost):
                version = self._parts.ledger.behind(entry.id, sentence)
                made = version[1] if version else None
                yield from zip(made.sources, chain(made.quotes, repeat(sentence)), strict=False) if made else ()

    def proposed(self, work: Work) -> Proposal:
        """Run the consolidator once.

        Raises:
            ModelError: The model did not do it.
        """
        proposal = self._consolidator.propose(work)
        if isinstance(proposal, Unusable):
            raise UnusableReplyError(proposal.reason)
        return proposal

    def _rounds(self, work: Work, seconds: Callable[[], float]) -> tuple[Proposal, View]:
        """Call the consolidator until it asks for no more, or may not; all of its operations count."""
        journal, ruled = "", True
        operations: list[Edit] = []
        unread: list[tuple[str, str]] = []
        while True:
            work = msgspec.structs.replace(work, seconds=seconds(), proposed=tuple(operations))
            if work.llm is not None and work.seconds <= 0:
                raise ModelTimeoutError("no time was left to ask the model")
            proposal = self.proposed(work)
            journal, ruled = proposal.journal or journal, ruled and proposal.ruled
            operations += [edit for edit in proposal.operations if edit not in operations]
            unread += [each for each in proposal.unread if each not in unread]
            asks = bool(proposal.read or proposal.search)
            if not asks or work.rounds <= 0:
                if asks and not (journal or operations) and work.view.messages:
                    raise UnusableReplyError("it asks for more when no round is left, and proposes nothing")
                made = msgspec.structs.replace(
                    proposal, journal=journal, operations=tuple(operations), unread=tuple(unread), ruled=ruled
                )
                return made, work.view
            work = self._more(work, proposal)

    def _more(self, work: Work, proposal: Proposal) -> Work:
        """Return the work with what a proposal asks to read and to search."""
        view, answers, left = work.view, [*work.answers], ROUND_TOKENS
        asked = [(False, name) for name in proposal.read] + [(True, words) for words in proposal.search]
        for searches, name in asked[:_ASKED]:
            find = self._finding.search if searches else self._finding.read
            view, answer, left = find(view, name, left)
            answers.append(answer)
        if len(asked) > _ASKED:
            answers.append(Answer(f"all beyond the first {_ASKED}", (CUT,)))
        return msgspec.structs.replace(work, view=view, answers=tuple(answers), rounds=work.rounds - 1)

    def _settled(self, proposal: Proposal, view: View, work: Work) -> tuple[Proposal, View]:
        """Fit the operations to their layers; a topic that one of them names is looked at before it is judged."""
        found = settled(proposal, view, self._parts.layout, work.places)
        unseen = [edit.path for edit in found.operations if edit.path in view.unseen]
        for path in dict.fromkeys(unseen):
            view = self._finding.seen(view, path)
        found = settled(proposal, view, self._parts.layout, work.places) if unseen else found
        dated = found.operations if found.ruled else tuple(self._dated(edit, view) for edit in found.operations)
        return msgspec.structs.replace(found, operations=dated), view

    def _dated(self, edit: Edit, view: View) -> Edit:
        """Return what a model changed in a topic with absolute dates, as of the first message that it cites."""
        if not isinstance(edit, PutTopic):
            return edit
        said = {(each.session, each.message.id or each.id): each.message.at for each in view.messages}
        times = (said.get((source.session, source.message)) for source in edit.sources)
        at = next(filter(None, times), None) or self._parts.clock()
        known = {line for entry in view.entries for line in entry.text.split("\n")}
        body, about = (dates.dated(text, at, self._parts.zone, known) for text in (edit.body, edit.description))
        return msgspec.structs.replace(edit, body=body, description=about)

    def _taken(self, judged: gate.Judged, said: Sequence[RecordedMessage], view: View) -> Judged:
        at = (said[-1].message.at if said else None) or self._parts.clock()
        path = self._views.journal_path(at)
        waits = [Waits(_placed(edit, path, said, at), why.partition(": ")[2] or why) for edit, why in judged.held]
        operations: list[Operation] = sorted(judged.accepted, key=lambda edit: isinstance(edit, RemoveTopic))
        going = [edit for edit in operations if isinstance(edit, RemoveTopic) and not edit.into]
        if self._job.range == "none" and (late := going[_REMOVALS:]):
            operations = [edit for edit in operations if edit not in late]
            waits += [Waits(edit, f"more than {_REMOVALS} memories would go in one run") for edit in late]
        if path:
            if judged.journal:
                operations.append(journal_entry(path, judged.journal, said, at, trust=judged.journal_trust))
            operations += [journal_entry(path, edit.text, said, at, trust=edit.trust) for edit in judged.aside]
        return Judged(operations, waits, view.messages, tuple(_notes(judged)))


def _notes(judged: gate.Judged) -> Iterator[str]:
    """Yield what became of statements that neither apply as they were proposed nor wait."""
    if judged.kept:
        first = ", ".join(repr(truncate(one_line(line), _NOTED_CHARS)) for line in judged.kept[:_NOTED])
        yield f"{_counted(len(judged.kept), 'line')} stayed that the reply left out and nobody took back: {first}"
    lower = sum(is_below_agent(edit.trust or "agent") for edit in judged.aside)
    if lower:
        yield f"{_counted(lower, 'statement')} from tools or the web went to the journal, where recall finds them"


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'s' if number != 1 else ''}"


def _placed(edit: Operation, path: str, said: Sequence[RecordedMessage], at: datetime) -> Operation:
    if isinstance(edit, AppendJournal) and not edit.path:
        return msgspec.structs.replace(edit, path=path, at=instant(at), sources=resting.rests(edit.text, said))
    return edit


def journal_entry(
    path: str, text: str, said: Sequence[RecordedMessage], at: datetime, *, trust: Trust | None = None
) -> AppendJournal:
    """Make the journal entry of a range: dated by its last message, resting on its first and last."""
    sources = tuple(dict.fromkeys(Source(m.session, str(m.message.id)) for m in (*said[:1], *said[-1:])))
    return AppendJournal(path=path, text=text, at=instant(at), sources=sources, trust=trust)
