"""What was: why a record is there, what changed, and how a change is taken back."""

from __future__ import annotations

from contextlib import ExitStack

from commonplace.changes.actors import PERSON, Actor
from commonplace.memory.chain import Chain
from commonplace.memory.opening import Opened
from commonplace.records import Change, Outcome, Receipt, Trail


class Past:
    """The part of a memory that looks back."""

    _opened: Opened

    @property
    def _chain(self) -> Chain:
        return self._opened.chain()

    def why(self, record_id: str) -> Trail:
        """Return why a record is there: the changes that made it, and the messages it rests on, quoted."""
        scope, record = self._chain.holder(record_id)
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
