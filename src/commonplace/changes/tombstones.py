"""What was forgotten and must not come back: keyed fingerprints and source spans, never texts."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Final

import msgspec

from commonplace.changes import transcripts
from commonplace.changes.forgotten import Forgotten, cut
from commonplace.errors import UNREADABLE, PathError
from commonplace.guard import fold
from commonplace.guard.markers import INVISIBLE
from commonplace.guard.screened import Screened, json_line
from commonplace.guard.table import compiled
from commonplace.records import Record, Source, Topic
from commonplace.store.protocol import MISSING, STATE, Store
from commonplace.text.patterns import pattern
from commonplace.text.pieces import estimate_tokens

PATH: Final = f"{STATE}/tombstones.jsonl"
_DRESS: Final = r"\"',;:!?…·•()\[\]{}<>«»‹›„“”‚‘’*_`~|=¡¿、。，！？：；「」『』（）【】《》–—"
_EDGES: Final = pattern(rf"\A(?:[{_DRESS}]|[-#+](?!\w)|\.(?!\d))+|[{_DRESS}.\-]+\Z")
"""What a word may have before and behind it and stay the same word; a sign of a number and `C++` are no dress."""
_LOOK_ALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u03bf\u03b1\u03bd\u03c1",
    "aeopcyxijshdqwoavp",
)
"""Letters of the Cyrillic and Greek alphabets that a reader takes for Latin ones."""
_LISTED: Final = pattern(r"\A\s*\d{1,9}[.)]\s+")
Since = Callable[[str], datetime | None]
"""Says since when messages of these words are forgotten; None of words that are not."""
TELLING_TOKENS: Final = 4  # "ok" or "yes" of a deleted session is still an answer in every other one


def fingerprint(text: str, key: bytes) -> str:
    """Return the hash of a text's words under the scope's key; texts that a reader takes for the same have one."""
    return hmac.new(key, _words(text).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:32]


def _words(text: str) -> str:
    """Return the words, numbers and signs of a text, without case, punctuation, Markdown and invisible characters."""
    seen = text
    if not text.isascii():
        seen = compiled(INVISIBLE).sub("", text)  # what the guard wrote in place of hidden characters
        seen = "".join(char for char in seen if unicodedata.category(char) != "Cf")
    words = [_EDGES.sub("", word) for word in fold(seen).translate(_LOOK_ALIKES).replace("’", "'").split()]
    return " ".join(word for word in words if word) or fold(text)  # nothing but signs, as 👍 or ?


def texts(record: Record) -> tuple[str, ...]:
    """Return the texts of a record that must not return: its text, and of a topic its body under any title."""
    if isinstance(record, Topic) and record.body.strip():
        return record.text, record.body
    return (record.text,)


def line(text: str, key: bytes, *, at: datetime, sources: Screened | None, lifted: bool = False) -> Screened:
    """Write the tombstone of a text for its file, or that it is lifted.

    Args:
        text: What must not return; if empty, the line only has whoever reads it look into the transcripts. Its
            fingerprint is kept, which without the scope's key says nothing of it.
        key: The scope's key.
        at: Now.
        sources: What it rests on, as a screened JSON text.
        lifted: Whether the text may come in again.
    """
    values: dict[str, object] = {"fingerprint": fingerprint(text, key) if text.strip() else "", "at": at}
    if sources is not None:
        values["sources"] = sources
    if lifted:
        values["lifted"] = True
    return json_line(values, checksum=True)


class Tombstone(msgspec.Struct):
    """One thing that must not return, as a line says it; from a line that is `lifted` on it may."""

    fingerprint: str
    at: datetime
    sources: str = "[]"
    lifted: bool = False


class Tombstones:
    """The tombstones of a scope, read again whenever their file changed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._taken_back: Callable[[], Forgotten] = Forgotten
        self.forgotten: Forgotten | None = None
        """What the transcripts say; None before the first look."""
        self._version = ""
        self._fingerprints: set[str] = set()
        self._spans: dict[tuple[str, str], list[tuple[int, int] | None]] = {}
        self._hidden: frozenset[tuple[str, str]] = frozenset()
        self._since: Since | None = None
        self._since_named: Since | None = None

    def learn_from(self, taken_back: Callable[[], Forgotten]) -> None:
        """Set the function that returns the messages forgotten by the transcripts; one object while nothing changes."""
        self._taken_back, self.forgotten = taken_back, None

    def catch_up(self, *, look: bool = False) -> None:
        """Read the file if it is not as it was; with `look` also what others may have added to the transcripts."""
        try:
            version = self._store.version(PATH)
        except PathError:  # something that is no file: `doctor` names it, and the transcripts have the events too
            version = MISSING
        known = self.forgotten
        if look or known is None or version != self._version:
            known = self._taken_back()
        if known is self.forgotten and version == self._version:
            return
        blob = self._store.read(PATH) if version != MISSING else None
        version = blob.version if blob else MISSING
        fingerprints: set[str] = set()
        spans: dict[tuple[str, str], list[tuple[int, int] | None]] = {}
        single: dict[str, datetime] = {}
        said: dict[str, datetime] = {}
        for raw in blob.data.splitlines() if blob else ():
            if transcripts.checksum(raw) is False:
                continue  # doctor names damaged lines
            try:
                found = msgspec.json.decode(raw, type=Tombstone)
                sources = msgspec.json.decode(found.sources, type=tuple[Source, ...])
            except UNREADABLE:
                continue  # doctor names damaged lines
            if found.lifted:
                fingerprints.discard(found.fingerprint)
            elif found.fingerprint:
                fingerprints.add(found.fingerprint)
            for source in sources:
                spans.setdefault((source.session, source.message), []).append(source.span)
        for each in known.messages:
            if each.text.strip() and (each.single or estimate_tokens(each.text) >= TELLING_TOKENS):
                (single if each.single else said)[self._fingerprint(each.text)] = each.at
        self.forgotten = known
        self._since = self._asking(single, said) if single or said else None
        self._since_named = self._asking(single, {}) if single else None
        self._fingerprints, self._spans, self._version = fingerprints, spans, version
        self._hidden = known.hidden

    def _asking(self, single: Mapping[str, datetime], said: Mapping[str, datetime]) -> Since:
        def since(text: str) -> datetime | None:
            whole = self._fingerprint(text)
            found = [each for each in (single.get(whole), said.get(whole)) if each is not None]
            if single and "\n" in text:
                found += [single[each] for each in map(self._fingerprint, _lines(text)) if each in single]
            return max(found, default=None)

        return since

    def since(self) -> Since | None:
        """Return since when messages of some words are forgotten; None if none is.

        The same object as long as nothing was forgotten or restored.
        """
        self.catch_up()
        return self._since

    def since_named(self) -> Since | None:
        """Return the same of messages that were forgotten one by one; a deleted session takes no record along."""
        self.catch_up()
        return self._since_named

    def rests_on(self, sources: Iterable[Source]) -> bool:
        """True if one of some messages was forgotten, or the part of it that is a source."""
        self.catch_up()
        return any(
            (source.session, source.message) in self._hidden
            or any(_overlap(source.span, span) for span in self._spans.get((source.session, source.message), ()))
            for source in sources
        )

    def forbidden(self, texts: Iterable[str]) -> list[str]:
        """Return those of some texts, and of their lines, that were forgotten."""
        self.catch_up()
        return [each for text in texts for each in self._forbidden(text)]

    def forbidding(self) -> Callable[[str], bool]:
        """Return what is true of a text that, or of which a line, was forgotten by now."""
        self.catch_up()
        return lambda text: bool(self._forbidden(text))

    def _forbidden(self, text: str) -> list[str]:
        if not self._fingerprints:
            return []
        said = (text, *(_lines(text) if "\n" in text else ()))
        bare = [_LISTED.sub("", each) for each in said if _LISTED.match(each)]
        return [each for each in (*said, *bare) if self._fingerprint(each) in self._fingerprints]

    def cut(self, text: str) -> str:
        """Return a journal entry without the sentences that were forgotten; empty if nothing is left."""
        return cut(text, self.forbidding())

    def _fingerprint(self, text: str) -> str:
        return fingerprint(text, self._store.key())

    def hides(self, source: Source) -> bool:
        """True if a message was forgotten."""
        return (source.session, source.message) in self._hidden

    def known(self) -> Forgotten:
        """Return the messages that were forgotten, as the transcripts say now."""
        self.catch_up()
        return Forgotten() if self.forgotten is None else self.forgotten

    def hidden(self) -> frozenset[tuple[str, str]]:
        """Return the messages that were forgotten: (session, message)."""
        self.catch_up()
        return self._hidden


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _overlap(one: tuple[int, int] | None, other: tuple[int, int] | None) -> bool:
    # A source without a span is a whole message: forgetting one fact of it must not forbid the others.
    return one is not None and other is not None and one[0] < other[1] and other[0] < one[1]
