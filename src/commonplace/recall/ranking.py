"""Rank what the index found: passages in the light of their turn and their session. Pure.

A passage scores by the rareness of the question's words it holds. A message takes its best passage,
a part of what its neighbours score (an answer often shares no word with its question) and of what
its whole session holds. Where tools are used, the part goes from a call to its output and from a request
to its reply. Every part is kept, so that a ranking can say what it is made of.
Source: retrieval notes, section 5, measured again on this index (docs/benchmarks.md).
"""

from __future__ import annotations

import functools
import heapq
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from commonplace.recall.index.rows import (
    DATED,
    LENGTH_SHIFT,
    LENGTHS,
    MESSAGE_BITS,
    PASSAGE_BITS,
    QUESTION,
    ROLE_CODES,
    ROLE_MASK,
    SLOT_MESSAGES,
    Candidates,
    Note,
    Shelf,
    Slot,
)
from commonplace.recall.question import Question
from commonplace.recall.turns import Turns

_TOOL: Final = ROLE_CODES["tool"]
_SHORT_NOTE: Final = 120.0  # characters; a shorter record gains nothing by being short
_FLOODED: Final = 0.6  # of the candidates from one transcript: others are looked for beside it
JUST_BELOW: Final = 1 - 1e-6

_T = TypeVar("_T", bound="tuple[Any, ...]")
_Parts = tuple[float, float, float, float]  # own words, neighbours, answer, factor


class Weights(msgspec.Struct, frozen=True):
    """What each part of a score counts; one set for all layouts and languages."""

    user: float = 2.0  # what a user says against what an assistant, tool or system says
    user_at_work: float = 1.5  # the same where tools are used: a request holds no answer
    length: float = 0.4  # how much of a length beyond the mean counts against a message; BM25's b
    length_at_work: float = 0.1  # the same there: outputs and reports are long, "let me look" is short
    beside: float = 0.3  # share of the scores of the messages right before and after; at work, of a call for its output
    beyond: float = 0.1  # share of the scores of those one further; at work, of those right before and after
    answer: float = 0.5  # share of a question's score for the message after it; at work, of a request's for its reply
    session: float = 0.8  # the best session's part against the best message's
    session_size: float = 0.3  # how much of a session's length beyond the mean counts against it
    speaker: float = 1.4  # factor for the one speaker a question names
    dated: float = 1.15  # factor for a message that holds a time, when a question asks when
    time: float = 1.3  # factor for a message said in the time a question names
    superseded: float = 0.5  # factor for a value that another one replaced
    candidates: int = 250  # messages whose neighbours are looked at


class Ranked(msgspec.Struct):
    """One message (`key`: slot and number; `row`: its best passage) or one note (`note`) in the ranking."""

    score: float
    key: int
    row: int
    parts: dict[str, float | str]
    note: Note | None = None


class Meaning(msgspec.Struct, frozen=True):
    """What lies near the question by its vector.

    `messages` maps a message to how near its nearest passage is, 0 to 1, and to that passage; `notes`
    the id of a passage of a record. The nearest, with what lies beside it, counts `weight` against the best
    words; from `floor` on something is found that shares no word with the question; where nothing is as near,
    the nearest counts less.
    """

    messages: Mapping[int, tuple[float, int]] = {}
    notes: Mapping[int, float] = {}
    weight: float = 0.0
    floor: float = 1.0

    def alone(self) -> Meaning:
        """Return only what is near enough to be found without a word in common."""
        return msgspec.structs.replace(
            self,
            messages={key: near for key, near in self.messages.items() if near[0] >= self.floor},
            notes={key: near for key, near in self.notes.items() if near >= self.floor},
        )

    def share(self, messages: Mapping[int, float]) -> float:
        """Return by what a nearness is multiplied to be added to a score; `messages` with what lies beside each."""
        return self.weight / max([*messages.values(), *self.notes.values(), self.floor, 1e-9])

    def __bool__(self) -> bool:
        return bool(self.messages or self.notes)


class How(msgspec.Struct, frozen=True, kw_only=True):
    """What a ranking depends on.

    `said_at` tells when a message (slot, number) was said, in milliseconds; a layer left out of
    `layers` counts 1; `limit` is how many messages are ranked at most; with `holding` only messages that
    hold a word themselves are.
    """

    sums: Sums
    weights: Weights
    layers: Mapping[str, float]
    said_at: Callable[[int, int], int]
    limit: int
    holding: bool
    meaning: Meaning = Meaning()


