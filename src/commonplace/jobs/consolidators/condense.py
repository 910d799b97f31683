"""Make a document of entries denser: a model joins what belongs together, the rules drop what is said twice.

Each merge is judged by itself: one that would lose, mix or add something is left out, the others are carried out.
Without a model only entries that another one contains go.

Source: seed facts, `consolidate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

import msgspec

from commonplace.changes.actors import Actor
from commonplace.changes.door import Door
from commonplace.config import Config
from commonplace.errors import ModelError
from commonplace.guard import gate, rewriting, screen
from commonplace.guard.grounding import Evidence
from commonplace.jobs import showing
from commonplace.jobs.consolidators.summarise import prompt
from commonplace.models.protocol import LLM, Request
from commonplace.models.reading import Unusable, body, find
from commonplace.operations import Edit, Proposal, RemoveEntry, ReplaceEntry, View, ViewEntry
from commonplace.records import Message, Outcome, RecordedMessage
from commonplace.text.likeness import decide, firm_words
from commonplace.text.pieces import one_line

_TEXT_CHARS: Final = 1000  # of one merged entry
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "merges": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "entries": {"type": "array", "items": {"type": "integer"}},
                    "text": {"type": "string"},
                },
                "required": ["entries", "text"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["merges"],
    "additionalProperties": False,
}


class _Merge(msgspec.Struct, frozen=True):
    entries: tuple[int, ...]
    text: str


def condense(
    path: str, entries: Sequence[ViewEntry], *, door: Door, llm: LLM | None, config: Config, actor: Actor
) -> Outcome:
    """Merge the entries of one document that belong together.

    Args:
        path: The document.
        entries: Its entries as they stand.
        door: Commits what comes of it.
        llm: The model; None drops repetitions only.
        config: Knobs of the model and the gate.
        actor: Who asks.

    Returns:
        `unchanged` where nothing could be merged, `refused` with the reason where the model's text may not be used.
    """
    if llm is None or len(entries) < 2:
        operations = _repeated(path, entries)
    else:
        merges = _ask(entries, llm, config)
        if isinstance(merges, str):
            return Outcome(status="refused", reason=f"nothing was changed: {merges}")
        judged = [_judged(path, entries, merge, config) for merge in merges]
        refused = list(dict.fromkeys(each for each in judged if isinstance(each, str)))
        operations = [edit for each in judged if not isinstance(each, str) for edit in each]
        if refused and not operations:
            return Outcome(status="refused", reason=f"nothing was changed: {refused[0]}")
    if not operations:
        return Outcome(status="unchanged", reason="no two entries say the same")
    return door.commit(operations, actor=actor, reason="made denser")


def _repeated(path: str, entries: Sequence[ViewEntry]) -> list[Edit]:
    """Take away each entry that another one says in full; what a person wrote stays."""
    gone: dict[str, None] = {}
    for one, two in combinations(entries, 2):
        if one.id in gone or two.id in gone:
            continue
        likeness = decide(one.text, two.text)
        if likeness.kind not in {"same", "contained"}:
            continue
        less = one if likeness.kind == "contained" and likeness.longer == "new" else two
        if not less.user_authored:
            gone[less.id] = None
    return [RemoveEntry(path=path, target=record) for record in gone]


def _ask(entries: Sequence[ViewEntry], llm: LLM, config: Config) -> tuple[_Merge, ...] | str:
    """Ask which entries to join; the reason where the answer cannot be used."""
    listed = "\n".join(f"{entry.number}. {showing.indented(entry.text)}" for entry in entries)
    request = Request(
        system=prompt("condense"),
        prompt=f"## Length\nat most {_TEXT_CHARS} characters for each text\n\n## Entries\n{listed}",
        schema=SCHEMA,
        max_tokens=config.model.max_tokens,
        timeout_seconds=config.model.timeout_seconds,
        purpose="condense",
        cause="asked for",
        model=config.consolidation.model or None,
    )
    try:
        reply = llm.complete(request)
    except ModelError as error:
        return str(error)
    text = body(reply)
    answer = text if isinstance(text, Unusable) else find(text, ("merges",), prompt=request.prompt)
    if isinstance(answer, Unusable):
        return answer.reason
    try:
        return msgspec.convert(answer["merges"], tuple[_Merge, ...])
    except msgspec.ValidationError as error:
        return f"the answer is not as asked for: {error}"


def _judged(path: str, entries: Sequence[ViewEntry], merge: _Merge, config: Config) -> list[Edit] | str:
    """Turn one merge into edits; the reason if it would lose, mix or add what entries do not say."""
    by_number = {entry.number: entry for entry in entries}
    parts = [by_number[number] for number in dict.fromkeys(merge.entries) if number in by_number]
    text = one_line(merge.text)
    if len(parts) < 2 or len(parts) != len(merge.entries) or not text or len(text) > _TEXT_CHARS:
        return "a merge names entries that are not there, or has no text of use"
    if any(decide(one.text, two.text).kind == "supersedes" for one, two in combinations(parts, 2)):
        return "a merge would hold both sides of a contradiction"
    firm = frozenset[str]().union(*(firm_words(part.text) for part in parts))
    if not firm <= firm_words(text):
        return "a merge drops a number or a denial"
    reason = Evidence([_said(part) for part in parts]).fault(text)
    if reason:
        return f"the model's text was refused ({reason})"
    if not all(rewriting.holds(text, part.text) for part in parts):
        return "a merge drops what an entry says"
    kept = next((part for part in parts if one_line(part.text) == text), parts[0])
    gone = [RemoveEntry(path=path, target=part.id) for part in parts if part is not kept]
    if one_line(kept.text) == text:
        return list[Edit](gone)
    proposal = Proposal(operations=(ReplaceEntry(path=path, target=kept.id, text=text), *gone))
    verdicts = {text: screen(text).findings for text in gate.texts(proposal)}
    view = View(entries=tuple(entries), shown=(path,), writable=(path,))
    judged = gate.judge(proposal, view, verdicts, config.gate)
    held = next((reason for _, reason in judged.held), "")
    return f"the model's text was refused ({held})" if held else list(judged.accepted)


def _said(entry: ViewEntry) -> RecordedMessage:
    """Return an entry as something that was said, for the statements that are to rest on it."""
    return RecordedMessage(entry.id, entry.path, "", entry.number, Message("user", entry.text, id=entry.id), 0)
