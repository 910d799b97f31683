"""The generated index of topics in a document: one line a topic, made anew in the change that moved one.

A topic that was edited outside moves it in the next change or sync, where a block stands already.

Lists only what may stand in every prompt: topics trusted as much as the agent. Writes nothing where no
topic changed.
"""

from __future__ import annotations

from datetime import UTC, datetime

from commonplace.changes.parts import Parts
from commonplace.changes.plan import Plan
from commonplace.layouts.codecs import blocks, documents, edits, topics
from commonplace.layouts.schema import Generated
from commonplace.records import TRUST_RANK, Topic, Trust

_EPOCH = datetime.fromtimestamp(0, UTC)


class TopicIndex:
    """Keeps the index block of a document in step with the topics that it lists."""

    def __init__(self, parts: Parts, made: Generated) -> None:
        self._of = frozenset(made.of)
        self.document = parts.layout.path_of(parts.layout.layer(made.into))
        """The file that the block stands in."""
        self._layout = parts.layout
        self._limits = parts.config.context
        self._reader = parts.reader
        self._ledger = parts.ledger

    def refresh(self, plan: Plan) -> None:
        """Bring the block up to the topics as planned, if the plan moves any."""
        touched = [path for path, rope in plan.ropes.items() if rope.changed and self.lists(path)]
        if touched or any(self.lists(record) for record in plan.promoted):
            self._write(plan)

    def renew(self, plan: Plan) -> None:
        """Bring a block that stands there up to the topics as they are; where there is none, none is made."""
        if blocks.INDEX_OPEN.encode() in (plan.planned(self.document) or b""):
            self._write(plan)
            plan.kinds["index"] = None

    def _write(self, plan: Plan) -> None:
        path = self.document
        data = plan.planned(path) or b""
        bare, _ = split(data)
        index = topics.index(
            self._pointers(plan),
            limit_lines=self._limits.index_lines,
            limit_bytes=self._limits.index_bytes,
            used_lines=bare.count("\n") + 2,
            used_bytes=len(bare.encode()) + len(blocks.INDEX_OPEN) + len(blocks.INDEX_CLOSE) + 2,
        )
        effect = documents.replace_index(path, data, index.lines)
        if edits.assemble(data, effect.pieces) != data:
            plan.rewrite(path, effect.pieces)

    def lists(self, path: str) -> bool:
        """Say whether a file is a topic that stands in the block."""
        layer = self._layout.layer_of(path)
        return layer is not None and layer.name in self._of

    def _pointers(self, plan: Plan) -> list[topics.Pointer]:
        stored = {path for _, path in self._reader.files(lambda layer: layer.name in self._of)}
        planned = {path for path in plan.ropes if self.lists(path)}
        trust: dict[str, Trust] = {added.id: added.trust for added in plan.added} | plan.promoted
        found: list[topics.Pointer] = []
        for path in sorted(stored | planned):
            data = plan.planned(path) if path in planned else self._reader.data(path)
            if data is None or TRUST_RANK[trust.get(path) or self._reader.rank(path)] < TRUST_RANK["agent"]:
                continue
            layer = self._layout.layer_of(path)
            topic = topics.parse(path, data, layer.style if layer else "").topic
            inside = path.removeprefix(f"{self._layout.memory}/") if self._layout.memory else path
            found.append(topics.Pointer(topic.title, inside, topic.description, _moved(topic)))
        return found


def split(data: bytes) -> tuple[str, str]:
    """Give a document without its index block, and the lines of the block."""
    text = data.decode("utf-8", "replace")
    if blocks.INDEX_OPEN not in text:
        return text, ""
    index = next((block for block in blocks.scan(text) if block.kind == "index"), None)
    if index is None:
        return text, ""
    lines = text[index.start : index.end].splitlines()[1:-1]
    return text[: index.start] + text[index.end :], "\n".join(lines)


def _moved(topic: Topic) -> float:
    """Say when a topic last changed, as its front matter tells; what moved last stays in the index longest."""
    written = str(topic.extra.get("updatedAt") or topic.extra.get("modified") or "")
    if written.isdigit():
        return int(written) / 1000
    try:
        at = datetime.fromisoformat(written)
    except ValueError:
        return 0.0
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - _EPOCH.timestamp()