class Sums(dict[int, float]):
    """What the words of a mask weigh together, remembered; a word that only replaces a found one adds nothing."""

    def __init__(self, question: Question, found: Candidates) -> None:
        super().__init__()
        groups = question.groups
        plain = [rareness(count, found.total) for count in found.found]
        self.weights = [
            plain[at] * group.factor
            if group.parent < 0
            else min(plain[at], plain[group.parent] or plain[at]) * group.factor
            for at, group in enumerate(groups)
        ]
        self._parents = [group.parent for group in groups]

    def __missing__(self, mask: int) -> float:
        total = 0.0
        left = mask
        while left:
            low = left & -left
            at = low.bit_length() - 1
            parent = self._parents[at]
            if parent < 0 or not mask >> parent & 1:
                total += self.weights[at]
            left ^= low
        self[mask] = total
        return total


def rareness(count: int, total: int) -> float:
    """Weigh a word by how few rows hold it; never 0 for a word that is there, so that a memory of one line answers."""
    return math.log(1 + total / count) if count else 0.0


def rank(found: Candidates, notes: Sequence[Note], shelf: Shelf, question: Question, how: How) -> list[Ranked]:
    """Rank messages and notes together, best first; only those with a score above 0.

    Args:
        found: Rows by the words they hold.
        notes: The passages of records among them.
        shelf: The slots of the messages.
        question: What was asked.
        how: What words, parts and layers weigh, when a message was said, and how many are wanted.
    """
    return _Ranking(found, shelf, question, how).ranked(notes)


def coverage(question: Question, found: Candidates, sums: Sums) -> float:
    """Return which share of the question's weight the best row holds; words found nowhere count as the rarest."""
    rarest = rareness(1, found.total)
    groups = question.groups
    in_parts = [group.identifier and not sums.weights[at] for at, group in enumerate(groups)]
    whole = sum(
        (sums.weights[at] or rarest * group.factor)
        for at, group in enumerate(groups)
        if (in_parts[group.parent] if group.parent >= 0 else not in_parts[at])
    )
    held = {*found.messages.values(), *found.notes.values()}
    return max((sums[mask] for mask in held), default=0.0) / whole if whole else 0.0


def in_times(at_ms: int, question: Question) -> bool:
    """True if an instant lies in a time the question names."""
    return any(start <= at_ms < end for start, end in question.times)


