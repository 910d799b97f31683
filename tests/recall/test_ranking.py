"""Properties of the ranking, on rows made by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from commonplace.recall import question as questions
from commonplace.recall import ranking
from commonplace.recall.index import rows
from commonplace.recall.index.rows import Candidates, Note, Shelf, Slot
from commonplace.recall.question import Group, Question
from commonplace.recall.ranking import Sums, Weights
from commonplace.recall.related import related, stem

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def shelf_of(*sessions):
    """Make a shelf; a session is a list of (role, text)."""
    shelf = Shelf({}, names=set())
    for number, messages in enumerate(sessions, 1):
        flags = bytes(rows.flags_of(role, text) for role, text in messages)
        shelf.put(Slot(number, f"s{number}", f"s{number}", (), flags, bytes(len(flags))))
    return shelf


def ranked(
    shelf, masks, question, *, found, total=100, notes=(), note_masks=None, weights=None, layers=None, holding=False
):
    candidates = Candidates(masks, note_masks or {}, found, total)
    how = ranking.How(
        sums=Sums(question, candidates),
        weights=weights or Weights(),
        layers=layers or {},
        said_at=lambda slot, number: 0,
        limit=100,
        holding=holding,
    )
    return ranking.rank(candidates, notes, shelf, question, how)


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


WORK = [
    ("user", "ada wants tea"),
    ("assistant", "let me look"),
    ("tool", "nothing in the kettle"),
    ("assistant", "let me fill it"),
    ("tool", "two litres"),
    ("tool", "ninety degrees"),
    ("assistant", "done, it is served"),
]


def test_a_reply_takes_part_in_the_score_of_its_request_where_tools_are_used():
    """Issue 7: what was done stands in the reply that ends the turn, not in the request."""
    result = ranked(shelf_of(WORK), {rows.pack(1, 0, 0): 3}, TWO, found=[1, 1])
    assert keys(result) == [(1, 0), (1, 6), (1, 1)]
    assert result[1].parts["answers"] == Weights().answer * result[0].parts["words"]


def test_an_output_takes_part_in_the_score_of_the_call_that_made_it():
    """Issue 7: an output seldom names what it was asked for; two outputs of one call both take part."""
    scored = ranked(shelf_of(WORK), {rows.pack(1, 3, 0): 3}, TWO, found=[1, 1])
    result = {each.key & 511: each.parts for each in scored}
    assert sorted(result) == [2, 3, 4, 5]
    weights, of_call = Weights(), result[3]["words"]
    assert result[2]["neighbours"] == weights.beyond * of_call
    assert result[4]["neighbours"] == pytest.approx((weights.beyond + weights.beside) * of_call)
    assert result[5]["neighbours"] == weights.beside * of_call


def test_where_tools_are_used_a_request_stands_less_far_above_what_is_found():
    """Issue 7: a request of the same words as a long output says less of them than in talk."""
    output = "ada tea " + "x " * 400
    talk = [("user", "ada wants some of the tea"), ("assistant", output)]
    shelf = shelf_of(talk, [talk[0], ("tool", output)])
    masks = {rows.pack(slot, at, 0): 3 for slot in (1, 2) for at in (0, 1)}
    words = {key: each.parts["words"] for key, each in zip(*both(shelf, masks), strict=True)}
    assert words[1, 0] / words[1, 1] > 2 * words[2, 0] / words[2, 1] > 2


def both(shelf, masks):
    result = ranked(shelf, masks, TWO, found=[4, 4])
    return keys(result), result


def test_nothing_is_carried_at_work_when_words_are_looked_up():
    shelf = shelf_of(WORK)
    assert keys(ranked(shelf, {rows.pack(1, 0, 0): 3}, TWO, found=[1, 1], holding=True)) == [(1, 0)]


def test_a_session_of_several_slots_is_weighed_as_a_whole():
    """Issue 7: where a long session happens to be cut says nothing about what it holds."""
    shelf = Shelf({}, names=set())
    flags = bytes(rows.flags_of("user", "x") for _ in range(rows.SLOT_MESSAGES))
    shelf.put(Slot(1, "long", "long", (), flags, bytes(len(flags))))
    shelf.put(Slot(2, "long", "long", (), flags[:4], bytes(4)))
    shelf.put(Slot(3, "short", "short", (), flags[:4], bytes(4)))
    masks = {rows.pack(1, 9, 0): 3, rows.pack(2, 1, 0): 2, rows.pack(3, 1, 0): 2}
    parts = {slot: each.parts["session"] for (slot, _), each in zip(*both(shelf, masks), strict=True)}
    assert parts[1] == parts[2] > 0
    assert parts[3] != parts[2]


def test_a_slot_is_of_work_while_a_good_part_of_it_is_of_tools():
    shelf = shelf_of(WORK, [("user", "x")] * 19 + [("tool", "x")])
    assert shelf.working == {1}
    shelf.drop(1)
    assert shelf.working == set()


def test_a_synonym_counts_only_where_the_word_is_not():
    question = Question((Group(("tea",)), Group(("chai",), 0.5, 0)))
    candidates = Candidates({}, {}, [5, 5], 100)
    sums = Sums(question, candidates)
    assert sums[0b11] == sums[0b01]
    assert 0 < sums[0b10] < sums[0b01]


def test_rows_of_a_rewritten_transcript_lead_nowhere():
    shelf = shelf_of([("user", "ada")])
    assert ranked(shelf, {rows.pack(7, 0, 0): 1, rows.pack(1, 300, 0): 1}, TWO, found=[2, 0]) == []


def test_a_record_shows_its_best_passage_once():
    notes = [Note(at, "t", "topic", "topics", None, f"part {at}") for at in (1, 2, 3)]
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
