"""What of a text may still be given out: forgotten messages take the records and sentences that rest on them along.

Known from the transcripts alone, so that it holds without the change log too. Pure; hides nothing in any file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final

import msgspec

from commonplace.guard import has_words
from commonplace.operations import NOTED
from commonplace.records import RecordedMessage, Source, Superseded
from commonplace.text.content import Vocabulary, is_wide, keywords, sentences, words
from commonplace.text.everyday import COMMON
from commonplace.text.patterns import pattern

_SENTENCE: Final = pattern(r"[^\n]*?(?:[.!?…](?=\s)|[。！？]|\n|\Z)[ \t]*\n?")
_FEW: Final = 2  # so many distinctive words of a message give it away; of one with fewer, all of them
_SHARE: Final = 1 / 3  # of a sentence of unknown origin that a message must hold besides
_SHARE_OF_ONE: Final = 1 / 2  # the same, if only one distinctive word is in it
_OF_USERS: Final = keywords("user users")  # how statements name whom they are about
_FIRM_CHARS: Final = 3  # a number with so many digits gives a message away by itself


class Forgot(msgspec.Struct, frozen=True):
    """One forgotten message: its words, and those that nobody had used before it in its session.

    `later` are the words of what was said after it in the session with one of these, and was not forgotten; the
    assistant repeats, so its messages are left out. `again` has the number of the first such message for each of these
    words. `single` is true if it was forgotten by itself, not with its whole session. `along` has the
    hashes of the records, and of the sentences of others, that went with it. `made` is true of no message, but of what
    a file made of the session: `message` is its path. `partly` is true if only some of its sentences are meant.
    """

    session: str
    message: str
    at: datetime
    text: str
    words: frozenset[str]
    distinctive: frozenset[str]
    single: bool = True
    later: tuple[frozenset[str], ...] = ()
    again: dict[str, int] = {}
    along: frozenset[str] = frozenset()
    made: bool = False
    partly: bool = False

    @classmethod
    def made_of(cls, session: str, path: str, at: datetime, along: frozenset[str]) -> Forgot:
        """Return what a file made of a session, and was forgotten, by hashes."""
        return cls(session, path, at, "", frozenset(), frozenset(), along=along, made=True)

    def part(self, wanted: str) -> Forgot:
        """Return the message as if it had said only those of its sentences that hold some words."""
        held = frozenset[str]().union(*(keywords(each) for each in sentences_of(self.text) if has_words(each, wanted)))
        return msgspec.structs.replace(self, words=held, distinctive=self.distinctive & held, partly=True)

    def until(self, number: int) -> Forgot:
        """Return the message without the words that were said again before the message of a number."""
        own = frozenset(word for word in self.distinctive if self.again.get(word, number) >= number)
        return msgspec.structs.replace(self, distinctive=own, later=())


class Telling:
    """The messages of one session, oldest first, as what was forgotten and what was not: makes the first known."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._told: set[str] = set()  # the distinctive words of what was forgotten
        self._forgot: list[Forgot] = []
        # How many were forgotten before, the number of the message, text and words.
        self._later: list[tuple[int, int, str, frozenset[str]]] = []

    def hear(self, number: int, text: str, *, repeats: bool) -> None:
        """Add the next message, which was not forgotten; `repeats` is true of one of the assistant."""
        held = keywords(text)
        self._known |= held
        if not repeats and not held.isdisjoint(self._told):
            self._later.append((len(self._forgot), number, text, held))

    def forget(self, message: Source, text: str, at: datetime, *, single: bool, along: frozenset[str]) -> None:
        """Add the next message, which was forgotten at this instant."""
        held = keywords(text)
        own = held - self._known
        self._told |= own
        self._forgot.append(Forgot(message.session, message.message, at, text, held, own, single, along=along))

    def forgotten(self) -> Iterator[Forgot]:
        """Yield the forgotten messages; a later message that says a line of one again is no other message."""
        said = {line for each in self._forgot for line in _lines(each.text)}
        holding: dict[str, list[tuple[int, int, frozenset[str]]]] = {}
        for place, number, text, held in self._later:
            for word in held & self._told if said.isdisjoint(_lines(text)) else ():
                holding.setdefault(word, []).append((place, number, held))
        for count, each in enumerate(self._forgot):
            near: dict[frozenset[str], None] = {}
            again: dict[str, int] = {}
            for word in each.distinctive:
                for place, number, held in holding.get(word, ()):
                    if place > count:
                        near[held] = None
                        again.setdefault(word, number)
            yield msgspec.structs.replace(each, later=tuple(near), again=again)


