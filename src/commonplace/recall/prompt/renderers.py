"""The renderers: each writes one kind of section of the prompt from a scope. A layout chooses them by name.

A renderer only reads, and returns entries; the budget, the headings and the fences are not its concern.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from commonplace import guard
from commonplace.changes import listing
from commonplace.config import knob
from commonplace.layouts import tree as trees
from commonplace.layouts.codecs import documents
from commonplace.layouts.schema import PromptSection
from commonplace.recall.prompt import packing
from commonplace.recall.prompt.filling import Shown
from commonplace.recall.prompt.page import Page
from commonplace.records import Entry, RecordedMessage, Topic, is_below_agent
from commonplace.text import validity
from commonplace.text.installed import Installed
from commonplace.text.patterns import pattern
from commonplace.text.pieces import estimate_tokens, one_line, plain_line, speaker

_OF_THE_USER: Final = ("fact", "preference", "instruction", "constraint")
_LINK: Final = pattern(r"\]\(([^()\s]+)\)")
_LISTED: Final = pattern(r"- \[(?P<title>.+?)\]\([^()\s]+\)(?: — (?P<hook>.+))?\s*")

Renderer = Callable[[Page, PromptSection], Iterator[Shown]]


def entries(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write records as list items, each under the heading that it has in its document."""
    for layer, record in page.joined(row):
        section = record.section if isinstance(record, Entry) else ""
        indented = guard.shown(record.text).replace("\n", "\n  ")
        yield page.one(
            layer, record, f"- {page.label(record)}{indented}", heading=f"### {section}\n" if section else ""
        )


