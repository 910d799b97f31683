"""May an operation come in, and with which trust: screened, judged, held against what was forgotten.

Puts what may into a plan. What may not stops with an outcome that says why, or is given back to wait
for a person. Commits nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Literal

import msgspec

from commonplace.changes import add_rules, burying, replacing
from commonplace.changes.actors import Actor
from commonplace.changes.add_rules import Adding, Rule
from commonplace.changes.aside import aside
from commonplace.changes.edits import Applied
from commonplace.changes.marks import labels, marked
from commonplace.changes.new_entries import NewEntries
from commonplace.changes.parts import Parts
from commonplace.changes.plan import Plan, resolve
from commonplace.changes.sealing import judge
from commonplace.errors import InputError, RecordNotFoundError
from commonplace.guard.proposed import sentences_of
from commonplace.guard.trust import Voices, cited_trust, said_now
from commonplace.layouts import tree
from commonplace.layouts.codecs.documents import cap_of
from commonplace.layouts.schema import Layer
from commonplace.operations import (
    AddEntry,
    AppendJournal,
    Edit,
    EndSession,
    Forget,
    HoldRange,
    MoveCursor,
    MoveWindow,
    Operation,
    Promote,
    PutItem,
    PutTopic,
    RemoveEntry,
    RemoveItem,
    RemoveTopic,
    ReplaceEntry,
    SayAgain,
    TakeBack,
)
from commonplace.records import (
    Entry,
    Outcome,
    RecordedMessage,
    Topic,
    Trust,
    is_below_agent,
    lowest_trust,
)

_OF_MESSAGES = (MoveCursor, MoveWindow, EndSession, HoldRange, TakeBack, SayAgain)
RACED: Final = "an edit from outside changed the same entry; yours waits for review"
PERSONS: Final = "a person wrote what this would change or hide"
MARKED: Final = (
    "marked as from {trust}: found when asked for, not always shown; "
    "a person shows it always by saying it themselves or with `commonplace remember`"
)
State = Literal["pending", "quarantined", "conflicted"]


class Waits(msgspec.Struct, frozen=True):
    """An operation for the review queue: why, and in which state."""

    operation: Operation
    reason: str
    state: State = "pending"


class Taken(msgspec.Struct, frozen=True):
    """What was not simply done: what waits, the id of the record that already says it, and a note for the log."""

    waits: tuple[Waits, ...] = ()
    same: str = ""
    note: str = ""


class Stop(Exception):  # noqa: N818 - carries an outcome out of the planning, is no error
    """What was asked for is not done, and this is the outcome."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


