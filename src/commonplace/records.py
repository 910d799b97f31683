"""The values that move through commonplace: messages, records, sources, hits, and screened text.

All are frozen. This module owns no file, no clock and no rule: it only says what things are made of.
`Screened` is the one value with a secret: only the guard can make it, and a store takes nothing else.
"""

from __future__ import annotations

import functools
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal

import msgspec

Role = Literal["user", "assistant", "system", "tool"]
Trust = Literal["user", "agent", "tool", "web"]
LayerName = Literal["sessions", "documents", "journals", "topics", "items"]

TRUST_RANK: Final[dict[str, int]] = {"user": 3, "agent": 2, "tool": 1, "web": 0}
"""Higher is more trusted; what nobody vouched for counts as `web`."""

LAYERS: Final[tuple[LayerName, ...]] = ("sessions", "documents", "journals", "topics", "items")


def lowest_trust(levels: Iterable[Trust]) -> Trust:
    """Name the least trusted of some levels; `web` when there are none."""
    return min(levels, key=TRUST_RANK.__getitem__, default="web")


class _MessageBase(msgspec.Struct, frozen=True):
    role: Role
    content: str


class Message(_MessageBase, frozen=True, kw_only=True, omit_defaults=True):
    """One message of a conversation.

    `id` is unique within its session and makes a repeated append a no-op; without one the session
    numbers it. `at` is an aware instant; without one the clock gives it. `tools` names the tools a
    message called (assistant) or came from (tool). `trust` is computed from the role when None.
    """

    name: str | None = None
    id: str | None = None
    at: datetime | None = None
    tools: tuple[str, ...] = ()
    trust: Trust | None = None


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a text came from: a message, and the characters of it (start, end) when only a part."""

    session: str
    message: str
    span: tuple[int, int] | None = None


class Turn(msgspec.Struct, frozen=True):
    """A user message and the replies up to the next one."""

    messages: tuple[Message, ...]


class Session(msgspec.Struct, frozen=True):
    """What is known of one session without reading its messages into memory.

    `messages` counts all that were ever appended; `window_start` is the number of the first message
    still live; `cursors` say how far each consolidator has come (message numbers, exclusive).
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


class Entry(msgspec.Struct, frozen=True):
    """One entry of a document: a list item, a paragraph or a separated block, without its bullet."""

    id: str
    path: str
    text: str
    section: str = ""


class JournalEntry(msgspec.Struct, frozen=True):
    """One dated block of a journal."""

    id: str
    path: str
    text: str
    at: datetime | None = None


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
        """Title, description and body together."""
        return "\n".join(part for part in (self.title, self.description, self.body) if part)


class Item(msgspec.Struct, frozen=True):
    """One typed JSONL record; `data` is the whole object as stored, unknown keys included."""

    id: str
    path: str
    text: str
    kind: str = ""
    title: str = ""
    at: datetime | None = None
    data: dict[str, Any] = msgspec.field(default_factory=dict)


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

    `score` is above 0 and comparable only within one query; `why` says what it is made of when asked
    with `explain=True`. `superseded_by` names the record that now says otherwise; empty while nothing does.
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


