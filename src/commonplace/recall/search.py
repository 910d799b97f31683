"""Answer a question from the index: collect, rank, read back, choose.

The only part of recall that touches the index and the store. What makes one message better than
another is decided in `ranking`, which of the best are shown in `choosing`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Final

import msgspec

from commonplace.changes.overruling import TELLING, Overruling, is_replaced, words_of
from commonplace.config import RecallConfig
from commonplace.guard.pasted import part_trust
from commonplace.recall import choosing, dated, ranking
from commonplace.recall import question as questions
from commonplace.recall.index import passages, rows
from commonplace.recall.index.near import Near
from commonplace.recall.index.rows import MESSAGE_BITS, PASSAGE_BITS, SLOT_MESSAGES, Candidates, Note, Places, Shelf
from commonplace.recall.index.sqlite import SqliteIndex
from commonplace.recall.indexing import Indexing
from commonplace.recall.question import Question
from commonplace.recall.ranking import Meaning, Ranked, Weights
from commonplace.records import LAYERS, Hit, Query, RecordedMessage, Source, Superseded
from commonplace.text import terms

WEIGHTS: Final = Weights()
_NOTES: Final = 300  # passages of records that are scored
_RANKED: Final = 80  # messages that may become hits; more when more are asked for
_PHRASES_READ: Final = 100  # of the best, that many are read for a quoted phrase
_PHRASE: Final = 2.0  # factor for a text that holds it
_KEYWORDS: Final = 2  # so few words are looked up, not asked: the messages beside them are no answer
_FEW_WORDS: Final = 3  # in so short a question every unknown word may be a misspelt one, else only names
_MENDED: Final = 3  # unknown words that are looked for in near spellings
_MANY_UNKNOWN: Final = 0.5  # below this share of a question found, its unknown words may be typos


class Search(msgspec.Struct, kw_only=True):
    """One question being answered.

    Attributes:
        query: The question with its limits.
        indexing: The index of one scope, and the way back to the files.
        now: What "last week" is counted from.
        config: How recall ranks.
        layers: What each layer counts; a layer left out counts 1.
        near: What lies near the question by its vector, where there is an embedder.
        overruling: What records say otherwise now than messages and what tells of them.
        written_at: When a record was written down, for those without a date of their own; None if unknown.
        hidden: Messages that were forgotten, by session and id.
        read: Called with each message that may become a hit.
    """

    query: Query
    indexing: Indexing
    now: datetime
    config: RecallConfig
    layers: Mapping[str, float] = {}
    near: Near = Near()
    overruling: Overruling | None = None
    written_at: Callable[[str], datetime | None] = lambda _: None
    hidden: Collection[tuple[str, str]] = ()
    read: Callable[[RecordedMessage], None] = lambda _: None
    shelf: Shelf = msgspec.field(default_factory=Shelf)
    places: dict[int, Places | None] = msgspec.field(default_factory=dict)

    @property
    def _index(self) -> SqliteIndex:
        return self.indexing.index

    def hits(self, *, explain: bool = False) -> list[Hit]:
        """Return the best hits, best first, each with what its score is made of if `explain`; empty when nothing fits.

        The index is brought up to the files first, so what was just said is found. Any text is a
        question: operators, quotes, NUL or 100 KB of it find something or nothing.
        """
        if self.query.k <= 0:
            return []
        self.indexing.catch_up()
        return self.indexing.answer(lambda index: self._answered(index.shelf(), explain=explain))

    def _answered(self, shelf: Shelf, *, explain: bool) -> list[Hit]:
        self.shelf, self.places = shelf, {}
        question, found = self._collect()
        ranked = self._said_then(question) or self._ranked(question, found)
        shown = self._shown(ranked, question)
        if self.overruling is not None:
            shown = self._below_successors(shown, self._near_hits)
        if question.phrases:
            shown = _phrases_first(shown, question.phrases)
        sources = [(self._source(each), each.score) for each in ranked]
        hits = choosing.choose(shown, sources, self.query, self.config)
        if self.near.failure:
            hits = [msgspec.structs.replace(hit, why={**hit.why, "no vectors": self.near.failure}) for hit in hits]
        return hits if explain else [msgspec.structs.replace(hit, why={}) for hit in hits]

    def _ranked(self, question: Question, found: Candidates) -> list[Ranked]:
        """Rank what was found by its words, or lies near by its vector; nothing where all of it is chance."""
        meaning = self._meaning()
        if not found.messages and not found.notes and not meaning.alone():
            return []
        sums = ranking.Sums(question, found)
        wide = sum(not group.words[0].isascii() for group in question.groups if group.parent < 0)
        plain = sum(group.parent < 0 for group in question.groups) - wide
        asked = plain + 3 * wide  # a word of a wide script is several pairs, of which some are held by chance
        floor = self.config.floor * min(1.0, questions.TERSE_WORDS / asked) ** 2  # talk is never covered whole
        if ranking.coverage(question, found, sums) < floor:
            meaning = meaning.alone()
            if not meaning:
                return []
            found = Candidates({}, {}, found.found, found.total)  # its words are chance: what they found is no answer
        how = ranking.How(
            sums=sums,
            weights=WEIGHTS,
            layers=self.layers,
            said_at=self._said_at,
            limit=self._limit,
            holding=plain + (wide + 1) // 2 <= _KEYWORDS,
            meaning=meaning,
        )
        return ranking.rank(found, self._notes(found, sums, meaning), self.shelf, question, how)

    def _said_then(self, question: Question) -> list[Ranked]:
        """Rank what was said in a time, where a question asks for nothing else; empty where nothing was."""
        if not question.only_times or self.query.tags:
            return []
        chosen, weigh = self.query.layers or LAYERS, self.layers
        until = self._until_ms
        said = [(start, end if until is None else min(end, until + 1)) for start, end in question.times]
        ranked: list[Ranked] = []
        if "sessions" in chosen:
            ranked = dated.messages(said, self.shelf, self._place, self._limit)
            for each in ranked:
                each.score *= weigh.get("sessions", 1.0)
        noted = [note for note in self._index.noted_in(said, _NOTES) if note.layer in chosen]
        ranked += dated.notes(noted, lambda note: weigh.get(note.layer, 1.0))
        return sorted(ranked, key=lambda each: -each.score)

    @property
    def _limit(self) -> int:
        """How many messages are ranked at most."""
        return max(_RANKED, self._near_hits)

    @property
    def _near_hits(self) -> int:
        """How many of the best may still become hits where some of them are lowered."""
        return 2 * self.query.k

    @property
    def _until_ms(self) -> int | None:
        as_of = self.query.as_of
        return int(as_of.timestamp() * 1000) if as_of is not None else None

    def _source(self, ranked: Ranked) -> str:
        return ranked.note.path if ranked.note is not None else self.shelf.slots[ranked.key >> MESSAGE_BITS].path

    # --- collecting ---

    def _collect(self) -> tuple[Question, Candidates]:
        question = questions.read(self.query.text, self.now, self.shelf.names)
        found = self._find(question)
        if not found.messages and not found.notes and not self.query.text.isascii():
            question = questions.read(self.query.text, self.now, self.shelf.names, whole=True)
            found = self._find(question)
        mended = self._mended(question, found)
        if mended is not question:
            question, found = mended, self._find(mended)
        return question, found

    def _find(self, question: Question) -> Candidates:
        chosen = self.query.layers or LAYERS
        noted = [layer for layer in chosen if layer != "sessions"]
        groups = [group.words for group in question.groups]
        said = "sessions" in chosen and not self.query.tags  # a message has no tags
        return self._index.search(groups, messages=said, layers=noted, tags=self.query.tags)

    def _mended(self, question: Question, found: Candidates) -> Question:
        """Add near spellings to names that are on no row, where the question is not answered without them."""
        main = sum(group.parent < 0 for group in question.groups)
        unknown = [
            at
            for at, count in enumerate(found.found[:main])
            if not count and (question.groups[at].name or main <= _FEW_WORDS)
        ]
        if not unknown or ranking.coverage(question, found, ranking.Sums(question, found)) >= _MANY_UNKNOWN:
            return question
        groups = list(question.groups)
        for at in unknown[:_MENDED]:
            near = self._index.similar(groups[at].words[0])
            if near:
                groups[at] = msgspec.structs.replace(groups[at], words=(*groups[at].words, *near))
        return msgspec.structs.replace(question, groups=tuple(groups)) if groups != list(question.groups) else question

    def _meaning(self) -> Meaning:
        """Return what is near by its vector in the layers that are asked, the nearest passage of each message."""
        config, chosen = self.config, self.query.layers or LAYERS
        messages: dict[int, tuple[float, int]] = {}
        notes: dict[int, float] = {}
        for row, near in self.near.rows.items():
            if row < 0:
                notes[-row] = near
            elif "sessions" in chosen and near > messages.get(row >> PASSAGE_BITS, (0.0, 0))[0]:
                messages[row >> PASSAGE_BITS] = (near, row)
        if notes:
            layers = self._index.notes(notes)
            notes = {key: near for key, near in notes.items() if key in layers and layers[key].layer in chosen}
        # Tags are looked up as words: a text that holds none of them is not found by its vector.
        return Meaning(messages, notes, config.vector_weight, 2.0 if self.query.tags else config.vector_floor)

    def _notes(self, found: Candidates, sums: ranking.Sums, meaning: Meaning) -> Sequence[Note]:
        best = sorted(found.notes, key=lambda note: -sums[found.notes[note]])[:_NOTES]
        notes = self._index.notes(dict.fromkeys([*best, *meaning.alone().notes]) if meaning else best)
        return [note for note in notes.values() if self._was_known(note)]

    def _was_known(self, note: Note) -> bool:
        """True if a record was there at the instant that is asked for."""
        as_of, until = self.query.as_of, self._until_ms
        if as_of is None or until is None:
            return True
        if note.at_ms is not None:
            return note.at_ms <= until
        written = self.written_at(note.record)
        return written is None or written <= as_of

    def _said_at(self, slot: int, number: int) -> int:
        places = self._place(slot)
        return places.times[number] if places is not None and number < len(places.times) else 0

    def _place(self, slot: int) -> Places | None:
        if slot not in self.places:
            self.places[slot] = self._index.places(slot)
        return self.places[slot]

    # --- reading back ---

    def _shown(self, ranked: Sequence[Ranked], question: Question) -> Iterator[choosing.Shown]:
        for each in ranked:
            shown = self._note(each, each.note) if each.note is not None else self._message(each, question)
            if shown is not None:
                yield shown

    def _below_successors(self, shown: Iterator[choosing.Shown], count: int) -> Iterator[choosing.Shown]:
        """Yield the hits; of the first so many, a message whose value a record has replaced goes below that record.

        A record that the question did not find comes with the message that it replaces.
        """
        head = list(islice(shown, count))
        head += self._successors(head)
        scores: dict[tuple[str, str], float] = {}
        for each in head:
            for name in _names(each.hit.record, each.hit.sources):
                scores[name] = max(each.hit.score, scores.get(name, 0.0))
        yield from sorted((self._lowered(each, scores) for each in head), key=lambda each: -each.hit.score)
        yield from shown

    def _successors(self, head: Sequence[choosing.Shown]) -> list[choosing.Shown]:
        """Return the records that overrule some hits and are not among them, each as good as what it overrules."""
        chosen, found = self.query.layers or LAYERS, {each.hit.record for each in head}
        made: list[choosing.Shown] = []
        for each in head:
            over = self._overruled(each.hit)
            if over is None or over[0].record in found:
                continue
            by = over[0]
            found.add(by.record)
            note = self._index.note_of(by.record.partition("#")[0], by.record)
            if note is not None and note.layer in chosen:
                made.append(self._note(Ranked(each.hit.score, note.id, 0, {}, note), note))
        return made

    def _lowered(self, shown: choosing.Shown, scores: Mapping[tuple[str, str], float]) -> choosing.Shown:
        hit = shown.hit
        found = self._overruled(hit)
        if found is None:
            return shown
        by, words = found
        successor = max(scores.get(name, 0.0) for name in _names(by.record, by.sources))
        score = hit.score * WEIGHTS.superseded
        if successor:
            score = min(score, successor * ranking.JUST_BELOW)
        why = {**hit.why, "superseded": by.record}
        lowered = msgspec.structs.replace(hit, score=score, why=why, superseded_by=by.record, superseded_words=words)
        return msgspec.structs.replace(shown, hit=lowered)

    def _overruled(self, hit: Hit) -> tuple[Superseded, str] | None:
        """Return what says otherwise now than a hit, with the words that are over, none if it says nothing else."""
        if self.overruling is None:
            return None
        if hit.layer != "sessions":
            as_of = self.query.as_of
            return self.overruling.of_record(hit.record, hit.text, as_of) if hit.layer in TELLING else None
        source = hit.sources[0]
        parts = self.overruling.messages(source.session).get(source.message, ())
        as_of = self.query.as_of
        known = (part for part in parts if as_of is None or part.since <= as_of)
        over = [part for part in known if _overlap(part.span, source.span)]
        words = [was for part in over for was in part.was[1:] or _said(hit, part.span)]
        return (min(over, key=is_replaced), words_of(hit.text, words)) if over else None

    def _note(self, ranked: Ranked, note: Note) -> choosing.Shown:
        at = datetime.fromtimestamp(note.at_ms / 1000, UTC) if note.at_ms is not None else None
        hit = Hit(
            record=note.record,
            text=note.text,
            score=ranked.score,
            layer=note.layer,
            sources=(),  # the scope knows what a record rests on, and how far it is trusted
            trust="web",
            at=at,
            why=ranked.parts,
        )
        return choosing.Shown(hit, note.path)

    def _message(self, ranked: Ranked, question: Question) -> choosing.Shown | None:
        number = ranked.key >> MESSAGE_BITS
        slot = self.shelf.slots[number]
        places = self._place(number)
        at = ranked.key & (SLOT_MESSAGES - 1)
        if places is None or at >= len(places.offsets):
            return None
        if self._until_ms is not None and places.times[at] > self._until_ms:
            return None
        message = self.indexing.message(places, slot.path, slot.session, at)
        if message is None or (slot.session, message.message.id) in self.hidden:
            return None
        self.read(message)
        start, end = _span(message.text, ranked.row & ((1 << PASSAGE_BITS) - 1), question)
        whole = start == 0 and end == len(message.text)
        hit = Hit(
            record=message.id,
            text=message.text[start:end].strip(),
            score=ranked.score,
            layer="sessions",
            sources=(Source(message.session, message.message.id or "", None if whole else (start, end)),),
            trust=part_trust(message.message.trust or "agent", message.text, start, end),
            at=message.message.at,
            why=ranked.parts,
        )
        return choosing.Shown(hit, slot.path)


def _names(record: str, sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    yield "", record
    for source in sources:
        yield source.session, source.message


def _said(hit: Hit, span: tuple[int, int] | None) -> tuple[str, ...]:
    """Return the words of a part of a message that was found as a whole."""
    return (hit.text[slice(*span)],) if span is not None and hit.sources[0].span is None else ()


def _overlap(one: tuple[int, int] | None, other: tuple[int, int] | None) -> bool:
    return one is None or other is None or (one[0] < other[1] and other[0] < one[1])


def _span(text: str, row: int, question: Question) -> tuple[int, int]:
    spans = passages.passages(text)
    of_row = [span for at, span in enumerate(spans) if rows.fold_passage(at, len(spans)) == row]
    if len(of_row) <= 1:
        return of_row[0] if of_row else spans[0]
    # Trigger: a message of over a thousand passages shares rows. Outcome: the one with the most of the words.
    asked = [word for group in question.groups if group.parent < 0 for word in group.words]
    return max(of_row, key=lambda span: sum(word in text[span[0] : span[1]].lower() for word in asked))


def _phrases_first(shown: Iterator[choosing.Shown], phrases: Sequence[str]) -> Iterator[choosing.Shown]:
    """Yield the hits; of the first ones, those that contain a quoted phrase count double."""
    folded = [_folded(phrase) for phrase in phrases]
    head: list[choosing.Shown] = []
    for each in shown:
        count = sum(phrase in _folded(each.hit.text) for phrase in folded)
        if count:
            why = {**each.hit.why, "phrase": _PHRASE * count}
            raised = msgspec.structs.replace(each.hit, score=each.hit.score * _PHRASE * count, why=why)
            head.append(msgspec.structs.replace(each, hit=raised))
        else:
            head.append(each)
        if len(head) >= _PHRASES_READ:
            break
    yield from sorted(head, key=lambda each: -each.hit.score)
    yield from shown


def _folded(text: str) -> str:
    return " ".join(terms.fold(text).lower().split())
