"""Merge on write: a new entry is held against those that are there before the door takes it.

Likeness nominates, rules decide, a model is asked where they are in doubt, and where there is none both
entries stay and a person is told. An entry is replaced whole or left whole: two sides of a contradiction
never end in one. What is replaced stays in the change log.

Source: seed facts, "Merge-on-Write", with the ruling of seed model, section 6.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from commonplace.changes.actors import Actor
from commonplace.changes.admission import Waits
from commonplace.changes.door import Door
from commonplace.changes.parts import Parts
from commonplace.changes.plan import resolve
from commonplace.config import FactsConfig
from commonplace.errors import ModelError, VersionConflictError
from commonplace.guard import screen, verdict
from commonplace.jobs.consolidators.summarise import prompt
from commonplace.models.protocol import LLM, Request
from commonplace.models.replies import parse_choice
from commonplace.operations import AddEntry, Operation, RemoveEntry, ReplaceEntry
from commonplace.records import TRUST_RANK, Entry, Outcome, lowest_trust
from commonplace.text.likeness import Kind, decide, firm_words, nominate
from commonplace.text.pieces import fingerprint, one_line, truncate

logger = logging.getLogger(__name__)

CHOICES: Final = ("same", "newer", "conflict", "distinct")
CONFLICT: Final = "possible_conflict"
_QUOTED_CHARS: Final = 120
_JUDGED: Final = 3  # doubtful entries a model is asked about, at most
_TRIES: Final = 3  # an entry that another writer moved in between is looked at again


class Settled(msgspec.Struct, frozen=True):
    """What becomes of one new entry: the operation, or the id that already says it; what waits, and why."""

    operation: Operation | None
    duplicate: str = ""
    waits: tuple[Waits, ...] = ()
    note: str = ""


class MergingDoor:
    """A door that holds new entries of documents against the ones that are there; all else passes as it is.

    Args:
        llm: Asked where the rules are in doubt; None leaves such entries side by side, flagged.
    """

    def __init__(self, parts: Parts, door: Door, llm: LLM | None) -> None:
        config = parts.config
        self._door = door
        self._store = parts.store
        self._reader = parts.reader
        self._ledger = parts.ledger
        self._layout = parts.layout
        self._llm = llm if config.facts.llm_consolidate else None
        self._seconds = config.model.timeout_seconds
        self._model = config.consolidation.model or None
        self._on = parts.layout.merge_on_write and config.facts.merge_on_write
        self._merge_over, self._add_below = thresholds(config.facts)

    def commit(
        self,
        operations: Sequence[Operation],
        *,
        actor: Actor,
        reason: str = "",
        expect: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> Outcome:
        """Do some operations as one change, as `Door.commit` does, new entries merged.

        Raises:
            VersionConflictError: A file is not in the version of `expect`.
        """
        if not self._on or not any(isinstance(operation, AddEntry) for operation in operations):
            return self._door.commit(operations, actor=actor, reason=reason, expect=expect, dry_run=dry_run)
        for _ in range(_TRIES):
            versions = self._versions(operations)
            settled = [self._settle(operation, actor) for operation in operations]
            wanted = [each.operation for each in settled if each.operation is not None]
            same = tuple(each.duplicate for each in settled if each.duplicate)
            if not wanted:
                return Outcome(status="duplicate", records=same, reason="memory already says so")
            try:
                outcome = self._door.commit(
                    wanted,
                    actor=actor,
                    reason="; ".join(part for part in (reason, *(each.note for each in settled)) if part),
                    expect=versions | dict(expect or {}),
                    dry_run=dry_run,
                    waits=[wait for each in settled for wait in each.waits],
                )
            except VersionConflictError as error:
                if expect and error.data.get("path") in {resolve(self._layout, path)[1] for path in expect}:
                    raise
                continue
            notes = "; ".join(each.note for each in settled if each.note and not each.waits)
            return msgspec.structs.replace(
                outcome,
                records=(*outcome.records, *same),
                reason="; ".join(part for part in (outcome.reason, notes if outcome.ok else "") if part),
            )
        return self._door.commit(operations, actor=actor, reason=reason, expect=expect, dry_run=dry_run)

    def _versions(self, operations: Sequence[Operation]) -> dict[str, str]:
        paths = [resolve(self._layout, each.path)[1] for each in operations if isinstance(each, AddEntry)]
        self._door.look(paths)
        self._ledger.catch_up()
        return {path: self._store.version(path) for path in dict.fromkeys(paths)}

    def _settle(self, operation: Operation, actor: Actor) -> Settled:
        if not isinstance(operation, AddEntry):
            return Settled(operation)
        layer, path = resolve(self._layout, operation.path)
        text = screen(operation.text)
        trust = lowest_trust([actor.trust, operation.trust or actor.trust])
        passes = verdict(text, explicit=actor.explicit, trust=trust) == "ok"
        if layer.kind != "documents" or not passes or TRUST_RANK[trust] < TRUST_RANK["agent"]:
            return Settled(operation)  # what the door refuses or lets wait takes the place of nothing
        entries = [
            record
            for record in self._reader.records(path)
            if isinstance(record, Entry) and TRUST_RANK[self._reader.rank(record.id)] >= TRUST_RANK["agent"]
        ]
        return self._against(operation, path, text.text.strip(), entries, actor)

    def _against(self, operation: AddEntry, path: str, text: str, entries: Sequence[Entry], actor: Actor) -> Settled:
        mark = fingerprint(text)
        if known := next((entry for entry in entries if fingerprint(entry.text) == mark), None):
            return Settled(None, duplicate=known.id)
        near = nominate(text, [entry.text for entry in entries], over=self._add_below)
        judged = [(score, entries[place], decide(entries[place].text, text)) for score, place in near]
        for wanted in ("same", "contained", "supersedes"):
            for _, entry, likeness in judged:
                if likeness.kind != wanted:
                    continue
                if wanted == "same" or (wanted == "contained" and likeness.longer == "old"):
                    return Settled(None, duplicate=entry.id)
                return self._replace(operation, path, entry, actor, kind=likeness.kind, why=likeness.why)
        doubtful = [(score, entry) for score, entry, likeness in judged if likeness.kind == "doubt"]
        return self._doubt(operation, path, text, doubtful, actor)

    def _doubt(
        self, operation: AddEntry, path: str, text: str, doubtful: Sequence[tuple[float, Entry]], actor: Actor
    ) -> Settled:
        """Ask the model about the nearest doubtful entry, and about every one that is very near."""
        asked = [entry for place, (score, entry) in enumerate(doubtful) if not place or score >= self._merge_over]
        flagged: list[Entry] = []
        for place, entry in enumerate(asked[:_JUDGED]):
            answer = self._ask(entry.text, text)
            if answer == "same" and not _loses(entry.text, text):
                if len(text) <= len(entry.text):
                    return Settled(None, duplicate=entry.id)
                return self._replace(operation, path, entry, actor, kind="same", why="the model says so")
            if answer == "newer":
                return self._replace(operation, path, entry, actor, kind="supersedes", why="the model says so")
            if answer in {"conflict", "same"} or (answer is None and not place):
                flagged.append(entry)
        return self._beside(operation, path, text, flagged)

    def _ask(self, old: str, new: str) -> str | None:
        if self._llm is None:
            return None
        request = Request(
            system=prompt("merge"),
            prompt=f"First: {one_line(old)}\nSecond: {one_line(new)}",
            max_tokens=200,
            timeout_seconds=self._seconds,
            purpose="merge",
            cause="add",
            model=self._model,
        )
        try:
            return parse_choice(self._llm.complete(request), CHOICES)
        except ModelError:
            logger.warning("no verdict from the model; both entries stay", exc_info=True)
            return None

    def _replace(self, operation: AddEntry, path: str, entry: Entry, actor: Actor, *, kind: Kind, why: str) -> Settled:
        made = self._ledger.made(entry.id)
        if made is not None and made[1].person and not actor.person and kind != "contained":
            return self._beside(operation, path, operation.text, [entry])  # a person wrote it: a person decides
        replacement = ReplaceEntry(
            path=path,
            target=entry.id,
            text=operation.text,
            sources=operation.sources,
            quotes=operation.quotes,
            trust=operation.trust,
        )
        note = f"{kind} ({why}): it takes the place of {_quoted(entry.text)}"
        return Settled(replacement, note=note)

    def _beside(self, operation: AddEntry, path: str, text: str, entries: Sequence[Entry]) -> Settled:
        """Let both stay, and put it before a person which of them holds."""
        waits = tuple(
            Waits(
                RemoveEntry(path=path, target=entry.id),
                f"{CONFLICT}: {_quoted(entry.text)} may no longer hold beside {_quoted(text)}",
            )
            for entry in entries
        )
        return Settled(operation, waits=waits, note=CONFLICT if waits else "")


def thresholds(facts: FactsConfig) -> tuple[float, float]:
    """Give the two cosines, (merge, add); the defaults, with a warning, where they are not in order."""
    if 0 < facts.add_threshold < facts.merge_threshold <= 1:
        return facts.merge_threshold, facts.add_threshold
    usual = FactsConfig()
    logger.warning(
        "add_threshold %s is not below merge_threshold %s, both in 0..1; using %s and %s",
        facts.add_threshold,
        facts.merge_threshold,
        usual.add_threshold,
        usual.merge_threshold,
    )
    return usual.merge_threshold, usual.add_threshold


def _loses(old: str, new: str) -> bool:
    """Say whether two texts that a model calls the same differ in a number or a denial."""
    return firm_words(old) != firm_words(new)


def _quoted(text: str) -> str:
    return repr(truncate(one_line(text), _QUOTED_CHARS, "…"))