class Superseded(msgspec.Struct, frozen=True):
    """A part of a message whose value a `record` says otherwise, since when, and the sources of that record."""

    span: tuple[int, int] | None
    record: str
    since: datetime
    sources: tuple[Source, ...] = ()


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A question with its limits; `k_by_layer` overrides `k`, tokens bound what comes back."""

    text: str
    k: int = 8
    k_by_layer: dict[str, int] = msgspec.field(default_factory=dict)
    layers: tuple[LayerName, ...] | None = None
    soft_tokens: int | None = None
    max_tokens: int | None = None
    tags: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    as_of: datetime | None = None


class Dropped(msgspec.Struct, frozen=True):
    """A record that did not enter a context, and why."""

    record: str
    reason: str
    tokens: int = 0


class Section(msgspec.Struct, frozen=True):
    """One part of a context: where it stands, what it holds, what it costs."""

    title: str
    part: Literal["stable", "volatile"]
    text: str
    tokens: int
    records: tuple[str, ...] = ()


class Context(msgspec.Struct, frozen=True):
    """What enters the prompt: `stable` stays the same until memory changes, `volatile` follows the query.

    `tokens` is the estimate of both together and never above `budget`.
    """

    stable: str
    volatile: str
    sections: tuple[Section, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tokens: int = 0
    budget: int = 0

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
        }

    def to_anthropic(self) -> dict[str, Any]:
        """Render for `client.messages.create(**context.to_anthropic(), ...)`.

        The stable part is a cached system block; the volatile part is a second block after it, so a
        new query leaves the cached prefix alone.
        """
        system: list[dict[str, Any]] = []
        if self.stable:
            system.append({"type": "text", "text": self.stable, "cache_control": {"type": "ephemeral"}})
        if self.volatile:
            system.append({"type": "text", "text": self.volatile})
        return {"system": system} if system else {}

    def to_openai(self) -> list[dict[str, str]]:
        """Render as leading messages of role system, the stable one first."""
        return [{"role": "system", "content": part} for part in (self.stable, self.volatile) if part]


OutcomeStatus = Literal[
    "applied", "planned", "unchanged", "duplicate", "refused", "pending", "over_cap", "conflict", "skipped"
]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a request to change memory.

    `change` is the number of the committed change, `records` the ids it made, `review` the ids of
    what waits for a person, `diff` what the files' texts would show. Only `applied` (and `pending`,
    for the review queue) changed anything.
    """

    status: OutcomeStatus
    change: int | None = None
    records: tuple[str, ...] = ()
    review: tuple[str, ...] = ()
    reason: str = ""
    diff: str = ""

    @property
    def ok(self) -> bool:
        """Whether what was asked for now holds."""
        return self.status in {"applied", "planned", "unchanged", "duplicate"}


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One committed change as the log tells it; texts are empty where they were erased."""

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
    """What a forget did, or would do: each record with its text."""

    forgotten: tuple[tuple[str, str], ...]
    change: int | None = None
    dry_run: bool = False
    reason: str = ""


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """One operation that waits for a person, and why it was not simply done.

    `theirs` is what stands where a conflicted one wanted to write; empty where nothing does.
    """

    id: str
    state: Literal["pending", "quarantined", "conflicted"]
    at: datetime
    reason: str
    operation: dict[str, Any]
    actor: str = ""
    theirs: str = ""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not as it should be: where, what, and whether it was mended."""

    kind: Literal["damaged", "drift", "log", "import", "format", "limit", "leftover"]
    path: str
    reason: str
    line: int | None = None
    fixed: bool = False


class Report(msgspec.Struct, frozen=True):
    """What `doctor` found; `checked` counts what was looked at, by kind."""

    problems: tuple[Problem, ...]
    checked: dict[str, int]

    @property
    def ok(self) -> bool:
        """Whether nothing is left to mend."""
        return all(problem.fixed for problem in self.problems)


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What is always shown, as it was when the snapshot was taken; nothing can be written through it."""

    text: str
    at: datetime
    scope: tuple[str, ...]


class Finding(msgspec.Struct, frozen=True):
    """What the guard saw in a text: its class and rule, and where; never the text itself."""

    kind: Literal["secret", "unicode", "injection"]
    rule: str
    span: tuple[int, int]


_STRUCTURAL_CHARS: Final = 120
_STRUCTURAL: Final = re.compile(r"[\x20-\x7e\n\t§]*\Z")
_LONG_RUN: Final = re.compile(r"[A-Za-z0-9+/_=-]{41,}")
_SEAL: Final = object()
_LINE: Final = msgspec.json.Encoder()
_KEYS_KEPT: Final = 512
_keys: Final[set[object]] = set()  # that were found structural: a program has few, in line after line


class Screened:
    """Text that passed the guard; `findings` tell what was redacted or made visible.

    Only `guard.screen` makes one from foreign text; joining screened parts keeps them screened.
    """

    __slots__ = ("findings", "text")

    def __init__(self, text: str, findings: tuple[Finding, ...] = (), *, _seal: object = None) -> None:
        if _seal is not _SEAL:
            raise TypeError("Screened text is made by guard.screen only")
        self.text = text
        self.findings = findings

    def __repr__(self) -> str:
        return f"Screened({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Screened) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The classes of secret that were redacted, each once, in order."""
        return tuple(dict.fromkeys(f.rule for f in self.findings if f.kind == "secret"))


