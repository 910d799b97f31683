"""The index of topics in a document: a line a topic, in the change that moves one.

A line that a person or another program wrote for a topic stays as it is; a generated block lists the other
topics. If a topic goes or moves, its line goes along. Only so many lines are shown
(`context.index_lines`, `context.index_bytes`), the newest ones; a last line says how many are left out.

Lists only what may be in every prompt: topics trusted as much as the agent. Writes nothing if no topic changed.

Source: seed memdir, "MEMORY.md"; seed model, conclusion 5.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple
from urllib.parse import unquote

import msgspec

from commonplace.changes.heads import Head, head
from commonplace.changes.parts import Parts
from commonplace.changes.plan import Plan
from commonplace.config import ContextConfig
from commonplace.layouts.codecs import blocks, documents, edits, topics
from commonplace.layouts.codecs.topics import LINE_CHARS, Pointer
from commonplace.layouts.schema import Generated
from commonplace.operations import RemoveEntry, ReplaceEntry
from commonplace.records import Entry, Problem, Trust, is_below_agent
from commonplace.text.patterns import pattern
from commonplace.text.pieces import beginning

LINK: Final = pattern(r"\[((?:[^\[\]\\\n]|\\.){1,300})\]\(<?((?:[^()\s<>:#]|%3A){1,300}\.md)>?\)")
"""The link of a pointer: its title and its path."""

FIRST: Final = 1e12
"""The rank of a line that is no pointer; added to the rank of a pointer that stays longest."""

_BULLET: Final = pattern(r" {0,3}[-*+][ \t]+")
_NOTICE: Final = pattern(r"> (\d+) more topics are not listed here")
_CUT_BYTES: Final = 1000  # a line longer than that is shown in part, if it does not fit whole
_MARKERS = len(blocks.INDEX_OPEN) + len(blocks.INDEX_CLOSE) + 2  # bytes of their two lines
_OURS = 10**9  # the number of our first line: behind all lines of a document


class Line(NamedTuple):
    """A line of a document with its number; `topic` is the file that it points to, empty if it is no pointer."""

    number: int
    text: str
    topic: str = ""


class Loaded(NamedTuple):
    """The lines of a document that are shown, each with its rank, and what is said of those that are not."""

    lines: tuple[tuple[Line, float], ...]
    warning: str = ""


def topic_of(document: str, text: str) -> str:
    """Return the file that an entry of a document points to; empty if it is no pointer."""
    found = LINK.match(text)
    if found is None or "\n" in text.strip():
        return ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(document), unquote(found[2])))
    return "" if path.startswith(("../", "/")) else path


def lines_of(document: str, text: str) -> list[Line]:
    """Return the lines of a document that are not blank, without the markers of its index."""
    found: list[Line] = []
    for number, line in enumerate(text.split("\n")):
        if line.strip() and line.strip() not in {blocks.INDEX_OPEN, blocks.INDEX_CLOSE}:
            bullet = _BULLET.match(line)
            topic = topic_of(document, line[bullet.end() :]) if bullet else ""
            found.append(Line(number, line.rstrip("\r"), topic))
    return found


def fit(lines: Iterable[tuple[Line, float]], limits: ContextConfig) -> tuple[tuple[Line, float], ...]:
    """Return the lines that are shown, in their order: those that are no pointer first, then by rank.

    Where there are more than fit, what is no pointer leaves half of the room to pointers.
    """
    given = list(lines)
    pointers = sum(bool(line.topic) for line, _ in given)
    spare = limits.index_lines - min(pointers, limits.index_lines // 2)
    shown: list[tuple[Line, float]] = []
    plain, left = 0, limits.index_bytes
    for line, rank in sorted(given, key=lambda each: (-each[1], each[0].number)):
        if len(shown) >= limits.index_lines:
            break
        if not line.topic and plain >= spare:
            continue
        data = line.text.encode("utf-8", "replace")
        if len(data) < left:
            shown.append((line, rank))
        elif len(data) > _CUT_BYTES and left > 1:
            data = data[: left - 1]
            shown.append((line._replace(text=data.decode("utf-8", "ignore")), rank))
        else:
            continue
        plain += not line.topic
        left -= len(data) + 1
    return tuple(sorted(shown, key=lambda each: each[0].number))


def loaded(
    document: str, text: str, limits: ContextConfig, rank: Callable[[Sequence[Line]], Sequence[float]]
) -> Loaded:
    """Return what of a document is shown.

    Args:
        document: Its file.
        text: What it says.
        limits: How many lines and bytes are shown.
        rank: Ranks lines; asked only if not all of them fit.
    """
    lines = lines_of(document, text)
    unlisted = sum(int(found[1]) for line in lines if (found := _NOTICE.match(line.text)))
    lines = [line for line in lines if not _NOTICE.match(line.text)]
    size = sum(len(line.text.encode("utf-8", "replace")) + 1 for line in lines)
    if len(lines) <= limits.index_lines and size <= limits.index_bytes:
        shown = tuple((line, 0.0) for line in lines)
    else:
        shown = fit(zip(lines, rank(lines), strict=True), limits)
    left_out = len(lines) + unlisted - len(shown)
    cut = sum(len(line.text) for line, _ in shown) < sum(len(line.text) for line in lines) if not left_out else True
    return Loaded(shown, _warning(document, len(lines) + unlisted, size, left_out, limits) if cut else "")


def _warning(document: str, count: int, size: int, left_out: int, limits: ContextConfig) -> str:
    over = [f"{count:,} lines (limit: {limits.index_lines:,})"] if count > limits.index_lines else []
    over += [f"{size:,} bytes (limit: {limits.index_bytes:,})"] if size > limits.index_bytes or not over else []
    gone = f"{left_out} lines are left out, those whose topics changed longest ago" if left_out else "a line is cut"
    return (
        f"{document.rpartition('/')[2]} has {' and '.join(over)}. Only part of it is shown: {gone}. "
        "A search finds the topics. Shorten long lines, or merge topics."
    )


class TopicIndex:
    """Keeps the pointers of a document in step with the topics."""

    def __init__(self, parts: Parts, made: Generated) -> None:
        self._parts = parts
        self._of = frozenset(made.of)
        self._layer = parts.layout.layer(made.into)
        self.document = parts.layout.path_of(self._layer)
        """The file that the pointers stand in."""

    def refresh(self, plan: Plan) -> str:
        """Bring the pointers up to the topics as planned, if the plan moves any; say if not all are shown."""
        touched = [path for path, rope in plan.ropes.items() if rope.changed and self.lists(path)]
        if not touched and not any(self.lists(record) for record in plan.promoted):
            return ""
        self._follow(plan)
        return self._write(plan)

    def renew(self, plan: Plan) -> None:
        """Update a block that exists to the topics as they are; none is made."""
        if blocks.INDEX_OPEN.encode() in (plan.planned(self.document) or b""):
            self._write(plan)
            plan.kinds["index"] = None

    def lists(self, path: str) -> bool:
        """True if a file is a topic of the index."""
        layer = self._parts.layout.layer_of(path)
        return layer is not None and layer.name in self._of

    def _own(self, plan: Plan) -> Iterator[tuple[Entry, str]]:
        """Yield the pointers outside of the block: the entry, and the topic that it points to."""
        data = plan.planned(self.document) or b""
        for record in documents.records(self.document, data, self._layer.style) if data else ():
            if topic := topic_of(self.document, record.text):
                yield record, topic

    def _follow(self, plan: Plan) -> None:
        """Remove the pointers outside of the block to topics that go, and change those that are no longer right."""
        for entry, topic in list(self._own(plan)):
            if topic not in plan.ropes or not self.lists(topic):
                continue
            moved = plan.successors.get(topic, "")
            operation: RemoveEntry | ReplaceEntry = RemoveEntry(path=self.document, target=entry.id)
            if (data := plan.planned(topic)) is not None:
                text = self._renewed(plan, entry.text, topic, data)
                if text == entry.text:
                    continue
                operation = ReplaceEntry(path=self.document, target=entry.id, text=text)
            elif moved and all(moved != other for _, other in self._own(plan)):
                operation = ReplaceEntry(path=self.document, target=entry.id, text=self._moved(plan, entry.text, moved))
            effect = plan.work_out(operation, self._layer, self.document)
            plan.edit(operation, effect, self.document, trust=self._parts.reader.rank(entry.id), person=False)

    def _renewed(self, plan: Plan, text: str, topic: str, data: bytes) -> str:
        """Return a pointer to a topic that changes: with another hook if names or a number of it left the topic."""
        found = LINK.match(text)
        style = layer.style if (layer := self._parts.layout.layer_of(topic)) else ""
        before, after = (
            topics.parse(topic, each, style).topic.body for each in (self._parts.reader.data(topic) or b"", data)
        )
        if found is None or not topics.is_over(text[found.end() :].lstrip(" —–-:"), before, after):
            return text
        return (
            f"{found.group()} — {beginning(self._planned(plan, topic, data).description, LINE_CHARS - found.end() - 5)}"
        )

    def _moved(self, plan: Plan, text: str, moved: str) -> str:
        """Return a pointer to another topic: its title and its link are new, its hook is kept."""
        found = LINK.match(text)
        title = self._planned(plan, moved, plan.planned(moved) or b"").title
        return topics.index_line(Pointer(title, self._inside(moved)))[2:] + (text[found.end() :] if found else "")

    def _write(self, plan: Plan) -> str:
        """Write the block; say if not every line of the document is shown."""
        path = self.document
        data = plan.planned(path) or b""
        heads = self._all(plan)
        lines = lines_of(path, split(data)[0])
        own = {line.topic for line in lines}
        ours = sorted((one for topic, one in heads.items() if topic not in own), key=attrgetter("rank"), reverse=True)
        best = sorted(ours[: self._parts.config.context.index_lines], key=lambda one: (one.title.casefold(), one.path))
        ranked = [*zip(lines, _ranks(lines, heads), strict=True)]
        ranked += [(Line(_OURS + n, topics.index_line(each), each.path), each.rank) for n, each in enumerate(best)]
        listed = self._listed(ranked)
        if len(listed) < len(ours):
            listed = self._listed(ranked, notice=1)
            listed.append(f"> {len(ours) - len(listed)} more topics are not listed here; a search finds them.")
        pieces = documents.replace_index(path, data, listed).pieces
        after = edits.assemble(data, pieces)
        if after != data:
            plan.rewrite(path, pieces)
        return loaded(
            path, after.decode("utf-8", "replace"), self._parts.config.context, lambda some: _ranks(some, heads)
        ).warning

    def _listed(self, ranked: Sequence[tuple[Line, float]], notice: int = 0) -> list[str]:
        """Return the lines of ours that fit beside the others, with room for the markers and the lines of a notice."""
        room = msgspec.structs.replace(
            self._parts.config.context,
            index_lines=self._parts.config.context.index_lines - 2 - notice,
            index_bytes=self._parts.config.context.index_bytes - _MARKERS - notice * LINE_CHARS,
        )
        return [line.text for line, _ in fit(ranked, room) if line.number >= _OURS]

    def _all(self, plan: Plan) -> dict[str, Pointer]:
        """Return a pointer to each topic that may be listed, as planned, by its file."""
        heads = {each.path: each for each in self._parts.heads.all(self._of)}
        for path in [path for path, rope in plan.ropes.items() if rope.changed and self.lists(path)]:
            data = plan.planned(path)
            heads.pop(path, None)
            if data is not None:
                heads[path] = self._planned(plan, path, data)
        trust: dict[str, Trust] = {added.id: added.trust for added in plan.added} | plan.promoted
        return {
            path: Pointer(each.title, self._inside(path), _hook(each), rank(each))
            for path, each in sorted(heads.items())
            if not is_below_agent(trust.get(path) or self._parts.reader.ranked(path, each.mark))
        }

    def _planned(self, plan: Plan, path: str, data: bytes) -> Head:
        layer = self._parts.layout.layer_of(path)
        return head(path, data, layer.style if layer else "", plan.at)

    def _inside(self, path: str) -> str:
        return path.removeprefix(self.document.rpartition("/")[0] + "/")


def _hook(topic: Head) -> str:
    return topic.description if topic.description.casefold() != topic.title.casefold() else ""


def rank(topic: Head) -> float:
    """Rank a topic for the index: pinned ones and standing instructions first, then what changed last."""
    return topic.at.timestamp() + (FIRST if topic.stays else 0.0)


def shown(parts: Parts, made: Generated, data: bytes) -> Loaded:
    """Return what is shown of a document with an index."""

    def ranks(lines: Sequence[Line]) -> Sequence[float]:
        heads = {each.path: Pointer("", "", rank=rank(each)) for each in parts.heads.all(made.of)}
        return _ranks(lines, heads)

    path = parts.layout.path_of(parts.layout.layer(made.into))
    return loaded(path, data.decode("utf-8", "replace"), parts.config.context, ranks)


def over_limits(parts: Parts) -> Iterator[Problem]:
    """Yield the documents with an index of which not every line is shown."""
    for made in parts.layout.generated:
        if made.form == "index":
            path = parts.layout.path_of(parts.layout.layer(made.into))
            warning = shown(parts, made, parts.reader.data(path) or b"").warning
            if warning:
                yield Problem(kind="limit", path=path, reason=warning)


def split(data: bytes) -> tuple[str, str]:
    """Return a document without its index block, and the lines of the block."""
    text = data.decode("utf-8", "replace")
    if blocks.INDEX_OPEN not in text:
        return text, ""
    index = next((block for block in blocks.scan(text) if block.kind == "index"), None)
    if index is None:
        return text, ""
    lines = text[index.start : index.end].splitlines()[1:-1]
    return text[: index.start] + text[index.end :], "\n".join(lines)


def _ranks(lines: Sequence[Line], heads: Mapping[str, Pointer]) -> list[float]:
    """Rank lines: a pointer by its topic, one that leads nowhere last, and of those the later one first."""
    return [
        (heads[line.topic].rank if line.topic in heads else line.number / len(lines)) if line.topic else 2 * FIRST
        for line in lines
    ]
