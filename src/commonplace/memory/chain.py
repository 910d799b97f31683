"""An ordered chain of scopes: reads follow it with a fair share for each, writes go to the first.

A scope that cannot answer is logged and left out, so that the reply goes on without it. What is read of
several files is read again where a change came between.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime, timedelta
from typing import Final, TypeVar

import msgspec

from commonplace.changes import earlier
from commonplace.changes.forgetting import Meant
from commonplace.changes.overflow import over_caps
from commonplace.errors import CommonplaceError, GoneError, InputError, RecordNotFoundError, StoreError
from commonplace.guard import fold, has_words
from commonplace.layouts.codecs.edits import split_id
from commonplace.memory.scope import Scope
from commonplace.recall import select, sharing
from commonplace.recall.prompt import context as contexts
from commonplace.recall.prompt.filling import Draft
from commonplace.recall.prompt.sections import headless
from commonplace.records import Change, Context, Hit, JournalEntry, Outcome, Query, Receipt, Record
from commonplace.text.patterns import pattern
from commonplace.text.pieces import fence

logger = logging.getLogger(__name__)

C = TypeVar("C", Outcome, Receipt, Change)
_T = TypeVar("_T")

_FINGERPRINT: Final = pattern(r"[0-9a-f]{4,12}(?:~\d+)?")  # of a record's id, or how it begins
_LOOKS: Final = 5  # at files that others change; then a reader holds writers off for one look
_WAIT_SECONDS: Final = 2.0  # for them to end


class Chain:
    """The scopes that one memory was opened on, bound for its life; `first` takes the writes."""

    def __init__(self, scopes: Sequence[Scope]) -> None:
        self.scopes = tuple(scopes)
        self.first = self.scopes[0]
        self._numbers_elsewhere: dict[int, set[str]] = {}  # of changes, given out for other scopes than the first

    # --- what enters the prompt ---

    def recall(
        self,
        asked: Query,
        *,
        now: datetime,
        explain: bool = False,
        rerank: bool = False,
        without: Collection[tuple[str, str]] = (),
    ) -> list[Hit]:
        """Search the scopes.

        Args:
            asked: The question with its limits.
            now: What "last week" is counted from.
            explain: Have each hit say what its score is made of.
            rerank: Have the model of the first scope order the best hits.
            without: Messages that are no hits.

        Raises:
            InputError: The question asks for what no scope has.
        """
        wide = msgspec.structs.replace(asked, k=max(asked.k, select.CANDIDATES)) if rerank else asked
        each = self._steady(
            lambda: self._of_each(lambda scope: scope.recall(wide, now=now, explain=explain, without=without))
        )
        hits = sharing.fair_share(each, wide.k) if len(self.scopes) > 1 else each[0]
        if not rerank:
            return hits
        llm, seconds = self.first.llm, self.first.config.recall.rerank_seconds
        return select.rerank(asked.text, hits, llm=llm, seconds=seconds, explain=explain)[: asked.k]

    def surface(self, session: str | None, question: str) -> list[Hit]:
        """Choose topics to put before the agent, in each scope."""
        return [hit for hits in self._of_each(lambda scope: scope.surface(session, question)) for hit in hits]

    def context(self, session: str | None, question: str | None, *, tokens: int | None, now: datetime) -> Context:
        """Build what should enter the prompt from the sections of each scope and the hits of a question.

        Raises:
            InputError: The budget is below one token.
        """
        config, layout = self.first.config, self.first.layout
        budget = config.context.tokens if tokens is None else tokens
        if type(budget) is not int or budget < 1:
            raise InputError(f"a token budget is a number, at least 1, not {budget!r}")
        session = session if self._is_readable(session) else None
        drafts = self._steady(lambda: self._drafts(session, (question or "").strip()))
        hits: list[Hit] = []
        kinds = layout.recalls() if config.enabled else ()
        if question and question.strip() and kinds:
            wanted = Query(text=question, k=config.context.recall_k, layers=kinds)
            live = self._live(session)
            found = self.recall(wanted, now=now, without=live)
            found = [hit for hit in found if not any((s.session, s.message) in live for s in hit.sources)]
            hits = [left for hit in found if (left := self._without_denied(hit)) is not None]
        share = config.context.stable_share
        made = contexts.build(
            drafts,
            hits,
            tokens=budget,
            key=self.first.key,
            stable_share=share,
            recalled_heading=layout.recalled_heading(),
            question=question or "",
        )
        made = msgspec.structs.replace(made, warnings=tuple(self._warnings()))
        sizes = {"session": session, "chars": len(made.text), "tokens": made.tokens, "budget": budget}
        counts = {"sections": len(made.sections), "hits": len(hits), "dropped": len(made.dropped)}
        logger.info("context: %d chars", len(made.text), extra={**sizes, **counts})
        return made

    def _is_readable(self, session: str | None) -> bool:
        """True if the transcript of a session can be read; without it a context has all the rest."""
        try:
            if session is not None:
                self.first.sessions.exists(session)
        except StoreError:
            logger.warning("the context goes on without session %r", session, exc_info=True)
            return False
        return True

    def _drafts(self, session: str | None, question: str) -> list[Draft]:
        def of(scope: Scope) -> Sequence[Draft]:
            scope.prepare(session)
            return contexts.owned(scope.sections.drafts(session, question), self.scopes.index(scope), scope.title)

        return [draft for drafts in self._of_each(of) for draft in drafts]

    def _warnings(self) -> list[str]:
        """Return a sentence for each document that is always shown and holds more than it may."""
        found = self._of_each(lambda scope: list(over_caps(scope.parts)) if scope.config.enabled else [])
        return [f"{each.path} {each.reason}" for problems in found for each in problems]

    def _of_each(self, ask: Callable[[Scope], _T]) -> list[_T]:
        """Return the answer of each scope; one that fails is left out, unless all fail.

        Raises:
            CommonplaceError: No scope could answer; or the question is wrong.
        """
        found: list[_T] = []
        failed: CommonplaceError | None = None
        for scope in self.scopes:
            try:
                found.append(ask(scope))
            except InputError:
                raise
            except CommonplaceError as error:
                logger.warning("scope %r is left out", scope.name, exc_info=True)
                failed = error
        if failed is not None and not found:
            raise failed
        return found

    def _steady(self, look: Callable[[], _T]) -> _T:
        """Return what is read from several files, once no change came while they were read."""
        for _ in range(_LOOKS):
            before = self._numbers()
            found = look()
            if self._numbers() == before:
                return found
        with ExitStack() as stack:
            for scope in self.scopes:
                with suppress(StoreError):  # a reader does not wait for ever, nor where it may not write
                    stack.enter_context(scope.store.exclusive(_WAIT_SECONDS))
            return look()

    def _numbers(self) -> list[int]:
        found: list[int] = []
        for scope in self.scopes:
            with suppress(StoreError):  # a scope that cannot be read is left out
                found.append(scope.store.change_number())
        return found

    def _live(self, session: str | None) -> frozenset[tuple[str, str]]:
        """Return the ids of the messages that the session's own window already puts before the model."""
        sessions = self.first.sessions
        if session is None or not sessions.exists(session):
            return frozenset()
        return frozenset((session, str(message.message.id)) for message in sessions.window(session))

    def snapshot(self) -> str:
        """Return the text for a sub-agent: what is always shown, as it is now."""

        def of(scope: Scope) -> Sequence[Draft]:
            scope.prepare(None)
            scope.sections.look()
            return contexts.owned(headless(scope.sections.always_shown()), self.scopes.index(scope), scope.title)

        drafts = self._steady(lambda: [draft for drafts in self._of_each(of) for draft in drafts])
        config = self.first.config.context
        made = contexts.build(drafts, (), tokens=config.tokens, key=self.first.key, stable_share=config.stable_share)
        text = "\n".join(section.text for section in made.sections)
        return fence(text, self.first.key) if text else ""

    def _without_denied(self, hit: Hit) -> Hit | None:
        """Return a hit without what was forgotten or taken back with nothing in its place; None if that is all."""
        if all(not scope.reader.is_gone(hit.superseded_by) for scope in self.scopes):
            return hit
        return contexts.holding(hit)

    # --- which scope is meant ---

    def place(self, to: str | None) -> tuple[Scope, str | None]:
        """Return where a write goes: to the scope of that name, else to the first, at the place that was named."""
        for scope in self.scopes:
            if to is not None and scope.name == to:
                return scope, None
        return self.first, to

    def holder(self, record_id: str) -> tuple[Scope, Record]:
        """Find which scope holds a record.

        Raises:
            GoneError: It was removed or forgotten.
            RecordNotFoundError: None does; the error is that of the first.
        """
        missing: RecordNotFoundError | None = None
        for scope in self.scopes:
            try:
                return scope, scope.find(record_id)
            except RecordNotFoundError as error:
                missing = missing or error
        raise missing or RecordNotFoundError(f"there is no record {record_id!r}", record=record_id)

    def given_out(self, record_id: str) -> Record:
        """Return a record without what was forgotten.

        Raises:
            GoneError: It was removed, or all of it was forgotten.
            RecordNotFoundError: There is none.
        """
        scope, record = self.holder(record_id)
        if (left := scope.reader.unforgotten(record)) is None:
            raise GoneError(f"what {record_id!r} says was forgotten; `undo` of that brings it back", record=record_id)
        return left

    def one_record(self, wanted: str) -> tuple[Scope, Record]:
        """Find the one record meant by an id, by words that it alone holds, or by four characters of its fingerprint.

        A journal lists the records beside it, so a record that only journals repeat is meant alone.

        Raises:
            GoneError: It was removed or forgotten.
            RecordNotFoundError: None is meant.
            InputError: Several hold the words; the error names up to five.
        """
        try:
            return self.holder(wanted)
        except RecordNotFoundError:
            if "#" in wanted:
                raise
        words = fold(wanted)
        for scope in self.scopes:
            scope.drift.glance(())
        found = [(scope, record) for scope in self.scopes for record in _holding(scope, words)]
        if not found and _FINGERPRINT.fullmatch(wanted):
            every = ((scope, record) for scope in self.scopes for record in _records(scope))
            found = [each for each in every if each[1].id.rpartition("#")[2].startswith(wanted)] or self._now(wanted)
        found = [each for each in found if not isinstance(each[1], JournalEntry)] or found  # a journal lists the others
        exact = [(scope, record) for scope, record in found if fold(record.text) == words]
        if len(exact) == 1:
            return exact[0]
        if not found:
            raise self._held_by_none(wanted, words)
        if len(found) > 1:
            raise InputError(f"{len(found)} records are meant by these words; {self._choices(found)}", count=len(found))
        return found[0]

    def own_record(self, wanted: str) -> tuple[Scope, Record]:
        """Find the one record meant, as `one_record` does, to change it.

        Raises:
            InputError: It is of another scope than the one that takes writes.
        """
        scope, record = self.one_record(wanted)
        self._require_own(scope)
        return scope, record

    def _require_own(self, scope: Scope) -> None:
        if scope is not self.first:
            raise InputError(
                f"this is of scope {scope.name!r}, and only {self.first.name!r} is written here; "
                f"open scope {scope.name!r} alone (--scope {scope.name}) to change it",
                scope=scope.name,
            )

    def _now(self, begin: str) -> list[tuple[Scope, Record]]:
        """Return the records that are now in the place of replaced ones whose fingerprint begins so."""
        found: dict[str, tuple[Scope, Record]] = {}
        for scope in self.scopes:
            scope.ledger.catch_up()
            for old in scope.ledger.replaced_by_prefix(begin):
                with suppress(RecordNotFoundError, GoneError):
                    record = scope.reader.find(old)
                    found[record.id] = scope, record
        return list(found.values())

    def meant(
        self, words: str, *, session: str | None, every: bool, whole_scope: bool, aged: bool, erase: bool = False
    ) -> tuple[Scope, Meant]:
        """Return what of which scope is meant to be forgotten; what is to be erased may be none of its records.

        Raises:
            GoneError, RecordNotFoundError: There is none.
            InputError: It is not said what is meant, or more is meant than is asked for.
        """
        if sum(map(bool, (words, session, whole_scope, aged))) != 1 or (every and not words):
            raise InputError(
                "say what to forget: words or an id, a session, what is aged, or the whole scope; one of them"
            )
        first = self.first
        if aged:
            return first, _aged(first, erase=erase)
        if session:
            first.sessions.state(session)
            return first, Meant(sessions=(session,))
        if whole_scope:
            files = first.reader.files(lambda layer: not layer.person_only)
            return first, Meant(
                sessions=tuple(each.id for each in first.sessions.list()), files=tuple(path for _, path in files)
            )
        if not every:
            try:
                scope, record = self.one_record(words)
            except RecordNotFoundError:
                if count := sum(len(_all_holding(scope, fold(words))) for scope in self.scopes if "#" not in words):
                    said = f"{count} {'message does' if count == 1 else 'messages do'}"
                    sentence = (
                        f"no record holds {words!r}, but {said}; forget them with every (--every), or one by its id"
                    )
                    raise RecordNotFoundError(sentence, query=words, count=count) from None
                raise
            self._require_own(scope)
            return scope, Meant((record,))
        holding = {scope.name: _all_holding(scope, fold(words)) for scope in self.scopes}
        before = {scope.name for scope in self.scopes if erase and any(earlier.texts(scope.parts, fold(words)))}
        scopes = [scope for scope in self.scopes if holding[scope.name] or scope.name in before]
        if not scopes:
            raise self._held_by_none(words, fold(words))
        if len(scopes) > 1:
            count = sum(map(len, holding.values()))
            raise InputError(f"{count} records of several scopes hold these words; open one scope alone")
        self._require_own(scopes[0])
        return scopes[0], Meant(tuple(holding[scopes[0].name]), words=fold(words))

    def _held_by_none(self, wanted: str, words: str) -> RecordNotFoundError:
        """Return the error that no record holds some words; it names the change that removed one that did."""
        first = self.first
        first.ledger.catch_up()
        number = first.ledger.removed(lambda text: has_words(text, words))
        hint = "recall or search gives the ids of records and messages"
        if number is not None:
            hint = f"change {number} removed what did, and `undo {number}` brings it back"
        return RecordNotFoundError(f"no record holds {wanted!r}; {hint}", query=wanted, change=number)

    def _choices(self, found: Sequence[tuple[Scope, Record]]) -> str:
        """Return up to five records by id, and how to choose one of them."""
        chained = len(self.scopes) > 1
        ids = ", ".join(record.id + (f" of {scope.name!r}" if chained else "") for scope, record in found[:5])
        if len({record.id for _, record in found}) < len(found):
            return f"an id means the first scope that has it, for another open that scope alone: {ids}"
        return f"name one by its id: {ids}"

    def change(self, given: int | Outcome | Receipt | Change) -> tuple[Scope, int]:
        """Return which change of which scope is meant, by what came of it or by its number.

        Each scope numbers its own changes. A number is the first scope's, unless this chain gave it out for a change
        of another.

        Raises:
            InputError: Nothing was changed there, its scope is not of this chain, or the number is not enough.
        """
        if isinstance(given, (Outcome, Receipt, Change)):
            return self._named(given.scope), _number(given)
        number: object = given  # annotations do not hold at run time
        others = sorted(self._numbers_elsewhere.get(number, ())) if isinstance(number, int) else []
        if len(others) == 1 and given > self.first.store.change_number():
            return self._named(others[0]), given
        if others:
            raise InputError(
                f"{' and '.join(map(repr, [self.first.name, *others]))} number their changes each for itself, so "
                f"{given} does not say whose is meant; give what made the change or what `log` gave instead of "
                f"its number, or open that scope alone",
                change=given,
                scopes=(self.first.name, *others),
            )
        return self.first, given

    def made_in(self, scope: Scope, found: C) -> C:
        """Return a change, or an outcome, with the name of its scope."""
        number = _number_of(found)
        if number is not None and scope is not self.first:
            self._numbers_elsewhere.setdefault(number, set()).add(scope.name)
        return msgspec.structs.replace(found, scope=scope.name)

    def _named(self, name: str) -> Scope:
        for scope in self.scopes:
            if scope.name == (name or self.first.name):
                return scope
        raise InputError(f"this is a change of scope {name!r}; open that scope", scope=name)


