"""What was: why a record is there, what changed, how a change is taken back, and how it is forgotten."""

from __future__ import annotations

from contextlib import ExitStack

from commonplace.changes.actors import LIBRARY, PERSON, Actor
from commonplace.memory.chain import Chain
from commonplace.memory.opening import Opened
from commonplace.records import Change, Outcome, Receipt, Source, Trail


class Past:
    """The part of a memory about its past: the log, undo, why, and forgetting."""

    _opened: Opened

    @property
    def _chain(self) -> Chain:
        return self._opened.chain()

    def why(self, record_id: str) -> Trail:
        """Return why a record is there: the changes that made it, and the messages it rests on, quoted."""
        scope, record = self._chain.one_record(record_id)
        return scope.history.why(record.id)

    def log(self, limit: int | None = 50) -> list[Change]:
        """Return the newest changes of the scope that takes writes, newest first."""
        scope = self._chain.first
        scope.drift.sweep()
        return [self._chain.made_in(scope, change) for change in scope.history.log(limit)]

    def diff(self, change: int | Outcome | Receipt | Change) -> str:
        """Show what a change did to the files, by line; the change is named as `undo` takes it."""
        scope, number = self._chain.change(change)
        return scope.history.change(number).diff

    def undo(self, change: int | Outcome | Receipt | Change, *, reason: str = "", actor: Actor = PERSON) -> Outcome:
        """Undo a change: bytes and cursors are as before, and what it added stays out.

        Args:
            change: What the change returned, or what `log` returned; a number is the first scope's.
            reason: For the log.
            actor: Who undoes it.

        Raises:
            RecordNotFoundError: There is no such change.
            InputError: It is none, or its number does not say of which scope.
            UndoConflictError: A later change depends on it; the error names it.
        """
        scope, number = self._chain.change(change)
        with ExitStack() as stack:
            for tidier in scope.jobs.tidiers:
                stack.enter_context(tidier.followed())
            return self._chain.made_in(scope, scope.history.undo(number, actor=actor, reason=reason))

    def forget(
        self,
        record_id_or_query: str | Source = "",
        *,
        session: str | None = None,
        every: bool = False,
        whole_scope: bool = False,
        aged: bool = False,
        dry_run: bool = False,
        erase: bool = False,
        actor: Actor = LIBRARY,
    ) -> Receipt:
        """Hide one record, or more, and keep it from coming back in any way.

        With a message go the records that rest on it alone, and of others the sentences with its words; the
        receipt lists all of them.

        Args:
            record_id_or_query: A record's id, words that exactly one record holds, or a message as `append` named it.
            session: Forget all of this session instead.
            every: Forget what holds the words, and what tells of these sentences; with `erase` also what did before.
            whole_scope: Forget all that the first scope holds, instead; what only a person writes stays.
            aged: Forget what of the first scope is older than `retention` in the configuration lets its layer keep.
            dry_run: Only name what would be forgotten.
            erase: Also take the texts, and the messages they rest on, out of every file below the root, for good.
            actor: Who asks.

        Raises:
            GoneError, RecordNotFoundError: There is no such record or session.
            InputError: Several records hold these words, or what is meant is of another scope than the first.
        """
        named = record_id_or_query
        scope, these = self._chain.meant(
            f"{named.session}#{named.message}" if isinstance(named, Source) else named,
            session=session,
            every=every,
            whole_scope=whole_scope,
            aged=aged,
            erase=erase,
        )
        receipt = scope.forgetting.forget(these, erase=erase, dry_run=dry_run, actor=actor)
        if erase and not dry_run:
            scope.indexing.catch_up()  # the index holds the texts too
        return self._chain.made_in(scope, receipt)
