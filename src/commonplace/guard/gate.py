"""May this proposal apply? A pure function of the proposal, what was seen, the guard's findings and the rules.

A model proposes; this decides, statement by statement: one bad statement never costs the good ones beside it. What
may apply gets its computed trust, what may not waits for a person with the reason, what rests on text below the
agent's trust is put aside for recall. Nothing is written, called or dropped here.

Source: safety notes 2.4.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Final

import msgspec

from commonplace.config import GateRules
from commonplace.guard import proposed, rewriting, targets, written
from commonplace.guard.grounding import Evidence
from commonplace.guard.origins import only_tells
from commonplace.guard.phrases import phrase
from commonplace.guard.proposed import claims_of, headings, is_too_long, links, statements_of, texts, texts_of
from commonplace.guard.rewriting import Ruling
from commonplace.guard.screened import Finding
from commonplace.guard.trust import Voices, message_trust
from commonplace.operations import (
    AddEntry,
    AppendJournal,
    Edit,
    Proposal,
    PutItem,
    PutTopic,
    RemoveEntry,
    RemoveItem,
    RemoveTopic,
    ReplaceEntry,
    RewriteDocument,
    View,
    ViewEntry,
)
from commonplace.records import TRUST_RANK, RecordedMessage, Trust, is_below_agent, lowest_trust
from commonplace.text import content, days, denials
from commonplace.text.content import Vocabulary
from commonplace.text.numerals import numerals
from commonplace.text.standing import is_standing, orders

__all__ = ["GateRules", "Judged", "Verdicts", "judge", "texts"]

Verdicts = Mapping[str, Sequence[Finding]]
"""What the guard found in each text of `texts(proposal)`; a text that is missing counts as not screened."""

Passing = Callable[[str, Sequence[str]], bool]
"""True if a statement, with the quotes that it rests on, is not for topics."""

_OWN_WORDS: Final = ("other-subject:", "unfounded:")  # of a title or description: what a topic is about


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What may be committed, and what waits for a person, each with its reason.

    `accepted` carry their computed trust and entry ids as targets. A reason starts with the name of its rule and a
    colon. `journal` is what may be written of the journal entry, with `journal_trust`; a sentence of it that waits is
    in `held` as an AppendJournal without a path. `aside` are statements below the agent's trust that may not be shown
    always, and those that topics do not keep: recall finds them, as AppendJournal without a path. `kept` are lines
    that stay though a rewriting has left them out.
    """

    accepted: tuple[Edit, ...] = ()
    held: tuple[tuple[Edit, str], ...] = ()
    aside: tuple[AppendJournal, ...] = ()
    kept: tuple[str, ...] = ()
    journal: str = ""
    journal_trust: Trust = "agent"


def judge(
    proposal: Proposal,
    view: View,
    verdicts: Verdicts,
    rules: GateRules | None = None,
    *,
    by_model: bool = True,
    passing: Passing | None = None,
) -> Judged:
    """Decide what of a proposal may apply.

    Args:
        proposal: As a consolidator made it; targets may be ids, view numbers or unique substrings.
        view: The messages and entries it was made from, and the limits.
        verdicts: The guard's findings by text, for every text of `texts(proposal)`.
        rules: The limits; the defaults when None.
        by_model: Whether it needs ground; what the rules took from a person's own words needs none.
        passing: True for a statement with its quotes that topics do not keep; it is put aside.
    """
    court = _Court(proposal, view, verdicts, rules or GateRules(), by_model=by_model, passing=passing)
    for number, edit in enumerate(proposal.operations):
        court.decide(number, edit)
    court.hold_orphans()
    journal, trust = court.journal(proposal.journal) if proposal.journal else ("", "agent")
    return Judged(
        accepted=tuple(edit for _, edit in court.accepted),
        held=tuple(court.held),
        aside=tuple(court.aside),
        kept=tuple(court.kept),
        journal=journal,
        journal_trust=trust,
    )


