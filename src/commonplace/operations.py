"""Everything that can happen to memory, as one closed union.

Texts here are plain: the door screens them. `sources` and `quotes` run in parallel: the message an
operation rests on and the words of it; `overrules` are messages that say otherwise. `trust` is computed
by the door from the path a text came by and the messages it uses, never taken from a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, get_args

import msgspec

from commonplace.records import RecordedMessage, Source, Trust

NOTED: Final = "Noted:"
"""What a journal entry begins with that only lists what the rules wrote elsewhere, a sentence each."""


class _Operation(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", omit_defaults=True):
    sources: tuple[Source, ...] = ()
    quotes: tuple[str, ...] = ()
    overrules: tuple[Source, ...] = ()
    trust: Trust | None = None


class AddEntry(_Operation, frozen=True, kw_only=True, tag="add"):
    """Add one entry to a document, at the end of a section (created when missing) or of the whole.

    `verdicts` has what a model said it is to entries that are there (same, newer, conflict or distinct), by their
    fingerprints; what becomes of it is decided at the door.
    """

    path: str
    text: str
    section: str = ""
    kind: str = ""
    verdicts: dict[str, str] = msgspec.field(default_factory=dict)


class ReplaceEntry(_Operation, frozen=True, kw_only=True, tag="replace"):
    """Replace the text of one entry; `target` is its id, its view number or a substring only it has."""

    path: str
    target: str
    text: str


class RemoveEntry(_Operation, frozen=True, kw_only=True, tag="remove"):
    """Remove one entry from a document; `target` as in ReplaceEntry."""

    path: str
    target: str


class RewriteDocument(_Operation, frozen=True, kw_only=True, tag="rewrite"):
    """Make a document read as given; executed as the smallest set of entry edits.

    `base` is the text it was made from, whole or its end: where the document says something else by now, both edits are
    merged by entry, so that a rewrite that took long takes nothing back. `rests` has the messages that a new line rests
    on, by the line without its bullet, each with the sentence.
    """

    path: str
    text: str
    base: str | None = None
    rests: dict[str, tuple[tuple[Source, str], ...]] = {}


class AppendJournal(_Operation, frozen=True, kw_only=True, tag="journal"):
    """Add one dated block; `at` is ISO 8601, the door's clock when empty."""

    path: str
    text: str
    at: str = ""


class PutTopic(_Operation, frozen=True, kw_only=True, tag="put_topic"):
    """Write a topic file; keys of the front matter that are not named here stay as they are.

    `links` are added to those it has; `parents` replace those it has. `category` is its place in the
    tree if it has no parents, from the top: `people/friends`. Where `line` is set, `body` is one line: it takes the
    place of the line of the topic that reads so, or is added at its end if none does.
    """

    path: str
    body: str
    title: str = ""
    description: str = ""
    kind: str = ""
    links: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    category: str = ""
    line: str | None = None
    front: dict[str, str] = msgspec.field(default_factory=dict)


class RemoveTopic(_Operation, frozen=True, kw_only=True, tag="remove_topic"):
    """Remove a topic file; `into` names the topic that now says what it said."""

    path: str
    into: str = ""


class PutItem(_Operation, frozen=True, kw_only=True, tag="put_item"):
    """Append one JSON record; the last line of an id wins."""

    path: str
    id: str
    data: dict[str, Any]


class RemoveItem(_Operation, frozen=True, kw_only=True, tag="remove_item"):
    """Append the removal of one JSON record."""

    path: str
    id: str


class MoveCursor(_Operation, frozen=True, kw_only=True, tag="cursor"):
    """Move the cursor of a consolidator past a session's messages [.., to)."""

    session: str
    name: str
    to: int


class TakeBack(_Operation, frozen=True, kw_only=True, tag="take_back"):
    """Hide what messages say that a person asked to forget; an undo shows it again.

    `sources` are the messages that ask, `overrules` those that say it, each with its words in `quotes`.
    """

    @property
    def request(self) -> str:
        """The id of the last message that asks."""
        return f"{self.sources[-1].session}#{self.sources[-1].message}"


class SayAgain(_Operation, frozen=True, kw_only=True, tag="say_again"):
    """Note that messages say again what a record says, in its words `text`: what overrules it overrules them too."""

    record: str
    text: str


class MoveWindow(_Operation, frozen=True, kw_only=True, tag="window"):
    """Start the live window of a session at message number `to`; `why` is compact, reset or trim."""

    session: str
    to: int
    why: str
    summary: str = ""


