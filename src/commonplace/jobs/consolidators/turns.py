"""The consolidator of single turns, without a model: a line for the day, an item for the turn, items for what it says.

What the rules find in a turn becomes an item of its own. One that is sure enough goes to the layer that its kind has;
what is not, and the turn itself, stays with the short-lived ones.

Source: seed structured, "Daily Notes" and "Memory V2"; seed systems 3.1, 3.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast

import msgspec

from commonplace.config import ItemsConfig
from commonplace.guard.screened import instant
from commonplace.jobs.consolidators.work import Work
from commonplace.jobs.rules import proposing
from commonplace.jobs.rules.memos import Known, Place, Targets
from commonplace.jobs.rules.reading import Reader
from commonplace.jobs.rules.wording import UNNAMED
from commonplace.layouts.codecs.items import item_fingerprint
from commonplace.layouts.item_model import TURN
from commonplace.operations import AppendJournal, Edit, Proposal, PutItem
from commonplace.records import RecordedMessage, Source
from commonplace.text.patterns import pattern
from commonplace.text.pieces import one_line, short_name, truncate

NOTE_CHARS: Final = (200, 300)  # seed structured: of the user and of the assistant in a daily note
ITEM_CHARS: Final = (1200, 1800)  # seed systems 3.1: the same in the item of a turn
_BEFORE: Final = 6  # messages before a turn that the rules read too: what a correction speaks of
_SURE: Final = {"user": 0.85, "agent": 0.78, "tool": 0.60, "web": 0.50}
"""How sure an item is, by whose words it takes."""
_SHORT: Final = "task"  # the kind whose layer takes what does not last
_CODING: Final = frozenset({"failure", "fix"})
_WEIGHTS: Final = {"failure": 0.20, "fix": 0.20, "constraint": 0.15, "instruction": 0.15, "task": 0.10}
_REFERENCE: Final = pattern(
    r"(?<![\w./-])(?:[\w.-]+/)*[\w-][\w.-]*\.(?:java|kts?|groovy|xml|ya?ml|json|md|txt|tsx?|jsx?|py|go|rs|sql|toml|sh|c|h|cpp|rb)\b"
    r"|\b[A-Za-z0-9_$.]+Test(?:#\w+)?\b|\btest_\w+"
)
_TOPIC: Final = pattern(r"(?i)\b(java|maven|spring|tests?|docker|database|postgres\w*|sql|python|rust|kubernetes)\b")
_TAGS: Final = {"test": "tests", "sql": "database", "postgres": "database", "postgresql": "database"}
_COMMAND: Final = pattern(r"/\S*")  # of the host, such as `/new`
_MOST: Final = 12  # tags, and references, of one item


def propose(work: Work) -> Proposal:
    """Propose what the turns of a range leave behind."""
    made: list[Edit] = []
    said = [*work.view.earlier[-_BEFORE:], *work.view.messages]
    reader = Reader(said, work.zone)
    memos = {each.number: reader.read(each) for each in said}
    short = {place.path for place in work.places.values() if place.layer == work.layout.targets.get(_SHORT)}
    known = [
        Known(entry.id.partition("#")[2], entry.path, entry.text, at=entry.by_hand or entry.said, sources=entry.sources)
        for entry in work.view.entries
        if entry.path not in short  # what does not last is not corrected
    ]
    before: Sequence[RecordedMessage] = work.view.earlier
    for turn in turns(work.view.messages):
        edits = list(_of_turn(turn, before, work, known, lambda each: memos[each.number]))
        before = [*before[-_BEFORE:], *turn]
        written = {edit.id: edit.data for edit in made if isinstance(edit, PutItem)}
        edits = [
            msgspec.structs.replace(edit, data=written.get(edit.id, {}) | edit.data)
            if isinstance(edit, PutItem)
            else edit
            for edit in edits
        ]
        lasting = [edit for edit in edits if isinstance(edit, PutItem) and edit.path not in short]
        again = {edit.id for edit in lasting}  # what a later turn corrects is not written down first
        made = [edit for edit in made if not (isinstance(edit, PutItem) and edit.id in again)] + edits
        known = [each for each in known if each.id not in again]
        known += [Known(edit.id, edit.path, str(edit.data["content"])) for edit in lasting]
    return Proposal(operations=tuple(made))


def turns(messages: Sequence[RecordedMessage]) -> list[Sequence[RecordedMessage]]:
    """Cut messages where a user speaks."""
    starts = [at for at, message in enumerate(messages) if message.message.role == "user" or at == 0]
    return [messages[start:end] for start, end in zip(starts, [*starts[1:], len(messages)], strict=True)]


def note(user: str, assistant: str, asker: str = "User") -> str:
    """Write the line of one turn for the notes of a day."""
    said, answered = (
        truncate(one_line(text), limit) for text, limit in zip((user, assistant), NOTE_CHARS, strict=True)
    )
    return f"{asker}: {said} | Assistant: {answered}".rstrip()


def _of_turn(
    turn: Sequence[RecordedMessage],
    before: Sequence[RecordedMessage],
    work: Work,
    known: Sequence[Known],
    read: proposing.Read,
) -> Iterator[Edit]:
    asked = turn if turn[0].message.role == "user" else [*before, *turn]  # a long turn comes in parts
    user, assistant = _last(asked, "user"), _answer(turn)
    if assistant is None and (user is None or _COMMAND.fullmatch(user.text.strip())):
        return
    at = (assistant or user or turn[-1]).message.at
    when = instant(at) if at else ""
    sources = tuple(Source(m.session, str(m.message.id)) for m in (user, assistant) if m is not None and m in turn)
    texts = (user.text if user else "", assistant.text if assistant else "")
    asker = (short_name(user.message.name) if user else None) or UNNAMED
    found = list(_stated(turn, before[-_BEFORE:], work, known, read))
    if (journal := work.file("journal", at)) and work.config.items.daily_notes:
        yield AppendJournal(path=journal, text=note(*texts, asker), at=when, sources=sources)
    if (layer := work.items(_SHORT)) is not None:
        item = _turn_item(texts, asker, {kind for kind, _ in found}, work.config.items)
        data = {"type": layer.type_of(_SHORT)} | item | _dated(when)
        yield PutItem(path=work.file(_SHORT, at), id=item["fingerprint"], data=data, sources=sources)
    for _, edit in found:
        yield msgspec.structs.replace(edit, data=edit.data | _dated(when))


def _turn_item(texts: tuple[str, str], asker: str, kinds: Iterable[str], knobs: ItemsConfig) -> dict[str, Any]:
    """Return the item of a turn; the add rule fills in what is left out."""
    user, assistant = (text.strip() for text in texts)
    both = f"{user}\n{assistant}".strip()
    weight = 0.55 + sum(sorted({_WEIGHTS[kind] for kind in kinds if kind in _WEIGHTS}))
    return marks(both, knobs) | {
        "content": f"{asker}: {truncate(user, ITEM_CHARS[0])}\nAssistant: {truncate(assistant, ITEM_CHARS[1])}",
        "source": TURN,
        "confidence": 0.65,
        "salience": round(min(1.0, weight), 2),
        "fingerprint": item_fingerprint("TASK", both if asker == UNNAMED else f"{asker}: {both}"),
    }


def _stated(
    turn: Sequence[RecordedMessage],
    before: Sequence[RecordedMessage],
    work: Work,
    known: Sequence[Known],
    read: proposing.Read,
) -> Iterator[tuple[str, PutItem]]:
    """Yield what the rules find in a turn, each as an item with its kind."""
    at = turn[-1].message.at
    places = {
        kind: Place(path=work.file(kind, at), form="item", fields={"text": "content"})
        for kind in work.layout.targets
        if work.items(kind) and (work.config.items.code_aware or kind not in _CODING)
    }
    found = proposing.propose(
        [*before, *turn], session=work.session, zone=work.zone, targets=cast("Targets", places), existing=known,
        since=turn[0].number, people=work.people, read=read,
    )  # fmt: skip
    for edit in found.operations:
        kind = str(edit.data.get("kind", "fact")) if isinstance(edit, PutItem) else ""
        layer = work.items(kind)
        if not isinstance(edit, PutItem) or layer is None:
            continue
        sure = _SURE[edit.trust or "web"]
        lasts = work.config.items.promotion and sure >= work.config.items.promotion_confidence and kind != _SHORT
        path = edit.path
        if not lasts and (short := work.items(_SHORT)) is not None:
            layer, path = short, work.file(_SHORT, at)
        content, word = str(edit.data["content"]), layer.type_of(kind)
        data = {key: value for key, value in edit.data.items() if key not in {"kind", "at"}}
        data |= {"source": "derived", "confidence": sure} | ({"type": word} if "kind" in edit.data else {})
        name = edit.id if any(each.id == edit.id for each in known) else item_fingerprint(word, content)
        data |= marks(content, work.config.items)
        yield kind, msgspec.structs.replace(edit, path=path, id=name, data=data)


def marks(text: str, knobs: ItemsConfig) -> dict[str, list[str]]:
    """Return the tags and references of a text: what the agent does now, what it is about, the files it names."""
    skill = [knobs.skill] if knobs.skill else []
    if not knobs.code_aware:
        return {"tags": skill, "references": []}
    references = list(dict.fromkeys(_REFERENCE.findall(text)))[:_MOST]
    about = [_TAGS.get(word, word) for word in (found.lower() for found in _TOPIC.findall(text))]
    endings = [name.rpartition(".")[2] for name in references if "." in name and "#" not in name]
    return {"tags": list(dict.fromkeys([*skill, *about, *endings]))[:_MOST], "references": references}


def _dated(when: str) -> dict[str, str]:
    return {"createdAt": when, "updatedAt": when} if when else {}


def _answer(turn: Sequence[RecordedMessage]) -> RecordedMessage | None:
    """Return what the assistant said last; what it said while it called a tool only if it said nothing else."""
    said = [m for m in turn if not m.message.tools]
    return _last(said, "assistant") or _last(turn, "assistant")


def _last(turn: Sequence[RecordedMessage], role: str) -> RecordedMessage | None:
    return next((m for m in reversed(turn) if m.message.role == role and m.text.strip()), None)
