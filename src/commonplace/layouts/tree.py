"""Topics as a tree: by their parents, by the categories of their front matter, or by their folders.

A topic is placed under the first of its parents that exists; without one, in the categories that its `path` names;
else in the folder of its file. Topics whose parents lead back to themselves are placed at the top. Pure.

Source: seed graph, "Storage Layout".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from commonplace.records import Topic

ROOT: Final = "__root__"
"""The name of the node that is above all others."""

_DEPTH: Final = 16  # categories of one topic; more is damage


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """One place in the tree: a topic, or a category that topics name, with the branches below it."""

    title: str
    topic: Topic | None = None
    below: tuple[Branch, ...] = ()


class Fault(msgspec.Struct, frozen=True):
    """What keeps a topic from its place: its path, and why."""

    path: str
    reason: str


class Tree(msgspec.Struct, frozen=True, kw_only=True):
    """The topics of one scope, in their places.

    Attributes:
        branches: The branches at the top, by title.
        topics: All of them, by path.
        names: The path that each name of a topic means: its path, its file's name, its title in lower case.
    """

    branches: tuple[Branch, ...]
    topics: Mapping[str, Topic]
    names: Mapping[str, str]

    def find(self, name: str) -> Topic | None:
        """Return the topic of a path, a file's name or a title; None if there is none."""
        path = self.names.get(name) or self.names.get(name.casefold())
        return self.topics[path] if path is not None else None

    def above(self, topic: Topic) -> tuple[str, ...]:
        """Return the topics that a topic is under: its parents, or the one that its category is called by."""
        named = parents(topic)
        found = (self.find(name) for name in named or texts(topic.extra.get("path"))[-1:])
        return tuple(each.path for each in found if each and (named or each.path != topic.path))

    def category(self, name: str) -> str:
        """Return the category of a name, from the top: `people/friends`; empty if the tree has none of this name."""
        wanted = name.strip().strip("/").casefold()
        trails = ("/".join((*above, each.title)) for above, each in lines(self.branches) if each.topic is None)
        return next(
            (trail for trail in trails if wanted in {trail.casefold(), trail.rpartition("/")[2].casefold()}), ""
        )

    def links(self, topic: Topic) -> tuple[Topic, ...]:
        """Return the topics that a topic links to, parents aside."""
        above = self.above(topic)
        linked = dict.fromkeys(each.path for each in map(self.find, topic.links) if each)
        return tuple(self.topics[path] for path in linked if path not in {topic.path, *above})

    def faults(self) -> Iterator[Fault]:
        """Yield each topic that is its own ancestor, and each link that leads nowhere."""
        for path in _cyclic(self):
            yield Fault(path, "its parents lead back to it, so it is at the top; remove one of them")
        for topic in self.topics.values():
            above = set(parents(topic))
            for name in topic.links:
                if name != ROOT and self.find(name) is None:
                    what = "parent" if name in above else "link"
                    yield Fault(topic.path, f"its {what} {name!r} is not there")


def parents(topic: Topic) -> tuple[str, ...]:
    """Return the names of a topic's parents, as its front matter gives them."""
    return texts(topic.extra.get("parents"))


def under(topic: Topic) -> tuple[str, ...]:
    """Return what a topic is under, as its front matter says: its parents, else its categories as one name."""
    return parents(topic) or tuple(filter(None, ["/".join(_named(topic))]))


def name_of(path: str) -> str:
    """Return the name of a topic's file, by which others link to it."""
    return path.rpartition("/")[2].removesuffix(".md")


