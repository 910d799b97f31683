"""The renderers of typed items, of the live session in their form, and of the notes of days.

Source: seed structured, "Memory Context Format"; seed systems 3.1, "Render" and "Budget".
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Final

from commonplace import guard
from commonplace.layouts.item_model import NOTE_MARK, TURN, MemoryItem, asker, exchange, is_summarised, read, stays
from commonplace.layouts.schema import Layer, PromptSection
from commonplace.recall.packs import BUDGET, ItemQuery, Pack, Scored, choose
from commonplace.recall.prompt.filling import Shown
from commonplace.recall.prompt.page import Page, over, unverified
from commonplace.recall.prompt.repeats import Repeats
from commonplace.records import Item, JournalEntry, is_below_agent
from commonplace.text import content
from commonplace.text.pieces import one_line, shortened, truncate

logger = logging.getLogger(__name__)

SUMMARY_HEAD: Final = "[Conversation summary]"
"""Stands above the summary of what left the window of a session."""

CHARS: Final = {"compact": 90, "balanced": 160, "rich": 240, "detail": 280, "full": 420}
"""How many characters of an item are shown: in a line of a summary by its style, in details, and in full."""

_INDEX_CHARS: Final = 96
_NEWEST: Final = 200  # items of a layer that are scored, and those that stay in sight; recall finds older ones
_ALL: Final = 10**6


def items(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write the items that fit the question best, under a heading for each layer."""
    knobs = page.parts.config.items
    pack = packed(page, [layer for layer in page.layers(row) if layer.kind == "items"])
    noted = _statements(page, pack)
    lead = ""
    for layer in page.layers(row):
        heading = f"{lead}## {layer.name.capitalize()} Memory\n"
        for each in pack.items:
            if each.item.layer == layer.name:
                yield _line(page, each, heading=heading, mode=knobs.disclosure, noted=noted)
                lead = "\n"
    if knobs.disclosure == "selective_detail":
        for each in pack.items:
            if each.score >= knobs.detail_score:
                yield _line(page, each, heading="\n## Details\n", mode="detail", noted=noted)
    for each in pack.dropped:
        yield Shown(each.item.id, guard.shown(said(each.item)), refused=BUDGET)
    expands = next((each.name for each in page.parts.layout.tool.actions if each.verb == "expand_items"), "")
    if pack.items and expands and knobs.hints and knobs.disclosure != "full":
        sections = ", ".join(layer.name for layer in page.layers(row))
        hint = f"The memory tool shows more: `{expands}` gives a section ({sections}) with ids, `read` one item whole."
        yield Shown("", hint, heading="\n## More\n", said=hint)  # said once for all scopes


def section(page: Page, layer: Layer, count: int) -> list[str]:
    """Return the best items of one layer for a question, a line each, whole and with their ids."""
    found = stored(page, layer)
    query = ItemQuery(text=page.question, top_k={layer.name: count}, soft_tokens=_ALL, max_tokens=_ALL)
    pack = choose((read(record, layer.name) for record in found), query, page.parts.now())
    return [
        f"{_line(page, each, heading='', mode='full', noted=Repeats()).text} ({each.item.id})" for each in pack.items
    ]


def packed(page: Page, layers: Sequence[Layer]) -> Pack:
    """Choose the items of some layers for the question of a page.

    What is trusted less than the agent is left to recall. Without a question there is no failure: it is news of its
    hour.
    """
    knobs = page.parts.config.items
    top_k = {"episodic": knobs.episodic_top_k, "procedural": knobs.procedural_top_k}
    found = [(layer, record) for layer in layers for record in stored(page, layer)]
    query = ItemQuery(
        text=page.question,
        skill=knobs.skill,
        top_k={layer.name: top_k.get(layer.name, knobs.semantic_top_k) for layer in layers},
        soft_tokens=knobs.soft_tokens,
        max_tokens=knobs.max_tokens,
        decay_days=knobs.decay_days if knobs.decay else 0,
        stays=frozenset(record.id for _, record in found if _stays(page, record)),
    )
    found = [(layer, each) for layer, each in found if page.question or each.kind.upper() != layer.type_of("failure")]
    fit = (read(record, layer.name) for layer, record in found if not is_below_agent(page.rank(record)))
    is_live = _live(page)
    fit = (each for each in fit if each.source != TURN or not is_live(each.id, each.content))
    others = [each for each in fit if each.source != TURN or page.over(each.id, each.content) != ""]
    pack = choose(others, query, page.parts.now())
    if repeated := _repeated(page, pack):
        pack = choose((each for each in others if each.id not in repeated), query, page.parts.now())
    logger.info("pack: %d items", len(pack.items), extra=pack.diagnostics)
    return pack


def _live(page: Page) -> Callable[[str, str], bool]:
    """Return what tells of a turn, by its record and its words, if the session's window or its summary has it."""
    sessions, session = page.parts.sessions, page.session
    window = sessions.window(session) if session is not None else ()
    live = {(each.session, str(each.message.id)) for each in window}
    told = sessions.summary(session).split("\n") if session is not None else []

    def is_live(record: str, words: str) -> bool:
        sources = page.sources(record)
        return (bool(sources) and live.issuperset(sources)) or is_summarised(words, told)

    return is_live


def _statements(page: Page, pack: Pack) -> Repeats:
    """Return the statements of the chosen items that are no turns."""
    noted = Repeats()
    for each in pack.items:
        if each.item.source != TURN and not is_below_agent(page.parts.reader.rank(each.item.id)):
            noted.add(each.item.content, "user")
    return noted


