"""The topics of a scope as a tree, and one topic with what lies around it, within a budget.

Reads; nothing here writes. What it returns is text of memory, data and no instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from commonplace.changes import edits, inverse
from commonplace.errors import RecordNotFoundError
from commonplace.guard import shown
from commonplace.layouts import tree
from commonplace.layouts.tree import Branch, Tree
from commonplace.memory.scope import Scope
from commonplace.records import Topic, is_below_agent
from commonplace.text.pieces import estimate_tokens, one_line, plain_line, truncate

TOKENS: Final = 2000  # of a tree, or of a topic and what lies around it
_PREVIEW_CHARS: Final = 200  # seed graph
_CUT: Final = "(no room for more; search, or ask for one of these)"


def of(scope: Scope) -> Tree:
    """Return the tree of the topics of a scope that may be shown, each with what of it is over."""
    found: list[Topic] = []
    for _, path in scope.reader.files(lambda each: each.kind == "topics"):
        found += [each for each in scope.reader.to_write(path) if isinstance(each, Topic)]
    return tree.build(found, scope.layout.folder_of([layer for layer in scope.layout.layers if layer.kind == "topics"]))


def around(scopes: Sequence[Scope], name: str, tokens: int = TOKENS) -> tuple[str, str]:
    """Return a topic by its name, with what lies around it; the tree of all topics if none is named.

    Returns:
        The id of the topic, empty for the tree, and the text.

    Raises:
        RecordNotFoundError: There is no topic of that name.
    """
    if name in {"", tree.ROOT}:
        return "", "\n".join(drawn(scope, tokens) for scope in scopes)
    for scope in scopes:
        known = of(scope)
        if (topic := known.find(name)) is not None:
            return topic.id, expanded(scope, topic, known, tokens)
        if (topic := _earlier(scope, known, name)) is not None:
            return topic.id, _within([f"{_line(scope, topic, preview=False)}\n{shown(topic.body)}"], tokens)
    raise RecordNotFoundError(f"there is no topic {name!r}; ask without a name for the tree", record=name)


def _earlier(scope: Scope, known: Tree, name: str) -> Topic | None:
    """Return an earlier version of a topic, such as `steve.v1`: from a file beside it, or from the change log."""
    of, _, number = name.removesuffix(".md").rpartition(".v")
    topic = known.find(of)
    layer = scope.reader.layer(topic.path) if topic is not None else None
    if topic is None or layer is None:
        return None
    beside, now = (
        blob.data if (blob := scope.store.read(path)) else b""
        for path in (f"{topic.path.removesuffix('.md')}.v{number}.md", topic.path)
    )
    for data in (beside, now, *inverse.states(scope.store.since(0), topic.path, now, scope.key)):
        for record in edits.records(layer, topic.path, data or b"", scope.zone):
            if isinstance(record, Topic) and record.extra.get("version") == number:
                left = scope.reader.unforgotten(record)
                return left if isinstance(left, Topic) else None
    return None


def drawn(scope: Scope, tokens: int = TOKENS) -> str:
    """Return the whole tree, a line for each topic, as far as the budget goes."""
    return _within([*_tree(scope, of(scope))], tokens) or "nothing is noted yet"


def _tree(scope: Scope, found: Tree) -> Iterator[str]:
    for above, branch in tree.lines(found.branches):
        indent = "  " * len(above)
        yield indent + (_line(scope, branch.topic) if branch.topic else f"- {shown(one_line(branch.title))}/")


def expanded(scope: Scope, topic: Topic, found: Tree, tokens: int = TOKENS) -> str:
    """Return a topic whole, then its parents, its children and its links, each in a line."""
    above = tuple(found.topics[path] for path in found.above(topic))
    below = _below(found, topic)
    links = found.links(topic)
    linking = tuple(each for each in found.topics.values() if topic in found.links(each))
    blocks = [f"{_line(scope, topic, preview=False)}\n{shown(topic.body)}"]
    listed = {topic.path}
    for title, topics in (("Under", above), ("Below", below), ("Links to", links), ("Linked from", linking)):
        fresh = [each for each in topics if each.path not in listed]
        listed |= {each.path for each in fresh}
        if fresh:
            blocks += [f"{title}:", *(_line(scope, each) for each in fresh)]
    return _within(blocks, tokens)


def _below(found: Tree, topic: Topic) -> tuple[Topic, ...]:
    branches = (branch for _, branch in tree.lines(found.branches))
    own: Branch | None = next((each for each in branches if each.topic is topic), None)
    return tuple(each.topic for each in own.below if each.topic) if own else ()


def _line(scope: Scope, topic: Topic, *, preview: bool = True) -> str:
    """Write what a topic is in one line: its title, its name, and what it is about."""
    rank = scope.reader.rank(topic.id)
    mark = f" (from {rank}: unverified)" if is_below_agent(rank) else ""
    said = topic.description or (truncate(plain_line(topic.body), _PREVIEW_CHARS, "…") if preview else "")
    about = f": {shown(one_line(said))}" if said else ""
    return f"- {shown(one_line(topic.title))} [{tree.name_of(topic.path)}]{mark}{about}"


def _within(blocks: list[str], tokens: int) -> str:
    """Return as many blocks as a budget has room for; the first one cut if it alone is too long."""
    kept: list[str] = []
    left = tokens - estimate_tokens(_CUT)
    for block in blocks:
        cost = estimate_tokens(block) + 1
        if cost > left:
            if not kept:
                kept.append(truncate(block, max(0, left) * 3, " […]"))
            return "\n".join([*kept, _CUT])
        kept.append(block)
        left -= cost
    return "\n".join(kept)
