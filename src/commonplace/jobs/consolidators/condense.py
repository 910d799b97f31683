"""Make a document of entries denser: a model joins what belongs together, the rules drop what is said twice.

Each merge is judged by itself: one that would lose, mix or add something is left out, the others are carried out.
Without a model only entries that another one contains go.

Source: seed facts, `consolidate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any, Final

import msgspec

from commonplace.guard import written
from commonplace.guard.grounding import Evidence
from commonplace.jobs import showing
from commonplace.jobs.consolidators.summarise import prompt
from commonplace.jobs.consolidators.work import Work
from commonplace.models.protocol import LLM, Request
from commonplace.models.reading import Unusable, body, find
from commonplace.operations import Edit, Proposal, RemoveEntry, ReplaceEntry, ViewEntry
from commonplace.records import Message, RecordedMessage
from commonplace.text import content, denials
from commonplace.text.content import Vocabulary
from commonplace.text.likeness import decide, firm_words
from commonplace.text.likeness.wording import NEGATIONS
from commonplace.text.pieces import one_line

_TEXT_CHARS: Final = 1000  # of one merged entry
_DENIED: Final = "not"
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


def propose(work: Work) -> Proposal | Unusable:
    """Propose merges of entries that belong together, in each document that may be written.

    What a person wrote stays as it is.

    Raises:
        ModelError: The model gave no answer.
    """
    operations: list[Edit] = []
    refused: list[str] = []
    entries = [entry for entry in work.listed.entries if not entry.user_authored and entry.id != entry.path]
    for path in dict.fromkeys(entry.path for entry in entries):
        some = [entry for entry in entries if entry.path == path]
        if work.llm is None or len(some) < 2:
            operations += _repeated(path, some)
            continue
        merges = _ask(some, work.llm, work)
        if isinstance(merges, Unusable):
            return merges
        for merge in merges:
            judged = _judged(path, some, merge)
            if isinstance(judged, str):
                refused.append(judged)
            else:
                operations += judged
    if refused and not operations:
        return Unusable(refused[0])
    return Proposal(operations=tuple(operations), ruled=work.llm is None)


def _repeated(path: str, entries: Sequence[ViewEntry]) -> list[Edit]:
    """Return the removals of entries that another one repeats in full; what a person wrote stays."""
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


def _ask(entries: Sequence[ViewEntry], llm: LLM, work: Work) -> tuple[_Merge, ...] | Unusable:
    """Return which entries a model would join, or the reason why its answer cannot be used."""
    listed = "\n".join(f"{entry.number}. {showing.indented(entry.text)}" for entry in entries)
    request = Request(
        system=prompt("condense"),
        prompt=f"## Length\nat most {_TEXT_CHARS} characters for each text\n\n## Entries\n{listed}",
        schema=SCHEMA,
        max_tokens=work.max_tokens,
        timeout_seconds=work.seconds,
        purpose="condense",
        cause=work.cause,
        model=work.model,
    )
    text = body(llm.complete(request))
    answer = text if isinstance(text, Unusable) else find(text, ("merges",), prompt=request.prompt)
    if isinstance(answer, Unusable):
        return answer
    try:
        return msgspec.convert(answer["merges"], tuple[_Merge, ...])
    except msgspec.ValidationError as error:
        return Unusable(f"the answer is not as asked for: {error}")


def _judged(path: str, entries: Sequence[ViewEntry], merge: _Merge) -> list[Edit] | str:
    """Turn one merge into edits; the reason if it would lose, mix or add what entries do not say."""
    by_number = {entry.number: entry for entry in entries}
    parts = [by_number[number] for number in dict.fromkeys(merge.entries) if number in by_number]
    text = one_line(merge.text)
    if len(parts) < 2 or len(parts) != len(merge.entries) or not text or len(text) > _TEXT_CHARS:
        return "a merge names entries that are not there, or has no text of use"
    if any(decide(one.text, two.text).kind == "supersedes" for one, two in combinations(parts, 2)):
        return "a merge would hold both sides of a contradiction"
    firm = frozenset[str]().union(*(_firm(part.text) for part in parts))
    if not firm <= firm_words(text) | ({_DENIED} if denials.denies(text) else set()):
        return "a merge drops a number or a denial"
    reason = Evidence([_said(part) for part in parts]).fault(text)
    if reason:
        return f"the model's text was refused ({reason})"
    if not all(written.holds(text, part.text) for part in parts):
        return "a merge drops what an entry says"
    if _denies_another(text, parts) or any(_swaps(text, one.text, two.text) for one, two in combinations(parts, 2)):
        return "a merge says of one thing what an entry says of another"
    kept = next((part for part in parts if one_line(part.text) == text), parts[0])
    gone = [RemoveEntry(path=path, target=part.id) for part in parts if part is not kept]
    if one_line(kept.text) == text:
        return list[Edit](gone)
    return [ReplaceEntry(path=path, target=kept.id, text=text), *gone]


def _firm(text: str) -> frozenset[str]:
    """Return what a merge may not drop: numbers, and that something is denied; two denials in their own words."""
    found = firm_words(text)
    denied = found & NEGATIONS
    return found - denied | {_DENIED} if len(denied) == 1 else found


def _denies_another(text: str, parts: Sequence[ViewEntry]) -> bool:
    """True if a clause of a merge denies what an entry says that denies nothing, or says what an entry denies."""
    denied = [_content(said) for part in parts for said in content.clauses(part.text) if denials.denies(said)]
    for clause in content.clauses(text):
        if not denials.denies(clause):
            words = Vocabulary(_content(clause))
            if any(len(said) > 1 and said == words.shared(said) for said in denied):
                return True
            continue
        whose = [part.text for part in parts if _own(clause, part, parts)]
        if not all(map(denials.denies, whose)):
            return True
    return False


def _own(clause: str, part: ViewEntry, parts: Sequence[ViewEntry]) -> frozenset[str]:
    """Return the words of a clause that only one of some entries says."""
    others = Vocabulary(word for other in parts if other is not part for word in content.words(other.text))
    shared = Vocabulary(content.words(part.text)).shared(_content(clause))
    return shared - others.shared(shared)


def _content(text: str) -> frozenset[str]:
    return content.content(text) | {word for word in content.words(text) if word.isdigit()}


def _swaps(text: str, one: str, two: str) -> bool:
    """True if a merge of two entries that say the like of two subjects does not say first the one, then the other.

    So it cannot say of one subject what was said of the other.
    """
    first, second = (Vocabulary(content.words(each)) for each in (one, two))
    if not (_is_parted(one, second) and _is_parted(two, first)):
        return False
    said = [word for word in content.words(text) if word in _content(text)]
    whose = [first.holds(word) for word in said if first.holds(word) != second.holds(word)]
    return sum(before != after for before, after in pairwise(whose)) > 1


def _is_parted(text: str, other: Vocabulary) -> bool:
    """True if a text has a word that another shares between two of its own (`Ada` lives in `Bergen`)."""
    said = _content(text)
    alone = [not other.holds(word) for word in content.words(text) if word in said or other.holds(word)]
    inner = alone[alone.index(True) : len(alone) - alone[::-1].index(True)] if True in alone else []
    return False in inner


def _said(entry: ViewEntry) -> RecordedMessage:
    """Return an entry as something that was said, for the statements that are to rest on it."""
    return RecordedMessage(entry.id, entry.path, "", entry.number, Message("user", entry.text, id=entry.id), 0)