class Forgotten:
    """The forgotten messages of a scope, and what of other texts goes with them.

    Args:
        messages: Those that take others along.
        hidden: All of them: (session, message).
        gone: Records that are gone and requests to forget: the id of each, since when, and hashes of what tells of it.
    """

    def __init__(
        self,
        messages: Iterable[Forgot] = (),
        hidden: Iterable[tuple[str, str]] = (),
        gone: Iterable[tuple[str, datetime, Iterable[str]]] = (),
    ) -> None:
        self.messages, self.hidden = tuple(messages), frozenset(hidden)
        self._of_session: dict[str, list[Forgot]] = {}
        for each in self.messages:
            self._of_session.setdefault(each.session, []).append(each)
        self.ids = frozenset((each.session, each.message) for each in self.messages if not each.partly)
        self._told = frozenset[str]().union(*(each.distinctive for each in self.messages))
        self._made = frozenset[str]().union(*(each.along for each in self.messages if each.made))
        gone = list(gone)
        self.gone = frozenset(name for name, _, _ in gone)
        self.telling = {mark: Superseded(None, name, since) for name, since, along in gone for mark in along}

    def __bool__(self) -> bool:
        """True if anything was forgotten."""
        return bool(self.messages)

    def left_of(
        self,
        text: str,
        sources: Sequence[Source] | None,
        written: datetime | None = None,
        within: Collection[str] = (),
        *,
        record: str = "",
        journal: bool = False,
    ) -> str:
        """Return the part of a record's text that may be shown; empty if nothing may.

        Args:
            text: The text of a record, or a part of it.
            sources: The messages that the record rests on; None if they are unknown.
            written: When a record of unknown sources was written, if known: messages that were forgotten before
                then were said again.
            within: The sessions that a job read when it wrote a record of unknown sources.
            record: The id of the record.
            journal: The record is about a range, of which `sources` are the first and the last message.
        """
        if not self.messages or (sources is not None and not sources and not journal):
            return text
        text = _apart(record, text, self._made)
        if not sources:
            since = [each for each in self.messages if written is None or each.at >= written]
            left = _apart(record, text, frozenset[str]().union(*(each.along for each in since)))
            left = self._cut(left, [each for each in since if each.session in within], sure=True)
            return self._cut(left, [each for each in since if each.session not in within], sure=False)
        known = [source for source in sources if (source.session, source.message) in self.ids]
        if len(known) == len(sources) and (not journal or len(sources) == 1):
            return ""
        if journal:
            sessions = {source.session for source in sources}
            return self._cut(text, [each for each in self.messages if each.session in sessions], sure=True)
        cited = {(source.session, source.message) for source in sources}
        return self._cut(text, [each for each in self.messages if (each.session, each.message) in cited], sure=True)

    def left_of_message(self, message: RecordedMessage) -> RecordedMessage | None:
        """Return a message without what the assistant repeats in it of forgotten ones; None if nothing is left."""
        left = self.left_of_part(message, message.text)
        if left == message.text:
            return message
        content = msgspec.structs.replace(message.message, content=left)
        return msgspec.structs.replace(message, message=content) if left else None

    def left_of_part(self, message: RecordedMessage, part: str) -> str:
        """Return a part of a message without what the assistant repeats in it of forgotten ones, of any session."""
        if message.message.role != "assistant" or keywords(part).isdisjoint(self._told):
            return part
        own = [each.until(message.number) for each in self._of_session.get(message.session, ())]
        part, at = self._cut(part, own, sure=True), message.message.at
        before = [each for each in self.messages if each.session != message.session and (at is None or at <= each.at)]
        return self._cut(part, before, sure=False)

    def _cut(self, text: str, messages: Sequence[Forgot], *, sure: bool) -> str:
        used = keywords(text)
        near = [each for each in messages if not used.isdisjoint(each.distinctive)]
        if not near:
            return text
        return without(text, lambda part: any(_tells(keywords(part), each, sure=sure) for each in near))


