"""Vectors for one scope: has an embedder fill in what the index lacks, and asks what is near a question.

An embedder is optional and its work is derived: nothing here runs in an append, nothing raises into a
recall. Where it is slow or fails, what has no vector yet is found by its words, and the hits say so.
"""

from __future__ import annotations

import logging
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, Final

from commonplace.changes import transcripts
from commonplace.changes.parts import Parts
from commonplace.config import ModelConfig
from commonplace.errors import CommonplaceError, ConfigError, ModelError
from commonplace.models import calls
from commonplace.models.openai import OpenAIEmbedder
from commonplace.models.protocol import Reply
from commonplace.models.resolving import split_name
from commonplace.models.spending import Ledger
from commonplace.recall.index import embedders, passages, rows, vectors
from commonplace.recall.index.near import Embedder, Near
from commonplace.recall.index.sqlite import SqliteIndex
from commonplace.recall.index.vectors import Space, Vectors
from commonplace.recall.indexing import Indexing
from commonplace.text.pieces import estimate_tokens

logger = logging.getLogger(__name__)

_FORMS: Final = (
    "write 'openai:MODEL', 'openai:MODEL@http://host:port/v1', 'sentence-transformers:FOLDER' or 'model2vec:FOLDER', "
    "or pass a function from texts to vectors"
)
# Fixed texts of nothing in common: their vectors tell one embedder from another, and show how
# alike it finds texts that are not.
PROBES: Final = (
    "The tram was late again because of the snow on the tracks.",
    "def parse(line): return line.split(',')",
    "She paid the invoice for the new kitchen tiles.",
    "Whales sing to each other over hundreds of miles.",
    "Please keep the answers short and in metric units.",
    "The quarterly meeting moves to Thursday at ten.",
)
_ALL_ALIKE: Final = 0.97  # an embedder that finds these so near does not know the words
_BATCH: Final = 64  # texts in one call of an embedder
_PASSAGES: Final = 64  # of one message, at most; of a pasted file only the head is embedded
_NEAREST: Final = 200  # passages that are looked at for a question
_QUESTION_CHARS: Final = 2000  # of a longer question the head
_RETRY_SECONDS: Final = 30.0  # an embedder that failed is left alone for so long
_READ_ONLY: Final = "a memory opened read-only keeps no vectors"
_CLOSE_SECONDS: Final = 5.0  # a call under way at close is waited for so long, then abandoned


def resolve(value: str | Embedder | None, *, config: ModelConfig) -> Guarded | None:
    """Make an embedder of what was passed as `embedder`; None for None and an empty text.

    No package is imported, no weight read and no connection made before the first call.

    Raises:
        ConfigError: The value is none of the forms, or names a folder that is not there.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        if isinstance(value, type) or not callable(value):
            raise ConfigError(f"{type(value).__name__!r} is no embedder; {_FORMS}")
        return Guarded(value)
    kind, _, folder = value.strip().partition(":")
    if kind in embedders.KINDS and folder:
        return Guarded(embedders.LocalEmbedder(kind, folder))
    _, name, url = split_name(value.strip(), ("openai",), _FORMS)
    return Guarded(OpenAIEmbedder(name, config, base_url=url))


class Guarded:
    """An embedder held to its time and to the shape of its answers; the scopes of a chain share one.

    Args:
        embedder: Called in threads of its own, which are abandoned when the time is over.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = _name(embedder)
        self.failure = ""
        self._again = 0.0
        self._space: Space | None = None
        self._asked: tuple[str, array[float] | None] = "", None
        self._noted = 0
        self._lock = threading.Lock()

    def rests(self) -> bool:
        """True if it failed a moment ago and is left alone."""
        return time.monotonic() < self._again

    def failed(self, error: CommonplaceError) -> None:
        """Leave it alone for a while."""
        self.failure = f"{type(error).__name__}: {error}"
        self._again = time.monotonic() + _RETRY_SECONDS
        logger.warning("recall goes on by words alone: %s", error)

    def paid(self) -> bool:
        """True if it counts tokens, as what is paid for does."""
        return isinstance(getattr(self._embedder, "tokens", None), int)

    def spent(self) -> int:
        """Return the tokens that were taken since they were last asked for."""
        with self._lock:
            before, self._noted = self._noted, getattr(self._embedder, "tokens", 0) if self.paid() else 0
            return self._noted - before

    def space(self, seconds: float, allow: Callable[[Sequence[str]], None]) -> Space:
        """Return what its vectors have in common, computed once; `allow` is called with what will be sent before.

        Raises:
            ModelError: It gave no vectors in time, or what `allow` raised.
        """
        if self._space is None:
            allow(PROBES)
            made = self.passages(PROBES, seconds)
            level = max(vectors.cosine(one, other) for one, other in combinations(made, 2))
            if level > _ALL_ALIKE:
                raise ModelError(f"{self.name!r} finds texts alike that have nothing in common; use another model")
            self._space = Space(self.name, tuple(made[0]), max(0.0, level))
        return self._space

    def question(self, text: str, seconds: float, allow: Callable[[Sequence[str]], None]) -> array[float]:
        """Embed a question; the last one is remembered, for the other scopes of a chain.

        Raises:
            ModelError: It gave no vector in time, or what `allow` raised of what would be sent.
        """
        asked = text[:_QUESTION_CHARS]
        known, vector = self._asked
        if known != asked or vector is None:
            allow([asked])
            vector = self.passages([asked], seconds, getattr(self._embedder, "question", None))[0]
            self._asked = asked, vector
        return vector

    def passages(
        self, texts: Sequence[str], seconds: float, call: Callable[..., Any] | None = None
    ) -> list[array[float]]:
        """Embed what is to be found, or with `call` what is asked.

        Raises:
            ModelError: It gave no vectors in time, or not one of one length for each text.
        """

        def work(deadline: calls.Deadline) -> list[array[float]]:
            within: Callable[..., Any] | None = getattr(self._embedder, "within", None)
            if callable(call):
                answer = call(texts)
            else:
                answer = within(texts, deadline) if within is not None else self._embedder(texts)
            return self._checked(calls.settle(answer, deadline), len(texts))

        found = calls.within(work, seconds, self.name)
        self.failure, self._again = "", 0.0
        return found

    def _checked(self, answer: Any, wanted: int) -> list[array[float]]:
        try:
            found = vectors.units(answer)
        except (TypeError, ValueError):
            raise ModelError(f"{self.name!r} returned no vectors; return one list of numbers a text") from None
        sizes = {len(vector) for vector in found}
        dimensions = len(self._space.probe) if self._space is not None else len(found[0]) if found else 0
        if len(found) != wanted or sizes != {dimensions} or not dimensions:
            raise ModelError(
                f"{self.name!r} returned {len(found)} vectors of {sorted(sizes)} numbers for {wanted} texts; "
                "return one vector a text, all of one length"
            )
        return found


