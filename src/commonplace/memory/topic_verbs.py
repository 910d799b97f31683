"""The verbs of the agent's tool on topics and on the index that lists them."""

from __future__ import annotations

from collections.abc import Sequence

from commonplace.changes.listing import topic_of
from commonplace.errors import InputError, RecordNotFoundError
from commonplace.layouts.codecs import documents, entries, topics
from commonplace.layouts.codecs.topics import LINE_CHARS, Pointer, made_title, name_for
from commonplace.layouts.tree import name_of
from commonplace.memory import trees
from commonplace.memory.scope import Scope
from commonplace.memory.using import Answer, Asked, Use, changed, wished
from commonplace.operations import Operation, PutTopic, RemoveEntry, RemoveTopic, ReplaceEntry
from commonplace.records import Entry, Topic


def rename(use: Use, asked: Asked) -> Answer:
    """Rename a topic."""
    topic = _topic(use.scope, asked["id"])
    return changed(use, [PutTopic(path=topic.path, body=topic.body, title=asked["title"])], "renamed")


def merge(use: Use, asked: Asked) -> Answer:
    """Merge a topic into another; without a text, its new lines go below the other's."""
    topic, into = _topic(use.scope, asked["id"]), _topic(use.scope, asked["into"])
    if topic.path == into.path:
        raise InputError("a memory is not merged into itself; name another one")
    said = set(into.body.split("\n"))
    more = "\n".join(line for line in topic.body.split("\n") if line not in said).strip()
    body = asked.get("content") or (f"{into.body}\n\n{more}" if more else into.body)
    return changed(use, [PutTopic(path=into.path, body=body), RemoveTopic(path=topic.path, into=into.path)], "merged")


def remove(use: Use, asked: Asked) -> Answer:
    """Remove a topic; it may come back."""
    topic = _topic(use.scope, asked["id"])
    return changed(wished(use, topic.text), [RemoveTopic(path=topic.path)], "deleted")


def demote(use: Use, asked: Asked) -> Answer:
    """Move what a line of the index says into the topic that it points to, or into a new one."""
    scope = use.scope
    for made in scope.layout.generated:
        layer = scope.layout.layer(made.into) if made.form == "index" else None
        if layer is None:
            continue
        path = scope.layout.path_of(layer)
        scope.door.look([path])
        document = entries.read(path, scope.reader.data(path) or b"", layer.style)
        place = documents.find(document, asked["old_text"])
        entry = Entry(document.ids[place].id, path, document.parts[place].text)
        return changed(use, _demoted(scope, entry), "moved")
    raise InputError("this layout has no index whose lines could be moved")


def _demoted(scope: Scope, entry: Entry) -> Sequence[Operation]:
    pointer = topic_of(entry.path, entry.text)
    if not pointer:
        layer = scope.layout.layer(scope.layout.targets["topic"])
        title = made_title(entry.text)
        taken = {f"{name_of(each.path)}.md" for each in trees.of(scope).topics.values()}
        new = scope.layout.path_of(
            layer, topic=name_for(title, taken | scope.layout.reserved(layer)).removesuffix(".md")
        )
        return [PutTopic(path=new, title=title, body=entry.text), RemoveEntry(path=entry.path, target=entry.id)]
    topic = _topic(scope, pointer)
    hook = entry.text.partition(")")[2].lstrip(" —–-:")
    memory = f"{scope.layout.memory}/" if scope.layout.memory else ""
    short = topics.index_line(Pointer(topic.title, topic.path.removeprefix(memory), topic.description))[2:]
    if len(entry.text) <= LINE_CHARS or not hook:
        raise InputError(f"this line is no longer than {LINE_CHARS} characters; it can stay")
    body = topic.body if hook in topic.body else f"{topic.body}\n\n{hook}".strip()
    return [PutTopic(path=topic.path, body=body), ReplaceEntry(path=entry.path, target=entry.id, text=short)]


def _topic(scope: Scope, name: str) -> Topic:
    found = trees.of(scope).find(name.strip().removesuffix(".md"))
    if found is None:
        raise RecordNotFoundError(f"there is no memory {name!r}; search for it", record=name)
    return found