class EndSession(_Operation, frozen=True, kw_only=True, tag="end"):
    """Mark a session as ended; an append opens it again."""

    session: str


class HoldRange(_Operation, frozen=True, kw_only=True, tag="hold"):
    """Keep messages [start, end) of a session from being consolidated again unless asked explicitly."""

    session: str
    name: str
    start: int
    end: int
    held: bool = True


class Promote(_Operation, frozen=True, kw_only=True, tag="promote"):
    """Raise the trust of one record; a person's act only."""

    record: str
    to: Trust


class Forget(_Operation, frozen=True, kw_only=True, tag="forget"):
    """Hide one record and keep it from coming back: removed, with a tombstone for its text and sources.

    With `aged` it only goes for its age: what rests on it stays, and it may be said again. A message that goes `alone`
    leaves what rests on it to other operations.
    """

    record: str
    aged: bool = False
    alone: bool = False


Edit = (
    AddEntry
    | ReplaceEntry
    | RemoveEntry
    | RewriteDocument
    | AppendJournal
    | PutTopic
    | RemoveTopic
    | PutItem
    | RemoveItem
)
Operation = Edit | MoveCursor | TakeBack | SayAgain | MoveWindow | EndSession | HoldRange | Promote | Forget
OPERATIONS: Final = get_args(Operation)
"""The same union, for `isinstance`."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """What a consolidator asks for: what happened, and the operations that should follow.

    `read` and `search` ask a multi-round consolidator's host for more; `done` ends the rounds. `ruled` says that the
    rules made it from what a person said, so that it needs no ground. `summary` replaces the messages that
    leave a window. `taken_back` are messages that say what a person asked to forget, each with its words; None if it
    did not look for them; `again` says which messages say what memory says already. `unread` are the texts of
    operations that could not be read, each with the reason.
    """

    journal: str = ""
    operations: tuple[Edit, ...] = ()
    read: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    done: bool = True
    ruled: bool = False
    summary: str = ""
    taken_back: tuple[tuple[Source, str], ...] | None = None
    again: tuple[SayAgain, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()


class ViewEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One record a consolidator may touch; a model sees the short `number` instead of its `id`.

    `user_authored` means last written by a person, not extracted from one; `shown` that it is in
    the part of memory that enters every prompt. `section` of a topic is its title and description; `whole` says
    that a model sees its text too. `said` is when the last message that it rests on was said: what was said
    before that does not correct it. If it rests on none, `by_hand` is when it was written or, from outside, noticed,
    and `said` a day before it was written.
    """

    id: str
    number: int
    path: str
    text: str
    section: str = ""
    said: datetime | None = None
    by_hand: datetime | None = None
    sources: tuple[Source, ...] = ()
    quotes: tuple[str, ...] = ()
    trust: Trust = "agent"
    pinned: bool = False
    user_authored: bool = False
    shown: bool = False
    whole: bool = True


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What a consolidator sees, and what its proposal is judged against.

    A model sees `messages` numbered from 1 in this order and `entries` by their `number`; `earlier` are the messages
    of the session before them, since its last reset, that it does not see; `elsewhere` is what other sessions and
    memory say of its proposal. `shown` are the paths that enter every prompt; `writable` are patterns
    (`topics/*.md`) of the paths it may write, None for any; `unseen` are paths that exist though none of
    their text is among `entries`; `logs` is what tidying read in journals, which corrects as a message does.
    `compress` says that shrinking was asked for, to `limit` in words.
    """

    messages: tuple[RecordedMessage, ...] = ()
    earlier: tuple[RecordedMessage, ...] = ()
    elsewhere: tuple[tuple[str, Trust], ...] = ()
    entries: tuple[ViewEntry, ...] = ()
    shown: tuple[str, ...] = ()
    writable: tuple[str, ...] | None = None
    unseen: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    compress: bool = False
    limit: str = ""

    def message(self, number: int) -> RecordedMessage | None:
        """Find the message a model calls `number`."""
        return self.messages[number - 1] if 0 < number <= len(self.messages) else None

    def entry(self, number: int) -> ViewEntry | None:
        """Find the entry a model calls `number`."""
        return next((entry for entry in self.entries if entry.number == number), None)


def denied(operation: Mapping[str, Any], *, forgets: bool) -> str:
    """Return the id of the record that a logged operation takes out because a person said so; empty if it does not."""
    if str(operation.get("op")).startswith("remove") and (forgets or operation.get("trust") == "user"):
        return str(operation.get("target") or "#".join(filter(None, map(operation.get, ("path", "id")))))
    return ""
