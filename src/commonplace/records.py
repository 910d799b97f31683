"""The values that move through commonplace: messages, records, sources and hits.

All are frozen. This module owns no file, no clock and no rule: it only says what things are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

Role = Literal["user", "assistant", "system", "tool"]
Trust = Literal["user", "agent", "tool", "web"]
LayerName = Literal["sessions", "documents", "journals", "topics", "items"]

TRUST_RANK: Final[dict[str, int]] = {"user": 3, "agent": 2, "tool": 1, "web": 0}
"""Higher is more trusted; what nobody vouched for counts as `web`."""

ROLE_TRUST: Final[dict[Role, Trust]] = {"user": "user", "assistant": "agent", "system": "tool", "tool": "web"}
"""The most a message of a role is trusted; the text of a tool that the host names as its own is `agent`."""

LAYERS: Final[tuple[LayerName, ...]] = ("sessions", "documents", "journals", "topics", "items")


UPKEEP: Final = frozenset({"memory", "memory-agent", "compactor", "search"})
"""Kinds of session in which memory itself is worked on: nothing of them is remembered."""


def lowest_trust(levels: Iterable[Trust]) -> Trust:
    """Return the least trusted of some levels; `web` when there are none."""
    return min(levels, key=TRUST_RANK.__getitem__, default="web")


def is_below_agent(trust: Trust) -> bool:
    """True if a text is trusted less than what the agent says itself."""
    return TRUST_RANK[trust] < TRUST_RANK["agent"]


class _MessageBase(msgspec.Struct, frozen=True):
    role: Role
    content: str


class Message(_MessageBase, frozen=True, kw_only=True, omit_defaults=True):
    """One message of a conversation.

    `id` is unique within its session and makes a repeated append a no-op; without one the session
    numbers it. `at` is an aware instant; without one the clock gives it. `tools` names the tools a
    message called (assistant) or came from (tool). `calls` holds the id and the tool of each call, so that
    an SDK's result that is appended later finds its tool. `trust` is computed from the role when None.
    """

    name: str | None = None
    id: str | None = None
    at: datetime | None = None
    tools: tuple[str, ...] = ()
    trust: Trust | None = None
    calls: tuple[tuple[str, str], ...] = ()


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a text came from: a message, and the characters of it (start, end) when only a part."""

    session: str
    message: str
    span: tuple[int, int] | None = None


class Session(msgspec.Struct, frozen=True):
    """What is known of one session without reading its messages into memory.

    `messages` counts all that were ever appended; `window_start` is the number of the first message
    still live; `cursors` say how far each consolidator has come (message numbers, exclusive). `paused` and
    `metadata` are the host's own, and change nothing here. `names` are those that its users wrote under.
    """

    id: str
    created_at: datetime
    messages: int = 0
    window_start: int = 0
    last_at: datetime | None = None
    agent: str = "main"
    kind: str = "foreground"
    ended: bool = False
    cursors: dict[str, int] = msgspec.field(default_factory=dict)
    paused: bool = False
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)
    names: frozenset[str] = frozenset()


class Entry(msgspec.Struct, frozen=True):
    """One entry of a document: a list item, a paragraph or a separated block, without its bullet."""

    id: str
    path: str
    text: str
    section: str = ""


class JournalEntry(msgspec.Struct, frozen=True):
    """One dated block of a journal; `trust` is what its mark says, None if it has none."""

    id: str
    path: str
    text: str
    at: datetime | None = None
    trust: Trust | None = None


class Topic(msgspec.Struct, frozen=True):
    """One file about one subject: front matter (all strings, unknown keys kept), body, links."""

    id: str
    path: str
    title: str
    body: str
    description: str = ""
    kind: str = ""
    links: tuple[str, ...] = ()
    extra: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def text(self) -> str:
        """Title, description and body together, without what the next of them says whole."""
        parts = [part.strip() for part in (self.title, self.description, self.body) if part.strip()]
        return "\n".join(part for n, part in enumerate(parts) if not _is_said(part, parts[n + 1 :]))

    @property
    def tags(self) -> tuple[str, ...]:
        """What `tags` in its front matter says."""
        return _tags(self.extra.get("tags"))


def _is_said(part: str, after: Sequence[str]) -> bool:
    """True if the next text begins with a line that says a title or description whole."""
    line = after[0].split("\n", 1)[0] if after else ""
    return line == part or (part.endswith("…") and line.startswith(part[:-1]))


class Item(msgspec.Struct, frozen=True):
    """One typed JSONL record; `data` is the whole object as stored, unknown keys included."""

    id: str
    path: str
    text: str
    kind: str = ""
    title: str = ""
    at: datetime | None = None
    data: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def tags(self) -> tuple[str, ...]:
        """What `tags` in its object says."""
        return _tags(self.data.get("tags"))


def _tags(value: object) -> tuple[str, ...]:
    """Read tags from a list of texts, or from one text with commas between them."""
    listed = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else ()
    return tuple(tag for each in listed if isinstance(each, str) and (tag := each.strip()))


