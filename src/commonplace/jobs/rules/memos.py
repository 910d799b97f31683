"""What the rules find and where a layout wants it: memos, places, and what is known already."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Literal

import msgspec

from commonplace.jobs.rules.patterns import Kind
from commonplace.records import Source, Trust

CHANGED_MIND = "changed mind"
"""The slot of a decision that takes the last one back."""


CHANGE = "change"
"""The slot of a statement that counts only in place of another one: it says what is new or over."""


HOME = "home"
"""The slot of where a person lives."""


NAMED = "named"
"""The slot of a correction that says of what the value is."""


ANNOUNCED = "announced"
"""The slot of such a correction that is announced as one: it stands alone where no record has the old value."""


RENAMED = "renamed"
"""The slot of a correction that says what a thing is called now."""


class Memo(msgspec.Struct, frozen=True, kw_only=True):
    """One thing worth remembering, with the words it rests on.

    `quote` is `content[span]` of message `number`. `frame` names what can have one value only, and
    `supersedes` a value that is over; `becomes` is the value in its place where the statement itself
    has to be taken from what is remembered. `listed` is true of an item of a list of the person's own.
    `instead` are the memos of its range in whose place it came, `again` those that say the same. `news` is the
    sentence that may update what is known in fewer words, with absolute dates, and `words` that sentence as it was
    said. `others` are the names of others who speak. `due` and `valid_until` are calendar days.
    """

    kind: Kind
    text: str
    number: int
    message: str
    quote: str
    span: tuple[int, int]
    trust: Trust
    salience: float
    slot: str = ""
    frame: str = ""
    supersedes: str = ""
    becomes: str = ""
    listed: bool = False
    speaker: str | None = None
    at: datetime | None = None
    due: date | None = None
    valid_until: date | None = None
    instead: tuple[Memo, ...] = ()
    again: tuple[Memo, ...] = ()
    news: str = ""
    words: str = ""
    others: frozenset[str] = frozenset()


class Known(msgspec.Struct, frozen=True):
    """One thing remembered already: an entry, an item or, where a place is a topic, its title, description and body.

    `at` is when it was said or, by hand, written; `sources` are the messages that it rests on, with their `quotes`.
    """

    id: str
    path: str
    text: str
    title: str = ""
    at: datetime | None = None
    sources: tuple[Source, ...] = ()
    quotes: tuple[str, ...] = ()
    description: str = ""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where memos of a kind go: an entry of a document, an item of a JSONL file, or a line of a topic.

    The path of topics holds `{topic}`: they are many files, and a memo goes to the one of its subject. For items
    `fields` renames the keys `text kind speaker at due valid_until salience` and `constants` adds to each; for a
    topic `title`, `description` and `topic_kind` are its front matter when it is new.
    """

    path: str
    layer: str = ""
    form: Literal["entry", "item", "topic"] = "entry"
    section: str = ""
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    constants: dict[str, Any] = msgspec.field(default_factory=dict)
    title: str = ""
    description: str = ""
    topic_kind: str = ""


Targets = Mapping[Kind, Place]
"""A layout's places; a kind without one is not kept."""