class Admission:
    """Turns operations into plans for one scope."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._new = NewEntries(parts)

    def doubts(self, plan: Plan, operation: AddEntry, actor: Actor) -> tuple[tuple[str, str], ...]:
        """Return the pairs (text of an entry, new text) on which `take` wants a verdict."""
        trust = self._trust(operation, actor)
        judged = judge(operation, explicit=actor.explicit, trust=trust, screen=plan.screen)
        layer, path = resolve(self._parts.layout, operation.path)
        if not isinstance(judged.operation, AddEntry) or not self._is_held_against(judged.verdict, layer, trust):
            return ()
        text = judged.operation.text.strip()
        return tuple((entry.text, text) for entry in self._new.doubts(text, self._entries(plan, layer, path), layer))

    def _is_held_against(self, verdict: str, layer: Layer, trust: Trust) -> bool:
        """True if a new entry is held against those that are there: what waits takes the place of nothing."""
        return self._new.on(layer) and verdict == "ok" and layer.kind == "documents" and not is_below_agent(trust)

    def _entries(self, plan: Plan, layer: Layer, path: str) -> list[Entry]:
        self._parts.ledger.catch_up()
        return [
            record
            for record in self._parts.reader.visible(plan.records(layer, path, plan.rope(path).data))
            if isinstance(record, Entry) and not is_below_agent(self._parts.reader.rank(record.id))
        ]

    def take(
        self,
        plan: Plan,
        operation: Operation,
        actor: Actor,
        *,
        raced: bool,
        reason: str = "",
    ) -> Taken:
        """Add one operation to the plan, and return whatever was not simply done."""
        heard = self._heard(operation, actor)
        trust = lowest_trust([self._trust(operation, actor), heard or actor.trust])
        judged = judge(operation, explicit=actor.explicit, trust=trust, screen=plan.screen)
        if judged.verdict == "refuse":
            raise Stop(Outcome(status="refused", reason=f"the text holds {', '.join(judged.classes)}; leave it out"))
        odd = actor.defers and (judged.hidden or judged.verdict == "quarantine")
        own = self._parts.sessions.heard(actor.session) if odd and heard and actor.session else ()
        if odd and not said_now(judged.odd, own):
            found = ", ".join(judged.classes)
            reason = f"the text reads like an order to a model, or hides some ({found})"
            raise Stop(Outcome(status="refused", reason=f"{reason}; write it in the words that the user used just now"))
        operation = judged.operation
        if isinstance(operation, Forget):
            deferred = self._forget(plan, operation, actor)
            return Taken((deferred,) if deferred else ())
        if isinstance(operation, Promote):
            self._promote(plan, operation, actor)
            return Taken()
        if isinstance(operation, _OF_MESSAGES):
            plan.session_event(operation)
            return Taken()
        layer, path = resolve(self._parts.layout, operation.path)
        path = plan.spelled(layer, path)
        operation = msgspec.structs.replace(operation, path=path)
        if isinstance(operation, RemoveTopic) and operation.into:
            operation = msgspec.structs.replace(operation, into=self._merged(plan, operation.into))
        operation = self._unforgotten(plan, operation, trust)
        operation = self._topic(plan, operation, layer, actor)
        for rule, adding in self._rules(plan, layer, actor, trust):
            if rule.refuses is not None and (why := rule.refuses(adding, operation, reason)):
                raise Stop(Outcome(status="refused", reason=why))
        waits = self._must_wait(operation, layer, actor, trust)
        odd = judged.verdict == "quarantine" and not (actor.person or actor.defers)
        if odd and not self._quotes_a_person(operation, judged.odd):
            reason = f"reads like an order to a model ({', '.join(judged.classes)})"
            return Taken((Waits(operation, reason, "quarantined"),))
        if waits:
            return Taken((Waits(operation, waits),))
        whose = "user" if heard == "user" else trust
        if isinstance(operation, AddEntry) and is_below_agent(trust):
            return self._keep_aside(plan, operation, actor, trust)
        if not isinstance(operation, AddEntry) or not self._is_held_against(judged.verdict, layer, trust):
            return self._edit(plan, operation, layer, path, actor=actor, trust=trust, raced=raced, whose=whose)
        settled = self._new.settle(operation, self._entries(plan, layer, path), layer, actor)
        if settled.operation is None:
            return Taken(same=settled.duplicate)
        done = self._edit(plan, settled.operation, layer, path, actor=actor, trust=trust, raced=raced, whose=whose)
        asked = tuple(Waits(removal, why) for removal, why in settled.waits)
        return Taken((*done.waits, *asked), done.same, settled.note)

    def _is_hidden(self, record_id: str) -> bool:
        """True if a record of a file says what was forgotten."""
        record = self._parts.reader.find(record_id)
        left = self._parts.reader.unforgotten(record)
        return left is None or left.text != record.text

    def _merged(self, plan: Plan, path: str) -> str:
        """Return the topic that says now what another said.

        Raises:
            InputError: There is none.
        """
        layer, path = resolve(self._parts.layout, path)
        path = plan.spelled(layer, path)
        if layer.kind != "topics" or not plan.exists(path):
            raise InputError(f"there is no topic {path!r} that could say what another said; put it there first")
        return path

    def _keep_aside(self, plan: Plan, operation: AddEntry, actor: Actor, trust: Trust) -> Taken:
        """Keep an entry where recall finds it with its mark: a document has none."""
        kept = aside(operation, trust, self._parts.layout, self._parts.reader, plan.at)
        if kept is None:
            return Taken((Waits(operation, f"text from {trust} is always shown only when a person says so"),))
        layer, path = resolve(self._parts.layout, kept.path)
        trust = kept.trust or trust
        done = self._edit(plan, kept, layer, path, actor=actor, trust=trust, raced=False, whose=trust)
        return msgspec.structs.replace(done, note=f"kept in {path}, {MARKED.format(trust=trust)}")

    def _edit(
        self,
        plan: Plan,
        operation: Edit,
        layer: Layer,
        path: str,
        *,
        actor: Actor,
        trust: Trust,
        raced: bool,
        whose: Trust,
    ) -> Taken:
        before = plan.rope(path).data if layer.cap else b""
        rules = self._rules(plan, layer, actor, trust)
        operation, same = self._ruled(rules, operation, trust)
        if same:
            return Taken(same=same)
        changes = self._changes(plan, operation, path)
        known = self._parts.reader.rank(changes) if changes and not actor.person else trust
        if is_below_agent(known) or (trust == "agent" and labels(operation, path, self._parts.items)):
            trust = lowest_trust([trust, known]) if is_below_agent(known) else known  # a trust rises by a person alone
        said = self._parts.reader.mark(changes) if changes else None
        operation = marked(operation, trust, said, journal=layer.kind == "journals")
        try:
            applied = plan.work_out(operation, layer, path)
        except RecordNotFoundError:
            if raced:
                return Taken((Waits(operation, RACED, "conflicted"),))
            if same := _done_beside(plan, operation):
                return Taken(same=same)
            operation = self._of_today(operation)
            applied = plan.work_out(operation, layer, path)
        if applied.duplicate and not (actor.explicit and self._is_hidden(applied.duplicate)):
            return Taken(same=applied.duplicate)
        self._require_unforgotten(plan, [text for _, text in applied.added], trust)
        if applied.duplicate:  # its file says it already, and it is shown again for what it rests on now
            plan.again(operation, self._parts.reader.find(applied.duplicate), trust=trust, person=actor.person)
            return Taken()
        if is_below_agent(trust) and self._overrules(applied):
            reason = f"text from {trust} takes the place of what is trusted more only when a person says so"
            return Taken((Waits(operation, reason),))
        lost, new_lines = replacing.lines(plan, operation, layer, path) if actor.defers and changes else ([], [])
        theirs = whose == "user"
        if lost and actor.session:
            heard = self._parts.sessions.heard(actor.session)
            theirs = not is_below_agent(trust) and replacing.is_said(lost, new_lines, heard, theirs=theirs)
        taken = (changes,) if actor.defers and self._takes(operation, changes, lost) else ()
        changed = (*applied.removed, *applied.successors, *taken)
        if actor.defers and any(self._is_persons(record, said=theirs) for record in changed):
            return Taken((Waits(operation, PERSONS),))
        plan.edit(operation, applied, path, trust=trust, person=actor.person)
        self._beside(plan, operation, rules, actor, trust)
        if layer.cap:
            self._check_cap(layer, path, before, plan.rope(path).data)
        low = actor.defers and is_below_agent(trust) and isinstance(operation, (PutItem, PutTopic))
        return Taken(note=MARKED.format(trust=trust) if low else "")

    def _ruled(self, rules: Sequence[tuple[Rule, Adding]], operation: Edit, trust: Trust) -> tuple[Edit, str]:
        """Return what add rules make of an edit, and the record that says already what it adds; empty if none does.

        What ranks below the agent is not always shown, so it says nothing already, unless the edit ranks so too.
        """
        for rule, adding in rules:
            operation = rule.before(adding, operation) if rule.before else operation
            for same in rule.same(adding, operation) if rule.same else ():
                if is_below_agent(trust) or not is_below_agent(self._parts.reader.rank(same)):
                    return operation, same
        return operation, ""

    def _changes(self, plan: Plan, operation: Edit, path: str) -> str:
        """Return the id of the record whose text an edit replaces; empty if there is none."""
        match operation:
            case ReplaceEntry(target=target):
                return target
            case PutItem(id=name):
                record = f"{path}#{name}"
                return record if self._parts.ledger.made(record) or self._parts.reader.mark(record) else ""
            case PutTopic() if plan.exists(path):
                return path
        return ""

    def _rules(self, plan: Plan, layer: Layer, actor: Actor, trust: Trust) -> list[tuple[Rule, Adding]]:
        """Return the add rules for an edit of a layer."""
        parts = self._parts
        return add_rules.of(parts.layout, parts.reader, layer, plan, trust=trust, person=actor.person)

    def _beside(
        self, plan: Plan, operation: Edit, rules: Sequence[tuple[Rule, Adding]], actor: Actor, trust: Trust
    ) -> None:
        """Do what the add rules of a layer do together with an edit."""
        for each in [each for rule, adding in rules if rule.after for each in rule.after(adding, operation)]:
            self._do(plan, each, actor, trust)

    def _do(self, plan: Plan, operation: Edit, actor: Actor, trust: Trust) -> None:
        """Add an edit to the plan that needs no admission of its own."""
        layer, path = resolve(self._parts.layout, operation.path)
        plan.edit(operation, plan.work_out(operation, layer, path), path, trust=trust, person=actor.person)

    def _overrules(self, applied: Applied) -> bool:
        """True if an edit takes away or changes a record that is trusted as much as the agent."""
        known = [
            record
            for record, _ in applied.added
            if self._parts.ledger.made(record) and not self._parts.ledger.gone(record)
        ]
        return any(
            not is_below_agent(self._parts.reader.rank(record))
            for record in (*applied.removed, *applied.successors, *known)
        )

    def _trust(self, operation: Operation, actor: Actor) -> Trust:
        """Return the trust of an edit: the lowest of its actor, its claim and the messages it rests on.

        A proposal was matched against its messages by the gate; only for a direct request they are read here.
        """
        levels = [actor.trust, operation.trust or actor.trust]
        if actor.explicit and not actor.person:
            said = sentences_of(operation)
            levels += [cited_trust(said, self._parts.sessions.message(s.session, s.message)) for s in operation.sources]
        return lowest_trust(levels)

    def _heard(self, operation: Operation, actor: Actor) -> Trust | None:
        """Return whose words an operation uses, by the session that its actor speaks in and by what memory says.

        None if there is no session, and memory has nothing below `agent` of which it takes words.
        """
        is_there = bool(actor.session) and self._parts.sessions.exists(actor.session)
        said = sentences_of(operation) if is_there or actor.elsewhere else []
        if not said:
            return None
        voices = Voices(self._parts.sessions.heard(actor.session) if is_there else (), elsewhere=actor.elsewhere)
        found = lowest_trust(voices.trust(sentence) for sentence in said)
        return found if is_there or is_below_agent(found) else None

    def _quotes_a_person(self, operation: Edit, odd: Sequence[str]) -> bool:
        """True if a person used the odd words of an edit in one message that it cites."""
        for source in operation.sources:
            with suppress(RecordNotFoundError):
                if said_now(odd, [self._parts.sessions.message(source.session, source.message)]):
                    return True
        return False

    def _is_persons(self, record: str, *, said: bool) -> bool:
        """True if a person wrote a record. With `said`, a record that was only made from their words does not count."""
        reader = self._parts.reader
        return reader.rank(record) == "user" and (not said or reader.is_persons_own(record))

    def _takes(self, operation: Edit, record: str, lost: Sequence[str]) -> bool:
        """True if an edit takes words of a record of a person's, or changes an item of their own in any way."""
        made = self._parts.ledger.made(record)
        by_person = self._parts.ledger.promoted(record) == "user" or (
            made is not None and made[1].trust == "user"  # not by a program that kept topics here before
        )
        own = isinstance(operation, PutItem) and self._parts.reader.is_persons_own(record)
        return by_person and (bool(lost) or own)  # the labels of an item decide if it is shown

    def _of_today(self, operation: Edit) -> Edit:
        """Return the edit with the id of the entry that replaced its target since."""
        if isinstance(operation, (ReplaceEntry, RemoveEntry)):
            self._parts.ledger.catch_up()
            return msgspec.structs.replace(
                operation, target=self._parts.ledger.successor(operation.target) or operation.target
            )
        return operation

    def _must_wait(self, operation: Edit, layer: Layer, actor: Actor, trust: Trust) -> str:
        if layer.person_only and not actor.person:
            return f"only a person changes {layer.path}"
        adds = not isinstance(operation, (AddEntry, RemoveEntry, RemoveTopic, RemoveItem))
        if adds and layer.kind == "documents" and is_below_agent(trust):
            return f"text from {trust} enters {layer.path} only when a person promotes it"
        return ""

    def _unforgotten(self, plan: Plan, operation: Edit, trust: Trust) -> Edit:
        """Refuse what was forgotten; a journal entry loses only the sentences that were."""
        if isinstance(operation, AppendJournal) and operation.text:
            left = self._parts.tombstones.cut(operation.text)
            if not left:
                raise Stop(burying.refused([operation.text], self._parts))
            operation = msgspec.structs.replace(operation, text=left)
        texts = [str(getattr(operation, name, "")) for name in ("text", "body", "description")]
        texts += [v for v in getattr(operation, "data", {}).values() if isinstance(v, str)]
        adds = not isinstance(operation, (RemoveEntry, RemoveTopic, RemoveItem))
        texts = [text for text in texts if adds and text.strip()]
        if adds and self._parts.tombstones.rests_on(operation.sources):
            raise Stop(burying.refused(texts, self._parts))
        self._require_unforgotten(plan, texts, trust)
        return operation

    def _require_unforgotten(self, plan: Plan, texts: Sequence[str], trust: Trust) -> None:
        """Refuse what was forgotten; what was erased comes in if a person says it again."""
        found = self._parts.tombstones.forbidden(texts)
        if trust == "user" and all(burying.is_erased(each, self._parts) for each in found):
            for each in found:
                plan.lift(each)
        elif found:
            raise Stop(burying.refused(found, self._parts))

    def _topic(self, plan: Plan, operation: Edit, layer: Layer, actor: Actor) -> Edit:
        """Refuse a topic that would be its own ancestor; a proposal loses only the parents that lead back to it."""
        if isinstance(operation, PutTopic) and operation.parents:
            path = operation.path
            known = tree.build([Topic(path, path, operation.title, ""), *plan.topics(layer)])
            if tree.leads_back(known, path, operation.parents):
                if actor.explicit:
                    raise Stop(
                        Outcome(status="refused", reason=f"{path} would be its own ancestor; name other parents")
                    )
                return msgspec.structs.replace(operation, parents=())
        return operation

    def _check_cap(self, layer: Layer, path: str, before: bytes, after: bytes) -> None:
        """Refuse an edit past the cap of a layer from which nothing may move."""
        cap = None if layer.overflow else cap_of(layer, self._parts.config.limits)
        if cap is None:
            return
        over = cap.check(before.decode("utf-8", "replace"), after.decode("utf-8", "replace"))
        if over is not None:
            raise Stop(
                Outcome(
                    status="over_cap",
                    reason=f"{path} holds {over.current} {over.unit}, would need {over.needed}, and may have "
                    f"{over.maximum}; replace or remove an entry first",
                )
            )

    def _promote(self, plan: Plan, operation: Promote, actor: Actor) -> None:
        if not actor.person:
            raise Stop(Outcome(status="refused", reason="only a person promotes a record"))
        record = self._parts.reader.find(operation.record)
        plan.promote(record.id, operation.to, self._parts.reader.trust(record))

    def _forget(self, plan: Plan, operation: Forget, actor: Actor) -> Waits | None:
        if operation.aged:
            plan.kinds["aged"] = None  # so that the log says which records are only hidden
        if operation.record.startswith(f"{self._parts.sessions.folder}/") and "#" not in operation.record:
            if actor.defers:
                return Waits(operation, PERSONS)
            burying.session(plan, operation.record, self._parts, aged=operation.aged)
            return None
        whole = self._parts.layout.layer_of(operation.record) if "#" not in operation.record else None
        if whole is not None and whole.kind != "topics":
            if actor.defers:
                raise Stop(Outcome(status="refused", reason=f"only a person forgets all of {operation.record}"))
            burying.file(plan, operation.record, self._parts)
            return None
        record = self._parts.reader.find(operation.record)
        if record.id in plan.removed:
            return None  # it went with another
        said = isinstance(record, RecordedMessage) and record.message.trust == "user"  # with what they pasted
        if actor.defers and (said or self._parts.reader.trust(record) == "user"):
            return Waits(operation, PERSONS)
        made = self._parts.ledger.made(record.id)
        sources = made[1].sources if made else ()
        if isinstance(record, RecordedMessage):
            burying.message(plan, record, aged=operation.aged, alone=operation.alone)
            return None
        edit = burying.removal(record)
        layer, _ = resolve(self._parts.layout, record.path)
        if layer.person_only and not actor.person:
            raise Stop(Outcome(status="refused", reason=f"only a person changes {layer.path}"))
        self._do(plan, edit, actor, actor.trust)
        self._beside(plan, edit, self._rules(plan, layer, actor, actor.trust), actor, actor.trust)
        done = {*plan.removed, *plan.successors}  # what went with another, or was cut to what may stay
        twins = [burying.removal(each) for each in add_rules.twins(record, self._parts) if each.id not in done]
        for edit in (*twins, *burying.repeats(record, self._parts)):
            self._do(plan, edit, actor, actor.trust)
        plan.kinds["forget"] = None
        if not operation.aged:
            burying.record(plan, record, sources, self._parts)
        return None


def _done_beside(plan: Plan, operation: Edit) -> str:
    """Return the record that an edit of its mirror made of an entry already; empty if none did."""
    if not isinstance(operation, ReplaceEntry):
        return ""
    made = plan.successors.get(operation.target, "")
    return made if any(each.id == made and each.text == operation.text for each in plan.added) else ""
