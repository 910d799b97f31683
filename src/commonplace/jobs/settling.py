"""Make the operations of a proposal fit the layers they go to, before the gate judges them.

A model adds, replaces and removes, whatever the layer. What it adds to a topic goes to the end of its text, one line
a statement; what it adds under a title that a topic has goes to that topic. Everything about one topic is one
operation. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Final

import msgspec

from commonplace.guard import screen, written
from commonplace.jobs.rules.memos import Place
from commonplace.layouts.codecs.items import item_fingerprint
from commonplace.layouts.codecs.topics import made_title, name_for, title_of
from commonplace.layouts.schema import Layout
from commonplace.layouts.tree import ROOT, name_of
from commonplace.operations import (
    AddEntry,
    Edit,
    Proposal,
    PutItem,
    PutTopic,
    RemoveEntry,
    RemoveItem,
    RemoveTopic,
    ReplaceEntry,
    View,
    ViewEntry,
)
from commonplace.text import content, frontmatter
from commonplace.text.pieces import encode_name, fingerprint, one_line, plain_line
from commonplace.text.standing import orders

_STATEMENT_WORDS: Final = 2  # of content; `User is Marta` has one


def settled(proposal: Proposal, view: View, layout: Layout, places: Mapping[str, Place]) -> Proposal:
    """Return a proposal whose operations are of the kind that the layers of their paths take."""
    desk = _Desk(view, layout, places)
    for edit in proposal.operations:
        desk.take(edit)
    return msgspec.structs.replace(proposal, operations=tuple(desk.placed()))


class _Desk:
    """Settles operations one after the other."""

    def __init__(self, view: View, layout: Layout, places: Mapping[str, Place]) -> None:
        self._layout = layout
        self._places = {place.layer: place for place in places.values() if place.form == "topic"}
        self._kinds = {(place.path, kind) for kind, place in places.items()}
        self._entries = {entry.id: entry for entry in view.entries}
        self._unseen = frozenset(view.unseen)
        self._said: set[str] = set()  # items that an operation changes
        self.edits: list[Edit] = []
        self._topics: dict[str, int] = {}  # a topic's path, and the place of its operation

    def take(self, edit: Edit) -> None:
        """Add one operation; a path that lacks the memory's folder has it, a file without sections is given none."""
        if isinstance(edit, AddEntry):
            inside = self._inside(edit.path)
            path = edit.path if self._form(edit.path) or not self._form(inside) else inside
            layer = self._layout.layer_of(path)
            section = "" if layer is not None and layer.style == "separator" else edit.section
            edit = msgspec.structs.replace(edit, path=path, section=section)
        match edit:
            case AddEntry() if self._is_topic(edit.path):
                self._put(edit)
            case PutTopic() if self._is_topic(edit.path) or edit.front:  # an episode, named after its session
                self._put(edit)
            case AddEntry(path=path) if path.endswith(".jsonl"):
                self._item(edit)
            case ReplaceEntry() | RemoveEntry():
                made = self._of_record(edit)
                if isinstance(made, PutTopic):
                    self._put(made)
                else:
                    self.edits.append(made)
            case _:
                self.edits.append(edit)

    def _item(self, edit: AddEntry) -> None:
        """Add an item, or say in its place one of which it has every word, as the rules made them from a message."""
        kind = self._kind(edit).upper()
        name, data = item_fingerprint(kind, edit.text), {"type": kind, "content": edit.text, "source": "derived"}
        said = [old for old in self._entries.values() if old.path == edit.path and self._says_whole(edit.text, old)]
        if said:
            name, data = said[0].id.partition("#")[2], {"content": edit.text}
        made: list[Edit] = [PutItem(path=edit.path, id=name, data=data)]
        made += [RemoveItem(path=edit.path, id=old.id.partition("#")[2]) for old in said[1:]]
        for each in made:
            self.edits.append(msgspec.structs.replace(each, sources=edit.sources, quotes=edit.quotes, trust=edit.trust))
        self._said.update(old.id for old in said)

    def _kind(self, edit: AddEntry) -> str:
        """Return the kind of a statement that an item makes: an order if it reads so, else what its file takes."""
        likely = ("instruction",) * orders(edit.text) + ("fact", "fix", "task")
        return edit.kind or next((kind for kind in likely if (edit.path, kind) in self._kinds), "fact")

    def _says_whole(self, text: str, old: ViewEntry) -> bool:
        """True if a text has every word of an item that no operation changes yet and that may be changed."""
        if old.id in self._said or old.pinned or old.user_authored:
            return False
        return len(content.content(old.text)) >= _STATEMENT_WORDS and written.say_whole([text], old.text)

    def placed(self) -> list[Edit]:
        """Return the operations; a parent that no topic is called by is a category."""
        topics = [(path, "") for path in self._unseen]
        topics += [(each.path, _name(each)) for each in self._entries.values() if _is_topic_entry(each)]
        topics += [(edit.path, edit.title) for edit in self.edits if isinstance(edit, PutTopic)]
        known = {called.casefold(): name_of(path) for path, title in topics for called in (title, name_of(path))}
        return [_under(edit, known) if isinstance(edit, PutTopic) else edit for edit in self.edits]

    def _of_record(self, edit: ReplaceEntry | RemoveEntry) -> Edit:
        """Return the change of a record in the form that its layer takes."""
        entry = self._entries.get(edit.target)
        form = self._form(entry.path) if entry is not None else ""
        if entry is None or form not in {"topics", "items"}:
            return edit
        name = entry.id.partition("#")[2]
        made: Edit
        match form, edit:
            case "topics", ReplaceEntry(text=text):
                made = PutTopic(path=entry.path, body=text)
            case "topics", _:
                made = RemoveTopic(path=entry.path)
            case _, ReplaceEntry(text=text):
                made = PutItem(path=entry.path, id=name, data={"content": text})
            case _:
                made = RemoveItem(path=entry.path, id=name)
        return msgspec.structs.replace(made, sources=edit.sources, quotes=edit.quotes, trust=edit.trust)

    def _inside(self, path: str) -> str:
        return f"{self._layout.memory}/{path}" if self._layout.memory else path

    def _form(self, path: str) -> str:
        layer = self._layout.layer_of(path)
        return layer.kind if layer is not None else ""

    def _is_topic(self, path: str) -> bool:
        """True if a path is that of topics, or of none of our files though only topics could take it."""
        if any(path == place.path for place in self._places.values()):
            return True
        form = self._form(path) or self._form(self._inside(path))
        return form in {"topics", ""} and bool(self._places)

    def _put(self, edit: AddEntry | PutTopic) -> None:
        """Add what is said of a subject to its topic: one operation a topic."""
        if isinstance(edit, PutTopic) and not edit.front:
            edit = _without_front(edit)
        given, text = (edit.section, edit.text) if isinstance(edit, AddEntry) else (edit.title, edit.body)
        named = title_of(edit.path) if screen(edit.path).text == edit.path else ""
        title = screen(given or named or made_title(screen(text).text)).text
        path = self._path(edit.path, title)
        at = self._topics.get(path)
        before = self.edits[at] if at is not None else None
        known = self._entries.get(path)
        if isinstance(edit, PutTopic):
            put = msgspec.structs.replace(edit, path=path)
        else:
            text = before.body if isinstance(before, PutTopic) else known.text if known is not None else ""
            line = one_line(edit.text)
            says_it = plain_line(line) in map(plain_line, text.splitlines())
            body = text if says_it else "\n".join(part for part in (text.rstrip(), f"- {line}") if part)
            put = PutTopic(
                path=path, body=body, title="" if known is not None else title,
                kind="" if known is not None else edit.kind,
                sources=edit.sources, quotes=edit.quotes, trust=edit.trust,
            )  # fmt: skip
        if not isinstance(before, PutTopic) or at is None:
            self._topics[path] = len(self.edits)
            self.edits.append(put)
            return
        self.edits[at] = _joined(before, put, known.text if known is not None else "")

    def _path(self, path: str, title: str) -> str:
        """Return the file of a subject: the one that is named, that of a topic with its title, or a new one."""
        for each in (path, self._inside(path)):
            if self._form(each) == "topics" and "{" not in each and screen(each).text == each:
                return each
        wanted = one_line(title).casefold()
        same = (each for each in self._entries.values() if _is_topic_entry(each) and _name(each).casefold() == wanted)
        if (known := next(same, None)) is not None:
            return known.path
        place = next((each for each in self._places.values() if each.path == path), None)
        place = place or next(iter(self._places.values()))
        layer = self._layout.layer(place.layer)
        name = name_for(wanted, self._layout.reserved(layer)).removesuffix(".md")
        if screen(name).text != name:  # no name may hold a secret
            name = wanted = f"note-{fingerprint(wanted)[:8]}"
        made = self._layout.path_of(layer, topic=name, session=encode_name(wanted))
        return made if self._form(made) == "topics" else f"{made.removesuffix('.md')}-notes.md"


