"""Read the records of a scope by their ids, following what replaced them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, tzinfo
from typing import Final

import msgspec

from commonplace.changes import edits
from commonplace.changes.actors import TOOL
from commonplace.changes.forgotten import Forgotten, hashed, hashes, lost, without
from commonplace.changes.item_files import ItemFiles
from commonplace.changes.log import Ledger
from commonplace.changes.marks import mark_of, may_mark
from commonplace.changes.payload import Added
from commonplace.changes.sessions import Sessions
from commonplace.changes.tombstones import Tombstones
from commonplace.errors import GoneError, InputError, PathError, RecordNotFoundError
from commonplace.guard import fold
from commonplace.guard.shapes import Span
from commonplace.layouts.codecs.edits import split_id
from commonplace.layouts.schema import Layer, Layout
from commonplace.records import Entry, Item, JournalEntry, Record, RecordedMessage, Source, Topic, Trust, lowest_trust
from commonplace.store.protocol import Store
from commonplace.text import validity
from commonplace.text.pieces import short_name

_UNSAID: Final = frozenset(["rewrite", "replace"])  # kinds of change that may keep words without their sources


class Reader(msgspec.Struct):
    """The records of one scope as they are now.

    Args:
        now: Returns the instant now, in the zone that files are dated in.
        writers_trust: Says how far text is trusted that no change made: the rank of an outside edit.
        most: The most that anything here is trusted.
    """

    store: Store
    layout: Layout
    sessions: Sessions
    ledger: Ledger
    tombstones: Tombstones
    items: ItemFiles
    zone: tzinfo
    now: Callable[[], datetime]
    writers_trust: Callable[[], Trust]
    most: Trust = "user"
    marks: dict[str, tuple[str, dict[str, Trust]]] = {}  # of one version of a file

    def files(self, keep: Callable[[Layer], bool] = lambda _: True) -> Iterator[tuple[Layer, str]]:
        """Yield the stored files of the layers asked for, in path order."""
        for stat in self.store.list(self.layout.memory):
            layer = self.layout.layer_of(stat.path)
            if layer is not None and keep(layer):
                yield layer, stat.path

    def people(self, sessions: Iterable[str]) -> frozenset[str]:
        """Return what the users of some sessions are called, as far as they have names."""
        known = (self.sessions.state(each) for each in sessions if self.sessions.exists(each))
        return frozenset(name for each in known for said in each.names if (name := short_name(said)))

    def layer(self, path: str) -> Layer | None:
        """Return the layer of a stored file; None if it is no memory."""
        return self.layout.layer_of(path)

    def records(self, path: str) -> tuple[Record, ...]:
        """Return the records of one file; none if there is no file or no layer."""
        layer = self.layout.layer_of(path)
        data = self.data(path)
        if layer is None or data is None:
            return ()
        return tuple(edits.records(layer, path, data, self.zone))

    def visible(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield what of some records may be given out: nothing that is over or says what a forgotten message said."""
        today = self.now().date()
        return self._given_out(left for each in records if (left := _current(each, today)) is not None)

    def to_write(self, path: str) -> Iterator[Record]:
        """Yield the records of a file for one who writes it: what is over stays in a topic."""
        records = self.records(path)
        whole = all(isinstance(each, Topic) for each in records)
        return self._given_out(records) if whole else self.visible(records)

    def _given_out(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield what of some records was not forgotten."""
        since = self.tombstones.since_named()
        if not self.tombstones.forgotten:
            yield from records
            return
        self.ledger.catch_up()
        left = (self._left_of(each) for each in records if since is None or since(each.text) is None)
        yield from (each for each in left if each is not None)

    def unforgotten(self, record: Record) -> Record | None:
        """Return what of a record or message may be given out; None if all of it was forgotten."""
        if not isinstance(record, RecordedMessage):
            return next(self._given_out([record]), None)
        self.tombstones.catch_up(look=True)
        if self.tombstones.hides(Source(record.session, str(record.message.id))):
            return None
        return self.tombstones.known().left_of_message(record)

    def _left_of(self, record: Record, known: Forgotten | None = None) -> Record | None:
        """Return a record without the sentences that were forgotten; None if nothing is left of it."""

        def left(text: str) -> str:
            return self.left_of(record.id, text, journal=isinstance(record, JournalEntry), known=known)

        match record:
            case Topic():
                body, description = left(record.body), left(record.description)
                return msgspec.structs.replace(record, body=body, description=description) if body else None
            case Entry() | JournalEntry():
                text = left(record.text)
                return msgspec.structs.replace(record, text=text) if text else None
        return record if left(record.text) == record.text else None

    def goes_with(
        self, messages: Collection[RecordedMessage], words: str = ""
    ) -> Iterator[tuple[Record, Record | None]]:
        """Yield what tells of some messages, each with what is given out of it once they are forgotten.

        These are records, and messages of the assistant in the same sessions. With `words` they tell of those sentences
        of the messages that hold them.
        """
        if not messages:
            return
        ids: dict[str, set[str]] = {}
        for each in messages:
            ids.setdefault(each.session, set()).add(str(each.message.id))
        known = self.tombstones.forgotten
        forgot = [each for session, own in ids.items() for each in self.sessions.taken_back(session, own)]
        forgot = [each.part(words) for each in forgot] if words else forgot
        after = Forgotten([*(known.messages if known else ()), *forgot])
        said = {fold(each.text) for each in messages}
        for _, path in self.files():
            for record in self.visible(self.records(path)):
                left = None if fold(record.text) in said else self._left_of(record, after)
                if left is None or left.text != record.text:
                    yield record, left
        for session, own in ids.items():
            for message in self.sessions.read(session):
                reply = after.left_of_message(message)
                if str(message.message.id) not in own and reply is not message:
                    yield message, reply

    def along(self, messages: Collection[RecordedMessage], known: Collection[str]) -> Iterator[str]:
        """Yield the hashes of what goes with some messages, but for some records by their ids."""
        for record, left in self.goes_with(messages):
            if isinstance(record, RecordedMessage) or record.id in known:
                continue  # the transcript tells by itself what an assistant repeats
            if left is None:
                yield hashed(record.id)
            elif isinstance(record, Topic) and isinstance(left, Topic):
                yield from hashes(record.id, record.body, left.body)
                yield from hashes(record.id, record.description, left.description)
            else:
                yield from hashes(record.id, record.text, left.text)

    @staticmethod
    def lost(record: Record, left: Record | None) -> str:
        """Return the sentences of a record that are not in what is left of it."""
        return lost(record.text, left.text) if left else record.text

    def left_of(self, record_id: str, text: str, *, journal: bool, known: Forgotten | None = None) -> str:
        """Return what may be given out of the text of a record, or of a part of it; empty if nothing may."""
        forgotten = known or self.tombstones.known()

        def left(part: str) -> str:
            version = self.ledger.behind(record_id, part)
            origin = self._origin(*version) if version else (None, None, ())
            return forgotten.left_of(part, *origin, record=record_id, journal=journal)

        if not forgotten:
            return text
        return left(text) if split_id(record_id)[1] else without(text, lambda sentence: left(sentence) != sentence)

    def _origin(self, number: int, made: Added) -> tuple[Sequence[Source] | None, datetime | None, Collection[str]]:
        """Return the sources of a record, None if unknown; and in that case when it was written, if known, and of what.

        A rewrite and the agent's tool do not say it, nor does a correction that cites nothing, nor an edit from
        outside, which may come with old files. What a job wrote and did not cite may rest on any message of the
        sessions that it read.
        """
        change = self.ledger.change(number)
        if change is None or "outside" in change.kinds:
            return made.sources or None, None, ()
        read = () if made.sources else self.ledger.read_for(number)
        if read or (not made.sources and (change.actor == TOOL.name or not _UNSAID.isdisjoint(change.kinds))):
            return None, change.at, read
        return made.sources, None, ()

    def written(self, record: Record) -> datetime | None:
        """Return when a record got its present text; None if that is not known."""
        made = self.ledger.made(record.id)
        change = self.ledger.change(made[0]) if made else None
        said = record.at if isinstance(record, (JournalEntry, Item)) else None
        return said or (change.at if change else None)

    def data(self, path: str) -> bytes | None:
        """Return the bytes of a file; None if there is none, or the path is no plain file."""
        try:
            blob = self.store.read(path)
        except PathError:
            return None
        return blob.data if blob else None

    def rank(self, record_id: str) -> Trust:
        """Return the trust of a record of a layer, by its id."""
        return self.ranked(record_id, self.mark(record_id))

    def ranked(self, record_id: str, said: Trust | None) -> Trust:
        """Return how far a record is trusted: as a person promoted it, else by the log and by what its file says."""
        promoted = self.ledger.promoted(record_id)
        if promoted is not None:
            return lowest_trust([self.most, promoted])
        made = self.ledger.made(record_id)
        known = made[1].trust if made else self.ledger.unlisted(split_id(record_id)[0]) or self.writers_trust()
        return lowest_trust([self.most, known, said or known])

    def is_persons_own(self, record_id: str) -> bool:
        """True if a person wrote a record or promoted it to their own; one made from their words does not count."""
        made = self.ledger.made(record_id)
        if self.ledger.promoted(record_id) == "user":
            return True
        return made[1].person if made is not None else self.rank(record_id) == "user"

    def mark(self, record_id: str) -> Trust | None:
        """Return the trust that a record's own file states; None if it states none."""
        path, name = split_id(record_id)
        layer = self.layout.layer_of(path)
        if layer is None or layer.kind == "documents":
            return None
        if layer.kind == "items":
            item = self.items.item(path, name)
            return mark_of(item) if item is not None else None
        version = self.store.version(path)
        known = self.marks.get(path)
        if known is None or known[0] != version:
            known = self.marks[path] = version, self._marked(layer, path)
        return known[1].get(record_id)

    def _marked(self, layer: Layer, path: str) -> dict[str, Trust]:
        found = self.records(path) if may_mark(self.data(path) or b"", layer.kind) else ()
        return {each.id: low for each in found if (low := mark_of(each)) is not None}

    def has_marks(self) -> bool:
        """True if a record states its trust in its own file: only changes write that."""
        return any(self._marked(*each) for each in self.files(lambda layer: layer.kind != "documents"))

    def text(self, path: str) -> str:
        """Return the whole text of a file; empty if there is none."""
        blob = self.store.read(path)
        return blob.data.decode("utf-8", "surrogateescape") if blob else ""

    def is_gone(self, record: str) -> bool:
        """True if a record was removed or forgotten, or a message asked to forget something and that was done."""
        return self.ledger.gone(record) is not None or record in self.tombstones.known().gone

    def trust(self, record: Record) -> Trust:
        """Return the trust of a record."""
        self.ledger.catch_up()
        if isinstance(record, RecordedMessage):
            return self.trust_of_parts([(record, (0, len(record.text)))])[0]
        return self.ranked(record.id, mark_of(record))

    def trust_of_parts(self, parts: Sequence[tuple[RecordedMessage, Span]]) -> list[Trust]:
        """Return how far parts of the messages of one session, in order, are trusted where they are shown."""
        ranks = zip(parts, self.sessions.trust.of(parts), strict=True)
        return [lowest_trust([self.most, self.ledger.promoted(each.id) or rank]) for (each, _), rank in ranks]

    def find(self, record_id: str) -> Record:
        """Return the record of an id, or the one that replaced it.

        Raises:
            GoneError: It was removed or forgotten; the error names the change.
            RecordNotFoundError: There never was one.
        """
        record = self._look(record_id)
        if record is not None:
            return record
        self.ledger.catch_up()
        logged = self._logged(record_id)
        successor = self.ledger.successor(logged)
        record = self._look(successor) if successor else None
        if record is not None:
            return record
        gone = self.ledger.gone(successor or logged)
        if gone is not None:
            raise GoneError(f"{record_id!r} was removed by change {gone}; `undo {gone}` brings it back", change=gone)
        raise RecordNotFoundError(f"there is no record {record_id!r}; recall or search gives ids", record=record_id)

    def _logged(self, record_id: str) -> str:
        """Return the id that the log has of a message named `session#message`; any other as it is."""
        session, _, message = record_id.rpartition("#")
        if session and self.layout.layer_of(session) is None and not session.startswith(f"{self.sessions.folder}/"):
            with suppress(InputError):
                return f"{self.sessions.path(session)}#{message}"
        return record_id

    def _look(self, record_id: str) -> Record | None:
        """Return the record of an id, or the message named `session#message`; None if there is none."""
        path, key = split_id(record_id)
        session, _, message = record_id.rpartition("#")
        try:
            if path.startswith(f"{self.sessions.folder}/"):
                session, message = self.sessions.id_of(path) or "", key
            elif not session or not self.sessions.exists(session):
                return next((record for record in self.records(path) if record.id == record_id), None)
            return self.sessions.message(session, message) if session else None
        except (InputError, RecordNotFoundError):
            return None


def _current(record: Record, today: date) -> Record | None:
    """Return a record without what is over, of a topic its lines; None if nothing is left."""
    if not isinstance(record, Topic):
        return None if validity.is_over(record.text, today) else record
    if (body := validity.current(record.body, today)) == record.body:
        return record
    said = validity.current(record.description, today)
    return msgspec.structs.replace(record, body=body, description=said) if body else None