def seal(text: str, findings: tuple[Finding, ...] = ()) -> Screened:
    """Make screened text; for the guard alone (a test holds every other module to that)."""
    return Screened(text, findings, _seal=_SEAL)


def structural(text: str) -> bool:
    """Say whether a text is plain enough to stand in a stored line unscreened: short, ASCII, no long run."""
    return len(text) <= _STRUCTURAL_CHARS and _is_structural(text)


@functools.lru_cache(maxsize=1024)  # of keys, roles and dates, the same ones in line after line
def _is_structural(text: str) -> bool:
    return bool(_STRUCTURAL.match(text)) and not _LONG_RUN.search(text)


def join(parts: Sequence[Screened | str]) -> Screened:
    """Join screened parts with structural text between them.

    Raises:
        TypeError: A plain `str` part is more than structure: over 120 characters, not printable
            ASCII, or with a run that could be a key. Screen it first.
    """
    texts: list[str] = []
    findings: list[Finding] = []
    for part in parts:
        if isinstance(part, Screened):
            texts.append(part.text)
            findings.extend(part.findings)
        elif structural(part):
            texts.append(part)
        else:
            raise TypeError("text between screened parts must be structure; screen it first")
    return Screened("".join(texts), tuple(findings), _seal=_SEAL)


def json_line(values: Mapping[str, Any], *, checksum: bool = False) -> Screened:
    """Encode one JSON object whose every text is screened or structural, on one line, no newline.

    With `checksum`, the last key is `h`: the CRC-32, as 8 hex digits, of the line before `,"h"`.
    Leaves may be Screened, int, float, bool, None, datetime, structural `str`, and lists or mappings
    of these; keys are structural.
    """
    findings: list[Finding] = []
    floats: list[float] = []
    line = _encoded(_plain(values, findings, floats), exact=bool(floats))
    if checksum:
        line = b'%b,"h":"%08x"}' % (line[:-1], zlib.crc32(line[:-1]))
    return Screened(line.decode("utf-8", "surrogatepass"), tuple(findings), _seal=_SEAL)


def _encoded(plain: Any, *, exact: bool) -> bytes:
    if not exact:  # the faster encoder writes some floats otherwise
        try:
            return _LINE.encode(plain)
        except UnicodeEncodeError:  # half a surrogate pair
            pass
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _key(key: Any, findings: list[Finding], floats: list[float]) -> str:
    plain = str(_plain(key, findings, floats))
    if type(key) is str and len(_keys) < _KEYS_KEPT:
        _keys.add(key)
    return plain


def _plain(value: Any, findings: list[Finding], floats: list[float]) -> Any:
    """Give a value as the encoders take it; note what the guard found in it, and its floats."""
    kind = type(value)
    if kind is dict or isinstance(value, Mapping):
        if not _keys.issuperset(value):
            value = {_key(key, findings, floats): item for key, item in value.items()}
        return {
            key: item.text if type(item) is Screened and not item.findings else _plain(item, findings, floats)
            for key, item in value.items()
        }
    if kind is Screened:
        findings.extend(value.findings)
        return value.text
    if value is None or kind is int or kind is bool:
        return value
    if isinstance(value, str):
        if not structural(value):
            raise TypeError("a text in a stored line must be screened first")
        return str(value)
    if isinstance(value, float):
        floats.append(value)
        return value
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item, findings, floats) for item in value]
    if isinstance(value, int):
        return int(value)
    raise TypeError(f"{kind.__name__} cannot stand in a stored line")


def instant(at: datetime) -> str:
    """Write an instant as ISO 8601 in UTC with milliseconds and `Z`."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def whole_milliseconds(at: datetime) -> datetime:
    """Give an instant as it reads once it was written."""
    at = at.astimezone(UTC)
    return at.replace(microsecond=at.microsecond // 1000 * 1000)