class Embedding:
    """Keeps the vectors of a scope up with its index.

    Args:
        embedder: Turns texts into vectors.
        parts: The scope, which holds the transcripts, whose texts the index does not keep.
        indexing: The scope's index.
        spending: Holds an embedder that counts tokens to the day's ceiling, and notes them.
    """

    def __init__(self, embedder: Guarded, parts: Parts, indexing: Indexing, spending: Ledger) -> None:
        self._embedder = embedder
        self._indexing = indexing
        self._store = parts.store
        self._config = parts.config.recall
        self._seconds = parts.config.model.timeout_seconds
        self._spending = spending
        self._vectors = Vectors(indexing.index)
        self._hidden: frozenset[tuple[str, str]] = frozenset()  # messages
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._filler: threading.Thread | None = None

    def near(self, question: str, *, hidden: frozenset[tuple[str, str]] = frozenset()) -> Near:
        """Return what lies near a question; nothing, with the reason, where the embedder fails.

        What the index has got since the last time is embedded first, as far as it is done within
        `recall.embed_seconds`; the rest goes on in the background.

        Args:
            question: In plain words.
            hidden: Messages (session, id) that were forgotten: they get no vector, and lose it.
        """
        embedder = self._embedder
        if self._store.read_only:
            return Near(failure=_READ_ONLY)
        if embedder.rests():
            return Near(failure=embedder.failure)
        deadline = calls.Deadline(self._config.embed_seconds)
        try:
            self._settle(deadline.remaining())
            asked = embedder.question(question, deadline.remaining(), self._allow)
            self._note()
            self._fill(hidden, deadline.remaining())
            rows = self._vectors.near(asked, _NEAREST, seconds=self._config.embed_seconds)
            return Near(rows=rows, failure=embedder.failure)
        except CommonplaceError as error:
            embedder.failed(error)
            return Near(failure=embedder.failure)

    def fill(self, *, hidden: Callable[[], frozenset[tuple[str, str]]]) -> None:
        """Embed all that has no vector yet and wait for it, unless nothing may be written.

        Args:
            hidden: Gives the messages (session, id) that are forgotten by now.
        """
        if self._store.read_only:
            return
        try:
            self._settle(self._seconds)
            self._fill(hidden(), None)
            while self._missing() and not self._embedder.failure and not self._closing.is_set():
                self._fill(hidden(), None)  # what came in while an earlier filling was at its end
        except CommonplaceError as error:
            self._embedder.failed(error)

    def close(self) -> None:
        """Stop filling; a call under way is waited for a moment, then abandoned."""
        self._closing.set()
        if self._filler is not None:
            self._filler.join(_CLOSE_SECONDS)

    def _allow(self, texts: Sequence[str]) -> None:
        """Check that a paid embedder may get these texts."""
        embedder = self._embedder
        if embedder.paid():
            tokens = sum(map(estimate_tokens, texts))
            self._spending.check(tokens, self._spending.price(embedder.name, tokens))

    def _note(self) -> None:
        tokens = 0 if self._store.read_only else self._embedder.spent()
        if tokens:
            taken = Reply("", tokens_in=tokens, model=self._embedder.name)
            self._spending.note(taken, purpose="embed", cause="recall")

    def _settle(self, seconds: float) -> None:
        """Bring the index up to the files, and have its vectors be of this embedder."""
        space = self._embedder.space(seconds, self._allow)
        self._note()
        self._indexing.catch_up()
        if not self._vectors.settle(space):
            logger.info("vectors of %s are made for this scope", space.name)

    # --- filling ---

    def _missing(self) -> bool:
        return bool(self._vectors.missing_notes(1)) or self._vectors.missing_messages() is not None

    def _fill(self, hidden: frozenset[tuple[str, str]], seconds: float | None) -> None:
        """Embed what is missing in the background, and wait for it so many seconds."""
        self._hidden = hidden
        self._vectors.hide(vectors.mark(hidden))
        with self._lock:
            if self._filler is None or not self._filler.is_alive():
                if not self._missing():
                    self._vectors.prune()
                    return
                self._filler = threading.Thread(target=self._run, name="commonplace vectors", daemon=True)
                self._filler.start()
            filler = self._filler
        filler.join(seconds)

    def _run(self) -> None:
        try:
            while not self._closing.is_set() and self._step():
                pass
            if not self._closing.is_set():
                self._vectors.prune()
        except CommonplaceError as error:
            if not self._closing.is_set():
                self._embedder.failed(error)
        except Exception:
            logger.exception("the vectors of a scope could not be made")
            self._embedder.failed(ModelError("vectors could not be made; see the log"))

    def _step(self) -> bool:
        """Embed some of what is missing; False where nothing was, or others know of more that is hidden."""
        hidden = self._hidden  # as of before the texts are read: what is forgotten from here on is not kept
        mark = vectors.mark(hidden)
        notes = self._vectors.missing_notes(_BATCH)
        if notes:
            return self._vectors.put(self._made(notes), hidden=mark)
        found = self._vectors.missing_messages()
        if found is None:
            return False
        slot, first, end = found
        end = min(end, first + _BATCH)
        said = self._indexing.answer(lambda index: list(self._said(index, slot, first, end, hidden)))
        for at in range(0, len(said), _BATCH):
            if self._closing.is_set() or not self._vectors.put(self._made(said[at : at + _BATCH]), hidden=mark):
                return False
        return self._vectors.put((), hidden=mark, slot=slot, messages=end)

    def _made(self, texts: Sequence[tuple[int, str]]) -> list[tuple[int, str, bytes]]:
        """Return passages (row, text) with their vectors; only those that are nowhere yet are embedded."""
        found = self._vectors.known(text for _, text in texts)
        wanted = list(dict.fromkeys(text for _, text in texts if text not in found and text.strip()))
        if wanted:
            self._allow(wanted)
            made = self._embedder.passages(wanted, self._seconds)
            found |= {text: vectors.halved(vector) for text, vector in zip(wanted, made, strict=True)}
            self._note()
        blank = bytes(2 * len(self._embedder.space(self._seconds, self._allow).probe))
        return [(row, text, found.get(text, blank)) for row, text in texts]

    def _said(
        self, index: SqliteIndex, slot: int, first: int, end: int, hidden: frozenset[tuple[str, str]]
    ) -> Iterator[tuple[int, str]]:
        """Read back the passages of some messages of a slot; what a tool said is found by its words."""
        places, of = index.places(slot), index.shelf().slots.get(slot)
        if places is None or of is None or end > len(places.offsets):
            return
        start = places.offsets[first]
        blob = self._store.read(of.path, start, places.offsets[end] if end < len(places.offsets) else places.end)
        numbers = {offset: number for number, offset in enumerate(places.offsets[first:end], first)}
        for message in transcripts.messages_of(of.path, of.session, blob.data, start) if blob is not None else ():
            number = numbers.get(message.offset)
            forgotten = (message.session, message.message.id) in hidden
            if number is None or forgotten or message.message.role == "tool":
                continue
            spans = passages.passages(message.text)
            name = f"{message.message.name}: " if message.message.name else ""
            for at, (begin, stop) in enumerate(spans[:_PASSAGES]):
                if part := message.text[begin:stop].strip():
                    yield rows.pack(slot, number, 0) + rows.fold_passage(at, len(spans)), name + part


def _name(embedder: Embedder) -> str:
    named = getattr(embedder, "name", None)
    if isinstance(named, str) and named:
        return named
    kind: Any = embedder if hasattr(embedder, "__qualname__") else type(embedder)
    return f"{kind.__module__}.{kind.__qualname__}"
