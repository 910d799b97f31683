"""Properties of the ranking, on rows made by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from commonplace.index import rows
from commonplace.index.rows import Candidates, Note, Shelf, Slot
from commonplace.recall import question as questions
from commonplace.recall import ranking
from commonplace.recall.question import Group, Question
from commonplace.recall.ranking import Sums, Weights
from commonplace.recall.related import related, stem

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def shelf_of(*sessions):
    """Make a shelf; a session is a list of (role, text)."""
    shelf = Shelf({}, names=set())
    for number, messages in enumerate(sessions, 1):
        flags = bytes(rows.flags_of(role, text) for role, text in messages)
        shelf.put(Slot(number, f"s{number}", f"s{number}", 0, (), flags, bytes(len(flags))))
    return shelf


def ranked(
    shelf, masks, question, *, found, total=100, notes=(), note_masks=None, weights=None, layers=None, holding=False
):
    candidates = Candidates(masks, note_masks or {}, found, total)
    return ranking.rank(
        candidates,
        notes,
        shelf,
        question,
        sums=Sums(question, candidates),
        weights=weights or Weights(),
        layers=layers or {},
        said_at=lambda slot, number: 0,
        limit=100,
        holding=holding,
    )


TWO = Question((Group(("ada",)), Group(("tea",))))


def keys(result):
    return [(each.key >> rows.MESSAGE_BITS, each.key & (rows.SLOT_MESSAGES - 1)) for each in result]


def test_a_rare_word_counts_more_than_a_common_one():
    shelf = shelf_of([("user", "ada")], [("user", "tea")])
    result = ranked(shelf, {rows.pack(1, 0, 0): 1, rows.pack(2, 0, 0): 2}, TWO, found=[40, 2])
    assert keys(result) == [(2, 0), (1, 0)]


def test_a_user_stands_before_an_assistant_of_the_same_words():
    """Retrieval notes, finding 3."""
    shelf = shelf_of([("assistant", "ada tea")], [("user", "ada tea")])
    result = ranked(shelf, {rows.pack(1, 0, 0): 3, rows.pack(2, 0, 0): 3}, TWO, found=[2, 2])
    assert keys(result) == [(2, 0), (1, 0)]


def test_what_follows_a_question_takes_part_in_its_score():
    """Retrieval notes, section 4."""
    shelf = shelf_of([("user", "does ada take tea?"), ("user", "no")], [("user", "ada takes tea."), ("user", "no")])
    result = ranked(shelf, {rows.pack(1, 0, 0): 3, rows.pack(2, 0, 0): 3}, TWO, found=[2, 2])
    scores = dict(zip(keys(result), result, strict=True))
    assert scores[1, 1].score > scores[2, 1].score
    assert scores[1, 1].parts["answers"] > 0


def test_an_assistant_gains_nothing_from_its_neighbours():
    shelf = shelf_of([("user", "ada tea?"), ("assistant", "sure")])
    assert keys(ranked(shelf, {rows.pack(1, 0, 0): 3}, TWO, found=[1, 1])) == [(1, 0)]


def test_only_what_holds_a_word_when_words_are_looked_up():
    shelf = shelf_of([("user", "ada tea"), ("user", "no")])
    assert keys(ranked(shelf, {rows.pack(1, 0, 0): 3}, TWO, found=[1, 1], holding=True)) == [(1, 0)]


def test_a_session_that_holds_more_of_the_question_raises_its_messages():
    shelf = shelf_of(
        [("user", "ada"), ("user", "x"), ("user", "x"), ("user", "tea")], [("user", "ada")] + [("user", "x")] * 3
    )
    masks = {rows.pack(1, 0, 0): 1, rows.pack(1, 3, 0): 2, rows.pack(2, 0, 0): 1}
    order = keys(ranked(shelf, masks, TWO, found=[2, 1]))
    assert order.index((1, 0)) < order.index((2, 0))


def test_a_synonym_counts_only_where_the_word_is_not():
    question = Question((Group(("tea",)), Group(("chai",), 0.5, 0)))
    candidates = Candidates({}, {}, [5, 5], 100)
    sums = Sums(question, candidates)
    assert sums[0b11] == sums[0b01]
    assert 0 < sums[0b10] < sums[0b01]


def test_rows_of_a_rewritten_transcript_lead_nowhere():
    shelf = shelf_of([("user", "ada")])
    assert ranked(shelf, {rows.pack(7, 0, 0): 1, rows.pack(1, 300, 0): 1}, TWO, found=[2, 0]) == []


def test_where_an_answer_is_spread_hits_of_many_sessions_come_first():
    shelf = shelf_of([("user", "ada tea")] * 16, [("user", "ada tea")] * 40)
    masks = {rows.pack(1, at, 0): 3 for at in range(0, 16, 4)} | {rows.pack(2, 0, 0): 3}
    assert keys(ranked(shelf, masks, TWO, found=[5, 5], holding=True))[4] == (2, 0)
    several = msgspec.structs.replace(TWO, several=True)
    assert (2, 0) in keys(ranked(shelf, masks, several, found=[5, 5], holding=True))[:2]


def test_a_record_shows_its_best_passage_once():
    notes = [Note(at, "t", "topic", "topics", "", None, f"part {at}") for at in (1, 2, 3)]
    result = ranked(shelf_of(), {}, TWO, found=[3, 1], notes=notes, note_masks={1: 1, 2: 3, 3: 1})
    assert [each.note.id for each in result] == [2]


def test_a_question_knows_what_it_is_about():
    question = questions.read("Where did Mara buy the red bicycle she mentioned?", NOW, ["Mara", "Jo"])
    factors = {group.words[0]: group.factor for group in question.groups if group.parent < 0}
    assert question.speaker == "Mara"
    assert factors["mara"] == questions.SPEAKER
    assert factors["mentioned"] == questions.FRAME
    assert factors["bicycle"] == 1.0
    assert "bought" in question.groups[[g.words[0] for g in question.groups].index("buy")].words


def test_a_long_question_keeps_its_beginning_and_its_end():
    question = questions.read(" ".join(f"word{number}" for number in range(5000)), NOW)
    asked = [group.words[0] for group in question.groups]
    assert questions.MAX_WORDS - 3 <= len(asked) <= questions.MAX_WORDS
    assert asked[0] == "word0"
    assert asked[-1] == "word4999"


def test_one_speaker_of_a_name_inside_another_word_is_not_named():
    assert questions.read("what about annals", NOW, ["Anna"]).speaker is None


def test_related_words_are_no_forms_of_the_word_itself():
    mother = related("mothers")
    assert "mom" in mother.synonyms
    assert all(stem(word) != stem("mothers") for word in mother.synonyms)
    assert related("zyzzyva").synonyms == ()
