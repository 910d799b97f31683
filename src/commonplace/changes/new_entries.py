"""Compare new entries with those that are there: a rule of admission, in layouts that ask for it.

Likeness nominates, rules decide. What they leave in doubt is decided by the verdicts that an operation has;
without one both entries stay and the review lists them. An entry is replaced whole or left whole: two sides of a
contradiction never end in one. What is replaced stays in the change log.

Source: seed facts, "Merge-on-Write", with the ruling of seed model, section 6.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import msgspec

from commonplace.changes.actors import Actor
from commonplace.changes.parts import Parts
from commonplace.config import MergingConfig
from commonplace.layouts.schema import Layer
from commonplace.operations import AddEntry, RemoveEntry, ReplaceEntry
from commonplace.records import Entry, Record
from commonplace.text.content import fold
from commonplace.text.likeness import Kind, decide, firm_words, nominate
from commonplace.text.patterns import pattern
from commonplace.text.pieces import fingerprint, one_line, truncate

logger = logging.getLogger(__name__)

CHOICES: Final = ("same", "newer", "conflict", "distinct")
"""What a new entry may be to one that is there."""

CONFLICT: Final = "possible_conflict"
_QUOTED_CHARS: Final = 120
_LABELLED: Final = pattern(r"\s*(?P<label>[^\n:：]{1,40}?)\s*(?::\s|：)")
_JUDGED: Final = 3  # doubtful entries that a verdict is wanted for, at most


class Settled(msgspec.Struct, frozen=True):
    """What becomes of one new entry: the operation, or the id that already says it; what waits, and why."""

    operation: AddEntry | ReplaceEntry | None
    duplicate: str = ""
    waits: tuple[tuple[RemoveEntry, str], ...] = ()
    note: str = ""


class NewEntries:
    """Decides what a new entry does to the entries of its document."""

    def __init__(self, parts: Parts) -> None:
        merging = parts.config.merging
        self._ledger = parts.ledger
        self._layout = parts.layout
        self._on = merging.on_write
        self._merge_over, self._add_below = thresholds(merging)

    def on(self, layer: Layer) -> bool:
        """True if the layout holds new entries of a layer against those that are there."""
        return self._on and any(self._layout.adds(rule, layer) for rule in ("merge", "label"))

    def doubts(self, text: str, entries: Sequence[Entry], layer: Layer) -> tuple[Entry, ...]:
        """Return the entries for which a verdict is wanted, the nearest first; none if the rules decide."""
        if self._layout.adds("merge", layer) is None:
            return ()  # of labels nothing is doubted: both entries stay
        if any(_compared(entry.text) == _compared(text) for entry in entries):
            return ()
        near = self._near(text, entries)
        if any(kind in {"same", "contained", "supersedes"} for _, _, kind, _, _ in near):
            return ()
        doubtful = [(score, entry) for score, entry, kind, _, _ in near if kind == "doubt"]
        return tuple(entry for place, (score, entry) in enumerate(doubtful) if not place or score >= self._merge_over)[
            :_JUDGED
        ]

    def settle(self, operation: AddEntry, entries: Sequence[Entry], layer: Layer, actor: Actor) -> Settled:
        """Return what becomes of a new entry.

        Args:
            operation: The new entry, screened, its path resolved; its verdicts are on the entries that `doubts` named.
            entries: Those of its document that are trusted as much as the agent.
            layer: The document's.
            actor: Who asks.
        """
        text = operation.text.strip()
        mark = _compared(text)
        if known := next((entry for entry in entries if _compared(entry.text) == mark), None):
            return Settled(None, duplicate=known.id)
        beside = ""
        if self._layout.adds("merge", layer) is None:
            beside = self._alike(text, entries) if actor.explicit else ""
            entries = [entry for entry in entries if (mine := label(entry.text)) and mine == label(text)]
        near = self._near(text, entries)
        for wanted in ("same", "contained", "supersedes"):
            for _, entry, kind, longer, why in near:
                if kind != wanted:
                    continue
                if wanted == "same" or (wanted == "contained" and longer == "old"):
                    return Settled(None, duplicate=entry.id)
                return self._replace(operation, entry, actor, kind=kind, why=why)
        flagged: list[Entry] = []
        for place, entry in enumerate(self.doubts(text, entries, layer)):
            choice = operation.verdicts.get(fingerprint(entry.text))
            if choice == "same" and firm_words(entry.text) == firm_words(text):
                if len(text) <= len(entry.text):
                    return Settled(None, duplicate=entry.id)
                return self._replace(operation, entry, actor, kind="same", why="the model says so")
            if choice == "newer":
                return self._replace(operation, entry, actor, kind="supersedes", why="the model says so")
            if choice in {"conflict", "same"} or (choice is None and not place):
                flagged.append(entry)
        return self._beside(operation, flagged, actor) if flagged else Settled(operation, note=beside)

    def _alike(self, text: str, entries: Sequence[Entry]) -> str:
        """Return a sentence that names the entry which may say otherwise; empty if none does."""
        near = (entry.text for _, entry, kind, _, _ in self._near(text, entries) if kind in {"supersedes", "doubt"})
        return next((f"beside {_quoted(each)}: `forget` or `update` that if it no longer holds" for each in near), "")

    def _near(self, text: str, entries: Sequence[Entry]) -> list[tuple[float, Entry, Kind, str, str]]:
        near = nominate(text, [entry.text for entry in entries], over=self._add_below)
        judged = [(score, entries[place], decide(entries[place].text, text)) for score, place in near]
        return [(score, entry, likeness.kind, likeness.longer, likeness.why) for score, entry, likeness in judged]

    def _replace(self, operation: AddEntry, entry: Entry, actor: Actor, *, kind: Kind, why: str) -> Settled:
        made = self._ledger.made(entry.id)
        own = (made is not None and made[1].person) or self._ledger.promoted(entry.id) == "user"
        if own and not actor.person and kind != "contained":
            return self._beside(operation, [entry], actor)  # a person wrote it: a person decides
        replacement = ReplaceEntry(
            path=operation.path,
            target=entry.id,
            text=operation.text,
            sources=operation.sources,
            quotes=operation.quotes,
            overrules=operation.overrules,
            trust=operation.trust,
        )
        return Settled(replacement, note=f"{why}: it takes the place of {_quoted(entry.text)}")

    def _beside(self, operation: AddEntry, entries: Sequence[Entry], actor: Actor) -> Settled:
        """Keep both, and add to the review which of them holds; a job's own guess is not reviewed."""
        if not actor.explicit:
            return Settled(operation)
        waits = tuple(
            (
                RemoveEntry(path=operation.path, target=entry.id),
                _conflict(entry.text, operation.text),
            )
            for entry in entries
        )
        return Settled(operation, waits=waits, note=CONFLICT if waits else "")