def build(topics: Iterable[Topic], folder: str = "") -> Tree:
    """Return the tree of some topics; whatever they say of their parents, each has exactly one place.

    Args:
        topics: Of one scope.
        folder: Where their files are; folders inside of it are categories.
    """
    known = {topic.path: topic for topic in topics if name_of(topic.path) != ROOT}
    names = {path: path for path in known}
    for path in known:
        names.setdefault(_inside(path, folder).removesuffix(".md"), path)
    for path in known:
        names.setdefault(name_of(path), path)
    for path, topic in known.items():
        names.setdefault(topic.title.casefold(), path)
    bare = Tree(branches=(), topics=known, names=names)
    lost = set(_cyclic(bare))
    under: dict[str, list[str]] = {}
    categories: dict[tuple[str, ...], list[str]] = {}
    for path, topic in known.items():
        above = next(iter(bare.above(topic)), "")
        if above and path not in lost:
            under.setdefault(above, []).append(path)
        else:
            categories.setdefault(() if path in lost else _category(topic, folder), []).append(path)
    made: dict[str, Branch] = {}
    for path in _deepest_first(known, under):
        below = _sorted(made[each] for each in under.get(path, ()))
        made[path] = Branch(title=known[path].title, topic=known[path], below=below)
    grouped = {key: [made[path] for path in each] for key, each in categories.items()}
    return msgspec.structs.replace(bare, branches=_grouped(grouped))


def lines(branches: Sequence[Branch]) -> Iterator[tuple[tuple[str, ...], Branch]]:
    """Yield every branch with the titles above it, each before the branches below it."""
    stack: list[tuple[tuple[str, ...], Branch]] = [((), branch) for branch in reversed(branches)]
    while stack:
        above, branch = stack.pop()
        yield above, branch
        stack += [((*above, branch.title), each) for each in reversed(branch.below)]


def leads_back(tree: Tree, path: str, above: Iterable[str]) -> bool:
    """True if a topic with these parents would be its own ancestor."""
    seen: set[str] = set()
    wanted = [found.path for name in above if (found := tree.find(name))]
    while wanted:
        each = wanted.pop()
        if each == path:
            return True
        if each not in seen:
            seen.add(each)
            wanted += tree.above(tree.topics[each])
    return False


def _cyclic(tree: Tree) -> list[str]:
    """Return the topics that are their own ancestors, in order."""
    above = {path: set(tree.above(topic)) for path, topic in tree.topics.items()}
    left = set(above)
    while True:  # what has no parent left, or no child left, is on no circle
        has_child = set[str]().union(*(above[path] & left for path in left)) if left else set()
        gone = {path for path in left if not above[path] & left or path not in has_child}
        if not gone:
            return sorted(path for path in left if leads_back(tree, path, above[path]))
        left -= gone


def _deepest_first(known: Mapping[str, Topic], under: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the topics, those below others first."""
    children = {path for below in under.values() for path in below}
    order = [path for path in known if path not in children]
    for path in order:  # grows as it goes
        order += under.get(path, ())
    return order[::-1]


def _grouped(categories: Mapping[tuple[str, ...], list[Branch]]) -> tuple[Branch, ...]:
    """Return the categories with their branches; two that differ in capitals alone are one."""
    inner: dict[str, dict[tuple[str, ...], list[Branch]]] = {}
    for key, each in categories.items():
        if key:
            inner.setdefault(key[0].casefold(), {}).setdefault(key[1:], []).extend(each)
    titles = {key[0].casefold(): key[0] for key in sorted(filter(None, categories), reverse=True)}
    made = (Branch(title=titles[head], below=_grouped(below)) for head, below in inner.items())
    return _sorted([*categories.get((), ()), *made])


def _sorted(branches: Iterable[Branch]) -> tuple[Branch, ...]:
    return tuple(sorted(branches, key=lambda each: (each.title.casefold(), each.topic.path if each.topic else "")))


def _category(topic: Topic, folder: str) -> tuple[str, ...]:
    return (_named(topic) or tuple(_inside(topic.path, folder).split("/")[:-1]))[:_DEPTH]


def _named(topic: Topic) -> tuple[str, ...]:
    """Return the categories that the front matter of a topic names."""
    return tuple(part.strip() for part in texts(topic.extra.get("path")) if part.strip())


def _inside(path: str, folder: str) -> str:
    return path.removeprefix(f"{folder}/" if folder else "")


def texts(value: object) -> tuple[str, ...]:
    """Return the texts of a value of front matter: of a list, or the one that it is."""
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(each for each in value if isinstance(each, str) and each) if isinstance(value, list) else ()
