"""Fill the room of a prompt with entries: which of them are in it, and how their sections read.

Pure. What must stay in sight comes first, then what is newest; entries that are kept are in the order of
their documents. A section costs its heading only if something is under it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from commonplace.recall.sharing import SHARED_SHARE
from commonplace.records import Dropped, Section, Trust, is_below_agent
from commonplace.text.inert import inert
from commonplace.text.pieces import estimate_tokens, fingerprint

Message = tuple[str, str]
"""A message by its session and its id."""


class Shown(msgspec.Struct, frozen=True):
    """One record that may enter: its text as it reads in the prompt, and what speaks for and against it.

    `heading` is of the part of its document that it is in; `said` is the record's own text and `sources`
    are the messages it rests on. `standing` entries come before all others, then those that fit the question best,
    by `fits`, then those of the highest `age`. `cut` is true if the record holds more than its text here, `refused` why
    it may not enter. `short` is the part of the text that is shown if all of it has no room.
    """

    record: str
    text: str
    trust: Trust = "user"
    heading: str = ""
    said: str = ""
    sources: tuple[Message, ...] = ()
    standing: bool = False
    fits: int = 0
    age: int = 0
    cut: bool = False
    refused: str = ""
    short: str = ""


class Draft(msgspec.Struct, frozen=True):
    """One section before budgeting.

    `heading` is above it as it is, a second-level heading of the title if it is empty; `joiner` is
    what parts its entries. `owner` is the place in the chain of the scope that it comes from. `live` says that
    it is the conversation under way.
    """

    title: str
    part: Literal["stable", "volatile"]
    entries: tuple[Shown, ...]
    limit_tokens: int = 0
    heading: str = ""
    joiner: str = "\n"
    owner: int = 0
    live: bool = False


class Filled(NamedTuple):
    """The sections that came of some drafts, the entries in them, and those for which there was no room."""

    sections: list[Section]
    kept: list[Shown]
    left: list[Shown]
    dropped: list[Dropped]


class _Place(NamedTuple):
    """The place of an entry: its draft, its number in it, and the run of entries with the same heading."""

    draft: int
    number: int
    run: int


def safe(draft: Draft) -> Draft:
    """Make the texts inert before anything is counted."""
    entries = tuple(
        msgspec.structs.replace(
            entry,
            text=inert(entry.text),
            heading=entry.heading and inert(entry.heading),
            short=entry.short and inert(entry.short),
        )
        for entry in draft.entries
    )
    return msgspec.structs.replace(draft, entries=entries, title=inert(draft.title), heading=inert(draft.heading))


def fill(drafts: Sequence[Draft], room: int) -> Filled:
    """Choose entries for a room: those of the first scope, those shared with others in a bounded part of it."""
    filled = Filled([], [], [], [])
    offered = _offered(drafts, filled)
    wanted: dict[int, int] = {}
    for place, entry in offered.items():
        draft = drafts[place.draft]
        if not draft.owner:
            continue
        head = cost(_heading(draft)) if place.number == 0 else 0
        wanted[draft.owner] = wanted.get(draft.owner, head) + cost(entry.heading + entry.text + draft.joiner[1:]) + head
    chosen: dict[_Place, Shown] = {}
    left = int(room * SHARED_SHARE)
    shared = sorted(wanted, key=lambda owner: (wanted[owner], owner))
    spent = 0
    for number, owner in enumerate([*shared, 0]):
        share = left // (len(shared) - number) if owner else room - spent
        mine = {place: entry for place, entry in offered.items() if drafts[place.draft].owner == owner}
        taken = _take(drafts, mine, share, chosen)
        spent, left = spent + taken, left - taken
    for place, entry in offered.items():
        if place in chosen:
            filled.kept.append(chosen[place])
            continue
        filled.left.append(entry)
        reason = "over the token budget" + ("; standing instructions have no room" if entry.standing else "")
        filled.dropped.append(Dropped(entry.record, reason, cost(entry.text)))
    for number, draft in enumerate(drafts):
        places = [place for place in offered if place.draft == number and place in chosen]
        if places:
            filled.sections.append(_section(draft, [(place, chosen[place]) for place in places]))
    return filled


def _offered(drafts: Sequence[Draft], filled: Filled) -> dict[_Place, Shown]:
    """Return the entries that may enter, each statement once; name those that may not."""
    found: dict[_Place, Shown] = {}
    said: set[str] = set()
    for at, draft in enumerate(drafts):
        run = 0
        last = ""
        mine: set[str] = set()
        for number, entry in enumerate(draft.entries):
            run += entry.heading != last
            last = entry.heading
            if entry.refused:
                filled.dropped.append(Dropped(entry.record, entry.refused, cost(entry.text)))
                continue
            if draft.part == "stable" and is_below_agent(entry.trust):
                reason = f"trust {entry.trust}: a person has to promote it first"
                filled.dropped.append(Dropped(entry.record, reason))
                continue
            mark = fingerprint(entry.said) if entry.said else ""
            if entry.text.strip() and mark not in said:
                found[_Place(at, number, run)] = entry
                mine |= {mark} - {""}
        said |= mine  # a document that says a thing twice is shown as it is
    return found


def _take(drafts: Sequence[Draft], offered: dict[_Place, Shown], room: int, chosen: dict[_Place, Shown]) -> int:
    """Choose entries for the share of one scope, the most important first; return what they cost."""
    spent: dict[int, int] = {}
    runs: set[tuple[int, int]] = set()

    def importance(place: _Place) -> tuple[bool, int, int, int, int]:
        entry = offered[place]
        return not entry.standing, -entry.fits, -entry.age, place.draft, -place.number

    for place in sorted(offered, key=importance):
        draft, entry = drafts[place.draft], offered[place]
        above = 0 if place.draft in spent else cost(_heading(draft))
        above += 0 if (place.draft, place.run) in runs or not entry.heading else cost(entry.heading)
        part = [msgspec.structs.replace(entry, text=entry.short, cut=True)] if entry.short else []
        for form in (entry, *part):
            needed = above + cost(form.text + draft.joiner[1:])
            mine = spent.get(place.draft, 0) + needed
            if needed <= room - sum(spent.values()) and mine <= (draft.limit_tokens or mine):
                spent[place.draft] = mine
                runs.add((place.draft, place.run))
                chosen[place] = form
                break
    return sum(spent.values())


def _section(draft: Draft, kept: Sequence[tuple[_Place, Shown]]) -> Section:
    texts: list[str] = []
    run = 0
    for place, entry in kept:
        texts.append(entry.text if place.run == run else entry.heading + entry.text)
        run = place.run
    text = _heading(draft) + draft.joiner.join(texts)
    return Section(draft.title, draft.part, text, cost(text), tuple(entry.record for _, entry in kept))


def _heading(draft: Draft) -> str:
    return f"{draft.heading or f'## {draft.title}'}\n"


def cost(text: str) -> int:
    """Return what a text costs with the line break behind it, in tokens."""
    return estimate_tokens(text) + 1