def is_settled(reason: str, target: str, entries: Sequence[Record]) -> bool:
    """True if a reason to wait was a possible conflict of two entries that are no longer both there."""
    if not reason.startswith(f"{CONFLICT}: "):
        return False
    old = next((entry.text for entry in entries if entry.id == target), None)
    return old is None or all(reason != _conflict(old, entry.text) for entry in entries)


def _conflict(old: str, new: str) -> str:
    return f"{CONFLICT}: {_quoted(old)} may no longer hold beside {_quoted(new)}"


def thresholds(merging: MergingConfig) -> tuple[float, float]:
    """Return the two cosines, (merge, add); the defaults, with a warning, if they are not in order."""
    if 0 < merging.add_threshold < merging.merge_threshold <= 1:
        return merging.merge_threshold, merging.add_threshold
    usual = MergingConfig()
    logger.warning(
        "add_threshold %s is not below merge_threshold %s, both in 0..1; using %s and %s",
        merging.add_threshold,
        merging.merge_threshold,
        usual.add_threshold,
        usual.merge_threshold,
    )
    return usual.merge_threshold, usual.add_threshold


def _compared(text: str) -> str:
    """Return a text as it is held against others: without case and the full stop at its end."""
    return fold(text).rstrip(" .。")


def label(text: str) -> str:
    """Return the part before the colon of `City: Berlin`; empty if there is none."""
    found = _LABELLED.match(text)
    return fold(found["label"]) if found else ""


def relabels(text: str, old: str) -> bool:
    """True if a statement gives the label of an older one another value, or says more of it."""
    if not label(text) or label(text) != label(old):
        return False
    found = decide(old, text)
    return found.kind == "supersedes" or (found.kind == "contained" and found.longer == "new")


def _quoted(text: str) -> str:
    return repr(truncate(one_line(text), _QUOTED_CHARS, "…"))