def _without_front(edit: PutTopic) -> PutTopic:
    """Return a topic whose body begins with front matter, as its file does, with what that says in its fields."""
    head = frontmatter.read(edit.body)
    said = {key: str(value) for key, value in head.values.items() if isinstance(value, str)}
    return msgspec.structs.replace(
        edit,
        body=edit.body[head.body :].lstrip("\n"),
        title=edit.title or said.get("title") or said.get("name", ""),
        description=edit.description or said.get("description", ""),
        kind=edit.kind or said.get("kind") or said.get("type", ""),
    )


def _under(edit: PutTopic, known: Mapping[str, str]) -> PutTopic:
    """Return a topic whose parents are all among those that are known; the first of the others is its category."""
    found: list[str] = []
    lost: list[str] = []
    for each in edit.parents:
        called = one_line(each).strip("[] ")
        name = known.get(called.casefold()) or known.get(name_of(called).casefold())
        (found if name else lost).append(name or called)
    found = [name for name in found if name != name_of(edit.path)]
    category = "" if found else next((each for each in lost if each not in {"", ROOT}), "")
    return msgspec.structs.replace(edit, parents=tuple(dict.fromkeys(found)), category=category)


def _joined(before: PutTopic, after: PutTopic, base: str) -> PutTopic:
    """Return two writings of a topic as one: a line of its text that either leaves out is left out."""
    quotes = (*before.quotes, *("",) * (len(before.sources) - len(before.quotes)), *after.quotes)
    one, other = before.body.rstrip().splitlines(), after.body.splitlines()
    said, anew, known = ([plain_line(line) for line in lines] for lines in (one, other, base.splitlines()))
    lines: list[str] = []
    for _, start, end, begun, over in SequenceMatcher(None, said, anew, autojunk=False).get_opcodes():
        lines += [one[n] for n in range(start, end) if said[n] in anew or said[n] not in known]
        lines += [other[n] for n in range(begun, over) if anew[n] not in {*said, *known}]
    return msgspec.structs.replace(
        before,
        body="\n".join(lines),
        title=before.title or after.title,
        description=before.description or after.description,
        links=tuple(dict.fromkeys((*before.links, *after.links))),
        parents=before.parents or after.parents,
        sources=(*before.sources, *after.sources),
        quotes=quotes,
    )


def _is_topic_entry(entry: ViewEntry) -> bool:
    return entry.id == entry.path


def _name(entry: ViewEntry) -> str:
    return entry.section.partition(": ")[0]