def _repeated(page: Page, pack: Pack) -> set[str]:
    """Return the ids of the chosen turns in which nothing is asked, and nothing said that another item does not say."""
    noted = _statements(page, pack)
    turns = ((each.item.id, *exchange(each.item.content)) for each in pack.items if each.item.source == TURN)
    return {
        item
        for item, asked, answer in turns
        if noted.says(asked, "user")
        and (content.keywords(answer) <= content.keywords(asked) or noted.says(f"{asked}\n{answer}", "agent"))
    }


def _stays(page: Page, record: Item) -> bool:
    """True if an item is an order or a matter of safety that holds, trusted as the agent: each prompt has it."""
    trusted = stays(record.data) and not is_below_agent(page.rank(record))
    return trusted and page.over(record.id, record.text) is None


def stored(page: Page, layer: Layer) -> Iterator[Item]:
    """Yield the newest items of a layer, and those that stay, if they may be shown; of a dated one of the last days."""
    files, left = page.parts.items, _NEWEST
    for path in page.paths(layer, page.parts.config.items.episodic_days):
        newest = files.newest(path, left)
        left -= len(newest)
        known = {each.id for each in newest}
        newest += [each for each in files.staying(path) if each.id not in known]
        yield from page.kept(each for each in page.parts.reader.visible(newest) if isinstance(each, Item))


def _line(page: Page, scored: Scored, *, heading: str, mode: str, noted: Repeats) -> Shown:
    """Return an item as a line; of a turn only the answer, if what the user said is noted."""
    item = scored.item
    text = said(item)
    known = item.source == TURN and noted.says(exchange(item.content)[0], "user")
    chars = CHARS.get(mode) or CHARS.get(page.parts.config.items.style, CHARS["balanced"])
    title = one_line(item.title)
    if mode == "index":
        line = f"{truncate(title or text, _INDEX_CHARS)} ({item.id})"
    elif title and not known and not text.startswith(title.removesuffix("...")):
        line = f"{title}{' | ' if item.source == TURN else ': '}{shortened(text, chars)}"
    else:
        line = shortened(text, chars)
    rank, words = page.parts.reader.rank(item.id), page.over(item.id, item.content)
    mark = f"({over(words)}) " if words is not None else ""
    return Shown(
        item.id,
        guard.shown(f"- {unverified(rank)}{mark}[{item.type or 'ITEM'}] {line}"),
        rank,
        heading=heading,
        said=line.replace(" asked: ", ": ", 1) if item.source == TURN else line,  # as the note of its day has it
        sources=page.sources(item.id),
        standing=scored.stays,
        age=int(scored.score * 1e6),
        cut=mode in {"index", "detail"} or len(text) > chars,
    )


def said(item: MemoryItem) -> str:
    """Return what an item says in one line; of a turn the answer, or the question if there is no answer."""
    if item.source != TURN:
        return one_line(item.content)
    asked, answered = exchange(item.content)
    return f"Assistant: {answered}" if answered else f"{asker(item.content)} asked: {asked}"


def working(page: Page, _: PromptSection) -> Iterator[Shown]:
    """Write the summary of what left the window of the session, and the lines of its last turns."""
    sessions, config = page.parts.sessions, page.parts.config
    if page.session is None:
        return
    path, left = sessions.path(page.session), config.items.working_top_k
    if summary := sessions.summary(page.session) or _theirs(page.session, page):
        yield Shown(path, f"{SUMMARY_HEAD}\n{summary}")
        left -= 1
    if config.context.recap and left > 0:
        for line in sessions.buffer(page.session, left, since=sessions.state(page.session).window_start):
            yield Shown(path, line)


def _theirs(session: str, page: Page) -> str:
    """Return the summary that another system wrote as the first message of a session."""
    first = next(iter(page.parts.sessions.window(session)), None)
    if first is None or first.message.role != "system" or not first.text.startswith(SUMMARY_HEAD):
        return ""
    return unverified(first.message.trust or "tool") + guard.shown(first.text.removeprefix(SUMMARY_HEAD).strip())


def notes(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write the entries of today's journal as they are in it."""
    return _noted(page, row, range(1))


def days(page: Page, row: PromptSection) -> Iterator[Shown]:
    """Write the entries of the days before today, the newest day first, each under its date."""
    return _noted(page, row, range(1, page.parts.config.items.recent_days + 1))


def _noted(page: Page, row: PromptSection, days_back: range) -> Iterator[Shown]:
    """Write the entries of some days, without the turns of the live conversation and what is left to recall.

    That is what is trusted less than the agent.
    """
    now, lead, is_live = page.parts.now(), "", _live(page)
    for layer in page.layers(row):
        for back in days_back:
            heading = f"{lead}### {(now - timedelta(days=back)).date().isoformat()}\n" if back else ""
            for record in page.of_day(layer, back):
                label = page.label(record)
                turn = NOTE_MARK in record.text and is_live(record.id, record.text)
                if not turn and not is_below_agent(page.rank(record)):
                    at = record.at if isinstance(record, JournalEntry) else None
                    clock = f"[{at.astimezone(page.parts.zone):%H:%M}] " if at is not None else ""
                    yield page.one(layer, record, guard.shown(f"{clock}{label}{record.text}"), heading=heading)
                    lead = "\n"
