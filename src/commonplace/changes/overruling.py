"""What is not so any more of a message, and of a record that tells of messages: a journal entry, the item of a turn.

Read from the log: where a record says otherwise now than a message, each sentence is over that says the same in what
was written down of the message before. Of what is gone with nothing in its place, the transcripts know it without the
log. Writes nothing; an undo of the correction takes it back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

from commonplace.changes.forgotten import hashed
from commonplace.changes.log import Ledger
from commonplace.changes.reader import Reader
from commonplace.changes.sessions import Sessions
from commonplace.errors import RecordNotFoundError
from commonplace.guard.about import is_of_another, names_another
from commonplace.records import Superseded
from commonplace.text import content
from commonplace.text.everyday import COMMON

TELLING: Final = frozenset({"journals", "items"})
"""The kinds of layers whose records tell of messages."""

_FEW: Final = 7  # words, of which one may be another: `plans a trip` of `travels`
_FRAME: Final = content.keywords("User: Assistant: Noted: ok okay")


def superseded(ledger: Ledger, sessions: Sessions, session: str) -> dict[str, list[Superseded]]:
    """Return the messages of a session that say what is not so any more, with the parts, by the log and by itself."""
    found = {message: list(parts) for message, parts in ledger.superseded(session).items()}
    logged = {(message, part.record) for message, parts in found.items() for part in parts}  # in the log's own words
    for each in (
        each for events in sessions.unsaid(session).values() for each in events if _is_gone(ledger, each.name)
    ):
        for message, start, end in each.spans:
            if (message, each.name) in logged:
                continue
            with suppress(RecordNotFoundError):
                said = sessions.message(session, message).text[start : end or None]
                part = Superseded((start, end) if end else None, each.name, each.at, (), (said, said))
                found.setdefault(message, []).append(part)
    return found


def _is_gone(ledger: Ledger, record: str) -> bool:
    """True unless the log knows that a record, which was gone, is there again."""
    return ledger.made(record) is None or ledger.gone(record) is not None


def taken_back(ledger: Ledger, sessions: Sessions, session: str) -> dict[str, list[Superseded]]:
    """Return what was forgotten or taken back of the messages of a session, with nothing in its place."""
    ledger.catch_up()
    found = superseded(ledger, sessions, session)
    gone = {message: [part for part in parts if not part.now] for message, parts in found.items()}
    return {message: parts for message, parts in gone.items() if parts}


_Parts = Mapping[str, Sequence[Superseded]]


class Overruling:
    """What is said otherwise now, read once for each session. Made for one question.

    Args:
        held: Parts of the messages of some sessions, in place of those that are known.
    """

    def __init__(self, ledger: Ledger, reader: Reader, held: Mapping[str, _Parts] = {}) -> None:
        self._ledger = ledger
        self._reader = reader
        self._held: dict[str, _Parts] = dict(held)

    def messages(self, session: str) -> _Parts:
        """Return the messages of a session that hold a value which a record says otherwise now, with the parts.

        A record that was forgotten says nothing, but of the messages that it rested on.
        """
        if session not in self._held:
            found = superseded(self._ledger, self._reader.sessions, session)
            kept = {
                message: [each for each in parts if not each.now or self._is_shown(each)]
                for message, parts in found.items()
            }
            self._held[session] = {message: parts for message, parts in kept.items() if parts}
        return self._held[session]

    def _is_shown(self, part: Superseded) -> bool:
        """True if something of what a record says otherwise may be shown."""
        return bool(self._reader.left_of(part.record, part.now, journal=False))

    def sessions(self, record: str) -> set[str]:
        """Return the sessions that a record tells of."""
        made = self._ledger.made(record)
        return {source.session for source in made[1].sources} if made is not None else set()

    def of_record(self, record: str, text: str, as_of: datetime | None = None) -> tuple[Superseded, str] | None:
        """Return what says otherwise now than a record, and the sentences that are over; None if all of it holds.

        The sentences are empty if the record says nothing else.

        Args:
            record: Its id.
            text: What it says, or a part of that.
            as_of: Only what was known by then counts.
        """
        found = list(self.over(record, text, as_of))
        by = min((part for part, _ in found), key=is_replaced, default=None)
        return (by, words_of(text, [sentence for _, sentence in found])) if by else None

    def over(self, record: str, text: str, as_of: datetime | None = None) -> Iterator[tuple[Superseded, str]]:
        """Yield the sentences of a record that are over, each with what says otherwise now."""
        sessions = self.sessions(record)
        held = {(session, name): each for session in sessions for name, each in self.messages(session).items()}
        parts = [part for found in held.values() for part in found if part.was]
        parts = [part for part in parts if as_of is None or part.since <= as_of]
        telling = self._reader.tombstones.known().telling
        if not parts and not telling:
            return
        made, since = self._ledger.made(record), self._ledger.written_at(record)
        own = {(source.session, source.message) for source in made[1].sources} if made is not None else set()
        parts = [
            part
            for part in parts
            if since is not None
            and since <= part.since
            and part.record != record
            and own.isdisjoint((each.session, each.message) for each in part.sources)
        ]
        mine = {id(part) for message in own & held.keys() for part in held[message]}  # of one who speaks in it
        people = self._reader.people(sessions)
        for sentence in content.sentences(text):
            gone = telling.get(hashed(record, sentence)) if telling else None
            if gone and not (_is_gone(self._ledger, gone.record) and (as_of is None or gone.since <= as_of)):
                gone = None
            if part := _overruled(sentence, parts, people, mine) or gone:
                yield part, sentence


def is_replaced(part: Superseded) -> bool:
    """True if a record says something in its place; what is gone with nothing in its place comes first."""
    return bool(part.now)


def words_of(text: str, over: Iterable[str]) -> str:
    """Return the sentences of a text that are over; empty if it says nothing else."""
    said = dict.fromkeys(over)
    words = " ".join(each for each in said if not any(each != other and each in other for other in said))
    return words if content.keywords(text) - content.keywords(words) - _FRAME else ""


def _overruled(
    sentence: str, parts: Iterable[Superseded], people: frozenset[str], mine: Collection[int]
) -> Superseded | None:
    """Return what says otherwise now than a sentence; None if nothing does, or it says the new value too.

    What one of some people said of themselves is not over where another one said the same; `mine` are the parts of
    messages that the sentence itself rests on.
    """
    said = content.keywords(sentence)
    stated = (
        (part, was)
        for part in parts
        for was in part.was
        if id(part) in mine or not is_of_another(was, sentence, people)
    )
    over = (part for part, was in stated if states(sentence, was, people))
    return next((part for part in over if not part.now or not content.keywords(part.now) <= said), None)


def states(sentence: str, was: str, people: Iterable[str]) -> bool:
    """True if a sentence quotes a statement, or has its names, numbers and nearly all its words, and few others.

    One that asks, or names another person than some people who speak, says something else.
    """
    words, said = content.keywords(was) - _FRAME, content.keywords(sentence) - _FRAME
    left = words - said
    if not words or len(left) * _FEW > len(words) or not left.isdisjoint(content.keywords(" ".join(content.firm(was)))):
        return False
    if content.fold(was).rstrip(" .!") in content.fold(sentence):
        return True
    own = frozenset(content.bare(word) for name in people for word in name.split())
    others = content.names(f"x {sentence}") - content.names(f"x {was}") - COMMON - own
    of_another = bool(others) or (names_another(sentence) and not names_another(was))
    return not of_another and not sentence.endswith(("?", "？")) and len(said) <= 2 * len(words)