class _Ranking:
    """One ranking being made."""

    def __init__(self, found: Candidates, shelf: Shelf, question: Question, how: How) -> None:
        self._found = found
        self._shelf = shelf
        self._question = question
        self._how = how
        self._alone = self._how.meaning.alone()
        self._steps = (0,) if how.holding else (-2, -1, 0, 1, 2)
        self._turns = Turns(shelf.slots)
        self._near = self._near_together()
        self._near_share = self._how.meaning.share(self._near)
        self._best: dict[int, float] = {}  # message -> what its best passage scores
        self._row: dict[int, int] = {}  # message -> that passage
        self._session: dict[int, float] = {}  # slot -> what its words weigh

    def ranked(self, notes: Sequence[Note]) -> list[Ranked]:
        self._best_passages()
        scored = self._messages()
        noted = [(self._note_score(note), note) for note in notes]
        strongest = max([each[0] for each in scored] + [score for score, _ in noted], default=0.0)
        if strongest <= 0 and not self._alone:
            return []
        strongest = strongest or 1.0
        share = self._how.weights.session
        best_session = max(self._session.values(), default=0.0)
        over = share / best_session if best_session else 0.0
        layer = self._how.layers.get("sessions", 1.0)
        session = self._session.get
        totals = [
            (layer * (score / strongest + over * session(key >> MESSAGE_BITS, 0.0)), -key, parts)
            for score, key, parts in scored
        ]
        if self._near:
            near, times = self._near.get, layer * self._near_share
            totals = [(total + times * near(-key, 0.0), key, parts) for total, key, parts in totals]
        ranked = [
            self._ranked_message(total, -key, parts, over * session(-key >> MESSAGE_BITS, 0.0))
            for total, key, parts in self._beside_floods(totals, self._how.limit, lambda each: -each[1])
        ]
        ranked += self._ranked_notes(noted, strongest, share, self._near_share)
        ranked.sort(key=lambda each: (-each.score, each.key))
        return ranked

    # --- messages ---

    def _best_passages(self) -> None:
        best, row_of = self._best, self._row
        together: dict[int, int] = {}
        sums, get, seen = self._how.sums, best.get, together.get
        for row, mask in self._found.messages.items():
            key = row >> PASSAGE_BITS
            score = sums[mask]
            if score > get(key, 0.0):
                best[key] = score
                row_of[key] = row
            slot = key >> MESSAGE_BITS
            together[slot] = seen(slot, 0) | mask
        slots, working, weights = self._shelf.slots, self._shelf.working, self._how.weights
        talk = _length_and_role(weights.user, weights.length, self._shelf.mean_chars)
        work = (
            _length_and_role(weights.user_at_work, weights.length_at_work, self._shelf.mean_chars) if working else talk
        )
        for key in list(best):
            of = slots.get(key >> MESSAGE_BITS)
            at = key & (SLOT_MESSAGES - 1)
            if of is None or at >= len(of.flags):  # its transcript was rewritten: the row leads nowhere
                del best[key]
            else:
                best[key] *= (work if of.id in working else talk)[of.flags[at]]
        self._weigh_sessions(together)

    def _weigh_sessions(self, together: Mapping[int, int]) -> None:
        """Weigh what each session holds, as a whole also where it goes on over several slots."""
        slots, size = self._shelf.slots, self._how.weights.session_size
        parts: dict[str, list[int]] = {}
        for number in together:
            if number in slots:
                parts.setdefault(slots[number].path, []).append(number)
        for numbers in parts.values():
            held = functools.reduce(operator.or_, (together[number] for number in numbers))
            length = sum(len(slots[number].flags) for number in numbers)
            weight = self._how.sums[held] / (1 - size + size * length / self._shelf.mean_messages)
            self._session.update(dict.fromkeys(numbers, weight))

    def _messages(self) -> list[tuple[float, int, _Parts]]:
        best, many = self._best, max(self._how.weights.candidates, self._how.limit)
        top = self._beside_floods(zip(best.values(), best, strict=True), many, lambda each: each[1])
        slots = self._shelf.slots
        question = self._question
        told_apart = bool(question.speaker or question.when or question.times)
        scored: list[tuple[float, int, _Parts]] = []
        alone = self._alone.messages
        looked_at = {key + step for _, key in top for step in self._steps}
        looked_at.update(alone)
        replies = self._replies(key for _, key in top)
        looked_at.update(replies)
        for key in looked_at:
            slot = slots.get(key >> MESSAGE_BITS)
            at = key & (SLOT_MESSAGES - 1)
            if slot is None or at >= len(slot.flags):
                continue
            own = best.get(key, 0.0)
            around = carried = 0.0
            if slot.id in self._shelf.working:
                around, carried = self._at_work(slot, at, key), replies.get(key, 0.0)
            elif not slot.flags[at] & ROLE_MASK:  # assistant and tool texts are long and echo what users say
                around, carried = self._neighbours(slot, at, key)
            score = own + around + carried
            if score > 0 or key in alone:
                factor = self._factor(slot, at) if told_apart else 1.0
                scored.append((score * factor, key, (own, around, carried, factor)))
        return scored

    def _beside_floods(self, scored: Iterable[_T], many: int, key_of: Callable[[_T], int]) -> list[_T]:
        """Return the largest; if one transcript fills most of the places, others get as many again."""
        everything = list(scored)
        if len(everything) <= many:
            return everything
        top = heapq.nlargest(many, everything)
        slots = self._shelf.slots
        paths = Counter(slots[key_of(each) >> MESSAGE_BITS].path for each in top)
        path, count = paths.most_common(1)[0]
        if count <= many * _FLOODED:
            return top
        return top + heapq.nlargest(many, (e for e in everything if slots[key_of(e) >> MESSAGE_BITS].path != path))

    def _neighbours(self, slot: Slot, at: int, key: int) -> tuple[float, float]:
        """Return what the messages around one add to it, and what it gains as the answer to a question."""
        get, weights = self._best.get, self._how.weights
        around = carried = 0.0
        if at:
            before = get(key - 1, 0.0)
            around = weights.beside * before
            if slot.flags[at - 1] & QUESTION:
                carried = weights.answer * before
            if at > 1:
                around += weights.beyond * get(key - 2, 0.0)
        after = len(slot.flags) - at - 1
        if after:
            around += weights.beside * get(key + 1, 0.0)
            if after > 1:
                around += weights.beyond * get(key + 2, 0.0)
        return around, carried

    def _replies(self, keys: Iterable[int]) -> dict[int, float]:
        """Return what each reply that ends a turn of work gains from the request; none when words are looked up."""
        carried: dict[int, float] = {}
        working = self._shelf.working
        for key in keys if working and len(self._steps) > 1 else ():
            reply = self._turns.reply(key) if key >> MESSAGE_BITS in working else None
            if reply is not None:
                carried[reply] = self._how.weights.answer * self._best.get(key, 0.0)
        return carried

    def _at_work(self, slot: Slot, at: int, key: int) -> float:
        """Return what a message gains, where tools are used, from those beside it and from the call behind it."""
        get, weights = self._best.get, self._how.weights
        if len(self._steps) == 1:
            return 0.0
        around = weights.beyond * get(key - 1, 0.0) if at else 0.0
        if at + 1 < len(slot.flags):
            around += weights.beyond * get(key + 1, 0.0)
        call = self._turns.call(key) if slot.flags[at] & ROLE_MASK == _TOOL else None
        return around + weights.beside * get(call, 0.0) if call is not None else around

    def _near_together(self) -> dict[int, float]:
        """Return how near each message is, with a part of what the ones right before and after it are."""
        messages, slots = self._how.meaning.messages, self._shelf.slots
        together = {key: near for key, (near, _) in messages.items()}
        for key, (near, _) in messages.items() if len(self._steps) > 1 else ():
            slot, at = slots.get(key >> MESSAGE_BITS), key & (SLOT_MESSAGES - 1)
            for step in (-1, 1):
                beside = at + step
                if slot is not None and 0 <= beside < len(slot.flags) and not slot.flags[beside] & ROLE_MASK:
                    together[key + step] = together.get(key + step, 0.0) + self._how.weights.beside * near
        return together

    def _factor(self, slot: Slot, at: int) -> float:
        question, weights = self._question, self._how.weights
        factor = 1.0
        if question.speaker and slot.speakers[at] and slot.names[slot.speakers[at] - 1] == question.speaker:
            factor = weights.speaker
        if question.when and slot.flags[at] & DATED:
            factor *= weights.dated
        if question.times and in_times(self._how.said_at(slot.id, at), question):
            factor *= weights.time
        return factor

    def _ranked_message(self, total: float, key: int, parts: _Parts, prior: float) -> Ranked:
        own, around, carried, factor = parts
        why: dict[str, float | str] = {
            "words": own,
            "neighbours": around,
            "answers": carried,
            "factor": factor,
            "session": prior,
        }
        near = self._near.get(key, 0.0)
        if near:
            _tell(why, near * self._near_share, alone=own + around + carried <= 0)
        _, nearest = self._how.meaning.messages.get(key, (0.0, key << PASSAGE_BITS))
        return Ranked(total, key, self._row.get(key, nearest), why)

    # --- records of the other layers ---

    def _note_score(self, note: Note) -> float:
        """Score a passage of a record like a message of the same words that a user said."""
        weights = self._how.weights
        usual = max(self._shelf.mean_chars, _SHORT_NOTE)
        length = max(_SHORT_NOTE, min(LENGTHS[-1], len(note.text)))
        score = self._how.sums[self._found.notes.get(note.id, 0)] * weights.user
        score /= 1 - weights.length + weights.length * length / usual
        if note.at_ms is not None and in_times(note.at_ms, self._question):
            score *= weights.time
        return score

    def _ranked_notes(
        self, noted: Sequence[tuple[float, Note]], strongest: float, share: float, times: float
    ) -> list[Ranked]:
        """Return each record with its best passage; a record's own words are its session."""
        masks, sums = self._found.notes, self._how.sums
        most = max((sums[mask] for mask in masks.values()), default=0.0)
        best: dict[str, Ranked] = {}
        for score, note in noted:
            near = self._how.meaning.notes.get(note.id, 0.0) * times
            if score <= 0 and note.id not in self._alone.notes:
                continue
            layer = self._how.layers.get(note.layer, 1.0)
            prior = share * sums[masks.get(note.id, 0)] / most if most else 0.0
            parts: dict[str, float | str] = {"words": score, "session": prior, "layer": layer}
            if near:
                _tell(parts, near, alone=score <= 0)
            total = layer * (score / strongest + prior + near)
            if note.record not in best or total > best[note.record].score:
                best[note.record] = Ranked(total, -note.id, 0, parts, note)
        return list(best.values())


def _tell(why: dict[str, float | str], near: float, *, alone: bool) -> None:
    why["meaning"] = near
    if alone:
        why["found by"] = "its vector alone"


def _length_and_role(user: float, counts: float, mean_chars: float) -> list[float]:
    """Return the factor of a flag byte for a score; its length beyond the mean `counts` so much."""
    made: list[float] = []
    for flags in range(256):
        length = LENGTHS[flags >> LENGTH_SHIFT]
        role = 1.0 if flags & ROLE_MASK else user
        made.append(role / (1 - counts + counts * length / mean_chars))
    return made