class RecordedMessage(msgspec.Struct, frozen=True):
    """One message as stored: numbered, dated, screened, with its trust and its place in the file."""

    id: str
    path: str
    session: str
    number: int
    message: Message
    offset: int

    @property
    def text(self) -> str:
        """The words of the message."""
        return self.message.content


Record = Entry | JournalEntry | Topic | Item | RecordedMessage


class Hit(msgspec.Struct, frozen=True):
    """One answer of a recall: a record, or one passage of a message.

    `record` is its id, of a message `session#message`. `score` is above 0 and comparable only within one query; `why`
    says what it is made of when asked with `explain=True`. `at` is when it was said, of a record the last that it
    rests on; else when it was written.
    `superseded_by` names the record that now says otherwise, or that was forgotten; empty while nothing does.
    `superseded_words` are the words of it that no longer hold, if the rest of it is not superseded. `name` is what the
    one is called who said a message.
    """

    record: str
    text: str
    score: float
    layer: LayerName
    sources: tuple[Source, ...]
    trust: Trust
    at: datetime | None = None
    why: dict[str, float | str] = msgspec.field(default_factory=dict)
    superseded_by: str = ""
    superseded_words: str = ""
    name: str = ""


class Superseded(msgspec.Struct, frozen=True):
    """A part of a message whose value a `record` says otherwise, since when, and the sources of that record.

    `was` is how memory and the message said it, as far as the log has it; `now` is what the record says in its place.
    """

    span: tuple[int, int] | None
    record: str
    since: datetime
    sources: tuple[Source, ...] = ()
    was: tuple[str, ...] = ()
    now: str = ""


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A question with its limits: at most `k` hits, of some layers, with all of the tags, as of an instant."""

    text: str
    k: int = 8
    layers: tuple[LayerName, ...] | None = None
    tags: tuple[str, ...] = ()
    as_of: datetime | None = None


class Dropped(msgspec.Struct, frozen=True):
    """A record that did not enter a context, and why."""

    record: str
    reason: str
    tokens: int = 0


class Section(msgspec.Struct, frozen=True):
    """One part of a context: its place, what it holds, what it costs."""

    title: str
    part: Literal["stable", "volatile"]
    text: str
    tokens: int
    records: tuple[str, ...] = ()


class Context(msgspec.Struct, frozen=True):
    """What enters the prompt: `stable` stays the same until memory changes, `volatile` follows the query.

    `tokens` is the estimate of both together and never above `budget`. `warnings` name the documents of which more
    is always shown than may be, a sentence each.
    """

    stable: str
    volatile: str
    sections: tuple[Section, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tokens: int = 0
    budget: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Both parts as one text."""
        return "\n\n".join(part for part in (self.stable, self.volatile) if part)

    @property
    def diagnostics(self) -> dict[str, Any]:
        """What was spent where, and what was left out and why, as plain data."""
        return {
            "budget": self.budget,
            "tokens": self.tokens,
            "sections": [{"title": s.title, "part": s.part, "tokens": s.tokens} for s in self.sections],
            "dropped": [{"record": d.record, "reason": d.reason, "tokens": d.tokens} for d in self.dropped],
            "warnings": list(self.warnings),
        }

    def to_anthropic(
        self, recalled: Literal["system", "user"] = "system", *, messages: Sequence[Mapping[str, Any]] | None = None
    ) -> dict[str, Any]:
        """Render for `client.messages.create(**context.to_anthropic(), ...)`.

        The stable part is a cached system block; the volatile part is a second block after it, so a
        new query leaves the cached prefix alone.

        Args:
            recalled: As what the volatile part is sent; as `user` it is in `messages`, to come before your own.
            messages: The history to send. With it the result has all `messages`, and the volatile part is in the
                last one of the user: a prompt cache then holds the stable part and the history before it.
        """
        system: list[dict[str, Any]] = []
        if self.stable:
            system.append({"type": "text", "text": self.stable, "cache_control": {"type": "ephemeral"}})
        block = {"type": "text", "text": self.volatile}
        if self.volatile and recalled == "system" and messages is None:
            system.append(block)
        made: dict[str, Any] = {"system": system} if system else {}
        if messages is not None:
            return made | {"messages": _following(messages, self.volatile)}
        return made | (
            {"messages": [{"role": "user", "content": [block]}]} if self.volatile and recalled == "user" else {}
        )

    def to_openai(
        self, recalled: Literal["system", "user"] = "system", *, messages: Sequence[Mapping[str, Any]] | None = None
    ) -> list[dict[str, Any]]:
        """Render as leading messages, the stable part as `system` and the volatile one behind it as `recalled`.

        Args:
            recalled: As what the volatile part is sent.
            messages: The history to send. With it the result is the whole list, and the volatile part is in the
                last message of the user, behind all that a prompt cache can hold.
        """
        if messages is not None:
            stable = [{"role": "system", "content": self.stable}] if self.stable else []
            return [*stable, *_following(messages, self.volatile)]
        parts = (("system", self.stable), (recalled, self.volatile))
        return [{"role": role, "content": part} for role, part in parts if part]