def hashed(record: str, sentence: str = "") -> str:
    """Return the hash of a record that goes with a forgotten message, or of a sentence of one that rests on more.

    It has no key, so that it is the same in each copy of the files.
    """
    return sha256(f"{record}\n{' '.join(words(sentence))}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def hashes(record: str, text: str, left: str) -> list[str]:
    """Return the hashes of the sentences of a text of a record that are not in what is left of it."""
    return [hashed(record, part) for part in sentences_of(text) if words(part) and part.strip() not in left]


def _apart(record: str, text: str, along: frozenset[str]) -> str:
    """Return a text of a record without the sentences of these hashes; empty if the record has one."""
    if not along:
        return text
    return "" if hashed(record) in along else without(text, lambda part: hashed(record, part) in along)


def without(text: str, goes: Callable[[str], bool]) -> str:
    """Return a text without the sentences that go; empty if nothing is said in the rest."""
    parts = sentences_of(text)
    left = [part for part in parts if not goes(part)]
    if len(left) == len(parts):
        return text
    return "".join(left).strip() if keywords("".join(left)) else ""


def cut(text: str, goes: Callable[[str], bool]) -> str:
    """Return a text, or a journal entry, without the sentences that go; empty if nothing is said in the rest."""
    kept: list[str] = []
    for line in text.split("\n"):
        left = line
        for part in sentences(line.removeprefix(NOTED)):
            left = left.replace(f" {part}", "").replace(part, "") if goes(part) else left
        kept += [left] if left == line or left.strip() else []
    left = "\n".join(kept)
    if left == text:
        return text
    left = left.strip()
    return left if keywords(left.removeprefix(NOTED)) else ""


def without_said(text: str, said: Iterable[str]) -> str:
    """Return a text without the sentences that say what some others said; empty if nothing is said in the rest."""
    held = [found for each in said if (found := keywords(each) - _OF_USERS)]
    told = [Forgot("", "", datetime.min, "", each, each - _common()) for each in held]  # noqa: DTZ901 - no instant

    def goes(part: str) -> bool:
        used = keywords(part)
        own = Vocabulary(used)
        return any(_tells(used, each, sure=True) or own.shared(each.words) == each.words for each in told)

    return without(text, goes) if told else text


def lost(text: str, left: str) -> str:
    """Return the sentences of a text that are not in what is left of it."""
    return "".join(part for part in sentences_of(text) if part.strip() not in left).strip()


def _lines(text: str) -> set[tuple[str, ...]]:
    return {tuple(words(line)) for line in text.splitlines()} - {()}


def sentences_of(text: str) -> list[str]:
    """Cut a text into sentences and lines; joined they are the text again."""
    return [found.group() for found in _SENTENCE.finditer(text) if found.group()]


def _tells(said: frozenset[str], forgot: Forgot, *, sure: bool) -> bool:
    """True if a sentence of these words says what a forgotten message said, and no later one says more of it."""
    shared, held = said & forgot.distinctive, len(said & forgot.words)
    elsewhere = max((len(said & other) for other in forgot.later), default=0)
    if not shared or elsewhere > held:
        return False
    if any(len(word) >= _FIRM_CHARS and any(char.isdigit() for char in word) for word in shared):
        return True
    if len(shared) >= min(_FEW, len(forgot.distinctive)):
        return sure or held >= len(said) * _SHARE
    likely = held > elsewhere and held >= len(said - _OF_USERS) * _SHARE_OF_ONE
    return any(map(_is_rare, shared)) and (sure or likely)


def _is_rare(word: str) -> bool:
    """True if a word gives away what it is about by itself; of pairs of characters, none does."""
    return word not in _common() and not is_wide(word)


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    return keywords(" ".join(COMMON))
