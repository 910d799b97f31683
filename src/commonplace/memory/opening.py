"""The scopes of an open memory, made of what it is opened with."""

from __future__ import annotations

import threading

from commonplace.errors import StoreError
from commonplace.memory import forks
from commonplace.memory.arguments import Opening
from commonplace.memory.chain import Chain
from commonplace.memory.scope import Scope
from commonplace.models import resolve as model_of
from commonplace.recall.embedding import resolve as embedder_of
from commonplace.store.sqlite_file import IndexFile


def chain_of(opening: Opening) -> Chain:
    """Make the scopes.

    Raises:
        ConfigError: No model or embedder can be made of what was given.
        StoreError: The folder cannot be used.
    """
    config = opening.config
    llm = model_of(opening.llm, config=config.model)
    given = config.recall.embedder if opening.embedder is None else opening.embedder
    embedder = embedder_of(given, config=config.model)
    return Chain([Scope(opening, name, llm=llm, embedder=embedder) for name in opening.scopes])


class Opened:
    """The scopes of an open memory; a forked child makes its own at its next call."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._making = threading.Lock()
        self._made: Chain | None = chain_of(opening)
        self._closed = False
        forks.watch(self)

    def opening(self) -> Opening:
        """Return what it was opened with.

        Raises:
            StoreError: It was closed.
        """
        if self._closed:
            raise StoreError("this memory was closed; open it again", path=self._opening.location)
        return self._opening

    def chain(self) -> Chain:
        """Return the scopes.

        Raises:
            StoreError: They were closed.
        """
        self.opening()
        return self._chain()

    def scopes(self) -> tuple[Scope, ...]:
        """Return the scopes, also after a close: transcripts can still be read."""
        return self._chain().scopes

    def _chain(self) -> Chain:
        if self._made is None:
            with self._making:
                if self._made is None:
                    self._made = chain_of(self._opening)
        return self._made

    def databases(self) -> tuple[IndexFile, ...]:
        """Return the SQLite files of the scopes."""
        scopes = self._made.scopes if self._made is not None else ()
        return tuple(database for scope in scopes for database in scope.databases())

    def renew(self) -> Chain | None:
        """Remove the scopes, to be made again at the next call, and return them."""
        left, self._made, self._making = self._made, None, threading.Lock()
        return left

    def close(self) -> None:
        """Close the scopes that were made; from then on they are not given."""
        self._closed = True
        for scope in reversed(self._made.scopes if self._made is not None else ()):  # the first may raise
            scope.close()