def _following(messages: Sequence[Mapping[str, Any]], volatile: str) -> list[dict[str, Any]]:
    """Return messages with a text in the last one of the user: before its words, after results of tools."""
    found = [dict(message) for message in messages]
    last = next((message for message in reversed(found) if message.get("role") == "user"), None)
    if not volatile:
        return found
    if last is None:
        return [*found, {"role": "user", "content": volatile}]
    content = last.get("content")
    if isinstance(content, (list, tuple)):
        results = sum(isinstance(block, Mapping) and block.get("type") == "tool_result" for block in content)
        last["content"] = [*content[:results], {"type": "text", "text": volatile}, *content[results:]]
    else:
        last["content"] = f"{volatile}\n\n{content or ''}".rstrip()
    return found


OutcomeStatus = Literal[
    "applied", "planned", "unchanged", "duplicate", "refused", "pending", "over_cap", "conflict", "skipped", "failed",
]  # fmt: skip


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a request to change memory.

    `change` is the number of the committed change, `records` the ids it made, `review` the ids of
    what waits for a person, `diff` what the files' texts would show. Only `applied` (and `pending`,
    for the review queue) changed anything. `fault` says what a model failed with where something else was written in
    its place. `scope` is the one that was asked, as each has its own numbers;
    where it is empty, the one that takes writes.
    """

    status: OutcomeStatus
    change: int | None = None
    records: tuple[str, ...] = ()
    review: tuple[str, ...] = ()
    reason: str = ""
    diff: str = ""
    scope: str = ""
    fault: str = ""

    @property
    def ok(self) -> bool:
        """True if what was asked for now holds."""
        return self.status in {"applied", "planned", "unchanged", "duplicate"}


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One committed change as the log of its scope has it; texts are empty where they were erased."""

    number: int
    at: datetime
    actor: str
    kinds: tuple[str, ...]
    paths: tuple[str, ...]
    reason: str = ""
    diff: str = ""
    sources: tuple[Source, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    undoes: int | None = None
    undone_by: int | None = None
    erased: bool = False
    scope: str = ""


class Quote(msgspec.Struct, frozen=True):
    """Words of a message that a record rests on."""

    source: Source
    text: str
    role: str
    at: datetime | None = None
    name: str | None = None


class Step(msgspec.Struct, frozen=True):
    """One change in the life of a record: what it said from then on, and why."""

    change: int
    at: datetime
    actor: str
    reason: str
    text: str


class Trail(msgspec.Struct, frozen=True):
    """Why a record is there: its life backwards, and the messages it rests on, quoted."""

    record: str
    text: str
    trust: Trust
    steps: tuple[Step, ...]
    quotes: tuple[Quote, ...]


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What a forget did, or would do: each record with its text; `scope` is the one that held it.

    `review` are the ids of what waits for a person instead. Where texts are erased, `places` are the files below the
    root that hold or held them, with how often, `scanned` is how many files were searched, and `left` those that still
    do: only their owner changes a file under version control or of another scope, and a name in the change log stays.
    `unsearched` may hold them in other bytes: packed files, databases of other programs, and what a repository keeps.
    """

    forgotten: tuple[tuple[str, str], ...]
    change: int | None = None
    dry_run: bool = False
    reason: str = ""
    scope: str = ""
    review: tuple[str, ...] = ()
    places: tuple[tuple[str, int], ...] = ()
    left: tuple[tuple[str, int], ...] = ()
    scanned: int = 0
    unsearched: tuple[str, ...] = ()


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """One operation that waits for a person, and why it was not simply done.

    `theirs` is what memory says now at the place that it would change, or, of an entry that would be added, what
    memory came to say of it since; empty if there is none. `quotes` are the messages that it rests on. An `overtaken`
    one met another text when it began to wait: it is done only in words that a person gives.
    """

    id: str
    state: Literal["pending", "quarantined", "conflicted", "overtaken"]
    at: datetime
    reason: str
    operation: dict[str, Any]
    actor: str = ""
    theirs: str = ""
    quotes: tuple[Quote, ...] = ()


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not as it should be: where, what, and whether it was mended."""

    kind: Literal["damaged", "drift", "log", "limit", "misplaced", "layout", "link", "outside", "owner"]
    path: str
    reason: str
    line: int | None = None
    fixed: bool = False


class Report(msgspec.Struct, frozen=True):
    """What `doctor` found; `checked` counts what was looked at, by kind, `waiting` what waits for review."""

    problems: tuple[Problem, ...]
    checked: dict[str, int]
    waiting: int = 0

    @property
    def ok(self) -> bool:
        """True if nothing is left to mend; a full file and a chat without its owner are not broken."""
        return all(problem.fixed or problem.kind in {"limit", "owner"} for problem in self.problems)


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What is always shown, as it was when the snapshot was taken; nothing can be written through it."""

    text: str
    at: datetime
    scope: tuple[str, ...]