def facts(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write records as they are, with nothing before them."""
    for layer, record in page.joined(row):
        yield page.one(layer, record, guard.shown(record.text))


def text(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write documents as they are written, cut into entries that can be left out one by one."""
    for layer in page.layers(row):
        path, reader = page.path(layer), page.parts.reader
        data = page.data(path).removeprefix(codecs.BOM_UTF8)
        at = 0
        heading = ""
        parsed = documents.parse(path, data)
        visible = {record.id: record.text for record in page.to_show(placed.entry for placed in parsed)}
        for placed in parsed:
            start = data.rfind(b"\n", at, placed.start) + 1 or at
            above = data[at:start].decode("utf-8", "replace").replace("\r\n", "\n")
            own = data[start : placed.end].decode("utf-8", "replace").replace("\r\n", "\n")
            above = above if at else above.lstrip("\n")
            if "#" in above:
                heading, above = guard.shown(above), ""
            at = placed.end + (data[placed.end : placed.end + 1] == b"\r")
            at += data[at : at + 1] == b"\n"
            if placed.entry.id in visible:
                if visible[placed.entry.id] != placed.entry.text:
                    own = reader.left_of(placed.entry.id, own, journal=False)
                yield page.one(layer, placed.entry, guard.shown(above + own), heading=heading)


def index(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write the lines of the generated index of some topics."""
    layout = page.parts.layout
    for made in layout.generated:
        if made.form == "index" and set(made.of) & set(row.of):
            path = page.path(layout.layer(made.into))
            _, lines = listing.split(page.data(path))
            folder = f"{layout.memory}/" if layout.memory else ""
            for line in filter(str.strip, lines.splitlines()):
                link = _LINK.search(line)
                if page.parts.reader.left_of(f"{folder}{link[1]}" if link else path, line, journal=False):
                    yield Shown(path, guard.shown(line))


def pointers(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write documents with an index of topics, as far as the limits of their lines go; say what is left out."""
    layout, reader, today = page.parts.layout, page.parts.reader, page.parts.now().date()
    for made in layout.generated:
        if made.form != "index" or made.into not in row.of:
            continue
        path = page.path(layout.layer(made.into))
        data = page.data(path)
        parsed = documents.parse(path, data)
        visible = {record.id: record.text for record in page.to_show(placed.entry for placed in parsed)}
        for placed in parsed:
            if visible.get(placed.entry.id) != placed.entry.text:  # its lines are left out, and count as blank
                breaks = b"\n" * data.count(b"\n", placed.start, placed.end)
                data = data[: placed.start] + breaks.rjust(placed.end - placed.start) + data[placed.end :]
        found = listing.shown(page.parts, made, data)
        for line, rank in found.lines:
            said = validity.current(line.text, today) if line.topic else line.text
            left = reader.left_of(line.topic, said, journal=False) if line.topic else said
            if left:
                listed = _LISTED.fullmatch(left) if line.topic else None
                about = f"{listed['title']}\n{listed['hook'] or ''}".replace("…\n", " ") if listed else ""
                yield Shown(path, guard.shown(left), said=about, standing=not line.topic, age=int(rank))
        if found.warning:
            yield Shown(path, f"> WARNING: {found.warning}", standing=True)


def standing(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write what topics on the user and on how to work say that is a standing instruction or a matter of safety."""
    reader = page.parts.reader
    for layer in page.layers(row):
        kinds = {layer.type_of(kind) for kind in _OF_THE_USER}
        for head in page.parts.heads.all({layer.name}):
            if head.kind in kinds and not is_below_agent(reader.ranked(head.path, head.mark)):
                for said in head.orders:
                    if left := reader.left_of(head.path, said, journal=False):
                        line = guard.shown(f"- {left}")
                        yield Shown(head.path, line, said=left, standing=True, age=int(head.at.timestamp()), cut=True)


def surfaced(page: Page, _: PromptSection) -> Iterator[Shown]:
    """Write the topics that are put before the agent by themselves."""
    yield from page.surfaced


def tree(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write a line for each topic, under the names of its ancestors; those at the top come first."""
    reader, names = page.parts.reader, set(row.of)
    found = [
        topic
        for _, path in reader.files(lambda each: each.name in names)
        for topic in reader.visible(reader.records(path))
        if isinstance(topic, Topic)
    ]
    first = page.layers(row)[0]
    folder = page.parts.layout.folder_of(page.layers(row))
    lines = trees.lines(trees.build(found, folder).branches)
    for above, branch in sorted(lines, key=lambda each: bool(each[0])):
        if branch.topic is not None:
            about = f": {branch.topic.description}" if branch.topic.description else ""
            line = one_line(f"{branch.title} [{trees.name_of(branch.topic.path)}]{about}")
            trail = f"{guard.shown(one_line(' › '.join(above)))}:\n" if above else ""
            entry = page.one(first, branch.topic, f"- {guard.shown(line)}", heading=trail)
            yield replace(entry, said=line, cut=plain_line(branch.topic.body) not in line)


def changes(page: Page, _: PromptSection) -> Iterator[Shown]:
    """Write what was added to the frozen sections, and taken from them, since the session began."""
    now = page.now()
    for row in page.parts.layout.prompt:
        if row.part == "frozen":
            old = {record.text: record for _, record in page.joined(row)}
            new = {record.text: record for _, record in now.joined(row)}
            yield from (Shown(old[each].id, f"- no longer so: {guard.shown(each)}") for each in old if each not in new)
            yield from (Shown(new[each].id, f"- now: {guard.shown(each)}") for each in new if each not in old)


def summary(page: Page, _: PromptSection) -> Iterator[Shown]:
    """Write the summary of what left the window of the session."""
    sessions = page.parts.sessions
    if page.session is not None and (said := sessions.summary(page.session)):
        yield Shown(sessions.path(page.session), said)


def window(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write the live messages of the session, a line each."""
    if page.session is not None:
        sessions = page.parts.sessions
        said = [each for each in sessions.window(page.session) if each.text.strip()]
        config = page.parts.config
        fit = _fit(said, 2 * int(knob(config, row.limit) if row.limit else config.context.tokens))
        texts = iter(sessions.trust.marked([each for each in said if each.id in fit]))
        for message in said:
            over = "" if message.id in fit else "over the token budget"
            text = message.text if over else next(texts)
            yield Shown(message.id, f"{speaker(message.message, message.message.role.upper())}: {text}", refused=over)


def _fit(said: Sequence[RecordedMessage], tokens: int) -> set[str]:
    """Return the ids of the last messages that may have room; whose words the others repeat is not asked."""
    fit: set[str] = set()
    for message in reversed(said):
        needed = estimate_tokens(message.text)
        if needed <= tokens:
            fit.add(message.id)
            tokens -= needed
    return fit


def buffer(page: Page, _: PromptSection) -> Iterator[Shown]:
    """Write the one-line summaries of the last turns of the session."""
    sessions = page.parts.sessions
    if page.session is not None:
        for line in sessions.buffer(page.session, page.parts.config.context.buffer_lines):
            yield Shown(sessions.path(page.session), line)


def recall(_: Page, __: PromptSection) -> Iterator[Shown]:
    """Write nothing here: what a question finds is found in all scopes of a chain at once."""
    yield from ()


RENDERERS: Final[Installed[Renderer]] = Installed("commonplace.renderers", {
    "entries": entries,
    "facts": facts,
    "text": text,
    "index": index,
    "pointers": pointers,
    "standing": standing,
    "surfaced": surfaced,
    "tree": tree,
    "changes": changes,
    "summary": summary,
    "window": window,
    "buffer": buffer,
    "items": packing.items,
    "working": packing.working,
    "notes": packing.notes,
    "days": packing.days,
    "recall": recall,
})  # fmt: skip
"""The renderers by name; an entry point of another package brings a function of the same form."""

JOINERS: Final = {"facts": "\n§\n"}
"""What is between two entries of a renderer, where it is not a line break."""