class _Court:
    """One proposal with everything it is judged by, each part worked out once."""

    def __init__(
        self,
        proposal: Proposal,
        view: View,
        verdicts: Verdicts,
        rules: GateRules,
        *,
        by_model: bool,
        passing: Passing | None,
    ) -> None:
        self.by_model = by_model
        self.passing = passing
        self.proposal = proposal
        self.view = view
        self.verdicts = verdicts
        self.rules = rules
        self.last = max((m.message.at for m in view.messages if m.message.at is not None), default=None)
        known = [(entry.text, entry.trust) for entry in view.entries]
        self.voices = Voices((*view.earlier, *view.messages), known, view.elsewhere)
        self.messages = {(m.session, m.message.id or m.id): m for m in view.messages}
        self.accepted: list[tuple[int, Edit]] = []
        self.held: list[tuple[Edit, str]] = [
            (AppendJournal(path="", text=text), f"unreadable: this part of the reply cannot be read: {reason}")
            for text, reason in proposal.unread
            if text
        ]
        self.aside: list[AppendJournal] = []
        self.kept: list[str] = []
        self.kept_by: dict[int, list[int]] = {}  # a removal, and the operations that keep its words
        self._changed: set[str] = set()
        self.named = {entry.id for edit in proposal.operations for entry in targets.entries(edit, self.view) or ()}

    @functools.cached_property
    def evidence(self) -> Evidence:
        """All that was said and is known; what the rules took from a person's words needs no ground."""
        return self._resting_on(self.view.messages)

    @functools.cached_property
    def ground(self) -> Evidence:
        """What statements may rest on, without what a person said not to remember; it may still take back."""
        kept = [m for m in self.view.messages if m.message.role != "user" or not phrase("unkept").search(m.text)]
        return self.evidence if len(kept) == len(self.view.messages) else self._resting_on(kept)

    def _resting_on(self, messages: Sequence[RecordedMessage]) -> Evidence:
        others = (*headings(self.proposal), *links(self.proposal, self.view))
        known = [f"{entry.section}: {line}" for entry in self.view.entries for line in entry.text.splitlines()]
        return Evidence(messages, [*known, *others])

    def fault(self, statement: str, *, journal: bool = False, summary: bool = False, old: str = "") -> str:
        """Return why a statement has no ground; for one in the place of an `old` one its value is enough."""
        if not self.by_model:
            return ""
        if journal or summary:
            return self.ground.summary_fault(statement, brief=journal)
        if old and not written.holds(statement, old) and self.evidence.stays(old, statement):
            return "stays: a person said that it stays as it is"
        reason = self.ground.fault(statement)
        if old and reason.startswith("unfounded:") and (value := written.new_value(old, statement)):
            return "" if value <= self.ground.in_messages(value) else reason
        return reason

    # --- one operation ---

    def decide(self, number: int, edit: Edit) -> None:
        """Accept one operation, hold it with a reason, or let it wait."""
        edit = targets.cited_right(edit, self.messages) if self.by_model else edit
        touched = targets.entries(edit, self.view)
        edit = targets.as_replacement(edit, touched or ())
        reason = self._unusable(edit, touched)
        if reason or touched is None:
            self.held.append((edit, reason))
            return
        self._changed |= {entry.id for entry in touched}
        if targets.is_whole(edit):
            self._rewrite(number, edit, touched)
            return
        if isinstance(edit, AppendJournal):
            text, trust = self.journal(edit.text)
            if text:
                self.accepted.append((number, msgspec.structs.replace(edit, text=text, trust=trust)))
            return
        if isinstance(edit, (RemoveEntry, RemoveTopic, RemoveItem)):
            reason, trust = self._removal(number, edit, touched)
            edit = self._merged(number, edit)
        else:
            reason, trust = self._writing(edit, touched)
        if isinstance(edit, ReplaceEntry) and reason.startswith("unrelated:"):  # what is new comes beside the old
            going, coming = targets.halves(edit, touched[0])
            self.held.append((going, reason))
            self.decide(number, coming)
        elif not reason and is_below_agent(trust) and edit.path in self.view.shown:
            self.aside.append(AppendJournal(path="", text=" ".join(texts_of(edit)), sources=edit.sources, trust=trust))
        elif reason:
            self.held.append((edit, reason))
        else:
            self.accepted.append((number, self._settled(edit, trust, touched)))

    @staticmethod
    def _settled(edit: Edit, trust: Trust, touched: Sequence[ViewEntry]) -> Edit:
        if isinstance(edit, (ReplaceEntry, RemoveEntry)):
            return msgspec.structs.replace(edit, trust=trust, target=touched[0].id, path=touched[0].path)
        return msgspec.structs.replace(edit, trust=trust)

    def _unusable(self, edit: Edit, touched: Sequence[ViewEntry] | None) -> str:
        """Return why an operation cannot be used: it names a record that is not there, or one that it may not write."""
        if touched is None:
            return "unknown-record: it names a record that is not there, or several"
        path = touched[0].path if touched else edit.path
        writable = self.view.writable
        if writable is not None and not any(fnmatchcase(path, pattern) for pattern in writable):
            return f"unknown-path: it writes {path!r}, which it may not"
        if isinstance(edit, (RewriteDocument, PutTopic)) and not touched and edit.path in self.view.unseen:
            return f"unknown-record: it would write over {edit.path!r}, which it has not read"
        if {entry.id for entry in touched} & self._changed:
            return "unknown-record: another statement of the same reply already changes this record"
        if is_too_long(edit):
            return f"too-long: more than {proposed.MOST_CHARS} characters"
        return "" if targets.is_whole(edit) else self._protected(touched, edit, texts_of(edit))

    def _protected(self, touched: Sequence[ViewEntry], edit: Edit | None = None, new: Sequence[str] = ()) -> str:
        for entry in touched:
            if entry.pinned:
                return "pinned: a person pinned what it would change"
            if entry.user_authored and (edit is None or not self._is_persons(edit, entry, new)):
                return "user-authored: a person wrote what it would change"
            if entry.said is not None and self.last is not None and self.last < entry.said:
                return "older: memory rests on what was said after the conversation that this comes from"
        return ""

    def _is_persons(self, edit: Edit, entry: ViewEntry, new: Sequence[str]) -> bool:
        """True if what a person said since they wrote an entry is enough for what takes its place."""
        said = targets.said_since(entry, edit, self.view.messages)
        return bool(said) and not (self.by_model and any(map(self._resting_on(said).fault, new)))

    # --- what goes ---

    def _removal(self, number: int, edit: Edit, touched: Sequence[ViewEntry]) -> tuple[str, Trust]:
        keepers = {
            other: texts_of(keeper)
            for other, keeper in enumerate(self.proposal.operations)
            if other != number
            and not is_too_long(keeper)
            and any(written.says_any(texts_of(keeper), e.text) for e in touched)
        }
        kept = [text for texts in keepers.values() for text in texts]
        if keepers and all(written.says_all(kept, entry.text) for entry in touched):
            self.kept_by[number] = list(keepers)
            return "", lowest_trust(entry.trust for entry in touched)
        if all(self.may_go(entry.text, entry.said) or self._is_doubled(entry) for entry in touched):
            return "", "agent"
        strongest = max((TRUST_RANK[entry.trust] for entry in touched), default=0)
        about = Vocabulary(word for entry in touched for word in content.content(f"{entry.section} {entry.text}"))
        for message, quote in targets.quotes(edit, self.messages):
            trust = message_trust(message)
            if ((about.shared(content.content(quote)) and not only_tells(quote)) or not self.by_model) and TRUST_RANK[
                trust
            ] >= min(strongest, TRUST_RANK["agent"]):
                return "", trust
        return "uncited: no message that it cites speaks of what would go", "agent"

    def _merged(self, number: int, edit: Edit) -> Edit:
        """Return the removal of a topic with the topic that now has its words."""
        keepers = (self.proposal.operations[other] for other in self.kept_by.get(number, ()))
        into = next((keeper.path for keeper in keepers if isinstance(keeper, PutTopic)), "")
        if not isinstance(edit, RemoveTopic) or not into or into == edit.path:
            return edit
        return msgspec.structs.replace(edit, into=into)

    def may_go(self, text: str, said: datetime | None = None) -> bool:
        """True if a statement that orders nothing may be left out: it was said before its day, which is past.

        A compression may leave out any whose day is past.
        """
        if self.last is None or is_standing(text) or denials.lasts(text):
            return False
        came = said is not None and days.is_past(text, self.last.date(), said.date())
        return came or (self.view.compress and days.is_past(text, self.last.date()))

    def _is_doubled(self, entry: ViewEntry) -> bool:
        """True if another entry, which no operation names, says what this one says."""
        return any(
            written.holds(other.text, entry.text)
            for other in self.view.entries
            if other.id != entry.id
            and TRUST_RANK[other.trust] >= TRUST_RANK[entry.trust]
            and other.id not in self.named
        )

    def hold_orphans(self) -> None:
        """Move the removals that depend on a waiting merge from what is accepted to what waits."""
        for number, keepers in self.kept_by.items():
            if number not in (edits := dict(self.accepted)):
                continue
            rank = min(TRUST_RANK[edits[number].trust or "agent"], TRUST_RANK["agent"])
            fit = [edits[n] for n in keepers if n in edits and TRUST_RANK[edits[n].trust or "agent"] >= rank]
            changed = {entry.id for edit in edits.values() for entry in targets.entries(edit, self.view) or ()}
            kept = [text for edit in fit for text in texts_of(edit)]
            kept += [entry.text for entry in self.view.entries if entry.id not in changed]
            gone = targets.entries(self.proposal.operations[number], self.view) or ()
            if not all(written.says_all(kept, entry.text) for entry in gone):
                self.accepted = [each for each in self.accepted if each[0] != number]
                why = "held-merge: the statement that would keep its words waits too, or is trusted less"
                self.held.append((self.proposal.operations[number], why))

    # --- what comes ---

    def _writing(self, edit: Edit, touched: Sequence[ViewEntry]) -> tuple[str, Trust]:
        text = "\n".join(claims_of(edit))
        section = edit.section if isinstance(edit, AddEntry) else ""
        old, lines = touched[0].text if touched else "", written.statements(text) or [text]
        trust = lowest_trust([self._trust(text, touched), targets.cited_trust(edit, self.messages)])
        reason = (
            self._screened(texts_of(edit))
            or next(filter(None, (self.fault(written.under(section, line), old=old) for line in lines)), "")
            or self._unrelated(edit, text, touched)
            or self._below(trust, touched)
        )
        return reason, trust

    def _trust(self, text: str, touched: Sequence[ViewEntry]) -> Trust:
        """Return how far a statement is trusted; what it keeps of a record ranks as that record."""
        kept = "\n".join(entry.text for entry in touched if not is_below_agent(entry.trust))
        levels = [self.voices.trust(line, kept) for line in written.statements(text) or [text]]
        return lowest_trust([*levels, *(entry.trust for entry in touched)])

    def _unrelated(self, edit: Edit, text: str, touched: Sequence[ViewEntry]) -> str:
        """Return why a replacement is refused: it is about something else, or it drops what it had to shorten."""
        if not isinstance(edit, (ReplaceEntry, PutItem, PutTopic)) or not touched or not self.by_model:
            return ""
        old = touched[0].text
        words = Vocabulary(content.content(f"{touched[0].section} {old}"))
        new = content.content(text)
        cited = any(words.shared(content.content(quote)) for _, quote in targets.quotes(edit, self.messages))
        turns = not is_standing(old) and targets.turns(edit, new, self.messages)
        if not words.shared(new) and not (cited or turns or written.new_value(old, text)):
            return "unrelated: it is about something else than what it would replace"
        said = self.new_words(text) - content.content(old) or denials.denies(text) != denials.denies(old)
        if not said and not written.holds(text, old) and not self.may_go(old, touched[0].said):
            return "drops: no message corrects what it would leave out"
        return ""

    def new_words(self, text: str) -> frozenset[str]:
        """Return the words and numbers of a statement that messages, or logs that were read, brought in."""
        found = content.content(text) | frozenset(v for n in numerals(text) for v in n.values)
        return self.evidence.in_messages(found) | (
            found & {word for log in self.view.logs for word in content.words(log)}
        )

    def _below(self, trust: Trust, touched: Sequence[ViewEntry]) -> str:
        strongest = max((TRUST_RANK[entry.trust] for entry in touched), default=-1)
        if is_below_agent(trust) and strongest >= TRUST_RANK["agent"]:
            return "below-agent: it rests on text from tools or the web, and would change what is trusted more"
        return ""

    def _screened(self, found: Sequence[str]) -> str:
        """Return what the guard found that no person said in the same words."""
        for text in found:
            if text not in self.verdicts:
                return "unscreened: the text was not checked for orders and secrets"
            for finding in self.verdicts[text]:
                words = content.fold(text[finding.span[0] : finding.span[1]])
                said = finding.kind == "injection" and words and self.evidence.person_said(words)
                if not said:
                    return f"{finding.kind}: it may hold an order to a model, a secret or hidden text ({finding.rule})"
        return ""

    # --- whole documents ---

    def _rewrite(self, number: int, edit: RewriteDocument | PutTopic, touched: Sequence[ViewEntry]) -> None:
        text = edit.text if isinstance(edit, RewriteDocument) else edit.body
        base = edit.base if isinstance(edit, RewriteDocument) and edit.base is not None else targets.base(edit, touched)
        if self.by_model and not all(entry.whole for entry in touched):  # who has not read a topic adds to it
            keys = {line.key for line in written.read(base)}
            text = "\n".join((base.rstrip(), *(line.raw for line in written.read(text) if line.key not in keys)))
        levels: list[Trust] = []
        headed = written.headed(text)
        by_text = {content.fold(entry.text): entry for entry in touched}
        fixed = {text for text, entry in by_text.items() if self._protected([entry])}
        is_summary = isinstance(edit, PutTopic) and edit.kind == "episode" and edit.path not in self.view.shown
        known = (entry.trust for entry in touched) if touched else map(self.voices.trust, written.statements(text))
        trusted = any(not is_below_agent(trust) for trust in known)

        def ruling(line: str, before: str | None) -> Ruling:
            entry = by_text.get(content.fold(before)) if before is not None else None
            trust = self.voices.trust(line, "" if before is None or (entry and is_below_agent(entry.trust)) else before)
            stated = headed.get(line, line)
            reason = self._screened([line]) or self.fault(stated, summary=is_summary, old=before or "")
            if before is not None:
                replaced = [entry or targets.line_of(edit, touched, before)]
                reason = reason or self._protected(replaced, edit, [line]) or self._below(trust, replaced)
            if reason:
                return Ruling("waits", reason)
            below = is_below_agent(trust)
            passing = self.passing is not None and self.passing(line, targets.quoted_sentences(edit, self.messages))
            if passing or (below and (edit.path in self.view.shown or (isinstance(edit, PutTopic) and trusted))):
                self.aside.append(AppendJournal(path="", text=line, trust=trust))
                return Ruling("aside")
            levels.append(trust)
            return Ruling("in")

        carried = rewriting.carry_out(
            base, text, judge=ruling, is_foreign=self._is_foreign, new_words=self.new_words,
            may_go=lambda line: self._is_over(by_text.get(content.fold(line)) or targets.line_of(edit, touched, line)),
            is_fixed=lambda line: content.fold(line) in fixed,
            says_anew=lambda words, wholly: any(said.says_anew(words, wholly=wholly) for said in self.evidence.said),
        )  # fmt: skip
        for line, before, rule in carried.out:
            if rule.place == "waits":
                entry = by_text.get(content.fold(before)) if before else None
                self.held.append((targets.alone(edit, line, before, entry, is_new=not touched), rule.reason))
        self.kept += carried.kept
        for line, new in carried.beside.items():
            if isinstance(edit, RewriteDocument) and (entry := by_text.get(content.fold(line))):
                gone = RemoveEntry(path=edit.path, target=entry.id)
                self.held.append((gone, f"uncited: no message says that it no longer holds beside {new!r}"))
        lost = sum(len(line.encode()) for line in carried.kept if line not in carried.beside)
        if isinstance(edit, RewriteDocument) and lost > self.rules.shrink_share * len(base.encode()):
            self.held.append((edit, f"shrinks: {lost} of {len(base.encode())} bytes would go"))
        self._take_rewrite(number, edit, carried.text, base, lowest_trust(levels) if levels else "agent")

    def _is_over(self, line: ViewEntry) -> bool:
        """True if a rewriting may leave a line out: its day is past, or a person took it back."""
        return not self.by_model or self.may_go(line.text, line.said) or self.evidence.took_back(line.text)

    def _is_foreign(self, heading: str) -> bool:
        """True if a heading, or another line that claims nothing, has words that may not come in."""
        return bool(self._screened([heading])) or is_below_agent(self.voices.trust(heading))

    def _take_rewrite(self, number: int, edit: RewriteDocument | PutTopic, text: str, base: str, trust: Trust) -> None:
        if isinstance(edit, PutTopic):
            own = (*edit.front.values(), *(f"Session {session}" for session, _ in self.messages))  # of the engine
            there = [entry.section for entry in self.view.entries if entry.path == edit.path]
            parts = [part for part in texts_of(edit) if part != edit.body and not proposed.LABEL.fullmatch(part)]
            heads = [part for part in (edit.title, edit.description, edit.category) if part in parts]
            heads = [part for part in heads if part not in own and not any(part in section for section in there)]
            reason = self._screened(parts)
            for field in ("title", "description", "category") if not reason else ():
                said = getattr(edit, field)
                why = self.fault(said) if said in heads else ""
                if why and (orders(said) or not why.startswith(_OWN_WORDS)):
                    # it costs the rest of the topic nothing
                    self.held.append((PutTopic(path=edit.path, body="", **{field: said}, sources=edit.sources), why))
                    edit = msgspec.structs.replace(edit, **{field: ""})
                    heads.remove(said)
            if reason or not text.strip():
                if reason:
                    self.held.append((edit, reason))
                return
            trust = lowest_trust([trust, edit.trust or trust, *(self.voices.trust(part) for part in heads)])
            fields = (edit.title, edit.description, edit.parents, edit.category, edit.links)
            if text.strip() != base.strip() or any(fields):
                self.accepted.append((number, msgspec.structs.replace(edit, body=text.rstrip("\n"), trust=trust)))
            return
        if [line.raw for line in written.read(text)] != [line.raw for line in written.read(base)]:
            self.accepted.append((number, msgspec.structs.replace(edit, text=text, trust=trust)))

    # --- the journal ---

    def journal(self, text: str) -> tuple[str, Trust]:
        """Judge a journal entry sentence by sentence: what may be written of it, and how far it is trusted.

        A sentence that says what waits is judged as strictly as that was.
        """
        kept = text
        levels: list[Trust] = ["agent"]
        claims = ([edit.body] if isinstance(edit, PutTopic) else claims_of(edit) for edit, _ in self.held)
        waiting = [line for each in claims for claim in each for line in written.statements(claim)]
        for sentence in statements_of(text):
            says_it = any(written.holds(sentence, each) for each in waiting)
            reason = self._screened([sentence]) or self.fault(sentence, journal=not says_it)
            if reason:
                if not any(written.holds(each, sentence) for each in waiting):  # else it is decided with the edit
                    self.held.append((AppendJournal(path="", text=sentence), reason))
                kept = kept.replace(sentence, "", 1)
            else:
                levels.append(self.voices.trust(sentence))
        kept = kept.strip() if kept != text else text
        if (self.by_model or kept != text) and not content.content(proposed.STAMP.sub("", kept)):
            return "", "agent"
        return kept, lowest_trust(levels)