def _number_of(given: Outcome | Receipt | Change) -> int | None:
    return given.number if isinstance(given, Change) else given.change


def _number(given: Outcome | Receipt | Change) -> int:
    number = _number_of(given)
    if number is None:
        raise InputError("nothing was changed here, so there is no change to look at or take back")
    return number


def _aged(scope: Scope, *, erase: bool) -> Meant:
    """Return what is older than its layer keeps it, to erase with what was hidden for that; of an unknown age it stays.

    Raises:
        InputError: No layer is given an age, or one that the layout has not.
    """
    days = scope.config.retention
    layers = {layer.name for layer in scope.layout.layers} | {"sessions"}
    if not days:
        raise InputError("no layer is given an age; put `retention = {LAYER = DAYS}` into the configuration")
    if unknown := sorted(days.keys() - layers):
        raise InputError(f"`retention` names {unknown[0]!r}; this layout has {', '.join(sorted(layers))}")
    if low := sorted(name for name, number in days.items() if number < 1):
        raise InputError(f"`retention` gives {low[0]!r} {days[low[0]]} days; give it one or more")
    scope.parts.ledger.catch_up()  # when a record was written is known from the log
    oldest = {name: scope.parts.now() - timedelta(days=number) for name, number in days.items()}
    records: list[Record] = []
    for layer, path in scope.reader.files(lambda layer: layer.name in oldest):
        for record in scope.reader.records(path):
            at = scope.reader.written(record)
            if at is not None and at < oldest[layer.name]:
                records.append(record)
    sessions: list[str] = []
    if edge := oldest.get("sessions"):
        for session in scope.sessions.list():
            if session.last_at is not None and session.last_at < edge:
                sessions.append(session.id)
                continue
            records += [each for each in scope.sessions.kept(session.id) if each.message.at and each.message.at < edge]
    if not erase:
        return Meant(tuple(records), tuple(sessions), aged=True)
    hidden = scope.sessions.aged() if edge else ()
    gone = {
        record: texts
        for record, texts in scope.parts.ledger.aged().items()
        if (found := scope.layout.layer_of(split_id(record)[0])) is not None and found.name in oldest
    }
    return Meant(tuple(records), tuple(sessions), aged=True, hidden=tuple(hidden), gone=gone)


def _all_holding(scope: Scope, words: str) -> list[Record]:
    """Return the records and messages that hold some words."""
    scope.drift.glance(())
    said = (each for session in scope.sessions.list() for each in scope.sessions.read(session.id))
    return [*_holding(scope, words), *(each for each in said if has_words(each.text, words))]


def _holding(scope: Scope, words: str) -> list[Record]:
    return [record for record in _records(scope) if has_words(record.text, words)]


def _records(scope: Scope) -> Iterator[Record]:
    for _, path in scope.reader.files():
        yield from scope.reader.records(path)
